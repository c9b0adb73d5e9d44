/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Prepares curriculum texts for an answer. They are foreign: line breaks, control and direction
 * characters become spaces, runs of spaces become one, and invalid UTF-8 a replacement character.
 * So a title can never look like a line of the answer. Pure.
 */
#ifndef LECTERN_GRAPH_TEXT_H
#define LECTERN_GRAPH_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "helpers/base/buf.h"

#define GRAPH_ID_CAP    128u /* bytes of an id in an answer */
#define GRAPH_TITLE_CAP 80u  /* bytes of a title or group */
#define GRAPH_CODE_CAP  40u  /* bytes of a code */
#define GRAPH_TYPE_CAP  48u  /* bytes of a relationship type */

/* Appends at most cap bytes of the text; if cut, at a character boundary and with "…". If quoted,
 * adds quotes, and replaces quotes in the text by apostrophes. */
void graph_text_add(struct buf *to, const char *text, size_t cap, bool quoted);

/* Whether two texts are equal except for letter case, what graph_text_add changes, and whether
 * their letters are composed or not (Unicode, NFC). */
bool graph_text_same(const char *a, const char *b);
bool graph_text_blank(const char *text);
bool graph_text_is_utf8(const char *text);

#define GRAPH_NAME_SHOWN 8u /* nodes that an error lists where several have the title */

/* Finds the node that a name refers to when no id is exactly equal: the node whose id matches, or
 * else the only node with that code (humanCodingScheme of a standard), or else the only node with
 * that title. Use: begin, feed every node, then found. */
struct graph_name {
    const char *name; /* borrowed */
    size_t fed, same_ids, same_codes;
    size_t same_titles;              /* nodes whose title or code matches */
    size_t by_id, by_code, by_title; /* indices of the first match among the nodes fed */
};

void graph_name_begin(struct graph_name *search, const char *name);
/* title and code may be NULL. */
void graph_name_feed(struct graph_name *search, const char *id, const char *title,
                     const char *code);
/* Sets *place to the index of the node. Returns false if none matches, or several have the title
 * (same_titles > 1). */
bool graph_name_found(const struct graph_name *search, size_t *place);

#endif
