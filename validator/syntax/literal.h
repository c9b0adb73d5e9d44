/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The value of a string literal: its escapes decoded as CPython does. Pure.
 */
#ifndef LECTERN_VALIDATOR_LITERAL_H
#define LECTERN_VALIDATOR_LITERAL_H

#include "validator/syntax/tokenizer.h"

/* Where the text between the quotes of a STRING token begins and ends. */
void literal_body(const char *source, const struct token *token, size_t *start, size_t *end);

/* Appends the value of source[from..to), part of a literal with these token flags, as UTF-8 (of
 * bytes: as Latin-1). In a formatted literal "{{" and "}}" become one brace. *error (static) and
 * *error_at are set where CPython refuses an escape; decoding stops there. */
void literal_decode(struct buf *to, const char *source, size_t from, size_t end, unsigned flags,
                    const char **error, size_t *error_at);

#endif
