/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What parse_string.c and parse_fstring.c share. Private to the parser.
 */
#ifndef LECTERN_VALIDATOR_PARSE_STRING_H
#define LECTERN_VALIDATOR_PARSE_STRING_H

#include "validator/syntax/parse.h"

/* Adds the value of source[from..to), part of this literal, to p->value. False after reporting. */
bool parse_decode(struct parser *p, const struct token *token, size_t from, size_t to);

/* A STRING of the value at p->value.data + from, which is moved to the tree. */
uint32_t parse_owned_string(struct parser *p, uint32_t at, size_t from, uint16_t flags);

/* The literals up to the token end, of which one at least is an f-string: JOINED. */
uint32_t parse_fstring(struct parser *p, uint32_t end);

#endif
