/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/base/workq.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/hash.h"

STAILQ_HEAD(job_list, workq_job);

struct workq_thread {
    LIST_ENTRY(workq_thread) idle;
    struct workq *workq;
    pthread_cond_t wake;
    bool waits; /* is in the list */
    pthread_t id;
    void *context;
    uint64_t key; /* of the job under work */
    bool large;   /* that job is */
};

struct workq {
    struct workq_config config;
    struct loop_queue *loop_queue;
    pthread_mutex_t lock;
    LIST_HEAD(, workq_thread) idle; /* who worked last comes first: its caches are warm */
    struct job_list jobs;
    size_t waiting;
    bool stopping;
    size_t started;
    struct workq_thread threads[];
};

static void run_done(void *arg)
{
    struct workq_job *job = arg;

    job->done(job);
}

static void work_off(struct workq_thread *thread, struct job_list *jobs)
{
    const struct workq_groups *groups = thread->workq->config.groups;
    struct error err = {0};
    struct workq_job *job;
    bool kept = true;

    if (!groups) {
        STAILQ_FOREACH(job, jobs, link) job->work(job, thread->context);
        return;
    }
    if (groups->begin(thread->context, &err) == 0) {
        STAILQ_FOREACH(job, jobs, link) job->work(job, thread->context);
        kept = groups->end(thread->context, &err) == 0;
    } else {
        kept = false;
    }
    if (!kept)
        STAILQ_FOREACH(job, jobs, link) job->undone(job, &err);
}

static bool may_begin(const struct workq *workq, const struct workq_job *job)
{
    const struct workq_config *config = &workq->config;
    size_t same = 0, large = 0, same_large = 0;

    for (size_t i = 0; i < config->threads; i++) {
        const struct workq_thread *thread = &workq->threads[i];

        same += thread->key == job->key;
        large += thread->large;
        same_large += thread->large && thread->key == job->key;
    }
    if (job->key == 0)
        same = same_large = 0;
    return (config->per_key == 0 || same < config->per_key) &&
           (config->large == 0 || !job->large || (large < config->large && same_large == 0));
}

/* The next group of jobs, one at most where there are no groups. False where there is none that may
 * begin: the thread that is in its way comes back for it. */
static bool take(struct workq_thread *thread, struct job_list *jobs)
{
    struct workq *workq = thread->workq;
    size_t most = workq->config.groups ? workq->config.groups->jobs : 1;
    struct workq_job *job, *next;

    STAILQ_INIT(jobs);
    for (job = STAILQ_FIRST(&workq->jobs); job && most > 0; job = next) {
        next = STAILQ_NEXT(job, link);
        if (!may_begin(workq, job))
            continue;
        most--;
        thread->key = job->key;
        thread->large = job->large;
        STAILQ_REMOVE(&workq->jobs, job, workq_job, link);
        STAILQ_INSERT_TAIL(jobs, job, link);
        workq->waiting--;
    }
    return !STAILQ_EMPTY(jobs);
}

static void wait_for_jobs(struct workq_thread *thread)
{
    LIST_INSERT_HEAD(&thread->workq->idle, thread, idle);
    thread->waits = true;
    while (thread->waits)
        pthread_cond_wait(&thread->wake, &thread->workq->lock);
}

static void wake_one(struct workq *workq)
{
    struct workq_thread *thread = LIST_FIRST(&workq->idle);

    if (!thread)
        return;
    LIST_REMOVE(thread, idle);
    thread->waits = false;
    pthread_cond_signal(&thread->wake);
}

/* Whether the thread must look for jobs again: there is more idle work, or a job or the end has
 * come while the thread could not be woken. */
static bool work_idly(struct workq_thread *thread)
{
    struct workq *workq = thread->workq;
    size_t waiting = workq->waiting;
    bool more;

    if (!workq->config.idle)
        return false;
    pthread_mutex_unlock(&workq->lock);
    more = workq->config.idle(thread->context);
    pthread_mutex_lock(&workq->lock);
    return more || workq->waiting > waiting || workq->stopping;
}

static void *run(void *arg)
{
    struct workq_thread *thread = arg;
    struct workq *workq = thread->workq;
    struct job_list jobs;
    struct workq_job *job;

    pthread_mutex_lock(&workq->lock);
    for (;;) {
        bool any;

        while (!(any = take(thread, &jobs)) && !workq->stopping)
            if (!work_idly(thread))
                wait_for_jobs(thread);
        if (!any)
            break;
        pthread_mutex_unlock(&workq->lock);
        work_off(thread, &jobs);
        while ((job = STAILQ_FIRST(&jobs))) { /* posted, it belongs to the loop */
            STAILQ_REMOVE_HEAD(&jobs, link);
            loop_queue_post(workq->loop_queue, &job->task);
        }
        pthread_mutex_lock(&workq->lock);
        thread->key = 0;
        thread->large = false;
    }
    pthread_mutex_unlock(&workq->lock);
    return NULL;
}

static int start_thread(struct workq *workq, struct workq_thread *thread, struct error *err)
{
    int rc;

    thread->workq = workq;
    if (workq->config.open) {
        thread->context = workq->config.open(workq->config.arg, err);
        if (!thread->context)
            return error_wrap(err, "work queue %s", workq->config.name);
    }
    pthread_cond_init(&thread->wake, NULL);
    rc = pthread_create(&thread->id, NULL, run, thread);
    if (rc != 0) {
        if (workq->config.close)
            workq->config.close(thread->context);
        return error_errno(err, rc, "work queue %s: pthread_create", workq->config.name);
    }
    pthread_setname_np(thread->id, workq->config.name);
    workq->started++;
    return 0;
}

uint64_t workq_key(const char *name)
{
    uint64_t key = hash_bytes(HASH_START, name, strlen(name));

    return key > 0 ? key : 1;
}

struct workq *workq_create(const struct workq_config *config, struct loop_queue *loop_queue,
                           struct error *err)
{
    struct workq *workq = calloc(1, sizeof *workq + config->threads * sizeof workq->threads[0]);

    if (!workq) {
        error_set(err, ERROR_MEMORY, "out of memory for work queue %s", config->name);
        return NULL;
    }
    workq->config = *config;
    workq->loop_queue = loop_queue;
    STAILQ_INIT(&workq->jobs);
    pthread_mutex_init(&workq->lock, NULL);
    LIST_INIT(&workq->idle);
    for (size_t i = 0; i < config->threads; i++) {
        if (start_thread(workq, &workq->threads[i], err) < 0) {
            workq_destroy(workq);
            return NULL;
        }
    }
    return workq;
}

/* Jobs of one key do not take all the room where others need not wait for them. */
static bool is_full(const struct workq *workq, uint64_t key)
{
    const struct workq_job *job;
    size_t of_key = 0;

    if (workq->waiting >= workq->config.capacity)
        return true;
    if ((workq->config.per_key == 0 && workq->config.large == 0) || key == 0 ||
        workq->waiting < workq->config.capacity / 2)
        return false;
    STAILQ_FOREACH(job, &workq->jobs, link) of_key += job->key == key;
    return of_key >= workq->config.capacity / 2;
}

int workq_submit(struct workq *workq, struct workq_job *job, struct error *err)
{
    size_t waiting;
    bool full;

    if (!workq)
        return error_set(err, ERROR_BUSY, "the server is shutting down");
    job->task.run = run_done;
    job->task.arg = job;
    pthread_mutex_lock(&workq->lock);
    full = is_full(workq, job->key);
    waiting = workq->waiting;
    if (!full) {
        STAILQ_INSERT_TAIL(&workq->jobs, job, link);
        workq->waiting++;
        wake_one(workq);
    }
    pthread_mutex_unlock(&workq->lock);
    return full ? error_set(err, ERROR_BUSY,
                            "the server is busy: %zu calls already wait for '%s'; send it again in "
                            "a moment",
                            waiting, workq->config.name)
                : 0;
}

struct workq_thread *workq_borrow(struct workq *workq, uint64_t key, void **context)
{
    struct workq_thread *thread = NULL;

    pthread_mutex_lock(&workq->lock);
    if (workq->config.lends && !workq->config.groups && workq->waiting == 0)
        thread = LIST_FIRST(&workq->idle);
    if (thread) {
        LIST_REMOVE(thread, idle); /* it still waits, and nobody wakes it */
        thread->key = key;
        *context = thread->context;
    }
    pthread_mutex_unlock(&workq->lock);
    return thread;
}

void workq_give_back(struct workq_thread *thread)
{
    struct workq *workq = thread->workq;

    pthread_mutex_lock(&workq->lock);
    thread->key = 0;
    LIST_INSERT_HEAD(&workq->idle, thread, idle);
    if (workq->waiting > 0) /* has come meanwhile */
        wake_one(workq);
    pthread_mutex_unlock(&workq->lock);
}

void workq_destroy(struct workq *workq)
{
    if (!workq)
        return;
    pthread_mutex_lock(&workq->lock);
    workq->stopping = true;
    while (!LIST_EMPTY(&workq->idle))
        wake_one(workq);
    pthread_mutex_unlock(&workq->lock);
    for (size_t i = 0; i < workq->started; i++) {
        pthread_join(workq->threads[i].id, NULL);
        pthread_cond_destroy(&workq->threads[i].wake);
        if (workq->config.close)
            workq->config.close(workq->threads[i].context);
    }
    pthread_mutex_destroy(&workq->lock);
    free(workq);
}
