/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The roles of the columns of a sheet, by their headings in English, German, French and Spanish,
 * and by the names that graph tools give them (Neo4j's ":ID", APOC's "_start").
 */
#ifndef LECTERN_SESSION_FORMAT_COLUMN_ROLE_H
#define LECTERN_SESSION_FORMAT_COLUMN_ROLE_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "helpers/base/error.h"

enum column_role {
    COLUMN_FIELD, /* none: an additional field */
    COLUMN_ID,
    COLUMN_TITLE,
    COLUMN_PREREQUISITES,
    COLUMN_SOURCE,
    COLUMN_TARGET,
    COLUMN_TYPE,
    COLUMN_ORDER,
    COLUMN_CHAPTER,
    COLUMN_IGNORE,
    COLUMN_ROLES,
};

/* How surely a heading names a role; a heading of a lower number is preferred. */
enum column_fit {
    COLUMN_BY_TOOL = 1, /* a name that only graph tools write: ":START_ID", "_start" */
    COLUMN_BY_NAME,     /* the name of a field of data: "source", "node_id" */
    COLUMN_BY_WORD,     /* a word that a person writes, which may mean something else: "Start" */
};

/* The place of a heading, without its type, among the headings of a role, from 1: lower is better.
 * 0: it is none of them. Letter case, accents, blanks and marks do not count. */
size_t column_role_rank(enum column_role role, const char *heading, size_t len,
                        enum column_fit *fit);

/* Whether a heading says that its column has none of these roles: "Description", "Parent". */
bool column_role_is_field(const char *heading, size_t len);

/* The name of a role ("prerequisites"); and the role of a name, COLUMN_ROLES if it is none. */
const char *column_role_name(enum column_role role);
enum column_role column_role_find(const char *name);

/* The roles that the user gives, "COLUMN=ROLE" each, NULL-terminated; or NULL. ERROR_INVALID if one
 * is not of that form. */
int column_role_check_map(const char *const *map, struct error *err);
/* The role that the user gives a heading; COLUMN_ROLES: none. */
enum column_role column_role_mapped(const char *const *map, const char *heading, size_t len);

/* A text in the form in which texts that people take for the same are equal: composed, in one
 * letter case, and without blanks around it. A new string; NULL if it is not UTF-8. */
json_t *column_same(const char *text, size_t len);

#endif
