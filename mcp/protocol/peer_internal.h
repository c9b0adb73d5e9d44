/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files of the protocol share: a request on its way through its method, and the calls of a
 * peer.
 */
#ifndef LECTERN_PROTOCOL_PEER_INTERNAL_H
#define LECTERN_PROTOCOL_PEER_INTERNAL_H

#include <stdint.h>
#include <sys/queue.h>

#include <uv.h>

#include "helpers/base/buf.h"
#include "mcp/protocol/peer.h"
#include "mcp/tool/tool.h"

struct method;

#define METHOD_SHOWN 100 /* bytes of an unknown name in an error */

#define SERVER_INFO                                                                                \
    "{\"name\":\"lectern\",\"title\":\"Lectern curriculum server\","                               \
    "\"version\":\"" LECTERN_VERSION "\"}"

/* One call under way: a request whose answer comes later. */
struct peer_call {
    struct tool_call call;
    LIST_ENTRY(peer_call) link;
    struct peer *peer;
    struct peer_reply *reply; /* NULL after its transport is gone */
    struct client client;     /* as it was when it called */
    const struct method *method;
    json_t *id; /* owned */
    bool cancelled;

    /* Progress (progress.c). */
    json_t *token; /* owned; NULL: none is wanted */
    LIST_ENTRY(peer_call) progress_link;
    uint64_t started_ms, notified_ms; /* of the loop's clock; notified_ms 0: nothing was sent yet */
    double notified;                  /* the value sent last */
};

struct peer {
    struct host *host;     /* borrowed */
    const char *transport; /* "stdio"; static */
    struct client client;
    LIST_HEAD(, peer_call) calls;
    size_t call_count;
    unsigned holds; /* who still uses it although it is destroyed */
    bool destroyed; /* peer_destroy was called */
};

struct host {
    struct server *server;           /* borrowed */
    size_t users;                    /* peers, and the timer */
    LIST_HEAD(, peer_call) progress; /* the calls that want it */
    uv_timer_t progress_timer;       /* runs while there are such calls */
};

/* One user less: frees it with the last. */
void host_leave(struct host *host);

/* ---- requests and methods ---- */

enum { ERA_LEGACY = 1, ERA_MODERN = 2, ERA_BOTH = ERA_LEGACY | ERA_MODERN };

/* One request or notification on its way through its method. */
struct request {
    struct peer *peer;
    struct peer_reply *reply;
    const struct message *message;
    const struct client *client; /* who sends it */

    /* Set by the method. */
    struct buf members; /* METHOD_DONE: the members of the result, without braces */
    enum message_error code;
    int http_status; /* 0: what follows from the code */
    json_t *data;    /* of the error, or NULL; owned */
    char why[ERROR_TEXT_CAP];
};

enum method_outcome {
    METHOD_DONE,    /* with a result, or a notification */
    METHOD_REFUSED, /* code and why are set */
    METHOD_CALLED,  /* a call has begun, and answers later */
};

struct method {
    const char *name;
    unsigned eras;
    bool notification;      /* else a request */
    bool before_initialize; /* allowed as the first one of a legacy client */
    const char *named_by;   /* the member of params that Mcp-Name repeats; or NULL */
    bool cached;            /* a modern client may keep its result for keep_ms */
    int keep_ms;
    enum method_outcome (*handle)(struct request *request);
};

extern const struct method methods[]; /* the last row has no name */

const struct method *method_find(const char *name); /* NULL if there is none */

enum method_outcome request_refuse(struct request *request, enum message_error code,
                                   const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Sends one response. If the message outgrew its cap, the client gets an error instead. */
void reply_respond(struct peer_reply *reply, const json_t *id, struct buf *message,
                   int http_status);

/* ---- calls (call.c) ---- */

enum method_outcome call_tool(struct request *request); /* tools/call */
struct peer_call *call_find(struct peer *peer, const json_t *id);
void call_cancel(struct peer_call *call);
/* Ends its reply; the call goes on. */
void call_end_reply(struct peer_call *call, bool accepted);

/* ---- progress (progress.c) ---- */

void progress_start(struct peer_call *call);
void progress_stop(struct peer_call *call);

void peer_free_when_done(struct peer *peer);

#endif
