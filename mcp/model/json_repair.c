/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/model/json_repair.h"

#include <string.h>

#include "helpers/base/encode.h"
#include "helpers/base/utf8.h"

#define ESCAPE_LEN 6u /* \uXXXX */

/* The code of a \uXXXX at text, or -1. */
static int escape_code(const char *text, size_t len)
{
    int code = 0;

    if (len < ESCAPE_LEN || text[0] != '\\' || text[1] != 'u')
        return -1;
    for (size_t i = 2; i < ESCAPE_LEN; i++) {
        int digit = hex_digit(text[i]);

        if (digit < 0)
            return -1;
        code = code * 16 + digit;
    }
    return code;
}

static bool is_high(int code)
{
    return code >= 0xD800 && code <= 0xDBFF;
}

static bool is_low(int code)
{
    return code >= 0xDC00 && code <= 0xDFFF;
}

bool json_repair_needed(const char *text, size_t len)
{
    const char *end = text + len, *at = text;

    while ((at = memchr(at, '\\', (size_t)(end - at)))) {
        int code = escape_code(at, (size_t)(end - at));

        if (code == 0 || is_high(code) || is_low(code))
            return true;
        at++;
    }
    return false;
}

/* How many bytes of the escape at text (a backslash) are taken; what it becomes is added. */
static size_t repair_escape(const char *text, size_t len, bool first, struct buf *to,
                            struct json_halves *halves)
{
    int code = escape_code(text, len), next;

    if (code < 0) { /* another escape, or none: the byte after the backslash belongs to it */
        size_t taken = len < 2 ? len : 2;

        buf_add(to, text, taken);
        return taken;
    }
    next = is_high(code) ? escape_code(text + ESCAPE_LEN, len - ESCAPE_LEN) : -1;
    if (is_high(code) && is_low(next)) {
        buf_add(to, text, (size_t)2 * ESCAPE_LEN);
        return (size_t)2 * ESCAPE_LEN;
    }
    if (code != 0 && !is_high(code) && !is_low(code)) {
        buf_add(to, text, ESCAPE_LEN);
        return ESCAPE_LEN;
    }
    buf_adds(to, UTF8_REPLACEMENT);
    if (is_low(code) && first)
        halves->low = (unsigned)code;
    if (is_high(code) && len > ESCAPE_LEN && text[ESCAPE_LEN] == '"')
        halves->high = (unsigned)code;
    return ESCAPE_LEN;
}

void json_repair(const char *text, size_t len, struct buf *to, struct json_halves *halves)
{
    struct json_halves unused;
    bool in_string = false, first = false;
    size_t at = 0, plain;

    if (!halves)
        halves = &unused;
    *halves = (struct json_halves){0};
    while (at < len) {
        if (in_string && text[at] == '\\') {
            at += repair_escape(text + at, len - at, first, to, halves);
            first = false;
            continue;
        }
        first = text[at] == '"' && !in_string;
        if (text[at] == '"')
            in_string = !in_string;
        plain = at++;
        while (at < len && text[at] != '"' && text[at] != '\\') {
            first = false;
            at++;
        }
        if (!in_string && at < len && text[at] == '\\') /* no JSON: let it through */
            at++;
        buf_add(to, text + plain, at - plain);
    }
}
