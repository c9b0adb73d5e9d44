/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The component types and their parameters: one table, one validator over it. Adding a type is one
 * row.
 */
#ifndef LECTERN_SESSION_COMPONENT_TYPE_H
#define LECTERN_SESSION_COMPONENT_TYPE_H

#include <jansson.h>

#include "helpers/base/buf.h"
#include "helpers/base/error.h"

struct component_type;

const struct component_type *component_type_find(const char *name); /* NULL when there is none */
const char *const *component_type_names(void);                      /* NULL-terminated, static */

/* 0, or ERROR_INVALID that names the field, what was wrong and what the type's parameters are. loc
 * is the path in front: "components.2". */
int component_type_check(const char *type, const json_t *parameters, const char *loc,
                         struct error *err);

/* "definition: term (text, needed), definition (text, needed)", one line. */
void component_type_describe(const struct component_type *type, struct buf *to);
/* The same in fewer words, for a tool's schema: "definition: term, definition", "caption?" where it
 * is optional. In the table's order: later types of pictures refer to the first. */
void component_type_outline(const struct component_type *type, struct buf *to);
/* When an author picks it, a few words, static: "one task solved with its reasoning". */
const char *component_type_use(const struct component_type *type);

/* The JSON Schema of a new component of any of the types. */
void component_type_schema(struct buf *to);

extern const char *const relationship_types[]; /* NULL-terminated: LEADS_TO first, the default */
int relationship_type_check(const char *type, const char *loc, struct error *err);

#endif
