/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * MCP on two file descriptors: one JSON message a line. Runs on the loop's thread.
 *
 * Pipes, sockets and terminals are watched by uv_poll and never block the loop; a regular file or
 * /dev/null, which epoll does not take, is read and written a piece a turn from an idle handle.
 * Answers go into one buffer that only the loop's callbacks write out. While the client leaves it
 * over its mark, no further messages are read, and progress is thrown away rather than kept.
 *
 * At the end of input the calls under way run to their end, their answers go out, and only then
 * on_end is called. A reader that is gone ends it at once.
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
#include "mcp/protocol/message.h"
#include "mcp/protocol/peer.h"

#define STDIO_READ_SIZE   ((size_t)64 << 10)
#define STDIO_OUTPUT_MARK ((size_t)1 << 20) /* above it, reading pauses and progress is dropped */

/* One direction, on a descriptor of its own. */
struct channel {
    int fd;    /* a duplicate, so that in and out may be the same; -1 when closed */
    int flags; /* as they were: the description is shared with whoever started us */
    bool pollable;
    uv_poll_t poll;
};

struct stdio_server {
    struct peer_reply reply; /* first: a reply is its server */
    struct peer *peer;       /* NULL once the reader is gone */
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

static size_t pending(const struct stdio_server *server)
{
    return server->output.len - server->written;
}

static bool finished(const struct stdio_server *server)
{
    return server->input_ended && pending(server) == 0 &&
           (!server->peer || peer_calls(server->peer) == 0);
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
static void update(struct stdio_server *server)
{
    bool writing = pending(server) > 0;
    bool reading = !server->input_ended && pending(server) <= STDIO_OUTPUT_MARK;

    watch(&server->in, UV_READABLE, reading);
    watch(&server->out, UV_WRITABLE, writing);
    if ((reading && !server->in.pollable) || (writing && !server->out.pollable) ||
        (finished(server) && !server->ended))
        uv_idle_start(&server->idle, on_idle);
    else
        uv_idle_stop(&server->idle);
}

/* ---- answers ---- */

static void on_send(struct peer_reply *reply, const char *json, size_t len, bool is_response)
{
    struct stdio_server *server = (struct stdio_server *)reply;

    if (!is_response && pending(server) > STDIO_OUTPUT_MARK)
        return;
    if (server->written > 0) { /* what is out makes room */
        memmove(server->output.data, server->output.data + server->written, pending(server));
        server->output.len -= server->written;
        server->written = 0;
    }
    if (buf_reserve(&server->output, len + 1)) {
        buf_add(&server->output, json, len);
        buf_addc(&server->output, '\n');
    } else {
        log_error("stdio", "an answer of %zu bytes was lost: %zu bytes are unread", len,
                  server->output.len);
        server->output.failed = false;
    }
    update(server);
}

static void on_reply_end(struct peer_reply *reply, bool accepted)
{
    (void)accepted;
    update((struct stdio_server *)reply);
}

static void lose_reader(struct stdio_server *server, int error_number)
{
    log_warning("stdio", "standard output: %s; ending", strerrordesc_np(error_number));
    buf_clear(&server->output);
    server->written = 0;
    server->input_ended = true;
    peer_destroy(server->peer);
    server->peer = NULL;
}

static void write_some(struct stdio_server *server)
{
    ssize_t n;

    if (pending(server) == 0)
        return;
    do
        n = write(server->out.fd, server->output.data + server->written, pending(server));
    while (n < 0 && errno == EINTR);
    if (n < 0 && errno == EAGAIN)
        return;
    if (n < 0) {
        lose_reader(server, errno);
        return;
    }
    server->written += (size_t)n;
    if (pending(server) == 0) {
        buf_clear(&server->output);
        server->written = 0;
    }
}

/* ---- messages ---- */

static bool is_blank(const char *text, size_t len)
{
    return strspn(text, " \t\r") >= len;
}

static void end_line(struct stdio_server *server)
{
    struct buf *line = &server->line;

    if (!server->skipping && line->len > 0 && !is_blank(line->data, line->len))
        peer_receive(server->peer, line->data, line->len, &server->reply);
    server->skipping = false;
    buf_clear(line);
}

/* A message over the cap is told of once and the rest of its line passed over. */
static void refuse_line(struct stdio_server *server)
{
    struct buf BUF_AUTO message = {0};
    struct error err;

    error_set(&err, ERROR_TOO_LARGE,
              "a message may have at most %zu bytes: send less at once; this one was not read",
              PEER_MESSAGE_CAP);
    buf_init(&message, MESSAGE_OUT_CAP);
    message_error(&message, NULL, MESSAGE_INVALID_REQUEST, err.text);
    if (!message.failed)
        on_send(&server->reply, message.data, message.len, true);
    server->skipping = true;
    buf_clear(&server->line);
}

static void take_bytes(struct stdio_server *server, const char *bytes, size_t len)
{
    const char *end = bytes + len, *newline;
    size_t part;

    while (bytes < end && server->peer) {
        newline = memchr(bytes, '\n', (size_t)(end - bytes));
        part = (size_t)((newline ? newline : end) - bytes);
        if (!server->skipping) {
            buf_add(&server->line, bytes, part);
            if (server->line.failed)
                refuse_line(server);
        }
        if (newline)
            end_line(server);
        bytes += part + (newline ? 1 : 0);
    }
}

static void read_some(struct stdio_server *server)
{
    static const char what[] = "standard input";
    char bytes[STDIO_READ_SIZE];
    ssize_t n;

    if (server->input_ended || pending(server) > STDIO_OUTPUT_MARK)
        return;
    do
        n = read(server->in.fd, bytes, sizeof bytes);
    while (n < 0 && errno == EINTR);
    if (n < 0 && errno == EAGAIN)
        return;
    if (n < 0)
        log_warning("stdio", "%s: %s; taken as its end", what, strerrordesc_np(errno));
    if (n > 0) {
        take_bytes(server, bytes, (size_t)n);
        return;
    }
    server->input_ended = true;
    if (server->peer)
        end_line(server); /* a last message may come without a line end */
}

/* ---- the loop's callbacks ---- */

static void on_poll(uv_poll_t *poll, int status, int events)
{
    struct stdio_server *server = poll->data;

    (void)status; /* read and write say what is wrong */
    (void)events;
    if (poll == &server->out.poll)
        write_some(server);
    else
        read_some(server);
    update(server);
}

static void on_idle(uv_idle_t *idle)
{
    struct stdio_server *server = idle->data;

    if (!server->out.pollable)
        write_some(server);
    if (!server->in.pollable)
        read_some(server);
    if (finished(server) && !server->ended) {
        server->ended = true;
        uv_idle_stop(idle);
        server->on_end(server->user); /* may destroy the server */
        return;
    }
    update(server);
}

/* ---- life ---- */

static int open_channel(struct stdio_server *server, struct channel *channel, uv_loop_t *loop,
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
    channel->poll.data = server;
    channel->pollable = true;
    server->open_handles++;
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
    struct stdio_server *server = handle->data;

    if (--server->open_handles > 0)
        return;
    close_fd(&server->in);
    close_fd(&server->out);
    buf_finish(&server->line);
    buf_finish(&server->output);
    free(server);
}

void stdio_server_destroy(struct stdio_server *server)
{
    if (!server)
        return;
    server->ended = true;
    peer_destroy(server->peer);
    server->peer = NULL;
    server->input_ended = true;
    if (server->in.pollable)
        uv_close((uv_handle_t *)&server->in.poll, on_handle_closed);
    if (server->out.pollable)
        uv_close((uv_handle_t *)&server->out.poll, on_handle_closed);
    uv_close((uv_handle_t *)&server->idle, on_handle_closed);
}

struct stdio_server *stdio_server_create(struct server_parts *parts, int in, int out,
                                         const char *bound_session, void (*on_end)(void *user),
                                         void *user, struct error *err)
{
    struct stdio_server *server = calloc(1, sizeof *server);

    if (!server) {
        error_set(err, ERROR_MEMORY, "out of memory for stdio");
        return NULL;
    }
    server->reply.send = on_send;
    server->reply.end = on_reply_end;
    server->in.fd = server->out.fd = -1;
    server->on_end = on_end;
    server->user = user;
    buf_init(&server->line, PEER_MESSAGE_CAP);
    buf_init(&server->output, BUF_CAP_DEFAULT);
    uv_idle_init(parts->loop, &server->idle);
    server->idle.data = server;
    server->open_handles = 1;
    server->peer = peer_create(parts, "stdio", bound_session, err);
    if (!server->peer ||
        open_channel(server, &server->in, parts->loop, in, "standard input", err) < 0 ||
        open_channel(server, &server->out, parts->loop, out, "standard output", err) < 0) {
        stdio_server_destroy(server);
        return NULL;
    }
    /* A reader that left is an error of write, not the end of the process. */
    signal(SIGPIPE, SIG_IGN);
    update(server);
    return server;
}
