/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * POST "/execute": one analysis for a program, as execute_code is for a model: the same judge,
 * queue, limits and line in the log. Without a session its helpers answer that there is none. A
 * client that leaves ends its run. Runs on the loop's thread, take on the executor's.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/nearest.h"
#include "mcp/tool/analysis.h"
#include "mcp/tool/run_json.h"
#include "mcp/transport/http_private.h"

#define EXECUTE_BODY_CAP ((size_t)1 << 20) /* the longest program, however it is escaped */
#define FIELDS           "code, profile, session_id, timeout_seconds, warnings"

struct execution {
    struct analysis analysis;
    struct exchange *exchange; /* NULL once the client is gone */
    json_t *body;              /* owned; has the texts of the analysis */
    const char *profile;
    struct buf answer;
    int status;
};

static struct execution *execution_of(struct analysis *analysis)
{
    return (struct execution *)((char *)analysis - offsetof(struct execution, analysis));
}

static void discard(struct execution *execution)
{
    analysis_finish(&execution->analysis);
    json_decref(execution->body);
    buf_finish(&execution->answer);
    free(execution);
}

/* ---- answers ---- */

/* {"detail": ...} and "error_info". */
static void answer_error(struct execution *execution, const struct error *err)
{
    struct failure *failure = &execution->analysis.failure;
    struct rest_response response = {0};

    if (failure->category == FAILURE_NONE)
        failure_of_error(failure, err);
    rest_answer_error(&response, err);
    if (response.body.len > 0)
        response.body.len--; /* its closing brace */
    run_json_failure(failure, &response.body);
    buf_addc(&response.body, '}');
    if (err->kind == ERROR_UNKNOWN_SESSION) /* named in the body, not the login of a client */
        response.status = 404;
    if (execution->exchange) {
        exchange_set_retry_after(execution->exchange, execution->analysis.failure.retry_after_s);
        exchange_answer(execution->exchange, response.status, "application/json", &response.body);
    }
    rest_response_finish(&response);
    discard(execution);
}

static void answer(struct execution *execution)
{
    struct error err = {0};

    if (buf_check(&execution->answer, "the result", &err) < 0) {
        failure_of_size(&execution->analysis.failure, execution->answer.cap);
        answer_error(execution, &err);
        return;
    }
    if (execution->exchange) {
        exchange_set_retry_after(execution->exchange, execution->analysis.failure.retry_after_s);
        exchange_answer(execution->exchange, execution->status, "application/json",
                        &execution->answer);
    }
    discard(execution);
}

static void answer_refused(struct execution *execution, const struct buf *why)
{
    struct buf *to = &execution->answer;

    buf_addc(to, '{');
    run_json_refused(why->data, why->len, to);
    buf_addf(to, ",\"exit_code\":%d,\"execution_time\":0.0,\"artifacts\":[]",
             ANALYSIS_EXIT_REFUSED);
    run_json_failure(&execution->analysis.failure, to);
    buf_addc(to, '}');
    execution->status = 200;
    answer(execution);
}

/* Whether what was asked for was done, well or not; else it may be sent again as it is. */
static bool has_run(enum execution_status status)
{
    return status != EXECUTION_BUSY && status != EXECUTION_ENGINE && status != EXECUTION_CANCELLED;
}

/* On the executor's thread. */
static void take(struct analysis *analysis, const struct execution_result *result)
{
    struct execution *execution = execution_of(analysis);
    struct buf *to = &execution->answer;

    execution->status = 200;
    if (!has_run(result->status)) {
        const char *why = result->error ? result->error : "the run has ended without a result";

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
    struct execution *execution = user;

    execution->exchange = NULL;
    analysis_cancel(&execution->analysis);
}

/* ---- the request ---- */

static int read_text(const json_t *value, const char *name, const char **text, struct error *err)
{
    if (!json_is_string(value))
        return error_set_at(err, name, "%s wants a text, not %s", name, json_kind(value));
    if (strlen(json_string_value(value)) != json_string_length(value))
        return error_set_at(err, name, "%s must not hold a NUL character", name);
    *text = json_string_value(value);
    return 0;
}

static int read_code(struct execution *execution, const json_t *value, struct error *err)
{
    struct analysis *analysis = &execution->analysis;

    if (!json_is_string(value))
        return error_set_at(err, "code", "code wants a text, not %s", json_kind(value));
    analysis->code = json_string_value(value); /* of any bytes: the validator says what is wrong */
    analysis->code_len = json_string_length(value);
    return 0;
}

static int read_profile(struct execution *execution, const json_t *value, struct error *err)
{
    return read_text(value, "profile", &execution->profile, err);
}

static int read_session(struct execution *execution, const json_t *value, struct error *err)
{
    return read_text(value, "session_id", &execution->analysis.session_id, err);
}

static int read_timeout(struct execution *execution, const json_t *value, struct error *err)
{
    double seconds = json_is_number(value) ? json_number_value(value) : 0;

    if (!(seconds >= 1 && seconds <= ANALYSIS_TIMEOUT_ASKED_MAX) ||
        seconds != (double)(long)seconds)
        return error_set_at(err, "timeout_seconds",
                            "timeout_seconds wants a whole number from 1 to %ld",
                            execution->analysis.parts->timeout_seconds);
    execution->analysis.timeout_asked = (long)seconds;
    return 0;
}

static int read_warnings(struct execution *execution, const json_t *value, struct error *err)
{
    if (!json_is_boolean(value))
        return error_set_at(err, "warnings", "warnings wants true or false, not %s",
                            json_kind(value));
    execution->analysis.warnings = json_is_true(value);
    return 0;
}

static const struct {
    const char *name;
    int (*read)(struct execution *execution, const json_t *value, struct error *err);
} fields[] = {
    {"code", read_code},          {"profile", read_profile},
    {"session_id", read_session}, {"timeout_seconds", read_timeout},
    {"warnings", read_warnings},
};
#define FIELD_COUNT (sizeof fields / sizeof fields[0])

static int read_field(struct execution *execution, const char *name, const json_t *value,
                      struct error *err)
{
    struct nearest search;

    nearest_begin(&search, name);
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        if (strcmp(fields[i].name, name) == 0)
            return json_is_null(value) ? 0 : fields[i].read(execution, value, err);
        nearest_feed(&search, fields[i].name);
    }
    if (search.best)
        return error_set_at(err, name, "there is no such field; did you mean %s? It takes " FIELDS,
                            search.best);
    return error_set_at(err, name, "there is no such field; it takes " FIELDS);
}

/* What cannot be read is told in the same form as a wrong field, as FastAPI does. */
static int read_body(struct execution *execution, const struct buf *body, struct error *err)
{
    struct error why = {0};
    const char *name;
    json_t *value;

    execution->body = json_read(body->data ? body->data : "", body->len, "the request body", &why);
    if (!execution->body)
        return error_set_at(err, "", "%s; send {\"code\": \"print(1)\"}", why.text);
    if (!json_is_object(execution->body))
        return error_set_at(err, "", "the body must be an object: send {\"code\": \"print(1)\"}");
    json_object_foreach(execution->body, name, value)
    {
        if (read_field(execution, name, value, err) < 0)
            return -1;
    }
    if (!execution->analysis.code)
        return error_set_at(err, "code", "code is missing: send {\"code\": \"print(1)\"}");
    return analysis_find_profile(execution->analysis.parts, execution->profile,
                                 &execution->analysis.profile, err);
}

static void run(struct execution *execution, const struct buf *body)
{
    struct buf BUF_AUTO why = {0};
    struct error err = {0};

    buf_adds(&why, ANALYSIS_BLOCKED ": ");
    if (read_body(execution, body, &err) == 0) {
        if (!analysis_judge(&execution->analysis, &why)) {
            answer_refused(execution, &why);
            return;
        }
        if (analysis_start(&execution->analysis, &err) == 0) {
            exchange_set_on_gone(execution->exchange, on_gone, execution);
            return;
        }
    }
    answer_error(execution, &err);
}

static void handle(struct exchange *exchange)
{
    struct execution *execution = calloc(1, sizeof *execution);

    if (!execution) {
        exchange_error(exchange, 503, "out of memory: send it again in a moment");
        return;
    }
    execution->exchange = exchange;
    execution->analysis.parts = exchange_parts(exchange);
    execution->analysis.take = take;
    execution->analysis.on_done = on_done;
    execution->analysis.on_failed = on_failed;
    analysis_init(&execution->analysis);
    buf_init(&execution->answer, RUN_JSON_CAP);
    run(execution, exchange_body(exchange));
}

static void check(struct exchange *exchange)
{
    if (exchange_takes(exchange, "POST", "/execute takes POST with {\"code\": \"print(1)\"}"))
        exchange_takes_json(exchange);
}

const struct http_route http_route_execute = {
    .path = "/execute",
    .error_form = "detail",
    .body_cap = EXECUTE_BODY_CAP,
    .check = check,
    .handle = handle,
};
