/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a plain word of YAML means to us; shared by both directions. Pure.
 */
#ifndef LECTERN_SESSION_FORMAT_YAML_TEXT_H
#define LECTERN_SESSION_FORMAT_YAML_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#define YAML_JSON_KEY "lectern_json" /* the only key of a mapping whose value is JSON in a text */

/* null, true, false or a number; NULL where it is a text. */
json_t *yaml_plain_value(const char *text, size_t len);
/* Whether a text would be read as something else without quotes, by us or by others. */
bool yaml_text_needs_quotes(const char *text, size_t len);

#endif
