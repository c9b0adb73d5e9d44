/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Curriculum texts made fit for an answer. They come from outside: line breaks, control and
 * direction characters become blanks, runs of blanks one, bytes that are no UTF-8 a replacement
 * character, so that a title can never look like a line of the answer. Pure.
 */
#ifndef LECTERN_GRAPH_TEXT_H
#define LECTERN_GRAPH_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "helpers/base/buf.h"

#define GRAPH_ID_CAP    128u /* bytes of an id in an answer */
#define GRAPH_TITLE_CAP 80u  /* bytes of a title or group */
#define GRAPH_TYPE_CAP  48u  /* bytes of a relationship type */

/* Appends at most cap bytes of the text, cut between characters with "…" behind. Where quoted, in
 * quotes, and those inside become apostrophes. */
void graph_text_add(struct buf *to, const char *text, size_t cap, bool quoted);

/* Whether two texts are the same but for letter case and what graph_text_add changes. */
bool graph_text_same(const char *a, const char *b);
bool graph_text_blank(const char *text);
bool graph_text_is_utf8(const char *text);

#endif
