/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figures of the tasks of a process, for /metrics. It is added up from the entries of their
 * traces, so that both say the same. Used on the loop's thread.
 */
#ifndef LECTERN_AGENT_TOTALS_H
#define LECTERN_AGENT_TOTALS_H

#include <jansson.h>

#include "mcp/agent/attempts.h"
#include "mcp/agent/message.h"
#include "mcp/agent/role.h"
#include "mcp/model/model_message.h"

#define TOTALS_MODELS_CAP 32u /* pairs of a role and a model; other models are one, "other" */
#define TOTALS_MODEL_SIZE 80u
#define TOTALS_BUCKETS    10u
#define TOTALS_CATEGORIES (FAILURE_INTERNAL + 1)
#define TOTALS_ROLES      (ROLE_COUNT + 1)          /* with the executor */
extern const double totals_buckets[TOTALS_BUCKETS]; /* upper bounds in seconds, ascending */
const char *totals_role(unsigned role);

struct totals_histogram {
    uint64_t counts[TOTALS_BUCKETS + 1]; /* of each bucket alone; the last is above every bound */
    double sum;
};

struct totals_model {
    enum role role;
    char model[TOTALS_MODEL_SIZE];
    uint64_t requests; /* 0: an empty row, and the last */
    struct model_usage usage;
    double cost;
};

struct totals {
    uint64_t ended[ANSWER_STATUSES];               /* tasks */
    uint64_t attempts[ATTEMPTS_MOST + 1];          /* tasks with so many */
    uint64_t with_code, first_try;                 /* tasks with an attempt; solved by the first */
    struct totals_histogram seconds;               /* of tasks */
    struct totals_histogram by_role[TOTALS_ROLES]; /* of requests, and of executions */
    uint64_t errors[TOTALS_CATEGORIES];            /* failed executions */
    uint64_t repairs[2][2]; /* enum diagnosis_by; whether the next attempt succeeded */
    struct totals_model models[TOTALS_MODELS_CAP];
};

/* Of one task: the repair whose attempt has not ended. */
struct totals_repair {
    bool open;
    enum diagnosis_by by;
};

/* One entry of a trace (solve.h). */
void totals_add(struct totals *totals, struct totals_repair *repair, const json_t *entry);
/* The end of a task. */
void totals_end(struct totals *totals, enum answer_status status, unsigned attempts,
                double seconds);

#endif
