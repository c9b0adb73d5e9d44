/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What all parts of a run do: they report events, note what happened in the thread, save it, and go
 * on to the next state.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/log.h"
#include "mcp/agent/solve.h"
#include "mcp/chat/run_internal.h"

/* ---- events ---- */

void run_notify(struct chat_run *run, const struct run_event *event)
{
    run->listener->on_event(run->listener, event);
}

void run_notify_limit(struct chat_run *run, const char *name, const char *id, const char *text)
{
    run_notify(run,
               &(struct run_event){
                   .kind = RUN_LIMIT, .id = id, .name = name, .text = text, .len = strlen(text)});
}

json_t *run_usage_json(const struct run_usage *usage)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:i, s:I}", "inputTokens",
                     (json_int_t)model_usage_input(&usage->tokens), "cachedInputTokens",
                     (json_int_t)usage->tokens.cache_read, "cacheWriteInputTokens",
                     (json_int_t)usage->tokens.cache_write, "outputTokens",
                     (json_int_t)usage->tokens.output, "requests", (int)usage->requests,
                     "wholeCurriculumTokens", (json_int_t)usage->whole_curriculum);
}

/* ---- notes ---- */

int run_note(struct chat_run *run, const char *kind, const char *text, json_t *more,
             char id[UUID_TEXT_SIZE], struct error *err)
{
    json_auto_t *held = more;
    json_t *shown = json_pack("{s:s, s:s}", "kind", kind, "text", text);

    if (held && json_object_update(shown, held) < 0) {
        json_decref(shown);
        return error_set(err, ERROR_MEMORY, "out of memory for a note");
    }
    return thread_put(run->thread, NULL, "note", json_array(), shown, id, err);
}

void run_note_usage(struct chat_run *run)
{
    struct error err = {0};

    if (run->usage.requests > 0 &&
        thread_put(run->thread, NULL, "note", json_array(),
                   json_pack("{s:s, s:o}", "kind", "usage", "usage", run_usage_json(&run->usage)),
                   NULL, &err) < 0)
        log_warning("chat", "what run %s has cost is not kept: %s", run->run_id, err.text);
}

int run_limit(struct chat_run *run, const char *name, json_t *more, struct error *err,
              const char *format, ...)
{
    char text[ERROR_TEXT_CAP], id[UUID_TEXT_SIZE];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (run_note(run, name, text, more, id, err) < 0)
        return -1;
    run_notify_limit(run, name, id, text);
    return 0;
}

/* ---- from state to state ---- */

void run_go_on(struct chat_run *run, enum run_state state)
{
    run->state = state;
    if (!run->stepping)
        run->step(run);
}

enum run_state run_fail(struct chat_run *run, const struct error *err)
{
    run->outcome_error = *err;
    return RUN_STATE_FAIL;
}

static enum run_state saved(struct chat_run *run, const struct error *err)
{
    if (err) {
        run->unsaved = true;
        run->outcome = RUN_FAILED;
        run->outcome_error = *err;
        return RUN_STATE_END;
    }
    return run->cancelled && !run->ending ? RUN_STATE_STOP : run->after_save;
}

static void on_saved(void *user, const struct error *err)
{
    run_go_on(user, saved(user, err));
}

enum run_state run_save(struct chat_run *run, enum run_state next)
{
    struct error err = {0};

    run->after_save = next;
    if (thread_save(&run->server->store, run->thread, on_saved, run, &err) < 0)
        return saved(run, &err);
    return RUN_STATE_SAVING;
}

void run_tell(struct chat_run *run, const char *id, const char *text, size_t len)
{
    run_notify(run, &(struct run_event){.kind = RUN_TEXT_BEGAN, .id = id});
    run_notify(run, &(struct run_event){.kind = RUN_TEXT, .id = id, .text = text, .len = len});
    run_notify(run, &(struct run_event){.kind = RUN_TEXT_ENDED, .id = id});
}

enum run_state run_end_with_text(struct chat_run *run, const char *kind, const char *text,
                                 json_t *more)
{
    char id[UUID_TEXT_SIZE];
    struct error err = {0};

    if (run_note(run, kind, text, more, id, &err) < 0)
        return run_fail(run, &err);
    run_tell(run, id, text, strlen(text));
    return RUN_STATE_SUCCEED;
}

bool run_has_words(const json_t *content)
{
    const json_t *block;
    size_t i;

    json_array_foreach((json_t *)content, i, block)
    {
        const char *text = json_get_string(block, "text");

        if (json_string_is(block, "type", "text") && text && *text)
            return true;
    }
    return false;
}

void run_cancel(struct chat_run *run, enum run_stop by)
{
    if (run->cancelled || run->over)
        return;
    run->cancelled = true;
    run->stopped_by = by;
    if (run->asked)
        model_call_cancel(run->asked);
    if (run->solving)
        solve_cancel(run->solving);
    for (size_t i = 0; i < run->call_count; i++) {
        if (run->calls[i].state == RUN_CALL_RUNS)
            tool_call_cancel(&run->calls[i].call);
    }
}

void run_hold(struct chat_run *run, bool hold)
{
    run->held = hold;
    if (run->asked)
        model_call_hold(run->asked, hold);
}
