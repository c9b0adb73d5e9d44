/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One sandbox from its start to its removal: the engine's box, the frames that go in and out, and
 * its state.
 *
 *      STARTING -> WARMING -> SETTLING -> READY -> (used) -> ENDING -> gone
 *       work queue       loop       work queue        loop      loop      work queue
 *
 * In a sandbox that serves a session, READY -> (used) -> RECYCLING -> READY repeats.
 *
 * All functions run on the executor's loop. Work that blocks is sent to the work queue and returns
 * to the loop.
 */
#ifndef LECTERN_EXECUTOR_SANDBOX_H
#define LECTERN_EXECUTOR_SANDBOX_H

#include <stdbool.h>
#include <uv.h>

#include "executor/engine.h"
#include "executor/wire/frame_decoder.h"
#include "helpers/base/workq.h"

#define SANDBOX_READ_SIZE  (64u << 10) /* bytes read at once */
#define SANDBOX_READ_TURNS 8           /* consecutive reads before other sandboxes get a turn */

/* State shared by all sandboxes of an executor. */
struct sandbox_host {
    uv_loop_t *loop;
    struct workq *workq;
    const struct engine *engine;
    void *state; /* the engine's */
    const struct executor_limits *limits;
    struct execution_kind kinds[KINDS_COUNT]; /* as configured for this executor */
    char bytes[SANDBOX_READ_SIZE];            /* the bytes received last */
};

#define SANDBOX_RETIRE_MS 5 /* from the end of the job to the start of the removal */

/* The frames that a sandbox may send. */
extern const struct frame_rule frames_from_runner[];

/* Whether the server runs jobs in a sandbox with this FRAME_READY: not if a layer is missing, nor
 * with another Python than the validator has read for. */
int sandbox_check_ready(const struct frame *frame, struct error *err);

struct sandbox;

/* The events of a sandbox, for its current user. After broken, only sandbox_end may be called. */
struct sandbox_events {
    /* It is warm with its limits set, or recycled, and waits. NULL for a user of a ready one. */
    void (*ready)(void *user);
    void (*frame)(void *user, const struct frame *frame);
    void (*broken)(void *user, const struct error *why);
};

/* Starts a sandbox for an owner, who gets its events until it is handed over. gone is the last
 * call, when nothing of the sandbox is left. Returns NULL with an error if it could not begin; gone
 * is not called then. */
struct sandbox *sandbox_start(struct sandbox_host *host, int kind,
                              const struct sandbox_events *events, void (*gone)(void *owner),
                              void *owner, struct error *err);

void sandbox_hand_over(struct sandbox *sandbox, const struct sandbox_events *events, void *user);

/* Sends a frame, or queues it until the sandbox reads. Takes ownership of bytes (head and payload),
 * also on failure. */
int sandbox_send(struct sandbox *sandbox, char *bytes, size_t len, struct error *err);

/* Prepares for the next job after one has ended: waits at most ms for FRAME_READY, then calls ready
 * or broken. */
void sandbox_recycle(struct sandbox *sandbox, unsigned ms);

/* Pings a ready sandbox. If no answer comes within ms, broken is called, unless it was handed over
 * in the meantime. Must not be called again before the answer. */
int sandbox_ping(struct sandbox *sandbox, unsigned ms, struct error *err);
bool sandbox_is_pinged(const struct sandbox *sandbox);

/* Ends and removes it in any state. Only gone is called afterwards. May be called repeatedly. */
void sandbox_end(struct sandbox *sandbox);

/* Does the same a moment later, for a sandbox whose job is done, because the removal uses CPU time
 * that the pending answer needs. */
void sandbox_retire(struct sandbox *sandbox);

#endif
