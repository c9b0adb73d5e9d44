/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/auth/issuer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "helpers/base/http.h"
#include "helpers/base/json.h"
#include "helpers/base/log.h"
#include "mcp/auth/identity_table.h"
#include "mcp/auth/jwt.h"

#define URL_CAP 2048u

/* Where the metadata of an issuer may be, in the order in which MCP clients look: its path goes
 * behind the well-known one (RFC 8414, 3.1), or before it (OpenID Connect Discovery, 4). */
static const struct metadata_form {
    const char *well_known;
    bool path_first;
} forms[] = {
    {"/.well-known/oauth-authorization-server", false},
    {"/.well-known/openid-configuration", false},
    {"/.well-known/openid-configuration", true},
};
#define FORM_COUNT (sizeof forms / sizeof forms[0])

struct issuer {
    struct issuer_config config;
    uv_loop_t *loop;
    bool local; /* on a loopback address: without TLS or a proxy */

    json_t *keys;                      /* NULL before the first fetch */
    struct identity_table *remembered; /* the end of a token is that of its identity */

    char *keys_url; /* from the metadata; NULL: to be fetched first */
    size_t form;    /* of the metadata under way */
    bool fetching;
    unsigned fetch;    /* the number of the last one */
    bool asked;        /* for an unknown key id, at asked_ms */
    struct error why;  /* of the last fetch; ERROR_NONE: it brought keys */
    uint64_t asked_ms; /* all times: of the loop's clock */
    uint64_t ended_ms; /* the last fetch */
    char url[URL_CAP]; /* of the request under way */
    struct http_loop *http;
    struct http_transfer *transfer; /* or NULL */
    struct http_response response;

    uv_timer_t timer; /* of the one that has waited longest */
    TAILQ_HEAD(, issuer_wait) waiting;
    size_t waiting_count;
};

/* ---- its documents ---- */

/* Without TLS anybody on the way could replace the keys. */
static bool is_safe_url(const char *url, bool local)
{
    return strncmp(url, "https://", strlen("https://")) == 0 ||
           (local && strncmp(url, "http://", strlen("http://")) == 0 && http_is_loopback(url));
}

char *issuer_read_metadata(const char *url, const char *text, size_t len, struct error *err)
{
    json_auto_t *metadata = json_read(text, len, "the issuer's metadata", err);
    const char *keys = json_get_string(metadata, "jwks_uri");
    char *copy;

    if (!metadata)
        return NULL;
    if (!json_string_is(metadata, "issuer", url)) {
        error_set(err, ERROR_INVALID, "the metadata is of another issuer than %s", url);
        return NULL;
    }
    if (!keys || strlen(keys) >= URL_CAP || !is_safe_url(keys, http_is_loopback(url))) {
        error_set(err, ERROR_INVALID, "the metadata of %s has no https address of keys (jwks_uri)",
                  url);
        return NULL;
    }
    copy = strdup(keys);
    if (!copy)
        error_set(err, ERROR_MEMORY, "out of memory for the issuer's metadata");
    return copy;
}

static void write_metadata_url(const struct issuer *issuer, char *to, size_t size)
{
    const struct metadata_form *form = &forms[issuer->form];
    const char *url = issuer->config.url, *host = strstr(url, "://") + 3;
    int origin = (int)(host - url + (int)strcspn(host, "/"));
    int path = (int)strlen(url + origin);

    while (path > 0 && url[origin + path - 1] == '/')
        path--;
    if (form->path_first)
        snprintf(to, size, "%.*s%s", origin + path, url, form->well_known);
    else
        snprintf(to, size, "%.*s%s%.*s", origin, url, form->well_known, path, url + origin);
}

/* ---- fetching ---- */

static void on_fetched(void *user, const struct error *err);

/* Those that waited for this fetch; one of them may begin the next, and wait again. */
static void call_waiting(struct issuer *issuer)
{
    const unsigned fetch = issuer->fetch;
    struct issuer_wait *wait;

    while ((wait = TAILQ_FIRST(&issuer->waiting)) && wait->fetch == fetch) {
        issuer_leave(issuer, wait);
        wait->on_fetched(wait);
    }
}

static void end_fetch(struct issuer *issuer, const struct error *err)
{
    issuer->fetching = false;
    issuer->ended_ms = uv_now(issuer->loop);
    memset(&issuer->why, 0, sizeof issuer->why);
    if (err) {
        issuer->why = *err;
        free(issuer->keys_url); /* it may have moved */
        issuer->keys_url = NULL;
        log_warning("sign-in", "the keys of %s cannot be fetched: %s", issuer->config.url,
                    err->text);
    }
    call_waiting(issuer);
}

static void request(struct issuer *issuer)
{
    const struct http_request request = {
        .method = "GET",
        .url = issuer->url,
        .connect_ms = ISSUER_REQUEST_MS,
        .total_ms = ISSUER_REQUEST_MS,
        .direct = issuer->local,
        .response_cap = issuer->keys_url ? KEY_SET_CAP : ISSUER_METADATA_CAP,
        .user = issuer,
    };
    struct error err = {0};

    http_response_finish(&issuer->response);
    memset(&issuer->response, 0, sizeof issuer->response);
    issuer->transfer =
        http_transfer_start(issuer->http, &request, &issuer->response, on_fetched, &err);
    if (!issuer->transfer)
        end_fetch(issuer, &err);
}

static void fetch_next(struct issuer *issuer)
{
    if (issuer->keys_url)
        snprintf(issuer->url, sizeof issuer->url, "%s", issuer->keys_url);
    else
        write_metadata_url(issuer, issuer->url, sizeof issuer->url);
    request(issuer);
}

static void begin_fetch(struct issuer *issuer)
{
    issuer->fetching = true;
    issuer->fetch++;
    issuer->form = 0;
    fetch_next(issuer);
}

static int take_keys(struct issuer *issuer, struct error *err)
{
    json_t *keys = key_set_read(issuer->response.body.data, issuer->response.body.len, err);

    if (!keys)
        return -1;
    log_info("sign-in", "%s has %zu keys for signatures", issuer->config.url,
             json_array_size(keys));
    json_decref(issuer->keys);
    issuer->keys = keys;
    return 0;
}

/* A form that is missing or wrong does not matter while another is left. */
static void on_metadata(struct issuer *issuer, struct error *err)
{
    if (err->kind == ERROR_NONE)
        issuer->keys_url = issuer_read_metadata(issuer->config.url, issuer->response.body.data,
                                                issuer->response.body.len, err);
    if (issuer->keys_url || (issuer->response.status != 0 && ++issuer->form < FORM_COUNT))
        fetch_next(issuer);
    else
        end_fetch(issuer, err);
}

static void on_fetched(void *user, const struct error *failure)
{
    struct issuer *issuer = user;
    struct error err = *failure;

    issuer->transfer = NULL;
    if (err.kind == ERROR_NONE && issuer->response.status != 200)
        error_set(&err, ERROR_UNAVAILABLE, "%s answers with status %ld", issuer->url,
                  issuer->response.status);
    if (err.kind == ERROR_NONE && !issuer->response.body.data)
        error_set(&err, ERROR_MALFORMED, "%s answers with nothing", issuer->url);
    if (!issuer->keys_url)
        on_metadata(issuer, &err);
    else
        end_fetch(issuer, err.kind == ERROR_NONE && take_keys(issuer, &err) == 0 ? NULL : &err);
}

/* ---- those that wait ---- */

static void on_waited(uv_timer_t *timer)
{
    struct issuer *issuer = timer->data;
    struct issuer_wait *wait;

    while ((wait = TAILQ_FIRST(&issuer->waiting)) && wait->until_ms <= uv_now(issuer->loop)) {
        issuer_leave(issuer, wait);
        wait->on_fetched(wait);
    }
    if (wait)
        uv_timer_start(timer, on_waited, wait->until_ms - uv_now(issuer->loop), 0);
}

int issuer_wait(struct issuer *issuer, struct issuer_wait *wait, struct error *err)
{
    if (issuer->waiting_count == ISSUER_WAITING_CAP)
        return error_set(err, ERROR_BUSY,
                         "too many tokens wait for the keys of their issuer: send it again in a "
                         "moment");
    wait->until_ms = uv_now(issuer->loop) + ISSUER_WAIT_MS;
    wait->fetch = issuer->fetch;
    TAILQ_INSERT_TAIL(&issuer->waiting, wait, link);
    if (issuer->waiting_count++ == 0)
        uv_timer_start(&issuer->timer, on_waited, ISSUER_WAIT_MS, 0);
    return 0;
}

void issuer_leave(struct issuer *issuer, struct issuer_wait *wait)
{
    TAILQ_REMOVE(&issuer->waiting, wait, link);
    issuer->waiting_count--;
}

/* ---- tokens ---- */

/* The key is unknown: whether it is fetched, or will be later, or is not one of the issuer's. */
static enum issuer_answer ask_for_keys(struct issuer *issuer, struct error *err)
{
    uint64_t now = uv_now(issuer->loop);

    if (!issuer->fetching && issuer->keys &&
        (!issuer->asked || now - issuer->asked_ms >= ISSUER_REFETCH_MS)) {
        issuer->asked = true;
        issuer->asked_ms = now;
        begin_fetch(issuer);
    } else if (!issuer->fetching && !issuer->keys && now - issuer->ended_ms >= ISSUER_RETRY_MS) {
        begin_fetch(issuer);
    }
    if (issuer->fetching)
        return ISSUER_WAITS;
    if (issuer->why.kind != ERROR_NONE) {
        error_set(
            err, ERROR_UNAVAILABLE,
            "the token cannot be checked, as its issuer's keys cannot be fetched now: send it "
            "again later");
        return ISSUER_AWAY;
    }
    error_set(err, ERROR_INVALID, "the token is signed with a key that its issuer does not have");
    return ISSUER_REFUSED;
}

static enum issuer_answer check(struct issuer *issuer, const struct jwt *jwt,
                                struct identity *identity, struct error *err)
{
    const json_t *key;

    /* What it says of itself first: so only tokens that claim to be good cost a fetch. */
    if (jwt_identity(jwt, issuer->config.url, issuer->config.audience, time(NULL), identity, err) <
        0)
        return ISSUER_REFUSED;
    key = key_set_find(issuer->keys, jwt);
    if (!key)
        return ask_for_keys(issuer, err);
    if (jwt_verify(jwt, key))
        return ISSUER_GOOD;
    error_set(err, ERROR_INVALID, "the signature of the token is wrong");
    return ISSUER_REFUSED;
}

enum issuer_answer issuer_check(struct issuer *issuer, const char *token, size_t len,
                                const struct digest *digest, struct identity *identity,
                                struct error *err)
{
    enum issuer_answer answer = ISSUER_REFUSED;
    struct jwt jwt;

    if (jwt_read(token, len, &jwt, err) == 0)
        answer = check(issuer, &jwt, identity, err);
    jwt_finish(&jwt);
    if (answer == ISSUER_GOOD) {
        if (!issuer->fetching && uv_now(issuer->loop) - issuer->ended_ms >= ISSUER_RENEW_MS)
            begin_fetch(issuer);
        if (identity_table_add(issuer->remembered, digest, identity, identity->end, err) < 0)
            answer = ISSUER_AWAY;
    }
    return answer;
}

const struct identity *issuer_remembered(struct issuer *issuer, const struct digest *digest)
{
    return identity_table_find(issuer->remembered, digest, time(NULL));
}

unsigned issuer_retry_after_s(const struct issuer *issuer)
{
    uint64_t now = uv_now(issuer->loop);
    uint64_t next =
        issuer->keys ? issuer->asked_ms + ISSUER_REFETCH_MS : issuer->ended_ms + ISSUER_RETRY_MS;

    return next > now + 1000 && !issuer->fetching ? (unsigned)((next - now + 999) / 1000) : 1;
}

/* ---- life ---- */

static int check_config(const struct issuer_config *config, struct error *err)
{
    if (!is_safe_url(config->url, http_is_loopback(config->url)) ||
        strpbrk(config->url, "?# \t\r\n") || strlen(config->url) > URL_CAP - 64)
        return error_set(err, ERROR_INVALID,
                         "--issuer must be an https address, without a query (http only on "
                         "loopback)");
    if (!config->audience || !*config->audience)
        return error_set(err, ERROR_INVALID,
                         "--issuer needs --audience: the address that its tokens are for, such as "
                         "https://lectern.example.org/mcp");
    return 0;
}

struct issuer *issuer_create(const struct issuer_config *config, uv_loop_t *loop, struct error *err)
{
    struct issuer *issuer;

    if (check_config(config, err) < 0)
        return NULL;
    issuer = calloc(1, sizeof *issuer);
    if (!issuer) {
        error_set(err, ERROR_MEMORY, "out of memory for the issuer");
        return NULL;
    }
    issuer->config = *config;
    issuer->loop = loop;
    issuer->local = http_is_loopback(config->url);
    TAILQ_INIT(&issuer->waiting);
    uv_timer_init(loop, &issuer->timer);
    issuer->timer.data = issuer;
    uv_unref((uv_handle_t *)&issuer->timer);
    issuer->http = http_loop_create(loop, err);
    issuer->remembered = issuer->http ? identity_table_create(ISSUER_REMEMBERED_CAP, err) : NULL;
    if (!issuer->remembered) {
        issuer_destroy(issuer);
        return NULL;
    }
    begin_fetch(issuer);
    return issuer;
}

static void on_timer_closed(uv_handle_t *handle)
{
    free(handle->data);
}

void issuer_destroy(struct issuer *issuer)
{
    if (!issuer)
        return;
    if (issuer->transfer)
        http_transfer_cancel(issuer->transfer);
    http_loop_destroy(issuer->http);
    http_response_finish(&issuer->response);
    identity_table_destroy(issuer->remembered);
    json_decref(issuer->keys);
    free(issuer->keys_url);
    uv_close((uv_handle_t *)&issuer->timer, on_timer_closed);
}
