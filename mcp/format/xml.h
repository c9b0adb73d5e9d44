/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * XML files of other tools, read by libxml2: without the network, other files, or entities of their
 * own. Elements and attributes are compared by their local names, because tools declare the same
 * namespace in different versions.
 */
#ifndef LECTERN_FORMAT_XML_H
#define LECTERN_FORMAT_XML_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>
#include <libxml/tree.h>

#include "helpers/base/error.h"

/* The document, which the caller frees by xmlFreeDoc(); NULL with err, which has the line.
 * ERROR_INVALID if it is not well-formed, is nested deeper than 256 elements, or declares entities.
 * name is the file's, for errors. */
xmlDoc *xml_read(const char *name, const char *text, size_t len, struct error *err);

/* The same for a text that is UTF-8, whatever encoding it declares. */
xmlDoc *xml_read_text(const char *name, const char *text, size_t len, struct error *err);
/* Calls take for each element with that local name, outermost first and not inside one another, and
 * keeps only one of them in memory. -1 with err as xml_read, or if take returns -1. */
typedef int xml_take(void *user, const xmlNode *element, struct error *err);
int xml_each(const char *name, const char *text, size_t len, const char *element, xml_take *take,
             void *user, struct error *err);

/* Whether the root of the document that begins so has that local name. The text may end anywhere
 * behind the start of the root. */
bool xml_has_root(const char *text, size_t len, const char *name);

/* Whether the node is an element with that local name. */
bool xml_is(const xmlNode *node, const char *name);
/* The first child element with that name, and the next one after it; name NULL: any. NULL: none. */
xmlNode *xml_child(const xmlNode *parent, const char *name);
xmlNode *xml_next(const xmlNode *node, const char *name);
/* The next node of the tree below root, in document order; begin with root. NULL at its end. */
xmlNode *xml_walk(const xmlNode *root, const xmlNode *node);
/* A new string; NULL if the element has no such attribute. */
json_t *xml_attribute(const xmlNode *node, const char *name);
/* The text of the element and all below it, without blanks around it: a new string, "" if none. */
json_t *xml_text(const xmlNode *node);
int xml_line(const xmlNode *node); /* from 1 */

#define xml_auto __attribute__((cleanup(xml_free))) /* xmlDoc *; NULL: nothing */
static inline void xml_free(xmlDoc **document)
{
    xmlFreeDoc(*document);
}

#endif
