/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One MCP client: takes its messages apart, finds the method in the table and sends what the method
 * answers. The legacy era's rules live here: what may come before initialize, no batches, no
 * request id twice. Runs on the loop's thread.
 */
#include "mcp/protocol/peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/log.h"
#include "mcp/protocol/peer_internal.h"

#define MODERN_VERSION_KEY "io.modelcontextprotocol/protocolVersion"

const char *const protocol_versions[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05",
                                         NULL};

bool protocol_version_known(const char *version)
{
    for (size_t i = 0; protocol_versions[i]; i++) {
        if (strcmp(protocol_versions[i], version) == 0)
            return true;
    }
    return false;
}

struct peer *peer_create(struct server *server, const char *transport_name,
                         const char *bound_session, struct error *err)
{
    struct peer *peer = calloc(1, sizeof *peer);

    if (peer && bound_session) {
        peer->bound_session = strdup(bound_session);
        if (!peer->bound_session) {
            free(peer);
            peer = NULL;
        }
    }
    if (!peer) {
        error_set(err, ERROR_MEMORY, "out of memory for an MCP client");
        return NULL;
    }
    peer->server = server;
    LIST_INIT(&peer->calls);
    snprintf(peer->transport, sizeof peer->transport, "%s", transport_name);
    snprintf(peer->who, sizeof peer->who, "mcp");
    uv_timer_init(server->loop, &peer->progress_timer);
    peer->progress_timer.data = peer;
    return peer;
}

void peer_free_when_done(struct peer *peer)
{
    if (!peer->destroyed || !peer->timer_closed || peer->call_count > 0)
        return;
    free(peer->bound_session);
    free(peer);
}

static void on_timer_closed(uv_handle_t *handle)
{
    struct peer *peer = handle->data;

    peer->timer_closed = true;
    peer_free_when_done(peer);
}

void peer_destroy(struct peer *peer)
{
    if (!peer)
        return;
    peer->destroyed = true;
    peer_calls_end(peer);
    uv_close((uv_handle_t *)&peer->progress_timer, on_timer_closed);
}

void peer_forget(struct peer *peer, struct peer_reply *reply)
{
    peer_calls_forget(peer, reply);
}

bool peer_initialized(const struct peer *peer)
{
    return peer->version != NULL;
}

const char *peer_version(const struct peer *peer)
{
    return peer->version;
}

size_t peer_calls(const struct peer *peer)
{
    return peer->call_count;
}

void peer_respond(struct peer_reply *reply, const json_t *id, struct buf *message, int http_status)
{
    struct buf BUF_AUTO instead = {0};

    if (message->failed) {
        log_error("protocol", "an answer outgrew %zu bytes or was not UTF-8", message->cap);
        buf_init(&instead, MESSAGE_OUT_CAP);
        message_error(&instead, id, MESSAGE_INTERNAL_ERROR,
                      "the answer could not be sent: it is too large or not valid UTF-8");
        message = &instead;
        if (message->failed)
            return;
    }
    reply->http_status = http_status;
    reply->send(reply, message->data, message->len, true);
}

/* Answers with an error; the whole message is done with. */
static void refuse_message(struct peer_reply *reply, const json_t *id, int http_status,
                           enum message_error code, const char *text)
{
    struct buf BUF_AUTO message = {0};

    buf_init(&message, MESSAGE_OUT_CAP);
    message_error(&message, id, code, text);
    peer_respond(reply, id, &message, http_status);
    reply->end(reply, false);
}

/* The revision 2026-07-28 has no handshake: each of its requests carries its version. This server
 * does not have it. A client of both eras sends initialize after "no such method", but not after
 * "no such version". */
static void refuse_modern(const struct peer_request *request)
{
    char text[ERROR_TEXT_CAP];

    snprintf(text, sizeof text,
             "there is no method '%.*s' with _meta[\"" MODERN_VERSION_KEY
             "\"]: send initialize without it, with protocolVersion \"%s\"",
             message_show(request->method), request->method, protocol_versions[0]);
    refuse_message(request->reply, request->id, 404, MESSAGE_METHOD_NOT_FOUND, text);
}

static void receive_notification(struct peer *peer, const struct peer_request *request)
{
    const struct method *method = method_find(request->method);
    struct refusal unused;

    /* A notification is never answered: an unknown one is ignored, as the protocol wants. */
    if (method && method->notification && peer_initialized(peer))
        method->handle(peer, request, NULL, &unused);
    request->reply->end(request->reply, true);
}

/* Everything that can be wrong with a request before its method looks at it. */
static enum handled check_request(struct peer *peer, const struct peer_request *request,
                                  const struct method **method, struct refusal *refusal)
{
    const char *nearest;

    *method = method_find(request->method);
    if (!*method) {
        nearest = method_nearest(request->method);
        return refuse(refusal, MESSAGE_METHOD_NOT_FOUND, "there is no method '%.*s'%s%s%s",
                      message_show(request->method), request->method,
                      nearest ? "; did you mean '" : "", nearest ? nearest : "",
                      nearest ? "'?" : "");
    }
    if ((*method)->notification)
        return refuse(refusal, MESSAGE_INVALID_REQUEST,
                      "%s is a notification: send it without an id", (*method)->name);
    if (!peer_initialized(peer) && !(*method)->before_initialize)
        return refuse(refusal, MESSAGE_INVALID_REQUEST,
                      "%s before initialize: send initialize first", (*method)->name);
    if (peer_call_find(peer, request->id))
        return refuse(refusal, MESSAGE_INVALID_REQUEST,
                      "a request with this id is under way: give each request an id of its own");
    return HANDLED;
}

static void receive_request(struct peer *peer, const struct peer_request *request)
{
    struct buf BUF_AUTO result = {0}, BUF_AUTO message = {0};
    struct refusal refusal = {0};
    const struct method *method;
    enum handled handled;

    if (json_object_get(json_object_get(request->params, "_meta"), MODERN_VERSION_KEY)) {
        refuse_modern(request);
        return;
    }
    buf_init(&result, MESSAGE_OUT_CAP);
    handled = check_request(peer, request, &method, &refusal);
    if (handled == HANDLED)
        handled = method->handle(peer, request, &result, &refusal);
    if (handled == HANDLED_LATER)
        return;
    if (handled == HANDLED_REFUSED) {
        /* Refused before initialize, it leaves the HTTP side without a session. */
        int status = !method && !peer_initialized(peer)                                   ? 404
                     : refusal.code == MESSAGE_INVALID_REQUEST || !peer_initialized(peer) ? 400
                                                                                          : 200;

        refuse_message(request->reply, request->id, status, refusal.code, refusal.err.text);
        return;
    }
    buf_init(&message, MESSAGE_OUT_CAP);
    message_begin_result(&message, request->id);
    buf_add(&message, result.data, result.len);
    message_end(&message);
    message.failed |= result.failed;
    peer_respond(request->reply, request->id, &message, 200);
    request->reply->end(request->reply, false);
}

/* What a JSON-RPC message must look like; NULL, or what is wrong with this one. */
static const char *check_envelope(const json_t *message)
{
    const json_t *id = json_object_get(message, "id");
    const json_t *params = json_object_get(message, "params");
    const char *jsonrpc = json_get_string(message, "jsonrpc");

    if (json_is_array(message))
        return "batches are not supported: send each message by itself";
    if (!json_is_object(message))
        return "a message is a JSON object with \"jsonrpc\": \"2.0\" and \"method\"";
    if (!jsonrpc || strcmp(jsonrpc, "2.0") != 0)
        return "\"jsonrpc\" must be \"2.0\"";
    if (id && !message_id_valid(id))
        return "\"id\" must be a string of at most 256 bytes or an integer";
    if (!json_object_get(message, "method") &&
        (json_object_get(message, "result") || json_object_get(message, "error")))
        return NULL;
    if (!json_get_string(message, "method"))
        return "\"method\" must be a string";
    if (params && !json_is_object(params))
        return "\"params\" must be an object";
    return NULL;
}

static bool is_response(const json_t *message)
{
    return !json_object_get(message, "method");
}

static void receive_message(struct peer *peer, const json_t *message, struct peer_reply *reply)
{
    const struct peer_request request = {
        .method = json_get_string(message, "method"),
        .id = json_object_get(message, "id"),
        .params = json_object_get(message, "params"),
        .reply = reply,
    };
    const char *wrong = check_envelope(message);
    bool bad_params = wrong && request.method && request.params && !json_is_object(request.params);

    if (wrong)
        refuse_message(reply, message_id_valid(request.id) ? request.id : NULL, 400,
                       bad_params ? MESSAGE_INVALID_PARAMS : MESSAGE_INVALID_REQUEST, wrong);
    else if (is_response(message))
        reply->end(reply, true); /* this server asks its clients nothing */
    else if (!request.id)
        receive_notification(peer, &request);
    else
        receive_request(peer, &request);
}

void peer_receive(struct peer *peer, const char *json, size_t len, struct peer_reply *reply)
{
    struct error err = {0};
    json_t *message;

    reply->http_status = 200;
    if (len > PEER_MESSAGE_CAP) {
        error_set(&err, ERROR_TOO_LARGE, "a message may have at most %zu bytes, this one has %zu",
                  PEER_MESSAGE_CAP, len);
        refuse_message(reply, NULL, 413, MESSAGE_INVALID_REQUEST, err.text);
        return;
    }
    message = json_read(json, len, "the message", &err);
    if (!message) {
        refuse_message(reply, NULL, 400, MESSAGE_PARSE_ERROR, err.text);
        return;
    }
    receive_message(peer, message, reply);
    json_decref(message);
}
