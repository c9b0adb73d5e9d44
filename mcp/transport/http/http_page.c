/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The page: "/" and the files below "/ui", from the table that is built in (page_files.h). Names
 * below "/ui" hold a hash of what is in them, so that a browser keeps them for good and asks for
 * "/" alone. Where the page could not be built, "/" says what is missing. Runs on the loop's
 * thread.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "mcp/transport/http/http_internal.h"
#include "mcp/transport/http/page_files.h"

/* Only our own scripts and styles, and no other hosts: injected content in a curriculum's text
 * cannot run or load anything. Pictures are in the page as data: one at an address of this server
 * would send that request for every reader. 'self' includes the WebSockets. */
#define CONTENT_SECURITY_POLICY                                                                    \
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; "                   \
    "img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "                     \
    "frame-ancestors 'none'"

#define GUARD_CONTENT  "content-security-policy:", CONTENT_SECURITY_POLICY
#define GUARD_REFERRER "referrer-policy:", "no-referrer"
#define GUARD_OPENER   "cross-origin-opener-policy:", "same-origin"
#define GUARD_DEVICES                                                                              \
    "permissions-policy:",                                                                         \
        "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()"
#define BY_ENCODING "vary:", "Accept-Encoding"
#define ASK_AGAIN   "cache-control:", "no-cache"
#define KEEP        "cache-control:", "public, max-age=31536000, immutable"
#define PACKED      "content-encoding:", "gzip"

/* With those that every file has. */
#define HEADERS(...)                                                                               \
    {                                                                                              \
        {GUARD_CONTENT}, {GUARD_REFERRER}, {GUARD_OPENER}, {GUARD_DEVICES}, {BY_ENCODING},         \
            __VA_ARGS__                                                                            \
    }
/* Indexed by whether it is cached, and whether it is compressed; terminated by an empty row. */
static const struct http_header headers[2][2][8] = {
    {HEADERS({ASK_AGAIN}), HEADERS({ASK_AGAIN}, {PACKED})},
    {HEADERS({KEEP}), HEADERS({KEEP}, {PACKED})},
};

static const char missing[] =
    "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n<title>Lectern</title>\n"
    "<h1>Lectern " LECTERN_VERSION "</h1>\n"
    "<p>The server works, but it was built without its page: %s.</p>\n"
    "<p>To get the page: stop the server, type <code>make run</code> in its source folder, with "
    "access to an npm registry. That installs what is missing and builds the page in.</p>\n"
    "<p>Everything else is here:</p>\n<ul>\n"
    "<li><code>/mcp</code>: the Model Context Protocol over Streamable HTTP, for clients such as "
    "Claude Code</li>\n"
    "<li><a href=\"/sessions\"><code>/sessions</code></a>, <code>/session/\xE2\x80\xA6</code>: "
    "the curricula, by the session API that <a href=\"/openapi.json\"><code>/openapi.json</code>"
    "</a> describes</li>\n"
    "<li><code>/execute</code>: analyses for programs, by POST</li>\n"
    "<li><a href=\"/health\"><code>/health</code></a>: whether the server works</li>\n"
    "<li><a href=\"/metrics\"><code>/metrics</code></a>: what it counts, as Prometheus reads "
    "it</li>\n"
    "</ul>\n</html>\n";

static const struct page_file *find_file(const char *path)
{
    for (size_t i = 0; i < page_file_count; i++) {
        if (strcmp(page_files[i].path, path) == 0)
            return &page_files[i];
    }
    return NULL;
}

/* Whether one of a list of codings is gzip, and not at weight 0. */
static bool takes_gzip(const char *list)
{
    for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',') {
        size_t len;
        const char *weight;

        at += strspn(at, " \t");
        len = strcspn(at, ";, \t");
        weight = at + len + strspn(at + len, " \t");
        if (len != strlen("gzip") || strncasecmp(at, "gzip", len) != 0)
            continue;
        if (*weight != ';')
            return true;
        weight += 1 + strspn(weight + 1, " \t");
        return strncasecmp(weight, "q=", 2) != 0 || strtod(weight + 2, NULL) > 0;
    }
    return false;
}

static void answer_missing(struct exchange *exchange)
{
    struct buf body;

    buf_init(&body, 0);
    buf_addf(&body, missing, page_files_missing);
    exchange->headers = headers[false][false];
    exchange_answer(exchange, 200, "text/html; charset=utf-8", &body);
}

static void answer_file(struct exchange *exchange, const struct page_file *file, bool kept)
{
    const struct server_request *request = exchange->request;
    bool gz = file->gz && takes_gzip(request->accept_encoding);
    struct buf body;

    exchange->headers = headers[kept][gz];
    snprintf(exchange->etag, sizeof exchange->etag, "\"%s%s\"", file->etag, gz ? "-gz" : "");
    if (strstr(request->if_none_match, exchange->etag)) {
        exchange_answer(exchange, 304, NULL, NULL);
        return;
    }
    buf_init(&body, 0);
    buf_add(&body, gz ? file->gz : file->bytes, gz ? file->gz_len : file->len);
    exchange_answer(exchange, 200, file->type, &body);
}

static void check(struct exchange *exchange)
{
    exchange_takes(exchange, "GET", "the page takes GET; the session API is at /session/...");
}

static void handle_page(struct exchange *exchange)
{
    const struct page_file *file = find_file("/");

    if (file)
        answer_file(exchange, file, false);
    else
        answer_missing(exchange);
}

static void handle_file(struct exchange *exchange)
{
    const char *path = exchange->request->path;
    const struct page_file *file = find_file(path);

    if (file)
        answer_file(exchange, file, true);
    else
        exchange_error(exchange, 404,
                       "the page has no file %s: if the server was updated, reload the page", path);
}

const struct http_route http_route_page = {
    .path = "/",
    .scopes = IDENTITY_READ,
    .error_form = "detail",
    .body_cap = 4096,
    .check = check,
    .handle = handle_page,
    .of_editors = true,
};

const struct http_route http_route_page_files = {
    .path = "/ui",
    .below = true,
    .scopes = IDENTITY_READ,
    .error_form = "detail",
    .body_cap = 4096,
    .check = check,
    .handle = handle_file,
    .of_editors = true,
};
