/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads a Python literal, as ast.literal_eval() does, without running any code: numbers, texts,
 * bytes, None, True, False, and lists, tuples, sets and dicts of these. Pure, any thread.
 */
#ifndef LECTERN_VALIDATOR_PYTHON_LITERAL_H
#define LECTERN_VALIDATOR_PYTHON_LITERAL_H

#include <jansson.h>

#include "helpers/base/error.h"

#define PYTHON_LITERAL_CAP ((size_t)64 << 10) /* bytes of the text */

/* Returns the value in the form of mcp/exercise/python_value.h, a new reference, or NULL with
 * ERROR_INVALID and the reason. "1 + 2j" and "frozenset()" are not literals; "set()" is. text is
 * UTF-8. */
json_t *python_literal_read(const char *text, size_t len, struct error *err);

#endif
