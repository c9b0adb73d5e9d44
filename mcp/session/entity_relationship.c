/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "mcp/session/component_type.h"
#include "mcp/session/entity.h"
#include "mcp/session/entity_check.h"

/* What the service gives and a client may send back: never kept from a write. */
static const char *const relationship_service_fields[] = {"id", "session_id", "created_at", NULL};

struct names { /* as the client spelled them */
    const char *from, *to, *type;
};

/* The value that came by its short name moves to its long one. Returns the name it came by. */
static const char *take_short(json_t *given, const char *name, const char *brief,
                              struct problems *problems)
{
    json_t *value = json_object_get(given, name);
    json_t *again = json_object_get(given, brief);

    if (!again)
        return name;
    if (value) {
        if (!json_equal(value, again))
            problems_add(problems, brief, "and %s differ, send one of them", name);
        json_object_del(given, brief);
        return name;
    }
    json_object_set(given, name, again);
    json_object_del(given, brief);
    return brief;
}

static void check_type(struct problems *problems, const char *name, const json_t *type)
{
    struct faults each;
    struct error found = {.faults = faults_clear(&each)};

    if (!type || json_is_null(type))
        return;
    if (relationship_type_check(json_string_value(type), name, &found) != 0)
        problems_add(problems, name, "%s", found.text);
}

static void check_relationship(const json_t *given, const struct names *names,
                               struct problems *problems)
{
    const json_t *from = json_object_get(given, "from_node_id");
    const json_t *to = json_object_get(given, "to_node_id");

    entity_check_id(problems, names->from, from);
    entity_check_id(problems, names->to, to);
    if (json_is_string(from) && json_equal((json_t *)from, (json_t *)to))
        problems_add(problems, names->to, "is the node itself, a relationship needs two nodes");
    check_type(problems, names->type, json_object_get(given, "relationship_type"));
    entity_check_text(problems, "explanation", json_object_get(given, "explanation"));
    entity_check_text(problems, "created_by", json_object_get(given, "created_by"));
    entity_check_share(problems, "confidence_score", json_object_get(given, "confidence_score"));
}

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
    struct names names = {"from_node_id", "to_node_id", "relationship_type"};
    json_t *given = entity_open(input, loc, "relationship", err);
    struct problems problems;

    if (!given)
        return NULL;
    problems_begin(&problems, loc);
    if (short_names) {
        names.from = take_short(given, names.from, "from", &problems);
        names.to = take_short(given, names.to, "to", &problems);
        names.type = take_short(given, names.type, "type", &problems);
    }
    check_relationship(given, &names, &problems);
    if (problems_end(&problems, NULL, err) == 0) {
        if (set_defaults(given, who, now) == 0)
            return given;
        error_set(err, ERROR_MEMORY, "out of memory for a relationship");
    }
    json_decref(given);
    return NULL;
}

/* The ends may come along, as a client sends back what it was given, but not differ. */
static void check_ends(const json_t *relationship, const json_t *given, struct problems *problems)
{
    static const char *const ends[] = {"from_node_id", "to_node_id"};

    for (size_t i = 0; i < 2; i++) {
        const json_t *end = json_object_get(given, ends[i]);

        if (end && !json_equal((json_t *)end, json_object_get(relationship, ends[i])))
            problems_add(problems, ends[i],
                         "stays as it is: delete the relationship and create another");
    }
}

int entity_relationship_change(json_t *relationship, const json_t *changes, struct error *err)
{
    static const char *const optional[] = {"relationship_type", "explanation", "confidence_score",
                                           "created_by"};
    json_auto_t *given = entity_open(changes, "", "change", err);
    struct problems problems;

    if (!given)
        return -1;
    problems_begin(&problems, "");
    check_ends(relationship, given, &problems);
    check_type(&problems, "relationship_type", json_object_get(given, "relationship_type"));
    entity_check_text(&problems, "explanation", json_object_get(given, "explanation"));
    entity_check_text(&problems, "created_by", json_object_get(given, "created_by"));
    entity_check_share(&problems, "confidence_score", json_object_get(given, "confidence_score"));
    if (problems_end(&problems, NULL, err) != 0)
        return -1;
    entity_drop(given, relationship_service_fields);
    for (size_t i = 0; i < sizeof optional / sizeof optional[0]; i++)
        if (json_is_null(json_object_get(given, optional[i])))
            json_object_del(given, optional[i]);
    if (json_object_update(relationship, given) != 0)
        return error_set(err, ERROR_MEMORY, "out of memory for a relationship");
    return 0;
}
