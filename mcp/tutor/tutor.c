/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/tutor/tutor.h"

#include <stdlib.h>

#include "helpers/base/log.h"
#include "mcp/tutor/course.h"
#include "mcp/tutor/grading.h"

#define QUEUE_CAP       256
#define THREADS         2
#define SERVICE_THREADS 8 /* they wait for the service, not for the processor */

static void close_thread(void *context)
{
    struct tutor_thread *thread = context;

    store_close(thread->store);
    learners_close(thread->learners);
    free(thread);
}

static void *open_thread(void *arg, struct error *err)
{
    struct tutor *tutor = arg;
    struct tutor_thread *thread = calloc(1, sizeof *thread);

    if (!thread) {
        error_set(err, ERROR_MEMORY, "out of memory for the tutor");
        return NULL;
    }
    thread->tutor = tutor;
    thread->learners = learners_open(tutor->learners, STORE_WRITE, err);
    if (thread->learners)
        thread->store = store_open(tutor->server->store.url, STORE_READ, err);
    if (thread->store)
        return thread;
    close_thread(thread);
    return NULL;
}

struct tiers *tutor_tiers(struct tutor *tutor)
{
    struct tiers *tiers;

    pthread_mutex_lock(&tutor->tiers_mutex);
    tiers = tiers_ref(tutor->tiers);
    pthread_mutex_unlock(&tutor->tiers_mutex);
    return tiers;
}

void tutor_read_tiers(struct tutor *tutor)
{
    struct error err = {0};
    struct tiers *tiers = tiers_read(tutor->tiers_file, &err), *old;

    if (!tiers) {
        log_error("tutor", "the tiers stay as they were: %s", err.text);
        return;
    }
    pthread_mutex_lock(&tutor->tiers_mutex);
    old = tutor->tiers;
    tutor->tiers = tiers;
    pthread_mutex_unlock(&tutor->tiers_mutex);
    tiers_unref(old);
    log_info("tutor", "--tiers was read again");
}

struct tutor *tutor_create(struct server *server, const struct tutor_config *config,
                           struct error *err)
{
    struct tutor *tutor = calloc(1, sizeof *tutor);
    const struct workq_config queue = {
        .name = "tutor",
        .threads =
            store_url_capabilities(server->store.url).waits_for_network ? SERVICE_THREADS : THREADS,
        .capacity = QUEUE_CAP,
        .per_key = 1,
        .open = open_thread,
        .close = close_thread,
        .arg = tutor,
    };

    if (!tutor) {
        error_set(err, ERROR_MEMORY, "out of memory for the tutor");
        return NULL;
    }
    tutor->server = server;
    tutor->learners = config->learners;
    tutor->tiers_file = config->tiers;
    pthread_mutex_init(&tutor->tiers_mutex, NULL);
    tutor->tiers = tiers_read(config->tiers, err);
    if (tutor->tiers)
        tutor->courses = courses_create(config->exercises, err);
    if (tutor->courses)
        tutor->queue = workq_create(&queue, server->loop_queue, err);
    if (tutor->queue)
        tutor->gradings = gradings_create(tutor, err);
    if (tutor->gradings)
        return tutor;
    tutor_stop(tutor);
    tutor_destroy(tutor);
    return NULL;
}

void tutor_stop(struct tutor *tutor)
{
    if (!tutor)
        return;
    if (tutor->gradings)
        gradings_stop(tutor->gradings);
    workq_destroy(tutor->queue);
    tutor->queue = NULL;
}

void tutor_destroy(struct tutor *tutor)
{
    if (!tutor)
        return;
    gradings_destroy(tutor->gradings);
    courses_destroy(tutor->courses);
    tiers_unref(tutor->tiers);
    pthread_mutex_destroy(&tutor->tiers_mutex);
    free(tutor);
}
