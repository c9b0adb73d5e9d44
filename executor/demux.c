/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/demux.h"

#include <string.h>

enum { STREAM_STDIN, STREAM_STDOUT, STREAM_STDERR, STREAM_SYSTEM };

ssize_t demux_take(struct demux *demux, char *bytes, size_t len)
{
    size_t at = 0, kept = 0;

    while (at < len) {
        size_t some = len - at;

        if (demux->left == 0) {
            some = some < sizeof demux->head - demux->head_len
                       ? some
                       : sizeof demux->head - demux->head_len;
            memcpy(demux->head + demux->head_len, bytes + at, some);
            demux->head_len += some;
            at += some;
            if (demux->head_len < sizeof demux->head)
                break;
            if (demux->head[0] > STREAM_SYSTEM)
                return -1;
            demux->head_len = 0;
            demux->left = (uint32_t)demux->head[4] << 24 | (uint32_t)demux->head[5] << 16 |
                          (uint32_t)demux->head[6] << 8 | (uint32_t)demux->head[7];
            continue;
        }
        some = some < demux->left ? some : demux->left;
        if (demux->head[0] == STREAM_STDOUT) {
            memmove(bytes + kept, bytes + at, some);
            kept += some;
        } else {
            demux->on_stderr(demux->user, bytes + at, some);
        }
        demux->left -= (uint32_t)some;
        at += some;
    }
    return (ssize_t)kept;
}
