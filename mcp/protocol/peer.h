/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One MCP client: its messages in and out, its running calls and its open stream. No sockets, no
 * storage. Everything runs on the loop's thread. stdio has one peer for the process. Streamable
 * HTTP has one for each session with calls or streams, and, for the revisions without sessions, one
 * for each request. The peers of a transport share a host.
 */
#ifndef LECTERN_PROTOCOL_PEER_H
#define LECTERN_PROTOCOL_PEER_H

#include <stdbool.h>
#include <stddef.h>

#include "helpers/base/error.h"
#include "mcp/protocol/client.h"
#include "mcp/protocol/message.h"
#include "mcp/server.h"

#define PEER_CALLS_CAP   64             /* concurrent calls of one peer */
#define PEER_LISTENS_CAP 16             /* open streams of subscriptions/listen of one peer */
#define PEER_URIS_CAP    256            /* resources whose changes one stream is sent */
#define PEER_BATCH_CAP   PEER_CALLS_CAP /* messages of one batch: all of them may be calls */

/* The same version of a revision with sessions as static text, or NULL. */
const char *protocol_version_find(const char *version);
bool peer_version_is_modern(const char *version); /* of a revision without sessions */

struct peer_reply;

/* What the clients of one transport share: the server behind them, their timers, and what changes
 * for all of them. lists_change: the lists of tools and prompts change meanwhile
 * (tool_call_notify). server is borrowed; it must stay valid until the loop has run the close
 * callbacks after host_destroy and the last call has ended. */
struct host *host_create(struct server *server, bool lists_change, struct error *err);

/* What its clients have under way: requests that a tool is answering, and streams on which only
 * changes are sent. */
void host_count(const struct host *host, size_t *calls, size_t *streams);

/* Ends the streams on which only changes are sent, and notifies their clients: those whose reply is
 * over, or all if over is NULL. */
void host_end_streams(struct host *host, bool (*over)(struct peer_reply *reply));

/* After its peers were destroyed. Their calls may still be ending. Takes NULL. */
void host_destroy(struct host *host);

struct peer;

enum peer_output {
    PEER_RESPONSE,
    PEER_NOTIFICATION, /* about a request under way (progress), or on a stream */
    PEER_REQUEST,      /* of the server to its client: it must not be dropped */
};

/* The destination of the answers to one incoming message, or of an open stream: an HTTP exchange,
 * or stdio. It is passed with the message, and must stay valid until `end` was called on it, or
 * until peer_forget. */
struct peer_reply {
    /* Set by the peer before it sends a response: its HTTP status. 200, or 4xx if the message as a
     * whole is refused. */
    int http_status;
    /* Set by the transport: notifications and requests can be sent too. */
    bool streams;
    /* Sends one JSON-RPC message without a line end. */
    void (*send)(struct peer_reply *reply, const char *json, size_t len, enum peer_output kind);
    /* Nothing more will be sent. accepted: there was nothing to answer (a notification): HTTP's
     * 202. */
    void (*end)(struct peer_reply *reply, bool accepted);
    /* Nothing will be sent for a while. The transport may end the connection, if its client knows
     * how to come back (SEP-1699). Or NULL. */
    void (*pause)(struct peer_reply *reply);
};

/* The headers of a POST that repeat its body; "" if absent. Checked for modern messages only. */
struct peer_headers {
    const char *version; /* MCP-Protocol-Version */
    const char *method;  /* Mcp-Method */
    const char *name;    /* Mcp-Name */
    /* The value of Mcp-Param-NAME, NULL if absent; valid until the next call. */
    const char *(*param)(const struct peer_headers *headers, const char *name);
};

/* Whether the message is of a revision without sessions, whose requests stand alone: each gets a
 * peer of its own over HTTP, and ends with its connection. */
bool peer_message_is_modern(const struct message *message, const struct peer_headers *headers);

/* transport is static text: "http". client is copied; NULL: it has not introduced itself, and has
 * the toolsets of the server. */
struct peer *peer_create(struct host *host, const char *transport, const struct client *client,
                         struct error *err);

/* Who sends the next messages; copied. Before it: everyone. */
void peer_identify(struct peer *peer, const struct identity *identity);

/* Handles one message, of any kind, also an invalid one. headers: of the POST, or NULL. */
void peer_receive(struct peer *peer, const struct message *message,
                  const struct peer_headers *headers, struct peer_reply *reply);

/* No message will come from the client any more: a call does not wait for its answers. */
void peer_end_input(struct peer *peer);

/* The transport behind this reply is gone. Discards what would be sent to it; the calls continue
 * (in the legacy era a lost connection is not a cancellation). */
void peer_forget(struct peer *peer, struct peer_reply *reply);

/* From now on the notifications to this legacy client that belong to no call go to this reply; an
 * earlier such stream ends. -1 without memory. */
int peer_open_stream(struct peer *peer, struct peer_reply *reply, struct error *err);

/* What this client agreed on in initialize; version is NULL before. */
const struct client *peer_client(const struct peer *peer);
size_t peer_calls(const struct peer *peer); /* running */
/* Nothing is lost if it is destroyed, and created again from its client: no calls, no streams, no
 * subscriptions. */
bool peer_is_idle(const struct peer *peer);

/* Cancels the running calls; the memory is freed when the last one has ended. Takes NULL. */
void peer_destroy(struct peer *peer);

#endif
