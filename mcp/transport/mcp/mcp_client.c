/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The clients of "/mcp" that have something under way, each with its peer. One is made by the first
 * request that needs it, and freed when nothing is under way.
 */
#include <stdlib.h>

#include "helpers/base/clock.h"
#include "mcp/transport/mcp/http_mcp.h"

struct mcp_client *mcp_client_find(struct mcp_sessions *all, const struct session_id *id)
{
    struct mcp_client *client;

    HASH_FIND(hh, all->by_id, id->name, sizeof id->name, client);
    return client;
}

/* id: NULL for one that has none. known: of it, copied. */
static struct mcp_client *create_client(struct mcp_sessions *all, const struct session_id *id,
                                        const struct client *known, struct error *err)
{
    struct mcp_client *client = calloc(1, sizeof *client);

    if (!client) {
        error_set(err, ERROR_MEMORY, "out of memory: send it again in a moment");
        return NULL;
    }
    client->peer = peer_create(all->host, "http", known, err);
    if (!client->peer) {
        free(client);
        return NULL;
    }
    client->all = all;
    client->users = 1;
    client->has_id = id != NULL;
    LIST_INSERT_HEAD(&all->clients, client, link);
    if (id) {
        client->id = *id;
        HASH_ADD(hh, all->by_id, id.name, sizeof client->id.name, client);
    }
    return client;
}

struct mcp_client *mcp_client_new(struct mcp_sessions *all, unsigned toolsets, struct error *err)
{
    struct client known;

    client_init(&known, toolsets, NULL, NULL);
    return create_client(all, NULL, &known, err);
}

/* One user more. */
static void use(struct mcp_client *client)
{
    if (client->users++ > 0)
        return;
    LIST_REMOVE(client, idle_link);
    client->all->kept -= client->is_kept;
    client->is_kept = false;
}

struct mcp_client *mcp_client_use(struct mcp_sessions *all, const struct session_id *id,
                                  struct error *err)
{
    struct mcp_client *client = mcp_client_find(all, id);

    if (client) {
        use(client);
        return client;
    }
    return create_client(all, id, &id->client, err);
}

void mcp_client_leave(struct mcp_client *client)
{
    if (--client->users == 0)
        LIST_INSERT_HEAD(&client->all->left, client, idle_link);
}

void mcp_client_end(struct mcp_client *client)
{
    struct peer *peer = client->peer;

    use(client); /* its streams leave it while they are notified */
    if (client->has_id)
        HASH_DEL(client->all->by_id, client);
    client->has_id = false;
    client->peer = NULL;
    peer_destroy(peer);
    mcp_client_leave(client);
}

static void free_client(struct mcp_client *client)
{
    LIST_REMOVE(client, idle_link);
    client->all->kept -= client->is_kept;
    LIST_REMOVE(client, link);
    if (client->has_id)
        HASH_DEL(client->all->by_id, client);
    peer_destroy(client->peer);
    free(client);
}

void mcp_clients_collect(struct mcp_sessions *all)
{
    struct mcp_client *client, *next;

    for (client = LIST_FIRST(&all->left); client; client = next) {
        next = LIST_NEXT(client, idle_link);
        if (!client->has_id || peer_is_idle(client->peer) ||
            (peer_calls(client->peer) == 0 && all->kept >= MCP_CLIENTS_KEPT_CAP)) {
            free_client(client);
            continue;
        }
        LIST_REMOVE(client, idle_link);
        LIST_INSERT_HEAD(&all->idle, client, idle_link);
        client->is_kept = true;
        client->kept_until_s = clock_s() + MCP_CLIENT_KEPT_S;
        all->kept++;
    }
}

void mcp_clients_expire(struct mcp_sessions *all)
{
    struct mcp_client *client, *next;
    const int64_t now = clock_s();

    mcp_clients_collect(all);
    for (client = LIST_FIRST(&all->idle); client; client = next) {
        next = LIST_NEXT(client, idle_link);
        if (peer_is_idle(client->peer) ||
            (peer_calls(client->peer) == 0 && client->kept_until_s <= now))
            free_client(client);
    }
}
