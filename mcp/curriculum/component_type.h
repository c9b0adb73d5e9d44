/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The component types and their parameters: one table, and one validator for it. A new type is one
 * row, in the table or in a file that is given to the server at start.
 */
#ifndef LECTERN_CURRICULUM_COMPONENT_TYPE_H
#define LECTERN_CURRICULUM_COMPONENT_TYPE_H

#include <jansson.h>

#include "helpers/base/buf.h"
#include "helpers/base/error.h"
#include "helpers/base/fields.h"

#define COMPONENT_PARAMETERS_CAP 16

struct component_type {
    const char *name;
    const char *label; /* for people; NULL for types from a file */
    const char *use;   /* when an author chooses it, in a few words */
    struct field parameters[COMPONENT_PARAMETERS_CAP + 1]; /* terminated by one without a name */
    /* The rules between parameters of which each is right alone; or NULL. */
    void (*check)(const json_t *parameters, struct validation_errors *problems);
};

extern const struct field component_picture_rows[]; /* the members of one picture */

/* All types, built in or added: rows 0 to count - 1. They do not change while threads run. */
size_t component_type_count(void);
const struct component_type *component_type_at(size_t row);
const struct component_type *component_type_find(const char *name); /* NULL if there is none */
const char *component_type_name(const struct component_type *type);

/* Adds the types of a JSON file: [{"name", "use", "parameters": [{"name", "type", "required",
 * "choices"}]}]. Call it at most once, before any thread is started. On an error nothing is added,
 * and err names the file, the row and the problem. */
int component_types_load(const char *path, struct error *err);

/* Returns 0, or ERROR_INVALID with the field, the problem, and the parameters of the type. loc is
 * the path prefix: "components.2". sent: the parameters that the client sent, if the ones to check
 * are merged from them and others; or NULL. kept: the previous parameters, whose names do not count
 * as misspellings; or NULL. */
int component_type_check(const char *type, const json_t *parameters, const json_t *sent,
                         const json_t *kept, const char *loc, struct error *err);
/* For parameters that a model has sent: refuses those that the type does not have, unless `kept`,
 * the previous parameters or NULL, has them, and a required one of `kept` that would be emptied.
 * Returns as component_type_check. The rest is checked there, also an unknown type. */
int component_type_check_sent(const char *type, const json_t *sent, const json_t *kept,
                              const char *loc, struct error *err);
/* For the `of` of a row whose value is the name of a type: an enum. */
extern const struct fields component_type_names;

/* "definition: term (text, needed), definition (text, needed)", on one line. */
void component_type_describe(const struct component_type *type, struct buf *to);
/* The same in fewer words, for a tool's schema: "definition: term, definition"; "caption?" is
 * optional, and what it must be is left to the error about a wrong one. In the order of the table:
 * later types with pictures refer to the first. */
void component_type_outline(const struct component_type *type, struct buf *to);
/* When an author chooses it, in a few words: "one task solved with its reasoning". */
const char *component_type_use(const struct component_type *type);

/* Appends the JSON Schema of a new component of any type; a write_schema of a field
 * (helpers/base/fields.h). */
void component_type_schema(const struct field *row, const void *context, struct buf *to);

extern const char *const relationship_types[]; /* NULL-terminated: LEADS_TO first, the default */
/* Of links to another curriculum: the association types of CASE 1.0; isRelatedTo first, the
 * default. */
extern const char *const link_types[];
/* Whether the type is the structure of a framework inside one curriculum: isChildOf, isPartOf. It
 * comes with imports alone. */
bool relationship_is_structure(const char *type);
/* The contract's name of a type in other letters, such as "leads to"; NULL: it has none. */
const char *relationship_type_spelled(const char *type);
/* types: one of these tables. */
int relationship_type_check(const char *type, const char *const *types, const char *loc,
                            struct error *err);

#endif
