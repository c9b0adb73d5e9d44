/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * "/metrics": what this server counts, in Prometheus' text format 0.0.4.
 */
#include <inttypes.h>
#include <string.h>

#include "mcp/server_parts.h"
#include "mcp/transport/http_private.h"

static uint64_t count_disagreements(const struct server_parts *parts)
{
    return parts->executor ? executor_disagreements(parts->executor) : 0;
}

static const struct {
    const char *name, *type, *help;
    uint64_t (*read)(const struct server_parts *parts);
} metrics[] = {
    {"lectern_validator_disagreements_total", "counter",
     "Programs that the validator accepted and the judgement inside the sandbox refused; each is a "
     "bug.",
     count_disagreements},
};

static void check(struct exchange *exchange)
{
    const char *method = exchange_request(exchange)->method;

    if (strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0)
        return;
    exchange_set_allow(exchange, "GET, HEAD, OPTIONS");
    if (strcmp(method, "OPTIONS") == 0)
        exchange_answer(exchange, 204, NULL, NULL);
    else
        exchange_error(exchange, 405, "/metrics takes GET");
}

static void handle(struct exchange *exchange)
{
    const struct server_parts *parts = exchange_parts(exchange);
    struct buf body;

    buf_init(&body, 0);
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
        buf_addf(&body, "# HELP %s %s\n# TYPE %s %s\n%s %" PRIu64 "\n", metrics[i].name,
                 metrics[i].help, metrics[i].name, metrics[i].type, metrics[i].name,
                 metrics[i].read(parts));
    exchange_answer(exchange, 200, "text/plain; version=0.0.4; charset=utf-8", &body);
}

const struct http_route http_route_metrics = {
    .path = "/metrics",
    .error_form = "detail",
    .body_cap = 4096,
    .check = check,
    .handle = handle,
};
