/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/graph/igraph_guard.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/queue.h>

#include "helpers/base/clock.h"

#define TURN_MS  10 /* after which the turn is offered to others */
#define SMALL_MS 50 /* of turns, up to which a question is small */

/* ---- the turn ---- */

struct turn_wait {
    STAILQ_ENTRY(turn_wait) link;
    pthread_cond_t come;
    bool has_come;
};

STAILQ_HEAD(turn_waits, turn_wait);

static struct {
    pthread_mutex_t lock;
    bool taken;
    struct turn_waits small, large; /* each in order */
    atomic_uint waiting;            /* those in both */
} turn = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .small = STAILQ_HEAD_INITIALIZER(turn.small),
          .large = STAILQ_HEAD_INITIALIZER(turn.large)};

/* The question that this thread works on. */
static _Thread_local struct {
    const struct cancel *cancel;
    unsigned timeout_ms; /* 0: none */
    int64_t used_ms;     /* its turns before this one */
    int64_t turn_began_ms;
} mine;

static int64_t used_ms(void)
{
    return mine.used_ms + clock_ms() - mine.turn_began_ms;
}

/* turn.lock is held. */
static void wait_for_turn(void)
{
    struct turn_wait wait = {.come = PTHREAD_COND_INITIALIZER};

    if (mine.used_ms < SMALL_MS)
        STAILQ_INSERT_TAIL(&turn.small, &wait, link);
    else
        STAILQ_INSERT_TAIL(&turn.large, &wait, link);
    turn.waiting++;
    while (!wait.has_come)
        pthread_cond_wait(&wait.come, &turn.lock);
    pthread_cond_destroy(&wait.come);
}

/* turn.lock is held. */
static void pass_turn(void)
{
    struct turn_waits *waits = STAILQ_EMPTY(&turn.small) ? &turn.large : &turn.small;
    struct turn_wait *next = STAILQ_FIRST(waits);

    turn.taken = next != NULL;
    if (!next)
        return;
    STAILQ_REMOVE_HEAD(waits, link);
    turn.waiting--;
    next->has_come = true;
    pthread_cond_signal(&next->come);
}

/* A small question keeps it. */
static void offer_turn(void)
{
    int64_t used = used_ms();

    if (turn.waiting == 0 || used < SMALL_MS || used - mine.used_ms < TURN_MS)
        return;
    pthread_mutex_lock(&turn.lock);
    if (turn.waiting > 0) {
        mine.used_ms = used;
        pass_turn();
        wait_for_turn();
        mine.turn_began_ms = clock_ms();
    }
    pthread_mutex_unlock(&turn.lock);
}

/* ---- igraph ---- */

static int check_bounds(struct error *err)
{
    if (cancel_check(mine.cancel, err) < 0)
        return -1;
    if (mine.timeout_ms == 0 || used_ms() < (int64_t)mine.timeout_ms)
        return 0;
    return error_set(err, ERROR_TIMEOUT,
                     "this was stopped after %g s: ask about one node, or over fewer relationship "
                     "types, or start the server with a longer --query-timeout",
                     mine.timeout_ms / 1000.0);
}

int igraph_guard_wanted(struct error *err)
{
    offer_turn();
    return check_bounds(err);
}

/* In the middle of a function of igraph, so the turn is not offered. */
static igraph_error_t on_interruption(void *unused)
{
    (void)unused;
    if (check_bounds(NULL) == 0)
        return IGRAPH_SUCCESS;
    /* igraph returns from its innermost function without calling the error handler, so its memory
     * is freed here. */
    IGRAPH_FINALLY_FREE();
    return IGRAPH_INTERRUPTED;
}

int igraph_guard_begin(const struct graph_bounds *given)
{
    static const struct graph_bounds none;
    bool taken;

    given = given ? given : &none;
    memset(&mine, 0, sizeof mine);
    pthread_mutex_lock(&turn.lock);
    taken = turn.taken;
    if (taken && !given->at_once)
        wait_for_turn();
    turn.taken = true;
    pthread_mutex_unlock(&turn.lock);
    if (taken && given->at_once)
        return 1;
    mine.cancel = given->cancel;
    mine.timeout_ms = given->timeout_ms;
    mine.turn_began_ms = clock_ms();
    igraph_set_error_handler(igraph_error_handler_ignore);
    igraph_set_warning_handler(igraph_warning_handler_ignore);
    igraph_set_interruption_handler(on_interruption);
    return 0;
}

void igraph_guard_end(void)
{
    igraph_set_interruption_handler(NULL);
    pthread_mutex_lock(&turn.lock);
    pass_turn();
    pthread_mutex_unlock(&turn.lock);
}

int igraph_guard_check(igraph_error_t code, const char *what, struct error *err)
{
    switch (code) {
    case IGRAPH_SUCCESS:
        return 0;
    case IGRAPH_ENOMEM:
        return error_set(err, ERROR_MEMORY, "out of memory for %s", what);
    case IGRAPH_INTERRUPTED:
        if (check_bounds(err) < 0)
            return -1;
        return error_set(err, ERROR_INTERNAL, "igraph was interrupted at %s without a reason",
                         what);
    default:
        return error_set(err, ERROR_INTERNAL, "igraph failed at %s: %s", what,
                         igraph_strerror(code));
    }
}
