/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Quotes in a sheet that do not follow RFC 4180, as people and programs write them: a quote that is
 * never closed, text behind a closing quote, quotes within a cell that are not doubled.
 */
#ifndef LECTERN_SESSION_FORMAT_CSV_QUOTES_H
#define LECTERN_SESSION_FORMAT_CSV_QUOTES_H

#include <stddef.h>

#include "helpers/base/buf.h"
#include "mcp/curriculum/findings.h"

/* Appends the sheet to the empty buffer, on the same lines, with each such cell quoted as RFC 4180
 * asks; nothing if the sheet has none. line: the number of its first line; name: of the file, for
 * the report. */
void csv_quotes_mend(const char *text, size_t len, char separator, size_t line, const char *name,
                     struct buf *mended, struct findings *findings);

#endif
