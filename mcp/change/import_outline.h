/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The first lessons of a curriculum that is about to be imported. Pure.
 */
#ifndef LECTERN_CHANGE_IMPORT_OUTLINE_H
#define LECTERN_CHANGE_IMPORT_OUTLINE_H

#include <stddef.h>

#include <jansson.h>

#include "helpers/base/buf.h"

#define IMPORT_OUTLINE_CAP       20u /* lessons listed */
#define IMPORT_PREREQUISITES_CAP 5u  /* listed of each in text */

/* curriculum: the value of a curriculum file. A new array [{"node_id": text or null, "title",
 * "components": count, "needs": [node_id]}] in the order of the file; NULL if out of memory. */
json_t *import_outline(const json_t *curriculum);
/* Appends a line for each, and the number of those that are not listed. */
void import_outline_write(const json_t *outline, size_t nodes, struct buf *to);

#endif
