/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The interface of the executor: it owns the loop's thread, the work queue and the pool, and
 * destroys them. Jobs and cancellations reach the loop from any thread as submissions.
 */
#include "executor/executor.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "executor/run.h"
#include "helpers/base/log.h"

/* Besides those for starts: made_of uses at most one, so one is always free for removals. */
#define WORKQ_THREADS_MORE 2u

#define ENDS          32u /* recent ends of runs, which show how fast the queue moves */
#define ENDS_MS       60000u
#define RETRY_UNKNOWN 5u /* seconds, if runs wait and none has ended recently */
#define RETRY_MAX     (EXECUTION_WAIT_MS_MAX / 1000u) /* no job waits longer than this */

_Static_assert(KINDS_COUNT <= EXECUTOR_KINDS_CAP, "EXECUTOR_KINDS_CAP");

struct executor {
    const struct engine *engine;
    void *state;
    char description[ENGINE_DESCRIPTION_CAP];
    struct executor_limits limits;
    uv_loop_t loop;
    pthread_t thread;
    struct loop_queue *loop_queue;
    struct workq *workq;
    struct loop_handle *loop_handle;
    struct pool *pool;
    struct sandbox_host sandbox_host;
    struct run_host run_host;
    struct loop_task start, stop;

    pthread_mutex_t lock; /* protects all members below */
    pthread_cond_t ready_changed;
    LIST_HEAD(, submission) submissions;
    uint64_t last_id;
    unsigned ready[KINDS_COUNT];
    struct executor_stats stats;
    uint64_t ends[ENDS]; /* in ms of uv_hrtime; a ring buffer */
    uint64_t end_count;
};

/* A job on its way from any thread to the loop, and its cancellation. The tasks are embedded, so
 * posting cannot fail. A submission is freed when the run has ended and no cancellation is queued.
 */
struct submission {
    LIST_ENTRY(submission) link;
    struct executor *executor;
    uint64_t id;
    struct executor_run *run; /* used on the loop only, except for its session */
    struct loop_task intake, cancel;
    bool waiting; /* protected by the executor's lock, like the next member */
    bool cancel_posted;
    bool ended;
};

const struct executor_limits executor_limits_default = {
    .import_ms = EXECUTION_IMPORT_MS_MAX,
    .grace_ms = 2000,
    .warm_ms = 60000,
    .wait_ms = EXECUTION_WAIT_MS_MAX,
    .request_ms = EXECUTION_REQUEST_MS_MAX,
    .requests = EXECUTION_REQUESTS_CAP,
    .answer_bytes = EXECUTION_ANSWERS_CAP,
};

const char *const execution_isolations[ISOLATION_COUNT] = {
    [ISOLATION_EXECUTION] = "execution",
    [ISOLATION_SESSION] = "session",
    [ISOLATION_AUTO] = "auto",
};

const char *execution_status_name(enum execution_status status)
{
    static const char *const names[] = {
        [EXECUTION_OK] = "ok",           [EXECUTION_RUNTIME] = "runtime",
        [EXECUTION_TIMEOUT] = "timeout", [EXECUTION_MEMORY] = "memory",
        [EXECUTION_OUTPUT] = "output",   [EXECUTION_CANCELLED] = "cancelled",
        [EXECUTION_CRASH] = "crash",     [EXECUTION_BUSY] = "busy",
        [EXECUTION_ENGINE] = "engine",   [EXECUTION_DISAGREEMENT] = "disagreement",
    };

    return names[status];
}

const char *executor_engine_name(const struct executor *executor)
{
    return executor->engine->name;
}

const char *executor_describe(const struct executor *executor)
{
    return executor->description;
}

/* ---- what is counted ---- */

/* From an echo on a waiting sandbox to the longest run that a server may allow. */
const double executor_buckets[EXECUTOR_BUCKETS] = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.1,
                                                   0.25,  0.5,    1,     5,    15,    60};

static void observe(struct executor_histogram *histogram, double value)
{
    size_t bucket = 0;

    while (bucket < EXECUTOR_BUCKETS && value > executor_buckets[bucket])
        bucket++;
    histogram->counts[bucket]++;
    histogram->sum += value;
}

/* Seconds until the current queue is empty at the recent rate. Called with the lock held. */
static unsigned estimate_wait(const struct executor *executor)
{
    uint64_t now = uv_hrtime() / 1000000, first = now, seconds;
    unsigned recent = 0, queued = executor->stats.queued;

    for (uint64_t i = 0; i < ENDS && i < executor->end_count; i++) {
        if (now - executor->ends[i] > ENDS_MS)
            continue;
        recent++;
        first = executor->ends[i] < first ? executor->ends[i] : first;
    }
    if (queued == 0)
        return 1;
    if (recent == 0)
        return RETRY_UNKNOWN;
    seconds = ((uint64_t)queued * (now - first) / recent + 999) / 1000;
    if (seconds < 1)
        return 1;
    return seconds < RETRY_MAX ? (unsigned)seconds : RETRY_MAX;
}

unsigned executor_retry_after(struct executor *executor)
{
    unsigned seconds;

    pthread_mutex_lock(&executor->lock);
    seconds = estimate_wait(executor);
    pthread_mutex_unlock(&executor->lock);
    return seconds;
}

void executor_stats(struct executor *executor, struct executor_stats *stats)
{
    pthread_mutex_lock(&executor->lock);
    *stats = executor->stats;
    pthread_mutex_unlock(&executor->lock);
}

/* ---- on the loop ---- */

static void submission_on_taken(void *user)
{
    struct submission *submission = user;
    struct executor *executor = submission->executor;

    pthread_mutex_lock(&executor->lock);
    submission->waiting = false;
    executor->stats.queued--;
    executor->stats.running++;
    pthread_mutex_unlock(&executor->lock);
}

static void submission_on_result(void *user, const struct execution_result *result, bool started)
{
    struct submission *submission = user;
    struct executor *executor = submission->executor;

    pthread_mutex_lock(&executor->lock);
    executor->stats.running--;
    executor->stats.ended[result->status]++;
    if (started) {
        observe(&executor->stats.seconds, result->seconds);
        observe(&executor->stats.waited, result->waited);
    }
    executor->ends[executor->end_count++ % ENDS] = uv_hrtime() / 1000000;
    pthread_mutex_unlock(&executor->lock);
}

static unsigned submission_retry_after(void *user)
{
    return executor_retry_after(((struct submission *)user)->executor);
}

static void submission_on_end(void *user)
{
    struct submission *submission = user;
    struct executor *executor = submission->executor;
    bool cancel_posted;

    pthread_mutex_lock(&executor->lock);
    LIST_REMOVE(submission, link);
    cancel_posted = submission->cancel_posted;
    pthread_mutex_unlock(&executor->lock);
    submission->ended = true;
    if (!cancel_posted)
        free(submission);
}

static void run_intake(void *arg)
{
    struct submission *submission = arg;

    run_begin(submission->run, &submission->executor->run_host, submission);
}

static void run_cancel(void *arg)
{
    struct submission *submission = arg;
    struct executor *executor = submission->executor;

    if (submission->ended) {
        free(submission);
        return;
    }
    pthread_mutex_lock(&executor->lock);
    submission->cancel_posted = false; /* from here on the end of the run may free the submission */
    pthread_mutex_unlock(&executor->lock);
    run_cancel_now(submission->run);
}

static struct submission *first_submission(struct executor *executor)
{
    struct submission *submission;

    pthread_mutex_lock(&executor->lock);
    submission = LIST_FIRST(&executor->submissions);
    pthread_mutex_unlock(&executor->lock);
    return submission;
}

static void submissions_abort(struct executor *executor, const char *why)
{
    struct submission *submission;

    while ((submission = first_submission(executor)))
        run_abort(submission->run, why); /* removes it from the list */
}

static void on_counts(void *user, int kind, const struct executor_kind_stats *row, unsigned ready)
{
    struct executor *executor = user;

    pthread_mutex_lock(&executor->lock);
    executor->stats.kinds[kind] = *row;
    if (executor->ready[kind] != ready)
        pthread_cond_broadcast(&executor->ready_changed);
    executor->ready[kind] = ready;
    pthread_mutex_unlock(&executor->lock);
}

/* The pool is gone; the loop ends once the handles closed here are gone. */
static void on_empty(void *user)
{
    struct executor *executor = user;

    workq_destroy(executor->workq);
    loop_handle_close(executor->loop_handle);
    loop_queue_destroy(executor->loop_queue);
}

static void run_start(void *arg)
{
    pool_start(((struct executor *)arg)->pool);
}

static void run_stop(void *arg)
{
    struct executor *executor = arg;

    submissions_abort(executor, "the server is stopping");
    pool_stop(executor->pool);
}

static void *run_loop(void *arg)
{
    struct executor *executor = arg;

    uv_run(&executor->loop, UV_RUN_DEFAULT);
    return NULL;
}

/* ---- from outside ---- */

static unsigned count_waiting(const struct executor *executor, const char *session)
{
    const struct submission *submission;
    unsigned count = 0;

    LIST_FOREACH(submission, &executor->submissions, link)
    count += submission->waiting && admission_same(run_session(submission->run), session);
    return count;
}

/* Keeps room for sessions other than the one that has most of the queue. Under the lock. */
static int check_room(struct executor *executor, const char *session, struct error *err)
{
    unsigned waiting = executor->stats.queued;

    if (waiting < EXECUTION_WAITING_CAP &&
        (waiting < EXECUTION_SESSION_WAITING_CAP ||
         count_waiting(executor, session) < EXECUTION_SESSION_WAITING_CAP))
        return 0;
    executor->stats.turned_away++;
    if (waiting >= EXECUTION_WAITING_CAP)
        return error_set(err, ERROR_BUSY,
                         "%u runs already wait for a sandbox; send it again in %u s", waiting,
                         estimate_wait(executor));
    return error_set(err, ERROR_BUSY,
                     "%u runs %s already wait for a sandbox, the most that may; send it again in "
                     "%u s",
                     EXECUTION_SESSION_WAITING_CAP,
                     session ? "of this session" : "without a session", estimate_wait(executor));
}

/* Queues the submission's job, or refuses it. */
static uint64_t post(struct executor *executor, struct submission *submission, struct error *err)
{
    uint64_t id = 0;

    pthread_mutex_lock(&executor->lock);
    if (check_room(executor, run_session(submission->run), err) == 0) {
        id = submission->id = ++executor->last_id;
        submission->waiting = true;
        LIST_INSERT_HEAD(&executor->submissions, submission, link);
        executor->stats.attempts++;
        executor->stats.queued++;
        loop_queue_post(executor->loop_queue, &submission->intake);
    }
    pthread_mutex_unlock(&executor->lock);
    return id;
}

uint64_t executor_run(struct executor *executor, const struct execution_job *job, struct error *err)
{
    struct submission *submission = calloc(1, sizeof *submission);
    uint64_t id;

    if (!submission) {
        error_set(err, ERROR_MEMORY, "out of memory for a run");
        return 0;
    }
    submission->executor = executor;
    submission->intake.run = run_intake;
    submission->intake.arg = submission;
    submission->cancel.run = run_cancel;
    submission->cancel.arg = submission;
    submission->run = run_create(job, err);
    id = submission->run ? post(executor, submission, err) : 0;
    if (id == 0) {
        run_discard(submission->run);
        free(submission);
    }
    return id;
}

void executor_cancel(struct executor *executor, uint64_t id)
{
    struct submission *submission;

    pthread_mutex_lock(&executor->lock);
    LIST_FOREACH(submission, &executor->submissions, link)
    {
        if (submission->id != id)
            continue;
        if (!submission->cancel_posted)
            loop_queue_post(executor->loop_queue, &submission->cancel);
        submission->cancel_posted = true;
        break;
    }
    pthread_mutex_unlock(&executor->lock);
}

int executor_wait_warm(struct executor *executor, const char *kind, unsigned timeout_ms,
                       struct error *err)
{
    int index = kind_index(kind);
    struct timespec until;
    int rc = 0;

    if (index < 0)
        return error_set(err, ERROR_INVALID, "no sandbox is of kind '%s'", kind);
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += timeout_ms / 1000;
    until.tv_nsec += (long)(timeout_ms % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    pthread_mutex_lock(&executor->lock);
    while (rc == 0 && executor->ready[index] == 0)
        rc = pthread_cond_timedwait(&executor->ready_changed, &executor->lock, &until);
    rc = executor->ready[index] > 0 ? 0 : -1;
    pthread_mutex_unlock(&executor->lock);
    return rc == 0 ? 0
                   : error_set(err, ERROR_TIMEOUT, "no sandbox of kind %s was ready within %u ms",
                               kind, timeout_ms);
}

/* ---- life ---- */

static bool keeps_warm(const struct executor_config *config, int kind)
{
    if (!config->warm)
        return true;
    for (const char *const *name = config->warm; *name; name++) {
        if (kind_index(*name) == kind)
            return true;
    }
    return false;
}

static void init_hosts(struct executor *executor, const struct executor_config *config)
{
    executor->sandbox_host.loop = &executor->loop;
    executor->sandbox_host.engine = executor->engine;
    executor->sandbox_host.state = executor->state;
    executor->sandbox_host.limits = &executor->limits;
    for (int kind = 0; kind < KINDS_COUNT; kind++) {
        executor->sandbox_host.kinds[kind] = execution_kinds[kind];
        executor->sandbox_host.kinds[kind].isolation = config->isolation;
        if (config->memory_mb)
            executor->sandbox_host.kinds[kind].memory_mb = config->memory_mb;
    }
    executor->run_host.loop = &executor->loop;
    executor->run_host.limits = &executor->limits;
    executor->run_host.kinds = executor->sandbox_host.kinds;
    executor->run_host.on_taken = submission_on_taken;
    executor->run_host.on_result = submission_on_result;
    executor->run_host.retry_after = submission_retry_after;
    executor->run_host.on_end = submission_on_end;
}

/* A control group may allow less memory than the machine has. */
static struct pool_room room_of(const struct executor_limits *limits)
{
    uint64_t memory = uv_get_total_memory(), allowed = uv_get_constrained_memory();

    if (limits->room.sandboxes > 0)
        return limits->room;
    return plan_room(uv_available_parallelism(),
                     allowed > 0 && allowed < memory ? allowed : memory);
}

static int create_parts(struct executor *executor, const struct executor_config *config,
                        struct error *err)
{
    struct pool_room room = room_of(&executor->limits);
    struct workq_config workq = {.name = "sandbox",
                                 .threads = room.starts + WORKQ_THREADS_MORE,
                                 .capacity = POOL_WORKQ_JOBS};
    struct pool_config pool = {.host = &executor->sandbox_host,
                               .isolation = config->isolation,
                               .room = room,
                               .on_counts = on_counts,
                               .on_empty = on_empty,
                               .user = executor};

    executor->loop_queue = loop_queue_create(&executor->loop, err);
    if (!executor->loop_queue)
        return -1;
    executor->loop_handle = loop_handle_create(executor->loop_queue, err);
    if (!executor->loop_handle)
        return -1;
    executor->workq = workq_create(&workq, executor->loop_queue, err);
    if (!executor->workq)
        return -1;
    for (int kind = 0; kind < KINDS_COUNT; kind++)
        pool.warm[kind] = keeps_warm(config, kind);
    if (kinds_read_waiting(config->waiting, room.waiting, pool.waiting, err) < 0)
        return -1;
    executor->pool = pool_create(&pool, err);
    if (!executor->pool)
        return -1;
    executor->sandbox_host.workq = executor->workq;
    executor->run_host.pool = executor->pool;
    executor->run_host.loop_handle = executor->loop_handle;
    return 0;
}

static int start_thread(struct executor *executor, struct error *err)
{
    int rc;

    executor->start.run = run_start;
    executor->start.arg = executor;
    executor->stop.run = run_stop;
    executor->stop.arg = executor;
    loop_queue_post(executor->loop_queue, &executor->start);
    rc = pthread_create(&executor->thread, NULL, run_loop, executor);
    if (rc != 0)
        return error_errno(err, rc, "the executor's thread");
    pthread_setname_np(executor->thread, "executor");
    return 0;
}

static void free_executor(struct executor *executor)
{
    int rc = uv_loop_close(&executor->loop);

    if (rc < 0)
        log_error("executor", "the loop still has handles: %s", uv_strerror(rc));
    loop_handle_unref(executor->loop_handle);
    executor->engine->close(executor->state);
    pthread_cond_destroy(&executor->ready_changed);
    pthread_mutex_destroy(&executor->lock);
    free(executor);
}

/* Destroys what create_parts made, before a thread has used it. */
static void undo_parts(struct executor *executor)
{
    if (executor->pool)
        pool_stop(executor->pool); /* on_empty destroys the rest */
    else {
        workq_destroy(executor->workq);
        loop_queue_destroy(executor->loop_queue);
    }
    uv_run(&executor->loop, UV_RUN_DEFAULT);
}

static struct executor *create_on(const struct engine *engine, void *state,
                                  const struct executor_config *config,
                                  const struct executor_limits *limits, struct error *err)
{
    struct executor *executor = calloc(1, sizeof *executor);
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
    pthread_condattr_t monotonic;
    sigset_t all, before;
    int rc;

    if (!executor) {
        error_set(err, ERROR_MEMORY, "out of memory for the executor");
        engine->close(state);
        return NULL;
    }
    executor->engine = engine;
    executor->state = state;
    executor->limits = *limits;
    LIST_INIT(&executor->submissions);
    pthread_mutex_init(&executor->lock, NULL);
    executor->stats.kind_count = KINDS_COUNT;
    for (int kind = 0; kind < KINDS_COUNT; kind++)
        executor->stats.kinds[kind].name = execution_kinds[kind].name;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&executor->ready_changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    engine->describe(state, executor->description, sizeof executor->description);
    uv_loop_init(&executor->loop);
    init_hosts(executor, config);
    /* Signals are for the main thread; those of a fault stay with the thread that caused it. */
    sigfillset(&all);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&all, faults[i]);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    rc = create_parts(executor, config, err);
    if (rc == 0)
        rc = start_thread(executor, err);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc < 0) {
        undo_parts(executor);
        free_executor(executor);
        return NULL;
    }
    return executor;
}

struct executor *executor_create_with(const struct engine *engine,
                                      const struct executor_config *config,
                                      const struct executor_limits *limits, struct error *err)
{
    void *state = engine->open(config, err);

    return state ? create_on(engine, state, config, limits, err) : NULL;
}

struct executor *executor_create(const struct executor_config *config, struct error *err)
{
    char note[2 * ENGINE_DESCRIPTION_CAP];
    const struct engine *engine;
    struct executor *executor;
    void *state;

    engine = engine_choose(config, &state, note, sizeof note, err);
    if (!engine)
        return NULL;
    if (note[0])
        log_info("executor", "%s", note);
    executor = create_on(engine, state, config, &executor_limits_default, err);
    if (executor)
        log_info("executor", "%s", executor->description);
    return executor;
}

void executor_destroy(struct executor *executor)
{
    if (!executor)
        return;
    executor->engine->interrupt(executor->state);
    loop_queue_post(executor->loop_queue, &executor->stop);
    pthread_join(executor->thread, NULL);
    free_executor(executor);
}
