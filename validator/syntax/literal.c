/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validator/syntax/literal.h"

#include <string.h>

#include "validator/syntax/character_name.h"
#include "validator/syntax/unicode.h"

#define LAST_CHARACTER 0x10FFFF

struct decoder {
    struct buf *to;
    const char *source;
    size_t at, end;
    unsigned flags;
    const char *error;
};

void literal_body(const char *source, const struct token *token, size_t *start, size_t *end)
{
    size_t quotes = token->flags & TOKEN_TRIPLE ? 3 : 1;

    *start = token->start;
    while (source[*start] != '\'' && source[*start] != '"')
        ++*start;
    *start += quotes;
    *end = token->start + token->length - quotes;
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Exactly `count` digits at the place. */
static void read_hex(struct decoder *d, size_t count, const char *error)
{
    uint32_t value = 0;

    for (size_t i = 0; i < count; i++) {
        int digit = d->at < d->end ? hex_value(d->source[d->at]) : -1;

        if (digit < 0) {
            d->error = error;
            return;
        }
        value = value << 4 | (uint32_t)digit;
        d->at++;
    }
    if (value > LAST_CHARACTER) {
        d->error = "There is no character above \\U0010FFFF.";
        return;
    }
    unicode_encode(d->to, value);
}

static void read_octal(struct decoder *d)
{
    uint32_t value = 0;

    for (size_t i = 0;
         i < 3 && d->at < d->end && d->source[d->at] >= '0' && d->source[d->at] <= '7'; i++)
        value = value * 8 + (uint32_t)(d->source[d->at++] - '0');
    unicode_encode(d->to, d->flags & TOKEN_BYTES ? value & 0xFF : value);
}

/* Behind \N. */
static void read_character_name(struct decoder *d)
{
    const char *close = d->at < d->end && d->source[d->at] == '{'
                            ? memchr(d->source + d->at, '}', d->end - d->at)
                            : NULL;
    size_t name = d->at + 1;
    uint32_t character;

    if (!close || close == d->source + name) {
        d->error =
            "\\N wants a character's name in braces: \\N{BULLET}. For a backslash write \\\\N.";
        return;
    }
    if (!character_by_name(d->source + name, (size_t)(close - d->source) - name, &character)) {
        d->error = "There is no character of the name behind this \\N. Write the character itself.";
        return;
    }
    unicode_encode(d->to, character);
    d->at = (size_t)(close - d->source) + 1;
}

/* At a backslash. */
static void read_escape(struct decoder *d)
{
    static const char from[] = "\\'\"abfnrtv", to[] = "\\'\"\a\b\f\n\r\t\v";
    const char *simple;
    char c;

    if (d->at + 1 >= d->end) { /* only in a piece of an f-string, before a field */
        buf_addc(d->to, '\\');
        d->at++;
        return;
    }
    c = d->source[d->at + 1];
    simple = c ? strchr(from, c) : NULL;
    d->at += 2;
    if (simple)
        buf_addc(d->to, to[simple - from]);
    else if (c == '\n' || c == '\r')
        d->at += c == '\r' && d->at < d->end && d->source[d->at] == '\n';
    else if (c >= '0' && c <= '7') {
        d->at--;
        read_octal(d);
    } else if (c == 'x')
        read_hex(d, 2,
                 "\\x wants two hexadecimal digits: \\x41. For a backslash write \\\\, or put r "
                 "before the string.");
    else if (c == 'u' && !(d->flags & TOKEN_BYTES))
        read_hex(d, 4,
                 "\\u wants four hexadecimal digits: \\u00e9. For a backslash write \\\\, or put r "
                 "before the string.");
    else if (c == 'U' && !(d->flags & TOKEN_BYTES))
        read_hex(d, 8,
                 "\\U wants eight hexadecimal digits. For a backslash write \\\\, or put r before "
                 "the string.");
    else if (c == 'N' && !(d->flags & TOKEN_BYTES))
        read_character_name(d);
    else { /* unknown escapes stay as they are */
        buf_addc(d->to, '\\');
        d->at--;
    }
}

void literal_decode(struct buf *to, const char *source, size_t from, size_t end, unsigned flags,
                    const char **error, size_t *error_at)
{
    struct decoder d = {.to = to, .source = source, .at = from, .end = end, .flags = flags};

    while (d.at < d.end && !d.error) {
        char c = source[d.at];
        size_t run = d.at;

        if (c == '\\' && !(flags & TOKEN_RAW)) {
            *error_at = d.at;
            read_escape(&d);
            continue;
        }
        if ((flags & TOKEN_FORMATTED) && (c == '{' || c == '}') && d.at + 1 < end &&
            source[d.at + 1] == c) {
            buf_addc(to, c);
            d.at += 2;
            continue;
        }
        if (c == '\r') { /* a line end is a line feed, however it was written */
            buf_addc(to, '\n');
            d.at += d.at + 1 < end && source[d.at + 1] == '\n' ? 2 : 1;
            continue;
        }
        do
            run++;
        while (run < end && source[run] != '\\' && source[run] != '{' && source[run] != '}' &&
               source[run] != '\r');
        buf_add(to, source + d.at, run - d.at);
        d.at = run;
    }
    *error = d.error;
}
