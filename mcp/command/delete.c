/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lectern delete: a session with all that belongs to it. This cannot be undone, so a person at a
 * terminal types its title first; elsewhere it takes --yes.
 */
#include <stdio.h>

#include "mcp/command/command.h"
#include "mcp/curriculum/text.h"
#include "mcp/store/entities/session.h"
#include "mcp/store/store.h"

static int confirm(const struct config *config, const char *title, struct error *err)
{
    char shown[TITLE_MAX + 1], what[TITLE_MAX + 64];

    text_cut_line(shown, sizeof shown, title);
    snprintf(what, sizeof what, "\"%s\" with its history and its conversations", shown);
    return command_confirm(config, what, shown, "title", err);
}

static int run(const struct config *config, struct error *err)
{
    const struct writer writer = {.who = "command"};
    cleanup_store struct store *store = store_open(config->store, STORE_WRITE, err);
    char title[TITLE_MAX + 1], sid[SESSION_ID_SIZE];
    int more = 1;

    if (store && command_session(store, config->arguments[0], sid, err) == 0 &&
        store_session(store, sid, title, sizeof title, NULL, err) == 0 &&
        confirm(config, title, err) == 0 && store_session_delete(store, &writer, sid, err) == 0) {
        while (more > 0) /* a server on the same file can write in between */
            more = store_drop_step(store, err);
        return more == 0 ? EXIT_OK : EXIT_FAILED;
    }
    return err->kind == ERROR_INVALID ? EXIT_USAGE : EXIT_FAILED;
}

const struct command command_delete = {
    .name = "delete",
    .usage = "[OPTIONS] SID",
    .summary = "Delete a session with its history and conversations",
    .options = CONFIG_DELETE,
    .least_words = 1,
    .most_words = 1,
    .words_needed = "the session is missing: lectern delete SID (lectern sessions lists the ids)",
    .run = run,
};
