/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a serving process is made of, built once by command/ and lent to transport, protocol and
 * tools. A function takes the part that it uses.
 */
#ifndef LECTERN_SERVER_H
#define LECTERN_SERVER_H

#include <stdint.h>

#include <uv.h>

#include "executor/executor.h"
#include "helpers/base/workq.h"
#include "helpers/base/loop_queue.h"
#include "validator/validator.h"

#define REFUSED_RULES_CAP 48u /* more than the validator has */

struct change_feed;
struct graph_cache;

/* How many programs the validator refused by that rule (of several, the first in the source). */
struct refused_rule {
    const char *rule; /* static; NULL behind the last */
    uint64_t programs;
};

/* The ways to the store. Each thread of a work queue has a connection as its context: struct store.
 * Their jobs' key is the session. In front of a service all have several threads
 * (mcp/command/server.c). */
struct store_queues {
    const char *url;
    struct workq *sql;   /* one thread, STORE_WRITE */
    struct workq *read;  /* STORE_READ connections: lists, the broker */
    struct workq *graph; /* one thread, STORE_READ: the only one that calls helpers/graph */
    struct workq *trial; /* one thread, STORE_READ: tries writes on a copy of their session */
    struct graph_cache *graphs; /* used on the graph work queue only */
    struct change_feed *feed;   /* what the sql work queue has committed */
};

/* What runs analyses, and how far they may go. */
struct analyses {
    struct executor *executor; /* NULL where no engine works: execute_code says what fixes it */
    char executor_error[ERROR_TEXT_CAP]; /* why executor is NULL */
    const struct validator_profile *profile;
    long timeout_seconds;                           /* most running time of one */
    long stdout_characters, stderr_characters;      /* of one, shown to a model at most */
    struct refused_rule refused[REFUSED_RULES_CAP]; /* on the loop's thread only */
};

struct server {
    uv_loop_t *loop;               /* the loop thread's */
    struct loop_queue *loop_queue; /* into that loop */
    struct store_queues store;
    struct analyses analyses;
};

#endif
