/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Workarounds for libwebsockets 4.1.6 (Debian 12). Each part names the symptom; remove the part
 * when the version no longer shows it. Two others are constants in the header. Runs on the loop's
 * thread.
 */
#include "mcp/transport/http/lws_workarounds.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "helpers/base/json.h"
#include "helpers/base/log.h"
#include "mcp/transport/http/http_connections.h"

#define READ_ON_MS      5          /* of work on a request, before reading is stopped */
#define LEFT_MS         100        /* between two looks at who is not read from */
#define EARLY_BYTES     (64 << 10) /* of next requests, while an answer is written */
#define EARLY_WAKES_CAP 20000      /* for more than these, during one answer */
#define DISCARDS_A_TURN 64         /* of one connection */
#define DISCARD_SIZE    65536      /* bytes discarded at once */

static __thread struct http_connections *receiving; /* this thread's server's, or NULL */

/* The connection of this thread's server with that descriptor, or NULL. */
static struct http_connection *filtered(int fd)
{
    return receiving && fd >= 0 && (size_t)fd < receiving->size ? receiving->by_fd[fd] : NULL;
}

static struct http_connection *connection_of(struct lws *wsi)
{
    return lws_get_opaque_user_data(wsi);
}

/* ---- writing ----
 *
 * Version 4.1.6. Symptom: libwebsockets writes, and begins to read the next request, only after
 * epoll has told that the socket takes more. Each time it asks, libuv takes the descriptor out of
 * the epoll set and puts it in again.
 *
 * So what can be written at once is written at the end of the same turn of the loop, without asking
 * epoll: libwebsockets keeps what a socket does not take. This is done only after libwebsockets was
 * called because of a socket: it looks at its timeouts in the next turn then, and at no other
 * time. */

static void on_end_of_turn(uv_check_t *end_of_turn)
{
    struct http_connections *connections = end_of_turn->data;
    struct http_connection *connection;

    while ((connection = TAILQ_FIRST(&connections->writing))) {
        struct lws_pollfd writable = {
            .fd = connection->fd, .events = LWS_POLLOUT, .revents = LWS_POLLOUT};

        TAILQ_REMOVE(&connections->writing, connection, in_writing);
        connection->writes = false;
        lws_service_fd(lws_get_context(connection->wsi), &writable); /* may free it */
    }
    uv_check_stop(end_of_turn);
}

void http_connection_writes(struct lws *wsi)
{
    struct http_connection *connection = connection_of(wsi);

    if (!connection || !connection->all->in_callback) {
        lws_callback_on_writable(wsi);
        return;
    }
    if (connection->writes)
        return;
    connection->writes = true;
    TAILQ_INSERT_TAIL(&connection->all->writing, connection, in_writing);
    uv_check_start(connection->all->end_of_turn, on_end_of_turn);
}

void http_connection_closes(struct lws *wsi)
{
    struct http_connection *connection = connection_of(wsi);

    if (!connection)
        return;
    if (connection->writes)
        TAILQ_REMOVE(&connection->all->writing, connection, in_writing);
    connection->writes = false;
}

/* ---- requests ----
 *
 * Version 4.1.6. Symptom: a request with a body that arrives before the last answer is sent is
 * misread (its body is parsed as a head). There is no callback before a head is parsed: on many
 * heads that libwebsockets cannot parse it closes the connection without an answer, and it decodes
 * and normalizes the path first.
 *
 * libwebsockets receives with recv() of the C library, so this program defines its own recv(). On
 * the thread of a server it filters the bytes: it holds a head back until it is complete and
 * checked (http_head.h also writes the head that libwebsockets gets instead), then passes on its
 * body, and then nothing until the answer is sent. */

/* Symptom: libwebsockets does not read after the request until its answer is complete, and the
 * event loop spins on bytes, or a hang-up, that nobody takes. So reading is stopped meanwhile,
 * unless that takes less than READ_ON_MS, which saves system calls. Then libwebsockets does not
 * notice a client that has left, so a timer looks. */

static void stop_reading(struct http_connection *connection)
{
    if (!connection->reading_stopped)
        lws_rx_flow_control(connection->wsi, 0);
    connection->reading_stopped = true;
}

static bool has_left(const struct http_connection *connection)
{
    struct pollfd socket = {.fd = connection->fd, .events = POLLRDHUP};

    return poll(&socket, 1, 0) > 0;
}

/* Discards pending input; true at its end. For TCP, MSG_TRUNC discards in the kernel: tcp(7). */
static bool has_ended(const struct http_connection *connection)
{
    ssize_t come = 1;

    for (int i = 0; i < DISCARDS_A_TURN && come > 0; i++)
        come = recvfrom(connection->fd, NULL, DISCARD_SIZE, MSG_TRUNC, NULL, NULL);
    return come == 0 || (come < 0 && errno != EAGAIN);
}

static void on_working_timer(uv_timer_t *timer)
{
    struct http_connections *connections = timer->data;
    uint64_t now = uv_now(timer->loop), next_ms = LEFT_MS;
    struct http_connection *connection = TAILQ_FIRST(&connections->working), *next;

    for (; connection; connection = next) {
        next = TAILQ_NEXT(connection, in_working);
        if (connection->working_since_ms + READ_ON_MS > now) {
            next_ms = connection->working_since_ms + READ_ON_MS - now;
            break; /* and so are all after it */
        }
        stop_reading(connection);
        if (connection->state == INPUT_LINGERING ? has_ended(connection) : has_left(connection))
            lws_set_timeout(connection->wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_SYNC);
    }
    if (!TAILQ_EMPTY(&connections->working))
        uv_timer_start(timer, on_working_timer, next_ms, 0);
}

/* From now on it is the timer that looks. */
static void begin_watch(struct http_connection *connection, enum input_state state)
{
    struct http_connections *all = connection->all;
    bool first = TAILQ_EMPTY(&all->working);

    connection->state = state;
    connection->working_since_ms = uv_now(all->timer->loop);
    TAILQ_INSERT_TAIL(&all->working, connection, in_working);
    if (first || uv_timer_get_due_in(all->timer) > READ_ON_MS)
        uv_timer_start(all->timer, on_working_timer, READ_ON_MS, 0);
}

static void set_state(struct http_connection *connection, enum input_state state)
{
    if (connection->state == INPUT_WORKING || connection->state == INPUT_LINGERING)
        TAILQ_REMOVE(&connection->all->working, connection, in_working);
    connection->state = state;
}

/* ---- receiving ---- */

static ssize_t nothing_yet(void)
{
    errno = EAGAIN;
    return -1;
}

static void request_is_whole(struct http_connection *connection)
{
    begin_watch(connection, INPUT_WORKING);
    connection->has_served = true;
    http_connection_leave_idle(connection);
}

/* What has been looked at is taken; for TCP, MSG_TRUNC discards in the kernel: tcp(7). */
static ssize_t take(const struct http_connection *connection, size_t len)
{
    return recvfrom(connection->fd, NULL, len, MSG_TRUNC, NULL, NULL);
}

struct arrived {
    const char *body; /* what has arrived of the body */
    size_t body_len;
    size_t untaken; /* bytes of the head that were only looked at, as all of the body */
};

/* Passes the head to libwebsockets, with the part of the body that has arrived. */
static ssize_t hand_over(struct http_connection *connection, const struct buf *head,
                         const struct arrived *arrived, char *bytes, size_t len)
{
    size_t body_len = 0;

    if (head->failed || head->len > len) {
        errno = ENOMEM;
        return -1;
    }
    memcpy(bytes, head->data, head->len);
    connection->state =
        connection->head.status != 0 || connection->head.chunked ? INPUT_DISCARDING : INPUT_BODY;
    connection->body_left = connection->head.length;
    if (connection->state == INPUT_BODY) {
        body_len = len - head->len;
        if (body_len > arrived->body_len)
            body_len = arrived->body_len;
        if (body_len > connection->body_left)
            body_len = (size_t)connection->body_left;
    }
    if (body_len > 0)
        memcpy(bytes + head->len, arrived->body, body_len);
    if (arrived->untaken + body_len > 0 && take(connection, arrived->untaken + body_len) < 0)
        return -1;
    connection->body_left -= body_len;
    if (connection->state == INPUT_BODY && connection->body_left == 0)
        request_is_whole(connection);
    return (ssize_t)(head->len + body_len);
}

/* The beginning of a head, come bytes of it new: it is kept, as epoll would tell of it for ever. */
static ssize_t keep_part(struct http_connection *connection, size_t come, char *bytes, size_t len)
{
    struct buf BUF_AUTO head = {0};

    if (!connection->text) {
        connection->text = malloc(HTTP_HEAD_CAP);
        if (!connection->text)
            return -1;
        memcpy(connection->text, connection->all->text, come);
    }
    if (take(connection, come) != (ssize_t)come)
        return -1;
    connection->len += come;
    if (!http_head_plausible(connection->text, connection->len))
        http_head_refuse(&connection->head, 400,
                         "this is not an HTTP request: the address must begin with http://", &head);
    else if (connection->len == HTTP_HEAD_CAP)
        http_head_refuse(&connection->head, 431,
                         "the first line and the headers are too long: send at most 16384 bytes",
                         &head);
    else
        return nothing_yet();
    return hand_over(connection, &head, &(struct arrived){0}, bytes, len);
}

static ssize_t receive_head(struct http_connection *connection, char *bytes, size_t len)
{
    char *text = connection->text ? connection->text : connection->all->text;
    struct buf BUF_AUTO head = {0};
    size_t end, whole;
    ssize_t come;

    come = recvfrom(connection->fd, text + connection->len, HTTP_HEAD_CAP - connection->len,
                    MSG_PEEK, NULL, NULL);
    if (come <= 0)
        return come;
    http_connection_note_idle(connection);
    whole = connection->len + (size_t)come;
    end = http_head_end(text, whole);
    if (end == 0)
        return keep_part(connection, (size_t)come, bytes, len);
    http_head_read(text, end, &connection->head, &head);
    return hand_over(connection, &head,
                     &(struct arrived){text + end, whole - end, end - connection->len}, bytes, len);
}

static ssize_t receive_body(struct http_connection *connection, char *bytes, size_t len)
{
    ssize_t come;

    if (len > connection->body_left)
        len = connection->body_left;
    come = recvfrom(connection->fd, bytes, len, 0, NULL, NULL);
    if (come > 0) {
        http_connection_note_idle(connection);
        connection->body_left -= (uint64_t)come;
        if (connection->body_left == 0)
            request_is_whole(connection);
    }
    return come;
}

/* Further input belongs to the next request, or is the end of the connection. The end does not
 * matter while an answer is written: a client that has closed its own side may still read. Writing
 * needs the poll that also wakes for reading (libwebsockets writes only while it reads), so the
 * kernel is told not to wake for up to EARLY_BYTES. */
static ssize_t leave_early(struct http_connection *connection)
{
    const int quiet = EARLY_BYTES;
    char byte;
    ssize_t come = recvfrom(connection->fd, &byte, 1, MSG_PEEK, NULL, NULL);

    if (come < 0 || (come == 0 && (connection->state == INPUT_WORKING || connection->streams)))
        return come;
    if (connection->state == INPUT_WORKING) {
        stop_reading(connection);
    } else if (!connection->quiet) {
        connection->quiet = true;
        setsockopt(connection->fd, SOL_SOCKET, SO_RCVLOWAT, &quiet, sizeof quiet);
    } else if (++connection->wakes > EARLY_WAKES_CAP) {
        log_debug("http", "a client that sends on takes no answer: closed");
        return 0;
    }
    return nothing_yet();
}

static ssize_t receive(struct http_connection *connection, char *bytes, size_t len)
{
    switch (connection->state) {
    case INPUT_HEAD:
        return receive_head(connection, bytes, len);
    case INPUT_BODY:
        return receive_body(connection, bytes, len);
    case INPUT_WORKING:
    case INPUT_ANSWERING:
        return leave_early(connection);
    case INPUT_DISCARDING:
    case INPUT_LINGERING:
        return has_ended(connection) ? 0 : nothing_yet();
    case INPUT_WEB_SOCKET:
        break;
    }
    return recvfrom(connection->fd, bytes, len, 0, NULL, NULL);
}

ssize_t recv(int fd, void *bytes, size_t len, int flags)
{
    struct http_connection *connection = filtered(fd);

    if (connection && !(flags & MSG_PEEK))
        return receive(connection, bytes, len);
    return recvfrom(fd, bytes, len, flags, NULL, NULL);
}

/* ---- a request and its answer ---- */

void http_receive_begin(struct http_connections *connections)
{
    receiving = connections;
}

void http_receive_end(struct http_connections *connections)
{
    if (receiving == connections)
        receiving = NULL;
}

const struct http_head *http_connection_head(struct lws *wsi)
{
    return &connection_of(wsi)->head;
}

void http_connection_answers(struct lws *wsi, bool streams)
{
    struct http_connection *connection = connection_of(wsi);

    if (!connection)
        return;
    if (connection->state == INPUT_WORKING)
        set_state(connection, INPUT_ANSWERING);
    connection->streams = streams;
    if (connection->reading_stopped)
        lws_rx_flow_control(wsi, 1);
    connection->reading_stopped = false;
}

void http_connection_stays_open(struct lws *wsi)
{
    struct http_connection *connection = connection_of(wsi);

    if (connection) {
        free(connection->text);
        connection->text = NULL;
    }
    lws_http_headers_detach(wsi); /* of libwebsockets' own copy */
}

void http_connection_expects(struct lws *wsi)
{
    struct http_connection *connection = connection_of(wsi);
    const int loud = 1;

    if (!connection || connection->state != INPUT_ANSWERING)
        return;
    connection->state = INPUT_HEAD;
    connection->len = 0;
    free(connection->text);
    connection->text = NULL;
    connection->wakes = 0;
    if (connection->quiet)
        setsockopt(connection->fd, SOL_SOCKET, SO_RCVLOWAT, &loud, sizeof loud);
    connection->quiet = false;
    http_connection_note_idle(connection);
}

void http_connection_discards(struct lws *wsi)
{
    struct http_connection *connection = connection_of(wsi);

    if (connection)
        set_state(connection, INPUT_DISCARDING);
}

void http_connection_lingers(struct lws *wsi)
{
    struct http_connection *connection = connection_of(wsi);

    if (!connection)
        return;
    set_state(connection, INPUT_DISCARDING);
    begin_watch(connection, INPUT_LINGERING);
}

void http_connection_upgraded(struct lws *wsi)
{
    struct http_connection *connection = connection_of(wsi);

    if (!connection)
        return;
    set_state(connection, INPUT_WEB_SOCKET);
    free(connection->text);
    connection->text = NULL;
}

/* ---- refusing an upgrade ---- */

/* Version 4.1.6. Symptom: in LWS_CALLBACK_HTTP_CONFIRM_UPGRADE libwebsockets does not know the
 * version of the request yet; its own functions would answer with HTTP/1.0, which WebSocket clients
 * do not accept. So the refusal is one write of our own, headers and body. */
void http_refuse_upgrade(struct lws *wsi, int status, const char *headers, const char *text)
{
    static const char room[LWS_PRE];
    struct buf BUF_AUTO body = {0}, BUF_AUTO whole = {0};

    buf_adds(&body, "{\"detail\":");
    json_write_string(&body, text, strlen(text));
    buf_addc(&body, '}');
    buf_add(&whole, room, sizeof room);
    buf_addf(&whole,
             "HTTP/1.1 %d Refused\r\nserver: lectern\r\ncontent-type: application/json\r\n"
             "content-length: %zu\r\nx-content-type-options: nosniff\r\n"
             "cross-origin-resource-policy: same-origin\r\nconnection: close\r\n%s%s\r\n",
             status, body.len, headers, status == 503 && !*headers ? "retry-after: 1\r\n" : "");
    buf_add(&whole, body.data, body.len);
    if (!body.failed && !whole.failed &&
        lws_write(wsi, (unsigned char *)whole.data + LWS_PRE, whole.len - LWS_PRE,
                  LWS_WRITE_HTTP_HEADERS) < 0)
        log_debug("http", "the refusal of an upgrade could not be sent");
}

/* ---- closing the context ---- */

/* Handles are walked in the order of their creation, so the last one polled is the newest. */
static void find_last_polled(uv_handle_t *handle, void *arg)
{
    uv_os_fd_t fd;

    if (handle->type == UV_POLL && uv_fileno(handle, &fd) == 0)
        *(int *)arg = fd;
}

int http_find_pipe(uv_loop_t *loop)
{
    int fd = -1;

    uv_walk(loop, find_last_polled, &fd);
    return fd;
}

/* Version 4.1.6. Symptom: libwebsockets closes the descriptor of its event pipe here, and the same
 * number once more when the handle has closed; by then another thread may own it. So the number is
 * taken again at once, for the second close to find. */
void http_close_context(struct lws_context *context, int pipe_fd)
{
    int keeper, taken;

    if (!context)
        return;
    keeper = fcntl(pipe_fd, F_DUPFD_CLOEXEC, 0);
    lws_context_destroy(context);
    if (keeper < 0)
        return;
    taken = fcntl(keeper, F_DUPFD_CLOEXEC, pipe_fd);
    if (taken >= 0 && taken != pipe_fd)
        close(taken);
    close(keeper);
}
