/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sign-in by the tokens "x" and "y" of a file, over real sockets: what is open with a token ends
 * when its line leaves the file, while its client says nothing, and what is open with another one
 * stays.
 */
#include <errno.h>

#define LINE_X "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881 edit anna\n"
#define LINE_Y "a1fce4363854ff888cff4b8e7875d600c2682390412a8cf79b37d0b11148b0fa read ben\n"
#define TOKENS LINE_X LINE_Y

#include "tests/unit/http_fixture.h"

#define OF(token) "Authorization: Bearer " token "\r\n"
#define UPGRADE                                                                                    \
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"                   \
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
#define LISTEN                                                                                     \
    "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"subscriptions/listen\",\"params\":{"               \
    "\"notifications\":{},\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","  \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}}}"

static void write_request(const struct fixture *fixture, struct client *client, const char *line,
                          const char *headers, const char *body)
{
    char text[3000];
    int len = snprintf(text, sizeof text,
                       "%s HTTP/1.1\r\nHost: localhost\r\n%sContent-Length: %zu\r\n\r\n%s", line,
                       headers, strlen(body), body);

    client_open(client, fixture->port);
    client_write(client, text, (size_t)len);
}

/* What stays open: the stream of a session, that of a request of the revision without sessions, and
 * the WebSockets. */
enum kind { SESSION, LISTENING, SYNC, CHAT, KINDS };

static void open_kind(const struct fixture *fixture, struct client *client, enum kind kind,
                      const char *token, const char *sid)
{
    char authorization[64], headers[2000], line[128];
    struct answer answer;

    snprintf(authorization, sizeof authorization, OF("%s"), token);
    if (kind == SESSION) {
        snprintf(headers, sizeof headers, MCP_HEADERS "%s", authorization);
        request_once(fixture, &answer, "POST", "/mcp", headers, INITIALIZE);
        assert_int_equal(answer.status, 200);
        snprintf(headers, sizeof headers, "Accept: text/event-stream\r\n%sMcp-Session-Id: %s\r\n",
                 authorization, header(&answer, "mcp-session-id"));
        free(answer.body);
        write_request(fixture, client, "GET /mcp", headers, "");
    } else if (kind == LISTENING) {
        snprintf(headers, sizeof headers,
                 MCP_HEADERS "%sMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: "
                             "subscriptions/listen\r\n",
                 authorization);
        write_request(fixture, client, "POST /mcp", headers, LISTEN);
    } else {
        snprintf(line, sizeof line, "GET /%s?session_id=%s", kind == SYNC ? "mcp-sync" : "chat",
                 sid);
        snprintf(headers, sizeof headers, UPGRADE "%s", authorization);
        write_request(fixture, client, line, headers, "");
    }
    assert_true(read_head(client, &answer));
    assert_int_equal(answer.status, kind < SYNC ? 200 : 101);
}

/* Reads frames up to the close frame; its status. */
static unsigned read_close(struct client *client)
{
    for (;;) {
        const unsigned char *at = (const unsigned char *)client->data;
        size_t len, head;

        while (client->len < 4)
            assert_true(client_fill(client));
        len = at[1];
        head = len == 126 ? 4 : 2;
        assert_true(len < 127); /* a longer one is not sent here */
        if (len == 126)
            len = (size_t)at[2] << 8 | at[3];
        while (client->len < head + len)
            assert_true(client_fill(client));
        if ((at[0] & 0xF) == 8)
            return (unsigned)at[head] << 8 | at[head + 1];
        client_take(client, head + len);
    }
}

static void expect_end(struct client *client, enum kind kind)
{
    if (kind >= SYNC) {
        assert_int_equal(read_close(client), 1008);
        return;
    }
    while (client_fill(client))
        continue;
    if (kind == LISTENING)
        assert_non_null(strstr(client->data, "\"resultType\":\"complete\""));
}

static bool is_open(const struct client *client)
{
    char byte;

    return recv(client->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 ? errno == EAGAIN : byte != 0;
}

static void test_withdrawn(void **state)
{
    const struct fixture *fixture = *state;
    struct client kept[KINDS], ended[KINDS];
    struct answer answer;
    char sid[SESSION_ID_SIZE];
    json_t *body;

    request_once(fixture, &answer, "POST", "/session/create", OF("x"), NULL);
    body = json_read(answer.body, answer.len, "the answer", NULL);
    snprintf(sid, sizeof sid, "%s", json_get_string(body, "session_id"));
    json_decref(body);
    free(answer.body);
    for (enum kind kind = 0; kind < KINDS; kind++) {
        open_kind(fixture, &kept[kind], kind, "x", sid);
        open_kind(fixture, &ended[kind], kind, "y", sid);
    }
    write_tokens(fixture, LINE_X);
    for (enum kind kind = 0; kind < KINDS; kind++)
        expect_end(&ended[kind], kind);
    expect(fixture, "GET", "/sessions", OF("y"), NULL, 401, "withdrawn");
    expect(fixture, "GET", "/mcp-sync", OF("y") UPGRADE, NULL, 401, "withdrawn");
    expect(fixture, "GET", "/sessions", OF("x"), NULL, 200, sid);
    for (enum kind kind = 0; kind < KINDS; kind++) {
        assert_true(is_open(&kept[kind]));
        client_close(&kept[kind]);
        client_close(&ended[kind]);
    }
}

/* While others may read the file, none of its tokens can be checked. */
static void test_file_that_others_may_read(void **state)
{
    const struct fixture *fixture = *state;
    struct client socket;
    struct answer answer;

    open_kind(fixture, &socket, SYNC, "x", "");
    assert_int_equal(chmod(fixture->tokens, 0644), 0);
    expect_end(&socket, SYNC);
    client_close(&socket);
    for (int i = 0; i < 2; i++) {
        request_once(fixture, &answer, "GET", i ? "/mcp-sync" : "/sessions",
                     i ? OF("x") UPGRADE : OF("x"), NULL);
        assert_int_equal(answer.status, 503);
        assert_string_equal(header(&answer, "retry-after"), "1");
        assert_null(header(&answer, "www-authenticate"));
        free(answer.body);
    }
}

static void test_scope(void **state)
{
    static const char *const headers[] = {OF("x"), OF("y")}, *const scopes[] = {"read edit learn",
                                                                                "read"};
    const struct fixture *fixture = *state;
    struct answer answer;

    for (size_t i = 0; i < 2; i++) {
        request_once(fixture, &answer, "GET", "/sessions", headers[i], NULL);
        assert_string_equal(header(&answer, "lectern-scope"), scopes[i]);
        free(answer.body);
    }
    request_once(fixture, &answer, "GET", "/health", "", NULL);
    assert_null(header(&answer, "lectern-scope"));
    free(answer.body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HTTP_TEST(test_withdrawn),
        HTTP_TEST(test_file_that_others_may_read),
        HTTP_TEST(test_scope),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
