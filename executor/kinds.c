/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/kinds.h"

#include <string.h>

static const char *const nothing[] = {NULL};
static const char *const analysis[] = {"numpy", "pandas", "networkx", NULL};
static const char *const plotting[] = {"numpy", "pandas", "networkx", "matplotlib.pyplot", NULL};

const struct execution_kind execution_kinds[] = {
    {.name = "bare", .preload = nothing, .memory_mb = 256, .waiting = 2},
    {.name = "data", .preload = analysis, .memory_mb = 256, .waiting = 1},
    {.name = "plot", .preload = plotting, .memory_mb = 384, .waiting = 0},
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
