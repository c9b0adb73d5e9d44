/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Inside of component_type.h: a row of the table of component types.
 */
#ifndef LECTERN_SESSION_COMPONENT_TYPE_ROW_H
#define LECTERN_SESSION_COMPONENT_TYPE_ROW_H

#include <stdbool.h>
#include <stddef.h>

#define COMPONENT_PARAMETERS_CAP 16

enum parameter_shape {
    SHAPE_TEXT,
    SHAPE_TEXT_LIST,
    SHAPE_CHOICE,
    SHAPE_NUMBER,
    SHAPE_FLAG,
    SHAPE_OBJECT,
    SHAPE_PICTURES,
    SHAPE_CHART_DATA,
};

struct parameter {
    const char *name;
    enum parameter_shape shape;
    bool needed;
    const char *const *choices; /* of a SHAPE_CHOICE, NULL-terminated */
    unsigned pictures;          /* of SHAPE_PICTURES: how many */
};

struct component_type {
    const char *name;
    const char *use; /* when an author picks it, a few words */
    struct parameter parameters[COMPONENT_PARAMETERS_CAP + 1]; /* ends with one without a name */
};

/* Puts rows behind the built-in ones; borrowed. Before any thread is started. */
void component_types_set_added(const struct component_type *rows, size_t count);

#endif
