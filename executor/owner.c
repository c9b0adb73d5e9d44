/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "helpers/base/cleanup.h"

#define HOST_CAP 96

/* Reads a small file without its line end; returns -1 if it is unreadable. */
static int read_file(const char *path, char *text, size_t size)
{
    cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, text, size - 1);

    if (got < 0)
        return -1;
    text[got] = '\0';
    text[strcspn(text, "\n")] = '\0';
    return 0;
}

/* "BOOT/NAMESPACE" */
static int host_name(char host[HOST_CAP], struct error *err)
{
    struct stat status;
    char boot[64];

    if (read_file("/proc/sys/kernel/random/boot_id", boot, sizeof boot) < 0)
        return error_errno(err, errno, "/proc/sys/kernel/random/boot_id");
    if (stat("/proc/self/ns/pid", &status) < 0)
        return error_errno(err, errno, "/proc/self/ns/pid");
    snprintf(host, HOST_CAP, "%s/%llu", boot, (unsigned long long)status.st_ino);
    return 0;
}

#define UNKNOWN ULLONG_MAX

/* When the process started, in the kernel's ticks since boot; 0 if there is none, or only a zombie;
 * UNKNOWN if it exists but cannot be read. */
static unsigned long long start_time(long pid)
{
    char path[64], text[1024];
    const char *at;
    char state;

    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    if (read_file(path, text, sizeof text) <
        0) /* with hidepid, the processes of other users are hidden */
        return kill((pid_t)pid, 0) == 0 || errno == EPERM ? UNKNOWN : 0;
    at = strrchr(text, ')'); /* the name before it may contain anything */
    if (!at || at[1] != ' ')
        return 0;
    state = at[2];
    if (state == 'Z' || state == 'X')
        return 0;
    for (int field = 2; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    return at ? strtoull(at + 1, NULL, 10) : 0;
}

int owner_label(char label[OWNER_CAP], struct error *err)
{
    char host[HOST_CAP];
    uint64_t tell_apart;

    if (host_name(host, err) < 0)
        return -1;
    if (getrandom(&tell_apart, sizeof tell_apart, 0) != (ssize_t)sizeof tell_apart)
        return error_errno(err, errno, "getrandom");
    snprintf(label, OWNER_CAP, "%s/%ld/%llu/%016llx", host, (long)getpid(), start_time(getpid()),
             (unsigned long long)tell_apart);
    return 0;
}

bool owner_is_dead(const char *label)
{
    char host[HOST_CAP];
    size_t len;
    unsigned long long started;
    long pid;
    char *end;

    if (host_name(host, NULL) < 0)
        return false;
    len = strlen(host);
    if (strncmp(label, host, len) != 0 || label[len] != '/')
        return false;
    pid = strtol(label + len + 1, &end, 10);
    if (pid <= 0 || *end != '/')
        return false;
    started = start_time(pid);
    return started != UNKNOWN && started != strtoull(end + 1, NULL, 10);
}
