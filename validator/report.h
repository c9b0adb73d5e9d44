/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where the checks put what they found: diagnostics of a verdict, with line and column worked out
 * from the byte's place.
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

/* One problem at the byte `at`. code is static. Found beyond the cap, it is only counted; at a
 * place where "syntax" is reported already, it is dropped. */
void report_add(struct report *report, const char *code, size_t at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* True once no more is kept: counts the problem, so that a caller need not put its message
 * together. */
bool report_is_full(struct report *report);

/* One problem of the whole program: line 0. */
void report_add_whole(struct report *report, const char *code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts the diagnostics in the order of the program, and settles `accepted`. */
void report_finish(struct report *report);

#endif
