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

#define GRAPH_NAME_SHOWN 8u /* nodes that an error lists where several have the title */

/* Which of many nodes a name means, for a name that is nobody's exact id: the node whose id is the
 * same, else the only one that has it as its title. A running search: begin, feed every node, then
 * found. */
struct graph_name {
    const char *name; /* borrowed */
    size_t fed, same_ids, same_titles;
    size_t by_id, by_title; /* places of the first of them among the nodes fed */
};

void graph_name_begin(struct graph_name *search, const char *name);
/* title: or NULL. */
void graph_name_feed(struct graph_name *search, const char *id, const char *title);
/* *place: of the one that is meant. false: none is, or several have the title (same_titles > 1). */
bool graph_name_found(const struct graph_name *search, size_t *place);

#endif
