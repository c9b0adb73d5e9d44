/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/session/entity.h"
#include "mcp/session/entity_check.h"
#include "mcp/session/text.h"

const char *const entity_categories[] = {"explanation", "real_world_example", "textbook_content",
                                         "memory_trick", NULL};

#define CATEGORY_TEXTS                                                                             \
    ENTITY_TEXT("explanation"), ENTITY_TEXT("real_world_example"),                                 \
        ENTITY_TEXT("textbook_content"), ENTITY_TEXT("memory_trick")

static const struct field node_rows[] = {
    FIELD("node_id", FIELD_TEXT, .required = true, .least = 1, .most = NODE_ID_MAX,
          .documentation = "an id such as \"N003\"", .flags = FIELD_LINE),
    FIELD("title", FIELD_TEXT, .required = true, .least = 1, .most = TITLE_MAX),
    ENTITY_TEXT("raw_content"),
    FIELD("chapter_id", FIELD_WHOLE),
    FIELD("content_category", FIELD_TEXT, .choices = entity_categories),
    CATEGORY_TEXTS,
    ENTITY_WHOLE("expected_revision"),
    ENTITY_GIVEN_BACK("session_id"),
    ENTITY_GIVEN_BACK("created_at"),
    ENTITY_GIVEN_BACK("last_modified"),
    {0},
};
const struct fields entity_node_fields = {"a node", node_rows, FIELDS_OPEN, .schema = "NodeNew"};
const struct fields entity_node_change_fields = {"a node", node_rows, FIELDS_OPEN | FIELDS_CHANGE,
                                                 .schema = "NodeChange"};

static const struct field session_rows[] = {
    FIELD("title", FIELD_TEXT, .required = true, .least = 1, .most = TITLE_MAX),
    {0},
};
const struct fields entity_session_fields = {
    .name = "a session", .rows = session_rows, .schema = "SessionChange"};

static const struct field texts_rows[] = {
    CATEGORY_TEXTS,
    ENTITY_GIVEN_BACK("session_id"),
    ENTITY_GIVEN_BACK("node_id"),
    ENTITY_GIVEN_BACK("title"),
    {0},
};
const struct fields entity_texts_fields = {
    .name = "the content of a node", .rows = texts_rows, .schema = "NodeTextsChange"};

/* Never kept from a write. */
static const char *const node_service_fields[] = {"session_id", "created_at", "last_modified",
                                                  "expected_revision", NULL};

json_t *entity_node(const json_t *input, struct error *err)
{
    json_t *node = entity_open(input, "", "node", err);
    struct validation_errors problems;

    if (!node)
        return NULL;
    validation_begin(&problems, "");
    fields_check(&entity_node_fields, node, NULL, &problems);
    if (json_object_get(node, "components"))
        validation_add(&problems, "components",
                       "cannot come with a new node: create the node, then add its components");
    if (validation_end(&problems, NULL, err) < 0) {
        json_decref(node);
        return NULL;
    }
    entity_drop(node, node_service_fields);
    return node;
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
    json_auto_t *given = entity_open(changes, "", "change", err);
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
    entity_drop(given, node_service_fields);
    json_object_del(given, "node_id");
    if (json_object_size(given) == 0)
        return error_set_at(err, "",
                            "nothing to change: send title, content_category, "
                            "raw_content, chapter_id or further fields");
    return set_fields(node, given, err);
}

int entity_session_check(const json_t *object, struct error *err)
{
    struct validation_errors problems;

    validation_begin(&problems, "");
    fields_check(&entity_session_fields, object, NULL, &problems);
    return validation_end(&problems, NULL, err);
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
