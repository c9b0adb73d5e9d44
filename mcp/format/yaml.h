/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Converts JSON values to YAML and back, for front matter that people write. Reading returns the
 * same value: what YAML cannot represent (such as nesting over FORMAT_DEPTH_CAP) is written as
 * `lectern_json: "..."`, JSON in a string.
 */
#ifndef LECTERN_SESSION_FORMAT_YAML_H
#define LECTERN_SESSION_FORMAT_YAML_H

#include <stddef.h>

#include <jansson.h>

#include "helpers/base/buf.h"
#include "helpers/base/error.h"

/* Appends value as lines of YAML, with a newline at the end. */
int yaml_write(struct buf *to, const json_t *value, struct error *err);

/* Parses one YAML document. Plain words are strings, except null, true, false and JSON's numbers.
 * Duplicate keys, aliases and NUL in keys are refused. name and first_line (of the text, from 1)
 * are for errors: ERROR_MALFORMED with file and line. A blank document is null. */
json_t *yaml_read(const char *text, size_t len, const char *name, size_t first_line,
                  struct error *err);

/* The same for front matter of other tools: a number that JSON would write otherwise ("007",
 * "1.10", "1e3") is a text, and so is any value of the keys in texts at the top (a list that ends
 * with NULL). */
json_t *yaml_read_as_written(const char *text, size_t len, const char *const *texts,
                             const char *name, size_t first_line, struct error *err);

#endif
