/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What jansson lacks: strict parsing, the shortest form of numbers, and our error texts.
 */
#ifndef LECTERN_BASE_JSON_H
#define LECTERN_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "helpers/base/buf.h"
#include "helpers/base/error.h"

/* Parses one JSON value of len bytes; strings may contain NUL. Returns a new reference, or NULL
 * with ERROR_MALFORMED and the line and column. Refuses what JSON cannot transport reliably: lone
 * surrogates, NUL in keys, numbers beyond a double or 64 bits, nesting over 2,048. what names the
 * text in the error: "the request body". */
json_t *json_read(const char *text, size_t len, const char *what, struct error *err);

/* Appends the value as compact JSON. Keys keep their order, and each real number is the shortest
 * decimal that parses to the same double (0.95, not 0.94999999999999996). */
void json_write(struct buf *buf, const json_t *value);

/* Appends text, len bytes of valid UTF-8, as a JSON string with quotes. */
void json_write_string(struct buf *buf, const char *text, size_t len);

/* Appends ,"name":"text", a further member of an object; nothing for NULL. */
void json_write_member(struct buf *buf, const char *name, const char *text);

/* The string at key, borrowed; NULL if it is absent or not a string. */
const char *json_get_string(const json_t *object, const char *key);

/* Whether the string at key equals text. */
bool json_string_is(const json_t *object, const char *key, const char *text);

/* The type of a value in words, for an error: "an object", "text", "a number"; static. */
const char *json_kind(const json_t *value);

#endif
