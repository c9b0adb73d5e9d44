/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/sandbox.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "helpers/base/log.h"

enum phase { STARTING, WARMING, SETTLING, READY, ENDING };

struct chunk {
    STAILQ_ENTRY(chunk) link;
    char *bytes; /* owned */
    size_t len, sent;
};

struct sandbox {
    struct sandbox_host *host;
    struct sandbox *next;
    int kind;
    enum phase phase;
    bool on_lane; /* the lane has it: the end must wait until it is back */
    bool doomed;  /* sandbox_end was called */
    bool watched; /* poll is initialised */
    unsigned handles;
    struct engine_box *box; /* NULL before the start and after the end */
    struct error lane_error;
    bool lane_failed;
    struct lane_job lane_job;
    uv_poll_t poll;
    uv_timer_t timer; /* warming takes too long */
    struct frame_decoder decoder;
    STAILQ_HEAD(, chunk) out;
    const struct sandbox_events *events;
    void *user;
    void (*gone)(struct sandbox *sandbox, void *owner);
    void *owner;
    uint64_t ready_since;
};

int sandbox_kind(const struct sandbox *sandbox)
{
    return sandbox->kind;
}

bool sandbox_is_ready(const struct sandbox *sandbox)
{
    return sandbox->phase == READY && !sandbox->doomed;
}

uint64_t sandbox_ready_since(const struct sandbox *sandbox)
{
    return sandbox->ready_since;
}

struct sandbox *sandbox_next(const struct sandbox *sandbox)
{
    return sandbox->next;
}

void sandbox_set_next(struct sandbox *sandbox, struct sandbox *next)
{
    sandbox->next = next;
}

void sandbox_hand_over(struct sandbox *sandbox, const struct sandbox_events *events, void *user)
{
    sandbox->events = events;
    sandbox->user = user;
}

static struct sandbox *of_job(struct lane_job *job)
{
    return (struct sandbox *)((char *)job - offsetof(struct sandbox, lane_job));
}

static void break_off(struct sandbox *sandbox, const struct error *why)
{
    if (sandbox->watched)
        uv_poll_stop(&sandbox->poll);
    uv_timer_stop(&sandbox->timer);
    if (!sandbox->doomed)
        sandbox->events->broken(sandbox, why, sandbox->user);
}

/* ---- what the lane does ---- */

static void work_start(struct lane_job *job, void *context)
{
    struct sandbox *sandbox = of_job(job);
    struct sandbox_host *host = sandbox->host;

    (void)context;
    sandbox->box =
        host->engine->start(host->state, &execution_kinds[sandbox->kind], &sandbox->lane_error);
    sandbox->lane_failed = !sandbox->box;
}

static void work_settle(struct lane_job *job, void *context)
{
    struct sandbox *sandbox = of_job(job);
    struct sandbox_host *host = sandbox->host;

    (void)context;
    sandbox->lane_failed =
        host->engine->settle(host->state, sandbox->box, &sandbox->lane_error) < 0;
}

static void work_destroy(struct lane_job *job, void *context)
{
    struct sandbox *sandbox = of_job(job);
    struct sandbox_host *host = sandbox->host;

    (void)context;
    host->engine->destroy(host->state, sandbox->box);
    sandbox->box = NULL;
}

static int submit(struct sandbox *sandbox, void (*work)(struct lane_job *, void *),
                  void (*done)(struct lane_job *), struct error *err)
{
    memset(&sandbox->lane_job, 0, sizeof sandbox->lane_job);
    sandbox->lane_job.work = work;
    sandbox->lane_job.done = done;
    sandbox->lane_failed = false;
    memset(&sandbox->lane_error, 0, sizeof sandbox->lane_error);
    if (lane_submit(sandbox->host->lane, &sandbox->lane_job, err) < 0)
        return -1;
    sandbox->on_lane = true;
    return 0;
}

/* ---- the end ---- */

static void free_sandbox(struct sandbox *sandbox)
{
    struct chunk *chunk;

    while ((chunk = STAILQ_FIRST(&sandbox->out))) {
        STAILQ_REMOVE_HEAD(&sandbox->out, link);
        free(chunk->bytes);
        free(chunk);
    }
    frame_decoder_finish(&sandbox->decoder);
    sandbox->gone(sandbox, sandbox->owner);
    free(sandbox);
}

static void done_destroy(struct lane_job *job)
{
    struct sandbox *sandbox = of_job(job);

    sandbox->on_lane = false;
    free_sandbox(sandbox);
}

static void on_closed(uv_handle_t *handle)
{
    struct sandbox *sandbox = handle->data;
    struct error err = {0};

    if (--sandbox->handles > 0)
        return;
    if (!sandbox->box) {
        free_sandbox(sandbox);
        return;
    }
    if (submit(sandbox, work_destroy, done_destroy, &err) < 0) {
        /* The lane is as long as there can be sandboxes, so this is a bug; removing it here is
         * slow, but leaves none. */
        log_error("executor", "removing a sandbox on the loop: %s", err.text);
        sandbox->host->engine->destroy(sandbox->host->state, sandbox->box);
        free_sandbox(sandbox);
    }
}

static void close_handles(struct sandbox *sandbox)
{
    sandbox->phase = ENDING;
    uv_close((uv_handle_t *)&sandbox->timer, on_closed);
    if (sandbox->watched)
        uv_close((uv_handle_t *)&sandbox->poll, on_closed);
}

void sandbox_end(struct sandbox *sandbox)
{
    if (sandbox->doomed)
        return;
    sandbox->doomed = true;
    if (sandbox->watched)
        uv_poll_stop(&sandbox->poll);
    uv_timer_stop(&sandbox->timer);
    if (!sandbox->on_lane)
        close_handles(sandbox);
}

/* ---- frames ---- */

static void on_poll(uv_poll_t *poll, int status, int events);

static void watch(struct sandbox *sandbox)
{
    int events = UV_READABLE | (STAILQ_EMPTY(&sandbox->out) ? 0 : UV_WRITABLE);
    int rc = uv_poll_start(&sandbox->poll, events, on_poll);

    if (rc < 0) {
        struct error err = {0};

        error_errno(&err, -rc, "watch the sandbox");
        break_off(sandbox, &err);
    }
}

static void done_settle(struct lane_job *job)
{
    struct sandbox *sandbox = of_job(job);

    sandbox->on_lane = false;
    if (sandbox->doomed) {
        close_handles(sandbox);
        return;
    }
    if (sandbox->lane_failed) {
        break_off(sandbox, &sandbox->lane_error);
        return;
    }
    sandbox->phase = READY;
    sandbox->ready_since = uv_now(sandbox->host->loop);
    watch(sandbox);
    if (!sandbox->doomed)
        sandbox->events->ready(sandbox, sandbox->user);
}

static void settle(struct sandbox *sandbox)
{
    struct error err = {0};

    uv_timer_stop(&sandbox->timer);
    uv_poll_stop(&sandbox->poll);
    sandbox->phase = SETTLING;
    if (submit(sandbox, work_settle, done_settle, &err) < 0)
        break_off(sandbox, &err);
}

static void take_frame(struct sandbox *sandbox, const struct frame *frame)
{
    struct error err = {0};

    if (sandbox->phase == WARMING && frame->type == FRAME_READY) {
        log_debug("executor", "a sandbox is ready: %s", frame->payload);
        settle(sandbox);
    } else if (sandbox->phase == READY && frame->type != FRAME_READY) {
        sandbox->events->frame(sandbox, frame, sandbox->user);
    } else {
        error_set(&err, ERROR_MALFORMED, "the sandbox sent a frame '%c' out of its turn",
                  frame->type);
        break_off(sandbox, &err);
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
            break_off(sandbox, &err);
            return -1;
        }
        bytes += used;
        len -= used;
        if (rc > 0)
            take_frame(sandbox, &frame);
    }
    return 0;
}

static void say_ended(struct sandbox *sandbox, struct error *err)
{
    const char *words = sandbox->host->engine->last_words(sandbox->box);

    if (words[0])
        error_set(err, ERROR_UNAVAILABLE, "the sandbox ended: %s", words);
    else
        error_set(err, ERROR_UNAVAILABLE, "the sandbox ended unexpectedly");
}

static void receive(struct sandbox *sandbox)
{
    struct sandbox_host *host = sandbox->host;
    struct error err = {0};

    for (int turn = 0; turn < SANDBOX_READ_TURNS; turn++) {
        ssize_t got;

        /* Ended, or with the lane, since the last turn. */
        if (sandbox->doomed || sandbox->on_lane || !uv_is_active((uv_handle_t *)&sandbox->poll))
            return;
        got = host->engine->receive(sandbox->box, host->bytes, sizeof host->bytes);
        if (got < 0 && errno == EAGAIN)
            return;
        if (got <= 0) {
            say_ended(sandbox, &err);
            break_off(sandbox, &err);
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
        watch(sandbox);
    if (status < 0 || (events & UV_READABLE))
        receive(sandbox);
    if ((events & UV_WRITABLE) && !sandbox->doomed && uv_is_active((uv_handle_t *)poll)) {
        if (flush(sandbox) < 0) {
            say_ended(sandbox, &err);
            break_off(sandbox, &err);
        } else if (STAILQ_EMPTY(&sandbox->out)) {
            watch(sandbox);
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
        say_ended(sandbox, err);
        return -1;
    }
    if (!STAILQ_EMPTY(&sandbox->out))
        watch(sandbox);
    return 0;
}

/* ---- the start ---- */

static void on_warm_timer(uv_timer_t *timer)
{
    struct sandbox *sandbox = timer->data;
    const char *words = sandbox->host->engine->last_words(sandbox->box);
    struct error err = {0};

    error_set(&err, ERROR_TIMEOUT, "the sandbox was not ready within %u s%s%s",
              sandbox->host->limits->warm_ms / 1000, words[0] ? ": " : "", words);
    break_off(sandbox, &err);
}

static void done_start(struct lane_job *job)
{
    struct sandbox *sandbox = of_job(job);
    struct sandbox_host *host = sandbox->host;
    struct error err = {0};
    int rc;

    sandbox->on_lane = false;
    if (sandbox->doomed) {
        close_handles(sandbox);
        return;
    }
    if (sandbox->lane_failed) {
        break_off(sandbox, &sandbox->lane_error);
        return;
    }
    rc = uv_poll_init(host->loop, &sandbox->poll, host->engine->fd(sandbox->box));
    if (rc < 0) {
        error_errno(&err, -rc, "watch the sandbox");
        break_off(sandbox, &err);
        return;
    }
    sandbox->poll.data = sandbox;
    sandbox->watched = true;
    sandbox->handles++;
    sandbox->phase = WARMING;
    uv_timer_start(&sandbox->timer, on_warm_timer, host->limits->warm_ms, 0);
    watch(sandbox);
    if (uv_is_active((uv_handle_t *)&sandbox->poll))
        receive(sandbox); /* some may have come with the answer that opened the stream */
}

struct sandbox *sandbox_start(struct sandbox_host *host, int kind,
                              const struct sandbox_events *events, void *user,
                              void (*gone)(struct sandbox *sandbox, void *owner), void *owner,
                              struct error *err)
{
    struct sandbox *sandbox = calloc(1, sizeof *sandbox);

    if (!sandbox) {
        error_set(err, ERROR_MEMORY, "out of memory for a sandbox");
        return NULL;
    }
    sandbox->host = host;
    sandbox->kind = kind;
    sandbox->events = events;
    sandbox->user = user;
    sandbox->gone = gone;
    sandbox->owner = owner;
    STAILQ_INIT(&sandbox->out);
    frame_decoder_init(&sandbox->decoder, FRAMES_FROM_RUNNER);
    if (submit(sandbox, work_start, done_start, err) < 0) {
        frame_decoder_finish(&sandbox->decoder);
        free(sandbox);
        return NULL;
    }
    uv_timer_init(host->loop, &sandbox->timer);
    sandbox->timer.data = sandbox;
    sandbox->handles = 1;
    return sandbox;
}
