/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/docker/docker_channel.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "executor/owner.h"
#include "executor/run_folder.h"
#include "helpers/base/cleanup.h"
#include "helpers/base/log.h"

#define PREFIX "channels-"

/* ---- the folder ---- */

static void replace(char *text, char from, char to)
{
    for (; *text; text++) {
        if (*text == from)
            *text = to;
    }
}

/* -1 if it is a link or no folder. */
static int open_folder(int above, const char *name)
{
    return openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* It is this user's, and nobody else's. */
static bool is_own(int folder)
{
    struct stat status;

    return fstat(folder, &status) == 0 && status.st_uid == geteuid() && (status.st_mode & 077) == 0;
}

/* Removes a folder of channels with all that is in it. It follows no link. */
static void remove_channels(int above, const char *name)
{
    cleanup_fd int fd = open_folder(above, name);
    cleanup_dir DIR *folder = fd < 0 || !is_own(fd) ? NULL : fdopendir(dup(fd));
    struct dirent *entry;

    if (!folder)
        return;
    while ((entry = readdir(folder))) { // NOLINT(concurrency-mt-unsafe): this thread's own folder
        cleanup_fd int channel = entry->d_name[0] == '.' ? -1 : open_folder(fd, entry->d_name);

        if (channel < 0)
            continue;
        unlinkat(channel, CHANNEL_SOCKET, 0);
        unlinkat(fd, entry->d_name, AT_REMOVEDIR);
    }
    unlinkat(above, name, AT_REMOVEDIR);
}

/* Removes what killed servers left. */
static void sweep(const char *above)
{
    cleanup_dir DIR *folder = opendir(above);
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

static int make_channels(struct docker_channels *channels, const char *owner, struct error *err)
{
    char above[RUN_FOLDER_CAP], label[OWNER_CAP];
    int len;

    if (run_folder(above, err) < 0)
        return -1;
    sweep(above);
    snprintf(label, sizeof label, "%s", owner);
    replace(label, '/', '_');
    len = snprintf(channels->path, sizeof channels->path, "%s/" PREFIX "%s", above, label);
    if (len >= 0 && (size_t)len < sizeof channels->path && mkdir(channels->path, 0700) == 0)
        return 0;
    return error_errno(err, (size_t)len < sizeof channels->path ? errno : ENAMETOOLONG, "%s",
                       channels->path);
}

void docker_channels_open(struct docker_channels *channels, const char *owner)
{
    struct error err = {0};

    if (make_channels(channels, owner, &err) == 0)
        return;
    log_info("executor", "containers use the daemon's stream: %s", err.text);
    channels->path[0] = '\0';
}

void docker_channels_close(struct docker_channels *channels)
{
    if (channels->path[0] && rmdir(channels->path) < 0)
        log_warning("executor", "%s: %s", channels->path, strerrordesc_np(errno));
    channels->path[0] = '\0';
}

/* ---- one channel ---- */

/* Binds through the folder's descriptor, because a socket's address is short. Where the user of the
 * runner is not known, as for a daemon with mapped users, anybody may connect who reaches it. */
static int bind_socket(const struct docker_channel *channel)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    cleanup_fd int folder = open(channel->folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/" CHANNEL_SOCKET, folder);
    if (folder < 0 || bind(channel->listener, (struct sockaddr *)&address, sizeof address) < 0 ||
        fchmodat(folder, CHANNEL_SOCKET, channel->user != 0 ? 0600 : 0666, 0) < 0 ||
        (channel->user != 0 &&
         fchownat(folder, CHANNEL_SOCKET, channel->user, channel->user, AT_SYMLINK_NOFOLLOW) < 0) ||
        fchmodat(folder, ".", 0711, 0) < 0)
        return -1;
    return listen(channel->listener, 1);
}

int docker_channel_open(struct docker_channel *channel, const struct docker_channels *channels,
                        unsigned long number, uid_t user, struct error *err)
{
    cleanup_fd int above = open_folder(AT_FDCWD, channels->path);
    int saved;

    *channel = (struct docker_channel){.listener = -1, .user = geteuid() == 0 ? user : 0};
    if (above < 0 || !is_own(above)) /* something may have cleaned up */
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

/* -1 if that cannot be found out. */
static uid_t peer_user(int fd)
{
    struct ucred peer = {.uid = (uid_t)-1};
    socklen_t len = sizeof peer;

    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len);
    return peer.uid;
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
    if (fd < 0)
        return error_errno(err, errno, "a channel to the container");
    if (channel->user == 0 || peer_user(fd) == channel->user)
        return fd;
    close(fd);
    return error_set(err, ERROR_UNAVAILABLE, "another user than the runner has connected");
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
