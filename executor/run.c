/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/run.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executor/job_frame.h"
#include "executor/utf8.h"
#include "helpers/base/log.h"

enum phase { CREATED, QUEUED, SENT, RUNNING, CANCELLING, ENDED };

struct output {
    struct utf8_repair repair;
    struct buf text;
    size_t cap;
    uint64_t cut; /* counted after the repair; the same for text that needed none */
};

struct run {
    struct execution_job job; /* callbacks and numbers; its texts are not valid any more */
    char *session_id;
    char profile[EXECUTION_PROFILE_CAP];
    char *frame; /* the job, kept for a second attempt */
    size_t frame_len;
    unsigned timeout_ms;

    const struct run_host *host;
    void *user;
    enum phase phase;
    unsigned attempts;
    struct pool_wait wait;
    struct sandbox *sandbox; /* NULL while it has none */
    uv_timer_t timer;
    struct broker broker;
    struct output output[2];
    uint64_t output_bytes;
    struct job_result result;
    bool has_result, started;
    uint64_t begun_at, started_at; /* uv_hrtime */
};

/* ---- creating ---- */

void run_discard(struct run *run)
{
    if (!run)
        return;
    for (int i = 0; i < 2; i++)
        buf_finish(&run->output[i].text);
    job_result_finish(&run->result);
    free(run->session_id);
    free(run->frame);
    free(run);
}

static void init_output(struct output *output, size_t cap)
{
    output->cap = cap;
    buf_init(&output->text, cap + 3 * (size_t)(FRAME_OUTPUT_CAP + sizeof output->repair.pending));
}

static unsigned effective_timeout(unsigned asked)
{
    if (asked == 0)
        return EXECUTION_TIMEOUT_MS_DEFAULT;
    return asked < EXECUTION_TIMEOUT_MS_MAX ? asked : EXECUTION_TIMEOUT_MS_MAX;
}

struct run *run_create(const struct execution_job *job, struct error *err)
{
    struct run *run;
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
    init_output(&run->output[0], EXECUTION_STDOUT_CAP);
    init_output(&run->output[1], EXECUTION_STDERR_CAP);
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

/* ---- ending ---- */

static void on_timer_closed(uv_handle_t *handle)
{
    run_discard(handle->data);
}

static void end_output(struct output *output)
{
    if (output->cut == 0)
        utf8_repair_end(&output->repair, &output->text);
    if (output->text.len > output->cap) {
        output->cut += output->text.len - output->cap;
        output->text.len = output->cap;
    }
    buf_add(&output->text, "", 0); /* at least a NUL */
}

/* 124 and its like are what shells and the users of timeout(1) know. */
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

static void end(struct run *run, struct execution_result *result)
{
    uint64_t now = uv_hrtime();
    const struct run_host *host = run->host;
    struct sandbox *sandbox = run->sandbox;
    bool queued = run->phase == QUEUED && run->attempts == 0;
    void *user = run->user;

    run->phase = ENDED;
    uv_timer_stop(&run->timer);
    pool_forget(host->pool, &run->wait);
    broker_end(&run->broker);
    for (int i = 0; i < 2; i++)
        end_output(&run->output[i]);
    result->stdout_text = run->output[0].text.data ? run->output[0].text.data : "";
    result->stdout_len = run->output[0].text.len;
    result->stdout_cut += run->output[0].cut;
    result->stderr_text = run->output[1].text.data ? run->output[1].text.data : "";
    result->stderr_len = run->output[1].text.len;
    result->stderr_cut += run->output[1].cut;
    result->exit_code = exit_code_for(result->status, result->exit_code);
    if (!run->started)
        result->seconds = 0;
    else if (result->seconds <= 0)
        result->seconds = (double)(now - run->started_at) / 1e9;
    result->waited = (double)((run->started ? run->started_at : now) - run->begun_at) / 1e9;
    result->kind = execution_kinds[run->wait.kind].name;
    if (queued)
        host->on_taken(user);
    stats_ended(host->stats, result, queued, run->started);
    /* The answer first: removing the sandbox and starting the next are nothing that the caller
     * waits for. */
    run->job.on_done(run->job.user, result);
    if (sandbox)
        pool_return(host->pool, sandbox, run->started);
    host->on_end(user);
    uv_close((uv_handle_t *)&run->timer, on_timer_closed);
}

static void end_with(struct run *run, enum execution_status status, const char *error)
{
    struct execution_result result = {.status = status, .error = error, .seconds = -1};

    end(run, &result);
}

/* ---- deadlines ---- */

static void on_deadline(uv_timer_t *timer)
{
    struct run *run = timer->data;
    char text[160];

    switch (run->phase) {
    case QUEUED:
        snprintf(text, sizeof text, "no sandbox was free within %u s; send it again in a moment",
                 run->host->limits->wait_ms / 1000);
        end_with(run, EXECUTION_BUSY, text);
        return;
    case SENT:
        snprintf(text, sizeof text, "the sandbox did not start the code within %u s",
                 (run->host->limits->import_ms + run->host->limits->grace_ms) / 1000);
        log_warning("executor", "a run failed: %s", text);
        end_with(run, EXECUTION_ENGINE, text);
        return;
    case RUNNING:
        snprintf(text, sizeof text, "the code ran for %.3g s, the longest it may, and was ended",
                 run->timeout_ms / 1000.0);
        end_with(run, EXECUTION_TIMEOUT, text);
        return;
    case CANCELLING:
        end_with(run, EXECUTION_CANCELLED, "the run was cancelled");
        return;
    case CREATED:
    case ENDED:
        return;
    }
}

static void set_deadline(struct run *run, uint64_t ms)
{
    uv_update_time(run->host->loop);
    uv_timer_start(&run->timer, on_deadline, ms, 0);
}

/* ---- what the sandbox sends ---- */

static void on_broken(struct sandbox *sandbox, const struct error *why, void *user);

static void breach(struct run *run, const struct error *why)
{
    on_broken(run->sandbox, why, run);
}

/* Back to a boundary between characters. */
static size_t whole_characters(const struct buf *text, size_t len)
{
    while (len > 0 && ((unsigned char)text->data[len] & 0xc0) == 0x80)
        len--;
    return len;
}

static void take_output(struct run *run, int fd, const struct frame *frame)
{
    struct output *output = &run->output[fd - 1];
    size_t before = output->text.len;

    run->output_bytes += frame->len;
    if (run->output_bytes > EXECUTION_OUTPUT_LIMIT + RUN_OUTPUT_SLACK) {
        end_with(run, EXECUTION_OUTPUT, "the code wrote more than 16 MB and was ended");
        return;
    }
    if (output->cut > 0) {
        output->cut += frame->len;
        return;
    }
    utf8_repair_feed(&output->repair, frame->payload, frame->len, &output->text);
    if (output->text.len > output->cap) {
        size_t kept = whole_characters(&output->text, output->cap);

        output->cut = output->text.len - kept + output->repair.pending_len;
        output->text.len = kept;
        output->text.data[kept] = '\0';
    }
    if (run->job.on_output && output->text.len > before)
        run->job.on_output(run->job.user, fd, output->text.data + before,
                           output->text.len - before);
}

static void take_result(struct run *run, const struct frame *frame)
{
    struct error err = {0};

    if (run->has_result) {
        error_set(&err, ERROR_MALFORMED, "the sandbox sent a second result");
        breach(run, &err);
        return;
    }
    run->has_result = true;
    /* The interpreter's own words: nonsense in them is the code's doing, not the sandbox's. */
    if (job_result_read(frame, &run->result, &err) < 0)
        log_warning("executor", "%s", err.text);
}

/* Whether the interpreter's own account is of this end, and says more than the verdict. */
static bool has_own_account(const struct run *run, enum execution_status status)
{
    const char *type = run->result.error_type;

    if (!run->result.error)
        return false;
    if (status == EXECUTION_TIMEOUT)
        return type && strcmp(type, "TimeoutError") == 0;
    return status == EXECUTION_RUNTIME || status == EXECUTION_MEMORY;
}

/* What the runner's verdict means to the caller, where the interpreter has not said it better. */
static const char *verdict_text(const struct run *run, const struct job_exit *ended, char *text,
                                size_t size)
{
    switch (ended->status) {
    case EXECUTION_OK:
        return NULL;
    case EXECUTION_RUNTIME:
        if (run->started)
            snprintf(text, size, "the code ended with exit status %d", ended->exit_code);
        else
            snprintf(text, size, "a module that the code imports could not be imported");
        break;
    case EXECUTION_TIMEOUT:
        snprintf(text, size, "the code ran for %.3g s, the longest it may, and was ended",
                 run->timeout_ms / 1000.0);
        break;
    case EXECUTION_MEMORY:
        snprintf(text, size,
                 "the code needed more than the %u MB of memory it may use, and was ended",
                 execution_kinds[run->wait.kind].memory_mb);
        break;
    case EXECUTION_OUTPUT:
        snprintf(text, size, "the code wrote more than %u MB and was ended",
                 EXECUTION_OUTPUT_LIMIT >> 20);
        break;
    case EXECUTION_CANCELLED:
        snprintf(text, size, "the run was cancelled");
        break;
    case EXECUTION_CRASH:
        if (ended->signal)
            snprintf(text, size, "the interpreter was killed by signal %d (%s)", ended->signal,
                     sigdescr_np(ended->signal) ? sigdescr_np(ended->signal) : "?");
        else
            snprintf(text, size, "the interpreter ended without a result (exit status %d)",
                     ended->exit_code);
        break;
    case EXECUTION_BUSY:
    case EXECUTION_ENGINE:
    case EXECUTION_DISAGREEMENT:
        break;
    }
    return text;
}

/* The judgement inside refuses what was accepted outside: one of the two is wrong, and both are
 * ours. The words are the executor's own; of the interpreter's only what Python says of the syntax
 * goes on. */
static void end_disagreeing(struct run *run, struct execution_result *result)
{
    const struct job_result *said = &run->result;
    struct buf BUF_AUTO text = {0};

    log_error("executor",
              "the judgement inside the sandbox refuses what the validator accepted: code %s, line "
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
    result->error = text.data ? text.data : "The code was refused inside the sandbox.";
    end(run, result);
}

static void take_exit(struct run *run, const struct frame *frame)
{
    struct job_exit ended = {0};
    struct execution_result result = {0};
    struct error err = {0};
    char text[256] = "";

    if (job_exit_read(frame, &ended, &err) < 0) {
        breach(run, &err);
        return;
    }
    if (ended.status == EXECUTION_OK && run->result.error)
        ended.status = EXECUTION_RUNTIME;
    if (ended.status == EXECUTION_RUNTIME && run->result.error_type &&
        strcmp(run->result.error_type, "MemoryError") == 0)
        ended.status = EXECUTION_MEMORY;
    if (run->phase == CANCELLING)
        ended.status = EXECUTION_CANCELLED;
    result.status = ended.status;
    result.exit_code = ended.exit_code;
    result.seconds = ended.seconds;
    result.stdout_cut = ended.stdout_cut;
    result.stderr_cut = ended.stderr_cut;
    result.value = run->result.value;
    result.error_type = run->result.error_type;
    if (run->result.refused[0] &&
        (ended.status == EXECUTION_RUNTIME || ended.status == EXECUTION_MEMORY)) {
        end_disagreeing(run, &result);
        return;
    }
    result.error = verdict_text(run, &ended, text, sizeof text);
    if (has_own_account(run, ended.status))
        result.error = run->result.error;
    end(run, &result);
}

static void take_started(struct run *run)
{
    struct error err = {0};

    if (run->started) {
        error_set(&err, ERROR_MALFORMED, "the sandbox started the code twice");
        breach(run, &err);
        return;
    }
    run->started = true;
    run->started_at = uv_hrtime();
    if (run->phase == SENT) {
        run->phase = RUNNING;
        set_deadline(run, (uint64_t)run->timeout_ms + run->host->limits->grace_ms);
    }
    if (run->job.on_started)
        run->job.on_started(run->job.user);
}

static void on_frame(struct sandbox *sandbox, const struct frame *frame, void *user)
{
    struct run *run = user;
    struct error err = {0};

    (void)sandbox;
    switch (frame->type) {
    case FRAME_STARTED:
        take_started(run);
        return;
    case FRAME_STDOUT:
        take_output(run, 1, frame);
        return;
    case FRAME_STDERR:
        take_output(run, 2, frame);
        return;
    case FRAME_REQUEST:
        if (broker_take(&run->broker, frame, &err) < 0 && run->phase != ENDED)
            breach(run, &err);
        return;
    case FRAME_RESULT:
        take_result(run, frame);
        return;
    case FRAME_EXIT:
        take_exit(run, frame);
        return;
    case FRAME_STDOUT_TAIL:
    case FRAME_STDERR_TAIL:
    case FRAME_ARTIFACT:
    case FRAME_PONG:
    case FRAME_READY:
    case FRAME_JOB:
    case FRAME_ANSWER:
    case FRAME_CANCEL:
    case FRAME_PING:
        break;
    }
    error_set(&err, ERROR_MALFORMED, "the sandbox sent a frame '%c' out of its turn", frame->type);
    breach(run, &err);
}

/* ---- the sandbox ---- */

static void ask(struct run *run)
{
    run->phase = QUEUED;
    set_deadline(run, run->host->limits->wait_ms);
    pool_ask(run->host->pool, &run->wait);
}

static void on_broken(struct sandbox *sandbox, const struct error *why, void *user)
{
    struct run *run = user;

    if (run->phase == CANCELLING) {
        end_with(run, EXECUTION_CANCELLED, "the run was cancelled");
    } else if (run->phase == SENT && run->attempts < RUN_ATTEMPTS_MAX &&
               why->kind != ERROR_MALFORMED) {
        /* None of the code has run: a sandbox that died while it waited is not the caller's
         * concern. */
        log_info("executor", "a run moves to another sandbox: %s", why->text);
        broker_end(&run->broker);
        run->sandbox = NULL;
        pool_return(run->host->pool, sandbox, false);
        ask(run);
    } else {
        log_warning("executor", "a run failed: %s", why->text);
        end_with(run, EXECUTION_ENGINE, why->text);
    }
}

static const struct sandbox_events run_events = {.frame = on_frame, .broken = on_broken};

static void send_job(struct run *run)
{
    struct error err = {0};
    char *frame = malloc(run->frame_len);

    if (frame)
        memcpy(frame, run->frame, run->frame_len);
    run->phase = SENT;
    set_deadline(run, (uint64_t)run->host->limits->import_ms + run->host->limits->grace_ms);
    if (sandbox_send(run->sandbox, frame, run->frame_len, &err) < 0)
        on_broken(run->sandbox, &err, run);
}

static void on_given(struct pool_wait *wait, struct sandbox *sandbox)
{
    struct run *run = (struct run *)((char *)wait - offsetof(struct run, wait));

    if (run->attempts++ == 0) {
        run->host->on_taken(run->user);
        stats_begun(run->host->stats);
    }
    run->sandbox = sandbox;
    sandbox_hand_over(sandbox, &run_events, run);
    send_job(run);
}

static void on_failed(struct pool_wait *wait, const struct error *why)
{
    struct run *run = (struct run *)((char *)wait - offsetof(struct run, wait));

    end_with(run, EXECUTION_ENGINE, why->text); /* the pool has logged it */
}

static int send_answer(struct broker *broker, char *frame, size_t len)
{
    struct run *run = (struct run *)((char *)broker - offsetof(struct run, broker));
    struct error err = {0};

    if (sandbox_send(run->sandbox, frame, len, &err) == 0)
        return 0;
    on_broken(run->sandbox, &err, run);
    return -1;
}

void run_begin(struct run *run, const struct run_host *host, void *user)
{
    run->host = host;
    run->user = user;
    run->begun_at = uv_hrtime();
    run->wait.given = on_given;
    run->wait.failed = on_failed;
    run->broker.gate = host->gate;
    run->broker.session_id = run->session_id;
    run->broker.limits = host->limits;
    run->broker.on_request = run->job.on_request;
    run->broker.user = run->job.user;
    run->broker.send = send_answer;
    uv_timer_init(host->loop, &run->timer);
    run->timer.data = run;
    ask(run);
}

void run_cancel(struct run *run)
{
    struct error err = {0};
    char *frame;

    if (run->phase == QUEUED) {
        end_with(run, EXECUTION_CANCELLED, "the run was cancelled before it had a sandbox");
        return;
    }
    if (run->phase != SENT && run->phase != RUNNING)
        return;
    run->phase = CANCELLING;
    set_deadline(run, run->host->limits->cancel_ms);
    frame = malloc(FRAME_HEAD_SIZE);
    if (frame)
        frame_pack((unsigned char *)frame, FRAME_CANCEL, 0);
    if (sandbox_send(run->sandbox, frame, FRAME_HEAD_SIZE, &err) < 0)
        on_broken(run->sandbox, &err, run);
}

void run_abort(struct run *run, const char *why)
{
    if (run->phase != ENDED)
        end_with(run, EXECUTION_CANCELLED, why);
}
