/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The encoding cookie of PEP 263. A program to be run is UTF-8, so the validator refuses a cookie
 * that names another encoding (validator.c).
 */
#ifndef LECTERN_VALIDATOR_ENCODING_COOKIE_H
#define LECTERN_VALIDATOR_ENCODING_COOKIE_H

#include <stddef.h>

/* The encoding named by a comment in the first two lines, borrowed; NULL if there is none. */
const char *encoding_cookie(const char *text, size_t len, size_t *name_len);

#endif
