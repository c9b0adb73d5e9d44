/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The plan of one sandbox on this machine as data: a command line, and what is set before it is
 * called. local_plan_build makes that of bubblewrap, has no side effects and depends only on its
 * arguments. process.c makes that of the runner alone. spawn.c carries them out.
 */
#ifndef LECTERN_EXECUTOR_LOCAL_PLAN_H
#define LECTERN_EXECUTOR_LOCAL_PLAN_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "executor/local/process_host.h"
#include "executor/owner.h"
#include "executor/runner.h"

#define LOCAL_FILES_CAP 32u
#define LOCAL_WORDS_CAP 320u
#define LOCAL_TEXT_CAP  8192u
#define LOCAL_TMP_BYTES (16u << 20)
#define LOCAL_NICE      5
#define LOCAL_CPU_SECONDS                                                                          \
    60u /* CPU time of one process: warming, imports and run, with a reserve */
#define LOCAL_FILES_OPEN 256u
#define LOCAL_OWNER      "LECTERN_OWNER" /* precedes the owner in the command line */
#define LOCAL_SHARE_CAP  4096u
#define LOCAL_FOLDER_CAP 256u
#define LOCAL_PYTHON_CAP 2048u

/* A file that is copied into each sandbox, into RUNNER_FOLDER. */
struct local_file {
    char name[64];
    const char *mode; /* octal */
    int fd;           /* open descriptor */
};

struct local_setup {
    char owner[OWNER_CAP]; /* "": none */
    char bwrap[256];
    struct local_file files[LOCAL_FILES_CAP];
    size_t file_count;
    char python[LOCAL_PYTHON_CAP]; /* folder of the pinned Python */
    uid_t user; /* become this user and group before the command; 0: stay the server's */
    /* Only without bubblewrap: */
    char runner[LOCAL_SHARE_CAP]; /* absolute path */
    bool copied;                  /* it is in a copy of the files, in the cache */
    struct process_host host;
};

struct local_plan {
    const char
        *argv[LOCAL_WORDS_CAP]; /* NULL-terminated; borrowed from text, the setup or the command */
    size_t argc;
    char text[LOCAL_TEXT_CAP];
    size_t text_len;
    bool full;      /* a cap was reached: the plan is unusable */
    uid_t user;     /* as in the setup */
    bool files;     /* the command inherits the setup's files */
    bool contained; /* the command is the first process of a PID namespace, if the kernel lets us
                       make one */
    const char *const *environment; /* of the command; static */
    char folder[LOCAL_FOLDER_CAP];  /* created, entered and removed before the command; "": none */
};

struct local_limit {
    int resource;
    rlim_t value;
};
extern const struct local_limit local_limits[];
extern const size_t local_limit_count;

/* command is run in the sandbox; its argv must live as long as the plan. Without files the sandbox
 * has no runner: that only tests whether sandboxes work. */
int local_plan_build(struct local_plan *plan, const struct local_setup *setup,
                     const char *const *command, struct error *err);

/* A way to confine a runner on this machine: one for each engine of engine_local.c. */
struct local_way {
    const char *python_root; /* where the runner finds the pinned Python: "" at the root; NULL: in
                                setup->python */
    /* Fills the setup except its owner, files and user, and tries it with this user. Returns -1
     * with what is missing. */
    int (*look)(struct local_setup *setup, const char *share_dir, struct error *err);
    int (*plan)(struct local_plan *plan, const struct local_setup *setup,
                const char *const *command, struct error *err);
    /* One sentence; the setup works. */
    void (*describe)(const struct local_setup *setup, char *text, size_t size);
};

extern const struct local_way local_way_bubblewrap;
extern const struct local_way local_way_process; /* without namespaces */

#endif
