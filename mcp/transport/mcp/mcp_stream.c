/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer to one POST, and the stream of a GET, in MCP's revisions with sessions. An answer is
 * JSON if it is the first thing that is sent, else a stream of server-sent events. Such a stream is
 * not its connection: if that is lost, what must not be lost is kept, and a GET with the id of the
 * last event (Last-Event-ID) receives it. A server may also end the connection by itself, and let
 * its client come back (SEP-1699); this one does so where a tool asks for it.
 *
 * An event's id is the stream's number, in hex, and the event's: "p17c-3". The first letter
 * is p for the answer of a POST, g for the stream of a GET.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "helpers/base/cleanup.h"
#include "helpers/base/clock.h"
#include "mcp/transport/mcp/http_mcp.h"

#define JSON_TYPE     "application/json"
#define EVENTS_TYPE   "text/event-stream"
#define PRIMES_FROM   "2025-11-25" /* the first revision with events that only have an id */
#define EVENT_ID_SIZE 32

struct stream_event {
    STAILQ_ENTRY(stream_event) link;
    unsigned sequence;
    size_t len;
    char json[];
};

/* ---- what is kept ---- */

static void drop_event(struct mcp_stream *stream)
{
    struct stream_event *event = STAILQ_FIRST(&stream->events);

    STAILQ_REMOVE_HEAD(&stream->events, link);
    stream->event_count--;
    stream->event_bytes -= event->len;
    if (stream->waits)
        stream->all->waiting_bytes -= event->len;
    free(event);
}

static void keep_event(struct mcp_stream *stream, const char *json, size_t len)
{
    struct stream_event *event = malloc(sizeof *event + len);

    if (!event)
        return; /* it was sent, if there is a connection */
    event->sequence = stream->sequence;
    event->len = len;
    memcpy(event->json, json, len);
    STAILQ_INSERT_TAIL(&stream->events, event, link);
    stream->event_count++;
    stream->event_bytes += len;
    if (stream->waits)
        stream->all->waiting_bytes += len;
    while (stream->of_get &&
           (stream->event_count > MCP_GET_EVENTS_CAP || stream->event_bytes > MCP_GET_BYTES_CAP))
        drop_event(stream);
}

static void leave_list(struct mcp_stream *stream)
{
    struct mcp_sessions *all = stream->all;

    if (!stream->begun || !stream->resumable)
        return;
    TAILQ_REMOVE(stream->waits ? &all->waiting : &all->active, stream, link);
    if (stream->waits) {
        all->waiting_count--;
        all->waiting_bytes -= stream->event_bytes;
    }
    stream->waits = false;
}

static void leave_client(struct mcp_stream *stream)
{
    struct mcp_client *client = stream->client;

    stream->client = NULL;
    if (!client)
        return;
    if (client->get_stream == stream)
        client->get_stream = NULL;
    mcp_client_leave(client);
}

/* Nothing is sent to it any more: its exchange, if any, and its peer forget it. */
static void remove_stream(struct mcp_stream *stream)
{
    if (stream->exchange) {
        stream->exchange->on_gone = NULL;
        stream->exchange->on_written = NULL;
    }
    if (stream->client && stream->client->peer)
        peer_forget(stream->client->peer, &stream->reply);
    leave_list(stream);
    leave_client(stream);
    while (!STAILQ_EMPTY(&stream->events))
        drop_event(stream);
    buf_finish(&stream->response);
    free(stream);
}

static struct mcp_stream *find_oldest(const struct mcp_sessions *all)
{
    struct mcp_stream *stream;

    TAILQ_FOREACH(stream, &all->waiting, link)
    {
        if (stream->was_written)
            return stream;
    }
    return TAILQ_FIRST(&all->waiting);
}

/* Its connection is gone. May remove the stream: if it has nothing to keep, or at a cap. */
static void wait_for_client(struct mcp_stream *stream)
{
    struct mcp_sessions *all = stream->all;

    leave_list(stream);
    stream->exchange = NULL;
    stream->waits = true;
    TAILQ_INSERT_TAIL(&all->waiting, stream, link);
    all->waiting_count++;
    all->waiting_bytes += stream->event_bytes;
    if (stream->was_written)
        stream->until_s = clock_s() + MCP_STREAM_WRITTEN_S;
    else if (stream->ended || stream->of_get)
        stream->until_s = clock_s() + MCP_STREAM_LOST_S;
    if (stream->ended && (STAILQ_EMPTY(&stream->events) ||
                          (stream->was_written && stream->event_bytes > MCP_STREAM_WRITTEN_BYTES)))
        remove_stream(stream);
    while (all->waiting_count > MCP_STREAMS_WAITING_CAP ||
           (all->waiting_bytes > MCP_STREAMS_BYTES_CAP && all->waiting_count > 1))
        remove_stream(find_oldest(all));
}

/* ---- the connection ---- */

/* The client has gone. Without the id of an event it cannot come back. The call of a session
 * continues; that of a client for one message ends with it. */
static void on_gone(void *user)
{
    struct mcp_stream *stream = user;
    struct mcp_sessions *all = stream->all;

    stream->exchange = NULL;
    if (stream->begun && stream->resumable)
        wait_for_client(stream);
    else
        remove_stream(stream);
    mcp_clients_collect(all);
}

/* The kernel has it all, which does not mean that the client has. */
static void on_written(void *user)
{
    struct mcp_stream *stream = user;

    stream->was_written = stream->ended;
    wait_for_client(stream);
}

static void connect_to(struct mcp_stream *stream, struct exchange *exchange)
{
    stream->exchange = exchange;
    exchange->on_gone = on_gone;
    exchange->on_written = on_written;
    exchange->on_gone_user = stream;
}

/* Ends the connection of a stream of events. It may be lost without the server having noticed. */
static void disconnect(struct mcp_stream *stream)
{
    struct exchange *old = stream->exchange;

    if (!old)
        return;
    old->on_gone = NULL;
    old->on_written = NULL;
    exchange_end_stream(old);
    stream->exchange = NULL;
}

static void write_id(const struct mcp_stream *stream, unsigned sequence, char id[EVENT_ID_SIZE])
{
    snprintf(id, EVENT_ID_SIZE, "%c%" PRIx64 "-%u", stream->of_get ? 'g' : 'p', stream->number,
             sequence);
}

/* Makes it a stream of events, unless it is one. */
static void begin_events(struct mcp_stream *stream)
{
    char id[EVENT_ID_SIZE], text[EVENT_ID_SIZE + 48];
    int len;

    if (stream->begun)
        return;
    stream->begun = true;
    if (!stream->resumable) {
        exchange_send_text(stream->exchange, "", 0);
        return;
    }
    stream->number = ++stream->all->last_stream;
    TAILQ_INSERT_TAIL(&stream->all->active, stream, link);
    write_id(stream, 0, id);
    len = snprintf(text, sizeof text, "id: %s\nretry: %d\ndata: \n\n", id, MCP_RETRY_MS);
    exchange_send_text(stream->exchange, text, stream->primes ? (size_t)len : 0);
}

/* ---- what the peer sends ---- */

static void on_send(struct peer_reply *reply, const char *json, size_t len, enum peer_output kind)
{
    struct mcp_stream *stream = container_of(reply, struct mcp_stream, reply);
    bool keeps = kind != PEER_NOTIFICATION || stream->of_get;
    char id[EVENT_ID_SIZE];

    if (kind == PEER_RESPONSE && !stream->begun) {
        stream->response_status = reply->http_status;
        buf_init(&stream->response, 0);
        buf_add(&stream->response, json, len);
        return;
    }
    if (!stream->reply.streams)
        return;
    if (stream->exchange)
        begin_events(stream);
    stream->sequence++;
    if (keeps && stream->resumable)
        keep_event(stream, json, len);
    write_id(stream, stream->sequence, id);
    if (stream->exchange && (kind != PEER_NOTIFICATION || sign_in_lasts(stream->exchange)))
        exchange_send_event(stream->exchange, stream->resumable ? id : NULL, json, len,
                            kind == PEER_NOTIFICATION);
}

static void answer(struct mcp_stream *stream)
{
    struct exchange *exchange = stream->exchange;

    if (stream->response_status == 403)
        sign_in_ask_scope(exchange, IDENTITY_EDIT);
    if (stream->response.len > 0)
        exchange_answer(exchange, stream->response_status, JSON_TYPE, &stream->response);
    else if (stream->accepted)
        exchange_answer(exchange, 202, NULL, NULL);
    else
        exchange_error(exchange, 404, "the MCP session has ended: send initialize again");
}

/* Nothing more will be sent. */
static void finish(struct mcp_stream *stream)
{
    struct buf *response = &stream->response;

    leave_client(stream);
    /* A client that takes no JSON, or names it second, gets a stream of one event. */
    if (!stream->begun && response->len > 0 && stream->prefers_events &&
        stream->response_status < 400 && stream->exchange->status == 0) {
        begin_events(stream);
        on_send(&stream->reply, response->data, response->len, PEER_RESPONSE);
    }
    if (!stream->begun)
        answer(stream);
    else if (stream->exchange)
        exchange_end_stream(stream->exchange);
    if (!stream->begun || !stream->resumable)
        remove_stream(stream);
    else if (!stream->exchange)
        wait_for_client(stream);
}

static void on_end(struct peer_reply *reply, bool accepted)
{
    struct mcp_stream *stream = container_of(reply, struct mcp_stream, reply);

    stream->ended = true;
    stream->accepted = accepted;
    if (!stream->receiving)
        finish(stream);
}

void mcp_stream_received(struct mcp_stream *stream)
{
    stream->receiving = false;
    if (stream->ended)
        finish(stream);
}

/* Ends the connection if its client knows how to come back for the rest. */
static void on_pause(struct peer_reply *reply)
{
    struct mcp_stream *stream = container_of(reply, struct mcp_stream, reply);

    if (!stream->exchange || !stream->reply.streams || !stream->primes || !stream->resumable)
        return;
    begin_events(stream);
    disconnect(stream);
    wait_for_client(stream);
}

/* Where the type stands in the list, or NULL. */
static const char *find_type(const char *accept, const char *type)
{
    const ptrdiff_t slash = strchr(type, '/') - type;

    for (const char *at = strchr(accept, '/'); at; at = strchr(at + 1, '/')) {
        if (at - accept >= slash && strncasecmp(at - slash, type, strlen(type)) == 0)
            return at - slash;
    }
    return NULL;
}

static bool accepts(const char *accept, const char *type, const char *any_of_kind)
{
    return !*accept || find_type(accept, type) || find_type(accept, any_of_kind) ||
           find_type(accept, "*/*");
}

bool mcp_takes_json(const struct exchange *exchange)
{
    return accepts(exchange->request->accept, JSON_TYPE, "application/*");
}

bool mcp_takes_events(const struct exchange *exchange)
{
    return accepts(exchange->request->accept, EVENTS_TYPE, "text/*");
}

/* Of two types that a client takes equally, the one that it names first counts. */
static bool prefers_events(const struct exchange *exchange)
{
    const char *json = find_type(exchange->request->accept, JSON_TYPE);
    const char *events = find_type(exchange->request->accept, EVENTS_TYPE);

    return !mcp_takes_json(exchange) || (json && events && events < json);
}

struct mcp_stream *mcp_stream_open(struct mcp_client *client, struct exchange *exchange,
                                   struct error *err)
{
    const char *version = peer_client(client->peer)->version;
    struct mcp_stream *stream = calloc(1, sizeof *stream);

    if (!stream) {
        error_set(err, ERROR_MEMORY, "out of memory: send it again in a moment");
        return NULL;
    }
    stream->reply.send = on_send;
    stream->reply.end = on_end;
    stream->reply.pause = on_pause;
    stream->all = client->all;
    stream->client = client;
    memcpy(stream->name, client->id.name, sizeof stream->name);
    stream->prefers_events = prefers_events(exchange);
    stream->reply.streams = mcp_takes_events(exchange);
    stream->resumable = client->has_id;
    stream->primes = version && strcmp(version, PRIMES_FROM) >= 0;
    STAILQ_INIT(&stream->events);
    connect_to(stream, exchange);
    return stream;
}

/* Ends a stream without an answer to it. */
static void close_stream(struct mcp_stream *stream)
{
    disconnect(stream);
    remove_stream(stream);
}

struct mcp_stream *mcp_stream_open_get(struct mcp_client *client, struct exchange *exchange,
                                       struct error *err)
{
    struct mcp_stream *stream = mcp_stream_open(client, exchange, err);

    if (!stream)
        return NULL;
    stream->of_get = true;
    if (client->get_stream)
        close_stream(client->get_stream);
    peer_identify(client->peer, exchange->identity);
    if (peer_open_stream(client->peer, &stream->reply, err) < 0) {
        stream->client = NULL; /* its user remains the caller's */
        remove_stream(stream);
        return NULL;
    }
    client->get_stream = stream;
    begin_events(stream);
    return stream;
}

/* ---- coming back ---- */

bool mcp_stream_id_is_of_post(const char *last)
{
    return last[0] == 'p';
}

static struct mcp_stream *find_stream(struct mcp_sessions *all, const struct session_id *id,
                                      uint64_t number, bool of_get)
{
    struct mcp_stream_list *const lists[] = {&all->active, &all->waiting};
    struct mcp_stream *stream;

    for (size_t i = 0; i < 2; i++) {
        TAILQ_FOREACH(stream, lists[i], link)
        {
            if (stream->number == number && stream->of_get == of_get &&
                memcmp(stream->name, id->name, sizeof id->name) == 0)
                return stream;
        }
    }
    return NULL;
}

bool mcp_stream_resume(struct mcp_sessions *all, const struct session_id *id, const char *last,
                       struct exchange *exchange)
{
    struct stream_event *event;
    struct mcp_stream *stream;
    char kind, text[EVENT_ID_SIZE];
    uint64_t number;
    unsigned sequence;

    if (sscanf(last, "%c%" SCNx64 "-%u", &kind, &number, &sequence) != 3)
        return false;
    stream = find_stream(all, id, number, kind == 'g');
    if (!stream || sequence > stream->sequence)
        return false;
    disconnect(stream);
    leave_list(stream);
    TAILQ_INSERT_TAIL(&all->active, stream, link);
    stream->until_s = 0;
    stream->was_written = false;
    connect_to(stream, exchange);
    exchange_send_text(exchange, "", 0);
    STAILQ_FOREACH(event, &stream->events, link)
    {
        write_id(stream, event->sequence, text);
        if (event->sequence > sequence)
            exchange_send_event(exchange, text, event->json, event->len, false);
    }
    if (stream->ended)
        exchange_end_stream(exchange);
    return true;
}

/* ---- all streams ---- */

void mcp_streams_init(struct mcp_sessions *all)
{
    TAILQ_INIT(&all->active);
    TAILQ_INIT(&all->waiting);
}

static void remove_from(struct mcp_stream_list *list, const unsigned char *name)
{
    struct mcp_stream *stream, *next;

    for (stream = TAILQ_FIRST(list); stream; stream = next) {
        next = TAILQ_NEXT(stream, link);
        if (!name || memcmp(stream->name, name, sizeof stream->name) == 0)
            close_stream(stream);
    }
}

void mcp_streams_remove(struct mcp_sessions *all, const unsigned char *name)
{
    remove_from(&all->active, name);
    remove_from(&all->waiting, name);
}

void mcp_streams_expire(struct mcp_sessions *all)
{
    static const char comment[] = ":\n\n";
    struct mcp_stream *stream, *next;
    const int64_t now = clock_s();

    for (stream = TAILQ_FIRST(&all->waiting); stream; stream = next) {
        next = TAILQ_NEXT(stream, link);
        if (stream->until_s != 0 && stream->until_s <= now)
            remove_stream(stream);
    }
    TAILQ_FOREACH(stream, &all->active, link)
    {
        if (stream->of_get)
            exchange_send_text(stream->exchange, comment, sizeof comment - 1);
    }
}
