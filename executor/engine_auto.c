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

#define AUTO_COUNT 2

static const struct engine *const engines[AUTO_COUNT] = {&engine_docker, &engine_local};

struct auto_state {
    void *states[AUTO_COUNT];
    pthread_mutex_t lock; /* while one looks for them */
    atomic_int chosen;    /* index, or -1; set once */
    bool logged;          /* the log says that none works; under the lock */
};

struct engine_box {
    const struct engine *engine;
    void *state;
    struct engine_box *inner; /* that engine's own */
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

static struct engine_box *auto_start(void *state, const struct execution_kind *kind,
                                     struct error *err)
{
    struct auto_state *self = state;
    struct error why = {0};
    int chosen = choose(self, false, &why);
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
    box->state = self->states[chosen];
    box->inner = box->engine->start(box->state, kind, err);
    if (!box->inner) {
        free(box);
        return NULL;
    }
    return box;
}

static int auto_settle(void *state, struct engine_box *box, struct error *err)
{
    (void)state;
    return box->engine->settle(box->state, box->inner, err);
}

static void auto_destroy(void *state, struct engine_box *box)
{
    (void)state;
    box->engine->destroy(box->state, box->inner);
    free(box);
}

static int auto_fd(const struct engine_box *box)
{
    return box->engine->fd(box->inner);
}

static ssize_t auto_send(struct engine_box *box, const void *bytes, size_t len)
{
    return box->engine->send(box->inner, bytes, len);
}

static ssize_t auto_receive(struct engine_box *box, void *bytes, size_t size)
{
    return box->engine->receive(box->inner, bytes, size);
}

static const char *auto_stderr_tail(struct engine_box *box)
{
    return box->engine->stderr_tail(box->inner);
}

const struct engine engine_auto = {
    .name = "auto",
    .open = auto_open,
    .close = auto_close,
    .works = auto_works,
    .describe = auto_describe,
    .interrupt = auto_interrupt,
    .made_of = auto_made_of,
    .start = auto_start,
    .settle = auto_settle,
    .destroy = auto_destroy,
    .fd = auto_fd,
    .send = auto_send,
    .receive = auto_receive,
    .stderr_tail = auto_stderr_tail,
};
