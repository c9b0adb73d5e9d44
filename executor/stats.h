/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What an executor counts (struct executor_stats), and how long a caller that is turned away should
 * wait. Any thread.
 */
#ifndef LECTERN_EXECUTOR_STATS_H
#define LECTERN_EXECUTOR_STATS_H

#include <pthread.h>

#include "executor/executor.h"

#define STATS_ENDS          32u /* last ends of runs, whose rate says how fast a queue moves */
#define STATS_ENDS_MS       60000u
#define STATS_RETRY_UNKNOWN 5u /* seconds, where runs wait and none has ended lately */
#define STATS_RETRY_MAX     (EXECUTION_WAIT_MS_MAX / 1000u) /* nobody waits longer than that */

struct stats {
    pthread_mutex_t lock;
    struct executor_stats now;
    uint64_t ends[STATS_ENDS]; /* ms of uv_hrtime, a ring */
    uint64_t end_count;
};

void stats_init(struct stats *stats);
void stats_finish(struct stats *stats);

void stats_taken(struct stats *stats); /* a job is in the queue */
void stats_turned_away(struct stats *stats);
void stats_begun(struct stats *stats); /* out of the queue: it has a sandbox */

/* queued: it ended in the queue. */
void stats_ended(struct stats *stats, const struct execution_result *result, bool queued,
                 bool started);

/* The row of one kind, by its number; the name is the table's. */
void stats_set_kind(struct stats *stats, int kind, const struct executor_kind_stats *row);

void stats_read(struct stats *stats, struct executor_stats *copy);
unsigned stats_retry_after(struct stats *stats);

#endif
