/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sandboxes as containers of a Docker daemon.
 *
 * A container is created, attached to before it starts (or output would be lost), and started
 * without a CPU limit and with a low weight, so that it warms quickly when the CPU is idle; settle
 * then sets half a CPU and full weight. docker_plan.c has all limits. Limits that the daemon does
 * not support are not requested; if it cannot change the limits of a running container, all are set
 * at the start.
 *
 * Frames go over a direct channel where the daemon shares this machine's files (docker_channel.h),
 * else over the attached stream, which is open in any case: the runner's standard error comes over
 * it, and the container ends with it.
 *
 * The daemon may be away, at the start or later: each start checks again (docker_daemon.h). Each
 * time it becomes available, containers that a dead server left are removed.
 *
 * No container is left behind: it has a name before it exists, so it can be removed even if the
 * daemon's answer was lost. Removals that fail because the daemon is away stay pending. A container
 * whose server was killed ends when its standard input closes, and the daemon removes it
 * (AutoRemove). Anything that still remains is found by the owner's label at the next start.
 */
#include "executor/engine.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "executor/docker/docker_channel.h"
#include "executor/docker/docker_daemon.h"
#include "executor/owner.h"
#include "executor/sandbox_user.h"
#include "executor/runner.h"
#include "helpers/base/clock.h"
#include "helpers/base/log.h"

#define IMAGE_CAP   256
#define RUNTIME_CAP 128

#define CHANNEL_MS       2000 /* for the runner to connect */
#define NAME_CAP         128  /* of a container's name or id */
#define REMOVALS_CAP     256u
#define REMOVALS_AT_ONCE 8u     /* tried at each start */
#define REMOVALS_RETRY_S 10     /* between two attempts */
#define REMOVE_MS        10000u /* time for the daemon to remove one */
#define REMOVE_LAST_MS   3000u  /* the same at the end of the server */
#define LAST_PAUSE_MS    200    /* between two rounds at the end */
#define DOUBT_S          120 /* seconds in which a container may still appear after its creation failed */
#define SWEEP_CAP        200u /* removed at once; the rest when the daemon next answers */
#define SWEEP_S          5 /* time limit in seconds for one, and for all; then the rest waits likewise */
#define LEFTOVERS_PATH                                                                             \
    "/containers/json?all=1&filters=%7B%22label%22%3A%5B%22lectern.owner%22%5D%7D"

/* A container to remove. */
struct removal {
    TAILQ_ENTRY(removal) link;
    char name[NAME_CAP];
    int64_t due;            /* in seconds of clock_s */
    int64_t doubtful_until; /* until then "no such container" does not end it; 0: it does */
};

struct docker {
    struct docker_daemon *daemon;
    char owner[OWNER_CAP];
    char image[IMAGE_CAP];
    char runtime[RUNTIME_CAP]; /* "": the default of the daemon */
    struct sandbox_users users;
    struct cancel *stop;
    pthread_mutex_t lock;            /* protects all members below */
    unsigned long started;           /* counter for names */
    bool no_update;                  /* the daemon cannot change the limits of running containers */
    bool no_quota, no_shares;        /* it refuses limits that it reported as supported */
    bool no_block_io, no_seccomp;    /* the same of the weight of block I/O, and of the profile */
    struct docker_channels channels; /* made when a daemon answers */
    bool no_channel;                 /* it does not share this machine's files */
    TAILQ_HEAD(, removal) removals;
    size_t removal_count;
    bool overflowed; /* logged once */
};

struct engine_box {
    char name[NAME_CAP];
    unsigned long number;
    struct http_tunnel *tunnel;
    int channel;              /* -1: frames go over the tunnel */
    struct sandbox_user user; /* none: the container runs as nobody */
    struct docker_plan plan;
    struct docker_demux demux;
    struct runner_stderr errors;
};

/* ---- removing ----
 *
 * A daemon that is away is not asked, a container whose creation was not answered may appear after
 * the request to remove it, and a removal that the daemon has begun may fail. These removals stay
 * pending, and are tried again at the next starts and at the end. The list is bounded; the next
 * server finds the rest by their label. */

enum removed { REMOVED, REMOVED_SOON, REMOVED_NONE };

/* Returns whether the container is gone, is being removed by the daemon (AutoRemove), or does not
 * exist; or -1. */
static int remove_container(struct docker_daemon *daemon, const char *name, unsigned ms,
                            struct error *err)
{
    char path[NAME_CAP + 64];
    const struct docker_request request = {.method = "DELETE", .path = path, .ms = ms};
    json_auto_t *answer = NULL;
    const char *message;
    long status;

    snprintf(path, sizeof path, "/containers/%s?force=1&v=1", name);
    status = docker_call(daemon, &request, &answer, err);
    message = json_get_string(answer, "message");
    if (status < 0)
        return -1;
    if (status == 404)
        return REMOVED_NONE;
    if (status == 409 && message && strstr(message, "in progress"))
        return REMOVED_SOON;
    return status < 300 ? REMOVED : docker_refused(status, answer, "remove a container", err);
}

static void put_back(struct docker *docker, struct removal *removal)
{
    bool say;

    pthread_mutex_lock(&docker->lock);
    say = docker->removal_count >= REMOVALS_CAP && !docker->overflowed;
    if (docker->removal_count < REMOVALS_CAP) {
        TAILQ_INSERT_TAIL(&docker->removals, removal, link);
        docker->removal_count++;
        removal = NULL;
    } else {
        docker->overflowed = true;
    }
    pthread_mutex_unlock(&docker->lock);
    if (say)
        log_warning("executor",
                    "more than %u containers could not be removed; the rest is left "
                    "to the next start of the server",
                    REMOVALS_CAP);
    free(removal);
}

/* Takes the first that is due; owned. */
static struct removal *take_due(struct docker *docker, int64_t now)
{
    struct removal *removal;

    pthread_mutex_lock(&docker->lock);
    TAILQ_FOREACH(removal, &docker->removals, link)
    {
        if (removal->due <= now)
            break;
    }
    if (removal) {
        TAILQ_REMOVE(&docker->removals, removal, link);
        docker->removal_count--;
    }
    pthread_mutex_unlock(&docker->lock);
    return removal;
}

/* Frees the removal, or puts it back. Returns -1 if the daemon does not answer. */
static int try_removal(struct docker *docker, struct removal *removal, unsigned ms)
{
    struct error err = {0};
    int rc = remove_container(docker->daemon, removal->name, ms, &err);

    if (rc == REMOVED || (rc == REMOVED_NONE && clock_s() >= removal->doubtful_until)) {
        free(removal);
        return 0;
    }
    if (rc < 0)
        log_debug("executor", "container %s stays for now: %s", removal->name, err.text);
    removal->due = clock_s() + REMOVALS_RETRY_S;
    put_back(docker, removal);
    return docker_daemon_is_here(docker->daemon) ? 0 : -1;
}

/* Retries some removals that are due. Does nothing if the daemon is away. */
static void retry_removals(struct docker *docker)
{
    struct removal *removal;

    for (unsigned i = 0; i < REMOVALS_AT_ONCE && docker_daemon_is_here(docker->daemon); i++) {
        removal = take_due(docker, clock_s());
        if (!removal || try_removal(docker, removal, REMOVE_MS) < 0)
            return;
    }
}

/* Removes the container now or later. doubtful: it may not exist. */
static void remove_later(struct docker *docker, const char *name, bool doubtful)
{
    struct removal *removal = calloc(1, sizeof *removal);

    if (!removal) {
        log_warning("executor", "container %s is left to the next start: out of memory", name);
        return;
    }
    snprintf(removal->name, sizeof removal->name, "%s", name);
    if (doubtful)
        removal->doubtful_until = clock_s() + DOUBT_S;
    if (docker_daemon_is_here(docker->daemon))
        try_removal(docker, removal, cancel_fired(docker->stop) ? REMOVE_LAST_MS : REMOVE_MS);
    else
        put_back(docker, removal); /* due as soon as the daemon answers */
}

/* Tries each once, even if it is not due. Returns -1 if the daemon does not answer. */
static int try_all(struct docker *docker)
{
    for (size_t left = docker->removal_count; left > 0; left--) {
        struct removal *removal = take_due(docker, clock_s() + REMOVALS_RETRY_S);

        if (!removal)
            return 0;
        removal->doubtful_until = 0; /* a container that appears later is left to the next server */
        if (try_removal(docker, removal, REMOVE_LAST_MS) < 0)
            return -1;
    }
    return 0;
}

/* Repeats as long as the daemon answers and there is time: after a crash it may hold a container
 * for a moment. */
static void remove_last(struct docker *docker)
{
    const struct timespec moment = {.tv_nsec = LAST_PAUSE_MS * 1000000L};
    int64_t until = clock_s() + REMOVE_LAST_MS / 1000;
    struct error err = {0};
    bool again;

    if (docker->removal_count == 0 || docker_daemon_check(docker->daemon, true, &again, &err) < 0)
        return;
    while (try_all(docker) == 0 && docker->removal_count > 0 && clock_s() <= until)
        nanosleep(&moment, NULL);
}

/* Removes what can be removed within a few seconds. */
static void finish_removals(struct docker *docker)
{
    struct removal *removal;

    remove_last(docker);
    if (docker->removal_count > 0)
        log_warning("executor",
                    "%zu containers could not be removed; the next start of a server "
                    "removes what is left of them",
                    docker->removal_count);
    while ((removal = TAILQ_FIRST(&docker->removals))) {
        TAILQ_REMOVE(&docker->removals, removal, link);
        free(removal);
    }
}

/* Owned; NULL if the daemon does not answer. */
static json_t *list_containers(struct docker_daemon *daemon)
{
    const struct docker_request request = {.method = "GET", .path = LEFTOVERS_PATH, .look = true};
    struct error err = {0};
    json_t *list;
    long status = docker_call(daemon, &request, &list, &err);

    if (status == 200)
        return list;
    if (status >= 0)
        docker_refused(status, list, "list containers", &err);
    log_warning("executor", "leftover containers were not looked for: %s", err.text);
    json_decref(list);
    return NULL;
}

/* Removes the containers of dead servers, found by the owner's label, when a daemon answers.
 * Failures are only logged. */
static void sweep(struct docker_daemon *daemon)
{
    json_auto_t *list = list_containers(daemon);
    json_t *container;
    time_t began = time(NULL);
    struct error err = {0};
    size_t index, removed = 0, kept = 0;

    json_array_foreach(list, index, container)
    {
        const char *id = json_get_string(container, "Id");

        if (!id || strlen(id) >= NAME_CAP || !docker_is_leftover(container, (long)began))
            continue;
        if (removed >= SWEEP_CAP || time(NULL) - began > SWEEP_S ||
            !docker_daemon_is_here(daemon) ||
            remove_container(daemon, id, SWEEP_S * 1000, &err) < 0)
            kept++;
        else
            removed++;
    }
    if (removed > 0)
        log_info("executor", "removed %zu containers that a server left behind", removed);
    if (kept > 0)
        log_warning("executor", "%zu leftover containers stay for now: %s", kept,
                    err.text[0] ? err.text : "there are too many");
}

/* ---- properties of the daemon ---- */

/* Meets the daemon if it is away; *err says why it cannot be used. quiet: do not log it. */
static int check_daemon(struct docker *docker, bool quiet, struct error *err)
{
    bool again;

    if (docker_daemon_check(docker->daemon, quiet, &again, err) < 0)
        return -1;
    if (again) {
        pthread_mutex_lock(&docker->lock);
        docker->no_update = docker->no_quota = docker->no_shares = docker->no_block_io =
            docker->no_seccomp = docker->no_channel = false; /* it may be another daemon */
        if (!docker->channels.path[0])
            docker_channels_open(&docker->channels, docker->owner);
        pthread_mutex_unlock(&docker->lock);
        sweep(docker->daemon);
    }
    return 0;
}

/* The features that the daemon reported, without those that it has refused since. */
static void read_info(struct docker *docker, struct docker_info *info)
{
    docker_daemon_info(docker->daemon, info);
    pthread_mutex_lock(&docker->lock);
    info->limits.cpu_quota = info->limits.cpu_quota && !docker->no_quota;
    info->limits.cpu_shares = info->limits.cpu_shares && !docker->no_shares;
    info->limits.block_io = info->limits.block_io && !docker->no_block_io;
    info->own_seccomp = info->own_seccomp && !docker->no_seccomp;
    pthread_mutex_unlock(&docker->lock);
}

/* Plans a container of that kind with the limits that this daemon supports. */
static void plan_box(struct docker *docker, const struct execution_kind *kind,
                     struct docker_plan *plan)
{
    struct docker_info info;

    read_info(docker, &info);
    pthread_mutex_lock(&docker->lock);
    *plan = (struct docker_plan){
        .kind = kind,
        .image = docker->image,
        .owner = docker->owner,
        .runtime = docker->runtime,
        .limits = info.limits,
        .own_seccomp = info.own_seccomp,
        .cpu_at_once = docker->no_update,
        .started = (long)time(NULL),
    };
    pthread_mutex_unlock(&docker->lock);
}

/* Sets a flag of docker; returns true if it was not set. */
static bool learn(struct docker *docker, bool *flag)
{
    bool known;

    pthread_mutex_lock(&docker->lock);
    known = *flag;
    *flag = true;
    pthread_mutex_unlock(&docker->lock);
    return !known;
}

static bool has_word(const char *message, const char *const *words)
{
    while (*words && !strcasestr(message, *words))
        words++;
    return *words;
}

/* Records a daemon's refusal that is caused by missing control groups of CPU or block I/O, or by
 * its seccomp: the next container is created without that, or with the daemon's own profile. Limits
 * of memory and processes are never dropped for an error message. Returns whether it was the CPU.
 */
static bool learn_limits(struct docker *docker, const char *message)
{
    static const char *const cpu[] = {"NanoCPUs", "CPU cfs", "controller `cpu`", "cpu.max", NULL};
    static const char *const block_io[] = {"blkio", "io.weight", "io.bfq.weight", "controller `io`",
                                           NULL};
    static const char *const profile[] = {"seccomp", NULL};

    if (!message)
        return false;
    if (has_word(message, profile) && learn(docker, &docker->no_seccomp))
        log_warning("executor",
                    "the Docker daemon refuses Lectern's seccomp profile (%s); its own profile and "
                    "the runner's filters stand in",
                    message);
    if (has_word(message, block_io) && learn(docker, &docker->no_block_io))
        log_warning("executor", "the Docker daemon cannot set the weight of block I/O (%s)",
                    message);
    if (!has_word(message, cpu))
        return false;
    if (!strcasestr(message, "NanoCPUs"))
        learn(docker, &docker->no_shares);
    if (learn(docker, &docker->no_quota))
        log_warning("executor",
                    "the Docker daemon cannot limit the CPU of a container (%s); the runner's "
                    "own limits stand in",
                    message);
    return true;
}

/* Whether this answer to an update means that the daemon cannot update, not that the container is
 * gone. */
static bool cannot_update(struct docker *docker, long status, const json_t *answer)
{
    const char *message = json_get_string(answer, "message");

    if (learn_limits(docker, message))
        return true;
    if (status == 404 && message && strcasestr(message, "no such container"))
        return false;
    if (status != 400 && status != 404 && status != 405 && status != 501)
        return false;
    if (learn(docker, &docker->no_update))
        log_warning("executor",
                    "the Docker daemon cannot change a container's limits (%ld: %s); from now on "
                    "each has them from its start, and warms more slowly",
                    status, message ? message : "no message");
    return true;
}

/* ---- starting ---- */

/* *doubtful: the daemon may have created it although the call failed. */
static int create_container(struct docker *docker, const struct engine_box *box, bool *doubtful,
                            struct error *err)
{
    json_auto_t *plan = docker_plan_create(&box->plan, err), *answer = NULL;
    char path[NAME_CAP + 64];
    /* Never cancelled: a daemon whose client disconnects creates the container anyway, and does not
     * know its name if it is to be removed at once. */
    const struct docker_request request = {.method = "POST", .path = path, .body = plan};
    const json_t *warning;
    size_t index;
    long status;

    if (!plan)
        return -1;
    snprintf(path, sizeof path, "/containers/create?name=%s", box->name);
    status = docker_call(docker->daemon, &request, &answer, err);
    *doubtful = status < 0;
    /* It drops a weight of block I/O that its kernel does not have, and says so here. */
    json_array_foreach(json_object_get(answer, "Warnings"), index, warning)
        log_debug("executor", "the Docker daemon says of a container: %s",
                  json_string_value(warning) ? json_string_value(warning) : "");
    if (status < 0 || status == 201)
        return status < 0 ? -1 : 0;
    if (status >= 400)
        learn_limits(docker, json_get_string(answer, "message"));
    if (status == 404)
        return error_set(err, ERROR_UNAVAILABLE, "the image %s is not there: make image",
                         docker->image);
    return docker_refused(status, answer, "create a container", err);
}

static int start_container(struct docker *docker, const struct engine_box *box, struct error *err)
{
    char path[NAME_CAP + 64];
    const struct docker_request request = {.method = "POST", .path = path, .cancel = docker->stop};
    json_auto_t *answer = NULL;
    long status;

    snprintf(path, sizeof path, "/containers/%s/start", box->name);
    status = docker_call(docker->daemon, &request, &answer, err);
    if (status < 300)
        return status < 0 ? -1 : 0;
    if (status >= 400)
        learn_limits(docker, json_get_string(answer, "message"));
    return docker_refused(status, answer, "start a container", err);
}

static struct engine_box *create_box(struct docker *docker, struct error *err)
{
    struct engine_box *box = calloc(1, sizeof *box);
    const char *apart = strrchr(docker->owner, '/') + 1;

    if (!box) {
        error_set(err, ERROR_MEMORY, "out of memory for a sandbox");
        return NULL;
    }
    box->demux.errors = &box->errors;
    pthread_mutex_lock(&docker->lock);
    box->number = ++docker->started;
    pthread_mutex_unlock(&docker->lock);
    box->channel = -1;
    snprintf(box->name, sizeof box->name, "lectern-%s-%lu", apart, box->number);
    return box;
}

/* Whether the kernel of the containers has the range of ids as it is. A daemon with mapped users
 * has few ids, and maps nobody to one of its own. */
static bool has_ids(struct docker *docker)
{
    struct docker_info info;
    struct error err = {0};

    docker_daemon_info(docker->daemon, &info);
    return !info.rootless && !info.userns && sandbox_users_check(&docker->users, &err) == 0;
}

static int take_user(struct docker *docker, struct engine_box *box, struct error *err)
{
    if (has_ids(docker) && sandbox_user_take(&box->user, &docker->users, err) < 0)
        return -1;
    box->plan.user = box->user.id;
    return 0;
}

/* ---- the direct channel ---- */

/* Leaves the channel empty if there is none. */
static void open_channel(struct docker *docker, struct engine_box *box,
                         struct docker_channel *channel)
{
    const char *address = docker_daemon_address(docker->daemon);
    struct docker_channels channels;
    struct error err = {0};
    bool none;

    *channel = (struct docker_channel){.listener = -1};
    pthread_mutex_lock(&docker->lock);
    channels = docker->channels;
    none = docker->no_channel || !channels.path[0];
    pthread_mutex_unlock(&docker->lock);
    if (none || strncmp(address, "tcp://", strlen("tcp://")) == 0)
        return;
    if (docker_channel_open(channel, &channels, box->number, box->user.id, &err) < 0)
        log_warning("executor", "%s; the daemon's stream is used", err.text);
    box->plan.channel = channel->folder[0] ? channel->folder : NULL;
}

static void learn_no_channel(struct docker *docker, const char *why)
{
    if (learn(docker, &docker->no_channel))
        log_info("executor",
                 "containers use the daemon's stream, because it does not share this machine's "
                 "files: %s",
                 why);
}

/* Takes the runner's connection. If there is none, the runner uses the attached stream. */
static void take_channel(struct docker *docker, struct engine_box *box,
                         struct docker_channel *channel)
{
    struct error err = {0};

    if (!channel->folder[0])
        return;
    box->channel = docker_channel_accept(channel, http_tunnel_fd(box->tunnel), CHANNEL_MS, &err);
    if (box->channel < 0 && err.kind == ERROR_TIMEOUT)
        learn_no_channel(docker, err.text);
    else if (box->channel < 0)
        log_debug("executor", "%s", err.text);
    docker_channel_close(channel);
    box->plan.channel = NULL;
}

/* Creates a container with a channel, or without one if the daemon cannot mount its folder. */
static int create_either(struct docker *docker, struct engine_box *box,
                         struct docker_channel *channel, bool *doubtful, struct error *err)
{
    struct error why = {0};

    if (create_container(docker, box, doubtful, &why) == 0)
        return 0;
    if (!channel->folder[0] || !strstr(why.text, channel->folder))
        return error_set(err, why.kind, "%s", why.text);
    learn_no_channel(docker, why.text);
    docker_channel_close(channel);
    box->plan.channel = NULL;
    return create_container(docker, box, doubtful, err);
}

static struct engine_box *docker_start(void *state, const struct execution_kind *kind,
                                       struct error *err)
{
    struct docker *docker = state;
    struct docker_channel channel;
    struct engine_box *box;
    bool doubtful = false;

    if (cancel_check(docker->stop, err) < 0 || check_daemon(docker, false, err) < 0)
        return NULL;
    retry_removals(docker);
    box = create_box(docker, err);
    if (!box)
        return NULL;
    plan_box(docker, kind, &box->plan);
    if (take_user(docker, box, err) < 0) {
        free(box);
        return NULL;
    }
    open_channel(docker, box, &channel);
    if (create_either(docker, box, &channel, &doubtful, err) < 0)
        goto fail;
    box->tunnel = docker_attach(docker->daemon, box->name, docker->stop, err);
    if (!box->tunnel || start_container(docker, box, err) < 0)
        goto fail;
    take_channel(docker, box, &channel);
    return box;
fail:
    docker_channel_close(&channel);
    http_tunnel_close(box->tunnel);
    remove_later(docker, box->name, doubtful);
    sandbox_user_give_back(&box->user);
    free(box);
    return NULL;
}

static int docker_settle(void *state, struct engine_box *box, struct error *err)
{
    struct docker *docker = state;
    char path[NAME_CAP + 64];
    struct docker_request request = {.method = "POST", .path = path, .cancel = docker->stop};
    json_auto_t *plan = NULL, *answer = NULL;
    long status;

    if (!docker_plan_settles(&box->plan))
        return 0;
    plan = docker_plan_settle(&box->plan.limits, err);
    if (!plan)
        return -1;
    request.body = plan;
    snprintf(path, sizeof path, "/containers/%s/update", box->name);
    status = docker_call(docker->daemon, &request, &answer, err);
    if (status < 300)
        return status < 0 ? -1 : 0;
    docker_refused(status, answer, "limit a container's CPU", err);
    /* This container is not used, unless no container can have that limit. */
    return cannot_update(docker, status, answer) && docker->no_quota ? 0 : -1;
}

static void docker_destroy(void *state, struct engine_box *box)
{
    struct docker *docker = state;

    /* The connection is closed first: a daemon whose reader has stopped cannot even kill the
     * container. */
    http_tunnel_close(box->tunnel);
    if (box->channel >= 0)
        close(box->channel);
    remove_later(docker, box->name, false);
    sandbox_user_give_back(&box->user);
    free(box);
}

/* ---- the stream ---- */

static int docker_fd(const struct engine_box *box)
{
    return box->channel >= 0 ? box->channel : http_tunnel_fd(box->tunnel);
}

static ssize_t receive_attached(struct engine_box *box, void *bytes, size_t size)
{
    for (;;) {
        ssize_t got = http_tunnel_receive(box->tunnel, bytes, size);

        if (got <= 0)
            return got;
        got = docker_demux(&box->demux, bytes, (size_t)got);
        if (got < 0) {
            static const char words[] = "the stream from the Docker daemon is none of its form\n";

            runner_stderr_add(&box->errors, words, sizeof words - 1);
            errno = EPROTO;
        }
        if (got != 0)
            return got;
    }
}

/* With a channel only the runner's standard error comes over the attached stream. It is read all
 * the same: a daemon whose reader has stopped cannot even kill the container. Returns -1 at its
 * end: the daemon is gone, and the container is about to be. */
static int read_errors(struct engine_box *box)
{
    char bytes[1024];
    ssize_t got;

    do {
        got = receive_attached(box, bytes, sizeof bytes);
    } while (got > 0);
    return got < 0 && errno == EAGAIN ? 0 : -1;
}

static ssize_t docker_send(struct engine_box *box, const void *bytes, size_t len)
{
    if (box->channel < 0)
        return http_tunnel_send(box->tunnel, bytes, len);
    if (read_errors(box) < 0) {
        errno = EPIPE;
        return -1;
    }
    return send(box->channel, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static ssize_t docker_receive(struct engine_box *box, void *bytes, size_t size)
{
    ssize_t got;

    if (box->channel < 0)
        return receive_attached(box, bytes, size);
    got = recv(box->channel, bytes, size, MSG_DONTWAIT);
    if (got >= 0)
        read_errors(box);
    return got;
}

static const char *docker_stderr_tail(struct engine_box *box)
{
    if (box->channel >= 0)
        read_errors(box);
    return runner_stderr_line(&box->errors);
}

/* ---- opening ---- */

static void docker_close(void *state)
{
    struct docker *docker = state;

    finish_removals(docker);
    docker_channels_close(&docker->channels);
    docker_daemon_destroy(docker->daemon);
    cancel_unref(docker->stop);
    pthread_mutex_destroy(&docker->lock);
    free(docker);
}

static void *docker_open(const struct executor_config *config, struct error *err)
{
    struct docker *docker = calloc(1, sizeof *docker);
    struct error why = {0};

    if (!docker) {
        error_set(err, ERROR_MEMORY, "out of memory for the Docker engine");
        return NULL;
    }
    pthread_mutex_init(&docker->lock, NULL);
    TAILQ_INIT(&docker->removals);
    if (config->docker_runtime && strlen(config->docker_runtime) >= sizeof docker->runtime) {
        error_set(err, ERROR_INVALID, "the name of the runtime is too long: --runtime");
        goto fail;
    }
    snprintf(docker->runtime, sizeof docker->runtime, "%s",
             config->docker_runtime ? config->docker_runtime : "");
    if (!config->docker_image || !config->docker_image[0] ||
        strlen(config->docker_image) >= sizeof docker->image) {
        error_set(err, ERROR_INVALID, "no name of an image is given: --image");
        goto fail;
    }
    snprintf(docker->image, sizeof docker->image, "%s", config->docker_image);
    docker->stop = cancel_create(err);
    if (sandbox_users_read(&docker->users, config->sandbox_uids, err) < 0)
        goto fail;
    if (!docker->stop || owner_label(docker->owner, err) < 0)
        goto fail;
    docker->daemon =
        docker_daemon_create(config->docker_host, docker->image, config->docker_times, err);
    if (!docker->daemon)
        goto fail;
    check_daemon(docker, true, &why); /* a daemon that is away now does not prevent opening */
    return docker;
fail:
    docker_close(docker);
    return NULL;
}

static int docker_works(void *state, struct error *err)
{
    return check_daemon(state, true, err);
}

static int docker_made_of(void *state, char text[ENGINE_MADE_OF_CAP], struct error *err)
{
    struct docker *docker = state;
    struct docker_image image;

    if (check_daemon(docker, false, err) < 0)
        return -1;
    retry_removals(docker); /* also if nothing has been started for a long time */
    if (docker_find_image(docker->daemon, &image, err) < 0)
        return -1;
    snprintf(text, ENGINE_MADE_OF_CAP, "%s", image.id);
    return 0;
}

static void docker_interrupt(void *state)
{
    struct docker *docker = state;

    cancel_fire(docker->stop);
}

/* ---- describing ---- */

static void describe_here(struct docker *docker, char *text, size_t size)
{
    char server[160], missing[64], limits[160];
    struct docker_info info;

    docker_daemon_server(docker->daemon, server, sizeof server);
    read_info(docker, &info);
    docker_info_missing(&info, missing, sizeof missing);
    if (missing[0])
        snprintf(limits, sizeof limits, "this daemon holds no limit of %s: the runner's stand in",
                 missing);
    else
        snprintf(limits, sizeof limits, "limits of memory and processes, half a CPU");
    snprintf(text, size,
             "code runs in containers of %s at %s%s%s%s, image %s: no network, read-only root, as "
             "%s, no capability, %s, %s seccomp profile; seccomp and Landlock by the runner",
             server, docker_daemon_address(docker->daemon), docker->runtime[0] ? ", runtime " : "",
             docker->runtime, info.rootless ? ", rootless" : "", docker->image,
             has_ids(docker) ? "a separate user" : "nobody", limits,
             info.own_seccomp ? "Lectern's" : "the daemon's");
}

static void docker_describe(void *state, char *text, size_t size)
{
    struct docker *docker = state;
    struct error err = {0};

    if (check_daemon(docker, true, &err) == 0)
        describe_here(docker, text, size);
    else
        snprintf(text, size, "no code can run yet, and Docker is looked for again: %.400s",
                 err.text);
}

const struct engine engine_docker = {
    .name = "docker",
    .open = docker_open,
    .close = docker_close,
    .works = docker_works,
    .describe = docker_describe,
    .interrupt = docker_interrupt,
    .made_of = docker_made_of,
    .start = docker_start,
    .settle = docker_settle,
    .destroy = docker_destroy,
    .fd = docker_fd,
    .send = docker_send,
    .receive = docker_receive,
    .stderr_tail = docker_stderr_tail,
};
