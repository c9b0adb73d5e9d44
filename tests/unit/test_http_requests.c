/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The HTTP server: requests in a wrong form, their methods, paths and bodies, and many of them on
 * one connection.
 */
#include "mcp/transport/http/http_head.h"
#include "tests/unit/http_fixture.h"

/* What cannot be read is answered as any other mistake, and the connection then closed: where its
 * next request would begin is not known. */
static void test_malformed(void **state)
{
#define HEADER_FIELD(text) "GET /health HTTP/1.1\r\nHost: localhost\r\n" text "\r\n\r\n"
#define POST(text)                                                                                 \
    "POST /session/create HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" text  \
    "\r\n\r\n"
    static const struct {
        const char *text;
        size_t len; /* 0: to its NUL */
        int status;
        const char *says;
    } requests[] = {
        {HEADER_FIELD("X-A: a\0b"), sizeof HEADER_FIELD("X-A: a\0b") - 1, 400,
         "control characters"},
        {HEADER_FIELD("X-A: a\x01"), 0, 400, "control characters"},
        {HEADER_FIELD("X-A: a\rb"), 0, 400, "control characters"},
        {HEADER_FIELD("no colon"), 0, 400, "Name: value"},
        {HEADER_FIELD("X-A : a"), 0, 400, "Name: value"},
        {HEADER_FIELD(" folded: a"), 0, 400, "Name: value"},
        {HEADER_FIELD("X-A: a\r\n folded"), 0, 400, "Name: value"},
        {HEADER_FIELD(": a"), 0, 400, "Name: value"},
        {"GET /health HTTP/1.1\nHost: localhost\n\n", 0, 400, "CR LF"},
        {"GET /health HTTP/1.1\r\nHost: localhost\n\r\n", 0, 400, "CR LF"},
        {"GET /%00x HTTP/1.1\r\nHost: localhost\r\n\r\n", 0, 400, "%00"},
        {"GET /health?a=%00 HTTP/1.1\r\nHost: localhost\r\n\r\n", 0, 400, "%00"},
        {"GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n", 0, 400, "'%'"},
        {"GET /health?a=% HTTP/1.1\r\nHost: localhost\r\n\r\n", 0, 400, "'%'"},
        {"GET /a\x01 HTTP/1.1\r\nHost: localhost\r\n\r\n", 0, 400, "%XX"},
        {"GET /a b HTTP/1.1\r\nHost: localhost\r\n\r\n", 0, 400, "%XX"},
        {"GET health HTTP/1.1\r\nHost: localhost\r\n\r\n", 0, 400, "'/'"},
        {"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", 0, 400, "'/'"},
        {"GET https://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n", 0, 400, "'/'"},
        {"GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n", 0, 403, "--allow-host"},
        {"GET /health\r\nHost: localhost\r\n\r\n", 0, 400, "GET /path HTTP/1.1"},
        {"GET /health HTTP/1\r\nHost: localhost\r\n\r\n", 0, 400, "GET /path HTTP/1.1"},
        {"GET /health HTTP/2.0\r\nHost: localhost\r\n\r\n", 0, 505, "HTTP/1.1"},
        {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 0, 505, "HTTP/1.1"},
        {"TRACE / HTTP/1.1\r\nHost: localhost\r\n\r\n", 0, 501, "OPTIONS"},
        {"CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n", 0, 501, "OPTIONS"},
        {"get /health HTTP/1.1\r\nHost: localhost\r\n\r\n", 0, 501, "GET"},
        {"\x16\x03\x01\x02\x01\x01\xfc\x03\x03", 0, 400, "http://"},
        {"GET /health HTTP/1.1\r\n\r\n", 0, 400, "Host"},
        {"GET /health HTTP/1.0\r\n\r\n", 0, 400, "Host"},
        {POST("Content-Length: +2"), 0, 400, "Content-Length"},
        {POST("Content-Length: 0x2"), 0, 400, "Content-Length"},
        {POST("Content-Length: 2, 2"), 0, 400, "Content-Length"},
        {POST("Content-Length:"), 0, 400, "Content-Length"},
        {POST("Content-Length: 2\r\nContent-Length: 2"), 0, 400, "Content-Length"},
        {POST("Content-Length: 5\r\nTransfer-Encoding: chunked"), 0, 411, "Content-Length"},
        {POST("Transfer-Encoding: identity"), 0, 411, "Content-Length"},
        {POST("Transfer-Encoding : chunked"), 0, 400, "Name: value"},
        {HEADER_FIELD("Transfer-Encoding: chunked"), 0, 411, "Content-Length"},
        {HEADER_FIELD("Connection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 1"), 0, 400,
         "no body"},
    };
    const struct fixture *fixture = *state;
    struct client client;
    struct answer answer;
    size_t len;

    for (size_t i = 0; i < 2 * sizeof requests / sizeof requests[0]; i++) {
        size_t row = i / 2;

        client_open(&client, fixture->port);
        len = requests[row].len ? requests[row].len : strlen(requests[row].text);
        client_write(&client, requests[row].text, len);
        if (i % 2) /* who only says that nothing follows still reads */
            shutdown(client.fd, SHUT_WR);
        if (!read_head(&client, &answer))
            fail_msg("no answer to %s", requests[row].text);
        read_body(&client, &answer, false);
        if (answer.status != requests[row].status || !strstr(answer.body, requests[row].says) ||
            strncmp(answer.body, "{\"detail\":", strlen("{\"detail\":")) != 0)
            fail_msg("%s: %d %s", requests[row].text, answer.status, answer.body);
        if (answer.status != 403 && !strstr(requests[row].says, "Host")) {
            assert_string_equal(header(&answer, "connection"), "close");
            assert_false(client_fill(&client));
        }
        free(answer.body);
        client_close(&client);
    }
    expect(fixture, "GET", "http://localhost/health?a=b", "Host: ignored.example\r\n", NULL, 422,
           "unknown parameter 'a'");
    expect(fixture, "GET", "/health", "", NULL, 200, "status");
#undef HEADER_FIELD
#undef POST
}

/* Too much of a head is refused, too, and not only cut off. */
static void test_long_heads(void **state)
{
    const struct fixture *fixture = *state;
    struct client client;
    struct answer answer;
    char *text = malloc(65536);

    for (int fields = 0; fields < 2; fields++) {
        size_t used = (size_t)sprintf(text, "GET /health HTTP/1.1\r\nHost: localhost\r\n");

        if (fields) {
            for (int i = 0; i < 200; i++)
                used += (size_t)sprintf(text + used, "X-%d: a\r\n", i);
        } else {
            used += (size_t)sprintf(text + used, "X-A: ");
            memset(text + used, 'a', 40000);
            used += 40000;
        }
        used += (size_t)sprintf(text + used, "\r\n\r\n");
        client_open(&client, fixture->port);
        client_write(&client, text, used);
        read_answer(&client, &answer);
        assert_int_equal(answer.status, 431);
        assert_non_null(strstr(answer.body, "at most"));
        free(answer.body);
        client_close(&client);
    }
    free(text);
}

/* What is just within the caps, and what is called like the beginning of a known field. */
static void test_unusual_heads(void **state)
{
    static const char *const names[] = {"X", "A", "X-", "Acc", "Accept-", "Hos", "P", "Vi", "Cook"};
    const struct fixture *fixture = *state;
    char headers[HTTP_HEAD_CAP], *to = headers;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(headers, sizeof headers, "%s: y\r\n", names[i]);
        expect(fixture, "GET", "/health", headers, NULL, 200, "status");
    }
    for (int i = 1; i < HTTP_HEAD_LINES_CAP; i++) /* and the Host */
        to += sprintf(to, "X-%d: a\r\n", i);
    expect(fixture, "GET", "/health", headers, NULL, 200, "status");
    sprintf(to, "X: a\r\n");
    expect(fixture, "GET", "/health", headers, NULL, 431, "at most 64");
}

static void test_methods_and_paths(void **state)
{
    const struct fixture *fixture = *state;
    struct answer answer;

    expect(fixture, "GET", "/", "", NULL, 200, "Lectern");
    expect(fixture, "POST", "/", "", "", 405, "GET");
    expect(fixture, "GET", "/no/such", "", NULL, 404, "/no/such");
    expect(fixture, "GET", "/mcp", "", NULL, 400, "Mcp-Session-Id");
    expect(fixture, "PUT", "/mcp", MCP_HEADERS, PING, 405, "POST");
    request_once(fixture, &answer, "DELETE", "/health", "", NULL);
    assert_int_equal(answer.status, 405);
    assert_non_null(strstr(header(&answer, "allow"), "GET"));
    free(answer.body);
    request_once(fixture, &answer, "HEAD", "/health", "", NULL);
    assert_int_equal(answer.status, 200);
    assert_true(strtoul(header(&answer, "content-length"), NULL, 10) > 0);
    free(answer.body);
    request_once(fixture, &answer, "OPTIONS", "/health", "", NULL);
    assert_int_equal(answer.status, 204);
    assert_string_equal(header(&answer, "allow"), "GET, HEAD, OPTIONS");
    free(answer.body);
}

/* As far as it goes without a sandbox; tests/contract/test_execute.py has the rest. */
static void test_execute(void **state)
{
    const struct fixture *fixture = *state;
    struct answer answer;

    expect(fixture, "GET", "/execute", "", NULL, 405, "POST");
    expect(fixture, "POST", "/execute", JSON, "{", 422, "\"loc\":[\"body\"]");
    expect(fixture, "POST", "/execute", "Content-Type: text/plain\r\n", "x", 415, "JSON");
    expect(fixture, "POST", "/execute", JSON, "{\"code\": 1}", 422, "[\"body\",\"code\"]");
    expect(fixture, "POST", "/execute", JSON, "{\"code\": \"import os\"}", 200,
           "\"error\":\"Code analysis blocked: line 1: ");
    expect(fixture, "POST", "/execute", JSON, "{\"code\": \"a\\u0000b\"}", 200, "blocked: ");
    expect(fixture, "GET", "/metrics", "", NULL, 200,
           "lectern_validator_refusals_total{rule=\"import-not-allowed\"} 1\n");
    request_once(fixture, &answer, "POST", "/execute", JSON, "{\"code\": \"print(1)\"}");
    assert_int_equal(answer.status, 503);
    assert_string_equal(answer.body,
                        "{\"detail\":\"no sandbox in this test\",\"error_info\":{"
                        "\"errorCategory\":\"engine\",\"isRetryable\":true,\"isRepairable\":false,"
                        "\"context\":{\"message\":\"no sandbox in this test\"}}}");
    assert_string_equal(header(&answer, "retry-after"), "1");
    free(answer.body);
    request_once(fixture, &answer, "OPTIONS", "/execute", "", NULL);
    assert_int_equal(answer.status, 204);
    assert_string_equal(header(&answer, "allow"), "POST, OPTIONS");
    free(answer.body);
}

static void test_bodies(void **state)
{
    const struct fixture *fixture = *state;
    size_t len = BODY_CAP;
    char *big = malloc(len + 1), text[512];
    struct client client;
    struct answer answer;

    memset(big, ' ', len);
    big[len] = '\0';
    expect(fixture, "POST", "/mcp", "Content-Type: text/plain\r\n", PING, 415, "application/json");
    expect(fixture, "POST", "/mcp", JSON "Accept: text/html\r\n", PING, 406, "Accept");
    expect(fixture, "POST", "/session/create", "Content-Type: text/plain\r\n", "{}", 415, "JSON");
    expect(fixture, "POST", "/session/create", "", "{}", 415, "Content-Type: application/json");
    expect(fixture, "POST", "/execute", "", "{}", 415, "Content-Type: application/json");
    expect(fixture, "POST", "/session/create", "", "", 200, "session_id");
    expect(fixture, "POST", "/session/create", "", NULL, 200, "session_id");
    expect(fixture, "POST", "/mcp", MCP_HEADERS "Transfer-Encoding: chunked\r\n", NULL, 411,
           "Content-Length");
    expect(fixture, "POST", "/session/create", JSON "Transfer-Encoding: chunked\r\n", NULL, 411,
           "Content-Length");
    expect(fixture, "DELETE", "/mcp", "Transfer-Encoding: chunked\r\n", NULL, 411,
           "Content-Length");
    expect(fixture, "POST", "/mcp", MCP_HEADERS "Content-Length: -5\r\n", NULL, 400,
           "Content-Length");
    expect(fixture, "POST", "/mcp", MCP_HEADERS "Content-Length: 2\r\nContent-Length: 3\r\n", NULL,
           400, "Content-Length");
    expect(fixture, "POST", "/mcp", MCP_HEADERS "Content-Length: 99999999999999999999\r\n", NULL,
           400, "Content-Length");
    /* A body over its path's cap, written without looking at the answer first. */
    client_open(&client, fixture->port);
    snprintf(text, sizeof text,
             "POST /mcp HTTP/1.1\r\nHost: localhost\r\n" MCP_HEADERS "Content-Length: %zu\r\n\r\n",
             len);
    client_write(&client, text, strlen(text));
    client_write(&client, big, len);
    read_answer(&client, &answer);
    assert_int_equal(answer.status, 413);
    assert_non_null(strstr(answer.body, "4194304"));
    free(answer.body);
    client_close(&client);
    expect(fixture, "POST", "/session/create", JSON "Content-Length: 17825793\r\n", NULL, 413,
           "17825792");
    /* The whole of what a path takes. */
    client_open(&client, fixture->port);
    snprintf(text, sizeof text,
             "POST /session/create HTTP/1.1\r\nHost: localhost\r\n" JSON
             "Content-Length: %zu\r\n\r\n",
             len);
    client_write(&client, text, strlen(text));
    memcpy(big, "{}", 2);
    assert_int_equal(client_write(&client, big, len), len);
    read_answer(&client, &answer);
    assert_int_equal(answer.status, 200);
    free(answer.body);
    client_close(&client);
    free(big);
}

/* curl waits a second for this line before it sends a large body. */
static void test_expect_continue(void **state)
{
    const struct fixture *fixture = *state;
    struct client client;
    struct answer answer;
    char text[512];

    client_open(&client, fixture->port);
    snprintf(text, sizeof text,
             "POST /mcp HTTP/1.1\r\nHost: localhost\r\n" MCP_HEADERS
             "Content-Length: %zu\r\nExpect: 100-continue\r\n\r\n",
             strlen(INITIALIZE));
    client_write(&client, text, strlen(text));
    assert_true(read_head(&client, &answer));
    assert_int_equal(answer.status, 100);
    client_write(&client, INITIALIZE, strlen(INITIALIZE));
    read_answer(&client, &answer);
    assert_int_equal(answer.status, 200);
    free(answer.body);
    client_close(&client);
}

/* Many requests on one connection, one after the other and all at once. */
static void test_keep_alive_and_pipelining(void **state)
{
    const struct fixture *fixture = *state;
    static const char get[] = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";
    char post[1024];
    struct client client;
    struct answer answer;

    client_open(&client, fixture->port);
    for (int i = 0; i < 20; i++) {
        request(&client, &answer, "GET", "/health", "", NULL);
        assert_int_equal(answer.status, 200);
        free(answer.body);
        request(&client, &answer, "POST", "/mcp", fixture->mcp, PING);
        assert_int_equal(answer.status, 200);
        free(answer.body);
        request(&client, &answer, "GET", "/no/such", "", NULL);
        assert_int_equal(answer.status, 404);
        free(answer.body);
    }
    snprintf(post, sizeof post,
             "POST /mcp HTTP/1.1\r\nHost: localhost\r\n%sContent-Length: %zu\r\n\r\n%s",
             fixture->mcp, strlen(CALL("3", "wait", "{\"ms\":100}")),
             CALL("3", "wait", "{\"ms\":100}"));
    client_write(&client, post, strlen(post));
    for (int i = 0; i < 10; i++)
        client_write(&client, get, strlen(get));
    for (int i = 0; i < 11; i++) {
        read_answer(&client, &answer);
        assert_int_equal(answer.status, 200);
        assert_non_null(strstr(answer.body, i == 0 ? "waited" : "status"));
        free(answer.body);
    }
    client_close(&client);
}

/* A client that sends its next request the moment it has the answer, headers and body apart, as
 * many do: none of it may count as come early. */
static void test_quick_next_request(void **state)
{
    const struct fixture *fixture = *state;
    struct client client;
    struct answer answer;

    client_open(&client, fixture->port);
    for (int i = 0; i < 1000; i++) {
        request(&client, &answer, "POST", "/mcp", fixture->mcp, PING);
        assert_int_equal(answer.status, 200);
        free(answer.body);
    }
    client_close(&client);
}

/* Requests that come early are answered all the same, and in order, wherever the bytes of the one
 * end and those of the next begin. */
static void test_pipelined_bodies(void **state)
{
#define LINE(method, path) method " " path " HTTP/1.1\r\nHost: localhost\r\n" MCP_HEADERS
    static const struct {
        const char *text;
        int status;
        const char *says;
    } requests[] = {
        {LINE("GET", "/health") "\r\n", 200, "status"},
        {LINE("POST", "/session/create") "Content-Length: 2\r\n\r\n{}", 200, "session_id"},
        {LINE("POST", "/session/create") "\r\n", 200, "session_id"},
        {LINE("PUT", "/no/such") "Content-Length: 5\r\n\r\n[1,2]", 404, "/no/such"},
        {LINE("GET", "/health") "Content-Length: 2\r\n\r\n{}", 200, "status"},
        {LINE("POST", "/mcp") "Content-Length: 4\r\n\r\n{\"a\"", 400, "-32700"},
        {LINE("POST", "/execute") "Content-Length: 11\r\n\r\n{\"cod\": \"1\"", 422, "body"},
    };
    const size_t count = sizeof requests / sizeof requests[0];
    static const size_t pieces[] = {1, 7, 100, 100000};
    const struct fixture *fixture = *state;
    struct client client;
    struct answer answer;
    char text[8192];

    for (size_t i = 0; i < count * sizeof pieces / sizeof pieces[0]; i++) {
        size_t piece = pieces[i / count], len = 0;

        for (size_t j = 0; j < count; j++)
            len += (size_t)sprintf(text + len, "%s", requests[(i + j) % count].text);
        client_open(&client, fixture->port);
        for (size_t at = 0; at < len; at += piece)
            client_write(&client, text + at, len - at < piece ? len - at : piece);
        for (size_t j = 0; j < count; j++) {
            read_answer(&client, &answer);
            if (answer.status != requests[(i + j) % count].status ||
                !strstr(answer.body, requests[(i + j) % count].says))
                fail_msg("%s: %d %s", requests[(i + j) % count].text, answer.status, answer.body);
            free(answer.body);
        }
        client_close(&client);
    }
#undef LINE
}

/* A long answer, read slowly, with more requests behind it than fit into any buffer. */
static void test_many_early_requests(void **state)
{
    const struct fixture *fixture = *state;
    char *body = malloc(300000), call[1024];
    struct client client;
    struct answer answer;
    int len;

    client_open(&client, fixture->port);
    len = snprintf(call, sizeof call,
                   "POST /mcp HTTP/1.1\r\nHost: localhost\r\n%sContent-Length: %zu\r\n\r\n%s",
                   fixture->mcp, strlen(CALL("3", "wait", "{\"ms\":300}")),
                   CALL("3", "wait", "{\"ms\":300}"));
    client_write(&client, call, (size_t)len);
    memset(body, ' ', 300000);
    memcpy(body, "{}", 2);
    for (int i = 0; i < 4; i++) {
        len = snprintf(call, sizeof call,
                       "POST /session/create HTTP/1.1\r\nHost: localhost\r\n" JSON
                       "Content-Length: 300000\r\n\r\n");
        assert_int_equal(client_write(&client, call, (size_t)len), len);
        assert_int_equal(client_write(&client, body, 300000), 300000);
    }
    for (int i = 0; i < 5; i++) {
        read_answer(&client, &answer);
        assert_int_equal(answer.status, 200);
        assert_non_null(strstr(answer.body, i == 0 ? "waited" : "session_id"));
        free(answer.body);
    }
    client_close(&client);
    free(body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HTTP_TEST(test_malformed),
        HTTP_TEST(test_long_heads),
        HTTP_TEST(test_unusual_heads),
        HTTP_TEST(test_methods_and_paths),
        HTTP_TEST(test_execute),
        HTTP_TEST(test_bodies),
        HTTP_TEST(test_expect_continue),
        MCP_TEST(test_keep_alive_and_pipelining),
        MCP_TEST(test_quick_next_request),
        HTTP_TEST(test_pipelined_bodies),
        MCP_TEST(test_many_early_requests),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
