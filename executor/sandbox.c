/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/sandbox.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "helpers/base/cleanup.h"
#include "helpers/base/json.h"
#include "helpers/base/log.h"

#define PYTHON_VERSION "3.11." /* that of the validator's grammar */

enum sandbox_phase {
    SANDBOX_STARTING,
    SANDBOX_WARMING,
    SANDBOX_SETTLING,
    SANDBOX_READY,
    SANDBOX_RECYCLING,
    SANDBOX_ENDING
};

struct chunk {
    STAILQ_ENTRY(chunk) link;
    char *bytes; /* owned */
    size_t len, sent;
};

struct sandbox {
    struct sandbox_host *host;
    int kind;
    enum sandbox_phase phase;
    bool on_workq; /* a work queue job uses it, so the end must wait for that */
    bool stopped;  /* sandbox_end was called */
    bool watched;  /* poll is initialized */
    bool pinged;   /* a pong is expected */
    unsigned handles;
    const struct engine *engine;
    void *state;            /* the engine's */
    struct engine_box *box; /* NULL before the start and after the end */
    struct error workq_error;
    bool workq_failed;
    struct workq_job workq_job;
    uv_poll_t poll;
    uv_timer_t timer; /* for FRAME_READY or FRAME_PONG */
    unsigned patience_ms;
    struct frame_decoder decoder;
    STAILQ_HEAD(, chunk) out;
    const struct sandbox_events *events;
    void *user;
    void (*gone)(void *owner);
    void *owner;
};

const struct frame_rule frames_from_runner[] = {
    {FRAME_READY, 0, FRAME_STATUS_CAP, 0},
    {FRAME_PONG, 0, 0, 0},
    {FRAME_STARTED, 0, 0, 0},
    {FRAME_STDOUT, 0, FRAME_OUTPUT_CAP, 0},
    {FRAME_STDERR, 0, FRAME_OUTPUT_CAP, 0},
    {FRAME_STDOUT_TAIL, 0, FRAME_TAIL_CAP, 0},
    {FRAME_STDERR_TAIL, 0, FRAME_TAIL_CAP, 0},
    {FRAME_ARTIFACT, 0, FRAME_ARTIFACT_CAP, 0},
    {FRAME_REQUEST, 0, FRAME_REQUEST_CAP, 0},
    {FRAME_CASE, 0, FRAME_CASE_CAP, 0},
    {FRAME_RESULT, 0, FRAME_RESULT_CAP, 0},
    {FRAME_EXIT, 0, FRAME_STATUS_CAP, 0},
    {0},
};

static void on_poll(uv_poll_t *poll, int status, int events);

void sandbox_hand_over(struct sandbox *sandbox, const struct sandbox_events *events, void *user)
{
    sandbox->events = events;
    sandbox->user = user;
    uv_timer_stop(&sandbox->timer); /* the new user has its own deadlines */
}

static void break_off(struct sandbox *sandbox, const struct error *why)
{
    if (sandbox->watched)
        uv_poll_stop(&sandbox->poll);
    uv_timer_stop(&sandbox->timer);
    if (!sandbox->stopped)
        sandbox->events->broken(sandbox->user, why);
}

/* ---- jobs of the work queue ---- */

static void work_start(struct workq_job *job, void *context)
{
    struct sandbox *sandbox = container_of(job, struct sandbox, workq_job);
    struct sandbox_host *host = sandbox->host;

    (void)context;
    if (sandbox->engine->pick)
        sandbox->engine = sandbox->engine->pick(&sandbox->state, &sandbox->workq_error);
    if (sandbox->engine)
        sandbox->box = sandbox->engine->start(sandbox->state, &host->kinds[sandbox->kind],
                                              &sandbox->workq_error);
    sandbox->workq_failed = !sandbox->box;
}

static void work_settle(struct workq_job *job, void *context)
{
    struct sandbox *sandbox = container_of(job, struct sandbox, workq_job);

    (void)context;
    sandbox->workq_failed =
        sandbox->engine->settle(sandbox->state, sandbox->box, &sandbox->workq_error) < 0;
}

static void work_destroy(struct workq_job *job, void *context)
{
    struct sandbox *sandbox = container_of(job, struct sandbox, workq_job);

    (void)context;
    sandbox->engine->destroy(sandbox->state, sandbox->box);
    sandbox->box = NULL;
}

static int submit(struct sandbox *sandbox, void (*work)(struct workq_job *, void *),
                  void (*done)(struct workq_job *), struct error *err)
{
    memset(&sandbox->workq_job, 0, sizeof sandbox->workq_job);
    sandbox->workq_job.work = work;
    sandbox->workq_job.done = done;
    sandbox->workq_failed = false;
    memset(&sandbox->workq_error, 0, sizeof sandbox->workq_error);
    if (workq_submit(sandbox->host->workq, &sandbox->workq_job, err) < 0)
        return -1;
    sandbox->on_workq = true;
    return 0;
}

/* ---- the end ---- */

static void drop_output(struct sandbox *sandbox)
{
    struct chunk *chunk;

    while ((chunk = STAILQ_FIRST(&sandbox->out))) {
        STAILQ_REMOVE_HEAD(&sandbox->out, link);
        free(chunk->bytes);
        free(chunk);
    }
}

static void free_sandbox(struct sandbox *sandbox)
{
    drop_output(sandbox);
    frame_decoder_finish(&sandbox->decoder);
    sandbox->gone(sandbox->owner);
    free(sandbox);
}

static void done_destroy(struct workq_job *job)
{
    struct sandbox *sandbox = container_of(job, struct sandbox, workq_job);

    sandbox->on_workq = false;
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
        /* The work queue has room for every sandbox, so this is a bug. Removing it here is slow,
         * but leaves nothing behind. */
        log_error("executor", "removing a sandbox on the loop: %s", err.text);
        sandbox->engine->destroy(sandbox->state, sandbox->box);
        free_sandbox(sandbox);
    }
}

static void close_handles(struct sandbox *sandbox)
{
    sandbox->phase = SANDBOX_ENDING;
    uv_close((uv_handle_t *)&sandbox->timer, on_closed);
    if (sandbox->watched)
        uv_close((uv_handle_t *)&sandbox->poll, on_closed);
}

/* No event follows this. Returns -1 if it was called before. */
static int stop_events(struct sandbox *sandbox)
{
    if (sandbox->stopped)
        return -1;
    sandbox->stopped = true;
    if (sandbox->watched)
        uv_poll_stop(&sandbox->poll);
    uv_timer_stop(&sandbox->timer);
    return 0;
}

void sandbox_end(struct sandbox *sandbox)
{
    if (stop_events(sandbox) == 0 && !sandbox->on_workq)
        close_handles(sandbox);
}

static void on_retired(uv_timer_t *timer)
{
    close_handles(timer->data);
}

void sandbox_retire(struct sandbox *sandbox)
{
    if (stop_events(sandbox) == 0 && !sandbox->on_workq)
        uv_timer_start(&sandbox->timer, on_retired, SANDBOX_RETIRE_MS, 0);
}

/* ---- the frames that go in and out ---- */

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

static void say_ended(struct sandbox *sandbox, struct error *err)
{
    const char *words = sandbox->engine->stderr_tail(sandbox->box);

    if (words[0])
        error_set(err, ERROR_UNAVAILABLE, "the sandbox ended: %s", words);
    else
        error_set(err, ERROR_UNAVAILABLE, "the sandbox ended unexpectedly");
}

static void done_settle(struct workq_job *job)
{
    struct sandbox *sandbox = container_of(job, struct sandbox, workq_job);

    sandbox->on_workq = false;
    if (sandbox->stopped) {
        close_handles(sandbox);
        return;
    }
    if (sandbox->workq_failed) {
        break_off(sandbox, &sandbox->workq_error);
        return;
    }
    sandbox->phase = SANDBOX_READY;
    watch(sandbox);
    if (!sandbox->stopped)
        sandbox->events->ready(sandbox->user);
}

static void settle(struct sandbox *sandbox)
{
    struct error err = {0};

    uv_timer_stop(&sandbox->timer);
    uv_poll_stop(&sandbox->poll);
    sandbox->phase = SANDBOX_SETTLING;
    if (submit(sandbox, work_settle, done_settle, &err) < 0)
        break_off(sandbox, &err);
}

int sandbox_check_ready(const struct frame *frame, struct error *err)
{
    json_auto_t *ready = json_read(frame->payload, frame->len, "the sandbox's report", err);
    const char *python = json_get_string(ready, "python");

    if (!ready)
        return -1;
    if (json_integer_value(json_object_get(ready, "landlock_abi")) < 1)
        return error_set(err, ERROR_UNAVAILABLE,
                         "the sandbox has no Landlock, so nothing runs in it: it needs a kernel of "
                         "Linux 5.13 or later whose list of security modules (lsm=) has landlock, "
                         "also in a container's runtime (--runtime)");
    if (json_integer_value(json_object_get(ready, "seccomp")) < 1)
        return error_set(err, ERROR_UNAVAILABLE,
                         "the sandbox has no seccomp filter, so nothing runs in it");
    if (!python || strncmp(python, PYTHON_VERSION, strlen(PYTHON_VERSION)) != 0)
        return error_set(
            err, ERROR_UNAVAILABLE,
            "the sandbox has Python %.20s, and programs are checked for Python " PYTHON_VERSION
            "x: build its image again (make image)",
            python ? python : "of no version");
    return 0;
}

static void take_frame(struct sandbox *sandbox, const struct frame *frame)
{
    struct error err = {0};

    if (sandbox->phase == SANDBOX_WARMING && frame->type == FRAME_READY) {
        log_debug("executor", "a sandbox is ready: %s", frame->payload);
        if (sandbox_check_ready(frame, &err) < 0)
            break_off(sandbox, &err);
        else
            settle(sandbox);
    } else if (sandbox->phase == SANDBOX_RECYCLING && frame->type == FRAME_READY) {
        uv_timer_stop(&sandbox->timer);
        sandbox->phase = SANDBOX_READY;
        sandbox->events->ready(sandbox->user);
    } else if (sandbox->phase == SANDBOX_READY && frame->type == FRAME_PONG && sandbox->pinged) {
        uv_timer_stop(&sandbox->timer);
        sandbox->pinged = false;
    } else if (sandbox->phase == SANDBOX_READY && frame->type != FRAME_READY &&
               frame->type != FRAME_PONG) {
        sandbox->events->frame(sandbox->user, frame);
    } else {
        error_set(&err, ERROR_MALFORMED, "the sandbox sent a frame '%c' out of its turn",
                  frame->type);
        break_off(sandbox, &err);
    }
}

/* Returns -1 if the sandbox is broken. */
static int decode(struct sandbox *sandbox, const char *bytes, size_t len)
{
    enum frame_decoded rc = FRAME_COMPLETE;
    struct error err = {0};
    struct frame frame;

    while (rc == FRAME_COMPLETE && len > 0 && !sandbox->stopped) {
        rc = frame_decode(&sandbox->decoder, &bytes, &len, &frame);
        if (rc == FRAME_COMPLETE)
            take_frame(sandbox, &frame);
    }
    if (rc != FRAME_BREACH)
        return 0;
    error_set(&err, ERROR_MALFORMED, "the sandbox broke the rules: %s", sandbox->decoder.fault);
    break_off(sandbox, &err);
    return -1;
}

static void receive(struct sandbox *sandbox)
{
    struct sandbox_host *host = sandbox->host;
    struct error err = {0};

    for (int turn = 0; turn < SANDBOX_READ_TURNS; turn++) {
        ssize_t got;

        /* Since the last turn it may have ended, or gone to the work queue. */
        if (sandbox->stopped || sandbox->on_workq || !uv_is_active((uv_handle_t *)&sandbox->poll))
            return;
        got = sandbox->engine->receive(sandbox->box, host->bytes, sizeof host->bytes);
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

/* Sends what is queued. Returns -1 if the sandbox is broken. */
static int flush(struct sandbox *sandbox)
{
    struct chunk *chunk;

    while ((chunk = STAILQ_FIRST(&sandbox->out))) {
        ssize_t sent = sandbox->engine->send(sandbox->box, chunk->bytes + chunk->sent,
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

    /* libuv stops polling at a socket error, for example when the peer died with unread data. What
     * came before the error must still be read, and then the error itself. */
    if (status < 0)
        watch(sandbox);
    if (status < 0 || (events & UV_READABLE))
        receive(sandbox);
    if ((events & UV_WRITABLE) && !sandbox->stopped && uv_is_active((uv_handle_t *)poll)) {
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

static void on_not_ready(uv_timer_t *timer)
{
    struct sandbox *sandbox = timer->data;
    const char *words = sandbox->engine->stderr_tail(sandbox->box);
    struct error err = {0};

    error_set(&err, ERROR_TIMEOUT, "the sandbox was not ready within %.3g s%s%s",
              sandbox->patience_ms / 1000.0, words[0] ? ": " : "", words);
    break_off(sandbox, &err);
}

static void await(struct sandbox *sandbox, uv_timer_cb not_come, unsigned ms)
{
    sandbox->patience_ms = ms;
    uv_update_time(sandbox->host->loop);
    uv_timer_start(&sandbox->timer, not_come, ms, 0);
}

static void done_start(struct workq_job *job)
{
    struct sandbox *sandbox = container_of(job, struct sandbox, workq_job);
    struct sandbox_host *host = sandbox->host;
    struct error err = {0};
    int rc;

    sandbox->on_workq = false;
    if (sandbox->stopped) {
        close_handles(sandbox);
        return;
    }
    if (sandbox->workq_failed) {
        break_off(sandbox, &sandbox->workq_error);
        return;
    }
    rc = uv_poll_init(host->loop, &sandbox->poll, sandbox->engine->fd(sandbox->box));
    if (rc < 0) {
        error_errno(&err, -rc, "watch the sandbox");
        break_off(sandbox, &err);
        return;
    }
    sandbox->poll.data = sandbox;
    sandbox->watched = true;
    sandbox->handles++;
    sandbox->phase = SANDBOX_WARMING;
    await(sandbox, on_not_ready, host->limits->warm_ms);
    watch(sandbox);
    if (uv_is_active((uv_handle_t *)&sandbox->poll))
        receive(
            sandbox); /* frames may have arrived together with the answer that opened the stream */
}

struct sandbox *sandbox_start(struct sandbox_host *host, int kind,
                              const struct sandbox_events *events, void (*gone)(void *owner),
                              void *owner, struct error *err)
{
    struct sandbox *sandbox = calloc(1, sizeof *sandbox);

    if (!sandbox) {
        error_set(err, ERROR_MEMORY, "out of memory for a sandbox");
        return NULL;
    }
    sandbox->host = host;
    sandbox->engine = host->engine;
    sandbox->state = host->state;
    sandbox->kind = kind;
    sandbox->events = events;
    sandbox->user = owner;
    sandbox->gone = gone;
    sandbox->owner = owner;
    STAILQ_INIT(&sandbox->out);
    frame_decoder_init(&sandbox->decoder, frames_from_runner);
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

/* ---- between jobs ---- */

void sandbox_recycle(struct sandbox *sandbox, unsigned ms)
{
    if (sandbox->stopped)
        return;
    sandbox->phase = SANDBOX_RECYCLING;
    await(sandbox, on_not_ready, ms);
}

static void on_no_answer(uv_timer_t *timer)
{
    struct sandbox *sandbox = timer->data;
    struct error err = {0};

    /* If the loop itself was delayed, the answer may be there already. */
    receive(sandbox);
    if (!sandbox->pinged || sandbox->stopped)
        return;
    error_set(&err, ERROR_TIMEOUT, "the sandbox did not answer a ping within %.3g s",
              sandbox->patience_ms / 1000.0);
    break_off(sandbox, &err);
}

bool sandbox_is_pinged(const struct sandbox *sandbox)
{
    return sandbox->pinged;
}

int sandbox_ping(struct sandbox *sandbox, unsigned ms, struct error *err)
{
    char *frame = malloc(FRAME_HEAD_SIZE);

    if (frame)
        frame_pack((unsigned char *)frame, FRAME_PING, 0);
    if (sandbox_send(sandbox, frame, FRAME_HEAD_SIZE, err) < 0)
        return -1;
    if (sandbox->stopped)
        return 0; /* sending broke it, and its user has been notified */
    sandbox->pinged = true;
    await(sandbox, on_no_answer, ms);
    return 0;
}
