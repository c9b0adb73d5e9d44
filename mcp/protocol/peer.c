/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One MCP client: finds the method of each of its messages in the table, and sends the answer. The
 * rules that all methods share are here: what may come before initialize, no request id twice. Runs
 * on the loop's thread.
 */
#include "mcp/protocol/peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/log.h"
#include "helpers/base/nearest.h"
#include "helpers/base/utf8.h"
#include "mcp/protocol/peer_internal.h"

struct peer *peer_create(struct host *host, const char *transport, const struct client *client,
                         struct error *err)
{
    struct peer *peer = calloc(1, sizeof *peer);

    if (!peer) {
        error_set(err, ERROR_MEMORY, "out of memory for an MCP client");
        return NULL;
    }
    peer->host = host;
    host->users++;
    peer->transport = transport;
    LIST_INIT(&peer->calls);
    LIST_INIT(&peer->streams);
    peer->log_level = progress_level("info");
    if (client)
        peer->client = *client;
    else
        client_init(&peer->client, host->server->toolsets, NULL, NULL);
    return peer;
}

const struct client *peer_client(const struct peer *peer)
{
    return &peer->client;
}

void peer_identify(struct peer *peer, const struct identity *identity)
{
    client_identify(&peer->client, identity);
}

size_t peer_calls(const struct peer *peer)
{
    return peer->call_count;
}

bool peer_is_idle(const struct peer *peer)
{
    return peer->call_count == 0 && LIST_EMPTY(&peer->streams) && json_object_size(peer->uris) == 0;
}

void peer_forget(struct peer *peer, struct peer_reply *reply)
{
    struct peer_call *call;

    stream_forget(peer, reply);

    LIST_FOREACH(call, &peer->calls, link)
    {
        if (call->reply == reply)
            call->reply = NULL;
        batch_forget(&call->reply, reply);
    }
}

void peer_end_input(struct peer *peer)
{
    struct peer_call *call, *next;

    peer->input_ended = true;
    for (call = LIST_FIRST(&peer->calls); call; call = next) {
        next = LIST_NEXT(call, link);
        ask_give_up(call);
    }
}

void peer_destroy(struct peer *peer)
{
    struct peer_call *call, *next;

    if (!peer)
        return;
    while (!LIST_EMPTY(&peer->streams))
        stream_end(LIST_FIRST(&peer->streams), true);
    for (call = LIST_FIRST(&peer->calls); call; call = next) {
        next = LIST_NEXT(call, link);
        call_cancel(call);
        call_end_reply(call, false);
    }
    peer->destroyed = true;
    peer_free_when_done(peer);
}

/* ---- answering ---- */

static void send_refusal(struct request *request)
{
    int status = request->http_status ? request->http_status
                                      : era_http_status(request->client, request->code);

    reply_refuse(request->reply, request->message->id, status, request->code, request->why,
                 request->data);
    json_decref(request->data);
}

static void send_result(const struct request *request, const struct method *method)
{
    const json_t *id = request->message->id;
    struct buf BUF_AUTO message = {0};

    buf_init(&message, MESSAGE_OUT_CAP);
    message_begin_result(&message, id);
    era_begin_result(&message, request->client, "complete", method);
    buf_add(&message, request->members.data, request->members.len);
    era_add_meta(&message, request->client);
    buf_adds(&message, "}}");
    message.failed |= request->members.failed;
    reply_respond(request->reply, id, &message, 200);
    request->reply->end(request->reply, false);
}

/* ---- receiving ---- */

bool peer_message_is_modern(const struct message *message, const struct peer_headers *headers)
{
    return era_is_modern(message, message->method ? method_find(message->method) : NULL, headers);
}

/* Whether the client has the method. */
static bool is_offered(const struct method *method, const struct client *client)
{
    const unsigned era = era_client_is_modern(client) ? ERA_MODERN : ERA_LEGACY;

    return (method->eras & era) && (!method->for_editors || client_edits(client));
}

static enum method_outcome refuse_unknown(struct request *request)
{
    const char *name = request->message->method;
    struct nearest search;

    nearest_begin(&search, name);
    for (const struct method *method = methods; method->name; method++) {
        if (is_offered(method, request->client))
            nearest_feed(&search, method->name);
    }
    return request_refuse(request, MESSAGE_METHOD_NOT_FOUND, "unknown method '%.*s'%s%s%s",
                          utf8_shown(name, METHOD_SHOWN), name,
                          search.best ? "; did you mean '" : "", search.best ? search.best : "",
                          search.best ? "'?" : "");
}

/* Everything that can be wrong with a request before its method looks at it. */
static enum method_outcome check_request(struct request *request, const struct method *method)
{
    if (method->notification)
        return request_refuse(request, MESSAGE_INVALID_REQUEST,
                              "%s is a notification: send it without an id", method->name);
    if (!request->client->version && !method->before_initialize)
        return request_refuse(request, MESSAGE_INVALID_REQUEST,
                              "%s before initialize: send initialize first", method->name);
    if (call_find(request->peer, request->message->id) ||
        stream_find(request->peer, request->message->id))
        return request_refuse(request, MESSAGE_INVALID_REQUEST,
                              "a request with this id is under way: use a different id for each "
                              "request");
    return METHOD_DONE;
}

static void receive_request(struct request *request, const struct method *method)
{
    enum method_outcome outcome;

    if (!method || !is_offered(method, request->client)) {
        refuse_unknown(request);
        send_refusal(request);
        return;
    }
    outcome = check_request(request, method);
    buf_init(&request->members, MESSAGE_OUT_CAP);
    if (outcome == METHOD_DONE)
        outcome = method->handle(request);
    if (outcome == METHOD_DONE)
        send_result(request, method);
    else if (outcome == METHOD_REFUSED)
        send_refusal(request);
    buf_finish(&request->members);
}

/* ---- batches ---- */

/* NULL, or why the whole batch is refused. */
static const char *check_batch(const struct client *client, size_t count, char why[ERROR_TEXT_CAP])
{
    if (!era_has_batches(client))
        return "batches are not supported, except in a session of the revision 2025-03-26: send "
               "each message by itself";
    if (count == 0)
        return "a batch must have at least one message";
    if (count <= PEER_BATCH_CAP)
        return NULL;
    snprintf(why, ERROR_TEXT_CAP, "a batch must have at most %d messages; this one has %zu",
             PEER_BATCH_CAP, count);
    return why;
}

/* Takes a message of a batch, and refuses the messages that must stand alone. */
static void take_message(struct message *message, const json_t *json)
{
    message_take(message, json_incref((json_t *)json));
    if (message->kind == MESSAGE_BATCH)
        message_refuse(message, MESSAGE_INVALID_REQUEST, 400, "a batch must not have batches");
    else if (message->method && strcmp(message->method, "initialize") == 0)
        message_refuse(message, MESSAGE_INVALID_REQUEST, 400,
                       "initialize must not be in a batch: send it by itself");
    else if (message->kind != MESSAGE_INVALID && peer_message_is_modern(message, NULL))
        message_refuse(message, MESSAGE_INVALID_REQUEST, 400,
                       "the revision " MODERN_VERSION " has no batches: send each of its messages "
                       "by itself");
}

/* Its messages are handled as if each was sent by itself, all at once. */
static void receive_batch(struct peer *peer, const struct message *message,
                          struct peer_reply *reply)
{
    const size_t count = json_array_size(message->json);
    char text[ERROR_TEXT_CAP];
    const char *why = check_batch(&peer->client, count, text);
    struct batch *batch = why ? NULL : batch_create(reply, count);
    struct message one;

    if (why)
        reply_refuse(reply, NULL, 400, MESSAGE_INVALID_REQUEST, why, NULL);
    else if (!batch)
        reply_refuse(reply, NULL, 200, MESSAGE_INTERNAL_ERROR, "out of memory for a batch", NULL);
    for (size_t i = 0; batch && i < count; i++) {
        take_message(&one, json_array_get(message->json, i));
        peer_receive(peer, &one, NULL, batch_reply(batch, i, one.id));
        message_finish(&one);
    }
    if (batch)
        batch_end_one(batch);
}

void peer_receive(struct peer *peer, const struct message *message,
                  const struct peer_headers *headers, struct peer_reply *reply)
{
    const struct method *method = message->method ? method_find(message->method) : NULL;
    struct request request;
    struct client modern;

    memset(&request, 0, offsetof(struct request, why));
    request.peer = peer;
    request.reply = reply;
    request.message = message;
    request.method = method;
    reply->http_status = 200;
    if (message->kind == MESSAGE_BATCH) {
        receive_batch(peer, message, reply);
        return;
    }
    if (message->kind == MESSAGE_INVALID && message_is_notification(message)) {
        reply->end(reply, true); /* there is no way to say what is wrong with it */
        return;
    }
    if (message->kind == MESSAGE_INVALID) {
        reply_refuse(reply, message->id, message->http_status, message->code, message->why, NULL);
        return;
    }
    if (message->kind == MESSAGE_RESPONSE) {
        ask_take_response(peer, message);
        reply->end(reply, true);
        return;
    }
    request.client = &peer->client;
    if (era_is_modern(message, method, headers)) {
        request.client = &modern;
        if (era_check(&request, method, headers, &peer->client, &modern) == METHOD_REFUSED) {
            send_refusal(&request);
            return;
        }
    }
    if (message->kind == MESSAGE_REQUEST) {
        receive_request(&request, method);
        return;
    }
    /* Of the notifications, unknown ones are ignored, as the protocol requires. */
    if (method && method->notification && (request.client->version || (method->eras & ERA_MODERN)))
        method->handle(&request);
    reply->end(reply, true);
}
