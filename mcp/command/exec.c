/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lectern exec: one analysis from the shell, checked and run as execute_code would. SIGINT and
 * SIGTERM end the run and its sandbox, then the command.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/log.h"
#include "helpers/base/terminal.h"
#include "mcp/command/command.h"
#include "mcp/command/server.h"
#include "mcp/format/file.h"
#include "mcp/store/store.h"
#include "mcp/tool/analysis.h"
#include "mcp/tool/run_answer.h"

/* The run, and what will be printed of it. */
struct exec_run {
    struct analysis analysis;
    struct server server; /* as far as one analysis needs them */
    struct signals signals;
    const struct config *config;
    char sid[SESSION_ID_SIZE]; /* of the session that the code may read, or "" */
    struct error *err;         /* why there was no run */
    int status;
    struct buf out, error; /* standard output and standard error */
};

static int exit_status(const struct execution_result *result)
{
    switch (result->status) {
    case EXECUTION_OK:
        return EXIT_OK;
    case EXECUTION_TIMEOUT:
        return EXIT_TIMEOUT;
    case EXECUTION_ENGINE:
    case EXECUTION_BUSY:
        return EXIT_NO_ENGINE;
    case EXECUTION_RUNTIME:
    case EXECUTION_MEMORY:
    case EXECUTION_OUTPUT:
    case EXECUTION_CANCELLED:
    case EXECUTION_CRASH:
    case EXECUTION_DISAGREEMENT:
        break;
    }
    return EXIT_FAILED;
}

static void add_json(struct buf *to, const struct execution_result *result,
                     const struct failure *failure)
{
    buf_addf(to, "{\"ok\":%s,", result->status == EXECUTION_OK ? "true" : "false");
    run_json_texts(result, to);
    buf_addf(to, ",\"exit_code\":%d,\"seconds\":%.6f", result->exit_code, result->seconds);
    if (result->artifact_count > 0) {
        buf_adds(to, ",\"artifacts\":");
        run_json_artifacts(result, to);
    }
    run_json_failure(failure, to);
    buf_adds(to, "}\n");
}

static void add_plain(struct exec_run *execution, const struct execution_result *result)
{
    run_add_stdout(result, &execution->out);
    if (run_answer_shows_value(result))
        buf_addf(&execution->out, "%s\n", result->value);
    run_add_stderr(result, &execution->error);
    if (result->error)
        buf_addf(&execution->error, "%s\n", result->error);
    if (result->stdout_cut + result->stderr_cut > 0)
        buf_addf(&execution->error, "lectern exec: %llu bytes of output left out\n",
                 (unsigned long long)result->stdout_cut + result->stderr_cut);
    if (result->artifact_count > 0)
        buf_addf(&execution->error, "lectern exec: %zu figure%s: use --json to get them\n",
                 result->artifact_count, result->artifact_count == 1 ? "" : "s");
}

/* On the executor's thread. */
static void take(struct analysis *analysis, const struct execution_result *result)
{
    struct exec_run *execution = (struct exec_run *)analysis;

    execution->status = exit_status(result);
    if (execution->config->json)
        add_json(&execution->out, result, &analysis->failure);
    else
        add_plain(execution, result);
}

static void on_done(struct analysis *analysis)
{
    uv_stop(analysis->server->loop);
}

/* Code that did not run, as --json has it. */
static void print_unrun(const char *why, size_t len, int status, const struct failure *failure)
{
    struct buf BUF_AUTO line = {0};

    buf_adds(&line, "{\"ok\":false,");
    run_json_refused(why, len, &line);
    buf_addf(&line, ",\"exit_code\":%d,\"seconds\":0.0", status);
    run_json_failure(failure, &line);
    buf_adds(&line, "}\n");
    terminal_write(stdout, line.data, line.len);
}

/* The exit status of code that did not run; the error's text is main's to print. */
static int fail(const struct config *config, const struct error *err)
{
    int status =
        err->kind == ERROR_UNAVAILABLE || err->kind == ERROR_BUSY ? EXIT_NO_ENGINE : EXIT_FAILED;
    struct failure failure;

    if (config->json) {
        failure_of_error(&failure, err);
        print_unrun(err->text, strlen(err->text), status, &failure);
    }
    return status;
}

static void on_failed(struct analysis *analysis, const struct error *err)
{
    struct exec_run *execution = (struct exec_run *)analysis;

    *execution->err = *err;
    execution->status = fail(execution->config, err);
    uv_stop(analysis->server->loop);
}

static void on_signal(void *user)
{
    struct exec_run *execution = user;

    analysis_cancel(&execution->analysis);
}

static void refuse(const struct exec_run *execution, const struct buf *why)
{
    if (execution->config->json)
        print_unrun(why->data, why->len, EXIT_REFUSED, &execution->analysis.failure);
    else
        terminal_printf(stderr, "%s\n", why->data);
}

static int prepare(struct exec_run *execution, struct error *err)
{
    const char *const kinds[] = {execution->analysis.verdict.kind, NULL};
    const struct config *config = execution->config;

    execution->server.loop_queue = loop_queue_create(execution->server.loop, err);
    if (!execution->server.loop_queue)
        return -1;
    if (*execution->sid && server_open_readers(&execution->server, config, err) < 0)
        return -1;
    execution->server.analyses.executor = server_executor(config, kinds, err);
    return execution->server.analyses.executor ? 0 : -1;
}

/* What was checked and accepted, from its sandbox to what it printed. */
static void execute(struct exec_run *execution)
{
    struct error *err = execution->err;
    uv_loop_t loop;

    uv_loop_init(&loop);
    execution->server.loop = &loop;
    if (signals_init(&execution->signals, &loop, on_signal, execution, err) < 0 ||
        prepare(execution, err) < 0 || analysis_start(&execution->analysis, err) < 0)
        execution->status = fail(execution->config, err);
    else
        uv_run(&loop, UV_RUN_DEFAULT);
    server_finish(&execution->server);
    signals_finish(&execution->signals);
    uv_run(&loop, UV_RUN_DEFAULT);
    if (uv_loop_close(&loop) != 0)
        log_error("exec", "the event loop still had open handles at the end");
    terminal_write(stdout, execution->out.data, execution->out.len);
    terminal_write(stderr, execution->error.data, execution->error.len);
    if (execution->signals.number != 0)
        execution->status = EXIT_SIGNAL + execution->signals.number;
}

static void check_and_run(struct exec_run *execution, const struct buf *code)
{
    struct analysis *analysis = &execution->analysis;
    struct buf BUF_AUTO why = {0};

    analysis->server = &execution->server;
    analysis->code = code->data;
    analysis->code_len = code->len;
    analysis->profile = execution->server.analyses.profile;
    analysis->session_id = *execution->sid ? execution->sid : NULL;
    analysis->warnings = execution->config->warnings;
    analysis->take = take;
    analysis->on_done = on_done;
    analysis->on_failed = on_failed;
    buf_adds(&why, ANALYSIS_BLOCKED ": ");
    if (analysis_check(analysis, &why)) {
        execute(execution);
    } else {
        refuse(execution, &why);
        execution->status = EXIT_REFUSED;
    }
}

/* That of --session; else the only one of a database, if there is just one. */
static int find_session(const struct config *config, char sid[SESSION_ID_SIZE], struct error *err)
{
    cleanup_store struct store *store = NULL;
    struct error unused = {0};

    if (config->session || store_url_capabilities(config->store).waits_for_network)
        return command_option_session(config, sid, err);
    *sid = '\0';
    store = store_open(config->store, STORE_READ, &unused);
    if (store && store_only_session(store, sid, &unused) < 0)
        *sid = '\0';
    return 0;
}

static int run(const struct config *config, struct error *err)
{
    const struct validator_profile *profile = server_profile(config, err);
    struct buf BUF_AUTO code = {0};
    char sid[SESSION_ID_SIZE];
    struct exec_run *execution;
    int status;

    if (!profile)
        return EXIT_USAGE;
    /* The session must exist before a sandbox is warmed for it. */
    if (file_read(config->argument_count ? config->arguments[0] : "-", VALIDATOR_SOURCE_CAP, &code,
                  err) < 0 ||
        find_session(config, sid, err) < 0)
        return fail(config, err);
    execution = calloc(1, sizeof *execution);
    if (!execution) {
        error_set(err, ERROR_MEMORY, "out of memory");
        return fail(config, err);
    }
    execution->config = config;
    memcpy(execution->sid, sid, sizeof sid);
    execution->err = err;
    execution->server.analyses.profile = profile;
    execution->server.store.url = config->store;
    execution->server.analyses.timeout_seconds = config->timeout;
    analysis_init(&execution->analysis);
    check_and_run(execution, &code);
    status = execution->status;
    analysis_finish(&execution->analysis);
    buf_finish(&execution->out);
    buf_finish(&execution->error);
    free(execution);
    return status;
}

const struct command command_exec = {
    .name = "exec",
    .usage = "[OPTIONS] [FILE | -]",
    .summary = "Run a Python analysis of the only curriculum, or of --session",
    .options = CONFIG_EXEC,
    .most_words = 1,
    .words_needed = "one FILE at a time, or - for standard input",
    .run = run,
};
