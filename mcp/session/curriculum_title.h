/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where the title of a curriculum stands at the top level of its file: "meta.title", "meta.name" or
 * "title", the first of them that is text and not blank. Pure.
 */
#ifndef LECTERN_SESSION_CURRICULUM_TITLE_H
#define LECTERN_SESSION_CURRICULUM_TITLE_H

#include <jansson.h>

#include "helpers/base/error.h"

#define CURRICULUM_UNTITLED "Untitled curriculum"

/* Borrowed; NULL where it has none. */
const char *curriculum_title(const json_t *root);
/* Writes it where it stands, else as "meta.title", or as "title" where "meta" is not an object. */
int curriculum_set_title(json_t *root, const char *title, struct error *err);

#endif
