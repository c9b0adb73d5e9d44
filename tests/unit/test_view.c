/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a learner sees of an exercise: tables of views, and generated exercises in which each text
 * has a mark of its place, so that a text which must stay hidden is found.
 */
#include "tests/unit/session_fixture.h"

#include "helpers/base/json.h"
#include "helpers/base/utf8.h"
#include "mcp/curriculum/component_type.h"
#include "mcp/exercise/exercise.h"
#include "mcp/exercise/view.h"

#define ROUNDS      400
#define SECRET      "sEcReT"
#define SECRET_CODE 731947
#define SHOWN       "shown"

static const struct {
    const char *type, *parameters /* JSON with ' for " */, *view;
} views[] = {
    {EXERCISE_CODE,
     "{'prompt':'Write area.','starter':'def area(w, h):\\n    pass\\n','cases':["
     "{'call':'area','args':[2,3],'expect':6},{'call':'area','args':[-1,3],'raises':'ValueError'},"
     "{'call':'area','args':[9,9],'kwargs':{'unit':'m'},'expect':{'py':'(81, None)'}},"
     "{'call':'area','args':[5,5],'expect':25,'hidden':true}],'solution':'x','hints':['h']}",
     "Write area.\nStarter:\n```python\ndef area(w, h):\n    pass\n```\n"
     "These cases, and hidden ones, test the program:\n- area(2, 3) -> 6\n"
     "- area(-1, 3) raises ValueError\n- area(9, 9, unit='m') -> (81, None)\n"},
    {EXERCISE_CODE,
     "{'prompt':'Add.','starter':'pass','cases':[{'stdin':'2 3\\n','stdout':'5\\n'}]}",
     "Add.\nStarter:\n```python\npass\n```\nThese cases test the program:\n"
     "- input '2 3\\n' -> output '5\\n'\n"},
    {EXERCISE_CODE, "{'prompt':'Guess.','cases':[{'call':'f','expect':null,'hidden':true}]}",
     "Guess.\nHidden cases test the program.\n"},
    {EXERCISE_QUESTION,
     "{'prompt':'Which?','kind':'choice','options':['a stack','a queue'],'answer':'a queue'}",
     "Which?\nChoose one:\n1. a stack\n2. a queue\n"},
    {EXERCISE_QUESTION, "{'prompt':'Which?','kind':'choice','options':['x','y'],'answer':['y']}",
     "Which?\nChoose all that are right, one or more:\n1. x\n2. y\n"},
    {EXERCISE_QUESTION, "{'prompt':'How many?','kind':'number','answer':4,'tolerance':0.5}",
     "How many?\nThe answer is a number.\n"},
    {EXERCISE_QUESTION, "{'prompt':'Name it.','kind':'text','answer':['a','b']}",
     "Name it.\nThe answer is a few words.\n"},
    {EXERCISE_QUESTION, "{'prompt':'Why?','kind':'open','criteria':['says why']}",
     "Why?\nThe answer is a text in the learner's own words.\n"},
};

static void view_of(const char *type, const json_t *parameters, struct buf *to)
{
    struct error err = {0};

    if (component_type_check(type, parameters, NULL, NULL, "", &err) < 0)
        fail_msg("%s", err.text);
    exercise_view(type, parameters, to);
    assert_false(to->failed);
}

static void test_views(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        struct buf BUF_AUTO text = {0}, view = {0};
        json_auto_t *parameters;

        buf_adds(&text, views[i].parameters);
        for (char *at = text.data; *at; at++)
            *at = *at == '\'' ? '"' : *at;
        parameters = json_read(text.data, text.len, views[i].parameters, NULL);
        assert_non_null(parameters);
        view_of(views[i].type, parameters, &view);
        assert_string_equal(view.data, views[i].view);
    }
}

/* A text of the given characters, and the mark of its end. */
static json_t *long_text(const char *character, size_t count)
{
    struct buf BUF_AUTO text = {0};

    for (size_t i = 0; i < count; i++)
        buf_adds(&text, character);
    buf_adds(&text, SECRET);
    return json_string(text.data);
}

static void test_caps(void **state)
{
    struct buf BUF_AUTO view = {0}, choice = {0};
    json_auto_t *cases = json_array(), *options = json_array(), *parameters, *question;

    (void)state;
    for (int i = 0; i < EXERCISE_CASES_CAP; i++)
        json_array_append_new(cases,
                              json_pack("{s:s, s:[i], s:i}", "call", "f", "args", i, "expect", i));
    json_array_append_new(options, json_string("yes"));
    for (int i = 1; i < EXERCISE_LIST_CAP; i++)
        json_array_append_new(options, long_text("\xC3\xA4", 1000));
    parameters = json_pack("{s:o, s:o, s:O}", "prompt", long_text("\xE4\xBA\xBA", 5000), "starter",
                           long_text("x = 1\n", 3000), "cases", cases);
    question = json_pack("{s:s, s:s, s:s, s:O}", "prompt", "p", "kind", "choice", "answer", "yes",
                         "options", options);
    view_of(EXERCISE_CODE, parameters, &view);
    view_of(EXERCISE_QUESTION, question, &choice);
    assert_null(strstr(view.data, SECRET));
    assert_null(strstr(choice.data, SECRET));
    assert_non_null(strstr(view.data, VIEW_MARK));
    assert_non_null(strstr(view.data, "- f(5) -> 5\n- ... and 194 more like these\n"));
    assert_true(view.len <
                VIEW_PROMPT_CAP + VIEW_STARTER_CAP + VIEW_EXAMPLES_CAP * VIEW_EXAMPLE_CAP + 500);
    assert_true(choice.len < EXERCISE_LIST_CAP * (VIEW_OPTION_CAP + 20));
    for (size_t at = 0, step; at < view.len; at += step) {
        uint32_t character;

        step = utf8_decode(view.data + at, view.len - at, &character);
        assert_int_not_equal(step, 0);
    }
}

/* ---- generated exercises ---- */

static unsigned number_of_mark;

/* A text that is secret or shown, and is in no other place. */
static json_t *marked(bool secret)
{
    return json_sprintf("%s%u", secret ? SECRET : SHOWN, number_of_mark++);
}

static json_t *marked_list(bool secret, int count)
{
    json_t *list = json_array();

    for (int i = 0; i < count; i++)
        json_array_append_new(list, marked(secret));
    return list;
}

static json_t *generated_case(bool hidden)
{
    json_t *one;

    if (random() % 3 == 0)
        one = json_pack("{s:o, s:o}", "stdin", marked(hidden), "stdout", marked(hidden));
    else
        one = json_pack("{s:o, s:o, s:{s:o}, s:o}", "call", marked(hidden), "args",
                        marked_list(hidden, (int)(random() % 3)), "kwargs", hidden ? SECRET : SHOWN,
                        marked(hidden), random() % 2 ? "expect" : "raises", marked(hidden));
    json_object_set_new(one, "name", marked(true));
    if (hidden)
        json_object_set_new(one, "hidden", json_true());
    return one;
}

static json_t *generated_program(void)
{
    json_t *cases = json_array();

    for (long count = 1 + random() % 5; count > 0; count--)
        json_array_append_new(cases, generated_case(random() % 2));
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "prompt", marked(false), "cases", cases,
                     "starter", marked(false), "hints", marked_list(true, (int)(random() % 4)),
                     "solution", marked(true));
}

static json_t *generated_question(void)
{
    const char *kind = question_kinds[random() % 4];
    json_t *question = json_pack("{s:o, s:s, s:o, s:o}", "prompt", marked(false), "kind", kind,
                                 "hints", marked_list(true, 3), "criteria", marked_list(true, 2));

    if (strcmp(kind, "choice") == 0) {
        json_t *options = marked_list(false, 4);

        json_object_set(question, "answer", json_array_get(options, (size_t)random() % 4));
        json_object_set_new(question, "options", options);
    } else if (strcmp(kind, "number") == 0) {
        json_object_set_new(question, "answer", json_integer(SECRET_CODE));
        json_object_set_new(question, "tolerance", json_integer(SECRET_CODE + 1));
    } else {
        json_object_set_new(question, "answer", marked_list(true, 2));
    }
    return question;
}

/* Each text of the exercise that may be seen is in the view. */
static void check_shown(const json_t *value, const char *view)
{
    const char *text = json_string_value(value), *name;
    json_t *item;
    size_t i;

    if (text && strncmp(text, SHOWN, strlen(SHOWN)) == 0 && !strstr(view, text))
        fail_msg("no %s in the view:\n%s", text, view);
    json_array_foreach((json_t *)value, i, item) check_shown(item, view);
    json_object_foreach((json_t *)value, name, item) check_shown(item, view);
}

static void test_generated(void **state)
{
    char code[20];

    (void)state;
    snprintf(code, sizeof code, "%d", SECRET_CODE / 10);
    srandom(20261128);
    for (int round = 0; round < ROUNDS; round++) {
        const char *type = round % 2 ? EXERCISE_CODE : EXERCISE_QUESTION;
        json_auto_t *parameters = round % 2 ? generated_program() : generated_question();
        struct buf BUF_AUTO view = {0};

        view_of(type, parameters, &view);
        if (strstr(view.data, SECRET) || strstr(view.data, code))
            fail_msg("a secret is in the view:\n%s", view.data);
        check_shown(parameters, view.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_views),
        cmocka_unit_test(test_caps),
        cmocka_unit_test(test_generated),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
