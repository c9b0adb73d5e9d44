/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/tool/solution_check.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/auth/limits.h"
#include "mcp/curriculum/entity.h"
#include "mcp/curriculum/text.h"
#include "mcp/exercise/exercise.h"
#include "mcp/exercise/grade.h"
#include "mcp/server.h"
#include "mcp/store/entities/node.h"
#include "mcp/store/entities/read.h"
#include "mcp/tool/trial.h"

#define DETAIL_CAP 200u /* bytes of the reason why a solution fails */
#define WHERE_CAP  120u
#define TRACEBACK  "Traceback (most recent call last):\n"

enum solution_state { SOLUTION_PASSES, SOLUTION_FAILS, SOLUTION_MISSING, SOLUTION_UNCHECKED };

struct solution {
    json_t *exercise; /* the component; owned, and nobody else's once the trial is over */
    char node_id[WHERE_CAP];
    json_int_t place; /* in the node; 0: unknown */
    enum solution_state state;
    char detail[DETAIL_CAP + WHERE_CAP];
};

struct solution_check {
    struct solution *all; /* owned */
    size_t count, more;   /* chosen; left out */
    size_t next;          /* that is graded, or is to be */
    const char *stopped;  /* why no further one is graded; static */
    struct error err;     /* of the trial */
    uint64_t until_ms;
    bool counted;              /* for the caller's limit */
    atomic_uint_least64_t run; /* of the executor; 0: none yet */
    struct tool_call *call;
    bool (*is_answered)(struct tool_call *call, struct store *store);
    void (*then)(struct tool_call *call);
    struct loop_task task;
};

void solution_check_free(struct solution_check *check)
{
    if (!check)
        return;
    for (size_t i = 0; i < check->count; i++)
        json_decref(check->all[i].exercise);
    free(check->all);
    free(check);
}

/* ---- the choice ---- */

/* The parameters on which the result of a grading depends. */
static const char *const graded[] = {"cases", "solution", "compare", "time_s"};

static bool has_graded(const json_t *parameters)
{
    for (size_t i = 0; i < sizeof graded / sizeof graded[0]; i++)
        if (json_object_get(parameters, graded[i]))
            return true;
    return false;
}

/* An object may be sent as text. */
static bool edits_graded(const json_t *value)
{
    json_auto_t *read = json_is_string(value) ? json_read(json_string_value(value),
                                                          json_string_length(value), "", NULL)
                                              : json_incref((json_t *)value);

    return has_graded(read);
}

static bool is_exercise(const json_t *component)
{
    const char *type = entity_component_type(component);

    return type && strcmp(type, EXERCISE_CODE) == 0;
}

/* NULL if there is none. */
static const char *solution_of(const json_t *exercise)
{
    const char *code = json_get_string(json_object_get(exercise, "parameters"), "solution");

    return code && *code ? code : NULL;
}

bool solution_check_may_concern(const json_t *operations)
{
    json_t *operation;
    size_t i;

    json_array_foreach((json_t *)operations, i, operation)
    {
        if (is_exercise(operation) || edits_graded(json_object_get(operation, "new_parameters")) ||
            (json_string_is(operation, "op", "edit_component") &&
             edits_graded(json_object_get(operation, "parameters"))))
            return true;
    }
    return false;
}

bool solution_check_is_due(const json_t *difference)
{
    const json_t *before = json_object_get(difference, "before");
    const json_t *after = json_object_get(difference, "after");

    if (!json_string_is(difference, "entity", "component") || !is_exercise(after))
        return false;
    if (!is_exercise(before))
        return true;
    before = json_object_get(before, "parameters");
    after = json_object_get(after, "parameters");
    for (size_t i = 0; i < sizeof graded / sizeof graded[0]; i++) {
        json_t *was = json_object_get(before, graded[i]), *is = json_object_get(after, graded[i]);

        if (was != is && !json_equal(was, is))
            return true;
    }
    return false;
}

bool solution_check_concerns(struct tool_call *call)
{
    struct tool_preview preview = {0};
    struct error unused = {0};
    bool concerns = (call->tool->operation || call->tool->preview) &&
                    tool_call_preview(call, &preview, &unused) == 0 &&
                    solution_check_may_concern(preview.operations);

    json_decref(preview.operations);
    return concerns;
}

static int by_place(const void *one, const void *other)
{
    const struct solution *a = one, *b = other;
    int order = strverscmp(a->node_id, b->node_id);

    return order != 0 ? order : (a->place > b->place) - (a->place < b->place);
}

static int choose(struct solution_check *check, const struct tool_trial *trial, struct error *err)
{
    const json_t *difference;
    size_t i;

    check->all = calloc(json_array_size(trial->differences) + 1, sizeof *check->all);
    if (!check->all)
        return error_set(err, ERROR_MEMORY, "out of memory for the exercises");
    json_array_foreach(trial->differences, i, difference)
    {
        struct solution *solution = &check->all[check->count];
        const char *id = json_get_string(difference, "entity_id");

        if (!solution_check_is_due(difference))
            continue;
        solution->exercise = json_incref(json_object_get(difference, "after"));
        text_cut_line(solution->node_id, sizeof solution->node_id,
                      json_get_string(difference, "node_id"));
        solution->place = id ? json_integer_value(json_object_get(trial->is, id)) : 0;
        check->count++;
    }
    qsort(check->all, check->count, sizeof *check->all, by_place);
    while (check->count > SOLUTION_CHECKS_MAX) {
        json_decref(check->all[--check->count].exercise);
        check->more++;
    }
    return 0;
}

/* Whether the node has an exercise, or may have one. */
static bool has_exercise(struct store *store, const char *sid, const char *node)
{
    struct buf BUF_AUTO found = {0}, BUF_AUTO text = {0};
    json_auto_t *read = NULL;
    json_t *component;
    const char *id;
    size_t i;

    if (node && store_node_id(store, sid, node, "node_id", &found, &id, NULL) == 0 &&
        store_read_components(store, sid, id, &text, NULL) == 0)
        read = json_read(text.data, text.len, "the components", NULL);
    json_array_foreach(json_object_get(read, "components"), i, component)
    {
        if (is_exercise(component))
            return true;
    }
    return !read;
}

/* Other types have parameters of these names too, and to copy a large session takes a second. */
static bool only_edits_others(struct store *store, const char *sid, const json_t *operations)
{
    json_t *operation;
    size_t i;

    json_array_foreach((json_t *)operations, i, operation)
    {
        if (!json_string_is(operation, "op", "edit_component") ||
            has_exercise(store, sid, json_get_string(operation, "node_id")))
            return false;
    }
    return true;
}

static int try_on_copy(struct solution_check *check, struct tool_trial *trial, struct store *store,
                       struct error *err)
{
    char sid[SESSION_ID_SIZE];
    struct store *copy;
    int rc;

    if (cancel_check(check->call->cancel, err) < 0 ||
        tool_session(check->call, store, sid, err) < 0 ||
        tool_trial_begin(trial, check->call, sid, err) < 0)
        return -1;
    if (only_edits_others(store, sid, trial->asked.operations))
        return 0;
    copy = store_trial_open(store, sid, false, err);
    rc = copy ? tool_trial_run(trial, copy, err) : -1;
    store_close(copy);
    return rc;
}

/* A call that cannot be tried cannot be done either, and then says why itself. */
static void on_trial(struct workq_job *job, void *context)
{
    struct solution_check *check = ((struct tool_call *)job)->solutions;
    struct tool_trial trial = {0};

    if (check->is_answered(check->call, context))
        return;
    if (try_on_copy(check, &trial, context, &check->err) == 0)
        choose(check, &trial, &check->err);
    tool_trial_finish(&trial);
}

/* ---- grading ---- */

/* Copies the text on one line, without the middle of a traceback. */
static void copy_reason(struct solution *solution, size_t used, const char *text)
{
    const char *stack = strstr(text, TRACEBACK), *rest = stack ? stack + sizeof TRACEBACK - 1 : "";
    struct buf BUF_AUTO words = {0};
    char line[DETAIL_CAP];

    while (*rest == ' ')
        rest += strcspn(rest, "\n") + (strchr(rest, '\n') != NULL);
    buf_add(&words, text, stack ? (size_t)(stack - text) : strlen(text));
    buf_adds(&words, rest);
    text_cut_line(line, sizeof line, words.data);
    snprintf(solution->detail + used, sizeof solution->detail - used, "%s%s", line,
             *line && strchr(".!?", line[strlen(line) - 1]) ? "" : ".");
}

static void take_result(struct solution *solution, const json_t *result)
{
    const json_t *tests = json_object_get(result, "tests"), *test;
    const char *why = json_get_string(result, "message");
    size_t passed = 0, count = json_array_size(tests), i;
    int used;

    json_array_foreach((json_t *)tests, i, test)
    {
        if (json_string_is(test, "status", "pass"))
            passed++;
        else if (!why)
            why = json_get_string(test, "message");
    }
    if (passed == count) {
        solution->state = SOLUTION_PASSES;
        snprintf(solution->detail, sizeof solution->detail, "passes %zu of %zu cases.", passed,
                 count);
        return;
    }
    solution->state = SOLUTION_FAILS;
    used = snprintf(solution->detail, sizeof solution->detail,
                    "fails %zu of %zu cases: ", count - passed, count);
    copy_reason(solution, (size_t)used, why ? why : "without a message");
}

/* The first line of the validator's explanation. */
static void take_refusal(struct solution *solution, char *why)
{
    why[strcspn(why, "\n")] = '\0';
    solution->state = SOLUTION_FAILS;
    copy_reason(solution,
                (size_t)snprintf(solution->detail, sizeof solution->detail, "is refused: "), why);
}

static const char *reason_of(const struct error *err)
{
    return err->kind == ERROR_BUSY ? "too many programs wait for a sandbox"
                                   : "no sandbox is available";
}

static void on_run(void *user, uint64_t run_id)
{
    struct solution_check *check = user;

    atomic_store(&check->run, run_id);
    if (cancel_fired(check->call->cancel))
        executor_cancel(check->call->server->analyses.executor, run_id);
}

static void on_graded(void *user, const json_t *result, const struct error *err)
{
    struct solution_check *check = user;

    if (result)
        take_result(&check->all[check->next], result);
    else
        check->stopped = reason_of(err);
    loop_queue_post(check->call->server->loop_queue, &check->task);
}

/* Why nothing can be graded now, or NULL. If the call is cancelled, the executor may be gone. */
static const char *find_obstacle(const struct solution_check *check)
{
    const struct server *server = check->call->server;

    if (cancel_fired(check->call->cancel))
        return "the call was cancelled";
    if (!server->analyses.executor)
        return "no sandbox is available";
    if (!check->counted)
        return "this token has as many analyses under way as it may";
    return uv_now(server->loop) > check->until_ms ? "the time for it was over" : NULL;
}

/* The author may see the messages of hidden cases. */
static void show_cases(json_t *exercise)
{
    json_t *one;
    size_t i;

    json_array_foreach(json_object_get(json_object_get(exercise, "parameters"), "cases"), i, one)
    {
        json_object_del(one, "hidden");
    }
}

/* Whether it is under way; otherwise its state is set. */
static bool begin(struct solution_check *check, struct solution *solution)
{
    const char *code = solution_of(solution->exercise);
    const struct grade_request request = {.exercise =
                                              json_object_get(solution->exercise, "parameters"),
                                          .code = code,
                                          .code_len = code ? strlen(code) : 0,
                                          .on_done = on_graded,
                                          .on_run = on_run,
                                          .user = check};
    struct error err = {0};

    if (!code) {
        solution->state = SOLUTION_MISSING;
        return false;
    }
    if (!check->stopped)
        check->stopped = find_obstacle(check);
    if (check->stopped)
        return false;
    show_cases(solution->exercise);
    if (grade_start(check->call->server->analyses.executor, &request, &err) == 0)
        return true; /* it may be over already, on the other thread */
    if (err.kind == ERROR_INVALID)
        take_refusal(solution, err.text);
    else
        check->stopped = reason_of(&err);
    return false;
}

/* Grades the next one, or ends the check. */
static void go_on(struct solution_check *check)
{
    struct server *server = check->call->server;

    for (; check->next < check->count; check->next++) {
        check->all[check->next].state = SOLUTION_UNCHECKED;
        if (begin(check, &check->all[check->next]))
            return;
    }
    if (check->counted)
        limits_end_analysis(server->limits, check->call->identity);
    check->then(check->call);
}

static void on_next(void *arg)
{
    struct solution_check *check = arg;

    check->next++;
    go_on(check);
}

static void on_trial_done(struct workq_job *job)
{
    struct solution_check *check = ((struct tool_call *)job)->solutions;
    const struct server *server = check->call->server;

    check->counted =
        check->count > 0 && limits_begin_analysis(server->limits, check->call->identity);
    uv_update_time(server->loop);
    check->until_ms = uv_now(server->loop) + SOLUTION_CHECK_MS;
    go_on(check);
}

int solution_check_start(struct tool_call *call,
                         bool (*is_answered)(struct tool_call *call, struct store *store),
                         void (*then)(struct tool_call *call), struct error *err)
{
    struct solution_check *check = calloc(1, sizeof *check);

    if (!check)
        return error_set(err, ERROR_MEMORY, "out of memory for the check of solutions");
    solution_check_free(call->solutions);
    call->solutions = check;
    check->call = call;
    check->is_answered = is_answered;
    check->then = then;
    check->task = (struct loop_task){.run = on_next, .arg = check};
    call->staged.job.work = on_trial;
    call->staged.job.done = on_trial_done;
    return workq_submit(call->server->store.trial, &call->staged.job, err);
}

void solution_check_cancel(const struct tool_call *call)
{
    uint64_t run = call->solutions ? atomic_load(&call->solutions->run) : 0;

    if (run != 0)
        executor_cancel(call->server->analyses.executor, run);
}

/* ---- the answer ---- */

/* "Its solution passes 5 of 5 cases.", or as one of several. */
static void write_state(const struct solution_check *check, const struct solution *solution,
                        bool alone, struct buf *to)
{
    switch (solution->state) {
    case SOLUTION_MISSING:
        buf_addf(to, "%s no solution, so nothing was checked.", alone ? "It has" : "there is");
        break;
    case SOLUTION_UNCHECKED:
        buf_addf(to, "%s checked: %s.", alone ? "Not" : "not", check->stopped);
        break;
    default:
        buf_addf(to, "%s solution %s", alone ? "Its" : "the", solution->detail);
        break;
    }
}

static bool is_same(const struct solution *one, const struct solution *other)
{
    return one->state == other->state && strcmp(one->detail, other->detail) == 0;
}

/* Those with the same state stand on one line. */
static void write_several(const struct solution_check *check, size_t from, struct buf *to)
{
    const struct solution *first = &check->all[from];
    const char *before = "\n";

    for (size_t i = 0; i < from; i++)
        if (is_same(&check->all[i], first))
            return;
    for (size_t i = from; i < check->count; i++) {
        if (!is_same(&check->all[i], first))
            continue;
        buf_addf(to, "%s%s", before, check->all[i].node_id);
        if (check->all[i].place > 0)
            buf_addf(to, " component %" JSON_INTEGER_FORMAT, check->all[i].place);
        before = ", ";
    }
    buf_adds(to, ": ");
    write_state(check, first, false, to);
}

void solution_check_write(const struct solution_check *check, struct buf *to)
{
    const bool of_lines = to->len > 0 && to->data[to->len - 1] == '\n';
    size_t passed = 0;

    if (!check)
        return;
    if (of_lines)
        to->data[--to->len] = '\0';
    if (check->err.kind != ERROR_NONE)
        buf_addf(to, "\nSolutions of exercises were not checked: %s", check->err.text);
    for (size_t i = 0; i < check->count; i++)
        passed += check->all[i].state == SOLUTION_PASSES;
    if (check->count == 1) {
        buf_addc(to, '\n');
        write_state(check, &check->all[0], true, to);
    } else if (passed > 0) {
        buf_addf(to, "\nThe solutions of %zu of %zu exercises pass all cases.", passed,
                 check->count + check->more);
    }
    for (size_t i = 0; check->count > 1 && i < check->count; i++)
        if (check->all[i].state != SOLUTION_PASSES)
            write_several(check, i, to);
    if (check->more > 0)
        buf_addf(to, "\n%zu exercise%s not checked: at most %u are in one call.", check->more,
                 check->more == 1 ? " was" : "s were", SOLUTION_CHECKS_MAX);
    if (of_lines)
        buf_addc(to, '\n');
}

void solution_check_write_import(const json_t *curriculum, struct buf *to)
{
    const json_t *node, *component;
    size_t count = 0, i, j;

    json_array_foreach(json_object_get(curriculum, "nodes"), i, node)
    {
        json_array_foreach(json_object_get(node, "components"), j, component)
        {
            count += is_exercise(component) && solution_of(component) != NULL;
        }
    }
    if (count > 0)
        buf_addf(to, "\nNot checked: the solution%s of %zu code exercise%s.", count == 1 ? "" : "s",
                 count, count == 1 ? "" : "s");
}
