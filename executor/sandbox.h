/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One sandbox from its start to its removal: the engine's box, the frames that go in and out of it,
 * and where it stands.
 *
 *      STARTING -> WARMING -> SETTLING -> READY -> (used) -> ENDING -> gone
 *       work queue       loop       work queue        loop      loop      work queue
 *
 * Where it serves a session, READY -> (used) -> RECYCLING -> READY goes round.
 *
 * Everything here runs on the executor's loop; what blocks is sent to the work queue from here and
 * comes back here.
 */
#ifndef LECTERN_EXECUTOR_SANDBOX_H
#define LECTERN_EXECUTOR_SANDBOX_H

#include <stdbool.h>
#include <uv.h>

#include "executor/engine.h"
#include "executor/wire/frame_decoder.h"
#include "helpers/base/workq.h"

#define SANDBOX_READ_SIZE  (64u << 10) /* bytes taken at once */
#define SANDBOX_READ_TURNS 8           /* times in a row before others have their turn */

/* What all sandboxes of an executor share. */
struct sandbox_host {
    uv_loop_t *loop;
    struct workq *workq;
    const struct engine *engine;
    void *state; /* the engine's */
    const struct executor_limits *limits;
    struct execution_kind kinds[KINDS_COUNT]; /* as they are started here */
    char bytes[SANDBOX_READ_SIZE];            /* what was just received */
};

#define SANDBOX_RETIRE_MS 5 /* from the job's end to the removal's begin */

/* What may come out of a sandbox. */
extern const struct frame_rule frames_from_runner[];

struct sandbox;

/* Who has the sandbox hears of it. From broken on, the only thing left to do is sandbox_end. */
struct sandbox_events {
    /* Warm, limits set, or recycled; waits. NULL for a user of a ready one. */
    void (*ready)(void *user);
    void (*frame)(void *user, const struct frame *frame);
    void (*broken)(void *user, const struct error *why);
};

/* Begins to start one, for an owner, who hears of it until it is handed over. gone is called last,
 * when nothing is left of it. NULL with an error where not even that was possible (gone is not
 * called then). */
struct sandbox *sandbox_start(struct sandbox_host *host, int kind,
                              const struct sandbox_events *events, void (*gone)(void *owner),
                              void *owner, struct error *err);

void sandbox_hand_over(struct sandbox *sandbox, const struct sandbox_events *events, void *user);

/* Sends a frame, or keeps it until the sandbox reads. bytes (head and payload) are owned from here
 * on, also on failure. */
int sandbox_send(struct sandbox *sandbox, char *bytes, size_t len, struct error *err);

/* Its job has ended and it may take another: waits for FRAME_READY at most ms, then calls ready or
 * broken. */
void sandbox_recycle(struct sandbox *sandbox, unsigned ms);

/* Asks a ready one whether it lives: where no answer comes within ms, broken is called, unless it
 * was handed over meanwhile. Not twice before the answer. */
int sandbox_ping(struct sandbox *sandbox, unsigned ms, struct error *err);
bool sandbox_is_pinged(const struct sandbox *sandbox);

/* Ends and removes it, whatever it does; no event but gone follows. More than once is fine. */
void sandbox_end(struct sandbox *sandbox);

/* The same of one whose job is done, in a moment: to take it down costs CPU that the answer on its
 * way needs. */
void sandbox_retire(struct sandbox *sandbox);

#endif
