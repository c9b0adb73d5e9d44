/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A call waits for its turn, then makes attempts. Each attempt is one transfer of
 * helpers/base/http.h, whose bytes are parsed into the message as they arrive. An attempt that ends
 * before its first event may be repeated, after a pause. A call that is cancelled, or could not be
 * sent, ends in a task of the loop.
 */
#include "mcp/model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "helpers/base/http.h"
#include "helpers/base/log.h"
#include "mcp/model/model_errors.h"
#include "mcp/model/model_stream.h"

#define HEADER_CAP  1024u /* bytes of one header's line, the key in it included */
#define ADDRESS_CAP 512u
#define HEADERS     6u

struct model_transfer {
    uv_timer_t timer; /* first; the pause before an attempt, or MODEL_LINGER_MS */
    TAILQ_ENTRY(model_transfer) link;
    struct model *model; /* a reference; its owner may be destroyed */
    struct model_call *call;
    bool waits;  /* for its turn */
    bool ending; /* by the task */
    bool held, paused;
    struct loop_task task;
    struct model_stream stream;
    struct error stream_err; /* why the stream cannot be read on */

    /* The attempt's. */
    unsigned attempt; /* from 1 */
    struct http_transfer *http;
    struct http_response response;
    struct error err;                                           /* as http_transfer reports it */
    char should_retry[16], retry_after_ms[32], retry_after[64]; /* headers; "" if missing */
    size_t bytes; /* of an answer that is not an error */
};

TAILQ_HEAD(transfers, model_transfer);

struct model {
    struct model_config config; /* without NULL for url and name */
    char address[ADDRESS_CAP];  /* without what a person or a log may not see */
    char url[ADDRESS_CAP + 16];
    char key_header[HEADER_CAP];
    const char *headers[HEADERS];
    bool local;        /* on a loopback address: no proxy, and it may be silent for long */
    char unready[512]; /* why no question can be asked, and what to do; or "" */

    struct loop_queue *loop_queue;
    struct http_loop *http; /* NULL after its owner is destroyed */
    size_t references;      /* the owner's, and one for each call */
    size_t under_way, waiting_count;
    struct transfers running, waiting;
};

/* ---- the service ---- */

static const char *key_name(const struct model *model)
{
    return model->config.key_name ? model->config.key_name : "ANTHROPIC_API_KEY";
}

/* The variable the key came from; NULL: there is none. */
static const char *credential_of(const struct model *model)
{
    return model->config.key          ? key_name(model)
           : model->config.auth_token ? "ANTHROPIC_AUTH_TOKEN"
                                      : NULL;
}

/* The address of POST, and the one for people: no user and password, no slash at the end. */
static int set_address(struct model *model, struct error *err)
{
    const char *url = model->config.url;
    const char *host = strstr(url, "://"), *at;
    size_t len = strlen(url);

    while (len > 0 && url[len - 1] == '/')
        len--;
    if (len >= 3 && strncmp(url + len - 3, "/v1", 3) == 0)
        len -= 3;
    if (len >= sizeof model->address)
        return error_set(err, ERROR_INVALID, "--llm-url is longer than %u bytes", ADDRESS_CAP - 1);
    snprintf(model->url, sizeof model->url, "%.*s/v1/messages", (int)len, url);
    host = host ? host + 3 : url;
    at = memchr(host, '@', strcspn(host, "/"));
    snprintf(model->address, sizeof model->address, "%.*s%.*s", (int)(at ? host - url : 0), url,
             (int)(url + len - (at ? at + 1 : url)), at ? at + 1 : url);
    return 0;
}

/* A line end within would begin another header. */
static bool is_header_text(const char *text)
{
    for (; *text; text++) {
        if (*text <= ' ' || *text > '~')
            return false;
    }
    return true;
}

static void set_headers(struct model *model)
{
    const char *secret = model->config.key ? model->config.key : model->config.auth_token;
    size_t count = 0;

    model->headers[count++] = "Content-Type: application/json";
    model->headers[count++] = "Accept: text/event-stream";
    model->headers[count++] = "User-Agent: lectern/" LECTERN_VERSION;
    model->headers[count++] = "anthropic-version: " MODEL_VERSION;
    if (!secret)
        return;
    if (!is_header_text(secret) ||
        snprintf(model->key_header, sizeof model->key_header, "%s %s",
                 model->config.key ? "x-api-key:" : "Authorization: Bearer",
                 secret) >= (int)sizeof model->key_header)
        snprintf(model->unready, sizeof model->unready,
                 "%s is not a valid key: it contains a space or a line end, or is too long. Set it "
                 "correctly and restart lectern",
                 credential_of(model));
    model->headers[count] = model->key_header;
}

static void set_unready(struct model *model)
{
    if (strncmp(model->config.url, "http://", 7) != 0 &&
        strncmp(model->config.url, "https://", 8) != 0)
        snprintf(model->unready, sizeof model->unready,
                 "--llm-url (or ANTHROPIC_BASE_URL) must be http://HOST:PORT or https://HOST, not "
                 "'%.200s'",
                 model->address);
    else if (!credential_of(model) && !model->local)
        snprintf(
            model->unready, sizeof model->unready,
            "Set %s to a key of the service and restart lectern, or use a model on this machine, "
            "for example --llm-url http://localhost:11434 --llm-model NAME (Ollama)",
            key_name(model));
}

static void unref(struct model *model)
{
    if (--model->references == 0)
        free(model);
}

struct model *model_create(const struct model_config *config, struct loop_queue *loop_queue,
                           struct error *err)
{
    struct model *model = calloc(1, sizeof *model);

    if (!model) {
        error_set(err, ERROR_MEMORY, "out of memory for the model's client");
        return NULL;
    }
    model->config = *config;
    if (!model->config.url)
        model->config.url = MODEL_DEFAULT_URL;
    if (!model->config.name)
        model->config.name = MODEL_DEFAULT_NAME;
    model->loop_queue = loop_queue;
    model->references = 1;
    TAILQ_INIT(&model->running);
    TAILQ_INIT(&model->waiting);
    if (set_address(model, err) == 0)
        model->http = http_loop_create(loop_queue_loop(loop_queue), err);
    if (!model->http) {
        free(model);
        return NULL;
    }
    model->local = http_is_loopback(model->config.url);
    set_headers(model);
    set_unready(model);
    if (credential_of(model) && !model->local && strncmp(model->config.url, "https:", 6) != 0)
        log_warning("model", "%s is sent unencrypted to %s", credential_of(model), model->address);
    return model;
}

bool model_ready(const struct model *model, char *advice, size_t size)
{
    if (size > 0)
        snprintf(advice, size, "%s", model->unready);
    return !model->unready[0];
}

const char *model_name(const struct model *model)
{
    return model->config.name;
}

const char *model_address(const struct model *model)
{
    return model->address;
}

/* ---- the end of a call ---- */

static void free_transfer(uv_handle_t *timer)
{
    free(timer);
}

static void log_end(const struct model_transfer *transfer)
{
    const struct model_call *call = transfer->call;
    bool quiet = call->err.kind == ERROR_NONE || call->err.kind == ERROR_CANCELLED;
    const char *outcome = call->err.kind == ERROR_NONE ? model_stop_name(call->message.stop)
                                                       : error_kind_name(call->err.kind);

    log_line(quiet ? LOG_INFO : LOG_WARNING, "model",
             "model %s at %s: %s%s%s, status %ld, request-id %s, attempts %u, tokens in %lld "
             "(cached %lld, written to the cache %lld), out %lld",
             transfer->model->config.name, transfer->model->address, outcome,
             call->message.error_type[0] ? " " : "", call->message.error_type,
             transfer->response.status, call->request_id[0] ? call->request_id : "none",
             transfer->attempt, (long long)model_usage_input(&call->message.usage),
             (long long)call->message.usage.cache_read, (long long)call->message.usage.cache_write,
             (long long)call->message.usage.output);
}

static void start_next(struct model *model);

/* The call's last: its asker may free it. */
static void finish(struct model_transfer *transfer)
{
    struct model_call *call = transfer->call;
    struct model *model = transfer->model;

    log_end(transfer);
    if (transfer->http)
        http_transfer_cancel(transfer->http);
    TAILQ_REMOVE(transfer->waits ? &model->waiting : &model->running, transfer, link);
    if (transfer->waits)
        model->waiting_count--;
    else
        model->under_way--;
    model_stream_finish(&transfer->stream);
    http_response_finish(&transfer->response);
    uv_close((uv_handle_t *)&transfer->timer, free_transfer);
    call->transfer = NULL;
    start_next(model);
    call->on_done(call);
    unref(model);
}

static void on_end_task(void *arg)
{
    finish(arg);
}

/* In a task of the loop, because the caller may be the listener. */
static void end_soon(struct model_transfer *transfer)
{
    if (transfer->ending)
        return;
    transfer->ending = true;
    transfer->task.run = on_end_task;
    transfer->task.arg = transfer;
    loop_queue_post(transfer->model->loop_queue, &transfer->task);
}

static struct model_failure failure_of(const struct model_transfer *transfer)
{
    const struct model *model = transfer->model;

    return (struct model_failure){
        .attempt = {.number = transfer->attempt,
                    .first_ms = model->config.retry_ms,
                    .status = transfer->response.status,
                    .should_retry = *transfer->should_retry ? transfer->should_retry : NULL,
                    .retry_after_ms = *transfer->retry_after_ms ? transfer->retry_after_ms : NULL,
                    .retry_after = *transfer->retry_after ? transfer->retry_after : NULL},
        .err = &transfer->err,
        .response = &transfer->response,
        .bytes = transfer->bytes,
        .url = model->url,
        .model = model->config.name,
        .address = model->address,
        .credential = credential_of(model),
        .silent_s = MODEL_SILENT_MS / 1000,
        .total_s = MODEL_REQUEST_MS / 1000,
    };
}

/* Why there is no complete message. The text never contains a key. */
static void describe(const struct model_transfer *transfer, struct error *err)
{
    const struct model_failure failure = failure_of(transfer);

    if (transfer->stream_err.kind != ERROR_NONE)
        *err = transfer->stream_err;
    else if (transfer->call->message.events > 0 && transfer->err.kind == ERROR_NONE)
        error_set(err, ERROR_IO,
                  "the model's service ended its answer in the middle. Ask again; what had "
                  "arrived is kept");
    else
        model_failure_describe(&failure, err);
    /* A service may quote in its answer what it was sent. */
    model_hide_secret(err->text, transfer->model->config.key);
    model_hide_secret(err->text, transfer->model->config.auth_token);
}

/* ---- an attempt ---- */

static double chance(void)
{
    uint32_t number = 0;

    /* Without it all of them merely wait as long as they may. */
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) != (ssize_t)sizeof number)
        return 0;
    return number / (double)UINT32_MAX;
}

static bool may_retry(const struct model_transfer *transfer, unsigned *wait_ms)
{
    struct model_failure failure = failure_of(transfer);
    enum error_kind kind = transfer->err.kind;

    if (transfer->call->message.events > 0 || transfer->stream_err.kind != ERROR_NONE)
        return false;
    if (failure.attempt.status < 300) { /* the connection, or not an answer of the API */
        if (kind == ERROR_NONE && transfer->bytes > 0)
            return false;
        if (transfer->response.fault == HTTP_FAULT_TLS || kind == ERROR_INVALID ||
            kind == ERROR_MEMORY)
            return false;
        if (transfer->response.fault == HTTP_FAULT_LATER && kind == ERROR_TIMEOUT)
            return false; /* minutes have already passed */
        failure.attempt.status = 0;
    }
    return model_retry(&failure.attempt, time(NULL), chance(), wait_ms);
}

static int on_event(void *user, const char *name, const char *data, size_t len, struct error *err)
{
    struct model_call *call = user;

    if (call->cancelled)
        return error_set(err, ERROR_CANCELLED, "stopped");
    return model_message_event(&call->message, &call->listener, call->user, name, data, len, err);
}

static void on_attempt_done(void *user, const struct error *err);

static void on_linger(uv_timer_t *timer)
{
    struct model_transfer *transfer = (struct model_transfer *)timer;

    http_transfer_cancel(transfer->http);
    transfer->http = NULL;
    finish(transfer);
}

static int on_bytes(void *user, const char *bytes, size_t len)
{
    struct model_transfer *transfer = user;
    struct model_call *call = transfer->call;

    if (call->cancelled)
        return -1;
    if (call->message.ended)
        return 0;
    if (transfer->held) {
        transfer->paused = true;
        return HTTP_PAUSE;
    }
    transfer->bytes += len;
    if (model_stream_feed(&transfer->stream, bytes, len, &transfer->stream_err) < 0)
        return -1;
    if (call->message.ended)
        uv_timer_start(&transfer->timer, on_linger, MODEL_LINGER_MS, 0);
    return 0;
}

static void send_attempt(struct model_transfer *transfer)
{
    struct model *model = transfer->model;
    const struct http_request request = {
        .method = "POST",
        .url = model->url,
        .headers = model->headers,
        .body = transfer->call->body.data,
        .body_len = transfer->call->body.len,
        .connect_ms = MODEL_CONNECT_MS,
        .total_ms = MODEL_REQUEST_MS,
        .silent_ms = model->local ? 0 : MODEL_SILENT_MS,
        .direct = model->local,
        .response_cap = MODEL_REFUSAL_CAP,
        .on_bytes = on_bytes,
        .user = transfer,
    };

    transfer->http = http_transfer_start(model->http, &request, &transfer->response,
                                         on_attempt_done, &transfer->call->err);
    if (!transfer->http)
        end_soon(transfer);
}

static void on_pause_over(uv_timer_t *timer)
{
    send_attempt((struct model_transfer *)timer);
}

static void try_again(struct model_transfer *transfer, unsigned wait_ms)
{
    const struct model *model = transfer->model;
    struct model_call *call = transfer->call;
    struct error why = {0};

    describe(transfer, &why);
    log_info("model", "model %s at %s: %s, status %ld, request-id %s: attempt %u after %u ms",
             model->config.name, model->address, error_kind_name(why.kind),
             transfer->response.status, call->request_id[0] ? call->request_id : "none",
             transfer->attempt + 1, wait_ms);
    http_response_finish(&transfer->response);
    memset(&transfer->response, 0, sizeof transfer->response);
    transfer->bytes = 0;
    model_stream_finish(&transfer->stream);
    model_stream_init(&transfer->stream, on_event, call);
    transfer->attempt++;
    uv_timer_start(&transfer->timer, on_pause_over, wait_ms, 0);
    if (call->on_wait)
        call->on_wait(call, transfer->attempt, wait_ms, why.text);
}

static void keep_header(const struct model_transfer *transfer, const char *name, char *to,
                        size_t size)
{
    const char *value = http_transfer_header(transfer->http, name);

    snprintf(to, size, "%s", value && strlen(value) < size ? value : "");
}

static void on_attempt_done(void *user, const struct error *err)
{
    struct model_transfer *transfer = user;
    struct model_call *call = transfer->call;
    unsigned wait_ms;

    keep_header(transfer, "request-id", call->request_id, sizeof call->request_id);
    keep_header(transfer, "x-should-retry", transfer->should_retry, sizeof transfer->should_retry);
    keep_header(transfer, "retry-after-ms", transfer->retry_after_ms,
                sizeof transfer->retry_after_ms);
    keep_header(transfer, "retry-after", transfer->retry_after, sizeof transfer->retry_after);
    transfer->http = NULL;
    transfer->err = *err;
    if (err->kind != ERROR_NONE)
        transfer->response.body.failed = false; /* what there is of it still says something */
    if (transfer->ending)
        return;
    if (!call->message.ended && may_retry(transfer, &wait_ms)) {
        try_again(transfer, wait_ms);
        return;
    }
    if (!call->message.ended)
        describe(transfer, &call->err);
    finish(transfer);
}

/* ---- a call ---- */

static void start_next(struct model *model)
{
    struct model_transfer *next;

    while (model->http && model->under_way < MODEL_REQUESTS_MAX &&
           (next = TAILQ_FIRST(&model->waiting))) {
        TAILQ_REMOVE(&model->waiting, next, link);
        model->waiting_count--;
        next->waits = false;
        TAILQ_INSERT_TAIL(&model->running, next, link);
        model->under_way++;
        if (!next->ending)
            send_attempt(next);
    }
}

int model_call_start(struct model *model, struct model_call *call, struct error *err)
{
    struct model_transfer *transfer;

    if (model->unready[0])
        return error_set(err, ERROR_UNAVAILABLE, "%s", model->unready);
    if (call->body.len > MODEL_BODY_CAP)
        return error_set(err, ERROR_TOO_LARGE,
                         "the conversation is larger than %zu MiB. Begin a new one",
                         MODEL_BODY_CAP >> 20);
    if (model->waiting_count == MODEL_REQUESTS_WAIT)
        return error_set(err, ERROR_BUSY,
                         "the model is answering %u questions and %u more are waiting. Ask again "
                         "in a moment",
                         MODEL_REQUESTS_MAX, MODEL_REQUESTS_WAIT);
    transfer = calloc(1, sizeof *transfer);
    if (!transfer)
        return error_set(err, ERROR_MEMORY, "out of memory for a question to the model");
    uv_timer_init(loop_queue_loop(model->loop_queue), &transfer->timer);
    transfer->call = call;
    transfer->attempt = 1;
    transfer->model = model;
    model->references++;
    call->transfer = transfer;
    model_message_init(&call->message);
    model_stream_init(&transfer->stream, on_event, call);
    transfer->waits = true;
    TAILQ_INSERT_TAIL(&model->waiting, transfer, link);
    model->waiting_count++;
    start_next(model);
    return 0;
}

void model_call_cancel(struct model_call *call)
{
    struct model_transfer *transfer = call->transfer;

    if (!transfer || transfer->ending || call->message.ended)
        return;
    call->cancelled = true;
    error_set(&call->err, ERROR_CANCELLED, "stopped");
    uv_timer_stop(&transfer->timer);
    end_soon(transfer);
}

void model_call_hold(struct model_call *call, bool hold)
{
    struct model_transfer *transfer = call->transfer;

    if (!transfer || transfer->held == hold)
        return;
    transfer->held = hold;
    if (hold || !transfer->paused)
        return;
    transfer->paused = false;
    if (transfer->http)
        http_transfer_resume(transfer->http);
}

void model_call_finish(struct model_call *call)
{
    buf_finish(&call->body);
    model_message_finish(&call->message);
}

void model_destroy(struct model *model)
{
    struct model_transfer *transfer;

    if (!model)
        return;
    TAILQ_FOREACH(transfer, &model->waiting, link) model_call_cancel(transfer->call);
    TAILQ_FOREACH(transfer, &model->running, link)
    {
        if (transfer->call->message.ended) /* it only lingers */
            end_soon(transfer);
        model_call_cancel(transfer->call);
        uv_timer_stop(&transfer->timer);
        if (transfer->http)
            http_transfer_cancel(transfer->http);
        transfer->http = NULL;
    }
    http_loop_destroy(model->http);
    model->http = NULL; /* nothing is sent any more */
    unref(model);
}
