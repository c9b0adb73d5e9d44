/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes lines to standard error: "2026-11-21T11:10:39.123Z warning executor: text". Any thread.
 * Log an error once, where it is handled. Control characters are escaped here (terminal.h), so
 * callers pass foreign text unmodified. Never log a secret or content.
 */
#ifndef LECTERN_BASE_LOG_H
#define LECTERN_BASE_LOG_H

enum log_level { LOG_ERROR, LOG_WARNING, LOG_INFO, LOG_DEBUG };

#define LOG_LINE_CAP 2048 /* bytes of one line; more is cut */

void log_set_level(enum log_level level); /* the only global state; initially LOG_INFO */

/* part names the component: "executor", "transport". */
void log_line(enum log_level level, const char *part, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#define log_error(part, ...)   log_line(LOG_ERROR, part, __VA_ARGS__)
#define log_warning(part, ...) log_line(LOG_WARNING, part, __VA_ARGS__)
#define log_info(part, ...)    log_line(LOG_INFO, part, __VA_ARGS__)
#define log_debug(part, ...)   log_line(LOG_DEBUG, part, __VA_ARGS__)

#endif
