/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Decodes the bytes of a program to UTF-8 as CPython 3.11 does, with its byte order mark and the
 * encoding cookie of PEP 263. The product decodes nothing: a program to be run must be UTF-8
 * (validator.c).
 */
#ifndef LECTERN_ORACLE_ENCODING_H
#define LECTERN_ORACLE_ENCODING_H

#include <stddef.h>

#include "helpers/base/buf.h"

struct decoded {
    const char *text; /* UTF-8, except where Python does not check it; borrowed */
    size_t len;
    struct buf own;    /* owned; what text points to, unless that is the original bytes */
    const char *error; /* NULL, or what is wrong with the bytes; static */
    const char *name;  /* the encoding that error refers to; borrowed from bytes, or NULL */
    size_t name_len;
};

/* Borrows bytes for the life of *decoded. On success call decoded_finish. Returns 0, or -1 if out
 * of memory. */
int decoded_init(struct decoded *decoded, const char *bytes, size_t len, struct error *err);
void decoded_finish(struct decoded *decoded);

#endif
