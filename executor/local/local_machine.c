/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/local/local_machine.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "executor/local/local_plan.h"
#include "helpers/base/cleanup.h"

/* The number in the file; -1 if it does not exist. */
static long read_switch(const char *root, const char *name)
{
    char path[512], text[32];
    ssize_t len;

    snprintf(path, sizeof path, "%s/%s", root, name);
    cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    len = read(fd, text, sizeof text - 1);
    if (len <= 0)
        return -1;
    text[len] = '\0';
    return strtol(text, NULL, 10);
}

struct local_userns local_userns_look(const char *root)
{
    static const struct {
        const char *name;
        long off; /* the value that prevents namespaces */
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
         {"AppArmor denies user namespaces to programs without a profile "
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

/* ---- orphans ---- */

#define TEXT_CAP 16384 /* bytes of a command line that are read */

static size_t read_command(long pid, char text[TEXT_CAP])
{
    char path[64];
    ssize_t len;

    snprintf(path, sizeof path, "/proc/%ld/cmdline", pid);
    cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0; /* it is gone, or not readable */
    len = read(fd, text, TEXT_CAP - 1);
    text[len > 0 ? len : 0] = '\0';
    return len > 0 ? (size_t)len : 0;
}

/* Whether the words of its command line are bwrap, the runner's path in the sandbox, and a dead
 * owner. */
static bool is_orphan(long pid)
{
    char text[TEXT_CAP];
    size_t len = read_command(pid, text), first = strlen(text);
    const char *owner = NULL, *word;
    bool ours = false;

    if (len == 0 || first < strlen("bwrap") || strcmp(text + first - strlen("bwrap"), "bwrap") != 0)
        return false;
    for (size_t at = 0; at < len; at += strlen(word) + 1) {
        word = text + at;
        ours = ours || strcmp(word, RUNNER_FOLDER "/runner") == 0;
        if (!owner && strcmp(word, LOCAL_OWNER) == 0 && at + strlen(word) + 1 < len)
            owner = word + strlen(word) + 1;
    }
    return ours && owner && owner_is_dead(owner);
}

size_t local_orphans_end(void)
{
    cleanup_dir DIR *processes = opendir("/proc");
    struct dirent *entry;
    size_t ended = 0;

    /* The stream is local. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    while (processes && (entry = readdir(processes))) {
        long pid = strtol(entry->d_name, NULL, 10);

        if (pid > 1 && is_orphan(pid) && kill((pid_t)pid, SIGKILL) == 0)
            ended++;
    }
    return ended;
}
