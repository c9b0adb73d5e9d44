/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The values in the output of a program, and the check of an answer's numbers against them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "helpers/base/json.h"
#include "mcp/agent/output.h"
#include "mcp/store/entities/outline.h"

static json_t *parse(const char *text)
{
    struct error err = {0};
    json_t *value = json_read(text, strlen(text), "a test", &err);

    if (!value)
        fail_msg("%s: %s", text, err.text);
    return value;
}

static struct plan make_plan(const char *steps)
{
    json_auto_t *value = json_pack("{s:s, s:o}", "approach", "code", "steps", parse(steps));
    struct plan plan = {0};
    struct error err = {0};

    if (plan_read(value, &plan, &err) < 0)
        fail_msg("%s", err.text);
    return plan;
}

#define ONE(type) "[{\"name\":\"a\",\"compute\":\"x\",\"type\":\"" type "\"}]"
#define TWO                                                                                        \
    "[{\"name\":\"a\",\"compute\":\"x 7\",\"type\":\"number\"},"                                   \
    "{\"name\":\"b\",\"compute\":\"y\",\"type\":\"list\"}]"

static void test_values(void **state)
{
    static const struct {
        const char *steps, *text, *values, *fault;
    } rows[] = {
        {ONE("number"), "49\n", "{\"a\":49}", ""},
        {ONE("number"), "counting\n\n49\n\n", "{\"a\":49}", ""},
        {ONE("number"), "49\ndone\n", "{}", "no result"},
        {ONE("number"), "\"49\"\n", "{}", "a number"},
        {ONE("number"), "", "{}", "no result"},
        {ONE("number"), "{\"a\": 49}\n", "{\"a\":49}", ""},
        {ONE("list"), "[\"x\", 2]", "{\"a\":[\"x\",2]}", ""},
        {ONE("list"), "['x', 2]", "{}", "an array"},
        {ONE("map"), "{\"a\": 1}", "{\"a\":{\"a\":1}}", ""},
        {ONE("truth"), "true\n", "{\"a\":true}", ""},
        {ONE("any"), "null\n", "{\"a\":null}", ""},
        {TWO, "{\"a\": 1}\n{\"b\": [2]}\n", "{\"a\":1,\"b\":[2]}", ""},
        {TWO, "{\"a\": 1, \"b\": [2]}\n", "{\"a\":1,\"b\":[2]}", ""},
        {TWO, "{\"a\": 1}\n{\"a\": 3}\nTraceback", "{\"a\":3}", "'b' has no result"},
        {TWO, "{\"a\": []}\n{\"b\": [2]}\n", "{\"b\":[2]}", "'a' has no result"},
        {TWO, "5\n", "{}", "'a' has no result"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct plan plan = make_plan(rows[i].steps);
        struct buf BUF_AUTO faults = {0};
        json_auto_t *values = output_values(&plan, rows[i].text, strlen(rows[i].text), &faults);
        json_auto_t *wanted = parse(rows[i].values), *open = output_open(&plan, values);

        if (!json_equal(values, wanted))
            fail_msg("%s: %s", rows[i].text, json_dumps(values, 0));
        assert_int_equal(json_array_size(open), plan.step_count - json_object_size(values));
        assert_int_equal(faults.len == 0, *rows[i].fault == '\0');
        if (*rows[i].fault && !strstr(faults.data, rows[i].fault))
            fail_msg("%s: %s", rows[i].text, faults.data);
        plan_finish(&plan);
    }
}

static void test_node_ids(void **state)
{
    struct outline_node nodes[] = {{.id = "N1"}, {.id = "N2"}, {.id = "N3"}};
    const struct outline outline = {.nodes = nodes, .node_count = 3};
    json_auto_t *value = parse("{\"a\":[\"N2\",\"N2\",\"x\"],\"b\":{\"N1\":4},\"c\":\"N3\"}");
    json_auto_t *ids = output_node_ids(value, &outline), *wanted = parse("[\"N2\",\"N1\",\"N3\"]");

    (void)state;
    assert_true(json_equal(ids, wanted));
}

static void test_words(void **state)
{
    struct outline_node nodes[] = {{.id = "N1", .title = "Ratios"}, {.id = "N2", .title = ""}};
    const struct outline outline = {.nodes = nodes, .node_count = 2};
    json_auto_t *values = parse("{\"a\":49,\"b\":[\"N1\",\"N2\",\"x\"],\"c\":{\"N1\":[1,true]},"
                                "\"d\":[],\"e\":[[\"N1\",3],[\"N2\",2]],\"f\":null}");
    json_auto_t *long_one = json_pack("{s:[]}", "a");
    struct buf BUF_AUTO text = {0}, BUF_AUTO cut = {0};

    (void)state;
    output_write(values, &outline, &text);
    assert_string_equal(text.data,
                        "a: 49\nb: N1 \"Ratios\", N2, x\nc: N1 \"Ratios\": (1, true)\nd: []\n"
                        "e: (N1 \"Ratios\", 3), (N2, 2)\nf: null");
    for (int i = 0; i < 1000; i++)
        json_array_append_new(json_object_get(long_one, "a"), json_integer(1000 + i));
    output_write(long_one, &outline, &cut);
    assert_in_range(cut.len, OUTPUT_VALUE_SHOWN, OUTPUT_VALUE_SHOWN + 50);
    assert_non_null(strstr(cut.data, "more"));
}

static void test_numbers(void **state)
{
    static const struct {
        const char *text;
        bool fits;
    } rows[] = {
        {"49 lessons in all.", true},
        {"There are 50.", false},
        {"N027 needs 3 lessons.", true}, /* the id is a value; the list has three items */
        {"N028 needs them.", false},
        {"1,234 words", true},
        {"1234.0 words", true},
        {"a share of 12.5 %", true},
        {"about 12.35", true}, /* 12.3456, rounded */
        {"about 13", false},
        {"of the 7 first", true}, /* in the plan */
        {"no number", true},
        {"2 and 3 are not equal to 98 or 99", false},
    };
    struct plan plan = make_plan(TWO);
    json_auto_t *values =
        parse("{\"a\":49,\"b\":[\"N027\",1234,12.3456],\"c\":{\"share\":0.125},\"d\":[1,2]}");

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct error err = {0};
        int rc = output_check_numbers(rows[i].text, &plan, values, &err);

        if ((rc == 0) != rows[i].fits)
            fail_msg("%s: %s", rows[i].text, err.text);
    }
    plan_finish(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_node_ids),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
