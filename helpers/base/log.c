/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/base/log.h"

#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "helpers/base/terminal.h"
#include "helpers/base/utf8.h"

static atomic_int current_level = LOG_INFO;

void log_set_level(enum log_level level)
{
    atomic_store(&current_level, (int)level);
}

/* Control characters would let outside bytes forge lines or drive a terminal. Returns the length
 * written. */
static size_t write_escaped(char *to, size_t size, const char *from)
{
    char escape[TERMINAL_ESCAPE_SIZE];
    size_t len = 0, taken;

    for (; *from && len + TERMINAL_ESCAPE_SIZE <= size; from += taken) {
        taken = terminal_escape(from, strnlen(from, UTF8_LEN_MAX), escape);
        len += (size_t)snprintf(to + len, size - len, "%.*s", *escape ? INT_MAX : (int)taken,
                                *escape ? escape : from);
    }
    return len;
}

void log_line(enum log_level level, const char *part, const char *format, ...)
{
    static const char *const names[] = {"error", "warning", "info", "debug"};
    char text[LOG_LINE_CAP];
    char line[LOG_LINE_CAP + 64];
    struct timespec now;
    struct tm utc;
    va_list args;
    size_t len;

    if ((int)level > atomic_load(&current_level))
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    len = strftime(line, sizeof line, "%Y-%m-%dT%H:%M:%S", &utc);
    len += (size_t)snprintf(line + len, sizeof line - len, ".%03ldZ %s %s: ", now.tv_nsec / 1000000,
                            names[level], part);
    len += write_escaped(line + len, sizeof line - len - 1, text);
    line[len++] = '\n';
    /* One write a line, so that lines of several threads do not mix. Nothing can be done where
     * stderr is gone. */
    if (write(STDERR_FILENO, line, len) < 0)
        return;
}
