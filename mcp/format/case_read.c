/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A CFPackage as a curriculum. First what the specification needs, then the mapping of case.h.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/format/case.h"
#include "helpers/base/validation.h"

#define PLACE_CAP  64
#define UUID_CHARS 36

/* What an object must have. Without what is vital it cannot be read at all; the rest is said. */
struct need {
    const char *name;
    bool vital;
};
static const struct need document_needs[] = {
    {"identifier", true},          {"title", true}, {"uri", false}, {"creator", false},
    {"lastChangeDateTime", false}, {NULL, false}};
static const struct need item_needs[] = {{"identifier", true},
                                         {"fullStatement", true},
                                         {"uri", false},
                                         {"lastChangeDateTime", false},
                                         {NULL, false}};
static const struct need association_needs[] = {{"associationType", true},
                                                {"identifier", false},
                                                {"uri", false},
                                                {"lastChangeDateTime", false},
                                                {NULL, false}};
static const struct need link_needs[] = {
    {"identifier", true}, {"title", false}, {"uri", false}, {NULL, false}};

struct checker {
    struct validation_errors problems;
    struct format_report *report;
};

/* ---- what CASE 1.0 needs ---- */

static bool is_uuid_text(const char *text)
{
    for (size_t i = 0; i < UUID_CHARS; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;

        if (dash ? text[i] != '-' : !isxdigit((unsigned char)text[i]))
            return false;
    }
    return text[UUID_CHARS] == '\0';
}

static void check_needs(struct checker *checker, const char *place, const json_t *object,
                        const struct need *needs)
{
    const char *identifier = json_get_string(object, "identifier");

    if (!json_is_object(object)) {
        validation_add(&checker->problems, place, "must be an object, not %s",
                       object ? json_kind(object) : "missing");
        return;
    }
    for (; needs->name; needs++) {
        const json_t *value = json_object_get(object, needs->name);
        char field[PLACE_CAP * 2];

        snprintf(field, sizeof field, "%s.%s", place, needs->name);
        if (json_string_length(value) > 0)
            continue;
        if (needs->vital)
            validation_add(&checker->problems, field, "%s",
                           value ? "must be text, and not empty" : "is missing");
        else
            format_loss(checker->report, "%s %s, which CASE 1.0 needs", field,
                        value ? "is no text" : "is missing");
    }
    if (identifier && *identifier && !is_uuid_text(identifier))
        format_loss(checker->report, "%s.identifier is no UUID, which CASE 1.0 needs", place);
}

static void check_association(struct checker *checker, const char *place, const json_t *value)
{
    static const char *const ends[] = {"originNodeURI", "destinationNodeURI"};
    const char *type = json_get_string(value, "associationType");
    char field[PLACE_CAP * 2];

    check_needs(checker, place, value, association_needs);
    for (size_t i = 0; json_is_object(value) && i < 2; i++) {
        snprintf(field, sizeof field, "%s.%s", place, ends[i]);
        check_needs(checker, field, json_object_get(value, ends[i]), link_needs);
    }
    if (type && *type && !case_knows_association(type))
        format_loss(checker->report, "%s.associationType '%.60s' is none of CASE 1.0's", place,
                    type);
}

static int check_package(const json_t *package, struct format_report *report, struct error *err)
{
    struct checker checker = {.report = report};
    static const char *const lists[] = {"CFItems", "CFAssociations"};
    const json_t *value;
    char place[PLACE_CAP];
    size_t i;

    validation_begin(&checker.problems, "");
    check_needs(&checker, "CFDocument", json_object_get(package, "CFDocument"), document_needs);
    for (i = 0; i < 2; i++) {
        value = json_object_get(package, lists[i]);
        if (value && !json_is_array(value) && !json_is_null(value))
            validation_add(&checker.problems, lists[i], "must be an array, not %s",
                           json_kind(value));
    }
    json_array_foreach(json_object_get(package, "CFItems"), i, value)
    {
        snprintf(place, sizeof place, "CFItems.%zu", i);
        check_needs(&checker, place, value, item_needs);
    }
    json_array_foreach(json_object_get(package, "CFAssociations"), i, value)
    {
        snprintf(place, sizeof place, "CFAssociations.%zu", i);
        check_association(&checker, place, value);
    }
    return validation_end(&checker.problems, "these fields CASE 1.0 needs", err);
}

/* ---- mapping ---- */

static const json_t *ours_of(const json_t *object)
{
    const json_t *ours = json_object_get(json_object_get(object, "extensions"), CASE_EXTENSION);

    return json_is_object(ours) ? ours : NULL;
}

static bool was_made(const json_t *ours, const char *key)
{
    const json_t *entry;
    size_t i;

    json_array_foreach(json_object_get(ours, "generated"), i, entry)
    {
        if (json_is_string(entry) && !strcmp(json_string_value(entry), key))
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
            other = other || !strcmp(renamed[i], key);
        if (other)
            continue;
        if (!strcmp(key, "extensions") && ours) {
            json_t *rest = json_copy(value);

            json_object_del(rest, CASE_EXTENSION);
            if (json_object_size(rest) > 0)
                json_object_set(fields, key, rest);
            json_decref(rest);
        } else {
            json_object_set(fields, key, value);
        }
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

static void set_end(json_t *relationship, const char *key, const json_t *ours,
                    const json_t *association, const char *end, const json_t *ids)
{
    const json_t *identifier = json_object_get(json_object_get(association, end), "identifier");
    const json_t *id = json_object_get(ids, json_string_value(identifier));

    if (!was_made(ours, end))
        json_object_set(relationship, key, (json_t *)(id ? id : identifier));
}

static json_t *relationship_of(const json_t *association, const json_t *ids)
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
    /* The type that was kept beside counts as long as the association still says as much. */
    kept = json_get_string(relationship, "relationship_type");
    if (!was_made(ours, "associationType") || (strcmp(case_association_type(kept), type) != 0))
        json_object_set_new(relationship, "relationship_type",
                            json_string(case_relationship_type(type)));
    return relationship;
}

/* Identifier -> node id. */
static json_t *read_items(const json_t *package, json_t *nodes)
{
    json_t *ids = json_object(), *item;
    size_t i;

    json_array_foreach(json_object_get(package, "CFItems"), i, item)
    {
        json_t *node = node_of(item), *id = json_object_get(node, "node_id");

        if (json_is_string(id))
            json_object_set(ids, json_get_string(item, "identifier"), id);
        json_array_append_new(nodes, node);
    }
    return ids;
}

static bool is_item(const json_t *association, const char *end, const json_t *ids)
{
    return json_object_get(ids, json_get_string(json_object_get(association, end), "identifier"));
}

static json_t *read_associations(const json_t *package, const json_t *ids, json_t *aside)
{
    json_t *relationships = json_array(), *value;
    size_t i;

    json_array_foreach(json_object_get(package, "CFAssociations"), i, value)
    {
        if (ours_of(value) ||
            (is_item(value, "originNodeURI", ids) && is_item(value, "destinationNodeURI", ids)))
            json_array_append_new(relationships, relationship_of(value, ids));
        else
            json_array_append(aside, value);
    }
    return relationships;
}

/* What is no item and no relationship of a framework from elsewhere, for the way back. */
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
    json_t *document = json_copy(json_object_get(package, "CFDocument")), *meta, *root;
    const json_t *ours = ours_of(document), *further = json_object_get(ours, "further");
    const json_t *title = json_object_get(document, "title");
    bool made = json_is_true(json_object_get(ours, "generated"));

    root = json_is_object(further) ? json_deep_copy(further)
                                   : json_pack("{s:{s:O}}", "meta", "title", title);
    meta = json_object_get(root, "meta");
    if (json_string_length(json_object_get(meta, "title")) > 0)
        json_object_set(meta, "title", (json_t *)title);
    if (!made && json_is_object(meta)) {
        if (ours) {
            json_t *rest = json_copy(json_object_get(document, "extensions"));

            json_object_del(rest, CASE_EXTENSION);
            if (json_object_size(rest) > 0)
                json_object_set(document, "extensions", rest);
            else
                json_object_del(document, "extensions");
            json_decref(rest);
        }
        json_object_set_new(meta, "case", kept_of(package, document, aside));
    }
    json_decref(document);
    return root;
}

json_t *case_curriculum(const json_t *package, struct format_report *report, struct error *err)
{
    json_t *nodes, *relationships, *ids, *aside, *root;
    const json_t *inner = json_object_get(package, "CFPackage"), *ours;

    if (json_is_object(inner))
        package = inner;
    if (!json_is_object(package) || !json_object_get(package, "CFDocument")) {
        error_set(err, ERROR_INVALID,
                  "the file is JSON but no CASE package: it must be an object {\"CFDocument\": "
                  "{...}, \"CFItems\": [...], \"CFAssociations\": [...]}");
        return NULL;
    }
    if (check_package(package, report, err) < 0)
        return NULL;
    nodes = json_array();
    aside = json_array();
    ids = read_items(package, nodes);
    relationships = read_associations(package, ids, aside);
    root = root_of(package, aside);
    ours = ours_of(json_object_get(package, "CFDocument"));
    json_object_set_new(root, "nodes", nodes);
    if (!json_is_false(json_object_get(ours, "relationships")) ||
        json_array_size(relationships) > 0)
        json_object_set(root, "relationships", relationships);
    if (json_array_size(aside) > 0)
        format_note(report,
                    "%zu associations end at the document or outside its items: kept in meta.case, "
                    "and no relationships",
                    json_array_size(aside));
    json_decref(relationships);
    json_decref(ids);
    json_decref(aside);
    return root;
}
