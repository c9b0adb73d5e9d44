/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shared by the files of the reader of Common Cartridges.
 */
#ifndef LECTERN_FORMAT_CARTRIDGE_H
#define LECTERN_FORMAT_CARTRIDGE_H

#include <jansson.h>
#include <libxml/tree.h>

#include "mcp/format/course.h"

/* Appends the questions of an assessment or a question bank of QTI 1.2 (cartridge_qti.c). */
void cartridge_questions(const struct course_package *course, const xmlNode *root, const char *file,
                         json_t *components);

#endif
