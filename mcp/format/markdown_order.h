/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The order of the notes of a folder as its program has it: the navigation of MkDocs (mkdocs.yml)
 * and mdBook (SUMMARY.md), which gives chapters too, and else the numbers in the notes' front
 * matter. Pages of the navigation come first, in its order. Of the others those with a number come
 * before those without, folder by folder; a folder has the number of its own page (_index.md,
 * index.md, README.md), which is first in it. Without navigation and numbers nothing changes.
 * Folders of Docusaurus and Hugo (markdown_site.c), and the parents of pages of Just the Docs
 * (markdown_parent.c), give chapters, too.
 */
#ifndef LECTERN_SESSION_FORMAT_MARKDOWN_ORDER_H
#define LECTERN_SESSION_FORMAT_MARKDOWN_ORDER_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "mcp/curriculum/findings.h"
#include "mcp/format/files.h"

#define ORDER_MKDOCS "mkdocs.yml"

struct note_order {
    json_t *pages;   /* file -> {"chapter", "title"}, in the order of the navigation; owned; or NULL
                      */
    json_t *folders; /* of Docusaurus: folder -> {"label", "position"}; owned; or NULL */
    size_t categories; /* files that name them */
    bool is_site;      /* of Docusaurus: numbers before names are their order */
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

/* The files of Docusaurus beside the pages: _category_, and code, which is not run. */
void order_read_docusaurus(struct note_order *order, const struct files *files,
                           struct findings *said);
bool order_is_category(const char *name); /* of a file */
/* The length of the number before a name ("01-Intro", "2. Adding") as Docusaurus has it; 0: none.
 */
size_t order_prefix(const char *name, size_t len, double *number);
/* Gives the notes the chapters of their folders; for a folder without a navigation. */
void order_folder_chapters(const struct note_order *order, const json_t *nodes, size_t first,
                           const json_t *files);

/* Reads the navigation from the parents that pages name, unless there is one. */
void order_read_parents(struct note_order *order, const json_t *nodes, size_t first,
                        const json_t *files, struct findings *said);

/* The nodes from the place first on by their files, in the order of these: a new object. */
json_t *order_by_file(const json_t *nodes, size_t first, const json_t *files);

/* Puts the nodes in order, from the place first on, and gives them the chapters of the navigation.
 * files: name -> node id, in the order of the names. */
void order_notes(const struct note_order *order, json_t *nodes, size_t first, const json_t *files);

#endif
