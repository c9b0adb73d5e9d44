/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A run that does what the test says, in place of run.c, and a model that is asked nothing.
 */
#ifndef LECTERN_TEST_FAKE_RUN_H
#define LECTERN_TEST_FAKE_RUN_H

#include "tests/unit/chat_fixture.h"

#include "mcp/model/model.h"
#include "mcp/chat/run.h"

struct chat_run {
    struct thread *thread;
    struct run_listener *listener;
    char run_id[64], who[64];
    json_t *messages;
    char where[256];
    enum approvals approvals;
    size_t answers;
    bool cancelled, held;
    enum run_stop stopped_by;
};

static struct chat_run *current; /* the run that was started last, and has not ended */
static bool model_is_ready;
static struct error refusal; /* of another kind than ERROR_NONE: run_start fails with it */

bool model_ready(const struct model *model, char *advice, size_t size)
{
    (void)model;
    if (!model_is_ready)
        snprintf(advice, size, "Set ANTHROPIC_API_KEY");
    return model_is_ready;
}

const char *model_name(const struct model *model)
{
    (void)model;
    return "a-model";
}

/* The rest of the model, which the roles of the tool solve would use: nobody solves a question. */

struct model *model_create(const struct model_config *config, struct loop_queue *loop_queue,
                           struct error *err)
{
    (void)config;
    (void)loop_queue;
    error_set(err, ERROR_INTERNAL, "no model is made in this test");
    return NULL;
}

void model_destroy(struct model *model)
{
    assert_null(model);
}

int model_call_start(struct model *model, struct model_call *call, struct error *err)
{
    (void)model;
    (void)call;
    return error_set(err, ERROR_INTERNAL, "no model is asked in this test");
}

void model_call_cancel(struct model_call *call)
{
    assert_null(call);
}

void model_call_finish(struct model_call *call)
{
    assert_null(call);
}

struct chat_run *run_start(struct server *server, struct model *model,
                           const struct run_request *request, struct run_listener *listener,
                           struct error *err)
{
    struct chat_run *run;

    (void)server;
    assert_non_null(model);
    assert_null(current);
    assert_false(request->thread->in_use);
    if (refusal.kind != ERROR_NONE) {
        *err = refusal;
        return NULL;
    }
    run = calloc(1, sizeof *run);
    assert_non_null(run);
    run->thread = request->thread;
    run->thread->in_use = true;
    run->listener = listener;
    snprintf(run->run_id, sizeof run->run_id, "%s", request->run_id);
    snprintf(run->who, sizeof run->who, "%s", request->who);
    snprintf(run->where, sizeof run->where, "%s", request->where ? request->where : "");
    run->messages = json_deep_copy((json_t *)request->messages);
    run->approvals = request->approvals;
    run->answers = request->answer_count;
    current = run;
    return run;
}

void run_cancel(struct chat_run *run, enum run_stop by)
{
    run->stopped_by = by;
    assert_ptr_equal(run, current);
    run->cancelled = true;
}

json_t *run_usage_json(const struct run_usage *usage)
{
    return json_pack("{s:i}", "requests", (int)usage->requests);
}

void run_hold(struct chat_run *run, bool hold)
{
    run->held = hold;
}

#define TELL(...)  current->listener->on_event(current->listener, &(struct run_event){__VA_ARGS__})
#define SAY(words) .text = (words), .len = strlen(words)

static inline void end_run(enum run_outcome outcome)
{
    struct chat_run *run = current;
    struct error err = {.kind = ERROR_IO, .text = "it broke"};

    run->thread->in_use = false;
    current = NULL;
    run->listener->on_event(run->listener,
                            &(struct run_event){.kind = RUN_ENDED,
                                                .outcome = outcome,
                                                .interrupts = run->thread->interrupts,
                                                .err = outcome == RUN_FAILED ? &err : NULL});
    json_decref(run->messages);
    free(run);
}

/* Before each test. */
static inline void fake_run_reset(void)
{
    current = NULL;
    model_is_ready = true;
    refusal = (struct error){0};
}

#endif
