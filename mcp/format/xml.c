/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * libxml2 with the options that are safe for files of strangers, and a small set of questions.
 */
#include "mcp/format/xml.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <libxml/parser.h>
#include <libxml/xmlerror.h>
#include <libxml/xmlreader.h>

#include "mcp/format/file.h"

/* Without XML_PARSE_HUGE, libxml2 refuses depths above 256 and texts above 10 MB; without
 * XML_PARSE_NOENT and XML_PARSE_DTDLOAD it replaces no entity and opens no other file. */
#define OPTIONS                                                                                    \
    (XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_NOCDATA |               \
     XML_PARSE_BIG_LINES)

/* The first line of libxml2's message. */
static int refuse(const xmlError *found, const char *name, struct error *err)
{
    const char *message = found && found->message ? found->message : "it cannot be read";

    return error_set(err, ERROR_INVALID, "%s line %d: this is not XML: %.*s", name,
                     found ? found->line : 0, (int)strcspn(message, "\n"), message);
}

static bool declares_entities(const xmlDoc *document)
{
    const xmlDtd *set = document->intSubset;

    for (const xmlNode *node = set ? set->children : NULL; node; node = node->next)
        if (node->type == XML_ENTITY_DECL)
            return true;
    return false;
}

static int refuse_entities(const char *name, struct error *err)
{
    return error_set(err, ERROR_INVALID,
                     "%s declares entities, which are not read: save it without", name);
}

static xmlDoc *read_as(const char *encoding, const char *name, const char *text, size_t len,
                       struct error *err)
{
    xmlParserCtxt *parser = xmlNewParserCtxt();
    xmlDoc *document = NULL;

    if (!parser)
        abort();
    if (len > INT_MAX)
        error_set(err, ERROR_TOO_LARGE, "%s is larger than %d bytes", name, INT_MAX);
    else if (!(document = xmlCtxtReadMemory(parser, text, (int)len, NULL, encoding, OPTIONS)))
        refuse(xmlCtxtGetLastError(parser), name, err);
    if (document && declares_entities(document)) {
        refuse_entities(name, err);
        xmlFreeDoc(document);
        document = NULL;
    }
    xmlFreeParserCtxt(parser);
    return document;
}

xmlDoc *xml_read(const char *name, const char *text, size_t len, struct error *err)
{
    return read_as(NULL, name, text, len, err);
}

xmlDoc *xml_read_text(const char *name, const char *text, size_t len, struct error *err)
{
    return read_as("UTF-8", name, text, len, err);
}

int xml_each(const char *name, const char *text, size_t len, const char *element, xml_take *take,
             void *user, struct error *err)
{
    xmlTextReader *reader;
    int found, rc = 0;

    if (len > INT_MAX)
        return error_set(err, ERROR_TOO_LARGE, "%s is larger than %d bytes", name, INT_MAX);
    xmlResetLastError();
    reader = xmlReaderForMemory(text, (int)len, NULL, NULL, OPTIONS);
    if (!reader)
        abort();
    found = xmlTextReaderRead(reader);
    while (found == 1 && rc == 0) {
        const xmlNode *node = NULL;

        if (xmlTextReaderNodeType(reader) == XML_READER_TYPE_ELEMENT &&
            xmlStrcmp(xmlTextReaderConstLocalName(reader), BAD_CAST element) == 0)
            node = xmlTextReaderExpand(reader);
        if (node)
            rc = declares_entities(node->doc) ? refuse_entities(name, err) : take(user, node, err);
        found = node ? xmlTextReaderNext(reader) : xmlTextReaderRead(reader);
    }
    if (rc == 0 && found < 0)
        rc = refuse(xmlGetLastError(), name, err);
    xmlFreeTextReader(reader);
    return rc;
}

bool xml_has_root(const char *text, size_t len, const char *name)
{
    xmlTextReader *reader =
        len <= INT_MAX ? xmlReaderForMemory(text, (int)len, NULL, NULL, OPTIONS) : NULL;
    bool found = false;

    while (reader && xmlTextReaderRead(reader) == 1) {
        if (xmlTextReaderNodeType(reader) == XML_READER_TYPE_ELEMENT) {
            const xmlChar *root = xmlTextReaderConstLocalName(reader);

            found = root && strcmp((const char *)root, name) == 0;
            break;
        }
    }
    xmlFreeTextReader(reader);
    return found;
}

bool xml_is(const xmlNode *node, const char *name)
{
    return node && node->type == XML_ELEMENT_NODE &&
           (!name || strcmp((const char *)node->name, name) == 0);
}

static xmlNode *find(xmlNode *node, const char *name)
{
    while (node && !xml_is(node, name))
        node = node->next;
    return node;
}

xmlNode *xml_child(const xmlNode *parent, const char *name)
{
    return parent ? find(parent->children, name) : NULL;
}

xmlNode *xml_next(const xmlNode *node, const char *name)
{
    return node ? find(node->next, name) : NULL;
}

xmlNode *xml_walk(const xmlNode *root, const xmlNode *node)
{
    if (node->type == XML_ELEMENT_NODE && node->children)
        return node->children;
    while (node != root && !node->next)
        node = node->parent;
    return node == root ? NULL : node->next;
}

json_t *xml_attribute(const xmlNode *node, const char *name)
{
    for (const xmlAttr *at = node->properties; at; at = at->next) {
        xmlChar *text;
        json_t *value;

        if (strcmp((const char *)at->name, name) != 0)
            continue;
        text = xmlNodeGetContent((const xmlNode *)at);
        value = text ? json_string((const char *)text) : NULL;
        xmlFree(text);
        return value;
    }
    return NULL;
}

json_t *xml_text(const xmlNode *node)
{
    static const char blanks[] = " \t\r\n";
    xmlChar *content = node ? xmlNodeGetContent(node) : NULL;
    const char *text = content ? (const char *)content : "";
    size_t len;
    json_t *value;

    text += strspn(text, blanks);
    for (len = strlen(text); len > 0 && strchr(blanks, text[len - 1]); len--)
        continue;
    value = json_stringn(text, len);
    xmlFree(content);
    return value;
}

int xml_line(const xmlNode *node)
{
    return (int)xmlGetLineNo(node);
}
