/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The runner's command line, as runner.c reads it. Nothing is copied: the texts are argv's own, or
 * live in the struct.
 */
#ifndef LECTERN_IMAGE_OPTIONS_H
#define LECTERN_IMAGE_OPTIONS_H

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

#endif
