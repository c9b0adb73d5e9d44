/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A program's bytes as the UTF-8 text that Python makes of them: the byte order mark and the
 * encoding cookie of PEP 263 are honoured as CPython 3.11 honours them. Only `validate --facts`
 * reads programs so; what is to run must be UTF-8 to begin with (validator.c).
 */
#ifndef LECTERN_VALIDATOR_ENCODING_H
#define LECTERN_VALIDATOR_ENCODING_H

#include <stddef.h>

#include "helpers/base/buf.h"

struct decoded {
    const char *text; /* UTF-8 but for what Python leaves unlooked at; borrowed */
    size_t len;
    struct buf own;    /* what text points to, where it is not the bytes themselves; owned */
    const char *error; /* NULL, or what is wrong with the bytes; static */
    const char *name;  /* of the encoding that is meant by error; borrowed from bytes, or NULL */
    size_t name_len;
};

/* The encoding that a comment in the first two lines names; NULL without one. Borrowed. */
const char *encoding_cookie(const char *text, size_t len, size_t *name_len);

/* bytes are borrowed for as long as *decoded lives. Wants decoded_finish. 0, or -1 without
 * memory. */
int decoded_init(struct decoded *decoded, const char *bytes, size_t len, struct error *err);
void decoded_finish(struct decoded *decoded);

#endif
