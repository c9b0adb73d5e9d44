/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/agent/message.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"

#define FIELD_MAX 200.0 /* bytes of an id or a name in a plan */

/* ---- members of members ---- */

/* The place of a member for validation_add's caller: "plan.query". */
static void write_place(const struct validation_errors *problems, const char *name,
                        char place[ERROR_LOC_CAP])
{
    snprintf(place, ERROR_LOC_CAP, "%s%s%s", problems->loc, *problems->loc ? "." : "", name);
}

static void check_members(const struct fields *fields, const json_t *value, const char *name,
                          struct validation_errors *problems)
{
    struct validation_errors found;
    struct error err = {0};
    char place[ERROR_LOC_CAP];

    if (!json_is_object(value)) {
        validation_add(problems, name, "must be an object, not %s", json_kind(value));
        return;
    }
    write_place(problems, name, place);
    validation_begin(&found, place);
    fields_check(fields, value, NULL, &found);
    if (validation_end(&found, NULL, &err) < 0)
        validation_take(problems, &err);
}

static void check_object(const struct field *row, const json_t *value, const json_t *object,
                         const char *name, struct validation_errors *problems)
{
    (void)object;
    check_members(row->of, value, name, problems);
}

/* ---- task ---- */

static const struct field task_rows[] = {
    FIELD("question", FIELD_TEXT, .required = true, .least = 1, .most = TASK_QUESTION_MAX),
    FIELD("session_id", FIELD_TEXT, .required = true, .least = 1, .most = FIELD_MAX),
    FIELD("title", FIELD_TEXT, .required = true),
    FIELD("version", FIELD_WHOLE, .required = true),
    FIELD("attempts", FIELD_WHOLE, .required = true, .least = 1, .most = INFINITY),
    {0},
};

/* ---- plan ---- */

static const char *const approaches[] = {"query", "code", "edit", "ask", "refuse", NULL};
static const char *const types[] = {"number", "text", "truth", "list", "map", "any", NULL};

static const char *const query_forms[] = {
    [QUERY_AS_IT_IS] = "as it is",
    [QUERY_MAP] = "map",
    [QUERY_SINGLE] = "single",
    [QUERY_TRUTH] = "truth",
    NULL,
};

static const struct field query_rows[] = {
    FIELD("query", FIELD_TEXT, .required = true, .least = 1, .most = FIELD_MAX),
    FIELD("node_id", FIELD_TEXT, .most = FIELD_MAX),
    FIELD("from_node_id", FIELD_TEXT, .most = FIELD_MAX),
    FIELD("to_node_id", FIELD_TEXT, .most = FIELD_MAX),
    FIELD("framework", FIELD_TEXT, .most = FIELD_MAX),
    FIELD("types", FIELD_ARRAY, .item = FIELD_TEXT),
    FIELD("limit", FIELD_WHOLE, .least = 1, .most = 1e9),
    FIELD("parts", FIELD_WHOLE, .least = 1, .most = 500),
    FIELD("words", FIELD_FLAG),
    FIELD("pick", FIELD_TEXT, .most = FIELD_MAX, .flags = FIELD_UNLISTED),
    FIELD("fields", FIELD_ARRAY, .item = FIELD_TEXT, .flags = FIELD_UNLISTED),
    FIELD("sorted", FIELD_FLAG, .flags = FIELD_UNLISTED),
    FIELD("first", FIELD_WHOLE, .least = 1, .most = 1e9, .flags = FIELD_UNLISTED),
    FIELD("count", FIELD_FLAG, .flags = FIELD_UNLISTED),
    FIELD("form", FIELD_TEXT, .choices = query_forms, .flags = FIELD_UNLISTED),
    {0},
};
static const struct fields query_fields = {
    .name = "query", .rows = query_rows, .flags = FIELDS_CLOSED, .check = check_object};

static const struct field step_rows[] = {
    FIELD("name", FIELD_TEXT, .required = true, .least = 1, .most = PLAN_NAME_MAX,
          .flags = FIELD_LINE),
    FIELD("compute", FIELD_TEXT, .required = true, .least = 1, .most = PLAN_TEXT_MAX,
          .documentation = "Complete for a programmer who sees this plan alone: ids, titles, "
                           "definitions, order, rounding"),
    FIELD("type", FIELD_TEXT, .required = true, .choices = types,
          .documentation = "Of the JSON value that is the result"),
    {0},
};

static void check_steps(const struct field *row, const json_t *value, const json_t *object,
                        const char *name, struct validation_errors *problems)
{
    const size_t count = json_array_size(value);
    json_auto_t *names = json_object();

    (void)object;
    if (count > PLAN_STEPS_MAX)
        validation_add(problems, name, "must have at most %u steps, not %zu", PLAN_STEPS_MAX,
                       count);
    for (size_t i = 0; i < count && i < PLAN_STEPS_MAX; i++) {
        const json_t *step = json_array_get(value, i);
        const char *own = json_get_string(step, "name");
        char place[ERROR_LOC_CAP];

        snprintf(place, sizeof place, "%s.%zu", name, i);
        check_members(row->of, step, place, problems);
        if (own && json_object_get(names, own))
            validation_add(problems, place, "the name '%s' is taken by an earlier step", own);
        if (own)
            json_object_set_new(names, own, json_true());
    }
}

static const struct fields step_fields = {
    .name = "a step", .rows = step_rows, .flags = FIELDS_CLOSED, .check = check_steps};

static const struct field plan_rows[] = {
    FIELD("approach", FIELD_TEXT, .required = true, .choices = approaches),
    FIELD("query", FIELD_OBJECT, .of = &query_fields),
    FIELD("steps", FIELD_ARRAY, .of = &step_fields),
    FIELD("operations", FIELD_TEXT, .most = CODE_SOURCE_MAX,
          .documentation = "A JSON array of operations as change_curriculum takes them"),
    FIELD("text", FIELD_TEXT, .most = PLAN_TEXT_MAX,
          .documentation = "The question back, or the reason to refuse"),
    {0},
};

/* The member that an approach needs. */
static const struct {
    const char *member, *correct;
} approach_needs[] = {
    [PLAN_QUERY] = {"query", "{\"query\": \"needs\", \"node_id\": \"N005\"}"},
    [PLAN_CODE] = {"steps", "[{\"name\": \"lessons\", \"compute\": \"the number of nodes\", "
                            "\"type\": \"number\"}]"},
    [PLAN_EDIT] = {"operations", "\"[{...}]\", a text with a JSON array of operations"},
    [PLAN_ASK] = {"text", "the question back"},
    [PLAN_REFUSE] = {"text", "the reason"},
};

/* ---- code, execution, diagnosis ---- */

static const struct field code_rows[] = {
    FIELD("source", FIELD_TEXT, .required = true, .least = 1, .most = CODE_SOURCE_MAX,
          .flags = FIELD_NUL),
    FIELD("attempt", FIELD_WHOLE, .least = 1, .most = INFINITY, .flags = FIELD_UNLISTED),
    FIELD("hash", FIELD_TEXT, .flags = FIELD_UNLISTED),
    {0},
};

static const struct field execution_rows[] = {
    FIELD("ok", FIELD_FLAG, .required = true),
    FIELD("stdout", FIELD_TEXT, .required = true, .flags = FIELD_NUL),
    FIELD("result", FIELD_ANY, .flags = FIELD_NULL),
    FIELD("artifacts", FIELD_ARRAY, .required = true, .item = FIELD_OBJECT),
    FIELD("error", FIELD_OBJECT, .flags = FIELD_NULL),
    FIELD("hint", FIELD_TEXT, .flags = FIELD_NULL | FIELD_NUL),
    FIELD("seconds", FIELD_NUMBER, .required = true, .least = 0, .most = INFINITY),
    FIELD("attempt", FIELD_WHOLE, .required = true, .least = 0, .most = INFINITY),
    {0},
};

static const char *const diagnosis_authors[] = {"rule", "model", NULL};
static const struct field diagnosis_rows[] = {
    FIELD("cause", FIELD_TEXT, .required = true, .least = 1, .most = DIAGNOSIS_TEXT_MAX),
    FIELD("change", FIELD_TEXT, .required = true, .least = 1, .most = DIAGNOSIS_TEXT_MAX),
    FIELD("source", FIELD_TEXT, .required = true, .least = 1, .most = CODE_SOURCE_MAX,
          .flags = FIELD_NUL, .documentation = "The whole changed program"),
    FIELD("by", FIELD_TEXT, .choices = diagnosis_authors, .flags = FIELD_UNLISTED),
    {0},
};

/* ---- answer ---- */

const char *const answer_statuses[ANSWER_STATUSES + 1] = {
    [ANSWER_SOLVED] = "solved", [ANSWER_PARTIAL] = "partial",
    [ANSWER_FAILED] = "failed", [ANSWER_REFUSED] = "refused",
    [ANSWER_ASK] = "ask",       [ANSWER_OVER_BUDGET] = "over_budget",
    [ANSWER_STUCK] = "stuck",   [ANSWER_CANCELLED] = "cancelled",
    [ANSWER_STATUSES] = NULL,
};

static const struct field answer_rows[] = {
    FIELD("text", FIELD_TEXT, .required = true, .least = 1, .most = ANSWER_TEXT_MAX,
          .flags = FIELD_NUL),
    FIELD("open", FIELD_ARRAY, .item = FIELD_TEXT, .documentation = "Points that stay open"),
    FIELD("task", FIELD_TEXT, .flags = FIELD_UNLISTED),
    FIELD("status", FIELD_TEXT, .choices = answer_statuses, .flags = FIELD_UNLISTED),
    FIELD("values", FIELD_ANY, .flags = FIELD_UNLISTED | FIELD_NULL),
    FIELD("node_ids", FIELD_ARRAY, .item = FIELD_TEXT, .flags = FIELD_UNLISTED),
    FIELD("version", FIELD_WHOLE, .flags = FIELD_UNLISTED),
    FIELD("attempts", FIELD_WHOLE, .flags = FIELD_UNLISTED),
    FIELD("bound", FIELD_TEXT, .flags = FIELD_UNLISTED | FIELD_NULL),
    FIELD("usage", FIELD_OBJECT, .flags = FIELD_UNLISTED),
    FIELD("cost", FIELD_OBJECT, .flags = FIELD_UNLISTED | FIELD_NULL),
    {0},
};

/* ---- the table of kinds ---- */

static const struct fields kinds[MESSAGE_KINDS] = {
    [MESSAGE_TASK] = {.name = "task", .rows = task_rows, .flags = FIELDS_CLOSED},
    [MESSAGE_PLAN] = {.name = "plan", .rows = plan_rows, .flags = FIELDS_CLOSED},
    [MESSAGE_CODE] = {.name = "code", .rows = code_rows, .flags = FIELDS_CLOSED},
    [MESSAGE_EXECUTION] = {.name = "execution", .rows = execution_rows, .flags = FIELDS_CLOSED},
    [MESSAGE_DIAGNOSIS] = {.name = "diagnosis", .rows = diagnosis_rows, .flags = FIELDS_CLOSED},
    [MESSAGE_ANSWER] = {.name = "answer", .rows = answer_rows, .flags = FIELDS_CLOSED},
};

const char *message_kind_name(enum agent_message kind)
{
    return kinds[kind].name;
}

const struct fields *message_fields(enum agent_message kind)
{
    return &kinds[kind];
}

/* ---- the readers ---- */

static int check(enum agent_message kind, const json_t *value, struct error *err)
{
    struct validation_errors problems;

    validation_begin(&problems, kinds[kind].name);
    if (json_is_object(value))
        fields_check(&kinds[kind], value, NULL, &problems);
    else
        validation_add(&problems, "", "must be an object, not %s", json_kind(value));
    return validation_end(&problems, NULL, err);
}

static int64_t whole(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);

    return json_is_integer(value) ? json_integer_value(value) : (int64_t)json_real_value(value);
}

/* The position of a text in a list of names, which has it. */
static unsigned choice(const char *const *names, const json_t *object, const char *name,
                       unsigned otherwise)
{
    const char *text = json_get_string(object, name);

    for (unsigned i = 0; text && names[i]; i++) {
        if (strcmp(names[i], text) == 0)
            return i;
    }
    return otherwise;
}

int task_read(json_t *value, struct task *task, struct error *err)
{
    if (check(MESSAGE_TASK, value, err) < 0)
        return -1;
    *task = (struct task){
        .value = json_incref(value),
        .question = json_get_string(value, "question"),
        .session_id = json_get_string(value, "session_id"),
        .title = json_get_string(value, "title"),
        .version = whole(value, "version"),
        .attempts = (unsigned)whole(value, "attempts"),
    };
    return 0;
}

static void read_query(const json_t *value, struct plan_query *query)
{
    *query = (struct plan_query){
        .name = json_get_string(value, "query"),
        .node_id = json_get_string(value, "node_id"),
        .from_node_id = json_get_string(value, "from_node_id"),
        .to_node_id = json_get_string(value, "to_node_id"),
        .framework = json_get_string(value, "framework"),
        .types = json_object_get(value, "types"),
        .limit = (unsigned)whole(value, "limit"),
        .parts = (unsigned)whole(value, "parts"),
        .words = json_is_true(json_object_get(value, "words")),
        .pick = json_get_string(value, "pick"),
        .fields = json_object_get(value, "fields"),
        .sorted = json_is_true(json_object_get(value, "sorted")),
        .first = (unsigned)whole(value, "first"),
        .count = json_is_true(json_object_get(value, "count")),
        .form = choice(query_forms, value, "form", QUERY_AS_IT_IS),
    };
}

/* The operations of an edit, as a new array. */
static json_t *read_operations(const json_t *value, struct error *err)
{
    const json_t *text = json_object_get(value, "operations");
    struct error why = {0};
    json_t *read = json_read(json_string_value(text), json_string_length(text), "operations", &why);

    if (json_is_array(read) && json_array_size(read) > 0)
        return read;
    json_decref(read);
    error_set_at(err, "plan.operations", "plan.operations: must be the text of a JSON array%s%s",
                 *why.text ? ": " : "", why.text);
    return NULL;
}

int plan_read(json_t *value, struct plan *plan, struct error *err)
{
    enum plan_approach approach;
    const json_t *steps, *needed;
    json_t *operations = NULL;

    if (check(MESSAGE_PLAN, value, err) < 0)
        return -1;
    approach = choice(approaches, value, "approach", PLAN_REFUSE);
    needed = json_object_get(value, approach_needs[approach].member);
    if (!needed || json_is_null(needed) ||
        (json_is_array(needed) && json_array_size(needed) == 0) ||
        (json_is_string(needed) && json_string_length(needed) == 0))
        return error_set_at(err, "plan", "plan: the approach %s needs %s, such as %s",
                            approaches[approach], approach_needs[approach].member,
                            approach_needs[approach].correct);
    if (approach == PLAN_EDIT && !(operations = read_operations(value, err)))
        return -1;
    *plan = (struct plan){
        .value = json_incref(value),
        .approach = approach,
        .operations = operations,
        .text = json_get_string(value, "text"),
    };
    if (approach == PLAN_QUERY)
        read_query(needed, &plan->query);
    steps = approach == PLAN_CODE ? needed : NULL;
    for (size_t i = 0; i < json_array_size(steps); i++) {
        const json_t *step = json_array_get(steps, i);

        plan->steps[plan->step_count++] = (struct planned_step){
            .name = json_get_string(step, "name"),
            .compute = json_get_string(step, "compute"),
            .type = choice(types, step, "type", VALUE_ANY),
        };
    }
    return 0;
}

int code_read(json_t *value, struct code *code, struct error *err)
{
    const json_t *source = json_object_get(value, "source");

    if (check(MESSAGE_CODE, value, err) < 0)
        return -1;
    *code = (struct code){
        .value = json_incref(value),
        .source = json_string_value(source),
        .source_len = json_string_length(source),
        .attempt = (unsigned)whole(value, "attempt"),
        .hash = json_get_string(value, "hash"),
    };
    return 0;
}

int execution_read(json_t *value, struct execution *execution, struct error *err)
{
    if (check(MESSAGE_EXECUTION, value, err) < 0)
        return -1;
    *execution = (struct execution){
        .value = json_incref(value),
        .ok = json_is_true(json_object_get(value, "ok")),
        .stdout_text = json_get_string(value, "stdout"),
        .result = json_object_get(value, "result"),
        .artifacts = json_object_get(value, "artifacts"),
        .error = json_object_get(value, "error"),
        .hint = json_get_string(value, "hint"),
        .seconds = json_number_value(json_object_get(value, "seconds")),
        .attempt = (unsigned)whole(value, "attempt"),
    };
    return 0;
}

int diagnosis_read(json_t *value, struct diagnosis *diagnosis, struct error *err)
{
    const json_t *source = json_object_get(value, "source");

    if (check(MESSAGE_DIAGNOSIS, value, err) < 0)
        return -1;
    *diagnosis = (struct diagnosis){
        .value = json_incref(value),
        .cause = json_get_string(value, "cause"),
        .change = json_get_string(value, "change"),
        .source = json_string_value(source),
        .source_len = json_string_length(source),
        .by = choice(diagnosis_authors, value, "by", DIAGNOSIS_BY_MODEL),
    };
    return 0;
}

int answer_read(json_t *value, struct answer *answer, struct error *err)
{
    if (check(MESSAGE_ANSWER, value, err) < 0)
        return -1;
    *answer = (struct answer){
        .value = json_incref(value),
        .status = choice(answer_statuses, value, "status", ANSWER_SOLVED),
        .text = json_get_string(value, "text"),
        .open = json_object_get(value, "open"),
        .values = json_object_get(value, "values"),
        .node_ids = json_object_get(value, "node_ids"),
        .attempts = (unsigned)whole(value, "attempts"),
        .bound = json_get_string(value, "bound"),
    };
    return 0;
}

void task_finish(struct task *task)
{
    json_decref(task->value);
    *task = (struct task){0};
}

void plan_finish(struct plan *plan)
{
    json_decref(plan->operations);
    json_decref(plan->value);
    *plan = (struct plan){0};
}

void code_finish(struct code *code)
{
    json_decref(code->value);
    *code = (struct code){0};
}

void execution_finish(struct execution *execution)
{
    json_decref(execution->value);
    *execution = (struct execution){0};
}

void diagnosis_finish(struct diagnosis *diagnosis)
{
    json_decref(diagnosis->value);
    *diagnosis = (struct diagnosis){0};
}

void answer_finish(struct answer *answer)
{
    json_decref(answer->value);
    *answer = (struct answer){0};
}

bool value_fits(enum value_type type, const json_t *value)
{
    switch (type) {
    case VALUE_NUMBER:
        return json_is_number(value);
    case VALUE_TEXT:
        return json_is_string(value);
    case VALUE_TRUTH:
        return json_is_boolean(value);
    case VALUE_LIST:
        return json_is_array(value);
    case VALUE_MAP:
        return json_is_object(value);
    case VALUE_ANY:
        break;
    }
    return value != NULL;
}
