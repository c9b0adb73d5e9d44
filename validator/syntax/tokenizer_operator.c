/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Operators and brackets, and the signs of other languages.
 */
#include "validator/syntax/tokenizer_internal.h"

#include <string.h>

#include "validator/syntax/keyword.h"

static enum token_kind read_bracket(struct tokenizer *t, struct token *token, char c)
{
    size_t start = t->at;
    char open;

    if (c == '(' || c == '[' || c == '{') {
        if (t->depth == bracket_cap(t))
            return tokenizer_fail(
                t, token, start,
                "More than %zu open brackets. Give inner parts names of their own.",
                bracket_cap(t));
        t->bracket_at[t->depth] = (uint32_t)start;
        t->bracket_line[t->depth++] = t->line;
    } else {
        if (t->depth == 0)
            return tokenizer_fail(
                t, token, start, "This '%c' closes nothing. Delete it, or add the opening bracket.",
                c);
        open = t->source[t->bracket_at[t->depth - 1]];
        if (closing_of(open) != c)
            return tokenizer_fail(
                t, token, start,
                "'%c' cannot close the '%c' of line %u. Close that with '%c' first.", c, open,
                t->bracket_line[t->depth - 1], closing_of(open));
        t->depth--;
    }
    t->at++;
    token->id = (uint8_t)c;
    return give(t, token, TOKEN_OP, start);
}

/* Nothing but blanks stands before the place on its line. */
static bool begins_line(const struct tokenizer *t)
{
    size_t at = t->at;

    while (at > 0 && (t->source[at - 1] == ' ' || t->source[at - 1] == '\t'))
        at--;
    return at == 0 || t->source[at - 1] == '\n' || t->source[at - 1] == '\r';
}

enum token_kind tokenizer_operator(struct tokenizer *t, struct token *token)
{
    size_t start = t->at, used;
    int c = peek(t, 0);

    if (c < 0x20 || c == 0x7F)
        return tokenizer_fail(t, token, start,
                              "U+%04X, a control character, cannot stand here. Delete it.",
                              (unsigned)c);
    if (strchr("()[]{}", c))
        return read_bracket(t, token, (char)c);
    if (c == '!' && peek(t, 1) != '=' && t->depth == 0 && !t->field && begins_line(t))
        return tokenizer_fail(
            t, token, start,
            "Lines with '!' are a notebook's. Delete the line: nothing can be installed, "
            "and the allowed modules are there.");
    if (c == '<' && peek(t, 1) == '>')
        return tokenizer_fail(t, token, start, "'<>' is Python 2. Write '!='.");
    if ((c == '+' || c == '-') && peek(t, 1) == c && t->depth == 0 && !t->field &&
        (line_end_size(t, t->at + 2) || peek(t, 2) == ';'))
        return tokenizer_fail(t, token, start, "Python has no '%c%c'. Write '%c= 1'.", c, c, c);
    if (c == '&' && peek(t, 1) == '&')
        return tokenizer_fail(t, token, start, "Python has no '&&'. Write 'and'.");
    if (c == '|' && peek(t, 1) == '|')
        return tokenizer_fail(t, token, start, "Python has no '||'. Write 'or'.");
    token->id = (uint8_t)keyword_operator(t->source + t->at, t->len - t->at, &used);
    if (used == 0)
        return tokenizer_fail(t, token, start, "'%c' is no operator of Python.%s", c,
                              keyword_lookalike((uint32_t)c));
    t->at += used;
    return give(t, token, TOKEN_OP, start);
}
