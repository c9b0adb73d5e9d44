/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/session/component_type.h"
#include "mcp/session/entity.h"
#include "mcp/session/entity_check.h"

/* What the service gives and a client may send back: never kept from a write. */
static const char *const relationship_service_fields[] = {"id", "session_id", "created_at", NULL};

#define END(member, brief)                                                                         \
    {                                                                                              \
        .name = member, .type = FIELD_TEXT, .required = true, .least = 1, .most = NODE_ID_MAX,     \
        .documentation = "a node's id such as \"N003\"", .also = brief, .flags = FIELD_LINE        \
    }

static const struct field relationship_rows[] = {
    END("from_node_id", "from"),
    END("to_node_id", "to"),
    FIELD("relationship_type", FIELD_TEXT, .choices = relationship_types, .also = "type"),
    ENTITY_TEXT("explanation"),
    ENTITY_TEXT("created_by"),
    ENTITY_SHARE("confidence_score"),
    ENTITY_GIVEN_BACK("id"),
    ENTITY_GIVEN_BACK("session_id"),
    ENTITY_GIVEN_BACK("created_at"),
    {0},
};
const struct fields entity_relationship_fields = {"a relationship", relationship_rows, FIELDS_OPEN,
                                                  .schema = "RelationshipNew"};
const struct fields entity_relationship_brief_fields = {
    "a relationship", relationship_rows, FIELDS_OPEN | FIELDS_ALSO, .schema = "RelationshipBrief"};
const struct fields entity_relationship_change_fields = {"a relationship", relationship_rows,
                                                         FIELDS_OPEN | FIELDS_CHANGE,
                                                         .schema = "RelationshipChange"};

static int set_defaults(json_t *given, const char *who, const char *now)
{
    int rc = 0;

    entity_drop(given, relationship_service_fields);
    if (!json_is_string(json_object_get(given, "relationship_type")))
        rc |= json_object_set_new(given, "relationship_type", json_string(relationship_types[0]));
    if (!json_is_string(json_object_get(given, "explanation")))
        rc |= json_object_set_new(given, "explanation", json_string(""));
    if (!json_is_string(json_object_get(given, "created_by")))
        rc |= json_object_set_new(given, "created_by", json_string(who));
    if (!json_is_number(json_object_get(given, "confidence_score")))
        rc |= json_object_set_new(given, "confidence_score", json_real(1.0));
    return rc | json_object_set_new(given, "created_at", json_string(now));
}

json_t *entity_relationship(const json_t *input, const char *loc, bool short_names, const char *who,
                            const char *now, struct error *err)
{
    const struct fields *fields =
        short_names ? &entity_relationship_brief_fields : &entity_relationship_fields;
    json_auto_t *sent = entity_open(input, loc, "relationship", err);
    struct validation_errors problems;
    const json_t *to;
    json_t *given;

    if (!sent)
        return NULL;
    validation_begin(&problems, loc);
    given = fields_take(fields, sent, NULL, &problems);
    to = json_object_get(given, "to_node_id");
    if (to && json_equal((json_t *)to, json_object_get(given, "from_node_id")))
        validation_add(&problems, json_object_get(sent, "to_node_id") ? "to_node_id" : "to",
                       "is the node itself, a relationship needs two nodes");
    if (given && validation_end(&problems, NULL, err) == 0 && set_defaults(given, who, now) == 0)
        return given;
    if (problems.count == 0)
        error_set(err, ERROR_MEMORY, "out of memory for a relationship");
    json_decref(given);
    return NULL;
}

/* The ends may come along, as a client sends back what it was given, but not differ. */
static void check_ends(const json_t *relationship, const json_t *given,
                       struct validation_errors *problems)
{
    static const char *const ends[] = {"from_node_id", "to_node_id"};

    for (size_t i = 0; i < 2; i++) {
        const json_t *end = json_object_get(given, ends[i]);

        if (end && !json_equal((json_t *)end, json_object_get(relationship, ends[i])))
            validation_add(problems, ends[i],
                           "stays as it is: delete the relationship and create another");
    }
}

int entity_relationship_change(json_t *relationship, const json_t *changes, struct error *err)
{
    json_auto_t *sent = entity_open(changes, "", "change", err), *given = NULL;
    struct validation_errors problems;

    if (!sent)
        return -1;
    validation_begin(&problems, "");
    given = fields_take(&entity_relationship_change_fields, sent, relationship, &problems);
    check_ends(relationship, given, &problems);
    if (validation_end(&problems, NULL, err) < 0)
        return -1;
    entity_drop(given, relationship_service_fields);
    if (!given || json_object_update(relationship, given) != 0)
        return error_set(err, ERROR_MEMORY, "out of memory for a relationship");
    return 0;
}
