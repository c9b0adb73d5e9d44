/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The end of a run: its result goes out, its sandbox back.
 */
#include <stdio.h>
#include <string.h>

#include "executor/run_internal.h"
#include "helpers/base/log.h"

static void on_timer_closed(uv_handle_t *handle)
{
    run_discard(handle->data);
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

static void fill(struct executor_run *run, struct execution_result *result)
{
    const struct output *out = &run->output[0], *err = &run->output[1];
    uint64_t now = uv_hrtime();

    result->kind = execution_kinds[run->wait.kind].name;
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

/* Only one that said itself how the code ended, and of that only what leaves nothing behind. */
static enum pool_outcome outcome_of(const struct executor_run *run, enum execution_status status)
{
    if (!run->started)
        return POOL_UNUSED;
    return run->ended_by_itself && (status == EXECUTION_OK || status == EXECUTION_RUNTIME)
               ? POOL_GOOD
               : POOL_USED;
}

void run_end(struct executor_run *run, struct execution_result *result)
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
    stats_ended(host->stats, result, queued, run->started);
    /* The answer first: removing the sandbox and starting the next are nothing that the caller
     * waits for, nor is the log. */
    run->job.on_done(run->job.user, result);
    if (slot)
        pool_return(host->pool, slot, outcome_of(run, result->status));
    host->on_end(user);
    uv_close((uv_handle_t *)&run->timer, on_timer_closed);
}

void run_end_with(struct executor_run *run, enum execution_status status, const char *error)
{
    struct execution_result result = {.status = status, .error = error, .seconds = -1};

    run_end(run, &result);
}

const char *run_overran(const struct executor_run *run, char text[RUN_TEXT_CAP])
{
    snprintf(text, RUN_TEXT_CAP, "the code ran for %.3g s, the longest it may, and was ended",
             run->timeout_ms / 1000.0);
    return text;
}

/* The judgement inside refuses what was accepted outside: one of the two is wrong, and both are
 * ours. The words are the executor's own; of the interpreter's only what Python says of the syntax
 * goes on. */
void run_end_disagreeing(struct executor_run *run, struct execution_result *result)
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
    result->error_type = NULL;
    result->error_line = said->refused_line;
    result->error = text.data ? text.data : "The code was refused inside the sandbox.";
    run_end(run, result);
}
