/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lists with their pages, resources, prompts and completions, in both eras.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/peer_fixture.h"

static const json_t *at(const json_t *result, const char *list, size_t i)
{
    return json_array_get(json_object_get(result, list), i);
}

static void test_lists(void **state)
{
    static const char *const wrong[] = {"\"1\"",    "\"0\"", "\"200\"", "\"0100\"",
                                        "\"100x\"", "7",     "{}",      "\"-100\""};
    struct fixture *fixture = *state;
    const json_t *result;
    struct mailbag bag;
    char text[400];

    result = result_of(fixture, &bag, LEGACY("resources/list", ""));
    assert_int_equal(json_array_size(json_object_get(result, "resources")), 100);
    assert_string_equal(json_get_string(at(result, "resources", 0), "uri"), "fake://text");
    assert_string_equal(json_get_string(at(result, "resources", 0), "mimeType"), "text/plain");
    assert_string_equal(json_get_string(at(result, "resources", 2), "uri"), "fake://item/0");
    assert_string_equal(json_get_string(result, "nextCursor"), "100");
    bag_finish(&bag);
    result = result_of(fixture, &bag, LEGACY("resources/list", "\"cursor\":\"100\""));
    assert_int_equal(json_array_size(json_object_get(result, "resources")), 52);
    assert_string_equal(json_get_string(at(result, "resources", 51), "uri"), "fake://item/149");
    assert_null(json_object_get(result, "nextCursor"));
    bag_finish(&bag);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        snprintf(text, sizeof text, LEGACY("resources/list", "\"cursor\":%s"), wrong[i]);
        expect_error(fixture, text, -32602, 200, "cursor");
        snprintf(text, sizeof text, LEGACY("prompts/list", "\"cursor\":%s"), wrong[i]);
        expect_error(fixture, text, -32602, 200, "cursor");
    }
    result = result_of(fixture, &bag, LEGACY("resources/templates/list", ""));
    assert_int_equal(json_array_size(json_object_get(result, "resourceTemplates")), 1);
    assert_string_equal(json_get_string(at(result, "resourceTemplates", 0), "uriTemplate"),
                        "fake://item/{id}");
    bag_finish(&bag);
    result = result_of(fixture, &bag, LEGACY("prompts/list", ""));
    assert_string_equal(json_get_string(at(result, "prompts", 0), "name"), "greet");
    result = at(at(result, "prompts", 0), "arguments", 0);
    assert_string_equal(json_get_string(result, "name"), "who");
    assert_string_equal(json_get_string(result, "description"), "whom");
    assert_true(json_is_true(json_object_get(result, "required")));
    bag_finish(&bag);
}

static void expect_text(struct fixture *fixture, const char *uri, const char *expected)
{
    struct mailbag bag;
    const json_t *content;
    char text[400];

    snprintf(text, sizeof text, LEGACY("resources/read", "\"uri\":\"%s\""), uri);
    content = at(result_of(fixture, &bag, text), "contents", 0);
    assert_string_equal(json_get_string(content, "uri"), uri);
    assert_string_equal(json_get_string(content, "text"), expected);
    bag_finish(&bag);
}

static void test_read(void **state)
{
    static const char *const none[] = {
        "fake://item/none", "fake://item/", "fake://item/a/b", "fake://none", "", "fake://text/"};
    struct fixture *fixture = *state;
    const json_t *content, *error;
    struct mailbag bag;
    char text[700];

    expect_text(fixture, "fake://text", "text of it");
    expect_text(fixture, "fake://item/7", "text of 7");
    expect_text(fixture, "fake://item/a%20%C3%A9", "text of a \xC3\xA9");
    content = at(result_of(fixture, &bag, LEGACY("resources/read", "\"uri\":\"fake://blob\"")),
                 "contents", 0);
    assert_string_equal(json_get_string(content, "blob"), "AAAA");
    assert_string_equal(json_get_string(content, "mimeType"), "image/png");
    assert_null(json_object_get(content, "text"));
    bag_finish(&bag);
    for (int modern = 0; modern < 2; modern++) {
        for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
            snprintf(text, sizeof text, LEGACY("resources/read", "\"uri\":\"%s\"%s"), none[i],
                     modern ? "," META : "");
            error = json_object_get(ask(fixture, &bag, text), "error");
            assert_int_equal(json_integer_value(json_object_get(error, "code")),
                             modern ? -32602 : -32002);
            assert_string_equal(json_get_string(json_object_get(error, "data"), "uri"), none[i]);
            bag_finish(&bag);
        }
    }
    expect_error(fixture, LEGACY("resources/read", ""), -32602, 200, "uri");
}

static void test_prompts(void **state)
{
    struct fixture *fixture = *state;
    const json_t *result;
    struct mailbag bag;

    result = result_of(fixture, &bag,
                       LEGACY("prompts/get", "\"name\":\"greet\",\"arguments\":{\"who\":\"Ada\"}"));
    assert_string_equal(json_get_string(at(result, "messages", 0), "role"), "user");
    assert_string_equal(
        json_get_string(json_object_get(at(result, "messages", 0), "content"), "text"),
        "Greet Ada");
    bag_finish(&bag);
    expect_error(fixture, LEGACY("prompts/get", "\"name\":\"greet\""), -32602, 200, "who");
    expect_error(fixture, LEGACY("prompts/get", "\"name\":\"great\""), -32602, 200, "greet");
    expect_error(fixture, LEGACY("prompts/get", "\"name\":\"greet\",\"arguments\":[]"), -32602, 200,
                 "object");
}

static void test_completion(void **state)
{
    struct fixture *fixture = *state;
    const json_t *completion;
    struct mailbag bag;

    completion = json_object_get(
        result_of(fixture, &bag,
                  LEGACY("completion/complete",
                         "\"ref\":{\"type\":\"ref/resource\",\"uri\":\"fake://item/{id}\"},"
                         "\"argument\":{\"name\":\"id\",\"value\":\"ab\"}")),
        "completion");
    assert_int_equal(json_array_size(json_object_get(completion, "values")), 100);
    assert_string_equal(json_string_value(at(completion, "values", 99)), "ab99");
    assert_int_equal(json_integer_value(json_object_get(completion, "total")), 150);
    assert_true(json_is_true(json_object_get(completion, "hasMore")));
    bag_finish(&bag);
    completion =
        json_object_get(result_of(fixture, &bag,
                                  LEGACY("completion/complete",
                                         "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"greet\"},"
                                         "\"argument\":{\"name\":\"who\",\"value\":\"\"}")),
                        "completion");
    assert_int_equal(json_array_size(json_object_get(completion, "values")), 0);
    bag_finish(&bag);
    expect_error(fixture,
                 LEGACY("completion/complete", "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"x\"},"
                                               "\"argument\":{\"name\":\"a\",\"value\":\"\"}"),
                 -32602, 200, "ref");
    expect_error(
        fixture,
        LEGACY("completion/complete", "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"greet\"}"),
        -32602, 200, "argument");
}

static void test_modern(void **state)
{
    static const struct {
        const char *text, *member;
    } rows[] = {
        {MODERN("resources/list", META), "resources"},
        {MODERN("resources/templates/list", META), "resourceTemplates"},
        {MODERN("resources/read", "\"uri\":\"fake://text\"," META), "contents"},
        {MODERN("prompts/list", META), "prompts"},
    };
    struct fixture *fixture = *state;
    const json_t *result;
    struct mailbag bag;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        result = result_of(fixture, &bag, rows[i].text);
        assert_string_equal(json_get_string(result, "resultType"), "complete");
        assert_true(json_is_integer(json_object_get(result, "ttlMs")));
        assert_string_equal(json_get_string(result, "cacheScope"), "private");
        assert_true(json_is_array(json_object_get(result, rows[i].member)));
        assert_non_null(json_object_get(result, "_meta"));
        bag_finish(&bag);
    }
    result = result_of(
        fixture, &bag,
        MODERN("prompts/get", "\"name\":\"greet\",\"arguments\":{\"who\":\"Ada\"}," META));
    assert_string_equal(json_get_string(result, "resultType"), "complete");
    assert_null(json_object_get(result, "ttlMs"));
    bag_finish(&bag);
}

int main(void)
{
#define INITIALIZED(test) cmocka_unit_test_setup_teardown(test, setup_initialized, teardown)
    const struct CMUnitTest tests[] = {
        INITIALIZED(test_lists),      INITIALIZED(test_read),   INITIALIZED(test_prompts),
        INITIALIZED(test_completion), INITIALIZED(test_modern),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
