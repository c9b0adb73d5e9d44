/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Values of Python as JSON: reading an author's literals, comparing them, and showing them.
 */
#include "tests/unit/session_fixture.h"

#include "mcp/exercise/python_value.h"

static const struct {
    const char *literal, *normal, *shown;
} literals[] = {
    {"None", "null", "None"},
    {" True", "true", "True"},
    {"12", "12", "12"},
    {"-1_000", "-1000", "-1000"},
    {"0xFF", "255", "255"},
    {"0b101", "5", "5"},
    {"9223372036854775807", "9223372036854775807", "9223372036854775807"},
    {"9223372036854775808", "{\"int\":\"9223372036854775808\"}", "9223372036854775808"},
    {"-00000000000000000000000", "0", "0"},
    {"1.50", "1.5", "1.5"},
    {"1e999", "{\"float\":\"inf\"}", "inf"},
    {"-1e999", "{\"float\":\"-inf\"}", "-inf"},
    {"2j", "{\"complex\":[0.0,2.0]}", "(0.0+2.0j)"},
    {"'a' \"b\\n\"", "\"ab\\n\"", "'ab\\n'"},
    {"\"it's\"", "\"it's\"", "\"it's\""},
    {"'\\ud800x'", "{\"str\":[55296,120]}", "'\\ud800x'"},
    {"b'a\\xff'", "{\"bytes\":\"61ff\"}", "b'a\\xff'"},
    {"[1, [2], ()]", "[1,[2],{\"tuple\":[]}]", "[1, [2], ()]"},
    {"(1,)", "{\"tuple\":[1]}", "(1,)"},
    {"1, 2", "{\"tuple\":[1,2]}", "(1, 2)"},
    {"{1, 2}", "{\"set\":[1,2]}", "{1, 2}"},
    {"set()", "{\"set\":[]}", "set()"},
    {"{}", "{\"dict\":[]}", "{}"},
    {"{1: 'a', (2, 3): {}}", "{\"dict\":[[1,\"a\"],[{\"tuple\":[2,3]},{\"dict\":[]}]]}",
     "{1: 'a', (2, 3): {}}"},
};

static json_t *read_literal(const char *literal, struct error *err)
{
    json_auto_t *authored = json_pack("{s:s}", "py", literal);

    return python_value_read(authored, err);
}

static void test_literals(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof literals / sizeof *literals; i++) {
        struct buf BUF_AUTO text = {0}, shown = {0};
        struct error err = {0};
        json_auto_t *value = read_literal(literals[i].literal, &err);

        if (!value)
            fail_msg("%s: %s", literals[i].literal, err.text);
        json_write(&text, value);
        assert_string_equal(text.data, literals[i].normal);
        assert_true(python_value_is_valid(value));
        assert_true(python_value_equal(value, value, COMPARE_EXACT));
        python_value_show(value, 1000, &shown);
        assert_string_equal(shown.data, literals[i].shown);
    }
}

static void test_what_is_no_literal(void **state)
{
    static const char *const wrong[] = {"",
                                        "a",
                                        "f()",
                                        "1 + 2",
                                        "[x for x in y]",
                                        "1; 2",
                                        "f'{1}'",
                                        "{**{}}",
                                        "set([])",
                                        "(1).real",
                                        "...",
                                        "-True",
                                        "x = 1",
                                        "1\n2",
                                        "[1, 2",
                                        "lambda: 1",
                                        "*[1]",
                                        "not 1",
                                        "__import__('os')",
                                        "0x1FFFFFFFFFFFFFFFF"};

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct error err = {0};
        json_auto_t *value = read_literal(wrong[i], &err);

        if (value)
            fail_msg("%s was read", wrong[i]);
        assert_int_equal(err.kind, ERROR_INVALID);
    }
}

static void test_plain_json_is_python(void **state)
{
    struct error err = {0};
    json_auto_t *authored = parse("{\"a\":[1,2.0,null],\"b\":{\"py\":\"(1,)\"},\"c\":{\"py\":1}}");
    json_auto_t *value = python_value_read(authored, &err);
    struct buf BUF_AUTO shown = {0};

    (void)state;
    python_value_show(value, 1000, &shown);
    assert_string_equal(shown.data, "{'a': [1, 2.0, None], 'b': (1,), 'c': {'py': 1}}");
    buf_clear(&shown);
    python_value_show(value, 6, &shown);
    assert_string_equal(shown.data, "{'a': ...");
}

/* ways: the comparisons that call them equal. */
#define EXACT       (1u << COMPARE_EXACT)
#define UNORDERED   (1u << COMPARE_UNORDERED)
#define APPROXIMATE (1u << COMPARE_APPROXIMATE)
#define ALL         (EXACT | UNORDERED | APPROXIMATE)
static const struct {
    const char *a, *b;
    unsigned ways;
} pairs[] = {
    {"1", "1", ALL},
    {"1", "True", 0},
    {"0", "False", 0},
    {"None", "0", 0},
    {"1", "1.0", ALL},
    {"True", "1.0", 0},
    {"{1, 2}", "{1.0, 2}", ALL},
    {"{10: 'a', 9: 'b'}", "{10.0: 'a', 9: 'b'}", ALL},
    {"9007199254740993", "9007199254740992.0", APPROXIMATE},
    {"0.0", "-0.0", ALL},
    {"0.1", "0.10000000000000001", ALL},
    {"0.3", "0.30000000000000004", APPROXIMATE},
    {"1000000", "1000000.5", APPROXIMATE},
    {"1000000", "1000002", 0},
    {"0.0", "1e-10", APPROXIMATE},
    {"1e999", "-1e999", 0},
    {"1e999", "1e300", 0},
    {"'a'", "b'a'", 0},
    {"[1, 2]", "(1, 2)", 0},
    {"[1, 2]", "[2, 1]", UNORDERED},
    {"(1, 2, 2)", "(2, 1, 2)", UNORDERED},
    {"[1, 2, 2]", "[1, 1, 2]", 0},
    {"[[1, 2]]", "[[2, 1]]", 0},
    {"[1, 2]", "[1, 2, 3]", 0},
    {"{1, 2, 3}", "{3, 2, 1}", ALL},
    {"{1: 2, 3: 4}", "{3: 4, 1: 2}", ALL},
    {"{1: 2}", "{True: 2}", 0},
    {"{'a': [0.3]}", "{'a': [0.30000000000000004]}", APPROXIMATE},
    {"{(1, 2): 'x'}", "{(2, 1): 'x'}", 0},
    {"123456789012345678901234567890", "123456789012345678901234567890", ALL},
    {"123456789012345678901234567890", "123456789012345678901234567891", APPROXIMATE},
    {"'\\ud800'", "'\\ud801'", 0},
};

static void test_comparisons(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        json_auto_t *a = read_literal(pairs[i].a, NULL), *b = read_literal(pairs[i].b, NULL);

        for (unsigned way = 0; way < COMPARE_COUNT; way++) {
            bool wanted = pairs[i].ways & (1u << way);

            if (python_value_equal(a, b, way) != wanted || python_value_equal(b, a, way) != wanted)
                fail_msg("%s and %s, %s", pairs[i].a, pairs[i].b, comparisons[way]);
        }
    }
}

static void test_an_object_of_another_type_equals_nothing(void **state)
{
    json_auto_t *other = parse("{\"other\":\"Always\"}"), *list = parse("[{\"other\":\"Always\"}]");
    struct buf BUF_AUTO shown = {0};

    (void)state;
    for (unsigned way = 0; way < COMPARE_COUNT; way++) {
        assert_false(python_value_equal(other, other, way));
        assert_false(python_value_equal(list, list, way));
    }
    assert_string_equal(python_value_type(other), "Always");
    python_value_show(list, 100, &shown);
    assert_string_equal(shown.data, "[<an object of type Always>]");
}

static void test_forms_that_a_sandbox_may_not_send(void **state)
{
    static const char *const wrong[] = {
        "{}",
        "{\"a\":1}",
        "{\"tuple\":1}",
        "{\"tuple\":[],\"set\":[]}",
        "{\"dict\":[[1]]}",
        "{\"dict\":[{}]}",
        "{\"int\":\"1e5\"}",
        "{\"int\":\"-\"}",
        "{\"int\":5}",
        "{\"float\":\"1\"}",
        "{\"complex\":[1.0]}",
        "{\"complex\":[1,2]}",
        "{\"bytes\":\"abc\"}",
        "{\"bytes\":\"AB\"}",
        "{\"str\":[-1]}",
        "{\"str\":[1114112]}",
        "{\"other\":1}",
        "[{\"tuple\":[{}]}]",
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        json_auto_t *value = parse(wrong[i]);

        if (python_value_is_valid(value))
            fail_msg("%s was taken", wrong[i]);
    }
    assert_false(python_value_is_valid(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_literals),
        cmocka_unit_test(test_what_is_no_literal),
        cmocka_unit_test(test_plain_json_is_python),
        cmocka_unit_test(test_comparisons),
        cmocka_unit_test(test_an_object_of_another_type_equals_nothing),
        cmocka_unit_test(test_forms_that_a_sandbox_may_not_send),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
