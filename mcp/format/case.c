/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The form "case": the file, and the tables of CASE 1.0. Mapping and rules: case.h.
 */
#include "mcp/format/case.h"

#include <string.h>
#include <strings.h>

#include "helpers/base/json.h"
#include "mcp/session/curriculum_file.h"
#include "mcp/format/file.h"

#define HEAD_CAP ((size_t)4 << 10) /* of a file, looked into for the first of its names */

/* CASE 1.0, information model, CFPckgItem. */
const struct case_field case_item_fields[] = {
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
const struct case_field case_association_fields[] = {
    {"uri", CASE_TEXT},
    {"sequenceNumber", CASE_INTEGER},
    {"CFAssociationGroupingURI", CASE_LINK},
    {"CFDocumentURI", CASE_LINK},
    {"lastChangeDateTime", CASE_TEXT},
    {NULL, CASE_TEXT},
};

static const char *const association_types[] = {
    "isChildOf",  "isPeerOf", "isPartOf",      "exactMatchOf",    "precedes", "isRelatedTo",
    "replacedBy", "exemplar", "hasSkillLevel", "isTranslationOf", NULL};

/* The first row of an association's type is what it is read as. */
static const struct {
    const char *relationship, *association;
} type_pairs[] = {
    {"LEADS_TO", "precedes"},
    {"PREREQUISITE", "precedes"},
    {"PREREQUISITE_FOR", "precedes"},
    {"ENRICHMENT", "isRelatedTo"},
};
#define TYPE_PAIRS (sizeof type_pairs / sizeof type_pairs[0])

const struct case_field *case_field_find(const struct case_field *fields, const char *name)
{
    for (; fields->name; fields++)
        if (!strcmp(fields->name, name))
            return fields;
    return NULL;
}

bool case_fits(const struct case_field *field, const json_t *value)
{
    const json_t *entry;
    size_t i;

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

bool case_knows_association(const char *association_type)
{
    for (size_t i = 0; association_types[i]; i++)
        if (!strcmp(association_types[i], association_type))
            return true;
    return !strncmp(association_type, "ext:", 4); /* CASE 1.1's own */
}

const char *case_association_type(const char *relationship_type)
{
    for (size_t i = 0; relationship_type && i < TYPE_PAIRS; i++)
        if (!strcmp(type_pairs[i].relationship, relationship_type))
            return type_pairs[i].association;
    if (relationship_type && case_knows_association(relationship_type))
        return relationship_type;
    return "isRelatedTo";
}

const char *case_relationship_type(const char *association_type)
{
    for (size_t i = 0; i < TYPE_PAIRS; i++)
        if (!strcmp(type_pairs[i].association, association_type))
            return type_pairs[i].relationship;
    return association_type;
}

static bool ends_in(const char *text, const char *end)
{
    size_t len = strlen(text), tail = strlen(end);

    return len >= tail && !strcasecmp(text + len - tail, end);
}

/* Whether the object's first name is one of CASE's: CFDocument, CFItems, CFPackage. Names further
 * in say nothing: a curriculum that came from CASE keeps some in its meta. */
static bool begins_as_package(const struct buf *head)
{
    static const char *const steps[] = {"{", "\"CF"};
    const char *at = head->data;

    if (head->len >= 3 && !memcmp(at, "\xEF\xBB\xBF", 3))
        at += 3;
    for (size_t i = 0; i < 2; i++) {
        size_t len = strlen(steps[i]);

        at += strspn(at, " \t\r\n");
        if (strncmp(at, steps[i], len) != 0)
            return false;
        at += len;
    }
    return true;
}

static bool looks_like(const char *path)
{
    struct buf BUF_AUTO head = {0};

    if (!strcmp(path, "-"))
        return false;
    if (ends_in(path, "case.json"))
        return true;
    return ends_in(path, ".json") && file_head(path, HEAD_CAP, &head, NULL) == 0 && head.len > 0 &&
           begins_as_package(&head);
}

static json_t *read_case(const char *path, struct format_report *report, struct error *err)
{
    json_t *package = format_json.read(path, report, err), *curriculum = NULL;

    if (package)
        curriculum = case_curriculum(package, report, err);
    if (package && !curriculum)
        error_wrap(err, "%s", path);
    json_decref(package);
    return curriculum;
}

static int write_case(const json_t *curriculum, const char *path, struct format_report *report,
                      struct error *err)
{
    json_t *package = case_package(curriculum, report, err);
    int rc = package ? format_json.write(package, path, report, err) : -1;

    json_decref(package);
    return rc;
}

const struct format format_case = {
    .name = "case",
    .what = "an IMS/1EdTech CASE 1.0 competency framework (CFPackage) as JSON",
    .looks_like = looks_like,
    .read = read_case,
    .write = write_case,
};
