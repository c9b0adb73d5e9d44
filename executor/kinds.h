/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of kinds of sandbox (execution_kinds), by number. Adding a kind is adding a row.
 */
#ifndef LECTERN_EXECUTOR_KINDS_H
#define LECTERN_EXECUTOR_KINDS_H

#include "executor/executor.h"

#define KINDS_COUNT 3

int kind_index(const char *name); /* -1 where no kind has that name */

#endif
