/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The two sheets of the CSV pair, and how each is written.
 */
#ifndef LECTERN_SESSION_FORMAT_CSV_WRITE_H
#define LECTERN_SESSION_FORMAT_CSV_WRITE_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "helpers/base/buf.h"
#include "helpers/base/error.h"
#include "mcp/format/csv.h"

#define CSV_SHEET_ROLES 3

struct csv_sheet {
    const char *file; /* its name in a folder */
    struct {
        const char *key;     /* of the entry; NULL ends the list */
        const char *heading; /* of the column */
        enum csv_role role;
    } roles[CSV_SHEET_ROLES + 1];
    size_t needed;              /* of the roles, from the first */
    const char *heading_needed; /* in words */
};
extern const struct csv_sheet csv_nodes, csv_relationships;

/* entries: an array of anything. *rest: rows that needed the last column. */
int csv_write_sheet(const struct csv_sheet *sheet, const json_t *entries, struct buf *text,
                    size_t *rest, struct error *err);

#endif
