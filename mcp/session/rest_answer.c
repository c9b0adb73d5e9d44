/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Answers of the session API: errors in FastAPI's shape, short confirmations, ETags.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/log.h"
#include "mcp/session/rest_call.h"

#define STABLE_ATTEMPTS 3

static const struct {
    enum error_kind kind;
    int status;
} statuses[] = {
    {ERROR_MALFORMED, 400}, {ERROR_INVALID, 422},     {ERROR_UNKNOWN_SESSION, 401},
    {ERROR_NOT_FOUND, 404}, {ERROR_CONFLICT, 409},    {ERROR_STALE, 409},
    {ERROR_TOO_LARGE, 413}, {ERROR_BUSY, 503},        {ERROR_TIMEOUT, 503},
    {ERROR_CANCELLED, 503}, {ERROR_UNAVAILABLE, 503},
};

static int status_of(enum error_kind kind)
{
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++)
        if (statuses[i].kind == kind)
            return statuses[i].status;
    return 500;
}

void rest_answer_string(struct buf *json, const char *text)
{
    json_t *string = json_string(text);

    if (!string) { /* bytes that came from outside and are no UTF-8 */
        char *ascii = strdup(text);

        for (char *at = ascii; at && *at; at++)
            if ((unsigned char)*at >= 0x80)
                *at = '?';
        string = json_string(ascii ? ascii : "");
        free(ascii);
    }
    json_write(json, string);
    json_decref(string);
}

/* "components.2.type" as ["body","components",2,"type"]; query.x and path.x name their own place.
 */
static void add_loc(struct buf *json, const char *loc)
{
    bool own = !strncmp(loc, "query.", 6) || !strncmp(loc, "path.", 5);
    const char *comma = own ? "" : ",";

    buf_adds(json, own ? "[" : "[\"body\"");
    while (*loc) {
        size_t len = strcspn(loc, ".");
        char part[ERROR_LOC_CAP];

        snprintf(part, sizeof part, "%.*s", (int)len, loc);
        buf_adds(json, comma);
        comma = ",";
        if (len > 0 && len < 10 && strspn(part, "0123456789") == len)
            buf_addf(json, "%ld", strtol(part, NULL, 10));
        else
            rest_answer_string(json, part);
        loc += len;
        loc += *loc == '.';
    }
    buf_addc(json, ']');
}

void rest_answer_error(struct rest_response *response, const struct error *err)
{
    struct buf *json = &response->body;

    rest_more_drop(response);
    buf_clear(json);
    response->etag[0] = '\0';
    response->status = status_of(err->kind);
    if (response->status == 500)
        log_error("session", "%s: %s", error_kind_name(err->kind), err->text);
    buf_adds(json, "{\"detail\":");
    if (err->kind == ERROR_INVALID) {
        buf_adds(json, "[{\"loc\":");
        add_loc(json, err->loc);
        buf_adds(json, ",\"msg\":");
        rest_answer_string(json, err->text);
        buf_adds(json, ",\"type\":\"value_error\"}]");
    } else {
        rest_answer_string(json, err->text);
    }
    buf_addc(json, '}');
}

void rest_answer_success(struct rest_call *call, const char *format, ...)
{
    char message[ERROR_TEXT_CAP];
    va_list args;

    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    buf_adds(&call->response->body, "{\"success\":true,\"message\":");
    rest_answer_string(&call->response->body, message);
}

void rest_answer_end(struct rest_call *call)
{
    buf_addc(&call->response->body, '}');
}

/* Every state has a number that never comes again, so the number is the strong validator. */
int rest_answer_list(struct rest_call *call, bool sequence, rest_handler *read, struct error *err)
{
    const char *node = sequence ? call->node : NULL;
    int64_t before, after;

    for (int i = 0; i < STABLE_ATTEMPTS; i++) {
        buf_clear(&call->response->body);
        if (store_cursor(call->store, call->session, node, &before, err) != 0 ||
            read(call, err) != 0 ||
            store_cursor(call->store, call->session, node, &after, err) != 0)
            return -1;
        if (before == after) { /* no write came between: what was read is of this state */
            snprintf(call->response->etag, sizeof call->response->etag, "\"%s%" PRId64 "\"",
                     sequence ? "c" : "v", after);
            return 0;
        }
    }
    return 0; /* written to all the time: an answer without a validator */
}

void rest_read_if_match(struct rest_call *call, bool sequence)
{
    const char *given = call->request->if_match;
    long long cursor;
    char *end;

    if (!given || !strcmp(given, "*"))
        return;
    call->writer.expected_cursor = -1; /* what is none of our ETags matches nothing */
    if (given[0] != '"' || given[1] != (sequence ? 'c' : 'v'))
        return;
    cursor = strtoll(given + 2, &end, 10);
    if (!strcmp(end, "\"") && cursor > 0)
        call->writer.expected_cursor = cursor;
}
