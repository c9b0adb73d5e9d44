/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Takes apart what a Docker daemon sends on an attached connection: pieces with a head of 8 bytes
 * (stream, 0, 0, 0, length big-endian), however they are cut. Pure.
 */
#ifndef LECTERN_EXECUTOR_DEMUX_H
#define LECTERN_EXECUTOR_DEMUX_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct demux {
    unsigned char head[8];
    size_t head_len;
    uint32_t left; /* of the piece under way */
    void (*on_stderr)(void *user, const char *bytes, size_t len);
    void *user;
};

/* Of len bytes, leaves those of standard output at the front and returns their number; -1 for a
 * stream that is none. */
ssize_t demux_take(struct demux *demux, char *bytes, size_t len);

#endif
