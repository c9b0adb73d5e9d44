/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lectern grade: tests programs against the cases of one exercise, as a learner's program is
 * tested. Without a program it tests the exercise's solution. SIGINT and SIGTERM end the run and
 * its sandbox, then the command.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/loop_queue.h"
#include "helpers/base/terminal.h"
#include "mcp/command/command.h"
#include "mcp/command/server.h"
#include "mcp/curriculum/component_type.h"
#include "mcp/exercise/exercise.h"
#include "mcp/exercise/grade.h"
#include "mcp/format/file.h"

#define EXERCISE_FILE_CAP ((size_t)1 << 20)

/* The programs are tested one after the other; each test ends on the executor's thread. */
struct grading {
    const struct config *config;
    const json_t *exercise;
    struct executor *executor;
    uv_loop_t loop;
    struct loop_queue *queue;
    struct signals signals;
    struct loop_task done;
    atomic_uint_least64_t run; /* of the executor; 0: none yet */
    atomic_bool stopped;       /* by a signal */
    json_t *result;            /* of the current program; owned; NULL if there is none */
    struct error err;
};

static void on_run(void *user, uint64_t run)
{
    struct grading *grading = user;

    atomic_store(&grading->run, run);
    if (atomic_load(&grading->stopped))
        executor_cancel(grading->executor, run);
}

static void on_signal(void *user)
{
    struct grading *grading = user;

    atomic_store(&grading->stopped, true);
    executor_cancel(grading->executor, atomic_load(&grading->run));
}

static void on_done(void *user, const json_t *result, const struct error *err)
{
    struct grading *grading = user;

    grading->result = result ? json_deep_copy(result) : NULL;
    if (err)
        grading->err = *err;
    loop_queue_post(grading->queue, &grading->done);
}

static void end_loop(void *arg)
{
    uv_stop(arg);
}

/* Returns the result, owned by the caller, or NULL with err. */
static json_t *grade(struct grading *grading, const struct buf *program, struct error *err)
{
    const struct grade_request request = {.exercise = grading->exercise,
                                          .code = program->data ? program->data : "",
                                          .code_len = program->len,
                                          .on_done = on_done,
                                          .on_run = on_run,
                                          .user = grading};

    grading->done = (struct loop_task){.run = end_loop, .arg = &grading->loop};
    if (grade_start(grading->executor, &request, err) < 0)
        return NULL;
    uv_run(&grading->loop, UV_RUN_DEFAULT);
    if (!grading->result)
        *err = grading->err;
    return grading->result;
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
static int grade_one(struct grading *grading, const char *path, const struct buf *program)
{
    struct buf BUF_AUTO text = {0};
    struct error err = {0};
    json_auto_t *result = grade(grading, program, &err);
    bool passed = result && json_string_is(result, "status", "pass");

    if (grading->config->json) {
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

static int grade_all(struct grading *grading, struct error *err)
{
    const char *const *paths = grading->config->arguments;
    const char *solution = json_get_string(grading->exercise, "solution");
    int status = EXIT_OK;

    if (grading->config->argument_count == 1) {
        struct buf BUF_AUTO program = {0};

        if (!solution) {
            error_set(
                err, ERROR_INVALID,
                "the exercise has no solution: name a program, as in lectern grade %s FILE.py",
                paths[0]);
            return EXIT_USAGE;
        }
        buf_adds(&program, solution);
        return grade_one(grading, "solution", &program);
    }
    for (size_t i = 1; paths[i] && !atomic_load(&grading->stopped); i++) {
        struct buf BUF_AUTO program = {0};
        int one;

        if (file_read(paths[i], GRADE_CODE_CAP, &program, err) < 0)
            return EXIT_USAGE;
        one = grade_one(grading, paths[i], &program);
        status = one > status ? one : status;
    }
    return status;
}

static int run(const struct config *config, struct error *err)
{
    static const char *const kinds[] = {"bare", NULL};
    json_auto_t *exercise = read_exercise(config->arguments[0], err);
    struct grading grading = {.config = config, .exercise = exercise};
    int status = EXIT_NO_ENGINE;

    if (!exercise)
        return EXIT_USAGE;
    uv_loop_init(&grading.loop);
    grading.queue = loop_queue_create(&grading.loop, err);
    if (grading.queue &&
        signals_init(&grading.signals, &grading.loop, on_signal, &grading, err) == 0)
        grading.executor = server_executor(config, kinds, err);
    if (grading.executor)
        status = grade_all(&grading, err);
    executor_destroy(grading.executor);
    if (grading.queue)
        signals_finish(&grading.signals);
    loop_queue_destroy(grading.queue);
    uv_run(&grading.loop, UV_RUN_DEFAULT);
    uv_loop_close(&grading.loop);
    return grading.signals.number ? EXIT_SIGNAL + grading.signals.number : status;
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
