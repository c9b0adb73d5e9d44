/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Collects the problems that the checks find, as diagnostics of a verdict. It computes line and
 * column from the byte offset.
 */
#ifndef LECTERN_VALIDATOR_REPORT_H
#define LECTERN_VALIDATOR_REPORT_H

#include <stdint.h>

#include "validator/validator.h"

struct report {
    const char *source; /* borrowed */
    size_t len;
    struct verdict *verdict;
};

/* Adds one problem at the byte `at`. code is static. Beyond the cap problems are only counted. A
 * problem at a place that already has a "syntax" problem is dropped. */
void report_add(struct report *report, const char *code, size_t at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* If the report is full, counts the problem and returns true; the caller can then skip building its
 * message. */
bool report_is_full(struct report *report);

/* Adds one problem of the whole program, with line 0. */
void report_add_whole(struct report *report, const char *code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Sorts the diagnostics by position and sets `accepted`. */
void report_finish(struct report *report);

#endif
