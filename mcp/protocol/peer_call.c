/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * tools/call: from its request to its response, with progress and cancel in between. The tool works
 * on a work queue or elsewhere; everything here runs on the loop's thread. Progress in between is
 * peer_progress.c's.
 */
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/protocol/peer_internal.h"

#define IDEMPOTENCY_KEY "lectern/idempotency-key"

static void free_call(struct peer_call *call)
{
    tool_call_finish(&call->call);
    json_decref(call->id);
    json_decref(call->token);
    free(call);
}

struct peer_call *peer_call_find(struct peer *peer, const json_t *id)
{
    struct peer_call *call;

    LIST_FOREACH(call, &peer->calls, link)
    {
        if (message_id_equal(call->id, id))
            return call;
    }
    return NULL;
}

static void end_reply(struct peer_call *call, bool accepted)
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
    if (call->reply && !call->cancelled) {
        buf_init(&message, MESSAGE_OUT_CAP);
        message_begin_result(&message, call->id);
        tool_call_result(tool_call, &message);
        message_end(&message);
        peer_respond(call->reply, call->id, &message, 200);
    }
    end_reply(call, call->cancelled);
    free_call(call);
    if (peer->destroyed)
        peer_free_when_done(peer);
    else
        peer_progress_end(peer);
}

static enum handled check_call(struct peer *peer, const struct peer_request *request,
                               const struct tool **tool, struct refusal *refusal)
{
    const char *name = json_get_string(request->params, "name");
    const json_t *arguments = json_object_get(request->params, "arguments");
    const json_t *meta = json_object_get(request->params, "_meta");
    const json_t *token = json_object_get(meta, "progressToken");
    const json_t *key = json_object_get(meta, IDEMPOTENCY_KEY);
    struct buf BUF_AUTO names = {0};

    if (!name)
        return refuse(refusal, MESSAGE_INVALID_PARAMS,
                      "tools/call needs params.name, the tool's name as a string");
    *tool = tool_find(name);
    if (!*tool) {
        buf_init(&names, ERROR_TEXT_CAP / 2);
        tool_names(&names);
        return refuse(refusal, MESSAGE_INVALID_PARAMS, "there is no tool '%.*s'. The tools: %s.",
                      message_show(name), name, names.len > 0 ? names.data : "none");
    }
    if (arguments && !json_is_object(arguments))
        return refuse(refusal, MESSAGE_INVALID_PARAMS,
                      "params.arguments must be an object, such as {\"node_id\": \"N001\"}");
    if (token && !message_id_valid(token))
        return refuse(refusal, MESSAGE_INVALID_PARAMS,
                      "_meta.progressToken must be a string of at most %d bytes or an integer",
                      MESSAGE_ID_CAP);
    if (key && !json_is_string(key))
        return refuse(refusal, MESSAGE_INVALID_PARAMS,
                      "_meta[\"" IDEMPOTENCY_KEY "\"] must be a string, one for each call");
    if (peer->call_count >= PEER_CALLS_CAP)
        return refuse(refusal, MESSAGE_REFUSED,
                      "%d calls of this client are under way: wait for one to end, then send this "
                      "again",
                      PEER_CALLS_CAP);
    return HANDLED;
}

enum handled peer_call_begin(struct peer *peer, const struct peer_request *request,
                             struct refusal *refusal)
{
    json_t *arguments = json_object_get(request->params, "arguments");
    json_t *meta = json_object_get(request->params, "_meta");
    json_t *token = json_object_get(meta, "progressToken");
    const struct tool *tool = NULL;
    struct peer_call *call;

    if (check_call(peer, request, &tool, refusal) != HANDLED)
        return HANDLED_REFUSED;
    call = calloc(1, sizeof *call);
    if (!call)
        return refuse(refusal, MESSAGE_INTERNAL_ERROR, "out of memory for a call");
    call->peer = peer;
    call->reply = request->reply;
    call->id = json_deep_copy(request->id);
    call->token = token ? json_deep_copy(token) : NULL;
    call->call.arguments = arguments ? json_incref(arguments) : json_object();
    call->call.idempotency_key = json_incref(json_object_get(meta, IDEMPOTENCY_KEY));
    call->call.cancel = cancel_create(&refusal->err);
    if (!call->id || (token && !call->token) || !call->call.arguments || !call->call.cancel) {
        free_call(call);
        return refuse(refusal, MESSAGE_INTERNAL_ERROR, "no room for a call");
    }
    call->call.tool = tool;
    call->call.server = peer->server;
    call->call.bound_session = peer->bound_session;
    call->call.who = peer->who;
    call->call.wants_progress = call->token != NULL;
    call->call.on_done = on_done;
    call->call.user = call;
    LIST_INSERT_HEAD(&peer->calls, call, link);
    peer->call_count++;
    peer_progress_begin(peer, call);
    tool_call_start(&call->call);
    return HANDLED_LATER;
}

void peer_call_cancel(struct peer_call *call)
{
    if (call->cancelled)
        return;
    call->cancelled = true;
    tool_call_cancel(&call->call);
}

void peer_calls_forget(struct peer *peer, const struct peer_reply *reply)
{
    struct peer_call *call;

    LIST_FOREACH(call, &peer->calls, link)
    {
        if (call->reply == reply)
            call->reply = NULL;
    }
}

void peer_calls_end(struct peer *peer)
{
    struct peer_call *call, *next;

    for (call = LIST_FIRST(&peer->calls); call; call = next) {
        next = LIST_NEXT(call, link);
        if (!call->cancelled) {
            call->cancelled = true;
            tool_call_cancel(&call->call);
        }
        end_reply(call, false);
    }
}
