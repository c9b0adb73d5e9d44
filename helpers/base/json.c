/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/base/json.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_TEXT_CAP 40 /* "%.17g" needs 24 */

/* jansson tells what stands near a mistake, and may end it within a character: a text that nobody
 * could be told, as none of our writers takes it. */
static void mend_reason(char *text)
{
    json_t *string = json_string(text);

    for (char *at = text; !string && *at; at++) {
        if ((unsigned char)*at >= 0x80)
            *at = '?';
    }
    json_decref(string);
}

json_t *json_read(const char *text, size_t len, const char *what, struct error *err)
{
    json_error_t why;
    json_t *value = json_loadb(text, len, JSON_DECODE_ANY | JSON_ALLOW_NUL, &why);

    if (!value) {
        mend_reason(why.text);
        error_set(err, ERROR_MALFORMED, "%s is not JSON that can be kept: line %d, column %d: %s",
                  what, why.line, why.column, why.text);
    }
    return value;
}

/* Follows jansson's output just far enough to know numbers from strings, whatever the chunks are
 * cut at. */
struct shortener {
    struct buf *to;
    bool in_string, escaped;
    char number[NUMBER_TEXT_CAP];
    size_t number_len;
};

static void flush_number(struct shortener *s)
{
    char text[NUMBER_TEXT_CAP];
    double value;

    if (s->number_len == 0)
        return;
    s->number[s->number_len] = '\0';
    s->number_len = 0;
    if (!strpbrk(s->number, ".eE")) {
        buf_adds(s->to, s->number);
        return;
    }
    value = strtod(s->number, NULL);
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    buf_adds(s->to, text);
    if (!strpbrk(text, ".e")) /* stays a real for readers that tell 1.0 from 1 */
        buf_adds(s->to, ".0");
}

static bool is_number_char(char c)
{
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

static int shorten(const char *chunk, size_t len, void *arg)
{
    struct shortener *s = arg;

    for (size_t i = 0; i < len; i++) {
        char c = chunk[i];

        if (s->in_string) {
            size_t run = i;

            while (run < len && (s->escaped || (chunk[run] != '"' && chunk[run] != '\\'))) {
                s->escaped = false;
                run++;
            }
            buf_add(s->to, chunk + i, run - i);
            i = run;
            if (i == len)
                break;
            c = chunk[i];
            s->escaped = c == '\\';
            s->in_string = c != '"';
            buf_addc(s->to, c);
        } else if (is_number_char(c) && s->number_len < NUMBER_TEXT_CAP - 1 &&
                   (s->number_len > 0 || c == '-' || (c >= '0' && c <= '9'))) {
            s->number[s->number_len++] = c;
        } else {
            flush_number(s);
            s->in_string = c == '"';
            buf_addc(s->to, c);
        }
    }
    return s->to->failed ? -1 : 0;
}

void json_write(struct buf *buf, const json_t *value)
{
    struct shortener s = {.to = buf};

    if (json_is_integer(value)) {
        buf_addi(buf, json_integer_value(value));
        return;
    }
    if (json_is_string(value)) {
        json_write_string(buf, json_string_value(value), json_string_length(value));
        return;
    }
    if (json_dump_callback(value, shorten, &s, JSON_COMPACT | JSON_ENCODE_ANY) < 0) {
        buf->starved = buf->starved || !buf->failed; /* else it is the cap */
        buf->failed = true;
    }
    flush_number(&s);
}

/* The bytes that need no escape, and cannot be bad UTF-8. */
static const bool is_plain[256] = {
    [' ' ... '!'] = true, ['#' ... '['] = true, [']' ... '~'] = true};

/* Where they end. */
static size_t plain_end(const char *text, size_t at, size_t len)
{
    while (at < len && is_plain[(unsigned char)text[at]])
        at++;
    return at;
}

/* Where the others end, but for line ends and quotes, which have short escapes of their own. */
static size_t special_end(const char *text, size_t at, size_t len)
{
    while (at < len && plain_end(text, at, len) == at && text[at] != '\n' && text[at] != '"')
        at++;
    return at;
}

/* By jansson, without its quotes. Such bytes follow one another in whole characters. */
static void write_special(struct buf *buf, const char *text, size_t len)
{
    json_t *string = json_stringn(text, len);
    char *dumped = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;

    if (dumped)
        buf_add(buf, dumped + 1, strlen(dumped) - 2);
    else
        buf->failed = true;
    free(dumped);
    json_decref(string);
}

void json_write_string(struct buf *buf, const char *text, size_t len)
{
    size_t at = 0;

    buf_addc(buf, '"');
    while (at < len) {
        size_t end = plain_end(text, at, len);

        buf_add(buf, text + at, end - at);
        at = end;
        if (at == len)
            break;
        if (text[at] == '\n' || text[at] == '"') {
            buf_adds(buf, text[at] == '\n' ? "\\n" : "\\\"");
            at++;
            continue;
        }
        end = special_end(text, at, len);
        write_special(buf, text + at, end - at);
        at = end;
    }
    buf_addc(buf, '"');
}

void json_write_member(struct buf *buf, const char *name, const char *text)
{
    if (!text)
        return;
    buf_addf(buf, ",\"%s\":", name);
    json_write_string(buf, text, strlen(text));
}

const char *json_get_string(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

bool json_string_is(const json_t *object, const char *key, const char *text)
{
    const char *has = json_get_string(object, key);

    return has && strcmp(has, text) == 0;
}

const char *json_kind(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        return "text";
    case JSON_INTEGER:
    case JSON_REAL:
        return "a number";
    case JSON_NULL:
        return "null";
    case JSON_TRUE:
    case JSON_FALSE:
        return "true or false";
    }
    return "something else";
}
