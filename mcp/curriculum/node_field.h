/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The kinds of the members of a node: those of the contract, and the further ones that a curriculum
 * has, under any name ("Description", "Lernziele"). The values of these decide which of them
 * are words. Pure, any thread.
 */
#ifndef LECTERN_CURRICULUM_NODE_FIELD_H
#define LECTERN_CURRICULUM_NODE_FIELD_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

enum node_field {
    NODE_FIELD_STRUCTURE, /* of the contract: ids, chapter, kinds, times, components */
    NODE_FIELD_TITLE,
    NODE_FIELD_CONTENT, /* of the contract: raw_content and the texts of the four categories */
    NODE_FIELD_FURTHER,
};

enum node_field node_field_of(const char *name);

/* Whether the last word of a name, before a number, is one of the words, in any letter case:
 * "parent_id", "Image URL" and "imageUrl2" end in "id" and "url", "valid" does not. words:
 * NULL-terminated. */
bool node_field_ends_in(const char *name, const char *const *words);
/* Whether the name says that its value is for programs: an id, an address, a drawing, a colour. */
bool node_field_is_technical(const char *name);
/* Whether a name, or one on the path to a value, says that it is not for learners: answers,
 * solutions, and notes for those who teach or grade, in English, German, French and Spanish.
 * True for what is not UTF-8. */
bool node_field_is_for_teachers(const char *path);
/* Whether the whole text is a value for programs: a UUID, a URI, a date or time, a colour,
 * coordinates, a digest. Numbers and codes such as "6.RP.1" are not. */
bool node_value_is_technical(const char *text, size_t len);

/* Whether a value says nothing: null, or an empty text, list or object. */
bool node_value_is_empty(const json_t *value);

#endif
