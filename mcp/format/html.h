/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The components of a page: headings, paragraphs and step sequences, with the page's links, images
 * and emphasis as Markdown. Quotes, tables, code and lists without numbers are paragraphs.
 * Scripts, styles and drawings are left out and reported.
 */
#ifndef LECTERN_FORMAT_HTML_H
#define LECTERN_FORMAT_HTML_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>
#include <libxml/tree.h>

#include "helpers/base/buf.h"
#include "mcp/curriculum/findings.h"

#define HTML_COMPONENTS_CAP 5000u /* of one page; the rest is left out */
#define HTML_DEPTH_CAP      256   /* of elements in a page; deeper ones are left out */

/* Appends the components of a page to an array. name is the file's, for the report. The bytes may
 * be in any encoding that note_decode (markdown.h) reads. */
void html_read(const char *name, const struct buf *page, json_t *components, struct findings *said);
/* The same for a fragment of a page, which is UTF-8 without NUL. */
void html_read_text(const char *name, const char *text, json_t *components, struct findings *said);
/* The same for elements of an XML file: from first up to its sibling end; NULL: all of them. */
void html_read_nodes(const char *name, const xmlNode *first, const xmlNode *end, json_t *components,
                     struct findings *said);

/* The title in the head of a page: a new string, or NULL. */
json_t *html_title(const char *name, const struct buf *page);

/* Appends one component with one parameter. */
void html_add_component(json_t *components, const char *type, const char *parameter, json_t *value);
/* Components as one text in Markdown: a new string. */
json_t *html_text(const json_t *components);
/* The text without the blanks and line ends around it: a new string. */
json_t *html_trimmed(const struct buf *text);

#endif
