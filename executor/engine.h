/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the executor asks of an engine: boxes that run the runner (image/runner/runner.c) with a
 * stream to its standard input and output. An engine is a const table of functions over a state of
 * its own; the tests bring one more.
 *
 * Threads: open, close, start, settle and destroy block; start, settle and destroy are called from
 * several threads of the executor's work queue, for different boxes at the same time. fd, send and
 * receive are called on the executor's loop, between start and destroy. interrupt may be called
 * from any thread.
 */
#ifndef LECTERN_EXECUTOR_ENGINE_H
#define LECTERN_EXECUTOR_ENGINE_H

#include <sys/types.h>

#include "executor/executor.h"

/* ---- kinds of sandbox (kinds.c), by number ---- */

#define KINDS_COUNT       3
#define KINDS_WAITING_MAX 12u /* sandboxes of all kinds that may be told to wait */

/* How many of each kind wait: as the table says, but where text ("bare=4,data=2", or NULL) says
 * otherwise. -1 with ERROR_INVALID. */
int kinds_read_waiting(const char *text, unsigned waiting[KINDS_COUNT], struct error *err);

int kind_index(const char *name); /* -1 where no kind has that name */

/* ---- the engine ---- */

#define ENGINE_DESCRIPTION_CAP 512
#define ENGINE_MADE_OF_CAP     128

struct engine_box; /* each engine's own; one sandbox from its start to its removal */

struct engine {
    const char *name;

    /* Clears what a dead owner left. Fails where the configuration is wrong; where what it needs is
     * only not there now (no daemon, no image), it opens all the same and each start looks again.
     */
    void *(*open)(const struct executor_config *config, struct error *err);
    void (*close)(void *state);

    /* 0 when boxes can be started now; -1 with what is missing and what fixes it. Blocks, for
     * seconds at most. NULL in the table: it always works once it is open. */
    int (*works)(void *state, struct error *err);

    void (*describe)(void *state, char *text, size_t size); /* one sentence */
    void (*interrupt)(void *state); /* makes starts under way fail soon, for good */

    /* What a box that starts now is made of, as one word: an image's id, the state of the files.
     * When it changes, boxes that wait are of yesterday. Blocks. -1 where it cannot be told now.
     * NULL in the table where it never changes. */
    int (*made_of)(void *state, char text[ENGINE_MADE_OF_CAP], struct error *err);

    /* The engine that starts boxes now, with its own state in *state; NULL where there is none.
     * NULL in the table: this one. Where it is another, what follows is not called. */
    const struct engine *(*pick)(void **state, struct error *err);

    /* The box is running, its runner not yet ready. Low priority until settled. */
    struct engine_box *(*start)(void *state, const struct execution_kind *kind, struct error *err);
    /* After the runner said that it is ready: the limits that would have slowed its warming. */
    int (*settle)(void *state, struct engine_box *box, struct error *err);
    /* Ends what runs in it and removes it for good; what cannot be removed now is remembered and
     * tried again. */
    void (*destroy)(void *state, struct engine_box *box);

    int (*fd)(const struct engine_box *box);
    /* As send(2) and recv(2) without blocking: -1 with errno EAGAIN for "not now"; 0 from receive
     * is the end. */
    ssize_t (*send)(struct engine_box *box, const void *bytes, size_t len);
    ssize_t (*receive)(struct engine_box *box, void *bytes, size_t size);
    /* The last of what the runner wrote to its standard error; valid until destroy. */
    const char *(*stderr_tail)(struct engine_box *box);
};

extern const struct engine engine_docker;
extern const struct engine engine_local;
extern const struct engine engine_auto; /* the first of the two that works, from then on */

/* As executor_create, with this engine and these limits: for tests. */
struct executor_limits {
    unsigned import_ms;  /* from the job's frame to FRAME_STARTED */
    unsigned grace_ms;   /* above the runner's own deadline */
    unsigned warm_ms;    /* from the start to FRAME_READY */
    unsigned wait_ms;    /* waiting for a sandbox */
    unsigned request_ms; /* from a request to its answer */
    size_t requests;     /* of one run */
    size_t answer_bytes; /* of one run */

    /* The pool's pace, ms; where one is 0, the usual one (pool.c). All unsigned. */
    struct pool_pace {
        unsigned tick;    /* between looks at what waits */
        unsigned ping;    /* about so often a waiting sandbox is asked whether it lives */
        unsigned pong;    /* and answers within */
        unsigned renew;   /* the longest that a sandbox waits */
        unsigned made_of; /* between questions to the engine what its sandboxes are made of */
        unsigned slot;    /* a tenth of the time that demand is remembered */
        unsigned recycle; /* from a job's end to FRAME_READY, in a session's sandbox */
        unsigned idle;    /* a session's sandbox without a job is ended after */
        unsigned hold;    /* and kept at least, when others need room */
        unsigned retry;   /* after the first failed start; doubles with each */
        unsigned jobs;    /* of one session's sandbox (a count) */
    } pace;
};
extern const struct executor_limits executor_limits_default;

struct executor *executor_create_with(const struct engine *engine,
                                      const struct executor_config *config,
                                      const struct executor_limits *limits, struct error *err);

/* The engine that the configuration asks for, opened; *state is its own. Where it leaves the
 * choice, the one that works, and where none does yet, engine_auto. NULL where the configuration
 * is wrong. *note says what the user should know about the choice, or "". */
const struct engine *engine_choose(const struct executor_config *config, void **state, char *note,
                                   size_t note_size, struct error *err);

#endif
