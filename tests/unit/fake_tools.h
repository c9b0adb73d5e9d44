/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A tools[], resources[] and prompts[] of their own for the tests of protocol and transport: tools
 * that answer, wait, report and ask for their cancelling, without a store. Included once in a
 * test's only file; the linker then leaves the real table out.
 */
#ifndef LECTERN_TESTS_FAKE_TOOLS_H
#define LECTERN_TESTS_FAKE_TOOLS_H

#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/prompt/prompt.h"
#include "mcp/resource/resource.h"
#include "mcp/server.h"
#include "mcp/tool/arguments.h"

#define FAKE_REPORT_MS 100

static atomic_int fake_running;   /* calls of wait under work */
static atomic_bool fake_released; /* lets go the calls of wait with a negative ms */
static atomic_int fake_cancelled; /* calls of wait and report that saw their cancel */

/* Puts an image of that many bytes of base64 behind the answer. */
static void add_image(struct tool_call *call, size_t len)
{
    char *base64 = malloc(len + 1);

    memset(base64, 'A', len);
    tool_call_add_image(call, "image/png", base64, len);
    free(base64);
}

/* Says back its text, "-" without one, with images of image_bytes; with fail it fails. */
static int echo_run(struct tool_call *call, struct store *store, struct error *err)
{
    const char *text = json_get_string(call->arguments, "text");

    (void)store;
    if (json_is_true(json_object_get(call->arguments, "fail")))
        return error_set_at(err, "fail", "you asked for it");
    buf_adds(&call->text, text ? text : "-");
    if (json_object_get(call->arguments, "image_bytes"))
        add_image(call,
                  (size_t)json_integer_value(json_object_get(call->arguments, "image_bytes")));
    return 0;
}

static const struct tool tool_echo = {
    .name = "echo",
    .title = "Echo",
    .description = "Says back what it gets",
    .arguments = ARGUMENTS("echo", FIELD("text", FIELD_TEXT), FIELD("fail", FIELD_FLAG),
                           FIELD("image_bytes", FIELD_WHOLE)),
    .read_only = true,
    .run = echo_run,
};

/* On a work queue for ms, negative: until fake_released, or until it is cancelled. */
static int wait_run(struct tool_call *call, struct store *store, struct error *err)
{
    int ms = (int)json_integer_value(json_object_get(call->arguments, "ms"));
    struct pollfd cancel = {.fd = cancel_fd(call->cancel), .events = POLLIN};

    (void)store;
    atomic_fetch_add(&fake_running, 1);
    while (poll(&cancel, 1, ms < 0 ? 1 : ms) == 0 && ms < 0 && !atomic_load(&fake_released))
        continue;
    if (cancel_check(call->cancel, err) < 0) {
        atomic_fetch_add(&fake_cancelled, 1);
        atomic_fetch_sub(&fake_running, 1);
        return -1;
    }
    atomic_fetch_sub(&fake_running, 1);
    buf_addf(&call->text, "waited %d ms for %s", ms, call->who);
    return 0;
}

static const struct tool tool_wait = {
    .name = "wait",
    .title = "Wait",
    .description = "Waits",
    .arguments = ARGUMENTS("fake", FIELD("ms", FIELD_WHOLE)),
    .run = wait_run,
};

/* On the loop: has progress every 100 ms, for ms; negative: until fake_released. With pause its
 * client may come back for the answer. */
struct fake_report {
    uv_timer_t timer;
    struct tool_call *call;
    int left;
    bool endless, has_progress;
};

static void report_closed(uv_handle_t *handle)
{
    struct fake_report *report = handle->data;
    struct tool_call *call = report->call;

    free(report);
    call->state = NULL;
    tool_call_complete(call);
}

static void report_end(struct fake_report *report)
{
    if (!uv_is_closing((uv_handle_t *)&report->timer))
        uv_close((uv_handle_t *)&report->timer, report_closed);
}

static void report_tick(uv_timer_t *timer)
{
    struct fake_report *report = timer->data;

    report->left -= FAKE_REPORT_MS;
    if (report->endless ? atomic_load(&fake_released) : report->left <= 0) {
        buf_adds(&report->call->text, "reported");
        report_end(report);
        return;
    }
    report->has_progress = true;
}

static bool report_progress(struct tool_call *call, struct buf *words, struct buf *printed)
{
    struct fake_report *report = call->state;
    bool has_progress = report && report->has_progress;

    (void)printed;
    if (has_progress) {
        report->has_progress = false;
        buf_addf(words, "%d ms to go", report->left);
    }
    return has_progress;
}

static int report_start(struct tool_call *call, struct error *err)
{
    const struct tool_note pause = {.kind = TOOL_NOTE_PAUSE};
    struct fake_report *report = calloc(1, sizeof *report);

    (void)err;
    if (json_is_true(json_object_get(call->arguments, "pause")))
        tool_call_notify(call, &pause);
    report->call = call;
    report->left = (int)json_integer_value(json_object_get(call->arguments, "ms"));
    report->endless = report->left < 0;
    uv_timer_init(call->server->loop, &report->timer);
    report->timer.data = report;
    uv_timer_start(&report->timer, report_tick, FAKE_REPORT_MS, FAKE_REPORT_MS);
    call->state = report;
    return 0;
}

static void report_stop(struct tool_call *call)
{
    atomic_fetch_add(&fake_cancelled, 1);
    if (call->state)
        report_end(call->state);
}

static const struct tool tool_report = {
    .name = "report",
    .title = "Report",
    .description = "Reports",
    .arguments = ARGUMENTS("report", FIELD("ms", FIELD_WHOLE), FIELD("pause", FIELD_FLAG)),
    .start = report_start,
    .stop = report_stop,
    .progress = report_progress,
};

/* Two of its arguments are repeated in headers. */
static int marked_run(struct tool_call *call, struct store *store, struct error *err)
{
    (void)store;
    (void)err;
    buf_adds(&call->text, "marked");
    return 0;
}

static const struct tool tool_marked = {
    .name = "marked",
    .title = "Marked",
    .description = "Has arguments in headers",
    .arguments = ARGUMENTS("marked", FIELD("place", FIELD_TEXT), FIELD("count", FIELD_WHOLE)),
    .param_headers =
        (const struct tool_param_header[]){{"place", "Place"}, {"count", "Count"}, {0}},
    .run = marked_run,
};

/* Asks a person for a name, then keeps it and asks whether it is right; says both. */
static int ask_start(struct tool_call *call, struct error *err)
{
    const json_t *name = json_object_get(call->answers, "name");
    const json_t *sure = json_object_get(call->answers, "sure");
    const char *given = json_get_string(json_object_get(name, "content"), "name");

    (void)err;
    if (json_object_get(call->arguments, "sample")) {
        call->asks =
            json_pack("{s:{s:s, s:{}}}", "model", "method", "sampling/createMessage", "params");
    } else if (!call->kept_before && !given) {
        call->asks = json_pack("{s:{s:s, s:{s:s}}}", "name", "method", "elicitation/create",
                               "params", "message", "Your name?");
    } else if (!call->kept_before) {
        buf_adds(&call->kept, given);
        call->asks = json_pack("{s:{s:s, s:{s:s}}}", "sure", "method", "elicitation/create",
                               "params", "message", "Sure?");
    } else {
        buf_addf(&call->text, "%s, %s", call->kept_before, json_get_string(sure, "action"));
    }
    tool_call_complete(call);
    return 0;
}

static const struct tool tool_ask = {
    .name = "ask",
    .title = "Ask",
    .description = "Asks",
    .arguments = ARGUMENTS("ask", FIELD("sample", FIELD_FLAG), FIELD("text", FIELD_TEXT)),
    .start = ask_start,
};

/* Tells what it is told to: progress, a log message, and what has changed. */
static int tell_start(struct tool_call *call, struct error *err)
{
    json_auto_t *data = json_string("something");
    struct tool_note note = {.total = 4, .message = "counting", .level = "info", .data = data};

    (void)err;
    for (note.progress = 0; note.progress < 3; note.progress++)
        tool_call_notify(call, &note);
    note.progress = 1; /* no rise: dropped */
    tool_call_notify(call, &note);
    note.kind = TOOL_NOTE_LOG;
    tool_call_notify(call, &note);
    for (note.kind = TOOL_NOTE_TOOLS; note.kind <= TOOL_NOTE_RESOURCE; note.kind++) {
        note.uri = "fake://text";
        tool_call_notify(call, &note);
    }
    call->parts =
        json_pack("[{s:s, s:s, s:s}]", "type", "audio", "data", "AAAA", "mimeType", "audio/wav");
    tool_call_complete(call);
    return 0;
}

static const struct tool tool_tell = {
    .name = "tell",
    .title = "Tell",
    .description = "Tells",
    .arguments = ARGUMENTS("tell", FIELD("text", FIELD_TEXT)),
    .start = tell_start,
};

/* Of the toolset of a tutor: says whom it teaches. */
static int teach_run(struct tool_call *call, struct store *store, struct error *err)
{
    (void)store;
    (void)err;
    buf_addf(&call->text, "teaches %s", argument_text(call, LEARNER_ARGUMENT));
    return 0;
}

static const struct tool tool_teach = {
    .name = "teach",
    .toolset = TOOLSET_TUTOR,
    .title = "Teach",
    .description = "Teaches",
    .arguments =
        ARGUMENTS("teach", ARGUMENT_LEARNER, FIELD("lesson", FIELD_TEXT, .required = true)),
    .run = teach_run,
};

static const struct tool tool_enrol = {
    .name = "enrol",
    .toolset = TOOLSET_TUTOR,
    .makes_learner = true,
    .title = "Enrol",
    .description = "Enrols",
    .arguments = ARGUMENTS("enrol", FIELD("name", FIELD_TEXT)),
    .run = echo_run,
};

const bool tables_change = false;
const struct tool *const tools[] = {&tool_echo, &tool_wait,  &tool_report, &tool_marked, &tool_ask,
                                    &tool_tell, &tool_teach, &tool_enrol,  NULL};

/* ---- resources and prompts ---- */

static int text_run(struct tool_call *call, struct store *store, struct error *err)
{
    const char *id = json_get_string(call->arguments, "id");

    (void)store;
    if (id && strcmp(id, "none") == 0)
        return error_set(err, ERROR_NOT_FOUND, "there is no %s", id);
    buf_addf(&call->text, "text of %s", id ? id : "it");
    return 0;
}

static const struct tool fake_text = {
    .name = "resources/read",
    .arguments = ARGUMENTS("resources/read", FIELD("id", FIELD_TEXT)),
    .run = text_run,
};

static int blob_run(struct tool_call *call, struct store *store, struct error *err)
{
    (void)store;
    (void)err;
    return tool_call_add_image(call, "image/png", "AAAA", 4);
}

static const struct tool fake_blob = {
    .name = "resources/read",
    .arguments = ARGUMENTS("resources/read", FIELD("id", FIELD_TEXT)),
    .run = blob_run,
};

static int list_run(struct tool_call *call, struct store *store, struct error *err)
{
    char uri[64];

    (void)store;
    (void)err;
    call->parts = json_array();
    for (int i = 0; i < 150; i++) {
        snprintf(uri, sizeof uri, "fake://item/%d", i);
        json_array_append_new(call->parts, json_pack("{s:s, s:s}", "uri", uri, "name", uri));
    }
    return 0;
}

static const struct tool fake_lister = {
    .name = "resources/list",
    .arguments = {.name = "resources/list"},
    .run = list_run,
};

/* 150 values that begin with what was typed. */
static int complete_run(struct tool_call *call, struct store *store, struct error *err)
{
    const char *typed = json_get_string(call->arguments, "value");
    char value[64];

    (void)store;
    (void)err;
    call->parts = json_array();
    for (int i = 0; i < 150; i++) {
        snprintf(value, sizeof value, "%.20s%d", typed, i);
        json_array_append_new(call->parts, json_string(value));
    }
    return 0;
}

static const struct tool fake_complete = {
    .name = "completion/complete",
    .arguments = COMPLETION_ARGUMENTS,
    .run = complete_run,
};

static const struct resource resource_text = {.uri = "fake://text",
                                              .name = "text",
                                              .mime = "text/plain",
                                              .read = &fake_text},
                             resource_blob = {.uri = "fake://blob",
                                              .name = "blob",
                                              .mime = "image/png",
                                              .read = &fake_blob},
                             resource_item = {.uri = "fake://item/{id}",
                                              .name = "item",
                                              .mime = "text/plain",
                                              .read = &fake_text,
                                              .complete = &fake_complete};

const struct resource *const resources[] = {&resource_text, &resource_blob, &resource_item, NULL};
const struct tool *const resource_lister = &fake_lister;
bool (*const resource_list_changes)(const struct store_change *change) = NULL;

static int greet_run(struct tool_call *call, struct store *store, struct error *err)
{
    (void)store;
    (void)err;
    buf_addf(&call->text, "Greet %s", json_get_string(call->arguments, "who"));
    return 0;
}

static const struct tool fake_greet = {
    .name = "greet",
    .title = "Greet",
    .description = "Greets",
    .arguments =
        ARGUMENTS("greet", FIELD("who", FIELD_TEXT, .required = true, .documentation = "whom")),
    .run = greet_run,
};
static const struct prompt prompt_greet = {.get = &fake_greet};
const struct prompt *const prompts[] = {&prompt_greet, NULL};

/* A server with work queues of `threads` threads each and no store. */
static inline void fake_server_open(struct server *server, uv_loop_t *loop, size_t threads)
{
    struct workq_config config = {.name = "test", .threads = threads, .capacity = 256};
    struct error err = {0};

    memset(server, 0, sizeof *server);
    server->loop = loop;
    server->toolsets = TOOLSET_BIT(TOOLSET_EDITOR);
    server->loop_queue = loop_queue_create(loop, &err);
    server->store.read = workq_create(&config, server->loop_queue, &err);
    server->store.sql = workq_create(&config, server->loop_queue, &err);
    assert_non_null(server->loop_queue);
    assert_non_null(server->store.read);
    assert_non_null(server->store.sql);
}

static inline void fake_server_close(struct server *server)
{
    workq_destroy(server->store.read);
    workq_destroy(server->store.sql);
    loop_queue_destroy(server->loop_queue);
}

#endif
