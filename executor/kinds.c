/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of the kinds of sandbox. To add a kind, add a row.
 */
#include "executor/engine.h"

#include <stdlib.h>
#include <string.h>

static const char *const nothing[] = {NULL};
static const char *const analysis[] = {"numpy", "pandas", "networkx", NULL};
static const char *const plotting[] = {"numpy", "pandas", "networkx", "matplotlib.pyplot", NULL};

const struct execution_kind execution_kinds[] = {
    {.name = "bare", .preload = nothing, .memory_mb = 256, .waiting = 2},
    {.name = "data", .preload = analysis, .memory_mb = 256, .waiting = 1},
    {.name = "plot", .preload = plotting, .memory_mb = 512, .waiting = 0},
    {.name = NULL},
};
_Static_assert(sizeof execution_kinds / sizeof *execution_kinds == KINDS_COUNT + 1, "KINDS_COUNT");

int kind_index(const char *name)
{
    for (int i = 0; execution_kinds[i].name; i++) {
        if (name && strcmp(execution_kinds[i].name, name) == 0)
            return i;
    }
    return -1;
}

/* Parses one "NAME=NUMBER" of len bytes. */
static bool read_one(const char *text, size_t len, unsigned waiting[KINDS_COUNT])
{
    const char *equals = memchr(text, '=', len);
    size_t digits = equals ? len - (size_t)(equals + 1 - text) : 0;

    if (digits < 1 || digits > 2 || strspn(equals + 1, "0123456789") < digits)
        return false;
    for (int kind = 0; kind < KINDS_COUNT; kind++) {
        const char *name = execution_kinds[kind].name;

        if (strlen(name) == (size_t)(equals - text) &&
            memcmp(name, text, (size_t)(equals - text)) == 0) {
            waiting[kind] = (unsigned)strtoul(equals + 1, NULL, 10);
            return true;
        }
    }
    return false;
}

int kinds_read_waiting(const char *text, unsigned max, unsigned waiting[KINDS_COUNT],
                       struct error *err)
{
    unsigned sum = 0;

    for (int kind = 0; kind < KINDS_COUNT; kind++)
        waiting[kind] = execution_kinds[kind].waiting;
    while (text && *text) {
        size_t len = strcspn(text, ",");

        if (!read_one(text, len, waiting) || (text[len] && !text[len + 1]))
            return error_set(err, ERROR_INVALID,
                             "sandboxes that wait: '%.*s' is not KIND=NUMBER; write for instance "
                             "bare=4,data=2 (kinds: bare, data, plot)",
                             (int)(len < 64 ? len : 64), text);
        text += len + (text[len] ? 1 : 0);
    }
    for (int kind = 0; kind < KINDS_COUNT; kind++)
        sum += waiting[kind];
    if (sum > max)
        return error_set(err, ERROR_INVALID,
                         "sandboxes that wait: this machine has room for %u, and %u are asked "
                         "for; write smaller numbers (kinds that are not named count too: bare 2, "
                         "data 1)",
                         max, sum);
    return 0;
}
