/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * "/mcp": MCP's Streamable HTTP for the revisions with sessions. POST carries one message to the
 * server; its answer is JSON, or a stream of server-sent events if something is sent before it. GET
 * opens the stream of what the server tells unasked, or resumes a stream. DELETE ends a session. A
 * lost connection cancels nothing. Runs on the loop's thread.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "mcp/transport/http_mcp.h"

#define JSON_TYPE "application/json"

/* ---- POST ---- */

/* After a client's first message: only initialize opens a session. Any other message is answered at
 * once, so the stream has ended. */
static void admit(struct mcp_stream *stream)
{
    struct exchange *exchange = stream->exchange;
    const struct client *client = peer_client(stream->client->peer);
    struct server *server = exchange->services->server;
    struct session_id id;
    struct error err = {0};

    if (client->version) {
        if (session_id_make(&id, client, "", (int64_t)time(NULL), &err) < 0 ||
            session_id_write(&id, server->seal_key, exchange->mcp_session, &err) < 0)
            exchange_error(exchange, 503, "%s", err.text);
    } else if (stream->response_status < 400) {
        buf_clear(&stream->response);
        exchange_error(exchange, 400,
                       "the Mcp-Session-Id header is missing: send initialize first, then each "
                       "message with the id that its answer carries");
    }
}

static void receive(struct mcp_stream *stream)
{
    const struct buf *body = &stream->exchange->body;
    bool is_new = !stream->client->has_id;
    struct message message;

    stream->receiving = true;
    message_read(&message, body->data ? body->data : "", body->len);
    peer_receive(stream->client->peer, &message, NULL, &stream->reply);
    message_finish(&message);
    if (is_new)
        admit(stream);
    mcp_stream_received(stream);
}

static void handle_post(struct exchange *exchange)
{
    struct mcp_sessions *all = exchange->services->sessions;
    struct mcp_stream *stream = NULL;
    struct mcp_client *client;
    struct session_id id;
    struct error err = {0};

    if (!*exchange->request.mcp_session)
        client = mcp_client_new(all, &err);
    else if (mcp_session_find(exchange, &id) == 0)
        client = mcp_client_use(all, &id, &err);
    else
        return;
    if (client)
        stream = mcp_stream_open(client, exchange, &err);
    if (stream) {
        receive(stream);
        return;
    }
    if (client)
        mcp_client_leave(client);
    exchange_error(exchange, 503, "%s", err.text);
}

static void check_post(struct exchange *exchange)
{
    const struct server_request *request = &exchange->request;
    size_t type_len = strcspn(request->content_type, "; \t");

    if (type_len != strlen(JSON_TYPE) ||
        strncasecmp(request->content_type, JSON_TYPE, type_len) != 0)
        exchange_error(exchange, 415,
                       "the body must be JSON: send it with Content-Type: application/json");
    else if (!mcp_takes_json(exchange) && !mcp_takes_events(exchange))
        exchange_error(exchange, 406,
                       "the answer is JSON or server-sent events: send Accept: application/json, "
                       "text/event-stream");
}

/* ---- GET ---- */

static void open_unasked(struct exchange *exchange, const struct session_id *id)
{
    struct mcp_sessions *all = exchange->services->sessions;
    struct mcp_stream *stream = NULL;
    struct mcp_client *client;
    struct error err = {0};

    client = mcp_client_use(all, id, &err);
    if (client)
        stream = mcp_stream_open_unasked(client, exchange, &err);
    if (stream)
        return;
    if (client)
        mcp_client_leave(client);
    exchange_error(exchange, 503, "%s", err.text);
}

static void handle_get(struct exchange *exchange)
{
    const char *last = exchange->request.last_event_id;
    struct session_id id;

    if (mcp_session_find(exchange, &id) < 0)
        return;
    if (*last && mcp_stream_resume(exchange->services->sessions, &id, last, exchange))
        return;
    if (mcp_stream_id_is_of_post(last))
        exchange_error(exchange, 400,
                       "the stream of this Last-Event-ID is over: its answer was kept for %d s "
                       "after its connection was lost, unless the server was started again; send "
                       "the request again, and GET without Last-Event-ID for a new stream",
                       MCP_STREAM_LOST_S);
    else
        open_unasked(exchange, &id);
}

static void check_get(struct exchange *exchange)
{
    if (!*exchange->request.mcp_session)
        exchange_error(exchange, 400,
                       "the Mcp-Session-Id header is missing: send initialize with POST first");
    else if (!mcp_takes_events(exchange))
        exchange_error(exchange, 406,
                       "the answer is a stream of server-sent events: send Accept: "
                       "text/event-stream");
}

/* ---- DELETE ---- */

static void handle_delete(struct exchange *exchange)
{
    struct session_id id;

    if (!*exchange->request.mcp_session)
        exchange_error(exchange, 400, "the Mcp-Session-Id header of the session to end is missing");
    else if (mcp_session_find(exchange, &id) == 0)
        mcp_session_delete(exchange, &id);
}

/* ---- the methods ---- */

static const struct http_method {
    const char *name;
    void (*check)(struct exchange *exchange); /* or NULL */
    void (*handle)(struct exchange *exchange);
} http_methods[] = {
    {"POST", check_post, handle_post},
    {"GET", check_get, handle_get},
    {"DELETE", NULL, handle_delete},
};

static const struct http_method *find_method(const struct exchange *exchange)
{
    for (size_t i = 0; i < sizeof http_methods / sizeof http_methods[0]; i++) {
        if (strcmp(http_methods[i].name, exchange->request.method) == 0)
            return &http_methods[i];
    }
    return NULL;
}

static void check(struct exchange *exchange)
{
    const struct http_method *method = find_method(exchange);

    if (method) {
        if (method->check)
            method->check(exchange);
        return;
    }
    snprintf(exchange->allow, sizeof exchange->allow, "GET, POST, DELETE, OPTIONS");
    if (strcmp(exchange->request.method, "OPTIONS") == 0)
        exchange_answer(exchange, 204, NULL, NULL);
    else
        exchange_error(exchange, 405, "/mcp takes GET, POST and DELETE");
}

static void handle(struct exchange *exchange)
{
    mcp_clients_collect(exchange->services->sessions);
    find_method(exchange)->handle(exchange);
}

const struct http_route http_route_mcp = {
    .path = "/mcp",
    .error_form = "rpc",
    .body_cap = MESSAGE_IN_CAP,
    .check = check,
    .handle = handle,
};
