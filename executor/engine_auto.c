/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Selects the engine that runs the code: the one selected by name, even if it does not work yet;
 * otherwise the first that works of the table below, whose order is that of their strength. It
 * reports what those before it lacked, with the command that fixes it. If none works at the start,
 * engine_auto checks all, in that order, at each start of a sandbox; the first that works is used
 * from then on. The engine process, whose sandboxes share the machine's network and processes, is
 * not chosen for a server that others reach; there it must be named.
 */
#include "executor/engine.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/log.h"

/* In the order in which they are tried. */
static const struct {
    enum executor_engine asked;
    const struct engine *engine;
} rows[] = {
    {EXECUTOR_DOCKER, &engine_docker},
    {EXECUTOR_LOCAL, &engine_local},
    {EXECUTOR_PROCESS, &engine_process},
};
#define AUTO_COUNT (sizeof rows / sizeof *rows)

int engine_may_be_chosen(const struct engine *engine, const struct executor_config *config,
                         struct error *err)
{
    if (engine != &engine_process || !config->open_host)
        return 0;
    return error_set(err, ERROR_UNAVAILABLE,
                     "this sandbox has no namespaces, and the server listens on %s, not on "
                     "loopback, so it is not chosen automatically: --sandbox process",
                     config->open_host);
}

struct auto_state {
    void *states[AUTO_COUNT]; /* NULL: may not be chosen, for the reason in `left_out` */
    struct error left_out;
    pthread_mutex_t lock; /* held while checking them */
    atomic_int chosen;    /* index, or -1; set once */
    bool logged;          /* it has been logged that none works; protected by lock */
};

static void auto_close(void *state)
{
    struct auto_state *self = state;

    for (size_t i = 0; i < AUTO_COUNT; i++) {
        if (self->states[i])
            rows[i].engine->close(self->states[i]);
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
    for (size_t i = 0; i < AUTO_COUNT; i++) {
        if (engine_may_be_chosen(rows[i].engine, config, &self->left_out) < 0)
            continue;
        self->states[i] = rows[i].engine->open(config, err);
        if (!self->states[i]) {
            auto_close(self);
            return NULL;
        }
    }
    return self;
}

static int look(struct auto_state *self, bool quiet, struct error *err)
{
    char text[ERROR_TEXT_CAP] = "no engine can run code";

    for (size_t i = 0; i < AUTO_COUNT; i++) {
        struct error why = {0};
        size_t used = strlen(text);

        if (!self->states[i]) {
            why = self->left_out;
        } else if (rows[i].engine->works(self->states[i], &why) == 0) {
            atomic_store(&self->chosen, (int)i);
            log_info("executor", "code runs in the %s sandbox from now on", rows[i].engine->name);
            return (int)i;
        }
        snprintf(text + used, sizeof text - used, ". %s: %.900s", rows[i].engine->name, why.text);
    }
    error_set(err, ERROR_UNAVAILABLE, "%s", text);
    if (!quiet && !self->logged)
        log_warning("executor", "%s. Analyses wait; all are looked for again", text);
    self->logged = self->logged || !quiet;
    return -1;
}

/* The index of the engine that runs the code; -1 if none works. */
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
        rows[chosen].engine->describe(self->states[chosen], text, size);
    else
        snprintf(text, size, "no code can run yet, and that is tried again: %.440s", err.text);
}

static void auto_interrupt(void *state)
{
    struct auto_state *self = state;

    for (size_t i = 0; i < AUTO_COUNT; i++) {
        if (self->states[i])
            rows[i].engine->interrupt(self->states[i]);
    }
}

static int auto_made_of(void *state, char text[ENGINE_MADE_OF_CAP], struct error *err)
{
    struct auto_state *self = state;
    int chosen = choose(self, false, err);

    return chosen < 0 ? -1 : rows[chosen].engine->made_of(self->states[chosen], text, err);
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
    return rows[chosen].engine;
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

/* Opens the engine if it works now; otherwise says what it lacks. */
static bool open_working(const struct engine *engine, const struct executor_config *config,
                         void **state, struct error *err)
{
    if (engine_may_be_chosen(engine, config, err) < 0 || !open_one(engine, config, state, err))
        return false;
    if (engine->works(*state, err) == 0)
        return true;
    engine->close(*state);
    return false;
}

static void add_lack(char *note, size_t size, const char *name, const struct error *lack)
{
    size_t used = strlen(note);

    if (used == 0)
        snprintf(note, size, "code runs in the %s sandbox: %.450s", name, lack->text);
    else
        snprintf(note + used, size - used, "; %s", lack->text);
}

const struct engine *engine_choose(const struct executor_config *config, void **state, char *note,
                                   size_t note_size, struct error *err)
{
    struct error lacks[AUTO_COUNT] = {{0}};

    note[0] = '\0';
    for (size_t i = 0; i < AUTO_COUNT; i++) {
        if (config->engine == rows[i].asked)
            return open_one(rows[i].engine, config, state, err);
    }
    for (size_t i = 0; i < AUTO_COUNT; i++) {
        if (open_working(rows[i].engine, config, state, &lacks[i])) {
            for (size_t j = 0; j < i; j++)
                add_lack(note, note_size, rows[i].engine->name, &lacks[j]);
            return rows[i].engine;
        }
    }
    return open_one(&engine_auto, config, state, err);
}
