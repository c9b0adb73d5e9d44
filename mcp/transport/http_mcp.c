/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * "/mcp": MCP's Streamable HTTP for the revisions with sessions. POST carries one message to the
 * server; its answer is JSON, or a stream of server-sent events as soon as progress has to come
 * before it. DELETE ends a session. There is no stream by GET: this server tells its clients
 * nothing that they did not ask. A connection that is lost cancels nothing. Runs on the loop's
 * thread.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "mcp/transport/http_internal.h"
#include "mcp/transport/http_sessions.h"

#define JSON_TYPE            "application/json"
#define EVENTS_TYPE          "text/event-stream"
#define VERSION_CHECKED_FROM "2025-06-18" /* the first revision with MCP-Protocol-Version */

/* One POST while its message is worked on. */
struct post {
    struct peer_reply reply; /* first: a reply is its post */
    struct exchange *exchange;
    struct mcp_session *session;
    bool takes_json, takes_events;
    struct buf response;
    int response_status;
    bool ended, accepted;
    bool receiving; /* inside peer_receive: the end is dealt with after it */
};

static bool accepts(const char *accept, const char *type, const char *any_of_kind)
{
    return !*accept || strcasestr(accept, type) || strcasestr(accept, any_of_kind) ||
           strstr(accept, "*/*");
}

static void free_post(struct post *post)
{
    if (post->session)
        mcp_session_leave(post->session);
    buf_finish(&post->response);
    free(post);
}

/* The client left; its call goes on without it. */
static void on_gone(void *user)
{
    struct post *post = user;

    if (post->session->peer)
        peer_forget(post->session->peer, &post->reply);
    free_post(post);
}

static void on_send(struct peer_reply *reply, const char *json, size_t len, bool is_response)
{
    struct post *post = (struct post *)reply;

    if (!is_response) {
        if (post->takes_events)
            exchange_send_event(post->exchange, json, len, true);
        return;
    }
    if (exchange_streams(post->exchange)) {
        exchange_send_event(post->exchange, json, len, false);
        return;
    }
    post->response_status = reply->http_status;
    buf_init(&post->response, 0);
    buf_add(&post->response, json, len);
}

static void finish_post(struct post *post)
{
    struct exchange *exchange = post->exchange;
    const struct buf *response = &post->response;

    if (response->len > 0 && !post->takes_json && post->response_status < 400 &&
        !exchange_answered(exchange))
        exchange_send_event(exchange, response->data, response->len, false);
    if (exchange_streams(exchange))
        exchange_end_stream(exchange);
    else if (response->len > 0)
        exchange_answer(exchange, post->response_status, JSON_TYPE, &post->response);
    else if (post->accepted)
        exchange_answer(exchange, 202, NULL, NULL);
    else
        exchange_error(exchange, 404, "the MCP session has ended: send initialize again");
    free_post(post);
}

static void on_end(struct peer_reply *reply, bool accepted)
{
    struct post *post = (struct post *)reply;

    post->ended = true;
    post->accepted = accepted;
    if (!post->receiving)
        finish_post(post);
}

/* After the first message of a client: only initialize gives it a session. Everything that may come
 * before that is answered at once, so the post has ended. */
static void admit(struct post *post)
{
    struct exchange *exchange = post->exchange;
    struct error err = {0};

    if (!peer_initialized(post->session->peer)) {
        if (post->response_status < 400) {
            buf_clear(&post->response);
            exchange_error(exchange, 400,
                           "the Mcp-Session-Id header is missing: send initialize first, then each "
                           "message with the id that its answer carries");
        }
    } else if (mcp_session_register(exchange_sessions(exchange), post->session, &err) < 0) {
        exchange_error(exchange, 503, "%s", err.text);
    } else {
        exchange_set_mcp_session(exchange, post->session->id);
    }
}

static void receive(struct post *post)
{
    const struct buf *body = exchange_body(post->exchange);
    bool is_new = !post->session->id[0];

    exchange_set_on_gone(post->exchange, on_gone, post);
    post->receiving = true;
    peer_receive(post->session->peer, body->data ? body->data : "", body->len, &post->reply);
    post->receiving = false;
    if (is_new)
        admit(post);
    if (post->ended)
        finish_post(post);
}

/* ---- the three methods ---- */

static void check_post(struct exchange *exchange)
{
    const struct server_request *request = exchange_request(exchange);
    size_t type_len = strcspn(request->content_type, "; \t");

    if (type_len != strlen(JSON_TYPE) ||
        strncasecmp(request->content_type, JSON_TYPE, type_len) != 0)
        exchange_error(exchange, 415,
                       "the body must be JSON: send it with Content-Type: application/json");
    else if (!accepts(request->accept, JSON_TYPE, "application/*") &&
             !accepts(request->accept, EVENTS_TYPE, "text/*"))
        exchange_error(exchange, 406,
                       "the answer is JSON or server-sent events: send Accept: application/json, "
                       "text/event-stream");
}

static void check_get(struct exchange *exchange)
{
    exchange_set_allow(exchange, "POST, DELETE, OPTIONS");
    exchange_error(exchange, 405, "GET /mcp is not supported: send messages with POST");
}

static void check_options(struct exchange *exchange)
{
    exchange_set_allow(exchange, "POST, DELETE, OPTIONS");
    exchange_answer(exchange, 204, NULL, NULL);
}

/* The session that the header names, with one more user; NULL: answered. */
static struct mcp_session *find_session(struct exchange *exchange)
{
    const struct server_request *request = exchange_request(exchange);
    struct mcp_session *session =
        mcp_session_use(exchange_sessions(exchange), request->mcp_session);

    if (!session) {
        exchange_error(exchange, 404,
                       "unknown Mcp-Session-Id (the session may have ended): send "
                       "initialize again");
        return NULL;
    }
    if (strcmp(peer_version(session->peer), VERSION_CHECKED_FROM) >= 0 && *request->mcp_version &&
        !protocol_version_known(request->mcp_version)) {
        exchange_error(exchange, 400, "MCP-Protocol-Version must be the agreed one, %s",
                       peer_version(session->peer));
        mcp_session_leave(session);
        return NULL;
    }
    return session;
}

static void handle_post(struct exchange *exchange)
{
    const struct server_request *request = exchange_request(exchange);
    struct mcp_session *session;
    struct error err = {0};
    struct post *post;

    session = *request->mcp_session ? find_session(exchange)
                                    : mcp_session_create(exchange_sessions(exchange), &err);
    if (!session) {
        exchange_error(exchange, 503, "%s", err.text); /* find_session has answered already */
        return;
    }
    post = calloc(1, sizeof *post);
    if (!post) {
        mcp_session_leave(session);
        exchange_error(exchange, 503, "out of memory: send it again in a moment");
        return;
    }
    post->reply.send = on_send;
    post->reply.end = on_end;
    post->exchange = exchange;
    post->session = session;
    post->takes_json = accepts(request->accept, JSON_TYPE, "application/*");
    post->takes_events = accepts(request->accept, EVENTS_TYPE, "text/*");
    receive(post);
}

static void handle_delete(struct exchange *exchange)
{
    struct mcp_session *session;

    if (!*exchange_request(exchange)->mcp_session) {
        exchange_error(exchange, 400, "the Mcp-Session-Id header of the session to end is missing");
        return;
    }
    session = find_session(exchange);
    if (!session)
        return;
    mcp_session_end(exchange_sessions(exchange), session);
    mcp_session_leave(session);
    exchange_answer(exchange, 204, NULL, NULL);
}

static const struct {
    const char *method;
    void (*check)(struct exchange *exchange);
    void (*handle)(struct exchange *exchange);
} methods[] = {
    {"POST", check_post, handle_post},
    {"DELETE", NULL, handle_delete},
    {"OPTIONS", check_options, NULL},
};
#define METHOD_COUNT (sizeof methods / sizeof methods[0])

static size_t find_method(const struct exchange *exchange)
{
    size_t i = 0;

    while (i < METHOD_COUNT && strcmp(methods[i].method, exchange_request(exchange)->method) != 0)
        i++;
    return i;
}

static void check(struct exchange *exchange)
{
    size_t i = find_method(exchange);

    if (i == METHOD_COUNT)
        check_get(exchange);
    else if (methods[i].check)
        methods[i].check(exchange);
}

static void handle(struct exchange *exchange)
{
    methods[find_method(exchange)].handle(exchange);
}

const struct http_route http_route_mcp = {
    .path = "/mcp",
    .error_form = "rpc",
    .body_cap = PEER_MESSAGE_CAP,
    .check = check,
    .handle = handle,
};
