/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "image/complain.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void say(const char *format, va_list args, int errno_value)
{
    char line[COMPLAINT_CAP] = "runner: ";
    size_t len = strlen(line);

    vsnprintf(line + len, sizeof line - len - 1, format, args);
    len = strlen(line);
    if (errno_value) {
        snprintf(line + len, sizeof line - len - 1, ": %s", strerrordesc_np(errno_value));
        len = strlen(line);
    }
    line[len++] = '\n';
    /* Nowhere is left to say that standard error is gone. */
    (void)!write(STDERR_FILENO, line, len);
}

int complain(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say(format, args, 0);
    va_end(args);
    return -1;
}

int complain_errno(const char *format, ...)
{
    int errno_value = errno;
    va_list args;

    va_start(args, format);
    say(format, args, errno_value);
    va_end(args);
    return -1;
}
