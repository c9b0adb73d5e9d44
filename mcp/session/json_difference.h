/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Compares two JSON values: whether they are equivalent, and the merge patch (RFC 7386) that turns
 * one into the other with the fewest members. The change log stores patches instead of whole texts.
 * Pure, any thread.
 */
#ifndef LECTERN_SESSION_JSON_DIFFERENCE_H
#define LECTERN_SESSION_JSON_DIFFERENCE_H

#include <stdbool.h>

#include <jansson.h>

/* 1 equals 1.0, and a null member equals a missing one. NULL equals null. */
bool json_equivalent(const json_t *one, const json_t *other);

/* The patch that turns from into to, as a new reference. NULL if a merge patch cannot express it (a
 * null member in to would mean removal) or without memory. */
json_t *patch_make(const json_t *from, const json_t *to);

/* value with the patch applied, as a new reference. Members that the patch does not name are shared
 * with value. NULL without memory. */
json_t *patch_apply(const json_t *value, const json_t *patch);

#endif
