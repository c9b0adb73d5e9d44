/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How many sandboxes of a kind were wanted lately: the most jobs that came within one second, of
 * the last minutes. Both a burst of callers and one caller who is quicker than sandboxes start show
 * in it, and as many as came at once then should wait for the next time. Pure: the time is an
 * argument.
 */
#ifndef LECTERN_EXECUTOR_DEMAND_H
#define LECTERN_EXECUTOR_DEMAND_H

#include <stdint.h>

#define DEMAND_SPAN_MS 1000u /* "at once": about the time that a few sandboxes take to start */
#define DEMAND_SLOTS   10u   /* each of slot_ms: what is remembered, and forgotten, in one go */

struct demand {
    uint64_t slot_at, span_at; /* when they began, ms */
    unsigned slot;             /* of now */
    unsigned peaks[DEMAND_SLOTS];
    unsigned in_span;
    unsigned slot_ms; /* set by the owner */
};

void demand_note(struct demand *demand, uint64_t now); /* a job came */
unsigned demand_peak(struct demand *demand, uint64_t now);

#endif
