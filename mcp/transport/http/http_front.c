/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each connection has a front: it reads the socket of the client, with TLS or without, and passes
 * bytes to libwebsockets through a pair of sockets, whose other end libwebsockets adopts as if it
 * were the client. It holds a head back until it is complete and checked (http_head.h also writes
 * the head that libwebsockets gets instead), passes on its body, and then nothing until the answer
 * is written. The output of libwebsockets goes to the client unchanged.
 *
 * Why libwebsockets 4.1.6 needs it: it decodes and normalizes a path before any callback, closes
 * the connection without an answer on many heads, and misreads a request with a body that comes
 * before the last answer is written. None of its callbacks comes before a head is parsed.
 *
 * Rejected alternatives:
 * - Our own recv() in front of that of the C library, as in earlier versions. It changed it for
 *   all libraries of the process, had to look at bytes in the kernel before it took them, and TLS
 *   needed a second program in front, with its own sockets.
 * - lws_adopt_socket_vhost_readbuf(): it takes checked bytes for the first request of a connection
 *   only.
 * - Raw sockets of libwebsockets (LWS_CALLBACK_RAW_RX): they cannot become HTTP afterwards.
 * - No check at all: node ids may hold any character, so "%2F" and "/" in a path must differ, which
 *   is a part of the session API; and requests could be smuggled past a proxy.
 *
 * libwebsockets has no loop here; this file calls it. It reads as soon as something is passed to
 * it, and it writes at the end of the turn of the loop in which it has something to write, if the
 * client takes it. Its plugin for libuv takes a descriptor out of the epoll set and puts it in
 * again each time it wants to write, which costs more than the copy of each request and answer in a
 * pair. http_front_tick calls it for its timeouts and pings.
 */
#include "mcp/transport/http/http_front.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "helpers/base/log.h"
#include "mcp/transport/http/http_connections.h"
#include "mcp/transport/http/http_internal.h"
#include "mcp/transport/http/tls.h"

#define TICK_MS      100 /* between two checks of the deadlines */
#define LEFT_MS      5  /* a client that has ended its side may still get an answer that is ready */
#define READS_A_TURN 16 /* of one connection */
#define STEPS_A_TURN 64 /* of all connections: each is a piece of an answer, at most */

static struct http_connection *connection_of(struct lws *wsi)
{
    return lws_get_opaque_user_data(wsi);
}

/* ---- the end ---- */

static void free_connection(struct http_connection *connection)
{
    tls_client_destroy(connection->ssl);
    close(connection->client_fd);
    close(connection->front_fd);
    buf_finish(&connection->in);
    buf_finish(&connection->to_lws);
    buf_finish(&connection->to_client);
    free(connection);
}

static void on_poll_closed(uv_handle_t *handle)
{
    struct http_connection *connection = handle->data;

    if (--connection->open_handles == 0)
        free_connection(connection);
}

/* libwebsockets closes its end at once, and drops its unwritten output. */
static void hang_up(const struct http_connection *connection, struct lws *wsi)
{
    struct lws_pollfd socket = {.fd = connection->lws_fd, .revents = LWS_POLLHUP};

    lws_set_opaque_user_data(wsi, NULL);
    lws_service_fd(lws_get_context(wsi), &socket);
}

void http_front_end(struct http_connection *connection)
{
    struct lws *wsi = connection->wsi;

    if (connection->ended)
        return;
    connection->ended = true;
    connection->wsi = NULL;
    http_connection_leave_idle(connection);
    if (connection->in_turn)
        TAILQ_REMOVE(&connection->all->turns, connection, in_turns);
    LIST_REMOVE(connection, every);
    if (wsi)
        hang_up(connection, wsi);
    if (connection->open_handles == 0) {
        free_connection(connection);
        return;
    }
    uv_close((uv_handle_t *)&connection->client, on_poll_closed);
    if (connection->open_handles > 1)
        uv_close((uv_handle_t *)&connection->front, on_poll_closed);
}

static bool is_over(const struct http_connection *connection, uint64_t now)
{
    return (connection->ends_ms != 0 && connection->ends_ms <= now) ||
           (connection->unsent_ms != 0 && connection->unsent_ms <= now);
}

static void on_tick(uv_timer_t *timer)
{
    struct http_connections *connections = timer->data;
    struct http_connection *connection = LIST_FIRST(&connections->every), *next;
    bool more = false;

    for (; connection; connection = next) {
        next = LIST_NEXT(connection, every);
        if (is_over(connection, uv_now(timer->loop)))
            http_front_end(connection);
        else
            more |= connection->ends_ms != 0 || connection->unsent_ms != 0;
    }
    if (!more)
        uv_timer_stop(timer);
}

/* at: one of its two times. */
static void end_in(const struct http_connection *connection, uint64_t *at, unsigned ms)
{
    uv_timer_t *timer = connection->all->timer;

    *at = uv_now(timer->loop) + ms;
    if (!uv_is_active((uv_handle_t *)timer))
        uv_timer_start(timer, on_tick, TICK_MS, TICK_MS);
}

/* ---- to libwebsockets ---- */

static void continue_at_end_of_turn(struct http_connection *connection);

/* It may have kept a part of its input for later, and takes that part now. */
static void serve(struct http_connection *connection, short event)
{
    struct lws_pollfd socket = {.fd = connection->lws_fd, .events = event, .revents = event};
    struct lws_context *context;

    if (!connection->wsi)
        return;
    context = lws_get_context(connection->wsi);
    lws_service_fd(context, &socket);
    if (lws_service_adjust_timeout(context, 1, 0) == 0)
        lws_service_tsi(context, -1, 0);
}

/* libwebsockets has something that it writes when it is called. */
static bool has_output(const struct http_connection *connection)
{
    return connection->wsi && (connection->writes || lws_partial_buffered(connection->wsi));
}

/* Returns 0, with the unsent rest in `later`, or -1. */
static int send_pair(const struct http_connection *connection, const char *bytes, size_t len,
                     struct buf *later)
{
    ssize_t sent = 0;

    if (later->len == 0)
        sent = send(connection->front_fd, bytes, len, MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN)
        return -1;
    if (sent < 0)
        sent = 0;
    if ((size_t)sent < len)
        buf_add(later, bytes + sent, len - (size_t)sent);
    return later->failed ? -1 : 0;
}

/* libwebsockets may have closed its end; its last output is still sent. */
static void pass_in(struct http_connection *connection, const char *bytes, size_t len)
{
    if (len > 0 && send_pair(connection, bytes, len, &connection->to_lws) < 0) {
        buf_finish(&connection->to_lws);
        connection->state = INPUT_DISCARDING;
    }
    serve(connection, LWS_POLLIN);
}

static void pass_end(struct http_connection *connection)
{
    shutdown(connection->front_fd, SHUT_WR);
    serve(connection, LWS_POLLIN);
}

static void pass_rest(struct http_connection *connection)
{
    struct buf BUF_AUTO rest = connection->to_lws;

    memset(&connection->to_lws, 0, sizeof connection->to_lws);
    pass_in(connection, rest.data, rest.len);
    if (connection->to_lws.len == 0 && connection->client_ended)
        pass_end(connection);
}

/* ---- from the client ---- */

static void request_is_whole(struct http_connection *connection)
{
    connection->state = INPUT_WORKING;
    connection->has_served = true;
    http_connection_leave_idle(connection);
}

/* Passes on the head, with the part of the body that has come. */
static void pass_head(struct http_connection *connection, struct buf *head, size_t head_len)
{
    struct buf *in = &connection->in;
    size_t body_len = in->len - head_len;

    connection->head_len = head_len;
    connection->body_left = connection->head.length;
    if (connection->head.status != 0 || connection->head.chunked) {
        connection->state = INPUT_DISCARDING;
        in->len = head_len;
    } else {
        connection->state = INPUT_BODY;
        if (body_len > connection->body_left)
            body_len = (size_t)connection->body_left;
        buf_add(head, in->data + head_len, body_len);
        in->len -= body_len;
        memmove(in->data + head_len, in->data + head_len + body_len, in->len - head_len);
        connection->body_left -= body_len;
        if (connection->body_left == 0)
            request_is_whole(connection);
    }
    if (head->failed)
        http_front_end(connection);
    else
        pass_in(connection, head->data, head->len);
}

/* false: more of the head must come. */
static bool begin_request(struct http_connection *connection)
{
    const struct buf *in = &connection->in;
    struct buf BUF_AUTO head = {0};
    size_t len = in->len > 0 ? http_head_end(in->data, in->len) : 0;

    if (len > 0)
        http_head_read(in->data, len, &connection->head, &head);
    else if (in->len > 0 && !http_head_plausible(in->data, in->len))
        http_head_refuse(&connection->head, 400,
                         "this is not an HTTP request: the address must begin with http://", &head);
    else if (in->len >= HTTP_HEAD_CAP)
        http_head_refuse(&connection->head, 431,
                         "the first line and the headers are too long: send at most 16384 bytes",
                         &head);
    else
        return false;
    pass_head(connection, &head, len > 0 ? len : in->len);
    return true;
}

static void take(struct http_connection *connection, const char *bytes, size_t len)
{
    switch (connection->state) {
    case INPUT_HEAD:
        http_connection_note_idle(connection);
        buf_add(&connection->in, bytes, len);
        if (connection->in.failed)
            http_front_end(connection);
        break;
    case INPUT_BODY:
        http_connection_note_idle(connection);
        connection->body_left -= len;
        if (connection->body_left == 0)
            request_is_whole(connection);
        pass_in(connection, bytes, len);
        break;
    case INPUT_WEB_SOCKET:
        pass_in(connection, bytes, len);
        connection->writes = true; /* such as the answer to a ping or to a close frame */
        continue_at_end_of_turn(connection);
        break;
    default: /* discarded */
        break;
    }
}

static void take_end(struct http_connection *connection)
{
    connection->client_ended = true;
    if (connection->state == INPUT_LINGERING)
        http_front_end(connection);
    else if (connection->state != INPUT_DISCARDING && connection->to_lws.len == 0)
        pass_end(connection);
}

/* Whether the client is read from now. The next request waits until the last answer is sent, and
 * until libwebsockets was called after it: before that it reads nothing. */
static bool reads(const struct http_connection *connection)
{
    if (connection->ended || connection->client_ended || connection->to_lws.len > 0)
        return false;
    return connection->state == INPUT_HEAD
               ? connection->to_client.len == 0 && !connection->writes
               : connection->state != INPUT_WORKING && connection->state != INPUT_ANSWERING;
}

static size_t room(const struct http_connection *connection)
{
    if (connection->state == INPUT_HEAD)
        return HTTP_HEAD_CAP - connection->in.len;
    if (connection->state == INPUT_BODY && connection->body_left < HTTP_READ_SIZE)
        return (size_t)connection->body_left;
    return HTTP_READ_SIZE;
}

static bool holds_input(const struct http_connection *connection)
{
    return connection->ssl && tls_client_holds_input(connection->ssl);
}

/* may_read: the socket has input; otherwise only bytes that were read before are taken. */
static void take_input(struct http_connection *connection, bool may_read)
{
    char *piece = connection->all->piece;

    for (int turns = 0; reads(connection);) {
        size_t len;
        ssize_t come;

        if (connection->state == INPUT_HEAD && begin_request(connection))
            continue;
        if ((!may_read || turns++ >= READS_A_TURN) && !holds_input(connection))
            return;
        len = room(connection);
        come = connection->ssl ? tls_client_read(connection->ssl, piece, len)
                               : recv(connection->client_fd, piece, len, 0);
        if (come < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (come <= 0)
            take_end(connection);
        else
            take(connection, piece, (size_t)come);
        may_read = connection->ssl || come == (ssize_t)len; /* else epoll says when there is more */
    }
}

/* ---- to the client ---- */

static ssize_t write_client(const struct http_connection *connection, const char *bytes, size_t len)
{
    ssize_t sent;
    size_t done = 0;

    do {
        sent = connection->ssl
                   ? tls_client_write(connection->ssl, bytes + done, len - done)
                   : send(connection->client_fd, bytes + done, len - done, MSG_NOSIGNAL);
        if (sent < 0)
            return errno == EAGAIN || errno == EINTR ? (ssize_t)done : -1;
        done += (size_t)sent;
    } while (done < len);
    return (ssize_t)done;
}

static void send_out(struct http_connection *connection, const char *bytes, size_t len)
{
    ssize_t sent = write_client(connection, bytes, len);

    if (sent >= 0 && (size_t)sent < len) {
        buf_add(&connection->to_client, bytes + sent, len - (size_t)sent);
        end_in(connection, &connection->unsent_ms, HTTP_WRITE_STALL_S * 1000);
    }
    if (sent < 0 || connection->to_client.failed)
        http_front_end(connection);
}

static void send_rest(struct http_connection *connection)
{
    struct buf *rest = &connection->to_client;
    ssize_t sent = write_client(connection, rest->data, rest->len);

    if (sent < 0) {
        http_front_end(connection);
        return;
    }
    rest->len -= (size_t)sent;
    memmove(rest->data, rest->data + sent, rest->len);
    if (rest->len == 0) {
        buf_finish(rest);
        connection->unsent_ms = 0;
    } else if (sent > 0) {
        end_in(connection, &connection->unsent_ms, HTTP_WRITE_STALL_S * 1000);
    }
}

/* libwebsockets has closed its end and the client has all. Closing with unread bytes would reset
 * the connection before the client has read the answer: so our side is shut down, and the client
 * gets a moment to close its side. Bytes may still be on their way after any answer, so this is
 * done after each. Most clients close at once. Until then it counts as a connection, as it has
 * descriptors, but it is the first to be closed for a new one, and a server that stops does not
 * wait for it. */
static void linger(struct http_connection *connection)
{
    if (connection->ssl)
        tls_client_end(connection->ssl);
    shutdown(connection->client_fd, SHUT_WR);
    if (connection->client_ended) {
        http_front_end(connection);
        return;
    }
    connection->state = INPUT_LINGERING;
    http_connection_note_idle(connection);
    end_in(connection, &connection->ends_ms, HTTP_LINGER_S * 1000);
}

static void read_output(struct http_connection *connection)
{
    char *piece = connection->all->piece;

    while (!connection->ended && !connection->lws_ended && connection->to_client.len == 0) {
        ssize_t come = recv(connection->front_fd, piece, HTTP_PIECE_SIZE, 0);

        if (come < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (come <= 0)
            connection->lws_ended = true;
        else
            send_out(connection, piece, (size_t)come);
        if (come > 0 && come < HTTP_PIECE_SIZE)
            return;
    }
}

static void take_output(struct http_connection *connection)
{
    if (!connection->ended && connection->to_client.len > 0)
        send_rest(connection);
    read_output(connection);
    if (connection->ended || connection->to_client.len > 0)
        return;
    if (has_output(connection))
        continue_at_end_of_turn(connection);
    if (connection->lws_ended && connection->state != INPUT_LINGERING)
        linger(connection);
}

/* ---- events ---- */

static void on_client(uv_poll_t *poll, int status, int events);
static void on_front(uv_poll_t *poll, int status, int events);

static void watch_for(uv_poll_t *poll, int *now, int wanted, uv_poll_cb on_event)
{
    if (wanted == *now)
        return;
    *now = wanted;
    if (wanted)
        uv_poll_start(poll, wanted, on_event);
    else
        uv_poll_stop(poll);
}

/* A client that leaves while it waits ends its request, or its stream. */
static bool may_leave(const struct http_connection *connection)
{
    return !connection->is_leaving &&
           (connection->state == INPUT_WORKING ||
            (connection->state == INPUT_ANSWERING && connection->streams));
}

/* is_early: something has come that is not read now. Until then the socket is watched for more,
 * which saves system calls. */
static void watch(struct http_connection *connection, bool is_early)
{
    int client = reads(connection) ? UV_READABLE
                 : is_early        ? 0
                                   : connection->client_events & UV_READABLE;
    int front = connection->to_client.len == 0 && !connection->lws_ended ? UV_READABLE : 0;

    if (connection->ended)
        return;
    if (client == 0 && may_leave(connection))
        client = UV_DISCONNECT;
    if (connection->to_client.len > 0 ||
        (connection->ssl && tls_client_wants_write(connection->ssl)))
        client |= UV_WRITABLE;
    if (connection->to_lws.len > 0)
        front |= UV_WRITABLE;
    watch_for(&connection->client, &connection->client_events, client, on_client);
    watch_for(&connection->front, &connection->front_events, front, on_front);
}

static void on_client(uv_poll_t *poll, int status, int events)
{
    struct http_connection *connection = poll->data;
    bool is_early = (events & UV_READABLE) && !reads(connection);

    if (status < 0) {
        http_front_end(connection);
        return;
    }
    if ((events & UV_DISCONNECT) && may_leave(connection)) {
        connection->is_leaving = true;
        end_in(connection, &connection->ends_ms, LEFT_MS);
    }
    take_input(connection, true);
    if (connection->to_client.len > 0) {
        take_output(connection);
        take_input(connection, false);
    }
    watch(connection, is_early);
}

static void on_front(uv_poll_t *poll, int status, int events)
{
    struct http_connection *connection = poll->data;

    (void)status;
    if ((events & UV_WRITABLE) && connection->to_lws.len > 0)
        pass_rest(connection);
    take_output(connection);
    take_input(connection, false);
    watch(connection, false);
}

/* libwebsockets writes into an empty pair, so that some of it goes. What it has kept goes first,
 * and then it is called once more for the new output. */
static void let_write(struct http_connection *connection)
{
    bool keeps = lws_partial_buffered(connection->wsi);

    connection->writes = keeps;
    connection->wrote |= keeps;
    serve(connection, LWS_POLLOUT);
}

static void step(struct http_connection *connection)
{
    if (connection->to_client.len == 0 && has_output(connection))
        let_write(connection);
    if (connection->wrote)
        take_output(connection);
    connection->wrote = false;
    take_input(connection, false);
    watch(connection, false);
}

static void on_end_of_turn(uv_check_t *end_of_turn)
{
    struct http_connections *connections = end_of_turn->data;
    struct http_connection *connection;

    for (int steps = 0; steps < STEPS_A_TURN; steps++) {
        connection = TAILQ_FIRST(&connections->turns);
        if (!connection)
            break;
        TAILQ_REMOVE(&connections->turns, connection, in_turns);
        connection->in_turn = false;
        step(connection);
    }
    if (!TAILQ_EMPTY(&connections->turns))
        return;
    uv_check_stop(end_of_turn);
    uv_idle_stop(connections->no_wait);
}

static void on_no_wait(uv_idle_t *no_wait)
{
    (void)no_wait; /* while it is active, the loop does not wait for events */
}

static void continue_at_end_of_turn(struct http_connection *connection)
{
    struct http_connections *all = connection->all;

    if (connection->in_turn || connection->ended)
        return;
    connection->in_turn = true;
    TAILQ_INSERT_TAIL(&all->turns, connection, in_turns);
    uv_check_start(all->end_of_turn, on_end_of_turn);
    uv_idle_start(all->no_wait, on_no_wait);
}

void http_front_tick(struct lws_context *context)
{
    lws_service_tsi(context, -1, 0);
}

int http_front_begin(struct http_connection *connection)
{
    uv_loop_t *loop = connection->all->timer->loop;

    connection->client.data = connection->front.data = connection;
    if (uv_poll_init(loop, &connection->client, connection->client_fd) == 0) {
        connection->open_handles = 1;
        if (uv_poll_init(loop, &connection->front, connection->front_fd) == 0) {
            connection->open_handles = 2;
            watch(connection, false);
            return 0;
        }
    }
    http_front_end(connection);
    return -1;
}

/* ---- a request and its answer ---- */

const struct http_head *http_connection_head(struct lws *wsi)
{
    return &connection_of(wsi)->head;
}

void http_connection_writes(struct lws *wsi)
{
    struct http_connection *connection = connection_of(wsi);

    if (!connection)
        return;
    connection->writes = true;
    continue_at_end_of_turn(connection);
}

void http_connection_wrote(struct lws *wsi)
{
    struct http_connection *connection = connection_of(wsi);

    if (!connection)
        return;
    connection->wrote = true;
    continue_at_end_of_turn(connection);
}

void http_connection_answers(struct lws *wsi, bool streams)
{
    struct http_connection *connection = connection_of(wsi);

    if (!connection)
        return;
    if (connection->state == INPUT_WORKING)
        connection->state = INPUT_ANSWERING;
    connection->streams = streams;
    if (connection->is_leaving && !streams)
        connection->ends_ms = 0;
}

void http_connection_stays_open(struct lws *wsi)
{
    struct http_connection *connection = connection_of(wsi);

    if (connection) {
        buf_finish(&connection->in); /* the connection ends with the stream */
        connection->head_len = 0;
    }
    lws_http_headers_detach(wsi); /* of libwebsockets' own copy */
}

void http_connection_expects(struct lws *wsi)
{
    struct http_connection *connection = connection_of(wsi);
    struct buf *in;

    if (!connection || connection->state != INPUT_ANSWERING)
        return;
    in = &connection->in;
    connection->state = INPUT_HEAD;
    connection->is_leaving = false;
    in->len -= connection->head_len;
    if (in->len > 0)
        memmove(in->data, in->data + connection->head_len, in->len);
    else
        buf_finish(in); /* an idle connection holds little */
    connection->head_len = 0;
    http_connection_note_idle(connection);
    continue_at_end_of_turn(connection);
}

void http_connection_discards(struct lws *wsi)
{
    struct http_connection *connection = connection_of(wsi);

    if (connection)
        connection->state = INPUT_DISCARDING;
}

void http_connection_upgraded(struct lws *wsi)
{
    struct http_connection *connection = connection_of(wsi);

    if (connection)
        connection->state = INPUT_WEB_SOCKET;
}

void http_connection_closes(struct lws *wsi)
{
    struct http_connection *connection = connection_of(wsi);

    if (!connection)
        return;
    lws_set_opaque_user_data(wsi, NULL);
    connection->wsi = NULL;
    connection->state = INPUT_DISCARDING;
    continue_at_end_of_turn(connection);
}
