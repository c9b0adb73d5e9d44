/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The `content` of a component as curriculum files have it: the texts of its parameters once more,
 * alone or joined by labels, numbers and line ends ("Problem: ...\nSolution: ..."). Without
 * following them it would contradict the parameters after an edit. Pure, any thread.
 */
#ifndef LECTERN_CURRICULUM_DERIVED_CONTENT_H
#define LECTERN_CURRICULUM_DERIVED_CONTENT_H

#include <jansson.h>

/* The content after the parameters `was` became `is`: a new string, or NULL if the content is not
 * derived from `was`, would stay the same, or there is no memory. type may be NULL. */
json_t *derived_content(const char *type, const char *content, const json_t *was, const json_t *is);

#endif
