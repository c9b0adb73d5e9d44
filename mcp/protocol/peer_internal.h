/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a peer is inside protocol/. Everything runs on the loop's thread.
 */
#ifndef LECTERN_PROTOCOL_PEER_INTERNAL_H
#define LECTERN_PROTOCOL_PEER_INTERNAL_H

#include <sys/queue.h>
#include <uv.h>

#include "mcp/protocol/method.h"
#include "mcp/protocol/peer.h"
#include "mcp/tool/tool.h"

#define PEER_WHO_SIZE 64

/* One tools/call under way. */
struct peer_call {
    struct tool_call call;
    LIST_ENTRY(peer_call) link;
    struct peer *peer;
    struct peer_reply *reply; /* NULL once the transport behind it is gone */
    json_t *id;               /* owned */
    json_t *token;            /* owned; NULL: no progress wanted */
    bool cancelled;

    /* Progress. */
    uint64_t started_ms, notified_ms; /* of the loop's clock; notified_ms 0: nothing was sent yet */
    double notified;                  /* the value sent last */
};

struct peer {
    struct server *server; /* borrowed */
    char transport[16];
    char *bound_session; /* owned, or NULL */
    const char *version; /* agreed, one of protocol_versions; NULL before initialize */
    char who[PEER_WHO_SIZE];
    LIST_HEAD(, peer_call) calls;
    size_t call_count;
    uv_timer_t progress_timer; /* runs while a call with a progress token is under way */
    bool destroyed;            /* peer_destroy was called */
    bool timer_closed;
};

/* peer_call.c: tools/call from its request to its answer. */
enum handled peer_call_begin(struct peer *peer, const struct peer_request *request,
                             struct refusal *refusal);
struct peer_call *peer_call_find(struct peer *peer, const json_t *id);
void peer_call_cancel(struct peer_call *call);
void peer_calls_forget(struct peer *peer, const struct peer_reply *reply);
void peer_calls_end(struct peer *peer); /* cancels all and ends their replies */

/* peer_progress.c: what a client hears of its calls while they are under way. */
void peer_progress_begin(struct peer *peer, struct peer_call *call);
void peer_progress_end(struct peer *peer); /* after a call has ended */

/* peer.c: frees a destroyed peer once nothing refers to it any more. */
void peer_free_when_done(struct peer *peer);

/* Sends one response. Where the message outgrew its cap, the client is told so instead of getting
 * nothing. */
void peer_respond(struct peer_reply *reply, const json_t *id, struct buf *message, int http_status);

#endif
