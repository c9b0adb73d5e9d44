/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/local/local_orphans.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "executor/local/local_plan.h"
#include "executor/owner.h"

#define TEXT_CAP 16384 /* bytes of a /proc file that are looked at */

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

/* The words of its command line: bwrap the first, the runner's place in the sandbox and a dead
 * owner among them. */
static bool is_orphan(long pid)
{
    char text[TEXT_CAP];
    size_t len = read_file(pid, "cmdline", text), first = strlen(text);
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
    DIR *processes = opendir("/proc");
    struct dirent *entry;
    size_t ended = 0;

    /* The stream is this call's own. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    while (processes && (entry = readdir(processes))) {
        long pid = strtol(entry->d_name, NULL, 10);

        if (pid > 1 && is_orphan(pid) && kill((pid_t)pid, SIGKILL) == 0)
            ended++;
    }
    if (processes)
        closedir(processes);
    return ended;
}
