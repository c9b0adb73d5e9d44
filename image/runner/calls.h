/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The lists of system calls that seccomp.c makes filters of.
 */
#ifndef LECTERN_IMAGE_CALLS_H
#define LECTERN_IMAGE_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ALL_BITS UINT64_C(0xffffffff)

/* An allowed call, with at most one condition on its arguments: (argument & mask) == value. */
struct allowed {
    int call;
    bool conditional;
    unsigned argument;
    uint64_t mask;
    uint64_t value;
};

/* Python's, for good or bad code. Signals to itself come on top. */
extern const struct allowed interpreter_calls[];
extern const size_t interpreter_call_count;
/* What a library tries first and has another way for. */
extern const int unknown_calls[];
extern const size_t unknown_call_count;
/* What a zygote does besides the interpreter's, for each of its copies (image/python/fork.c). */
extern const struct allowed zygote_calls[];
extern const size_t zygote_call_count;
/* The runner's; signals to the interpreter come on top. */
extern const struct allowed runner_calls[];
extern const size_t runner_call_count;
/* What it does besides in a session: an interpreter's pipes, asking the zygote, signals by pidfd.
 */
extern const struct allowed session_calls[];
extern const size_t session_call_count;

#endif
