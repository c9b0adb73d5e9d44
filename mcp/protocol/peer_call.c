/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * tools/call: from its request to its response, with progress and cancel in between. The tool works
 * on a lane or elsewhere; everything here runs on the loop's thread.
 *
 * Progress: a client that gave a token hears of its call from 1 s on, then at least every 5 s, so
 * that it does not time out. What the tool reports is sent at most every 250 ms; of several reports
 * between two ticks the last one counts. A tool that reports nothing is reported by its running
 * time in seconds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/utf8.h"
#include "mcp/protocol/peer_private.h"

#define PROGRESS_FIRST_MS     1000
#define PROGRESS_TICK_MS      250
#define PROGRESS_HEARTBEAT_MS 5000
#define PROGRESS_MESSAGE_SIZE 512
#define PROGRESS_STEP         0.01 /* the least rise, where the tool's own figure does not rise */

struct peer_call {
    struct tool_call call;
    LIST_ENTRY(peer_call) link;
    struct peer *peer;
    struct peer_reply *reply; /* NULL once the transport behind it is gone */
    json_t *id;               /* owned */
    json_t *token;            /* owned; NULL: no progress wanted */
    bool cancelled;

    uint64_t started_ms, told_ms; /* of the loop's clock; told_ms 0: nothing was sent yet */
    double told;                  /* the value sent last */
    double reported;              /* by the tool; 0: nothing yet */
    bool report_waits;
    char message[PROGRESS_MESSAGE_SIZE];
};

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

static void stop_idle_timer(struct peer *peer)
{
    struct peer_call *call;

    LIST_FOREACH(call, &peer->calls, link)
    {
        if (call->token && !call->cancelled)
            return;
    }
    uv_timer_stop(&peer->progress_timer);
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
        stop_idle_timer(peer);
}

static void on_progress(struct tool_call *tool_call, double progress, const char *message)
{
    struct peer_call *call = tool_call->user;
    const char *shown = message ? message : "";

    if (progress > call->reported)
        call->reported = progress;
    snprintf(call->message, sizeof call->message, "%.*s",
             utf8_shown(shown, sizeof call->message - 1), shown);
    call->report_waits = true;
}

static void tell(struct peer_call *call, uint64_t now)
{
    struct buf BUF_AUTO text = {0};
    double seconds = (double)(now - call->started_ms) / 1000;
    double value = call->reported > 0 ? call->reported : seconds;

    if (value <= call->told)
        value = call->told + PROGRESS_STEP;
    if (!call->report_waits)
        snprintf(call->message, sizeof call->message, "%s is running for %.0f s",
                 call->call.tool->name, seconds);
    buf_init(&text, MESSAGE_OUT_CAP);
    message_begin_notification(&text, "notifications/progress");
    buf_adds(&text, "{\"progressToken\":");
    json_write(&text, call->token);
    buf_addf(&text, ",\"progress\":%.2f,\"message\":", value);
    json_write_string(&text, call->message, strlen(call->message));
    buf_addc(&text, '}');
    message_end(&text);
    call->report_waits = false;
    call->told = value;
    call->told_ms = now;
    if (!text.failed)
        call->reply->send(call->reply, text.data, text.len, false);
}

void peer_on_progress_timer(uv_timer_t *timer)
{
    struct peer *peer = timer->data;
    uint64_t now = uv_now(timer->loop);
    struct peer_call *call;

    LIST_FOREACH(call, &peer->calls, link)
    {
        if (!call->token || !call->reply || call->cancelled ||
            now - call->started_ms < PROGRESS_FIRST_MS)
            continue;
        if (call->report_waits || call->told_ms == 0 ||
            now - call->told_ms >= PROGRESS_HEARTBEAT_MS)
            tell(call, now);
    }
}

static enum handled check_call(struct peer *peer, const struct peer_request *request,
                               const struct tool **tool, struct refusal *refusal)
{
    const char *name = json_get_string(request->params, "name");
    const json_t *arguments = json_object_get(request->params, "arguments");
    const json_t *meta = json_object_get(request->params, "_meta");
    const json_t *token = json_object_get(meta, "progressToken");
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
    json_t *token = json_object_get(json_object_get(request->params, "_meta"), "progressToken");
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
    call->call.cancel = cancel_create(&refusal->err);
    if (!call->id || (token && !call->token) || !call->call.arguments || !call->call.cancel) {
        free_call(call);
        return refuse(refusal, MESSAGE_INTERNAL_ERROR, "no room for a call");
    }
    call->call.tool = tool;
    call->call.parts = peer->parts;
    call->call.bound_session = peer->bound_session;
    call->call.who = peer->who;
    call->call.on_progress = on_progress;
    call->call.on_done = on_done;
    call->call.user = call;
    uv_update_time(peer->parts->loop);
    call->started_ms = uv_now(peer->parts->loop);
    LIST_INSERT_HEAD(&peer->calls, call, link);
    peer->call_count++;
    if (call->token && !uv_is_active((uv_handle_t *)&peer->progress_timer))
        uv_timer_start(&peer->progress_timer, peer_on_progress_timer, PROGRESS_TICK_MS,
                       PROGRESS_TICK_MS);
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
