/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lectern stdio: MCP on standard input and output, as clients start it.
 */
#include <unistd.h>

#include "helpers/base/log.h"
#include "mcp/command/command.h"
#include "mcp/command/server.h"
#include "mcp/learner/learners.h"
#include "mcp/store/store.h"
#include "mcp/transport/transport.h"

struct stdio_process {
    struct server server;
    struct stdio_server *stdio;
    struct signals signals;
    bool ended;
};

static void on_end(void *user)
{
    struct stdio_process *serving = user;

    if (serving->ended)
        return;
    serving->ended = true;
    stdio_server_destroy(serving->stdio);
    server_finish(&serving->server);
    signals_finish(&serving->signals); /* last: a second signal cuts none of this short */
}

/* An unknown learner is reported at the start too. */
static int check_learner(const struct server *server, const struct config *config,
                         struct error *err)
{
    struct buf BUF_AUTO json = {0};
    struct learners *learners;
    int rc;

    if (!config->learner)
        return 0;
    if (!server->tutor)
        return error_set(err, ERROR_INVALID,
                         "--learner is of the tools of a tutor: lectern stdio --toolset tutor "
                         "--learner ID");
    learners = learners_open(config->learners, STORE_READ, err);
    rc = learners ? learners_read(learners, config->learner, &json, err) : -1;
    learners_close(learners);
    return rc < 0 ? error_wrap(err, "--learner") : 0;
}

static int run(const struct config *config, struct error *err)
{
    struct stdio_process serving = {0};
    char sid[SESSION_ID_SIZE];
    uv_loop_t loop;
    int rc;

    /* An unknown session is reported at the start, not by every call. */
    if (demo_load(config, NULL, err) < 0 || command_option_session(config, sid, err) < 0)
        return EXIT_FAILED;
    uv_loop_init(&loop);
    rc = server_init(&serving.server, &loop, config, err);
    if (rc == 0)
        rc = check_learner(&serving.server, config, err);
    if (rc == 0) {
        serving.stdio =
            stdio_server_create(&serving.server, STDIN_FILENO, STDOUT_FILENO, *sid ? sid : NULL,
                                config->learner, on_end, &serving, err);
        serving.signals.tutor = serving.server.tutor;
        rc = serving.stdio ? signals_init(&serving.signals, &loop, on_end, &serving, err) : -1;
    }
    if (rc < 0)
        server_finish(&serving.server);
    uv_run(&loop, UV_RUN_DEFAULT);
    if (uv_loop_close(&loop) != 0)
        log_error("stdio", "the event loop still had open handles at the end");
    return rc < 0 ? EXIT_FAILED : EXIT_OK;
}

const struct command command_stdio = {
    .name = "stdio",
    .usage = "[OPTIONS]",
    .summary = "Serve MCP on standard input and output",
    .options = CONFIG_STDIO,
    .run = run,
};
