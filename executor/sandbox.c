/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/sandbox.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "executor/sandbox_internal.h"
#include "helpers/base/log.h"

int sandbox_kind(const struct sandbox *sandbox)
{
    return sandbox->kind;
}

bool sandbox_is_ready(const struct sandbox *sandbox)
{
    return sandbox->phase == SANDBOX_READY && !sandbox->doomed;
}

void *sandbox_owner(const struct sandbox *sandbox)
{
    return sandbox->owner;
}

void sandbox_hand_over(struct sandbox *sandbox, const struct sandbox_events *events, void *user)
{
    sandbox->events = events;
    sandbox->user = user;
    uv_timer_stop(&sandbox->timer); /* whoever has it now has deadlines of his own */
}

static struct sandbox *of_job(struct workq_job *job)
{
    return (struct sandbox *)((char *)job - offsetof(struct sandbox, workq_job));
}

void sandbox_break_off(struct sandbox *sandbox, const struct error *why)
{
    if (sandbox->watched)
        uv_poll_stop(&sandbox->poll);
    uv_timer_stop(&sandbox->timer);
    if (!sandbox->doomed)
        sandbox->events->broken(sandbox, why, sandbox->user);
}

/* ---- what the work queue does ---- */

static void work_start(struct workq_job *job, void *context)
{
    struct sandbox *sandbox = of_job(job);
    struct sandbox_host *host = sandbox->host;

    (void)context;
    sandbox->box =
        host->engine->start(host->state, &host->kinds[sandbox->kind], &sandbox->workq_error);
    sandbox->workq_failed = !sandbox->box;
}

static void work_settle(struct workq_job *job, void *context)
{
    struct sandbox *sandbox = of_job(job);
    struct sandbox_host *host = sandbox->host;

    (void)context;
    sandbox->workq_failed =
        host->engine->settle(host->state, sandbox->box, &sandbox->workq_error) < 0;
}

static void work_destroy(struct workq_job *job, void *context)
{
    struct sandbox *sandbox = of_job(job);
    struct sandbox_host *host = sandbox->host;

    (void)context;
    host->engine->destroy(host->state, sandbox->box);
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

static void free_sandbox(struct sandbox *sandbox)
{
    sandbox_drop_output(sandbox);
    frame_decoder_finish(&sandbox->decoder);
    sandbox->gone(sandbox, sandbox->owner);
    free(sandbox);
}

static void done_destroy(struct workq_job *job)
{
    struct sandbox *sandbox = of_job(job);

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
        /* The work queue is as long as there can be sandboxes, so this is a bug; removing it here
         * is slow, but leaves none. */
        log_error("executor", "removing a sandbox on the loop: %s", err.text);
        sandbox->host->engine->destroy(sandbox->host->state, sandbox->box);
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

/* From here on nothing is heard of it. -1 where that was so before. */
static int doom(struct sandbox *sandbox)
{
    if (sandbox->doomed)
        return -1;
    sandbox->doomed = true;
    if (sandbox->watched)
        uv_poll_stop(&sandbox->poll);
    uv_timer_stop(&sandbox->timer);
    return 0;
}

void sandbox_end(struct sandbox *sandbox)
{
    if (doom(sandbox) == 0 && !sandbox->on_workq)
        close_handles(sandbox);
}

static void on_retired(uv_timer_t *timer)
{
    close_handles(timer->data);
}

void sandbox_retire(struct sandbox *sandbox)
{
    if (doom(sandbox) == 0 && !sandbox->on_workq)
        uv_timer_start(&sandbox->timer, on_retired, SANDBOX_RETIRE_MS, 0);
}

/* ---- the start ---- */

void sandbox_say_ended(struct sandbox *sandbox, struct error *err)
{
    const char *words = sandbox->host->engine->stderr_tail(sandbox->box);

    if (words[0])
        error_set(err, ERROR_UNAVAILABLE, "the sandbox ended: %s", words);
    else
        error_set(err, ERROR_UNAVAILABLE, "the sandbox ended unexpectedly");
}

static void done_settle(struct workq_job *job)
{
    struct sandbox *sandbox = of_job(job);

    sandbox->on_workq = false;
    if (sandbox->doomed) {
        close_handles(sandbox);
        return;
    }
    if (sandbox->workq_failed) {
        sandbox_break_off(sandbox, &sandbox->workq_error);
        return;
    }
    sandbox->phase = SANDBOX_READY;
    sandbox_watch(sandbox);
    if (!sandbox->doomed)
        sandbox->events->ready(sandbox, sandbox->user);
}

void sandbox_settle(struct sandbox *sandbox)
{
    struct error err = {0};

    uv_timer_stop(&sandbox->timer);
    uv_poll_stop(&sandbox->poll);
    sandbox->phase = SANDBOX_SETTLING;
    if (submit(sandbox, work_settle, done_settle, &err) < 0)
        sandbox_break_off(sandbox, &err);
}

static void on_not_ready(uv_timer_t *timer)
{
    struct sandbox *sandbox = timer->data;
    const char *words = sandbox->host->engine->stderr_tail(sandbox->box);
    struct error err = {0};

    error_set(&err, ERROR_TIMEOUT, "the sandbox was not ready within %.3g s%s%s",
              sandbox->patience_ms / 1000.0, words[0] ? ": " : "", words);
    sandbox_break_off(sandbox, &err);
}

static void await(struct sandbox *sandbox, uv_timer_cb not_come, unsigned ms)
{
    sandbox->patience_ms = ms;
    uv_update_time(sandbox->host->loop);
    uv_timer_start(&sandbox->timer, not_come, ms, 0);
}

static void done_start(struct workq_job *job)
{
    struct sandbox *sandbox = of_job(job);
    struct sandbox_host *host = sandbox->host;
    struct error err = {0};
    int rc;

    sandbox->on_workq = false;
    if (sandbox->doomed) {
        close_handles(sandbox);
        return;
    }
    if (sandbox->workq_failed) {
        sandbox_break_off(sandbox, &sandbox->workq_error);
        return;
    }
    rc = uv_poll_init(host->loop, &sandbox->poll, host->engine->fd(sandbox->box));
    if (rc < 0) {
        error_errno(&err, -rc, "watch the sandbox");
        sandbox_break_off(sandbox, &err);
        return;
    }
    sandbox->poll.data = sandbox;
    sandbox->watched = true;
    sandbox->handles++;
    sandbox->phase = SANDBOX_WARMING;
    await(sandbox, on_not_ready, host->limits->warm_ms);
    sandbox_watch(sandbox);
    if (uv_is_active((uv_handle_t *)&sandbox->poll))
        sandbox_receive(sandbox); /* some may have come with the answer that opened the stream */
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

/* ---- between jobs ---- */

void sandbox_recycle(struct sandbox *sandbox, unsigned ms)
{
    if (sandbox->doomed)
        return;
    sandbox->phase = SANDBOX_RECYCLING;
    await(sandbox, on_not_ready, ms);
}

static void on_no_answer(uv_timer_t *timer)
{
    struct sandbox *sandbox = timer->data;
    struct error err = {0};

    /* Where the loop itself was held up, the answer may lie there already. */
    sandbox_receive(sandbox);
    if (!sandbox->pinged || sandbox->doomed)
        return;
    error_set(&err, ERROR_TIMEOUT, "the sandbox did not answer a ping within %.3g s",
              sandbox->patience_ms / 1000.0);
    sandbox_break_off(sandbox, &err);
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
    if (sandbox->doomed)
        return 0; /* sending broke it, and its user has heard */
    sandbox->pinged = true;
    await(sandbox, on_no_answer, ms);
    return 0;
}
