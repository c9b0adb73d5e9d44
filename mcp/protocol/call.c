/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A request that a tool answers, from its beginning to its response, or to its cancellation. Runs
 * on the loop's thread; the tools work on work queues or elsewhere.
 */
#include <stdlib.h>

#include "helpers/base/json.h"
#include "helpers/base/utf8.h"
#include "mcp/protocol/peer_internal.h"

#define IDEMPOTENCY_KEY "lectern/idempotency-key" /* in _meta of tools/call */

static void free_call(struct peer_call *call)
{
    progress_stop(call);
    ask_stop(call);
    tool_call_finish(&call->call);
    json_decref(call->id);
    json_decref(call->params);
    free(call->kept);
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

/* ---- the answer ---- */

bool call_write_tool(const struct peer_call *call, struct buf *to)
{
    tool_call_result(&call->call, era_result_meta(&call->client), to);
    return true;
}

static void respond_error(struct peer_call *call, enum message_error code, const char *text,
                          const json_t *data)
{
    struct buf BUF_AUTO message = {0};

    buf_init(&message, MESSAGE_OUT_CAP);
    message_error_with(&message, call->id, code, text, data);
    reply_respond(call->reply, call->id, &message, era_http_status(&call->client, code));
}

static void respond(struct peer_call *call)
{
    struct buf BUF_AUTO message = {0};

    buf_init(&message, MESSAGE_OUT_CAP);
    message_begin_result(&message, call->id);
    era_begin_result(&message, &call->client, "complete", call->method);
    if (call->method->write(call, &message)) {
        buf_adds(&message, "}}");
        reply_respond(call->reply, call->id, &message, 200);
    } else {
        respond_error(call, MESSAGE_INVALID_PARAMS, call->method->wrong, NULL);
    }
}

/* Answers with an error: of a method whose results cannot say that the call has failed. */
static void respond_failure(struct peer_call *call)
{
    const struct tool_call *tool_call = &call->call;
    const char *uri = json_get_string(call->params, "uri");
    json_auto_t *data = uri ? json_pack("{s:s}", "uri", uri) : NULL;
    const bool modern = era_client_is_modern(&call->client);
    enum message_error code = MESSAGE_INTERNAL_ERROR;

    switch (tool_call_category(tool_call)) {
    case FAILURE_NOT_FOUND:
        code = uri && !modern ? MESSAGE_NO_RESOURCE : MESSAGE_INVALID_PARAMS;
        break;
    case FAILURE_VALIDATION:
    case FAILURE_CONFLICT:
        code = MESSAGE_INVALID_PARAMS;
        break;
    case FAILURE_BUSY:
        code = MESSAGE_REFUSED;
        break;
    default:
        break;
    }
    respond_error(call, code,
                  tool_call->text.failed ? "the answer is too large"
                  : tool_call->text.data ? tool_call->text.data
                                         : "the request failed",
                  data);
}

/* The call is over, and answered if it had to be. */
static void leave(struct peer_call *call)
{
    struct peer *peer = call->peer;

    LIST_REMOVE(call, link);
    peer->call_count--;
    peer->host->calls--;
    peer->holds++; /* the end of the reply may destroy the peer */
    call_end_reply(call, call->cancelled);
    free_call(call);
    peer->holds--;
    peer_free_when_done(peer);
}

static void end_call(struct peer_call *call)
{
    /* No response is sent for what the client has cancelled. */
    if (call->reply && !call->cancelled && !call->answered) {
        if (call->method->fails_inside || tool_call_category(&call->call) == FAILURE_NONE)
            respond(call);
        else
            respond_failure(call);
    }
    leave(call);
}

static void on_done(struct tool_call *tool_call)
{
    struct peer_call *call = tool_call->user;

    if (tool_call->asks && !call->cancelled && !call->answered &&
        tool_call_category(tool_call) == FAILURE_NONE)
        ask_client(call);
    else
        end_call(call);
}

void call_cancel(struct peer_call *call)
{
    if (call->cancelled)
        return;
    call->cancelled = true;
    progress_stop(call);
    if (call->waiting) {
        ask_stop(call);
        tool_call_complete(&call->call); /* no tool works on it: this ends it */
    } else {
        tool_call_cancel(&call->call);
    }
}

/* ---- the beginning ---- */

/* The token of the request; NULL if there is none, or it is null. */
static const json_t *progress_token(const struct request *request)
{
    const json_t *token = json_object_get(request->message->meta, "progressToken");

    return json_is_null(token) ? NULL : token;
}

static bool take_request(struct peer_call *call, const struct request *request)
{
    const json_t *token = progress_token(request);

    call->peer = request->peer;
    call->reply = request->reply;
    call->client = *request->client;
    call->method = request->method;
    call->id = json_deep_copy(request->message->id);
    call->params = json_incref(request->message->params);
    call->call.cancel = cancel_create(NULL);
    if (token)
        call->token = json_deep_copy(token);
    call->call.idempotency_key =
        json_incref(json_object_get(request->message->meta, IDEMPOTENCY_KEY));
    return call->id && call->call.arguments && call->call.cancel && (call->token || !token);
}

static enum method_outcome check_meta(struct request *request)
{
    const json_t *token = progress_token(request);
    const json_t *key = json_object_get(request->message->meta, IDEMPOTENCY_KEY);

    if (token && !message_id_valid(token))
        return request_refuse(request, MESSAGE_INVALID_PARAMS,
                              "_meta.progressToken must be a string of at most %d bytes or an "
                              "integer",
                              MESSAGE_ID_CAP);
    if (key && !json_is_string(key))
        return request_refuse(request, MESSAGE_INVALID_PARAMS,
                              "_meta[\"" IDEMPOTENCY_KEY "\"] must be a string, one for each call");
    if (request->peer->call_count >= PEER_CALLS_CAP)
        return request_refuse(request, MESSAGE_REFUSED,
                              "%d calls of this client are under way: wait for one to end, then "
                              "send this again",
                              PEER_CALLS_CAP);
    return METHOD_DONE;
}

/* Frees a call that has not begun. */
static enum method_outcome drop(struct peer_call *call, enum method_outcome outcome)
{
    json_decref(call->token); /* it is in no list yet */
    call->token = NULL;
    free_call(call);
    return outcome;
}

enum method_outcome call_begin(struct request *request, const struct tool *tool, json_t *arguments)
{
    struct peer *peer = request->peer;
    struct peer_call *call = NULL;
    enum method_outcome outcome = check_meta(request);

    if (outcome == METHOD_DONE)
        call = calloc(1, sizeof *call);
    if (!call) {
        json_decref(arguments);
        return outcome == METHOD_REFUSED
                   ? outcome
                   : request_refuse(request, MESSAGE_INTERNAL_ERROR, "out of memory for a call");
    }
    call->call.arguments = arguments ? arguments : json_object();
    call->call.tool = tool;
    if (!take_request(call, request))
        return drop(call,
                    request_refuse(request, MESSAGE_INTERNAL_ERROR, "out of memory for a call"));
    if (ask_take_answers(request, call) == METHOD_REFUSED)
        return drop(call, METHOD_REFUSED);
    call->call.server = peer->host->server;
    call->call.bound_session = call->client.bound_session[0] ? call->client.bound_session : NULL;
    call->call.bound_learner = call->client.bound_learner[0] ? call->client.bound_learner : NULL;
    call->call.who = call->client.who;
    if (era_client_is_modern(&call->client) || call->reply->streams)
        call->call.can_ask = call->client.capabilities;
    call->call.identity = &call->client.identity;
    call->call.wants_progress = call->token != NULL;
    call->call.notify = progress_note;
    call->call.on_done = on_done;
    call->call.at_once = true;
    call->call.applies_dry_runs = true;
    call->call.user = call;
    LIST_INSERT_HEAD(&peer->calls, call, link);
    peer->call_count++;
    peer->host->calls++;
    progress_start(call);
    tool_call_start(&call->call);
    return METHOD_CALLED;
}

static enum method_outcome refuse_unknown(struct request *request, const char *name,
                                          const struct tool_reach *reach)
{
    struct buf BUF_AUTO text = {0};

    buf_init(&text, ERROR_TEXT_CAP);
    tool_write_unknown(name, reach, &text);
    return request_refuse(request, MESSAGE_INVALID_PARAMS, "%s",
                          text.data ? text.data : "unknown tool");
}

enum method_outcome call_take_arguments(struct request *request, json_t **arguments)
{
    json_t *given = json_object_get(request->message->params, "arguments");
    const char *text = json_string_value(given);

    *arguments = NULL;
    if (!given || (text && !*text))
        return METHOD_DONE;
    *arguments = text ? json_read(text, json_string_length(given), "params.arguments", NULL)
                      : json_incref(given);
    if (json_is_object(*arguments))
        return METHOD_DONE;
    json_decref(*arguments);
    return request_refuse(request, MESSAGE_INVALID_PARAMS,
                          "params.arguments must be an object, such as {\"node_id\": \"N001\"}");
}

enum method_outcome call_tool(struct request *request)
{
    const json_t *params = request->message->params;
    const struct tool_reach reach = client_reach(request->client);
    const char *name = json_get_string(params, "name");
    json_t *arguments;
    const struct tool *tool;

    if (!name)
        return request_refuse(request, MESSAGE_INVALID_PARAMS,
                              "tools/call needs params.name, the tool's name as a string");
    tool = tool_find_reached(name, &reach);
    if (!tool)
        return refuse_unknown(request, name, &reach);
    if (!tool_allows(tool, request->client->identity.scopes)) {
        request->http_status = 403;
        return request_refuse(request, MESSAGE_REFUSED,
                              "insufficient_scope: this token may read, and %s edits. Sign in with "
                              "one that has the scope 'edit'",
                              name);
    }
    if (call_take_arguments(request, &arguments) == METHOD_REFUSED)
        return METHOD_REFUSED;
    return call_begin(request, tool, arguments);
}
