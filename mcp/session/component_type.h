/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The component types and their parameters: one table, one validator over it. Adding a type is one
 * row, in the table or in a file that the server is started with.
 */
#ifndef LECTERN_SESSION_COMPONENT_TYPE_H
#define LECTERN_SESSION_COMPONENT_TYPE_H

#include <jansson.h>

#include "helpers/base/buf.h"
#include "helpers/base/error.h"
#include "helpers/base/fields.h"

#define COMPONENT_PARAMETERS_CAP 16

struct component_type {
    const char *name;
    const char *label; /* for people; NULL in those of a file */
    const char *use;   /* when an author picks it, a few words */
    struct field parameters[COMPONENT_PARAMETERS_CAP + 1]; /* ends with one without a name */
};

extern const struct field component_picture_rows[]; /* the members of one picture */

/* All there are, built in or added: rows 0 to count - 1. They do not change while threads run. */
size_t component_type_count(void);
const struct component_type *component_type_at(size_t row);
const struct component_type *component_type_find(const char *name); /* NULL when there is none */
const char *component_type_name(const struct component_type *type);

/* Adds the types of a JSON file: [{"name", "use", "parameters": [{"name", "type", "required",
 * "choices"}]}]. Once, before any thread is started. -1: err names the file, the row and what is
 * wrong with it, and nothing is added. */
int component_types_load(const char *path, struct error *err);
/* Takes them away again; for tests. */
void component_types_unload(void);

/* 0, or ERROR_INVALID that names the field, what was wrong and what the type's parameters are. loc
 * is the path in front: "components.2". sent: the parameters as a client sent them, where those to
 * be checked are merged of them and others; or NULL. kept: the parameters that there were before,
 * whose names are no misspellings; or NULL. */
int component_type_check(const char *type, const json_t *parameters, const json_t *sent,
                         const json_t *kept, const char *loc, struct error *err);
/* For the `of` of a row that has one of their names: their enum. */
extern const struct fields component_type_names;

/* "definition: term (text, needed), definition (text, needed)", one line. */
void component_type_describe(const struct component_type *type, struct buf *to);
/* The same in fewer words, for a tool's schema: "definition: term, definition", "caption?" where it
 * is optional. In the table's order: later types of pictures refer to the first. */
void component_type_outline(const struct component_type *type, struct buf *to);
/* When an author picks it, a few words: "one task solved with its reasoning". */
const char *component_type_use(const struct component_type *type);

/* The JSON Schema of a new component of any of the types, as fields have it. */
void component_type_schema(const struct field *row, const void *context, struct buf *to);

extern const char *const relationship_types[]; /* NULL-terminated: LEADS_TO first, the default */
int relationship_type_check(const char *type, const char *loc, struct error *err);

#endif
