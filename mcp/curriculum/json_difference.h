/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Compares two JSON values: whether they are equivalent, and the merge patch (RFC 7386) that turns
 * one into the other with the fewest members. The change log stores patches instead of whole texts.
 * Pure, any thread.
 */
#ifndef LECTERN_CURRICULUM_JSON_DIFFERENCE_H
#define LECTERN_CURRICULUM_JSON_DIFFERENCE_H

#include <stdbool.h>

#include <jansson.h>

#include "helpers/base/buf.h"

/* 1 equals 1.0, and a null member equals a missing one. NULL equals null. */
bool json_equivalent(const json_t *one, const json_t *other);

/* The patch that turns from into to, as a new reference. NULL if a merge patch cannot express it (a
 * null member in to would mean removal) or without memory. */
json_t *patch_make(const json_t *from, const json_t *to);

/* value with the patch applied, as a new reference. Members that the patch does not name are shared
 * with value. NULL without memory. */
json_t *patch_apply(const json_t *value, const json_t *patch);

/* What is different between two texts, or between two JSON values, on one line: the words that
 * changed, old and new, in their surroundings. For answers to edits and for the history. Pure, any
 * thread. */

#define TEXT_CHANGE_MAX  160u /* bytes of one text's change: about 40 tokens */
#define VALUE_CHANGE_MAX 400u /* bytes of all changes of one value */

/* Appends "... of a scale [measure -> weight] in kilograms ...": "[+very]" came, "[-very]" went.
 * Further places are counted: "(2 more)". Nothing if the texts are equal. NULL is an empty text. */
void text_change(const char *before, const char *after, struct buf *to);

/* Appends the same for each member of two values that differs, with its path: "definition: a
 * [scale -> balance]; steps.2: [+Check it.]". Members that did not fit are counted. A number or
 * another value counts as its JSON text; NULL as nothing. Nothing if the values are equal. */
void value_change(const json_t *before, const json_t *after, struct buf *to);

/* The same as a text of its own: "" if nothing changed. */
#define VALUE_CHANGE_SIZE (VALUE_CHANGE_MAX + 1)
void value_change_text(const json_t *before, const json_t *after, char text[VALUE_CHANGE_SIZE]);

#endif
