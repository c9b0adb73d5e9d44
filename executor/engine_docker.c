/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sandboxes as containers of a Docker daemon.
 *
 * One is created, attached to before it starts (or output would be lost), and started without a CPU
 * limit and at low weight, so that it warms quickly when nothing else is due; settle then gives it
 * half a CPU at full weight. The plan of all other limits is docker_plan.c's.
 *
 * None is left behind: the container is named by us before it exists, so that it can be removed
 * also when the daemon's answer got lost; what cannot be removed while the daemon is away is owed,
 * and paid before the next start; a container whose server was killed ends with its standard input
 * and is removed by the daemon (AutoRemove); and what even that left, the next start knows by the
 * owner's label and removes.
 */
#include "executor/engine.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <time.h>

#include "executor/demux.h"
#include "executor/docker_api.h"
#include "executor/docker_plan.h"
#include "executor/owner.h"
#include "executor/words.h"
#include "helpers/base/log.h"

#define NAME_CAP      64
#define OWED_CAP      256u
#define FOREIGN_AGE_S 600 /* after which what is not running and of another machine is nobody's */
#define LEFTOVERS_PATH                                                                             \
    "/containers/json?all=1&filters=%7B%22label%22%3A%5B%22lectern.owner%22%5D%7D"

struct owed {
    STAILQ_ENTRY(owed) link;
    char name[NAME_CAP];
};

struct docker {
    struct docker_api *api;
    char image[256];
    char owner[OWNER_CAP];
    struct cancel *stop;
    pthread_mutex_t lock;
    STAILQ_HEAD(, owed) owed;
    size_t owed_count;
    unsigned long started; /* for names */
};

struct engine_box {
    char name[NAME_CAP];
    struct http_tunnel *tunnel;
    struct demux demux;
    struct words words;
    char line[3 * WORDS_KEPT + 1];
};

/* ---- removing ---- */

/* 0 when the container is gone, or the daemon is about it. */
static int remove_container(struct docker *docker, const char *name, struct error *err)
{
    char path[NAME_CAP + 64];
    const char *message;
    json_t *answer;
    long status;
    int rc = 0;

    snprintf(path, sizeof path, "/containers/%s?force=1&v=1", name);
    status = docker_call(docker->api, "DELETE", path, NULL, NULL, &answer, err);
    message = json_get_string(answer, "message");
    if (status < 0)
        rc = -1;
    else if (status == 409 && message && strstr(message, "in progress"))
        rc = 0; /* AutoRemove was quicker */
    else if (status != 204 && status != 404)
        rc = docker_refused(status, answer, "remove a container", err);
    json_decref(answer);
    return rc;
}

static void owe(struct docker *docker, const char *name, const struct error *why)
{
    struct owed *owed = NULL;

    pthread_mutex_lock(&docker->lock);
    if (docker->owed_count < OWED_CAP)
        owed = calloc(1, sizeof *owed);
    if (owed) {
        snprintf(owed->name, sizeof owed->name, "%s", name);
        STAILQ_INSERT_TAIL(&docker->owed, owed, link);
        docker->owed_count++;
    }
    pthread_mutex_unlock(&docker->lock);
    if (owed)
        log_debug("executor", "container %s is to be removed later: %s", name, why->text);
    else
        log_warning("executor", "container %s could not be removed: %s", name, why->text);
}

static void remove_or_owe(struct docker *docker, const char *name)
{
    struct error err = {0};

    if (remove_container(docker, name, &err) < 0)
        owe(docker, name, &err);
}

static struct owed *take_owed(struct docker *docker)
{
    struct owed *owed;

    pthread_mutex_lock(&docker->lock);
    owed = STAILQ_FIRST(&docker->owed);
    if (owed) {
        STAILQ_REMOVE_HEAD(&docker->owed, link);
        docker->owed_count--;
    }
    pthread_mutex_unlock(&docker->lock);
    return owed;
}

/* Stops at the first that fails: then the daemon is still away. */
static void pay_owed(struct docker *docker)
{
    struct error err = {0};
    struct owed *owed;

    while ((owed = take_owed(docker))) {
        int rc = remove_container(docker, owed->name, &err);

        if (rc < 0)
            owe(docker, owed->name, &err);
        free(owed);
        if (rc < 0)
            return;
    }
}

static bool is_leftover(const json_t *container, long now)
{
    const char *label = json_get_string(json_object_get(container, "Labels"), DOCKER_LABEL_OWNER);
    const char *state = json_get_string(container, "State");
    long created = (long)json_integer_value(json_object_get(container, "Created"));

    if (!label || !state)
        return false;
    if (owner_is_dead(label))
        return true;
    return strcmp(state, "running") != 0 && strcmp(state, "paused") != 0 &&
           now - created > FOREIGN_AGE_S;
}

/* What a dead owner left. Trouble here is no reason not to start. */
static void sweep(struct docker *docker)
{
    struct error err = {0};
    json_t *list, *container;
    size_t index, removed = 0;
    long now = (long)time(NULL);
    long status = docker_call(docker->api, "GET", LEFTOVERS_PATH, NULL, NULL, &list, &err);

    if (status != 200) {
        if (status >= 0)
            docker_refused(status, list, "list containers", &err);
        log_warning("executor", "leftover containers were not looked for: %s", err.text);
    }
    json_array_foreach(list, index, container)
    {
        const char *id = json_get_string(container, "Id");

        if (!id || !is_leftover(container, now))
            continue;
        if (remove_container(docker, id, &err) < 0)
            log_warning("executor", "a leftover container stays: %s", err.text);
        else
            removed++;
    }
    json_decref(list);
    if (removed > 0)
        log_info("executor", "removed %zu containers that a server left behind", removed);
}

/* ---- starting ---- */

static void on_stderr(void *user, const char *bytes, size_t len)
{
    struct engine_box *box = user;

    log_debug("executor", "runner: %.*s", (int)(len < LOG_LINE_CAP ? len : LOG_LINE_CAP), bytes);
    words_add(&box->words, bytes, len);
}

static int create_container(struct docker *docker, const struct execution_kind *kind,
                            const char *name, struct error *err)
{
    json_t *plan = docker_plan_create(kind, docker->image, docker->owner, (long)time(NULL), err);
    char path[NAME_CAP + 64];
    json_t *answer = NULL;
    long status;
    int rc = 0;

    if (!plan)
        return -1;
    snprintf(path, sizeof path, "/containers/create?name=%s", name);
    /* Never cancelled: a daemon whose client leaves creates the container all the same, and knows
     * no such name when it is told at once to remove it. */
    status = docker_call(docker->api, "POST", path, plan, NULL, &answer, err);
    if (status < 0)
        rc = error_wrap(err, "the Docker daemon does not answer");
    else if (status == 404)
        rc = error_set(err, ERROR_UNAVAILABLE, "the image %s is not there: make image",
                       docker->image);
    else if (status != 201)
        rc = docker_refused(status, answer, "create a container", err);
    json_decref(answer);
    json_decref(plan);
    return rc;
}

/* POST without a body, or with one. */
static int post(struct docker *docker, const char *name, const char *verb, const json_t *body,
                struct error *err)
{
    char path[NAME_CAP + 64];
    json_t *answer;
    long status;
    int rc = 0;

    snprintf(path, sizeof path, "/containers/%s/%s", name, verb);
    status = docker_call(docker->api, "POST", path, body, docker->stop, &answer, err);
    if (status < 0)
        rc = error_wrap(err, "%s a container", verb);
    else if (status >= 300)
        rc = docker_refused(status, answer, verb, err);
    json_decref(answer);
    return rc;
}

static struct engine_box *create_box(struct docker *docker, struct error *err)
{
    struct engine_box *box = calloc(1, sizeof *box);
    const char *apart = strrchr(docker->owner, '/') + 1;

    if (!box) {
        error_set(err, ERROR_MEMORY, "out of memory for a sandbox");
        return NULL;
    }
    box->demux.on_stderr = on_stderr;
    box->demux.user = box;
    pthread_mutex_lock(&docker->lock);
    snprintf(box->name, sizeof box->name, "lectern-%s-%lu", apart, ++docker->started);
    pthread_mutex_unlock(&docker->lock);
    return box;
}

static struct engine_box *docker_start(void *state, const struct execution_kind *kind,
                                       struct error *err)
{
    struct docker *docker = state;
    struct engine_box *box;

    if (cancel_check(docker->stop, err) < 0)
        return NULL;
    pay_owed(docker);
    box = create_box(docker, err);
    if (!box)
        return NULL;
    if (create_container(docker, kind, box->name, err) < 0)
        goto fail;
    box->tunnel = docker_attach(docker->api, box->name, docker->stop, err);
    if (!box->tunnel) {
        error_wrap(err, "attach to a container");
        goto fail;
    }
    if (post(docker, box->name, "start", NULL, err) < 0)
        goto fail;
    return box;
fail:
    http_tunnel_close(box->tunnel);
    remove_or_owe(docker, box->name);
    free(box);
    return NULL;
}

static int docker_settle(void *state, struct engine_box *box, struct error *err)
{
    json_t *plan = docker_plan_settle(err);
    int rc = plan ? post(state, box->name, "update", plan, err) : -1;

    json_decref(plan);
    return rc;
}

static void docker_destroy(void *state, struct engine_box *box)
{
    /* The connection first: a daemon whose reader has stopped reading cannot even kill the
     * container. */
    http_tunnel_close(box->tunnel);
    remove_or_owe(state, box->name);
    free(box);
}

/* ---- the stream ---- */

static int docker_fd(const struct engine_box *box)
{
    return http_tunnel_fd(box->tunnel);
}

static ssize_t docker_send(struct engine_box *box, const void *bytes, size_t len)
{
    return http_tunnel_send(box->tunnel, bytes, len);
}

static ssize_t docker_receive(struct engine_box *box, void *bytes, size_t size)
{
    for (;;) {
        ssize_t got = http_tunnel_receive(box->tunnel, bytes, size);

        if (got <= 0)
            return got;
        got = demux_take(&box->demux, bytes, (size_t)got);
        if (got < 0)
            errno = EPROTO;
        if (got != 0)
            return got;
    }
}

static const char *docker_last_words(struct engine_box *box)
{
    return words_line(&box->words, box->line);
}

/* ---- opening ---- */

static void docker_close(void *state)
{
    struct docker *docker = state;
    struct owed *owed;

    pay_owed(docker);
    while ((owed = take_owed(docker))) {
        log_warning("executor", "container %s is left to the next start", owed->name);
        free(owed);
    }
    docker_api_destroy(docker->api);
    cancel_unref(docker->stop);
    pthread_mutex_destroy(&docker->lock);
    free(docker);
}

static void *docker_open(const struct executor_config *config, struct error *err)
{
    struct docker *docker = calloc(1, sizeof *docker);

    if (!docker) {
        error_set(err, ERROR_MEMORY, "out of memory for the Docker engine");
        return NULL;
    }
    pthread_mutex_init(&docker->lock, NULL);
    STAILQ_INIT(&docker->owed);
    if (!config->docker_image || strlen(config->docker_image) >= sizeof docker->image) {
        error_set(err, ERROR_INVALID, "no name of an image is given: --image");
        goto fail;
    }
    memcpy(docker->image, config->docker_image, strlen(config->docker_image) + 1);
    docker->stop = cancel_create(err);
    if (!docker->stop || owner_label(docker->owner, err) < 0)
        goto fail;
    docker->api = docker_api_create(config->docker_host, err);
    if (!docker->api)
        goto fail;
    sweep(docker);
    if (docker_check_image(docker->api, docker->image, err) < 0)
        goto fail;
    return docker;
fail:
    docker_close(docker);
    return NULL;
}

static void docker_describe(void *state, char *text, size_t size)
{
    const struct docker *docker = state;
    const char *server = docker_api_server(docker->api);

    snprintf(text, size,
             "code runs in containers of %s (API %s, %s), image %s: no network, read-only root, as "
             "nobody, no capability, "
             "256 MB, half a CPU; seccomp and Landlock by the runner",
             server[0] ? server : "a Docker daemon", docker_api_version(docker->api),
             docker_api_host(docker->api), docker->image);
}

static void docker_interrupt(void *state)
{
    struct docker *docker = state;

    cancel_fire(docker->stop);
}

const struct engine engine_docker = {
    .name = "docker",
    .open = docker_open,
    .close = docker_close,
    .describe = docker_describe,
    .interrupt = docker_interrupt,
    .start = docker_start,
    .settle = docker_settle,
    .destroy = docker_destroy,
    .fd = docker_fd,
    .send = docker_send,
    .receive = docker_receive,
    .last_words = docker_last_words,
};
