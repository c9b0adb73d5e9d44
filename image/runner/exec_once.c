/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The one execve of the interpreter's process, which the runner lets through; see seccomp.h.
 */
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <seccomp.h>
#include <unistd.h>

#include "image/runner/log_error.h"
#include "image/runner/seccomp.h"

#ifndef SECCOMP_USER_NOTIF_FLAG_CONTINUE
#define SECCOMP_USER_NOTIF_FLAG_CONTINUE (1UL << 0)
#endif

int seccomp_exec_once_begin(void)
{
    scmp_filter_ctx context = seccomp_init(SCMP_ACT_ALLOW);
    int fd = -1;

    if (!context)
        return -1;
    if (seccomp_rule_add(context, SCMP_ACT_NOTIFY, SCMP_SYS(execve), 0) == 0 &&
        seccomp_rule_add(context, SCMP_ACT_NOTIFY, SCMP_SYS(execveat), 0) == 0 &&
        seccomp_load(context) == 0)
        fd = fcntl(seccomp_notify_fd(context), F_DUPFD_CLOEXEC, 0);
    seccomp_release(context);
    return fd;
}

int seccomp_exec_once_wait(int fd, int timeout_ms, uint64_t *asked)
{
    struct pollfd waiting = {.fd = fd, .events = POLLIN};
    struct seccomp_notif *notice = NULL;

    if (poll(&waiting, 1, timeout_ms) != 1 || !(waiting.revents & POLLIN))
        return log_error("the interpreter was not started in %d ms", timeout_ms);
    if (seccomp_notify_alloc(&notice, NULL) < 0)
        return log_error("seccomp: no memory");
    if (seccomp_notify_receive(fd, notice) < 0) {
        seccomp_notify_free(notice, NULL);
        return log_error("seccomp: the start of the interpreter could not be read");
    }
    *asked = notice->id;
    seccomp_notify_free(notice, NULL);
    return 0;
}

int seccomp_exec_once_end(int fd, uint64_t asked)
{
    struct seccomp_notif_resp *answer = NULL;
    int code;

    if (seccomp_notify_alloc(NULL, &answer) < 0)
        return log_error("seccomp: no memory");
    answer->id = asked;
    answer->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    code = seccomp_notify_respond(fd, answer);
    seccomp_notify_free(NULL, answer);
    close(fd);
    return code < 0 ? log_error("seccomp: the start of the interpreter could not be let through")
                    : 0;
}
