/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The checks that nodes, components and relationships share, for the files entity*.c alone. A check
 * adds what is wrong to problems. Pure.
 */
#ifndef LECTERN_SESSION_ENTITY_CHECK_H
#define LECTERN_SESSION_ENTITY_CHECK_H

#include <jansson.h>

#include "helpers/base/error.h"
#include "mcp/session/problems.h"

/* An object to work on: a copy of input whose values are shared. NULL with err. loc: the path in
 * front, or "". */
json_t *entity_open(const json_t *input, const char *loc, const char *what, struct error *err);
void entity_drop(json_t *object, const char *const *keys); /* keys: NULL-terminated */

void entity_check_id(struct problems *problems, const char *field, const json_t *value);
void entity_check_title(struct problems *problems, const json_t *value);
/* Text of at most TEXT_MAX bytes, null or nothing. */
void entity_check_text(struct problems *problems, const char *field, const json_t *value);
/* A number from 0 to 1, null or nothing. */
void entity_check_share(struct problems *problems, const char *field, const json_t *value);

#endif
