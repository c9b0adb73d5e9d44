/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Keeps the operations of recent dry runs, so that a client applies one by its number instead of
 * sending all of it again: {"op": "apply_dry_run", "id": 7}. Any thread.
 */
#ifndef LECTERN_TOOL_DRY_RUN_H
#define LECTERN_TOOL_DRY_RUN_H

#include "mcp/change/change_set.h"
#include "mcp/tool/tool.h"

#define DRY_RUNS_CAP      32u        /* the oldest is forgotten */
#define DRY_RUN_BYTES_MAX (1u << 20) /* of the JSON of one; a larger one is not kept */

struct dry_runs;

struct dry_runs *dry_runs_new(void);        /* NULL if out of memory */
void dry_runs_destroy(struct dry_runs *of); /* takes NULL */

/* After a dry run of a session at that version. Returns its number; 0: it is not kept. */
long dry_run_keep(const struct tool_call *call, const char *sid, int64_t version);

/* Puts the operations in place of the number, with the session and its version: the call is then
 * refused as stale if the session has changed since. 0 if the call applies no dry run; -1 with
 * ERROR_INVALID or ERROR_NOT_FOUND. A dry run is known to its own caller only. */
int dry_run_take(struct tool_call *call, struct error *err);

#endif
