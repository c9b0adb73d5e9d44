/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The queue of jobs that wait for sandboxes of one kind. It is fair between sessions: each job has
 * a round, one later than the last of its session that waits, and than the last that was served.
 * So a session that sends fifty has one job in each of fifty rounds, and the first of another is
 * behind one of them. Jobs without a session share the turn of one: nobody can tell whose they are,
 * and a flood of them is not to hold up those who say. Pure: no clock, no sandbox.
 */
#ifndef LECTERN_EXECUTOR_ADMISSION_H
#define LECTERN_EXECUTOR_ADMISSION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "helpers/base/error.h"

struct slot;

/* A job that wants a sandbox. Embedded in the run. */
struct pool_wait {
    TAILQ_ENTRY(pool_wait) link;
    int kind;
    const char *session; /* borrowed, or NULL */
    bool again;          /* the sandbox that it had broke before the code ran: it is the next */
    void (*given)(struct pool_wait *wait, struct slot *slot); /* with no events yet */
    void (*placed)(struct pool_wait *wait, unsigned place);   /* 1: the next */
    void (*failed)(struct pool_wait *wait, const struct error *why);

    bool queued; /* from here on the queue's */
    uint64_t round;
    unsigned place; /* that it was told */
};

struct admission {
    TAILQ_HEAD(wait_list, pool_wait) waits; /* in the order in which they are served */
    unsigned count;
    uint64_t round; /* of the last that was served */
};

void admission_init(struct admission *admission);
void admission_add(struct admission *admission, struct pool_wait *wait);
void admission_remove(struct admission *admission, struct pool_wait *wait);
void admission_serve(struct admission *admission, struct pool_wait *wait); /* removes it too */

/* The first of that session, or NULL. */
struct pool_wait *admission_first_of(struct admission *admission, const char *session);

/* Tells each whose place has changed since it was told. */
void admission_tell(struct admission *admission);

bool admission_same(const char *session, const char *other); /* either may be NULL */

#endif
