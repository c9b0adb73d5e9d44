/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of subcommands, and what they share.
 */
#include "mcp/command/command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const struct command *const commands[] = {
    &command_serve, &command_stdio,  &command_validate, &command_exec,
    &command_graph, &command_import, &command_export,   &command_backup,
    &command_demo,  &command_doctor, &command_image,    NULL,
};

int command_fail(const char *name, int status, const struct error *err)
{
    fprintf(stderr, "lectern %s: %s\n", name, err->text);
    return status;
}

#define READ_STEP ((size_t)64 << 10)

int command_read_file(const char *path, size_t cap, struct buf *to, struct error *err)
{
    int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = 1;
    int rc = 0;

    if (fd < 0)
        return error_errno(err, errno, "%s", path);
    buf_init(to, cap + READ_STEP);
    while (rc == 0 && got > 0) {
        char *room = buf_reserve(to, READ_STEP);

        if (!room || to->len > cap) {
            rc = error_set(err, ERROR_TOO_LARGE, "%s is larger than %zu bytes", path, cap);
            break;
        }
        got = read(fd, room, READ_STEP);
        if (got > 0)
            to->len += (size_t)got;
        else if (got < 0 && errno == EINTR)
            got = 1;
        else if (got < 0)
            rc = error_errno(err, errno, "%s", path);
    }
    if (rc == 0)
        buf_add(to, "", 0);
    if (fd != STDIN_FILENO)
        close(fd);
    return rc;
}
