/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The runner's own words: one line on standard error, "runner: text", written at once. What a
 * function cannot do it says here and returns -1, since nobody above it could add anything.
 */
#ifndef LECTERN_IMAGE_LOG_ERROR_H
#define LECTERN_IMAGE_LOG_ERROR_H

#define LOG_ERROR_CAP 1024 /* bytes of one line; more is cut */

/* Always -1, so that `return complain(...)` reads well. */
int log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same with errno's text behind it. */
int log_errno(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
