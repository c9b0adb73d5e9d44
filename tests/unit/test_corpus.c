/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The programs of tests/data, against the validator: each hostile one is refused for what it
 * reaches for and never for its syntax (or, where its head says so, for its syntax or not before it
 * runs), each ordinary one is accepted, and each mistake gives its one message. The head of each
 * file says how it is laid out; tests/data/corpus.py reads the same files.
 */
#include "corpus_fixture.h"

static void check_hostile(const struct program *program)
{
    bool syntax = false;

    for (size_t i = 0; i < verdict.diagnostic_count; i++)
        syntax = syntax || strcmp(verdict.diagnostics[i].code, "syntax") == 0;
    if (verdict.accepted != program->runtime)
        fail_msg("%s: %s: %s", program->file, verdict.accepted ? "accepted" : "refused",
                 program->code.data);
    if (syntax != program->syntax)
        fail_msg("%s: %s: %s", program->file, syntax ? "no Python" : "no fault of syntax",
                 program->code.data);
}

static void test_hostile(void **state)
{
    (void)state;
    assert_true(each_program("tests/data/hostile/*.txt", check_hostile) > 700);
}

static void check_ordinary(const struct program *program)
{
    if (!verdict.accepted)
        fail_msg("%s: refused: %s: %s", program->file, program->code.data,
                 verdict.diagnostics[0].text);
}

static void test_ordinary(void **state)
{
    (void)state;
    assert_true(each_program("tests/data/ordinary/*.txt", check_ordinary) > 80);
}

static void check_mistake(const struct program *program)
{
    const struct diagnostic *first = verdict.diagnostics;

    if (verdict.diagnostic_count != 1)
        fail_msg("%s: %s: gave %zu messages", program->file, program->code.data,
                 verdict.diagnostic_count);
    if (strncmp(first->text, program->message, strlen(program->message)) != 0)
        fail_msg("%s: %s: gave %s", program->file, program->code.data, first->text);
    assert_string_equal(first->code, program->rule);
    assert_int_equal(first->line, program->line);
    assert_int_equal(first->column, program->column);
}

static void test_mistakes(void **state)
{
    (void)state;
    assert_true(each_program("tests/data/mistakes/*.txt", check_mistake) > 440);
}

static size_t messages(const char *source)
{
    validator_check(source, strlen(source), validator_profile_find("data-science"), &verdict);
    return verdict.diagnostic_count;
}

/* Several mistakes in one program: each is reported, in the program's order, and nothing else. */
static void test_several(void **state)
{
    static const char source[] = "import os\n"
                                 "from code_helpers import get_node\n"
                                 "if a && b:\n"
                                 "    print \"x\"\n"
                                 "x = “abc”\n"
                                 "y = [“a”, “b”]\n"
                                 "for n in nodes\n"
                                 "    print(n)\n"
                                 "print('it's here')\n"
                                 "z = eval(\"1\")\n"
                                 "try:\n"
                                 "    z = 5px\n"
                                 "  except ValueError:\n"
                                 "    getattr(z, 'a')\n"
                                 "w = [1, 2\n";
    static const size_t lines[] = {1, 2, 3, 4, 5, 7, 9, 10, 12, 13, 14, 15};

    (void)state;
    assert_int_equal(messages(source), sizeof lines / sizeof *lines);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_int_equal(verdict.diagnostics[i].line, lines[i]);
}

/* A message that one rule leaves to another is given in the end, whichever gives it. */
static void test_deferred(void **state)
{
    static const char *const programs[] = {
        "if x:\n    .foo()\n",        "try:\n    x = 1\ncatch x\n",
        "re.match(a)\ncase 1 2\n",    "exec 'x'\n",
        "x = 1\n\n.foo()\n",          "if x:\n\xC2\xA0\xC2\xA0y = 1\n",
        "x = 1\n  .a()\n  .b()\n",    "  .a()\n",
        "try:\n    x\ncatch E = 3\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        if (messages(programs[i]) != 1)
            fail_msg("%s: gave %zu messages", programs[i], verdict.diagnostic_count);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hostile),  cmocka_unit_test(test_ordinary),
        cmocka_unit_test(test_mistakes), cmocka_unit_test(test_several),
        cmocka_unit_test(test_deferred),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
