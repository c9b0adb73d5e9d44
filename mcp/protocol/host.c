/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/protocol/host.h"

#include <stdlib.h>

#include "mcp/protocol/peer_internal.h"

struct host *host_create(struct server *server, struct error *err)
{
    struct host *host = calloc(1, sizeof *host);

    if (!host) {
        error_set(err, ERROR_MEMORY, "out of memory for the MCP clients");
        return NULL;
    }
    host->server = server;
    host->users = 1;
    LIST_INIT(&host->progress);
    uv_timer_init(server->loop, &host->progress_timer);
    host->progress_timer.data = host;
    return host;
}

void host_leave(struct host *host)
{
    if (--host->users == 0)
        free(host);
}

static void on_timer_closed(uv_handle_t *handle)
{
    host_leave(handle->data);
}

void host_destroy(struct host *host)
{
    if (host)
        uv_close((uv_handle_t *)&host->progress_timer, on_timer_closed);
}
