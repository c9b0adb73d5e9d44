/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A tools[] of their own for the tests of protocol and transport: tools that answer, wait, report
 * and ask for their cancelling, without a store. Included once in a test's only file; the linker
 * then leaves the real table out.
 */
#ifndef LECTERN_TESTS_FAKE_TOOLS_H
#define LECTERN_TESTS_FAKE_TOOLS_H

#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
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

/* On the loop: has progress every 100 ms, for ms. */
struct fake_report {
    uv_timer_t timer;
    struct tool_call *call;
    int left;
    bool has_progress;
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
    if (report->left <= 0) {
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
    struct fake_report *report = calloc(1, sizeof *report);

    (void)err;
    report->call = call;
    report->left = (int)json_integer_value(json_object_get(call->arguments, "ms"));
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
    .arguments = ARGUMENTS("fake", FIELD("ms", FIELD_WHOLE)),
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

const struct tool *const tools[] = {&tool_echo, &tool_wait, &tool_report, &tool_marked, NULL};

/* A server with work queues of `threads` threads each and no store. */
static inline void fake_server_open(struct server *server, uv_loop_t *loop, size_t threads)
{
    struct workq_config config = {.name = "test", .threads = threads, .capacity = 256};
    struct error err = {0};

    memset(server, 0, sizeof *server);
    server->loop = loop;
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
