/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/docker/docker_daemon.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "helpers/base/log.h"

enum state { AWAY, MEETING, HERE };
enum lack { NOTHING, DAEMON, IMAGE }; /* what was last missing */

struct docker_daemon {
    struct docker_api *api;
    char image[DOCKER_IMAGE_CAP];
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t met;   /* or not: MEETING is over */
    enum state state;
    enum lack logged; /* what the log says is missing */
    struct docker_info info;
    struct error why;  /* it is away */
    uint64_t retry_at; /* ms: until then, why is the answer */
};

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* ---- meeting ---- */

/* Where it does not tell, everything is asked for, and what it refuses is seen then. */
static void ask_info(struct docker_daemon *daemon, struct docker_info *info)
{
    const struct docker_request request = {.method = "GET", .path = "/info", .look = true};
    struct error err = {0};
    json_t *answer;
    long status = docker_call(daemon->api, &request, &answer, &err);

    if (status != 200)
        log_debug("executor", "the Docker daemon does not say what it can: %ld %s", status,
                  err.text);
    docker_info_read(info, status == 200 ? answer : NULL);
    json_decref(answer);
}

static enum lack look(struct docker_daemon *daemon, struct docker_info *info, struct error *err)
{
    struct docker_image image;

    if (docker_api_hello(daemon->api, err) < 0)
        return DAEMON;
    if (docker_find_image(daemon->api, daemon->image, &image, err) < 0) {
        err->kind = ERROR_UNAVAILABLE;
        return IMAGE;
    }
    ask_info(daemon, info);
    return NOTHING;
}

static void tell_missing(const struct docker_daemon *daemon, enum lack lack,
                         const struct error *why)
{
    if (daemon->logged != lack)
        log_warning("executor", "%s. Analyses wait for it; it is looked for again", why->text);
}

static void tell_here(struct docker_daemon *daemon)
{
    char server[160];

    docker_api_server(daemon->api, server, sizeof server);
    log_info("executor", "the Docker daemon at %s answers again: %s, image %s",
             docker_api_host(daemon->api)->address, server, daemon->image);
}

/* With the lock held, and given up in between. */
static void meet(struct docker_daemon *daemon, bool quiet)
{
    uint64_t began = now_ms(), ended, ping_ms = docker_api_times(daemon->api)->ping;
    struct docker_info info;
    struct error why = {0};
    enum lack lack;

    daemon->state = MEETING;
    pthread_mutex_unlock(&daemon->lock);
    lack = look(daemon, &info, &why);
    pthread_mutex_lock(&daemon->lock);
    ended = now_ms();
    daemon->retry_at = ended + (ended - began < ping_ms ? ended - began : ping_ms);
    daemon->state = lack == NOTHING ? HERE : AWAY;
    pthread_cond_broadcast(&daemon->met);
    if (lack == NOTHING) {
        daemon->info = info;
        if (daemon->logged != NOTHING)
            tell_here(daemon);
        daemon->logged = NOTHING;
        return;
    }
    daemon->why = why;
    if (!quiet) {
        tell_missing(daemon, lack, &why);
        daemon->logged = lack;
    }
}

int docker_daemon_meet(struct docker_daemon *daemon, bool quiet, bool *again, struct error *err)
{
    int rc = 0;

    *again = false;
    pthread_mutex_lock(&daemon->lock);
    while (daemon->state == MEETING)
        pthread_cond_wait(&daemon->met, &daemon->lock);
    if (daemon->state == AWAY && now_ms() >= daemon->retry_at) {
        meet(daemon, quiet);
        *again = daemon->state == HERE;
    }
    if (daemon->state != HERE)
        rc = error_set(err, daemon->why.kind, "%s", daemon->why.text);
    pthread_mutex_unlock(&daemon->lock);
    return rc;
}

bool docker_daemon_is_here(struct docker_daemon *daemon)
{
    bool here;

    pthread_mutex_lock(&daemon->lock);
    here = daemon->state == HERE;
    pthread_mutex_unlock(&daemon->lock);
    return here;
}

/* ---- asking ---- */

static void lose(struct docker_daemon *daemon, const struct error *why)
{
    pthread_mutex_lock(&daemon->lock);
    if (daemon->state == HERE) {
        log_debug("executor", "the Docker daemon is lost: %s", why ? why->text : "no answer");
        daemon->state = AWAY;
        daemon->retry_at = 0;
    }
    pthread_mutex_unlock(&daemon->lock);
}

/* Another daemon than the one that was met: "client version 1.41 is too new". */
static bool is_another(long status, const json_t *answer)
{
    const char *message = json_get_string(answer, "message");

    return status == 400 && message && strcasestr(message, "client version");
}

long docker_daemon_call(struct docker_daemon *daemon, const struct docker_request *request,
                        json_t **answer, struct error *err)
{
    struct error why = {0};
    long status = docker_call(daemon->api, request, answer, &why);

    if (status < 0) {
        if (why.kind != ERROR_CANCELLED && why.kind != ERROR_MEMORY)
            lose(daemon, &why);
        error_set(err, why.kind, "the Docker daemon does not answer: %s", why.text);
    } else if (answer && is_another(status, *answer)) {
        lose(daemon, NULL);
    }
    return status;
}

struct http_tunnel *docker_daemon_attach(struct docker_daemon *daemon, const char *container,
                                         const struct cancel *cancel, struct error *err)
{
    struct error why = {0};
    struct http_tunnel *tunnel = docker_attach(daemon->api, container, cancel, &why);

    /* ERROR_UNAVAILABLE may be an answer, and the start that follows will know. */
    if (!tunnel && (why.kind == ERROR_TIMEOUT || why.kind == ERROR_IO))
        lose(daemon, &why);
    if (!tunnel)
        error_set(err, why.kind, "attach to a container: %s", why.text);
    return tunnel;
}

int docker_daemon_image(struct docker_daemon *daemon, char id[DOCKER_ID_CAP], struct error *err)
{
    struct docker_image image;

    if (docker_find_image(daemon->api, daemon->image, &image, err) < 0)
        return -1;
    memcpy(id, image.id, DOCKER_ID_CAP);
    return 0;
}

const char *docker_daemon_image_name(const struct docker_daemon *daemon)
{
    return daemon->image;
}

const struct docker_host *docker_daemon_host(const struct docker_daemon *daemon)
{
    return docker_api_host(daemon->api);
}

void docker_daemon_info(struct docker_daemon *daemon, struct docker_info *info)
{
    pthread_mutex_lock(&daemon->lock);
    *info = daemon->info;
    pthread_mutex_unlock(&daemon->lock);
}

void docker_daemon_server(struct docker_daemon *daemon, char *text, size_t size)
{
    docker_api_server(daemon->api, text, size);
}

/* ---- life ---- */

struct docker_daemon *docker_daemon_create(const char *host, const char *image,
                                           const struct docker_times *times, struct error *err)
{
    struct docker_daemon *daemon;

    if (!image || !image[0] || strlen(image) >= DOCKER_IMAGE_CAP) {
        error_set(err, ERROR_INVALID, "no name of an image is given: --image");
        return NULL;
    }
    daemon = calloc(1, sizeof *daemon);
    if (!daemon) {
        error_set(err, ERROR_MEMORY, "out of memory for the Docker engine");
        return NULL;
    }
    pthread_mutex_init(&daemon->lock, NULL);
    pthread_cond_init(&daemon->met, NULL);
    snprintf(daemon->image, sizeof daemon->image, "%s", image);
    docker_info_read(&daemon->info, NULL);
    daemon->api = docker_api_create(host, times, err);
    if (!daemon->api) {
        docker_daemon_destroy(daemon);
        return NULL;
    }
    return daemon;
}

void docker_daemon_destroy(struct docker_daemon *daemon)
{
    if (!daemon)
        return;
    docker_api_destroy(daemon->api);
    pthread_cond_destroy(&daemon->met);
    pthread_mutex_destroy(&daemon->lock);
    free(daemon);
}
