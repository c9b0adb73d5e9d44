/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "image/runner/log_error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PREFIX "runner: "

/* The line's end: the error's text where there is one. Nowhere is left to say that standard error
 * is gone. */
static int finish(char line[LOG_ERROR_CAP], const char *reason)
{
    size_t len = strlen(line);

    snprintf(line + len, LOG_ERROR_CAP - len - 1, "%s%s", reason ? ": " : "", reason ? reason : "");
    len = strlen(line);
    line[len++] = '\n';
    (void)!write(STDERR_FILENO, line, len);
    return -1;
}

int log_error(const char *format, ...)
{
    char line[LOG_ERROR_CAP];
    va_list args;

    memcpy(line, PREFIX, sizeof PREFIX);
    va_start(args, format);
    vsnprintf(line + strlen(PREFIX), sizeof line - strlen(PREFIX) - 1, format, args);
    va_end(args);
    return finish(line, NULL);
}

int log_errno(const char *format, ...)
{
    const char *reason = strerrordesc_np(errno);
    char line[LOG_ERROR_CAP];
    va_list args;

    memcpy(line, PREFIX, sizeof PREFIX);
    va_start(args, format);
    vsnprintf(line + strlen(PREFIX), sizeof line - strlen(PREFIX) - 1, format, args);
    va_end(args);
    return finish(line, reason ? reason : "an unknown error");
}
