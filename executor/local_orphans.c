/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/local_orphans.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "executor/runner_command.h"

#define TEXT_CAP 8192 /* bytes of a /proc file that are looked at */

static size_t read_file(long pid, const char *name, char text[TEXT_CAP])
{
    char path[64];
    ssize_t len;
    int fd;

    snprintf(path, sizeof path, "/proc/%ld/%s", pid, name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0; /* gone, or not ours to see */
    len = read(fd, text, TEXT_CAP - 1);
    close(fd);
    text[len > 0 ? len : 0] = '\0';
    return len > 0 ? (size_t)len : 0;
}

static bool parent_is_gone(long pid)
{
    char text[TEXT_CAP];
    const char *line;

    if (read_file(pid, "status", text) == 0)
        return false;
    line = strstr(text, "\nPPid:");
    return line && strtol(line + strlen("\nPPid:"), NULL, 10) == 1;
}

/* The words of its command line: bwrap the first, the runner's place in the sandbox among them. */
static bool is_ours(long pid)
{
    char text[TEXT_CAP];
    size_t len = read_file(pid, "cmdline", text), first = strlen(text);

    if (len == 0 || first < strlen("bwrap") || strcmp(text + first - strlen("bwrap"), "bwrap") != 0)
        return false;
    for (size_t at = 0; at < len; at += strlen(text + at) + 1) {
        if (strcmp(text + at, RUNNER_FOLDER "/runner") == 0)
            return true;
    }
    return false;
}

size_t local_orphans_end(void)
{
    DIR *processes = getpid() == 1 ? NULL : opendir("/proc");
    struct dirent *entry;
    size_t ended = 0;

    /* The stream is this call's own. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    while (processes && (entry = readdir(processes))) {
        long pid = strtol(entry->d_name, NULL, 10);

        if (pid > 1 && parent_is_gone(pid) && is_ours(pid) && kill((pid_t)pid, SIGKILL) == 0)
            ended++;
    }
    if (processes)
        closedir(processes);
    return ended;
}
