/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/tool/failure.h"

#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/utf8.h"

#define BIT(number) (1u << (number))

static const struct {
    const char *name;
    bool retryable, repairable;
    unsigned kinds;    /* of enum error_kind, as bits */
    unsigned statuses; /* of enum execution_status, as bits */
} categories[] = {
    [FAILURE_NONE] = {"none", false, false, BIT(ERROR_NONE), BIT(EXECUTION_OK)},
    [FAILURE_VALIDATION] = {"validation", false, true,
                            BIT(ERROR_MALFORMED) | BIT(ERROR_INVALID) | BIT(ERROR_TOO_LARGE),
                            BIT(EXECUTION_DISAGREEMENT)},
    [FAILURE_FORBIDDEN] = {"forbidden", false, false, BIT(ERROR_FORBIDDEN), 0},
    [FAILURE_NOT_FOUND] = {"not_found", false, true, BIT(ERROR_NOT_FOUND) | BIT(ERROR_UNAUTHORIZED),
                           0},
    [FAILURE_CONFLICT] = {"conflict", false, true, BIT(ERROR_CONFLICT) | BIT(ERROR_STALE), 0},
    [FAILURE_RUNTIME] = {"runtime", false, true, BIT(ERROR_ATTEMPTS_FAILED) | BIT(ERROR_NO_ANSWER),
                         BIT(EXECUTION_RUNTIME) | BIT(EXECUTION_CRASH)},
    [FAILURE_TIMEOUT] = {"timeout", false, true, 0, BIT(EXECUTION_TIMEOUT)},
    [FAILURE_MEMORY] = {"memory", false, true, 0, BIT(EXECUTION_MEMORY)},
    [FAILURE_OUTPUT] = {"output", false, true, 0, BIT(EXECUTION_OUTPUT)},
    [FAILURE_CANCELLED] = {"cancelled", true, false, BIT(ERROR_CANCELLED),
                           BIT(EXECUTION_CANCELLED)},
    [FAILURE_BUSY] = {"busy", true, false, BIT(ERROR_BUSY), BIT(EXECUTION_BUSY)},
    /* The server's own time and memory, not the code's: another time they may suffice. */
    [FAILURE_ENGINE] = {"engine", true, false,
                        BIT(ERROR_UNAVAILABLE) | BIT(ERROR_TIMEOUT) | BIT(ERROR_IO) |
                            BIT(ERROR_MEMORY),
                        BIT(EXECUTION_ENGINE)},
    [FAILURE_INTERNAL] = {"internal", false, false, BIT(ERROR_INTERNAL), 0},
};
#define CATEGORY_COUNT (sizeof categories / sizeof categories[0])

const char *failure_category_name(enum failure_category category)
{
    return categories[category].name;
}

bool failure_is_repairable(enum failure_category category)
{
    return categories[category].repairable;
}

/* ---- from what went wrong ---- */

static void set_text(char *to, size_t size, const char *text, size_t len)
{
    struct buf BUF_AUTO clean = {0};

    utf8_clean(text, len, size - 1, &clean);
    snprintf(to, size, "%s", clean.data ? clean.data : "");
}

static void begin(struct failure *failure, enum failure_category category, const char *message,
                  size_t len)
{
    memset(failure, 0, sizeof *failure);
    failure->category = category;
    set_text(failure->message, sizeof failure->message, message, len);
}

void failure_of_error(struct failure *failure, const struct error *err)
{
    enum failure_category category = FAILURE_INTERNAL;

    for (size_t i = 0; i < CATEGORY_COUNT; i++) {
        if (categories[i].kinds & BIT(err->kind))
            category = (enum failure_category)i;
    }
    begin(failure, category, err->text, strlen(err->text));
    snprintf(failure->argument, sizeof failure->argument, "%s", err->loc);
}

void failure_of_verdict(struct failure *failure, const struct verdict *verdict)
{
    const struct diagnostic *first = &verdict->diagnostics[0];

    if (verdict->diagnostic_count == 0) {
        begin(failure, FAILURE_VALIDATION, "", 0);
        return;
    }
    begin(failure, FAILURE_VALIDATION, first->text, strlen(first->text));
    failure->rule = first->code;
    failure->line = first->line;
    failure->column = first->line > 0 ? first->column : 0;
}

void failure_of_size(struct failure *failure, size_t cap)
{
    char text[ERROR_TEXT_CAP];
    int len = snprintf(text, sizeof text, "the answer is larger than %zu bytes", cap);

    begin(failure, FAILURE_OUTPUT, text, (size_t)len);
    failure->limit = "answer_bytes";
    failure->limit_value = (long)cap;
}

/* Where in a traceback the error itself begins: the last line that starts with its class, which
 * may have its module before it. */
static const char *find_error_line(const char *text, const char *type)
{
    const char *found = text;

    for (const char *line = text; type && *type && line; line = strchr(line, '\n')) {
        const char *name;
        size_t len, own = strlen(type);

        line += *line == '\n';
        len = strcspn(line, ":\n ");
        name = len >= own ? line + len - own : line;
        if (len >= own && strncmp(name, type, own) == 0 && (name == line || name[-1] == '.'))
            found = line;
    }
    return found;
}

static void set_limit(struct failure *failure, unsigned memory_mb, long timeout_seconds)
{
    static const char *const names[] = {
        [FAILURE_TIMEOUT] = "timeout_seconds",
        [FAILURE_MEMORY] = "memory_mb",
        [FAILURE_OUTPUT] = "output_bytes",
        [FAILURE_BUSY] = "waiting_seconds",
    };
    enum failure_category category = failure->category;

    if (category >= sizeof names / sizeof names[0] || !names[category])
        return;
    failure->limit = names[category];
    if (category == FAILURE_TIMEOUT)
        failure->limit_value = timeout_seconds;
    else if (category == FAILURE_OUTPUT)
        failure->limit_value = EXECUTION_OUTPUT_LIMIT;
    else if (category == FAILURE_BUSY)
        failure->limit_value = EXECUTION_WAIT_MS_MAX / 1000;
    else if (category == FAILURE_MEMORY)
        failure->limit_value = memory_mb;
}

static const char hint_mark[] = "\nHint: ";

const char *failure_hint(const struct execution_result *result)
{
    const char *found = result->error
                            ? strstr(find_error_line(result->error, result->error_type), hint_mark)
                            : NULL;

    return found ? found + strlen(hint_mark) : NULL;
}

void failure_of_result(struct failure *failure, const struct execution_result *result,
                       long timeout_seconds)
{
    const char *message = result->error ? result->error : execution_status_name(result->status);
    enum failure_category category = FAILURE_INTERNAL;
    const char *end;

    for (size_t i = 0; i < CATEGORY_COUNT; i++) {
        if (categories[i].statuses & BIT(result->status))
            category = (enum failure_category)i;
    }
    if (category == FAILURE_NONE) {
        begin(failure, category, "", 0);
        return;
    }
    message = find_error_line(message, result->error_type);
    end = strstr(message, hint_mark);
    begin(failure, category, message, end ? (size_t)(end - message) : strlen(message));
    if (result->error_type)
        set_text(failure->error_type, sizeof failure->error_type, result->error_type,
                 strlen(result->error_type));
    failure->line = result->error_line > 0 ? (unsigned long)result->error_line : 0;
    set_limit(failure, result->memory_mb, timeout_seconds);
}

/* ---- as JSON ---- */

/* "context" was begun, and has len bytes while it is empty. */
static void add_name(struct buf *to, size_t empty, const char *name)
{
    buf_addf(to, "%s\"%s\":", to->len > empty ? "," : "", name);
}

static void add_text(struct buf *to, size_t empty, const char *name, const char *text)
{
    if (!text || !*text)
        return;
    add_name(to, empty, name);
    json_write_string(to, text, strlen(text));
}

static void add_number(struct buf *to, size_t empty, const char *name, unsigned long number)
{
    if (number == 0)
        return;
    add_name(to, empty, name);
    buf_addf(to, "%lu", number);
}

void failure_write(const struct failure *failure, const char *tool, struct buf *to)
{
    size_t empty;

    if (failure->category == FAILURE_NONE) {
        buf_adds(to, "null");
        return;
    }
    buf_addf(to, "{\"errorCategory\":\"%s\",\"isRetryable\":%s,\"isRepairable\":%s,\"context\":{",
             failure_category_name(failure->category),
             categories[failure->category].retryable ? "true" : "false",
             failure_is_repairable(failure->category) ? "true" : "false");
    empty = to->len;
    add_text(to, empty, "tool", tool);
    add_text(to, empty, "message", failure->message);
    add_text(to, empty, "argument", failure->argument);
    add_text(to, empty, "rule", failure->rule);
    add_number(to, empty, "line", failure->line);
    add_number(to, empty, "column", failure->column);
    add_text(to, empty, "errorType", failure->error_type);
    if (failure->limit) {
        add_name(to, empty, "limit");
        buf_addf(to, "{\"name\":\"%s\",\"value\":%ld}", failure->limit, failure->limit_value);
    }
    add_number(to, empty, "retryAfterSeconds", failure->retry_after_s);
    buf_adds(to, "}}");
}

void failure_read(struct failure *failure, const json_t *value)
{
    const json_t *context = json_object_get(value, "context");
    const char *message = json_get_string(context, "message");
    const char *type = json_get_string(context, "errorType");

    memset(failure, 0, sizeof *failure);
    for (size_t i = 0; json_is_object(value) && i < CATEGORY_COUNT; i++) {
        if (json_string_is(value, "errorCategory", categories[i].name))
            failure->category = (enum failure_category)i;
    }
    set_text(failure->message, sizeof failure->message, message ? message : "",
             message ? strlen(message) : 0);
    set_text(failure->error_type, sizeof failure->error_type, type ? type : "",
             type ? strlen(type) : 0);
    failure->line = (unsigned long)json_integer_value(json_object_get(context, "line"));
    failure->column = (unsigned long)json_integer_value(json_object_get(context, "column"));
    failure->retry_after_s =
        (unsigned)json_integer_value(json_object_get(context, "retryAfterSeconds"));
}
