/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lectern serve: MCP over HTTP and the session API on one port, until SIGINT or SIGTERM.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "helpers/base/log.h"
#include "mcp/command/command.h"
#include "mcp/command/server.h"
#include "mcp/transport/page_files.h"
#include "mcp/transport/transport.h"

#define DRAIN_MS 3000
/* Limit for the whole shutdown, in seconds: what blocks for longer (a service behind the store that
 * does not answer, a daemon that hangs) is abandoned. */
#define STOP_S 20

struct serve_process {
    struct server server;
    struct model *model;
    struct http_server *http;
    struct signals signals;
    bool closing;
};

static void on_closed(void *user)
{
    struct serve_process *serving = user;

    model_destroy(serving->model); /* its tasks run with the rest */
    server_finish(&serving->server);
    signals_finish(&serving->signals); /* last: a second signal cuts none of this short */
    alarm(0);
}

/* What ends without its callbacks leaves nothing: the sandboxes are removed here, the store is as
 * after any crash, whole up to its last commit. */
static void on_stuck(void *user)
{
    struct serve_process *serving = user;

    executor_destroy(serving->server.analyses.executor);
    log_error("serve", "a run did not end; exiting");
    _exit(EXIT_FAILED);
}

/* The loop's thread may be what waits, so this is a signal's handler. */
static void on_alarm(int number)
{
    static const char text[] = "serve: shutdown timed out; exiting\n";

    (void)number;
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
        _exit(EXIT_FAILED);
    _exit(EXIT_FAILED);
}

static void on_signal(void *user)
{
    struct serve_process *serving = user;

    if (serving->closing)
        return;
    serving->closing = true;
    log_info("serve", "stopping: answers under way have %d s", DRAIN_MS / 1000);
    signal(SIGALRM, on_alarm);
    alarm(STOP_S);
    http_server_close(serving->http, DRAIN_MS, on_closed, on_stuck, serving);
}

static int start(struct serve_process *serving, const struct config *config,
                 const struct model_config *model, struct error *err)
{
    struct http_config http = {
        .host = config->host,
        .port = (int)config->port,
        .allow_origins = config->allow_origin,
        .allow_hosts = config->allow_host,
        .body_cap = (size_t)config->body_cap << 20,
    };

    serving->model = model_create(model, serving->server.loop_queue, err);
    if (!serving->model)
        return -1;
    http.model = serving->model;
    serving->http = http_server_create(&serving->server, &http, err);
    if (!serving->http)
        return -1;
    return signals_init(&serving->signals, serving->server.loop, on_signal, serving, err);
}

static int run(const struct config *config, struct error *err)
{
    struct serve_process serving = {0};
    struct model_config model;
    uv_loop_t loop;
    int rc;

    config_model(config, &model);
    if (!config->no_demo && demo_load(config, NULL, err) < 0)
        return EXIT_FAILED;
    uv_loop_init(&loop);
    rc = server_init(&serving.server, &loop, config, err);
    if (rc == 0)
        rc = start(&serving, config, &model, err);
    if (rc == 0) {
        int port = http_server_port(serving.http);

        if (page_file_count > 0)
            fprintf(stderr, "Page: http://%s:%d/\n", config->host, port);
        else
            fprintf(stderr, "Page: not in this build: %s\n", page_files_missing);
        fprintf(stderr,
                "Lectern serves http://%s:%d  (MCP: /mcp, health: /health; Ctrl-C stops it)\n",
                config->host, port);
        uv_run(&loop, UV_RUN_DEFAULT);
    } else {
        model_destroy(serving.model);
        server_finish(&serving.server);
        uv_run(&loop, UV_RUN_DEFAULT);
    }
    http_server_destroy(serving.http);
    if (uv_loop_close(&loop) != 0)
        log_error("serve", "the event loop still had open handles at the end");
    return rc < 0 ? EXIT_FAILED : EXIT_OK;
}

const struct command command_serve = {
    .name = "serve",
    .usage = "[OPTIONS]",
    .summary = "Serve MCP, the session API and the page over HTTP",
    .options = CONFIG_SERVE,
    .run = run,
};
