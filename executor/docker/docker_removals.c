/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/docker/docker_removals.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <time.h>

#include "executor/docker/docker_plan.h"
#include "executor/owner.h"
#include "helpers/base/log.h"

#define LEFTOVERS_PATH                                                                             \
    "/containers/json?all=1&filters=%7B%22label%22%3A%5B%22lectern.owner%22%5D%7D"
#define LAST_PAUSE_MS 200 /* between two rounds at the end */

struct removal {
    TAILQ_ENTRY(removal) link;
    char name[DOCKER_NAME_CAP];
    time_t due;            /* seconds of the monotonic clock */
    time_t doubtful_until; /* "there is none" is no end before; 0: it is */
};

TAILQ_HEAD(pending, removal);

struct docker_removals {
    struct docker_daemon *daemon;
    pthread_mutex_t lock; /* of all below */
    struct pending pending;
    size_t count;
    bool overflowed; /* said once */
};

static time_t now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

/* 0 when it is gone, or the daemon is about it, or there is none of that name (*none is set then;
 * none may be NULL). */
static int remove_container(struct docker_daemon *daemon, const char *name, unsigned ms, bool *none,
                            struct error *err)
{
    char path[DOCKER_NAME_CAP + 64];
    const struct docker_request request = {.method = "DELETE", .path = path, .ms = ms};
    json_auto_t *answer = NULL;
    const char *message;
    long status;

    snprintf(path, sizeof path, "/containers/%s?force=1&v=1", name);
    status = docker_call(daemon, &request, &answer, err);
    message = json_get_string(answer, "message");
    if (none)
        *none = status == 404;
    if (status < 0)
        return -1;
    if (status == 409 && message && strstr(message, "in progress"))
        return 0; /* AutoRemove was quicker */
    if (status >= 300 && status != 404)
        return docker_refused(status, answer, "remove a container", err);
    return 0;
}

/* ---- the list ---- */

static void put(struct docker_removals *removals, struct removal *removal)
{
    bool say;

    pthread_mutex_lock(&removals->lock);
    say = removals->count >= DOCKER_REMOVALS_CAP && !removals->overflowed;
    if (removals->count < DOCKER_REMOVALS_CAP) {
        TAILQ_INSERT_TAIL(&removals->pending, removal, link);
        removals->count++;
        removal = NULL;
    } else {
        removals->overflowed = true;
    }
    pthread_mutex_unlock(&removals->lock);
    if (say)
        log_warning("executor",
                    "more than %u containers could not be removed; the rest is left "
                    "to the next start of the server",
                    DOCKER_REMOVALS_CAP);
    free(removal);
}

/* The first that is due; owned. */
static struct removal *take(struct docker_removals *removals, time_t now)
{
    struct removal *removal;

    pthread_mutex_lock(&removals->lock);
    TAILQ_FOREACH(removal, &removals->pending, link)
    {
        if (removal->due <= now)
            break;
    }
    if (removal) {
        TAILQ_REMOVE(&removals->pending, removal, link);
        removals->count--;
    }
    pthread_mutex_unlock(&removals->lock);
    return removal;
}

/* Frees it, or puts it back. -1 where the daemon does not answer. */
static int pay_one(struct docker_removals *removals, struct removal *removal, unsigned ms)
{
    struct error err = {0};
    bool none;
    int rc = remove_container(removals->daemon, removal->name, ms, &none, &err);

    if (rc == 0 && !(none && now_s() < removal->doubtful_until)) {
        free(removal);
        return 0;
    }
    if (rc < 0)
        log_debug("executor", "container %s stays for now: %s", removal->name, err.text);
    removal->due = now_s() + DOCKER_REMOVALS_RETRY_S;
    put(removals, removal);
    return docker_daemon_is_here(removals->daemon) ? 0 : -1;
}

void docker_removals_retry(struct docker_removals *removals)
{
    struct removal *removal;

    for (unsigned i = 0; i < DOCKER_REMOVALS_AT_ONCE && docker_daemon_is_here(removals->daemon);
         i++) {
        removal = take(removals, now_s());
        if (!removal || pay_one(removals, removal, DOCKER_REMOVE_MS) < 0)
            return;
    }
}

void docker_removals_remove(struct docker_removals *removals, const char *name, bool doubtful,
                            bool ending)
{
    struct removal *removal = calloc(1, sizeof *removal);

    if (!removal) {
        log_warning("executor", "container %s is left to the next start: out of memory", name);
        return;
    }
    snprintf(removal->name, sizeof removal->name, "%s", name);
    if (doubtful)
        removal->doubtful_until = now_s() + DOCKER_DOUBT_S;
    if (docker_daemon_is_here(removals->daemon))
        pay_one(removals, removal, ending ? DOCKER_REMOVE_LAST_MS : DOCKER_REMOVE_MS);
    else
        put(removals, removal); /* due at once, when it is met again */
}

/* ---- life ---- */

struct docker_removals *docker_removals_create(struct docker_daemon *daemon, struct error *err)
{
    struct docker_removals *removals = calloc(1, sizeof *removals);

    if (!removals) {
        error_set(err, ERROR_MEMORY, "out of memory for the Docker engine");
        return NULL;
    }
    removals->daemon = daemon;
    pthread_mutex_init(&removals->lock, NULL);
    TAILQ_INIT(&removals->pending);
    return removals;
}

/* Each once, whether due or not; -1 where the daemon does not answer. */
static int pay_round(struct docker_removals *removals)
{
    for (size_t left = removals->count; left > 0; left--) {
        struct removal *removal = take(removals, now_s() + DOCKER_REMOVALS_RETRY_S);

        if (!removal)
            return 0;
        removal->doubtful_until = 0; /* what comes to be later is for the next server's sweep */
        if (pay_one(removals, removal, DOCKER_REMOVE_LAST_MS) < 0)
            return -1;
    }
    return 0;
}

/* Again and again, as long as the daemon answers and time is left: after a crash of its own it may
 * hold on to a container for a moment. */
static void pay_last(struct docker_removals *removals)
{
    const struct timespec moment = {.tv_nsec = LAST_PAUSE_MS * 1000000L};
    time_t until = now_s() + DOCKER_REMOVE_LAST_MS / 1000;
    struct error err = {0};
    bool again;

    if (removals->count == 0 || docker_daemon_meet(removals->daemon, true, &again, &err) < 0)
        return;
    while (pay_round(removals) == 0 && removals->count > 0 && now_s() <= until)
        nanosleep(&moment, NULL);
}

void docker_removals_destroy(struct docker_removals *removals)
{
    struct removal *removal;

    if (!removals)
        return;
    pay_last(removals);
    if (removals->count > 0)
        log_warning("executor",
                    "%zu containers could not be removed; the next start of a server "
                    "removes what is left of them",
                    removals->count);
    while ((removal = TAILQ_FIRST(&removals->pending))) {
        TAILQ_REMOVE(&removals->pending, removal, link);
        free(removal);
    }
    pthread_mutex_destroy(&removals->lock);
    free(removals);
}

/* ---- what a dead server left ---- */

bool docker_is_leftover(const json_t *container, long now)
{
    const char *label = json_get_string(json_object_get(container, "Labels"), DOCKER_LABEL_OWNER);
    const char *state = json_get_string(container, "State");
    long created = (long)json_integer_value(json_object_get(container, "Created"));

    if (!label || !state)
        return false;
    if (owner_is_dead(label))
        return true;
    return strcmp(state, "running") != 0 && strcmp(state, "paused") != 0 &&
           now - created > DOCKER_FOREIGN_AGE_S;
}

/* Owned; NULL where the daemon does not say. */
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

void docker_sweep(struct docker_daemon *daemon)
{
    json_auto_t *list = list_containers(daemon);
    json_t *container;
    time_t began = time(NULL);
    struct error err = {0};
    size_t index, removed = 0, kept = 0;

    json_array_foreach(list, index, container)
    {
        const char *id = json_get_string(container, "Id");

        if (!id || strlen(id) >= DOCKER_NAME_CAP || !docker_is_leftover(container, (long)began))
            continue;
        if (removed >= DOCKER_SWEEP_CAP || time(NULL) - began > DOCKER_SWEEP_S ||
            !docker_daemon_is_here(daemon) ||
            remove_container(daemon, id, DOCKER_SWEEP_S * 1000, NULL, &err) < 0)
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
