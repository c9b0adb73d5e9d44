/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files of the protocol share: a request on its way through its method, the calls of a
 * peer, and its streams.
 */
#ifndef LECTERN_PROTOCOL_PEER_INTERNAL_H
#define LECTERN_PROTOCOL_PEER_INTERNAL_H

#include <stdint.h>
#include <sys/queue.h>

#include <uv.h>

#include "helpers/base/buf.h"
#include "mcp/change/change_feed.h"
#include "mcp/protocol/peer.h"
#include "mcp/tool/tool.h"

#define METHOD_SHOWN 100 /* bytes of an unknown name in an error */

#define SERVER_INFO "{" SERVER_INFO_MEMBERS "}"
#define SERVER_INFO_MEMBERS                                                                        \
    "\"name\":\"lectern\",\"title\":\"Lectern curriculum server\","                                \
    "\"version\":\"" LECTERN_VERSION "\""

/* ---- requests and methods ---- */

enum { ERA_LEGACY = 1, ERA_MODERN = 2, ERA_BOTH = ERA_LEGACY | ERA_MODERN };

struct method;
struct peer_call;

/* One request or notification on its way through its method. */
struct request {
    struct peer *peer;
    struct peer_reply *reply;
    const struct message *message;
    const struct method *method;
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
    METHOD_CALLED,  /* it is answered later */
};

struct method {
    const char *name;
    unsigned eras;
    bool notification;      /* else a request */
    bool before_initialize; /* allowed as the first one of a legacy client */
    bool for_editors;       /* unknown to clients without client_edits */
    bool marks_arguments;   /* of a tool, which may be repeated in headers too */
    const char *named_by;   /* the member of params that Mcp-Name repeats; or NULL */
    bool cached;            /* a modern client may keep its result for keep_ms */
    int keep_ms;
    enum method_outcome (*handle)(struct request *request);
    /* For a method that makes a call: appends the members of its result, with _meta. false: only
     * now its params turn out to be `wrong`. */
    bool (*write)(const struct peer_call *call, struct buf *to);
    const char *wrong;
    bool fails_inside; /* a call that fails has a result that says so; else an error */
};

extern const struct method methods[]; /* the last row has no name */

const struct method *method_find(const char *name); /* NULL if there is none */

enum method_outcome request_refuse(struct request *request, enum message_error code,
                                   const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Sends one response. If the message outgrew its cap, the client gets an error instead. */
void reply_respond(struct peer_reply *reply, const json_t *id, struct buf *message,
                   int http_status);
/* Answers with an error, and ends the reply. data may be NULL. */
void reply_refuse(struct peer_reply *reply, const json_t *id, int http_status,
                  enum message_error code, const char *text, const json_t *data);

/* ---- eras (era.c) ----
 *
 * Legacy: the revisions 2024-11-05 to 2025-11-25, in which `initialize` opens a session. Modern:
 * 2026-07-28, in which each request says in _meta which revision it speaks and what its client can.
 * What differs between them in messages, results and errors is here; which methods each has is in
 * the table of methods. */

#define MODERN_VERSION "2026-07-28"

/* version.c: newest first, NULL-terminated. */
extern const char *const era_legacy_versions[], *const era_modern_versions[];

/* Whether the client of a request is a modern one. */
bool era_client_is_modern(const struct client *client);

/* Whether the message is modern: it says so in _meta, only that era has its method, or the headers
 * of its POST name a version that no legacy client agrees on. */
bool era_is_modern(const struct message *message, const struct method *method,
                   const struct peer_headers *headers);

/* Checks what a modern message must say, and sets *client to who sends it. base: what is known of
 * the client without the message. headers: NULL without HTTP. */
enum method_outcome era_check(struct request *request, const struct method *method,
                              const struct peer_headers *headers, const struct client *base,
                              struct client *client);

/* The status of an error over HTTP, for this client. */
int era_http_status(const struct client *client, enum message_error code);

/* The refusal of a URI that names no resource. */
enum method_outcome era_refuse_uri(struct request *request, const char *uri);

/* Begins a result object, up to the members of its method: an opening brace, and for a modern
 * client what each result says. type: "complete" or "input_required". */
void era_begin_result(struct buf *to, const struct client *client, const char *type,
                      const struct method *method);
/* The members of a result's _meta for this client: static, "" if there are none. */
const char *era_result_meta(const struct client *client);
/* Appends _meta with them, as a further member; nothing if there are none. */
void era_add_meta(struct buf *to, const struct client *client);
/* Appends the member "icons" after others, where the client's revision has it. */
void era_write_icons(const struct client *client, struct buf *to);

/* Whether the revision of the client has batches. */
bool era_has_batches(const struct client *client);

/* ---- the answers to a batch (batch.c) ---- */

struct batch;

/* It answers, and is freed, after as many calls of batch_end_one as it has messages, and one more:
 * the reply to each message calls it at its end, and who handles them after the last one. NULL
 * without memory. */
struct batch *batch_create(struct peer_reply *reply, size_t count);
void batch_end_one(struct batch *batch);
/* The reply to its message i. */
struct peer_reply *batch_reply(struct batch *batch, size_t i, const json_t *id);
/* Where the answer to a call goes: if it is part of a batch whose answers go to `gone`, sets it to
 * NULL. */
void batch_forget(struct peer_reply **reply, const struct peer_reply *gone);

/* ---- calls (call.c) ---- */

/* One call under way: a request that a tool answers later. */
struct peer_call {
    struct tool_call call;
    LIST_ENTRY(peer_call) link;
    struct peer *peer;
    struct peer_reply *reply; /* NULL after its transport is gone */
    struct client client;     /* as it was when it called */
    const struct method *method;
    json_t *id;     /* owned */
    json_t *params; /* of the request; owned reference, or NULL */
    bool cancelled;
    bool answered; /* its response has been sent */

    /* Progress (progress.c). */
    json_t *token; /* owned; NULL: none is wanted */
    LIST_ENTRY(peer_call) progress_link;
    uint64_t started_ms, notified_ms; /* of the loop's clock; notified_ms 0: nothing was sent yet */
    double notified;                  /* the value sent last */
    bool counts;                      /* the tool itself says how far it is */

    /* Questions (ask.c). */
    char *kept;      /* of an earlier call, for the tool; owned, or NULL */
    json_t *waiting; /* {id of our request: key}, while the client is asked; owned, or NULL */
    uint64_t asked_until_ms;
    void (*on_no_answer)(struct peer_call *call);
    LIST_ENTRY(peer_call) asking_link;
};

/* Begins a call. arguments: an object, or NULL for none; the reference is taken. */
enum method_outcome call_begin(struct request *request, const struct tool *tool, json_t *arguments);
/* params.arguments of a call as a new reference: an object, also from its JSON text, as some
 * clients send it, or NULL if there are none. */
enum method_outcome call_take_arguments(struct request *request, json_t **arguments);
enum method_outcome call_tool(struct request *request); /* tools/call */
bool call_write_tool(const struct peer_call *call, struct buf *to);
struct peer_call *call_find(struct peer *peer, const json_t *id);
void call_cancel(struct peer_call *call);
/* Ends its reply; the call goes on. */
void call_end_reply(struct peer_call *call, bool accepted);

/* ---- what a call sends meanwhile (progress.c) ---- */

void progress_start(struct peer_call *call);
void progress_stop(struct peer_call *call);
/* Starts the timer of the calls, or stops it if none wants progress or waits. */
void progress_time(struct host *host);
int progress_level(const char *name); /* of a log message: 0 is the least, -1 unknown */
void progress_note(struct tool_call *call, const struct tool_note *note);

/* ---- questions to the client (ask.c) ---- */

/* Takes the answers that a modern client sends with a call that it repeats. */
enum method_outcome ask_take_answers(struct request *request, struct peer_call *call);
/* The tool has ended with questions: sends them to the client. The call of a legacy client goes on;
 * that of a modern one is answered with them. */
void ask_client(struct peer_call *call);
/* The response to a request of ours. */
void ask_take_response(struct peer *peer, const struct message *message);
/* No answer is waited for any more. */
void ask_stop(struct peer_call *call);
/* The client is gone: ends the call if it waits for answers. */
void ask_give_up(struct peer_call *call);

/* ---- lists, resources, prompts (list.c, read.c) ---- */

enum method_outcome list_tools(struct request *request);
enum method_outcome list_prompts(struct request *request);
enum method_outcome list_templates(struct request *request);
enum method_outcome list_resources(struct request *request);
bool list_write_resources(const struct peer_call *call, struct buf *to);
#define LIST_CURSOR_WRONG                                                                          \
    "params.cursor must be the nextCursor of the page before: omit it to begin"
enum method_outcome read_resource(struct request *request);
bool read_write_resource(const struct peer_call *call, struct buf *to);
enum method_outcome read_prompt(struct request *request);
bool read_write_prompt(const struct peer_call *call, struct buf *to);
enum method_outcome read_completion(struct request *request);
bool read_write_completion(const struct peer_call *call, struct buf *to);

/* ---- streams (stream.c) ---- */

/* The lists whose changes a stream is sent; a set. */
enum { LIST_TOOLS = 1, LIST_PROMPTS = 2, LIST_RESOURCES = 4 };

/* A stream of notifications: of a subscriptions/listen, or of a legacy client. */
struct stream {
    LIST_ENTRY(stream) link;      /* of its peer */
    LIST_ENTRY(stream) host_link; /* of all */
    struct peer *peer;
    struct peer_reply *reply;
    json_t *id;     /* of its request; owned; NULL: of a legacy client */
    unsigned lists; /* LIST_TOOLS and so on */
    json_t *uris;   /* an object with the URIs as keys; owned reference, or NULL */
};

enum method_outcome stream_listen(struct request *request);      /* subscriptions/listen */
enum method_outcome stream_subscribe(struct request *request);   /* resources/subscribe */
enum method_outcome stream_unsubscribe(struct request *request); /* resources/unsubscribe */
void stream_list_changed(struct host *host, unsigned lists);
/* A resource, or with '/' at the end of the URI all whose URIs begin with it. */
void stream_resource_changed(struct host *host, const char *uri);
/* The lists of this client that change while this server runs. */
unsigned stream_lists(const struct host *host, const struct client *client);
struct stream *stream_find(struct peer *peer, const json_t *id);
/* notified: its client is sent the result that ends it. */
void stream_end(struct stream *stream, bool notified);
/* Ends what would be sent to this reply; nothing is sent. */
void stream_forget(struct peer *peer, const struct peer_reply *reply);

/* ---- peers and hosts ---- */

struct peer {
    struct host *host;     /* borrowed */
    const char *transport; /* "stdio"; static */
    struct client client;
    LIST_HEAD(, peer_call) calls;
    size_t call_count;
    unsigned holds; /* uses that keep its memory after it was destroyed */
    LIST_HEAD(, stream) streams;
    size_t listen_count; /* of streams, those of subscriptions/listen */
    json_t *uris;        /* what a legacy client has subscribed to, an object; or NULL */
    int log_level;       /* the least that a legacy client wants, of progress.c */
    unsigned long asked; /* requests sent to it */
    bool input_ended;    /* peer_end_input was called */
    bool destroyed;      /* peer_destroy was called */
};

void peer_free_when_done(struct peer *peer);

struct host {
    struct server *server; /* borrowed */
    bool lists_change;
    size_t users;                    /* peers, and open handles */
    size_t calls;                    /* of all peers */
    struct buf *tools[2];            /* of host_tool_entry, as many as tools[] has; or NULL */
    LIST_HEAD(, peer_call) progress; /* the calls that want it */
    LIST_HEAD(, peer_call) asking;   /* the calls that wait for their client */
    uv_timer_t progress_timer;       /* runs while there are such calls */
    /* Changes are gathered for a moment, and then sent. */
    struct change_listener listener;
    bool listens;
    LIST_HEAD(, stream) streams;
    unsigned changed_lists;
    json_t *changed_uris; /* that a stream has subscribed to; an object */
    uv_timer_t change_timer;
};

/* The entry of tools[i], written when it is first listed: nothing in it changes while the server
 * runs. bound: to a learner. Borrowed. NULL without memory. */
const struct buf *host_tool_entry(struct host *host, size_t i, bool bound);

#endif
