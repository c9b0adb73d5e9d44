/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The members of a JSON object, described once, as rows of a const table. From the table come the
 * checks, the errors (each names its place, and the nearest known name for an unknown one), and the
 * JSON Schema that other programs and models read. Pure.
 */
#ifndef LECTERN_BASE_FIELDS_H
#define LECTERN_BASE_FIELDS_H

#include <stdbool.h>

#include <jansson.h>

#include "helpers/base/buf.h"
#include "helpers/base/validation.h"

struct fields;

enum field_type {
    FIELD_ANY,
    FIELD_TEXT,
    FIELD_WHOLE,  /* a whole number; 3.0 is one */
    FIELD_NUMBER, /* any number */
    FIELD_FLAG,   /* true or false */
    FIELD_OBJECT,
    FIELD_ARRAY,
    FIELD_MAP, /* an object with any names, whose values are alike */
};

enum field_flags {
    FIELD_NULL = 1 << 0,       /* null is a value of its own; else it means "not given" */
    FIELD_LINE = 1 << 1,       /* text without control characters */
    FIELD_NUL = 1 << 2,        /* text that may hold a NUL character */
    FIELD_AS_TEXT = 1 << 3,    /* may come as text ("3", "true", "[]"), as models send it */
    FIELD_GIVEN_BACK = 1 << 4, /* set by the server: a client may send back what it was given, and
                                  no other name is taken for a misspelling of it */
    FIELD_NAME = 1 << 5,       /* text that names something that exists; its reader looks it up */
    FIELD_NULLS = 1 << 7,      /* the values of a map may be null */
    FIELD_ALONE = 1 << 6,      /* may be sent without the object around it: an array */
};

struct field {
    const char *name;
    enum field_type type;
    bool required;
    /* Of a number: its bounds, where they are not both 0 (INFINITY: none above). Of a text, or of
     * each text of an array: its bytes; 0 as most is no bound. */
    double least, most;
    const char *const *choices; /* of a text, NULL-terminated; or NULL */
    const char *documentation;  /* what it says, for people and models; or NULL */
    const char *also;           /* another name that is taken for it (FIELDS_ALSO); or NULL */
    unsigned flags;             /* enum field_flags */
    enum field_type item;       /* of an array: the type of each item; FIELD_TEXT is checked */
    /* The members of the value, or of each value of an array or map, for its schema; NULL: not
     * described. Who takes the value checks them, unless `of` has a check. */
    const struct fields *of;
};

/* clang-format off */
/* A row: FIELD("title", FIELD_TEXT, .required = true). */
#define FIELD(member, kind, ...) {.name = (member), .type = (kind), __VA_ARGS__}
/* clang-format on */

enum fields_flags {
    FIELDS_OPEN = 1 << 0,    /* further members are kept; only a misspelt name is refused */
    FIELDS_ALSO = 1 << 1,    /* the rows' other names are taken too */
    FIELDS_CHANGE = 1 << 2,  /* a change: no member is required */
    FIELDS_ANSWER = 1 << 3,  /* sent by the server: null only with FIELD_NULL, and open */
    FIELDS_AS_TEXT = 1 << 4, /* FIELD_AS_TEXT for every row */
};

struct fields {
    const char *name;         /* of what they are the members, for an error: "rename_node" */
    const struct field *rows; /* ends with a row that has no name; NULL: there are none */
    unsigned flags;           /* enum fields_flags */
    const char *schema;       /* its name among the schemas of a document, "Node"; or NULL */
    const char *noun;         /* what an error calls a member; NULL: "member" */
    const char *documentation;

    /* Of a text whose choices are not constant: the i-th, NULL behind the last. */
    const char *(*choice)(size_t i);
    /* Appends to the documentation what is not constant. context: of fields_schema. */
    void (*document)(const void *context, struct buf *to);
    /* Of values that rows cannot describe, with the row that has these fields as `of` (NULL where
     * the schema stands by itself); each may be NULL. */
    void (*write_schema)(const struct field *row, const void *context, struct buf *to);
    void (*describe)(const struct field *row, struct buf *to);
    /* object: what the value is a member of; name: the value's place in an error. */
    void (*check)(const struct field *row, const json_t *value, const json_t *object,
                  const char *name, struct validation_errors *problems);
};

/* The row of that name, or NULL. */
const struct field *fields_find(const struct fields *fields, const char *name);

/* Adds what is wrong with an object to problems. kept: an object whose own names are no
 * misspellings, as a stored one has them; or NULL. */
void fields_check(const struct fields *fields, const json_t *object, const json_t *kept,
                  struct validation_errors *problems);
/* Its two halves: what is there of the rows, and what no row names. */
void fields_check_rows(const struct fields *fields, const json_t *object,
                       struct validation_errors *problems);
void fields_check_names(const struct fields *fields, const json_t *object, const json_t *kept,
                        struct validation_errors *problems);

/* The same, and the members by their own names, each of its own type, without those that were not
 * given. A new reference; NULL: out of memory. Where something is wrong, it is not to be used. */
json_t *fields_take(const struct fields *fields, const json_t *object, const json_t *kept,
                    struct validation_errors *problems);

/* "title, id, place": the names that a client may send. */
void fields_list(const struct fields *fields, struct buf *to);

/* What a row's value must be: "text", "a whole number from 1 on", "one of tip, warning". */
void field_describe(const struct field *row, struct buf *to);

/* Appends the JSON Schema of the object. refs: where named schemas stand,
 * "#/components/schemas/"; those of the values are referred to there. NULL: the short form for
 * models, whole, which leaves out that null means "not given" and which names are refused. context:
 * for write_schema. */
void fields_schema(const struct fields *fields, const char *refs, const void *context,
                   struct buf *to);
/* Appends that of one row's value, not null. */
void field_schema(const struct field *row, const char *refs, struct buf *to);

#endif
