/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One input of fuzz_run_input played, for the fuzzer and for the unit test that replays what it has
 * found. Aborts where a promise of run_input.h is broken.
 */
#ifndef LECTERN_TESTS_PLAY_RUN_INPUT_H
#define LECTERN_TESTS_PLAY_RUN_INPUT_H

#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/chat/run_input.h"

static inline void expect(bool holds)
{
    if (!holds)
        abort();
}

static inline bool is_utf8(const char *text, size_t len)
{
    json_t *string = json_stringn(text, len);

    json_decref(string);
    return string != NULL;
}

static inline void expect_id(const char *id, size_t max)
{
    size_t len = id ? strlen(id) : 0;

    expect(len > 0 && len <= max && is_utf8(id, len));
    for (size_t i = 0; i < len; i++)
        expect((unsigned char)id[i] >= 0x20);
}

static inline void expect_messages(const json_t *messages)
{
    json_t *seen = json_object(), *message;
    size_t i;

    expect(json_is_array(messages));
    json_array_foreach((json_t *)messages, i, message)
    {
        const json_t *content = json_object_get(message, "content");
        const char *id = json_get_string(message, "id");

        expect_id(id, THREAD_ID_MAX);
        expect(!json_object_get(seen, id) && json_object_set_new(seen, id, json_true()) == 0);
        expect(json_is_string(content) && json_string_length(content) > 0 &&
               json_string_length(content) <= RUN_INPUT_TEXT_MAX);
    }
    json_decref(seen);
}

static inline void expect_answers(const struct run_input *input)
{
    const struct run_answer *answers = input->answers;
    size_t count = input->answer_count;

    expect(count <= RUN_INPUT_ANSWERS_MAX && (count > 0) == (input->resume != NULL));
    for (size_t i = 0; i < count; i++) {
        expect_id(answers[i].interrupt_id, RUN_ID_MAX);
        for (size_t k = 0; k < i; k++)
            expect(strcmp(answers[i].interrupt_id, answers[k].interrupt_id) != 0);
    }
}

/* What was taken, sent again, is taken as it is. */
static inline void expect_same(const struct run_input *input)
{
    json_t *again = json_pack("{s:s, s:s, s:o}", "threadId", input->thread_id, "runId",
                              input->run_id, "messages", json_deep_copy(input->messages));
    json_t *message;
    struct run_input second;
    struct error err = {0};
    struct buf text = {0};
    size_t i;

    expect(again != NULL);
    if (input->resume)
        json_object_set(again, "resume", input->resume);
    json_array_foreach(json_object_get(again, "messages"), i, message)
        json_object_set_new(message, "role", json_string("user"));
    json_write(&text, again);
    expect(!text.failed && run_input_read(text.data, text.len, &second, &err) == 0);
    expect(json_equal(second.messages, input->messages));
    expect((second.resume != NULL) == (input->resume != NULL));
    expect(!input->resume || json_equal(second.resume, input->resume));
    run_input_finish(&second);
    buf_finish(&text);
    json_decref(again);
}

static inline void play_run_input(const uint8_t *data, size_t size)
{
    char *copy = malloc(size ? size : 1); /* of the size alone, so that reading past it shows */
    struct run_input input;
    struct error err = {0};
    int rc;

    expect(copy != NULL);
    if (size > 0)
        memcpy(copy, data, size);
    rc = run_input_read(copy, size, &input, &err);
    free(copy);
    if (rc != 0) {
        expect(err.kind == ERROR_MALFORMED || err.kind == ERROR_INVALID ||
               err.kind == ERROR_TOO_LARGE);
        expect(err.text[0] != '\0' && is_utf8(err.text, strlen(err.text)));
    } else {
        expect(err.kind == ERROR_NONE);
        expect_id(input.run_id, RUN_ID_MAX);
    }
    if (rc == 0 && !input.stop) {
        expect_id(input.thread_id, THREAD_ID_MAX);
        expect(input.resume != NULL || json_array_size(input.messages) > 0);
        expect(is_utf8(input.where.data ? input.where.data : "", input.where.len));
        expect_messages(input.messages);
        expect_answers(&input);
        expect_same(&input);
    }
    run_input_finish(&input);
}

#endif
