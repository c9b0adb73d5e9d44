/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Repairs by rule: what each changes, and that it leaves alone what it does not know. Over the
 * recorded mistakes of tests/data/mistakes (LECTERN_LIST=1 lists them), and over ordinary programs,
 * of which none may be changed.
 */
#include "corpus_fixture.h"

#include "helpers/base/json.h"
#include "mcp/agent/repair.h"

static const char one_step[] = "{\"approach\": \"code\", \"steps\": [{\"name\": \"lessons\", "
                               "\"compute\": \"their number\", \"type\": \"number\"}]}";
static const char two_steps[] = "{\"approach\": \"code\", \"steps\": ["
                                "{\"name\": \"lessons\", \"compute\": \"their number\", \"type\": "
                                "\"number\"}, {\"name\": \"edges\", \"compute\": \"their number\", "
                                "\"type\": \"number\"}]}";

/* A run: ok with its result, or the error of a type at a line. */
struct run {
    const char *type, *message, *result;
    int line;
};

static json_t *parse(const char *text)
{
    struct error err = {0};
    json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);

    if (!value)
        fail_msg("%s: %s", text, err.text);
    return value;
}

static json_t *execution_of(const struct run *run)
{
    static const char mark[] = "\nHint: ";
    const char *message = run->message ? run->message : "", *hint = strstr(message, mark);
    const int len = (int)(hint ? (size_t)(hint - message) : strlen(message));
    json_t *error =
        run->type ? json_pack("{s:s, s:{s:s#, s:s, s:i}}", "errorCategory", "runtime", "context",
                              "message", message, len, "errorType", run->type, "line", run->line)
                  : json_null();

    return json_pack("{s:b, s:s, s:o, s:[], s:o, s:s?, s:f, s:i}", "ok", run->type == NULL,
                     "stdout", "", "result", run->result ? parse(run->result) : json_null(),
                     "artifacts", "error", error, "hint", hint ? hint + strlen(mark) : NULL,
                     "seconds", 0.1, "attempt", 1);
}

/* The diagnosis of a program, or NULL. */
static json_t *repair_with(const char *source, size_t len, const char *profile,
                           const struct run *run, const char *steps)
{
    struct error err = {0};
    struct plan plan = {0};
    struct execution execution = {0};
    struct diagnosis diagnosis = {0};
    json_t *plan_message = parse(steps), *execution_message = execution_of(run), *found;
    const struct code code = {.source = source, .source_len = len, .attempt = 1};

    assert_int_equal(plan_read(plan_message, &plan, &err), 0);
    assert_int_equal(execution_read(execution_message, &execution, &err), 0);
    found = repair_by_rule(&code, &execution, &plan, validator_profile_find(profile), &err);
    if (err.kind != ERROR_NONE)
        fail_msg("%s", err.text);
    if (found) {
        assert_int_equal(diagnosis_read(found, &diagnosis, &err), 0);
        assert_int_equal(diagnosis.by, DIAGNOSIS_BY_RULE);
        diagnosis_finish(&diagnosis);
    }
    plan_finish(&plan);
    execution_finish(&execution);
    json_decref(plan_message);
    json_decref(execution_message);
    return found;
}

static const struct run refused = {.type = "", .message = "refused"};

/* changed NULL: nothing is done. says: a part of the change. */
static const struct {
    const char *source, *changed, *says;
    struct run run;
} repairs[] = {
    /* text of a model around a program */
    {"Here it is:\n```python\nprint(1)\n```\nIt prints 1.\n",
     "print(1)\n",
     "Took the program out of its Markdown code block.",
     {.type = ""}},
    {"~~~\nprint(1)\n~~~\n", "print(1)\n", "Markdown", {.type = ""}},
    {"```python\nprint(1)\n```\nor\n```python\nprint(2)\n```\n", NULL, NULL, {.type = ""}},
    {"```json\n{\"a\": 1}\n```\n", NULL, NULL, {.type = ""}},
    {"```python\nprint(1)\n", NULL, NULL, {.type = ""}}, /* its end is missing */
    {"Write ```print(1)``` for that.\n", NULL, NULL, {.type = ""}},
    /* Python 2 and other languages */
    {"x = 1\nprint \"x\", x\n",
     "x = 1\nprint(\"x\", x)\n",
     "Added `(` in line 2. Added `)` in line 2.",
     {.type = ""}},
    {"print x,\n", NULL, NULL, {.type = ""}},
    {"if 1 <> 2 && 1 == 1:\n    print(1)\n",
     "if 1 != 2 and 1 == 1:\n    print(1)\n",
     "!=",
     {.type = ""}},
    {"x = 1\nif x = 1\n    print(x)\n", "x = 1\nif x == 1:\n    print(x)\n", "==", {.type = ""}},
    {"x = 0\nx++\nprint(x)\n", "x = 0\nx += 1\nprint(x)\n", "+= 1", {.type = ""}},
    {"print(\xE2\x80\x9Chi\xE2\x80\x9D)\n", "print(\"hi\")\n", "Replaced", {.type = ""}},
    {"n = [1]\nprint(len(n)\nx = 1\n",
     "n = [1]\nprint(len(n))\nx = 1\n",
     "Added `)`",
     {.type = ""}},
    {"x = [1,\n2\n", NULL, NULL, {.type = ""}},
    /* names */
    {"df = pd.DataFrame([])\nprint(len(df))\n",
     "import pandas as pd\ndf = pd.DataFrame([])\nprint(len(df))\n",
     "Added `import pandas as pd`.",
     {.type = ""}},
    {"\"\"\"Sizes.\"\"\"\nprint(json.dumps(len(get_nodes(session_id))))\n",
     "\"\"\"Sizes.\"\"\"\nfrom code_helpers import get_nodes\nimport json\n"
     "print(json.dumps(len(get_nodes(session_id))))\n",
     "import json",
     {.type = ""}},
    {"import networx as nx\nprint(nx.DiGraph())\n",
     "import networkx as nx\nprint(nx.DiGraph())\n",
     "`networx` with `networkx`",
     {.type = ""}},
    {"from code_helpers import get_node\nprint(len(get_node(session_id)))\n",
     "from code_helpers import get_nodes as get_node\nprint(len(get_node(session_id)))\n",
     "get_nodes",
     {.type = ""}},
    {"import code_helpers\nprint(code_helpers.get_relationship(session_id))\n",
     "import code_helpers\nprint(code_helpers.get_relationships(session_id))\n",
     "get_relationships",
     {.type = ""}},
    {"import matplotlib.pyplot as plt\nplt.plot([1])\n", NULL, NULL, {.type = ""}},
    {"plt.plot([1])\n", NULL, NULL, {.type = ""}}, /* the profile does not have it */
    {"import cmath\nprint(cmath.sqrt(-1))\n", NULL, NULL, {.type = ""}}, /* not math */
    {"a = 1\nx = a * a + a)\n", NULL, NULL, {.type = ""}},
    {"import os\ndf = pd.DataFrame([])\n", NULL, NULL, {.type = ""}},
    /* errors of the run */
    {"n = {'node_id': 1, 'title': 2}\nprint(n['titel'])\n",
     "n = {'node_id': 1, 'title': 2}\nprint(n['title'])\n",
     "Replaced `'titel'` with `'title'`.",
     {"KeyError",
      "KeyError: 'titel'\nHint: the node n has the fields: node_id, title; did you mean "
      "'title'?; .get('titel') gives None where a field is absent",
      NULL, 2}},
    {"print(c['parameters']['terms'])\n",
     "print(c['parameters']['term'])\n",
     "term",
     {"KeyError",
      "KeyError: 'terms'\nHint: the dict c['parameters'] has the fields: term; did you "
      "mean 'term'?",
      NULL, 1}},
    {"print(d['N01'])\n",
     NULL,
     NULL, /* the nearest id is another lesson */
     {"KeyError", "KeyError: 'N01'\nHint: the dict d has the fields: N001; did you mean 'N001'?",
      NULL, 1}},
    {"print(df['titel'], x['titel'])\n",
     NULL,
     NULL, /* which of them? */
     {"KeyError", "KeyError: 'titel'\nHint: the columns of df are: title; did you mean 'title'?",
      NULL, 1}},
    {"print(n['titel'])\n",
     NULL,
     NULL, /* no name, but code */
     {"KeyError",
      "KeyError: 'titel'\nHint: the node n has the fields: x; did you mean 'a\"] or "
      "f(\"'?",
      NULL, 1}},
    {"print(c['term'])\n",
     "print(c[\"parameters\"]['term'])\n",
     "parameters",
     {"KeyError",
      "KeyError: 'term'\nHint: the component c has the fields: parameters; 'term' is in "
      "c[\"parameters\"]",
      NULL, 1}},
    {"print('a'.uper())\n",
     "print('a'.upper())\n",
     "`.uper` with `.upper`",
     {"AttributeError",
      "AttributeError: 'str' object has no attribute 'uper'\nHint: did you mean "
      ".upper?",
      NULL, 1}},
    {"print(n.title)\n",
     "print(n[\"title\"])\n",
     "title",
     {"AttributeError",
      "AttributeError: 'dict' object has no attribute 'title'\nHint: nodes, "
      "relationships and components are dicts: write value[\"title\"], not "
      "value.title",
      NULL, 1}},
    {"counter = 1\nprint(conter)\n",
     "counter = 1\nprint(counter)\n",
     "counter",
     {"NameError", "NameError: name 'conter' is not defined\nHint: did you mean counter?", NULL,
      2}},
    {"print(n['titel'])\n", NULL, NULL, {"KeyError", "KeyError: 'titel'", NULL, 1}},
    {"print(1 / 0)\n",
     NULL,
     NULL,
     {"ZeroDivisionError", "ZeroDivisionError: division by zero\nHint: did you mean 'x'?", NULL,
      1}},
    /* a result that is not printed */
    {"result = 3",
     "result = 3\nimport json\nprint(json.dumps(result))\n",
     "Added a line that prints `result` as JSON.",
     {.type = NULL}},
    {"import json\nlessons = 3\nprint('lessons', lessons)\n",
     "import json\nlessons = 3\nprint('lessons', lessons)\nprint(json.dumps(lessons))\n",
     "lessons",
     {.type = NULL}},
    {"counts = {'a': 1}\nprint(counts)\n",
     "counts = {'a': 1}\nprint(counts)\nimport json\nprint(json.dumps(counts))\n",
     "counts",
     {.type = NULL}},
    {"print(f'{1} lesson')\n", NULL, NULL, {.type = NULL}},
    {"print()\n", NULL, NULL, {.type = NULL}},
    {"result = 3\nprint(result)\n", NULL, NULL, {.type = NULL, .result = "3"}},
    {"def f():\n    result = 3\nf()\n", NULL, NULL, {.type = NULL}},
};

static void test_repairs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof repairs / sizeof *repairs; i++) {
        const char *source = repairs[i].source;
        const struct run *run =
            repairs[i].run.type && !*repairs[i].run.type ? &refused : &repairs[i].run;
        json_t *found = repair_with(source, strlen(source), "data-science", run, one_step);

        if (!repairs[i].changed && found)
            fail_msg("%s\nbecame\n%s", source, json_get_string(found, "source"));
        if (repairs[i].changed && !found)
            fail_msg("%s\nwas not repaired", source);
        if (found) {
            assert_string_equal(json_get_string(found, "source"), repairs[i].changed);
            if (!strstr(json_get_string(found, "change"), repairs[i].says))
                fail_msg("%s: %s", source, json_get_string(found, "change"));
        }
        json_decref(found);
    }
}

static void test_several_steps(void **state)
{
    static const char source[] = "lessons = 1\nedges = 2\nprint({'lessons': lessons})\n";
    const struct run none = {.result = "{}"}, half = {.result = "{\"lessons\": 1}"};
    json_t *found = repair_with(source, strlen(source), "minimal", &half, two_steps);

    (void)state;
    assert_string_equal(json_get_string(found, "source"),
                        "lessons = 1\nedges = 2\nprint({'lessons': lessons})\nimport json\n"
                        "print(json.dumps({\"edges\": edges}))\n");
    json_decref(found);
    assert_null(repair_with("lessons = 1\n", 12, "minimal", &none, two_steps));
}

/* ---- the recorded mistakes ---- */

static size_t repaired, total, of_file, repaired_of_file;
static char file[256]; /* whose programs are counted */

static void end_file(void)
{
    if (*file)
        print_message("%-28s %3zu of %3zu repaired\n", strrchr(file, '/') + 1, repaired_of_file,
                      of_file);
    of_file = repaired_of_file = 0;
}

static void count_mistake(const struct program *program)
{
    json_t *found = repair_with(program->code.data ? program->code.data : "", program->code.len,
                                program->profile, &refused, one_step);

    if (strcmp(file, program->file) != 0) {
        end_file();
        snprintf(file, sizeof file, "%s", program->file);
    }
    total++;
    of_file++;
    if (found) {
        const json_t *source = json_object_get(found, "source");

        validator_check(json_string_value(source), json_string_length(source),
                        validator_profile_find(program->profile), &verdict);
        if (!verdict.accepted)
            fail_msg("%s: %s", program->code.data, verdict.diagnostics[0].text);
        repaired++;
        repaired_of_file++;
    }
    if (getenv("LECTERN_LIST"))
        print_message("%s %s---\n%s===\n", found ? "REPAIRED" : "left", program->code.data,
                      found ? json_get_string(found, "source") : "");
    json_decref(found);
}

static void test_mistakes(void **state)
{
    (void)state;
    (void)each_program("tests/data/mistakes/*.txt", count_mistake);
    end_file();
    print_message("%zu of %zu recorded mistakes are repaired by rule\n", repaired, total);
    assert_true(repaired > 100);
}

static void leave_ordinary(const struct program *program)
{
    json_t *found =
        repair_with(program->code.data, program->code.len, program->profile, &refused, one_step);
    char why[REPAIR_WHY_CAP];

    if (found)
        fail_msg("%s\nbecame\n%s", program->code.data, json_get_string(found, "source"));
    if (strstr(program->code.data, "print(") &&
        code_is_placeholder(program->code.data, program->code.len, why))
        fail_msg("%s: %s", program->code.data, why);
}

static void test_ordinary(void **state)
{
    (void)state;
    assert_true(each_program("tests/data/ordinary/*.txt", leave_ordinary) > 80);
}

/* ---- placeholders ---- */

static void test_placeholders(void **state)
{
    static const char *const placeholders[] = {
        "",
        " \n\t\n",
        "pass\n",
        "...\n",
        "import json\npass\n",
        "\"\"\"Counts the lessons.\"\"\"\n",
        "def main():\n    return 1\n",
        "# TODO\nprint(1)\n",
        "x = 1  # TODO: count\nprint(x)\n",
        "# your code here\nprint(None)\n",
        "def f():\n    \"\"\"Counts.\"\"\"\n    ...\nprint(f())\n",
        "if True:\n    ...\nprint(1)\n",
        "def f(x):\n    raise NotImplementedError(\"later\")\nprint(f(1))\n",
        "raise NotImplementedError\n",
    };
    static const char *const programs[] = {
        "print(1)\n",
        "print('TODO' in text)\n",
        "# The lessons with TODO in the title.\nprint(1)\n",
        "try:\n    x = 1\nexcept ValueError:\n    pass\nprint(x)\n",
        "class E(Exception):\n    ...\nprint(1)\n",
        "class A:\n    def f(self):\n        raise NotImplementedError\nprint(1)\n",
        "x = ...\nprint(x)\n",
        "print(\"your code here\")\n",
        "x =\n", /* no Python: the validator says more */
    };
    char why[REPAIR_WHY_CAP];

    (void)state;
    for (size_t i = 0; i < sizeof placeholders / sizeof *placeholders; i++)
        if (!code_is_placeholder(placeholders[i], strlen(placeholders[i]), why))
            fail_msg("a program: %s", placeholders[i]);
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (code_is_placeholder(programs[i], strlen(programs[i]), why))
            fail_msg("%s: %s", programs[i], why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_repairs),      cmocka_unit_test(test_several_steps),
        cmocka_unit_test(test_mistakes),     cmocka_unit_test(test_ordinary),
        cmocka_unit_test(test_placeholders),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
