/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The gate of the HTTP server: finds out by the headers of a request who sends it (mcp/auth/), and
 * answers those who may not (RFC 6750, 3; RFC 9728). And its own paths: "/sign-in", by which a
 * browser gets its cookie, "/sign-in/link", which makes the link for that, and the metadata that
 * says where tokens come from. Runs on the loop's thread.
 */
#include <stdio.h>
#include <string.h>

#include "helpers/base/cleanup.h"
#include "helpers/base/json.h"
#include "mcp/auth/auth.h"
#include "mcp/auth/page_sign_in.h"
#include "mcp/tool/tool.h"
#include "mcp/transport/http/http_server.h"

#define RESOURCE_PATH "/.well-known/oauth-protected-resource"
#define HTML_TYPE     "text/html; charset=utf-8"
#define CODE          "code="

static const struct http_header page_headers[] = {
    {"cache-control:", "no-store"},
    {"content-security-policy:", "default-src 'none'; base-uri 'none'; frame-ancestors 'none'"},
    {"referrer-policy:", "no-referrer"}, /* the address has the code */
    {NULL, NULL},
};

/* ---- what a request shows ---- */

struct credentials {
    char authorization[AUTH_TOKEN_CAP];
    char cookie[TOKEN_TEXT_SIZE];
};

static void name_cookie(const struct http_server *http, char *name, size_t size)
{
    snprintf(name, size, "lectern_%d", http->config.port); /* browsers share them between ports */
}

/* The page's cookie, of all that the request has; "" without one. */
static void read_cookie(const struct http_server *http, struct lws *wsi, char *to, size_t size)
{
    char all[HTTP_HEAD_CAP], name[32];
    char *rest = NULL;
    size_t len;

    name_cookie(http, name, sizeof name);
    len = strlen(name);
    if (lws_hdr_copy(wsi, all, sizeof all, WSI_TOKEN_HTTP_COOKIE) <= 0)
        return;
    for (char *part = strtok_r(all, "; ", &rest); part; part = strtok_r(NULL, "; ", &rest)) {
        if (strncmp(part, name, len) == 0 && part[len] == '=' && strlen(part + len + 1) < size)
            memcpy(to, part + len + 1, strlen(part + len + 1) + 1);
    }
}

/* false: the header of a token is longer than any token. A page of another origin is never signed
 * in by a cookie. */
static bool read_credentials(const struct http_server *http, struct lws *wsi, bool cross_origin,
                             struct credentials *to)
{
    int len = lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_AUTHORIZATION);

    to->authorization[0] = to->cookie[0] = '\0';
    if (len >= (int)sizeof to->authorization)
        return false;
    if (len > 0)
        return lws_hdr_copy(wsi, to->authorization, sizeof to->authorization,
                            WSI_TOKEN_HTTP_AUTHORIZATION) == len;
    if (!cross_origin && lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_COOKIE) > 0)
        read_cookie(http, wsi, to->cookie, sizeof to->cookie);
    return true;
}

/* ---- refusing ---- */

/* Where clients reach the server. */
static void add_base(const struct http_server *http, const struct server_request *request,
                     struct buf *to)
{
    if (http->config.public_url)
        buf_adds(to, http->config.public_url);
    else
        buf_addf(to, "%s://%s", http->config.tls_cert ? "https" : "http", request->host);
}

/* error NULL: the request has no token at all. */
static void add_challenge(const struct http_server *http, const struct server_request *request,
                          const char *error, const char *why, unsigned scope, struct buf *to)
{
    buf_adds(to, "Bearer ");
    if (error)
        buf_addf(to, "error=\"%s\", error_description=\"%s\", ", error, why);
    buf_adds(to, "resource_metadata=\"");
    add_base(http, request, to);
    buf_addf(to, RESOURCE_PATH "/mcp\", scope=\"%s\"", identity_scope_names(scope));
}

static void challenge(struct exchange *exchange, const char *error, const char *why, unsigned scope)
{
    struct buf BUF_AUTO text = {0};

    add_challenge(exchange->http, exchange->request, error, why, scope, &text);
    free(exchange->authenticate);
    exchange->authenticate = buf_steal(&text, NULL);
}

static const char lacks_scope[] = "the token does not have the scope that this needs";

void sign_in_ask_scope(struct exchange *exchange, unsigned scope)
{
    challenge(exchange, "insufficient_scope", lacks_scope, scope);
}

static void explain_scope(unsigned scopes, struct error *why)
{
    const bool several = (scopes & (scopes - 1)) != 0;

    error_set(why, ERROR_FORBIDDEN, "%s: %s'%s'. Sign in with one that has it", lacks_scope,
              several ? "one of " : "", identity_scope_names(scopes));
}

bool exchange_needs(struct exchange *exchange, unsigned scopes)
{
    struct error why = {0};

    if (exchange->identity->scopes & scopes)
        return true;
    explain_scope(scopes, &why);
    sign_in_ask_scope(exchange, scopes);
    exchange_error(exchange, 403, "%s", why.text);
    return false;
}

static const struct refusal {
    int status;
    const char *error; /* of WWW-Authenticate */
} refusals[] = {
    [AUTH_MISSING] = {401, NULL},
    [AUTH_REFUSED] = {401, "invalid_token"},
    [AUTH_AWAY] = {503, NULL},
    [AUTH_TOO_MANY] = {429, NULL},
};

/* For a person in a browser. */
static void answer_page(struct exchange *exchange, int status, const char *title, const char *text)
{
    struct buf body;

    buf_init(&body, 0);
    buf_addf(&body,
             "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
             "<meta name=\"viewport\" content=\"width=device-width\">\n<title>%s</title>\n"
             "<h1>%s</h1>\n%s\n</html>\n",
             title, title, text);
    exchange->headers = page_headers;
    exchange_answer(exchange, status, HTML_TYPE, &body);
}

/* The scopes that a client without a token needs to use all of the route. */
static unsigned scopes_to_ask(const struct exchange *exchange)
{
    const unsigned scopes = exchange->route->scopes;
    const bool tutor =
        exchange->services->server->toolsets == TOOLSET_BIT(TOOLSET_TUTOR) ||
        (exchange->services->server->tutor && strstr(exchange->request->query, "toolset=tutor"));

    if (!(scopes & IDENTITY_READ))
        return scopes;
    return (scopes & IDENTITY_LEARN) && tutor ? IDENTITY_LEARN : IDENTITY_READ | IDENTITY_EDIT;
}

static void refuse(struct exchange *exchange, const struct auth_result *result)
{
    const struct refusal *refusal = &refusals[result->outcome];

    exchange->retry_after_s = result->retry_after_s;
    if (refusal->status == 401)
        challenge(exchange, refusal->error, result->why.text, scopes_to_ask(exchange));
    if (refusal->status == 401 && exchange->route == &http_route_page)
        answer_page(exchange, 401, "Sign in",
                    "<p>Open this page by a link that works once: the server prints one when it "
                    "starts, and <code>POST /sign-in/link</code> with a token makes one.</p>");
    else
        exchange_error(exchange, refusal->status, "%s", result->why.text);
}

/* ---- the gate ---- */

static void take_result(struct exchange *exchange, const struct auth_result *result)
{
    if (result->outcome == AUTH_GOOD) {
        exchange->signed_in = result->identity;
        exchange->identity = &exchange->signed_in;
    } else {
        refuse(exchange, result);
    }
    exchange->admit(exchange);
}

static void on_checked(void *user, const struct auth_result *result)
{
    struct exchange *exchange = user;

    exchange->signing_in = NULL;
    take_result(exchange, result);
}

void sign_in_begin(struct exchange *exchange, void (*admit)(struct exchange *exchange))
{
    struct auth *auth = exchange->http->config.auth;
    struct auth_result result;
    struct credentials shown;
    struct error err = {0};

    exchange->admit = admit;
    if (!auth || exchange->route->open) {
        exchange->admit(exchange);
        return;
    }
    if (!read_credentials(exchange->http, exchange->wsi, exchange->cross_origin, &shown)) {
        exchange_error(exchange, 431, "the Authorization header is longer than %zu bytes",
                       sizeof shown.authorization - 1);
        return;
    }
    auth_check(auth, shown.authorization, shown.cookie, &result);
    if (result.outcome != AUTH_WAITS) {
        take_result(exchange, &result);
        return;
    }
    exchange->signing_in = auth_wait(auth, shown.authorization, on_checked, exchange, &err);
    if (!exchange->signing_in)
        exchange_error(exchange, 503, "%s", err.text);
}

bool sign_in_lasts(struct exchange *exchange)
{
    return exchange->identity != &exchange->signed_in ||
           auth_renew(exchange->http->config.auth, &exchange->signed_in);
}

void sign_in_end(struct exchange *exchange)
{
    auth_leave(exchange->signing_in);
    free(exchange->authenticate);
    free(exchange->set_cookie);
}

int sign_in_of_upgrade(const struct http_server *http, struct lws *wsi,
                       const struct server_request *request, bool cross_origin,
                       struct identity *identity, struct buf *headers, struct error *err)
{
    const struct refusal *refusal;
    struct auth_result result;
    struct credentials shown;

    if (!read_credentials(http, wsi, cross_origin, &shown)) {
        error_set(err, ERROR_INVALID, "the Authorization header is too long");
        return 431;
    }
    auth_check(http->config.auth, shown.authorization, shown.cookie, &result);
    if (result.outcome == AUTH_GOOD && (result.identity.scopes & IDENTITY_READ)) {
        *identity = result.identity;
        return 0;
    }
    if (result.outcome == AUTH_GOOD) {
        explain_scope(IDENTITY_READ, err);
        buf_adds(headers, "www-authenticate: ");
        add_challenge(http, request, "insufficient_scope", lacks_scope, IDENTITY_READ, headers);
        buf_adds(headers, "\r\n");
        return 403;
    }
    if (result.outcome == AUTH_WAITS) {
        result.outcome = AUTH_AWAY;
        error_set(&result.why, ERROR_UNAVAILABLE,
                  "the keys of the token's issuer are being fetched: connect again in a moment");
    }
    refusal = &refusals[result.outcome];
    if (refusal->status == 401) {
        buf_adds(headers, "www-authenticate: ");
        add_challenge(http, request, refusal->error, result.why.text, IDENTITY_READ | IDENTITY_EDIT,
                      headers);
        buf_adds(headers, "\r\n");
    } else {
        buf_addf(headers, "retry-after: %u\r\n", result.retry_after_s ? result.retry_after_s : 1);
    }
    *err = result.why;
    return refusal->status;
}

bool sign_in_after_upgrade(const struct http_server *http, struct lws *wsi, bool cross_origin,
                           struct identity *identity)
{
    struct auth_result result;
    struct credentials shown;

    if (!read_credentials(http, wsi, cross_origin, &shown))
        return false;
    auth_find(http->config.auth, shown.authorization, shown.cookie, &result);
    if (result.outcome == AUTH_GOOD)
        *identity = result.identity;
    return result.outcome == AUTH_GOOD;
}

/* ---- "/.well-known/oauth-protected-resource", perhaps with "/mcp" (RFC 9728, 3.1) ---- */

static bool has_sign_in(struct exchange *exchange)
{
    if (exchange->http->config.auth)
        return true;
    exchange_error(exchange, 404, "unknown path: this server needs no sign-in");
    return false;
}

static void check_resource(struct exchange *exchange)
{
    const char *below = exchange->request->path + strlen(RESOURCE_PATH);

    if (!has_sign_in(exchange))
        return;
    if (*below && strcmp(below, "/mcp") != 0)
        exchange_error(exchange, 404, "unknown path: use " RESOURCE_PATH);
    else
        exchange_takes(exchange, "GET", "the metadata takes GET");
}

static void handle_resource(struct exchange *exchange)
{
    const struct auth *auth = exchange->http->config.auth;
    const char *below = exchange->request->path + strlen(RESOURCE_PATH);
    struct buf BUF_AUTO resource = {0};
    struct buf body;

    if (auth_issuer(auth)) {
        buf_adds(&resource, auth_audience(auth)); /* what clients ask the issuer a token for */
    } else {
        add_base(exchange->http, exchange->request, &resource);
        buf_adds(&resource, below);
    }
    buf_init(&body, 0);
    buf_adds(&body, "{\"resource\":");
    json_write_string(&body, resource.data, resource.len);
    if (auth_issuer(auth)) {
        buf_adds(&body, ",\"authorization_servers\":[");
        json_write_string(&body, auth_issuer(auth), strlen(auth_issuer(auth)));
        buf_addc(&body, ']');
    }
    buf_adds(&body, ",\"scopes_supported\":[\"read\",\"edit\"");
    if (exchange->services->server->tutor) /* clients may ask for all that are named here */
        buf_adds(&body, ",\"learn\",\"operate\"");
    buf_adds(&body, "],\"bearer_methods_supported\":[\"header\"],\"resource_name\":\"Lectern\"}");
    exchange_answer(exchange, 200, "application/json", &body);
}

const struct http_route http_route_resource = {
    .path = RESOURCE_PATH,
    .open = true,
    .below = true,
    .error_form = "detail",
    .body_cap = 4096,
    .check = check_resource,
    .handle = handle_resource,
};

/* ---- "/sign-in?code=..." ---- */

static void check_sign_in(struct exchange *exchange)
{
    if (has_sign_in(exchange))
        exchange_takes(exchange, "GET", "/sign-in takes GET, by the link to it");
}

static void set_cookie(struct exchange *exchange, const char *value)
{
    const struct http_config *config = &exchange->http->config;
    bool secure =
        config->tls_cert ||
        (config->public_url && strncmp(config->public_url, "https:", strlen("https:")) == 0);
    struct buf BUF_AUTO text = {0};
    char name[32];

    name_cookie(exchange->http, name, sizeof name);
    buf_addf(&text, "%s=%s; Path=/; Max-Age=%d; HttpOnly; SameSite=Strict%s", name, value,
             PAGE_COOKIE_S, secure ? "; Secure" : "");
    exchange->set_cookie = buf_steal(&text, NULL);
}

/* The page goes on by itself: a browser would not send the new cookie with a redirect, if the link
 * was on a page of another site. */
static void handle_sign_in(struct exchange *exchange)
{
    const char *query = exchange->request->query;
    enum auth_code code = AUTH_CODE_UNKNOWN;
    char cookie[TOKEN_TEXT_SIZE];

    if (strcmp(exchange->request->method, "GET") == 0 && strncmp(query, CODE, strlen(CODE)) == 0)
        code = auth_take_code(exchange->http->config.auth, query + strlen(CODE), cookie);
    switch (code) {
    case AUTH_CODE_GOOD:
        set_cookie(exchange, cookie);
        answer_page(exchange, 200, "Signed in",
                    "<meta http-equiv=\"refresh\" content=\"0; url=/\">\n"
                    "<p>You are signed in: <a href=\"/\">open the page</a>.</p>");
        break;
    case AUTH_CODE_UNKNOWN:
        answer_page(exchange, 403, "This link does not work",
                    "<p>A link to sign in works once, and for ten minutes. The server prints one "
                    "when it starts, and <code>POST /sign-in/link</code> with a token makes "
                    "one.</p>");
        break;
    case AUTH_CODE_WITHDRAWN:
        answer_page(exchange, 403, "This link's token is not valid any more",
                    "<p>The token that made this link has been withdrawn or has expired. Ask the "
                    "person who runs this server for a new token; <code>POST /sign-in/link</code> "
                    "with it makes a new link.</p>");
        break;
    }
}

const struct http_route http_route_sign_in = {
    .path = "/sign-in",
    .open = true,
    .error_form = "detail",
    .body_cap = 4096,
    .check = check_sign_in,
    .handle = handle_sign_in,
};

/* ---- POST "/sign-in/link" ---- */

static void check_link(struct exchange *exchange)
{
    if (has_sign_in(exchange))
        exchange_takes(exchange, "POST", "/sign-in/link takes POST, with a token");
}

static void handle_link(struct exchange *exchange)
{
    char code[TOKEN_TEXT_SIZE];
    struct error err = {0};
    struct buf body;

    if (auth_make_code(exchange->http->config.auth, exchange->identity, code, &err) < 0) {
        exchange_error(exchange, 503, "%s", err.text);
        return;
    }
    buf_init(&body, 0);
    buf_adds(&body, "{\"url\":\"");
    add_base(exchange->http, exchange->request, &body);
    buf_addf(&body, "/sign-in?" CODE "%s\",\"seconds\":%d}", code, PAGE_LINK_S);
    exchange_answer(exchange, 200, "application/json", &body);
}

const struct http_route http_route_sign_in_link = {
    .path = "/sign-in/link",
    .scopes = IDENTITY_READ,
    .error_form = "detail",
    .body_cap = 4096,
    .check = check_link,
    .handle = handle_link,
};
