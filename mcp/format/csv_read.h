/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One sheet of the CSV pair, ours or another tool's, as the entries of a curriculum file.
 */
#ifndef LECTERN_SESSION_FORMAT_CSV_READ_H
#define LECTERN_SESSION_FORMAT_CSV_READ_H

#include <jansson.h>

#include "helpers/base/buf.h"
#include "helpers/base/error.h"
#include "mcp/format/csv_write.h"
#include "mcp/format/format.h"

/* name: the file's, for errors and the report. A new array, or NULL. */
json_t *csv_read_sheet(const struct csv_sheet *sheet, const char *name, const struct buf *text,
                       struct format_report *report, struct error *err);

#endif
