/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lectern exec: one analysis from the shell, judged and run as execute_code would.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/log.h"
#include "mcp/command/command.h"
#include "mcp/command/parts.h"
#include "mcp/session/store.h"
#include "mcp/tool/session_broker.h"

/* What the executor's thread hands over to the main thread, which waits in the loop. */
struct execution_wait {
    struct server_parts parts; /* loop, mailbox, read lane and executor only */
    struct mail done;
    const struct config *config;
    int status;
    struct buf out, error; /* standard output and standard error as they will be printed */
};

static void *open_reader(void *arg, struct error *err)
{
    return store_open(arg, STORE_READ, err);
}

static void close_reader(void *context)
{
    store_close(context);
}

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

static void add_member(struct buf *to, const char *name, const char *text, size_t len)
{
    buf_addf(to, "\"%s\":", name);
    if (text)
        json_write_string(to, text, len);
    else
        buf_adds(to, "null");
    buf_addc(to, ',');
}

static void add_json(struct buf *to, const struct execution_result *result)
{
    buf_addf(to, "{\"ok\":%s,", result->status == EXECUTION_OK ? "true" : "false");
    add_member(to, "stdout", result->stdout_text, result->stdout_len);
    add_member(to, "stderr", result->stderr_text, result->stderr_len);
    add_member(to, "result", result->value, result->value ? strlen(result->value) : 0);
    add_member(to, "error", result->error, result->error ? strlen(result->error) : 0);
    buf_addf(to, "\"exit_code\":%d,\"seconds\":%.6f}\n", result->exit_code, result->seconds);
}

static void add_plain(struct execution_wait *wait, const struct execution_result *result)
{
    buf_add(&wait->out, result->stdout_text, result->stdout_len);
    if (result->value)
        buf_addf(&wait->out, "%s\n", result->value);
    buf_add(&wait->error, result->stderr_text, result->stderr_len);
    if (result->error)
        buf_addf(&wait->error, "%s\n", result->error);
    if (result->stdout_cut + result->stderr_cut > 0)
        buf_addf(&wait->error, "lectern exec: %llu bytes of output left out\n",
                 (unsigned long long)result->stdout_cut + result->stderr_cut);
}

/* ---- on the executor's thread ---- */

static void on_request(void *user, struct broker_request *request)
{
    struct execution_wait *wait = user;

    session_broker_take(&wait->parts, request);
}

static void on_done(void *user, const struct execution_result *result)
{
    struct execution_wait *wait = user;

    wait->status = exit_status(result);
    if (wait->config->json)
        add_json(&wait->out, result);
    else
        add_plain(wait, result);
    mailbox_post(wait->parts.mailbox, &wait->done);
}

/* ---- on the main thread ---- */

static void open_done(void *arg)
{
    struct execution_wait *wait = arg;

    uv_stop(wait->parts.loop);
}

static void refuse(const struct config *config, const struct verdict *verdict,
                   const struct buf *code)
{
    struct buf BUF_AUTO why = {0}, BUF_AUTO line = {0};

    buf_init(&why, 0);
    buf_init(&line, 0);
    buf_adds(&why, "Code analysis blocked: ");
    validator_explain(verdict, code->data, code->len, &why);
    if (!config->json) {
        fprintf(stderr, "%s\n", why.data);
        return;
    }
    buf_adds(&line, "{\"ok\":false,\"stdout\":\"\",\"stderr\":\"\",\"result\":null,\"error\":");
    json_write_string(&line, why.data, why.len);
    buf_addf(&line, ",\"exit_code\":%d,\"seconds\":0.0}", EXIT_REFUSED);
    puts(line.data);
}

static void print(const struct buf *text, FILE *to)
{
    if (text->len > 0)
        fwrite(text->data, 1, text->len, to);
}

static int prepare(struct execution_wait *wait, const char *kind, struct error *err)
{
    const char *const kinds[] = {kind, NULL};
    const struct lane_config lane = {.name = "read",
                                     .threads = 1,
                                     .capacity = 64,
                                     .open = open_reader,
                                     .close = close_reader,
                                     .arg = (void *)wait->config->store};

    if (wait->config->session) {
        wait->parts.read = lane_create(&lane, wait->parts.mailbox, err);
        if (!wait->parts.read)
            return -1;
    }
    wait->parts.executor = parts_executor(wait->config, kinds, err);
    return wait->parts.executor ? 0 : -1;
}

static int submit(struct execution_wait *wait, const struct buf *code,
                  const struct verdict *verdict, const struct validator_profile *profile,
                  struct error *err)
{
    const char *preload[VALIDATOR_MODULES_CAP + 1] = {NULL};
    struct execution_job job = {
        .code = code->data,
        .code_len = code->len,
        .session_id = wait->config->session,
        .kind = verdict->kind,
        .profile = validator_profile_name(profile),
        .allowed = validator_profile_modules(profile),
        .preload = preload,
        .timeout_ms = (unsigned)wait->config->timeout * 1000,
        .on_request = wait->config->session ? on_request : NULL,
        .on_done = on_done,
        .user = wait,
    };

    for (size_t i = 0; i < verdict->module_count; i++)
        preload[i] = verdict->modules[i];
    wait->done.open = open_done;
    wait->done.arg = wait;
    return executor_run(wait->parts.executor, &job, err) ? 0 : -1;
}

/* The session must exist before a sandbox is warmed for it. */
static int check_session(const struct config *config, struct error *err)
{
    struct store *store = store_open(config->store, STORE_READ, err);
    int rc = store ? store_session(store, config->session, NULL, 0, NULL, err) : -1;

    store_close(store);
    return rc;
}

static int execute(const struct config *config, const struct buf *code,
                   const struct verdict *verdict, const struct validator_profile *profile)
{
    struct execution_wait wait = {.config = config};
    struct error err = {0};
    uv_loop_t loop;

    buf_init(&wait.out, 0);
    buf_init(&wait.error, 0);
    uv_loop_init(&loop);
    wait.parts.loop = &loop;
    wait.parts.mailbox = mailbox_create(&loop, &err);
    if (!wait.parts.mailbox || prepare(&wait, verdict->kind, &err) < 0 ||
        submit(&wait, code, verdict, profile, &err) < 0)
        wait.status = command_fail(
            "exec",
            err.kind == ERROR_UNAVAILABLE || err.kind == ERROR_BUSY ? EXIT_NO_ENGINE : EXIT_FAILED,
            &err);
    else
        uv_run(&loop, UV_RUN_DEFAULT);
    executor_destroy(wait.parts.executor);
    lane_destroy(wait.parts.read);
    mailbox_destroy(wait.parts.mailbox);
    uv_run(&loop, UV_RUN_DEFAULT);
    if (uv_loop_close(&loop) != 0)
        log_error("exec", "the event loop still had open handles at the end");
    print(&wait.out, stdout);
    print(&wait.error, stderr);
    buf_finish(&wait.out);
    buf_finish(&wait.error);
    return wait.status;
}

static int run(const struct config *config)
{
    struct error err = {0};
    const struct validator_profile *profile = parts_profile(config, &err);
    struct buf BUF_AUTO code = {0};
    struct verdict *verdict;
    int status;

    if (!profile || config->argument_count > 1) {
        if (profile)
            error_set(&err, ERROR_INVALID, "one FILE at a time, or - for standard input");
        return command_fail("exec", EXIT_USAGE, &err);
    }
    if (command_read_file(config->argument_count ? config->arguments[0] : "-", VALIDATOR_SOURCE_CAP,
                          &code, &err) < 0 ||
        (config->session && check_session(config, &err) < 0))
        return command_fail("exec", EXIT_FAILED, &err);
    verdict = calloc(1, sizeof *verdict);
    if (!verdict) {
        error_set(&err, ERROR_MEMORY, "out of memory");
        return command_fail("exec", EXIT_FAILED, &err);
    }
    validator_check(code.data, code.len, profile, verdict);
    if (verdict->accepted) {
        status = execute(config, &code, verdict, profile);
    } else {
        refuse(config, verdict, &code);
        status = EXIT_REFUSED;
    }
    free(verdict);
    return status;
}

const struct command command_exec = {
    .name = "exec",
    .usage = "[--session SID] [--profile P] [--json] [FILE|-]",
    .summary = "run one Python analysis; without a session it has no helpers",
    .options = CONFIG_EXEC,
    .takes_words = true,
    .run = run,
};
