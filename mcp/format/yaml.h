/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * JSON values as YAML and back, for front matter that people write. What comes back is the same
 * value: what YAML would not hold (nesting over FORMAT_DEPTH_CAP, for one) is written as
 * `lectern_json: "..."`, JSON in one text.
 */
#ifndef LECTERN_SESSION_FORMAT_YAML_H
#define LECTERN_SESSION_FORMAT_YAML_H

#include <stddef.h>

#include <jansson.h>

#include "helpers/base/buf.h"
#include "helpers/base/error.h"

/* Appends value as lines of YAML, ended by a newline. */
int yaml_write(struct buf *to, const json_t *value, struct error *err);

/* One YAML document. Plain words are texts but null, true, false and JSON's numbers. Repeated keys,
 * aliases and NUL in keys are refused. name and first_line (of the text, from 1) are for errors:
 * ERROR_MALFORMED with file and line. Nothing but blanks is null. */
json_t *yaml_read(const char *text, size_t len, const char *name, size_t first_line,
                  struct error *err);

#endif
