/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A tools/call from its request to its response, or to its cancellation. Runs on the loop's thread;
 * the tools work on work queues or elsewhere.
 */
#include <stdlib.h>

#include "helpers/base/json.h"
#include "helpers/base/utf8.h"
#include "mcp/protocol/era.h"

#define IDEMPOTENCY_KEY "lectern/idempotency-key" /* in _meta of tools/call */

static void free_call(struct peer_call *call)
{
    progress_stop(call);
    tool_call_finish(&call->call);
    json_decref(call->id);
    free(call);
}

struct peer_call *call_find(struct peer *peer, const json_t *id)
{
    struct peer_call *call;

    LIST_FOREACH(call, &peer->calls, link)
    {
        if (json_equal(call->id, id))
            return call;
    }
    return NULL;
}

void call_end_reply(struct peer_call *call, bool accepted)
{
    struct peer_reply *reply = call->reply;

    call->reply = NULL;
    if (reply)
        reply->end(reply, accepted);
}

/* The tool is done. No response is sent for what the client has cancelled. */
static void on_done(struct tool_call *tool_call)
{
    struct peer_call *call = tool_call->user;
    struct peer *peer = call->peer;
    struct buf BUF_AUTO message = {0};

    LIST_REMOVE(call, link);
    peer->call_count--;
    peer->holds++; /* the end of the reply may destroy the peer */
    if (call->reply && !call->cancelled) {
        buf_init(&message, MESSAGE_OUT_CAP);
        message_begin_result(&message, call->id);
        era_begin_result(&message, &call->client, "complete", call->method);
        tool_call_result(tool_call, era_result_meta(&call->client), &message);
        buf_adds(&message, "}}");
        reply_respond(call->reply, call->id, &message, 200);
    }
    call_end_reply(call, call->cancelled);
    free_call(call);
    peer->holds--;
    peer_free_when_done(peer);
}

void call_cancel(struct peer_call *call)
{
    if (call->cancelled)
        return;
    call->cancelled = true;
    progress_stop(call);
    tool_call_cancel(&call->call);
}

/* token, key: or NULL. */
static enum method_outcome begin(struct request *request, const struct tool *tool,
                                 json_t *arguments, const json_t *token, json_t *key)
{
    struct peer *peer = request->peer;
    struct peer_call *call;

    if (peer->call_count >= PEER_CALLS_CAP)
        return request_refuse(request, MESSAGE_REFUSED,
                              "%d calls of this client are under way: wait for one to end, then "
                              "send this again",
                              PEER_CALLS_CAP);
    call = calloc(1, sizeof *call);
    if (!call)
        return request_refuse(request, MESSAGE_INTERNAL_ERROR, "out of memory for a call");
    call->peer = peer;
    call->reply = request->reply;
    call->client = *request->client;
    call->method = method_find(request->message->method);
    call->id = json_deep_copy(request->message->id);
    call->call.arguments = arguments ? json_incref(arguments) : json_object();
    call->call.idempotency_key = json_incref(key);
    call->call.cancel = cancel_create(NULL);
    if (token)
        call->token = json_deep_copy(token);
    if (!call->id || !call->call.arguments || !call->call.cancel) {
        json_decref(call->token); /* it is in no list yet */
        call->token = NULL;
        free_call(call);
        return request_refuse(request, MESSAGE_INTERNAL_ERROR, "no room for a call");
    }
    call->call.tool = tool;
    call->call.server = peer->host->server;
    call->call.bound_session = call->client.bound_session[0] ? call->client.bound_session : NULL;
    call->call.who = call->client.who;
    call->call.identity = &call->client.identity;
    call->call.wants_progress = call->token != NULL;
    call->call.on_done = on_done;
    call->call.at_once = true;
    call->call.user = call;
    LIST_INSERT_HEAD(&peer->calls, call, link);
    peer->call_count++;
    progress_start(call);
    tool_call_start(&call->call);
    return METHOD_CALLED;
}

static enum method_outcome refuse_unknown(struct request *request, const char *name)
{
    struct buf BUF_AUTO names = {0};

    buf_init(&names, ERROR_TEXT_CAP / 2);
    tool_names(&names);
    return request_refuse(request, MESSAGE_INVALID_PARAMS, "unknown tool '%.*s'. The tools: %s.",
                          utf8_shown(name, METHOD_SHOWN), name,
                          names.len > 0 ? names.data : "none");
}

enum method_outcome call_tool(struct request *request)
{
    const json_t *params = request->message->params, *meta = request->message->meta;
    const char *name = json_get_string(params, "name");
    json_t *arguments = json_object_get(params, "arguments");
    json_t *token = json_object_get(meta, "progressToken");
    json_t *key = json_object_get(meta, IDEMPOTENCY_KEY);
    const struct tool *tool;

    if (!name)
        return request_refuse(request, MESSAGE_INVALID_PARAMS,
                              "tools/call needs params.name, the tool's name as a string");
    tool = tool_find(name);
    if (!tool)
        return refuse_unknown(request, name);
    if (!tool_allows(tool, request->client->identity.scopes)) {
        request->http_status = 403;
        return request_refuse(request, MESSAGE_REFUSED,
                              "insufficient_scope: this token may read, and %s edits. Sign in with "
                              "one that has the scope 'edit'",
                              name);
    }
    if (arguments && !json_is_object(arguments))
        return request_refuse(request, MESSAGE_INVALID_PARAMS,
                              "params.arguments must be an object, such as {\"node_id\": "
                              "\"N001\"}");
    if (token && !message_id_valid(token))
        return request_refuse(request, MESSAGE_INVALID_PARAMS,
                              "_meta.progressToken must be a string of at most %d bytes or an "
                              "integer",
                              MESSAGE_ID_CAP);
    if (key && !json_is_string(key))
        return request_refuse(request, MESSAGE_INVALID_PARAMS,
                              "_meta[\"" IDEMPOTENCY_KEY "\"] must be a string, one for each call");
    return begin(request, tool, arguments, token, key);
}
