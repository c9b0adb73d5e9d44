/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lectern rename: another title for a session; it can be undone as any other change.
 */
#include <jansson.h>

#include "mcp/command/command.h"
#include "mcp/session/entity.h"
#include "mcp/store/store.h"

static int rename_session(const struct config *config, const char *sid, const char *title,
                          struct error *err)
{
    const struct writer writer = {.who = "command"};
    struct store *store = store_open(config->store, STORE_WRITE, err);
    int rc = store ? store_session_rename(store, &writer, sid, title, err) : -1;

    store_close(store);
    return rc;
}

static int run(const struct config *config)
{
    json_auto_t *given = NULL;
    struct error err = {0};

    if (config->argument_count != 2) {
        error_set(&err, ERROR_INVALID,
                  "the session and its new title are missing: lectern rename SID "
                  "TITLE; lectern sessions lists those there are");
        return command_fail("rename", EXIT_USAGE, &err);
    }
    given = json_pack("{s:s*}", "title", config->arguments[1]); /* left out where it is no UTF-8 */
    if (entity_session_check(given, &err) < 0)
        return command_fail("rename", EXIT_USAGE, &err);
    if (rename_session(config, config->arguments[0], config->arguments[1], &err) < 0)
        return command_fail("rename", EXIT_FAILED, &err);
    return EXIT_OK;
}

const struct command command_rename = {
    .name = "rename",
    .usage = "[OPTIONS] SID TITLE",
    .summary = "Change the title of a session",
    .options = CONFIG_RENAME,
    .takes_words = true,
    .run = run,
};
