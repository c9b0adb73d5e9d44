/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/change/staged_write.h"

#include "helpers/base/log.h"
#include "mcp/store/idempotency.h"

int staged_write_next_step(struct staged_write *write, struct error *err)
{
    const bool copies = write->rows.stage == LARGE_ON_COPY;

    return workq_submit(copies ? write->queues.trial : write->queues.sql, &write->job, err);
}

/* ---- the complete answer ---- */

static void warn_of_answer(const struct staged_write *write, const struct error *err)
{
    log_warning(write->ops->area, "an answer is kept without its end: %s", err->text);
}

void staged_write_store_answer(const struct staged_write *write, struct store *store)
{
    struct error err = {0};

    if (buf_check(write->answer, "the answer", &err) < 0 ||
        store_idempotency_amend(store, write->key, write->answer->data, write->answer->len, &err) <
            0)
        warn_of_answer(write, &err);
}

static void on_store_answer(struct workq_job *job, void *context)
{
    staged_write_store_answer((struct staged_write *)job, context);
}

static void on_undone(struct workq_job *job, const struct error *err)
{
    warn_of_answer((struct staged_write *)job, err);
}

static void on_stored(struct workq_job *job)
{
    struct staged_write *write = (struct staged_write *)job;

    write->ops->done(write);
}

/* ---- the effect on the graph ---- */

static void on_add_effect(struct workq_job *job, void *context)
{
    struct staged_write *write = (struct staged_write *)job;

    (void)context;
    write->ops->add_effect(write, NULL);
}

static void on_effect_added(struct workq_job *job)
{
    struct staged_write *write = (struct staged_write *)job;
    const struct staged_write_ops *ops = write->ops;
    struct error unused = {0};

    job->work = on_store_answer;
    job->done = on_stored;
    if (write->key && (!ops->is_wanted || ops->is_wanted(write)) &&
        workq_submit(write->queues.sql, job, &unused) == 0)
        return;
    ops->done(write);
}

void staged_write_add_effect(struct staged_write *write)
{
    struct error err = {0};

    write->job.large = false;
    write->job.work = on_add_effect;
    write->job.done = on_effect_added;
    write->job.undone = on_undone;
    if (workq_submit(write->queues.graph, &write->job, &err) == 0)
        return;
    write->ops->add_effect(write, &err);
    write->ops->done(write);
}
