/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which engine runs the code: Docker where a daemon answers and has the image, else the local one.
 * What the other lacked is said, with the command that mends it.
 */
#include <stdio.h>
#include <string.h>

#include "executor/engine.h"

static void *open_named(const struct engine *engine, const struct executor_config *config,
                        struct error *err)
{
    void *state = engine->open(config, err);

    if (!state)
        error_wrap(err, "the %s sandbox cannot be used", engine->name);
    return state;
}

const struct engine *engine_choose(const struct executor_config *config, void **state, char *note,
                                   size_t note_size, struct error *err)
{
    struct error no_docker = {0}, no_local = {0};

    note[0] = '\0';
    if (config->engine != EXECUTOR_LOCAL) {
        *state = open_named(&engine_docker, config, &no_docker);
        if (*state)
            return &engine_docker;
        if (config->engine == EXECUTOR_DOCKER) {
            error_set(err, ERROR_UNAVAILABLE, "%s", no_docker.text);
            return NULL;
        }
    }
    *state = open_named(&engine_local, config, &no_local);
    if (*state) {
        if (config->engine == EXECUTOR_AUTO)
            snprintf(note, note_size, "code runs in the local sandbox: %s", no_docker.text);
        return &engine_local;
    }
    if (config->engine == EXECUTOR_LOCAL)
        error_set(err, ERROR_UNAVAILABLE, "%s", no_local.text);
    else
        error_set(err, ERROR_UNAVAILABLE, "no engine can run code. %s. %s", no_docker.text,
                  no_local.text);
    return NULL;
}
