/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether what comes out of a sandbox has the form it must have: checked by the runner, which
 * passes it on, and by the server, which does not believe the runner. Pure.
 */
#ifndef LECTERN_EXECUTOR_WIRE_CHECKS_H
#define LECTERN_EXECUTOR_WIRE_CHECKS_H

#include <stdbool.h>
#include <stddef.h>

#define ARTIFACT_MIME "image/png"

/* Strict base64 (RFC 4648, section 4, no line ends) of bytes that begin as a PNG does. What follows
 * in it is the code's, and is for whoever shows it to judge. */
bool artifact_is_png(const char *base64, size_t len);

/* "GET /path" of printable ASCII, as a URL has it. */
bool request_is_get(const char *text, size_t len);

#endif
