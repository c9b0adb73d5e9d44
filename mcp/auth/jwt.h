/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Access tokens that are signed JWTs (RFC 7519, RFC 9068, RFC 8725), and the keys that sign them
 * (RFC 7517). The signature is libjose's; what a token may look like and must say is here. Pure
 * functions.
 */
#ifndef LECTERN_AUTH_JWT_H
#define LECTERN_AUTH_JWT_H

#include <stdbool.h>

#include <jansson.h>

#include "helpers/base/error.h"
#include "mcp/auth/identity.h"

#define JWT_CAP          ((size_t)8 << 10)   /* bytes of a token */
#define JWT_KID_MAX      256u                /* bytes of a key id */
#define JWT_CLOCK_SKEW_S 30                  /* for nbf: the clock of the issuer may be ahead */
#define KEY_SET_CAP      ((size_t)256 << 10) /* bytes of an issuer's keys */
#define KEY_SET_KEYS_CAP 64u                 /* more of them are not used */
#define KEY_RSA_BITS_MIN 2048u
#define KEY_RSA_BITS_MAX 8192u

struct jwt {
    json_t *header, *claims; /* owned, objects */
    json_t *signed_parts;    /* owned: what libjose verifies */
    const char *alg, *kid;   /* borrowed from header; kid NULL: not said */
};

/* Takes a token apart and checks its header; its signature is not checked. -1 with ERROR_INVALID:
 * it is no token that can be good. The texts do not contain any of it. */
int jwt_read(const char *token, size_t len, struct jwt *jwt, struct error *err);
void jwt_finish(struct jwt *jwt); /* a zeroed struct too */

/* The keys of a JWK Set with which RS, PS and ES signatures can be verified, as an array (a new
 * reference). Keys of other kinds and uses, weak ones, and private parts are left out. NULL with
 * ERROR_MALFORMED where it is no key set. */
json_t *key_set_read(const char *text, size_t len, struct error *err);

/* The key for the token: that of its id and algorithm; without an id, the only one that fits. NULL:
 * none. Borrowed. */
const json_t *key_set_find(const json_t *keys, const struct jwt *jwt);

bool jwt_verify(const struct jwt *jwt, const json_t *key);

/* What a verified token says: checks iss, aud, exp and nbf (now: seconds since 1970), and sets
 * *identity. -1 with ERROR_INVALID. A scope that is missing is not an error: the identity has none
 * then. */
int jwt_identity(const struct jwt *jwt, const char *issuer, const char *audience, int64_t now,
                 struct identity *identity, struct error *err);

#endif
