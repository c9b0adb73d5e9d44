/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lectern sandbox fetch: brings the Python of the sandbox, with its libraries.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "executor/pinned/pinned.h"
#include "mcp/command/command.h"

#define WORDS_NEEDED "say fetch"

/* An error that another network, disk or mirror cures, with that cure. */
static void add_cure(const char *path, struct error *err)
{
    char text[ERROR_TEXT_CAP];

    snprintf(text, sizeof text, "%s", err->text);
    if (err->kind == ERROR_UNAVAILABLE && *path)
        error_set(err, err->kind,
                  "%.1200s. Another mirror: --mirror URL. A machine without network can copy the "
                  "folder %s from one with the same processor and the same version of Lectern "
                  "(cp -a, tar)",
                  text, path);
    else if (strstr(text, "No space left on device"))
        error_set(err, err->kind,
                  "%.1200s. It takes about 600 MB; give a folder on another disk: --cache DIR",
                  text);
}

int command_fetch_python(const struct config *config, char *path, size_t size, struct error *err)
{
    struct pinned_options options = {.cache = config->cache, .mirrors = config->mirror};
    char lock[PATH_MAX];

    *path = '\0';
    if (config_share_file(config, "python.lock", lock, sizeof lock, err) < 0)
        return -1;
    options.lock = lock;
    if (pinned_fetch(&options, path, size, err) == 0)
        return 0;
    add_cure(path, err);
    return -1;
}

static int run(const struct config *config, struct error *err)
{
    char path[PATH_MAX];

    if (strcmp(config->arguments[0], "fetch") != 0) {
        error_set(err, ERROR_INVALID, WORDS_NEEDED);
        return EXIT_USAGE;
    }
    if (command_fetch_python(config, path, sizeof path, err) < 0)
        return EXIT_FAILED;
    printf("The sandbox's Python: %s\n", path);
    return EXIT_OK;
}

const struct command command_sandbox = {
    .name = "sandbox",
    .usage = "[OPTIONS] fetch",
    .summary = "Bring the Python of the sandbox with its libraries",
    .options = CONFIG_SANDBOX,
    .least_words = 1,
    .most_words = 1,
    .words_needed = WORDS_NEEDED,
    .run = run,
};
