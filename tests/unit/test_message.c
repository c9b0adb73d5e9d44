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
        {"[]", MESSAGE_BATCH, false},
        {"\"jsonrpc\"", MESSAGE_INVALID, false},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"m\"}{", MESSAGE_INVALID, false},
    };
    struct message message;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        play_message((const uint8_t *)rows[i].text, strlen(rows[i].text));
        message_read(&message, NULL, rows[i].text, strlen(rows[i].text));
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
        message_read(&message, NULL, text.data, text.len);
        assert_int_equal(message.kind, len > MESSAGE_ID_CAP ? MESSAGE_INVALID : MESSAGE_REQUEST);
        assert_true((message.id == NULL) == (len > MESSAGE_ID_CAP));
        message_finish(&message);
    }
}

#define VERSION "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\""
#define META    "{" VERSION ",\"a\":[\"}\\\"\",{}]}"

/* What is read with the help of an earlier _meta equals what is parsed whole. */
static void test_metas(void **state)
{
    static const struct {
        const char *text;
        bool helped; /* otherwise it is parsed whole */
    } rows[] = {
        {"{\"params\":{\"_meta\":" META ",\"b\":1}}", true},
        {"{\"params\":{\"b\":[],\"_meta\":  " META "}}", true},
        {"{\"params\":{\"_meta\":{" VERSION "}}}", true},
        {"{\"params\":{\"_meta\":{" VERSION "},\"arguments\":{\"_meta\":" META "}}}", true},
        {"{\"params\":{\"arguments\":{\"_meta\":" META "},\"_meta\":{" VERSION "}}}", false},
        {"{\"params\":{\"_meta\":" META ",\"_meta\":{}}}", false},
        {"{\"params\":{\"_meta\":" META ",\"\\u005fmeta\":{}}}", false},
        {"{\"params\":{\"_meta\":" META "},\"params\":{}}", false},
        {"{\"params\":{\"x\\\"_meta\":" META ",\"_meta\":{" VERSION "}}}", false},
        {"{\"params\":{\"_meta\":-26072806072,\"a\":{\"_meta\":" META "}}}", false},
        {"{\"params\":{\"a\":{\"_meta\":" META "},\"_meta\":-26072806072}}", false},
        {"{\"params\":{\"_meta\":{\"progressToken\":1}}}", false},
        {"{\"params\":{\"_meta\":" META "}", false},
        {"{\"params\":{\"_meta\":" META "}}}", false},
        {"{\"params\":{\"_meta\":{" VERSION, false},
        {"{\"params\":{\"_meta\":", false},
        {"{\"_meta\":" META "}", false},
    };
    struct message_metas metas = {0};

    (void)state;
    for (size_t i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
        const char *text = rows[i / 2].text; /* each twice */
        json_auto_t *helped = message_metas_read(&metas, text, strlen(text));
        json_auto_t *whole = json_loads(text, 0, NULL);

        if ((helped != NULL) != rows[i / 2].helped || (helped && !json_equal(helped, whole)))
            fail_msg("%s: read %s", text, helped ? "with a kept _meta" : "whole");
    }
    message_metas_finish(&metas);
}

/* No more than the newest are kept, and none that is long. */
static void test_metas_are_few(void **state)
{
    struct message_metas metas = {0};
    struct buf BUF_AUTO text = {0};

    (void)state;
    for (int i = 0; i < 3 * (int)MESSAGE_METAS_CAP; i++) {
        json_t *read;

        buf_clear(&text);
        buf_addf(&text, "{\"params\":{\"_meta\":{" VERSION ",\"n\":\"%d\"}}}", i);
        read = message_metas_read(&metas, text.data, text.len);
        assert_non_null(read);
        json_decref(read);
    }
    buf_clear(&text);
    buf_adds(&text, "{\"params\":{\"_meta\":{" VERSION ",\"n\":\"");
    for (int i = 0; i < 1024; i++)
        buf_addc(&text, 'x');
    buf_adds(&text, "\"}}}");
    assert_null(message_metas_read(&metas, text.data, text.len));
    for (size_t i = 0; i < MESSAGE_METAS_CAP; i++)
        assert_true(metas.kept[i].len < 100);
    message_metas_finish(&metas);
}

static void test_found_inputs(void **state)
{
    (void)state;
    replay_inputs("tests/fuzz/regression/message", play_message);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),        cmocka_unit_test(test_long_ids),
        cmocka_unit_test(test_metas),        cmocka_unit_test(test_metas_are_few),
        cmocka_unit_test(test_found_inputs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
