/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of kinds of sandbox (execution_kinds), by number. Adding a kind is adding a row.
 */
#ifndef LECTERN_EXECUTOR_KINDS_H
#define LECTERN_EXECUTOR_KINDS_H

#include "executor/executor.h"

#define KINDS_COUNT 3

#define KINDS_WAITING_MAX 12u /* sandboxes of all kinds that may be told to wait */

/* How many of each kind wait: as the table says, but where text ("bare=4,data=2", or NULL) says
 * otherwise. -1 with ERROR_INVALID. */
int kinds_read_waiting(const char *text, unsigned waiting[KINDS_COUNT], struct error *err);

int kind_index(const char *name); /* -1 where no kind has that name */

#endif
