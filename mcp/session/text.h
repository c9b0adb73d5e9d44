/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Small texts of the session room: cut at a character's end, ids, times. Pure but for chance and
 * the clock; any thread.
 */
#ifndef LECTERN_SESSION_TEXT_H
#define LECTERN_SESSION_TEXT_H

#include <stddef.h>

#include "helpers/base/error.h"

#define TIME_TEXT_SIZE 32 /* "2026-11-21T11:10:39.123Z" */
#define UUID_TEXT_SIZE 37

/* Copies from to to, which has size bytes (8 at least); what does not fit is cut at a UTF-8
 * boundary and marked by "...". from may be NULL. Returns to. */
char *text_cut(char *to, size_t size, const char *from);

/* The same in one line: white space and control characters run together to one space. */
char *text_cut_line(char *to, size_t size, const char *from);

/* A random (version 4) UUID. */
int text_uuid(char uuid[UUID_TEXT_SIZE], struct error *err);

/* Now, RFC 3339, UTC, milliseconds. */
void text_now(char now[TIME_TEXT_SIZE]);

#endif
