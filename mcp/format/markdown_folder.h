/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The two directions of the form "markdown"; the format: markdown.h.
 */
#ifndef LECTERN_SESSION_FORMAT_MARKDOWN_FOLDER_H
#define LECTERN_SESSION_FORMAT_MARKDOWN_FOLDER_H

#include <jansson.h>

#include "helpers/base/error.h"
#include "mcp/format/format.h"

json_t *markdown_read(const char *path, struct format_report *report, struct error *err);
int markdown_write(const json_t *curriculum, const char *path, struct format_report *report,
                   struct error *err);

#endif
