/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The content of a component follows its parameters where it is made of them.
 */
#include "tests/unit/change_set_fixture.h"

#include "mcp/curriculum/derived_content.h"

static const struct {
    const char *type, *content, *was, *is;
    const char *wanted; /* NULL: it stays */
} cases[] = {
    {"paragraph", "A ratio", "{'text':'A ratio'}", "{'text':'A mean'}", "A mean"},
    {"paragraph", "A ratio", "{'text':'A ratio'}", "{'text':'A ratio'}", NULL},
    {"paragraph", "Own words on a ratio", "{'text':'A ratio'}", "{'text':'A mean'}", NULL},
    {"callout-box", "tip", "{'text':'A ratio','style':'tip'}", "{'text':'x','style':'info'}", NULL},
    {"hero-number", "Six", "{'visual_type':'text','visual_content':'6','caption':'Six'}",
     "{'visual_type':'text','visual_content':'7','caption':'Seven'}", "Seven"},
    {"definition", "Ratio: a ratio of two", "{'term':'Ratio','definition':'a ratio of two'}",
     "{'term':'Mean','definition':'a sum'}", "Mean: a sum"},
    {"definition", "Ratio: a ratio of two", "{'term':'Ratio','definition':'a ratio of two'}",
     "{'definition':'a ratio of two','term':'Mean'}", "Mean: a ratio of two"},
    {"worked-example", "Problem: P\nSolution: S\nS2\nAnswer: A",
     "{'problem':'P','solution':'S\\nS2','answer':'A'}",
     "{'problem':'P','solution':'T','answer':'B'}", "Problem: P\nSolution: T\nAnswer: B"},
    {"step-sequence", "1. One\n2. Two", "{'steps':['One','Two']}", "{'steps':['One','And','Two']}",
     "1. One\n2. And\n3. Two"},
    {"step-sequence", "One\nTwo", "{'steps':['One','Two']}", "{'steps':['Two']}", "Two"},
    {"two-pictures", "One\nTwo",
     "{'pictures':{'svg1':{'title':'','body':'One','svgCode':'x'},'svg2':{'body':'Two'}}}",
     "{'pictures':{'svg1':{'title':'','body':'Red','svgCode':'y'},'svg2':{'body':'Two'}}}",
     "Red\nTwo"},
    {"unknown", "x", "{'any':'x'}", "{'any':'y'}", "y"},
    {NULL, "x", "{'any':'x'}", "{}", NULL},
};

static void each_content(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        json_auto_t *was = operations(cases[i].was), *is = operations(cases[i].is), *derived = NULL;

        derived = derived_content(cases[i].type, cases[i].content, was, is);
        if (!cases[i].wanted != !derived ||
            (derived && strcmp(json_string_value(derived), cases[i].wanted) != 0))
            fail_msg("case %zu: %s", i, derived ? json_string_value(derived) : "it stays");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_content)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
