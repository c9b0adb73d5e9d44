/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * "/": what a browser sees of this server.
 */
#include "mcp/transport/http_private.h"

static const char page[] =
    "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Lectern</title>\n"
    "<h1>Lectern " LECTERN_VERSION "</h1>\n"
    "<p>A curriculum server: analyses and edits curricula for models and programs.</p>\n"
    "<ul>\n"
    "<li><code>/mcp</code>: the Model Context Protocol over Streamable HTTP, for clients such as "
    "Claude Code</li>\n"
    "<li><a href=\"/health\"><code>/health</code></a>: whether the server works</li>\n"
    "<li><a href=\"/metrics\"><code>/metrics</code></a>: what it counts, as Prometheus reads "
    "it</li>\n"
    "<li><code>/execute</code>: analyses for programs, by POST</li>\n"
    "<li><a href=\"/sessions\"><code>/sessions</code></a>: the curricula it holds</li>\n"
    "<li><code>/session/\xE2\x80\xA6</code>, <code>/nodes/\xE2\x80\xA6</code>: the session "
    "API</li>\n"
    "</ul>\n</html>\n";

static void check(struct exchange *exchange)
{
    exchange_takes(exchange, "GET", "/ takes GET; the session API is at /session/...");
}

static void handle(struct exchange *exchange)
{
    struct buf body;

    buf_init(&body, 0);
    buf_adds(&body, page);
    exchange_answer(exchange, 200, "text/html; charset=utf-8", &body);
}

const struct http_route http_route_page = {
    .path = "/",
    .error_form = "detail",
    .body_cap = 4096,
    .check = check,
    .handle = handle,
};
