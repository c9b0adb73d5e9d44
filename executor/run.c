/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/run.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executor/run_internal.h"
#include "helpers/base/log.h"

/* ---- creating ---- */

void run_discard(struct executor_run *run)
{
    if (!run)
        return;
    for (int i = 0; i < 2; i++)
        output_finish(&run->output[i]);
    for (size_t i = 0; i < run->artifact_count; i++)
        free((char *)run->artifacts[i].base64);
    job_result_finish(&run->result);
    free(run->session_id);
    free(run->frame);
    free(run);
}

static unsigned effective_timeout(unsigned asked)
{
    if (asked == 0)
        return EXECUTION_TIMEOUT_MS_DEFAULT;
    return asked < EXECUTION_TIMEOUT_MS_MAX ? asked : EXECUTION_TIMEOUT_MS_MAX;
}

struct executor_run *run_create(const struct execution_job *job, struct error *err)
{
    struct executor_run *run;
    int kind = kind_index(job->kind);
    const char *profile = job->profile ? job->profile : "minimal";

    if (kind < 0) {
        error_set(err, ERROR_INVALID, "no sandbox is of kind '%s'",
                  job->kind ? job->kind : "(none)");
        return NULL;
    }
    if (strlen(profile) >= sizeof run->profile) {
        error_set(err, ERROR_INVALID, "no profile has so long a name");
        return NULL;
    }
    run = calloc(1, sizeof *run);
    if (!run) {
        error_set(err, ERROR_MEMORY, "out of memory for a run");
        return NULL;
    }
    run->job = *job;
    run->timeout_ms = effective_timeout(job->timeout_ms);
    run->wait.kind = kind;
    memcpy(run->profile, profile, strlen(profile) + 1);
    output_init(&run->output[0], EXECUTION_STDOUT_CAP);
    output_init(&run->output[1], EXECUTION_STDERR_CAP);
    if (job->session_id && !(run->session_id = strdup(job->session_id))) {
        error_set(err, ERROR_MEMORY, "out of memory for a run");
        goto fail;
    }
    run->frame = job_frame_pack(job, run->timeout_ms, &run->frame_len, err);
    if (!run->frame)
        goto fail;
    return run;
fail:
    run_discard(run);
    return NULL;
}

/* ---- deadlines ---- */

static void on_deadline(uv_timer_t *timer)
{
    struct executor_run *run = timer->data;
    char text[RUN_TEXT_CAP];

    switch (run->phase) {
    case RUN_PHASE_QUEUED:
        snprintf(text, sizeof text, "no sandbox was free within %.3g s; send it again in %u s",
                 run->host->limits->wait_ms / 1000.0, stats_retry_after(run->host->stats));
        run_end_with(run, EXECUTION_BUSY, text);
        return;
    case RUN_PHASE_SENT:
        snprintf(text, sizeof text, "the sandbox did not start the code within %u s",
                 (run->host->limits->import_ms + run->host->limits->grace_ms) / 1000);
        log_warning("executor", "a run failed: %s", text);
        run_end_with(run, EXECUTION_ENGINE, text);
        return;
    case RUN_PHASE_RUNNING:
        run_end_with(run, EXECUTION_TIMEOUT, run_overran(run, text));
        return;
    case RUN_PHASE_CREATED:
    case RUN_PHASE_ENDED:
        return;
    }
}

void run_set_deadline(struct executor_run *run, uint64_t ms)
{
    uv_update_time(run->host->loop);
    uv_timer_start(&run->timer, on_deadline, ms, 0);
}

/* ---- the sandbox ---- */

static void ask(struct executor_run *run)
{
    run->phase = RUN_PHASE_QUEUED;
    run_set_deadline(run, run->host->limits->wait_ms);
    pool_ask(run->host->pool, &run->wait);
}

void run_broken(struct sandbox *sandbox, const struct error *why, void *user)
{
    struct executor_run *run = user;
    struct slot *slot = run->slot;

    (void)sandbox;
    if (run->phase == RUN_PHASE_SENT && run->attempts < RUN_ATTEMPTS_MAX &&
        why->kind != ERROR_MALFORMED) {
        /* None of the code has run: a sandbox that died while it waited is not the caller's
         * concern. */
        log_info("executor", "a run moves to another sandbox: %s", why->text);
        broker_end(&run->broker);
        run->slot = NULL;
        run->sandbox = NULL;
        run->wait.again = true;
        pool_return(run->host->pool, slot, POOL_UNUSED);
        ask(run);
    } else {
        log_warning("executor", "a run failed: %s", why->text);
        run_end_with(run, EXECUTION_ENGINE, why->text);
    }
}

static const struct sandbox_events run_events = {.frame = run_take_frame, .broken = run_broken};

static void send_job(struct executor_run *run)
{
    struct error err = {0};
    char *frame = malloc(run->frame_len);

    if (frame)
        memcpy(frame, run->frame, run->frame_len);
    run->phase = RUN_PHASE_SENT;
    run_set_deadline(run, (uint64_t)run->host->limits->import_ms + run->host->limits->grace_ms);
    if (sandbox_send(run->sandbox, frame, run->frame_len, &err) < 0)
        run_broken(run->sandbox, &err, run);
}

static void on_given(struct pool_wait *wait, struct slot *slot)
{
    struct executor_run *run =
        (struct executor_run *)((char *)wait - offsetof(struct executor_run, wait));

    if (run->attempts++ == 0) {
        run->host->on_taken(run->user);
        stats_begun(run->host->stats);
    }
    run->slot = slot;
    run->sandbox = slot_sandbox(slot);
    sandbox_hand_over(run->sandbox, &run_events, run);
    send_job(run);
}

static void on_placed(struct pool_wait *wait, unsigned place)
{
    struct executor_run *run =
        (struct executor_run *)((char *)wait - offsetof(struct executor_run, wait));

    if (run->job.on_queued)
        run->job.on_queued(run->job.user, place);
}

static void on_failed(struct pool_wait *wait, const struct error *why)
{
    struct executor_run *run =
        (struct executor_run *)((char *)wait - offsetof(struct executor_run, wait));

    run_end_with(run, EXECUTION_ENGINE, why->text); /* the pool has logged it */
}

static int send_answer(struct broker *broker, char *frame, size_t len)
{
    struct executor_run *run =
        (struct executor_run *)((char *)broker - offsetof(struct executor_run, broker));
    struct error err = {0};

    if (sandbox_send(run->sandbox, frame, len, &err) == 0)
        return 0;
    run_broken(run->sandbox, &err, run);
    return -1;
}

void run_begin(struct executor_run *run, const struct run_host *host, void *user)
{
    run->host = host;
    run->user = user;
    run->begun_at = uv_hrtime();
    run->wait.given = on_given;
    run->wait.placed = on_placed;
    run->wait.failed = on_failed;
    run->broker.loop = host->loop;
    run->wait.session = run->session_id;
    run->broker.loop_handle = host->loop_handle;
    run->broker.session_id = run->session_id;
    run->broker.limits = host->limits;
    run->broker.on_request = run->job.on_request;
    run->broker.user = run->job.user;
    run->broker.send = send_answer;
    uv_timer_init(host->loop, &run->timer);
    run->timer.data = run;
    ask(run);
}

/* The answer goes out now, and the sandbox is removed: neither waits for the code to heed it. */
void run_cancel_now(struct executor_run *run)
{
    if (run->phase == RUN_PHASE_QUEUED)
        run_end_with(run, EXECUTION_CANCELLED, "the run was cancelled before it had a sandbox");
    else if (run->phase != RUN_PHASE_ENDED)
        run_end_with(run, EXECUTION_CANCELLED, "the run was cancelled");
}

const char *run_session(const struct executor_run *run)
{
    return run->session_id;
}

void run_abort(struct executor_run *run, const char *why)
{
    if (run->phase != RUN_PHASE_ENDED)
        run_end_with(run, EXECUTION_CANCELLED, why);
}
