/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One MCP client: parses its messages, runs the method from the table and sends the answer; handles
 * a tools/call from its request to its response, with progress and cancellation. The rules of the
 * protocol's revisions with sessions are here: what may come before initialize, no batches, no
 * request id twice. Runs on the loop's thread; the tools work on work queues or elsewhere.
 *
 * A client that sent a token receives progress. What is new with the tool (a run's output, its
 * place in the queue) is sent at most every 250 ms, and not before that, so that a quick call has a
 * plain answer. If a tool has nothing new, the client is notified after 1 s, then at least every 5
 * s, of how long the call has been running, so that it does not time out. The progress value is
 * that time in seconds: it always increases.
 */
#include "mcp/protocol/peer.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include <uv.h>

#include "helpers/base/cleanup.h"
#include "helpers/base/json.h"
#include "helpers/base/log.h"
#include "helpers/base/nearest.h"
#include "helpers/base/utf8.h"
#include "mcp/tool/tool.h"

#define SERVER_NAME     "lectern"
#define SERVER_TITLE    "Lectern curriculum server"
#define WHO_SIZE        64
#define IDEMPOTENCY_KEY "lectern/idempotency-key" /* in _meta of tools/call */
#define METHOD_SHOWN    100                       /* bytes of an unknown name in an error */

#define MODERN_VERSION_KEY "io.modelcontextprotocol/protocolVersion"

#define PROGRESS_TICK_MS      250
#define PROGRESS_FIRST_MS     1000
#define PROGRESS_HEARTBEAT_MS 5000
#define PROGRESS_STEP         0.01              /* the least rise, as many digits as are sent */
#define PROGRESS_TEXT_CAP     ((size_t)8 << 10) /* bytes of one message */

/* One tools/call under way. */
struct peer_call {
    struct tool_call call;
    LIST_ENTRY(peer_call) link;
    struct peer *peer;
    struct peer_reply *reply; /* NULL after its transport is gone */
    json_t *id;               /* owned */
    json_t *token;            /* owned; NULL: no progress wanted */
    bool cancelled;

    /* Progress. */
    uint64_t started_ms, notified_ms; /* of the loop's clock; notified_ms 0: nothing was sent yet */
    double notified;                  /* the value sent last */
};

struct peer {
    struct server *server; /* borrowed */
    const char *transport; /* "stdio"; static */
    const char *version;   /* agreed, one of protocol_versions; NULL before initialize */
    char who[WHO_SIZE];    /* "mcp:claude-code", for the change log */
    char *bound_session;   /* owned, or NULL */
    LIST_HEAD(, peer_call) calls;
    size_t call_count;
    uv_timer_t progress_timer; /* runs while a call with a progress token is under way */
    bool destroyed;            /* peer_destroy was called */
    bool timer_closed;
};

/* Newest first. */
static const char *const protocol_versions[] = {"2025-11-25", "2025-06-18", "2025-03-26",
                                                "2024-11-05", NULL};

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
    cleanup_free char *session = bound_session ? strdup(bound_session) : NULL;
    struct peer *peer = session || !bound_session ? calloc(1, sizeof *peer) : NULL;

    if (!peer) {
        error_set(err, ERROR_MEMORY, "out of memory for an MCP client");
        return NULL;
    }
    peer->bound_session = steal_pointer(&session);
    peer->server = server;
    LIST_INIT(&peer->calls);
    peer->transport = transport_name;
    snprintf(peer->who, sizeof peer->who, "mcp");
    uv_timer_init(server->loop, &peer->progress_timer);
    peer->progress_timer.data = peer;
    return peer;
}

static void free_when_done(struct peer *peer)
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
    free_when_done(peer);
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

/* ---- sending ---- */

/* A text or an integer, and not too long: what may be a request's id or a progress token. */
static bool id_valid(const json_t *id)
{
    return json_is_integer(id) || (json_is_string(id) && json_string_length(id) <= MESSAGE_ID_CAP);
}

static void add_id(struct buf *to, const json_t *id)
{
    if (id)
        json_write(to, id);
    else
        buf_adds(to, "null");
}

/* Up to the result, whose text and a brace the caller adds. */
static void begin_result(struct buf *to, const json_t *id)
{
    buf_adds(to, "{\"jsonrpc\":\"2.0\",\"id\":");
    add_id(to, id);
    buf_adds(to, ",\"result\":");
}

/* Likewise up to its params. */
static void begin_notification(struct buf *to, const char *method)
{
    buf_addf(to, "{\"jsonrpc\":\"2.0\",\"method\":\"%s\",\"params\":", method);
}

void message_error(struct buf *to, const json_t *id, enum message_error code, const char *text)
{
    buf_adds(to, "{\"jsonrpc\":\"2.0\",\"id\":");
    add_id(to, id);
    buf_addf(to, ",\"error\":{\"code\":%d,\"message\":", (int)code);
    json_write_string(to, text, strlen(text));
    buf_adds(to, "}}");
}

/* Sends one response. If the message outgrew its cap, the client gets an error instead. */
static void respond(struct peer_reply *reply, const json_t *id, struct buf *message,
                    int http_status)
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

/* ---- progress ---- */

static void tell(struct peer_call *call, uint64_t now, const struct buf *progress)
{
    struct buf BUF_AUTO text = {0};
    double value = (double)(now - call->started_ms) / 1000;

    if (value < call->notified + PROGRESS_STEP)
        value = call->notified + PROGRESS_STEP;
    buf_init(&text, MESSAGE_OUT_CAP);
    begin_notification(&text, "notifications/progress");
    buf_adds(&text, "{\"progressToken\":");
    json_write(&text, call->token);
    buf_addf(&text, ",\"progress\":%.2f,\"message\":", value);
    json_write_string(&text, progress->data, progress->len);
    buf_addc(&text, '}');
    buf_addc(&text, '}');
    call->notified = value;
    call->notified_ms = now;
    if (!text.failed)
        call->reply->send(call->reply, text.data, text.len, false);
}

static bool is_due(const struct peer_call *call, uint64_t now)
{
    uint64_t since = call->notified_ms ? call->notified_ms : call->started_ms;

    return now - since >= (call->notified_ms ? PROGRESS_HEARTBEAT_MS : PROGRESS_FIRST_MS);
}

static void look_at(struct peer_call *call, uint64_t now)
{
    const struct tool *tool = call->call.tool;
    struct buf BUF_AUTO progress = {0};

    buf_init(&progress, PROGRESS_TEXT_CAP);
    if (tool->progress && tool->progress(&call->call, &progress, NULL) && progress.len > 0) {
        tell(call, now, &progress);
    } else if (is_due(call, now)) {
        buf_addf(&progress, "%s has been under way for %.0f s", tool->name,
                 (double)(now - call->started_ms) / 1000);
        tell(call, now, &progress);
    }
}

static void on_timer(uv_timer_t *timer)
{
    struct peer *peer = timer->data;
    uint64_t now = uv_now(timer->loop);
    struct peer_call *call;

    LIST_FOREACH(call, &peer->calls, link)
    {
        if (call->token && call->reply && !call->cancelled &&
            now - call->started_ms >= PROGRESS_TICK_MS)
            look_at(call, now);
    }
}

static void start_progress(struct peer *peer, struct peer_call *call)
{
    if (!call->token)
        return;
    uv_update_time(peer->server->loop);
    call->started_ms = uv_now(peer->server->loop);
    if (!uv_is_active((uv_handle_t *)&peer->progress_timer))
        uv_timer_start(&peer->progress_timer, on_timer, PROGRESS_TICK_MS, PROGRESS_TICK_MS);
}

/* After a call has ended. */
static void stop_progress(struct peer *peer)
{
    struct peer_call *call;

    LIST_FOREACH(call, &peer->calls, link)
    {
        if (call->token && !call->cancelled)
            return;
    }
    uv_timer_stop(&peer->progress_timer);
}

/* ---- calls ---- */

static void free_call(struct peer_call *call)
{
    tool_call_finish(&call->call);
    json_decref(call->id);
    json_decref(call->token);
    free(call);
}

static struct peer_call *find_call(struct peer *peer, const json_t *id)
{
    struct peer_call *call;

    LIST_FOREACH(call, &peer->calls, link)
    {
        if (json_equal(call->id, id))
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
        begin_result(&message, call->id);
        tool_call_result(tool_call, &message);
        buf_addc(&message, '}');
        respond(call->reply, call->id, &message, 200);
    }
    end_reply(call, call->cancelled);
    free_call(call);
    if (peer->destroyed)
        free_when_done(peer);
    else
        stop_progress(peer);
}

static void cancel_call(struct peer_call *call)
{
    if (call->cancelled)
        return;
    call->cancelled = true;
    tool_call_cancel(&call->call);
}

void peer_forget(struct peer *peer, struct peer_reply *reply)
{
    struct peer_call *call;

    LIST_FOREACH(call, &peer->calls, link)
    {
        if (call->reply == reply)
            call->reply = NULL;
    }
}

void peer_destroy(struct peer *peer)
{
    struct peer_call *call, *next;

    if (!peer)
        return;
    peer->destroyed = true;
    for (call = LIST_FIRST(&peer->calls); call; call = next) {
        next = LIST_NEXT(call, link);
        cancel_call(call);
        end_reply(call, false);
    }
    uv_close((uv_handle_t *)&peer->progress_timer, on_timer_closed);
}

/* ---- the methods ---- */

/* One request or notification on its way through its method. */
struct peer_request {
    struct peer *peer;
    struct peer_reply *reply;
    const char *method;
    const json_t *id;     /* NULL: a notification */
    const json_t *params; /* an object, or NULL if missing */

    /* Set by the method. */
    struct buf result; /* METHOD_DONE: the result's JSON text */
    enum message_error code;
    char why[ERROR_TEXT_CAP]; /* METHOD_REFUSED */
};

enum method_outcome {
    METHOD_DONE,    /* with a result, or a notification */
    METHOD_REFUSED, /* code and why are set */
    METHOD_CALLED,  /* a call has begun, and answers later */
};

struct method {
    const char *name;
    bool notification;      /* else a request */
    bool before_initialize; /* allowed as the first one */
    enum method_outcome (*handle)(struct peer_request *request);
};

/* For the model: when to reach for this server, and how to do so cheaply. */
#define INSTRUCTIONS                                                                               \
    "Lectern holds curricula: nodes (lessons) with ordered components, and relationships between " \
    "them. Ask it instead of reading a curriculum: query_graph for prerequisites, paths, "         \
    "teaching "                                                                                    \
    "order and gaps; execute_code for any other analysis (Python; from code_helpers import "       \
    "get_nodes, get_relationships, get_node_content, analyze_graph). Change content with the "     \
    "component and relationship tools. session_id may be left out where there is only one "        \
    "curriculum."

static enum method_outcome __attribute__((format(printf, 3, 4)))
refuse(struct peer_request *request, enum message_error code, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(request->why, sizeof request->why, format, args);
    va_end(args);
    request->code = code;
    return METHOD_REFUSED;
}

/* "mcp:claude-code" for the change log: the client's own name, as far as it is a plain word. */
static void set_who(struct peer *peer, const char *name)
{
    size_t len;

    if (!name || !*name)
        return;
    snprintf(peer->who, sizeof peer->who, "mcp:%s", name);
    len = strlen(peer->who);
    for (size_t i = sizeof "mcp:" - 1; i < len; i++) {
        if (!isalnum((unsigned char)peer->who[i]) && !strchr("._-", peer->who[i]))
            peer->who[i] = '-';
    }
}

static enum method_outcome initialize(struct peer_request *request)
{
    struct peer *peer = request->peer;
    const char *asked = json_get_string(request->params, "protocolVersion");

    if (peer->version)
        return refuse(request, MESSAGE_INVALID_REQUEST, "this connection is initialized already");
    if (!asked)
        return refuse(request, MESSAGE_INVALID_PARAMS,
                      "params.protocolVersion is missing, a string such as \"%s\"",
                      protocol_versions[0]);
    peer->version = protocol_versions[0];
    for (size_t i = 0; protocol_versions[i]; i++) {
        if (strcmp(protocol_versions[i], asked) == 0)
            peer->version = protocol_versions[i];
    }
    set_who(peer, json_get_string(json_object_get(request->params, "clientInfo"), "name"));
    log_info("protocol", "client %s over %s, MCP %s", peer->who, peer->transport, peer->version);
    buf_addf(&request->result,
             "{\"protocolVersion\":\"%s\",\"capabilities\":{\"tools\":{\"listChanged\":false}},"
             "\"serverInfo\":{\"name\":\"" SERVER_NAME "\",\"title\":\"" SERVER_TITLE
             "\",\"version\":\"" LECTERN_VERSION "\"},\"instructions\":",
             peer->version);
    json_write_string(&request->result, INSTRUCTIONS, sizeof INSTRUCTIONS - 1);
    buf_addc(&request->result, '}');
    return METHOD_DONE;
}

static enum method_outcome ping(struct peer_request *request)
{
    buf_adds(&request->result, "{}");
    return METHOD_DONE;
}

static enum method_outcome tools_list(struct peer_request *request)
{
    const json_t *cursor = json_object_get(request->params, "cursor");

    if (cursor && !json_is_null(cursor))
        return refuse(request, MESSAGE_INVALID_PARAMS,
                      "tools/list has one page, so no cursor is valid: omit it");
    buf_adds(&request->result, "{\"tools\":[");
    for (size_t i = 0; tools[i]; i++) {
        const struct buf *entry = tool_described(request->peer->server, i);

        if (!entry)
            return refuse(request, MESSAGE_INTERNAL_ERROR, "out of memory for the listing");
        if (i > 0)
            buf_addc(&request->result, ',');
        buf_add(&request->result, entry->data, entry->len);
    }
    buf_adds(&request->result, "]}");
    return METHOD_DONE;
}

/* token, key: or NULL. */
static enum method_outcome begin_call(struct peer_request *request, const struct tool *tool,
                                      json_t *arguments, const json_t *token, json_t *key)
{
    struct peer *peer = request->peer;
    struct peer_call *call;

    if (peer->call_count >= PEER_CALLS_CAP)
        return refuse(request, MESSAGE_REFUSED,
                      "%d calls of this client are under way: wait for one to end, then send this "
                      "again",
                      PEER_CALLS_CAP);
    call = calloc(1, sizeof *call);
    if (!call)
        return refuse(request, MESSAGE_INTERNAL_ERROR, "out of memory for a call");
    call->peer = peer;
    call->reply = request->reply;
    call->id = json_deep_copy(request->id);
    call->token = token ? json_deep_copy(token) : NULL;
    call->call.arguments = arguments ? json_incref(arguments) : json_object();
    call->call.idempotency_key = json_incref(key);
    call->call.cancel = cancel_create(NULL);
    if (!call->id || (token && !call->token) || !call->call.arguments || !call->call.cancel) {
        free_call(call);
        return refuse(request, MESSAGE_INTERNAL_ERROR, "no room for a call");
    }
    call->call.tool = tool;
    call->call.server = peer->server;
    call->call.bound_session = peer->bound_session;
    call->call.who = peer->who;
    call->call.wants_progress = call->token != NULL;
    call->call.on_done = on_done;
    call->call.at_once = true;
    call->call.user = call;
    LIST_INSERT_HEAD(&peer->calls, call, link);
    peer->call_count++;
    start_progress(peer, call);
    tool_call_start(&call->call);
    return METHOD_CALLED;
}

static enum method_outcome tools_call(struct peer_request *request)
{
    const char *name = json_get_string(request->params, "name");
    json_t *arguments = json_object_get(request->params, "arguments");
    const json_t *meta = json_object_get(request->params, "_meta");
    json_t *token = json_object_get(meta, "progressToken");
    json_t *key = json_object_get(meta, IDEMPOTENCY_KEY);
    struct buf BUF_AUTO names = {0};
    const struct tool *tool;

    if (!name)
        return refuse(request, MESSAGE_INVALID_PARAMS,
                      "tools/call needs params.name, the tool's name as a string");
    tool = tool_find(name);
    if (!tool) {
        buf_init(&names, ERROR_TEXT_CAP / 2);
        tool_names(&names);
        return refuse(request, MESSAGE_INVALID_PARAMS, "unknown tool '%.*s'. The tools: %s.",
                      utf8_shown(name, METHOD_SHOWN), name, names.len > 0 ? names.data : "none");
    }
    if (arguments && !json_is_object(arguments))
        return refuse(request, MESSAGE_INVALID_PARAMS,
                      "params.arguments must be an object, such as {\"node_id\": \"N001\"}");
    if (token && !id_valid(token))
        return refuse(request, MESSAGE_INVALID_PARAMS,
                      "_meta.progressToken must be a string of at most %d bytes or an integer",
                      MESSAGE_ID_CAP);
    if (key && !json_is_string(key))
        return refuse(request, MESSAGE_INVALID_PARAMS,
                      "_meta[\"" IDEMPOTENCY_KEY "\"] must be a string, one for each call");
    return begin_call(request, tool, arguments, token, key);
}

static enum method_outcome initialized(struct peer_request *request)
{
    (void)request;
    return METHOD_DONE;
}

static enum method_outcome cancelled(struct peer_request *request)
{
    const json_t *id = json_object_get(request->params, "requestId");
    struct peer_call *call = id ? find_call(request->peer, id) : NULL;

    if (call) /* a call that has just ended is not an error: the two messages may cross */
        cancel_call(call);
    return METHOD_DONE;
}

static const struct method methods[] = {
    {.name = "initialize", .before_initialize = true, .handle = initialize},
    {.name = "ping", .before_initialize = true, .handle = ping},
    {.name = "tools/list", .handle = tools_list},
    {.name = "tools/call", .handle = tools_call},
    {.name = "notifications/initialized", .notification = true, .handle = initialized},
    {.name = "notifications/cancelled", .notification = true, .handle = cancelled},
};

/* ---- receiving ---- */

/* Answers with an error; the whole message is done with. */
static void refuse_message(struct peer_reply *reply, const json_t *id, int http_status,
                           enum message_error code, const char *text)
{
    struct buf BUF_AUTO message = {0};

    buf_init(&message, MESSAGE_OUT_CAP);
    message_error(&message, id, code, text);
    respond(reply, id, &message, http_status);
    reply->end(reply, false);
}

/* The revision 2026-07-28 has no handshake: each of its requests carries its version. This server
 * does not have it. A client of both eras sends initialize after "no such method", but not after
 * "no such version". */
static void refuse_modern(const struct peer_request *request)
{
    char text[ERROR_TEXT_CAP];

    snprintf(text, sizeof text,
             "unknown method '%.*s' with _meta[\"" MODERN_VERSION_KEY
             "\"]: send initialize without it, with protocolVersion \"%s\"",
             utf8_shown(request->method, METHOD_SHOWN), request->method, protocol_versions[0]);
    refuse_message(request->reply, request->id, 404, MESSAGE_METHOD_NOT_FOUND, text);
}

static const struct method *find_method(const char *name)
{
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        if (strcmp(methods[i].name, name) == 0)
            return &methods[i];
    }
    return NULL;
}

/* Never answered: unknown ones are ignored, as the protocol requires. */
static void receive_notification(struct peer_request *request)
{
    const struct method *method = find_method(request->method);

    if (method && method->notification && peer_initialized(request->peer))
        method->handle(request);
    request->reply->end(request->reply, true);
}

static enum method_outcome refuse_unknown(struct peer_request *request)
{
    struct nearest search;

    nearest_begin(&search, request->method);
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
        nearest_feed(&search, methods[i].name);
    return refuse(request, MESSAGE_METHOD_NOT_FOUND, "unknown method '%.*s'%s%s%s",
                  utf8_shown(request->method, METHOD_SHOWN), request->method,
                  search.best ? "; did you mean '" : "", search.best ? search.best : "",
                  search.best ? "'?" : "");
}

/* Everything that can be wrong with a request before its method looks at it. */
static enum method_outcome check_request(struct peer_request *request, const struct method *method)
{
    if (!method)
        return refuse_unknown(request);
    if (method->notification)
        return refuse(request, MESSAGE_INVALID_REQUEST,
                      "%s is a notification: send it without an id", method->name);
    if (!peer_initialized(request->peer) && !method->before_initialize)
        return refuse(request, MESSAGE_INVALID_REQUEST,
                      "%s before initialize: send initialize first", method->name);
    if (find_call(request->peer, request->id))
        return refuse(request, MESSAGE_INVALID_REQUEST,
                      "a request with this id is under way: use a different id for each request");
    return METHOD_DONE;
}

static void send_result(const struct peer_request *request)
{
    struct buf BUF_AUTO message = {0};

    buf_init(&message, MESSAGE_OUT_CAP);
    begin_result(&message, request->id);
    buf_add(&message, request->result.data, request->result.len);
    buf_addc(&message, '}');
    message.failed |= request->result.failed;
    respond(request->reply, request->id, &message, 200);
    request->reply->end(request->reply, false);
}

static void receive_request(struct peer_request *request)
{
    const struct method *method = find_method(request->method);
    bool initialized = peer_initialized(request->peer);
    enum method_outcome outcome;
    int status;

    if (json_object_get(json_object_get(request->params, "_meta"), MODERN_VERSION_KEY)) {
        refuse_modern(request);
        return;
    }
    buf_init(&request->result, MESSAGE_OUT_CAP);
    outcome = check_request(request, method);
    if (outcome == METHOD_DONE)
        outcome = method->handle(request);
    if (outcome == METHOD_DONE) {
        send_result(request);
    } else if (outcome == METHOD_REFUSED) {
        /* Refused before initialize, it leaves the HTTP side without a session. */
        status = !method && !initialized                                    ? 404
                 : request->code == MESSAGE_INVALID_REQUEST || !initialized ? 400
                                                                            : 200;
        refuse_message(request->reply, request->id, status, request->code, request->why);
    }
    buf_finish(&request->result);
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
        return "a message must be a JSON object with \"jsonrpc\": \"2.0\" and \"method\"";
    if (!jsonrpc || strcmp(jsonrpc, "2.0") != 0)
        return "\"jsonrpc\" must be \"2.0\"";
    if (id && !id_valid(id))
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
    struct peer_request request;
    const char *wrong = check_envelope(message);
    bool bad_params;

    request.peer = peer;
    request.reply = reply;
    request.method = json_get_string(message, "method");
    request.id = json_object_get(message, "id");
    request.params = json_object_get(message, "params");
    bad_params = wrong && request.method && request.params && !json_is_object(request.params);
    if (wrong)
        refuse_message(reply, id_valid(request.id) ? request.id : NULL, 400,
                       bad_params ? MESSAGE_INVALID_PARAMS : MESSAGE_INVALID_REQUEST, wrong);
    else if (is_response(message))
        reply->end(reply, true); /* this server asks its clients nothing */
    else if (!request.id)
        receive_notification(&request);
    else
        receive_request(&request);
}

void peer_receive(struct peer *peer, const char *json, size_t len, struct peer_reply *reply)
{
    struct error err = {0};
    json_auto_t *message = NULL;

    reply->http_status = 200;
    if (len > PEER_MESSAGE_CAP) {
        error_set(&err, ERROR_TOO_LARGE, "a message must have at most %zu bytes; this one has %zu",
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
}
