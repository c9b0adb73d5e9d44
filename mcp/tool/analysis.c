/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/tool/analysis.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/cleanup.h"
#include "helpers/base/log.h"
#include "mcp/tool/session_broker.h"

#define WORKQ_RETRY_AFTER_S 1 /* the work queue works its queue off in less */

void analysis_init(struct analysis *analysis)
{
    run_progress_init(&analysis->progress);
}

void analysis_finish(struct analysis *analysis)
{
    run_progress_finish(&analysis->progress);
}

/* ---- checking ---- */

int analysis_find_profile(const struct analyses *analyses, const char *name,
                          const struct validator_profile **profile, struct error *err)
{
    *profile = name ? validator_profile_find(name) : analyses->profile;
    if (!*profile)
        return error_set_at(err, "profile", "unknown profile; the profiles are %s",
                            validator_profile_names());
    if (!validator_profile_within(*profile, analyses->profile))
        return error_set_at(
            err, "profile", "%s is wider than this server allows: send %s, or leave it out",
            validator_profile_name(*profile), validator_profile_name(analyses->profile));
    return 0;
}

static void count_refusal(struct analyses *analyses, const char *rule)
{
    for (size_t i = 0; i < REFUSED_RULES_CAP; i++) {
        struct refused_rule *row = &analyses->refused[i];

        if (!row->rule)
            row->rule = rule;
        if (strcmp(row->rule, rule) == 0) {
            row->programs++;
            return;
        }
    }
}

bool analysis_check(struct analysis *analysis, struct buf *why)
{
    struct verdict *verdict = &analysis->verdict;
    const char *rule;

    if (validator_is_blank(analysis->code, analysis->code_len)) {
        count_refusal(&analysis->server->analyses, "empty");
        log_info("run", "verdict=refused rule=empty code_bytes=%zu", analysis->code_len);
        buf_adds(why, "there is no code to run. Send a Python program, such as print(1).");
        return false;
    }
    validator_check(analysis->code, analysis->code_len, analysis->profile, verdict);
    if (verdict->accepted) {
        for (size_t i = 0; i < verdict->module_count; i++)
            analysis->preload[i] = verdict->modules[i];
        return true;
    }
    failure_of_verdict(&analysis->failure, verdict);
    rule = analysis->failure.rule ? analysis->failure.rule : "unknown";
    count_refusal(&analysis->server->analyses, rule);
    log_info("run", "verdict=refused rule=%s line=%zu problems=%zu code_bytes=%zu", rule,
             verdict->diagnostics[0].line, verdict->diagnostic_count, analysis->code_len);
    validator_explain(verdict, analysis->code, analysis->code_len, why);
    return false;
}

/* ---- on the executor's thread ---- */

static void on_queued(void *user, unsigned place)
{
    struct analysis *analysis = user;

    run_progress_queued(&analysis->progress, place);
}

static void on_started(void *user)
{
    struct analysis *analysis = user;

    run_progress_started(&analysis->progress);
}

static void on_output(void *user, int fd, const char *bytes, size_t len)
{
    struct analysis *analysis = user;

    (void)fd;
    run_progress_output(&analysis->progress, bytes, len);
}

static void on_request(void *user, struct broker_request *request)
{
    struct analysis *analysis = user;

    session_broker_take(&analysis->server->store, request);
}

static void on_result(void *user, const struct execution_result *result)
{
    struct analysis *analysis = user;

    analysis->ended.status = result->status;
    analysis->ended.exit_code = result->exit_code;
    analysis->ended.waited = result->waited;
    analysis->ended.seconds = result->seconds;
    analysis->ended.out = result->stdout_len;
    analysis->ended.err = result->stderr_len;
    analysis->ended.cut = result->stdout_cut + result->stderr_cut;
    analysis->ended.artifacts = result->artifact_count;
    failure_of_result(&analysis->failure, result, analysis_timeout(analysis));
    if (result->status == EXECUTION_BUSY)
        analysis->failure.retry_after_s = executor_retry_after(analysis->server->analyses.executor);
    analysis->take(analysis, result);
    loop_queue_post(analysis->server->loop_queue, &analysis->done);
}

/* ---- on the loop ---- */

/* Sizes and times only: what the code is and prints is nobody's but its writer's. */
static void describe_end(const struct analysis *analysis, char *line, size_t size)
{
    snprintf(line, size,
             "verdict=accepted id=%" PRIu64 " session=%s kind=%s ended=%s exit=%d waited=%.3f "
             "seconds=%.3f code_bytes=%zu stdout_bytes=%zu stderr_bytes=%zu cut_bytes=%" PRIu64
             " figures=%zu",
             analysis->run_id, analysis->session_id ? analysis->session_id : "-",
             analysis->verdict.kind, execution_status_name(analysis->ended.status),
             analysis->ended.exit_code, analysis->ended.waited, analysis->ended.seconds,
             analysis->code_len, analysis->ended.out, analysis->ended.err, analysis->ended.cut,
             analysis->ended.artifacts);
}

/* The answer first: who reads the log is not in a hurry. */
static void run_done(void *arg)
{
    struct analysis *analysis = arg;
    char line[LOG_LINE_CAP];

    describe_end(analysis, line, sizeof line);
    analysis->run_id = 0;
    analysis->on_done(analysis);
    log_info("run", "%s", line);
}

long analysis_timeout(const struct analysis *analysis)
{
    long most = analysis->server->analyses.timeout_seconds;

    return analysis->timeout_asked > 0 && analysis->timeout_asked < most ? analysis->timeout_asked
                                                                         : most;
}

bool analysis_timeout_was_cut(const struct analysis *analysis)
{
    return analysis->timeout_asked > analysis->server->analyses.timeout_seconds;
}

/* retry_after_s: where it found no place. */
static int did_not_run(struct analysis *analysis, const struct error *err, unsigned retry_after_s)
{
    failure_of_error(&analysis->failure, err);
    if (err->kind == ERROR_BUSY)
        analysis->failure.retry_after_s = retry_after_s;
    return -1;
}

static int hand_over(struct analysis *analysis, struct error *err)
{
    struct server *server = analysis->server;
    const struct execution_job job = {
        .code = analysis->code,
        .code_len = analysis->code_len,
        .session_id = analysis->session_id,
        .kind = analysis->verdict.kind,
        .profile = validator_profile_name(analysis->profile),
        .preload = analysis->preload,
        .timeout_ms = (unsigned)analysis_timeout(analysis) * 1000,
        .warnings = analysis->warnings,
        .on_queued = analysis->wants_progress ? on_queued : NULL,
        .on_started = analysis->wants_progress ? on_started : NULL,
        .on_output = analysis->wants_progress ? on_output : NULL,
        .on_request = analysis->session_id ? on_request : NULL,
        .on_done = on_result,
        .user = analysis,
    };
    struct error why = {0};

    analysis->done.run = run_done;
    analysis->done.arg = analysis;
    analysis->run_id = executor_run(server->analyses.executor, &job, &why);
    if (analysis->run_id != 0)
        return 0;
    log_info("run", "verdict=accepted turned_away=%s", error_kind_name(why.kind));
    error_set(err, why.kind, "%s", why.text);
    return did_not_run(analysis, err, executor_retry_after(server->analyses.executor));
}

static void on_session(struct workq_job *job)
{
    struct analysis *analysis = container_of(job, struct analysis, job);
    struct error *err = &analysis->err;

    /* Cancelled, the executor may be gone, as when the server ends. */
    if (analysis->cancelled && err->kind == ERROR_NONE)
        error_set(err, ERROR_CANCELLED, "the run was cancelled before it began");
    if (err->kind != ERROR_NONE)
        did_not_run(analysis, err, WORKQ_RETRY_AFTER_S);
    else if (hand_over(analysis, err) == 0)
        return;
    analysis->on_failed(analysis, err);
}

static void find_session(struct workq_job *job, void *store)
{
    struct analysis *analysis = container_of(job, struct analysis, job);

    if (analysis->find_session)
        analysis->find_session(analysis, store, &analysis->err);
    else
        store_session(store, analysis->session_id, NULL, 0, NULL, &analysis->err);
}

int analysis_start(struct analysis *analysis, struct error *err)
{
    struct server *server = analysis->server;

    if (!server->analyses.executor) {
        error_set(err, ERROR_UNAVAILABLE, "%s", server->analyses.executor_error);
        return did_not_run(analysis, err, 0);
    }
    if (!analysis->find_session && !analysis->session_id)
        return hand_over(analysis, err);
    analysis->job.work = find_session;
    analysis->job.done = on_session;
    if (workq_submit(server->store.read, &analysis->job, err) == 0)
        return 0;
    return did_not_run(analysis, err, WORKQ_RETRY_AFTER_S);
}

void analysis_cancel(struct analysis *analysis)
{
    analysis->cancelled = true;
    if (analysis->run_id != 0)
        executor_cancel(analysis->server->analyses.executor, analysis->run_id);
}

bool analysis_progress(struct analysis *analysis, struct buf *words, struct buf *printed)
{
    return run_progress_take(&analysis->progress, words, printed);
}
