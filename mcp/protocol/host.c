/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The timers that all clients share, and the changes that their streams are told of. Changes are
 * gathered for a moment, because one import or change set is many of them.
 */
#include "mcp/protocol/host.h"

#include <stdlib.h>

#include "helpers/base/cleanup.h"
#include "mcp/protocol/peer_internal.h"
#include "mcp/resource/resource.h"

#define CHANGES_GATHER_MS 100

static void on_change(struct change_listener *listener, const struct store_change *change);

struct host *host_create(struct server *server, const struct host_config *config, struct error *err)
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
    if (config)
        host->config = *config;
    host->users = 2; /* the two timers */
    host->listener.on_change = on_change;
    LIST_INIT(&host->progress);
    LIST_INIT(&host->asking);
    LIST_INIT(&host->streams);
    uv_timer_init(server->loop, &host->progress_timer);
    uv_timer_init(server->loop, &host->change_timer);
    host->progress_timer.data = host->change_timer.data = host;
    return host;
}

void host_leave(struct host *host)
{
    if (--host->users > 0)
        return;
    json_decref(host->changed_uris);
    free(host);
}

static void on_timer_closed(uv_handle_t *handle)
{
    host_leave(handle->data);
}

void host_destroy(struct host *host)
{
    if (!host)
        return;
    uv_close((uv_handle_t *)&host->progress_timer, on_timer_closed);
    uv_close((uv_handle_t *)&host->change_timer, on_timer_closed);
}

/* ---- calls ---- */

static void on_calls_timer(uv_timer_t *timer)
{
    struct host *host = timer->data;
    uint64_t now = uv_now(timer->loop);

    progress_check_time(host, now);
    ask_check_time(host, now);
}

void host_time_calls(struct host *host)
{
    uv_handle_t *timer = (uv_handle_t *)&host->progress_timer;

    if (LIST_EMPTY(&host->progress) && LIST_EMPTY(&host->asking))
        uv_timer_stop(&host->progress_timer);
    else if (!uv_is_active(timer) && !uv_is_closing(timer))
        uv_timer_start(&host->progress_timer, on_calls_timer, PROGRESS_TICK_MS, PROGRESS_TICK_MS);
}

/* ---- changes ---- */

static void on_changes_timer(uv_timer_t *timer)
{
    struct host *host = timer->data;
    json_auto_t *uris = steal_pointer(&host->changed_uris);
    unsigned lists = host->changed_lists;

    host->changed_lists = 0;
    host->changed_uris = json_object();
    stream_tell(host, lists, uris);
}

static void gather(struct host *host)
{
    uv_handle_t *timer = (uv_handle_t *)&host->change_timer;

    if (!uv_is_active(timer) && !uv_is_closing(timer))
        uv_timer_start(&host->change_timer, on_changes_timer, CHANGES_GATHER_MS, 0);
}

void host_list_changed(struct host *host, unsigned lists)
{
    host->changed_lists |= lists;
    gather(host);
}

/* Only what a stream wants to know is kept, so that the object is not larger than theirs. */
void host_resource_changed(struct host *host, const char *uri)
{
    const struct stream *stream;

    LIST_FOREACH(stream, &host->streams, host_link)
    {
        if (!json_object_get(stream_uris(stream), uri))
            continue;
        json_object_set_new(host->changed_uris, uri, json_true());
        gather(host);
        return;
    }
}

static void on_change(struct change_listener *listener, const struct store_change *change)
{
    struct host *host = container_of(listener, struct host, listener);
    struct buf BUF_AUTO uri = {0};

    if (resource_list_changes && resource_list_changes(change))
        host_list_changed(host, LIST_RESOURCES);
    for (size_t i = 0; resources[i]; i++) {
        buf_clear(&uri);
        if (resources[i]->changes && resources[i]->changes(change, &uri) && uri.len > 0 &&
            !uri.failed)
            host_resource_changed(host, uri.data);
    }
}

void host_follow(struct host *host)
{
    bool wanted = !LIST_EMPTY(&host->streams) && host->server->store.feed;

    if (wanted && !host->listens)
        change_feed_listen(host->server->store.feed, &host->listener);
    else if (!wanted && host->listens)
        change_feed_leave(&host->listener);
    host->listens = wanted;
}
