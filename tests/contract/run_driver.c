/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Programs that run without an exercise, for test_grade.py: {"code", "input"} as JSON on each line
 * of standard input, and the result of grade_start on each line of standard output; {"refused":
 * text} if the program did not run. The options are those of `lectern grade`.
 */
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/command/server.h"
#include "mcp/exercise/grade.h"

struct run {
    sem_t done;
    json_t *result; /* owned */
};

static json_t *refusal(const struct error *err)
{
    return json_pack("{s:s}", "refused", err->text);
}

static void on_done(void *user, const json_t *result, const struct error *err)
{
    struct run *run = user;

    run->result = result ? json_deep_copy(result) : refusal(err);
    sem_post(&run->done);
}

static json_t *run_program(struct executor *executor, const json_t *question)
{
    const char *code = json_get_string(question, "code");
    struct run run = {0};
    const struct grade_request request = {.code = code,
                                          .code_len = strlen(code),
                                          .input = json_get_string(question, "input"),
                                          .on_done = on_done,
                                          .user = &run};
    struct error err = {0};

    sem_init(&run.done, 0, 0);
    if (grade_start(executor, &request, &err) < 0)
        run.result = refusal(&err);
    else
        while (sem_wait(&run.done) < 0)
            ;
    sem_destroy(&run.done);
    return run.result;
}

static int answer(struct executor *executor, const char *line, size_t len)
{
    json_auto_t *question = json_read(line, len, "a program", NULL);
    json_auto_t *result = question ? run_program(executor, question) : NULL;
    struct buf BUF_AUTO text = {0};

    if (!result)
        return -1;
    json_write(&text, result);
    printf("%s\n", text.data);
    return 0;
}

int main(int argc, char **argv)
{
    static const char *const kinds[] = {"bare", NULL};
    struct config config;
    struct executor *executor = NULL;
    struct error err = {0};
    char *line = NULL;
    size_t size = 0;
    ssize_t len;
    int status = 0;

    if (config_read(&config, CONFIG_GRADE, argc - 1, argv + 1, &err) == 0)
        executor = server_executor(&config, kinds, &err);
    if (!executor)
        fprintf(stderr, "run_driver: %s\n", err.text);
    while (executor && status == 0 && (len = getline(&line, &size, stdin)) > 0)
        status = answer(executor, line, (size_t)len);
    executor_destroy(executor);
    config_finish(&config);
    free(line);
    return executor ? -status : 1;
}
