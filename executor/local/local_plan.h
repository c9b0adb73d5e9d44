/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The plan of one local sandbox as data: the command line of bubblewrap, and what is set before it
 * is called. Building it changes nothing and looks at nothing but its arguments; engine_local.c
 * carries it out.
 */
#ifndef LECTERN_EXECUTOR_LOCAL_PLAN_H
#define LECTERN_EXECUTOR_LOCAL_PLAN_H

#include <stdbool.h>
#include <sys/resource.h>

#include "executor/owner.h"
#include "executor/runner.h"

#define LOCAL_MOUNTS_CAP  16u
#define LOCAL_FILES_CAP   32u
#define LOCAL_WORDS_CAP   320u
#define LOCAL_TEXT_CAP    8192u
#define LOCAL_TMP_BYTES   (16u << 20)
#define LOCAL_NICE        5
#define LOCAL_CPU_SECONDS 60u /* of one process: import, run and warming, and some */
#define LOCAL_FILES_OPEN  256u
#define LOCAL_OWNER       "LECTERN_OWNER" /* stands before the owner in the command line */

/* What of this machine a sandbox sees, found once. */
struct local_mount {
    const char *path;
    char target[64]; /* where path is a symbolic link: what it says; "": the folder or file itself,
                        read-only */
};

/* A file that a sandbox gets a copy of, in RUNNER_FOLDER. */
struct local_file {
    char name[64];
    const char *mode; /* octal */
    int fd;           /* it is open */
};

struct local_setup {
    char owner[OWNER_CAP]; /* "": none is named */
    char bwrap[256];
    struct local_file files[LOCAL_FILES_CAP];
    size_t file_count;
    struct local_mount mounts[LOCAL_MOUNTS_CAP];
    size_t mount_count;
    bool drop; /* become nobody before bubblewrap is called: where the server is root */
};

struct local_plan {
    const char
        *argv[LOCAL_WORDS_CAP]; /* NULL-terminated; borrowed from text, the setup or the command */
    size_t argc;
    char text[LOCAL_TEXT_CAP];
    size_t text_len;
    bool full; /* a cap was reached: the plan is not usable */
    bool drop;
};

struct local_limit {
    int resource;
    rlim_t value;
};
extern const struct local_limit local_limits[];
extern const size_t local_limit_count;

/* command is what runs inside (its argv must live as long as the plan). Without files there is no
 * runner in it: to try whether the sandbox works at all. */
int local_plan_build(struct local_plan *plan, const struct local_setup *setup,
                     const char *const *command, struct error *err);

#endif
