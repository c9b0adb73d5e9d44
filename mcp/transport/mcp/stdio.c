/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * MCP on two file descriptors: one JSON message per line. Runs on the loop's thread.
 *
 * Pipes, sockets and terminals are watched by uv_poll and never block the loop; a regular file or
 * /dev/null, which epoll does not take, is read and written one piece per turn of the loop, from an
 * idle handle. Answers go into one buffer that only the loop's callbacks write out. While it is
 * above its mark, because the client does not read, no messages are read, and progress is dropped.
 *
 * At the end of the input, on_end is called after the running calls have ended and their answers
 * are written. If the reader closes its end, it is called at once.
 */
#include "mcp/transport/transport.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "helpers/base/buf.h"
#include "helpers/base/log.h"
#include "mcp/protocol/peer.h"

#define STDIO_READ_SIZE   ((size_t)64 << 10)
#define STDIO_OUTPUT_MARK ((size_t)1 << 20) /* above it, reading pauses and progress is dropped */

/* One direction, with its own descriptor. */
struct channel {
    int fd;    /* a duplicate, so that in and out may be the same; -1 when closed */
    int flags; /* as they were: the description is shared with whoever started us */
    bool pollable;
    uv_poll_t poll;
};

struct stdio_server {
    struct peer_reply reply; /* first: a reply is its server */
    struct host *host;
    struct peer *peer; /* NULL after the reader has closed its end */
    struct channel in, out;
    uv_idle_t idle;
    size_t open_handles;

    struct buf line;   /* the message so far */
    bool skipping;     /* the rest of a line over the cap */
    struct buf output; /* what is not yet out, from `written` on */
    size_t written;
    bool input_ended, ended;

    void (*on_end)(void *user);
    void *user;
};

static void on_idle(uv_idle_t *idle);
static void on_poll(uv_poll_t *poll, int status, int events);

static size_t pending(const struct stdio_server *stdio)
{
    return stdio->output.len - stdio->written;
}

static bool finished(const struct stdio_server *stdio)
{
    return stdio->input_ended && pending(stdio) == 0 &&
           (!stdio->peer || peer_calls(stdio->peer) == 0);
}

static void watch(struct channel *channel, int events, bool wanted)
{
    if (!channel->pollable)
        return;
    if (wanted)
        uv_poll_start(&channel->poll, events, on_poll);
    else
        uv_poll_stop(&channel->poll);
}

/* Watches for what can be done now. Called after every change. */
static void update(struct stdio_server *stdio)
{
    bool writing = pending(stdio) > 0;
    bool reading = !stdio->input_ended && pending(stdio) <= STDIO_OUTPUT_MARK;

    watch(&stdio->in, UV_READABLE, reading);
    watch(&stdio->out, UV_WRITABLE, writing);
    if ((reading && !stdio->in.pollable) || (writing && !stdio->out.pollable) ||
        (finished(stdio) && !stdio->ended))
        uv_idle_start(&stdio->idle, on_idle);
    else
        uv_idle_stop(&stdio->idle);
}

/* ---- answers ---- */

static void on_send(struct peer_reply *reply, const char *json, size_t len, enum peer_output kind)
{
    struct stdio_server *stdio = (struct stdio_server *)reply;

    if (kind == PEER_NOTIFICATION && pending(stdio) > STDIO_OUTPUT_MARK)
        return;
    if (stdio->written > 0) { /* what is out makes room */
        memmove(stdio->output.data, stdio->output.data + stdio->written, pending(stdio));
        stdio->output.len -= stdio->written;
        stdio->written = 0;
    }
    if (buf_reserve(&stdio->output, len + 1)) {
        buf_add(&stdio->output, json, len);
        buf_addc(&stdio->output, '\n');
    } else {
        log_error("stdio", "an answer of %zu bytes was lost: %zu bytes are unread", len,
                  stdio->output.len);
        stdio->output.failed = false;
    }
    update(stdio);
}

static void on_reply_end(struct peer_reply *reply, bool accepted)
{
    (void)accepted;
    update((struct stdio_server *)reply);
}

static void lose_reader(struct stdio_server *stdio, int error_number)
{
    log_warning("stdio", "standard output: %s; ending", strerrordesc_np(error_number));
    stdio->input_ended = true;
    peer_destroy(stdio->peer); /* sends the answers of a batch that are there */
    stdio->peer = NULL;
    buf_clear(&stdio->output);
    stdio->written = 0;
}

static void write_some(struct stdio_server *stdio)
{
    ssize_t n;

    if (pending(stdio) == 0)
        return;
    do
        n = write(stdio->out.fd, stdio->output.data + stdio->written, pending(stdio));
    while (n < 0 && errno == EINTR);
    if (n < 0 && errno == EAGAIN)
        return;
    if (n < 0) {
        lose_reader(stdio, errno);
        return;
    }
    stdio->written += (size_t)n;
    if (pending(stdio) == 0) {
        buf_clear(&stdio->output);
        stdio->written = 0;
    }
}

/* ---- messages ---- */

static bool is_blank(const char *text, size_t len)
{
    return strspn(text, " \t\r") >= len;
}

static void end_line(struct stdio_server *stdio)
{
    struct buf *line = &stdio->line;
    struct message message;

    if (!stdio->skipping && line->len > 0 && !is_blank(line->data, line->len)) {
        message_read(&message, NULL, line->data, line->len);
        peer_receive(stdio->peer, &message, NULL, &stdio->reply);
        message_finish(&message);
    }
    stdio->skipping = false;
    buf_clear(line);
}

/* Reports a message above the cap once, and skips the rest of its line. */
static void refuse_line(struct stdio_server *stdio)
{
    struct buf BUF_AUTO message = {0};
    struct error err;

    error_set(&err, ERROR_TOO_LARGE, "a message must have at most %zu bytes; this one was ignored",
              MESSAGE_IN_CAP);
    buf_init(&message, MESSAGE_OUT_CAP);
    message_error(&message, NULL, MESSAGE_INVALID_REQUEST, err.text);
    if (!message.failed)
        on_send(&stdio->reply, message.data, message.len, PEER_RESPONSE);
    stdio->skipping = true;
    buf_clear(&stdio->line);
}

static void take_bytes(struct stdio_server *stdio, const char *bytes, size_t len)
{
    const char *end = bytes + len, *newline;
    size_t part;

    while (bytes < end && stdio->peer) {
        newline = memchr(bytes, '\n', (size_t)(end - bytes));
        part = (size_t)((newline ? newline : end) - bytes);
        if (!stdio->skipping) {
            buf_add(&stdio->line, bytes, part);
            if (stdio->line.failed)
                refuse_line(stdio);
        }
        if (newline)
            end_line(stdio);
        bytes += part + (newline ? 1 : 0);
    }
}

static void read_some(struct stdio_server *stdio)
{
    static const char what[] = "standard input";
    char bytes[STDIO_READ_SIZE];
    ssize_t n;

    if (stdio->input_ended || pending(stdio) > STDIO_OUTPUT_MARK)
        return;
    do
        n = read(stdio->in.fd, bytes, sizeof bytes);
    while (n < 0 && errno == EINTR);
    if (n < 0 && errno == EAGAIN)
        return;
    if (n < 0)
        log_warning("stdio", "%s: %s; taken as its end", what, strerrordesc_np(errno));
    if (n > 0) {
        take_bytes(stdio, bytes, (size_t)n);
        return;
    }
    stdio->input_ended = true;
    if (stdio->peer) {
        end_line(stdio); /* the last message may lack a line end */
        peer_end_input(stdio->peer);
    }
}

/* ---- the loop's callbacks ---- */

static void on_poll(uv_poll_t *poll, int status, int events)
{
    struct stdio_server *stdio = poll->data;

    (void)status; /* read and write say what is wrong */
    (void)events;
    if (poll == &stdio->out.poll)
        write_some(stdio);
    else
        read_some(stdio);
    update(stdio);
}

static void on_idle(uv_idle_t *idle)
{
    struct stdio_server *stdio = idle->data;

    if (!stdio->out.pollable)
        write_some(stdio);
    if (!stdio->in.pollable)
        read_some(stdio);
    if (finished(stdio) && !stdio->ended) {
        stdio->ended = true;
        uv_idle_stop(idle);
        stdio->on_end(stdio->user); /* may destroy the server */
        return;
    }
    update(stdio);
}

/* ---- life ---- */

static int open_channel(struct stdio_server *stdio, struct channel *channel, uv_loop_t *loop,
                        int fd, const char *what, struct error *err)
{
    int rc;

    channel->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (channel->fd < 0)
        return error_errno(err, errno, "%s (descriptor %d)", what, fd);
    channel->flags = fcntl(channel->fd, F_GETFL);
    rc = uv_poll_init(loop, &channel->poll, channel->fd);
    if (rc == UV_EPERM)
        return 0; /* a file: always ready */
    if (rc < 0)
        return error_errno(err, -rc, "watch %s", what);
    channel->poll.data = stdio;
    channel->pollable = true;
    stdio->open_handles++;
    return 0;
}

static void close_fd(struct channel *channel)
{
    if (channel->fd < 0)
        return;
    if (channel->pollable && channel->flags >= 0)
        fcntl(channel->fd, F_SETFL, channel->flags);
    close(channel->fd);
    channel->fd = -1;
}

static void on_handle_closed(uv_handle_t *handle)
{
    struct stdio_server *stdio = handle->data;

    if (--stdio->open_handles > 0)
        return;
    close_fd(&stdio->in);
    close_fd(&stdio->out);
    buf_finish(&stdio->line);
    buf_finish(&stdio->output);
    free(stdio);
}

void stdio_server_destroy(struct stdio_server *stdio)
{
    if (!stdio)
        return;
    stdio->ended = true;
    peer_destroy(stdio->peer);
    stdio->peer = NULL;
    host_destroy(stdio->host);
    stdio->host = NULL;
    stdio->input_ended = true;
    if (stdio->in.pollable)
        uv_close((uv_handle_t *)&stdio->in.poll, on_handle_closed);
    if (stdio->out.pollable)
        uv_close((uv_handle_t *)&stdio->out.poll, on_handle_closed);
    uv_close((uv_handle_t *)&stdio->idle, on_handle_closed);
}

struct stdio_server *stdio_server_create(struct server *server, int in, int out,
                                         const char *bound_session, const char *bound_learner,
                                         void (*on_end)(void *user), void *user, struct error *err)
{
    struct stdio_server *stdio = calloc(1, sizeof *stdio);
    struct client client;

    if (!stdio) {
        error_set(err, ERROR_MEMORY, "out of memory for stdio");
        return NULL;
    }
    stdio->reply.streams = true;
    stdio->reply.send = on_send;
    stdio->reply.end = on_reply_end;
    stdio->in.fd = stdio->out.fd = -1;
    stdio->on_end = on_end;
    stdio->user = user;
    buf_init(&stdio->line, MESSAGE_IN_CAP);
    buf_init(&stdio->output, BUF_CAP_DEFAULT);
    uv_idle_init(server->loop, &stdio->idle);
    stdio->idle.data = stdio;
    stdio->open_handles = 1;
    client_init(&client, server->toolsets, bound_session, bound_learner);
    stdio->host = host_create(server, tables_change, err);
    if (stdio->host)
        stdio->peer = peer_create(stdio->host, "stdio", &client, err);
    if (!stdio->peer || peer_open_stream(stdio->peer, &stdio->reply, err) < 0 ||
        open_channel(stdio, &stdio->in, server->loop, in, "standard input", err) < 0 ||
        open_channel(stdio, &stdio->out, server->loop, out, "standard output", err) < 0) {
        stdio_server_destroy(stdio);
        return NULL;
    }
    /* A reader that left is an error of write, not the end of the process. */
    signal(SIGPIPE, SIG_IGN);
    update(stdio);
    return stdio;
}
