/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/auth/limits.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/base/table.h"

#define MINUTE_MS 60000.0

struct holder {
    char id[IDENTITY_ID_SIZE];
    double used; /* requests of the last minute; as of used_ms */
    uint64_t used_ms;
    unsigned analyses; /* under way: it is not forgotten while there are some */
    UT_hash_handle hh;
};

struct limits {
    unsigned requests_a_minute, analyses;
    struct holder *holders; /* by id; the least recently used first */
};

struct limits *limits_create(unsigned requests_a_minute, unsigned analyses, struct error *err)
{
    struct limits *limits = calloc(1, sizeof *limits);

    if (!limits) {
        error_set(err, ERROR_MEMORY, "out of memory for the limits of tokens");
        return NULL;
    }
    limits->requests_a_minute = requests_a_minute;
    limits->analyses = analyses;
    return limits;
}

static void forget(struct limits *limits, struct holder *holder)
{
    HASH_DEL(limits->holders, holder);
    free(holder);
}

void limits_destroy(struct limits *limits)
{
    while (limits && limits->holders)
        forget(limits, limits->holders);
    free(limits);
}

static void make_room(struct limits *limits)
{
    struct holder *holder = limits->holders;

    while (holder && holder->analyses > 0)
        holder = holder->hh.next;
    if (holder)
        forget(limits, holder);
}

/* NULL without memory. */
static struct holder *find(struct limits *limits, const char *id)
{
    struct holder *holder;

    HASH_FIND_STR(limits->holders, id, holder);
    if (holder) {
        HASH_DEL(limits->holders, holder);
    } else {
        if (HASH_COUNT(limits->holders) >= LIMITS_HOLDERS_CAP)
            make_room(limits);
        holder = calloc(1, sizeof *holder);
        if (!holder)
            return NULL;
        memcpy(holder->id, id, strlen(id) + 1);
    }
    HASH_ADD_STR(limits->holders, id, holder);
    return holder;
}

static bool counts(const struct limits *limits, unsigned limit, const struct identity *identity)
{
    return limits && limit > 0 && identity && identity->source != IDENTITY_OF_NOBODY;
}

bool limits_request(struct limits *limits, const struct identity *identity, uint64_t now_ms,
                    unsigned *retry_after_s)
{
    struct holder *holder;
    double most;

    if (!counts(limits, limits ? limits->requests_a_minute : 0, identity))
        return true;
    holder = find(limits, identity->id);
    if (!holder)
        return true;
    most = limits->requests_a_minute;
    holder->used -= most * (double)(now_ms - holder->used_ms) / MINUTE_MS;
    if (holder->used < 0)
        holder->used = 0;
    holder->used_ms = now_ms;
    if (holder->used + 1 > most) {
        *retry_after_s = 1 + (unsigned)((holder->used + 1 - most) * 60 / most);
        return false;
    }
    holder->used += 1;
    return true;
}

bool limits_begin_analysis(struct limits *limits, const struct identity *identity)
{
    struct holder *holder;

    if (!counts(limits, limits ? limits->analyses : 0, identity))
        return true;
    holder = find(limits, identity->id);
    if (!holder || holder->analyses >= limits->analyses)
        return false;
    holder->analyses++;
    return true;
}

void limits_end_analysis(struct limits *limits, const struct identity *identity)
{
    struct holder *holder;

    if (!counts(limits, limits ? limits->analyses : 0, identity))
        return;
    holder = find(limits, identity->id);
    if (holder && holder->analyses > 0)
        holder->analyses--;
}
