/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The main loop of the tokenizer: names, numbers, line ends and the end. The rest has files of its
 * own, tokenizer_*.c; numbers are number.c's.
 */
#include "validator/syntax/tokenizer_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "validator/syntax/keyword.h"
#include "validator/syntax/number.h"
#include "validator/syntax/unicode.h"

static const char byte_order_mark[] = "\xEF\xBB\xBF";

void tokenizer_init(struct tokenizer *tokenizer, const char *source, size_t len)
{
    memset(tokenizer, 0, offsetof(struct tokenizer, bracket_at));
    tokenizer->columns[0] = tokenizer->alt_columns[0] = 0;
    tokenizer->error[0] = '\0';
    tokenizer->source = source;
    tokenizer->len = len;
    tokenizer->line = 1;
    tokenizer->line_start = true;
    tokenizer->indent_count = 1;
    if (len >= 3 && memcmp(source, byte_order_mark, 3) == 0)
        tokenizer->at = 3;
}

void tokenizer_init_field(struct tokenizer *tokenizer, const char *source, size_t from, size_t to,
                          uint32_t line)
{
    tokenizer_init(tokenizer, source, to);
    tokenizer->at = from;
    tokenizer->line = line;
    tokenizer->field = true;
    tokenizer->line_start = false;
}

enum token_kind tokenizer_fail(struct tokenizer *t, struct token *token, size_t at,
                               const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(t->error, sizeof t->error, format, args);
    va_end(args);
    t->error_at = at;
    t->ended = true;
    token->kind = TOKEN_ERROR;
    token->start = (uint32_t)at;
    return TOKEN_ERROR;
}

enum token_kind tokenizer_not_utf8(struct tokenizer *t, struct token *token)
{
    return tokenizer_fail(t, token, t->at,
                          "The byte 0x%02X here is not UTF-8. Send the program as UTF-8 text.",
                          (unsigned char)t->source[t->at]);
}

static enum token_kind read_name(struct tokenizer *t, struct token *token, size_t start)
{
    uint32_t character;
    bool first = true;

    while (t->at < t->len) {
        unsigned char c = (unsigned char)t->source[t->at];
        size_t used = 1;

        if (c < 0x80) {
            if (!keyword_is_name_byte(c))
                break;
        } else {
            used = unicode_decode(t->source + t->at, t->len - t->at, &character);
            if (used == 0)
                return tokenizer_not_utf8(t, token);
            if (first ? !unicode_is_name_start(character) : !unicode_is_name_continue(character))
                return tokenizer_fail(
                    t, token, t->at,
                    "The character '%.*s' (U+%04X) cannot stand here: it is no letter, "
                    "digit or operator "
                    "of Python.%s",
                    (int)used, t->source + t->at, character, keyword_lookalike(character));
            token->flags |= TOKEN_NON_ASCII;
        }
        t->at += used;
        first = false;
    }
    if (!(token->flags & TOKEN_NON_ASCII))
        token->id = (uint8_t)keyword_find(t->source + start, t->at - start);
    return give(t, token, TOKEN_NAME, start);
}

static enum token_kind read_number(struct tokenizer *t, struct token *token)
{
    size_t start = t->at, error_at = 0;
    const char *error = NULL;
    bool decimal_int = false;
    size_t used = number_scan(t->source + start, t->len - start, &decimal_int, &error, &error_at);

    if (error)
        return tokenizer_fail(t, token, start + error_at, "%s", error);
    if (decimal_int)
        token->flags |= TOKEN_DECIMAL_INT;
    t->at = start + used;
    return give(t, token, TOKEN_NUMBER, start);
}

/* At the end of the text: an open bracket, the last NEWLINE, the last DEDENTs, then the end. */
static enum token_kind read_end(struct tokenizer *t, struct token *token)
{
    t->lost = t->depth > 0;
    if (t->depth > 0)
        return tokenizer_fail(t, token, t->bracket_at[t->depth - 1],
                              "This '%c' is never closed. Add the missing '%c'.",
                              t->source[t->bracket_at[t->depth - 1]],
                              closing_of(t->source[t->bracket_at[t->depth - 1]]));
    if (t->after_token && !t->field) {
        t->after_token = false;
        t->line_start = true;
        return give(t, token, TOKEN_NEWLINE, t->at);
    }
    if (t->indent_count > 1) { /* behind a comment that no line end follows */
        t->pending = 2 - (int)t->indent_count;
        t->indent_count = 1;
        return give(t, token, TOKEN_DEDENT, t->at);
    }
    t->ended = true;
    return give(t, token, TOKEN_END, t->at);
}

/* A comment or line end that only who asked for trivia sees. True when it is to be given. */
static bool skip_comment(struct tokenizer *t)
{
    while (t->at < t->len && line_end_size(t, t->at) == 0)
        t->at++;
    return t->trivia;
}

static enum token_kind read_token(struct tokenizer *t, struct token *token)
{
    size_t start, prefix = 0, size;
    int c;

    for (;;) {
        while ((c = peek(t, 0)) == ' ' || c == '\t' || c == '\f')
            t->at++;
        start = t->at;
        if (c < 0)
            return read_end(t, token);
        if (c == '#') {
            if (skip_comment(t))
                return give(t, token, TOKEN_COMMENT, start);
            continue;
        }
        size = line_end_size(t, t->at);
        if (size > 0) {
            bool ends_line = t->depth == 0 && !t->field && !t->blank_line;

            t->at += size;
            t->line++;
            t->line_start = t->depth == 0 && !t->field;
            t->after_token = t->after_token && !ends_line;
            if (ends_line)
                return give(t, token, TOKEN_NEWLINE, start);
            if (t->trivia)
                return give(t, token, TOKEN_NL, start);
            if (t->line_start)
                return TOKEN_NL;
            continue;
        }
        if (c != '\\')
            break;
        if (!tokenizer_continuation(t, token))
            return TOKEN_ERROR;
    }
    t->after_token = true;
    if (keyword_is_name_byte((unsigned char)c) || c >= 0x80) {
        if (c >= '0' && c <= '9')
            return read_number(t, token);
        if (tokenizer_prefix(t, &token->flags, &prefix)) {
            t->at += prefix;
            return tokenizer_string(t, token, start);
        }
        return read_name(t, token, start);
    }
    if (c == '\'' || c == '"')
        return tokenizer_string(t, token, start);
    if (c == '.' && peek(t, 1) >= '0' && peek(t, 1) <= '9')
        return read_number(t, token);
    return tokenizer_operator(t, token);
}

enum token_kind tokenizer_next(struct tokenizer *t, struct token *token)
{
    enum token_kind kind;

    memset(token, 0, sizeof *token);
    if (tokenizer_common(t, token))
        return token->kind;
    if (t->ended) {
        token->start = (uint32_t)(t->error[0] ? t->error_at : t->at);
        token->kind = t->error[0] ? TOKEN_ERROR : TOKEN_END;
        return token->kind;
    }
    do {
        if (t->line_start && !tokenizer_indentation(t, token))
            return TOKEN_ERROR;
        if (t->pending > 0) {
            t->pending--;
            return give(t, token, TOKEN_INDENT, t->at);
        }
        if (t->pending < 0) {
            t->pending++;
            return give(t, token, TOKEN_DEDENT, t->at);
        }
        kind = read_token(t, token);
    } while (kind == TOKEN_NL && !t->trivia);
    return kind;
}

const char *token_kind_name(enum token_kind kind)
{
    static const char *const names[] = {
        [TOKEN_END] = "ENDMARKER", [TOKEN_NEWLINE] = "NEWLINE", [TOKEN_INDENT] = "INDENT",
        [TOKEN_DEDENT] = "DEDENT", [TOKEN_NAME] = "NAME",       [TOKEN_NUMBER] = "NUMBER",
        [TOKEN_STRING] = "STRING", [TOKEN_OP] = "OP",           [TOKEN_COMMENT] = "COMMENT",
        [TOKEN_NL] = "NL",         [TOKEN_ERROR] = "ERROR",
    };

    return names[kind];
}
