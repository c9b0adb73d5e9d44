/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * "/mcp": MCP's Streamable HTTP. POST carries one message to the server; its answer is JSON, or a
 * stream of server-sent events if something is sent before it. In the revisions with sessions, GET
 * opens the stream of notifications that no call causes, or resumes a stream, DELETE ends a
 * session, and a lost connection cancels nothing. In those without, each POST has a peer of its
 * own, which ends with its connection. Runs on the loop's thread.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "helpers/base/encode.h"
#include "mcp/transport/mcp/http_mcp.h"

#define JSON_TYPE         "application/json"
#define PARAM_HEADER      "mcp-param-"
#define PARAM_NAME_MAX    64
#define PARAM_HEADER_SIZE 1024 /* bytes of a value; a longer one counts as missing */
#define TOOLSET_QUERY     "toolset="
#define TOOLSET_NAME_SIZE 64 /* encoded */

/* ---- the toolsets ---- */

/* Reads "toolset=NAME" in a query; false if it is not there. */
static bool find_choice(const char *query, char name[TOOLSET_NAME_SIZE])
{
    bool valid; /* an invalid code stays, and names no toolset */

    for (const char *at = query; *at; at += strcspn(at, "&"), at += *at == '&') {
        if (strncmp(at, TOOLSET_QUERY, strlen(TOOLSET_QUERY)) != 0)
            continue;
        at += strlen(TOOLSET_QUERY);
        snprintf(name, TOOLSET_NAME_SIZE, "%.*s", (int)strcspn(at, "&"), at);
        name[percent_decode(name, true, &valid)] = '\0';
        return true;
    }
    return false;
}

/* The toolsets that the request selects, of those that the server offers and its identity may
 * reach. 0: it was answered. A session keeps those of its initialize. */
static unsigned select_toolsets(struct exchange *exchange)
{
    const unsigned offered = exchange->services->server->toolsets;
    unsigned chosen = offered, reached;
    char name[TOOLSET_NAME_SIZE];

    if (find_choice(exchange->request->query, name) && !toolsets_find(name, &chosen)) {
        exchange_error(exchange, 400, "?" TOOLSET_QUERY " must be " TOOLSET_CHOICES);
        return 0;
    }
    if (chosen & ~offered) {
        exchange_error(exchange, 403,
                       "this server does not offer the toolset '%s': start it with lectern serve "
                       "--toolset all",
                       name);
        return 0;
    }
    reached = chosen & client_toolsets_of(exchange->identity);
    if (!reached)
        exchange_needs(exchange,
                       chosen & TOOLSET_BIT(TOOLSET_TUTOR) ? IDENTITY_LEARN : IDENTITY_EDIT);
    return reached;
}

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
        if (session_id_make(&id, client, exchange->identity->id, (int64_t)time(NULL), &err) < 0 ||
            session_id_write(&id, server->seal_key, exchange->mcp_session, &err) < 0)
            exchange_error(exchange, 503, "%s", err.text);
    } else if (stream->response_status < 400) {
        buf_clear(&stream->response);
        exchange_error(exchange, 400,
                       "the Mcp-Session-Id header is missing: send initialize first, then each "
                       "message with the id that its answer carries");
    }
}

/* The headers of a POST that repeat its body. */
struct post_headers {
    struct peer_headers headers; /* first */
    const struct exchange *exchange;
    char value[PARAM_HEADER_SIZE];
};

static const char *read_param(const struct peer_headers *headers, const char *name)
{
    struct post_headers *of_post = (struct post_headers *)headers;
    char header[sizeof PARAM_HEADER + PARAM_NAME_MAX + 1];
    int len = snprintf(header, sizeof header, PARAM_HEADER "%s:", name);

    if (len >= (int)sizeof header)
        return NULL;
    for (char *c = header; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    return exchange_header(of_post->exchange, header, of_post->value, sizeof of_post->value)
               ? of_post->value
               : NULL;
}

/* Gives the message to the peer of its session, or to one of its own. */
static void receive(struct exchange *exchange, const struct message *message,
                    const struct peer_headers *headers)
{
    struct mcp_sessions *all = exchange->services->sessions;
    bool modern = peer_message_is_modern(message, headers);
    struct mcp_stream *stream = NULL;
    struct mcp_client *client;
    struct session_id id;
    struct error err = {0};

    if (modern || !*exchange->request->mcp_session)
        client = mcp_client_new(all, select_toolsets(exchange), &err);
    else if (mcp_session_find(exchange, &id) == 0)
        client = mcp_client_use(all, &id, &err);
    else
        return;
    if (client)
        stream = mcp_stream_open(client, exchange, &err);
    if (!stream) {
        if (client)
            mcp_client_leave(client);
        exchange_error(exchange, 503, "%s", err.text);
        return;
    }
    stream->receiving = true;
    peer_identify(client->peer, exchange->identity);
    peer_receive(client->peer, message, headers, &stream->reply);
    if (!modern && !client->has_id)
        admit(stream);
    mcp_stream_received(stream);
}

static void handle_post(struct exchange *exchange)
{
    const struct server_request *request = exchange->request;
    const struct post_headers headers = {
        {request->mcp_version, request->mcp_method, request->mcp_name, read_param}, exchange, ""};
    struct buf BUF_AUTO body = exchange_take_body(exchange);
    struct message message;

    message_read(&message, &exchange->services->sessions->metas, body.data ? body.data : "",
                 body.len);
    receive(exchange, &message, &headers.headers);
    message_finish(&message);
}

static void check_post(struct exchange *exchange)
{
    const struct server_request *request = exchange->request;
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

static void open_get_stream(struct exchange *exchange, const struct session_id *id)
{
    struct mcp_sessions *all = exchange->services->sessions;
    struct mcp_stream *stream = NULL;
    struct mcp_client *client;
    struct error err = {0};

    client = mcp_client_use(all, id, &err);
    if (client)
        stream = mcp_stream_open_get(client, exchange, &err);
    if (stream)
        return;
    if (client)
        mcp_client_leave(client);
    exchange_error(exchange, 503, "%s", err.text);
}

static void handle_get(struct exchange *exchange)
{
    const char *last = exchange->request->last_event_id;
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
        open_get_stream(exchange, &id);
}

static void check_get(struct exchange *exchange)
{
    if (!*exchange->request->mcp_session)
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

    if (!*exchange->request->mcp_session)
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
    /* the first one is all that the revisions without sessions have */
    {"POST", check_post, handle_post},
    {"GET", check_get, handle_get},
    {"DELETE", NULL, handle_delete},
};

static const struct http_method *find_method(const struct exchange *exchange)
{
    for (size_t i = 0; i < sizeof http_methods / sizeof http_methods[0]; i++) {
        if (strcmp(http_methods[i].name, exchange->request->method) == 0)
            return &http_methods[i];
    }
    return NULL;
}

static void check(struct exchange *exchange)
{
    const struct http_method *method = find_method(exchange);
    bool modern = peer_version_is_modern(exchange->request->mcp_version);

    if (method && (method == http_methods || !modern)) {
        if (select_toolsets(exchange) && method->check)
            method->check(exchange);
        return;
    }
    snprintf(exchange->allow, sizeof exchange->allow, "POST, %sOPTIONS",
             modern ? "" : "GET, DELETE, ");
    if (strcmp(exchange->request->method, "OPTIONS") == 0)
        exchange_answer(exchange, 204, NULL, NULL);
    else if (modern)
        exchange_error(exchange, 405, "%s has no sessions: send messages with POST",
                       exchange->request->mcp_version);
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
    .scopes = IDENTITY_READ | IDENTITY_LEARN,
    .error_form = "rpc",
    .body_cap = MESSAGE_IN_CAP,
    .check = check,
    .handle = handle,
};
