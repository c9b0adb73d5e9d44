/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * POST "/execute": one analysis for a program, or several that run side by side, as execute_code is
 * for a model: the same check, queue, limits and line in the log. Without a session its helpers
 * answer that there is none. A client that leaves ends its runs. Runs on the loop's thread, take on
 * the executor's.
 */
#include <stdlib.h>
#include <string.h>

#include "helpers/base/cleanup.h"
#include "helpers/base/json.h"
#include "mcp/analysis/analysis.h"
#include "mcp/analysis/run_answer.h"
#include "mcp/store/entities/session.h"
#include "mcp/transport/http/http_internal.h"

_Static_assert(REST_EXECUTE_TIMEOUT_MAX == ANALYSIS_TIMEOUT_ASKED_MAX, "one limit");

#define EXECUTE_BODY_CAP ((size_t)4 << 20) /* the longest programs, however they are escaped */

struct http_run {
    struct analysis analysis;
    struct exchange *exchange;     /* NULL after the client has disconnected */
    struct execution_batch *batch; /* that it is part of, which answers then; or NULL */
    json_t *body;                  /* owned; has the texts of the analysis */
    char sid[SESSION_ID_SIZE];     /* of the session that the body names by its id or title */
    const char *profile;
    struct buf answer;
    int status;
};

/* Several programs of one request. It has the answers of those that have ended. */
struct execution_batch {
    struct exchange *exchange; /* NULL after the client has disconnected */
    struct http_run *parts[REST_BATCH_MOST];
    const char *names[REST_BATCH_MOST]; /* of the body of the first part */
    size_t count, left;                 /* left: those that have not ended */
};

static struct http_run *execution_of(struct analysis *analysis)
{
    return container_of(analysis, struct http_run, analysis);
}

static void discard(struct http_run *execution)
{
    analysis_finish(&execution->analysis);
    json_decref(execution->body);
    buf_finish(&execution->answer);
    free(execution);
}

/* ---- answers ---- */

static void answer_batch(struct execution_batch *batch)
{
    struct buf BUF_AUTO answer = {0};

    buf_init(&answer, RUN_JSON_CAP);
    buf_adds(&answer, "{\"batch\":[");
    for (size_t i = 0; i < batch->count; i++) {
        const struct buf *part = &batch->parts[i]->answer;

        buf_adds(&answer, i > 0 ? ",{\"name\":" : "{\"name\":");
        json_write_string(&answer, batch->names[i], strlen(batch->names[i]));
        buf_addc(&answer, ',');
        buf_add(&answer, part->data + 1, part->len - 1); /* without its opening brace */
    }
    buf_adds(&answer, "]}");
    if (batch->exchange && answer.failed)
        exchange_error(batch->exchange, 413,
                       "the results are larger than %zu MB together: send fewer programs at once",
                       RUN_JSON_CAP >> 20);
    else if (batch->exchange)
        exchange_answer(batch->exchange, 200, "application/json", &answer);
    for (size_t i = 0; i < batch->count; i++)
        discard(batch->parts[i]);
    free(batch);
}

/* The answer of one that did not run, or whose result is too large. */
static void write_unrun(struct http_run *execution, const char *why, size_t len)
{
    struct buf *to = &execution->answer;

    buf_clear(to);
    buf_addc(to, '{');
    run_json_refused(why, len, to);
    buf_addf(to, ",\"exit_code\":%d,\"execution_time\":0.0,\"artifacts\":[]",
             ANALYSIS_EXIT_REFUSED);
    run_json_failure(&execution->analysis.failure, to);
    buf_addc(to, '}');
}

static void end_part(struct execution_batch *batch)
{
    if (--batch->left == 0)
        answer_batch(batch);
}

/* {"detail": ...} and "error_info". */
static void answer_error(struct http_run *execution, const struct error *err)
{
    struct failure *failure = &execution->analysis.failure;
    struct rest_response response = {0};

    if (failure->category == FAILURE_NONE)
        failure_of_error(failure, err);
    if (execution->batch) {
        write_unrun(execution, err->text, strlen(err->text));
        end_part(execution->batch);
        return;
    }
    rest_answer_error(&response, err);
    if (response.body.len > 0)
        response.body.len--; /* its closing brace */
    run_json_failure(failure, &response.body);
    buf_addc(&response.body, '}');
    if (err->kind == ERROR_UNAUTHORIZED) /* named in the body, not the login of a client */
        response.status = 404;
    if (execution->analysis.over_limit)
        response.status = 429;
    if (execution->exchange) {
        execution->exchange->retry_after_s = execution->analysis.failure.retry_after_s;
        exchange_answer(execution->exchange, response.status, "application/json", &response.body);
    }
    rest_response_finish(&response);
    discard(execution);
}

static void answer(struct http_run *execution)
{
    struct error err = {0};

    if (buf_check(&execution->answer, "the result", &err) < 0) {
        failure_of_size(&execution->analysis.failure, execution->answer.cap);
        answer_error(execution, &err);
        return;
    }
    if (execution->batch) {
        end_part(execution->batch);
        return;
    }
    if (execution->exchange) {
        execution->exchange->retry_after_s = execution->analysis.failure.retry_after_s;
        exchange_answer(execution->exchange, execution->status, "application/json",
                        &execution->answer);
    }
    discard(execution);
}

static void answer_refused(struct http_run *execution, const struct buf *why)
{
    write_unrun(execution, why->data, why->len);
    execution->status = 200;
    answer(execution);
}

/* Whether the code was executed, with any result; otherwise the request may be repeated
 * unchanged. */
static bool has_run(enum execution_status status)
{
    return status != EXECUTION_BUSY && status != EXECUTION_ENGINE && status != EXECUTION_CANCELLED;
}

/* On the executor's thread. */
static void take(struct analysis *analysis, const struct execution_result *result)
{
    struct http_run *execution = execution_of(analysis);
    struct buf *to = &execution->answer;

    execution->status = 200;
    if (!has_run(result->status)) {
        const char *why = result->error ? result->error : "the run has ended without a result";

        if (execution->batch) {
            write_unrun(execution, why, strlen(why));
            return;
        }
        execution->status = 503;
        buf_adds(to, "{\"detail\":");
        json_write_string(to, why, strlen(why));
        run_json_failure(&analysis->failure, to);
        buf_addc(to, '}');
        return;
    }
    buf_addc(to, '{');
    run_json_texts(result, to);
    buf_addf(to, ",\"exit_code\":%d,\"execution_time\":%.6f,\"artifacts\":", result->exit_code,
             result->seconds);
    run_json_artifacts(result, to);
    run_json_failure(&analysis->failure, to);
    buf_addc(to, '}');
}

static void on_done(struct analysis *analysis)
{
    answer(execution_of(analysis));
}

static void on_failed(struct analysis *analysis, const struct error *err)
{
    answer_error(execution_of(analysis), err);
}

static void on_gone(void *user)
{
    struct http_run *execution = user;

    execution->exchange = NULL;
    analysis_cancel(&execution->analysis);
}

/* ---- the request ---- */

/* source: the object that has the code. */
static void take_members(struct http_run *execution, const json_t *source)
{
    struct analysis *analysis = &execution->analysis;
    const json_t *code = json_object_get(source, "code");

    analysis->code = json_string_value(code);
    analysis->code_len = json_string_length(code);
    analysis->session_id = json_get_string(execution->body, "session_id");
    analysis->timeout_asked =
        (long)json_integer_value(json_object_get(execution->body, "timeout_seconds"));
    analysis->warnings = json_is_true(json_object_get(execution->body, "warnings"));
    execution->profile = json_get_string(execution->body, "profile");
}

/* An unreadable body is reported in the same format as an invalid field, as in FastAPI. */
static int read_body(struct http_run *execution, const struct buf *body, struct error *err)
{
    struct error why = {0};
    struct validation_errors problems;
    json_auto_t *sent =
        json_read(body->data ? body->data : "", body->len, "the request body", &why);

    if (!sent)
        return error_set_at(err, "", "%s; send {\"code\": \"print(1)\"}", why.text);
    if (!json_is_object(sent))
        return error_set_at(err, "", "the body must be an object: send {\"code\": \"print(1)\"}");
    validation_begin(&problems, "");
    execution->body = fields_take(&rest_execute_fields, sent, NULL, &problems);
    if (validation_end(&problems, NULL, err) < 0)
        return -1;
    if (!execution->body)
        return error_set(err, ERROR_MEMORY, "out of memory for the request body");
    take_members(execution, execution->body);
    return analysis_find_profile(&execution->analysis.server->analyses, execution->profile,
                                 &execution->analysis.profile, err);
}

static int check_session(const struct http_run *execution, struct error *err)
{
    const char *only = execution->exchange->identity->curriculum;
    const char *asked = execution->analysis.session_id;

    if (!*only || !asked || strcmp(asked, only) == 0)
        return 0;
    return error_set(err, ERROR_FORBIDDEN, "this token may use the session %s only", only);
}

static int find_session(struct analysis *analysis, struct store *store, struct error *err)
{
    struct http_run *execution = execution_of(analysis);

    if (store_session_named(store, analysis->session_id, "session_id", execution->sid, err) < 0)
        return -1;
    analysis->session_id = execution->sid;
    return 0;
}

/* Checks the code and starts it, or answers. */
static void check_and_start(struct http_run *execution)
{
    struct buf BUF_AUTO why = {0};
    struct error err = {0};

    buf_adds(&why, ANALYSIS_BLOCKED ": ");
    if (!analysis_check(&execution->analysis, &why)) {
        answer_refused(execution, &why);
        return;
    }
    if (execution->analysis.session_id)
        execution->analysis.find_session = find_session;
    if (analysis_start(&execution->analysis, &err) < 0)
        answer_error(execution, &err);
}

static struct http_run *create(struct exchange *exchange)
{
    struct http_run *execution = calloc(1, sizeof *execution);

    if (!execution) {
        exchange_error(exchange, 503, "out of memory: send it again in a moment");
        return NULL;
    }
    execution->exchange = exchange;
    execution->analysis.server = exchange->services->server;
    execution->analysis.identity = exchange->identity;
    execution->analysis.take = take;
    execution->analysis.on_done = on_done;
    execution->analysis.on_failed = on_failed;
    analysis_init(&execution->analysis);
    buf_init(&execution->answer, RUN_JSON_CAP);
    return execution;
}

static void on_batch_gone(void *user)
{
    struct execution_batch *batch = user;

    batch->exchange = NULL;
    for (size_t i = 0; i < batch->count; i++)
        analysis_cancel(&batch->parts[i]->analysis);
}

/* The parts of the body that `first` has read. first is the first of them. */
static struct execution_batch *create_batch(struct http_run *first)
{
    const json_t *programs = json_object_get(first->body, "batch"), *program;
    struct execution_batch *batch = calloc(1, sizeof *batch);
    size_t i;

    if (!batch) {
        exchange_error(first->exchange, 503, "out of memory: send it again in a moment");
        discard(first);
        return NULL;
    }
    batch->exchange = first->exchange;
    json_array_foreach((json_t *)programs, i, program)
    {
        struct http_run *part = i == 0 ? first : create(first->exchange);

        if (!part) { /* create has answered */
            while (batch->count > 0)
                discard(batch->parts[--batch->count]);
            free(batch);
            return NULL;
        }
        if (part != first)
            part->body = json_incref(first->body);
        take_members(part, program);
        part->analysis.profile = first->analysis.profile;
        part->batch = batch;
        batch->names[i] = json_get_string(program, "name");
        batch->parts[batch->count++] = part;
    }
    return batch;
}

/* All are checked and started before the first answer can end the batch. */
static void run_batch(struct http_run *first)
{
    struct execution_batch *batch = create_batch(first);

    if (!batch)
        return;
    batch->exchange->on_gone = on_batch_gone;
    batch->exchange->on_gone_user = batch;
    batch->left = batch->count + 1;
    for (size_t i = 0; i < batch->count; i++)
        check_and_start(batch->parts[i]);
    end_part(batch);
}

static void handle(struct exchange *exchange)
{
    struct http_run *execution = create(exchange);
    struct validation_errors faults;
    struct error err = {.list = validation_begin(&faults, "")};

    if (!execution)
        return;
    if (read_body(execution, &exchange->body, &err) < 0 || check_session(execution, &err) < 0) {
        answer_error(execution, &err);
    } else if (json_object_get(execution->body, "batch")) {
        run_batch(execution);
    } else {
        exchange->on_gone = on_gone;
        exchange->on_gone_user = execution;
        check_and_start(execution);
    }
}

static void check(struct exchange *exchange)
{
    if (exchange_takes(exchange, "POST", "/execute takes POST with {\"code\": \"print(1)\"}"))
        exchange_takes_json(exchange);
}

const struct http_route http_route_execute = {
    .path = "/execute",
    .scopes = IDENTITY_READ,
    .error_form = "detail",
    .body_cap = EXECUTE_BODY_CAP,
    .check = check,
    .handle = handle,
    .of_editors = true,
};
