/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which engine runs the code: the one that is asked for by name, whether it works already or not;
 * else Docker where a daemon answers and has the image, else the local one. What the other lacked
 * is said, with the command that fixes it. Where neither works at the start, engine_auto looks for
 * both with each start, in that order, and the first that works runs everything from then on.
 */
#include "executor/engine.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "helpers/base/log.h"

#define AUTO_COUNT 2

static const struct engine *const engines[AUTO_COUNT] = {&engine_docker, &engine_local};

struct auto_state {
    void *states[AUTO_COUNT];
    pthread_mutex_t lock; /* while one looks for them */
    atomic_int chosen;    /* index, or -1; set once */
    bool logged;          /* the log says that none works; under the lock */
};

static void auto_close(void *state)
{
    struct auto_state *self = state;

    for (int i = 0; i < AUTO_COUNT; i++) {
        if (self->states[i])
            engines[i]->close(self->states[i]);
    }
    pthread_mutex_destroy(&self->lock);
    free(self);
}

static void *auto_open(const struct executor_config *config, struct error *err)
{
    struct auto_state *self = calloc(1, sizeof *self);

    if (!self) {
        error_set(err, ERROR_MEMORY, "out of memory for the engines");
        return NULL;
    }
    pthread_mutex_init(&self->lock, NULL);
    atomic_init(&self->chosen, -1);
    for (int i = 0; i < AUTO_COUNT; i++) {
        self->states[i] = engines[i]->open(config, err);
        if (!self->states[i]) {
            auto_close(self);
            return NULL;
        }
    }
    return self;
}

static int look(struct auto_state *self, bool quiet, struct error *err)
{
    struct error why[AUTO_COUNT] = {{0}};

    for (int i = 0; i < AUTO_COUNT; i++) {
        if (engines[i]->works(self->states[i], &why[i]) == 0) {
            atomic_store(&self->chosen, i);
            log_info("executor", "code runs in the %s sandbox from now on", engines[i]->name);
            return i;
        }
    }
    error_set(err, ERROR_UNAVAILABLE, "no engine can run code. docker: %.900s. local: %.900s",
              why[0].text, why[1].text);
    if (!quiet && !self->logged && err)
        log_warning("executor", "%s. Analyses wait; both are looked for again", err->text);
    self->logged = self->logged || !quiet;
    return -1;
}

/* The index of the engine that runs the code; -1 where none works. */
static int choose(struct auto_state *self, bool quiet, struct error *err)
{
    int chosen = atomic_load(&self->chosen);

    if (chosen >= 0)
        return chosen;
    pthread_mutex_lock(&self->lock);
    chosen = atomic_load(&self->chosen);
    if (chosen < 0)
        chosen = look(self, quiet, err);
    pthread_mutex_unlock(&self->lock);
    return chosen;
}

static int auto_works(void *state, struct error *err)
{
    return choose(state, true, err) < 0 ? -1 : 0;
}

static void auto_describe(void *state, char *text, size_t size)
{
    struct auto_state *self = state;
    struct error err = {0};
    int chosen = choose(self, true, &err);

    if (chosen >= 0)
        engines[chosen]->describe(self->states[chosen], text, size);
    else
        snprintf(text, size, "no code can run yet, and that is tried again: %.440s", err.text);
}

static void auto_interrupt(void *state)
{
    struct auto_state *self = state;

    for (int i = 0; i < AUTO_COUNT; i++)
        engines[i]->interrupt(self->states[i]);
}

static int auto_made_of(void *state, char text[ENGINE_MADE_OF_CAP], struct error *err)
{
    struct auto_state *self = state;
    int chosen = choose(self, false, err);

    return chosen < 0 ? -1 : engines[chosen]->made_of(self->states[chosen], text, err);
}

static const struct engine *auto_pick(void **state, struct error *err)
{
    struct auto_state *self = *state;
    struct error why = {0};
    int chosen = choose(self, false, &why);

    if (chosen < 0) {
        error_set(err, why.kind, "%s", why.text);
        return NULL;
    }
    *state = self->states[chosen];
    return engines[chosen];
}

const struct engine engine_auto = {
    .name = "auto",
    .open = auto_open,
    .close = auto_close,
    .works = auto_works,
    .describe = auto_describe,
    .interrupt = auto_interrupt,
    .made_of = auto_made_of,
    .pick = auto_pick,
};

/* ---- choosing at the start ---- */

static const struct engine *open_one(const struct engine *engine,
                                     const struct executor_config *config, void **state,
                                     struct error *err)
{
    *state = engine->open(config, err);
    if (*state)
        return engine;
    error_wrap(err, "the %s sandbox cannot be used", engine->name);
    return NULL;
}

/* NULL where it does not work now, with what it lacks. */
static const struct engine *open_working(const struct engine *engine,
                                         const struct executor_config *config, void **state,
                                         struct error *err)
{
    if (!open_one(engine, config, state, err))
        return NULL;
    if (engine->works(*state, err) == 0)
        return engine;
    engine->close(*state);
    *state = NULL;
    return NULL;
}

const struct engine *engine_choose(const struct executor_config *config, void **state, char *note,
                                   size_t note_size, struct error *err)
{
    struct error no_docker = {0}, no_local = {0};

    note[0] = '\0';
    if (config->engine == EXECUTOR_DOCKER)
        return open_one(&engine_docker, config, state, err);
    if (config->engine == EXECUTOR_LOCAL)
        return open_one(&engine_local, config, state, err);
    if (open_working(&engine_docker, config, state, &no_docker))
        return &engine_docker;
    if (open_working(&engine_local, config, state, &no_local)) {
        snprintf(note, note_size, "code runs in the local sandbox: %s", no_docker.text);
        return &engine_local;
    }
    return open_one(&engine_auto, config, state, err);
}
