/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/parts/job_waiter.h"

#include <dirent.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "helpers/base/buf.h"

static atomic_uint ends;

void job_waiter_init(struct job_waiter *waiter)
{
    pthread_condattr_t monotonic;

    memset(waiter, 0, sizeof *waiter);
    pthread_mutex_init(&waiter->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&waiter->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

void job_waiter_finish(struct job_waiter *waiter)
{
    free(waiter->out);
    free(waiter->err);
    free(waiter->value);
    free(waiter->error);
    free(waiter->error_type);
    free(waiter->streamed);
    free(waiter->figure);
    pthread_cond_destroy(&waiter->changed);
    pthread_mutex_destroy(&waiter->lock);
}

static void on_queued(void *user, unsigned place)
{
    struct job_waiter *waiter = user;

    pthread_mutex_lock(&waiter->lock);
    waiter->place = place;
    waiter->told++;
    pthread_mutex_unlock(&waiter->lock);
}

static void set_flag(struct job_waiter *waiter, bool *flag)
{
    pthread_mutex_lock(&waiter->lock);
    *flag = true;
    pthread_cond_broadcast(&waiter->changed);
    pthread_mutex_unlock(&waiter->lock);
}

static void on_started(void *user)
{
    struct job_waiter *waiter = user;

    set_flag(waiter, &waiter->started);
}

static void on_output(void *user, int fd, const char *bytes, size_t len)
{
    struct job_waiter *waiter = user;
    char *longer;

    if (fd != 1)
        return;
    longer = realloc(waiter->streamed, waiter->streamed_len + len + 1);
    if (!longer)
        abort();
    memcpy(longer + waiter->streamed_len, bytes, len);
    waiter->streamed = longer;
    waiter->streamed_len += len;
    longer[waiter->streamed_len] = '\0';
}

static void on_request(void *user, struct broker_request *request)
{
    struct job_waiter *waiter = user;
    char text[512];
    int len;

    waiter->requests++;
    if (waiter->answer) {
        waiter->answer(waiter, request);
        set_flag(waiter, &waiter->asked);
        return;
    }
    len = snprintf(text, sizeof text, "{\"session\": \"%s\", \"target\": \"%.300s\"}",
                   broker_request_session(request), broker_request_target(request));
    executor_answer(request, 200, text, (size_t)len);
}

static char *copy(const char *text)
{
    return text ? strdup(text) : NULL;
}

static void on_done(void *user, const struct execution_result *result)
{
    struct job_waiter *waiter = user;

    pthread_mutex_lock(&waiter->lock);
    waiter->done_calls++;
    waiter->status = result->status;
    waiter->out = copy(result->stdout_text);
    waiter->out_len = result->stdout_len;
    waiter->err = copy(result->stderr_text);
    waiter->value = copy(result->value);
    waiter->error = copy(result->error);
    waiter->error_type = copy(result->error_type);
    waiter->out_cut = result->stdout_cut;
    waiter->out_head = result->stdout_head;
    waiter->artifacts = result->artifact_count;
    if (result->artifact_count > 0)
        waiter->figure = copy(result->artifacts[result->artifact_count - 1].base64);
    waiter->end_order = atomic_fetch_add(&ends, 1) + 1;
    waiter->exit_code = result->exit_code;
    waiter->seconds = result->seconds;
    waiter->waited = result->waited;
    waiter->finished = true;
    pthread_cond_broadcast(&waiter->changed);
    pthread_mutex_unlock(&waiter->lock);
}

uint64_t job_waiter_run(struct job_waiter *waiter, struct executor *executor,
                        struct execution_job *job, struct error *err)
{
    job->on_queued = on_queued;
    job->on_started = on_started;
    job->on_output = on_output;
    job->on_request = on_request;
    job->on_done = on_done;
    job->user = waiter;
    return executor_run(executor, job, err);
}

static bool wait_for(struct job_waiter *waiter, const bool *flag, unsigned ms)
{
    struct timespec until;
    bool seen;
    int rc = 0;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += (time_t)(ms / 1000);
    until.tv_nsec += (long)(ms % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    pthread_mutex_lock(&waiter->lock);
    while (!*flag && rc == 0)
        rc = pthread_cond_timedwait(&waiter->changed, &waiter->lock, &until);
    seen = *flag;
    pthread_mutex_unlock(&waiter->lock);
    return seen;
}

bool job_waiter_wait_started(struct job_waiter *waiter, unsigned ms)
{
    return wait_for(waiter, &waiter->started, ms);
}

bool job_waiter_wait_asked(struct job_waiter *waiter, unsigned ms)
{
    return wait_for(waiter, &waiter->asked, ms);
}

bool job_waiter_wait(struct job_waiter *waiter, unsigned ms)
{
    return wait_for(waiter, &waiter->finished, ms);
}

enum execution_status job_waiter_do(struct job_waiter *waiter, struct executor *executor,
                                    const char *kind, const char *code)
{
    struct execution_job job = {.code = code,
                                .code_len = strlen(code),
                                .session_id = "s",
                                .kind = kind,
                                .profile = "visualization"};
    struct error err = {0};

    job_waiter_init(waiter);
    if (job_waiter_run(waiter, executor, &job, &err) == 0) {
        fprintf(stderr, "the job was not taken: %s\n", err.text);
        abort();
    }
    if (!job_waiter_wait(waiter, 90000)) {
        fprintf(stderr, "the job did not end\n");
        abort();
    }
    return waiter->status;
}

static int count_entries(const char *path)
{
    DIR *folder = opendir(path);
    int count = 0;

    while (folder &&
           readdir(folder)) // NOLINT(concurrency-mt-unsafe): a folder of this thread's own
        count++;
    if (folder)
        closedir(folder);
    return count;
}

/* Of all threads: a child belongs to the thread that made it. */
static int count_children(void)
{
    DIR *folder = opendir("/proc/self/task");
    struct dirent *entry;
    int count = 0;

    while (folder && (entry = readdir(folder))) { // NOLINT(concurrency-mt-unsafe)
        char path[300], text[4096];
        FILE *file;

        snprintf(path, sizeof path, "/proc/self/task/%s/children", entry->d_name);
        file = fopen(path, "re");
        if (!file)
            continue;
        if (fgets(text, sizeof text, file)) {
            for (char *c = text; *c; c++)
                count += *c == ' ';
        }
        fclose(file);
    }
    if (folder)
        closedir(folder);
    return count;
}

struct holdings holdings_count(void)
{
    return (struct holdings){.descriptors = count_entries("/proc/self/fd"),
                             .threads = count_entries("/proc/self/task"),
                             .children = count_children()};
}

bool holdings_are(const struct holdings *before)
{
    struct holdings now = {0};

    for (int i = 0; i < 12000; i++) {
        now = holdings_count();
        if (now.descriptors <= before->descriptors && now.threads <= before->threads &&
            now.children <= before->children)
            return true;
        usleep(5000);
    }
    fprintf(stderr, "held now / before: descriptors %d/%d, threads %d/%d, children %d/%d\n",
            now.descriptors, before->descriptors, now.threads, before->threads, now.children,
            before->children);
    return false;
}
