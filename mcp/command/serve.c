/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lectern serve: MCP over HTTP and the session API on one port, until SIGINT or SIGTERM.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "helpers/base/log.h"
#include "mcp/agent/solver.h"
#include "mcp/auth/auth.h"
#include "mcp/auth/limits.h"
#include "mcp/command/command.h"
#include "mcp/command/server.h"
#include "mcp/tool/tool.h"
#include "mcp/transport/http/page_files.h"
#include "mcp/transport/transport.h"

#define DRAIN_MS 3000
/* Limit for the whole shutdown, in seconds: what blocks for longer (a service behind the store that
 * does not answer, a daemon that hangs) is abandoned. */
#define STOP_S 20

struct serve_process {
    struct server server;
    struct model *model;
    struct auth *auth; /* or NULL */
    struct http_server *http;
    struct signals signals;
    bool closing;
};

static void free_sign_in(struct serve_process *serving)
{
    auth_destroy(serving->auth);
    limits_destroy(serving->server.limits);
    serving->auth = NULL;
    serving->server.limits = NULL;
}

static void on_closed(void *user)
{
    struct serve_process *serving = user;

    model_destroy(serving->model); /* its tasks run with the rest */
    server_finish(&serving->server);
    free_sign_in(serving);
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

/* ---- sign-in ---- */

static bool is_address(const char *url)
{
    bool begins = strncmp(url, "https://", 8) == 0 || strncmp(url, "http://", 7) == 0;

    return begins && url[strlen(url) - 1] != '/' && !strpbrk(url, "?#\" \t\r\n");
}

/* What goes together, before anything is started. */
static int check_sign_in(const struct config *config, struct error *err)
{
    bool signs_in = config->token_file || config->issuer;

    if (!signs_in && !config->no_auth && !server_is_loopback(config))
        return error_set(err, ERROR_INVALID,
                         "on --host %s anyone who reaches it could edit: give --token-file FILE "
                         "(lectern token makes one), --issuer URL, or --no-auth to allow that",
                         config->host);
    if (signs_in && config->no_auth)
        return error_set(err, ERROR_INVALID,
                         "--no-auth means no sign-in: leave out --token-file and --issuer, or it");
    if (config->audience && !config->issuer)
        return error_set(err, ERROR_INVALID, "--audience is of the tokens of --issuer: give both");
    if (!config->tls_cert != !config->tls_key)
        return error_set(err, ERROR_INVALID, "TLS needs both: --tls-cert FILE --tls-key FILE");
    if (config->public_url && !is_address(config->public_url))
        return error_set(err, ERROR_INVALID,
                         "--public-url must be an address such as https://lectern.example.org, "
                         "without a slash at its end");
    return 0;
}

static int start_sign_in(struct serve_process *serving, const struct config *config,
                         struct error *err)
{
    const struct auth_config auth = {
        .token_file = config->token_file,
        .issuer = config->issuer,
        .audience = config->audience,
        .requests_a_minute = (unsigned)config->token_requests,
    };

    if (!config->token_file && !config->issuer)
        return 0;
    serving->server.limits =
        limits_create((unsigned)config->token_requests, (unsigned)config->token_analyses, err);
    if (serving->server.limits)
        serving->auth = auth_create(&auth, serving->server.loop, serving->server.limits, err);
    return serving->auth ? 0 : -1;
}

/* The address as a person on this machine opens it. */
static void write_address(const struct serve_process *serving, const struct config *config,
                          char *to, size_t size)
{
    const char *host = config->host;
    bool any = strcmp(host, "0.0.0.0") == 0 || strcmp(host, "::") == 0;

    snprintf(to, size, "%s://%s:%d", config->tls_cert ? "https" : "http", any ? "localhost" : host,
             http_server_port(serving->http));
}

/* With sign-in by a link that works once. It is a secret, so it is not written into a log. */
static void print_page(const struct serve_process *serving, const char *address)
{
    char code[TOKEN_TEXT_SIZE];
    struct identity identity;

    auth_identity_of_start(&identity);
    if (page_file_count == 0)
        fprintf(stderr, "Page: not in this build: %s\n", page_files_missing);
    else if (!serving->auth)
        fprintf(stderr, "Page: %s/\n", address);
    else if (isatty(STDERR_FILENO) && auth_make_code(serving->auth, &identity, code, NULL) == 0)
        fprintf(stderr, "Page, by a link that works once: %s/sign-in?code=%s\n", address, code);
    else
        fprintf(stderr, "Page: POST %s/sign-in/link with a token makes a link to it\n", address);
}

/* docs/benchmarks.md has the figures that `auto` follows: the roles cost less than the one model
 * where the planner has a cheaper model, and not always otherwise. */
static int choose_chat_solve(const struct solver *solver, const char *when, bool *on,
                             struct error *err)
{
    if (strcmp(when, "auto") == 0)
        *on = team_has_own(solver->team, ROLE_PLANNER);
    else if (strcmp(when, "on") == 0 || strcmp(when, "off") == 0)
        *on = strcmp(when, "on") == 0;
    else
        return error_set(err, ERROR_INVALID, "--chat-solve must be auto, on or off, not '%s'",
                         when);
    return 0;
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
        .public_url = config->public_url,
        .tls_cert = config->tls_cert,
        .tls_key = config->tls_key,
    };

    if (start_sign_in(serving, config, err) < 0)
        return -1;
    http.auth = serving->auth;
    serving->model = model_create(model, serving->server.loop_queue, err);
    if (!serving->model)
        return -1;
    http.model = serving->model;
    if (server_open_solver(&serving->server, config, err) < 0 ||
        choose_chat_solve(serving->server.solver, config->chat_solve, &http.chat_solve, err) < 0)
        return -1;
    serving->http = http_server_create(&serving->server, &http, err);
    if (!serving->http)
        return -1;
    serving->signals.tutor = serving->server.tutor;
    return signals_init(&serving->signals, serving->server.loop, on_signal, serving, err);
}

static int run(const struct config *config, struct error *err)
{
    struct serve_process serving = {0};
    struct model_config model;
    uv_loop_t loop;
    int rc;

    if (check_sign_in(config, err) < 0)
        return EXIT_USAGE;
    config_model(config, &model);
    if (!config->no_demo && demo_load(config, NULL, err) < 0)
        return EXIT_FAILED;
    uv_loop_init(&loop);
    rc = server_init(&serving.server, &loop, config, err);
    if (rc == 0)
        rc = start(&serving, config, &model, err);
    if (rc == 0) {
        char address[320];

        write_address(&serving, config, address, sizeof address);
        if (serving.server.toolsets & TOOLSET_BIT(TOOLSET_EDITOR))
            print_page(&serving, address);
        fprintf(stderr, "Lectern serves %s  (MCP: /mcp, health: /health; Ctrl-C stops it)\n",
                address);
        uv_run(&loop, UV_RUN_DEFAULT);
    } else {
        model_destroy(serving.model);
        server_finish(&serving.server);
        free_sign_in(&serving);
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
