/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/pool/demand.h"

#include <string.h>

static void forget(struct demand *demand, uint64_t now)
{
    uint64_t slots = (now - demand->slot_at) / demand->slot_ms;

    demand->slot_at += slots * demand->slot_ms;
    if (slots >= DEMAND_SLOTS) {
        memset(demand->peaks, 0, sizeof demand->peaks);
        return;
    }
    for (; slots > 0; slots--) {
        demand->slot = (demand->slot + 1) % DEMAND_SLOTS;
        demand->peaks[demand->slot] = 0;
    }
}

void demand_note(struct demand *demand, uint64_t now)
{
    forget(demand, now);
    if (now - demand->span_at >= DEMAND_SPAN_MS) {
        demand->span_at = now;
        demand->in_span = 0;
    }
    demand->in_span++;
    if (demand->in_span > demand->peaks[demand->slot])
        demand->peaks[demand->slot] = demand->in_span;
}

unsigned demand_peak(struct demand *demand, uint64_t now)
{
    unsigned peak = 0;

    forget(demand, now);
    for (unsigned i = 0; i < DEMAND_SLOTS; i++)
        peak = demand->peaks[i] > peak ? demand->peaks[i] : peak;
    return peak;
}
