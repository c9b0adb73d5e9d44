/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rules of the contract for new writes: fields, their types and limits. Each function converts
 * input into the JSON object to store, including additional fields, or reports everything that is
 * wrong with it. Pure; the same for every backend.
 */
#ifndef LECTERN_CURRICULUM_ENTITY_H
#define LECTERN_CURRICULUM_ENTITY_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "helpers/base/error.h"
#include "helpers/base/fields.h"

/* Limits of one node, component or relationship in a new write: bytes of its JSON text, nesting. */
#define ENTITY_SIZE_MAX  ((size_t)4 << 20)
#define ENTITY_DEPTH_MAX 64

extern const char *const entity_categories[]; /* the four content categories, NULL-terminated */

/* Their members. Additional members are stored; a misspelling of a missing known member is
 * refused. */
extern const struct fields entity_node_fields, entity_node_change_fields, entity_component_fields,
    entity_component_change_fields, entity_relationship_fields, entity_relationship_brief_fields,
    entity_relationship_change_fields;
/* The four texts of a node; other members are refused. */
extern const struct fields entity_texts_fields;

/* Each returns a new reference, or NULL with err. */
json_t *entity_node(const json_t *input, struct error *err);
/* Without order keys. loc is the path prefix, "components.2" or "". */
json_t *entity_component(const json_t *input, const char *loc, struct error *err);
/* loc as above. short_names: also accept "from", "to" and "type". */
json_t *entity_relationship(const json_t *input, const char *loc, bool short_names, const char *who,
                            const char *now, struct error *err);

/* Applies changes to a complete component in place. A `content` that was equal to a text parameter
 * is updated with it. */
int entity_component_change(json_t *component, const json_t *changes, bool merge,
                            struct error *err);

/* Applies changes to a complete node in place. Only the given members are checked, so that an
 * imported node can be corrected step by step. null removes a field. */
int entity_node_change(json_t *node, const json_t *changes, struct error *err);

/* Applies type, explanation, confidence and additional fields to a complete relationship in place;
 * null leaves those three unchanged. The ends cannot change. */
int entity_relationship_change(json_t *relationship, const json_t *changes, struct error *err);

/* {"title": ...}: what can be changed in a session. */
extern const struct fields entity_session_fields;

#define CURRICULUM_UNTITLED "Untitled curriculum"

/* The title of a curriculum, from the top level of its file: the first of "meta.title", "meta.name"
 * and "title" that is a string and not blank. Borrowed; NULL if there is none. */
const char *curriculum_title(const json_t *root);
/* Replaces the title where curriculum_title finds it, else sets "meta.title", or "title" if "meta"
 * is not an object. */
int curriculum_set_title(json_t *root, const char *title, struct error *err);

/* {"explanation": ..., ...}: at least one of the four, each a string or null. */
int entity_texts_check(const json_t *texts, struct error *err);

/* The type, from either of its keys; NULL if there is none. */
const char *entity_component_type(const json_t *component);

/* The first words of its content, on one line. */
void entity_component_summary(const json_t *component, char *to, size_t size);

#endif
