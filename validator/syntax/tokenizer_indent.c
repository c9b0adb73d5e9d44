/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Indentation, and lines that a backslash joins.
 */
#include "validator/syntax/tokenizer_internal.h"

#define TAB_SIZE 8

/* At a backslash: skips it and the line end behind it. */
bool tokenizer_continuation(struct tokenizer *t, struct token *token)
{
    size_t size = line_end_size(t, t->at + 1);

    if (size == 0 && t->at + 1 < t->len) {
        tokenizer_fail(
            t, token, t->at,
            "A backslash outside a string must be the last character of its line. Delete it, or "
            "what follows it.");
        return false;
    }
    /* Behind CR LF at the end of the text Python sees one more line end. */
    if (t->at + 1 + size >= t->len && size != 2) {
        tokenizer_fail(t, token, t->at,
                       "The program ends behind this backslash. Delete it, or finish the line.");
        return lose(t);
    }
    t->at += 1 + size;
    t->line++;
    return true;
}

static enum token_kind inconsistent(struct tokenizer *t, struct token *token)
{
    t->in_place = true;
    return tokenizer_fail(
        t, token, t->at,
        "Tabs and spaces are mixed in this indentation. Indent with spaces only, four a level.");
}

/* Compares a line's indentation with the open ones: sets pending. False after an error. */
static bool settle_indentation(struct tokenizer *t, struct token *token, uint32_t column,
                               uint32_t alt_column)
{
    uint32_t *top = &t->columns[t->indent_count - 1];

    if (column > *top) {
        if (t->indent_count == VALIDATOR_INDENT_CAP) {
            tokenizer_fail(t, token, t->at,
                           "More than %d levels of indentation. Move inner blocks into functions.",
                           VALIDATOR_INDENT_CAP - 1);
            return lose(t);
        }
        if (alt_column <= t->alt_columns[t->indent_count - 1])
            return inconsistent(t, token) != TOKEN_ERROR;
        t->columns[t->indent_count] = column;
        t->alt_columns[t->indent_count++] = alt_column;
        t->pending = 1;
        return true;
    }
    while (t->indent_count > 1 && column < t->columns[t->indent_count - 1]) {
        t->indent_count--;
        t->pending--;
    }
    if (column != t->columns[t->indent_count - 1]) {
        t->in_place = true;
        tokenizer_fail(
            t, token, t->at,
            "This line is indented by %u columns, which matches no block around it (the nearest "
            "has "
            "%u). Indent it like the other lines of its block.",
            column, t->columns[t->indent_count - 1]);
        return false;
    }
    if (alt_column != t->alt_columns[t->indent_count - 1])
        return inconsistent(t, token) != TOKEN_ERROR;
    return true;
}

/* Reads the blanks at a line's start. False after an error. */
bool tokenizer_indentation(struct tokenizer *t, struct token *token)
{
    uint32_t column = 0, alt_column = 0, first_column = 0;
    int c;

    t->line_start = false;
    t->blank_line = false;
    for (;; t->at++) {
        c = peek(t, 0);
        if (c == ' ') {
            column++;
            alt_column++;
        } else if (c == '\t') {
            column = (column / TAB_SIZE + 1) * TAB_SIZE;
            alt_column++;
        } else if (c == '\f') {
            column = alt_column = 0;
        } else if (c == '\\') {
            /* The indentation before the first backslash counts for the whole line. */
            first_column = first_column ? first_column : column;
            if (!tokenizer_continuation(t, token))
                return false;
            t->at--;
        } else {
            break;
        }
    }
    if (c == '#' || c == '\n' || c == '\r') {
        t->blank_line = true;
        return true;
    }
    if (c < 0)
        column = alt_column = first_column =
            0; /* Python sees a line end before the end of the text */
    if (t->depth > 0)
        return true;
    return settle_indentation(t, token, first_column ? first_column : column,
                              first_column ? first_column : alt_column);
}
