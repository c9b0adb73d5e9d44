/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a reader reads as words in the parameters of a component or the members of a node. Which
 * members are words follows from the table of component types (FIELD_NOT_PROSE, choices); texts of
 * members that the table does not know are words unless their name or their beginning says
 * otherwise (svg, url, code, id, ...). Pure, any thread.
 */
#ifndef LECTERN_SESSION_PROSE_H
#define LECTERN_SESSION_PROSE_H

#include <stddef.h>

#include <jansson.h>

#define PROSE_PATH_SIZE 160 /* a longer path is cut */

/* Bytes of a text that a reader sees as words. Outside: tags, entities, drawings (<svg>, <script>,
 * <style>, <pre>, <code>), targets of links, URLs, code in backticks and fences, TeX commands. A
 * span begins and ends with a character that is not a space. */
struct prose_span {
    size_t start, len;
};

struct prose_text {
    const char *path;               /* "definition", "steps.2" (from 1), "pictures.svg1.title" */
    const char *text;               /* whole; borrowed from the JSON value */
    size_t len;                     /* bytes */
    const struct prose_span *spans; /* in their order, not overlapping */
    size_t count;
    unsigned flags; /* of its row in the table, as FIELD_TERM; 0 without one */
};

/* A value other than 0 stops, and is returned. */
typedef int prose_visit(void *user, const struct prose_text *text);

/* Calls visit for each text of a component's parameters, in their order; a text without words has
 * count 0, and one that is not words at all is left out. type NULL: for the members of a node (its
 * title, its category texts, its description). Returns what visit returned, or -1 if out of
 * memory. */
int prose_each(const char *type, const json_t *parameters, prose_visit *visit, void *user);

/* The spans of one text, such as a title. *count is their number; -1 if it is more than cap, of
 * which only the first cap are in spans. */
int prose_spans(const char *text, size_t len, struct prose_span *spans, size_t cap, size_t *count);

/* Words as a reader counts them: runs without a space, with a letter or a digit in them. */
size_t prose_words(const char *type, const json_t *parameters);
size_t prose_words_of(const struct prose_text *text);

#endif
