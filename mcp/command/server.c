/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/command/server.h"
#include "mcp/store/entities/session.h"
#include "mcp/store/search/find.h"
#include "mcp/store/shared.h"

#include "mcp/agent/solver.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/http.h"
#include "helpers/base/log.h"
#include "mcp/change/change_feed.h"
#include "mcp/change/graph_cache.h"
#include "mcp/command/profile_file.h"
#include "mcp/store/large_write.h"
#include "mcp/store/store.h"
#include "mcp/tool/dry_run.h"
#include "mcp/tool/history_pages.h"
#include "mcp/tool/tool.h"
#include "mcp/transport/mcp/ended_ids.h"
#include "mcp/tutor/tutor.h"

#define SQL_QUEUE_CAP   256
#define WRITE_GROUP_CAP 64 /* calls that share one commit */
#define READ_QUEUE_CAP  1024
#define READ_THREADS    2
/* In front of a service, where threads wait for it and not for the processor. Each session has a
 * few of them at most, so that one that has to wait holds up no other. */
#define SERVICE_THREADS      8
#define SERVICE_READ_THREADS 24
#define SERVICE_READS        8 /* of one session at once */
#define GRAPH_QUEUE_CAP      64
#define GRAPH_THREADS        6 /* they take turns, but each reads its graph by itself */
#define GRAPH_LARGE          2 /* questions that may take long, of two sessions */
#define TRIAL_QUEUE_CAP      64

static void *open_writer(void *arg, struct error *err)
{
    const struct server *server = arg;
    struct store *store = store_open(server->store.url, STORE_WRITE, err);

    if (!store)
        return NULL;
    change_feed_attach(server->store.feed, store);
    store_index_later(store);
    if (store_put_aside(store, err) == 0)
        return store;
    store_close(store);
    return NULL;
}

static void *open_reader(void *arg, struct error *err)
{
    const struct server *server = arg;

    return store_open(server->store.url, STORE_READ, err);
}

static void close_store(void *context)
{
    store_close(context);
}

static int group_begin(void *context, struct error *err)
{
    return store_begin(context, err);
}

static int group_end(void *context, struct error *err)
{
    return store_end(context, true, err);
}

/* Writes that wait together are made durable by one flush to the disk. With a service each is by
 * itself: one that the service refuses takes no other with it. */
static const struct workq_groups write_groups = {
    .begin = group_begin,
    .end = group_end,
    .jobs = WRITE_GROUP_CAP,
};

/* A failure, such as a full disk, is left to the next write or start. */
static bool work_idly(void *context)
{
    struct error unused = {0};

    return store_index_step(context, &unused) > 0 || store_drop_step(context, &unused) > 0;
}

/* The work queues with a store: for a database, then for a service. */
static const struct store_workq {
    const char *name;
    void *(*open)(void *, struct error *);
    size_t capacity;
    struct {
        size_t threads, per_key, large;
        const struct workq_groups *groups;
    } forms[2];
} sql_workq = {"sql",
               open_writer,
               SQL_QUEUE_CAP,
               {{1, 0, 0, &write_groups}, {SERVICE_THREADS, 1, 0, NULL}}},
  read_workq = {"read",
                open_reader,
                READ_QUEUE_CAP,
                {{READ_THREADS, 0, 0, NULL}, {SERVICE_READ_THREADS, SERVICE_READS, 0, NULL}}},
  graph_workq = {"graph",
                 open_reader,
                 GRAPH_QUEUE_CAP,
                 {{GRAPH_THREADS, 0, GRAPH_LARGE, NULL},
                  {SERVICE_THREADS, SERVICE_READS, GRAPH_LARGE, NULL}}},
  trial_workq = {
      "trial", open_reader, TRIAL_QUEUE_CAP, {{1, 0, 0, NULL}, {SERVICE_THREADS, 1, 0, NULL}}};

static int open_workq(struct server *server, struct workq **to, const struct store_workq *workq,
                      struct error *err)
{
    const bool service = store_url_capabilities(server->store.url).waits_for_network;
    const struct workq_config config = {
        .name = workq->name,
        .threads = workq->forms[service].threads,
        .per_key = workq->forms[service].per_key,
        .large = workq->forms[service].large,
        .capacity = workq->capacity,
        .open = workq->open,
        .close = close_store,
        .arg = server,
        .lends = !service, /* a read waits for nobody then */
        .groups = workq->forms[service].groups,
        .idle = workq->forms[service].groups ? work_idly : NULL,
    };

    *to = workq_create(&config, server->loop_queue, err);
    return *to ? 0 : -1;
}

static void free_profile(void *profile)
{
    validator_profile_destroy(profile);
}

const struct validator_profile *server_profile(const struct config *config, struct error *err)
{
    struct validator_profile *profile = profile_file_validator(config, err);

    if (profile)
        config_keep(config, profile, free_profile);
    return profile;
}

bool server_is_loopback(const struct config *config)
{
    char url[320];

    snprintf(url, sizeof url,
             strchr(config->host, ':') && *config->host != '[' ? "http://[%s]" : "http://%s",
             config->host);
    return http_is_loopback(url);
}

static void free_profile_file(void *profile)
{
    profile_file_finish(profile);
    free(profile);
}

/* The Python and the memory that a profile from a file has. */
static int add_profile(const struct config *config, struct executor_config *executor,
                       struct error *err)
{
    struct profile_file *profile = calloc(1, sizeof *profile);
    bool is_file;

    if (!profile)
        abort();
    config_keep(config, profile, free_profile_file);
    if (profile_file_find(config, profile, &is_file, err) < 0)
        return -1;
    if (!is_file)
        return 0;
    executor->added_lock = profile->lock;
    executor->memory_mb = profile->memory_mb;
    executor->docker_image = profile_file_image(config, profile, err);
    return executor->docker_image ? profile_file_check_lock(profile, err) : -1;
}

int server_executor_config(const struct config *config, struct executor_config *executor,
                           char *share, size_t size, struct error *err)
{
    static const struct {
        const char *name;
        enum executor_engine engine;
    } engines[] = {{"auto", EXECUTOR_AUTO},
                   {"docker", EXECUTOR_DOCKER},
                   {"local", EXECUTOR_LOCAL},
                   {"process", EXECUTOR_PROCESS}};
    enum execution_isolation isolation = 0;
    size_t i = 0;

    memset(executor, 0, sizeof *executor);
    while (i < sizeof engines / sizeof engines[0] && strcmp(engines[i].name, config->sandbox) != 0)
        i++;
    if (i == sizeof engines / sizeof engines[0])
        return error_set(err, ERROR_INVALID,
                         "--sandbox must be auto, docker, local or process, not '%s'",
                         config->sandbox);
    if (config_share_file(config, "", share, size, err) < 0)
        return -1;
    while (isolation < ISOLATION_COUNT &&
           strcmp(execution_isolations[isolation], config->isolation) != 0)
        isolation++;
    if (isolation == ISOLATION_COUNT)
        return error_set(err, ERROR_INVALID,
                         "--isolation must be auto, execution or session, not '%s'",
                         config->isolation);
    executor->isolation = isolation;
    executor->engine = engines[i].engine;
    executor->docker_host = config->docker_host;
    executor->docker_image = config->image;
    executor->docker_runtime = config->runtime;
    executor->waiting = config->warm;
    executor->share_dir = share;
    executor->cache = config->cache;
    executor->sandbox_uids = config->sandbox_uids;
    executor->open_host = server_is_loopback(config) ? NULL : config->host;
    return add_profile(config, executor, err);
}

struct executor *server_executor(const struct config *config, const char *const *kinds,
                                 struct error *err)
{
    struct executor_config executor;
    char share[4096];

    if (server_executor_config(config, &executor, share, sizeof share, err) < 0)
        return NULL;
    executor.warm = kinds;
    return executor_create(&executor, err);
}

int server_open_readers(struct server *server, const struct config *config, struct error *err)
{
    if (open_workq(server, &server->store.read, &read_workq, err) < 0 ||
        open_workq(server, &server->store.graph, &graph_workq, err) < 0)
        return -1;
    server->store.graphs = graph_cache_create((unsigned)config->query_timeout, err);
    return server->store.graphs ? 0 : -1;
}

static int read_toolsets(const struct config *config, unsigned *toolsets, struct error *err)
{
    if (toolsets_find(config->toolset, toolsets))
        return 0;
    return error_set(err, ERROR_INVALID, "--toolset must be " TOOLSET_CHOICES ", not '%s'",
                     config->toolset);
}

static int open_tutor(struct server *server, const struct config *config, struct error *err)
{
    const struct tutor_config tutor = {
        .learners = config->learners,
        .tiers = config->tiers,
        .exercises = config->exercises,
    };

    if (!(server->toolsets & TOOLSET_BIT(TOOLSET_TUTOR))) {
        if (config->tiers)
            return error_set(err, ERROR_INVALID,
                             "--tiers is for the tutor: send lectern serve --toolset tutor --tiers "
                             "%s, or leave out --tiers",
                             config->tiers);
        return 0;
    }
    server->tutor = tutor_create(server, &tutor, err);
    return server->tutor ? 0 : -1;
}

int server_open_solver(struct server *server, const struct config *config, struct error *err)
{
    struct solver_config solver = {
        .roles = config->role,
        .planner = config->planner,
        .budget = config->budget,
        .prices = config->prices,
    };

    if (server->solver)
        return 0;
    config_model(config, &solver.model);
    server->solver = solver_create(server, &solver, err);
    return server->solver ? 0 : -1;
}

_Static_assert(SECRET_SIZE == SEAL_KEY_SIZE, "a secret of the store is a key");

/* What clients keep for the server is good on each server with this store, and after a restart. */
static int open_seals(struct server *server, struct error *err)
{
    struct store *store = store_open(server->store.url, STORE_WRITE, err);
    int rc = store ? store_secret(store, "seal", server->seal_key, err) : -1;

    store_close(store);
    if (rc < 0)
        return -1;
    server->store.ended =
        ended_ids_create(server->store.url, server->store.sql, server->loop_queue, err);
    return server->store.ended ? 0 : -1;
}

int server_init(struct server *server, uv_loop_t *loop, const struct config *config,
                struct error *err)
{
    struct error engine = {0};

    memset(server, 0, sizeof *server);
    server->loop = loop;
    server->store.url = config->store;
    server->analyses.timeout_seconds = config->timeout;
    server->analyses.attempts = (unsigned)config->attempts;
    server->analyses.stdout_characters = config->stdout_cap;
    server->analyses.stderr_characters = config->stderr_cap;
    server->analyses.profile = server_profile(config, err);
    if (!server->analyses.profile || read_toolsets(config, &server->toolsets, err) < 0)
        return -1;
    server->dry_runs = dry_runs_new();
    server->loop_queue = loop_queue_create(loop, err);
    if (!server->loop_queue)
        return -1;
    server->store.feed = change_feed_create(server->loop_queue, err);
    if (!server->store.feed)
        return -1;
    /* The writer first: it creates and migrates the file that the readers open. */
    if (open_workq(server, &server->store.sql, &sql_workq, err) < 0 ||
        open_seals(server, err) < 0 ||
        open_workq(server, &server->store.trial, &trial_workq, err) < 0 ||
        server_open_readers(server, config, err) < 0 || open_tutor(server, config, err) < 0)
        return -1;
    if ((server->toolsets & TOOLSET_BIT(TOOLSET_SOLVE)) &&
        server_open_solver(server, config, err) < 0)
        return -1;
    server->analyses.executor = server_executor(config, NULL, &engine);
    if (!server->analyses.executor)
        log_warning("executor", "analyses cannot run: %s", engine.text);
    snprintf(server->analyses.executor_error, sizeof server->analyses.executor_error, "%s",
             engine.text);
    return 0;
}

/* A call whose next step was to be on this queue is refused then. */
static void end_workq(struct workq **workq)
{
    workq_destroy(*workq);
    *workq = NULL;
}

void server_finish(struct server *server)
{
    solver_destroy(server->solver);
    executor_destroy(server->analyses.executor);
    end_workq(&server->store.sql);
    end_workq(&server->store.read);
    end_workq(&server->store.graph);
    end_workq(&server->store.trial);
    tutor_stop(server->tutor);
    graph_cache_destroy(server->store.graphs);
    loop_queue_destroy(server->loop_queue); /* runs what the feed still has under way */
    tutor_destroy(server->tutor);
    ended_ids_destroy(server->store.ended);
    change_feed_destroy(server->store.feed);
    history_pages_destroy(server->histories);
    dry_runs_destroy(server->dry_runs);
}

static void on_uv_signal(uv_signal_t *handle, int number)
{
    struct signals *signals = handle->data;

    signals->number = number;
    signals->on_signal(signals->user);
}

static void on_hangup(uv_signal_t *handle, int number)
{
    const struct signals *signals = handle->data;

    (void)number;
    tutor_read_tiers(signals->tutor);
}

int signals_init(struct signals *signals, uv_loop_t *loop, void (*on_signal)(void *), void *user,
                 struct error *err)
{
    int rc;

    signals->on_signal = on_signal;
    signals->user = user;
    signal(SIGPIPE, SIG_IGN);
    uv_signal_init(loop, &signals->interrupt);
    uv_signal_init(loop, &signals->terminate);
    uv_signal_init(loop, &signals->hangup);
    signals->interrupt.data = signals->terminate.data = signals->hangup.data = signals;
    rc = uv_signal_start(&signals->interrupt, on_uv_signal, SIGINT);
    if (rc == 0)
        rc = uv_signal_start(&signals->terminate, on_uv_signal, SIGTERM);
    if (rc == 0 && signals->tutor && signals->tutor->tiers_file)
        rc = uv_signal_start(&signals->hangup, on_hangup, SIGHUP);
    return rc < 0 ? error_errno(err, -rc, "uv_signal_start") : 0;
}

void signals_finish(struct signals *signals)
{
    uv_close((uv_handle_t *)&signals->interrupt, NULL);
    uv_close((uv_handle_t *)&signals->terminate, NULL);
    uv_close((uv_handle_t *)&signals->hangup, NULL);
    /* libuv has put the defaults back, and one more signal would make a kill of a good end. */
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
}
