/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Number literals of Python 3.11. Pure.
 */
#ifndef LECTERN_VALIDATOR_NUMBER_H
#define LECTERN_VALIDATOR_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

/* The length of the number at text, which begins with a digit or with '.' and a digit. Where it is
 * none that CPython takes, *error (static) says why and *error_at where. *decimal_int is set for
 * digits and underscores only. */
size_t number_scan(const char *text, size_t len, bool *decimal_int, const char **error,
                   size_t *error_at);

#endif
