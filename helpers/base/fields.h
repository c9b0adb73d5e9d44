/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Describes the members of a JSON object once, as rows of a const table. The checks, the errors
 * (each names its place, and the nearest known name for an unknown one) and the JSON Schema for
 * other programs and models follow from the table. Pure.
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
    FIELD_WHOLE,  /* a whole number, also written as 3.0 */
    FIELD_NUMBER, /* any number */
    FIELD_FLAG,   /* true or false */
    FIELD_OBJECT,
    FIELD_ARRAY,
    FIELD_MAP, /* an object with arbitrary names whose values have one type */
};

enum field_flags {
    FIELD_NULL = 1 << 0,       /* null is a value; otherwise it means "not given" */
    FIELD_LINE = 1 << 1,       /* text without control characters */
    FIELD_NUL = 1 << 2,        /* text that may contain a NUL character */
    FIELD_AS_TEXT = 1 << 3,    /* accepted as text too ("3", "true", "[]") */
    FIELD_GIVEN_BACK = 1 << 4, /* set by the server: a client may send back the value it received,
                                  and no other name counts as a misspelling of it */
    FIELD_NAME = 1 << 5,       /* text that names something that exists; its reader looks it up */
    FIELD_NULLS = 1 << 7,      /* the values of a map may be null */
    FIELD_ALONE = 1 << 6,      /* may be sent without its object, as an array */
    FIELD_UNLISTED = 1 << 9,   /* accepted, but not in the short schema nor in lists of names */
    FIELD_NOT_PROSE = 1 << 8,  /* text that nobody reads as words: a drawing, a link */
    FIELD_TERM = 1 << 10,      /* text: the word that its object defines */
    FIELD_HEADING = 1 << 11,   /* text above others */
    FIELD_ONE = 1 << 12,       /* an array; a text or number alone is one with that item */
};

struct field {
    const char *name;
    enum field_type type;
    bool required;
    /* Of a number: its bounds, unless both are 0 (INFINITY: no upper bound). Of a text, or of each
     * text in an array: its length in bytes; most = 0 means no bound. */
    double least, most;
    const char *const *choices; /* of a text, NULL-terminated; or NULL */
    const char *documentation;  /* description for people and models; or NULL */
    const char *also;           /* another accepted name (FIELDS_ALSO); or NULL */
    const char *instead;        /* the member that replaces a required one: one of both; or NULL */
    unsigned flags;             /* enum field_flags */
    enum field_type item;       /* of an array: the type of each item; FIELD_TEXT is checked */
    /* The members of the value, or of each value of an array or map, for its schema; NULL: not
     * described. The code that uses the value checks them, unless `of` has a check. */
    const struct fields *of;
};

/* clang-format off */
/* A row: FIELD("title", FIELD_TEXT, .required = true). */
#define FIELD(member, kind, ...) {.name = (member), .type = (kind), __VA_ARGS__}
/* clang-format on */

enum fields_flags {
    FIELDS_OPEN = 1 << 0,   /* unknown members are kept; only a misspelt name is refused */
    FIELDS_ALSO = 1 << 1,   /* the rows' other names are accepted too */
    FIELDS_CHANGE = 1 << 2, /* a change: no member is required */
    FIELDS_ANSWER = 1 << 3, /* sent by the server: null only with FIELD_NULL; implies FIELDS_OPEN */
    FIELDS_AS_TEXT = 1 << 4, /* FIELD_AS_TEXT for every row */
    FIELDS_CLOSED = 1 << 6,  /* the short schema says that other names are refused, too */
    FIELDS_NAMED = 1 << 5,   /* who reports the problems lists the names once, behind all */
};

struct fields {
    const char *name;         /* what has these members, for errors: "rename_node" */
    const struct field *rows; /* ends with a row without a name; NULL: no rows */
    unsigned flags;           /* enum fields_flags */
    const char *schema;       /* its name in a document's list of schemas, "Node"; or NULL */
    const char *noun;         /* what an error calls a member; NULL: "member" */
    const char *documentation;

    /* Returns the i-th choice of a text whose choices are not constant, NULL after the last. */
    const char *(*choice)(size_t i);
    /* Appends the variable part of the documentation. context: as in fields_schema. */
    void (*document)(const void *context, struct buf *to);
    /* For values that rows cannot describe. row is the one that has these fields as `of`, NULL for
     * a separate schema. Each function may be NULL. */
    void (*write_schema)(const struct field *row, const void *context, struct buf *to);
    void (*describe)(const struct field *row, struct buf *to);
    /* object is the object that contains the value; name is the value's place in errors. */
    void (*check)(const struct field *row, const json_t *value, const json_t *object,
                  const char *name, struct validation_errors *problems);
};

/* Whether the object lacks the row's member although it is required. */
bool field_is_missing(const struct field *row, const json_t *object);

/* The row of that name, or NULL. */
const struct field *fields_find(const struct fields *fields, const char *name);

/* Whether a row that the object does not have may be meant by the name: "timeout" for
 * timeout_seconds, "titel" for title. */
bool fields_resemble(const struct fields *fields, const char *name, const json_t *object);

/* Adds the problems of an object to problems. kept: an object whose unknown names are not
 * misspellings, such as the stored version; or NULL. */
void fields_check(const struct fields *fields, const json_t *object, const json_t *kept,
                  struct validation_errors *problems);
/* The two halves of fields_check: the members that have rows, and the names that have none. */
void fields_check_rows(const struct fields *fields, const json_t *object,
                       struct validation_errors *problems);
void fields_check_names(const struct fields *fields, const json_t *object, const json_t *kept,
                        struct validation_errors *problems);

/* Does the same, and returns the given members under their own names, each converted to its type. A
 * new reference; NULL if out of memory. Do not use it if there are problems. */
json_t *fields_take(const struct fields *fields, const json_t *object, const json_t *kept,
                    struct validation_errors *problems);

/* Appends "title, id, place": the names that a client may send. */
void fields_list(const struct fields *fields, struct buf *to);

/* Appends what a row's value must be: "text", "a whole number from 1 on", "one of tip, warning". */
void field_describe(const struct field *row, struct buf *to);

/* Appends the JSON Schema of the object. refs: the prefix of named schemas,
 * "#/components/schemas/", to which the schemas of values refer. NULL: the short form for models,
 * without references; it omits that null means "not given" and which names are refused. context:
 * passed to write_schema. */
void fields_schema(const struct fields *fields, const char *refs, const void *context,
                   struct buf *to);
/* Appends the schema of one row's value, without null. */
void field_schema(const struct field *row, const char *refs, struct buf *to);

#endif
