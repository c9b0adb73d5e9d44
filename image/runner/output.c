/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "image/runner/output.h"

#include <string.h>

static void keep_tail(struct runner_output *output, const unsigned char *data, size_t len)
{
    if (len > output->tail_cap) { /* the rest would be overwritten at once */
        output->tail_came += len - output->tail_cap;
        data += len - output->tail_cap;
        len = output->tail_cap;
    }
    while (len > 0) {
        size_t at = (size_t)(output->tail_came % output->tail_cap);
        size_t some = output->tail_cap - at < len ? output->tail_cap - at : len;

        memcpy(output->ring + at, data, some);
        output->tail_came += some;
        data += some;
        len -= some;
    }
}

size_t output_take(struct runner_output *output, const unsigned char *data, size_t len)
{
    uint64_t room = output->cap - output->sent;
    size_t passed = len < room ? len : (size_t)room;

    output->bytes += len;
    output->sent += passed;
    keep_tail(output, data + passed, len - passed);
    return passed;
}

size_t output_tail_len(const struct runner_output *output)
{
    return output->tail_came < output->tail_cap ? (size_t)output->tail_came : output->tail_cap;
}

void output_tail_copy(const struct runner_output *output, unsigned char *to)
{
    size_t len = output_tail_len(output);
    size_t oldest =
        len < output->tail_cap || len == 0 ? 0 : (size_t)(output->tail_came % output->tail_cap);

    memcpy(to, output->ring + oldest, len - oldest);
    memcpy(to + (len - oldest), output->ring, oldest);
}

uint64_t output_cut(const struct runner_output *output)
{
    return output->bytes - output->sent - output_tail_len(output);
}
