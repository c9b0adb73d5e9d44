/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The order of the notes of a folder as its program has it: the navigation of MkDocs (mkdocs.yml)
 * and mdBook (SUMMARY.md), which gives chapters too, and else the numbers in the notes' front
 * matter. Pages of the navigation come first, in its order. Of the others those with a number come
 * before those without, folder by folder; a folder has the number of its own page (_index.md,
 * index.md, README.md), which is first in it. Without navigation and numbers nothing changes.
 */
#ifndef LECTERN_SESSION_FORMAT_MARKDOWN_ORDER_H
#define LECTERN_SESSION_FORMAT_MARKDOWN_ORDER_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "mcp/session/findings.h"

#define ORDER_MKDOCS "mkdocs.yml"

struct note_order {
    json_t *pages; /* file -> {"chapter", "title"}, in the order of the navigation; owned; or NULL
                    */
};

void order_finish(struct note_order *order);

/* files: an object whose keys are the names of all notes. */
void order_read_mkdocs(struct note_order *order, const char *text, size_t len, const json_t *files,
                       struct findings *said);
/* Whether the name is that of a SUMMARY.md. */
bool order_is_summary(const char *name);
/* Whether the text is a table of contents, and nothing else; then its pages are known. */
bool order_read_summary(struct note_order *order, const char *name, const char *text, size_t len,
                        const json_t *files, struct findings *said);

/* Puts the nodes in order, from the place first on, and gives them the chapters of the navigation.
 * files: name -> node id, in the order of the names. */
void order_notes(const struct note_order *order, json_t *nodes, size_t first, const json_t *files);

#endif
