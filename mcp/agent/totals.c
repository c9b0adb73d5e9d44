/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/agent/totals.h"

#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"

#define OTHER "other"

const double totals_buckets[TOTALS_BUCKETS] = {0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120};

const char *totals_role(unsigned role)
{
    return role < ROLE_COUNT ? roles[role].name : "executor";
}

static void observe(struct totals_histogram *histogram, double value)
{
    size_t bucket = 0;

    while (bucket < TOTALS_BUCKETS && value > totals_buckets[bucket])
        bucket++;
    histogram->counts[bucket]++;
    histogram->sum += value;
}

/* The row of a role and a model; the last rows are for the models beyond the others, by role. */
static struct totals_model *find_model(struct totals *totals, enum role role, const char *model)
{
    for (unsigned i = 0; i < TOTALS_MODELS_CAP; i++) {
        struct totals_model *row = &totals->models[i];
        bool last = i + ROLE_COUNT >= TOTALS_MODELS_CAP;

        if (row->requests == 0) {
            row->role = role;
            snprintf(row->model, sizeof row->model, "%s", last ? OTHER : model);
            return row;
        }
        if (row->role == role && strcmp(row->model, last ? OTHER : model) == 0)
            return row;
    }
    return &totals->models[TOTALS_MODELS_CAP - 1]; /* not reached: each role has its last row */
}

static int64_t whole(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static void add_request(struct totals *totals, const json_t *entry)
{
    const json_t *usage = json_object_get(entry, "usage");
    const char *model = json_get_string(entry, "model");
    enum role role = ROLE_PLANNER;
    struct totals_model *row;

    while (role + 1 < ROLE_COUNT && !json_string_is(entry, "role", roles[role].name))
        role++;
    observe(&totals->by_role[role], json_number_value(json_object_get(entry, "seconds")));
    row = find_model(totals, role, model ? model : "");
    row->requests++;
    row->cost += json_number_value(json_object_get(entry, "cost"));
    model_usage_add(&row->usage, &(struct model_usage){
                                     .input = whole(usage, "input"),
                                     .output = whole(usage, "output"),
                                     .cache_read = whole(usage, "cache_read"),
                                     .cache_write = whole(usage, "cache_write"),
                                 });
}

static void add_execution(struct totals *totals, struct totals_repair *repair,
                          const json_t *message)
{
    struct failure failure;

    failure_read(&failure, json_object_get(message, "error"));
    observe(&totals->by_role[ROLE_COUNT], json_number_value(json_object_get(message, "seconds")));
    if (failure.category != FAILURE_NONE)
        totals->errors[failure.category]++;
    if (repair->open)
        totals->repairs[repair->by][failure.category == FAILURE_NONE]++;
    repair->open = false;
}

void totals_add(struct totals *totals, struct totals_repair *repair, const json_t *entry)
{
    if (json_string_is(entry, "kind", "request")) {
        add_request(totals, entry);
    } else if (json_string_is(entry, "kind", message_kind_name(MESSAGE_EXECUTION))) {
        add_execution(totals, repair, json_object_get(entry, "message"));
    } else if (json_string_is(entry, "kind", message_kind_name(MESSAGE_DIAGNOSIS))) {
        repair->open = true;
        repair->by = json_string_is(entry, "by", "rule") ? DIAGNOSIS_BY_RULE : DIAGNOSIS_BY_MODEL;
    }
}

void totals_end(struct totals *totals, enum answer_status status, unsigned attempts, double seconds)
{
    totals->ended[status]++;
    totals->attempts[attempts < ATTEMPTS_MOST ? attempts : ATTEMPTS_MOST]++;
    totals->with_code += attempts > 0;
    totals->first_try += attempts == 1 && status == ANSWER_SOLVED;
    observe(&totals->seconds, seconds);
}
