/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lectern backup: copies the whole store, or the database of the learners, to a new file, while a
 * server may use it. Progress is printed to standard error, one line per second.
 */
#include <stdio.h>

#include "helpers/base/clock.h"
#include "helpers/base/terminal.h"
#include "mcp/command/command.h"
#include "mcp/learner/learners.h"
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

static int copy_store(const struct config *config, struct progress *progress, struct error *err)
{
    cleanup_store struct store *store = store_open(config->store, STORE_READ, err);

    return store ? store_backup(store, config->arguments[0], on_step, progress, err) : -1;
}

static int copy_learners(const struct config *config, struct progress *progress, struct error *err)
{
    struct learners *learners = learners_open_existing(config->learners, err);
    int rc =
        learners ? learners_backup(learners, config->arguments[0], on_step, progress, err) : -1;

    learners_close(learners);
    return rc;
}

static int run(const struct config *config, struct error *err)
{
    struct progress progress = {0};

    if ((config->of_learners ? copy_learners : copy_store)(config, &progress, err) < 0)
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
