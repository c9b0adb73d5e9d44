/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sign-in: says who sends a request by the token or the cookie in its headers. Tokens are those of
 * a file (token_file.h) and of an issuer (issuer.h); a cookie is the page's (page_sign_in.h). A
 * token that is known costs a digest and the search of a table. Everything runs on the loop's
 * thread.
 */
#ifndef LECTERN_AUTH_H
#define LECTERN_AUTH_H

#include <stdbool.h>

#include <uv.h>

#include "helpers/base/error.h"
#include "mcp/auth/identity.h"
#include "mcp/auth/token_file.h"

#define AUTH_TOKEN_CAP ((size_t)8 << 10) /* bytes of an Authorization header */

struct auth;
struct auth_wait;
struct limits;

struct auth_config {                            /* the texts are borrowed for the life of auth */
    const char *token_file, *issuer, *audience; /* NULL: none; not all of them */
    unsigned requests_a_minute;                 /* of one holder of tokens; 0: no limit */
};

enum auth_outcome {
    AUTH_GOOD,
    AUTH_MISSING,  /* no token and no cookie that counts: 401 */
    AUTH_REFUSED,  /* 401 with error="invalid_token" */
    AUTH_AWAY,     /* cannot be checked now: 503 */
    AUTH_TOO_MANY, /* requests: 429 */
    AUTH_WAITS,    /* for the issuer's keys: auth_wait */
};

struct auth_result {
    enum auth_outcome outcome;
    struct identity identity; /* with AUTH_GOOD */
    unsigned retry_after_s;   /* with AUTH_AWAY and AUTH_TOO_MANY */
    struct error why;         /* unless it is good; without any part of the token */
};

struct auth *auth_create(const struct auth_config *config, uv_loop_t *loop, struct limits *limits,
                         struct error *err);
/* The memory is freed after the loop has run its close callbacks. Takes NULL. */
void auth_destroy(struct auth *auth);

const char *auth_issuer(const struct auth *auth);   /* NULL: none */
const char *auth_audience(const struct auth *auth); /* with an issuer */

/* authorization: the header, or "". cookie: the value of the page's cookie, or "". A header counts
 * rather than a cookie. auth NULL: no sign-in, and everyone is good. auth_check counts the request,
 * against the limit of its holder. */
void auth_check(struct auth *auth, const char *authorization, const char *cookie,
                struct auth_result *result);
void auth_find(struct auth *auth, const char *authorization, const char *cookie,
               struct auth_result *result);

/* After AUTH_WAITS: checks it again when that makes sense, and calls on_checked on the loop, later,
 * with another outcome. The header is copied. NULL without memory, or if too many wait (err). */
struct auth_wait *auth_wait(struct auth *auth, const char *authorization,
                            void (*on_checked)(void *user, const struct auth_result *result),
                            void *user, struct error *err);
void auth_leave(struct auth_wait *wait); /* frees it; not after on_checked. Takes NULL */

/* Whether an identity is still good, which is kept for longer than a request: its end and its
 * cookie's, and of a file that its token is in it. Sets *identity to what it may do now. auth may
 * be NULL. */
bool auth_renew(struct auth *auth, struct identity *identity);

/* Of the page: a new secret for a link, and the cookie for it. */
int auth_make_code(struct auth *auth, const struct identity *identity, char code[TOKEN_TEXT_SIZE],
                   struct error *err);
enum auth_code {
    AUTH_CODE_GOOD,
    AUTH_CODE_UNKNOWN,   /* or used, or over */
    AUTH_CODE_WITHDRAWN, /* the token that it was made with is withdrawn or has expired */
};
enum auth_code auth_take_code(struct auth *auth, const char *code, char cookie[TOKEN_TEXT_SIZE]);
/* For the link that is printed at the start: all scopes. */
void auth_identity_of_start(struct identity *identity);

#endif
