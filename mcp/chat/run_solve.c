/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A question of the chat that the roles answer (mcp/agent/solve.h) instead of the loop. They see
 * the question and nothing of the thread. Their answer is a message of the thread, so that the loop
 * sees it in later questions; how it was found is its "task" for the page.
 *
 * An edit that they propose is added to the answer as a call of change_curriculum. From there the
 * run goes on as with a call of the model's: it is previewed, a person is asked, and the call is
 * made or not. Then no model is asked, but the run ends with a sentence on it.
 */
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/utf8.h"
#include "mcp/agent/solve.h"
#include "mcp/chat/run_internal.h"

/* Limits of the trace that is stored beside an answer. They are lowered until it fits. */
#define TASK_SHOWN_CAP   ((size_t)128 << 10) /* bytes as JSON */
#define TASK_TEXT_MAX    ((size_t)8 << 10)   /* bytes of one text, such as a program */
#define TASK_TEXT_LEAST  32u
#define TASK_ITEMS_MAX   256u /* of one list or object */
#define TASK_ITEMS_LEAST 16u  /* more than an entry has members */

static const char proposal_tool[] = "change_curriculum";

struct run_roles {
    struct solve_listener listener; /* must be first */
    struct chat_run *run;
    struct buf step; /* the name of the open one; empty: none is */
    unsigned steps;
    json_t *models; /* struct run_event; owned, as all here */
    enum answer_status status;
    json_t *answer, *trace;
    struct error trouble;
};

/* ---- while they work ---- */

static void end_step(struct run_roles *work)
{
    struct chat_run *run = work->run;

    if (work->step.len == 0)
        return;
    run_notify(run, &(struct run_event){.kind = RUN_TURN_ENDED,
                                        .number = work->steps,
                                        .name = work->step.data,
                                        .usage = &run->usage});
    buf_clear(&work->step);
}

static void on_step(struct solve_listener *listener)
{
    struct run_roles *work = (struct run_roles *)listener;
    struct chat_run *run = work->run;

    end_step(work);
    solve_progress(run->solving, &work->step);
    if (!work->step.failed)
        run_notify(run, &(struct run_event){.kind = RUN_TURN_BEGAN,
                                            .number = ++work->steps,
                                            .name = work->step.data});
}

/* Adds the tokens of one request to those of its model. */
static void count_model(struct run_roles *work, const char *model, const struct model_usage *more)
{
    struct model_usage sum = budget_read_usage(json_object_get(work->models, model));

    model_usage_add(&sum, more);
    json_object_set_new(work->models, model,
                        json_pack("{s:I, s:I, s:I, s:I}", "input", (json_int_t)sum.input, "output",
                                  (json_int_t)sum.output, "cache_read", (json_int_t)sum.cache_read,
                                  "cache_write", (json_int_t)sum.cache_write));
}

static void on_entry(struct solve_listener *listener, const json_t *entry)
{
    struct run_roles *work = (struct run_roles *)listener;
    struct model_usage usage;

    if (!json_string_is(entry, "kind", "request"))
        return;
    usage = budget_read_usage(json_object_get(entry, "usage"));
    work->run->usage.requests++;
    model_usage_add(&work->run->usage.tokens, &usage);
    count_model(work, json_get_string(entry, "model"), &usage);
}

static void on_done(struct solve_listener *listener, const struct answer *answer,
                    const json_t *trace, const struct error *err)
{
    struct run_roles *work = (struct run_roles *)listener;

    work->status = answer->status;
    work->answer = json_incref(answer->value);
    work->trace = json_incref((json_t *)trace);
    work->trouble = *err;
    work->run->solving = NULL;
    run_go_on(work->run, RUN_STATE_ANSWERED);
}

/* The text of the newest question, without the additions of the server. */
static const char *question_of(const struct thread *thread)
{
    for (size_t i = json_array_size(thread->messages); i > 0; i--) {
        const json_t *message = json_array_get(thread->messages, i - 1);

        if (thread_is_question(message))
            return json_get_string(json_object_get(message, "shown"), "text");
    }
    return NULL;
}

enum run_state run_solve(struct chat_run *run)
{
    const char *question = question_of(run->thread);
    const struct solve_request request = {
        .session_id = run->thread->session_id,
        .question = question ? question : "",
        .identity = &run->identity,
    };
    struct run_roles *work = calloc(1, sizeof *work);
    struct error err = {0};

    if (work)
        work->models = json_object();
    if (!work || !work->models) {
        free(work);
        error_set(&err, ERROR_MEMORY, "out of memory for the roles");
        return run_fail(run, &err);
    }
    work->listener = (struct solve_listener){on_entry, on_step, on_done};
    work->run = run;
    run->roles = work;
    run->solving = solve_start(run->server->solver, &request, &work->listener, &err);
    return run->solving ? RUN_STATE_ASKING : run_fail(run, &err);
}

/* ---- the task, for the page ---- */

struct cutting {
    size_t text_max, items_max;
    bool cut;
};

static json_t *cut_value(const json_t *value, struct cutting *cutting)
{
    const char *key;
    json_t *made, *item;
    size_t i, shown;

    if (json_is_string(value)) {
        shown = utf8_cut(json_string_value(value), json_string_length(value), cutting->text_max);
        cutting->cut |= shown < json_string_length(value);
        return json_stringn(json_string_value(value), shown);
    }
    if (!json_is_array(value) && !json_is_object(value))
        return json_incref((json_t *)value);
    made = json_is_array(value) ? json_array() : json_object();
    json_array_foreach((json_t *)value, i, item)
    {
        if (i < cutting->items_max)
            json_array_append_new(made, cut_value(item, cutting));
    }
    json_object_foreach((json_t *)value, key, item)
    {
        if (json_object_size(made) < cutting->items_max)
            json_object_set_new(made, key, cut_value(item, cutting));
    }
    cutting->cut |= json_array_size(made) < json_array_size(value) ||
                    json_object_size(made) < json_object_size(value);
    return made;
}

/* As thread.h has it; a new reference, or NULL without memory. */
static json_t *make_task(const struct run_roles *work)
{
    struct cutting cutting = {TASK_TEXT_MAX, TASK_ITEMS_MAX, false};
    json_t *entries = cut_value(work->trace, &cutting);

    while (entries && json_dumpb(entries, NULL, 0, JSON_COMPACT) > TASK_SHOWN_CAP) {
        json_decref(entries);
        cutting.text_max /= 4;
        if (cutting.items_max > TASK_ITEMS_LEAST)
            cutting.items_max /= 4;
        entries =
            cutting.text_max < TASK_TEXT_LEAST ? json_array() : cut_value(work->trace, &cutting);
    }
    return json_pack("{s:s, s:O?, s:s, s:o, s:b}", "id", work->run->message_id, "task_id",
                     json_object_get(work->answer, "task"), "status", answer_statuses[work->status],
                     "entries", entries, "cut", cutting.cut);
}

/* ---- their answer ---- */

static json_t *operations_of(const struct run_roles *work)
{
    return work->status == ANSWER_ASK
               ? json_object_get(json_object_get(work->answer, "values"), "operations")
               : NULL;
}

static void write_text(const struct run_roles *work, struct buf *to)
{
    const json_t *open = json_object_get(work->answer, "open"), *point;
    const char *text = json_get_string(work->answer, "text");
    size_t i;

    if (operations_of(work))
        text = "This change is proposed. It is made only if you approve it.";
    buf_adds(to, text && *text ? text : answer_statuses[work->status]);
    if (json_array_size(open) > 0)
        buf_adds(to, "\n\nOpen points:\n");
    json_array_foreach((json_t *)open, i, point) buf_addf(to, "- %s\n", json_string_value(point));
}

/* The proposed edit as a call, added to the answer and reported; its preview follows. */
static int add_call(struct chat_run *run, json_t *operations, json_t *content, struct error *err)
{
    struct buf BUF_AUTO arguments = {0};
    json_auto_t *input = json_pack("{s:O}", "operations", operations);
    char id[UUID_TEXT_SIZE];

    json_write(&arguments, input);
    if (text_uuid(id, err) < 0 || buf_check(&arguments, "the proposed change", err) < 0)
        return -1;
    json_array_append_new(content, json_pack("{s:s, s:s, s:s, s:O}", "type", "tool_use", "id", id,
                                             "name", proposal_tool, "input", input));
    run_notify(run, &(struct run_event){.kind = RUN_CALL_BEGAN,
                                        .id = id,
                                        .name = proposal_tool,
                                        .message_id = run->message_id});
    run_notify(run, &(struct run_event){.kind = RUN_CALL_ARGUMENTS,
                                        .id = id,
                                        .text = arguments.data,
                                        .len = arguments.len});
    run_notify(run, &(struct run_event){.kind = RUN_CALL_ENDED, .id = id});
    return 0;
}

/* Puts the answer and its task into the thread, and reports them. */
static int put_answer(struct chat_run *run, struct error *err)
{
    struct run_roles *work = run->roles;
    json_t *operations = operations_of(work), *content, *task;
    struct buf BUF_AUTO text = {0};

    write_text(work, &text);
    if (buf_check(&text, "the answer", err) < 0 || text_uuid(run->message_id, err) < 0)
        return -1;
    content = json_pack("[{s:s, s:s%}]", "type", "text", "text", text.data, text.len);
    task = make_task(work);
    run_tell(run, run->message_id, text.data, text.len);
    if (operations && add_call(run, operations, content, err) < 0) {
        json_decref(content);
        json_decref(task);
        return -1;
    }
    if (task)
        run_notify(run, &(struct run_event){.kind = RUN_TASK, .id = run->message_id, .task = task});
    return thread_put(run->thread, run->message_id, "assistant", content,
                      json_pack("{s:o}", "task", task), NULL, err);
}

/* A question that the roles could not answer; their values are in the thread. */
static enum run_state end_unsolved(struct chat_run *run)
{
    static const char *const words[ANSWER_STATUSES] = {
        [ANSWER_FAILED] = "The question was not solved: no result was found.",
        [ANSWER_STUCK] = "The question was not solved: a model sent nothing that could be used.",
        [ANSWER_OVER_BUDGET] = "The question was not solved: its budget is used up.",
    };
    const struct run_roles *work = run->roles;
    struct error err = {0};

    error_set(&err, work->trouble.kind != ERROR_NONE ? work->trouble.kind : ERROR_ATTEMPTS_FAILED,
              "%s", words[work->status]);
    return run_fail(run, &err);
}

/* Whether the model that sees the conversation and the lessons may know better: the planner asked
 * back or refused, sent no plan, or one to edit that cannot be made. */
static bool is_passed_on(const struct run_roles *work)
{
    const json_t *entry, *plan = NULL;
    size_t i;

    json_array_foreach(work->trace, i, entry)
    {
        if (json_string_is(entry, "kind", message_kind_name(MESSAGE_PLAN)))
            plan = json_object_get(entry, "message");
    }
    if (work->status == ANSWER_STUCK)
        return !plan;
    if (work->status == ANSWER_FAILED)
        return json_string_is(plan, "approach", "edit");
    return json_string_is(plan, "approach", "ask") || json_string_is(plan, "approach", "refuse");
}

/* The loop answers instead. */
static enum run_state pass_on(struct chat_run *run)
{
    struct error err = {0};

    run_solve_free(run);
    run->roles = NULL;
    run->by_roles = false;
    if (run_limit(run, "roles", NULL, &err,
                  "The planner has no plan for this question alone: the model that sees the "
                  "conversation answers.") < 0)
        return run_fail(run, &err);
    return run_save(run, RUN_STATE_ASK);
}

enum run_state run_solve_take(struct chat_run *run)
{
    struct run_roles *work = run->roles;
    struct error err = {0};

    end_step(work);
    if (!run->cancelled && is_passed_on(work))
        return pass_on(run);
    if (put_answer(run, &err) < 0)
        return run_fail(run, &err);
    if (run->cancelled)
        return RUN_STATE_STOP;
    if (operations_of(work))
        return run_save(run, RUN_STATE_LOAD);
    run->status = answer_statuses[work->status];
    switch (work->status) {
    case ANSWER_PARTIAL:
        if (run_limit(run, "partial", NULL, &err,
                      "Partial answer: points are open, because the code for them failed.") < 0)
            return run_fail(run, &err);
        return RUN_STATE_SUCCEED;
    case ANSWER_SOLVED:
    case ANSWER_REFUSED:
    case ANSWER_ASK:
        return RUN_STATE_SUCCEED;
    case ANSWER_CANCELLED: /* only by the run, see above */
        return RUN_STATE_STOP;
    case ANSWER_FAILED:
    case ANSWER_STUCK:
    case ANSWER_OVER_BUDGET:
    case ANSWER_STATUSES:
        break;
    }
    return end_unsolved(run);
}

/* ---- after a proposal ---- */

/* Results of the newest turn, if that is an answer of the roles; notes are skipped. */
static const json_t *proposal_results(const struct thread *thread)
{
    const json_t *results = NULL;

    for (size_t i = json_array_size(thread->messages); i > 0; i--) {
        const json_t *message = json_array_get(thread->messages, i - 1);

        if (json_string_is(message, "role", "note"))
            continue;
        if (results)
            return json_object_get(json_object_get(message, "shown"), "task") ? results : NULL;
        if (thread_is_question(message))
            return NULL;
        results = json_object_get(message, "content");
        if (!thread_has_block(results, "tool_result"))
            return NULL;
    }
    return NULL;
}

bool run_solve_proposed(const struct chat_run *run)
{
    return proposal_results(run->thread) != NULL;
}

enum run_state run_solve_close(struct chat_run *run)
{
    const json_t *result = json_array_get(proposal_results(run->thread), 0);
    const char *text = json_is_true(json_object_get(result, "is_error"))
                           ? "The proposed change was not made."
                           : "The proposed change is made.";
    char id[UUID_TEXT_SIZE];
    struct error err = {0};

    if (thread_put(run->thread, NULL, "assistant",
                   json_pack("[{s:s, s:s}]", "type", "text", "text", text), json_object(), id,
                   &err) < 0)
        return run_fail(run, &err);
    run_tell(run, id, text, strlen(text));
    return RUN_STATE_SUCCEED;
}

/* ---- the end ---- */

const json_t *run_solve_models(const struct chat_run *run)
{
    return run->roles ? run->roles->models : NULL;
}

void run_solve_free(struct chat_run *run)
{
    struct run_roles *work = run->roles;

    if (!work)
        return;
    buf_finish(&work->step);
    json_decref(work->models);
    json_decref(work->answer);
    json_decref(work->trace);
    free(work);
}
