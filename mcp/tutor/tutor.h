/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tutor: teaches one curriculum's lessons to learners through the tools of the toolset tutor
 * (mcp/tutor/NAME.c, rows of TOOL_TABLE). It reads curricula and never changes them; it writes
 * learners (mcp/learner/learners.h).
 *
 * Its work queue has threads whose context is a struct tutor_thread: a connection to the store and
 * one to the learners. The key of a job is its learner (workq_key of the id), so the calls of one
 * learner run in their order, and do not wait for those of others. Everything else runs on the
 * loop's thread.
 */
#ifndef LECTERN_TUTOR_H
#define LECTERN_TUTOR_H

#include <pthread.h>

#include "helpers/base/error.h"
#include "helpers/base/workq.h"
#include "mcp/learner/learners.h"
#include "mcp/learner/tiers.h"
#include "mcp/server.h"
#include "mcp/store/store.h"

struct courses;  /* mcp/tutor/course.h */
struct gradings; /* mcp/tutor/grading.h */

struct tutor {
    struct server *server;  /* borrowed */
    const char *learners;   /* URL of the database of learners; borrowed */
    const char *tiers_file; /* or NULL; borrowed */
    pthread_mutex_t tiers_mutex;
    struct tiers *tiers; /* owned, under the mutex: tutor_tiers */
    struct courses *courses;
    struct gradings *gradings;
    struct workq *queue; /* NULL after tutor_stop */
};

struct tutor_thread {
    struct tutor *tutor;
    struct store *store;       /* STORE_READ */
    struct learners *learners; /* STORE_WRITE */
};

struct tutor_config {     /* the texts are borrowed for the life of the tutor */
    const char *learners; /* URL of their database, which is created */
    const char *tiers;    /* path of a file, or NULL */
    const char *exercises;
};

/* server has its loop_queue, its store and its work queues. */
struct tutor *tutor_create(struct server *server, const struct tutor_config *config,
                           struct error *err);
/* After the executor has ended: executes the jobs that wait, and accepts no more. Takes NULL. */
void tutor_stop(struct tutor *tutor);
/* After the loop's queue has run its last tasks. Takes NULL. */
void tutor_destroy(struct tutor *tutor);

/* The tiers at this moment: a reference that the caller returns with tiers_unref. Any thread. */
struct tiers *tutor_tiers(struct tutor *tutor);
/* On SIGHUP: reads the file of tiers again. If it cannot be used, the log says why, and the old
 * tiers stay. */
void tutor_read_tiers(struct tutor *tutor);

#endif
