/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/exercise/view.h"

#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/utf8.h"
#include "mcp/exercise/case.h"
#include "mcp/exercise/exercise.h"
#include "mcp/exercise/python_value.h"

static void add_text(const char *text, size_t cap, struct buf *to)
{
    size_t len = text ? strlen(text) : 0, shown = utf8_cut(text, len, cap);

    buf_add(to, text, shown);
    buf_adds(to, shown < len ? VIEW_MARK : "");
}

static void add_value(const json_t *value, struct buf *to)
{
    python_value_show(value, VIEW_VALUE_CAP, to);
}

/* "- area(2, 3) -> 6", "- area(-1, 3) raises ValueError", or input and output of the program. */
static void add_example(const struct exercise_case *test, struct buf *to)
{
    const char *raises = json_get_string(test->authored, "raises");
    struct buf BUF_AUTO text = {0};

    if (!json_get_string(test->authored, "call")) {
        buf_adds(&text, "input ");
        add_value(json_object_get(test->sent, "stdin"), &text);
        buf_adds(&text, " -> output ");
        add_value(json_object_get(test->authored, "stdout"), &text);
    } else {
        exercise_case_show(test, VIEW_VALUE_CAP, &text);
        buf_adds(&text, raises ? " raises " : " -> ");
        if (raises)
            buf_adds(&text, raises);
        else
            add_value(test->expect, &text);
    }
    buf_adds(to, "- ");
    add_text(text.data, VIEW_EXAMPLE_CAP, to);
    buf_addc(to, '\n');
}

static void add_examples(const json_t *cases, struct buf *to)
{
    struct buf BUF_AUTO examples = {0};
    size_t visible = 0, hidden = 0;

    for (size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *authored = json_array_get(cases, i);
        struct exercise_case test;

        if (json_is_true(json_object_get(authored, "hidden"))) {
            hidden++;
            continue;
        }
        if (visible++ >= VIEW_EXAMPLES_CAP)
            continue;
        if (exercise_case_read(&test, authored, NULL) == 0)
            add_example(&test, &examples);
        exercise_case_finish(&test);
    }
    if (visible == 0) {
        buf_adds(to, "Hidden cases test the program.\n");
        return;
    }
    buf_addf(to, "These cases%s test the program:\n%s", hidden ? ", and hidden ones," : "",
             examples.data ? examples.data : "");
    if (visible > VIEW_EXAMPLES_CAP)
        buf_addf(to, "- ... and %zu more like these\n", visible - VIEW_EXAMPLES_CAP);
}

static void add_starter(const char *starter, struct buf *to)
{
    if (!starter || !*starter)
        return;
    buf_adds(to, "Starter:\n```python\n");
    add_text(starter, VIEW_STARTER_CAP, to);
    buf_adds(to, to->data && to->data[to->len - 1] == '\n' ? "```\n" : "\n```\n");
}

/* Whether several options are right is no secret: all of them must be chosen. */
static void add_form(const json_t *question, struct buf *to)
{
    const json_t *options = json_object_get(question, "options");
    const char *kind = json_get_string(question, "kind");

    kind = kind ? kind : "";
    if (strcmp(kind, "number") == 0)
        buf_adds(to, "The answer is a number.\n");
    else if (strcmp(kind, "text") == 0)
        buf_adds(to, "The answer is a few words.\n");
    else if (strcmp(kind, "open") == 0)
        buf_adds(to, "The answer is a text in the learner's own words.\n");
    else
        buf_adds(to, json_is_array(json_object_get(question, "answer"))
                         ? "Choose all that are right, one or more:\n"
                         : "Choose one:\n");
    for (size_t i = 0; i < json_array_size(options); i++) {
        buf_addf(to, "%zu. ", i + 1);
        add_text(json_string_value(json_array_get(options, i)), VIEW_OPTION_CAP, to);
        buf_addc(to, '\n');
    }
}

void exercise_view(const char *type, const json_t *parameters, struct buf *to)
{
    add_text(json_get_string(parameters, "prompt"), VIEW_PROMPT_CAP, to);
    buf_addc(to, '\n');
    if (strcmp(type, EXERCISE_CODE) == 0) {
        add_starter(json_get_string(parameters, "starter"), to);
        add_examples(json_object_get(parameters, "cases"), to);
    } else {
        add_form(parameters, to);
    }
}
