/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which engine runs the code: the one that is asked for by name, whether it works already or not;
 * else Docker where a daemon answers and has the image, else the local one, else whichever of the
 * two works first. What the other lacked is said, with the command that fixes it.
 */
#include <stdio.h>
#include <string.h>

#include "executor/engine.h"

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
