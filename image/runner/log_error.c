/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "image/runner/log_error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PREFIX "runner: "

/* reason: the error's text, or NULL. A failed write to standard error cannot be reported anywhere.
 */
static int log_line(const char *reason, const char *format, va_list args)
{
    char line[LOG_ERROR_CAP] = PREFIX;
    size_t len = sizeof PREFIX - 1;

    vsnprintf(line + len, sizeof line - len - 1, format, args);
    len = strlen(line);
    snprintf(line + len, sizeof line - len - 1, "%s%s", reason ? ": " : "", reason ? reason : "");
    len = strlen(line);
    line[len++] = '\n';
    (void)!write(STDERR_FILENO, line, len);
    return -1;
}

int log_error(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    log_line(NULL, format, args);
    va_end(args);
    return -1;
}

int log_errno(const char *format, ...)
{
    const char *reason = strerrordesc_np(errno);
    va_list args;

    va_start(args, format);
    log_line(reason ? reason : "an unknown error", format, args);
    va_end(args);
    return -1;
}
