/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * IMS/1EdTech CASE 1.0, a CFPackage as JSON: nodes are its CFItems, relationships its
 * CFAssociations.
 *
 * A node's title is fullStatement. An id that is not a UUID is humanCodingScheme, and the
 * identifier is derived from it. Fields that CASE has are where CASE has them, under their names
 * there, in both. LEADS_TO and the prerequisites are `precedes`, ENRICHMENT is `isRelatedTo`;
 * CASE's other types are kept as types of relationships. A link to another curriculum has CASE's
 * own types, and ends at that node's uri where it has one. What CASE has no place for (components,
 * additional fields, the exact type) is in `extensions`, which CASE 1.1 introduced for this, as
 * {"lectern": {"generated": [generated fields], "fields": {the node's own}}}. For a framework from
 * another tool, CFDocument, definitions, rubrics, and associations that end outside its items are
 * kept in meta.case.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <uuid/uuid.h>

#include "helpers/base/cleanup.h"
#include "helpers/base/json.h"
#include "mcp/curriculum/component_type.h"
#include "mcp/curriculum/curriculum_uri.h"
#include "mcp/curriculum/limits.h"
#include "mcp/curriculum/text.h"
#include "mcp/format/case.h"
#include "mcp/format/file.h"
#include "mcp/format/format.h"
#include "mcp/format/json_text.h"

#define CASE_EXTENSION "lectern"

enum case_shape { CASE_TEXT, CASE_TEXTS, CASE_LINK, CASE_INTEGER };
struct case_field {
    const char *name;
    enum case_shape shape;
};

/* ---- the tables of CASE 1.0 ---- */

/* The optional fields, and those that are generated if missing: CASE 1.0, information model,
 * CFPckgItem. */
static const struct case_field case_item_fields[] = {
    {"alternativeLabel", CASE_TEXT},
    {"CFItemType", CASE_TEXT},
    {"CFItemTypeURI", CASE_LINK},
    {"humanCodingScheme", CASE_TEXT},
    {"listEnumeration", CASE_TEXT},
    {"abbreviatedStatement", CASE_TEXT},
    {"conceptKeywords", CASE_TEXTS},
    {"conceptKeywordsURI", CASE_LINK},
    {"notes", CASE_TEXT},
    {"language", CASE_TEXT},
    {"educationLevel", CASE_TEXTS},
    {"licenseURI", CASE_LINK},
    {"statusStartDate", CASE_TEXT},
    {"statusEndDate", CASE_TEXT},
    {"uri", CASE_TEXT},
    {"CFDocumentURI", CASE_LINK},
    {"lastChangeDateTime", CASE_TEXT},
    {NULL, CASE_TEXT},
};

/* The same, CFPckgAssociation. */
static const struct case_field case_association_fields[] = {
    {"uri", CASE_TEXT},
    {"sequenceNumber", CASE_INTEGER},
    {"CFAssociationGroupingURI", CASE_LINK},
    {"CFDocumentURI", CASE_LINK},
    {"lastChangeDateTime", CASE_TEXT},
    {NULL, CASE_TEXT},
};

/* The first row of an association's type is what it is read as in a package of ours. In a foreign
 * one `precedes` means the order of teaching. */
static const struct {
    const char *relationship, *association;
} type_pairs[] = {
    {"LEADS_TO", "precedes"},
    {"PREREQUISITE", "precedes"},
    {"PREREQUISITE_FOR", "precedes"},
    {"ENRICHMENT", "isRelatedTo"},
};
#define FOREIGN_ORDER "precedes"
#define TYPE_PAIRS    (sizeof type_pairs / sizeof type_pairs[0])

/* Whether CASE has that field, and the value is of its shape. */
static bool case_fits(const struct case_field *field, const char *name, const json_t *value)
{
    const json_t *entry;
    size_t i;

    while (field->name && strcmp(field->name, name) != 0)
        field++;
    if (!field->name)
        return false;
    switch (field->shape) {
    case CASE_TEXT:
        return json_is_string(value) && json_string_length(value) > 0;
    case CASE_TEXTS:
        json_array_foreach((json_t *)value, i, entry)
        {
            if (!json_is_string(entry))
                return false;
        }
        return json_is_array(value);
    case CASE_LINK:
        return json_get_string(value, "identifier") && json_get_string(value, "uri");
    case CASE_INTEGER:
        return json_is_integer(value);
    }
    return false;
}

static bool case_knows_association(const char *association_type)
{
    for (size_t i = 0; link_types[i]; i++)
        if (strcmp(link_types[i], association_type) == 0)
            return true;
    return strncmp(association_type, "ext:", 4) == 0; /* CASE 1.1's own */
}

static const char *case_association_type(const char *relationship_type)
{
    for (size_t i = 0; relationship_type && i < TYPE_PAIRS; i++)
        if (strcmp(type_pairs[i].relationship, relationship_type) == 0)
            return type_pairs[i].association;
    if (relationship_type && case_knows_association(relationship_type))
        return relationship_type;
    return "isRelatedTo";
}

static const char *case_relationship_type(const char *association_type)
{
    for (size_t i = 0; i < TYPE_PAIRS; i++)
        if (strcmp(type_pairs[i].association, association_type) == 0)
            return type_pairs[i].relationship;
    return association_type;
}

/* ---- a CFPackage as a curriculum ---- */

static bool is_uuid(const json_t *value)
{
    uuid_t parsed;

    return json_is_string(value) && json_string_length(value) == UUID_TEXT_SIZE - 1 &&
           uuid_parse(json_string_value(value), parsed) == 0;
}

static bool has_text(const json_t *object, const char *key)
{
    return json_string_length(json_object_get(object, key)) > 0;
}

static const json_t *ours_of(const json_t *object)
{
    const json_t *ours = json_object_get(json_object_get(object, "extensions"), CASE_EXTENSION);

    return json_is_object(ours) ? ours : NULL;
}

/* The extensions of other tools; a new reference, or NULL if there are none. */
static json_t *others_of(const json_t *object)
{
    json_auto_t *others = json_copy(json_object_get(object, "extensions"));

    json_object_del(others, CASE_EXTENSION);
    return json_object_size(others) > 0 ? json_incref(others) : NULL;
}

static bool was_made(const json_t *ours, const char *key)
{
    const json_t *entry;
    size_t i;

    json_array_foreach(json_object_get(ours, "generated"), i, entry)
    {
        if (json_is_string(entry) && strcmp(json_string_value(entry), key) == 0)
            return true;
    }
    return false;
}

/* All of it but what was made up and those that have another name with us, and what was beside. */
static json_t *fields_of(const json_t *object, const json_t *ours, const char *const *renamed)
{
    json_t *fields = json_object(), *value;
    const char *key;

    json_object_foreach((json_t *)object, key, value)
    {
        bool other = was_made(ours, key);

        for (size_t i = 0; renamed[i]; i++)
            other = other || strcmp(renamed[i], key) == 0;
        if (!other && ours && strcmp(key, "extensions") == 0)
            json_object_set_new(fields, key, others_of(object));
        else if (!other)
            json_object_set(fields, key, value);
    }
    json_object_foreach(json_object_get(ours, "fields"), key, value)
        json_object_set(fields, key, value);
    return fields;
}

static json_t *node_of(const json_t *item)
{
    static const char *const renamed[] = {"identifier", "fullStatement", NULL};
    const json_t *ours = ours_of(item), *value = json_object_get(ours, "value");
    json_t *node;

    if (value)
        return json_incref((json_t *)value);
    node = json_object();
    if (!was_made(ours, "identifier"))
        json_object_set(node, "node_id", json_object_get(item, "identifier"));
    if (!was_made(ours, "fullStatement"))
        json_object_set(node, "title", json_object_get(item, "fullStatement"));
    json_object_update_new(node, fields_of(item, ours, renamed));
    return node;
}

/* Whether it ends at a node of another curriculum of a store like this. */
static bool is_link(const json_t *association)
{
    return curriculum_uri_is_node(
        json_get_string(json_object_get(association, "destinationNodeURI"), "uri"));
}

static void set_end(json_t *relationship, const char *key, const json_t *ours,
                    const json_t *association, const char *end, const json_t *ids)
{
    const json_t *there = json_object_get(association, end);
    const json_t *identifier = json_object_get(there, "identifier");
    const json_t *id = json_object_get(ids, json_string_value(identifier));

    if (!id && curriculum_uri_is_node(json_get_string(there, "uri")))
        id = json_object_get(there, "uri");
    if (!was_made(ours, end))
        json_object_set(relationship, key, (json_t *)(id ? id : identifier));
}

static json_t *relationship_of(const json_t *association, const json_t *ids, bool foreign)
{
    static const char *const renamed[] = {"originNodeURI", "destinationNodeURI", "associationType",
                                          NULL};
    const json_t *ours = ours_of(association), *value = json_object_get(ours, "value");
    const char *type = json_get_string(association, "associationType"), *kept;
    json_t *relationship;

    if (value)
        return json_incref((json_t *)value);
    relationship = json_object();
    set_end(relationship, "from_node_id", ours, association, "originNodeURI", ids);
    set_end(relationship, "to_node_id", ours, association, "destinationNodeURI", ids);
    json_object_update_new(relationship, fields_of(association, ours, renamed));
    /* The stored type is used if the association still corresponds to it. */
    kept = json_get_string(relationship, "relationship_type");
    if (!was_made(ours, "associationType") || (strcmp(case_association_type(kept), type) != 0))
        json_object_set_new(relationship, "relationship_type",
                            json_string(is_link(association) ? type
                                        : foreign && strcmp(type, FOREIGN_ORDER) == 0
                                            ? "PREREQUISITE"
                                            : case_relationship_type(type)));
    return relationship;
}

/* What an export adds for other tools: chapters as items, and their children. */
static bool is_structure(const json_t *ours)
{
    return json_is_true(json_object_get(ours, "structure"));
}

/* Whether the items of a package of ours are in their order, with their chapters in their fields.
 */
static bool is_arranged(const json_t *ours)
{
    return json_is_true(json_object_get(ours, "generated")) ||
           json_is_true(json_object_get(ours, "arranged"));
}

/* Identifier -> node id. */
static json_t *read_items(const json_t *package, json_t *nodes)
{
    json_t *ids = json_object(), *item;
    size_t i;

    json_array_foreach(json_object_get(package, "CFItems"), i, item)
    {
        json_t *node, *id;

        if (is_structure(ours_of(item)))
            continue;
        node = node_of(item);
        id = json_object_get(node, "node_id");
        if (json_is_string(id))
            json_object_set(ids, json_get_string(item, "identifier"), id);
        json_array_append_new(nodes, node);
    }
    return ids;
}

static bool is_item(const json_t *association, const char *end, const json_t *ids)
{
    const char *identifier = json_get_string(json_object_get(association, end), "identifier");

    return identifier && json_object_get(ids, identifier);
}

static json_t *read_associations(const json_t *package, const json_t *ids, json_t *aside,
                                 struct format_report *report)
{
    json_t *relationships = json_array(), *value;
    bool foreign = !ours_of(json_object_get(package, "CFDocument"));
    size_t ordered = 0, unread = 0, i;

    json_array_foreach(json_object_get(package, "CFAssociations"), i, value)
    {
        const json_t *ours = ours_of(value);

        if (is_structure(ours))
            continue;
        if (!has_text(value, "associationType") || !case_is_end(value, "originNodeURI") ||
            !case_is_end(value, "destinationNodeURI")) {
            json_array_append(aside, value);
            unread++;
        } else if (ours || (is_item(value, "originNodeURI", ids) &&
                            (is_item(value, "destinationNodeURI", ids) || is_link(value)))) {
            json_array_append_new(relationships, relationship_of(value, ids, foreign && !ours));
            ordered += foreign && !ours && json_string_is(value, "associationType", FOREIGN_ORDER);
        } else {
            json_array_append(aside, value);
        }
    }
    if (ordered > 0)
        format_note(report, "associations %s (%zu) are read as PREREQUISITE", FOREIGN_ORDER,
                    ordered);
    if (unread > 0)
        findings_add_count(&report->lines, FINDING_CHANGED, unread, NULL,
                           "associations without associationType or an identifier at both ends "
                           "are kept in meta.case; they are not relationships");
    if (json_array_size(aside) > unread)
        format_note(report,
                    "associations that end at the document or outside its items (%zu) are kept in "
                    "meta.case; they are not relationships",
                    json_array_size(aside) - unread);
    return relationships;
}

/* The parts of a foreign framework that are neither items nor relationships, for the way back. */
static json_t *kept_of(const json_t *package, const json_t *document, const json_t *aside)
{
    json_t *kept = json_object(), *value;
    const char *key;

    json_object_foreach((json_t *)package, key, value)
    {
        if (strcmp(key, "CFItems") != 0 && strcmp(key, "CFAssociations") != 0)
            json_object_set(kept, key, value);
    }
    json_object_set(kept, "CFDocument", (json_t *)document);
    if (json_array_size(aside) > 0)
        json_object_set(kept, "associations", (json_t *)aside);
    return kept;
}

static json_t *root_of(const json_t *package, const json_t *aside)
{
    json_auto_t *document = json_copy(json_object_get(package, "CFDocument"));
    json_t *meta, *root;
    const json_t *ours = ours_of(document), *further = json_object_get(ours, "further");
    const json_t *title = json_object_get(document, "title");
    bool made = json_is_true(json_object_get(ours, "generated"));

    root = json_is_object(further) ? json_deep_copy(further)
                                   : json_pack("{s:{s:O}}", "meta", "title", title);
    meta = json_object_get(root, "meta");
    if (json_string_length(json_object_get(meta, "title")) > 0)
        json_object_set(meta, "title", (json_t *)title);
    if (!made && json_is_object(meta)) {
        if (ours && json_object_set_new(document, "extensions", others_of(document)) != 0)
            json_object_del(document, "extensions");
        json_object_set_new(meta, "case", kept_of(package, document, aside));
    }
    return root;
}

json_t *case_curriculum(const json_t *given, struct format_report *report, struct error *err)
{
    json_auto_t *package = case_repair(given, report, err);
    json_auto_t *relationships = NULL, *ids = NULL, *aside = NULL, *nodes = NULL;
    json_t *root;
    const json_t *ours;

    if (!package)
        return NULL;
    nodes = json_array();
    aside = json_array();
    ids = read_items(package, nodes);
    relationships = read_associations(package, ids, aside, report);
    root = root_of(package, aside);
    ours = ours_of(json_object_get(package, "CFDocument"));
    if (!is_arranged(ours) && case_arrange(nodes, package, err) < 0) {
        json_decref(root);
        return NULL;
    }
    json_object_set(root, "nodes", nodes);
    if (!json_is_false(json_object_get(ours, "relationships")) ||
        json_array_size(relationships) > 0)
        json_object_set(root, "relationships", relationships);
    return root;
}

/* A curriculum as a CFPackage. Identifiers are UUIDs of version 5, made from the document's and the
 * node's id, so that the next export has the same. */

#define UNTITLED    "Untitled"
#define NO_CREATOR  "Unknown"
#define NODE_PREFIX "node:"

struct case_writer {
    char now[TIME_TEXT_SIZE];
    uuid_t document;
    json_t *items; /* node id -> {"title", "identifier", "uri"}, of the first node that has it */
    json_t *taken; /* identifiers */
    size_t mapped; /* relationships whose type CASE does not have */
    bool foreign;  /* a framework from elsewhere, in which `precedes` is read as PREREQUISITE */
};

/* One object on its way: what CASE holds of it, what was made up, what is left. */
struct case_entry {
    json_t *to;
    json_t *generated;
    json_t *fields;
};

static void make_uuid(const struct case_writer *writer, const struct buf *name,
                      char text[UUID_TEXT_SIZE])
{
    uuid_t made;

    uuid_generate_sha1(made, writer->document, name->data, name->len);
    uuid_unparse_lower(made, text);
}

static void set_made(struct case_entry *entry, const char *key, json_t *value)
{
    json_object_set_new(entry->to, key, value);
    json_array_append_new(entry->generated, json_string(key));
}

/* Sets the identifier: the existing one if it is a UUID and unique, else one derived from name. */
static void set_identifier(struct case_writer *writer, struct case_entry *entry, const json_t *own,
                           struct buf *name)
{
    char made[UUID_TEXT_SIZE];

    if (is_uuid(own) && !json_object_get(writer->taken, json_string_value(own))) {
        json_object_set(entry->to, "identifier", (json_t *)own);
        json_object_set_new(writer->taken, json_string_value(own), json_true());
        return;
    }
    make_uuid(writer, name, made);
    while (json_object_get(writer->taken, made)) {
        buf_addc(name, '#');
        make_uuid(writer, name, made);
    }
    json_object_set_new(writer->taken, made, json_true());
    set_made(entry, "identifier", json_string(made));
}

/* Needed by CASE, and ours have them seldom. */
static void set_needed(const struct case_writer *writer, struct case_entry *entry,
                       const json_t *from)
{
    const char *changed = json_get_string(from, "last_modified");

    if (!has_text(entry->to, "uri"))
        set_made(entry, "uri",
                 json_sprintf("urn:uuid:%s", json_get_string(entry->to, "identifier")));
    if (!has_text(entry->to, "lastChangeDateTime"))
        set_made(entry, "lastChangeDateTime",
                 json_string(changed && strlen(changed) >= 20 && changed[10] == 'T' ? changed
                                                                                    : writer->now));
}

/* Moves fields that CASE has to their place, the others to what is left. */
static void sort_fields(struct case_entry *entry, const json_t *from,
                        const struct case_field *fields)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)from, key, value)
    {
        if (strcmp(key, "extensions") == 0 && json_object_size(value) > 0 &&
            !json_object_get(value, CASE_EXTENSION))
            json_object_set_new(entry->to, key, json_copy(value));
        else if (case_fits(fields, key, value))
            json_object_set(entry->to, key, value);
        else
            json_object_set(entry->fields, key, value);
    }
}

static void entry_begin(struct case_entry *entry)
{
    entry->to = json_object();
    entry->generated = json_array();
    entry->fields = json_object();
}

/* Its own reference; exact: the extension is there even where nothing is left to say. */
static json_t *entry_end(struct case_entry *entry, const json_t *value, bool exact)
{
    json_t *extensions = json_object_get(entry->to, "extensions");
    json_auto_t *ours = json_object();

    if (value)
        json_object_set(ours, "value", (json_t *)value);
    if (json_array_size(entry->generated) > 0)
        json_object_set(ours, "generated", entry->generated);
    if (json_object_size(entry->fields) > 0)
        json_object_set(ours, "fields", entry->fields);
    if (exact || json_object_size(ours) > 0) {
        if (!extensions) {
            extensions = json_object();
            json_object_set_new(entry->to, "extensions", extensions);
        }
        json_object_set(extensions, CASE_EXTENSION, ours);
    }
    json_decref(entry->generated);
    json_decref(entry->fields);
    return entry->to;
}

/* A text that can be a name of something: not empty, and without NUL; or NULL. */
static const char *name_text(const json_t *value)
{
    const char *text = json_string_value(value);

    return text && *text && strlen(text) == json_string_length(value) ? text : NULL;
}

static json_t *item_of(struct case_writer *writer, const json_t *node, size_t index)
{
    const json_t *id = json_object_get(node, "node_id");
    const char *id_text = name_text(id);
    struct buf BUF_AUTO name = {0};
    struct case_entry entry;

    entry_begin(&entry);
    sort_fields(&entry, node, case_item_fields);
    buf_adds(&name, NODE_PREFIX);
    buf_adds(&name, id_text ? id_text : "");
    if (!id_text || json_object_get(writer->items, id_text))
        buf_addf(&name, "#%zu", index);
    set_identifier(writer, &entry, id, &name);
    if (json_object_get(entry.to, "identifier") == id)
        json_object_del(entry.fields, "node_id");
    else if (id_text && !has_text(entry.to, "humanCodingScheme"))
        set_made(&entry, "humanCodingScheme", json_string(id_text));
    if (has_text(node, "title")) {
        json_object_set(entry.to, "fullStatement", json_object_get(node, "title"));
        json_object_del(entry.fields, "title");
    } else {
        set_made(&entry, "fullStatement", json_string(id_text ? id_text : UNTITLED));
    }
    set_needed(writer, &entry, node);
    if (id_text && !json_object_get(writer->items, id_text))
        json_object_set_new(writer->items, id_text,
                            json_pack("{s:O, s:O, s:O}", "title",
                                      json_object_get(entry.to, "fullStatement"), "identifier",
                                      json_object_get(entry.to, "identifier"), "uri",
                                      json_object_get(entry.to, "uri")));
    return entry_end(&entry, json_is_object(node) ? NULL : node, false);
}

/* The end of a link: the node of the other curriculum, by what the link has kept of it. */
static json_t *link_end(const struct case_writer *writer, const json_t *link, const char *uri)
{
    const char *title = json_get_string(link, "to_title"), *own = json_get_string(link, "to_uri");
    struct buf BUF_AUTO name = {0}, node_id = {0};
    char sid[SESSION_ID_SIZE], made[UUID_TEXT_SIZE];
    json_auto_t *id = NULL;

    if (curriculum_uri_read(uri, sid, sizeof sid, &node_id, NULL) == 0)
        id = json_string(node_id.data);
    buf_adds(&name, uri);
    make_uuid(writer, &name, made);
    return json_pack("{s:s, s:s, s:s}", "title", title && *title ? title : uri, "identifier",
                     is_uuid(id) ? json_string_value(id) : made, "uri", own && *own ? own : uri);
}

/* Writes one end of an association; an id without an item is stored in the extensions. */
static bool write_end(struct case_writer *writer, struct case_entry *entry,
                      const json_t *relationship, const char *key, const char *end)
{
    const json_t *id = json_object_get(relationship, key);
    const char *text = name_text(id);
    const json_t *item = text ? json_object_get(writer->items, text) : NULL;
    char made[UUID_TEXT_SIZE], uri[UUID_TEXT_SIZE + 16];
    struct buf BUF_AUTO name = {0};

    if (item) {
        json_object_set_new(entry->to, end, json_copy((json_t *)item));
        json_object_del(entry->fields, key);
        return true;
    }
    if (curriculum_uri_is_node(text)) {
        set_made(entry, end, link_end(writer, relationship, text));
        return false;
    }
    buf_adds(&name, NODE_PREFIX);
    buf_adds(&name, text ? text : "");
    make_uuid(writer, &name, made);
    snprintf(uri, sizeof uri, "urn:uuid:%s", made);
    set_made(entry, end,
             json_pack("{s:s, s:s, s:s}", "title", text ? text : UNTITLED, "identifier", made,
                       "uri", uri));
    return false;
}

static json_t *association_of(struct case_writer *writer, const json_t *relationship, size_t index)
{
    const char *type = json_get_string(relationship, "relationship_type");
    const char *association = case_association_type(type);
    struct buf BUF_AUTO name = {0};
    struct case_entry entry;
    bool is_a_link = curriculum_uri_is_node(json_get_string(relationship, "to_node_id"));
    bool origin, destination;

    entry_begin(&entry);
    sort_fields(&entry, relationship, case_association_fields);
    buf_addf(&name, "relationship:%zu:", index);
    json_write(&name, relationship);
    set_identifier(writer, &entry, json_object_get(relationship, "identifier"), &name);
    if (json_object_get(entry.to, "identifier") == json_object_get(relationship, "identifier"))
        json_object_del(entry.fields, "identifier");
    if (type && strcmp(is_a_link ? association : case_relationship_type(association), type) == 0) {
        json_object_set_new(entry.to, "associationType", json_string(association));
        json_object_del(entry.fields, "relationship_type");
    } else {
        set_made(&entry, "associationType", json_string(association));
        writer->mapped++;
    }
    origin = write_end(writer, &entry, relationship, "from_node_id", "originNodeURI");
    destination = write_end(writer, &entry, relationship, "to_node_id", "destinationNodeURI");
    set_needed(writer, &entry, relationship);
    return entry_end(&entry, json_is_object(relationship) ? NULL : relationship,
                     !origin || !destination ||
                         (writer->foreign && type && strcmp(type, "LEADS_TO") == 0));
}

/* ---- the document ---- */

/* What came with a framework from elsewhere; borrowed, or NULL. */
static const json_t *kept_case(const json_t *curriculum)
{
    const json_t *kept = json_object_get(json_object_get(curriculum, "meta"), "case");

    return is_uuid(json_object_get(json_object_get(kept, "CFDocument"), "identifier")) ? kept
                                                                                       : NULL;
}

static json_t *made_document(struct case_writer *writer, const json_t *meta, const char *title)
{
    char text[UUID_TEXT_SIZE];
    const char *creator = json_get_string(meta, "author");
    const uuid_t *urls = uuid_get_template("url");
    struct buf BUF_AUTO name = {0};
    uuid_t root;

    uuid_copy(root, *urls);
    buf_addf(&name, "urn:lectern:curriculum:%s", title);
    uuid_generate_sha1(writer->document, root, name.data, name.len);
    uuid_unparse_lower(writer->document, text);
    if (!creator || !*creator)
        creator = json_get_string(meta, "source");
    return json_pack("{s:s, s:o, s:s, s:s, s:s, s:s}", "identifier", text, "uri",
                     json_sprintf("urn:uuid:%s", text), "creator",
                     creator && *creator ? creator : NO_CREATOR, "title", title,
                     "lastChangeDateTime", writer->now, "adoptionStatus", "Draft");
}

static json_t *document_of(struct case_writer *writer, const json_t *curriculum, bool arranged)
{
    const json_t *meta = json_object_get(curriculum, "meta"), *kept = kept_case(curriculum);
    json_auto_t *further = json_copy((json_t *)curriculum), *ours = json_object(), *plain = NULL;
    json_t *document;
    json_t *title = has_text(meta, "title") ? json_incref(json_object_get(meta, "title"))
                                            : json_string("Untitled curriculum");

    if (kept) {
        document = json_copy(json_object_get(kept, "CFDocument"));
        uuid_parse(json_get_string(document, "identifier"), writer->document);
        json_object_set_new(further, "meta", json_copy((json_t *)meta));
        json_object_del(json_object_get(further, "meta"), "case");
        if (arranged)
            json_object_set_new(ours, "arranged", json_true());
    } else {
        document = made_document(writer, meta, json_string_value(title));
        json_object_set_new(ours, "generated", json_true());
    }
    json_object_set(document, "title", title);
    json_object_del(further, "nodes");
    if (json_is_array(json_object_get(curriculum, "relationships")))
        json_object_del(further, "relationships");
    else
        json_object_set_new(ours, "relationships", json_false());
    plain = json_pack("{s:{s:o}}", "meta", "title", title);
    if (!json_equal(plain, further))
        json_object_set(ours, "further", further);
    if (json_object_size(ours) > 0) {
        json_t *extensions = json_copy(json_object_get(document, "extensions"));

        extensions = extensions ? extensions : json_object();
        json_object_set(extensions, CASE_EXTENSION, ours);
        json_object_set_new(document, "extensions", extensions);
    }
    return document;
}

/* ---- the tree ---- */

static const char *const chapter_keys[] = {"chapter", "section", "chapter_id", NULL};

/* The name of a node's chapter; owned, NULL: none. */
static char *chapter_name(const json_t *node)
{
    for (size_t i = 0; chapter_keys[i]; i++) {
        const json_t *value = json_object_get(node, chapter_keys[i]);
        char number[24];

        if (name_text(value))
            return strdup(name_text(value));
        if (json_is_integer(value)) {
            snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
            return strdup(number);
        }
    }
    return NULL;
}

/* An item or association that an import leaves out. The name gives its identifier. */
static json_t *made_structure(struct case_writer *writer, const char *name)
{
    struct buf BUF_AUTO text = {0};
    struct case_entry entry = {.to = json_object()};
    char made[UUID_TEXT_SIZE];

    buf_adds(&text, name);
    make_uuid(writer, &text, made);
    while (json_object_get(writer->taken, made)) {
        buf_addc(&text, '#');
        make_uuid(writer, &text, made);
    }
    json_object_set_new(writer->taken, made, json_true());
    json_object_set_new(entry.to, "identifier", json_string(made));
    json_object_set_new(entry.to, "uri", json_sprintf("urn:uuid:%s", made));
    json_object_set_new(entry.to, "lastChangeDateTime", json_string(writer->now));
    json_object_set_new(entry.to, "extensions",
                        json_pack("{s:{s:b}}", CASE_EXTENSION, "structure", 1));
    return entry.to;
}

static json_t *link_to(const json_t *object, const char *title_key)
{
    json_t *title = json_object_get(object, title_key);

    return json_pack("{s:O, s:O, s:O?}", "title", title, "identifier",
                     json_object_get(object, "identifier"), "uri", json_object_get(object, "uri"));
}

/* The places of the next child below each parent are counted in counts. */
static void add_child(struct case_writer *writer, json_t *associations, json_t *counts,
                      const json_t *child, json_t *parent_link)
{
    const char *parent = json_get_string(parent_link, "identifier");
    json_int_t place = json_integer_value(json_object_get(counts, parent)) + 1;
    json_t *association;
    char name[2 * UUID_TEXT_SIZE + 16];

    snprintf(name, sizeof name, "child:%s:%s", json_get_string(child, "identifier"), parent);
    association = made_structure(writer, name);
    json_object_set_new(counts, parent, json_integer(place));
    json_object_set_new(association, "associationType", json_string(CASE_CHILD));
    json_object_set_new(association, "sequenceNumber", json_integer(place));
    json_object_set_new(association, "originNodeURI", link_to(child, "fullStatement"));
    json_object_set_new(association, "destinationNodeURI", parent_link);
    json_array_append_new(associations, association);
}

/* The items that have a parent: identifier -> true. */
static json_t *find_children(const json_t *associations)
{
    json_t *children = json_object(), *association;
    size_t i;

    json_array_foreach((json_t *)associations, i, association)
    {
        const char *child =
            json_get_string(json_object_get(association, "originNodeURI"), "identifier");

        if (child && json_string_is(association, "associationType", CASE_CHILD))
            json_object_set_new(children, child, json_true());
    }
    return children;
}

/* Title -> item, of a framework, in which a chapter is the title of the item above. */
static json_t *find_titles(const json_t *items)
{
    json_t *titles = json_object(), *item;
    size_t i;

    json_array_foreach((json_t *)items, i, item)
    {
        const char *title = name_text(json_object_get(item, "fullStatement"));

        if (title && !json_object_get(titles, title))
            json_object_set(titles, title, item);
    }
    return titles;
}

/* Gives each item without a parent one: an item for its chapter, below the document, or the
 * document itself. */
static void add_tree(struct case_writer *writer, const json_t *nodes, json_t *package, bool foreign)
{
    const json_t *document = json_object_get(package, "CFDocument");
    json_t *items = json_object_get(package, "CFItems"),
           *associations = json_object_get(package, "CFAssociations"), *node;
    json_auto_t *chapters = foreign ? find_titles(items) : json_object(),
                *children = find_children(associations), *counts = json_object();
    size_t i;

    json_array_foreach((json_t *)nodes, i, node)
    {
        const json_t *item = json_array_get(items, i);
        cleanup_free char *chapter = chapter_name(node);
        json_t *above = chapter ? json_object_get(chapters, chapter) : NULL;

        if (json_object_get(children, json_get_string(item, "identifier")))
            continue;
        if (chapter && !above) {
            struct buf BUF_AUTO name = {0};

            buf_addf(&name, "chapter:%s", chapter);
            above = made_structure(writer, name.data);
            json_object_set_new(above, "fullStatement", json_string(chapter));
            json_object_set_new(above, "CFItemType", json_string("Chapter"));
            json_object_set_new(chapters, chapter, above);
            json_array_append(items, above);
            add_child(writer, associations, counts, above, link_to(document, "title"));
        }
        add_child(writer, associations, counts, item,
                  above && above != item ? link_to(above, "fullStatement")
                                         : link_to(document, "title"));
    }
}

/* ---- the package ---- */

/* One item a node, one association a relationship, and what was kept of a framework. */
static json_t *plain_package(struct case_writer *writer, const json_t *curriculum,
                             const json_t *nodes, bool arranged)
{
    json_t *items = json_array(), *associations = json_array(), *value;
    const json_t *kept = kept_case(curriculum);
    json_t *package =
        json_pack("{s:o, s:o, s:o}", "CFDocument", document_of(writer, curriculum, arranged),
                  "CFItems", items, "CFAssociations", associations);
    const char *key;
    size_t i;

    json_array_foreach((json_t *)nodes, i, value)
        json_array_append_new(items, item_of(writer, value, i));
    json_array_foreach(json_object_get(curriculum, "relationships"), i, value)
        json_array_append_new(associations, association_of(writer, value, i));
    json_array_extend(associations, json_object_get(kept, "associations"));
    json_object_foreach((json_t *)kept, key, value)
    {
        if (!json_object_get(package, key) && strcmp(key, "associations") != 0)
            json_object_set(package, key, value);
    }
    return package;
}

static void writer_begin(struct case_writer *writer, bool foreign)
{
    memset(writer, 0, sizeof *writer);
    writer->foreign = foreign;
    writer->items = json_object();
    writer->taken = json_object();
    text_now(writer->now);
}

static void writer_finish(struct case_writer *writer)
{
    json_decref(writer->items);
    json_decref(writer->taken);
}

/* Copies without the chapters that an import takes from the tree. */
static json_t *without_chapters(const json_t *nodes)
{
    json_t *plain = json_array(), *node;
    size_t i;

    json_array_foreach((json_t *)nodes, i, node)
    {
        json_t *copy = json_copy(node);

        json_object_del(copy, "chapter");
        json_object_del(copy, "chapter_id");
        json_array_append_new(plain, copy);
    }
    return plain;
}

/* The package of a framework from elsewhere whose order and chapters are still those of its tree,
 * so that they need not be written; or NULL. */
static json_t *package_of_tree(struct case_writer *writer, const json_t *curriculum)
{
    const json_t *nodes = json_object_get(curriculum, "nodes");
    json_auto_t *plain = without_chapters(nodes), *again = NULL;
    json_t *package = plain_package(writer, curriculum, plain, false);

    again = without_chapters(nodes);
    if (case_arrange(again, package, NULL) == 0 && json_equal(again, (json_t *)nodes))
        return package;
    json_decref(package);
    return NULL;
}

static json_t *case_package(const json_t *curriculum, struct format_report *report,
                            struct error *err)
{
    struct case_writer writer;
    bool foreign = kept_case(curriculum);
    json_t *package;

    writer_begin(&writer, foreign);
    package = foreign ? package_of_tree(&writer, curriculum) : NULL;
    if (!package) {
        writer_finish(&writer);
        writer_begin(&writer, foreign);
        package = plain_package(&writer, curriculum, json_object_get(curriculum, "nodes"), true);
        add_tree(&writer, json_object_get(curriculum, "nodes"), package, foreign);
    }
    if (writer.mapped > 0)
        format_note(report,
                    "relationships of types that CASE does not have (%zu): prerequisites stand as "
                    "precedes, others as isRelatedTo, the exact type in extensions",
                    writer.mapped);
    format_note(report, "components and other fields without a place in CASE 1.0 stand in "
                        "extensions." CASE_EXTENSION ", which other tools do not read");
    writer_finish(&writer);
    if (!package)
        error_set(err, ERROR_MEMORY, "out of memory for the CASE package");
    return package;
}

/* ---- the file ---- */

/* Whether the object's first name is one of CASE's: CFDocument, CFItems, CFPackage. Later names do
 * not count: a curriculum that came from CASE has some in its meta. */
static bool has_content(const struct buf *bytes)
{
    static const char *const steps[] = {"{", "\"CF"};
    const char *at = bytes->data;

    at += file_mark(at, bytes->len);
    for (size_t i = 0; i < 2; i++) {
        size_t len = strlen(steps[i]);

        at += strspn(at, " \t\r\n");
        if (strncmp(at, steps[i], len) != 0)
            return false;
        at += len;
    }
    return true;
}

static bool has_name(const char *name)
{
    return file_ends_in(name, "case.json");
}

static json_t *read_case(const char *name, const struct buf *bytes, struct format_report *report,
                         struct error *err)
{
    json_auto_t *package = json_text_read(bytes->data, bytes->len, name, report, err);
    json_t *curriculum = package ? case_curriculum(package, report, err) : NULL;

    if (package && !curriculum)
        error_wrap(err, "%s", name);
    return curriculum;
}

static int write_case(const json_t *curriculum, const char *path, struct format_report *report,
                      struct error *err)
{
    json_auto_t *package = case_package(curriculum, report, err);

    return package ? format_json.write(package, path, report, err) : -1;
}

const struct format format_case = {
    .name = "case",
    .what = "an IMS/1EdTech CASE 1.0 competency framework (CFPackage) as JSON",
    .has_name = has_name,
    .has_content = has_content,
    .read = read_case,
    .write = write_case,
};
