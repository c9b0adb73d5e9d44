/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shared by the files of the reader of Open edX (OLX).
 */
#ifndef LECTERN_FORMAT_OLX_H
#define LECTERN_FORMAT_OLX_H

#include <jansson.h>
#include <libxml/tree.h>

#include "mcp/format/course.h"

/* Appends the components of a problem (olx_problem.c). file: where it stands. */
void olx_problem(const struct course_package *course, const xmlNode *problem, const char *file,
                 json_t *components);
/* An open response assessment: its prompts, and its rubric as criteria. */
void olx_assessment(const struct course_package *course, const xmlNode *block, const char *file,
                    json_t *components);

#endif
