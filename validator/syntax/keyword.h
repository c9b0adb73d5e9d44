/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The fixed words and signs of Python 3.11's lexical grammar. Pure.
 */
#ifndef LECTERN_VALIDATOR_KEYWORD_H
#define LECTERN_VALIDATOR_KEYWORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "validator/syntax/tokenizer.h"

enum keyword keyword_find(const char *name, size_t len); /* KEYWORD_NONE for other names */

/* The longest operator at text, as a character or an enum op; *used is 0 where there is none. */
unsigned keyword_operator(const char *text, size_t len, size_t *used);

bool keyword_is_name_byte(unsigned char c); /* ASCII letters, digits, '_' */

/* For a character that is no part of Python: " Write ..." where it is known what was meant, else
 * "". Static. */
const char *keyword_lookalike(uint32_t character);

#endif
