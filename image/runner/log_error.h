/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The runner's messages: one line on standard error, "runner: text", written at once. A function
 * that fails logs the reason and returns -1, because its callers have nothing to add.
 */
#ifndef LECTERN_IMAGE_LOG_ERROR_H
#define LECTERN_IMAGE_LOG_ERROR_H

#define LOG_ERROR_CAP 1024 /* bytes of one line; more is cut */

/* Returns -1, for `return log_error(...)`. */
int log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same, with the text of errno appended. */
int log_errno(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
