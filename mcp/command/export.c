/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lectern export: a session as a curriculum file. A file is written beside its place and renamed
 * over it, so that a failure leaves what was there.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mcp/command/command.h"
#include "mcp/session/curriculum_file.h"

#define EXPORT_MODE 0644

static int write_all(int fd, const struct buf *text, const char *path, struct error *err)
{
    for (size_t done = 0; done < text->len;) {
        ssize_t wrote = write(fd, text->data + done, text->len - done);

        if (wrote < 0 && errno != EINTR)
            return error_errno(err, errno, "%s", path);
        if (wrote > 0)
            done += (size_t)wrote;
    }
    return 0;
}

static int write_file(const char *path, const struct buf *text, struct error *err)
{
    char beside[PATH_MAX];
    int fd, rc;

    if (snprintf(beside, sizeof beside, "%s.XXXXXX", path) >= (int)sizeof beside)
        return error_set(err, ERROR_INVALID, "%s is too long a path", path);
    fd = mkostemp(beside, O_CLOEXEC);
    if (fd < 0)
        return error_errno(err, errno, "%s", beside);
    rc = write_all(fd, text, beside, err);
    if (rc == 0 && (fchmod(fd, EXPORT_MODE) < 0 || fsync(fd) < 0))
        rc = error_errno(err, errno, "%s", beside);
    if (close(fd) < 0 && rc == 0)
        rc = error_errno(err, errno, "%s", beside);
    if (rc == 0 && rename(beside, path) < 0)
        rc = error_errno(err, errno, "%s", path);
    if (rc < 0)
        unlink(beside);
    return rc;
}

static int run(const struct config *config)
{
    struct buf BUF_AUTO text = {0};
    struct error err = {0};
    struct store *store;
    char sid[SESSION_ID_SIZE];
    int rc;

    if (config->argument_count > 1) {
        error_set(&err, ERROR_INVALID, "one session id at a time");
        return command_fail("export", EXIT_USAGE, &err);
    }
    store = store_open(config->store, STORE_READ, &err);
    if (!store)
        return command_fail("export", EXIT_FAILED, &err);
    if (config->argument_count == 1)
        rc = curriculum_export(store, config->arguments[0], &text, &err);
    else
        rc = store_only_session(store, sid, &err) < 0 ? -1
                                                      : curriculum_export(store, sid, &text, &err);
    store_close(store);
    if (rc == 0)
        rc = config->output ? write_file(config->output, &text, &err)
                            : write_all(STDOUT_FILENO, &text, "standard output", &err);
    return rc < 0 ? command_fail("export", EXIT_FAILED, &err) : EXIT_OK;
}

const struct command command_export = {
    .name = "export",
    .usage = "[SID] [-o FILE] [--store URL]",
    .summary = "write a session as a curriculum file",
    .options = CONFIG_EXPORT,
    .takes_words = true,
    .run = run,
};
