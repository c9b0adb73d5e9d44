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
    struct diagnostic *last; /* that report_add added last; NULL if it dropped the problem */
};

/* Adds one problem at the byte `at`. code is static. Beyond the cap problems are only counted. A
 * problem at a place that already has a "syntax" problem is dropped. */
void report_add(struct report *report, const char *code, size_t at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* If the report is full, counts the problem and returns true; the caller can then skip building its
 * message. */
bool report_is_full(struct report *report);

/* Adds an edit that corrects the problem of the last report_add. with is formatted; one that is too
 * long leaves the problem without a correction. */
void report_correct(struct report *report, size_t at, size_t len, const char *with, ...)
    __attribute__((format(printf, 4, 5)));

/* Adds one problem of the whole program, with line 0. */
void report_add_whole(struct report *report, const char *code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Sorts the diagnostics by position and sets `accepted`. */
void report_finish(struct report *report);

#endif
