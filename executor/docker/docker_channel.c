/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/docker/docker_channel.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "executor/owner.h"
#include "helpers/base/cleanup.h"
#include "helpers/base/log.h"

#define PREFIX "lectern-channels-"

/* ---- the folder ---- */

static const char *temporary_folder(void)
{
    const char *path = getenv("TMPDIR"); // NOLINT(concurrency-mt-unsafe): nothing sets it

    return path && path[0] == '/' ? path : "/tmp";
}

static void replace(char *text, char from, char to)
{
    for (; *text; text++) {
        if (*text == from)
            *text = to;
    }
}

/* Removes a folder of channels with all that is in it. It follows no link. */
static void remove_channels(int above, const char *name)
{
    int fd = openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    cleanup_dir DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;

    if (!folder) {
        if (fd >= 0)
            close(fd);
        return;
    }
    while ((entry = readdir(folder))) { // NOLINT(concurrency-mt-unsafe): this thread's own folder
        char path[sizeof entry->d_name + sizeof "/" CHANNEL_SOCKET];

        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/" CHANNEL_SOCKET, entry->d_name);
        unlinkat(fd, path, 0);
        unlinkat(fd, entry->d_name, AT_REMOVEDIR);
    }
    unlinkat(above, name, AT_REMOVEDIR);
}

/* Removes what killed servers left. */
static void sweep(const char *temporary)
{
    cleanup_dir DIR *folder = opendir(temporary);
    char label[OWNER_CAP];
    struct dirent *entry;

    while (folder &&
           (entry = readdir(folder))) { // NOLINT(concurrency-mt-unsafe): this thread's own folder
        if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) != 0)
            continue;
        snprintf(label, sizeof label, "%.*s", (int)sizeof label - 1,
                 entry->d_name + strlen(PREFIX));
        replace(label, '_', '/');
        if (owner_is_dead(label))
            remove_channels(dirfd(folder), entry->d_name);
    }
}

void docker_channels_open(struct docker_channels *channels, const char *owner)
{
    const char *temporary = temporary_folder();
    char label[OWNER_CAP];
    int len;

    sweep(temporary);
    snprintf(label, sizeof label, "%s", owner);
    replace(label, '/', '_');
    len = snprintf(channels->path, sizeof channels->path, "%s/" PREFIX "%s", temporary, label);
    if (len >= 0 && (size_t)len < sizeof channels->path && mkdir(channels->path, 0700) == 0)
        return;
    log_info("executor", "containers use the daemon's stream, because %s cannot be made: %s",
             channels->path,
             strerrordesc_np((size_t)len < sizeof channels->path ? errno : ENAMETOOLONG));
    channels->path[0] = '\0';
}

void docker_channels_close(struct docker_channels *channels)
{
    if (channels->path[0] && rmdir(channels->path) < 0)
        log_warning("executor", "%s: %s", channels->path, strerrordesc_np(errno));
    channels->path[0] = '\0';
}

/* ---- one channel ---- */

/* Others may write to the temporary folder, and something may have cleaned it up. */
static bool is_own(const char *path)
{
    struct stat status;

    return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
           (status.st_mode & 077) == 0;
}

/* Binds through the folder's descriptor, because a socket's address is short. Anybody may connect
 * who reaches it: in a container the runner has another user id. */
static int bind_socket(const struct docker_channel *channel)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    cleanup_fd int folder = open(channel->folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/" CHANNEL_SOCKET, folder);
    if (folder < 0 || bind(channel->listener, (struct sockaddr *)&address, sizeof address) < 0 ||
        fchmodat(folder, CHANNEL_SOCKET, 0666, 0) < 0 || fchmodat(folder, ".", 0711, 0) < 0)
        return -1;
    return listen(channel->listener, 1);
}

int docker_channel_open(struct docker_channel *channel, const struct docker_channels *channels,
                        unsigned long number, struct error *err)
{
    int saved;

    *channel = (struct docker_channel){.listener = -1};
    if (!is_own(channels->path))
        return error_set(err, ERROR_UNAVAILABLE, "%s is gone", channels->path);
    snprintf(channel->folder, sizeof channel->folder, "%s/%lu", channels->path, number);
    if (mkdir(channel->folder, 0700) == 0) {
        channel->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (channel->listener >= 0 && bind_socket(channel) == 0)
            return 0;
    }
    saved = errno;
    docker_channel_close(channel);
    return error_errno(err, saved, "a channel to the container");
}

int docker_channel_accept(const struct docker_channel *channel, int other, int timeout_ms,
                          struct error *err)
{
    struct pollfd fds[] = {{.fd = channel->listener, .events = POLLIN},
                           {.fd = other, .events = POLLIN}};
    int ready = poll(fds, 2, timeout_ms);
    int fd;

    if (ready == 0)
        return error_set(err, ERROR_TIMEOUT, "the runner did not connect in %d ms", timeout_ms);
    fd = ready < 0 ? -1 : accept4(channel->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0 && errno == EAGAIN)
        return error_set(err, ERROR_UNAVAILABLE, "the runner did not connect");
    return fd < 0 ? error_errno(err, errno, "a channel to the container") : fd;
}

void docker_channel_close(struct docker_channel *channel)
{
    char path[CHANNEL_PATH_CAP + sizeof "/" CHANNEL_SOCKET];

    if (!channel->folder[0])
        return;
    snprintf(path, sizeof path, "%s/" CHANNEL_SOCKET, channel->folder);
    unlink(path);
    rmdir(channel->folder);
    if (channel->listener >= 0)
        close(channel->listener);
    *channel = (struct docker_channel){.listener = -1};
}
