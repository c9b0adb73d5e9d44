/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Small texts for sessions: cut text, ids, times. Pure except for randomness and the clock; any
 * thread.
 */
#ifndef LECTERN_CURRICULUM_TEXT_H
#define LECTERN_CURRICULUM_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "helpers/base/error.h"

#define TIME_TEXT_SIZE 32 /* "2026-11-21T11:10:39.123Z" */
#define UUID_TEXT_SIZE 37

/* Copies from to to, which has size bytes (at least 8). A longer text is cut at a UTF-8 boundary
 * and ends with "...". from may be NULL. Returns to. */
char *text_cut(char *to, size_t size, const char *from);

/* The same on one line: each run of white space and control characters becomes one space. */
char *text_cut_line(char *to, size_t size, const char *from);

/* A random (version 4) UUID. */
int text_uuid(char uuid[UUID_TEXT_SIZE], struct error *err);

/* The current time, RFC 3339, UTC, with milliseconds. */
void text_now(char now[TIME_TEXT_SIZE]);
void text_ago(time_t seconds, char time[TIME_TEXT_SIZE]); /* the time so many seconds ago */
/* Of such a text, milliseconds since 1970; 0 for another text or NULL. */
int64_t text_time_ms(const char *time);

#endif
