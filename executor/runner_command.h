/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How the runner is called inside a sandbox, the same in every engine. Pure.
 */
#ifndef LECTERN_EXECUTOR_RUNNER_COMMAND_H
#define LECTERN_EXECUTOR_RUNNER_COMMAND_H

#include "executor/executor.h"

#define RUNNER_FOLDER    "/lectern" /* where a sandbox has the runner and what it needs */
#define RUNNER_USER      65534u     /* nobody, in every sandbox */
#define RUNNER_WORDS_CAP 11u
#define RUNNER_TEXT_CAP  512u /* names of modules to warm with */

struct runner_command {
    const char
        *argv[RUNNER_WORDS_CAP]; /* NULL-terminated; borrowed from below, the kind, or static */
    char preload[RUNNER_TEXT_CAP];
    char memory[16];
};

int runner_command_build(struct runner_command *command, const struct execution_kind *kind,
                         struct error *err);

extern const char *const runner_environment[]; /* "NAME=value", NULL-terminated */

#endif
