/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Who sends a request, and what they may do. A value: whoever keeps it beyond the request copies
 * it.
 */
#ifndef LECTERN_AUTH_IDENTITY_H
#define LECTERN_AUTH_IDENTITY_H

#include <stdint.h>

#define IDENTITY_NAME_MAX        64u /* bytes of UTF-8, in one line */
#define IDENTITY_CURRICULUM_SIZE 37u /* of a session id with its NUL */
#define IDENTITY_ID_SIZE         33u /* 128 bits in hex, with the NUL */

enum identity_scope {
    IDENTITY_READ = 1 << 0,
    IDENTITY_EDIT = 1 << 1, /* never without IDENTITY_READ */
};

struct identity {
    unsigned scopes; /* of enum identity_scope */
    /* For the change log; "": the client's own word counts. */
    char name[IDENTITY_NAME_MAX + 1];
    char curriculum[IDENTITY_CURRICULUM_SIZE]; /* the only session it may use; "": all */
    int64_t end;               /* seconds since 1970, from which on it is refused; 0: none */
    char id[IDENTITY_ID_SIZE]; /* the same for all tokens of one holder; "" without sign-in */
};

/* All scopes: of every request where no sign-in is configured, and of stdio. */
extern const struct identity identity_everyone;

/* "read", "edit" or "read edit": what a client lacks or has, for headers and errors. Static. */
const char *identity_scope_names(unsigned scopes);

#endif
