/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A tool that has a question for a person, or for its client. A modern client gets the questions as
 * the result, and calls again with the answers; what the tool keeps until then travels with the
 * client, sealed (2026-07-28, "Multi Round-Trip Requests"). A legacy client is sent them as
 * requests on the stream of the call, and the tool starts again here. Runs on the loop's thread.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "helpers/base/json.h"
#include "helpers/base/seal.h"
#include "helpers/base/utf8.h"
#include "mcp/protocol/peer_internal.h"

#define ASK_KEPT_S  3600   /* how long a client may take to call again */
#define ASK_WAIT_MS 900000 /* how long a request to a legacy client waits for its response */
#define ASK_ID_SIZE 32

/* What the client must be able to do for each request; the first row that fits counts. */
static const struct ask_kind {
    const char *method, *mode; /* mode NULL: any */
    unsigned needs;            /* enum tool_ask */
    const char *capability;    /* as in ClientCapabilities */
} kinds[] = {
    {"elicitation/create", "url", TOOL_ASKS_URL, "{\"elicitation\":{\"url\":{}}}"},
    {"elicitation/create", NULL, TOOL_ASKS_FORM, "{\"elicitation\":{\"form\":{}}}"},
    {"sampling/createMessage", NULL, TOOL_ASKS_MODEL, "{\"sampling\":{}}"},
    {"roots/list", NULL, TOOL_ASKS_ROOTS, "{\"roots\":{}}"},
};

static const struct ask_kind *kind_of(const json_t *ask)
{
    const char *method = json_get_string(ask, "method");
    const char *mode = json_get_string(json_object_get(ask, "params"), "mode");

    for (size_t i = 0; method && i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i].method, method) == 0 &&
            (!kinds[i].mode || (mode && strcmp(kinds[i].mode, mode) == 0)))
            return &kinds[i];
    }
    return NULL;
}

/* ---- the sealed state: eight bytes of its end, then what the tool keeps ---- */

static int add_text(const char *text, size_t len, void *data)
{
    buf_add(data, text, len);
    return 0;
}

/* It opens only for the same client, method, tool and arguments. */
static void write_purpose(const struct peer_call *call, struct buf *to)
{
    buf_addf(to, "request state\n%s\n%s\n%s\n", call->client.identity.id, call->method->name,
             call->call.tool->name);
    json_dump_callback(call->call.arguments, add_text, to, JSON_COMPACT | JSON_SORT_KEYS);
}

static void write_sealed(const struct peer_call *call, struct buf *to)
{
    struct buf BUF_AUTO purpose = {0}, bytes = {0}, text = {0};
    int64_t end = (int64_t)time(NULL) + ASK_KEPT_S;

    write_purpose(call, &purpose);
    buf_add(&bytes, &end, sizeof end);
    buf_add(&bytes, call->call.kept.data, call->call.kept.len);
    seal(&text, call->peer->host->server->seal_key, purpose.data, bytes.data, bytes.len);
    json_write_string(to, text.data ? text.data : "", text.len);
    to->failed |= text.failed || purpose.failed || bytes.failed;
}

/* The text that was sealed; NULL if it was not sealed here, or is too old. The caller frees it. */
static char *open_sealed(const struct peer_call *call, const char *text, size_t len)
{
    struct buf BUF_AUTO purpose = {0}, bytes = {0};
    int64_t end;

    write_purpose(call, &purpose);
    buf_init(&bytes, TOOL_STATE_CAP + sizeof end + SEAL_MAC_SIZE);
    if (purpose.failed ||
        seal_open(&bytes, call->peer->host->server->seal_key, purpose.data, text, len) < 0 ||
        bytes.len < sizeof end)
        return NULL;
    memcpy(&end, bytes.data, sizeof end);
    return end > (int64_t)time(NULL) ? strndup(bytes.data + sizeof end, bytes.len - sizeof end)
                                     : NULL;
}

static enum method_outcome refuse_answers(struct request *request)
{
    return request_refuse(request, MESSAGE_INVALID_PARAMS,
                          "params.inputResponses must be an object of results, such as "
                          "{\"confirm\": {\"action\": \"accept\", \"content\": {}}}");
}

enum method_outcome ask_take_answers(struct request *request, struct peer_call *call)
{
    json_t *answers = json_object_get(request->message->params, "inputResponses");
    const json_t *state = json_object_get(request->message->params, "requestState");
    const char *key;
    json_t *answer;

    if (!era_client_is_modern(&call->client))
        return METHOD_DONE;
    if (answers && !json_is_object(answers))
        return refuse_answers(request);
    json_object_foreach(answers, key, answer)
    {
        if (!json_is_object(answer))
            return refuse_answers(request);
    }
    if (state && json_is_string(state))
        call->kept = open_sealed(call, json_string_value(state), json_string_length(state));
    if (state && !call->kept)
        return request_refuse(request, MESSAGE_INVALID_PARAMS,
                              "params.requestState is not what this server gave for these "
                              "arguments, or is more than %d minutes old: send the request again "
                              "without it",
                              ASK_KEPT_S / 60);
    call->call.answers = json_incref(answers);
    call->call.kept_before = call->kept;
    return METHOD_DONE;
}

/* ---- modern: the questions are the result ---- */

static void send_questions(struct peer_call *call)
{
    const bool asks = json_object_size(call->call.asks) > 0 || call->call.kept.len == 0;
    struct buf BUF_AUTO message = {0};

    buf_init(&message, MESSAGE_OUT_CAP);
    message_begin_result(&message, call->id);
    era_begin_result(&message, &call->client, "input_required", call->method);
    if (asks) {
        buf_adds(&message, "\"inputRequests\":");
        json_write(&message, call->call.asks);
    }
    if (call->call.kept.len > 0) {
        buf_addf(&message, "%s\"requestState\":", asks ? "," : "");
        write_sealed(call, &message);
    }
    era_add_meta(&message, &call->client);
    buf_adds(&message, "}}");
    reply_respond(call->reply, call->id, &message, 200);
}

/* ---- legacy: requests of ours ---- */

void ask_stop(struct peer_call *call)
{
    if (!call->waiting)
        return;
    json_decref(call->waiting);
    call->waiting = NULL;
    LIST_REMOVE(call, asking_link);
    progress_time(call->peer->host);
}

/* The call ends, with a failure that says why. */
static void __attribute__((format(printf, 2, 3)))
fail_call(struct peer_call *call, const char *format, ...)
{
    struct error err = {0};
    char text[ERROR_TEXT_CAP];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    error_set(&err, ERROR_UNAVAILABLE, "%s", text);
    failure_of_error(&call->call.failure, &err);
    buf_clear(&call->call.text);
    buf_adds(&call->call.text, text);
    call->call.on_done(&call->call);
}

static void on_no_answer(struct peer_call *call)
{
    ask_stop(call);
    fail_call(call, "the client has not answered the question for %d minutes", ASK_WAIT_MS / 60000);
}

static void fail_without_client(struct peer_call *call)
{
    fail_call(call, "the client has gone, and has not answered what it was asked");
}

void ask_give_up(struct peer_call *call)
{
    if (!call->waiting)
        return;
    ask_stop(call);
    fail_without_client(call);
}

static void send_request(struct peer_call *call, const char *key, const json_t *ask)
{
    const json_t *params = json_object_get(ask, "params");
    struct buf BUF_AUTO message = {0};
    char id[ASK_ID_SIZE];

    snprintf(id, sizeof id, "ask-%lu", ++call->peer->asked);
    json_object_set_new(call->waiting, id, json_string(key));
    buf_init(&message, MESSAGE_OUT_CAP);
    message_begin_request(&message, id, json_get_string(ask, "method"));
    if (params)
        json_write(&message, params);
    else
        buf_adds(&message, "{}");
    buf_addc(&message, '}');
    if (!message.failed)
        call->reply->send(call->reply, message.data, message.len, PEER_REQUEST);
}

static void send_requests(struct peer_call *call)
{
    struct host *host = call->peer->host;
    const char *key;
    json_t *ask;

    free(call->kept);
    call->kept = call->call.kept.len > 0 ? strdup(call->call.kept.data) : NULL;
    call->call.kept_before = call->kept;
    json_decref(call->call.answers);
    call->call.answers = json_object();
    call->waiting = json_object();
    call->asked_until_ms = uv_now(host->server->loop) + ASK_WAIT_MS;
    call->on_no_answer = on_no_answer;
    LIST_INSERT_HEAD(&host->asking, call, asking_link);
    progress_time(host);
    json_object_foreach(call->call.asks, key, ask) send_request(call, key, ask);
}

static struct peer_call *find_asking(struct peer *peer, const char *id)
{
    struct peer_call *call;

    LIST_FOREACH(call, &peer->calls, link)
    {
        if (call->waiting && json_object_get(call->waiting, id))
            return call;
    }
    return NULL;
}

void ask_take_response(struct peer *peer, const struct message *message)
{
    const char *id = json_string_value(message->id);
    struct peer_call *call = id ? find_asking(peer, id) : NULL;
    json_t *result = json_object_get(message->json, "result");
    const char *why = json_get_string(json_object_get(message->json, "error"), "message");

    if (!call) /* made up, or its call has ended meanwhile */
        return;
    if (!json_is_object(result)) {
        ask_stop(call);
        if (!why)
            why = "its result must be an object";
        fail_call(call, "the client did not answer the question: %.*s",
                  utf8_shown(why, METHOD_SHOWN), why);
        return;
    }
    json_object_set(call->call.answers, json_string_value(json_object_get(call->waiting, id)),
                    result);
    json_object_del(call->waiting, id);
    if (json_object_size(call->waiting) > 0)
        return;
    ask_stop(call);
    tool_call_again(&call->call);
}

/* ---- both ---- */

/* A tool's mistake, not the client's. */
static bool questions_valid(const json_t *asks)
{
    const char *key;
    json_t *ask;

    json_object_foreach((json_t *)asks, key, ask)
    {
        if (!kind_of(ask))
            return false;
    }
    return json_object_size(asks) <= TOOL_ASKS_CAP;
}

/* The first question that the client has not declared, or NULL. */
static const struct ask_kind *find_undeclared(const struct peer_call *call)
{
    const char *key;
    json_t *ask;

    json_object_foreach(call->call.asks, key, ask)
    {
        if (!(kind_of(ask)->needs & call->client.capabilities))
            return kind_of(ask);
    }
    return NULL;
}

static void refuse_call(struct peer_call *call, enum message_error code, const char *text,
                        const json_t *data)
{
    struct buf BUF_AUTO message = {0};

    buf_init(&message, MESSAGE_OUT_CAP);
    message_error_with(&message, call->id, code, text, data);
    if (call->reply)
        reply_respond(call->reply, call->id, &message, era_http_status(&call->client, code));
    call->answered = true;
    call->call.on_done(&call->call);
}

static void refuse_undeclared(struct peer_call *call, const struct ask_kind *kind)
{
    json_auto_t *needed = json_loads(kind->capability, 0, NULL);
    json_auto_t *data = json_pack("{s:O}", "requiredCapabilities", needed);
    char text[ERROR_TEXT_CAP];

    snprintf(text, sizeof text,
             "%s has to ask with %s, which this client has not declared: declare the capability %s",
             call->call.tool->name, kind->method, kind->capability);
    if (era_client_is_modern(&call->client))
        refuse_call(call, MESSAGE_NO_CAPABILITY, text, data);
    else
        fail_call(call, "%s", text);
}

void ask_client(struct peer_call *call)
{
    const struct ask_kind *undeclared;

    if (!questions_valid(call->call.asks)) {
        fail_call(call, "%s asked something that no client can answer", call->call.tool->name);
        return;
    }
    undeclared = find_undeclared(call);
    if (undeclared) {
        refuse_undeclared(call, undeclared);
    } else if (era_client_is_modern(&call->client)) {
        if (call->reply)
            send_questions(call);
        call->answered = true;
        call->call.on_done(&call->call);
    } else if (!call->reply || !call->reply->streams) {
        fail_call(call,
                  "%s has to ask its client, which takes no event streams: send Accept: "
                  "application/json, text/event-stream",
                  call->call.tool->name);
    } else if (call->peer->input_ended) {
        fail_without_client(call);
    } else {
        send_requests(call);
    }
}
