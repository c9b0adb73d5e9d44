/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/stats.h"

#include <string.h>
#include <uv.h>

#include "executor/engine.h"

_Static_assert(KINDS_COUNT <= EXECUTOR_KINDS_CAP, "EXECUTOR_KINDS_CAP");

/* From an echo on a waiting sandbox to the longest run that a server may allow. */
const double executor_buckets[EXECUTOR_BUCKETS] = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.1,
                                                   0.25,  0.5,    1,     5,    15,    60};

void stats_init(struct stats *stats)
{
    memset(stats, 0, sizeof *stats);
    pthread_mutex_init(&stats->lock, NULL);
    stats->now.kind_count = KINDS_COUNT;
    for (int kind = 0; kind < KINDS_COUNT; kind++)
        stats->now.kinds[kind].name = execution_kinds[kind].name;
}

void stats_finish(struct stats *stats)
{
    pthread_mutex_destroy(&stats->lock);
}

void stats_taken(struct stats *stats)
{
    pthread_mutex_lock(&stats->lock);
    stats->now.attempts++;
    stats->now.queued++;
    pthread_mutex_unlock(&stats->lock);
}

void stats_turned_away(struct stats *stats)
{
    pthread_mutex_lock(&stats->lock);
    stats->now.turned_away++;
    pthread_mutex_unlock(&stats->lock);
}

void stats_begun(struct stats *stats)
{
    pthread_mutex_lock(&stats->lock);
    stats->now.queued--;
    stats->now.running++;
    pthread_mutex_unlock(&stats->lock);
}

static void observe(struct executor_histogram *histogram, double value)
{
    size_t bucket = 0;

    while (bucket < EXECUTOR_BUCKETS && value > executor_buckets[bucket])
        bucket++;
    histogram->counts[bucket]++;
    histogram->sum += value;
}

void stats_ended(struct stats *stats, const struct execution_result *result, bool queued,
                 bool started)
{
    pthread_mutex_lock(&stats->lock);
    if (queued)
        stats->now.queued--;
    else
        stats->now.running--;
    stats->now.ended[result->status]++;
    if (started) {
        observe(&stats->now.seconds, result->seconds);
        observe(&stats->now.waited, result->waited);
    }
    stats->ends[stats->end_count++ % STATS_ENDS] = uv_hrtime() / 1000000;
    pthread_mutex_unlock(&stats->lock);
}

void stats_set_kind(struct stats *stats, int kind, const struct executor_kind_stats *row)
{
    pthread_mutex_lock(&stats->lock);
    stats->now.kinds[kind] = *row;
    stats->now.kinds[kind].name = execution_kinds[kind].name;
    pthread_mutex_unlock(&stats->lock);
}

void stats_read(struct stats *stats, struct executor_stats *copy)
{
    pthread_mutex_lock(&stats->lock);
    *copy = stats->now;
    pthread_mutex_unlock(&stats->lock);
}

/* Seconds in which the queue of now is worked off at the rate of the last ends. */
unsigned stats_retry_after(struct stats *stats)
{
    uint64_t now = uv_hrtime() / 1000000, first = now, seconds;
    unsigned recent = 0, queued;

    pthread_mutex_lock(&stats->lock);
    queued = stats->now.queued;
    for (uint64_t i = 0; i < STATS_ENDS && i < stats->end_count; i++) {
        if (now - stats->ends[i] > STATS_ENDS_MS)
            continue;
        recent++;
        first = stats->ends[i] < first ? stats->ends[i] : first;
    }
    pthread_mutex_unlock(&stats->lock);
    if (queued == 0)
        return 1;
    if (recent == 0)
        return STATS_RETRY_UNKNOWN;
    seconds = ((uint64_t)queued * (now - first) / recent + 999) / 1000;
    if (seconds < 1)
        return 1;
    return seconds < STATS_RETRY_MAX ? (unsigned)seconds : STATS_RETRY_MAX;
}
