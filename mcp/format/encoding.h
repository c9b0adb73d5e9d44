/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The characters of a file as other programs save it: UTF-8 with or without a byte order mark,
 * UTF-16 (Unicode 15, 3.10), or a Windows code page.
 */
#ifndef LECTERN_SESSION_FORMAT_ENCODING_H
#define LECTERN_SESSION_FORMAT_ENCODING_H

#include "helpers/base/buf.h"
#include "helpers/base/error.h"
#include "mcp/format/format.h"

/* The byte order mark of UTF-8, which makes spreadsheets read a file as such. */
#define ENCODING_MARK "\xEF\xBB\xBF"

/* Converts the bytes of a file to UTF-8 without a byte order mark and without NUL, in place. A text
 * that is not UTF-8 is read as UTF-16 where it has its mark or its NUL bytes, else as Windows-1252;
 * each conversion is reported under the name of the file. -1 with err above the cap of text, or
 * where UTF-16 is not well formed. */
int encoding_to_utf8(struct buf *text, const char *name, struct format_report *report,
                     struct error *err);

#endif
