/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of MCP clients: a list in the order of use, as there are few of them (HTTP_PEERS_CAP).
 */
#include "mcp/transport/http_sessions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "helpers/base/log.h"
#include "mcp/transport/transport.h"

#define ID_BYTES ((MCP_SESSION_ID_SIZE - 1) / 2)

struct mcp_sessions {
    struct server *server;
    TAILQ_HEAD(session_list, mcp_session) list;
    size_t count;
};

static uint64_t now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec;
}

struct mcp_sessions *mcp_sessions_create(struct server *server, struct error *err)
{
    struct mcp_sessions *sessions = calloc(1, sizeof *sessions);

    if (!sessions) {
        error_set(err, ERROR_MEMORY, "out of memory for the table of MCP sessions");
        return NULL;
    }
    sessions->server = server;
    TAILQ_INIT(&sessions->list);
    return sessions;
}

void mcp_sessions_destroy(struct mcp_sessions *sessions)
{
    struct mcp_session *session, *next;

    if (!sessions)
        return;
    for (session = TAILQ_FIRST(&sessions->list); session; session = next) {
        next = TAILQ_NEXT(session, link);
        mcp_session_end(sessions, session);
    }
    free(sessions);
}

static bool is_idle(const struct mcp_session *session)
{
    return session->users == 0 && peer_calls(session->peer) == 0;
}

void mcp_sessions_expire(struct mcp_sessions *sessions)
{
    struct mcp_session *session, *next;
    uint64_t now = now_s();

    for (session = TAILQ_FIRST(&sessions->list); session; session = next) {
        next = TAILQ_NEXT(session, link);
        if (now - session->last_used > HTTP_PEER_IDLE_S && is_idle(session))
            mcp_session_end(sessions, session);
    }
}

struct mcp_session *mcp_session_create(struct mcp_sessions *sessions, struct error *err)
{
    struct mcp_session *session = calloc(1, sizeof *session);

    if (!session) {
        error_set(err, ERROR_MEMORY, "out of memory for an MCP session");
        return NULL;
    }
    session->peer = peer_create(sessions->server, "http", NULL, err);
    if (!session->peer) {
        free(session);
        return NULL;
    }
    session->users = 1;
    return session;
}

static int make_room(struct mcp_sessions *sessions, struct error *err)
{
    struct mcp_session *session;

    if (sessions->count < HTTP_PEERS_CAP)
        return 0;
    TAILQ_FOREACH(session, &sessions->list, link)
    {
        if (is_idle(session)) {
            log_info("http", "the table of %d MCP sessions is full: the one idle longest ends",
                     HTTP_PEERS_CAP);
            mcp_session_end(sessions, session);
            return 0;
        }
    }
    return error_set(err, ERROR_BUSY,
                     "%d MCP sessions have calls under way: send initialize again in a moment",
                     HTTP_PEERS_CAP);
}

int mcp_session_register(struct mcp_sessions *sessions, struct mcp_session *session,
                         struct error *err)
{
    unsigned char random[ID_BYTES];

    if (make_room(sessions, err) < 0)
        return -1;
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return error_errno(err, errno, "getrandom for a session id");
    for (size_t i = 0; i < sizeof random; i++)
        snprintf(session->id + 2 * i, 3, "%02x", random[i]);
    session->last_used = now_s();
    TAILQ_INSERT_TAIL(&sessions->list, session, link);
    sessions->count++;
    return 0;
}

struct mcp_session *mcp_session_use(struct mcp_sessions *sessions, const char *id)
{
    struct mcp_session *session;

    TAILQ_FOREACH(session, &sessions->list, link)
    {
        if (strcmp(session->id, id) != 0)
            continue;
        TAILQ_REMOVE(&sessions->list, session, link);
        TAILQ_INSERT_TAIL(&sessions->list, session, link);
        session->last_used = now_s();
        session->users++;
        return session;
    }
    return NULL;
}

void mcp_session_leave(struct mcp_session *session)
{
    session->last_used = now_s();
    if (--session->users > 0 || (session->peer && session->id[0]))
        return;
    peer_destroy(session->peer);
    free(session);
}

void mcp_session_end(struct mcp_sessions *sessions, struct mcp_session *session)
{
    struct peer *peer = session->peer;

    TAILQ_REMOVE(&sessions->list, session, link);
    sessions->count--;
    session->peer = NULL;
    session->users++; /* its exchanges leave while they are told */
    peer_destroy(peer);
    mcp_session_leave(session);
}
