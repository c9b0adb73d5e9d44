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
#include "helpers/base/validation.h"
#include "mcp/api/rest_internal.h"
#include "mcp/store/entities/outline.h"

static const struct {
    enum error_kind kind;
    int status;
} statuses[] = {
    {ERROR_MALFORMED, 400}, {ERROR_INVALID, 422},   {ERROR_UNAUTHORIZED, 401},
    {ERROR_FORBIDDEN, 403}, {ERROR_NOT_FOUND, 404}, {ERROR_CONFLICT, 409},
    {ERROR_STALE, 409},     {ERROR_TOO_LARGE, 413}, {ERROR_BUSY, 503},
    {ERROR_TIMEOUT, 503},   {ERROR_CANCELLED, 503}, {ERROR_UNAVAILABLE, 503},
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

    if (!string) { /* foreign bytes that are not UTF-8 */
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

static bool names_place(const char *loc)
{
    return strncmp(loc, "query.", 6) == 0 || strncmp(loc, "path.", 5) == 0 ||
           strncmp(loc, "header.", 7) == 0;
}

static bool is_index(const char *part, size_t len)
{
    return len > 0 && len < 10 && strspn(part, "0123456789") >= len;
}

/* Where faults are: of whose input, and what that was. */
struct input {
    const char *name;   /* "body", "query" */
    const json_t *body; /* or NULL */
    bool known;         /* body is all there is of it */
};

/* The next part of a place at *loc: "components", "2", "type". false at the end. */
static bool next_part(const char **loc, char part[ERROR_LOC_CAP], bool *index)
{
    size_t len = strcspn(*loc, ".");

    if (!**loc)
        return false;
    snprintf(part, ERROR_LOC_CAP, "%.*s", (int)len, *loc);
    *index = is_index(part, len);
    *loc += len + ((*loc)[len] == '.');
    return true;
}

/* "components.2.type" as ["body","components",2,"type"]; path.x, query.x and header.x name their
 * own place. */
static void add_loc(struct buf *json, const struct input *input, const char *loc)
{
    bool own = names_place(loc), index;
    const char *comma = own ? "" : ",";
    char part[ERROR_LOC_CAP];

    buf_addc(json, '[');
    if (!own)
        rest_answer_string(json, input->name);
    while (next_part(&loc, part, &index)) {
        buf_adds(json, comma);
        comma = ",";
        if (!own && index)
            buf_addf(json, "%ld", strtol(part, NULL, 10));
        else
            rest_answer_string(json, part);
    }
    buf_addc(json, ']');
}

/* Whether the body has nothing at the place. */
static bool is_missing(const struct input *input, const char *loc)
{
    const json_t *value = input->body;
    char part[ERROR_LOC_CAP];
    bool index;

    if (names_place(loc) || !input->known)
        return false;
    while (value && next_part(&loc, part, &index)) {
        if (json_is_array(value))
            value = index ? json_array_get(value, strtoul(part, NULL, 10)) : NULL;
        else
            value = json_object_get(value, part);
    }
    return !value;
}

static void add_fault(struct buf *json, const struct input *input, const char *loc,
                      const char *message)
{
    buf_adds(json, "{\"loc\":");
    add_loc(json, input, loc);
    buf_adds(json, ",\"msg\":");
    rest_answer_string(json, message);
    buf_addf(json, ",\"type\":\"%s\"}", is_missing(input, loc) ? "missing" : "value_error");
}

static void add_faults(struct buf *json, const struct input *input, const struct error *err)
{
    const char *loc, *text, *comma = "";
    size_t at = 0;

    buf_addc(json, '[');
    if (!err->listed)
        add_fault(json, input, err->loc, validation_message(err));
    while (err->listed && validation_next(err->list, &at, &loc, &text)) {
        buf_adds(json, comma);
        comma = ",";
        add_fault(json, input, loc, text);
    }
    buf_addc(json, ']');
}

void rest_more_drop(struct rest_response *response)
{
    if (!response->more)
        return;
    outline_finish(&response->more->before);
    outline_finish(&response->more->after);
    free(response->more);
    response->more = NULL;
}

static void answer(struct rest_response *response, const struct input *input,
                   const struct error *err)
{
    struct buf *json = &response->body;
    struct buf BUF_AUTO text = {0};

    buf_addf(&text, "%s%s", err->text,
             err->kind == ERROR_UNAUTHORIZED ? "; GET /sessions lists those there are" : "");
    buf_clear(json);
    rest_more_drop(response); /* of an answer that no longer holds: its commit failed, say */
    response->etag[0] = '\0';
    response->replayed = false;
    response->status = status_of(err->kind);
    if (response->status == 500)
        log_error("session", "%s: %s", error_kind_name(err->kind), err->text);
    buf_adds(json, "{\"detail\":");
    if (err->kind == ERROR_INVALID)
        add_faults(json, input, err);
    else
        rest_answer_string(json, text.data ? text.data : "");
    buf_addc(json, '}');
}

void rest_answer_faults(struct rest_call *call, const struct error *err)
{
    const struct rest_request *request = call->request;
    struct input input = {.name = call->route->flags & ROUTE_WRITE ? "body" : "query"};

    /* Read again: a handler takes members out of the call's. */
    json_auto_t *body = request->body_len > 0
                            ? json_read(request->body, request->body_len, "the request body", NULL)
                            : NULL;

    input.body = body;
    input.known = call->route->flags & ROUTE_WRITE;
    answer(call->response, &input, err);
}

void rest_answer_error(struct rest_response *response, const struct error *err)
{
    const struct input input = {.name = "body"};

    answer(response, &input, err);
}

void rest_answer_detail(struct rest_response *response, int status, const char *detail)
{
    buf_clear(&response->body);
    rest_more_drop(response);
    response->status = status;
    response->etag[0] = '\0';
    buf_adds(&response->body, "{\"detail\":");
    rest_answer_string(&response->body, detail);
    buf_addc(&response->body, '}');
}

const struct fields rest_success =
    REST_ANSWER("Success", REST_FLAG("success"), REST_TEXT("message"));

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
