/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A peer without sockets for the tests of the protocol: messages in, messages out, on a real loop
 * with real work queues. Included once, in a test's only file.
 */
#ifndef LECTERN_TESTS_PEER_FIXTURE_H
#define LECTERN_TESTS_PEER_FIXTURE_H

#include "mcp/protocol/peer.h"
#include "tests/unit/fake_tools.h"

#define SENT_CAP 64

/* What came for one message. */
struct mailbag {
    struct peer_reply reply; /* first */
    json_t *sent[SENT_CAP];
    bool response[SENT_CAP];
    int status;
    size_t count;
    bool ended, accepted;
};

struct fixture {
    uv_loop_t loop;
    struct server server;
    struct host *host;
    struct peer *peer;
    const struct peer_headers *headers; /* of each message, or NULL */
};

static inline void on_send(struct peer_reply *reply, const char *json, size_t len,
                           enum peer_output kind)
{
    struct mailbag *bag = (struct mailbag *)reply;
    struct error err = {0};

    assert_false(bag->ended);
    assert_true(bag->count < SENT_CAP);
    assert_null(memchr(json, '\n', len));
    bag->sent[bag->count] = json_read(json, len, "an answer", &err);
    assert_non_null(bag->sent[bag->count]);
    if (!json_is_array(bag->sent[bag->count])) /* the answers to a batch */
        assert_string_equal(json_get_string(bag->sent[bag->count], "jsonrpc"), "2.0");
    bag->response[bag->count++] = kind == PEER_RESPONSE;
    bag->status = reply->http_status;
}

static inline void on_end(struct peer_reply *reply, bool accepted)
{
    struct mailbag *bag = (struct mailbag *)reply;

    assert_false(bag->ended);
    bag->ended = true;
    bag->accepted = accepted;
}

static inline void bag_init(struct mailbag *bag)
{
    memset(bag, 0, sizeof *bag);
    bag->reply.streams = true;
    bag->reply.send = on_send;
    bag->reply.end = on_end;
}

static inline void bag_finish(struct mailbag *bag)
{
    for (size_t i = 0; i < bag->count; i++)
        json_decref(bag->sent[i]);
}

static inline void receive(struct fixture *fixture, struct mailbag *bag, const char *text,
                           size_t len)
{
    struct message message;

    bag_init(bag);
    message_read(&message, NULL, text, len);
    peer_receive(fixture->peer, &message, fixture->headers, &bag->reply);
    message_finish(&message);
}

static inline void tell(struct fixture *fixture, struct mailbag *bag, const char *text)
{
    receive(fixture, bag, text, strlen(text));
}

/* From a client that takes no streams. */
static inline void tell_without_streams(struct fixture *fixture, struct mailbag *bag,
                                        const char *text)
{
    struct message message;

    bag_init(bag);
    bag->reply.streams = false;
    message_read(&message, NULL, text, strlen(text));
    peer_receive(fixture->peer, &message, fixture->headers, &bag->reply);
    message_finish(&message);
}

static inline void wait_for(struct fixture *fixture, const struct mailbag *bag)
{
    while (!bag->ended)
        uv_run(&fixture->loop, UV_RUN_ONCE);
}

/* Sends and returns the one response, borrowed from the bag. */
static inline const json_t *ask(struct fixture *fixture, struct mailbag *bag, const char *text)
{
    tell(fixture, bag, text);
    wait_for(fixture, bag);
    assert_int_equal(bag->count, 1);
    assert_true(bag->response[0]);
    assert_false(bag->accepted);
    return bag->sent[0];
}

static inline void expect_error(struct fixture *fixture, const char *text, int code, int status,
                                const char *says)
{
    struct mailbag bag;
    const json_t *error = json_object_get(ask(fixture, &bag, text), "error");

    if (json_integer_value(json_object_get(error, "code")) != code)
        fail_msg("%s: code %lld", text, json_integer_value(json_object_get(error, "code")));
    if (!strstr(json_get_string(error, "message"), says))
        fail_msg("%s: says %s", text, json_get_string(error, "message"));
    assert_int_equal(bag.status, status);
    bag_finish(&bag);
}

#define INITIALIZE(version)                                                                        \
    "{\"jsonrpc\":\"2.0\",\"id\":\"i\",\"method\":\"initialize\",\"params\":{\"protocolVersion\":" \
    "\"" version "\",\"capabilities\":{},\"clientInfo\":{\"name\":\"unit test!\",\"version\":"     \
    "\"1\"}}}"
#define CALL(id, tool, arguments)                                                                  \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":{\"name\":\"" tool    \
    "\",\"arguments\":" arguments "}}"
#define CALL_WITH_TOKEN(id, tool, arguments, token)                                                \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":{\"name\":\"" tool    \
    "\",\"arguments\":" arguments ",\"_meta\":{\"progressToken\":" token "}}}"
#define CANCEL(id)                                                                                 \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":" id "}}"

/* A modern request with the id 1, and what it says of its client. */
#define META_WITH(version, capabilities)                                                           \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"" version                            \
    "\",\"io.modelcontextprotocol/clientInfo\":{\"name\":\"modern one\",\"version\":\"1\"},"       \
    "\"io.modelcontextprotocol/clientCapabilities\":{" capabilities "}}"
#define META META_WITH("2026-07-28", "")
#define MODERN(method, params)                                                                     \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" method "\",\"params\":{" params "}}"
#define LEGACY(method, params)                                                                     \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" method "\",\"params\":{" params "}}"

static inline int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct error err = {0};

    uv_loop_init(&fixture->loop);
    fake_server_open(&fixture->server, &fixture->loop, 2);
    fixture->host = host_create(&fixture->server, false, &err);
    fixture->peer = peer_create(fixture->host, "test", NULL, &err);
    assert_non_null(fixture->peer);
    atomic_store(&fake_cancelled, 0);
    *state = fixture;
    return 0;
}

static inline int setup_initialized(void **state)
{
    struct mailbag bag;

    setup(state);
    ask(*state, &bag, INITIALIZE("2025-11-25"));
    bag_finish(&bag);
    return 0;
}

/* The result of a request, borrowed from the bag. */
static inline const json_t *result_of(struct fixture *fixture, struct mailbag *bag,
                                      const char *text)
{
    const json_t *result = json_object_get(ask(fixture, bag, text), "result");

    if (!result)
        fail_msg("%s: %s", text, json_dumps(bag->sent[0], 0));
    return result;
}

static inline int teardown(void **state)
{
    struct fixture *fixture = *state;

    peer_destroy(fixture->peer);
    host_destroy(fixture->host);
    fake_server_close(&fixture->server);
    uv_run(&fixture->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&fixture->loop), 0);
    free(fixture);
    return 0;
}

#endif
