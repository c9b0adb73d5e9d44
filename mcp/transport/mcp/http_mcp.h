/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files of "/mcp" share: the sessions (mcp_sessions.c), their clients that have something
 * under way (mcp_client.c), and the answers that outlive their connections (mcp_stream.c). The
 * messages themselves are the protocol's (peer.h). On the loop's thread.
 */
#ifndef LECTERN_TRANSPORT_HTTP_MCP_H
#define LECTERN_TRANSPORT_HTTP_MCP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "helpers/base/buf.h"
#include "helpers/base/table.h"
#include "mcp/protocol/peer.h"
#include "mcp/transport/http/http_internal.h"
#include "mcp/transport/mcp/session_id.h"

/* A client without a stream that has subscribed to something is kept, so that it may open one. */
#define MCP_CLIENT_KEPT_S    600
#define MCP_CLIENTS_KEPT_CAP 1024

/* Streams that wait for their client to come back with Last-Event-ID. At a cap the oldest give way,
 * first those that were written completely. */
#define MCP_STREAM_LOST_S        300 /* one whose connection was lost; an open call is waited for */
#define MCP_STREAM_WRITTEN_S     60  /* one that was written, and perhaps not received */
#define MCP_STREAM_WRITTEN_BYTES ((size_t)64 << 10) /* a longer one is not kept then */
#define MCP_STREAMS_WAITING_CAP  512
#define MCP_STREAMS_BYTES_CAP    ((size_t)32 << 20) /* of what all that wait have kept */
/* Of the notifications on the stream of a GET, the newest are kept. */
#define MCP_GET_EVENTS_CAP 64
#define MCP_GET_BYTES_CAP  ((size_t)8 << 10)
#define MCP_RETRY_MS       1000 /* after which a client comes back for the rest of a stream */

/* A session that has calls or streams. The others are only known by their ids. */
struct mcp_client {
    LIST_ENTRY(mcp_client) link, idle_link;
    UT_hash_handle hh; /* of one that has an id */
    struct mcp_sessions *all;
    struct session_id id;          /* of one that has it */
    bool has_id;                   /* false: it sends its first message now, or was ended */
    struct peer *peer;             /* NULL once it was ended */
    struct mcp_stream *get_stream; /* its GET stream, or NULL */
    size_t users;                  /* streams that refer to it; without any it is in a list */
    bool is_kept;                  /* in the list idle */
    int64_t kept_until_s;          /* of clock_s */
};

LIST_HEAD(mcp_client_list, mcp_client);
TAILQ_HEAD(mcp_stream_list, mcp_stream);
LIST_HEAD(mcp_deletion_list, mcp_deletion);

/* An id whose seal was found good: opening it again costs more than the rest of a short request. */
struct mcp_read_id {
    size_t len; /* of text; 0: free */
    char text[SESSION_ID_TEXT_SIZE];
    struct session_id id;
};
#define MCP_READ_IDS 64u

struct mcp_sessions {
    struct server *server;
    struct host *host;
    struct mcp_client_list clients; /* all of them */
    struct mcp_client *by_id;       /* those that have an id, by its name */
    struct mcp_client_list left;    /* freed later, as a peer cannot be freed while it answers */
    struct mcp_client_list idle;    /* those that are kept */
    size_t kept;
    struct mcp_stream_list active; /* streams with ids that have a connection */
    struct mcp_stream_list waiting;
    size_t waiting_count, waiting_bytes;
    uint64_t last_stream;               /* begins anywhere, so that a restart repeats no number */
    struct mcp_deletion_list deletions; /* sessions that are being ended */
    struct mcp_read_id read[MCP_READ_IDS]; /* by the hash of their texts */
    struct message_metas metas;
};

/* ---- mcp_sessions.c ---- */

/* Reads the Mcp-Session-Id of the request. -1: it is missing, not good, not this holder's, or has
 * toolsets that this server or this token does not have, and the exchange was answered. */
int mcp_session_find(struct exchange *exchange, struct session_id *id);
/* Ends the session in the store and here, then answers the exchange. */
void mcp_session_delete(struct exchange *exchange, const struct session_id *id);

/* ---- mcp_client.c ---- */

/* The session's client, with one user more; NULL without memory. */
struct mcp_client *mcp_client_use(struct mcp_sessions *all, const struct session_id *id,
                                  struct error *err);
/* One that has no session, for one message, likewise, with these toolsets. */
struct mcp_client *mcp_client_new(struct mcp_sessions *all, unsigned toolsets, struct error *err);
/* One user less. */
void mcp_client_leave(struct mcp_client *client);
/* The session's, or NULL if nothing of it is under way. */
struct mcp_client *mcp_client_find(struct mcp_sessions *all, const struct session_id *id);
/* Cancels its calls. */
void mcp_client_end(struct mcp_client *client);
/* Frees the clients that have nothing under way. Not while a peer answers. */
void mcp_clients_collect(struct mcp_sessions *all);
/* And those that were kept long enough. */
void mcp_clients_expire(struct mcp_sessions *all);

/* ---- mcp_stream.c: the answer to one POST, or the stream of a GET ---- */

STAILQ_HEAD(stream_events, stream_event);

struct mcp_stream {
    struct peer_reply reply;
    struct mcp_sessions *all;
    struct mcp_client *client; /* NULL once nothing more comes */
    struct exchange *exchange; /* NULL once its connection is lost, or everything was written */
    bool prefers_events;
    bool resumable; /* of a session: its events have ids */
    bool primes;    /* its client knows events without data (from 2025-11-25 on) */
    bool of_get;    /* the stream of a GET */

    /* A POST until it has become a stream. */
    struct buf response;
    int response_status;
    bool receiving; /* inside peer_receive: the end is dealt with after it */
    bool ended, accepted;

    bool begun; /* it is a stream of events */

    /* One with ids. */
    TAILQ_ENTRY(mcp_stream) link;             /* in active or waiting */
    unsigned char name[SESSION_ID_NAME_SIZE]; /* of its session */
    uint64_t number;
    unsigned sequence;           /* of its last event */
    struct stream_events events; /* those that a client that comes back may need */
    size_t event_count, event_bytes;
    bool waits, was_written;
    int64_t until_s; /* it waits no longer than this (of clock_s); 0: until its call has ended */
};

/* What the client accepts as an answer. */
bool mcp_takes_json(const struct exchange *exchange);
bool mcp_takes_events(const struct exchange *exchange);

/* Takes over one user of the client; NULL without memory, and the user remains the caller's. */
struct mcp_stream *mcp_stream_open(struct mcp_client *client, struct exchange *exchange,
                                   struct error *err);
/* Likewise for the stream of a GET, which replaces an older one. */
struct mcp_stream *mcp_stream_open_get(struct mcp_client *client, struct exchange *exchange,
                                       struct error *err);
/* After peer_receive has returned for a POST, whose stream may be gone afterwards. */
void mcp_stream_received(struct mcp_stream *stream);
/* Resumes the stream of this session that the Last-Event-ID names; false: it is not there. */
bool mcp_stream_resume(struct mcp_sessions *all, const struct session_id *id, const char *last,
                       struct exchange *exchange);
/* Whether the Last-Event-ID is of the answer to a POST. */
bool mcp_stream_id_is_of_post(const char *last);

void mcp_streams_init(struct mcp_sessions *all);
/* Ends and removes the streams with ids of a session; of all sessions if name is NULL. */
void mcp_streams_remove(struct mcp_sessions *all, const unsigned char *name);
/* Removes those that have waited long enough, and shows the others' connections that the server is
 * there. */
void mcp_streams_expire(struct mcp_sessions *all);

#endif
