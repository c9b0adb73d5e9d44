/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The life of a host and of its peers: each is freed when nothing uses it any more.
 */
#include <stdlib.h>

#include "mcp/protocol/peer_internal.h"

struct host *host_create(struct server *server, bool lists_change, struct error *err)
{
    struct host *host = calloc(1, sizeof *host);

    if (host)
        host->changed_uris = json_object();
    if (!host || !host->changed_uris) {
        free(host);
        error_set(err, ERROR_MEMORY, "out of memory for the MCP clients");
        return NULL;
    }
    host->server = server;
    host->lists_change = lists_change;
    host->users = 2; /* the two timers */
    LIST_INIT(&host->progress);
    LIST_INIT(&host->asking);
    LIST_INIT(&host->streams);
    uv_timer_init(server->loop, &host->progress_timer);
    uv_timer_init(server->loop, &host->change_timer);
    host->progress_timer.data = host->change_timer.data = host;
    return host;
}

void host_count(const struct host *host, size_t *calls, size_t *streams)
{
    const struct stream *stream;

    *calls = host->calls;
    *streams = 0;
    LIST_FOREACH(stream, &host->streams, host_link)
    ++*streams;
}

const struct buf *host_tool_entry(struct host *host, size_t i, bool bound)
{
    struct buf **entries = &host->tools[bound], *entry;
    size_t count = 0;

    while (tools[count])
        count++;
    if (!*entries)
        *entries = calloc(count, sizeof **entries);
    if (!*entries)
        return NULL;
    entry = &(*entries)[i];
    if (entry->len == 0)
        (bound ? tool_describe_bound : tool_describe)(tools[i], &host->server->analyses, entry);
    if (!entry->failed)
        return entry;
    buf_finish(entry);
    return NULL;
}

/* One user less: frees it with the last. */
static void leave(struct host *host)
{
    if (--host->users > 0)
        return;
    json_decref(host->changed_uris);
    for (size_t form = 0; form < 2; form++) {
        for (size_t i = 0; host->tools[form] && tools[i]; i++)
            buf_finish(&host->tools[form][i]);
        free(host->tools[form]);
    }
    free(host);
}

static void on_timer_closed(uv_handle_t *handle)
{
    leave(handle->data);
}

void host_destroy(struct host *host)
{
    if (!host)
        return;
    uv_close((uv_handle_t *)&host->progress_timer, on_timer_closed);
    uv_close((uv_handle_t *)&host->change_timer, on_timer_closed);
}

void peer_free_when_done(struct peer *peer)
{
    if (!peer->destroyed || peer->call_count > 0 || peer->holds > 0)
        return;
    leave(peer->host);
    json_decref(peer->uris);
    free(peer);
}
