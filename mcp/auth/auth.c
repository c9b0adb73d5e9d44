/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/auth/auth.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "helpers/base/cleanup.h"
#include "mcp/auth/issuer.h"
#include "mcp/auth/limits.h"
#include "mcp/auth/page_sign_in.h"

#define SCHEME "bearer"

struct auth {
    uv_loop_t *loop;
    struct auth_config config;
    struct limits *limits;   /* borrowed; or NULL */
    struct token_file *file; /* or NULL */
    struct issuer *issuer;   /* or NULL */
    struct page_sign_in *pages;
};

struct auth_wait {
    struct issuer_wait wait;
    struct auth *auth;
    bool waited; /* once; the keys that came were without its key, and are fetched again */
    void (*on_checked)(void *user, const struct auth_result *result);
    void *user;
    char authorization[];
};

/* ---- a token ---- */

/* The token of "Bearer TOKEN"; NULL if it is not one. b64token of RFC 6750, 2.1. */
static const char *read_bearer(const char *authorization, size_t *len)
{
    size_t scheme = strlen(SCHEME);
    const char *token;

    if (strncasecmp(authorization, SCHEME, scheme) != 0 || authorization[scheme] != ' ')
        return NULL;
    token = authorization + scheme + strspn(authorization + scheme, " ");
    *len = strspn(token, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/=");
    return *len > 0 && token[*len] == '\0' ? token : NULL;
}

static void refuse(struct auth_result *result, enum auth_outcome outcome, const char *text)
{
    result->outcome = outcome;
    error_set(&result->why, outcome == AUTH_AWAY ? ERROR_UNAVAILABLE : ERROR_INVALID, "%s", text);
}

static void accept_as(struct auth_result *result, const struct identity *identity)
{
    result->outcome = AUTH_GOOD;
    result->identity = *identity;
}

static void check_issued(struct auth *auth, const char *token, size_t len,
                         const struct digest *digest, struct auth_result *result)
{
    static const enum auth_outcome outcomes[] = {
        [ISSUER_GOOD] = AUTH_GOOD,
        [ISSUER_REFUSED] = AUTH_REFUSED,
        [ISSUER_WAITS] = AUTH_WAITS,
        [ISSUER_AWAY] = AUTH_AWAY,
    };

    result->outcome =
        outcomes[issuer_check(auth->issuer, token, len, digest, &result->identity, &result->why)];
    result->retry_after_s = issuer_retry_after_s(auth->issuer);
}

static void check_token(struct auth *auth, const char *token, size_t len,
                        struct auth_result *result)
{
    const struct identity *found = NULL;
    struct digest digest;

    digest_of(token, len, &digest);
    if (auth->issuer)
        found = issuer_remembered(auth->issuer, &digest);
    if (!found && auth->file &&
        token_file_find(auth->file, &digest, uv_now(auth->loop), &found, &result->why) < 0)
        result->outcome = AUTH_AWAY;
    if (found)
        accept_as(result, found);
    else if (auth->issuer && memchr(token, '.', len))
        check_issued(auth, token, len, &digest, result);
    else if (result->outcome != AUTH_AWAY)
        refuse(result, AUTH_REFUSED, "the token is unknown, withdrawn or expired: send another");
}

static void check_cookie(struct auth *auth, const char *cookie, struct auth_result *result)
{
    const struct identity *found = page_find_cookie(auth->pages, cookie, strlen(cookie));

    if (found)
        accept_as(result, found);
    if (!found || !auth_renew(auth, &result->identity))
        refuse(result, AUTH_MISSING, "the page is not signed in any more: open it by a new link");
}

static void count(struct auth *auth, struct auth_result *result)
{
    if (limits_request(auth->limits, &result->identity, uv_now(auth->loop), &result->retry_after_s))
        return;
    result->outcome = AUTH_TOO_MANY;
    error_set(&result->why, ERROR_BUSY,
              "this token has sent %u requests within a minute, which is the limit: send it again "
              "in %u s",
              auth->config.requests_a_minute, result->retry_after_s);
}

void auth_find(struct auth *auth, const char *authorization, const char *cookie,
               struct auth_result *result)
{
    const char *token;
    size_t len = 0;

    memset(result, 0, offsetof(struct auth_result, why.text) + 1);
    if (!auth) {
        accept_as(result, &identity_everyone);
        return;
    }
    if (*authorization) {
        token = read_bearer(authorization, &len);
        if (token)
            check_token(auth, token, len, result);
        else
            refuse(result, AUTH_REFUSED, "the Authorization header must be: Bearer TOKEN");
    } else if (*cookie) {
        check_cookie(auth, cookie, result);
    } else {
        refuse(result, AUTH_MISSING, "this server needs a token: send Authorization: Bearer TOKEN");
    }
}

void auth_check(struct auth *auth, const char *authorization, const char *cookie,
                struct auth_result *result)
{
    auth_find(auth, authorization, cookie, result);
    if (auth && result->outcome == AUTH_GOOD)
        count(auth, result);
}

/* ---- waiting for the issuer ---- */

static void on_fetched(struct issuer_wait *of_issuer)
{
    struct auth_wait *wait = container_of(of_issuer, struct auth_wait, wait);
    struct auth_result result;

    auth_check(wait->auth, wait->authorization, "", &result);
    if (result.outcome == AUTH_WAITS && !wait->waited &&
        of_issuer->until_ms > uv_now(wait->auth->loop)) {
        wait->waited = true;
        if (issuer_wait(wait->auth->issuer, of_issuer, &result.why) == 0)
            return;
    }
    if (result.outcome == AUTH_WAITS) /* the fetch takes too long */
        refuse(&result, AUTH_AWAY,
               "the token cannot be checked, as its issuer does not answer in time: send it again "
               "later");
    wait->on_checked(wait->user, &result);
    free(wait);
}

struct auth_wait *auth_wait(struct auth *auth, const char *authorization,
                            void (*on_checked)(void *user, const struct auth_result *result),
                            void *user, struct error *err)
{
    size_t size = strlen(authorization) + 1;
    cleanup_free struct auth_wait *wait = calloc(1, sizeof *wait + size);

    if (!wait) {
        error_set(err, ERROR_MEMORY, "out of memory for a token");
        return NULL;
    }
    memcpy(wait->authorization, authorization, size);
    wait->auth = auth;
    wait->on_checked = on_checked;
    wait->user = user;
    wait->wait.on_fetched = on_fetched;
    return issuer_wait(auth->issuer, &wait->wait, err) == 0 ? steal_pointer(&wait) : NULL;
}

void auth_leave(struct auth_wait *wait)
{
    if (wait)
        issuer_leave(wait->auth->issuer, &wait->wait);
    free(wait);
}

/* ---- what is kept for longer than a request ---- */

bool auth_renew(struct auth *auth, struct identity *identity)
{
    const int64_t cookie_end = identity->cookie_end;
    const struct identity *found = NULL;

    if (cookie_end != 0 && cookie_end <= time(NULL))
        return false;
    if (identity->source == IDENTITY_OF_FILE && auth->file)
        token_file_find(auth->file, &identity->token, uv_now(auth->loop), &found, NULL);
    else if (identity->end == 0 || identity->end > time(NULL))
        found = identity;
    if (found && found != identity) {
        *identity = *found;
        identity->cookie_end = cookie_end;
    }
    return found != NULL;
}

int auth_make_code(struct auth *auth, const struct identity *identity, char code[TOKEN_TEXT_SIZE],
                   struct error *err)
{
    return page_make_code(auth->pages, identity, code, err);
}

enum auth_code auth_take_code(struct auth *auth, const char *code, char cookie[TOKEN_TEXT_SIZE])
{
    struct identity identity;

    if (!page_take_code(auth->pages, code, &identity))
        return AUTH_CODE_UNKNOWN;
    if (!auth_renew(auth, &identity))
        return AUTH_CODE_WITHDRAWN;
    return page_make_cookie(auth->pages, &identity, cookie, NULL) == 0 ? AUTH_CODE_GOOD
                                                                       : AUTH_CODE_UNKNOWN;
}

void auth_identity_of_start(struct identity *identity)
{
    struct digest digest;

    *identity = identity_everyone;
    identity->source = IDENTITY_OF_START;
    digest_of("start", strlen("start"), &digest);
    identity_set_id(identity, &digest);
}

/* ---- life ---- */

const char *auth_issuer(const struct auth *auth)
{
    return auth->config.issuer;
}

const char *auth_audience(const struct auth *auth)
{
    return auth->config.audience;
}

static int open_sources(struct auth *auth, struct error *err)
{
    const struct issuer_config issuer = {.url = auth->config.issuer,
                                         .audience = auth->config.audience};

    auth->pages = page_sign_in_create(err);
    if (!auth->pages)
        return -1;
    if (auth->config.token_file && !(auth->file = token_file_open(auth->config.token_file, err)))
        return -1;
    if (auth->config.issuer && !(auth->issuer = issuer_create(&issuer, auth->loop, err)))
        return -1;
    return 0;
}

struct auth *auth_create(const struct auth_config *config, uv_loop_t *loop, struct limits *limits,
                         struct error *err)
{
    struct auth *auth = calloc(1, sizeof *auth);

    if (!auth) {
        error_set(err, ERROR_MEMORY, "out of memory for signing in");
        return NULL;
    }
    auth->loop = loop;
    auth->config = *config;
    auth->limits = limits;
    if (open_sources(auth, err) == 0)
        return auth;
    auth_destroy(auth);
    return NULL;
}

void auth_destroy(struct auth *auth)
{
    if (!auth)
        return;
    issuer_destroy(auth->issuer);
    token_file_close(auth->file);
    page_sign_in_destroy(auth->pages);
    free(auth);
}
