/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The interface between the executor and an engine. An engine starts sandboxes ("boxes") that run
 * the runner (image/runner/runner.c), with a stream to its standard input and output. It is a const
 * table of functions with private state; the tests add one more.
 *
 * Threads: open, close, start, settle and destroy block. Several threads of the executor's work
 * queue call start, settle and destroy at the same time, for different boxes. The executor's loop
 * calls fd, send and receive, between start and destroy. Any thread may call interrupt.
 */
#ifndef LECTERN_EXECUTOR_ENGINE_H
#define LECTERN_EXECUTOR_ENGINE_H

#include <sys/types.h>

#include "executor/executor.h"

/* ---- kinds of sandbox (kinds.c), by number ---- */

#define KINDS_COUNT 3

/* Sets how many sandboxes of each kind wait: the table's defaults, overridden by text
 * ("bare=4,data=2", or NULL). Returns -1 with ERROR_INVALID, also if they are more than max in all.
 */
int kinds_read_waiting(const char *text, unsigned max, unsigned waiting[KINDS_COUNT],
                       struct error *err);

int kind_index(const char *name); /* -1 if no kind has that name */

/* ---- the engine ---- */

#define ENGINE_DESCRIPTION_CAP 512
#define ENGINE_MADE_OF_CAP     128

struct engine_box; /* private to each engine; one sandbox from its start to its removal */

struct engine {
    const char *name;

    /* Removes what a dead owner left behind. Fails only if the configuration is wrong. If something
     * is missing at the moment (no daemon, no image), it succeeds, and each start checks again. */
    void *(*open)(const struct executor_config *config, struct error *err);
    void (*close)(void *state);

    /* Returns 0 if boxes can be started now, otherwise -1 with what is missing and how to fix it.
     * Blocks for a few seconds at most. NULL in the table: an open engine always works. */
    int (*works)(void *state, struct error *err);

    void (*describe)(void *state, char *text, size_t size); /* one sentence */
    void (*interrupt)(void *state); /* makes current and future starts fail soon */

    /* Writes one word that identifies what a box started now consists of: an image id, or the state
     * of the files. When it changes, waiting boxes are outdated. Blocks. Returns -1 if it cannot be
     * determined now. NULL in the table: it never changes. */
    int (*made_of)(void *state, char text[ENGINE_MADE_OF_CAP], struct error *err);

    /* Returns the engine that starts boxes now, with its state in *state, or NULL if there is none.
     * NULL in the table: this engine. If it is another engine, the functions below are not called
     * on this one. */
    const struct engine *(*pick)(void **state, struct error *err);

    /* On return the box runs, but its runner is not ready yet. It has low priority until settled.
     */
    struct engine_box *(*start)(void *state, const struct execution_kind *kind, struct error *err);
    /* Called after the runner is ready: sets the limits that would have slowed down its warming. */
    int (*settle)(void *state, struct engine_box *box, struct error *err);
    /* Ends what runs in the box and removes it permanently. If it cannot be removed now, the engine
     * remembers it and tries again. */
    void (*destroy)(void *state, struct engine_box *box);

    int (*fd)(const struct engine_box *box);
    /* Like non-blocking send(2) and recv(2): -1 with errno EAGAIN means "not now"; receive returns
     * 0 at the end of the stream. */
    ssize_t (*send)(struct engine_box *box, const void *bytes, size_t len);
    ssize_t (*receive)(struct engine_box *box, void *bytes, size_t size);
    /* The last bytes that the runner wrote to its standard error; valid until destroy. */
    const char *(*stderr_tail)(struct engine_box *box);
};

extern const struct engine engine_docker;
extern const struct engine engine_local;
extern const struct engine engine_process;
extern const struct engine engine_auto; /* uses the first of these that works, from then on */

/* Limits for executor_create_with, which the tests set. */
struct executor_limits {
    unsigned import_ms;  /* from the job's frame to FRAME_STARTED */
    unsigned grace_ms;   /* added to the runner's deadline */
    unsigned warm_ms;    /* from the start to FRAME_READY */
    unsigned wait_ms;    /* waiting for a sandbox */
    unsigned request_ms; /* from a request to its answer */
    size_t requests;     /* of one run */
    size_t answer_bytes; /* of one run */

    /* Timing of the pool, in ms; 0 selects the default (pool.c). All members are unsigned. */
    struct pool_pace {
        unsigned tick;     /* between checks of the waiting sandboxes and jobs */
        unsigned ping;     /* approximate interval between pings of a waiting sandbox */
        unsigned pong;     /* time limit for the answer to a ping */
        unsigned renew;    /* maximum waiting time of a sandbox */
        unsigned made_of;  /* between two calls of the engine's made_of */
        unsigned slot;     /* a tenth of the time for which demand is remembered */
        unsigned recycle;  /* from the end of a job to FRAME_READY, in a session's sandbox */
        unsigned idle;     /* a session's sandbox is ended after this time without a job */
        unsigned surplus;  /* a session keeps more than one that long, with automatic isolation */
        unsigned hold;     /* minimum time it is kept when others need room */
        unsigned patience; /* a job waits this long for its session's sandbox before it gets another
                            */
        unsigned retry;    /* pause after the first failed start; doubles with each failure */
        unsigned jobs;     /* maximum number of jobs of one session's sandbox (a count) */
    } pace;

    /* The room for sandboxes; 0 selects what the machine has (plan_room). */
    struct pool_room {
        unsigned sandboxes;  /* in any state, including those being removed */
        unsigned of_session; /* of one session, so that it cannot take all */
        unsigned waiting;    /* of all kinds, configured to wait */
        unsigned by_demand;  /* of a kind, waiting because of demand */
        unsigned starts;     /* at the same time */
    } room;
};
extern const struct executor_limits executor_limits_default;

struct executor *executor_create_with(const struct engine *engine,
                                      const struct executor_config *config,
                                      const struct executor_limits *limits, struct error *err);

/* Returns -1 with the reason if the engine is used only where it is named. */
int engine_may_be_chosen(const struct engine *engine, const struct executor_config *config,
                         struct error *err);

/* Opens the engine that the configuration selects; *state is its state. If the configuration leaves
 * the choice open, that is the engine that works, or engine_auto if none does yet. Returns NULL if
 * the configuration is wrong. *note is what the user should know about the choice, or "". */
const struct engine *engine_choose(const struct executor_config *config, void **state, char *note,
                                   size_t note_size, struct error *err);

#endif
