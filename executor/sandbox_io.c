/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The frames that go into a sandbox and come out of it.
 */
#include <errno.h>
#include <stdlib.h>

#include "executor/sandbox_internal.h"
#include "helpers/base/log.h"

static void on_poll(uv_poll_t *poll, int status, int events);

void sandbox_watch(struct sandbox *sandbox)
{
    int events = UV_READABLE | (STAILQ_EMPTY(&sandbox->out) ? 0 : UV_WRITABLE);
    int rc = uv_poll_start(&sandbox->poll, events, on_poll);

    if (rc < 0) {
        struct error err = {0};

        error_errno(&err, -rc, "watch the sandbox");
        sandbox_break_off(sandbox, &err);
    }
}

static void take_frame(struct sandbox *sandbox, const struct frame *frame)
{
    struct error err = {0};

    if (sandbox->phase == SANDBOX_WARMING && frame->type == FRAME_READY) {
        log_debug("executor", "a sandbox is ready: %s", frame->payload);
        sandbox_settle(sandbox);
    } else if (sandbox->phase == SANDBOX_RECYCLING && frame->type == FRAME_READY) {
        uv_timer_stop(&sandbox->timer);
        sandbox->phase = SANDBOX_READY;
        sandbox->events->ready(sandbox, sandbox->user);
    } else if (sandbox->phase == SANDBOX_READY && frame->type == FRAME_PONG && sandbox->pinged) {
        uv_timer_stop(&sandbox->timer);
        sandbox->pinged = false;
    } else if (sandbox->phase == SANDBOX_READY && frame->type != FRAME_READY &&
               frame->type != FRAME_PONG) {
        sandbox->events->frame(sandbox, frame, sandbox->user);
    } else {
        error_set(&err, ERROR_MALFORMED, "the sandbox sent a frame '%c' out of its turn",
                  frame->type);
        sandbox_break_off(sandbox, &err);
    }
}

/* -1 when the sandbox broke. */
static int decode(struct sandbox *sandbox, const char *bytes, size_t len)
{
    struct error err = {0};
    struct frame frame;
    size_t used;

    while (len > 0 && !sandbox->doomed) {
        int rc = frame_decoder_feed(&sandbox->decoder, bytes, len, &used, &frame, &err);

        if (rc < 0) {
            error_wrap(&err, "the sandbox broke the rules");
            sandbox_break_off(sandbox, &err);
            return -1;
        }
        bytes += used;
        len -= used;
        if (rc > 0)
            take_frame(sandbox, &frame);
    }
    return 0;
}

void sandbox_receive(struct sandbox *sandbox)
{
    struct sandbox_host *host = sandbox->host;
    struct error err = {0};

    for (int turn = 0; turn < SANDBOX_READ_TURNS; turn++) {
        ssize_t got;

        /* Ended, or with the work queue, since the last turn. */
        if (sandbox->doomed || sandbox->on_workq || !uv_is_active((uv_handle_t *)&sandbox->poll))
            return;
        got = host->engine->receive(sandbox->box, host->bytes, sizeof host->bytes);
        if (got < 0 && errno == EAGAIN)
            return;
        if (got <= 0) {
            sandbox_say_ended(sandbox, &err);
            sandbox_break_off(sandbox, &err);
            return;
        }
        if (decode(sandbox, host->bytes, (size_t)got) < 0)
            return;
    }
}

/* Sends what waits. -1 when the sandbox broke. */
static int flush(struct sandbox *sandbox)
{
    struct chunk *chunk;

    while ((chunk = STAILQ_FIRST(&sandbox->out))) {
        ssize_t sent = sandbox->host->engine->send(sandbox->box, chunk->bytes + chunk->sent,
                                                   chunk->len - chunk->sent);

        if (sent < 0 && errno == EAGAIN)
            return 0;
        if (sent < 0)
            return -1;
        chunk->sent += (size_t)sent;
        if (chunk->sent == chunk->len) {
            STAILQ_REMOVE_HEAD(&sandbox->out, link);
            free(chunk->bytes);
            free(chunk);
        }
    }
    return 0;
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    struct sandbox *sandbox = poll->data;
    struct error err = {0};

    /* At a socket's error, as of a peer that died with something unread, libuv has stopped
     * watching; what came before the error is still to be read, and then the error itself. */
    if (status < 0)
        sandbox_watch(sandbox);
    if (status < 0 || (events & UV_READABLE))
        sandbox_receive(sandbox);
    if ((events & UV_WRITABLE) && !sandbox->doomed && uv_is_active((uv_handle_t *)poll)) {
        if (flush(sandbox) < 0) {
            sandbox_say_ended(sandbox, &err);
            sandbox_break_off(sandbox, &err);
        } else if (STAILQ_EMPTY(&sandbox->out)) {
            sandbox_watch(sandbox);
        }
    }
}

int sandbox_send(struct sandbox *sandbox, char *bytes, size_t len, struct error *err)
{
    struct chunk *chunk = calloc(1, sizeof *chunk);

    if (!chunk || !bytes) {
        free(bytes);
        free(chunk);
        return error_set(err, ERROR_MEMORY, "out of memory for a frame");
    }
    chunk->bytes = bytes;
    chunk->len = len;
    STAILQ_INSERT_TAIL(&sandbox->out, chunk, link);
    if (flush(sandbox) < 0) {
        sandbox_say_ended(sandbox, err);
        return -1;
    }
    if (!STAILQ_EMPTY(&sandbox->out))
        sandbox_watch(sandbox);
    return 0;
}

void sandbox_drop_output(struct sandbox *sandbox)
{
    struct chunk *chunk;

    while ((chunk = STAILQ_FIRST(&sandbox->out))) {
        STAILQ_REMOVE_HEAD(&sandbox->out, link);
        free(chunk->bytes);
        free(chunk);
    }
}
