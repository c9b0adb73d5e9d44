/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The MCP clients of Streamable HTTP, by their Mcp-Session-Id. Everything runs on the loop's
 * thread.
 */
#ifndef LECTERN_TRANSPORT_HTTP_SESSIONS_H
#define LECTERN_TRANSPORT_HTTP_SESSIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "mcp/protocol/peer.h"

#define MCP_SESSION_ID_SIZE 33 /* 128 random bits in hex, with the NUL */

struct mcp_session {
    TAILQ_ENTRY(mcp_session) link; /* least recently used first */
    char id[MCP_SESSION_ID_SIZE];  /* "" while it is not in the table */
    struct peer *peer;             /* NULL once it has ended */
    size_t users;                  /* exchanges that refer to it */
    uint64_t last_used;            /* seconds, monotonic */
};

struct mcp_sessions;

struct mcp_sessions *mcp_sessions_create(struct server *server, struct error *err);
void mcp_sessions_destroy(struct mcp_sessions *sessions); /* ends all. Takes NULL */
void mcp_sessions_expire(struct mcp_sessions *sessions);  /* those idle for HTTP_PEER_IDLE_S */

/* A client that has no id yet, with one user; NULL without memory. */
struct mcp_session *mcp_session_create(struct mcp_sessions *sessions, struct error *err);
/* Gives it its id. In a full table the one that was idle longest ends for it; -1 with ERROR_BUSY
 * where all have calls under way. */
int mcp_session_register(struct mcp_sessions *sessions, struct mcp_session *session,
                         struct error *err);
/* NULL when there is none. One more user. */
struct mcp_session *mcp_session_use(struct mcp_sessions *sessions, const char *id);
/* One user less. What never got an id ends with its last. */
void mcp_session_leave(struct mcp_session *session);
/* Ends it: its calls are cancelled and their exchanges told; its id is unknown from now on. */
void mcp_session_end(struct mcp_sessions *sessions, struct mcp_session *session);

#endif
