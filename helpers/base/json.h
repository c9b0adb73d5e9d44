/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What jansson leaves open: numbers printed at their shortest, one strict way to read, and errors
 * in our form.
 */
#ifndef LECTERN_BASE_JSON_H
#define LECTERN_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "helpers/base/buf.h"
#include "helpers/base/error.h"

/* Reads one JSON value of len bytes, keeping NUL inside string values. A new reference, or NULL
 * with ERROR_MALFORMED that names line and column. What JSON text cannot carry safely (lone
 * surrogates, NUL in keys, numbers beyond a double or 64 bits, nesting over 2,048) is refused. what
 * names the text in the error: "the request body". */
json_t *json_read(const char *text, size_t len, const char *what, struct error *err);

/* Appends the value as compact text, keys in their order, each real number as the shortest decimal
 * that reads back as the same double (0.95, not 0.94999999999999996). */
void json_write(struct buf *buf, const json_t *value);

/* Appends text as a JSON string with its quotes. len bytes of valid UTF-8. */
void json_write_string(struct buf *buf, const char *text, size_t len);

/* The string at key, borrowed; NULL where it is absent or no string. */
const char *json_get_string(const json_t *object, const char *key);

/* Whether that string is this text. */
bool json_string_is(const json_t *object, const char *key, const char *text);

/* What a value is, in words for an error: "an object", "text", "a number"; static. */
const char *json_kind(const json_t *value);

#endif
