/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The runner: its command line, as runner.c reads it, and its loop (run.c). Nothing of the command
 * line is copied: the texts are argv's own, or live in the struct.
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
    const char *python;      /* the Python binary */
    const char *interpreter; /* interpreter.py; default: beside the runner's own binary */
    const char *helpers;     /* folder of code_helpers.py; default: the interpreter's folder */
    unsigned memory_mb;
    bool session;          /* one job after the other, each in a clean copy; else one job */
    char beside[PATH_MAX]; /* folder of the runner's own binary, "" where /proc is not there */
    char interpreter_path[PATH_MAX];
    char helpers_path[PATH_MAX];
};

struct child;

/* signals: a signalfd of SIGCHLD and the signals that ask the runner to end. Takes over the child.
 * The exit status of the runner: 0 after a job's last frame, in a session only when the server hung
 * up, else 1. */
int run_loop(struct child *child, const struct options *options, int signals);

#endif
