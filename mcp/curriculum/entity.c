/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/curriculum/entity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/curriculum/component_type.h"
#include "mcp/curriculum/curriculum_uri.h"
#include "mcp/curriculum/derived_content.h"
#include "mcp/curriculum/limits.h"
#include "mcp/curriculum/text.h"

/* ---- what nodes, components and relationships share ---- */

/* clang-format off */
#define TEXT(member)       FIELD(member, FIELD_TEXT, .most = (double)TEXT_MAX, .flags = FIELD_NUL)
#define SHARE(member)      FIELD(member, FIELD_NUMBER, .least = 0, .most = 1)
#define GIVEN_BACK(member) FIELD(member, FIELD_ANY, .flags = FIELD_GIVEN_BACK)
/* clang-format on */

/* Removes what only the service sets, but a client may send back. */
static void drop_given_back(json_t *object, const struct fields *fields)
{
    for (const struct field *row = fields->rows; row->name; row++) {
        if (row->flags & FIELD_GIVEN_BACK)
            json_object_del(object, row->name);
    }
}

static bool too_deep(const json_t *value, unsigned levels)
{
    const char *key;
    json_t *inner;
    size_t i;

    if (levels == 0)
        return true;
    json_array_foreach((json_t *)value, i, inner) if (too_deep(inner, levels - 1)) return true;
    json_object_foreach((json_t *)value, key, inner) if (too_deep(inner, levels - 1)) return true;
    return false;
}

/* An object to work on: a copy of input whose values are shared. NULL with err. loc: the path in
 * front, or "". */
static json_t *open_copy(const json_t *input, const char *loc, const char *what, struct error *err)
{
    json_t *copy;

    if (!json_is_object(input)) {
        error_set_at(err, loc, "%s%sa %s must be a JSON object%s%s", loc, *loc ? ": " : "", what,
                     input ? ", not " : "", input ? json_kind(input) : "");
        return NULL;
    }
    if (too_deep(input, ENTITY_DEPTH_MAX)) {
        error_set_at(err, loc, "%s%sa %s may nest %d levels deep, not more", loc, *loc ? ": " : "",
                     what, ENTITY_DEPTH_MAX);
        return NULL;
    }
    copy = json_copy((json_t *)input);
    if (!copy)
        error_set(err, ERROR_MEMORY, "out of memory for a %s", what);
    return copy;
}

/* ---- sessions ---- */

static const struct field session_rows[] = {
    FIELD("title", FIELD_TEXT, .required = true, .least = 1, .most = TITLE_MAX),
    {0},
};
const struct fields entity_session_fields = {
    .name = "a session", .rows = session_rows, .schema = "SessionChange"};

static const struct {
    bool in_meta;
    const char *key;
} title_places[] = {{true, "title"}, {true, "name"}, {false, "title"}};

#define PLACE_COUNT (sizeof title_places / sizeof title_places[0])

static json_t *title_holder(const json_t *root, size_t place)
{
    return title_places[place].in_meta ? json_object_get(root, "meta") : (json_t *)root;
}

/* PLACE_COUNT if there is no title. */
static size_t find_title(const json_t *root)
{
    char line[TITLE_MAX + 1];
    size_t i = 0;

    for (; i < PLACE_COUNT; i++) {
        const char *text = json_get_string(title_holder(root, i), title_places[i].key);

        if (text && *text_cut_line(line, sizeof line, text))
            break;
    }
    return i;
}

const char *curriculum_title(const json_t *root)
{
    size_t place = find_title(root);

    return place < PLACE_COUNT ? json_get_string(title_holder(root, place), title_places[place].key)
                               : NULL;
}

int curriculum_set_title(json_t *root, const char *title, struct error *err)
{
    json_t *meta = json_object_get(root, "meta"), *text = json_string(title);
    size_t place = find_title(root);
    int rc;

    if (!text)
        return error_set_at(err, "title", "title must be UTF-8 text");
    if (place < PLACE_COUNT)
        rc = json_object_set_new(title_holder(root, place), title_places[place].key, text);
    else if (!meta)
        rc = json_object_set_new(root, "meta", json_pack("{s:o}", "title", text));
    else
        rc = json_object_set_new(json_is_object(meta) ? meta : root, "title", text);
    return rc == 0 ? 0 : error_set(err, ERROR_MEMORY, "out of memory for the title");
}

/* ---- nodes ---- */

const char *const entity_categories[] = {"explanation", "real_world_example", "textbook_content",
                                         "memory_trick", NULL};

#define CATEGORY_TEXTS                                                                             \
    TEXT("explanation"), TEXT("real_world_example"), TEXT("textbook_content"), TEXT("memory_trick")

static const struct field node_rows[] = {
    FIELD("node_id", FIELD_TEXT, .required = true, .least = 1, .most = NODE_ID_MAX,
          .documentation = "an id such as \"N003\"", .flags = FIELD_LINE),
    FIELD("title", FIELD_TEXT, .required = true, .least = 1, .most = TITLE_MAX),
    TEXT("raw_content"),
    FIELD("chapter_id", FIELD_WHOLE),
    FIELD("content_category", FIELD_TEXT, .choices = entity_categories),
    CATEGORY_TEXTS,
    FIELD("expected_revision", FIELD_WHOLE, .least = 1, .most = INFINITY),
    GIVEN_BACK("session_id"),
    GIVEN_BACK("created_at"),
    GIVEN_BACK("last_modified"),
    {0},
};
const struct fields entity_node_fields = {"a node", node_rows, FIELDS_OPEN, .schema = "NodeNew"};
const struct fields entity_node_change_fields = {"a node", node_rows, FIELDS_OPEN | FIELDS_CHANGE,
                                                 .schema = "NodeChange"};

static const struct field texts_rows[] = {
    CATEGORY_TEXTS, GIVEN_BACK("session_id"), GIVEN_BACK("node_id"), GIVEN_BACK("title"), {0},
};
const struct fields entity_texts_fields = {
    .name = "the content of a node", .rows = texts_rows, .schema = "NodeTextsChange"};

json_t *entity_node(const json_t *input, struct error *err)
{
    json_auto_t *node = open_copy(input, "", "node", err);
    struct validation_errors problems;

    if (!node)
        return NULL;
    validation_begin(&problems, "");
    fields_check(&entity_node_fields, node, NULL, &problems);
    if (json_object_get(node, "components"))
        validation_add(&problems, "components",
                       "cannot come with a new node: create the node, then add its components");
    if (validation_end(&problems, NULL, err) < 0)
        return NULL;
    drop_given_back(node, &entity_node_fields);
    json_object_del(node, "expected_revision");
    return json_incref(node);
}

/* What is null goes, all else is set. */
static int set_fields(json_t *node, const json_t *changes, struct error *err)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)changes, key, value)
    {
        if (json_is_null(value))
            json_object_del(node, key);
        else if (json_object_set(node, key, value) != 0)
            return error_set(err, ERROR_MEMORY, "out of memory for a node");
    }
    return 0;
}

int entity_node_change(json_t *node, const json_t *changes, struct error *err)
{
    json_auto_t *given = open_copy(changes, "", "change", err);
    struct validation_errors problems;
    const json_t *id;

    if (!given)
        return -1;
    validation_begin(&problems, "");
    id = json_object_get(given, "node_id");
    if (json_is_string(id) && !json_equal((json_t *)id, json_object_get(node, "node_id")))
        validation_add(&problems, "node_id",
                       "stays as it is: create a node of the new id and merge this one into it");
    fields_check(&entity_node_change_fields, given, node, &problems);
    if (json_object_get(given, "components"))
        validation_add(
            &problems, "components",
            "are not a field of the node: write them one by one, or as a whole sequence");
    if (validation_end(&problems, NULL, err) < 0)
        return -1;
    drop_given_back(given, &entity_node_fields);
    json_object_del(given, "expected_revision");
    json_object_del(given, "node_id");
    if (json_object_size(given) == 0)
        return error_set_at(err, "",
                            "nothing to change: send title, content_category, "
                            "raw_content, chapter_id or further fields");
    return set_fields(node, given, err);
}

int entity_texts_check(const json_t *texts, struct error *err)
{
    struct validation_errors problems;
    bool any = false;

    if (!json_is_object(texts))
        return error_set_at(err, "",
                            "send a JSON object with some of explanation, real_world_example, "
                            "textbook_content, memory_trick");
    validation_begin(&problems, "");
    fields_check(&entity_texts_fields, texts, NULL, &problems);
    for (size_t i = 0; entity_categories[i]; i++)
        any = any || json_object_get(texts, entity_categories[i]);
    if (!any)
        validation_add(&problems, "", "nothing to write");
    return validation_end(
        &problems, "The texts are explanation, real_world_example, textbook_content, memory_trick",
        err);
}

/* ---- components ---- */

static const struct field component_rows[] = {
    FIELD("type", FIELD_TEXT, .of = &component_type_names),
    FIELD("component_type", FIELD_TEXT, .of = &component_type_names),
    {.name = "parameters"}, /* component_type_check looks at them */
    SHARE("confidence"),
    {.name = "position", .documentation = "where it is inserted"},
    {.name = "component_id", .documentation = "finds it after its order has changed"},
    {.name = "expected_revision", .documentation = "a stale one is refused with 409"},
    GIVEN_BACK("order"),
    GIVEN_BACK("order_index"),
    GIVEN_BACK("revision"),
    {0},
};
const struct fields entity_component_fields = {"a component", component_rows, FIELDS_OPEN,
                                               .schema = "ComponentNew",
                                               .write_schema = component_type_schema};
const struct fields entity_component_change_fields = {
    "a component", component_rows, FIELDS_OPEN | FIELDS_CHANGE, .schema = "ComponentChange"};

const char *entity_component_type(const json_t *component)
{
    const char *type = json_get_string(component, "component_type");

    return type ? type : json_get_string(component, "type");
}

static int check_types_agree(const json_t *component, const char *loc, struct error *err)
{
    const json_t *type = json_object_get(component, "type");
    const json_t *again = json_object_get(component, "component_type");
    char where[ERROR_LOC_CAP];

    if (!type || !again || json_equal((json_t *)type, (json_t *)again))
        return 0;
    snprintf(where, sizeof where, "%s%scomponent_type", loc, *loc ? "." : "");
    return error_set_at(err, where, "%s: type and component_type differ, send one of them", where);
}

/* A type that is not text is a fault of fields_check; null is none there. */
static bool has_type(const json_t *component, struct validation_errors *problems)
{
    static const char *const keys[] = {"type", "component_type"};

    for (size_t i = 0; i < 2; i++) {
        const json_t *type = json_object_get(component, keys[i]);

        if (json_is_null(type))
            validation_add(problems, keys[i], "must be text, not null");
        if (type && !json_is_string(type))
            return false;
    }
    return true;
}

/* sent: the parameters as they were sent, and kept: the component as it was before; NULL of a new
 * one. */
static int check_component(const json_t *component, const json_t *sent, const json_t *kept,
                           const char *loc, struct error *err)
{
    struct validation_errors problems;
    struct validation_errors each;
    struct error found = {.list = validation_begin(&each, "")};

    validation_begin(&problems, loc);
    fields_check(&entity_component_fields, component, kept, &problems);
    if (check_types_agree(component, loc, &found) != 0)
        validation_take(&problems, &found);
    if (has_type(component, &problems) &&
        component_type_check(entity_component_type(component),
                             json_object_get(component, "parameters"), sent,
                             json_object_get(kept, "parameters"), loc, &found) != 0)
        validation_take(&problems, &found);
    return validation_end(&problems, NULL, err);
}

static void drop_service_fields(json_t *component)
{
    drop_given_back(component, &entity_component_fields);
    json_object_del(component, "component_id");
}

json_t *entity_component(const json_t *input, const char *loc, struct error *err)
{
    json_auto_t *given = open_copy(input, loc, "component", err), *component = NULL;
    const char *type = entity_component_type(given);

    if (!given || check_component(given, NULL, NULL, loc, err) != 0)
        return NULL;
    drop_service_fields(given);
    component = json_pack("{s:s, s:s, s:O}", "type", type, "component_type", type, "parameters",
                          json_object_get(given, "parameters"));
    if (!json_is_number(json_object_get(given, "confidence")))
        json_object_set_new(given, "confidence", json_real(1.0));
    json_object_set(component, "confidence", json_object_get(given, "confidence"));
    if (json_object_update_missing(component, given) == 0)
        return json_incref(component);
    error_set(err, ERROR_MEMORY, "out of memory for a component");
    return NULL;
}

/* Sets the type in those keys that the component has for it; in both if it has none. */
static void set_type(json_t *component, const json_t *type)
{
    bool has_type = json_object_get(component, "type") != NULL;
    bool has_component_type = json_object_get(component, "component_type") != NULL;

    if (has_type || !has_component_type)
        json_object_set(component, "type", (json_t *)type);
    if (has_component_type || !has_type)
        json_object_set(component, "component_type", (json_t *)type);
}

static void follow_content(json_t *component, const json_t *old_parameters,
                           const json_t *parameters)
{
    const char *content = json_get_string(component, "content");
    json_t *derived = content ? derived_content(entity_component_type(component), content,
                                                old_parameters, parameters)
                              : NULL;

    if (derived)
        json_object_set_new(component, "content", derived);
}

static json_t *changed_parameters(const json_t *old, json_t *given, bool merge)
{
    json_auto_t *merged = NULL;

    if (!merge || !json_is_object(old) || !json_is_object(given))
        return json_incref(given);
    merged = json_copy((json_t *)old);
    return json_object_update(merged, given) == 0 ? json_incref(merged) : NULL;
}

int entity_component_change(json_t *component, const json_t *changes, bool merge, struct error *err)
{
    json_auto_t *given = open_copy(changes, "", "change", err);
    json_auto_t *kept = json_copy(component), *parameters = NULL;
    const json_t *old = json_object_get(kept, "parameters"), *type;

    if (!given || check_types_agree(given, "", err) < 0)
        return -1;
    drop_service_fields(given);
    type = json_object_get(given, "type");
    if (!type)
        type = json_object_get(given, "component_type");
    if (type)
        set_type(component, type);
    json_object_del(given, "component_type");
    json_object_del(given, "type");
    if (json_object_get(given, "parameters")) {
        parameters = changed_parameters(old, json_object_get(given, "parameters"), merge);
        if (!json_object_get(given, "content"))
            follow_content(component, old, parameters);
        json_object_set(component, "parameters", parameters);
        json_object_del(given, "parameters");
    }
    if (json_is_null(json_object_get(given, "confidence")))
        json_object_del(given, "confidence");
    if (!kept || (json_object_get(changes, "parameters") && !parameters) ||
        json_object_update(component, given) != 0)
        return error_set(err, ERROR_MEMORY, "out of memory for a component");
    return check_component(component, json_object_get(changes, "parameters"), kept, "", err);
}

void entity_component_summary(const json_t *component, char *to, size_t size)
{
    static const char *const telling[] = {"text",   "term",    "problem", "visual_content",
                                          "title1", "caption", NULL};
    const json_t *parameters = json_object_get(component, "parameters");
    const char *text = NULL;

    for (size_t i = 0; !text && telling[i]; i++)
        text = json_get_string(parameters, telling[i]);
    if (!text)
        text = json_string_value(json_array_get(json_object_get(parameters, "steps"), 0));
    if (!text)
        text = json_get_string(json_object_get(json_object_get(parameters, "pictures"), "svg1"),
                               "title");
    if (!text)
        text = json_get_string(component, "content");
    text_cut_line(to, size, text);
}

/* ---- relationships ---- */

#define END(member, brief, longest)                                                                \
    {                                                                                              \
        .name = member, .type = FIELD_TEXT, .required = true, .least = 1, .most = (longest),       \
        .documentation = "a node's id such as \"N003\"", .also = brief, .flags = FIELD_LINE        \
    }
#define RELATIONSHIP_ROWS(types, longest)                                                          \
    {                                                                                              \
        END("from_node_id", "from", NODE_ID_MAX), END("to_node_id", "to", longest),                \
            FIELD("relationship_type", FIELD_TEXT, .choices = (types), .also = "type"),            \
            TEXT("explanation"), TEXT("created_by"), SHARE("confidence_score"), GIVEN_BACK("id"),  \
            GIVEN_BACK("session_id"), GIVEN_BACK("created_at"),                                    \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }

static const struct field relationship_rows[] = RELATIONSHIP_ROWS(relationship_types, NODE_ID_MAX);
const struct fields entity_relationship_fields = {"a relationship", relationship_rows, FIELDS_OPEN,
                                                  .schema = "RelationshipNew"};
const struct fields entity_relationship_brief_fields = {
    "a relationship", relationship_rows, FIELDS_OPEN | FIELDS_ALSO, .schema = "RelationshipBrief"};
const struct fields entity_relationship_change_fields = {"a relationship", relationship_rows,
                                                         FIELDS_OPEN | FIELDS_CHANGE,
                                                         .schema = "RelationshipChange"};

/* A link to another curriculum has CASE's types. */
static const struct field link_rows[] = RELATIONSHIP_ROWS(link_types, CURRICULUM_URI_MAX);
static const struct fields link_fields = {"a link", link_rows, FIELDS_OPEN, .schema = NULL};
static const struct fields link_change_fields = {"a link", link_rows, FIELDS_OPEN | FIELDS_CHANGE,
                                                 .schema = NULL};

static bool is_link(const json_t *relationship)
{
    return curriculum_uri_is_node(json_get_string(relationship, "to_node_id"));
}

static int set_defaults(json_t *given, const char *who, const char *now)
{
    int rc = 0;

    drop_given_back(given, &entity_relationship_fields);
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
    const struct fields *fields = short_names      ? &entity_relationship_brief_fields
                                  : is_link(input) ? &link_fields
                                                   : &entity_relationship_fields;
    json_auto_t *sent = open_copy(input, loc, "relationship", err);
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

/* The ends may be present, because a client sends back what it received, but must not differ. */
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
    json_auto_t *sent = open_copy(changes, "", "change", err), *given = NULL;
    struct validation_errors problems;

    if (!sent)
        return -1;
    validation_begin(&problems, "");
    given = fields_take(is_link(relationship) ? &link_change_fields
                                              : &entity_relationship_change_fields,
                        sent, relationship, &problems);
    check_ends(relationship, given, &problems);
    if (validation_end(&problems, NULL, err) < 0)
        return -1;
    drop_given_back(given, &entity_relationship_fields);
    if (!given || json_object_update(relationship, given) != 0)
        return error_set(err, ERROR_MEMORY, "out of memory for a relationship");
    return 0;
}
