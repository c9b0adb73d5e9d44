/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See kills.h.
 */
#include "image/runner/kills.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KILLS_CAP 512 /* of the file */

int kills_open(const char *root)
{
    static const char *const files[] = {"memory.events", "memory/memory.oom_control"};
    int fd = -1;

    for (size_t i = 0; fd < 0 && i < sizeof files / sizeof *files; i++) {
        char path[256];

        snprintf(path, sizeof path, "%s/%s", root, files[i]);
        fd = open(path, O_RDONLY | O_CLOEXEC);
    }
    return fd;
}

bool kills_read(int fd, unsigned long long *number)
{
    static const char word[] = "\noom_kill ";
    char text[KILLS_CAP] = "\n"; /* the line may be the first */
    const char *line;

    if (fd < 0 || pread(fd, text + 1, sizeof text - 2, 0) <= 0)
        return false;
    line = strstr(text, word);
    if (line)
        *number = strtoull(line + sizeof word - 1, NULL, 10);
    return line != NULL;
}
