/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The roles of the columns of a sheet by their cells, where no heading names one: headings in any
 * language, and sheets without a row of headings. A column is given a role only where its cells
 * leave little doubt.
 */
#ifndef LECTERN_SESSION_FORMAT_COLUMN_CONTENT_H
#define LECTERN_SESSION_FORMAT_COLUMN_CONTENT_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#define CONTENT_ROWS_CAP    100000u /* a sheet with more is read by its headings alone */
#define CONTENT_ROWS_WORDS  "100,000"
#define CONTENT_COLUMNS_CAP 100u /* that are looked at, from the first */
#define CONTENT_NEEDS_CAP   16u  /* columns of prerequisites */

/* Columns from 1; 0: none. */
struct column_content {
    size_t id, title;
    size_t source, target; /* of relationships; then there are no lessons */
    size_t needs[CONTENT_NEEDS_CAP], needs_count;
    size_t columns;  /* of the sheet, up to the cap */
    bool no_heading; /* the first row is a row like the others */
};

/* The roles that headings give. */
struct column_known {
    size_t id, title;                   /* columns from 1; 0: to be found */
    size_t source, target;              /* of the first two, by their headings; 0: to be found */
    size_t needs;                       /* the first column of prerequisites; 0: to be found */
    bool without_needs;                 /* the sheet's relationships stand elsewhere */
    bool without_ends;                  /* it is one of lessons */
    bool has_role[CONTENT_COLUMNS_CAP]; /* by its heading, or from the user */
};

/* The roles of the columns that are found; those that are known are 0. rows: arrays of texts, the
 * first is that of the headings. */
struct column_content column_content_find(const json_t *rows, const struct column_known *known);

#endif
