/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One input of fuzz_message played, for the fuzzer and for the unit test that replays what it has
 * found. Aborts where a promise of message.h is broken.
 */
#ifndef LECTERN_TESTS_PLAY_MESSAGE_H
#define LECTERN_TESTS_PLAY_MESSAGE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/protocol/message.h"

static inline void must(bool holds)
{
    if (!holds)
        abort();
}

/* What is answered to the message can be read, and has its id. */
static inline void check_answer(const struct buf *answer, const json_t *id)
{
    json_auto_t *read = NULL;

    must(!answer->failed);
    read = json_read(answer->data, answer->len, "an answer", NULL);
    must(read && json_string_is(read, "jsonrpc", "2.0"));
    must(id ? json_equal(json_object_get(read, "id"), id)
            : json_is_null(json_object_get(read, "id")));
}

/* What is kept of a message changes nothing of it. */
static inline void check_metas(const char *text, size_t len, const json_t *whole)
{
    struct message_metas metas = {0};

    for (int i = 0; i < 2; i++) {
        json_auto_t *read = message_metas_read(&metas, text, len);

        must(!read || json_equal(read, whole));
    }
    message_metas_finish(&metas);
}

static inline void play_message(const uint8_t *bytes, size_t len)
{
    struct buf BUF_AUTO error = {0}, result = {0};
    struct message message;

    message_read(&message, NULL, (const char *)bytes, len);
    check_metas((const char *)bytes, len, message.json);
    must(!message.id || message_id_valid(message.id));
    must(!message.params || json_is_object(message.params));
    if (message.kind == MESSAGE_INVALID)
        must(*message.why && message.code < 0 &&
             (message.http_status == 400 || message.http_status == 413));
    else if (message.kind == MESSAGE_BATCH)
        must(json_is_array(message.json) && !message.method && !message.id);
    else
        must((message.kind == MESSAGE_RESPONSE) == !message.method &&
             (message.kind != MESSAGE_REQUEST || message.id) &&
             (message.kind != MESSAGE_NOTIFICATION || !message.id));
    must(!message.modern || json_object_get(message.meta, MESSAGE_VERSION_KEY));
    message_error(&error, message.id, MESSAGE_INVALID_REQUEST,
                  message.kind == MESSAGE_INVALID ? message.why : "no");
    check_answer(&error, message.id);
    message_begin_result(&result, message.id);
    buf_adds(&result, "{}}");
    check_answer(&result, message.id);
    message_finish(&message);
}

#endif
