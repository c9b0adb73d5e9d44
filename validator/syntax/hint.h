/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Hints for the syntax mistakes that models make, as tables: each row looks at the tokens around
 * the place where the reading stopped. The tables are tried in the order of hint_tables
 * (parse_hint.c); the first row that fits gives the place and the words. Private to the parser.
 */
#ifndef LECTERN_VALIDATOR_HINT_H
#define LECTERN_VALIDATOR_HINT_H

#include "validator/syntax/parse.h"

#define HINT_LOOK_BACK 200 /* tokens looked at before the place, at most */

struct place {
    const struct parser *p;
    const struct token *here, *first; /* where it went wrong; the first token of its line */
    const struct token *open;         /* the innermost open bracket of the line, or NULL */
    const char *wanted;               /* what was expected here */
};

struct hint {
    /* The token to point at, or NULL where this is not the mistake. */
    const struct token *(*find)(const struct place *place);
    const char *text; /* NULL: it has been told already, and nothing more is said */
};

/* Each ends with a row without `find`. */
extern const struct hint hints_of_other_tools[];
extern const struct hint hints_in_imports[];
extern const struct hint hints_in_statements[];
extern const struct hint hints_in_expressions[];

bool hint_is_word(const struct place *place, const struct token *token, const char *words);
bool hint_begins_with(const struct place *place, const char *words);
bool hint_is_value(const struct token *token);   /* a number, a text or a name that is no keyword */
bool hint_ends_value(const struct token *token); /* likewise, and a closing bracket, None, True */
bool hint_adjoin(const struct token *left, const struct token *right); /* nothing between */

static inline bool hint_is_op(const struct token *token, unsigned op)
{
    return token->kind == TOKEN_OP && token->id == op;
}

/* The token stands `count` or more behind the first one of its line. */
static inline bool hint_is_behind(const struct place *place, unsigned count)
{
    return place->here >= place->first + count;
}

static inline char hint_byte(const struct place *place, const struct token *token)
{
    return (char)(token->length ? place->p->ast->source[token->start] : '\0');
}

#endif
