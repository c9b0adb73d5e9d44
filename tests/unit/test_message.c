/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One message of JSON-RPC, read: its kind, its parts, and what is wrong with it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/fuzz/play_message.h"
#include "tests/unit/regression_inputs.h"

static void test_kinds(void **state)
{
    static const struct {
        const char *text;
        enum message_kind kind;
        bool modern;
    } rows[] = {
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"}", MESSAGE_REQUEST, false},
        {"{\"jsonrpc\":\"2.0\",\"id\":\"\",\"method\":\"m\",\"params\":{}}", MESSAGE_REQUEST,
         false},
        {"{\"jsonrpc\":\"2.0\",\"method\":\"m\"}", MESSAGE_NOTIFICATION, false},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", MESSAGE_RESPONSE, false},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{}}", MESSAGE_RESPONSE, false},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":{\"_meta\":{"
         "\"io.modelcontextprotocol/protocolVersion\":\"x\"}}}",
         MESSAGE_REQUEST, true},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":{\"_meta\":7}}",
         MESSAGE_REQUEST, false},
        {"{\"jsonrpc\":\"2.0\",\"id\":1}", MESSAGE_INVALID, false},
        {"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"m\"}", MESSAGE_INVALID, false},
        {"{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"m\"}", MESSAGE_INVALID, false},
        {"{\"jsonrpc\":\"2.0\",\"id\":1.0,\"method\":\"m\"}", MESSAGE_INVALID, false},
        {"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"m\"}", MESSAGE_INVALID, false},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":null}", MESSAGE_INVALID, false},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":[]}", MESSAGE_INVALID, false},
        {"{\"jsonrpc\":2.0,\"id\":1,\"method\":\"m\"}", MESSAGE_INVALID, false},
        {"[]", MESSAGE_INVALID, false},
        {"\"jsonrpc\"", MESSAGE_INVALID, false},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"m\"}{", MESSAGE_INVALID, false},
    };
    struct message message;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        play_message((const uint8_t *)rows[i].text, strlen(rows[i].text));
        message_read(&message, rows[i].text, strlen(rows[i].text));
        if (message.kind != rows[i].kind || message.modern != rows[i].modern)
            fail_msg("%s: kind %d, %s", rows[i].text, message.kind,
                     message.modern ? "modern" : "legacy");
        message_finish(&message);
    }
}

/* A long id is refused, and not repeated. */
static void test_long_ids(void **state)
{
    struct message message;
    struct buf BUF_AUTO text = {0};

    (void)state;
    for (size_t len = MESSAGE_ID_CAP; len <= MESSAGE_ID_CAP + 1; len++) {
        buf_clear(&text);
        buf_adds(&text, "{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"id\":\"");
        for (size_t i = 0; i < len; i++)
            buf_addc(&text, 'x');
        buf_adds(&text, "\"}");
        message_read(&message, text.data, text.len);
        assert_int_equal(message.kind, len > MESSAGE_ID_CAP ? MESSAGE_INVALID : MESSAGE_REQUEST);
        assert_true((message.id == NULL) == (len > MESSAGE_ID_CAP));
        message_finish(&message);
    }
}

static void test_found_inputs(void **state)
{
    (void)state;
    replay_inputs("tests/fuzz/regression/message", play_message);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_long_ids),
        cmocka_unit_test(test_found_inputs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
