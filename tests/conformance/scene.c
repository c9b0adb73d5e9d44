/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene.h"

#include <stdlib.h>
#include <string.h>

#include <uv.h>

#include "helpers/base/json.h"
#include "mcp/server.h"

#define PATH_CAP 64

struct scene_run {
    uv_timer_t timer;
    struct tool_call *call;
    size_t step;
};

static const struct scene *scene_of(const struct tool_call *call)
{
    return (const struct scene *)call->tool;
}

/* ---- asking ---- */

static unsigned ask_kind(const json_t *question)
{
    static const struct {
        const char *method;
        unsigned ask;
    } kinds[] = {{"elicitation/create", TOOL_ASKS_FORM},
                 {"sampling/createMessage", TOOL_ASKS_MODEL},
                 {"roots/list", TOOL_ASKS_ROOTS}};
    const char *method = json_string_value(json_object_get(question, "method"));

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (method && strcmp(method, kinds[i].method) == 0)
            return kinds[i].ask;
    return 0;
}

/* Puts arguments in place of the texts "$NAME" in objects and arrays. Bounded by the depth of a
 * constant. */
static void fill_in(json_t *value, const json_t *arguments) // NOLINT(misc-no-recursion)
{
    const char *key, *text;
    size_t i;
    void *next;
    json_t *part;

    json_object_foreach_safe(value, next, key, part)
    {
        text = json_string_value(part);
        if (text && *text == '$')
            json_object_set(value, key, json_object_get(arguments, text + 1));
        else
            fill_in(part, arguments);
    }
    json_array_foreach(value, i, part) fill_in(part, arguments);
}

static void ask(struct tool_call *call, size_t round)
{
    const struct scene *scene = scene_of(call);
    const char *key;
    void *next;
    json_t *question;

    call->asks = json_loads(scene->asks[round], 0, NULL);
    fill_in(call->asks, call->arguments);
    json_object_foreach_safe(call->asks, next, key,
                             question) if (scene->declared && !(call->can_ask & ask_kind(question)))
        json_object_del(call->asks, key);
    if (scene->keeps)
        buf_addf(&call->kept, "%zu", round + 1);
}

/* Whether each question of the round has an answer. */
static bool is_answered(const struct tool_call *call, size_t round)
{
    json_t *questions = json_loads(scene_of(call)->asks[round], 0, NULL);
    bool answered = true;
    const char *key;
    json_t *question;

    json_object_foreach(questions, key, question)
    {
        bool asked = !scene_of(call)->declared || (call->can_ask & ask_kind(question));

        if (asked && !json_is_object(json_object_get(call->answers, key)))
            answered = false;
    }
    json_decref(questions);
    return answered;
}

/* ---- answering ---- */

/* The value at KEY/MEMBER/... of a path that ends with '>'. */
static const json_t *value_at(const json_t *value, const char *path)
{
    char name[PATH_CAP];

    for (;;) {
        size_t len = strcspn(path, "/>");

        if (len >= sizeof name)
            return NULL;
        memcpy(name, path, len);
        name[len] = '\0';
        value = json_object_get(value, name);
        if (!value || path[len] == '>')
            return value;
        path += len + 1;
    }
}

/* Appends the text with its values. Returns false if one is missing. */
static bool say(const struct tool_call *call, const char *text, struct buf *to)
{
    while (*text) {
        size_t plain = strcspn(text, "<");
        const json_t *value;

        buf_add(to, text, plain);
        text += plain;
        if (!*text)
            break;
        value = text[1] == '$' ? value_at(call->arguments, text + 2)
                               : value_at(call->answers, text + 1);
        if (!value)
            return false;
        if (json_is_string(value))
            buf_add(to, json_string_value(value), json_string_length(value));
        else
            json_write(to, value);
        text += strcspn(text, ">") + 1;
    }
    return true;
}

static void answer(struct tool_call *call)
{
    const struct scene *scene = scene_of(call);
    struct error err = {0};

    if (scene->text && !say(call, scene->text, &call->text)) {
        buf_clear(&call->text);
        ask(call, scene->asks[1] ? 1 : 0);
        return;
    }
    if (scene->parts) {
        call->parts = json_loads(scene->parts, 0, NULL);
        fill_in(call->parts, call->arguments);
    }
    if (!scene->fails)
        return;
    error_set(&err, ERROR_CONFLICT, "%s", call->text.data);
    failure_of_error(&call->failure, &err);
}

/* After the steps: asks, or answers. */
static void go_on(struct tool_call *call)
{
    const struct scene *scene = scene_of(call);
    size_t asked = call->answers ? 1 : 0;

    if (scene->keeps)
        asked = call->kept_before ? strtoul(call->kept_before, NULL, 10) : 0;
    if (asked > SCENE_ROUNDS_CAP)
        asked = SCENE_ROUNDS_CAP;
    if (asked > 0 && scene->asks[asked - 1] && !is_answered(call, asked - 1))
        ask(call, asked - 1);
    else if (asked < SCENE_ROUNDS_CAP && scene->asks[asked])
        ask(call, asked);
    else
        answer(call);
}

/* ---- the steps before ---- */

static void on_closed(uv_handle_t *timer)
{
    struct scene_run *run = timer->data;
    struct tool_call *call = run->call;

    free(run);
    call->state = NULL;
    if (call->failure.category == FAILURE_NONE)
        go_on(call);
    tool_call_complete(call);
}

static void end(struct scene_run *run)
{
    if (!uv_is_closing((uv_handle_t *)&run->timer))
        uv_close((uv_handle_t *)&run->timer, on_closed);
}

static void on_step(uv_timer_t *timer);

static void wait_for_step(struct scene_run *run)
{
    const struct scene *scene = scene_of(run->call);

    if (run->step < scene->step_count)
        uv_timer_start(&run->timer, on_step, scene->steps[run->step].after_ms, 0);
    else
        end(run);
}

static void on_step(uv_timer_t *timer)
{
    struct scene_run *run = timer->data;
    const struct scene_step *step = &scene_of(run->call)->steps[run->step++];
    struct tool_note note = step->note;
    json_t *data = step->log ? json_string(step->log) : NULL;

    note.data = data;
    tool_call_notify(run->call, &note);
    json_decref(data);
    wait_for_step(run);
}

int scene_start(struct tool_call *call, struct error *err)
{
    struct scene_run *run;

    if (scene_of(call)->step_count == 0 || call->answers) {
        go_on(call);
        tool_call_complete(call);
        return 0;
    }
    run = calloc(1, sizeof *run);
    if (!run)
        return error_set(err, ERROR_INTERNAL, "out of memory");
    run->call = call;
    uv_timer_init(call->server->loop, &run->timer);
    run->timer.data = run;
    call->state = run;
    wait_for_step(run);
    return 0;
}

void scene_stop(struct tool_call *call)
{
    struct scene_run *run = call->state;

    if (!run)
        return;
    call->failure.category = FAILURE_CANCELLED;
    end(run);
}
