/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of a serving process, created once by command/ and borrowed by transport, protocol and
 * tools. A function takes the part that it uses.
 */
#ifndef LECTERN_SERVER_H
#define LECTERN_SERVER_H

#include <stdint.h>

#include <uv.h>

#include "executor/executor.h"
#include "helpers/base/loop_queue.h"
#include "helpers/base/seal.h"
#include "helpers/base/workq.h"
#include "validator/validator.h"

#define REFUSED_RULES_CAP 48u /* more than the validator has */

struct change_feed;
struct ended_ids;
struct graph_cache;
struct history_pages;
struct limits;
struct solver;
struct tutor;

/* How many programs this rule refused. A program counts for the first violation in its source. */
struct refused_rule {
    const char *rule; /* static; NULL after the last */
    uint64_t programs;
};

/* The access paths to the store. Each thread of a work queue has a connection (struct store) as its
 * context. The key of a job is its session. With a service behind the store all queues have several
 * threads (mcp/command/server.c). */
struct store_queues {
    const char *url;
    struct workq *sql;   /* one thread, STORE_WRITE */
    struct workq *read;  /* STORE_READ connections: lists, the broker */
    struct workq *graph; /* STORE_READ: graph queries, and what an edit does to the graph */
    struct workq *trial; /* one thread, STORE_READ: dry runs and large writes, on a copy */
    struct graph_cache *graphs;
    struct change_feed *feed; /* the commits of the sql work queue */
    struct ended_ids *ended;  /* sealed ids that are over */
};

/* What runs analyses, and their limits. */
struct analyses {
    struct executor *executor; /* NULL if no engine works: execute_code says how to fix it */
    char executor_error[ERROR_TEXT_CAP]; /* why executor is NULL */
    const struct validator_profile *profile;
    long timeout_seconds; /* maximum running time of one */
    unsigned attempts;    /* at the code of one question, from 1 to ATTEMPTS_MOST (attempts.h) */
    long stdout_characters, stderr_characters;      /* maximum shown to a model */
    struct refused_rule refused[REFUSED_RULES_CAP]; /* on the loop's thread only */
};

struct server {
    uv_loop_t *loop;               /* of the loop thread */
    struct loop_queue *loop_queue; /* of that loop */
    /* For what clients keep for the server: the same for all servers on the store. */
    unsigned char seal_key[SEAL_KEY_SIZE];
    struct store_queues store;
    struct analyses analyses;
    struct limits *limits;           /* of each token (mcp/auth/limits.h); NULL: none */
    struct history_pages *histories; /* of the tool history, on the loop's thread */
    struct dry_runs *dry_runs;       /* of change_curriculum; NULL: none is kept */
    unsigned toolsets;               /* that connections may have: a set of TOOLSET_BIT (tool.h) */
    struct solver *solver;           /* mcp/agent/solver.h; NULL: no question is solved by roles */
    struct tutor *tutor;             /* mcp/tutor/tutor.h; NULL without the toolset tutor */
};

#endif
