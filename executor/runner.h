/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What all engines share about the runner (image/runner/runner.c): its command line inside a
 * sandbox, what a control group allows it, and the last bytes that it wrote to its standard error.
 */
#ifndef LECTERN_EXECUTOR_RUNNER_H
#define LECTERN_EXECUTOR_RUNNER_H

#include "executor/executor.h"

#define RUNNER_FOLDER    "/lectern" /* folder of the runner and its files in a sandbox */
#define RUNNER_USER      65534u     /* nobody, in containers and under bubblewrap */
#define RUNNER_WORDS_CAP 14u
#define RUNNER_TEXT_CAP  512u /* names of modules to preload */

/* What a control group allows a sandbox beside the memory of its kind, in each engine. */
#define SANDBOX_PIDS           32
#define SANDBOX_NANO_CPUS      500000000 /* half a CPU */
#define SANDBOX_SHARES_WARMING 128       /* CPU weight; that of others is 1024 */
#define SANDBOX_SHARES_RUNNING 1024

struct runner_command {
    const char
        *argv[RUNNER_WORDS_CAP]; /* NULL-terminated; borrowed from below, the kind, or static */
    char preload[RUNNER_TEXT_CAP];
    char memory[16];
};

/* channel: a socket in the sandbox that the runner connects to; NULL: it uses its standard streams.
 * python_root: the folder of the pinned Python there; "": the root. Borrowed. */
int runner_command_build(struct runner_command *command, const struct execution_kind *kind,
                         const char *channel, const char *python_root, struct error *err);

extern const char *const runner_environment[]; /* "NAME=value", NULL-terminated */

#define RUNNER_STDERR_KEPT 400u /* bytes kept from the end */

struct runner_stderr {
    char kept[RUNNER_STDERR_KEPT + 1];
    size_t len;
    char line[3 * RUNNER_STDERR_KEPT + 1];
};

void runner_stderr_add(struct runner_stderr *tail, const char *bytes, size_t len);

/* NUL-terminated and printable, lines separated by " / "; valid until the next call. */
const char *runner_stderr_line(struct runner_stderr *tail);

#endif
