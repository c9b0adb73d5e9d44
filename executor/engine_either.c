/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Docker or the local engine, where the choice is left to us and neither worked at the start: each
 * start looks for both, in that order, and the first that works runs everything from then on.
 */
#include "executor/engine.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "helpers/base/log.h"

#define EITHER_COUNT 2

static const struct engine *const engines[EITHER_COUNT] = {&engine_docker, &engine_local};

struct either {
    void *states[EITHER_COUNT];
    pthread_mutex_t lock; /* while one looks for them */
    atomic_int chosen;    /* index, or -1; set once */
    bool told;            /* the log says that none works; under the lock */
};

struct engine_box {
    const struct engine *engine;
    void *state;
    struct engine_box *inner; /* that engine's own */
};

static void either_close(void *state)
{
    struct either *either = state;

    for (int i = 0; i < EITHER_COUNT; i++) {
        if (either->states[i])
            engines[i]->close(either->states[i]);
    }
    pthread_mutex_destroy(&either->lock);
    free(either);
}

static void *either_open(const struct executor_config *config, struct error *err)
{
    struct either *either = calloc(1, sizeof *either);

    if (!either) {
        error_set(err, ERROR_MEMORY, "out of memory for the engines");
        return NULL;
    }
    pthread_mutex_init(&either->lock, NULL);
    atomic_init(&either->chosen, -1);
    for (int i = 0; i < EITHER_COUNT; i++) {
        either->states[i] = engines[i]->open(config, err);
        if (!either->states[i]) {
            either_close(either);
            return NULL;
        }
    }
    return either;
}

static int look(struct either *either, bool quiet, struct error *err)
{
    struct error why[EITHER_COUNT] = {{0}};

    for (int i = 0; i < EITHER_COUNT; i++) {
        if (engines[i]->works(either->states[i], &why[i]) == 0) {
            atomic_store(&either->chosen, i);
            log_info("executor", "code runs in the %s sandbox from now on", engines[i]->name);
            return i;
        }
    }
    error_set(err, ERROR_UNAVAILABLE, "no engine can run code. docker: %.900s. local: %.900s",
              why[0].text, why[1].text);
    if (!quiet && !either->told && err)
        log_warning("executor", "%s. Analyses wait; both are looked for again", err->text);
    either->told = either->told || !quiet;
    return -1;
}

/* The index of the engine that runs the code; -1 where none works. */
static int choose(struct either *either, bool quiet, struct error *err)
{
    int chosen = atomic_load(&either->chosen);

    if (chosen >= 0)
        return chosen;
    pthread_mutex_lock(&either->lock);
    chosen = atomic_load(&either->chosen);
    if (chosen < 0)
        chosen = look(either, quiet, err);
    pthread_mutex_unlock(&either->lock);
    return chosen;
}

static int either_works(void *state, struct error *err)
{
    return choose(state, true, err) < 0 ? -1 : 0;
}

static void either_describe(void *state, char *text, size_t size)
{
    struct either *either = state;
    struct error err = {0};
    int chosen = choose(either, true, &err);

    if (chosen >= 0)
        engines[chosen]->describe(either->states[chosen], text, size);
    else
        snprintf(text, size, "no code can run yet, and that is tried again: %.440s", err.text);
}

static void either_interrupt(void *state)
{
    struct either *either = state;

    for (int i = 0; i < EITHER_COUNT; i++)
        engines[i]->interrupt(either->states[i]);
}

static int either_made_of(void *state, char text[ENGINE_MADE_OF_CAP], struct error *err)
{
    struct either *either = state;
    int chosen = choose(either, false, err);

    return chosen < 0 ? -1 : engines[chosen]->made_of(either->states[chosen], text, err);
}

static struct engine_box *either_start(void *state, const struct execution_kind *kind,
                                       struct error *err)
{
    struct either *either = state;
    struct error why = {0};
    int chosen = choose(either, false, &why);
    struct engine_box *box;

    if (chosen < 0) {
        error_set(err, why.kind, "%s", why.text);
        return NULL;
    }
    box = calloc(1, sizeof *box);
    if (!box) {
        error_set(err, ERROR_MEMORY, "out of memory for a sandbox");
        return NULL;
    }
    box->engine = engines[chosen];
    box->state = either->states[chosen];
    box->inner = box->engine->start(box->state, kind, err);
    if (!box->inner) {
        free(box);
        return NULL;
    }
    return box;
}

static int either_settle(void *state, struct engine_box *box, struct error *err)
{
    (void)state;
    return box->engine->settle(box->state, box->inner, err);
}

static void either_destroy(void *state, struct engine_box *box)
{
    (void)state;
    box->engine->destroy(box->state, box->inner);
    free(box);
}

static int either_fd(const struct engine_box *box)
{
    return box->engine->fd(box->inner);
}

static ssize_t either_send(struct engine_box *box, const void *bytes, size_t len)
{
    return box->engine->send(box->inner, bytes, len);
}

static ssize_t either_receive(struct engine_box *box, void *bytes, size_t size)
{
    return box->engine->receive(box->inner, bytes, size);
}

static const char *either_last_words(struct engine_box *box)
{
    return box->engine->last_words(box->inner);
}

const struct engine engine_either = {
    .name = "auto",
    .open = either_open,
    .close = either_close,
    .works = either_works,
    .describe = either_describe,
    .interrupt = either_interrupt,
    .made_of = either_made_of,
    .start = either_start,
    .settle = either_settle,
    .destroy = either_destroy,
    .fd = either_fd,
    .send = either_send,
    .receive = either_receive,
    .last_words = either_last_words,
};
