/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/base/lane.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

STAILQ_HEAD(job_list, lane_job);

struct lane_thread {
    struct lane *lane;
    pthread_t id;
    void *context;
};

struct lane {
    struct lane_config config;
    struct mailbox *mailbox;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct job_list jobs;
    size_t waiting;
    bool stopping;
    size_t started;
    struct lane_thread threads[];
};

static void open_mail(void *arg)
{
    struct lane_job *job = arg;

    job->done(job);
}

static void work_off(struct lane_thread *thread, struct job_list *jobs)
{
    const struct lane_groups *groups = thread->lane->config.groups;
    struct error err = {0};
    struct lane_job *job;
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

/* The next group of jobs, one at most where there are no groups. */
static void take(struct lane *lane, struct job_list *jobs)
{
    size_t most = lane->config.groups ? lane->config.groups->jobs : 1;
    struct lane_job *job;

    STAILQ_INIT(jobs);
    while (most-- > 0 && (job = STAILQ_FIRST(&lane->jobs))) {
        STAILQ_REMOVE_HEAD(&lane->jobs, link);
        STAILQ_INSERT_TAIL(jobs, job, link);
        lane->waiting--;
    }
}

static void *run(void *arg)
{
    struct lane_thread *thread = arg;
    struct lane *lane = thread->lane;
    struct job_list jobs;
    struct lane_job *job;

    pthread_mutex_lock(&lane->lock);
    for (;;) {
        while (STAILQ_EMPTY(&lane->jobs) && !lane->stopping)
            pthread_cond_wait(&lane->wake, &lane->lock);
        if (STAILQ_EMPTY(&lane->jobs))
            break;
        take(lane, &jobs);
        pthread_mutex_unlock(&lane->lock);
        work_off(thread, &jobs);
        while ((job = STAILQ_FIRST(&jobs))) { /* posted, it belongs to the loop */
            STAILQ_REMOVE_HEAD(&jobs, link);
            mailbox_post(lane->mailbox, &job->mail);
        }
        pthread_mutex_lock(&lane->lock);
    }
    pthread_mutex_unlock(&lane->lock);
    return NULL;
}

static int start_thread(struct lane *lane, struct lane_thread *thread, struct error *err)
{
    int rc;

    thread->lane = lane;
    if (lane->config.open) {
        thread->context = lane->config.open(lane->config.arg, err);
        if (!thread->context)
            return error_wrap(err, "lane %s", lane->config.name);
    }
    rc = pthread_create(&thread->id, NULL, run, thread);
    if (rc != 0) {
        if (lane->config.close)
            lane->config.close(thread->context);
        return error_errno(err, rc, "lane %s: pthread_create", lane->config.name);
    }
    pthread_setname_np(thread->id, lane->config.name);
    lane->started++;
    return 0;
}

struct lane *lane_create(const struct lane_config *config, struct mailbox *mailbox,
                         struct error *err)
{
    struct lane *lane = calloc(1, sizeof *lane + config->threads * sizeof lane->threads[0]);

    if (!lane) {
        error_set(err, ERROR_MEMORY, "out of memory for lane %s", config->name);
        return NULL;
    }
    lane->config = *config;
    lane->mailbox = mailbox;
    STAILQ_INIT(&lane->jobs);
    pthread_mutex_init(&lane->lock, NULL);
    pthread_cond_init(&lane->wake, NULL);
    for (size_t i = 0; i < config->threads; i++) {
        if (start_thread(lane, &lane->threads[i], err) < 0) {
            lane_destroy(lane);
            return NULL;
        }
    }
    return lane;
}

int lane_submit(struct lane *lane, struct lane_job *job, struct error *err)
{
    bool full;

    job->mail.open = open_mail;
    job->mail.arg = job;
    pthread_mutex_lock(&lane->lock);
    full = lane->waiting >= lane->config.capacity;
    if (!full) {
        STAILQ_INSERT_TAIL(&lane->jobs, job, link);
        lane->waiting++;
        pthread_cond_signal(&lane->wake);
    }
    pthread_mutex_unlock(&lane->lock);
    return full ? error_set(err, ERROR_BUSY,
                            "the server is busy: %zu calls already wait for '%s'; send it again in "
                            "a moment",
                            lane->config.capacity, lane->config.name)
                : 0;
}

void lane_destroy(struct lane *lane)
{
    if (!lane)
        return;
    pthread_mutex_lock(&lane->lock);
    lane->stopping = true;
    pthread_cond_broadcast(&lane->wake);
    pthread_mutex_unlock(&lane->lock);
    for (size_t i = 0; i < lane->started; i++) {
        pthread_join(lane->threads[i].id, NULL);
        if (lane->config.close)
            lane->config.close(lane->threads[i].context);
    }
    pthread_cond_destroy(&lane->wake);
    pthread_mutex_destroy(&lane->lock);
    free(lane);
}
