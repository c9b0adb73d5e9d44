/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/docker_owed.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <time.h>

#include "helpers/base/log.h"

#define LAST_PAUSE_MS 200 /* between two rounds at the end */

struct debt {
    TAILQ_ENTRY(debt) link;
    char name[DOCKER_NAME_CAP];
    time_t due;            /* seconds of the monotonic clock */
    time_t doubtful_until; /* "there is none" is no end before; 0: it is */
};

TAILQ_HEAD(debts, debt);

struct docker_owed {
    struct docker_daemon *daemon;
    pthread_mutex_t lock; /* of all below */
    struct debts debts;
    size_t count;
    bool overflowed; /* said once */
};

static time_t now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

int docker_remove(struct docker_daemon *daemon, const char *name, unsigned ms, bool *none,
                  struct error *err)
{
    char path[DOCKER_NAME_CAP + 64];
    const struct docker_request request = {.method = "DELETE", .path = path, .ms = ms};
    const char *message;
    json_t *answer;
    long status;
    int rc = 0;

    snprintf(path, sizeof path, "/containers/%s?force=1&v=1", name);
    status = docker_daemon_call(daemon, &request, &answer, err);
    message = json_get_string(answer, "message");
    if (none)
        *none = status == 404;
    if (status < 0)
        rc = -1;
    else if (status == 409 && message && strstr(message, "in progress"))
        rc = 0; /* AutoRemove was quicker */
    else if (status >= 300 && status != 404)
        rc = docker_refused(status, answer, "remove a container", err);
    json_decref(answer);
    return rc;
}

/* ---- the list ---- */

static void put(struct docker_owed *owed, struct debt *debt)
{
    bool say;

    pthread_mutex_lock(&owed->lock);
    say = owed->count >= DOCKER_OWED_CAP && !owed->overflowed;
    if (owed->count < DOCKER_OWED_CAP) {
        TAILQ_INSERT_TAIL(&owed->debts, debt, link);
        owed->count++;
        debt = NULL;
    } else {
        owed->overflowed = true;
    }
    pthread_mutex_unlock(&owed->lock);
    if (say)
        log_warning("executor",
                    "more than %u containers could not be removed; the rest is left "
                    "to the next start of the server",
                    DOCKER_OWED_CAP);
    free(debt);
}

/* The first that is due; owned. */
static struct debt *take(struct docker_owed *owed, time_t now)
{
    struct debt *debt;

    pthread_mutex_lock(&owed->lock);
    TAILQ_FOREACH(debt, &owed->debts, link)
    {
        if (debt->due <= now)
            break;
    }
    if (debt) {
        TAILQ_REMOVE(&owed->debts, debt, link);
        owed->count--;
    }
    pthread_mutex_unlock(&owed->lock);
    return debt;
}

/* Frees it, or puts it back. -1 where the daemon does not answer. */
static int pay_one(struct docker_owed *owed, struct debt *debt, unsigned ms)
{
    struct error err = {0};
    bool none;
    int rc = docker_remove(owed->daemon, debt->name, ms, &none, &err);

    if (rc == 0 && !(none && now_s() < debt->doubtful_until)) {
        free(debt);
        return 0;
    }
    if (rc < 0)
        log_debug("executor", "container %s stays for now: %s", debt->name, err.text);
    debt->due = now_s() + DOCKER_OWED_RETRY_S;
    put(owed, debt);
    return docker_daemon_is_here(owed->daemon) ? 0 : -1;
}

void docker_owed_pay(struct docker_owed *owed)
{
    struct debt *debt;

    for (unsigned i = 0; i < DOCKER_OWED_AT_ONCE && docker_daemon_is_here(owed->daemon); i++) {
        debt = take(owed, now_s());
        if (!debt || pay_one(owed, debt, DOCKER_REMOVE_MS) < 0)
            return;
    }
}

void docker_owed_remove(struct docker_owed *owed, const char *name, bool doubtful, bool ending)
{
    struct debt *debt = calloc(1, sizeof *debt);

    if (!debt) {
        log_warning("executor", "container %s is left to the next start: out of memory", name);
        return;
    }
    snprintf(debt->name, sizeof debt->name, "%s", name);
    if (doubtful)
        debt->doubtful_until = now_s() + DOCKER_DOUBT_S;
    if (docker_daemon_is_here(owed->daemon))
        pay_one(owed, debt, ending ? DOCKER_REMOVE_LAST_MS : DOCKER_REMOVE_MS);
    else
        put(owed, debt); /* due at once, when it is met again */
}

/* ---- life ---- */

struct docker_owed *docker_owed_create(struct docker_daemon *daemon, struct error *err)
{
    struct docker_owed *owed = calloc(1, sizeof *owed);

    if (!owed) {
        error_set(err, ERROR_MEMORY, "out of memory for the Docker engine");
        return NULL;
    }
    owed->daemon = daemon;
    pthread_mutex_init(&owed->lock, NULL);
    TAILQ_INIT(&owed->debts);
    return owed;
}

/* Each once, whether due or not; -1 where the daemon does not answer. */
static int pay_round(struct docker_owed *owed)
{
    for (size_t left = owed->count; left > 0; left--) {
        struct debt *debt = take(owed, now_s() + DOCKER_OWED_RETRY_S);

        if (!debt)
            return 0;
        debt->doubtful_until = 0; /* what comes to be later is for the next server's sweep */
        if (pay_one(owed, debt, DOCKER_REMOVE_LAST_MS) < 0)
            return -1;
    }
    return 0;
}

/* Again and again, as long as the daemon answers and time is left: after a crash of its own it may
 * hold on to a container for a moment. */
static void pay_last(struct docker_owed *owed)
{
    const struct timespec moment = {.tv_nsec = LAST_PAUSE_MS * 1000000L};
    time_t until = now_s() + DOCKER_REMOVE_LAST_MS / 1000;
    struct error err = {0};
    bool anew;

    if (owed->count == 0 || docker_daemon_meet(owed->daemon, true, &anew, &err) < 0)
        return;
    while (pay_round(owed) == 0 && owed->count > 0 && now_s() <= until)
        nanosleep(&moment, NULL);
}

void docker_owed_destroy(struct docker_owed *owed)
{
    struct debt *debt;

    if (!owed)
        return;
    pay_last(owed);
    if (owed->count > 0)
        log_warning("executor",
                    "%zu containers could not be removed; the next start of a server "
                    "removes what is left of them",
                    owed->count);
    while ((debt = TAILQ_FIRST(&owed->debts))) {
        TAILQ_REMOVE(&owed->debts, debt, link);
        free(debt);
    }
    pthread_mutex_destroy(&owed->lock);
    free(owed);
}
