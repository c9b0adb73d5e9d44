/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the sandbox of a run sends. It is not believed: what breaks the rules ends it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executor/artifact.h"
#include "executor/run_internal.h"
#include "helpers/base/log.h"

static void breach(struct executor_run *run, const struct error *why)
{
    run_broken(run->sandbox, why, run);
}

static void take_output(struct executor_run *run, int fd, const struct frame *frame)
{
    struct output *output = &run->output[fd - 1];
    size_t before = output->text.len;
    struct error err = {0};

    if (output->has_tail) {
        error_set(&err, ERROR_MALFORMED, "the sandbox sent output behind its end");
        breach(run, &err);
        return;
    }
    run->output_bytes += frame->len;
    if (run->output_bytes > EXECUTION_OUTPUT_LIMIT + RUN_OUTPUT_SLACK) {
        run_end_with(run, EXECUTION_OUTPUT, "the code wrote more than 16 MB and was ended");
        return;
    }
    output_take(output, frame->payload, frame->len);
    if (run->job.on_output && output->text.len > before)
        run->job.on_output(run->job.user, fd, output->text.data + before,
                           output->text.len - before);
}

static void take_tail(struct executor_run *run, int fd, const struct frame *frame)
{
    struct error err = {0};

    if (output_take_tail(&run->output[fd - 1], frame->payload, frame->len, &err) < 0)
        breach(run, &err);
}

static int keep_artifact(struct executor_run *run, const struct frame *frame, struct error *err)
{
    struct execution_artifact *artifact = &run->artifacts[run->artifact_count];
    char *base64;

    if (run->artifact_count >= EXECUTION_ARTIFACTS_CAP)
        return error_set(err, ERROR_MALFORMED, "the sandbox sent more than %u figures",
                         EXECUTION_ARTIFACTS_CAP);
    if (!artifact_is_png(frame->payload, frame->len))
        return error_set(err, ERROR_MALFORMED, "the sandbox sent a figure that is no PNG image");
    base64 = strndup(frame->payload, frame->len);
    if (!base64)
        return error_set(err, ERROR_MEMORY, "out of memory for a figure");
    *artifact =
        (struct execution_artifact){.mime = ARTIFACT_MIME, .base64 = base64, .len = frame->len};
    run->artifact_count++;
    return 0;
}

static void take_artifact(struct executor_run *run, const struct frame *frame)
{
    struct error err = {0};

    if (keep_artifact(run, frame, &err) < 0)
        breach(run, &err);
}

static void take_result(struct executor_run *run, const struct frame *frame)
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
static bool has_own_account(const struct executor_run *run, enum execution_status status)
{
    const char *type = run->result.error_type;

    if (!run->result.error)
        return false;
    if (status == EXECUTION_TIMEOUT)
        return type && strcmp(type, "TimeoutError") == 0;
    return status == EXECUTION_RUNTIME || status == EXECUTION_MEMORY;
}

/* What the runner's verdict means to the caller, where the interpreter has not said it better. */
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
        return run_overran(run, text);
    case EXECUTION_MEMORY:
        snprintf(text, RUN_TEXT_CAP,
                 "the code needed more than the %u MB of memory it may use, and was ended",
                 execution_kinds[run->wait.kind].memory_mb);
        break;
    case EXECUTION_OUTPUT:
        snprintf(text, RUN_TEXT_CAP, "the code wrote more than %u MB and was ended",
                 EXECUTION_OUTPUT_LIMIT >> 20);
        break;
    case EXECUTION_CANCELLED:
        snprintf(text, RUN_TEXT_CAP, "the run was cancelled");
        break;
    case EXECUTION_CRASH:
        if (ended->signal)
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

static void take_exit(struct executor_run *run, const struct frame *frame)
{
    struct job_exit ended = {0};
    struct execution_result result = {0};
    struct error err = {0};
    char text[RUN_TEXT_CAP] = "";

    if (job_exit_read(frame, &ended, &err) < 0) {
        breach(run, &err);
        return;
    }
    if (ended.status == EXECUTION_OK && run->result.error)
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
    if (run->result.refused[0] &&
        (ended.status == EXECUTION_RUNTIME || ended.status == EXECUTION_MEMORY)) {
        run_end_disagreeing(run, &result);
        return;
    }
    result.error = verdict_text(run, &ended, text);
    if (has_own_account(run, ended.status)) {
        result.error = run->result.error;
        result.error_line = run->result.error_line;
    }
    run_end(run, &result);
}

static void take_started(struct executor_run *run)
{
    struct error err = {0};

    if (run->started) {
        error_set(&err, ERROR_MALFORMED, "the sandbox started the code twice");
        breach(run, &err);
        return;
    }
    run->started = true;
    run->started_at = uv_hrtime();
    if (run->phase == RUN_PHASE_SENT) {
        run->phase = RUN_PHASE_RUNNING;
        run_set_deadline(run, (uint64_t)run->timeout_ms + run->host->limits->grace_ms);
    }
    if (run->job.on_started)
        run->job.on_started(run->job.user);
}

void run_take_frame(struct sandbox *sandbox, const struct frame *frame, void *user)
{
    struct executor_run *run = user;
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
        if (broker_take(&run->broker, frame, &err) < 0 && run->phase != RUN_PHASE_ENDED)
            breach(run, &err);
        return;
    case FRAME_RESULT:
        take_result(run, frame);
        return;
    case FRAME_EXIT:
        take_exit(run, frame);
        return;
    case FRAME_STDOUT_TAIL:
        take_tail(run, 1, frame);
        return;
    case FRAME_STDERR_TAIL:
        take_tail(run, 2, frame);
        return;
    case FRAME_ARTIFACT:
        take_artifact(run, frame);
        return;
    case FRAME_PONG:
    case FRAME_READY:
    case FRAME_JOB:
    case FRAME_ANSWER:
    case FRAME_PING:
        break;
    }
    error_set(&err, ERROR_MALFORMED, "the sandbox sent a frame '%c' out of its turn", frame->type);
    breach(run, &err);
}
