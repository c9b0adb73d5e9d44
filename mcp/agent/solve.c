/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The states of a task. Each step is a function that starts something and returns; the callback of
 * its end calls the next step:
 *
 *     begin -> plan -> (query | code -> run -> (diagnose -> run)* | propose) -> answer -> end
 *
 * A message is in the store before the next step begins (keep), and the next step follows from the
 * messages alone (go_on). So a task whose process has died is continued by reading its messages
 * again (replay).
 *
 * A cancel and the bound of time end the thing that is under way, whose callback then ends the
 * task.
 */
#include "mcp/agent/solve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/cleanup.h"
#include "helpers/base/clock.h"
#include "helpers/base/json.h"
#include "helpers/base/log.h"
#include "helpers/base/utf8.h"
#include "helpers/graph/graph.h"
#include "mcp/agent/ask.h"
#include "mcp/agent/attempts.h"
#include "mcp/agent/output.h"
#include "mcp/agent/plan_rules.h"
#include "mcp/agent/repair.h"
#include "mcp/agent/totals.h"
#include "mcp/analysis/analysis.h"
#include "mcp/analysis/run_answer.h"
#include "mcp/change/graph_cache.h"
#include "mcp/curriculum/text.h"
#include "mcp/store/entities/outline.h"
#include "mcp/store/entities/session.h"
#include "mcp/store/task.h"
#include "mcp/tool/tool.h"

#define TITLE_SIZE       256u
#define TYPES_CAP        16u
#define STDOUT_KEPT      ((size_t)16 << 10) /* bytes of a program's output in its execution */
#define LOG_NAME_SHOWN   8                  /* characters of a task's id in log lines */
#define LOG_MEMBERS_SIZE 64
#define WHO              "solve"

struct solve {
    struct solver *solver;
    struct solve_listener *listener;
    struct identity identity;
    struct loop_task task;
    struct solve_timer *timer; /* of the bound of time, and of a busy engine */
    char id[UUID_TEXT_SIZE], session_id[SESSION_ID_SIZE], title[TITLE_SIZE];
    char *question; /* NULL: the task is continued */

    /* The messages so far. */
    enum agent_message last; /* that decides the next step */
    struct task given;
    struct plan plan;
    struct code code;
    struct execution execution;
    struct failure failure; /* of the execution */
    json_t *trace, *values; /* owned */
    size_t kept;            /* entries of the trace that are in the store */

    struct outline outline;
    struct budget budget;
    struct attempts attempts;
    struct totals_repair repair;
    bool by_rule; /* the plan */
    unsigned busy_retries;

    /* Under way: at most one of these. */
    const char *doing; /* the role or the step, for a person */
    struct role_request *ask;
    struct solve_run *run;
    struct tool_call *proposal;
    struct cancel *reading; /* of a query; owned */
    struct workq_job job;
    struct buf read; /* by the job */
    struct error read_error;
    struct workq_job saving;
    json_t *unsaved; /* copies of entries, for the job; owned */
    struct error save_error;

    bool cancelled, late; /* by the caller; by the bound of time */
    bool ended;
    struct error trouble; /* for on_done */
    json_t *answer;       /* owned */
};

struct solve_timer {
    uv_timer_t timer; /* must be first */
    uv_timer_t retry;
    struct solve *solve; /* NULL: it is gone */
    unsigned open;
};

/* One execution. Freed on the loop; the executor's thread fills json. */
struct solve_run {
    struct analysis analysis;
    struct solve *solve;
    char log_members[LOG_MEMBERS_SIZE];
    struct buf json; /* of a run that ended: {"stdout", "cut", "seconds", "artifacts", "hint"?}
                        and the traceback, "error" */
};

static void go_on(void *solve);

/* ---- the trace ---- */

/* Takes over entry. */
static void add_entry(struct solve *solve, json_t *entry)
{
    char now[TIME_TEXT_SIZE];

    text_now(now);
    json_object_set_new(entry, "at", json_string(now));
    json_array_append_new(solve->trace, entry);
    totals_add(solve->solver->totals, &solve->repair, entry);
    if (solve->listener->on_entry)
        solve->listener->on_entry(solve->listener, entry);
}

/* role and by may be NULL. */
static void add_message(struct solve *solve, enum agent_message kind, const char *role,
                        const char *by, json_t *message)
{
    add_entry(solve, json_pack("{s:s, s:s*, s:s*, s:O}", "kind", message_kind_name(kind), "role",
                               role, "by", by, "message", message));
    if (kind != MESSAGE_DIAGNOSIS) /* whose program follows at once */
        solve->last = kind;
}

static void on_report(void *user, const struct ask_report *report)
{
    const struct model_usage *usage = report->usage;
    struct solve *solve = user;
    struct buf BUF_AUTO attempt = {0};
    json_t *entry = json_pack(
        "{s:s, s:s, s:s, s:s, s:s*, s:f, s:I, s:{s:I, s:I, s:I, s:I}}", "kind", "request", "role",
        roles[report->role].name, "model", report->model, "outcome", report->outcome, "fault",
        report->fault, "seconds", report->seconds, "retries", (json_int_t)report->retries, "usage",
        "input", (json_int_t)usage->input, "output", (json_int_t)usage->output, "cache_read",
        (json_int_t)usage->cache_read, "cache_write", (json_int_t)usage->cache_write);

    if (team_prices(solve->solver->team))
        json_object_set_new(entry, "cost", json_real(report->cost));
    attempts_write_log(&solve->attempts, &attempt);
    log_info("solve",
             "task=%.*s role=%s %s model=%s outcome=%s seconds=%.3f tokens_in=%lld tokens_out=%lld",
             LOG_NAME_SHOWN, solve->id, roles[report->role].name, attempt.data ? attempt.data : "",
             report->model, report->outcome, report->seconds, (long long)model_usage_input(usage),
             (long long)usage->output);
    add_entry(solve, entry);
}

static void begin_step(struct solve *solve, const char *doing)
{
    solve->doing = doing;
    if (solve->listener->on_step)
        solve->listener->on_step(solve->listener);
}

/* ---- the store ---- */

/* The number of programs that were checked or run. */
static unsigned attempts_made(const struct solve *solve)
{
    return solve->code.attempt;
}

static void save_work(struct workq_job *job, void *store)
{
    struct solve *solve = container_of(job, struct solve, saving);
    const struct task_row row = {
        .task_id = solve->id,
        .question = solve->given.question,
        .status = json_get_string(solve->answer, "status"),
        .attempts = attempts_made(solve),
    };

    store_task_append(store, solve->session_id, &row, solve->kept, solve->unsaved,
                      &solve->save_error);
}

static void on_unsaved(struct workq_job *job, const struct error *err)
{
    container_of(job, struct solve, saving)->save_error = *err;
}

/* Entries that could not be stored are stored with the next ones. */
static void on_saved(struct workq_job *job)
{
    struct solve *solve = container_of(job, struct solve, saving);

    if (solve->save_error.kind == ERROR_NONE)
        solve->kept += json_array_size(solve->unsaved);
    else
        log_warning("solve", "task=%.*s is not whole in the store: %s", LOG_NAME_SHOWN, solve->id,
                    solve->save_error.text);
    memset(&solve->save_error, 0, sizeof solve->save_error);
    json_decref(solve->unsaved);
    solve->unsaved = NULL;
    go_on(solve);
}

/* Stores the new entries, then goes on; also when they cannot be stored. */
static void keep(struct solve *solve)
{
    struct error err = {0};

    solve->saving.work = save_work;
    solve->saving.done = on_saved;
    solve->saving.undone = on_unsaved;
    solve->saving.key = workq_key(solve->id); /* the edits of the session do not wait for it */
    if (solve->given.value) {
        solve->unsaved = json_array();
        for (size_t i = solve->kept; i < json_array_size(solve->trace); i++)
            json_array_append_new(solve->unsaved, json_deep_copy(json_array_get(solve->trace, i)));
        if (workq_submit(solve->solver->server->store.sql, &solve->saving, &err) == 0)
            return;
        json_decref(solve->unsaved);
        solve->unsaved = NULL;
        log_warning("solve", "task=%.*s is not whole in the store: %s", LOG_NAME_SHOWN, solve->id,
                    err.text);
    }
    solve->task.run = go_on;
    solve->task.arg = solve;
    loop_queue_post(solve->solver->server->loop_queue, &solve->task);
}

/* ---- the end ---- */

static void on_timer_closed(uv_handle_t *handle)
{
    struct solve_timer *timer = handle->data;

    if (--timer->open == 0)
        free(timer);
}

static void free_solve(struct solve *solve)
{
    if (solve->timer) {
        solve->timer->solve = NULL;
        uv_close((uv_handle_t *)&solve->timer->timer, on_timer_closed);
        uv_close((uv_handle_t *)&solve->timer->retry, on_timer_closed);
    }
    task_finish(&solve->given);
    plan_finish(&solve->plan);
    code_finish(&solve->code);
    execution_finish(&solve->execution);
    outline_finish(&solve->outline);
    cancel_unref(solve->reading);
    buf_finish(&solve->read);
    json_decref(solve->unsaved);
    json_decref(solve->trace);
    json_decref(solve->values);
    json_decref(solve->answer);
    free(solve->question);
    solve->solver->tasks--;
    free(solve);
}

/* The answer is in the store. */
static void finish(struct solve *solve)
{
    struct answer answer = {0};
    struct error err = {0};

    if (answer_read(solve->answer, &answer, &err) < 0) { /* only without memory */
        log_error("solve", "task=%.*s %s", LOG_NAME_SHOWN, solve->id, err.text);
        answer = (struct answer){.status = ANSWER_FAILED, .text = err.text};
    }
    log_info("solve", "task=%.*s status=%s attempts=%u requests=%u", LOG_NAME_SHOWN, solve->id,
             answer_statuses[answer.status], answer.attempts, solve->budget.requests);
    solve->listener->on_done(solve->listener, &answer, solve->trace, &solve->trouble);
    answer_finish(&answer);
    free_solve(solve);
}

static json_t *cost_of(const struct solve *solve)
{
    const struct prices *prices = team_prices(solve->solver->team);

    return prices && !solve->budget.unpriced ? json_pack("{s:f, s:s}", "amount", solve->budget.cost,
                                                         "currency", prices_currency(prices))
                                             : json_null();
}

/* Ends the task, soon. text and open (may be NULL; taken over) as in struct answer; bound may be
 * BOUND_NONE. */
static void end(struct solve *solve, enum answer_status status, const char *text, json_t *open,
                enum bound bound)
{
    struct buf BUF_AUTO usage = {0};
    json_t *answer;

    if (solve->ended) {
        json_decref(open);
        return;
    }
    solve->ended = true;
    budget_write_usage(&solve->budget, &usage);
    answer =
        json_pack("{s:s, s:s, s:s%, s:o, s:O?, s:o, s:I, s:I, s:o, s:o, s:o}", "task", solve->id,
                  "status", answer_statuses[status], "text", text,
                  utf8_cut(text, strlen(text), ANSWER_TEXT_MAX), "open", open ? open : json_array(),
                  "values", json_object_size(solve->values) > 0 ? solve->values : NULL, "node_ids",
                  output_node_ids(solve->values, &solve->outline), "version",
                  (json_int_t)solve->given.version, "attempts", (json_int_t)attempts_made(solve),
                  "bound", bound == BOUND_NONE ? json_null() : json_string(bound_names[bound]),
                  "usage", json_read(usage.data ? usage.data : "", usage.len, "the usage", NULL),
                  "cost", cost_of(solve));
    add_message(solve, MESSAGE_ANSWER, NULL, solve->doing, answer);
    totals_end(solve->solver->totals, status, attempts_made(solve),
               (double)(clock_ms() - solve->budget.started_ms) / 1000);
    solve->answer = answer;
    keep(solve);
}

/* The end of a task without a right answer: partial if there are values, else as. why: a sentence
 * for a person. */
static void end_without(struct solve *solve, enum answer_status as, const char *why,
                        enum bound bound)
{
    struct buf BUF_AUTO text = {0};
    bool some = json_object_size(solve->values) > 0;

    buf_adds(&text, why);
    if (some) {
        buf_adds(&text, "\nComputed so far:\n");
        output_write(solve->values, &solve->outline, &text);
    }
    end(solve, as == ANSWER_FAILED && some ? ANSWER_PARTIAL : as, text.data ? text.data : why,
        output_open(&solve->plan, solve->values), bound);
}

static void end_bound(struct solve *solve, enum bound bound)
{
    char why[160];
    double most = solve->budget.bounds.most[bound];

    snprintf(why, sizeof why, "The budget of this question is used up: %s, at most %g.",
             bound_names[bound], most);
    end_without(solve, ANSWER_OVER_BUDGET, why, bound);
}

static void end_error(struct solve *solve, const struct error *err)
{
    if (err->kind == ERROR_UNAVAILABLE || err->kind == ERROR_BUSY)
        solve->trouble = *err;
    end_without(solve, ANSWER_FAILED, err->text, BOUND_NONE);
}

/* Whether the task has to end before its next step; then it ends. */
static bool must_end(struct solve *solve)
{
    if (solve->ended)
        return true;
    if (solve->late)
        end_bound(solve, BOUND_SECONDS);
    else if (solve->cancelled)
        end_without(solve, ANSWER_CANCELLED, "The task was stopped.", BOUND_NONE);
    return solve->ended;
}

/* ---- asking a role ---- */

/* True: the message is there. Otherwise the task has ended. */
static bool took_message(struct solve *solve, enum ask_end ended, enum bound bound,
                         const struct error *err)
{
    solve->ask = NULL;
    if (must_end(solve))
        return false;
    switch (ended) {
    case ASK_MESSAGE:
        return true;
    case ASK_REFUSED:
        end_without(solve, ANSWER_REFUSED, err->text, BOUND_NONE);
        break;
    case ASK_NO_MESSAGE:
        end_without(solve, ANSWER_STUCK, err->text, BOUND_NONE);
        break;
    case ASK_OVER_BUDGET:
        end_bound(solve, bound);
        break;
    case ASK_CANCELLED:
    case ASK_FAILED:
        end_error(solve, err);
        break;
    }
    return false;
}

/* -1 with err: nothing was asked. */
static int ask_role(struct solve *solve, enum role role, const struct buf *prompt, bool escalate,
                    int (*check)(void *user, json_t *message, struct error *err),
                    void (*on_ask_end)(void *user, enum ask_end end, json_t *message,
                                       enum bound bound, const struct error *err),
                    struct error *err)
{
    const struct ask_config config = {
        .analyses = &solve->solver->server->analyses,
        .team = solve->solver->team,
        .budget = &solve->budget,
        .role = role,
        .escalate = escalate,
        .prompt = prompt->data ? prompt->data : "",
        .check = check,
        .on_report = on_report,
        .on_end = on_ask_end,
        .user = solve,
    };

    begin_step(solve, roles[role].name);
    if (buf_check(prompt, "a request", err) < 0)
        return -1;
    return ask_start(&config, solve->solver->server->loop_queue, &solve->ask, err);
}

static bool has_models(const struct solve *solve)
{
    return team_planner(solve->solver->team) != TEAM_RULES;
}

/* ---- execution ---- */

/* Of an execution that was made or read again: its values, and the attempt. */
static int read_execution(struct solve *solve, json_t *value, struct error *err)
{
    const struct plan *plan = &solve->plan;
    json_t *result = json_object_get(value, "result");

    execution_finish(&solve->execution);
    if (execution_read(value, &solve->execution, err) < 0)
        return -1;
    failure_read(&solve->failure, solve->execution.error);
    if (plan->approach == PLAN_QUERY && solve->execution.ok)
        json_object_set(solve->values, plan->query.name, result);
    if (plan->approach != PLAN_CODE)
        return 0;
    if (plan->step_count == 1 && !json_is_null(result))
        json_object_set(solve->values, plan->steps[0].name, result);
    else if (plan->step_count > 1 && json_is_object(result))
        json_object_update(solve->values, result);
    attempts_take(&solve->attempts, solve->code.hash, &solve->failure);
    attempts_close(&solve->attempts);
    return 0;
}

/* Takes over value, which the server made. */
static void take_execution(struct solve *solve, json_t *value)
{
    json_auto_t *own = value;
    struct error err = {0};

    if (read_execution(solve, own, &err) < 0) {
        end_error(solve, &err);
        return;
    }
    add_message(solve, MESSAGE_EXECUTION, "executor", NULL, own);
    keep(solve);
}

/* The object of failure_write. */
static json_t *failure_value(const struct failure *failure)
{
    struct buf BUF_AUTO text = {0};
    json_t *value;

    failure_write(failure, NULL, &text);
    value = json_read(text.data ? text.data : "", text.len, "a failure", NULL);
    return value ? value : json_null();
}

/* Takes over result and error, each of which may be NULL. */
static json_t *execution_value(const char *text, size_t len, json_t *result, json_t *error,
                               unsigned attempt)
{
    return json_pack("{s:b, s:s%, s:o, s:[], s:o, s:f, s:I}", "ok", !error, "stdout", text,
                     utf8_cut(text, len, STDOUT_KEPT), "result", result ? result : json_null(),
                     "artifacts", "error", error ? error : json_null(), "seconds", 0.0, "attempt",
                     (json_int_t)attempt);
}

/* ---- a query ---- */

static const char **types_of(const struct plan_query *query, const char *types[TYPES_CAP + 1])
{
    const json_t *type;
    size_t i, count = 0;

    json_array_foreach((json_t *)query->types, i, type)
    {
        if (count < TYPES_CAP)
            types[count++] = json_string_value(type);
    }
    types[count] = NULL;
    return types;
}

static int read_query(struct solve *solve, struct store *store, struct error *err)
{
    const struct plan_query *query = &solve->plan.query;
    struct graph_cache *graphs = solve->solver->server->store.graphs;
    const char *types[TYPES_CAP + 1];
    struct graph_question question = {
        .query = query->name,
        .node = query->node_id,
        .from = query->from_node_id,
        .to = query->to_node_id,
        .types = types_of(query, types),
        .limit = query->limit,
        .words = query->words,
        .parts = query->parts,
        .bounds = graph_cache_bounds(graphs, solve->reading),
    };
    struct session_facts FACTS_AUTO facts = {0};
    struct framework FRAMEWORK_AUTO framework = {0};
    struct graph GRAPH_AUTO *graph = NULL;

    if ((query->framework && framework_get(&framework, graphs, store,
                                           &(struct session_scope){.only = solve->session_id},
                                           query->framework, &question, err) < 0) ||
        session_facts_read(&facts, store, solve->session_id, &question, err) < 0)
        return -1;
    graph = graph_cache_get(graphs, store, solve->session_id, err);
    return graph ? graph_answer_data(graph, &question, &solve->read, err) : -1;
}

static void query_work(struct workq_job *job, void *context)
{
    struct solve *solve = container_of(job, struct solve, job);

    store_call_begin(context);
    read_query(solve, context, &solve->read_error);
    store_call_end(context);
}

static void on_query(struct workq_job *job)
{
    struct solve *solve = container_of(job, struct solve, job);
    json_auto_t *data = NULL;
    json_t *picked = NULL;
    struct error err = solve->read_error;

    if (must_end(solve))
        return;
    if (err.kind == ERROR_NONE)
        data = json_read(solve->read.data ? solve->read.data : "", solve->read.len,
                         "the data of the query", &err);
    if (data)
        picked = query_pick(data, &solve->plan.query, &err);
    if (!picked) {
        struct failure failure = {0};

        failure_of_error(&failure, &err);
        take_execution(solve, execution_value("", 0, NULL, failure_value(&failure), 0));
    } else {
        take_execution(solve, execution_value("", 0, picked, NULL, 0));
    }
}

static void start_query(struct solve *solve)
{
    struct error err = {0};

    begin_step(solve, "query");
    solve->reading = cancel_create(&err);
    solve->job.work = query_work;
    solve->job.done = on_query;
    solve->job.key = workq_key(solve->session_id);
    if (!solve->reading || workq_submit(solve->solver->server->store.graph, &solve->job, &err) < 0)
        end_error(solve, &err);
}

/* ---- a proposal ---- */

static void on_proposed(struct tool_call *call)
{
    struct solve *solve = call->user;
    struct buf BUF_AUTO text = {0};
    bool failed = tool_call_category(call) != FAILURE_NONE;

    buf_adds(&text, failed ? "The proposed change cannot be made: " : "Proposed, not applied: ");
    buf_add(&text, call->text.data ? call->text.data : "", call->text.len);
    solve->proposal = NULL;
    tool_call_finish(call);
    free(call);
    if (must_end(solve))
        return;
    json_object_set(solve->values, "operations", solve->plan.operations);
    end(solve, failed ? ANSWER_FAILED : ANSWER_ASK, text.data ? text.data : "", NULL, BOUND_NONE);
}

/* A dry run of the operations, whose number applies them. */
static void propose(struct solve *solve)
{
    struct tool_call *call = calloc(1, sizeof *call);
    struct error err = {0};

    begin_step(solve, "proposal");
    if (call) {
        call->arguments =
            json_pack("{s:O, s:b}", "operations", solve->plan.operations, "dry_run", 1);
        call->cancel = cancel_create(&err);
    }
    if (!call || !call->arguments || !call->cancel) {
        error_set(&err, ERROR_MEMORY, "out of memory for a proposal");
        if (call)
            tool_call_finish(call);
        free(call);
        end_error(solve, &err);
        return;
    }
    call->tool = tool_find("change_curriculum");
    call->server = solve->solver->server;
    call->bound_session = solve->session_id;
    call->who = WHO;
    call->identity = &solve->identity;
    call->on_done = on_proposed;
    call->user = solve;
    solve->proposal = call;
    tool_call_start(call);
}

/* ---- the plan ---- */

static int check_plan(void *user, json_t *message, struct error *err)
{
    struct plan found = {0};

    (void)user;
    if (plan_read(message, &found, err) < 0)
        return -1;
    if (found.approach == PLAN_QUERY && !graph_query_find(found.query.name, err)) {
        plan_finish(&found);
        return -1;
    }
    plan_finish(&found);
    return 0;
}

/* message is correct. */
static void take_plan(struct solve *solve, json_t *message, const char *by)
{
    struct error err = {0};

    if (plan_read(message, &solve->plan, &err) < 0) {
        end_error(solve, &err);
        return;
    }
    add_message(solve, MESSAGE_PLAN, roles[ROLE_PLANNER].name, by, message);
    keep(solve);
}

static void ask_coder(struct solve *solve);

static void follow_plan(struct solve *solve)
{
    switch (solve->plan.approach) {
    case PLAN_QUERY:
        start_query(solve);
        break;
    case PLAN_CODE:
        ask_coder(solve);
        break;
    case PLAN_EDIT:
        propose(solve);
        break;
    case PLAN_ASK:
        end(solve, ANSWER_ASK, solve->plan.text, NULL, BOUND_NONE);
        break;
    case PLAN_REFUSE:
        end(solve, ANSWER_REFUSED, solve->plan.text, NULL, BOUND_NONE);
        break;
    }
}

static void on_plan(void *user, enum ask_end ended, json_t *message, enum bound bound,
                    const struct error *err)
{
    struct solve *solve = user;

    if (took_message(solve, ended, bound, err))
        take_plan(solve, message, "model");
}

static void plan(struct solve *solve)
{
    struct buf BUF_AUTO prompt = {0};
    struct error err = {0};
    json_auto_t *by_rule = NULL;

    if (team_planner(solve->solver->team) != TEAM_MODEL)
        by_rule = plan_by_rule(solve->given.question, &solve->outline, &err);
    if (by_rule) {
        solve->by_rule = true;
        take_plan(solve, by_rule, "rule");
        return;
    }
    if (err.kind != ERROR_NONE) {
        end_error(solve, &err);
        return;
    }
    if (!has_models(solve)) {
        end(solve, ANSWER_REFUSED,
            "No rule knows this question, and no model plans (--planner rules). Ask for one graph "
            "query, such as: What must be learnt before N005?",
            NULL, BOUND_NONE);
        return;
    }
    role_write_question(&solve->given, &solve->outline, &prompt);
    if (ask_role(solve, ROLE_PLANNER, &prompt, false, check_plan, on_plan, &err) < 0)
        end_error(solve, &err);
}

/* ---- code ---- */

static int check_source(const char *source, size_t len, struct error *err)
{
    char why[REPAIR_WHY_CAP];

    return code_is_placeholder(source, len, why)
               ? error_set(err, ERROR_INVALID, "The program is a placeholder: %s", why)
               : 0;
}

static int check_code(void *user, json_t *message, struct error *err)
{
    struct code found = {0};
    int rc;

    (void)user;
    if (code_read(message, &found, err) < 0)
        return -1;
    rc = check_source(found.source, found.source_len, err);
    code_finish(&found);
    return rc;
}

/* The program for the next attempt. */
static void take_source(struct solve *solve, const char *source, size_t len, const char *role,
                        const char *by)
{
    char digest[SHA256_TEXT_SIZE];
    unsigned attempt = solve->code.attempt + 1;
    json_auto_t *value = NULL;
    struct error err = {0};

    attempts_digest(source, len, NULL, digest);
    value = json_pack("{s:s%, s:I, s:s}", "source", source, len, "attempt", (json_int_t)attempt,
                      "hash", digest);
    code_finish(&solve->code);
    if (code_read(value, &solve->code, &err) < 0) {
        end_error(solve, &err);
        return;
    }
    add_message(solve, MESSAGE_CODE, role, by, value);
    keep(solve);
}

static void on_code(void *user, enum ask_end ended, json_t *message, enum bound bound,
                    const struct error *err)
{
    struct solve *solve = user;
    const json_t *source = json_object_get(message, "source");

    if (took_message(solve, ended, bound, err))
        take_source(solve, json_string_value(source), json_string_length(source),
                    roles[ROLE_CODER].name, "model");
}

static void ask_coder(struct solve *solve)
{
    struct buf BUF_AUTO prompt = {0};
    struct error err = {0};

    role_write_plan(&solve->plan, &prompt);
    if (ask_role(solve, ROLE_CODER, &prompt, false, check_code, on_code, &err) < 0)
        end_error(solve, &err);
}

/* ---- after a failure ---- */

/* A changed program, checked and not one that has failed. */
static int check_diagnosis(void *user, json_t *message, struct error *err)
{
    struct solve *solve = user;
    struct diagnosis found = {0};
    char digest[SHA256_TEXT_SIZE];
    const struct attempts_program *before;
    int rc;

    if (diagnosis_read(message, &found, err) < 0)
        return -1;
    rc = check_source(found.source, found.source_len, err);
    attempts_digest(found.source, found.source_len, NULL, digest);
    before = attempts_find(&solve->attempts, digest);
    if (rc == 0 && before) {
        struct buf BUF_AUTO words = {0};

        attempts_write_repeat(before, &words);
        rc = error_set(err, ERROR_INVALID, "%s", words.data ? words.data : "the same program");
    }
    diagnosis_finish(&found);
    return rc;
}

static void follow_diagnosis(struct solve *solve, json_t *message, const char *by)
{
    const json_t *source = json_object_get(message, "source");

    json_object_set_new(message, "by", json_string(by));
    add_message(solve, MESSAGE_DIAGNOSIS, roles[ROLE_DEBUGGER].name, by, message);
    take_source(solve, json_string_value(source), json_string_length(source),
                roles[ROLE_DEBUGGER].name, by);
}

static void on_diagnosis(void *user, enum ask_end ended, json_t *message, enum bound bound,
                         const struct error *err)
{
    struct solve *solve = user;

    if (took_message(solve, ended, bound, err))
        follow_diagnosis(solve, message, "model");
}

static void diagnose(struct solve *solve)
{
    const struct validator_profile *profile = solve->solver->server->analyses.profile;
    struct buf BUF_AUTO prompt = {0};
    struct error err = {0}, unfit = {0};
    json_auto_t *by_rule =
        repair_by_rule(&solve->code, &solve->execution, &solve->plan, profile, &err);
    bool last = solve->attempts.failed + 1 == solve->attempts.most;

    if (by_rule && check_diagnosis(solve, by_rule, &unfit) == 0) {
        follow_diagnosis(solve, by_rule, "rule");
        return;
    }
    role_write_failure(&solve->plan, &solve->code, &solve->execution, &solve->attempts, &prompt);
    if (ask_role(solve, ROLE_DEBUGGER, &prompt, last, check_diagnosis, on_diagnosis, &err) < 0)
        end_error(solve, &err);
}

static void end_failed(struct solve *solve)
{
    struct buf BUF_AUTO text = {0};

    buf_addf(&text, "Every attempt at the code failed (%u of %u):\n", solve->attempts.failed,
             solve->attempts.most);
    attempts_write_errors(&solve->attempts, &text);
    end_without(solve, ANSWER_FAILED, text.data ? text.data : "Every attempt failed.", BOUND_NONE);
}

/* ---- a run ---- */

static void free_run(struct solve_run *run)
{
    analysis_finish(&run->analysis);
    buf_finish(&run->json);
    free(run);
}

/* On the executor's thread. */
static void take(struct analysis *analysis, const struct execution_result *result)
{
    struct solve_run *run = (struct solve_run *)analysis;
    struct buf BUF_AUTO text = {0};
    struct buf *to = &run->json;

    run_add_stdout(result, &text);
    buf_addf(to, "{\"seconds\":%.6f,\"stdout\":", result->seconds);
    json_write_string(to, text.data ? text.data : "", text.len);
    buf_adds(to, ",\"artifacts\":[");
    for (size_t i = 0; i < result->artifact_count; i++)
        buf_addf(to, "%s{\"mime\":\"%s\",\"bytes\":%zu}", i > 0 ? "," : "",
                 result->artifacts[i].mime, result->artifacts[i].len / 4 * 3);
    buf_addf(to, "],\"cut\":%s", result->stdout_cut > 0 ? "true" : "false");
    json_write_member(to, "error", result->error);
    json_write_member(to, "hint", failure_hint(result));
    buf_addc(to, '}');
}

/* The outcome of an attempt. ended: of a program that ran; else NULL. */
static void take_run(struct solve *solve, const json_t *ended, struct failure *failure)
{
    static const char *const kept[] = {"artifacts", "hint", "seconds"};
    const json_t *text = json_object_get(ended, "stdout");
    const char *words = json_is_string(text) ? json_string_value(text) : "";
    const size_t len = json_string_length(text);
    /* The last line of a program that broke off is no result; a line with a step's name is one. */
    const bool named = solve->plan.step_count > 1;
    struct buf BUF_AUTO faults = {0};
    json_auto_t *values = output_values(&solve->plan, words, len, &faults);
    json_t *error, *execution, *result = NULL;

    if (failure->category == FAILURE_NONE && faults.len > 0) {
        failure->category = FAILURE_RUNTIME;
        snprintf(failure->message, sizeof failure->message, "%s%s",
                 json_is_true(json_object_get(ended, "cut"))
                     ? "The output was too long and was cut: print the results alone. "
                     : "",
                 faults.data);
    }
    if (json_object_size(values) > 0 && (named || failure->category == FAILURE_NONE))
        result = solve->plan.step_count == 1
                     ? json_incref(json_object_get(values, solve->plan.steps[0].name))
                     : json_incref(values);
    error = failure->category == FAILURE_NONE ? NULL : failure_value(failure);
    if (error && json_object_get(ended, "error"))
        json_object_set(error, "traceback", json_object_get(ended, "error"));
    execution = execution_value(words, len, result, error, solve->code.attempt);
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        if (json_object_get(ended, kept[i]))
            json_object_set(execution, kept[i], json_object_get(ended, kept[i]));
    }
    take_execution(solve, execution);
}

static void run_code(struct solve *solve);
static void write_answer(struct solve *solve);

static void on_retry(uv_timer_t *timer)
{
    struct solve_timer *timers = timer->data;

    if (timers->solve && !must_end(timers->solve))
        run_code(timers->solve);
}

static void follow_execution(struct solve *solve)
{
    const struct failure *failure = &solve->failure;
    struct error err = {0};

    if (failure->category == FAILURE_NONE) {
        write_answer(solve);
    } else if (solve->plan.approach == PLAN_QUERY) {
        end_without(solve, ANSWER_FAILED, failure->message, BOUND_NONE);
    } else if (failure->category == FAILURE_BUSY && solve->busy_retries < SOLVE_BUSY_RETRIES_MAX) {
        solve->busy_retries++;
        uv_timer_start(&solve->timer->retry, on_retry, (failure->retry_after_s + 1) * 1000ull, 0);
    } else if (!failure_is_repairable(failure->category)) {
        error_set(&err,
                  failure->category == FAILURE_BUSY || failure->category == FAILURE_ENGINE
                      ? ERROR_UNAVAILABLE
                      : ERROR_INTERNAL,
                  "%s", failure->message);
        end_error(solve, &err);
    } else if (!attempts_left(&solve->attempts)) {
        end_failed(solve);
    } else {
        diagnose(solve);
    }
}

static void end_run(struct solve_run *run, json_t *ended, const struct error *err)
{
    struct solve *solve = run->solve;
    struct failure failure = run->analysis.failure;

    solve->run = NULL;
    if (err && failure.category == FAILURE_NONE)
        failure_of_error(&failure, err);
    free_run(run);
    take_run(solve, ended, &failure);
}

static void on_run_done(struct analysis *analysis)
{
    struct solve_run *run = (struct solve_run *)analysis;
    json_auto_t *ended =
        json_read(run->json.data ? run->json.data : "", run->json.len, "a run", NULL);

    end_run(run, ended, NULL);
}

static void on_run_failed(struct analysis *analysis, const struct error *err)
{
    end_run((struct solve_run *)analysis, NULL, err);
}

static void run_code(struct solve *solve)
{
    struct solve_run *run = calloc(1, sizeof *run);
    struct buf BUF_AUTO why = {0}, attempt = {0};
    struct error err = {0};

    if (!run) {
        error_set(&err, ERROR_MEMORY, "out of memory for a run");
        end_error(solve, &err);
        return;
    }
    begin_step(solve, "executor");
    run->solve = solve;
    attempts_write_log(&solve->attempts, &attempt);
    snprintf(run->log_members, sizeof run->log_members, " task=%.*s role=executor %s",
             LOG_NAME_SHOWN, solve->id, attempt.data ? attempt.data : "");
    log_info("solve", "%s", run->log_members + 1);
    buf_init(&run->json, RUN_JSON_CAP);
    analysis_init(&run->analysis);
    run->analysis.server = solve->solver->server;
    run->analysis.code = solve->code.source;
    run->analysis.code_len = solve->code.source_len;
    run->analysis.profile = solve->solver->server->analyses.profile;
    run->analysis.session_id = solve->session_id;
    run->analysis.identity = &solve->identity;
    run->analysis.log_members = run->log_members;
    run->analysis.take = take;
    run->analysis.on_done = on_run_done;
    run->analysis.on_failed = on_run_failed;
    solve->run = run;
    if (!analysis_check(&run->analysis, &why)) {
        error_set(&err, ERROR_INVALID, "%s", why.data ? why.data : "refused");
        end_run(run, NULL, &err);
    } else if (analysis_start(&run->analysis, &err) < 0) {
        end_run(run, NULL, &err);
    }
}

/* ---- the answer ---- */

static int check_answer(void *user, json_t *message, struct error *err)
{
    struct solve *solve = user;
    struct answer found = {0};
    int rc;

    if (answer_read(message, &found, err) < 0)
        return -1;
    rc = output_check_numbers(found.text, &solve->plan, solve->values, err);
    answer_finish(&found);
    return rc;
}

static void end_solved(struct solve *solve, const char *text)
{
    struct buf BUF_AUTO own = {0};

    if (!text)
        output_write(solve->values, &solve->outline, &own);
    end(solve, ANSWER_SOLVED, text ? text : own.data ? own.data : "", NULL, BOUND_NONE);
}

/* The values are found, also without a text. Only a stop by a person is not a solved task. */
static void on_answer(void *user, enum ask_end ended, json_t *message, enum bound bound,
                      const struct error *err)
{
    struct solve *solve = user;

    (void)bound;
    (void)err;
    solve->ask = NULL;
    if (solve->cancelled && must_end(solve))
        return;
    end_solved(solve, ended == ASK_MESSAGE ? json_get_string(message, "text") : NULL);
}

static void write_answer(struct solve *solve)
{
    struct buf BUF_AUTO prompt = {0};
    struct error err = {0};

    if (!has_models(solve) || solve->by_rule) {
        end_solved(solve, NULL);
        return;
    }
    role_write_values(&solve->plan, solve->values, NULL, &prompt);
    if (ask_role(solve, ROLE_ANSWER, &prompt, false, check_answer, on_answer, &err) < 0)
        end_solved(solve, NULL);
}

/* ---- from message to message ---- */

/* The step after the last message. */
static void go_on(void *arg)
{
    struct solve *solve = arg;

    if (solve->ended) {
        finish(solve);
        return;
    }
    if (must_end(solve))
        return;
    switch (solve->last) {
    case MESSAGE_TASK:
        plan(solve);
        break;
    case MESSAGE_PLAN:
        follow_plan(solve);
        break;
    case MESSAGE_CODE:
        run_code(solve);
        break;
    case MESSAGE_EXECUTION:
        follow_execution(solve);
        break;
    case MESSAGE_DIAGNOSIS:
    case MESSAGE_ANSWER:
    case MESSAGE_KINDS:
        break; /* never the last without an answer */
    }
}

/* A request of an earlier process counts against the budget. */
static void replay_request(struct solve *solve, const json_t *entry)
{
    const struct model_usage own = budget_read_usage(json_object_get(entry, "usage"));
    const char *model = json_get_string(entry, "model");
    const struct prices *prices = team_prices(solve->solver->team);

    budget_spend(&solve->budget, prices_find(prices, model ? model : ""), &own);
}

static int replay_message(struct solve *solve, enum agent_message kind, const json_t *entry,
                          struct error *err)
{
    json_t *message = json_object_get(entry, "message");

    switch (kind) {
    case MESSAGE_TASK:
        if (task_read(message, &solve->given, err) < 0)
            return -1;
        attempts_init(&solve->attempts, solve->given.attempts);
        break;
    case MESSAGE_PLAN:
        solve->by_rule = json_string_is(entry, "by", "rule");
        if (plan_read(message, &solve->plan, err) < 0)
            return -1;
        break;
    case MESSAGE_CODE:
        code_finish(&solve->code);
        if (code_read(message, &solve->code, err) < 0)
            return -1;
        break;
    case MESSAGE_EXECUTION:
        if (read_execution(solve, message, err) < 0)
            return -1;
        break;
    case MESSAGE_ANSWER:
        solve->answer = json_incref(message);
        solve->ended = true;
        break;
    case MESSAGE_DIAGNOSIS: /* its program follows */
    case MESSAGE_KINDS:
        return 0;
    }
    solve->last = kind;
    return 0;
}

/* Brings the task to where its entries end. */
static int replay(struct solve *solve, struct error *err)
{
    const json_t *entry;
    double seconds = 0;
    size_t i;

    json_array_foreach(solve->trace, i, entry)
    {
        seconds += json_number_value(json_object_get(entry, "seconds"));
        seconds += json_number_value(json_object_get(json_object_get(entry, "message"), "seconds"));
        if (json_string_is(entry, "kind", "request"))
            replay_request(solve, entry);
        for (unsigned kind = 0; kind < MESSAGE_KINDS; kind++) {
            if (json_string_is(entry, "kind", message_kind_name(kind)) &&
                replay_message(solve, kind, entry, err) < 0)
                return error_wrap(err, "entry %zu of the task", i);
        }
    }
    if (!solve->given.value)
        return error_set(err, ERROR_IO, "the task in the store has no question");
    solve->budget.started_ms -= (int64_t)(seconds * 1000);
    solve->kept = json_array_size(solve->trace);
    return 0;
}

/* ---- stopping ---- */

/* Ends the thing that is under way. */
static void stop(struct solve *solve)
{
    if (solve->ask)
        ask_cancel(solve->ask);
    if (solve->run)
        analysis_cancel(&solve->run->analysis);
    if (solve->proposal)
        tool_call_cancel(solve->proposal);
    if (solve->reading)
        cancel_fire(solve->reading);
    if (solve->timer && uv_is_active((uv_handle_t *)&solve->timer->retry)) {
        uv_timer_stop(&solve->timer->retry);
        must_end(solve);
    }
}

static void on_late(uv_timer_t *timer)
{
    struct solve *solve = ((struct solve_timer *)timer->data)->solve;

    if (!solve || solve->ended)
        return;
    solve->late = true;
    stop(solve);
}

/* Of the bound of time, less the seconds of earlier processes. */
static void start_clock(struct solve *solve)
{
    uv_update_time(solve->solver->server->loop);
    uv_timer_start(&solve->timer->timer, on_late,
                   (uint64_t)budget_left_ms(&solve->budget, clock_ms()), 0);
}

/* ---- the beginning ---- */

/* The entries of the task that is continued. */
static int read_entries(struct solve *solve, struct store *store, struct error *err)
{
    json_auto_t *kept = NULL;
    struct buf BUF_AUTO text = {0};

    if (store_task_read(store, solve->session_id, solve->id, &text, err) < 0)
        return -1;
    kept = json_read(text.data, text.len, "the task in the store", err);
    if (!kept)
        return -1;
    json_array_extend(solve->trace, json_object_get(kept, "entries"));
    return 0;
}

static void read_work(struct workq_job *job, void *context)
{
    struct solve *solve = container_of(job, struct solve, job);
    struct error *err = &solve->read_error;
    int64_t version;

    store_call_begin(context);
    if (store_session(context, solve->session_id, solve->title, sizeof solve->title, &version,
                      err) == 0 &&
        store_read_outline(context, solve->session_id, &solve->outline, err) == 0 &&
        (solve->question || read_entries(solve, context, err) == 0) && solve->question) {
        json_auto_t *value = json_pack("{s:s, s:s, s:s, s:I, s:I}", "question", solve->question,
                                       "session_id", solve->session_id, "title", solve->title,
                                       "version", (json_int_t)solve->outline.version, "attempts",
                                       (json_int_t)solve->attempts.most);

        task_read(value, &solve->given, err);
    }
    store_call_end(context);
}

static void on_read(struct workq_job *job)
{
    struct solve *solve = container_of(job, struct solve, job);
    struct error err = solve->read_error;

    memset(&solve->read_error, 0, sizeof solve->read_error);
    if (must_end(solve))
        return;
    if (err.kind == ERROR_NONE && !solve->question)
        replay(solve, &err);
    if (err.kind != ERROR_NONE) {
        end_error(solve, &err);
        return;
    }
    if (!solve->question) {
        start_clock(solve);
        go_on(solve);
        return;
    }
    add_message(solve, MESSAGE_TASK, NULL, NULL, solve->given.value);
    keep(solve);
}

static void on_begin(void *arg)
{
    struct solve *solve = arg;
    struct error err = {0};

    begin_step(solve, "reader");
    solve->job.work = read_work;
    solve->job.done = on_read;
    solve->job.key = workq_key(solve->session_id);
    if (must_end(solve))
        return;
    if (workq_submit(solve->solver->server->store.read, &solve->job, &err) < 0)
        end_error(solve, &err);
}

static int start_timer(struct solve *solve, struct error *err)
{
    uv_loop_t *loop = solve->solver->server->loop;

    solve->timer = calloc(1, sizeof *solve->timer);
    if (!solve->timer)
        return error_set(err, ERROR_MEMORY, "out of memory for a task");
    solve->timer->solve = solve;
    solve->timer->open = 2;
    uv_timer_init(loop, &solve->timer->timer);
    uv_timer_init(loop, &solve->timer->retry);
    solve->timer->timer.data = solve->timer->retry.data = solve->timer;
    start_clock(solve);
    return 0;
}

/* task: the one that is continued, or NULL. */
static int take_id(struct solve *solve, const char *task, struct error *err)
{
    if (!task)
        return text_uuid(solve->id, err);
    if (strlen(task) >= sizeof solve->id)
        return error_set(err, ERROR_NOT_FOUND, "the id of a task has %zu characters",
                         sizeof solve->id - 1);
    memcpy(solve->id, task, strlen(task) + 1);
    return 0;
}

struct solve *solve_start(struct solver *solver, const struct solve_request *request,
                          struct solve_listener *listener, struct error *err)
{
    const char *question = request->task ? "continued" : request->question;
    const size_t len = strlen(question);
    json_auto_t *text = json_string(question); /* NULL if it is not UTF-8 */
    struct solve *solve;

    if (strspn(question, " \t\r\n") == len || len > TASK_QUESTION_MAX || !text) {
        error_set(err, ERROR_INVALID,
                  "the question is text of 1 to %zu bytes, such as \"Which "
                  "lessons have no worked example?\"",
                  TASK_QUESTION_MAX);
        return NULL;
    }
    if (solver->tasks >= SOLVER_TASKS_MAX) {
        error_set(err, ERROR_BUSY, "%u questions are under way. Ask again in a moment",
                  SOLVER_TASKS_MAX);
        return NULL;
    }
    solve = calloc(1, sizeof *solve);
    if (solve) {
        solve->solver = solver;
        solver->tasks++;
        solve->listener = listener;
        solve->identity = request->identity ? *request->identity : identity_everyone;
        solve->question = request->task ? NULL : strdup(question);
        solve->trace = json_array();
        solve->values = json_object();
        snprintf(solve->session_id, sizeof solve->session_id, "%s", request->session_id);
        budget_init(&solve->budget, &solver->bounds, clock_ms());
        attempts_init(&solve->attempts, solver->server->analyses.attempts);
        buf_init(&solve->read, GRAPH_DATA_CAP + GRAPH_ANSWER_CAP);
    }
    if (!solve || (!request->task && !solve->question) || !solve->trace || !solve->values)
        error_set(err, ERROR_MEMORY, "out of memory for a task");
    else if (take_id(solve, request->task, err) == 0 && start_timer(solve, err) == 0) {
        solve->task.run = on_begin;
        solve->task.arg = solve;
        loop_queue_post(solver->server->loop_queue, &solve->task);
        return solve;
    }
    if (solve)
        free_solve(solve);
    return NULL;
}

void solve_cancel(struct solve *solve)
{
    if (solve->ended || solve->cancelled)
        return;
    solve->cancelled = true;
    stop(solve);
}

void solve_progress(const struct solve *solve, struct buf *to)
{
    buf_adds(to, solve->doing ? solve->doing : "waiting");
    if (attempts_made(solve) > 0)
        buf_addf(to, ": attempt %u of %u", attempts_made(solve), solve->attempts.most);
}
