/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Percent-encoding (RFC 3986, section 2.1).
 */
#ifndef LECTERN_BASE_PERCENT_H
#define LECTERN_BASE_PERCENT_H

#include <stdbool.h>
#include <stddef.h>

/* Decodes %XX in place, and + as a space if `plus`, as in a query. An invalid escape stays as it
 * is. *valid, unless NULL, is whether there was none, and no %00. Returns the new length, which
 * counts a NUL that was decoded. */
size_t percent_decode(char *text, bool plus, bool *valid);

#endif
