/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A difference between two versions in words, for the tool history.
 */
#ifndef LECTERN_TOOL_HISTORY_WORDS_H
#define LECTERN_TOOL_HISTORY_WORDS_H

#include <jansson.h>

#include "helpers/base/buf.h"
#include "helpers/base/error.h"
#include "mcp/store/store.h"

#define DIFFERENCE_LINES_CAP 60 /* more are counted */

/* difference: as store_read_difference tells it. One line a thing. */
int history_say_difference(struct buf *to, struct store *store, const char *sid,
                           const json_t *difference, struct error *err);

#endif
