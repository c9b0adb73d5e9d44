/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files of the tokenizer share. Private to it.
 */
#ifndef LECTERN_VALIDATOR_TOKENIZER_INTERNAL_H
#define LECTERN_VALIDATOR_TOKENIZER_INTERNAL_H

#include "validator/syntax/tokenizer.h"

/* The byte `ahead` of the place, -1 behind the end. */
static inline int peek(const struct tokenizer *t, size_t ahead)
{
    return t->at + ahead < t->len ? (unsigned char)t->source[t->at + ahead] : -1;
}

/* The bytes of the line end at `at`: 1, 2 for CR LF, 0 where there is none. */
static inline size_t line_end_size(const struct tokenizer *t, size_t at)
{
    if (at >= t->len)
        return 0;
    if (t->source[at] == '\n')
        return 1;
    if (t->source[at] == '\r')
        return at + 1 < t->len && t->source[at + 1] == '\n' ? 2 : 1;
    return 0;
}

/* Nothing can be read behind this error. */
static inline bool lose(struct tokenizer *t)
{
    t->lost = true;
    return false;
}

static inline enum token_kind give(struct tokenizer *t, struct token *token, enum token_kind kind,
                                   size_t start)
{
    token->kind = (uint8_t)kind;
    token->start = (uint32_t)start;
    token->length = (uint32_t)(t->at - start);
    return kind;
}

static inline char closing_of(char open)
{
    if (open == '(')
        return ')';
    if (open == '[')
        return ']';
    return '}';
}

/* CPython reads a field in brackets of its own. */
static inline size_t bracket_cap(const struct tokenizer *t)
{
    return t->field ? VALIDATOR_DEPTH_CAP - 1 : VALIDATOR_DEPTH_CAP;
}

/* tokenizer.c: the error and where it is; what was read of the token is forgotten. */
enum token_kind tokenizer_fail(struct tokenizer *t, struct token *token, size_t at,
                               const char *format, ...) __attribute__((format(printf, 4, 5)));
enum token_kind tokenizer_not_utf8(struct tokenizer *t, struct token *token);

/* tokenizer_indent.c: the blanks at a line's start; sets pending. False after an error. */
bool tokenizer_indentation(struct tokenizer *t, struct token *token);
/* At a backslash: skips it and the line end behind it. False after an error. */
bool tokenizer_continuation(struct tokenizer *t, struct token *token);

/* tokenizer_string.c: a prefix of a string at the place, if a quote follows it. */
bool tokenizer_prefix(const struct tokenizer *t, uint16_t *flags, size_t *len);
/* At a quote, behind the prefix that starts at `start`. */
enum token_kind tokenizer_string(struct tokenizer *t, struct token *token, size_t start);

/* tokenizer_operator.c: an operator or a bracket. */
enum token_kind tokenizer_operator(struct tokenizer *t, struct token *token);

#endif
