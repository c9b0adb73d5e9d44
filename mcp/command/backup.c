/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lectern backup: copies the whole store to a new file, while a server may use it. Progress is
 * printed to standard error, one line per second.
 */
#include <stdio.h>

#include "helpers/base/clock.h"
#include "helpers/base/terminal.h"
#include "mcp/command/command.h"
#include "mcp/store/store.h"

#define QUIET_S 2 /* before the first line of progress */

struct progress {
    int64_t next_s; /* of clock_s; 0: not begun */
};

static void on_step(void *user, size_t done, size_t total)
{
    struct progress *progress = user;
    int64_t now = clock_s();

    if (progress->next_s == 0)
        progress->next_s = now + QUIET_S;
    if (now < progress->next_s || total == 0)
        return;
    progress->next_s = now + 1;
    fprintf(stderr, "lectern backup: %zu of %zu pages (%zu %%)\n", done, total, done * 100 / total);
}

static int run(const struct config *config, struct error *err)
{
    struct progress progress = {0};
    cleanup_store struct store *store = store_open(config->store, STORE_READ, err);

    if (!store || store_backup(store, config->arguments[0], on_step, &progress, err) < 0)
        return EXIT_FAILED;
    terminal_printf(stdout, "%s\n", config->arguments[0]);
    return EXIT_OK;
}

const struct command command_backup = {
    .name = "backup",
    .usage = "[OPTIONS] FILE",
    .summary = "Copy the store into a new file, even while a server uses it",
    .options = CONFIG_BACKUP,
    .least_words = 1,
    .most_words = 1,
    .words_needed = "name the one file to write: lectern backup FILE",
    .run = run,
};
