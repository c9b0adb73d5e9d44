/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rows of executor_doctor, by where they look. Each function fills the next rows of a table
 * that has room for all, and blocks.
 */
#ifndef LECTERN_EXECUTOR_DOCTOR_ROWS_H
#define LECTERN_EXECUTOR_DOCTOR_ROWS_H

#include <stddef.h>

#include "executor/executor.h"

#define DOCTOR_ROWS_CAP 16u

struct doctor_rows {
    struct executor_check rows[DOCTOR_ROWS_CAP];
    size_t count;
};

/* The next row: not needed; fix is kept where it is not ok. */
struct executor_check *doctor_add(struct doctor_rows *rows, const char *name, bool ok,
                                  const char *fix, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* True where sandboxes can be made by it. needed: nothing else can. */
bool doctor_docker(struct doctor_rows *rows, const struct executor_config *config);
bool doctor_local(struct doctor_rows *rows, const struct executor_config *config);

/* What this machine has, whichever engine runs. */
void doctor_machine(struct doctor_rows *rows);

#endif
