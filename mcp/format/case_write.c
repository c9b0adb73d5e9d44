/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A curriculum as a CFPackage. Identifiers are UUIDs of version 5, made from the document's and
 * the node's id, so that the next export has the same. Mapping and rules: case.h.
 */
#include <stdio.h>
#include <string.h>
#include <uuid/uuid.h>

#include "helpers/base/json.h"
#include "mcp/format/case.h"
#include "mcp/session/text.h"

#define UNTITLED    "Untitled"
#define NO_CREATOR  "Unknown"
#define NODE_PREFIX "node:"

struct case_writer {
    char now[TIME_TEXT_SIZE];
    uuid_t document;
    json_t *items; /* node id -> {"title", "identifier", "uri"}, of the first node that has it */
    json_t *taken; /* identifiers */
    size_t mapped; /* relationships whose type CASE does not have */
};

/* One object on its way: what CASE holds of it, what was made up, what is left. */
struct entry {
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

static bool is_uuid(const json_t *value)
{
    uuid_t parsed;

    return json_is_string(value) && json_string_length(value) == UUID_TEXT_SIZE - 1 &&
           uuid_parse(json_string_value(value), parsed) == 0;
}

static void set_made(struct entry *entry, const char *key, json_t *value)
{
    json_object_set_new(entry->to, key, value);
    json_array_append_new(entry->generated, json_string(key));
}

static bool has_text(const json_t *object, const char *key)
{
    return json_string_length(json_object_get(object, key)) > 0;
}

/* The identifier: the one it has, where it is a UUID that no other has; else one made of name. */
static void set_identifier(struct case_writer *writer, struct entry *entry, const json_t *own,
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
static void set_needed(const struct case_writer *writer, struct entry *entry, const json_t *from)
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

/* Fields that CASE has go where it has them, the others to what is left. */
static void sort_fields(struct entry *entry, const json_t *from, const struct case_field *fields)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)from, key, value)
    {
        const struct case_field *field = case_field_find(fields, key);

        if (!strcmp(key, "extensions") && json_object_size(value) > 0 &&
            !json_object_get(value, CASE_EXTENSION))
            json_object_set_new(entry->to, key, json_copy(value));
        else if (field && case_fits(field, value))
            json_object_set(entry->to, key, value);
        else
            json_object_set(entry->fields, key, value);
    }
}

static void entry_begin(struct entry *entry)
{
    entry->to = json_object();
    entry->generated = json_array();
    entry->fields = json_object();
}

/* Its own reference; exact: the extension is there even where nothing is left to say. */
static json_t *entry_end(struct entry *entry, const json_t *value, bool exact)
{
    json_t *extensions = json_object_get(entry->to, "extensions"), *ours = json_object();

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
    json_decref(ours);
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
    struct entry entry;

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

/* One end of an association; an id that no item has is kept beside. */
static bool set_end(struct case_writer *writer, struct entry *entry, const json_t *relationship,
                    const char *key, const char *end)
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
    struct entry entry;
    bool origin, destination;

    entry_begin(&entry);
    sort_fields(&entry, relationship, case_association_fields);
    buf_addf(&name, "relationship:%zu:", index);
    json_write(&name, relationship);
    set_identifier(writer, &entry, json_object_get(relationship, "identifier"), &name);
    if (json_object_get(entry.to, "identifier") == json_object_get(relationship, "identifier"))
        json_object_del(entry.fields, "identifier");
    if (type && !strcmp(case_relationship_type(association), type)) {
        json_object_set_new(entry.to, "associationType", json_string(association));
        json_object_del(entry.fields, "relationship_type");
    } else {
        set_made(&entry, "associationType", json_string(association));
        writer->mapped++;
    }
    origin = set_end(writer, &entry, relationship, "from_node_id", "originNodeURI");
    destination = set_end(writer, &entry, relationship, "to_node_id", "destinationNodeURI");
    set_needed(writer, &entry, relationship);
    return entry_end(&entry, json_is_object(relationship) ? NULL : relationship,
                     !origin || !destination);
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

static json_t *document_of(struct case_writer *writer, const json_t *curriculum)
{
    const json_t *meta = json_object_get(curriculum, "meta"), *kept = kept_case(curriculum);
    json_t *further = json_copy((json_t *)curriculum), *ours = json_object(), *document, *plain;
    json_t *title = has_text(meta, "title") ? json_incref(json_object_get(meta, "title"))
                                            : json_string("Untitled curriculum");

    if (kept) {
        document = json_copy(json_object_get(kept, "CFDocument"));
        uuid_parse(json_get_string(document, "identifier"), writer->document);
        json_object_set_new(further, "meta", json_copy((json_t *)meta));
        json_object_del(json_object_get(further, "meta"), "case");
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
    json_decref(plain);
    json_decref(further);
    json_decref(ours);
    return document;
}

json_t *case_package(const json_t *curriculum, struct format_report *report, struct error *err)
{
    struct case_writer writer = {.items = json_object(), .taken = json_object()};
    json_t *items = json_array(), *associations = json_array(), *package, *value;
    const json_t *kept = kept_case(curriculum);
    const char *key;
    size_t i;

    text_now(writer.now);
    package = json_pack("{s:o}", "CFDocument", document_of(&writer, curriculum));
    json_array_foreach(json_object_get(curriculum, "nodes"), i, value)
        json_array_append_new(items, item_of(&writer, value, i));
    json_array_foreach(json_object_get(curriculum, "relationships"), i, value)
        json_array_append_new(associations, association_of(&writer, value, i));
    json_array_extend(associations, json_object_get(kept, "associations"));
    json_object_set_new(package, "CFItems", items);
    json_object_set_new(package, "CFAssociations", associations);
    json_object_foreach((json_t *)kept, key, value)
    {
        if (!json_object_get(package, key) && strcmp(key, "associations") != 0)
            json_object_set(package, key, value);
    }
    if (writer.mapped > 0)
        format_note(
            report,
            "%zu relationships are of types that CASE does not have: prerequisites stand as "
            "precedes, others as isRelatedTo, the exact type in extensions",
            writer.mapped);
    format_note(report, "components and other fields without a place in CASE 1.0 stand in "
                        "extensions." CASE_EXTENSION ", which other tools do not read");
    json_decref(writer.items);
    json_decref(writer.taken);
    if (!package)
        error_set(err, ERROR_MEMORY, "out of memory for the CASE package");
    return package;
}
