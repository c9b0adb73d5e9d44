/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lectern sandbox fetch: brings the Python of the sandbox, with its libraries and the packages of
 * --profile. lectern sandbox lock: the lock file of those packages, and a list of their modules.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "executor/pinned/additions.h"
#include "executor/pinned/pinned.h"
#include "mcp/command/command.h"
#include "mcp/command/profile_file.h"
#include "mcp/format/file.h"

#define WORDS_NEEDED "say fetch or lock"

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
    struct profile_file profile;
    bool is_file;
    int rc;

    *path = '\0';
    rc = profile_file_find(config, &profile, &is_file, err);
    if (rc == 0 && is_file)
        rc = profile_file_check_lock(&profile, err);
    if (rc == 0)
        rc = config_share_file(config, "python.lock", lock, sizeof lock, err);
    options.lock = lock;
    options.added = is_file ? profile.lock : NULL;
    if (rc == 0 && (rc = pinned_fetch(&options, path, size, err)) < 0)
        add_cure(path, err);
    profile_file_finish(&profile);
    return rc;
}

static bool has_line(const struct buf *lines, const char *line)
{
    size_t len = strlen(line);

    for (const char *at = lines->len ? lines->data : NULL; at; at = strchr(at, '\n')) {
        at += *at == '\n';
        if (strncmp(at, line, len) == 0 && at[len] == '\n')
            return true;
    }
    return false;
}

static int write_lock(const struct profile_file *profile, const struct pinned_options *options,
                      struct error *err)
{
    struct buf BUF_AUTO lock = {0}, BUF_AUTO modules = {0};

    buf_addf(&lock,
             "# The packages of the profile %s. `lectern sandbox lock --profile %s` writes this "
             "file.\n",
             profile->name, profile->name);
    if (pinned_resolve(options, profile->debian, &lock, &modules, err) < 0 ||
        file_write(profile->module_list, &modules, err) < 0)
        return -1;
    for (const char *const *name = profile->modules; *name; name++)
        if (!has_line(&modules, *name))
            return error_set(err, ERROR_INVALID,
                             "the packages of the profile %s have no module '%s'; %s lists those "
                             "that they have",
                             profile->name, *name, profile->module_list);
    return file_write(profile->lock, &lock, err);
}

static int lock_profile(const struct config *config, struct error *err)
{
    struct pinned_options options = {.cache = config->cache, .mirrors = config->mirror};
    char lock[PATH_MAX];
    struct profile_file profile;
    bool is_file;
    int rc = profile_file_find(config, &profile, &is_file, err);

    options.lock = lock;
    if (rc == 0 && !is_file)
        rc = error_set(err, ERROR_INVALID,
                       "--profile must name a file of --profiles; %s is a built-in profile, whose "
                       "packages are in python.lock",
                       config->profile);
    if (rc == 0)
        rc = config_share_file(config, "python.lock", lock, sizeof lock, err);
    if (rc == 0)
        rc = write_lock(&profile, &options, err);
    if (rc == 0)
        printf("The packages: %s\nTheir modules, for review: %s\n", profile.lock,
               profile.module_list);
    profile_file_finish(&profile);
    return rc;
}

static int run(const struct config *config, struct error *err)
{
    char path[PATH_MAX];

    if (strcmp(config->arguments[0], "lock") == 0)
        return lock_profile(config, err) < 0 ? EXIT_FAILED : EXIT_OK;
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
    .usage = "[OPTIONS] fetch | lock",
    .summary = "Bring the Python of the sandbox, or lock the packages of a profile",
    .options = CONFIG_SANDBOX,
    .least_words = 1,
    .most_words = 1,
    .words_needed = WORDS_NEEDED,
    .run = run,
};
