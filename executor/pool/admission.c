/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/pool/admission.h"

#include <stddef.h>
#include <string.h>

void admission_init(struct admission *admission)
{
    TAILQ_INIT(&admission->waits);
    admission->count = 0;
    admission->round = 0;
}

bool admission_same(const char *session, const char *other)
{
    return session == other || (session && other && strcmp(session, other) == 0);
}

static uint64_t next_round(const struct admission *admission, const struct pool_wait *wait)
{
    const struct pool_wait *other;
    uint64_t last = admission->round;

    TAILQ_FOREACH(other, &admission->waits, link)
    {
        if (admission_same(other->session, wait->session) && other->round > last)
            last = other->round;
    }
    return last + 1;
}

void admission_add(struct admission *admission, struct pool_wait *wait)
{
    struct pool_wait *before;

    wait->round = wait->again ? 0 : next_round(admission, wait);
    wait->queued = true;
    wait->place = 0;
    admission->count++;
    TAILQ_FOREACH_REVERSE(before, &admission->waits, wait_list, link)
    {
        if (before->round <= wait->round) {
            TAILQ_INSERT_AFTER(&admission->waits, before, wait, link);
            return;
        }
    }
    TAILQ_INSERT_HEAD(&admission->waits, wait, link);
}

void admission_remove(struct admission *admission, struct pool_wait *wait)
{
    TAILQ_REMOVE(&admission->waits, wait, link);
    wait->queued = false;
    admission->count--;
}

void admission_serve(struct admission *admission, struct pool_wait *wait)
{
    if (wait->round > admission->round)
        admission->round = wait->round;
    admission_remove(admission, wait);
}

struct pool_wait *admission_first_of(struct admission *admission, const char *session)
{
    struct pool_wait *wait;

    TAILQ_FOREACH(wait, &admission->waits, link)
    {
        if (admission_same(wait->session, session))
            return wait;
    }
    return NULL;
}

void admission_tell(struct admission *admission)
{
    struct pool_wait *wait;
    unsigned place = 0;

    TAILQ_FOREACH(wait, &admission->waits, link)
    {
        place++;
        if (wait->place != place) {
            wait->place = place;
            wait->placed(wait, place);
        }
    }
}
