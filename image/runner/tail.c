/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "image/runner/tail.h"

#include <string.h>

void tail_feed(struct tail *tail, const unsigned char *data, size_t len)
{
    if (tail->cap == 0) {
        tail->taken += len;
        return;
    }
    if (len > tail->cap) { /* the rest would be written over at once */
        tail->taken += len - tail->cap;
        data += len - tail->cap;
        len = tail->cap;
    }
    while (len > 0) {
        size_t at = (size_t)(tail->taken % tail->cap);
        size_t some = tail->cap - at < len ? tail->cap - at : len;

        memcpy(tail->ring + at, data, some);
        tail->taken += some;
        data += some;
        len -= some;
    }
}

size_t tail_len(const struct tail *tail)
{
    return tail->taken < tail->cap ? (size_t)tail->taken : tail->cap;
}

void tail_copy(const struct tail *tail, unsigned char *to)
{
    size_t len = tail_len(tail);
    size_t oldest = len < tail->cap || len == 0 ? 0 : (size_t)(tail->taken % tail->cap);

    memcpy(to, tail->ring + oldest, len - oldest);
    memcpy(to + (len - oldest), tail->ring, oldest);
}
