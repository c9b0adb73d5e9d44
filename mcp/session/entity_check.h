/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What nodes, components and relationships share, for the files entity*.c alone. Pure.
 */
#ifndef LECTERN_SESSION_ENTITY_CHECK_H
#define LECTERN_SESSION_ENTITY_CHECK_H

#include <math.h>

#include <jansson.h>

#include "helpers/base/error.h"
#include "helpers/base/fields.h"
#include "mcp/store/store.h"

/* An object to work on: a copy of input whose values are shared. NULL with err. loc: the path in
 * front, or "". */
json_t *entity_open(const json_t *input, const char *loc, const char *what, struct error *err);
void entity_drop(json_t *object, const char *const *keys); /* keys: NULL-terminated */

/* Rows that several entities have. */
/* clang-format off */
#define ENTITY_TEXT(member)       FIELD(member, FIELD_TEXT, .most = (double)TEXT_MAX, .flags = FIELD_NUL)
#define ENTITY_SHARE(member)      FIELD(member, FIELD_NUMBER, .least = 0, .most = 1)
#define ENTITY_WHOLE(member)      FIELD(member, FIELD_WHOLE, .least = 1, .most = INFINITY)
#define ENTITY_GIVEN_BACK(member) FIELD(member, FIELD_ANY, .flags = FIELD_GIVEN_BACK)
/* clang-format on */

#endif
