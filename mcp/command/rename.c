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

/* By the same rules as the session API. */
static int check_title(const char *title, struct error *err)
{
    json_auto_t *given = json_pack("{s:s*}", "title", title); /* left out where it is no UTF-8 */
    struct validation_errors problems;

    validation_begin(&problems, "");
    fields_check(&entity_session_fields, given, NULL, &problems);
    return validation_end(&problems, NULL, err);
}

static int run(const struct config *config)
{
    struct error err = {0};

    if (config->argument_count != 2) {
        error_set(&err, ERROR_INVALID,
                  "the session and its new title are missing: lectern rename SID "
                  "TITLE; lectern sessions lists those there are");
        return command_fail("rename", EXIT_USAGE, &err);
    }
    if (check_title(config->arguments[1], &err) < 0)
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
