/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * All tokens of a program in one array, those inside f-strings too, with brackets matched: what the
 * policy looks at. One allocation that grows; at most one token a byte of the source, plus the
 * closing ones.
 */
#ifndef LECTERN_VALIDATOR_TOKEN_LIST_H
#define LECTERN_VALIDATOR_TOKEN_LIST_H

#include "validator/report.h"
#include "validator/syntax/tokenizer.h"

/* token.match:
 *   brackets, INDENT and DEDENT, FIELD_OPEN and FIELD_CLOSE: the index of the partner
 *   STRING: the index of the last token that belongs to it (itself, or the CLOSE of its last field)
 *   NAME with TOKEN_NON_ASCII: where its normalised text begins in `names`
 * An f-string's expressions stand behind its STRING token: FIELD_OPEN, tokens, FIELD_CLOSE for each
 * field. */
struct token_list {
    const char *source;   /* borrowed */
    struct token *tokens; /* owned; ends with TOKEN_END always */
    size_t count, size;
    struct buf names; /* normalised non-ASCII names, each with a NUL */
    bool failed;      /* no memory */
};

/* Tokenizes all of it, reporting what the grammar refuses. After an error the list holds what came
 * before it. */
void token_list_init(struct token_list *list, struct report *report);
void token_list_finish(struct token_list *list);

/* A name's text as it is compared; borrowed, not NUL-terminated. */
const char *token_list_text(const struct token_list *list, size_t index, size_t *len);

/* The index behind or before a token, an f-string's fields skipped. 0 has none before: SIZE_MAX. */
size_t token_list_next(const struct token_list *list, size_t index);
size_t token_list_previous(const struct token_list *list, size_t index);

#endif
