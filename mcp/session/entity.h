/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The contract's rules for what a new write may bring: fields, their shapes and caps. Each function
 * turns input into the JSON object to keep, further fields included, or says all that is wrong with
 * it. Pure; the same for every backend.
 */
#ifndef LECTERN_SESSION_ENTITY_H
#define LECTERN_SESSION_ENTITY_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "helpers/base/error.h"
#include "helpers/base/fields.h"

/* Of one node, component or relationship in a new write: its bytes as JSON text, its nesting. */
#define ENTITY_SIZE_MAX  ((size_t)4 << 20)
#define ENTITY_DEPTH_MAX 64

extern const char *const entity_categories[]; /* the four content categories, NULL-terminated */

/* Their members. Further ones are kept; a misspelt name of one that is not there is refused. */
extern const struct fields entity_node_fields, entity_node_change_fields, entity_component_fields,
    entity_component_change_fields, entity_relationship_fields, entity_relationship_brief_fields,
    entity_relationship_change_fields;
extern const struct fields entity_texts_fields; /* the four texts of a node, and no others */

/* Each returns a new reference, or NULL with err. */
json_t *entity_node(const json_t *input, struct error *err);
/* Without order keys; loc: the path in front, "components.2" or "". */
json_t *entity_component(const json_t *input, const char *loc, struct error *err);
/* loc as above. short_names: "from", "to" and "type" are as good as the long names. */
json_t *entity_relationship(const json_t *input, const char *loc, bool short_names, const char *who,
                            const char *now, struct error *err);

/* Applies changes to a whole component in place. A `content` that was equal to a text parameter
 * follows it. */
int entity_component_change(json_t *component, const json_t *changes, bool merge,
                            struct error *err);

/* Applies changes to a whole node in place: what is given alone is checked, so that an imported
 * node can be mended bit by bit; null takes a field away. */
int entity_node_change(json_t *node, const json_t *changes, struct error *err);

/* Applies type, explanation, confidence and further fields to a whole relationship in place; null
 * leaves those three as they are. Its ends stay. */
int entity_relationship_change(json_t *relationship, const json_t *changes, struct error *err);

/* {"title": ...}: what can be changed of a session. */
extern const struct fields entity_session_fields;

#define CURRICULUM_UNTITLED "Untitled curriculum"

/* Where the title of a curriculum stands at the top level of its file: "meta.title", "meta.name" or
 * "title", the first of them that is text and not blank. Borrowed; NULL where it has none. */
const char *curriculum_title(const json_t *root);
/* Writes it where it stands, else as "meta.title", or as "title" where "meta" is not an object. */
int curriculum_set_title(json_t *root, const char *title, struct error *err);

/* {"explanation": ..., ...}: at least one of the four, each text or null. */
int entity_texts_check(const json_t *texts, struct error *err);

/* The type, in whichever key it is; NULL where there is none. */
const char *entity_component_type(const json_t *component);

/* The first words of its content, in one line. */
void entity_component_summary(const json_t *component, char *to, size_t size);

#endif
