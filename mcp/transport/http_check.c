/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What several paths ask of a request's headers. Runs on the loop's thread.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "mcp/transport/http_internal.h"

void server_request_check(const struct http_gate *gate, const struct server_request *request,
                          struct gate_verdict *verdict)
{
    const struct gate_request asked = {
        .host = request->host,
        .origin = request->origin,
        .site = request->site,
        .opens_page = request->opens_page && strcmp(request->method, "GET") == 0 &&
                      strcmp(request->path, http_route_page.path) == 0,
    };

    gate_check(gate, &asked, verdict);
}

bool exchange_takes(struct exchange *exchange, const char *method, const char *refusal)
{
    const char *given = exchange_request(exchange)->method;
    bool reads = strcmp(method, "GET") == 0;
    char allow[64];

    if (strcmp(given, method) == 0 || (reads && strcmp(given, "HEAD") == 0))
        return true;
    snprintf(allow, sizeof allow, "%s%s, OPTIONS", method, reads ? ", HEAD" : "");
    exchange_set_allow(exchange, allow);
    if (strcmp(given, "OPTIONS") == 0)
        exchange_answer(exchange, 204, NULL, NULL);
    else
        exchange_error(exchange, 405, "%s", refusal);
    return false;
}

static bool is_json_type(const char *type)
{
    size_t len = strcspn(type, "; \t");

    return (len == strlen("application/json") && strncasecmp(type, "application/json", len) == 0) ||
           (len > strlen("+json") && strncasecmp(type + len - strlen("+json"), "+json", 5) == 0);
}

bool exchange_takes_json(struct exchange *exchange)
{
    const struct server_request *request = exchange_request(exchange);

    if (request->length == 0 || is_json_type(request->content_type))
        return true;
    exchange_error(exchange, 415,
                   "the body must be JSON: send it with Content-Type: application/json");
    return false;
}
