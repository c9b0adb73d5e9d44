/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Those who look on, without sockets: what is told to whom, once and in its order, what a bad
 * message is answered, and what becomes of one that does not read.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "helpers/base/loop_queue.h"
#include "mcp/store/store_internal.h"
#include "mcp/transport/websocket/sync.h"

#define ONE   "11111111-1111-4111-8111-111111111111"
#define OTHER "22222222-2222-4222-8222-222222222222"

struct fixture {
    uv_loop_t loop;
    struct loop_queue *loop_queue;
    struct change_feed *feed;
    struct store store; /* only its observer is used */
    struct db db;
    struct sync *sync;
};

static unsigned chats;

static void count_chat(void *user, const json_t *message)
{
    assert_ptr_equal(user, &chats);
    assert_true(json_is_object(message));
    chats++;
}

static void no_chat(void *user, const json_t *message)
{
    (void)user;
    (void)message;
    fail();
}

static unsigned woken;

static void wake(void *user)
{
    assert_ptr_equal(user, &woken);
    woken++;
}

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct error err = {0};

    assert_non_null(fixture);
    uv_loop_init(&fixture->loop);
    fixture->loop_queue = loop_queue_create(&fixture->loop, &err);
    fixture->feed = change_feed_create(fixture->loop_queue, &err);
    fixture->store.db = &fixture->db;
    change_feed_attach(fixture->feed, &fixture->store);
    fixture->sync = sync_create(fixture->feed, wake, &err);
    assert_non_null(fixture->sync);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;

    assert_int_equal(sync_clients(fixture->sync), 0);
    sync_destroy(fixture->sync);
    loop_queue_destroy(fixture->loop_queue);
    change_feed_destroy(fixture->feed);
    uv_run(&fixture->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&fixture->loop), 0);
    free(fixture);
    return 0;
}

static void change(struct fixture *fixture, enum store_target target, const char *sid,
                   const char *node_id)
{
    const struct store_change made = {target, sid, node_id, "test"};

    fixture->db.observer(fixture->db.observer_user, &made);
}

/* Lets the loop open what the observer has posted. */
static void arrive(struct fixture *fixture)
{
    for (int i = 0; i < 3; i++)
        uv_run(&fixture->loop, UV_RUN_NOWAIT);
}

static struct sync_client *join(struct fixture *fixture, const char *sid)
{
    struct sync_client *client = sync_client_create(fixture->sync, &woken);

    assert_non_null(client);
    if (sid)
        sync_client_join(client, sid);
    return client;
}

static void expect(struct sync_client *client, const char *text)
{
    struct buf BUF_AUTO out = {0};
    bool more = sync_client_next(client, &out);

    if (!text) {
        assert_false(more);
        return;
    }
    assert_true(more);
    assert_string_equal(out.data, text);
}

#define REFRESH(target, node)                                                                      \
    "{\"type\":\"refresh_ui\",\"target\":\"" target "\",\"node_id\":" node "}"

static void test_each_target(void **state)
{
    struct fixture *fixture = *state;
    struct sync_client *one = join(fixture, ONE), *other = join(fixture, OTHER);
    struct sync_client *nobody = join(fixture, NULL);

    woken = 0;
    change(fixture, STORE_COMPONENTS, ONE, "N001");
    change(fixture, STORE_NODES, ONE, "a\"b");
    change(fixture, STORE_RELATIONSHIPS, ONE, NULL);
    change(fixture, STORE_NODE_MAP, ONE, "N002");
    arrive(fixture);
    assert_int_equal(woken, 4);
    expect(one, REFRESH("components", "\"N001\""));
    expect(one, REFRESH("nodes", "\"a\\\"b\""));
    expect(one, REFRESH("relationships", "null"));
    expect(one, REFRESH("nodes", "\"N002\""));
    expect(one, NULL);
    expect(other, NULL);
    expect(nobody, NULL);
    change(fixture, STORE_SESSION, OTHER, NULL);
    arrive(fixture);
    expect(other, REFRESH("components", "null"));
    expect(other, REFRESH("nodes", "null"));
    expect(other, REFRESH("relationships", "null"));
    expect(other, NULL);
    expect(one, NULL);
    sync_client_destroy(one);
    sync_client_destroy(other);
    sync_client_destroy(nobody);
}

static void test_slow_client(void **state)
{
    struct fixture *fixture = *state;
    struct sync_client *client = join(fixture, ONE);
    char node[16];

    for (int i = 0; i < 3; i++)
        change(fixture, STORE_COMPONENTS, ONE, "N001");
    arrive(fixture);
    expect(client, REFRESH("components", "\"N001\"")); /* once, as it has not read in between */
    expect(client, NULL);
    change(fixture, STORE_COMPONENTS, ONE, "N001");
    arrive(fixture);
    expect(client, REFRESH("components", "\"N001\""));
    for (unsigned i = 0; i <= SYNC_QUEUE_CAP; i++) {
        snprintf(node, sizeof node, "N%u", i);
        change(fixture, STORE_NODES, ONE, node);
    }
    arrive(fixture);
    expect(client, REFRESH("components", "null"));
    expect(client, REFRESH("nodes", "null"));
    expect(client, REFRESH("relationships", "null"));
    expect(client, NULL);
    sync_client_destroy(client);
}

static void say(struct sync_client *client, const char *text)
{
    assert_int_equal(sync_client_receive(client, text, strlen(text), no_chat, NULL), 0);
}

static void test_contexts(void **state)
{
    struct fixture *fixture = *state;
    struct sync_client *first = join(fixture, NULL), *second = join(fixture, ONE);
    const struct sync_context *context;

    assert_null(sync_last_context(fixture->sync, ONE));
    say(first, "{\"type\":\"context_update\",\"context\":{\"session_id\":\"" ONE
               "\",\"node_id\":\"N001\",\"screen\":\"editor\",\"action\":\"typing\"}}");
    context = sync_last_context(fixture->sync, ONE);
    assert_ptr_equal(context, sync_client_context(first));
    assert_string_equal(context->node_id, "N001");
    assert_string_equal(context->screen, "editor");
    assert_string_equal(context->action, "typing");
    say(second, "{\"type\":\"context_update\",\"context\":{\"node_id\":\"N002\",\"screen\":null}}");
    context = sync_last_context(fixture->sync, ONE);
    assert_string_equal(context->node_id, "N002");
    assert_string_equal(context->session_id, ONE);
    expect(first, NULL);
    /* What waited was of the session it has left. */
    change(fixture, STORE_NODES, ONE, "N001");
    arrive(fixture);
    say(first, "{\"type\":\"context_update\",\"context\":{\"session_id\":\"" OTHER "\"}}");
    expect(first, NULL);
    expect(second, REFRESH("nodes", "\"N001\""));
    /* A question joins its session; what is known of the place stays where that is the client's. */
    change(fixture, STORE_NODES, ONE, "N002");
    arrive(fixture);
    sync_client_join(second, ONE);
    assert_string_equal(sync_client_context(second)->node_id, "N002");
    expect(second, REFRESH("nodes", "\"N002\""));
    change(fixture, STORE_NODES, ONE, "N003");
    arrive(fixture);
    sync_client_join(second, OTHER);
    expect(second, NULL);
    assert_string_equal(sync_client_context(second)->node_id, "");
    assert_ptr_equal(sync_last_context(fixture->sync, OTHER), sync_client_context(first));
    sync_client_destroy(second);
    assert_null(sync_last_context(fixture->sync, ONE));
    sync_client_destroy(first);
}

static void test_bad_messages(void **state)
{
    static const struct {
        const char *message, *says;
    } cases[] = {
        {"", "not JSON"},
        {"{\"type\":", "not JSON"},
        {"[]", "context_update"},
        {"{\"type\":\"refresh_ui\"}", "type must be context_update or chat_message"},
        {"{\"type\":\"context_update\"}", "context must be an object"},
        {"{\"type\":\"context_update\",\"context\":[]}", "context must be an object"},
        {"{\"type\":\"context_update\",\"context\":{}}", "context.session_id is missing"},
        {"{\"type\":\"context_update\",\"context\":{\"session_id\":5}}", "context.session_id must"},
        {"{\"type\":\"context_update\",\"context\":{\"session_id\":\"" ONE ONE "\"}}",
         "at most 36 bytes"},
        {"{\"type\":\"context_update\",\"context\":{\"session_id\":\"" ONE "\",\"node_id\":{}}}",
         "context.node_id must"},
        {"\xFF\xFE", "not JSON"},
    };
    struct fixture *fixture = *state;
    struct sync_client *client = join(fixture, NULL);
    char *large = calloc(1, SYNC_MESSAGE_CAP + 2);

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buf BUF_AUTO out = {0};

        say(client, cases[i].message);
        assert_true(sync_client_next(client, &out));
        if (!strstr(out.data, cases[i].says) || !strstr(out.data, "{\"type\":\"error\",\"error\":"))
            fail_msg("%s: %s", cases[i].message, out.data);
        assert_non_null(strstr(out.data, "send {"));
    }
    memset(large, ' ', SYNC_MESSAGE_CAP + 1);
    say(client, large);
    free(large);
    for (unsigned i = 1; i < SYNC_ERRORS_CAP; i++)
        say(client, "{}");
    assert_int_equal(sync_client_receive(client, "{}", 2, no_chat, NULL), -1);
    for (unsigned i = 0; i < SYNC_ERRORS_CAP; i++) {
        struct buf BUF_AUTO out = {0};

        assert_true(sync_client_next(client, &out));
        assert_non_null(strstr(out.data, i == 0 ? "at most 16384 bytes" : "context_update"));
    }
    expect(client, NULL);
    sync_client_destroy(client);
}

static void test_a_question(void **state)
{
    struct fixture *fixture = *state;
    struct sync_client *client = join(fixture, ONE);
    size_t size = SYNC_CHAT_CAP + 2, half = SYNC_SAID_CAP / 2;
    char *large = malloc(size), *said = malloc(half);
    static const char head[] = "{\"type\":\"chat_message\",\"content\":\"";

    assert_non_null(large);
    assert_non_null(said);
    memset(large, 'x', size);
    memcpy(large, head, sizeof head - 1);
    /* Longer than another message may be, and not too long. */
    memcpy(large + SYNC_CHAT_CAP - 2, "\"}", 2);
    chats = 0;
    assert_int_equal(sync_client_receive(client, large, SYNC_CHAT_CAP, count_chat, &chats), 0);
    assert_int_equal(chats, 1);
    expect(client, NULL);
    assert_int_equal(sync_client_receive(client, large, SYNC_CHAT_CAP + 1, count_chat, &chats), 0);
    assert_int_equal(chats, 1);
    assert_int_equal(sync_message_cap(large, SYNC_CHAT_CAP), SYNC_CHAT_CAP);
    /* Not by a word that comes later. */
    memset(large, ' ', SYNC_MESSAGE_CAP);
    memcpy(large + SYNC_MESSAGE_CAP, head, sizeof head - 1);
    assert_int_equal(sync_message_cap(large, SYNC_CHAT_CAP), SYNC_MESSAGE_CAP);
    /* Answers stand behind the error that waits; too many are no more taken. */
    assert_int_equal(sync_client_say(client, "{\"a\":1}", 7), 0);
    assert_int_equal(sync_client_say(client, "{}", 2), 0);
    memset(said, 'y', half);
    assert_int_equal(sync_client_say(client, said, half), 0);
    assert_int_equal(sync_client_say(client, said, half), -1);
    {
        struct buf BUF_AUTO out = {0};

        assert_true(sync_client_next(client, &out));
        assert_non_null(strstr(out.data, "at most 524288 bytes"));
    }
    expect(client, "{\"a\":1}");
    expect(client, "{}");
    /* What was read makes room. */
    assert_int_equal(sync_client_say(client, said, half), 0);
    assert_int_equal(sync_client_say(client, said, 1), -1);
    sync_client_destroy(client);
    free(large);
    free(said);
}

static void test_too_many(void **state)
{
    struct fixture *fixture = *state;
    struct sync_client *clients[SYNC_CLIENTS_CAP];

    for (size_t i = 0; i < SYNC_CLIENTS_CAP; i++)
        clients[i] = join(fixture, ONE);
    assert_null(sync_client_create(fixture->sync, &woken));
    change(fixture, STORE_NODES, ONE, "N001");
    arrive(fixture);
    for (size_t i = 0; i < SYNC_CLIENTS_CAP; i++) {
        expect(clients[i], REFRESH("nodes", "\"N001\""));
        sync_client_destroy(clients[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_each_target, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_slow_client, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_contexts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bad_messages, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_question, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_too_many, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
