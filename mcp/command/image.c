/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lectern image build | list | remove: the sandbox's image, by the build script and the docker
 * client.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mcp/command/command.h"
#include "mcp/command/profile_file.h"

/* Replaces this process, so that output, progress and exit status are the program's own. */
static int become(char *const argv[], struct error *err)
{
    execvp(argv[0], argv);
    return error_errno(err, errno, "%s (install it with `make deps`)", argv[0]);
}

/* That of --image, or of --profile. */
static int find_image(const struct config *config, char *image, size_t size, struct error *err)
{
    struct profile_file profile;
    bool is_file;
    int rc = profile_file_find(config, &profile, &is_file, err);
    const char *name = config->image;

    if (rc == 0 && is_file)
        name = profile_file_image(config, &profile, err);
    if (rc == 0 && name)
        snprintf(image, size, "%s", name);
    profile_file_finish(&profile);
    return name ? rc : -1;
}

static int build(const struct config *config, struct error *err)
{
    char script[PATH_MAX], share[PATH_MAX], python[PATH_MAX], image[PATH_MAX];
    char *argv[] = {"sh", script, share, image, python, NULL};

    if (find_image(config, image, sizeof image, err) < 0 ||
        command_fetch_python(config, python, sizeof python, err) < 0 ||
        config_share_file(config, "build.sh", script, sizeof script, err) < 0 ||
        config_share_file(config, "", share, sizeof share, err) < 0)
        return -1;
    return become(argv, err);
}

static int list(const struct config *config, struct error *err)
{
    char *argv[] = {"docker", "image", "ls", "--filter", "label=lectern.image", NULL};

    (void)config;
    return become(argv, err);
}

static int remove_image(const struct config *config, struct error *err)
{
    char image[PATH_MAX];
    char *argv[] = {"docker", "image", "rm", image, NULL};

    return find_image(config, image, sizeof image, err) < 0 ? -1 : become(argv, err);
}

static const struct {
    const char *name;
    int (*run)(const struct config *config, struct error *err);
} actions[] = {{"build", build}, {"list", list}, {"remove", remove_image}};

#define WORDS_NEEDED "say build, list or remove"

static int run(const struct config *config, struct error *err)
{
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++) {
        if (strcmp(actions[i].name, config->arguments[0]) != 0)
            continue;
        if (config->docker_host)
            /* There is one thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
            setenv("DOCKER_HOST", config->docker_host, 1);
        actions[i].run(config, err);
        return EXIT_FAILED;
    }
    error_set(err, ERROR_INVALID, WORDS_NEEDED);
    return EXIT_USAGE;
}

const struct command command_image = {
    .name = "image",
    .usage = "[OPTIONS] build | list | remove",
    .summary = "Build, list or remove the Docker image of the sandbox",
    .options = CONFIG_IMAGE,
    .least_words = 1,
    .most_words = 1,
    .words_needed = WORDS_NEEDED,
    .run = run,
};
