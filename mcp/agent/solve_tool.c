/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * solve: a question about the curriculum, answered by the roles. The tool of the toolset solve, for
 * a model that wants the answer and not the work. Everything runs on the loop's thread, but the
 * search for the session (the read work queue).
 */
#include <stdlib.h>
#include <string.h>

#include "helpers/base/cleanup.h"
#include "helpers/base/json.h"
#include "helpers/base/utf8.h"
#include "mcp/agent/solve.h"
#include "mcp/curriculum/text.h"
#include "mcp/store/task.h"
#include "mcp/tool/arguments.h"

#define VALUES_SHOWN 4000u /* bytes of the values in the answer of the tool */

static int start(struct tool_call *call, struct error *err);
static void stop(struct tool_call *call);
static bool progress(struct tool_call *call, struct buf *words, struct buf *printed);

const struct tool tool_solve = {
    .name = "solve",
    .toolset = TOOLSET_SOLVE,
    .title = "Answer a question about the curriculum",
    .description =
        "Answer one question about a curriculum of any size, such as counts, searches in all "
        "lessons, comparisons and questions about prerequisites. A planner, a coder, a sandbox and "
        "a debugger do the work; the answer has the status (solved, partial, failed, refused, ask, "
        "over_budget, stuck), a text, the computed values and the node ids. Nothing is edited: an "
        "edit is proposed. Give the whole question, with ids or titles.",
    .call_title = "Question",
    .icon = "ask",
    .use = "for a question that another model solves",
    .arguments =
        ARGUMENTS("solve", ARGUMENT_SESSION,
                  FIELD("question", FIELD_TEXT, .required = true, .least = 1,
                        .most = TASK_QUESTION_MAX, .instead = "task"),
                  FIELD("task", FIELD_TEXT, .least = 1, .most = UUID_TEXT_SIZE - 1,
                        .documentation = "Instead of a question: id of a task to go on with")),
    .read_only = true,
    .start = start,
    .stop = stop,
    .progress = progress,
};

struct solve_call {
    struct solve_listener listener; /* must be first */
    struct tool_call *call;
    struct workq_job job; /* finds the session */
    char session_id[SESSION_ID_SIZE];
    struct error err;
    struct solve *solve; /* NULL before it starts */
    size_t steps;        /* of the trace */
    size_t reported;     /* of them, in the progress */
};

static void complete(struct solve_call *solving)
{
    struct tool_call *call = solving->call;

    call->state = NULL;
    free(solving);
    tool_call_complete(call);
}

static void fail(struct solve_call *solving, const struct error *err)
{
    failure_of_error(&solving->call->failure, err);
    buf_adds(&solving->call->text, err->text);
    complete(solving);
}

/* "solved: 49", the open points, the values, and a line about the work. */
static void write_answer(const struct answer *answer, struct buf *to)
{
    const json_t *point, *usage = json_object_get(answer->value, "usage");
    const json_t *cost = json_object_get(answer->value, "cost");
    struct buf BUF_AUTO values = {0};
    size_t i, shown;

    buf_addf(to, "%s: %s\n", answer_statuses[answer->status], answer->text);
    json_array_foreach((json_t *)answer->open, i, point)
        buf_addf(to, "open: %s\n", json_string_value(point));
    if (!json_is_null(answer->values)) {
        json_write(&values, answer->values);
        shown = utf8_cut(values.data ? values.data : "", values.len, VALUES_SHOWN);
        buf_adds(to, "values: ");
        buf_add(to, values.data ? values.data : "", shown);
        buf_adds(to, shown < values.len ? " (cut)\n" : "\n");
    }
    buf_addf(to, "attempts %u, model requests %lld, tokens in %lld, out %lld", answer->attempts,
             (long long)json_integer_value(json_object_get(usage, "requests")),
             (long long)(json_integer_value(json_object_get(usage, "input")) +
                         json_integer_value(json_object_get(usage, "cache_read")) +
                         json_integer_value(json_object_get(usage, "cache_write"))),
             (long long)json_integer_value(json_object_get(usage, "output")));
    if (json_is_object(cost))
        buf_addf(to, ", cost %.4f %s", json_number_value(json_object_get(cost, "amount")),
                 json_get_string(cost, "currency"));
    buf_addf(to, "\ntask %s\n", json_get_string(answer->value, "task"));
}

static void on_entry(struct solve_listener *listener, const json_t *entry)
{
    (void)entry;
    ((struct solve_call *)listener)->steps++;
}

static void on_done(struct solve_listener *listener, const struct answer *answer,
                    const json_t *trace, const struct error *err)
{
    static const bool fails[ANSWER_STATUSES] = {
        [ANSWER_FAILED] = true,
        [ANSWER_OVER_BUDGET] = true,
        [ANSWER_STUCK] = true,
        [ANSWER_CANCELLED] = true,
    };
    struct solve_call *solving = (struct solve_call *)listener;
    struct tool_call *call = solving->call;
    struct error failed = {0};

    (void)trace;
    write_answer(answer, &call->text);
    if (err->kind != ERROR_NONE)
        failure_of_error(&call->failure, err);
    else if (fails[answer->status]) {
        error_set(&failed,
                  answer->status == ANSWER_CANCELLED ? ERROR_CANCELLED : ERROR_ATTEMPTS_FAILED,
                  "%s", answer->text);
        failure_of_error(&call->failure, &failed);
    }
    complete(solving);
}

static void find_session(struct workq_job *job, void *store)
{
    struct solve_call *solving = container_of(job, struct solve_call, job);

    const char *task = argument_text(solving->call, "task");
    char of_task[SESSION_ID_SIZE];

    if (tool_session(solving->call, store, solving->session_id, &solving->err) < 0 || !task ||
        (store_task_session(store, task, of_task, &solving->err) < 0 &&
         solving->err.kind != ERROR_NOT_FOUND))
        return;
    /* The task of another curriculum is not there. */
    if (solving->err.kind == ERROR_NOT_FOUND || strcmp(of_task, solving->session_id) != 0)
        error_set(&solving->err, ERROR_NOT_FOUND,
                  "this curriculum has no such task; lectern trace lists them");
}

static void on_session(struct workq_job *job)
{
    struct solve_call *solving = container_of(job, struct solve_call, job);
    struct tool_call *call = solving->call;
    const struct solve_request request = {
        .session_id = solving->session_id,
        .question = argument_text(call, "question"),
        .task = argument_text(call, "task"),
        .identity = call->identity,
    };

    if (solving->err.kind == ERROR_NONE && cancel_check(call->cancel, &solving->err) == 0)
        solving->solve =
            solve_start(call->server->solver, &request, &solving->listener, &solving->err);
    if (!solving->solve)
        fail(solving, &solving->err);
}

static int start(struct tool_call *call, struct error *err)
{
    struct solve_call *solving;

    if (!call->server->solver)
        return error_set(err, ERROR_UNAVAILABLE,
                         "this server has no roles: start it with --toolset solve");
    solving = calloc(1, sizeof *solving);
    if (!solving)
        return error_set(err, ERROR_MEMORY, "out of memory for a task");
    solving->listener = (struct solve_listener){.on_entry = on_entry, .on_done = on_done};
    solving->call = call;
    solving->job.work = find_session;
    solving->job.done = on_session;
    if (workq_submit(call->server->store.read, &solving->job, err) < 0) {
        free(solving);
        return -1;
    }
    call->state = solving;
    return 0;
}

static void stop(struct tool_call *call)
{
    struct solve_call *solving = call->state;

    if (solving && solving->solve)
        solve_cancel(solving->solve);
}

static bool progress(struct tool_call *call, struct buf *words, struct buf *printed)
{
    struct solve_call *solving = call->state;

    (void)printed;
    if (!solving || !solving->solve || solving->reported == solving->steps)
        return false;
    solving->reported = solving->steps;
    solve_progress(solving->solve, words);
    return true;
}
