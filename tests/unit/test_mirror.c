/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The pure parts of the mirror: one form for what services answer, the smallest request from one
 * sequence to another, and what counts as the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "helpers/base/json.h"
#include "mcp/curriculum/json_difference.h"
#include "mcp/mirror/normal.h"
#include "mcp/mirror/service.h"

#define ALL (CAN_PUT_ONE | CAN_DELETE_ONE | CAN_INSERT | CAN_REORDER)

static json_t *read(const char *text)
{
    json_t *value = json_read(text, strlen(text), "a test", NULL);

    assert_non_null(value);
    return value;
}

/* "abc" as three components whose ids are a, b, c; a capital is another text under the same id. */
static json_t *sequence(const char *letters)
{
    json_t *list = json_array();

    for (; *letters; letters++) {
        char id[2] = {(char)(*letters | 0x20), '\0'}, text[2] = {*letters, '\0'};

        json_array_append_new(list, json_pack("{s:s, s:s, s:{s:s}}", "component_id", id, "type",
                                              "paragraph", "parameters", "text", text));
    }
    return list;
}

static void check_plan(unsigned can, const char *before, const char *after, const char *method,
                       const char *suffix)
{
    json_auto_t *old = sequence(before), *now = sequence(after), *fields = json_object();
    json_auto_t *step = plan_sequence(can, "N001", old, now, fields);

    if (!method) {
        assert_true(json_is_null(step));
        return;
    }
    assert_string_equal(json_get_string(step, "method"), method);
    assert_string_equal(json_get_string(step, "suffix"), suffix);
    assert_true(json_array_size(json_object_get(step, "back")) == 1);
}

static void test_the_smallest_request(void **state)
{
    (void)state;
    check_plan(ALL, "", "", NULL, NULL);
    check_plan(ALL, "abc", "abc", NULL, NULL);
    check_plan(ALL, "abc", "aBc", "PUT", "/2");
    check_plan(ALL, "abc", "ABc", "POST", "");
    check_plan(ALL, "abc", "ac", "DELETE", "/2");
    check_plan(ALL, "a", "", "DELETE", "/1");
    check_plan(ALL, "abc", "xabc", "POST", "/insert");
    check_plan(ALL, "", "a", "POST", "/insert");
    check_plan(ALL, "abc", "cab", "POST", "/reorder");
    check_plan(ALL, "abc", "cAb", "POST", "");
    check_plan(ALL, "abc", "axyc", "POST", "");
    check_plan(ALL, "abc", "axc", "POST", ""); /* another one at its place, not the same changed */
    /* Without the route for it: the whole sequence. */
    check_plan(0, "abc", "aBc", "POST", "");
    check_plan(0, "abc", "ac", "POST", "");
    check_plan(0, "abc", "xabc", "POST", "");
    check_plan(0, "abc", "cab", "POST", "");
}

static void test_what_a_request_says(void **state)
{
    json_auto_t *old = sequence("abc"), *now = sequence("cab"), *put_in = sequence("abxc");
    json_auto_t *fields = json_pack("{s:s}", "suggested_template", "t");
    json_auto_t *reorder = plan_sequence(ALL, "N001", old, now, fields);
    json_auto_t *insert = plan_sequence(ALL, "N001", old, put_in, fields);
    json_auto_t *whole = plan_sequence(0, "N001", old, now, fields);
    json_auto_t *order = read("[3, 1, 2]");
    const json_t *body = json_object_get(whole, "body");
    const json_t *first = json_array_get(json_object_get(body, "components"), 0);

    (void)state;
    assert_true(json_equal(json_object_get(reorder, "body"), order));
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(insert, "body"), "position")), 3);
    assert_string_equal(json_get_string(body, "node_id"), "N001");
    assert_string_equal(json_get_string(body, "suggested_template"), "t");
    /* Every field that the poor service wants, and no id of ours. */
    assert_int_equal(json_integer_value(json_object_get(first, "order")), 1);
    assert_string_equal(json_get_string(first, "type"), "paragraph");
    assert_true(json_is_number(json_object_get(first, "confidence")));
    assert_null(json_object_get(first, "component_id"));
}

static void test_what_is_the_same(void **state)
{
    static const struct {
        const char *one, *other;
        bool same;
    } rows[] = {
        {"1", "1.0", true},
        {"1", "2", false},
        {"{\"a\":1,\"b\":null}", "{\"a\":1.0}", true},
        {"{\"a\":1}", "{\"a\":1,\"b\":null}", true},
        {"{\"a\":1}", "{\"a\":1,\"b\":0}", false},
        {"{\"a\":1,\"b\":0}", "{\"a\":1}", false},
        {"[1,[2]]", "[1.0,[2.0]]", true},
        {"[1,2]", "[1]", false},
        {"[1,2]", "[2,1]", false},
        {"\"1\"", "1", false},
        {"[null]", "[null]", true},
        {"{\"x\":{\"y\":[1]}}", "{\"x\":{\"y\":[2]}}", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        json_auto_t *one = read(rows[i].one), *other = read(rows[i].other);

        assert_int_equal(json_equivalent(one, other), rows[i].same);
        assert_int_equal(json_equivalent(other, one), rows[i].same);
    }
    assert_true(json_equivalent(NULL, json_null()));
}

static void test_one_form_for_all(void **state)
{
    json_auto_t *poor =
        read("{\"components\":[{\"type\":\"heading\",\"order\":2,\"parameters\":{}},"
             "{\"component_type\":\"heading\",\"order_index\":1,\"component_id\":"
             "\"x\",\"revision\":4,\"parameters\":{},\"confidence\":null}, 5]}");
    json_auto_t *components = normal_components(poor);
    json_auto_t *rows =
        read("{\"nodes\":[{\"node_id\":\"N1\",\"session_id\":\"s\",\"created_at\":"
             "\"2026-11-21 21:00:05\",\"last_modified\":\"2026-11-21T21:00:05.5Z\"},"
             "{\"title\":\"no id\"}]}");
    json_auto_t *nodes = normal_nodes(rows);
    json_auto_t *links = read("[{\"id\":7,\"from_node_id\":\"a\",\"to_node_id\":\"b\"},"
                              "{\"from_node_id\":\"a\"}]");
    json_auto_t *relationships = normal_relationships(links);
    json_auto_t *wrong = read("{\"detail\":\"no\"}");
    const json_t *second = json_array_get(components, 1), *node = json_array_get(nodes, 0);

    (void)state;
    assert_int_equal(json_array_size(components), 2);
    assert_string_equal(json_get_string(second, "type"), "heading");
    assert_string_equal(json_get_string(json_array_get(components, 0), "component_type"),
                        "heading");
    assert_int_equal(json_integer_value(json_object_get(second, "order")), 1);
    assert_null(json_object_get(second, "component_id"));
    assert_null(json_object_get(second, "confidence"));
    assert_int_equal(json_array_size(nodes), 1);
    assert_null(json_object_get(node, "session_id"));
    assert_string_equal(json_get_string(node, "created_at"), "2026-11-21T21:00:05Z");
    assert_string_equal(json_get_string(node, "last_modified"), "2026-11-21T21:00:05.5Z");
    assert_int_equal(json_array_size(relationships), 1);
    assert_string_equal(json_get_string(json_array_get(relationships, 0), "id"), "7");
    assert_null(normal_nodes(wrong));
    assert_null(normal_components(wrong));
    assert_null(normal_relationships(wrong));
    assert_null(normal_node_map(wrong));
    assert_null(normal_bulk(wrong));
}

static void test_bulk_in_both_forms(void **state)
{
    json_auto_t *list =
        read("{\"nodes\":[{\"node_id\":\"N1\",\"components\":[{\"type\":\"x\"}]}]}");
    json_auto_t *map = read("{\"components\":{\"N1\":[{\"type\":\"x\"}]}}");
    json_auto_t *one = normal_bulk(list), *other = normal_bulk(map);

    (void)state;
    assert_int_equal(json_array_size(json_object_get(one, "N1")), 1);
    assert_true(json_equal(one, other));
}

static void test_addresses_that_are_none(void **state)
{
    static const char *const urls[] = {"http://host:1",
                                       "http://host:1#",
                                       "http://host:1#?seconds=2",
                                       "http://user:word@host:1#/tmp/copy",
                                       "http://host:1#/tmp/copy?seconds=0",
                                       "http://host:1#/tmp/copy?seconds=601"};

    (void)state;
    for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++) {
        struct error err = {0};

        assert_null(service_mirror.open(urls[i], STORE_READ, &err));
        assert_int_equal(err.kind, ERROR_INVALID);
        assert_null(strstr(err.text, "word@"));
    }
    assert_true(service_mirror.is("https://host"));
    assert_false(service_mirror.is("sqlite:/tmp/x"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_smallest_request), cmocka_unit_test(test_what_a_request_says),
        cmocka_unit_test(test_what_is_the_same),     cmocka_unit_test(test_one_form_for_all),
        cmocka_unit_test(test_bulk_in_both_forms),   cmocka_unit_test(test_addresses_that_are_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
