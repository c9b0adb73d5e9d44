/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a client reaches of the tools, by its toolsets, its scopes and the learner that it is bound
 * to.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/peer_fixture.h"

#define EDITOR  TOOLSET_BIT(TOOLSET_EDITOR)
#define TUTOR   TOOLSET_BIT(TOOLSET_TUTOR)
#define SOLVE   TOOLSET_BIT(TOOLSET_SOLVE)
#define LEARNER "0123456789abcdef0123456789abcdef"
#define OTHER   "fedcba9876543210fedcba9876543210"
#define LIST    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}"
#define INVALID (-32602)

static void test_the_scopes_limit_the_toolsets(void **state)
{
    static const struct {
        unsigned scopes, toolsets;
    } rows[] = {
        {IDENTITY_READ | IDENTITY_EDIT, TOOLSETS_ALL},
        {IDENTITY_READ | IDENTITY_EDIT | IDENTITY_LEARN, TOOLSETS_ALL},
        {IDENTITY_READ, EDITOR | SOLVE},
        {IDENTITY_LEARN, TUTOR},
        {IDENTITY_READ | IDENTITY_LEARN, TUTOR},
        {IDENTITY_OPERATE, 0},
        {0, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct identity identity = {.scopes = rows[i].scopes};

        for (unsigned chosen = 0; chosen <= TOOLSETS_ALL; chosen++) {
            struct client client;

            client_init(&client, chosen, NULL, NULL);
            client_identify(&client, &identity);
            assert_int_equal(client.toolsets, rows[i].toolsets & chosen);
            assert_string_equal(client.bound_learner, "");
        }
    }
}

static void test_a_learner_of_the_token_counts(void **state)
{
    const struct identity bound = {.scopes = IDENTITY_LEARN, .learner = OTHER};
    const struct identity free_one = {.scopes = IDENTITY_LEARN};
    struct client client;

    (void)state;
    client_init(&client, TOOLSETS_ALL, NULL, LEARNER);
    client_identify(&client, &free_one);
    assert_string_equal(client.bound_learner, LEARNER);
    client_identify(&client, &bound);
    assert_string_equal(client.bound_learner, OTHER);
    assert_true(client_reach(&client).of_learner);
}

static void test_the_choices(void **state)
{
    static const char *const wrong[] = {"", "Tutor", "tutor ", "editor,", ",tutor", "editor,x"};
    unsigned found = 0;

    (void)state;
    assert_true(toolsets_find("editor", &found) && found == EDITOR);
    assert_true(toolsets_find("tutor", &found) && found == TUTOR);
    assert_true(toolsets_find("all", &found) && found == TOOLSETS_ALL);
    assert_true(toolsets_find("editor,solve", &found) && found == (EDITOR | SOLVE));
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(toolsets_find(wrong[i], &found));
}

/* ---- a client of a host ---- */

/* Another client in the place of the fixture's, after its initialize. */
static void become(struct fixture *fixture, unsigned toolsets, const char *learner, unsigned scopes)
{
    struct identity identity = {.scopes = scopes};
    struct error err = {0};
    struct mailbag bag;
    struct client client;

    peer_destroy(fixture->peer);
    client_init(&client, toolsets, NULL, learner);
    fixture->peer = peer_create(fixture->host, "test", &client, &err);
    assert_non_null(fixture->peer);
    peer_identify(fixture->peer, &identity);
    ask(fixture, &bag, INITIALIZE("2025-11-25"));
    bag_finish(&bag);
}

/* The names of the listed tools, with blanks between them, and the whole list. */
static void list(struct fixture *fixture, struct buf *names, struct buf *whole)
{
    struct mailbag bag;
    const json_t *listed = json_object_get(result_of(fixture, &bag, LIST), "tools"), *tool;
    size_t i;

    json_array_foreach(listed, i, tool)
        buf_addf(names, "%s%s", i > 0 ? " " : "", json_get_string(tool, "name"));
    json_write(whole, listed);
    bag_finish(&bag);
}

#define EDITORS_TOOLS "echo wait report marked ask tell"

static void test_each_set_is_listed(void **state)
{
    static const struct {
        unsigned toolsets;
        const char *learner;
        unsigned scopes;
        const char *names;
    } rows[] = {
        {EDITOR, NULL, IDENTITY_READ | IDENTITY_EDIT, EDITORS_TOOLS},
        {TUTOR, NULL, IDENTITY_READ | IDENTITY_EDIT, "teach enrol"},
        {EDITOR | TUTOR, NULL, IDENTITY_READ | IDENTITY_EDIT, EDITORS_TOOLS " teach enrol"},
        {EDITOR | TUTOR, LEARNER, IDENTITY_READ | IDENTITY_EDIT, EDITORS_TOOLS " teach"},
        {EDITOR | TUTOR, NULL, IDENTITY_READ, EDITORS_TOOLS},
        {EDITOR | TUTOR, NULL, IDENTITY_LEARN, "teach enrol"},
        {TUTOR, LEARNER, IDENTITY_LEARN, "teach"},
    };

    /* Twice: entries are kept, and each form has its own. */
    for (size_t i = 0; i < 2 * (sizeof rows / sizeof rows[0]); i++) {
        const size_t row = i % (sizeof rows / sizeof rows[0]);
        struct buf BUF_AUTO names = {0}, BUF_AUTO whole = {0};

        become(*state, rows[row].toolsets, rows[row].learner, rows[row].scopes);
        list(*state, &names, &whole);
        assert_string_equal(names.data, rows[row].names);
        assert_int_equal(strstr(whole.data, LEARNER_ARGUMENT) != NULL,
                         strstr(names.data, "teach") && !rows[row].learner);
        assert_int_equal(strstr(whole.data, "\"lesson\"") != NULL,
                         strstr(names.data, "teach") != NULL);
    }
}

static void test_other_sets_are_unknown(void **state)
{
    become(*state, EDITOR, NULL, IDENTITY_READ | IDENTITY_EDIT);
    expect_error(*state, CALL("1", "teach", "{}"), INVALID, 200, "unknown tool 'teach'");
    become(*state, EDITOR | TUTOR, NULL, IDENTITY_LEARN);
    expect_error(*state, CALL("1", "echo", "{}"), INVALID, 200,
                 "unknown tool 'echo'. The tools: teach, enrol.");
    expect_error(*state, CALL("1", "rename_node", "{}"), INVALID, 200,
                 "unknown tool 'rename_node'. The tools: teach, enrol.");
    become(*state, EDITOR | TUTOR, LEARNER, IDENTITY_LEARN);
    expect_error(*state, CALL("1", "enrol", "{\"name\":\"Ada\"}"), INVALID, 200,
                 "The tools: teach.");
    become(*state, EDITOR | TUTOR, NULL, IDENTITY_READ);
    expect_error(*state, CALL("1", "teach", "{}"), INVALID, 200, "unknown tool 'teach'");
}

/* The same client with another token: each message counts for itself. */
static void test_each_request_is_limited(void **state)
{
    const struct identity learn = {.scopes = IDENTITY_LEARN};
    struct fixture *fixture = *state;
    struct mailbag bag;

    become(fixture, EDITOR | TUTOR, NULL, IDENTITY_READ | IDENTITY_EDIT);
    result_of(fixture, &bag, CALL("1", "echo", "{}"));
    bag_finish(&bag);
    peer_identify(fixture->peer, &learn);
    expect_error(fixture, CALL("2", "echo", "{}"), INVALID, 200, "unknown tool");
    expect_error(fixture, MODERN("tools/call", "\"name\":\"echo\"," META), INVALID, 200,
                 "unknown tool");
    expect_error(fixture, LEGACY("resources/list", ""), -32601, 200, "unknown method");
    expect_error(fixture, MODERN("resources/list", META), -32601, 404, "unknown method");
}

static void expect_text(struct fixture *fixture, const char *call, bool failed, const char *says)
{
    struct mailbag bag;
    const json_t *result = result_of(fixture, &bag, call);
    const char *text =
        json_get_string(json_array_get(json_object_get(result, "content"), 0), "text");

    assert_int_equal(json_is_true(json_object_get(result, "isError")), failed);
    if (!strstr(text, says))
        fail_msg("%s: %s", call, text);
    bag_finish(&bag);
}

static void test_a_bound_call_has_its_learner(void **state)
{
    become(*state, TUTOR, LEARNER, IDENTITY_LEARN);
    expect_text(*state, CALL("1", "teach", "{\"lesson\":\"N1\"}"), false, "teaches " LEARNER);
    expect_text(*state, CALL("1", "teach", "{\"lesson\":\"N1\",\"learner_id\":\"\"}"), false,
                "teaches " LEARNER);
    expect_text(*state, CALL("1", "teach", "{\"lesson\":\"N1\",\"learner_id\":null}"), false,
                "teaches " LEARNER);
    expect_text(*state, CALL("1", "teach", "{\"lesson\":\"N1\",\"learner_id\":\"" LEARNER "\"}"),
                false, "teaches " LEARNER);
    expect_text(*state, CALL("1", "teach", "{\"lesson\":\"N1\",\"learner_id\":\"" OTHER "\"}"),
                true, "bound to one learner");
    expect_text(*state, CALL("1", "teach", "{\"lesson\":\"N1\",\"learner_id\":[\"" LEARNER "\"]}"),
                true, "leave learner_id out");
    /* The names in an error are those of the schema. */
    expect_text(*state, CALL("1", "teach", "{\"leson\":\"N1\"}"), true,
                "The arguments of teach: lesson");
    become(*state, TUTOR, NULL, IDENTITY_LEARN);
    expect_text(*state, CALL("1", "teach", "{\"lesson\":\"N1\"}"), true, "learner_id");
    expect_text(*state, CALL("1", "teach", "{\"lesson\":\"N1\",\"learner_id\":\"" OTHER "\"}"),
                false, "teaches " OTHER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_scopes_limit_the_toolsets),
        cmocka_unit_test(test_a_learner_of_the_token_counts),
        cmocka_unit_test(test_the_choices),
        cmocka_unit_test_setup_teardown(test_each_set_is_listed, setup, teardown),
        cmocka_unit_test_setup_teardown(test_other_sets_are_unknown, setup, teardown),
        cmocka_unit_test_setup_teardown(test_each_request_is_limited, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_bound_call_has_its_learner, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
