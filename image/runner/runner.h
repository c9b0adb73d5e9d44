/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The runner's command line, which runner.c parses, and its loop (run.c). Texts of the command line
 * are not copied: they point into argv, or into the struct.
 */
#ifndef LECTERN_IMAGE_RUNNER_H
#define LECTERN_IMAGE_RUNNER_H

#include <limits.h>
#include <stdbool.h>

#define MEMORY_MB_DEFAULT 256
#define MEMORY_MB_MIN     64
#define MEMORY_MB_MAX     65536

struct options {
    const char *kind;        /* for messages and the interpreter; "bare" */
    const char *preload;     /* modules to import while warming, comma-separated; "" */
    const char *python_root; /* folder of the pinned Python (executor/pinned/pinned.h), whose own
                                loader starts it; "": the root, as in a container */
    const char *interpreter; /* interpreter.py; default: beside the runner's own binary */
    const char *helpers;     /* folder of code_helpers.py; default: that of the interpreter */
    const char *channel;     /* socket of the server; NULL: standard input and output are used */
    unsigned memory_mb;
    int hang_up;           /* standard input, if the channel replaced it; -1: none */
    bool session;          /* run one job after another, each in a clean copy; otherwise one job */
    char beside[PATH_MAX]; /* folder of the runner's binary, "" without /proc */
    char loader[PATH_MAX], libraries[PATH_MAX], python[PATH_MAX];
    char interpreter_path[PATH_MAX];
    char helpers_path[PATH_MAX];
};

struct child;

/* Runs the loop and takes ownership of the child. signals: a signalfd for SIGCHLD and the signals
 * that end the runner. Returns the exit status of the runner: 0 after a job's last frame (in a
 * session only after the server hung up), otherwise 1. */
int run_loop(struct child *child, const struct options *options, int signals);

#endif
