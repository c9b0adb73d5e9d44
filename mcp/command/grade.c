/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lectern grade: tests programs against the cases of one exercise, as a learner's program is
 * tested. Without a program it tests the exercise's solution.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/terminal.h"
#include "mcp/command/command.h"
#include "mcp/command/server.h"
#include "mcp/exercise/exercise.h"
#include "mcp/exercise/grade.h"
#include "mcp/format/file.h"
#include "mcp/session/component_type.h"

#define EXERCISE_FILE_CAP ((size_t)1 << 20)

/* One grading, which ends on the executor's thread. */
struct graded {
    pthread_mutex_t lock;
    pthread_cond_t done;
    bool ended;
    json_t *result; /* owned; NULL if there is none */
    struct error err;
};

static void on_done(void *user, const json_t *result, const struct error *err)
{
    struct graded *graded = user;

    pthread_mutex_lock(&graded->lock);
    graded->result = result ? json_deep_copy(result) : NULL;
    if (err)
        graded->err = *err;
    graded->ended = true;
    pthread_cond_signal(&graded->done);
    pthread_mutex_unlock(&graded->lock);
}

/* Returns the result, owned by the caller, or NULL with err. */
static json_t *grade(struct executor *executor, const json_t *exercise, const struct buf *program,
                     struct error *err)
{
    struct graded graded = {.lock = PTHREAD_MUTEX_INITIALIZER, .done = PTHREAD_COND_INITIALIZER};
    const struct grade_request request = {.exercise = exercise,
                                          .code = program->data ? program->data : "",
                                          .code_len = program->len,
                                          .on_done = on_done,
                                          .user = &graded};

    if (grade_start(executor, &request, err) < 0)
        return NULL;
    pthread_mutex_lock(&graded.lock);
    while (!graded.ended)
        pthread_cond_wait(&graded.done, &graded.lock);
    pthread_mutex_unlock(&graded.lock);
    if (!graded.result)
        *err = graded.err;
    return graded.result;
}

static void write_text(const char *path, const json_t *result, struct buf *to)
{
    const json_t *tests = json_object_get(result, "tests");
    const char *message = json_get_string(result, "message");
    size_t passed = 0, i;
    json_t *test;

    json_array_foreach((json_t *)tests, i, test)
    {
        passed += json_string_is(test, "status", "pass");
    }
    buf_addf(to, "%s: %s, %zu of %zu cases passed\n", path, json_get_string(result, "status"),
             passed, json_array_size(tests));
    if (message)
        buf_addf(to, "  %s\n", message);
    json_array_foreach((json_t *)tests, i, test)
    {
        const char *why = json_get_string(test, "message");

        if (!message && !json_string_is(test, "status", "pass"))
            buf_addf(to, "  %s: %s%s%s\n", json_get_string(test, "name"),
                     json_get_string(test, "status"), why ? ": " : "", why ? why : "");
    }
}

static int exit_status(const struct error *err)
{
    if (err->kind == ERROR_INVALID)
        return EXIT_REFUSED;
    return err->kind == ERROR_BUSY || err->kind == ERROR_UNAVAILABLE ? EXIT_NO_ENGINE : EXIT_FAILED;
}

/* Tests one program and prints the result. A refused program is one result of several. */
static int grade_one(const struct config *config, struct executor *executor, const json_t *exercise,
                     const char *path, const struct buf *program)
{
    struct buf BUF_AUTO text = {0};
    struct error err = {0};
    json_auto_t *result = grade(executor, exercise, program, &err);
    bool passed = result && json_string_is(result, "status", "pass");

    if (config->json) {
        json_auto_t *line = result ? json_incref(result)
                                   : json_pack("{s:s, s:s}", "status",
                                               err.kind == ERROR_INVALID ? "refused" : "not graded",
                                               "message", err.text);

        json_object_set_new(line, "program", json_string(path));
        json_write(&text, line);
        buf_addc(&text, '\n');
    } else if (result) {
        write_text(path, result, &text);
    } else {
        buf_addf(&text, "%s: %s\n%s\n", path, err.kind == ERROR_INVALID ? "refused" : "not graded",
                 err.text);
    }
    terminal_write(stdout, text.data, text.len);
    return passed ? EXIT_OK : result ? EXIT_FAILED : exit_status(&err);
}

static json_t *read_exercise(const char *path, struct error *err)
{
    struct buf BUF_AUTO text = {0};
    json_t *exercise;

    if (file_read(path, EXERCISE_FILE_CAP, &text, err) < 0)
        return NULL;
    exercise = json_read(text.data ? text.data : "", text.len, path, err);
    if (exercise && component_type_check(EXERCISE_CODE, exercise, NULL, NULL, path, err) < 0) {
        json_decref(exercise);
        return NULL;
    }
    return exercise;
}

static int grade_all(const struct config *config, struct executor *executor, const json_t *exercise,
                     struct error *err)
{
    const char *solution = json_get_string(exercise, "solution");
    int status = EXIT_OK;

    if (config->argument_count == 1) {
        struct buf BUF_AUTO program = {0};

        if (!solution) {
            error_set(
                err, ERROR_INVALID,
                "the exercise has no solution: name a program, as in lectern grade %s FILE.py",
                config->arguments[0]);
            return EXIT_USAGE;
        }
        buf_adds(&program, solution);
        return grade_one(config, executor, exercise, "solution", &program);
    }
    for (size_t i = 1; i < config->argument_count; i++) {
        struct buf BUF_AUTO program = {0};
        int one;

        if (file_read(config->arguments[i], GRADE_CODE_CAP, &program, err) < 0)
            return EXIT_USAGE;
        one = grade_one(config, executor, exercise, config->arguments[i], &program);
        status = one > status ? one : status;
    }
    return status;
}

static int run(const struct config *config, struct error *err)
{
    static const char *const kinds[] = {"bare", NULL};
    json_auto_t *exercise = read_exercise(config->arguments[0], err);
    struct executor *executor = exercise ? server_executor(config, kinds, err) : NULL;
    int status;

    if (!exercise)
        return EXIT_USAGE;
    if (!executor)
        return EXIT_NO_ENGINE;
    status = grade_all(config, executor, exercise, err);
    executor_destroy(executor);
    return status;
}

static void help(struct buf *to)
{
    buf_adds(to, "EXERCISE is a JSON file with the parameters of an exercise-code:\n"
                 "  {\"prompt\": \"...\", \"solution\": \"...\",\n"
                 "   \"cases\": [{\"call\": \"area\", \"args\": [2, 3], \"expect\": 6}]}\n"
                 "The exit status is 0 if every program passes, 1 if one fails, 3 if one\n"
                 "is refused, 127 if there is no sandbox.\n");
}

const struct command command_grade = {
    .name = "grade",
    .usage = "[OPTIONS] EXERCISE [PROGRAM...]",
    .summary = "Test programs, or the solution, against the cases of an exercise",
    .options = CONFIG_GRADE,
    .least_words = 1,
    .most_words = CONFIG_ARGUMENTS_CAP,
    .words_needed = "an EXERCISE, a JSON file",
    .help = help,
    .run = run,
};
