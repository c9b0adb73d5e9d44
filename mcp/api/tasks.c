/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Routes of the session API: the tasks of mcp/agent that are in the store.
 */
#include "helpers/base/json.h"
#include "mcp/api/rest_internal.h"
#include "mcp/format/otlp.h"
#include "mcp/store/task.h"

#define TASKS_LIMIT_DEFAULT 50

static const char *const formats[] = {"json", "otlp", NULL};

static int list(struct rest_call *call, struct error *err)
{
    return store_tasks_read(call->store, call->session,
                            (size_t)rest_asked_whole(call, "limit", TASKS_LIMIT_DEFAULT),
                            &call->response->body, err);
}

static int read_task(struct rest_call *call, struct error *err)
{
    struct buf *body = &call->response->body;
    json_auto_t *task = NULL;

    if (store_task_read(call->store, call->session, call->item, body, err) < 0)
        return -1;
    if (!json_string_is(call->asked, "format", "otlp"))
        return 0;
    task = json_read(body->data, body->len, "the task", err);
    if (!task)
        return -1;
    buf_clear(body);
    otlp_write(task, body);
    return buf_check(body, "the trace", err);
}

/* clang-format off */
/* ---- shapes ---- */

static const struct fields list_query = {
    .name = "the query", .flags = FIELDS_AS_TEXT, .noun = "parameter",
    .rows = (const struct field[]){
        FIELD("limit", FIELD_WHOLE, .least = 1, .most = TASKS_LIMIT_MAX,
         .documentation = "Tasks at most; default: 50"), {0}},
};
static const struct fields task_query = {
    .name = "the query", .flags = FIELDS_AS_TEXT, .noun = "parameter",
    .rows = (const struct field[]){
        FIELD("format", FIELD_TEXT, .choices = formats,
         .documentation = "otlp: the trace as OTLP JSON, {resourceSpans}; default: json"), {0}},
};

#define STATUS "null: the task has no answer, because it is under way or its process has ended"
static const struct fields one =
    REST_ANSWER(NULL, REST_TEXT("id"), REST_TEXT("question"),
                FIELD("status", FIELD_TEXT, .required = true, .flags = FIELD_NULL, .documentation = STATUS),
                REST_WHOLE("attempts"), REST_TEXT("created"), REST_TEXT("updated"));
static const struct fields tasks = REST_ANSWER("Tasks", REST_TEXT("session_id"), REST_LIST("tasks", &one));
static const struct fields task_entry =
    REST_ANSWER(NULL, REST_TEXT("at"), REST_TEXT("kind"), FIELD("role", FIELD_TEXT), FIELD("by", FIELD_TEXT),
                FIELD("message", FIELD_OBJECT), FIELD("model", FIELD_TEXT), FIELD("outcome", FIELD_TEXT),
                FIELD("fault", FIELD_TEXT), FIELD("seconds", FIELD_NUMBER), FIELD("retries", FIELD_WHOLE),
                FIELD("usage", FIELD_OBJECT), FIELD("cost", FIELD_NUMBER));
/* Of both formats, so no member is in each. */
static const struct fields task =
    REST_ANSWER("Task", FIELD("id", FIELD_TEXT), FIELD("session_id", FIELD_TEXT), FIELD("question", FIELD_TEXT),
                FIELD("status", FIELD_TEXT, .flags = FIELD_NULL, .documentation = STATUS), FIELD("attempts", FIELD_WHOLE),
                FIELD("created", FIELD_TEXT), FIELD("updated", FIELD_TEXT),
                FIELD("entries", FIELD_ARRAY, .of = &task_entry, .documentation = "The messages and requests, in order"),
                FIELD("resourceSpans", FIELD_ARRAY, .item = FIELD_OBJECT, .documentation = "With format=otlp alone"));

const struct rest_route rest_task_routes[] = {
    {"GET", "/session/{sid}/tasks", list, 0, REST_STATE_NONE, NULL,
     "listTasks", "tasks", "The tasks of solve, newest first", &list_query, NULL, &tasks},
    {"GET", "/session/{sid}/tasks/{id}", read_task, 0, REST_STATE_NONE, NULL,
     "readTask", "tasks", "A task of solve with all its entries", &task_query, NULL, &task},
    {0},
};
/* clang-format on */
