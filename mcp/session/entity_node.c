/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "mcp/session/entity.h"
#include "mcp/session/entity_check.h"
#include "mcp/session/text.h"

const char *const entity_categories[] = {"explanation", "real_world_example", "textbook_content",
                                         "memory_trick", NULL};

/* What the service gives and a client may send back: never kept from a write. */
static const char *const node_service_fields[] = {"session_id", "created_at", "last_modified",
                                                  NULL};

static void check_category(struct problems *problems, const json_t *value)
{
    const char *text = json_string_value(value);

    if (!value || json_is_null(value))
        return;
    for (size_t i = 0; text && entity_categories[i]; i++)
        if (!strcmp(text, entity_categories[i]))
            return;
    problems_add(
        problems, "content_category",
        "must be null or one of explanation, real_world_example, textbook_content, memory_trick");
}

static void check_chapter(struct problems *problems, const json_t *value)
{
    if (value && !json_is_integer(value) && !json_is_null(value))
        problems_add(problems, "chapter_id", "must be a whole number or null");
}

static void check_texts(struct problems *problems, const json_t *object)
{
    for (size_t i = 0; entity_categories[i]; i++)
        entity_check_text(problems, entity_categories[i],
                          json_object_get(object, entity_categories[i]));
}

json_t *entity_node(const json_t *input, struct error *err)
{
    json_t *node = entity_open(input, "", "node", err);
    struct problems problems;

    if (!node)
        return NULL;
    problems_begin(&problems, "");
    entity_check_id(&problems, "node_id", json_object_get(node, "node_id"));
    entity_check_title(&problems, json_object_get(node, "title"));
    entity_check_text(&problems, "raw_content", json_object_get(node, "raw_content"));
    check_chapter(&problems, json_object_get(node, "chapter_id"));
    check_category(&problems, json_object_get(node, "content_category"));
    check_texts(&problems, node);
    if (json_object_get(node, "components"))
        problems_add(&problems, "components",
                     "cannot come with a new node: create the node, then add its components");
    if (problems_end(&problems, NULL, err) != 0) {
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
    struct problems problems;
    const json_t *id;

    if (!given)
        return -1;
    problems_begin(&problems, "");
    id = json_object_get(given, "node_id");
    if (id && !json_equal((json_t *)id, json_object_get(node, "node_id")))
        problems_add(&problems, "node_id",
                     "stays as it is: create a node of the new id and merge this one into it");
    if (json_object_get(given, "title"))
        entity_check_title(&problems, json_object_get(given, "title"));
    entity_check_text(&problems, "raw_content", json_object_get(given, "raw_content"));
    check_chapter(&problems, json_object_get(given, "chapter_id"));
    check_category(&problems, json_object_get(given, "content_category"));
    check_texts(&problems, given);
    if (json_object_get(given, "components"))
        problems_add(&problems, "components",
                     "are no field of the node: write them one by one, or as a whole sequence");
    if (problems_end(&problems, NULL, err) != 0)
        return -1;
    entity_drop(given, node_service_fields);
    json_object_del(given, "node_id");
    if (json_object_size(given) == 0)
        return error_set_at(err, "",
                            "nothing to change: send title, content_category, "
                            "raw_content, chapter_id or further fields");
    return set_fields(node, given, err);
}

int entity_title_check(const json_t *object, struct error *err)
{
    struct problems problems;

    problems_begin(&problems, "");
    entity_check_title(&problems, json_object_get(object, "title"));
    return problems_end(&problems, NULL, err);
}

int entity_texts_check(const json_t *texts, struct error *err)
{
    struct problems problems;
    const char *key;
    json_t *value;
    size_t known = 0;

    if (!json_is_object(texts))
        return error_set_at(err, "",
                            "send a JSON object with some of explanation, real_world_example, "
                            "textbook_content, memory_trick");
    problems_begin(&problems, "");
    check_texts(&problems, texts);
    json_object_foreach((json_t *)texts, key, value)
    {
        bool found = !strcmp(key, "session_id") || !strcmp(key, "node_id") || !strcmp(key, "title");

        for (size_t i = 0; entity_categories[i]; i++) {
            if (!strcmp(key, entity_categories[i])) {
                found = true;
                known++;
            }
        }
        if (!found) {
            char shown[64];

            problems_add(&problems, text_cut(shown, sizeof shown, key),
                         "is none of the four texts");
        }
    }
    if (known == 0)
        problems_add(&problems, "", "nothing to write");
    return problems_end(
        &problems, "The texts are explanation, real_world_example, textbook_content, memory_trick",
        err);
}
