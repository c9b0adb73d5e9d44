/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Takes what matters out of a request's headers, once, as libwebsockets keeps them only while the
 * request is under way, and says who may send it. A header that is too long or holds anything but
 * printable ASCII makes the whole request unreadable: it is refused rather than guessed at. Runs on
 * the loop's thread.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <jansson.h>

#include "helpers/base/encode.h"
#include "helpers/base/utf8.h"
#include "mcp/transport/http/http_server.h"

#define KEY_HEADER    "idempotency-key:"
#define EDITOR_HEADER "x-editor:"
#define SHOWN_CAP     100 /* bytes of a header in an error */

static void set_wrong(struct server_request *request, int status, const char *wrong)
{
    request->wrong_status = status;
    request->wrong = wrong;
}

/* Trims and checks a copied value; false if it is invalid. */
static bool tidy(char *value, int len)
{
    if (len < 0)
        return false;
    while (len > 0 && (value[len - 1] == ' ' || value[len - 1] == '\t'))
        value[--len] = '\0';
    for (int i = 0; i < len; i++) {
        if ((unsigned char)value[i] < 0x20 || (unsigned char)value[i] >= 0x7F)
            return false;
    }
    return true;
}

static void read_known(struct lws *wsi, enum lws_token_indexes token, char *value, size_t size,
                       struct server_request *request)
{
    *value = '\0';
    if (lws_hdr_total_length(wsi, token) == 0)
        return;
    if (!tidy(value, lws_hdr_copy(wsi, value, (int)size, token)))
        set_wrong(request, 400, "a header is too long or holds bytes that are not printable ASCII");
}

/* name is lower case and ends in its colon. */
static void read_custom(struct lws *wsi, const char *name, char *value, size_t size,
                        struct server_request *request)
{
    int name_len = (int)strlen(name);

    *value = '\0';
    if (lws_hdr_custom_length(wsi, name, name_len) <= 0)
        return;
    if (!tidy(value, lws_hdr_custom_copy(wsi, value, (int)size, name, name_len)))
        set_wrong(request, 400, "a header is too long or holds bytes that are not printable ASCII");
}

/* One that our own reader may have; otherwise of libwebsockets. */
static bool has_own(const struct http_head *head, enum http_own_field field, char *value,
                    size_t size, struct server_request *request)
{
    const struct http_own_value *own = &head->own[field];
    bool fits;

    if (!own->at)
        return false;
    fits = own->len < size;
    memcpy(value, own->at, fits ? own->len : 0);
    value[fits ? own->len : 0] = '\0';
    if (!tidy(value, fits ? (int)own->len : -1))
        set_wrong(request, 400, "a header is too long or holds bytes that are not printable ASCII");
    return true;
}

bool server_request_header(struct lws *wsi, const char *name, char *value, size_t size)
{
    int name_len = (int)strlen(name);

    return lws_hdr_custom_length(wsi, name, name_len) > 0 &&
           tidy(value, lws_hdr_custom_copy(wsi, value, (int)size, name, name_len));
}

static bool has_control(const char *text)
{
    for (; *text; text++) {
        if ((unsigned char)*text < 0x20 || *text == 0x7F)
            return true;
    }
    return false;
}

/* Who edits, for the change log: UTF-8, as it is or with %XX, as a browser sends no other letters
 * in a header than those of Latin-1. */
static void read_editor(struct lws *wsi, struct server_request *request)
{
    char text[3 * HTTP_EDITOR_MAX + 32] = "";
    int len =
        lws_hdr_custom_copy(wsi, text, sizeof text, EDITOR_HEADER, (int)strlen(EDITOR_HEADER));
    char *begin = text + strspn(text, " \t");
    json_t *as_text = NULL;
    size_t used = 0, prefix;

    if (len >= 0) {
        for (size_t end = strlen(begin); end > 0 && strchr(" \t", begin[end - 1]); end--)
            begin[end - 1] = '\0';
        used = percent_decode(begin, false, NULL);
        prefix = strncmp(begin, HTTP_PAGE_PREFIX, sizeof HTTP_PAGE_PREFIX - 1) == 0
                     ? sizeof HTTP_PAGE_PREFIX - 1
                     : 0;
        as_text = used <= HTTP_EDITOR_MAX + prefix ? json_stringn(begin, used) : NULL;
    }
    if (!as_text || strlen(begin) != used || has_control(begin))
        request->wrong_editor =
            "X-Editor must be a name of at most 64 bytes of UTF-8 (as they are, "
            "or as %XX) in one line";
    else
        memcpy(request->editor, begin, used + 1);
    json_decref(as_text);
}

/* The path, decoded and as it was sent, and the query. */
static void read_target(const struct http_head *head, struct server_request *request)
{
    json_t *as_text;

    *request->path = *request->target = *request->query = '\0';
    if (head->path_len >= sizeof request->path || head->query_len >= sizeof request->query) {
        set_wrong(request, 414, "the path or the query is too long");
        return;
    }
    memcpy(request->target, head->path, head->path_len);
    request->target[head->path_len] = '\0';
    memcpy(request->query, head->query, head->query_len);
    request->query[head->query_len] = '\0';
    memcpy(request->path, request->target, head->path_len + 1);
    percent_decode(request->path, false, NULL);
    as_text = json_string(request->path);
    if (!as_text || strpbrk(request->path, "\r\n"))
        set_wrong(request, 400, "the path is not UTF-8 text");
    json_decref(as_text);
}

/* Those in the table HTTP_OWN_FIELDS. */
static void read_own(struct lws *wsi, const struct http_head *head, struct server_request *request)
{
    const struct {
        enum http_own_field field;
        char *value;
        size_t size;
        const char *custom; /* NULL: token is the one of libwebsockets */
        enum lws_token_indexes token;
    } rows[] = {
        {HTTP_OWN_ACCEPT, request->accept, sizeof request->accept, NULL, WSI_TOKEN_HTTP_ACCEPT},
        {HTTP_OWN_ACCEPT_ENCODING, request->accept_encoding, sizeof request->accept_encoding, NULL,
         WSI_TOKEN_HTTP_ACCEPT_ENCODING},
        {HTTP_OWN_CONTENT_TYPE, request->content_type, sizeof request->content_type, NULL,
         WSI_TOKEN_HTTP_CONTENT_TYPE},
        {HTTP_OWN_MCP_SESSION, request->mcp_session, sizeof request->mcp_session,
         "mcp-session-id:", 0},
        {HTTP_OWN_MCP_VERSION, request->mcp_version, sizeof request->mcp_version,
         "mcp-protocol-version:", 0},
        {HTTP_OWN_MCP_METHOD, request->mcp_method, sizeof request->mcp_method, "mcp-method:", 0},
        {HTTP_OWN_MCP_NAME, request->mcp_name, sizeof request->mcp_name, "mcp-name:", 0},
    };

    _Static_assert(sizeof rows / sizeof rows[0] == HTTP_OWN_COUNT, "each field has its place");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (has_own(head, rows[i].field, rows[i].value, rows[i].size, request))
            continue;
        if (rows[i].custom)
            read_custom(wsi, rows[i].custom, rows[i].value, rows[i].size, request);
        else
            read_known(wsi, rows[i].token, rows[i].value, rows[i].size, request);
    }
}

void server_request_read(struct lws *wsi, struct server_request *request)
{
    const struct http_head *head = http_connection_head(wsi);
    char text[64], mode[32], dest[32];

    memset(request, 0, offsetof(struct server_request, path));
    *request->editor = '\0';
    request->method = head->method;
    request->length = head->length;
    request->chunked = head->chunked;
    read_target(head, request);
    read_known(wsi, WSI_TOKEN_HOST, request->host, sizeof request->host, request);
    read_known(wsi, WSI_TOKEN_ORIGIN, request->origin, sizeof request->origin, request);
    read_custom(wsi, "sec-fetch-site:", request->site, sizeof request->site, request);
    read_custom(wsi, "sec-fetch-mode:", mode, sizeof mode, request);
    read_custom(wsi, "sec-fetch-dest:", dest, sizeof dest, request);
    request->opens_page = strcmp(mode, "navigate") == 0 && strcmp(dest, "document") == 0;
    read_own(wsi, head, request);
    read_known(wsi, WSI_TOKEN_HTTP_IF_MATCH, request->if_match, sizeof request->if_match, request);
    read_known(wsi, WSI_TOKEN_HTTP_IF_NONE_MATCH, request->if_none_match,
               sizeof request->if_none_match, request);
    read_custom(wsi, KEY_HEADER, request->idempotency_key, sizeof request->idempotency_key,
                request);
    request->has_key = lws_hdr_custom_length(wsi, KEY_HEADER, (int)strlen(KEY_HEADER)) >= 0;
    read_custom(wsi, "last-event-id:", request->last_event_id, sizeof request->last_event_id,
                request);
    read_custom(wsi, "x-session-id:", request->session, sizeof request->session, request);
    if (lws_hdr_custom_length(wsi, EDITOR_HEADER, (int)strlen(EDITOR_HEADER)) >= 0)
        read_editor(wsi, request);
    read_known(wsi, WSI_TOKEN_HTTP_EXPECT, text, sizeof text, request);
    request->expects_continue = strcasecmp(text, "100-continue") == 0;
    request->preflight = strcmp(request->method, "OPTIONS") == 0 &&
                         lws_hdr_custom_length(wsi, "access-control-request-method:",
                                               (int)strlen("access-control-request-method:")) > 0;
    if (head->status != 0)
        set_wrong(request, head->status, head->wrong);
    request->unreadable = head->status != 0;
}

/* ---- who may send requests ----
 *
 * A page on the web can make its visitor's browser send requests to a loopback server, and by DNS
 * rebinding even read the answers. A page cannot forge three headers: Host names the server it
 * believes it speaks to, Origin the page itself, and Sec-Fetch-Site says how the two are related.
 * So Host must be a name that only this machine answers to (or one that the user configured).
 * Origin, if present, must be this server's; without it, the page must not belong to another site.
 * Another port of this machine is the same site, but a different origin. */

static const char *const loopback_names[] = {"localhost", "127.0.0.1", "[::1]", NULL};
static const char *const wildcards[] = {"0.0.0.0", "::", "[::]", NULL};

/* "[::1]:8001" as name "[::1]" and port ":8001"; the port may be missing. */
struct authority {
    const char *name;
    size_t name_len;
    const char *port; /* after the colon, or NULL */
};

static struct authority split(const char *text)
{
    struct authority authority = {.name = text, .name_len = strlen(text)};
    const char *colon = strrchr(text, ':');

    if (colon && !strchr(colon, ']')) {
        authority.name_len = (size_t)(colon - text);
        authority.port = colon + 1;
    }
    return authority;
}

static bool is_name(const struct authority *authority, const char *name)
{
    return strlen(name) == authority->name_len &&
           strncasecmp(name, authority->name, authority->name_len) == 0;
}

static bool in_list(const char *const *list, const char *text)
{
    for (; list && *list; list++) {
        if (strcasecmp(*list, text) == 0)
            return true;
    }
    return false;
}

static bool is_our_port(const struct http_config *config, const char *port)
{
    char *end;

    return *port >= '1' && *port <= '9' && strtol(port, &end, 10) == config->port && !*end;
}

static bool is_loopback(const struct authority *authority)
{
    for (size_t i = 0; loopback_names[i]; i++) {
        if (is_name(authority, loopback_names[i]))
            return true;
    }
    return false;
}

/* The address or name it listens on; a Host header has an IPv6 address in brackets. A wildcard
 * address never matches. */
static bool is_configured_name(const struct http_config *config, const struct authority *authority)
{
    char bracketed[256];

    if (!config->host || in_list(wildcards, config->host))
        return false;
    snprintf(bracketed, sizeof bracketed, "[%s]", config->host);
    return is_name(authority, config->host) || is_name(authority, bracketed);
}

static bool host_allowed(const struct http_config *config, const char *host)
{
    struct authority authority = split(host);

    if ((is_loopback(&authority) || is_configured_name(config, &authority)) &&
        (!authority.port || is_our_port(config, authority.port)))
        return true;
    for (const char *const *allowed = config->allow_hosts; allowed && *allowed; allowed++) {
        if (strcasecmp(*allowed, host) == 0 || is_name(&authority, *allowed))
            return true;
    }
    return false;
}

/* The page came from this very server: under the name of this request, or under a loopback name and
 * our port. */
static bool is_same_origin(const struct http_config *config, const char *host, const char *origin)
{
    static const char *const schemes[] = {"http://", "https://"};
    struct authority authority;

    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
        if (strncasecmp(origin, schemes[i], strlen(schemes[i])) != 0)
            continue;
        origin += strlen(schemes[i]);
        authority = split(origin);
        return strcasecmp(origin, host) == 0 ||
               (i == 0 && is_loopback(&authority) && authority.port &&
                is_our_port(config, authority.port));
    }
    return false;
}

/* A page of another site may send no Origin: requests for pictures and scripts have none. */
static int check_site(const struct server_request *request, struct error *err)
{
    bool foreign =
        strcmp(request->site, "cross-site") == 0 || strcmp(request->site, "same-site") == 0;
    bool opens_page = request->opens_page && strcmp(request->method, "GET") == 0 &&
                      strcmp(request->path, http_route_page.path) == 0;

    if (!foreign || opens_page)
        return 0;
    error_set(
        err, ERROR_INVALID,
        "requests from pages of other sites are refused (Sec-Fetch-Site: %s). To allow a page, "
        "send the request with CORS and start Lectern with --allow-origin and the origin of the "
        "page",
        request->site);
    return 403;
}

int server_request_check(const struct http_config *config, const struct server_request *request,
                         bool *cross_origin, struct error *err)
{
    const char *host = request->host, *origin = request->origin;

    *cross_origin = false;
    if (!*host) {
        error_set(err, ERROR_MALFORMED, "the request has no Host header: send one");
        return 400;
    }
    if (!host_allowed(config, host)) {
        error_set(err, ERROR_INVALID,
                  "Host '%.*s' is not allowed. Use http://127.0.0.1:%d, or "
                  "start it with --allow-host %.*s",
                  utf8_shown(host, SHOWN_CAP), host, config->port, utf8_shown(host, SHOWN_CAP),
                  host);
        return 403;
    }
    if (!*origin)
        return check_site(request, err);
    if (is_same_origin(config, host, origin))
        return 0;
    *cross_origin = strcmp(origin, "null") != 0 && in_list(config->allow_origins, origin);
    if (*cross_origin)
        return 0;
    if (strcmp(origin, "null") == 0)
        error_set(err, ERROR_INVALID,
                  "Origin 'null' (a file, a sandboxed frame) is never allowed: serve the page from "
                  "a server and start Lectern with --allow-origin and that server's origin");
    else
        error_set(err, ERROR_INVALID,
                  "pages from Origin '%.*s' may not use this server. If they should, start it with "
                  "--allow-origin %.*s",
                  utf8_shown(origin, SHOWN_CAP), origin, utf8_shown(origin, SHOWN_CAP), origin);
    return 403;
}
