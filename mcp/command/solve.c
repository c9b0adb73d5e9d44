/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lectern solve: one question, answered by the roles of mcp/agent/. SIGINT and SIGTERM end the
 * task, its requests and its sandbox; the values so far are printed.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "helpers/base/json.h"
#include "helpers/base/log.h"
#include "helpers/base/terminal.h"
#include "mcp/agent/solve.h"
#include "mcp/command/command.h"
#include "mcp/command/server.h"
#include "mcp/store/task.h"

#define TOOLSET "solve"
#define NONE    "bare=0,data=0,plot=0"
#define WARM    "bare=1,data=1,plot=0" /* sandboxes that are started for the one question */

struct solve_process {
    struct solve_listener listener; /* must be first */
    struct server server;
    struct signals signals;
    struct solve *solve;
    const struct config *config;
    bool shows; /* progress on a terminal */
    int status;
    struct error err;
};

static int exit_status(const struct answer *answer, const struct error *err)
{
    static const int statuses[ANSWER_STATUSES] = {
        [ANSWER_SOLVED] = EXIT_OK,     [ANSWER_PARTIAL] = EXIT_FAILED,
        [ANSWER_FAILED] = EXIT_FAILED, [ANSWER_REFUSED] = EXIT_REFUSED,
        [ANSWER_ASK] = EXIT_ASK,       [ANSWER_OVER_BUDGET] = EXIT_FAILED,
        [ANSWER_STUCK] = EXIT_FAILED,  [ANSWER_CANCELLED] = EXIT_SIGNAL + 2,
    };

    if (err->kind != ERROR_NONE)
        return EXIT_NO_ENGINE;
    if (answer->bound && strcmp(answer->bound, bound_names[BOUND_SECONDS]) == 0)
        return EXIT_TIMEOUT;
    return statuses[answer->status];
}

/* ---- output ---- */

static void print_open(const json_t *open)
{
    const json_t *point;
    size_t i;

    json_array_foreach((json_t *)open, i, point)
        terminal_printf(stdout, "Open: %s\n", json_string_value(point));
}

static void print_answer(const struct answer *answer, bool as_json)
{
    struct buf BUF_AUTO text = {0};

    if (as_json) {
        json_write(&text, answer->value);
        terminal_write(stdout, text.data ? text.data : "", text.len);
        puts("");
        return;
    }
    if (answer->status != ANSWER_SOLVED)
        terminal_printf(stdout, "%s: ", answer_statuses[answer->status]);
    terminal_printf(stdout, "%s\n", answer->text);
    print_open(answer->open);
}

static int write_trace(const char *path, const json_t *trace, struct error *err)
{
    struct buf BUF_AUTO text = {0};
    FILE *file = fopen(path, "we");
    bool written;

    if (!file)
        return error_errno(err, errno, "%s", path);
    json_write(&text, trace);
    written = !text.failed && fwrite(text.data, 1, text.len, file) == text.len;
    written &= fputc('\n', file) != EOF;
    if (fclose(file) != 0 || !written)
        return error_set(err, ERROR_IO, "%s: the trace was not written", path);
    return 0;
}

/* One line a step, on a terminal. */
static void on_entry(struct solve_listener *listener, const json_t *entry)
{
    struct solve_process *process = (struct solve_process *)listener;
    const char *role = json_get_string(entry, "role"), *by = json_get_string(entry, "by");

    if (process->shows)
        terminal_printf(stderr, "%s%s%s%s%s\n", role ? role : "", role ? ": " : "",
                        json_get_string(entry, "kind"), by ? " by " : "", by ? by : "");
}

static void on_done(struct solve_listener *listener, const struct answer *answer,
                    const json_t *trace, const struct error *err)
{
    struct solve_process *process = (struct solve_process *)listener;

    process->solve = NULL;
    process->status = exit_status(answer, err);
    if (process->shows)
        terminal_printf(stderr, "task %s\n", json_get_string(answer->value, "task"));
    print_answer(answer, process->config->json);
    if (process->config->trace && write_trace(process->config->trace, trace, &process->err) < 0 &&
        process->status == EXIT_OK)
        process->status = EXIT_FAILED;
    uv_stop(process->server.loop);
}

static void on_signal(void *user)
{
    struct solve_process *process = user;

    if (process->solve)
        solve_cancel(process->solve);
}

/* ---- the parts ---- */

static void finish(struct solve_process *process, uv_loop_t *loop)
{
    server_finish(&process->server);
    signals_finish(&process->signals);
    uv_run(loop, UV_RUN_DEFAULT);
    if (uv_loop_close(loop) != 0)
        log_error("solve", "the event loop still had open handles at the end");
}

static int find_session(const struct config *config, char sid[SESSION_ID_SIZE], struct error *err)
{
    cleanup_store struct store *store = store_open(config->store, STORE_READ, err);

    if (!store)
        return -1;
    return config->go_on ? store_task_session(store, config->go_on, sid, err)
                         : command_session(store, config->session, sid, err);
}

/* An option, its file or the question is wrong; else the work failed. */
static int usage_or_failed(const struct error *err)
{
    return err->kind == ERROR_INVALID || err->kind == ERROR_MALFORMED ? EXIT_USAGE : EXIT_FAILED;
}

static int run(const struct config *config, struct error *err)
{
    struct solve_process process = {.listener = {.on_entry = on_entry, .on_done = on_done},
                                    .config = config,
                                    .shows = isatty(STDERR_FILENO)};
    struct config warmed = *config;
    char sid[SESSION_ID_SIZE];
    struct solve_request request = {
        .session_id = sid, .question = config->arguments[0], .task = config->go_on};
    uv_loop_t loop;

    if (!config->go_on == !config->arguments[0]) {
        error_set(err, ERROR_INVALID,
                  "give one question in quotes: lectern solve \"Which lessons come first?\", or "
                  "--continue ID instead");
        return EXIT_USAGE;
    }
    if (find_session(config, sid, err) < 0)
        return EXIT_FAILED;
    warmed.warm = strcmp(config->planner, team_planners[TEAM_RULES]) == 0 ? NONE : WARM;
    warmed.toolset = TOOLSET;
    uv_loop_init(&loop);
    if (signals_init(&process.signals, &loop, on_signal, &process, err) < 0 ||
        server_init(&process.server, &loop, &warmed, err) < 0)
        process.status = usage_or_failed(err);
    else if (!(process.solve =
                   solve_start(process.server.solver, &request, &process.listener, err)))
        process.status = usage_or_failed(err);
    else
        uv_run(&loop, UV_RUN_DEFAULT);
    finish(&process, &loop);
    if (process.err.kind != ERROR_NONE)
        *err = process.err;
    return process.status;
}

const struct command command_solve = {
    .name = "solve",
    .usage = "[OPTIONS] QUESTION | --continue ID",
    .summary = "Answer a question by planner, coder and debugger",
    .options = CONFIG_SOLVE,
    .least_words = 0,
    .most_words = 1,
    .words_needed = "give one question in quotes: lectern solve \"Which lessons come first?\"",
    .run = run,
};
