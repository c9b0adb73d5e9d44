/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The file of exercises beside a service: which exercises a lesson has, and the errors.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "helpers/base/buf.h"
#include "helpers/base/json.h"
#include "mcp/tutor/exercise_file.h"

#define PATH     "/tmp/lectern-exercises-XXXXXX"
#define QUESTION "'type':'question','parameters':{'prompt':'p','kind':'number','answer':6}"

/* Writes a text with ' for " to a new file, reads it, and deletes it. */
static struct exercise_file *read_text(const char *text, size_t len, char *path, struct error *err)
{
    struct exercise_file *file;
    int fd;

    strcpy(path, PATH);
    fd = mkstemp(path);
    assert_true(fd >= 0);
    for (size_t i = 0; i < len; i++) {
        char c = (char)(text[i] == '\'' ? '"' : text[i]);

        assert_int_equal(write(fd, &c, 1), 1);
    }
    close(fd);
    file = exercise_file_read(path, err);
    unlink(path);
    return file;
}

/* The ids of a session's exercises. */
static void check_list(const struct exercise_file *file, const char *session, const char *ids)
{
    json_auto_t *list = exercise_file_list(file, session);
    struct buf BUF_AUTO found = {0};
    json_t *exercise;
    size_t i;

    buf_adds(&found, "");
    json_array_foreach(list, i, exercise)
    {
        buf_addf(&found, "%s ", json_get_string(exercise, "component_id"));
        assert_true(json_string_is(exercise, "type", "question"));
        assert_true(json_is_object(json_object_get(exercise, "parameters")));
    }
    assert_string_equal(found.data, ids);
}

static void test_list(void **state)
{
    static const char text[] =
        "{'exercises':[{'node_id':'N1','component_id':'b'," QUESTION "},"
        "{'session_id':'s1','node_id':'N1','component_id':'a'," QUESTION "},"
        "{'session_id':'s2','node_id':'N1','component_id':'c'," QUESTION "},"
        "{'session_id':'s1','node_id':'N2','component_id':'d'," QUESTION "}]}";
    char path[sizeof PATH];
    struct error err = {0};
    struct exercise_file *file = read_text(text, strlen(text), path, &err);

    (void)state;
    if (!file)
        fail_msg("%s", err.text);
    check_list(file, "s1", "b a d ");
    check_list(file, "s2", "b c ");
    check_list(file, "s3", "b ");
    exercise_file_free(file);
    exercise_file_free(NULL);
}

static void test_empty(void **state)
{
    char path[sizeof PATH];
    struct error err = {0};
    struct exercise_file *file = read_text("{'exercises':[]}", 16, path, &err);

    (void)state;
    assert_non_null(file);
    check_list(file, "s1", "");
    exercise_file_free(file);
}

static const struct {
    const char *text, *part;
} wrong[] = {
    {"{", "line 1"},
    {"[]", "array exercises"},
    {"{'exercises':{}}", "array exercises"},
    {"{'exercises':[7]}", "exercises.0: must be an object, not a number"},
    {"{'exercises':[{'node_id':'N1'," QUESTION "}]}", "exercises.0: component_id"},
    {"{'exercises':[{'component_id':'a'," QUESTION "}]}", "exercises.0: node_id"},
    {"{'exercises':[{'node_id':'','component_id':'a'," QUESTION "}]}", "exercises.0: node_id"},
    {"{'exercises':[{'node_id':'N1','component_id':'a\\n'," QUESTION "}]}", "component_id"},
    {"{'exercises':[{'node':'N1','component_id':'a'," QUESTION "}]}", "node_id"},
    {"{'exercises':[{'node_id':'N1','component_id':'a','type':'paragraph','parameters':{}}]}",
     "exercises.0: type"},
    {"{'exercises':[{'node_id':'N1','component_id':'a'," QUESTION "},"
     "{'node_id':'N2','component_id':'a'," QUESTION "}]}",
     "exercises.1: component_id: 'a' is also the id"},
    {"{'exercises':[{'node_id':'N1','component_id':'a','type':'question','parameters':"
     "{'prompt':'p','kind':'choice','options':['x','y'],'answer':'z'}}]}",
     "exercises.0: parameters.answer: must be one of the options"},
    {"{'exercises':[{'node_id':'N1','component_id':'a','type':'exercise-code','parameters':"
     "{'prompt':'p','cases':[{'call':'f'}]}}]}",
     "exercises.0: parameters.cases.0: needs one of expect and raises"},
};

static void check_error(const char *text, size_t len, const char *part)
{
    char path[sizeof PATH];
    struct error err = {0};

    assert_null(read_text(text, len, path, &err));
    if (!strstr(err.text, part) || !strstr(err.text, path) ||
        !strstr(err.text, "A correct file: {\"exercises\": [{\"node_id\""))
        fail_msg("no '%s' in: %s", part, err.text);
}

static void test_errors(void **state)
{
    struct error err = {0};

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        check_error(wrong[i].text, strlen(wrong[i].text), wrong[i].part);
    assert_null(exercise_file_read("/nowhere/exercises.json", &err));
    assert_non_null(strstr(err.text, "/nowhere/exercises.json"));
}

static void test_too_many(void **state)
{
    struct buf BUF_AUTO text = {0};

    (void)state;
    buf_adds(&text, "{'exercises':[0");
    for (int i = 0; i < EXERCISE_FILE_COUNT_MAX; i++)
        buf_adds(&text, ",0");
    buf_adds(&text, "]}");
    check_error(text.data, text.len, "has 5001 exercises; at most 5000 are read");
}

/* The example of the errors is a correct file. */
static void test_example(void **state)
{
    char path[sizeof PATH];
    struct error err = {0};
    struct exercise_file *file;
    const char *example;

    (void)state;
    assert_null(read_text("[]", 2, path, &err));
    example = strstr(err.text, "A correct file: ");
    assert_non_null(example);
    example += strlen("A correct file: ");
    file = read_text(example, strlen(example), path, &err);
    assert_non_null(file);
    check_list(file, "any", "area-1 ");
    exercise_file_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list),    cmocka_unit_test(test_empty),
        cmocka_unit_test(test_errors),  cmocka_unit_test(test_too_many),
        cmocka_unit_test(test_example),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
