/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A run, in the order: creation, end, deadlines, frames from its sandbox, getting a sandbox. The
 * sandbox is not trusted: a violation of the protocol ends it.
 */
#include "executor/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executor/job_frame.h"
#include "executor/output.h"
#include "helpers/base/cleanup.h"
#include "helpers/base/log.h"

#define RUN_TEXT_CAP 256u /* a sentence about how it ended */

enum run_phase {
    RUN_PHASE_CREATED,
    RUN_PHASE_QUEUED,
    RUN_PHASE_SENT,
    RUN_PHASE_RUNNING,
    RUN_PHASE_ENDED
};

struct executor_run {
    struct execution_job job; /* callbacks and numbers; its texts are no longer valid */
    char *session_id;
    char profile[EXECUTION_PROFILE_CAP];
    char *frame; /* the job, kept for a second attempt */
    size_t frame_len;
    unsigned timeout_ms;

    const struct run_host *host;
    void *user;
    enum run_phase phase;
    unsigned attempts;
    struct pool_wait wait;
    struct slot *slot;       /* NULL while it has none */
    struct sandbox *sandbox; /* that of the slot */
    uv_timer_t timer;
    unsigned timers; /* number of timers not closed: this one and the broker's */
    struct broker broker;
    struct output output[2];
    uint64_t output_bytes;
    struct job_result result;
    struct execution_artifact artifacts[EXECUTION_ARTIFACTS_CAP]; /* base64 is owned */
    size_t artifact_count;
    bool result_came, has_result; /* received, and valid */
    bool started;
    bool ended_by_itself;          /* its sandbox reported how it ended, normally */
    uint64_t begun_at, started_at; /* uv_hrtime */
};

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

/* ---- the end: the result goes out, the sandbox back ---- */

static void on_timer_closed(uv_handle_t *handle)
{
    struct executor_run *run = handle->data;

    if (--run->timers == 0)
        run_discard(run);
}

/* 124 and the others are known from shells and timeout(1). */
static int exit_code_for(enum execution_status status, int own)
{
    switch (status) {
    case EXECUTION_OK:
        return 0;
    case EXECUTION_TIMEOUT:
        return 124;
    case EXECUTION_MEMORY:
        return 137;
    case EXECUTION_CANCELLED:
        return 130;
    case EXECUTION_BUSY:
    case EXECUTION_ENGINE:
        return 127;
    case EXECUTION_RUNTIME:
    case EXECUTION_OUTPUT:
    case EXECUTION_CRASH:
    case EXECUTION_DISAGREEMENT:
        break;
    }
    return own ? own : 1;
}

static void fill(struct executor_run *run, struct execution_result *result)
{
    const struct output *out = &run->output[0], *err = &run->output[1];
    uint64_t now = uv_hrtime();

    result->kind = execution_kinds[run->wait.kind].name;
    result->memory_mb = run->host->kinds[run->wait.kind].memory_mb;
    result->stdout_text = out->text.data ? out->text.data : "";
    result->stdout_len = out->text.len;
    result->stdout_head = out->head;
    result->stdout_cut = out->cut;
    result->stderr_text = err->text.data ? err->text.data : "";
    result->stderr_len = err->text.len;
    result->stderr_head = err->head;
    result->stderr_cut = err->cut;
    result->artifacts = run->artifacts;
    result->artifact_count = run->artifact_count;
    result->exit_code = exit_code_for(result->status, result->exit_code);
    if (!run->started)
        result->seconds = 0;
    else if (result->seconds <= 0)
        result->seconds = (double)(now - run->started_at) / 1e9;
    result->waited = (double)((run->started ? run->started_at : now) - run->begun_at) / 1e9;
}

/* A sandbox is reused only if it reported the end itself, and the end leaves nothing behind. */
static enum pool_outcome outcome_of(const struct executor_run *run, enum execution_status status)
{
    if (!run->started)
        return POOL_UNUSED;
    return run->ended_by_itself && (status == EXECUTION_OK || status == EXECUTION_RUNTIME)
               ? POOL_GOOD
               : POOL_USED;
}

static void end(struct executor_run *run, struct execution_result *result)
{
    const struct run_host *host = run->host;
    struct slot *slot = run->slot;
    bool queued = run->phase == RUN_PHASE_QUEUED && run->attempts == 0;
    void *user = run->user;

    run->phase = RUN_PHASE_ENDED;
    uv_timer_stop(&run->timer);
    pool_forget(host->pool, &run->wait);
    broker_end(&run->broker);
    for (int i = 0; i < 2 && !run->ended_by_itself; i++)
        output_break_off(&run->output[i]);
    fill(run, result);
    if (queued)
        host->on_taken(user);
    host->on_result(user, result, run->started);
    /* The answer comes first: the caller need not wait for the removal of the sandbox, the start of
     * the next one, or the log. */
    run->job.on_done(run->job.user, result);
    if (slot)
        pool_return(host->pool, slot, outcome_of(run, result->status));
    host->on_end(user);
    uv_close((uv_handle_t *)&run->timer, on_timer_closed);
    uv_close((uv_handle_t *)&run->broker.timer, on_timer_closed);
}

static void end_with(struct executor_run *run, enum execution_status status, const char *error)
{
    struct execution_result result = {.status = status, .error = error, .seconds = -1};

    end(run, &result);
}

static const char *overran(const struct executor_run *run, char text[RUN_TEXT_CAP])
{
    snprintf(text, RUN_TEXT_CAP, "the code ran for %.3g s, the longest it may, and was ended",
             run->timeout_ms / 1000.0);
    return text;
}

/* The policy in the sandbox refused what the validator accepted: one of the two has a bug. The text
 * is the executor's; only Python's text of a syntax error is passed on. */
static void end_disagreeing(struct executor_run *run, struct execution_result *result)
{
    const struct job_result *said = &run->result;
    struct buf BUF_AUTO text = {0};

    log_error(
        "executor",
        "the policy check inside the sandbox refuses what the validator accepted: code %s, line "
        "%ld, profile %s",
        said->refused, said->refused_line, run->profile);
    buf_init(&text, 0);
    if (said->refused_line > 0)
        buf_addf(&text, "line %ld: ", said->refused_line);
    buf_addf(&text,
             "The check inside the sandbox refuses this (%s), though the server's validator had "
             "accepted it. Nothing ran. That the two disagree is a fault of Lectern's, not of the "
             "code, and is logged.",
             said->refused);
    if (strcmp(said->refused, "syntax") == 0 && said->error && result->status == EXECUTION_RUNTIME)
        buf_addf(&text, "\n%s", said->error);
    result->status = EXECUTION_DISAGREEMENT;
    result->value = NULL;
    result->error_type = NULL;
    result->error_line = said->refused_line;
    result->error = text.data ? text.data : "The code was refused inside the sandbox.";
    end(run, result);
}

/* ---- deadlines ---- */

static void on_deadline(uv_timer_t *timer)
{
    struct executor_run *run = timer->data;
    char text[RUN_TEXT_CAP];

    switch (run->phase) {
    case RUN_PHASE_QUEUED:
        snprintf(text, sizeof text, "no sandbox was free within %.3g s; send it again in %u s",
                 run->host->limits->wait_ms / 1000.0, run->host->retry_after(run->user));
        end_with(run, EXECUTION_BUSY, text);
        return;
    case RUN_PHASE_SENT:
        snprintf(text, sizeof text, "the sandbox did not start the code within %u s",
                 (run->host->limits->import_ms + run->host->limits->grace_ms) / 1000);
        log_warning("executor", "a run failed: %s", text);
        end_with(run, EXECUTION_ENGINE, text);
        return;
    case RUN_PHASE_RUNNING:
        end_with(run, EXECUTION_TIMEOUT, overran(run, text));
        return;
    case RUN_PHASE_CREATED:
    case RUN_PHASE_ENDED:
        return;
    }
}

static void set_deadline(struct executor_run *run, uint64_t ms)
{
    uv_update_time(run->host->loop);
    uv_timer_start(&run->timer, on_deadline, ms, 0);
}

static void ask_pool(struct executor_run *run)
{
    run->phase = RUN_PHASE_QUEUED;
    set_deadline(run, run->host->limits->wait_ms);
    pool_ask(run->host->pool, &run->wait);
}

static void on_broken(void *user, const struct error *why)
{
    struct executor_run *run = user;
    struct slot *slot = run->slot;

    if (run->phase == RUN_PHASE_SENT && run->attempts < RUN_ATTEMPTS_MAX &&
        why->kind != ERROR_MALFORMED) {
        /* None of the code has run: the caller need not know that a sandbox failed while it waited.
         */
        log_info("executor", "a run moves to another sandbox: %s", why->text);
        broker_end(&run->broker);
        run->slot = NULL;
        run->sandbox = NULL;
        run->wait.again = true;
        pool_return(run->host->pool, slot, POOL_UNUSED);
        ask_pool(run);
    } else {
        log_warning("executor", "a run failed: %s", why->text);
        end_with(run, EXECUTION_ENGINE, why->text);
    }
}

/* ---- what the sandbox sends ---- */

static int take_output(struct executor_run *run, int fd, const struct frame *frame,
                       struct error *err)
{
    struct output *output = &run->output[fd - 1];
    size_t before = output->text.len;

    if (output->has_tail)
        return error_set(err, ERROR_MALFORMED, "the sandbox sent output behind its end");
    run->output_bytes += frame->len;
    if (run->output_bytes > EXECUTION_OUTPUT_LIMIT + RUN_OUTPUT_SLACK) {
        end_with(run, EXECUTION_OUTPUT, "the code wrote more than 16 MB and was ended");
        return 0;
    }
    output_take(output, frame->payload, frame->len);
    if (run->job.on_output && output->text.len > before)
        run->job.on_output(run->job.user, fd, output->text.data + before,
                           output->text.len - before);
    return 0;
}

static int take_request(struct executor_run *run, const struct frame *frame, struct error *err)
{
    struct error why = {0};

    if (broker_take(&run->broker, frame, &why) == 0)
        return 0;
    if (why.kind == ERROR_TOO_LARGE) { /* the code's doing, not a fault of the sandbox */
        end_with(run, EXECUTION_RUNTIME, why.text);
        return 0;
    }
    *err = why;
    return -1;
}

static int take_artifact(struct executor_run *run, const struct frame *frame, struct error *err)
{
    struct execution_artifact *artifact = &run->artifacts[run->artifact_count];
    char *base64;

    if (run->artifact_count >= EXECUTION_ARTIFACTS_CAP)
        return error_set(err, ERROR_MALFORMED, "the sandbox sent more than %u figures",
                         EXECUTION_ARTIFACTS_CAP);
    if (!artifact_is_png(frame->payload, frame->len))
        return error_set(err, ERROR_MALFORMED, "the sandbox sent a figure that is not a PNG image");
    base64 = strndup(frame->payload, frame->len);
    if (!base64)
        return error_set(err, ERROR_MEMORY, "out of memory for a figure");
    *artifact =
        (struct execution_artifact){.mime = ARTIFACT_MIME, .base64 = base64, .len = frame->len};
    run->artifact_count++;
    return 0;
}

static int take_result(struct executor_run *run, const struct frame *frame, struct error *err)
{
    struct error why = {0};

    if (run->result_came)
        return error_set(err, ERROR_MALFORMED, "the sandbox sent a second result");
    run->result_came = true;
    /* The text is the interpreter's: if it is malformed, that is the code's doing, not a fault of
     * the sandbox. */
    run->has_result = job_result_read(frame, &run->result, &why) == 0;
    if (!run->has_result)
        log_warning("executor", "%s", why.text);
    return 0;
}

/* Whether the interpreter's report is about this end, and has more detail than the runner's. */
static bool has_own_account(const struct executor_run *run, enum execution_status status)
{
    const char *type = run->result.error_type;

    if (!run->result.error)
        return false;
    if (status == EXECUTION_TIMEOUT)
        return type && strcmp(type, "TimeoutError") == 0;
    return status == EXECUTION_RUNTIME || status == EXECUTION_MEMORY;
}

/* The text for the runner's verdict, if the interpreter has no better one. */
static const char *verdict_text(const struct executor_run *run, const struct job_exit *ended,
                                char text[RUN_TEXT_CAP])
{
    switch (ended->status) {
    case EXECUTION_OK:
        return NULL;
    case EXECUTION_RUNTIME:
        if (run->started)
            snprintf(text, RUN_TEXT_CAP, "the code ended with exit status %d", ended->exit_code);
        else
            snprintf(text, RUN_TEXT_CAP, "a module that the code imports could not be imported");
        break;
    case EXECUTION_TIMEOUT:
        return overran(run, text);
    case EXECUTION_MEMORY:
        snprintf(text, RUN_TEXT_CAP,
                 "the code needed more than the %u MB of memory that it may use together with the "
                 "interpreter and the libraries, and was ended",
                 run->host->kinds[run->wait.kind].memory_mb);
        break;
    case EXECUTION_OUTPUT:
        snprintf(text, RUN_TEXT_CAP, "the code wrote more than %u MB and was ended",
                 EXECUTION_OUTPUT_LIMIT >> 20);
        break;
    case EXECUTION_CANCELLED:
        snprintf(text, RUN_TEXT_CAP, "the run was cancelled");
        break;
    case EXECUTION_CRASH:
        if (run->result_came)
            snprintf(text, RUN_TEXT_CAP, "the interpreter's result could not be read");
        else if (ended->signal)
            snprintf(text, RUN_TEXT_CAP, "the interpreter was killed by signal %d (%s)",
                     ended->signal, sigdescr_np(ended->signal) ? sigdescr_np(ended->signal) : "?");
        else
            snprintf(text, RUN_TEXT_CAP, "the interpreter ended without a result (exit status %d)",
                     ended->exit_code);
        break;
    case EXECUTION_BUSY:
    case EXECUTION_ENGINE:
    case EXECUTION_DISAGREEMENT:
        break;
    }
    return text;
}

static int take_exit(struct executor_run *run, const struct frame *frame, struct error *err)
{
    struct job_exit ended = {0};
    struct execution_result result = {0};
    char text[RUN_TEXT_CAP] = "";

    if (job_exit_read(frame, &ended, err) < 0)
        return -1;
    /* The runner does not read the result. A malformed one means that the interpreter crashed. */
    if (ended.status == EXECUTION_OK && run->result_came && !run->has_result)
        ended.status = EXECUTION_CRASH;
    if (run->has_result)
        ended.exit_code = run->result.exit_code;
    if (ended.status == EXECUTION_OK && (run->result.error || ended.exit_code))
        ended.status = EXECUTION_RUNTIME;
    if (ended.status == EXECUTION_RUNTIME && run->result.error_type &&
        strcmp(run->result.error_type, "MemoryError") == 0)
        ended.status = EXECUTION_MEMORY;
    result.status = ended.status;
    result.exit_code = ended.exit_code;
    result.seconds = ended.seconds;
    run->ended_by_itself = true;
    output_end(&run->output[0], ended.stdout_cut);
    output_end(&run->output[1], ended.stderr_cut);
    result.value = run->result.value;
    result.value_bound = run->result.value_bound;
    result.error_type = run->result.error_type;
    /* Once code has run, a result is its own word. */
    if (run->result.refused[0] && !ended.ran &&
        (ended.status == EXECUTION_RUNTIME || ended.status == EXECUTION_MEMORY)) {
        end_disagreeing(run, &result);
        return 0;
    }
    result.error = verdict_text(run, &ended, text);
    if (has_own_account(run, ended.status)) {
        result.error = run->result.error;
        result.error_line = run->result.error_line;
    }
    end(run, &result);
    return 0;
}

static int take_started(struct executor_run *run, struct error *err)
{
    if (run->started)
        return error_set(err, ERROR_MALFORMED, "the sandbox started the code twice");
    run->started = true;
    run->started_at = uv_hrtime();
    if (run->phase == RUN_PHASE_SENT) {
        run->phase = RUN_PHASE_RUNNING;
        set_deadline(run, (uint64_t)run->timeout_ms + run->host->limits->grace_ms);
    }
    if (run->job.on_started)
        run->job.on_started(run->job.user);
    return 0;
}

static int take_frame(struct executor_run *run, const struct frame *frame, struct error *err)
{
    switch (frame->type) {
    case FRAME_STARTED:
        return take_started(run, err);
    case FRAME_STDOUT:
        return take_output(run, 1, frame, err);
    case FRAME_STDERR:
        return take_output(run, 2, frame, err);
    case FRAME_REQUEST:
    case FRAME_CASE:
        return take_request(run, frame, err);
    case FRAME_RESULT:
        return take_result(run, frame, err);
    case FRAME_EXIT:
        return take_exit(run, frame, err);
    case FRAME_STDOUT_TAIL:
        return output_take_tail(&run->output[0], frame->payload, frame->len, err);
    case FRAME_STDERR_TAIL:
        return output_take_tail(&run->output[1], frame->payload, frame->len, err);
    case FRAME_ARTIFACT:
        return take_artifact(run, frame, err);
    case FRAME_PONG:
    case FRAME_READY:
    case FRAME_JOB:
    case FRAME_ANSWER:
    case FRAME_PING:
    case FRAME_CHECKED:
        break;
    }
    return error_set(err, ERROR_MALFORMED, "the sandbox sent a frame '%c' out of its turn",
                     frame->type);
}

static void on_frame(void *user, const struct frame *frame)
{
    struct executor_run *run = user;
    struct error err = {0};

    if (take_frame(run, frame, &err) < 0 && run->phase != RUN_PHASE_ENDED)
        on_broken(run, &err);
}

/* ---- getting a sandbox ---- */

static const struct sandbox_events run_events = {.frame = on_frame, .broken = on_broken};

static void send_job(struct executor_run *run)
{
    struct error err = {0};
    char *frame = malloc(run->frame_len);

    if (frame)
        memcpy(frame, run->frame, run->frame_len);
    run->phase = RUN_PHASE_SENT;
    set_deadline(run, (uint64_t)run->host->limits->import_ms + run->host->limits->grace_ms);
    if (sandbox_send(run->sandbox, frame, run->frame_len, &err) < 0)
        on_broken(run, &err);
}

static void on_given(struct pool_wait *wait, struct slot *slot)
{
    struct executor_run *run = container_of(wait, struct executor_run, wait);

    if (run->attempts++ == 0)
        run->host->on_taken(run->user);
    run->slot = slot;
    run->sandbox = slot->sandbox;
    sandbox_hand_over(run->sandbox, &run_events, run);
    send_job(run);
}

static void on_placed(struct pool_wait *wait, unsigned place)
{
    struct executor_run *run = container_of(wait, struct executor_run, wait);

    if (run->job.on_queued)
        run->job.on_queued(run->job.user, place);
}

static void on_failed(struct pool_wait *wait, const struct error *why)
{
    end_with(container_of(wait, struct executor_run, wait), EXECUTION_ENGINE,
             why->text); /* the pool has logged it */
}

static int send_answer(struct broker *broker, char *frame, size_t len)
{
    struct executor_run *run = container_of(broker, struct executor_run, broker);
    struct error err = {0};

    if (sandbox_send(run->sandbox, frame, len, &err) == 0)
        return 0;
    on_broken(run, &err);
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
    run->wait.session = run->session_id;
    run->broker.loop_handle = host->loop_handle;
    run->broker.session_id = run->session_id;
    run->broker.limits = host->limits;
    run->broker.on_request = run->job.on_request;
    run->broker.on_case = run->job.on_case;
    run->broker.user = run->job.user;
    run->broker.send = send_answer;
    uv_timer_init(host->loop, &run->timer);
    uv_timer_init(host->loop, &run->broker.timer);
    run->timer.data = run->broker.timer.data = run;
    run->timers = 2;
    ask_pool(run);
}

/* The answer is sent now and the sandbox removed, without waiting for the code to react. */
void run_cancel_now(struct executor_run *run)
{
    if (run->phase == RUN_PHASE_QUEUED)
        end_with(run, EXECUTION_CANCELLED, "the run was cancelled before it had a sandbox");
    else if (run->phase != RUN_PHASE_ENDED)
        end_with(run, EXECUTION_CANCELLED, "the run was cancelled");
}

const char *run_session(const struct executor_run *run)
{
    return run->session_id;
}

void run_abort(struct executor_run *run, const char *why)
{
    if (run->phase != RUN_PHASE_ENDED)
        end_with(run, EXECUTION_CANCELLED, why);
}
