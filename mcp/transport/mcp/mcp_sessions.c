/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sessions of "/mcp" for the revisions of MCP that have them. A session is its id
 * (session_id.h), so there is no table of them: only of those that have something under way
 * (mcp_client.c).
 */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "helpers/base/cleanup.h"
#include "helpers/base/hash.h"
#include "mcp/transport/mcp/ended_ids.h"
#include "mcp/transport/mcp/http_mcp.h"

#define VERSION_CHECKED_FROM "2025-06-18" /* the first revision with MCP-Protocol-Version */

_Static_assert(SESSION_ID_NAME_SIZE == ENDED_ID_SIZE, "what names a session names its end");
_Static_assert(SESSION_ID_TEXT_SIZE <= MCP_SESSION_ID_SIZE, "a header has room for an id");

/* ---- ids ---- */

/* Like session_id_read, but keeps the ids that were read last. */
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
    if (len >= sizeof read->text) /* longer than any of session_id_write */
        return 0;
    read->id = *id;
    read->len = len;
    memcpy(read->text, text, len + 1);
    return 0;
}

/* A token of the same holder may have fewer scopes than the one that opened the session, and what a
 * session has under way must not reach it. */
static bool exceeds(const struct client *client, unsigned offered, const struct identity *identity)
{
    return client->toolsets & ~(offered & client_toolsets_of(identity));
}

int mcp_session_find(struct exchange *exchange, struct session_id *id)
{
    const struct server_request *request = exchange->request;
    struct server *server = exchange->services->server;
    struct error err = {0};
    int over = 0;

    if (read_id(exchange->services->sessions, id, request->mcp_session) < 0 ||
        strcmp(id->holder, exchange->identity->id) != 0 ||
        exceeds(&id->client, server->toolsets, exchange->identity))
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
    struct mcp_client *client = mcp_client_find(deletion->all, &deletion->id);

    if (!err && client)
        mcp_client_end(client);
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
    all->host = host_create(server, tables_change, err);
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
    for (client = LIST_FIRST(&all->clients); client; client = next) {
        next = LIST_NEXT(client, link);
        mcp_client_end(client);
    }
    mcp_streams_remove(all, NULL);
    mcp_clients_collect(all);
    host_destroy(all->host);
    message_metas_finish(&all->metas);
    free(all);
}

void mcp_sessions_expire(struct mcp_sessions *all)
{
    mcp_clients_expire(all);
    mcp_streams_expire(all);
}

/* Nothing is sent to a stream without a connection, and a client that comes back signs in again. */
static bool is_over(struct peer_reply *reply)
{
    struct mcp_stream *stream = container_of(reply, struct mcp_stream, reply);

    return stream->exchange &&
           (!sign_in_lasts(stream->exchange) ||
            exceeds(peer_client(stream->client->peer), TOOLSETS_ALL, stream->exchange->identity));
}

void mcp_sessions_renew(struct mcp_sessions *all)
{
    host_end_streams(all->host, is_over);
}

void mcp_sessions_drain(struct mcp_sessions *all)
{
    host_end_streams(all->host, NULL);
}
