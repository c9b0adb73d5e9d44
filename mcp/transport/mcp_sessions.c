/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sessions of "/mcp" for the revisions of MCP that have them. A session is its id
 * (session_id.h). Only those with calls or streams under way have a client here, with its peer: it
 * is made by the first request that needs it, and freed when nothing is under way.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "helpers/base/hash.h"
#include "mcp/session/ended_ids.h"
#include "mcp/transport/http_mcp.h"

#define VERSION_CHECKED_FROM "2025-06-18" /* the first revision with MCP-Protocol-Version */

_Static_assert(SESSION_ID_NAME_SIZE == ENDED_ID_SIZE, "what names a session names its end");
_Static_assert(SESSION_ID_TEXT_SIZE <= MCP_SESSION_ID_SIZE, "a header has room for an id");

/* ---- ids ---- */

/* As session_id_read. */
static int read_id(struct mcp_sessions *all, struct session_id *id, const char *text)
{
    const int64_t now = (int64_t)time(NULL);
    size_t len = strlen(text);
    struct mcp_read_id *read = &all->read[hash_bytes(HASH_START, text, len) % MCP_READ_IDS];

    if (len > 0 && len == read->len && seal_same(text, read->text, len) && read->id.ends > now) {
        *id = read->id;
        return 0;
    }
    if (session_id_read(id, all->server->seal_key, text, now) < 0)
        return -1;
    if (len >= sizeof read->text) /* not of session_id_write */
        return 0;
    read->id = *id;
    read->len = len;
    memcpy(read->text, text, len + 1);
    return 0;
}

int mcp_session_find(struct exchange *exchange, struct session_id *id)
{
    const struct server_request *request = &exchange->request;
    struct server *server = exchange->services->server;
    struct error err = {0};
    int over = 0;

    if (read_id(exchange->services->sessions, id, request->mcp_session) < 0 ||
        strcmp(id->holder, exchange->identity->id) != 0)
        over = 1;
    else
        over = ended_ids_has(server->store.ended, id->name, &err);
    if (over < 0)
        exchange_error(exchange, 503, "%s", err.text);
    else if (over)
        exchange_error(exchange, 404,
                       "unknown Mcp-Session-Id (the session may have ended): send "
                       "initialize again");
    else if (strcmp(id->client.version, VERSION_CHECKED_FROM) >= 0 && *request->mcp_version &&
             !protocol_version_find(request->mcp_version))
        exchange_error(exchange, 400, "MCP-Protocol-Version must be the agreed one, %s",
                       id->client.version);
    else
        return 0;
    return -1;
}

/* ---- clients ---- */

static struct mcp_client_list *bucket_of(struct mcp_sessions *all, const struct session_id *id)
{
    return &all->clients[id->name[0] % MCP_CLIENT_BUCKETS];
}

static struct mcp_client *find_client(struct mcp_sessions *all, const struct session_id *id)
{
    struct mcp_client *client;

    LIST_FOREACH(client, bucket_of(all, id), link)
    {
        if (memcmp(client->id.name, id->name, sizeof id->name) == 0)
            return client;
    }
    return NULL;
}

/* id: NULL for one that has none. */
static struct mcp_client *create_client(struct mcp_sessions *all, const struct session_id *id,
                                        struct error *err)
{
    struct mcp_client *client = calloc(1, sizeof *client);

    if (!client) {
        error_set(err, ERROR_MEMORY, "out of memory: send it again in a moment");
        return NULL;
    }
    client->peer = peer_create(all->host, "http", id ? &id->client : NULL, err);
    if (!client->peer) {
        free(client);
        return NULL;
    }
    client->all = all;
    client->users = 1;
    client->has_id = id != NULL;
    if (id)
        client->id = *id;
    LIST_INSERT_HEAD(id ? bucket_of(all, id) : &all->clients[MCP_CLIENT_BUCKETS], client, link);
    return client;
}

struct mcp_client *mcp_client_new(struct mcp_sessions *all, struct error *err)
{
    return create_client(all, NULL, err);
}

/* One user more. */
static void take_up(struct mcp_client *client)
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
    struct mcp_client *client = find_client(all, id);

    if (client) {
        take_up(client);
        return client;
    }
    return create_client(all, id, err);
}

void mcp_client_leave(struct mcp_client *client)
{
    if (--client->users == 0)
        LIST_INSERT_HEAD(&client->all->left, client, idle_link);
}

static void free_client(struct mcp_client *client)
{
    LIST_REMOVE(client, idle_link);
    client->all->kept -= client->is_kept;
    LIST_REMOVE(client, link);
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
        client->kept_until_s = mcp_now_s() + MCP_CLIENT_KEPT_S;
        all->kept++;
    }
}

static void expire_clients(struct mcp_sessions *all)
{
    struct mcp_client *client, *next;
    const uint64_t now = mcp_now_s();

    for (client = LIST_FIRST(&all->idle); client; client = next) {
        next = LIST_NEXT(client, idle_link);
        if (peer_is_idle(client->peer) ||
            (peer_calls(client->peer) == 0 && client->kept_until_s <= now))
            free_client(client);
    }
}

/* Cancels its calls, and ends its streams. */
static void end_client(struct mcp_client *client)
{
    struct mcp_sessions *all = client->all;
    struct peer *peer = client->peer;

    take_up(client); /* its streams go while they are notified */
    if (client->has_id) {
        LIST_REMOVE(client, link);
        LIST_INSERT_HEAD(&all->clients[MCP_CLIENT_BUCKETS], client, link);
    }
    client->has_id = false;
    client->peer = NULL;
    peer_destroy(peer);
    mcp_streams_remove(all, client->id.name);
    mcp_client_leave(client);
}

/* ---- ending a session ---- */

/* A DELETE that waits for the store. */
struct mcp_deletion {
    LIST_ENTRY(mcp_deletion) link;
    struct mcp_sessions *all;
    struct session_id id;
    struct exchange *exchange; /* NULL after its client has gone */
    struct ended_id *job;
};

static void free_deletion(struct mcp_deletion *deletion)
{
    LIST_REMOVE(deletion, link);
    free(deletion);
}

static void on_ended(void *user, const struct error *err)
{
    struct mcp_deletion *deletion = user;
    struct exchange *exchange = deletion->exchange;
    struct mcp_client *client = find_client(deletion->all, &deletion->id);

    if (!err && client)
        end_client(client);
    if (!err)
        mcp_streams_remove(deletion->all, deletion->id.name);
    if (exchange && err)
        exchange_error(exchange, 503, "the session cannot be ended now: %s", err->text);
    else if (exchange)
        exchange_answer(exchange, 204, NULL, NULL);
    free_deletion(deletion);
}

static void on_gone(void *user)
{
    struct mcp_deletion *deletion = user;

    deletion->exchange = NULL;
}

void mcp_session_delete(struct exchange *exchange, const struct session_id *id)
{
    struct mcp_sessions *all = exchange->services->sessions;
    struct mcp_deletion *deletion = calloc(1, sizeof *deletion);
    struct error err = {0};

    if (!deletion) {
        exchange_error(exchange, 503, "out of memory: send it again in a moment");
        return;
    }
    deletion->all = all;
    deletion->id = *id;
    deletion->exchange = exchange;
    LIST_INSERT_HEAD(&all->deletions, deletion, link);
    deletion->job =
        ended_ids_end(all->server->store.ended, id->name, id->ends, on_ended, deletion, &err);
    if (!deletion->job) {
        free_deletion(deletion);
        exchange_error(exchange, 503, "the session cannot be ended now: %s", err.text);
        return;
    }
    exchange->on_gone = on_gone;
    exchange->on_gone_user = deletion;
}

/* ---- all of them ---- */

struct mcp_sessions *mcp_sessions_create(struct server *server, struct error *err)
{
    struct mcp_sessions *all = calloc(1, sizeof *all);

    if (!all || getrandom(&all->last_stream, sizeof all->last_stream, 0) < 0) {
        error_set(err, ERROR_MEMORY, "out of memory for the MCP sessions");
        free(all);
        return NULL;
    }
    all->server = server;
    all->host = host_create(server, &host_config, err);
    if (!all->host) {
        free(all);
        return NULL;
    }
    mcp_streams_init(all);
    return all;
}

void mcp_sessions_destroy(struct mcp_sessions *all)
{
    struct mcp_deletion *deletion;
    struct mcp_client *client, *next;

    if (!all)
        return;
    while ((deletion = LIST_FIRST(&all->deletions))) {
        ended_id_forget(deletion->job);
        if (deletion->exchange)
            exchange_error(deletion->exchange, 503, "the server is stopping");
        free_deletion(deletion);
    }
    for (size_t i = 0; i <= MCP_CLIENT_BUCKETS; i++) {
        for (client = LIST_FIRST(&all->clients[i]); client; client = next) {
            next = LIST_NEXT(client, link);
            end_client(client);
        }
    }
    mcp_streams_remove(all, NULL);
    mcp_clients_collect(all);
    host_destroy(all->host);
    free(all);
}

void mcp_sessions_expire(struct mcp_sessions *all)
{
    mcp_clients_collect(all);
    expire_clients(all);
    mcp_streams_expire(all);
}

void mcp_sessions_drain(struct mcp_sessions *all)
{
    host_end_streams(all->host);
}
