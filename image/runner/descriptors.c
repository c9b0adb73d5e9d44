/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "image/runner/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "image/runner/log_error.h"

union control {
    struct cmsghdr align;
    char space[CMSG_SPACE(DESCRIPTORS_MAX * sizeof(int))];
};

static void close_one(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void ends_close(struct ends *ends)
{
    close_one(&ends->out);
    close_one(&ends->err);
    close_one(&ends->control);
}

static int make_pipe(int *mine, int *its)
{
    int pair[2];

    if (pipe2(pair, O_CLOEXEC) < 0)
        return log_errno("pipe");
    *mine = pair[0];
    *its = pair[1];
    return 0;
}

static int make_socket(int *mine, int *its)
{
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return log_errno("socketpair");
    *mine = pair[0];
    *its = pair[1];
    return 0;
}

static int set_nonblocking(int fd)
{
    return fcntl(fd, F_SETFL, O_NONBLOCK) < 0 ? log_errno("fcntl") : 0;
}

int ends_make(struct ends *mine, struct ends *its)
{
    *mine = *its = (struct ends){-1, -1, -1};
    if (make_pipe(&mine->out, &its->out) < 0 || make_pipe(&mine->err, &its->err) < 0 ||
        make_socket(&mine->control, &its->control) < 0 || set_nonblocking(mine->out) < 0 ||
        set_nonblocking(mine->err) < 0 || set_nonblocking(mine->control) < 0) {
        ends_close(mine);
        ends_close(its);
        return -1;
    }
    return 0;
}

int descriptors_send(int socket, const void *bytes, size_t len, const int *fds, size_t count)
{
    struct iovec data = {(void *)bytes, len};
    union control control;
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1};

    if (count > 0) {
        memset(&control, 0, sizeof control);
        message.msg_control = control.space;
        message.msg_controllen = CMSG_SPACE(count * sizeof *fds);
        control.align.cmsg_level = SOL_SOCKET;
        control.align.cmsg_type = SCM_RIGHTS;
        control.align.cmsg_len = CMSG_LEN(count * sizeof *fds);
        memcpy(CMSG_DATA(&control.align), fds, count * sizeof *fds);
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL) == (ssize_t)len ? 0 : log_errno("sendmsg");
}

/* Takes the descriptors of a message. A message with more than expected is not valid. */
static int take(struct msghdr *message, int *fds, size_t wanted)
{
    const struct cmsghdr *head = CMSG_FIRSTHDR(message);
    size_t count = 0;

    if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS)
        count = (head->cmsg_len - CMSG_LEN(0)) / sizeof *fds;
    if (count <= wanted) {
        if (count > 0)
            memcpy(fds, CMSG_DATA(head), count * sizeof *fds);
        return (int)count;
    }
    for (size_t i = 0; i < count; i++) {
        int fd;

        memcpy(&fd, CMSG_DATA(head) + i * sizeof fd, sizeof fd);
        close(fd);
    }
    errno = EPROTO;
    return -1;
}

int descriptors_receive(int socket, void *bytes, size_t len, int *fds, size_t wanted)
{
    struct iovec data = {bytes, len};
    union control control;
    struct msghdr message = {.msg_iov = &data,
                             .msg_iovlen = 1,
                             .msg_control = control.space,
                             .msg_controllen = sizeof control.space};
    ssize_t got;
    int count;

    for (size_t i = 0; i < wanted; i++)
        fds[i] = -1;
    got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (got < 0)
        return -1;
    count = take(&message, fds, wanted);
    if (count >= 0 && ((size_t)got != len || (message.msg_flags & MSG_CTRUNC))) {
        for (int i = 0; i < count; i++)
            close_one(&fds[i]);
        errno = EPROTO;
        return -1;
    }
    return count;
}

int open_statm(pid_t pid)
{
    char path[32];

    snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
    return open(path, O_RDONLY | O_CLOEXEC);
}
