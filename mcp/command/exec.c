/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lectern exec: one analysis from the shell, or several of --batch, checked and run as execute_code
 * would. SIGINT and SIGTERM end the runs and their sandboxes, then the command.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/log.h"
#include "helpers/base/terminal.h"
#include "mcp/analysis/analysis.h"
#include "mcp/analysis/run_answer.h"
#include "mcp/api/rest.h"
#include "mcp/command/command.h"
#include "mcp/command/server.h"
#include "mcp/format/file.h"
#include "mcp/store/entities/session.h"
#include "mcp/store/store.h"

#define BATCH_FILE_CAP ((size_t)4 << 20) /* bytes */

/* One program, and its output. */
struct exec_part {
    struct analysis analysis;
    struct exec_process *process;
    const char *name; /* NULL: of a program alone */
    struct error err; /* why there was no run */
    int status;
    struct buf out, error; /* standard output and standard error */
};

struct exec_process {
    struct server server; /* as far as analyses need them */
    struct signals signals;
    const struct config *config;
    char sid[SESSION_ID_SIZE]; /* of the session that the code may read, or "" */
    struct exec_part *parts[REST_BATCH_MOST];
    size_t count, left; /* left: those that run */
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

static void begin_json(const struct exec_part *part, bool ok, struct buf *to)
{
    buf_adds(to, "{");
    if (part->name) {
        buf_adds(to, "\"name\":");
        json_write_string(to, part->name, strlen(part->name));
        buf_addc(to, ',');
    }
    buf_addf(to, "\"ok\":%s,", ok ? "true" : "false");
}

static void add_json(struct exec_part *part, const struct execution_result *result)
{
    struct buf *to = &part->out;

    begin_json(part, result->status == EXECUTION_OK, to);
    run_json_texts(result, to);
    buf_addf(to, ",\"exit_code\":%d,\"seconds\":%.6f", result->exit_code, result->seconds);
    if (result->artifact_count > 0) {
        buf_adds(to, ",\"artifacts\":");
        run_json_artifacts(result, to);
    }
    run_json_failure(&part->analysis.failure, to);
    buf_addc(to, '}');
}

static void add_plain(struct exec_part *part, const struct execution_result *result)
{
    run_add_stdout(result, &part->out);
    if (run_answer_shows_value(result))
        buf_addf(&part->out, "%s\n", result->value);
    run_add_stderr(result, &part->error);
    if (result->error)
        buf_addf(&part->error, "%s\n", result->error);
    if (result->stdout_cut + result->stderr_cut > 0)
        buf_addf(&part->error, "lectern exec: %llu bytes of output left out\n",
                 (unsigned long long)result->stdout_cut + result->stderr_cut);
    if (result->artifact_count > 0)
        buf_addf(&part->error, "lectern exec: %zu figure%s: use --json to get them\n",
                 result->artifact_count, result->artifact_count == 1 ? "" : "s");
}

/* On the executor's thread. */
static void take(struct analysis *analysis, const struct execution_result *result)
{
    struct exec_part *part = (struct exec_part *)analysis;

    part->status = exit_status(result);
    if (part->process->config->json)
        add_json(part, result);
    else
        add_plain(part, result);
}

static void on_done(struct analysis *analysis)
{
    struct exec_process *process = ((struct exec_part *)analysis)->process;

    if (--process->left == 0)
        uv_stop(process->server.loop);
}

/* Code that did not run, as --json has it. */
static void add_unrun(struct exec_part *part, const char *why, size_t len)
{
    struct buf *to = &part->out;

    buf_clear(to);
    begin_json(part, false, to);
    run_json_refused(why, len, to);
    buf_addf(to, ",\"exit_code\":%d,\"seconds\":0.0", part->status);
    run_json_failure(&part->analysis.failure, to);
    buf_addc(to, '}');
}

static void fail(struct exec_part *part, const struct error *err)
{
    part->err = *err;
    part->status =
        err->kind == ERROR_UNAVAILABLE || err->kind == ERROR_BUSY ? EXIT_NO_ENGINE : EXIT_FAILED;
    failure_of_error(&part->analysis.failure, err);
    if (part->process->config->json)
        add_unrun(part, err->text, strlen(err->text));
}

static void on_failed(struct analysis *analysis, const struct error *err)
{
    fail((struct exec_part *)analysis, err);
    on_done(analysis);
}

static void on_signal(void *user)
{
    struct exec_process *process = user;

    for (size_t i = 0; i < process->count; i++)
        analysis_cancel(&process->parts[i]->analysis);
}

/* ---- the programs ---- */

static struct exec_part *add_part(struct exec_process *process, const char *name, const char *code,
                                  size_t len, struct error *err)
{
    struct exec_part *part = calloc(1, sizeof *part);
    struct analysis *analysis;

    if (!part) {
        error_set(err, ERROR_MEMORY, "out of memory for a program");
        return NULL;
    }
    analysis = &part->analysis;
    analysis_init(analysis);
    part->process = process;
    part->name = name;
    analysis->server = &process->server;
    analysis->code = code;
    analysis->code_len = len;
    analysis->profile = process->server.analyses.profile;
    analysis->session_id = *process->sid ? process->sid : NULL;
    analysis->warnings = process->config->warnings;
    analysis->take = take;
    analysis->on_done = on_done;
    analysis->on_failed = on_failed;
    process->parts[process->count++] = part;
    return part;
}

static const struct field file_rows[] = {
    FIELD("batch", FIELD_ARRAY, .required = true, .of = &rest_batch_part), {0}};
static const struct fields file_fields = {.name = "the file", .rows = file_rows};

/* The array of programs, which may be the member "batch" of an object. A new reference. */
static json_t *read_batch(const char *path, struct error *err)
{
    struct buf BUF_AUTO text = {0};
    struct validation_errors problems;
    json_auto_t *read = NULL, *object = NULL;

    if (file_read(path, BATCH_FILE_CAP, &text, err) < 0)
        return NULL;
    read = json_read(text.data ? text.data : "", text.len, path, err);
    if (!read)
        return NULL;
    object = json_is_object(read) ? json_incref(read) : json_pack("{s:O}", "batch", read);
    validation_begin(&problems, "");
    fields_check(&file_fields, object, NULL, &problems);
    if (validation_end(&problems, NULL, err) < 0) {
        error_wrap(err, "%s", path);
        return NULL;
    }
    return json_incref(json_object_get(object, "batch"));
}

static int add_batch(struct exec_process *process, const json_t *programs, struct error *err)
{
    const json_t *program;
    size_t i;

    json_array_foreach((json_t *)programs, i, program)
    {
        const json_t *code = json_object_get(program, "code");

        if (!add_part(process, json_string_value(json_object_get(program, "name")),
                      json_string_value(code), json_string_length(code), err))
            return -1;
    }
    return 0;
}

/* ---- running them ---- */

/* false: it was refused, which its output says. */
static bool check(struct exec_part *part)
{
    struct buf BUF_AUTO why = {0};

    buf_adds(&why, ANALYSIS_BLOCKED ": ");
    if (analysis_check(&part->analysis, &why))
        return true;
    part->status = EXIT_REFUSED;
    if (part->process->config->json)
        add_unrun(part, why.data, why.len);
    else
        buf_addf(&part->error, "%s\n", why.data);
    return false;
}

static int prepare(struct exec_process *process, const char *const *kinds, struct error *err)
{
    const struct config *config = process->config;

    process->server.loop_queue = loop_queue_create(process->server.loop, err);
    if (!process->server.loop_queue)
        return -1;
    if (*process->sid && server_open_readers(&process->server, config, err) < 0)
        return -1;
    process->server.analyses.executor = server_executor(config, kinds, err);
    return process->server.analyses.executor ? 0 : -1;
}

/* Those that were checked and accepted, from their sandboxes to their output. */
static void execute(struct exec_process *process, struct exec_part *const *accepted, size_t count)
{
    const char *kinds[REST_BATCH_MOST + 1] = {NULL};
    struct error err = {0};
    uv_loop_t loop;

    for (size_t i = 0; i < count; i++)
        kinds[i] = accepted[i]->analysis.verdict.kind;
    uv_loop_init(&loop);
    process->server.loop = &loop;
    if (signals_init(&process->signals, &loop, on_signal, process, &err) < 0 ||
        prepare(process, kinds, &err) < 0) {
        for (size_t i = 0; i < count; i++)
            fail(accepted[i], &err);
        count = 0;
    }
    process->left = count + 1;
    for (size_t i = 0; i < count; i++)
        if (analysis_start(&accepted[i]->analysis, &err) < 0)
            on_failed(&accepted[i]->analysis, &err);
    if (--process->left > 0)
        uv_run(&loop, UV_RUN_DEFAULT);
    server_finish(&process->server);
    signals_finish(&process->signals);
    uv_run(&loop, UV_RUN_DEFAULT);
    if (uv_loop_close(&loop) != 0)
        log_error("exec", "the event loop still had open handles at the end");
}

/* The output of a program of a batch is below its name. */
static void print_plain(const struct exec_part *part)
{
    if (part->name)
        terminal_printf(stdout, "== %s ==\n", part->name);
    terminal_write(stdout, part->out.data, part->out.len);
    if (part->name && part->error.len + strlen(part->err.text) > 0) {
        fflush(stdout);
        terminal_printf(stderr, "== %s ==\n", part->name);
    }
    terminal_write(stderr, part->error.data, part->error.len);
    if (part->name && *part->err.text)
        terminal_printf(stderr, "%s\n", part->err.text);
}

static void print_all(const struct exec_process *process)
{
    const bool many = process->parts[0]->name != NULL;

    for (size_t i = 0; i < process->count; i++) {
        const struct exec_part *part = process->parts[i];

        if (!process->config->json) {
            print_plain(part);
            continue;
        }
        if (many)
            fputs(i == 0 ? "[" : ",\n ", stdout);
        terminal_write(stdout, part->out.data, part->out.len);
    }
    if (process->config->json)
        puts(many ? "]" : "");
}

/* The exit status: of a program alone its own, else whether all of them ran well. */
static int check_and_run(struct exec_process *process, struct error *err)
{
    struct exec_part *accepted[REST_BATCH_MOST];
    size_t count = 0, good = 0;

    for (size_t i = 0; i < process->count; i++)
        if (check(process->parts[i]))
            accepted[count++] = process->parts[i];
    if (count > 0)
        execute(process, accepted, count);
    print_all(process);
    for (size_t i = 0; i < process->count; i++)
        good += process->parts[i]->status == EXIT_OK;
    if (process->signals.number != 0)
        return EXIT_SIGNAL + process->signals.number;
    if (process->parts[0]->name)
        return good == process->count ? EXIT_OK : EXIT_FAILED;
    *err = process->parts[0]->err;
    return process->parts[0]->status;
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

static void free_process(struct exec_process *process)
{
    for (size_t i = 0; i < process->count; i++) {
        struct exec_part *part = process->parts[i];

        analysis_finish(&part->analysis);
        buf_finish(&part->out);
        buf_finish(&part->error);
        free(part);
    }
    free(process);
}

/* Before a run: the status of an error, which --json prints too. */
static int fail_early(const struct config *config, const struct error *err)
{
    struct exec_process process = {.config = config};
    struct exec_part part = {.process = &process};

    fail(&part, err);
    if (config->json)
        terminal_printf(stdout, "%s\n", part.out.data);
    buf_finish(&part.out);
    return part.status;
}

static int run(const struct config *config, struct error *err)
{
    const struct validator_profile *profile = server_profile(config, err);
    struct exec_process *process = NULL;
    json_auto_t *programs = NULL;
    struct buf BUF_AUTO code = {0};
    char sid[SESSION_ID_SIZE];
    int status;

    if (!profile)
        return EXIT_USAGE;
    if (config->batch && config->argument_count > 0) {
        error_set(err, ERROR_INVALID, "--batch FILE has the programs: leave out the other FILE");
        return EXIT_USAGE;
    }
    /* The session must exist before a sandbox is warmed for it. */
    if (config->batch ? !(programs = read_batch(config->batch, err))
                      : file_read(config->argument_count ? config->arguments[0] : "-",
                                  VALIDATOR_SOURCE_CAP, &code, err) < 0)
        return config->batch && err->kind == ERROR_INVALID ? EXIT_USAGE : fail_early(config, err);
    if (find_session(config, sid, err) < 0)
        return fail_early(config, err);
    process = calloc(1, sizeof *process);
    if (!process) {
        error_set(err, ERROR_MEMORY, "out of memory");
        return fail_early(config, err);
    }
    process->config = config;
    memcpy(process->sid, sid, sizeof sid);
    process->server.analyses.profile = profile;
    process->server.store.url = config->store;
    process->server.analyses.timeout_seconds = config->timeout;
    if (programs ? add_batch(process, programs, err) < 0
                 : !add_part(process, NULL, code.data, code.len, err))
        status = fail_early(config, err);
    else
        status = check_and_run(process, err);
    free_process(process);
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
