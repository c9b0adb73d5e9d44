/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lectern rename: another title for a session; it can be undone as any other change.
 */
#include <jansson.h>

#include "mcp/command/command.h"
#include "mcp/curriculum/entity.h"
#include "mcp/store/entities/session.h"
#include "mcp/store/store.h"

static int run(const struct config *config, struct error *err)
{
    const struct writer writer = {.who = "command"};
    const char *title = config->arguments[1];
    char sid[SESSION_ID_SIZE];
    json_auto_t *given = json_pack("{s:s*}", "title", title); /* omitted if it is not UTF-8 */
    cleanup_store struct store *store = NULL;
    struct validation_errors problems;

    validation_begin(&problems, "");
    fields_check(&entity_session_fields, given, NULL, &problems);
    if (validation_end(&problems, NULL, err) < 0)
        return EXIT_USAGE;
    store = store_open(config->store, STORE_WRITE, err);
    return store && command_session(store, config->arguments[0], sid, err) == 0 &&
                   store_session_rename(store, &writer, sid, title, err) == 0
               ? EXIT_OK
               : EXIT_FAILED;
}

const struct command command_rename = {
    .name = "rename",
    .usage = "[OPTIONS] SID TITLE",
    .summary = "Change the title of a session",
    .options = CONFIG_RENAME,
    .least_words = 2,
    .most_words = 2,
    .words_needed = "the session and its new title are missing: lectern rename SID TITLE; lectern "
                    "sessions lists those there are",
    .run = run,
};
