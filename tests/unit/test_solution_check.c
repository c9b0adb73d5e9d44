/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The choice of exercises whose solutions are checked; what is said of them is tested by
 * tests/contract/test_solutions.py.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "mcp/tool/solution_check.h"

static json_t *read_json(const char *text)
{
    json_t *value = json_loads(text, 0, NULL);

    assert_non_null(value);
    return value;
}

static void test_operations(void **state)
{
    static const struct {
        const char *operation;
        bool concerns;
    } rows[] = {
        {"{'op': 'create_component', 'component_type': 'exercise-code', 'parameters': {}}", true},
        {"{'op': 'create_component', 'type': 'exercise-code', 'parameters': {}}", true},
        {"{'op': 'create_component', 'type': 'worked-example', 'parameters': {'solution': 's'}}",
         false},
        {"{'op': 'edit_component', 'new_parameters': {'cases': []}}", true},
        {"{'op': 'edit_component', 'new_parameters': {'solution': ''}}", true},
        {"{'op': 'edit_component', 'new_parameters': {'compare': 'exact'}}", true},
        {"{'op': 'edit_component', 'parameters': {'time_s': 2}}", true},
        {"{'op': 'edit_component', 'new_parameters': '{\\\"solution\\\": \\\"x\\\"}'}", true},
        {"{'op': 'edit_component', 'new_parameters': {'prompt': 'p', 'hints': [], 'starter': 's'}}",
         false},
        {"{'op': 'edit_component', 'new_parameters': 'solution'}", false},
        {"{'op': 'delete_component', 'node_id': 'solution'}", false},
        {"'create_component'", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[300];
        json_t *operations;

        snprintf(text, sizeof text, "[{\"op\": \"delete_node\"}, %s]", rows[i].operation);
        for (char *quote = text; (quote = strchr(quote, '\''));)
            *quote = '"';
        operations = read_json(text);
        if (solution_check_may_concern(operations) != rows[i].concerns)
            fail_msg("%s", text);
        json_decref(operations);
    }
    assert_false(solution_check_may_concern(NULL));
}

#define EXERCISE(parameters)                                                                       \
    "{\"type\": \"exercise-code\", \"parameters\": {\"prompt\": \"p\", " parameters "}}"
#define SAME "\"cases\": [1], \"solution\": \"s\", \"compare\": \"exact\""

static void test_differences(void **state)
{
    static const struct {
        const char *entity, *before, *after;
        bool due;
    } rows[] = {
        {"component", "null", EXERCISE(SAME), true},
        {"component", EXERCISE(SAME), "null", false},
        {"component", EXERCISE(SAME), EXERCISE(SAME), false},
        {"component", EXERCISE(SAME), EXERCISE(SAME ", \"hints\": [\"h\"]"), false},
        {"component", EXERCISE(SAME), EXERCISE(SAME ", \"time_s\": 1"), true},
        {"component", EXERCISE(SAME ", \"time_s\": 1"), EXERCISE(SAME), true},
        {"component", EXERCISE(SAME), EXERCISE("\"cases\": [2], \"solution\": \"s\""), true},
        {"component", EXERCISE("\"cases\": [1]"), EXERCISE("\"cases\": [1], \"solution\": \"s\""),
         true},
        {"component", "{\"type\": \"heading\", \"parameters\": {}}", EXERCISE(SAME), true},
        {"component", EXERCISE(SAME), "{\"type\": \"heading\", \"parameters\": {}}", false},
        {"node", "null", EXERCISE(SAME), false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[600];
        json_t *difference;

        snprintf(text, sizeof text, "{\"entity\": \"%s\", \"before\": %s, \"after\": %s}",
                 rows[i].entity, rows[i].before, rows[i].after);
        difference = read_json(text);
        if (solution_check_is_due(difference) != rows[i].due)
            fail_msg("%s", text);
        json_decref(difference);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_operations),
                                       cmocka_unit_test(test_differences)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
