/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * JSON of other programs, which is not always JSON: NaN and numbers beyond 64 bits, comments,
 * commas before a bracket, half characters, keys that stand twice, other encodings.
 */
#ifndef LECTERN_FORMAT_JSON_TEXT_H
#define LECTERN_FORMAT_JSON_TEXT_H

#include <jansson.h>

#include "helpers/base/buf.h"
#include "helpers/base/error.h"
#include "mcp/format/format.h"

/* The value of a text: a new reference. Only a text that is not JSON, or has keys that stand twice,
 * is changed before it is read, and each change is reported with its line. NULL with
 * ERROR_MALFORMED, the line, and where it is known the correct form. name: of the file. */
json_t *json_text_read(const char *text, size_t len, const char *name, struct format_report *report,
                       struct error *err);

#endif
