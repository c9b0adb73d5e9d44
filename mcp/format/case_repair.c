/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What other tools write differently from CASE 1.0, put right in a copy: exports of SQL Server (all
 * in an array, objects as texts of JSON, keys in other letters, GUIDs in capitals, no CFDocument),
 * numbers as texts and texts as numbers, missing fields. Each kind of fault is reported once, with
 * the number of places and the first of them. Pure.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <uuid/uuid.h>

#include "helpers/base/json.h"
#include "mcp/curriculum/component_type.h"
#include "mcp/curriculum/text.h"
#include "mcp/format/case.h"

#define PLACE_SIZE 96
#define NO_TITLE   "Untitled framework"

static const char *const package_keys[] = {"CFDocument", "CFItems", "CFAssociations", NULL};
static const char *const document_keys[] = {
    "identifier", "uri",     "title",       "creator",        "lastChangeDateTime",
    "publisher",  "version", "description", "adoptionStatus", NULL};
static const char *const item_keys[] = {"identifier",
                                        "uri",
                                        "fullStatement",
                                        "alternativeLabel",
                                        "CFItemType",
                                        "CFItemTypeURI",
                                        "humanCodingScheme",
                                        "listEnumeration",
                                        "abbreviatedStatement",
                                        "conceptKeywords",
                                        "notes",
                                        "language",
                                        "educationLevel",
                                        "statusStartDate",
                                        "statusEndDate",
                                        "CFDocumentURI",
                                        "lastChangeDateTime",
                                        NULL};
static const char *const association_keys[] = {"identifier",         "uri",
                                               "associationType",    "sequenceNumber",
                                               "originNodeURI",      "destinationNodeURI",
                                               "CFDocumentURI",      "CFAssociationGroupingURI",
                                               "lastChangeDateTime", NULL};
static const char *const end_keys[] = {"title", "identifier", "uri", NULL};
static const char *const ends[] = {"originNodeURI", "destinationNodeURI", NULL};

struct case_repair {
    struct findings *findings; /* borrowed */
    json_t *ids;               /* identifier in small letters -> identifier; owned */
};

/* ---- faults ---- */

static void add_fault(struct case_repair *repair, const char *place, const char *reason)
{
    findings_add(repair->findings, FINDING_CHANGED, PLACE(place, 0, NULL), "%s", reason);
}

/* ---- keys and kinds ---- */

/* Equal but for letter case and signs between words: "human_coding_scheme". */
static bool is_same_key(const char *a, const char *b)
{
    while (true) {
        a += strspn(a, "_- ");
        b += strspn(b, "_- ");
        if (!*a || !*b)
            return *a == *b;
        if (strncasecmp(a++, b++, 1) != 0)
            return false;
    }
}

static const char *proper_key(const char *key, const char *const *known)
{
    for (size_t i = 0; known[i]; i++)
        if (is_same_key(key, known[i]))
            return known[i];
    return key;
}

static void repair_keys(struct case_repair *repair, const char *place, json_t *object,
                        const char *const *known)
{
    json_auto_t *put_right = json_object();
    bool changed = false;
    const char *key;
    json_t *value;

    json_object_foreach(object, key, value)
    {
        const char *proper = proper_key(key, known);

        if (strcmp(proper, key) != 0 &&
            (json_object_get(object, proper) || json_object_get(put_right, proper)))
            proper = key;
        changed = changed || strcmp(proper, key) != 0;
        json_object_set(put_right, proper, value);
    }
    if (!changed)
        return;
    json_object_clear(object);
    json_object_update(object, put_right);
    add_fault(repair, place, "keys in other letters than CASE's are read as CASE's");
}

/* Objects and lists as texts of JSON, and a list with one object for the object. */
static void repair_nesting(struct case_repair *repair, const char *place, json_t *object,
                           const char *key, bool is_list)
{
    json_t *value = json_object_get(object, key);
    const char *text = json_string_value(value);

    if (text && (*text == '{' || *text == '[')) {
        json_t *parsed = json_read(text, json_string_length(value), key, NULL);

        if (parsed) {
            json_object_set_new(object, key, parsed);
            value = parsed;
            add_fault(repair, place, "a text of JSON is read as JSON");
        }
    }
    if (!is_list && json_array_size(value) == 1 && json_is_object(json_array_get(value, 0))) {
        json_t *only = json_incref(json_array_get(value, 0));

        json_object_set_new(object, key, only);
        add_fault(repair, place, "a list with one object is read as the object");
    }
}

/* A number where CASE has a text. */
static void repair_text(struct case_repair *repair, const char *place, json_t *object,
                        const char *key)
{
    json_t *value = json_object_get(object, key);
    struct buf BUF_AUTO text = {0};

    if (!json_is_number(value))
        return;
    buf_init(&text, 64);
    json_write(&text, value);
    json_object_set_new(object, key, json_string(text.data));
    add_fault(repair, place, "a number is read as a text");
}

static void repair_number(struct case_repair *repair, const char *place, json_t *object,
                          const char *key)
{
    json_t *value = json_object_get(object, key);
    const char *text = json_string_value(value);
    double number = json_number_value(value);
    char *end;

    if (text) {
        number = strtod(text, &end);
        if (end == text || end[strspn(end, " ")])
            return;
    } else if (!json_is_real(value)) {
        return;
    }
    if (number < -1e15 || number > 1e15 || number != (double)(json_int_t)number)
        return;
    json_object_set_new(object, key, json_integer((json_int_t)number));
    add_fault(repair, place,
              "a sequenceNumber written as a text or as 1.0 is read as a whole number");
}

static bool is_uuid(const char *text)
{
    uuid_t parsed;

    return strlen(text) == UUID_TEXT_SIZE - 1 && uuid_parse(text, parsed) == 0;
}

static bool has_text(const json_t *object, const char *key)
{
    return json_string_length(json_object_get(object, key)) > 0;
}

static void miss(struct case_repair *repair, const char *place, const json_t *object,
                 const char *key)
{
    char reason[PLACE_SIZE];

    if (has_text(object, key))
        return;
    snprintf(reason, sizeof reason, "%s is missing, which CASE 1.0 needs", key);
    add_fault(repair, place, reason);
}

static void check_identifier(struct case_repair *repair, const char *place, const json_t *object)
{
    if (has_text(object, "identifier") && !is_uuid(json_get_string(object, "identifier")))
        add_fault(repair, place, "identifier is not a UUID, which CASE 1.0 needs");
}

/* ASCII alone; owned, NULL for NULL. */
static char *small_letters(const char *text)
{
    char *small = text ? strdup(text) : NULL;

    for (char *at = small; at && *at; at++)
        *at = *at >= 'A' && *at <= 'Z' ? (char)(*at + 'a' - 'A') : *at;
    return small;
}

/* ---- the parts ---- */

static void repair_document(struct case_repair *repair, json_t *package)
{
    json_t *document;

    repair_nesting(repair, "CFDocument", package, "CFDocument", false);
    document = json_object_get(package, "CFDocument");
    if (!json_is_object(document)) {
        if (document)
            json_object_set(package, "CFDocument as it was", document);
        document = json_object();
        json_object_set_new(package, "CFDocument", document);
    }
    repair_keys(repair, "CFDocument", document, document_keys);
    for (size_t i = 0; document_keys[i]; i++)
        repair_text(repair, "CFDocument", document, document_keys[i]);
    for (size_t i = 0; i < 5; i++)
        miss(repair, "CFDocument", document, document_keys[i]);
    check_identifier(repair, "CFDocument", document);
    if (!has_text(document, "title"))
        json_object_set_new(document, "title", json_string(NO_TITLE));
}

static void repair_item(struct case_repair *repair, const char *place, json_t *item)
{
    static const char *const stand_ins[] = {"abbreviatedStatement", "alternativeLabel",
                                            "humanCodingScheme", "identifier"};
    static const char *const texts[] = {"identifier", "fullStatement", "humanCodingScheme",
                                        "listEnumeration", "abbreviatedStatement"};

    repair_keys(repair, place, item, item_keys);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        repair_text(repair, place, item, texts[i]);
    for (size_t i = 0; i < 3; i++)
        miss(repair, place, item, item_keys[i]);
    miss(repair, place, item, "lastChangeDateTime");
    check_identifier(repair, place, item);
    if (!has_text(item, "identifier"))
        json_object_set_new(item, "identifier",
                            has_text(item, "humanCodingScheme")
                                ? json_incref(json_object_get(item, "humanCodingScheme"))
                                : json_string(place));
    for (size_t i = 0; i < sizeof stand_ins / sizeof *stand_ins && !has_text(item, "fullStatement");
         i++) {
        char reason[PLACE_SIZE];

        if (!has_text(item, stand_ins[i]))
            continue;
        snprintf(reason, sizeof reason, "the title is %s, as fullStatement is missing",
                 stand_ins[i]);
        add_fault(repair, place, reason);
        json_object_set(item, "fullStatement", json_object_get(item, stand_ins[i]));
    }
}

/* An end that is an address alone: its last part is the identifier. */
static json_t *end_of_address(const char *address)
{
    const char *last = address;

    for (const char *at = address; *at; at++)
        if (strchr("/:", *at) && at[1])
            last = at + 1;
    return json_pack("{s:s, s:s}", "identifier", last, "uri", address);
}

static void repair_end(struct case_repair *repair, const char *place, json_t *association,
                       const char *key)
{
    json_t *end, *same;
    const char *identifier;
    char *small;

    repair_nesting(repair, place, association, key, false);
    end = json_object_get(association, key);
    if (json_string_length(end) > 0) {
        end = end_of_address(json_string_value(end));
        json_object_set_new(association, key, end);
        add_fault(repair, place, "an end that is an address alone is read by its last part");
    }
    if (!json_is_object(end))
        return;
    repair_keys(repair, place, end, end_keys);
    repair_text(repair, place, end, "identifier");
    identifier = json_get_string(end, "identifier");
    small = small_letters(identifier);
    same = small ? json_object_get(repair->ids, small) : NULL;
    if (json_is_string(same) && strcmp(json_string_value(same), identifier) != 0) {
        json_object_set(end, "identifier", same);
        add_fault(repair, place, "an end names an item in other letters");
    }
    free(small);
}

bool case_is_end(const json_t *association, const char *end)
{
    return has_text(json_object_get(association, end), "identifier");
}

static void repair_association(struct case_repair *repair, const char *place, json_t *association)
{
    const char *type;

    repair_keys(repair, place, association, association_keys);
    for (size_t i = 0; i < 3; i++)
        repair_text(repair, place, association, association_keys[i]);
    repair_number(repair, place, association, "sequenceNumber");
    for (size_t i = 0; ends[i]; i++) {
        repair_end(repair, place, association, ends[i]);
        if (case_is_end(association, ends[i]))
            check_identifier(repair, place, json_object_get(association, ends[i]));
    }
    for (size_t i = 0; i < 3; i++)
        miss(repair, place, association, association_keys[i]);
    miss(repair, place, association, "lastChangeDateTime");
    check_identifier(repair, place, association);
    type = json_get_string(association, "associationType");
    for (size_t i = 0; type && *type && link_types[i]; i++) {
        if (strcasecmp(type, link_types[i]) == 0) {
            if (strcmp(type, link_types[i]) != 0) {
                json_object_set_new(association, "associationType", json_string(link_types[i]));
                add_fault(repair, place, "an associationType is in other letters");
            }
            return;
        }
    }
    if (type && *type && strncmp(type, "ext:", 4) != 0)
        add_fault(repair, place, "associationType is not one of CASE 1.0's");
}

static void remember_ids(struct case_repair *repair, const json_t *items)
{
    const json_t *item;
    size_t i;

    json_array_foreach((json_t *)items, i, item)
    {
        json_t *identifier = json_object_get(item, "identifier"), *other;
        char *small = small_letters(json_string_value(identifier));

        other = small ? json_object_get(repair->ids, small) : NULL;
        if (!other && small)
            json_object_set(repair->ids, small, identifier);
        else if (other && !json_equal(other, identifier)) /* two that differ in letters alone */
            json_object_set_new(repair->ids, small, json_null());
        free(small);
    }
}

/* The list at key; entries that are no objects, and what is no list, go to "not read". */
static json_t *repair_list(struct case_repair *repair, json_t *package, const char *key)
{
    json_t *value, *entry, *kept;
    size_t i = 0;
    char place[PLACE_SIZE];

    repair_nesting(repair, key, package, key, true);
    value = json_object_get(package, key);
    if (!value || json_is_null(value)) {
        if (value)
            json_object_set_new(package, key, json_array());
        return json_object_get(package, key);
    }
    if (!json_is_array(value))
        return NULL;
    while ((entry = json_array_get(value, i))) {
        if (json_is_object(entry)) {
            i++;
            continue;
        }
        snprintf(place, sizeof place, "%s.%zu", key, i);
        add_fault(repair, place, "is left out, as an entry must be an object");
        kept = json_object_get(package, "not read");
        if (!kept) {
            kept = json_array();
            json_object_set_new(package, "not read", kept);
        }
        json_array_append(kept, entry);
        json_array_remove(value, i);
    }
    return value;
}

static int repair_package(struct case_repair *repair, json_t *package, struct error *err)
{
    static const char *const lists[] = {"CFItems", "CFAssociations"};
    json_t *items, *associations, *value;
    char place[PLACE_SIZE];
    size_t i;

    repair_document(repair, package);
    items = repair_list(repair, package, "CFItems");
    associations = repair_list(repair, package, "CFAssociations");
    for (i = 0; i < 2; i++) {
        value = json_object_get(package, lists[i]);
        if (value && !json_is_array(value))
            return error_set_at(err, lists[i],
                                "%s must be an array of objects, as in \"%s\": [{\"identifier\": "
                                "\"...\"}], not %s",
                                lists[i], lists[i], json_kind(value));
    }
    json_array_foreach(items, i, value)
    {
        snprintf(place, sizeof place, "CFItems.%zu", i);
        repair_item(repair, place, value);
    }
    remember_ids(repair, items);
    json_array_foreach(associations, i, value)
    {
        snprintf(place, sizeof place, "CFAssociations.%zu", i);
        repair_association(repair, place, value);
    }
    return 0;
}

json_t *case_repair(const json_t *given, struct format_report *report, struct error *err)
{
    struct case_repair repair = {.findings = &report->lines, .ids = json_object()};
    const json_t *inner = json_array_size(given) == 1 ? json_array_get(given, 0) : given;
    json_t *package;

    if (json_is_object(json_object_get(inner, "CFPackage")))
        inner = json_object_get(inner, "CFPackage");
    package = json_is_object(inner) ? json_deep_copy(inner) : json_object();
    repair_keys(&repair, "the package", package, package_keys);
    if (!json_object_get(package, "CFItems") &&
        !json_object_get(json_object_get(package, "CFDocument"), "identifier")) {
        error_set(err, ERROR_INVALID,
                  "the file is JSON but not a CASE package: it must be an object {\"CFDocument\": "
                  "{\"identifier\": \"...\", ...}, \"CFItems\": [...], \"CFAssociations\": [...]}");
        json_decref(package);
        package = NULL;
    } else if (repair_package(&repair, package, err) < 0) {
        json_decref(package);
        package = NULL;
    }
    json_decref(repair.ids);
    return package;
}
