/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/local/local_userns.h"

#include <stddef.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The number in the file; -1 where there is no such switch. */
static long read_switch(const char *root, const char *name)
{
    char path[512], text[32];
    ssize_t len;
    int fd;

    snprintf(path, sizeof path, "%s/%s", root, name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    len = read(fd, text, sizeof text - 1);
    close(fd);
    if (len <= 0)
        return -1;
    text[len] = '\0';
    return strtol(text, NULL, 10);
}

struct local_userns local_userns_look(const char *root)
{
    static const struct {
        const char *name;
        long off; /* its value where it is in the way */
        struct local_userns found;
    } switches[] = {
        {"user/max_user_namespaces",
         0,
         {"this kernel is set to allow no user namespace at all (user.max_user_namespaces is 0)",
          "sysctl -w user.max_user_namespaces=15000"}},
        {"kernel/unprivileged_userns_clone",
         0,
         {"user namespaces are switched off for all but root (kernel.unprivileged_userns_clone is "
          "0)",
          "sysctl -w kernel.unprivileged_userns_clone=1"}},
        {"kernel/apparmor_restrict_unprivileged_userns",
         1,
         {"AppArmor lets programs without a profile of their own make no use of user namespaces "
          "(kernel.apparmor_restrict_unprivileged_userns is 1)",
          "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or an AppArmor profile with "
          "'userns,' for bwrap"}},
    };

    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++) {
        if (read_switch(root, switches[i].name) == switches[i].off)
            return switches[i].found;
    }
    return (struct local_userns){.text = "no switch of this kernel keeps users from making them"};
}
