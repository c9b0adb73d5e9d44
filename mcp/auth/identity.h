/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Who sends a request, and what they may do. A value: whoever keeps it beyond the request copies
 * it.
 */
#ifndef LECTERN_AUTH_IDENTITY_H
#define LECTERN_AUTH_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IDENTITY_NAME_MAX        64u /* bytes of UTF-8, in one line */
#define IDENTITY_CURRICULUM_SIZE 37u /* of a session id with its NUL */
#define IDENTITY_LEARNER_SIZE    33u /* of a learner's id with its NUL */
#define IDENTITY_ID_SIZE         33u /* 128 bits in hex, with the NUL */
#define DIGEST_SIZE              32u

/* The SHA-256 of a secret: what is kept and compared instead of it. */
struct digest {
    unsigned char bytes[DIGEST_SIZE];
};

enum identity_scope {
    IDENTITY_READ = 1 << 0,
    IDENTITY_EDIT = 1 << 1,    /* never without IDENTITY_READ */
    IDENTITY_LEARN = 1 << 2,   /* only the tools of a tutor */
    IDENTITY_OPERATE = 1 << 3, /* only the routes of learners */
};

/* Who vouches for it. */
enum identity_source {
    IDENTITY_OF_NOBODY, /* no sign-in is configured, or stdio */
    IDENTITY_OF_START,  /* the link that the server printed when it started */
    IDENTITY_OF_FILE,
    IDENTITY_OF_ISSUER,
};

struct identity {
    enum identity_source source;
    unsigned scopes; /* of enum identity_scope */
    /* For the change log; "": the name that the client gives counts. */
    char name[IDENTITY_NAME_MAX + 1];
    char curriculum[IDENTITY_CURRICULUM_SIZE]; /* the only session it may use; "": all */
    char learner[IDENTITY_LEARNER_SIZE];       /* the only learner it may use; "": all */
    int64_t end;               /* seconds since 1970, from which on it is refused; 0: none */
    int64_t cookie_end;        /* likewise, of the cookie that it was shown by; 0: by none */
    char id[IDENTITY_ID_SIZE]; /* the same for all tokens of one holder; "" without sign-in */
    struct digest token;       /* of the token of the file that it stands for; else zero */
};

/* All scopes: of every request where no sign-in is configured, and of stdio. */
extern const struct identity identity_everyone;

/* The scopes of a holder whose token or claim has the name, such as "edit", which includes others.
 * 0: there is no such scope. The name has len bytes. */
unsigned identity_scopes_named(const char *name, size_t len);
/* "read edit": the names of the scopes that a client lacks or has, for headers and errors. Valid
 * until the next call on the same thread. */
const char *identity_scope_names(unsigned scopes);

/* Sets the name from foreign text: one line, cut at IDENTITY_NAME_MAX bytes. */
void identity_set_name(struct identity *identity, const char *name);
/* false if the text cannot be the id of a learner: 32 hexadecimal digits in lower case. */
bool identity_set_learner(struct identity *identity, const char *learner);
/* Sets the id from the digest of what its holder has for good. */
void identity_set_id(struct identity *identity, const struct digest *digest);

void digest_of(const void *bytes, size_t len, struct digest *digest);

#endif
