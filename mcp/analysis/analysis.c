/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/analysis/analysis.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/cleanup.h"
#include "helpers/base/log.h"
#include "helpers/base/utf8.h"
#include "mcp/api/rest.h"
#include "mcp/auth/limits.h"
#include "mcp/store/entities/session.h"

#define WORKQ_RETRY_AFTER_S 1 /* the work queue works its queue off in less */
#define LIMIT_RETRY_AFTER_S 1 /* an analysis takes a few seconds at most */
#define CUT_MARK            "... "
#define SESSION_PATH        "/session/" /* before the id, in a request of a run */

void analysis_init(struct analysis *analysis)
{
    pthread_mutex_init(&analysis->progress.lock, NULL);
}

void analysis_finish(struct analysis *analysis)
{
    pthread_mutex_destroy(&analysis->progress.lock);
}

/* ---- checking ---- */

int analysis_find_profile(const struct analyses *analyses, const char *name,
                          const struct validator_profile **profile, struct error *err)
{
    const char *own = validator_profile_name(analyses->profile);

    *profile = name && strcmp(name, own) != 0 ? validator_profile_find(name) : analyses->profile;
    if (!*profile)
        return error_set_at(err, "profile", "unknown profile; the profiles are %s%s%s",
                            validator_profile_names(), validator_profile_find(own) ? "" : ", ",
                            validator_profile_find(own) ? "" : own);
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

static const char *log_members(const struct analysis *analysis)
{
    return analysis->log_members ? analysis->log_members : "";
}

bool analysis_check(struct analysis *analysis, struct buf *why)
{
    struct verdict *verdict = &analysis->verdict;
    const char *rule;

    if (validator_is_blank(analysis->code, analysis->code_len)) {
        count_refusal(&analysis->server->analyses, "empty");
        log_info("run", "verdict=refused rule=empty code_bytes=%zu%s", analysis->code_len,
                 log_members(analysis));
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
    log_info("run", "verdict=refused rule=%s line=%zu problems=%zu code_bytes=%zu%s", rule,
             verdict->diagnostics[0].line, verdict->diagnostic_count, analysis->code_len,
             log_members(analysis));
    validator_explain(verdict, analysis->code, analysis->code_len, why);
    return false;
}

/* ---- on the executor's thread ---- */

void analysis_on_queued(void *user, unsigned place)
{
    struct run_progress *progress = &((struct analysis *)user)->progress;

    pthread_mutex_lock(&progress->lock);
    progress->moved |= place != progress->place;
    progress->place = place;
    pthread_mutex_unlock(&progress->lock);
}

void analysis_on_started(void *user)
{
    struct run_progress *progress = &((struct analysis *)user)->progress;

    pthread_mutex_lock(&progress->lock);
    progress->moved = progress->started = true;
    pthread_mutex_unlock(&progress->lock);
}

void analysis_on_output(void *user, int fd, const char *bytes, size_t len)
{
    struct run_progress *progress = &((struct analysis *)user)->progress;
    size_t over;

    (void)fd;
    pthread_mutex_lock(&progress->lock);
    if (len > ANALYSIS_PROGRESS_SIZE) {
        over = utf8_skip(bytes, len, len - ANALYSIS_PROGRESS_SIZE);
        bytes += over;
        len -= over;
        progress->cut = true;
        progress->len = 0;
    }
    if (progress->len + len > ANALYSIS_PROGRESS_SIZE) { /* the oldest makes room */
        over = utf8_skip(progress->recent, progress->len,
                         progress->len + len - ANALYSIS_PROGRESS_SIZE);
        progress->len -= over;
        memmove(progress->recent, progress->recent + over, progress->len);
        progress->cut = true;
    }
    memcpy(progress->recent + progress->len, bytes, len);
    progress->len += len;
    pthread_mutex_unlock(&progress->lock);
}

/* ---- requests of a run to its sessions: executed on the work queue of the session API (graph
 * queries on the graph work queue, all others on the read work queue), and answered directly to the
 * executor ---- */

struct brokered {
    struct workq_job job;
    struct broker_request *request;
    const struct rest_route *route;
    char sid[SESSION_ID_SIZE]; /* the session that the request reads */
    /* All that the run may read, since the run may end before the request. */
    char readable[1 + ANALYSIS_ALSO_CAP][SESSION_ID_SIZE];
    size_t readable_count;
    struct graph_cache *graphs; /* for graph queries, else NULL */
    struct cancel *cancel;      /* likewise */
};

static void refuse(struct broker_request *request, const char *body)
{
    executor_answer(request, 503, body, strlen(body));
}

static void answer_request(struct workq_job *job, void *context)
{
    struct brokered *brokered = container_of(job, struct brokered, job);
    const struct rest_broker_request read = {
        .route = brokered->route,
        .sid = brokered->sid,
        .also = (const char(*)[SESSION_ID_SIZE])brokered->readable,
        .also_count = brokered->readable_count,
        .target = broker_request_target(brokered->request),
        .graphs = brokered->graphs,
        .cancel = brokered->cancel,
    };
    struct rest_response response = {0};

    rest_broker(context, &read, &response);
    executor_answer(brokered->request, response.status, response.body.data, response.body.len);
    rest_response_finish(&response);
}

static void on_answered(struct workq_job *job)
{
    struct brokered *brokered = container_of(job, struct brokered, job);

    cancel_unref(brokered->cancel);
    free(brokered);
}

static struct workq *choose_workq(struct brokered *brokered, const struct store_queues *store)
{
    brokered->route = rest_broker_find(broker_request_target(brokered->request));
    if (rest_workq(brokered->route) != REST_GRAPH)
        return store->read;
    brokered->graphs = store->graphs;
    brokered->job.large = rest_is_large(brokered->route, broker_request_target(brokered->request));
    brokered->cancel = broker_request_cancel(brokered->request);
    return store->graph;
}

/* The session of the run that the target is about: one that its call names in also, or its own.
 * rest_broker refuses a target that is about another. */
static const char *choose_session(const struct analysis *analysis,
                                  const struct broker_request *request)
{
    const char *target = broker_request_target(request);
    bool names = strncmp(target, SESSION_PATH, sizeof SESSION_PATH - 1) == 0;

    for (size_t i = 0; names && i < analysis->also_count; i++) {
        const char *sid = target + sizeof SESSION_PATH - 1, *also = analysis->also[i];

        if (strncmp(sid, also, strlen(also)) == 0 && sid[strlen(also)] == '/')
            return also;
    }
    return broker_request_session(request);
}

/* Called on the executor's thread. Answers 503 at once if the work queue is full. */
static void on_request(void *user, struct broker_request *request)
{
    const struct analysis *analysis = user;
    const struct store_queues *store = &analysis->server->store;
    struct brokered *brokered = calloc(1, sizeof *brokered);

    if (!brokered) {
        refuse(request, "{\"detail\": \"the server is out of memory; try again\"}");
        return;
    }
    brokered->request = request;
    brokered->job.work = answer_request;
    brokered->job.done = on_answered;
    snprintf(brokered->sid, sizeof brokered->sid, "%s", choose_session(analysis, request));
    snprintf(brokered->readable[0], SESSION_ID_SIZE, "%s", broker_request_session(request));
    memcpy(brokered->readable[1], analysis->also, sizeof analysis->also);
    brokered->readable_count = 1 + analysis->also_count;
    brokered->job.key = workq_key(brokered->sid);
    if (workq_submit(choose_workq(brokered, store), &brokered->job, NULL) < 0) {
        refuse(request, "{\"detail\": \"the server is busy; try again\"}");
        on_answered(&brokered->job);
    }
}

/* Seconds that it may run. */
static long timeout_of(const struct analysis *analysis)
{
    long most = analysis->server->analyses.timeout_seconds;

    return analysis->timeout_asked > 0 && analysis->timeout_asked < most ? analysis->timeout_asked
                                                                         : most;
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
    failure_of_result(&analysis->failure, result, timeout_of(analysis));
    if (result->status == EXECUTION_BUSY)
        analysis->failure.retry_after_s = executor_retry_after(analysis->server->analyses.executor);
    analysis->take(analysis, result);
    loop_queue_post(analysis->server->loop_queue, &analysis->done);
}

/* ---- on the loop ---- */

/* Sizes and times only: what the code is and prints is nobody's but its writer's. */
static void describe_end(const struct analysis *analysis, char *line, size_t size)
{
    snprintf(
        line, size,
        "verdict=accepted id=%" PRIu64 " session=%s also=%zu kind=%s ended=%s exit=%d waited=%.3f "
        "seconds=%.3f code_bytes=%zu stdout_bytes=%zu stderr_bytes=%zu cut_bytes=%" PRIu64
        " figures=%zu%s",
        analysis->run_id, analysis->session_id ? analysis->session_id : "-", analysis->also_count,
        analysis->verdict.kind, execution_status_name(analysis->ended.status),
        analysis->ended.exit_code, analysis->ended.waited, analysis->ended.seconds,
        analysis->code_len, analysis->ended.out, analysis->ended.err, analysis->ended.cut,
        analysis->ended.artifacts, log_members(analysis));
}

/* The answer first: who reads the log is not in a hurry. */
static void run_done(void *arg)
{
    struct analysis *analysis = arg;
    char line[LOG_LINE_CAP];

    analysis->ended_early = !analysis->handed_over;
    if (analysis->ended_early)
        return; /* on_session is about to come */
    describe_end(analysis, line, sizeof line);
    analysis->run_id = 0;
    limits_end_analysis(analysis->server->limits, &analysis->counted);
    analysis->on_done(analysis);
    log_info("run", "%s", line);
}

bool analysis_timeout_was_cut(const struct analysis *analysis)
{
    return analysis->timeout_asked > analysis->server->analyses.timeout_seconds;
}

/* retry_after_s is set if it found no place. */
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
        .also = analysis->also_names,
        .kind = analysis->verdict.kind,
        .profile = validator_profile_base(analysis->profile),
        .added = validator_profile_added(analysis->profile),
        .preload = analysis->preload,
        .timeout_ms = (unsigned)timeout_of(analysis) * 1000,
        .warnings = analysis->warnings,
        .on_queued = analysis->wants_progress ? analysis_on_queued : NULL,
        .on_started = analysis->wants_progress ? analysis_on_started : NULL,
        .on_output = analysis->wants_progress ? analysis_on_output : NULL,
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
    log_info("run", "verdict=accepted turned_away=%s%s", error_kind_name(why.kind),
             log_members(analysis));
    error_set(err, why.kind, "%s", why.text);
    return did_not_run(analysis, err, executor_retry_after(server->analyses.executor));
}

static void on_session(struct workq_job *job)
{
    struct analysis *analysis = container_of(job, struct analysis, job);

    analysis->handed_over = true;
    if (analysis->err.kind != ERROR_NONE) {
        limits_end_analysis(analysis->server->limits, &analysis->counted);
        analysis->on_failed(analysis, &analysis->err);
    } else if (analysis->ended_early)
        run_done(analysis);
}

/* On the read work queue. It hands the code over itself: the loop would only be one stop more. */
static void find_session(struct workq_job *job, void *store)
{
    struct analysis *analysis = container_of(job, struct analysis, job);
    struct error *err = &analysis->err;
    int rc = analysis->find_session
                 ? analysis->find_session(analysis, store, err)
                 : store_session(store, analysis->session_id, NULL, 0, NULL, err);

    pthread_mutex_lock(&analysis->progress.lock);
    /* If cancelled, the executor may be gone, as at the end of the server. */
    if (rc == 0 && analysis->cancelled)
        rc = error_set(err, ERROR_CANCELLED, "the run was cancelled before it began");
    if (rc < 0)
        did_not_run(analysis, err, WORKQ_RETRY_AFTER_S);
    else
        hand_over(analysis, err);
    pthread_mutex_unlock(&analysis->progress.lock);
}

static int start(struct analysis *analysis, struct error *err)
{
    struct server *server = analysis->server;

    analysis->handed_over = !analysis->find_session && !analysis->session_id;
    if (analysis->handed_over)
        return hand_over(analysis, err);
    analysis->job.work = find_session;
    analysis->job.done = on_session;
    if (workq_submit(server->store.read, &analysis->job, err) == 0)
        return 0;
    return did_not_run(analysis, err, WORKQ_RETRY_AFTER_S);
}

int analysis_start(struct analysis *analysis, struct error *err)
{
    struct server *server = analysis->server;

    if (!server->analyses.executor) {
        error_set(err, ERROR_UNAVAILABLE, "%s", server->analyses.executor_error);
        return did_not_run(analysis, err, 0);
    }
    analysis->counted = analysis->identity ? *analysis->identity : identity_everyone;
    analysis->over_limit = !limits_begin_analysis(server->limits, &analysis->counted);
    if (analysis->over_limit) {
        error_set(err, ERROR_BUSY,
                  "this token has as many analyses under way as it may: wait for one to end");
        return did_not_run(analysis, err, LIMIT_RETRY_AFTER_S);
    }
    if (start(analysis, err) == 0)
        return 0;
    limits_end_analysis(server->limits, &analysis->counted);
    return -1;
}

void analysis_cancel(struct analysis *analysis)
{
    uint64_t run_id;

    pthread_mutex_lock(&analysis->progress.lock);
    analysis->cancelled = true;
    run_id = analysis->run_id;
    pthread_mutex_unlock(&analysis->progress.lock);
    if (run_id != 0)
        executor_cancel(analysis->server->analyses.executor, run_id);
}

/* The last lines of at most that many characters, or of one long line its end. */
static void add_output(struct buf *to, const struct run_progress *progress, size_t most)
{
    const char *text = progress->recent;
    size_t len = progress->len, count = utf8_count(text, len), from = 0;
    const char *line_end;

    if (count > most)
        from = utf8_offset(text, len, count - most);
    if (from > 0 || progress->cut) {
        line_end = memchr(text + from, '\n', len - from);
        if (line_end && (size_t)(line_end + 1 - text) < len)
            from = (size_t)(line_end + 1 - text);
        buf_adds(to, CUT_MARK);
    }
    buf_add(to, text + from, len - from);
}

bool analysis_progress(struct analysis *analysis, struct buf *words, struct buf *printed)
{
    struct run_progress *progress = &analysis->progress;
    bool output, moved;

    pthread_mutex_lock(&progress->lock);
    output = progress->len > 0;
    moved = progress->moved;
    if (output && printed)
        add_output(printed, progress, ANALYSIS_PROGRESS_SIZE);
    else if (output)
        add_output(words, progress, ANALYSIS_PROGRESS_SHOWN);
    if (moved && (!output || printed) && progress->started)
        buf_adds(words, "running");
    else if (moved && (!output || printed))
        buf_addf(words, "waiting for a sandbox: place %u", progress->place);
    progress->len = 0;
    progress->cut = progress->moved = false;
    pthread_mutex_unlock(&progress->lock);
    return output || moved;
}
