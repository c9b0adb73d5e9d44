/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Inside of component_type.h: a row of the table of component types.
 */
#ifndef LECTERN_SESSION_COMPONENT_TYPE_ROW_H
#define LECTERN_SESSION_COMPONENT_TYPE_ROW_H

#include <stddef.h>

#include "helpers/base/fields.h"

#define COMPONENT_PARAMETERS_CAP 16

struct component_type {
    const char *name;
    const char *label; /* for people; NULL in those of a file */
    const char *use;   /* when an author picks it, a few words */
    struct field parameters[COMPONENT_PARAMETERS_CAP + 1]; /* ends with one without a name */
};

extern const struct field component_picture_rows[]; /* the members of one picture */

/* Puts rows behind the built-in ones; borrowed. Before any thread is started. */
void component_types_set_added(const struct component_type *rows, size_t count);

#endif
