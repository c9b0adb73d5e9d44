/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A trial: one sandbox of an engine that runs no job, only to see from inside which layers hold in
 * it. Blocks; without the executor's loop.
 */
#ifndef LECTERN_EXECUTOR_TRIAL_H
#define LECTERN_EXECUTOR_TRIAL_H

#include <stdbool.h>

#include "executor/engine.h"

#define TRIAL_PYTHON_CAP 32

/* What the runner reports in FRAME_READY. */
struct trial {
    char python[TRIAL_PYTHON_CAP];
    int landlock_abi;
    bool exec_once; /* the runner lets one execve through */
    unsigned ms;    /* from the start until it was ready */
};

/* Starts a sandbox of the smallest kind, waits until it is ready, and removes it. Returns -1 if it
 * did not become ready, or if the server would run nothing in it. */
int trial_run(const struct engine *engine, void *state, struct trial *trial, struct error *err);

#endif
