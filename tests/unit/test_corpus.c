/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The programs of tests/data, against the validator: each hostile one is refused for what it
 * reaches for and never for its syntax (or, where its head says so, for its syntax or not before it
 * runs), each ordinary one is accepted, and each mistake gives its one message. The head of each
 * file says how it is laid out; tests/data/corpus.py reads the same files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/buf.h"
#include "validator/validator.h"

#define PROGRAM "%% "
#define MESSAGE "%= "

/* What a program's head says; the texts point into the file. */
struct program {
    const char *file, *profile, *rule, *message;
    size_t line, column;
    bool escaped, syntax, runtime;
    struct buf code;
};

static struct verdict verdict;

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    long size;
    char *text;

    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    size = ftell(file);
    rewind(file);
    text = calloc(1, (size_t)size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, file), size);
    assert_int_equal(strlen(text), size);
    fclose(file);
    return text;
}

static const char *next_program(const char *at)
{
    const char *found = strncmp(at, PROGRAM, strlen(PROGRAM)) == 0 ? at : strstr(at, "\n" PROGRAM);

    return found && found != at ? found + 1 : found;
}

/* Bytes as in C; the ends of the lines are only layout. */
static void add_unescaped(struct buf *out, const char *text, const char *end)
{
    while (text < end) {
        unsigned byte = 0;

        if (*text == '\n') {
            text++;
        } else if (sscanf(text, "\\x%2x", &byte) == 1) {
            const char one = (char)byte;

            buf_add(out, &one, 1);
            text += strlen("\\x00");
        } else if (*text == '\\') {
            buf_add(out, text[1] == 'n' ? "\n" : "\\", 1);
            text += 2;
        } else {
            buf_add(out, text++, 1);
        }
    }
}

/* Cuts the head into words, and copies the code. */
static void read_program(struct program *program, char *head, char *end, bool last)
{
    char *code = strchr(head, '\n'), *rest = NULL;

    *code++ = '\0';
    if (strncmp(code, MESSAGE, strlen(MESSAGE)) == 0) {
        program->message = code + strlen(MESSAGE);
        code = strchr(code, '\n');
        *code++ = '\0';
    }
    program->profile = strtok_r(head + strlen(PROGRAM), " ", &rest);
    for (char *word = strtok_r(NULL, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        if (strcmp(word, "escaped") == 0)
            program->escaped = true;
        else if (strcmp(word, "runtime") == 0)
            program->runtime = true;
        else if (strcmp(word, "syntax") == 0 && !program->message)
            program->syntax = true;
        else if (sscanf(word, "%zu:%zu", &program->line, &program->column) != 2)
            program->rule = word;
    }
    end -= !last; /* an empty line before the next program */
    if (program->escaped)
        add_unescaped(&program->code, code, end);
    else
        buf_add(&program->code, code, (size_t)(end - code));
}

/* Reads the files of a folder; how many programs they have. */
static size_t each_program(const char *pattern, void (*check)(const struct program *program))
{
    size_t count = 0;
    glob_t files;

    assert_int_equal(glob(pattern, 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        char *text = read_file(files.gl_pathv[i]);

        for (char *at = (char *)next_program(text), *next; at; at = next, count++) {
            struct program program = {.file = files.gl_pathv[i]};
            const struct validator_profile *profile;

            next = (char *)next_program(strchr(at, '\n'));
            read_program(&program, at, next ? next : strchr(at, '\0'), !next);
            profile = validator_profile_find(program.profile);
            assert_non_null(profile);
            validator_check(program.code.data ? program.code.data : "", program.code.len, profile,
                            &verdict);
            check(&program);
            buf_finish(&program.code);
        }
        free(text);
    }
    globfree(&files);
    return count;
}

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
