/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The short way of the tokenizer, by a table of bytes.
 */
#include "validator/syntax/tokenizer_internal.h"

#include "validator/syntax/keyword.h"

/* What a byte may begin or go on with, for the tokens that need no second look. */
enum byte_class {
    BYTE_NAME_START = 1 << 0,
    BYTE_NAME = 1 << 1,
    BYTE_DIGIT = 1 << 2,
    BYTE_SIGN = 1 << 3, /* may be an operator by itself */
    BYTE_OPEN = 1 << 4,
    BYTE_CLOSE = 1 << 5,
    BYTE_STOP = 1 << 6, /* ends a run of plain bytes in a string */
};

#define LETTER (BYTE_NAME_START | BYTE_NAME)
#define DIGIT  (BYTE_NAME | BYTE_DIGIT)
#define SIGN   BYTE_SIGN

static const uint8_t byte_classes[256] = {
    ['a' ... 'z'] = LETTER, ['A' ... 'Z'] = LETTER, ['_'] = LETTER,
    ['0' ... '9'] = DIGIT,  [','] = SIGN,           [';'] = SIGN,
    ['~'] = SIGN,           [':'] = SIGN,           ['%'] = SIGN,
    ['@'] = SIGN,           ['^'] = SIGN,           ['+'] = SIGN,
    ['-'] = SIGN,           ['*'] = SIGN,           ['/'] = SIGN,
    ['&'] = SIGN,           ['|'] = SIGN,           ['<'] = SIGN,
    ['>'] = SIGN,           ['='] = SIGN,           ['.'] = SIGN,
    ['('] = BYTE_OPEN,      ['['] = BYTE_OPEN,      ['{'] = BYTE_OPEN,
    [')'] = BYTE_CLOSE,     [']'] = BYTE_CLOSE,     ['}'] = BYTE_CLOSE,
    ['\''] = BYTE_STOP,     ['"'] = BYTE_STOP,      ['\\'] = BYTE_STOP,
    ['\n'] = BYTE_STOP,     ['\r'] = BYTE_STOP,     [0x80 ... 0xFF] = BYTE_STOP,
};

/* Where the string that begins at `at` with this quote ends, 0 where it wants a second look. */
static size_t find_plain_end(const struct tokenizer *t, size_t at, char quote)
{
    const char *source = t->source;

    for (at++; at < t->len; at++) {
        if (!(byte_classes[(unsigned char)source[at]] & BYTE_STOP))
            continue;
        if (source[at] == quote)
            return at + 1;
        if (source[at] == '\\' && at + 1 < t->len && source[at + 1] != '\n' &&
            source[at + 1] != '\r' && (unsigned char)source[at + 1] < 0x80)
            at++;
        else if (source[at] != '\'' && source[at] != '"')
            return 0;
    }
    return 0;
}

/* The tokens that ordinary programs mostly hold, as read_token would give them: a name of ASCII
 * letters, a decimal integer, an operator of one byte, a string on one line. False, with nothing
 * taken, for all else. */
bool tokenizer_common(struct tokenizer *t, struct token *token)
{
    const char *source = t->source;
    size_t at = t->at, end;
    unsigned char c, next;
    uint8_t class;

    if (t->line_start || t->pending != 0 || t->ended)
        return false;
    while (at < t->len && source[at] == ' ')
        at++;
    if (at + 1 >= t->len)
        return false;
    c = (unsigned char)source[at];
    class = byte_classes[c];
    end = at + 1;
    if (class & BYTE_NAME) {
        while (end < t->len && byte_classes[(unsigned char)source[end]] & BYTE_NAME)
            end++;
        next = end < t->len ? (unsigned char)source[end] : 0;
        if (next >= 0x80)
            return false;
        if (class & BYTE_DIGIT) {
            for (size_t i = at + 1; i < end; i++)
                if (source[i] < '0' || source[i] > '9')
                    return false;
            if (next == '.' || (c == '0' && end > at + 1))
                return false;
            token->kind = TOKEN_NUMBER;
            token->flags = TOKEN_DECIMAL_INT;
        } else {
            if ((next == '\'' || next == '"') && end - at <= 2)
                return false; /* the prefix of a string */
            token->kind = TOKEN_NAME;
            token->id = (uint8_t)keyword_find(source + at, end - at);
        }
    } else if (class & BYTE_SIGN) {
        next = (unsigned char)source[end];
        if (c == '=' && next == '=') {
            end++;
            c = OP_EQUAL;
        } else if (next == '=' || next == '>' || next == c ||
                   (c == '.' && byte_classes[next] & BYTE_DIGIT)) {
            return false;
        }
        token->kind = TOKEN_OP;
        token->id = c;
    } else if (class & BYTE_OPEN) {
        if (t->depth == bracket_cap(t))
            return false;
        t->bracket_at[t->depth] = (uint32_t)at;
        t->bracket_line[t->depth++] = t->line;
        token->kind = TOKEN_OP;
        token->id = c;
    } else if (class & BYTE_CLOSE) {
        if (t->depth == 0 || closing_of(source[t->bracket_at[t->depth - 1]]) != (char)c)
            return false;
        t->depth--;
        token->kind = TOKEN_OP;
        token->id = c;
    } else if (c == '\'' || c == '"') {
        if ((unsigned char)source[end] == c || (end = find_plain_end(t, at, (char)c)) == 0)
            return false;
        token->kind = TOKEN_STRING;
    } else if (c == '\n' && t->depth == 0 && !t->field && !t->blank_line) {
        t->line++;
        t->line_start = true;
        t->after_token = false;
        t->at = end;
        token->kind = TOKEN_NEWLINE;
        token->start = (uint32_t)at;
        token->length = 1;
        return true;
    } else {
        return false;
    }
    t->after_token = true;
    t->at = end;
    token->start = (uint32_t)at;
    token->length = (uint32_t)(end - at);
    return true;
}
