/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LECTERN_BASE_CLOCK_H
#define LECTERN_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Milliseconds and seconds of the monotonic clock, from any thread. */
static inline int64_t clock_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static inline int64_t clock_s(void)
{
    return clock_ms() / 1000;
}

#endif
