/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Answers of the session API: errors in FastAPI's shape, short confirmations.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/log.h"
#include "mcp/session/faults.h"
#include "mcp/session/rest_call.h"

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

static bool is_index(const char *part, size_t len)
{
    return len > 0 && len < 10 && strspn(part, "0123456789") >= len;
}

/* "components.2.type" as ["body","components",2,"type"]; path.x, query.x and header.x name their
 * own place. */
static bool add_loc(struct buf *json, const char *loc)
{
    bool own =
        !strncmp(loc, "query.", 6) || !strncmp(loc, "path.", 5) || !strncmp(loc, "header.", 7);
    const char *comma = own ? "" : ",";

    buf_adds(json, own ? "[" : "[\"body\"");
    while (*loc) {
        size_t len = strcspn(loc, ".");
        char part[ERROR_LOC_CAP];

        snprintf(part, sizeof part, "%.*s", (int)len, loc);
        buf_adds(json, comma);
        comma = ",";
        if (!own && is_index(part, len))
            buf_addf(json, "%ld", strtol(part, NULL, 10));
        else
            rest_answer_string(json, part);
        loc += len;
        loc += *loc == '.';
    }
    buf_addc(json, ']');
    return own;
}

/* Whether the body has anything at the place. */
static bool is_there(const json_t *body, const char *loc)
{
    while (body && *loc) {
        size_t len = strcspn(loc, ".");
        char part[ERROR_LOC_CAP];

        snprintf(part, sizeof part, "%.*s", (int)len, loc);
        body =
            json_is_array(body)
                ? json_array_get(body, is_index(part, len) ? strtoul(part, NULL, 10) : (size_t)-1)
                : json_object_get(body, part);
        loc += len;
        loc += *loc == '.';
    }
    return body != NULL;
}

static void add_fault(struct buf *json, const json_t *body, const char *loc, const char *message)
{
    bool own;

    buf_adds(json, "{\"loc\":");
    own = add_loc(json, loc);
    buf_adds(json, ",\"msg\":");
    rest_answer_string(json, message);
    buf_addf(json, ",\"type\":\"%s\"}", own || is_there(body, loc) ? "value_error" : "missing");
}

static void add_faults(struct buf *json, const json_t *body, const struct error *err)
{
    const char *loc, *text, *comma = "";
    size_t at = 0;

    buf_addc(json, '[');
    if (!err->listed)
        add_fault(json, body, err->loc, faults_message(err));
    while (err->listed && faults_next(err->faults, &at, &loc, &text)) {
        buf_adds(json, comma);
        comma = ",";
        add_fault(json, body, loc, text);
    }
    buf_addc(json, ']');
}

void rest_answer_faults(struct rest_response *response, const json_t *body, const struct error *err)
{
    struct buf *json = &response->body;

    rest_more_drop(response);
    buf_clear(json);
    response->etag[0] = '\0';
    response->replayed = false;
    response->status = status_of(err->kind);
    if (response->status == 500)
        log_error("session", "%s: %s", error_kind_name(err->kind), err->text);
    buf_adds(json, "{\"detail\":");
    if (err->kind == ERROR_INVALID)
        add_faults(json, body, err);
    else
        rest_answer_string(json, err->text);
    buf_addc(json, '}');
}

void rest_answer_error(struct rest_response *response, const struct error *err)
{
    rest_answer_faults(response, NULL, err);
}

void rest_answer_detail(struct rest_response *response, int status, const char *detail)
{
    buf_clear(&response->body);
    response->status = status;
    response->etag[0] = '\0';
    buf_adds(&response->body, "{\"detail\":");
    rest_answer_string(&response->body, detail);
    buf_addc(&response->body, '}');
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
