/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * model.h played by a script, for the tests of the run: each request takes the next answer, which
 * is told as the service's own events. Included once in a test's only file; the linker then leaves
 * the real one out. An answer:
 *
 *   {"content": [the API's blocks; a tool_use may have "raw", the text of its arguments, instead of
 *    "input"], "stop": "end_turn", "usage": {...}, "details": {...}}
 *   "cut": the last block and the message do not end, and the request fails with "error"
 *   "hangs": the same, but only once it is cancelled
 *   "error": {"kind", "text"}; without content the answer never began
 *   "waits": it is sent anew once first
 */
#ifndef LECTERN_TESTS_FAKE_MODEL_H
#define LECTERN_TESTS_FAKE_MODEL_H

#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/model/model.h"

/* Of a test that has allocations fail: not while the double works for itself. */
static void (*fake_quiet)(bool quiet);

static inline void be_quiet(bool quiet)
{
    if (fake_quiet)
        fake_quiet(quiet);
}

struct model {
    struct loop_queue *loop_queue;
    json_t *script;   /* owned array */
    size_t next;      /* of the script */
    json_t *requests; /* owned array: the bodies that came */
    bool unready;
    struct model_call *hanging;
    struct loop_task task; /* of the one request under way */
};

struct model *model_create(const struct model_config *config, struct loop_queue *loop_queue,
                           struct error *err)
{
    struct model *model = calloc(1, sizeof *model);

    (void)config;
    (void)err;
    assert_non_null(model);
    model->loop_queue = loop_queue;
    model->requests = json_array();
    return model;
}

void model_destroy(struct model *model)
{
    assert_null(model->hanging);
    json_decref(model->script);
    json_decref(model->requests);
    free(model);
}

static inline void fake_model_set(struct model *model, json_t *script)
{
    json_decref(model->script);
    json_array_clear(model->requests);
    model->script = script;
    model->next = 0;
}

bool model_ready(const struct model *model, char *advice, size_t size)
{
    snprintf(advice, size, "%s", model->unready ? "Set ANTHROPIC_API_KEY" : "");
    return !model->unready;
}

const char *model_name(const struct model *model)
{
    (void)model;
    return "fake-model";
}

static inline void fake_event(struct model_call *call, const char *name, json_t *data)
{
    struct buf BUF_AUTO text = {0};
    struct error err = {0};

    json_write(&text, data);
    json_decref(data);
    if (call->err.kind != ERROR_NONE) /* the service is heard no more */
        return;
    be_quiet(false);
    if (model_message_event(&call->message, &call->listener, call->user, name, text.data, text.len,
                            &err) != 0)
        call->err = err;
    be_quiet(true);
    if (err.kind != ERROR_NONE && (!fake_quiet || err.kind != ERROR_MEMORY))
        fail_msg("%s: %s", name, err.text);
}

static inline void fake_delta(struct model_call *call, size_t index, const char *type,
                              const char *member, const char *text, size_t len)
{
    fake_event(call, "content_block_delta",
               json_pack("{s:s, s:I, s:{s:s, s:s%}}", "type", "content_block_delta", "index",
                         (json_int_t)index, "delta", "type", type, member, text, len));
}

/* A text as two deltas. */
static inline void fake_deltas(struct model_call *call, size_t index, const char *type,
                               const char *member, const char *text)
{
    size_t half = strlen(text) / 2;

    while (half > 0 && ((unsigned char)text[half] & 0xc0) == 0x80)
        half--;
    fake_delta(call, index, type, member, text, half);
    fake_delta(call, index, type, member, text + half, strlen(text) - half);
}

static inline void fake_block(struct model_call *call, size_t index, const json_t *block, bool cut)
{
    const char *type = json_get_string(block, "type");
    json_t *start = json_copy((json_t *)block);
    struct buf BUF_AUTO input = {0};

    json_object_del(start, "raw");
    if (strcmp(type, "tool_use") == 0)
        json_object_set_new(start, "input", json_object());
    for (size_t i = 0; i < 3; i++) {
        const char *members[] = {"text", "thinking", "signature"};

        if (json_object_get(start, members[i]))
            json_object_set_new(start, members[i], json_string(""));
    }
    fake_event(call, "content_block_start",
               json_pack("{s:s, s:I, s:o}", "type", "content_block_start", "index",
                         (json_int_t)index, "content_block", start));
    if (strcmp(type, "text") == 0)
        fake_deltas(call, index, "text_delta", "text", json_get_string(block, "text"));
    if (strcmp(type, "thinking") == 0) {
        fake_deltas(call, index, "thinking_delta", "thinking", json_get_string(block, "thinking"));
        fake_delta(call, index, "signature_delta", "signature", json_get_string(block, "signature"),
                   strlen(json_get_string(block, "signature")));
    }
    if (strcmp(type, "tool_use") == 0 && json_object_get(block, "raw")) {
        fake_deltas(call, index, "input_json_delta", "partial_json", json_get_string(block, "raw"));
    } else if (strcmp(type, "tool_use") == 0) {
        json_write(&input, json_object_get(block, "input"));
        fake_deltas(call, index, "input_json_delta", "partial_json", input.data);
    }
    if (!cut)
        fake_event(
            call, "content_block_stop",
            json_pack("{s:s, s:I}", "type", "content_block_stop", "index", (json_int_t)index));
}

static inline void fake_tell(struct model_call *call, const json_t *answer, bool cut)
{
    const json_t *content = json_object_get(answer, "content"), *block;
    const char *stop = json_get_string(answer, "stop");
    json_t *usage = json_object_get(answer, "usage");
    size_t i;

    fake_event(call, "message_start",
               json_pack("{s:s, s:{s:s, s:s, s:O*}}", "type", "message_start", "message", "id",
                         "msg_1", "model", "fake-model", "usage", usage));
    json_array_foreach((json_t *)content, i, block)
        fake_block(call, i, block, cut && i + 1 == json_array_size(content));
    if (cut)
        return;
    fake_event(call, "message_delta",
               json_pack("{s:s, s:{s:s, s:O*}, s:O*}", "type", "message_delta", "delta",
                         "stop_reason", stop ? stop : "end_turn", "stop_details",
                         json_object_get(answer, "details"), "usage", usage));
    fake_event(call, "message_stop", json_pack("{s:s}", "type", "message_stop"));
}

static inline void fake_answer(void *arg)
{
    struct model_call *call = arg;
    struct model *model = (struct model *)(void *)call->transfer;
    const json_t *answer = json_array_get(model->script, model->next++);
    const json_t *error = json_object_get(answer, "error");
    bool hangs = json_is_true(json_object_get(answer, "hangs"));

    be_quiet(true);
    if (!answer)
        fail_msg("the model was asked more often than the script has answers");
    if (json_object_get(answer, "waits") && call->on_wait)
        call->on_wait(call, 1, 500, "overloaded");
    if (json_object_get(answer, "content"))
        fake_tell(call, answer, hangs || json_is_true(json_object_get(answer, "cut")));
    if (call->cancelled)
        error_set(&call->err, ERROR_CANCELLED, "cancelled");
    else if (hangs)
        model->hanging = call;
    else if (error && call->err.kind == ERROR_NONE)
        error_set(&call->err, (enum error_kind)json_integer_value(json_object_get(error, "kind")),
                  "%s", json_get_string(error, "text"));
    be_quiet(false);
    if (model->hanging != call)
        call->on_done(call);
}

int model_call_start(struct model *model, struct model_call *call, struct error *err)
{
    json_t *body;

    be_quiet(true);
    body = json_read(call->body.data, call->body.len, "the request", err);
    if (!body)
        fail_msg("%s", err->text);
    json_array_append_new(model->requests, body);
    be_quiet(false);
    model_message_init(&call->message);
    call->transfer = (void *)model;
    model->task.run = fake_answer;
    model->task.arg = call;
    loop_queue_post(model->loop_queue, &model->task);
    return 0;
}

static inline void fake_cancelled(void *arg)
{
    struct model_call *call = arg;

    error_set(&call->err, ERROR_CANCELLED, "cancelled");
    call->on_done(call);
}

void model_call_cancel(struct model_call *call)
{
    struct model *model = (struct model *)(void *)call->transfer;

    call->cancelled = true;
    if (model->hanging != call)
        return;
    model->hanging = NULL;
    model->task.run = fake_cancelled;
    loop_queue_post(model->loop_queue, &model->task);
}

void model_call_hold(struct model_call *call, bool hold)
{
    (void)call, (void)hold;
}

void model_call_finish(struct model_call *call)
{
    if (call->transfer)
        model_message_finish(&call->message);
    buf_finish(&call->body);
}

#endif
