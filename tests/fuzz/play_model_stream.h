/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One input of fuzz_model_stream played, for the fuzzer and for the unit test that replays what it
 * has found. Aborts where a promise is broken.
 */
#ifndef LECTERN_TESTS_PLAY_MODEL_STREAM_H
#define LECTERN_TESTS_PLAY_MODEL_STREAM_H

#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/model/model_stream.h"
#include "mcp/model/model_message.h"

/* What was heard of one playing, as one text. */
struct heard {
    struct model_message message;
    struct buf text;
    bool open[MODEL_BLOCKS_CAP];
};

static inline void expect(bool holds)
{
    if (!holds)
        abort();
}

static inline void hear(struct heard *heard, char kind, size_t block, const char *text, size_t len)
{
    json_t *string = json_stringn(text, len); /* NULL where it is no whole UTF-8 */

    expect(len > 0 && string != NULL && block < MODEL_BLOCKS_CAP && heard->open[block]);
    json_decref(string);
    buf_addf(&heard->text, "%c%zu", kind, block);
    buf_add(&heard->text, text, len);
}

static inline void hear_begin(struct heard *heard, size_t block)
{
    expect(block < MODEL_BLOCKS_CAP && !heard->open[block]);
    heard->open[block] = true;
}

static inline void hear_text_begin(void *user, size_t block)
{
    hear_begin(user, block);
}

static inline void hear_call_begin(void *user, size_t block, const char *id, const char *name)
{
    hear_begin(user, block);
    hear(user, 'i', block, id, strlen(id));
    hear(user, 'n', block, name, strlen(name));
}

static inline void hear_text(void *user, size_t block, const char *text, size_t len)
{
    hear(user, 't', block, text, len);
}

static inline void hear_end(void *user, size_t block)
{
    struct heard *heard = user;

    expect(block < MODEL_BLOCKS_CAP && heard->open[block]);
    heard->open[block] = false;
    buf_addf(&heard->text, ".%zu", block);
}

static inline int hear_event(void *user, const char *name, const char *data, size_t len,
                             struct error *err)
{
    static const struct model_listener listener = {
        .on_text_begin = hear_text_begin,
        .on_text = hear_text,
        .on_thinking_begin = hear_text_begin,
        .on_thinking = hear_text,
        .on_call_begin = hear_call_begin,
        .on_call_arguments = hear_text,
        .on_block_end = hear_end,
    };
    struct heard *heard = user;

    return model_message_event(&heard->message, &listener, heard, name, data, len, err);
}

static inline void write_content(struct heard *heard)
{
    json_auto_t *broken = json_array();
    json_t *content = model_message_content(&heard->message, true, broken), *block;
    size_t i;

    expect(content != NULL && json_array_size(content) <= MODEL_BLOCKS_CAP);
    expect(json_array_size(broken) <= json_array_size(content));
    json_array_foreach(content, i, block) expect(json_get_string(block, "type") != NULL);
    json_write(&heard->text, content);
    json_decref(content);
    content = model_message_content(&heard->message, false, NULL);
    expect((content != NULL) == heard->message.ended);
    json_decref(content);
    expect(model_usage_input(&heard->message.usage) >= 0);
}

/* Plays bytes in parts of so many, each in a block of its own, so that reading past it shows. */
static inline void play_parts(struct heard *heard, const uint8_t *bytes, size_t size, size_t part)
{
    struct model_stream stream;
    struct error err = {0};
    int rc = 0;

    memset(heard, 0, sizeof *heard);
    model_message_init(&heard->message);
    model_stream_init(&stream, hear_event, heard);
    for (size_t at = 0; rc == 0 && at < size; at += part) {
        size_t len = size - at < part ? size - at : part;
        char *copy = malloc(len);

        expect(copy != NULL);
        memcpy(copy, bytes + at, len);
        rc = model_stream_feed(&stream, copy, len, &err);
        free(copy);
    }
    expect((rc == 0) == (err.kind == ERROR_NONE) && (rc == 0 || err.text[0] != '\0'));
    model_stream_finish(&stream);
    write_content(heard);
    buf_addf(&heard->text, "|%d", rc);
    expect(!heard->text.failed);
}

static inline void play_model_stream(const uint8_t *data, size_t size)
{
    struct heard *whole = malloc(sizeof *whole), *cut = malloc(sizeof *cut);

    expect(whole != NULL && cut != NULL);
    if (size > 0) {
        play_parts(whole, data + 1, size - 1, size);
        play_parts(cut, data + 1, size - 1, (size_t)data[0] % 31 + 1);
        expect(whole->text.len == cut->text.len &&
               memcmp(whole->text.data, cut->text.data, cut->text.len) == 0);
        buf_finish(&whole->text);
        buf_finish(&cut->text);
        model_message_finish(&whole->message);
        model_message_finish(&cut->message);
    }
    free(whole);
    free(cut);
}

#endif
