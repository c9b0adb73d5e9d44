/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Who listens on a TCP port: /proc/net/tcp and tcp6 give the socket's inode, the file descriptors
 * of the processes the one that holds it. Another user's process shows only to root.
 */
#include "mcp/transport/http_port.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TCP_LISTEN_STATE 0x0A

/* The inode of the socket that listens on the port in one of the tables; 0 for none. */
static unsigned long find_inode(const char *table, int port)
{
    char line[512];
    FILE *file = fopen(table, "re");
    unsigned long inode = 0, found = 0;
    unsigned local_port, state;

    if (!file)
        return 0;
    while (found == 0 && fgets(line, sizeof line, file)) {
        if (sscanf(line, " %*d: %*[0-9A-Fa-f]:%x %*[0-9A-Fa-f]:%*x %x %*s %*s %*s %*u %*u %lu",
                   &local_port, &state, &inode) == 3 &&
            state == TCP_LISTEN_STATE && (int)local_port == port)
            found = inode;
    }
    fclose(file);
    return found;
}

static bool process_has(const char *pid, const char *wanted)
{
    char folder[64], path[512], target[64];
    const struct dirent *entry;
    bool found = false;
    ssize_t len;
    DIR *fds;

    snprintf(folder, sizeof folder, "/proc/%.16s/fd", pid);
    fds = opendir(folder);
    if (!fds)
        return false;
    while (!found && (entry = readdir(fds))) { // NOLINT(concurrency-mt-unsafe): the stream is ours
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        len = readlink(path, target, sizeof target - 1);
        if (len <= 0)
            continue;
        target[len] = '\0';
        found = strcmp(target, wanted) == 0;
    }
    closedir(fds);
    return found;
}

static void read_name(const char *pid, char *name, size_t size)
{
    char path[64];
    FILE *file;

    name[0] = '\0';
    snprintf(path, sizeof path, "/proc/%.16s/comm", pid);
    file = fopen(path, "re");
    if (!file)
        return;
    if (fgets(name, (int)size, file))
        name[strcspn(name, "\n")] = '\0';
    fclose(file);
}

bool http_port_holder(int port, char *text, size_t size)
{
    unsigned long inode = find_inode("/proc/net/tcp", port);
    const struct dirent *entry;
    char wanted[64], name[64];
    bool found = false;
    DIR *processes;

    if (inode == 0)
        inode = find_inode("/proc/net/tcp6", port);
    if (inode == 0)
        return false;
    snprintf(wanted, sizeof wanted, "socket:[%lu]", inode);
    processes = opendir("/proc");
    if (!processes)
        return false;
    while (!found && (entry = readdir(processes))) { // NOLINT(concurrency-mt-unsafe): as above
        if (!isdigit((unsigned char)entry->d_name[0]) || !process_has(entry->d_name, wanted))
            continue;
        read_name(entry->d_name, name, sizeof name);
        snprintf(text, size, "%s (process %.16s)", *name ? name : "a program", entry->d_name);
        found = true;
    }
    closedir(processes);
    return found;
}
