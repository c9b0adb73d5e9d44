/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The members of a JSON object, described once, as rows of a const table. Checking an object by its
 * table names each fault with its place, and the nearest known name for an unknown one. Pure.
 */
#ifndef LECTERN_BASE_FIELDS_H
#define LECTERN_BASE_FIELDS_H

#include <stdbool.h>

#include <jansson.h>

#include "helpers/base/buf.h"
#include "helpers/base/validation.h"

enum field_type {
    FIELD_ANY,
    FIELD_TEXT,
    FIELD_WHOLE,  /* a whole number; 3.0 is one */
    FIELD_NUMBER, /* any number */
    FIELD_FLAG,   /* true or false */
    FIELD_OBJECT,
    FIELD_ARRAY,
};

enum field_flags {
    FIELD_NULL = 1 << 0,      /* null is a value of its own; else it means "not given" */
    FIELD_LINE = 1 << 1,      /* text without control characters */
    FIELD_NUL = 1 << 2,       /* text that may hold a NUL character */
    FIELD_AS_TEXT = 1 << 3,   /* a whole number may come as text ("3"), as models send it */
    FIELD_NAME = 1 << 5,      /* text that names something that exists; its reader looks it up */
    FIELD_GIVEN_BACK = 1 << 4 /* set by the server: a client may send back what it was given, and
                                 no other name is taken for a misspelling of it */
};

struct field {
    const char *name;
    enum field_type type;
    bool required;
    /* Of a number: its bounds, where they are not both 0 (INFINITY: none above). Of a text: its
     * bytes; 0 as most is no bound. */
    double least, most;
    const char *const *choices; /* of a text, NULL-terminated; or NULL */
    const char *documentation;  /* what it says, for people and models; or NULL */
    const char *also;           /* another name that is taken for it (FIELDS_ALSO); or NULL */
    unsigned flags;             /* enum field_flags */
};

enum fields_flags {
    FIELDS_OPEN = 1 << 0,   /* further members are kept; only a misspelt name is refused */
    FIELDS_ALSO = 1 << 1,   /* the rows' other names are taken too */
    FIELDS_CHANGE = 1 << 2, /* a change: no member is required */
};

struct fields {
    const char *name;         /* of what they are the members, for an error: "rename_node" */
    const struct field *rows; /* ends with a row that has no name; NULL: there are none */
    unsigned flags;           /* enum fields_flags */
};

/* The row of that name, or NULL. */
const struct field *fields_find(const struct fields *fields, const char *name);

/* Adds what is wrong with an object to problems. kept: an object whose own names are no
 * misspellings, as a stored one has them; or NULL. */
void fields_check(const struct fields *fields, const json_t *object, const json_t *kept,
                  struct validation_errors *problems);

/* The same, and the members by their own names, each of its own type, without those that were not
 * given. A new reference; NULL: out of memory. Where something is wrong, it is as it was sent. */
json_t *fields_take(const struct fields *fields, const json_t *object, const json_t *kept,
                    struct validation_errors *problems);

/* The one of the names (NULL-terminated) that name misspells: near it, and no member of object.
 * NULL: it is none of theirs. */
const char *fields_misspelt(const char *name, const char *const *names, const json_t *object);

/* "title, id, place": the names that a client may send. */
void fields_list(const struct fields *fields, struct buf *to);

/* What a row's value must be: "text", "a whole number from 1 on", "one of tip, warning". */
void field_describe(const struct field *row, struct buf *to);

#endif
