/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether what came out of a sandbox as a figure has the form of one. Pure.
 */
#ifndef LECTERN_EXECUTOR_ARTIFACT_H
#define LECTERN_EXECUTOR_ARTIFACT_H

#include <stdbool.h>
#include <stddef.h>

#define ARTIFACT_MIME "image/png"

/* Strict base64 (RFC 4648, section 4, no line ends) of bytes that begin as a PNG does. What follows
 * in it is the code's, and is for whoever shows it to judge. */
bool artifact_is_png(const char *base64, size_t len);

#endif
