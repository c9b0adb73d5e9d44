/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Keeps the histories of recently asked sessions, so that a short one is read once for each version
 * of its session. On the loop's thread only.
 */
#ifndef LECTERN_TOOL_HISTORY_PAGES_H
#define LECTERN_TOOL_HISTORY_PAGES_H

#include <jansson.h>

#include "mcp/store/store.h"

#define HISTORY_PAGES_CAP 8u /* each of HISTORY_BRIEF_ROWS at most */

struct history_pages;

/* *page gets what store_read_history gives of all change sets, without texts; borrowed until the
 * next call. 1: the history is not short enough; -1 with err. *pages is created when it is NULL. */
int history_pages_get(struct history_pages **pages, struct store *store, const char *sid,
                      const json_t **page, struct error *err);
void history_pages_destroy(struct history_pages *pages); /* takes NULL */

#endif
