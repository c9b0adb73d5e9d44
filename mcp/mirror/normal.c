/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/mirror/normal.h"

#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/curriculum/entity.h"
#include "mcp/store/store.h"

static void drop(json_t *object, const char *const *keys)
{
    for (; *keys; keys++)
        json_object_del(object, *keys);
}

/* "2026-11-21 11:10:39" becomes "2026-11-21T11:10:39Z", also with fractions; a time with a zone,
 * and what is not a time, stays. */
static void set_time(json_t *object, const char *key)
{
    const char *text = json_get_string(object, key);
    char time[40];
    size_t len = text ? strlen(text) : 0;

    if (len < 19 || len > sizeof time - 2 || text[4] != '-' || text[13] != ':' ||
        (text[10] != ' ' && text[10] != 'T'))
        return;
    snprintf(time, sizeof time, "%s", text);
    time[10] = 'T';
    if (strspn(text + 19, ".0123456789") == len - 19) {
        time[len] = 'Z';
        time[len + 1] = '\0';
    }
    json_object_set_new(object, key, json_string(time));
}

static const json_t *list_of(const json_t *answer, const char *key)
{
    const json_t *list = json_is_array(answer) ? answer : json_object_get(answer, key);

    return json_is_array(list) ? list : NULL;
}

json_t *normal_nodes(const json_t *answer)
{
    static const char *const added[] = {"session_id", "components", NULL};
    const json_t *list = list_of(answer, "nodes");
    json_t *nodes = list ? json_array() : NULL, *entry;
    size_t i;

    json_array_foreach((json_t *)list, i, entry)
    {
        json_t *node;

        if (!json_get_string(entry, "node_id"))
            continue;
        node = json_copy(entry);
        drop(node, added);
        set_time(node, "created_at");
        set_time(node, "last_modified");
        json_array_append_new(nodes, node);
    }
    return nodes;
}

static void set_id(json_t *relationship)
{
    const json_t *id = json_object_get(relationship, "id");
    char text[32];

    if (json_is_integer(id)) {
        snprintf(text, sizeof text, "%lld", (long long)json_integer_value(id));
        json_object_set_new(relationship, "id", json_string(text));
    } else if (!json_is_string(id)) {
        json_object_del(relationship, "id");
    }
}

json_t *normal_relationships(const json_t *answer)
{
    static const char *const added[] = {"session_id", NULL};
    const json_t *list = list_of(answer, "relationships");
    json_t *relationships = list ? json_array() : NULL, *entry;
    size_t i;

    json_array_foreach((json_t *)list, i, entry)
    {
        json_t *relationship;

        if (!json_get_string(entry, "from_node_id") || !json_get_string(entry, "to_node_id"))
            continue;
        relationship = json_copy(entry);
        drop(relationship, added);
        set_id(relationship);
        set_time(relationship, "created_at");
        json_array_append_new(relationships, relationship);
    }
    return relationships;
}

static json_t *component(const json_t *entry, size_t place)
{
    static const char *const added[] = {
        "component_id", "revision",   "session_id",    "node_id", "id",
        "created_at",   "updated_at", "last_modified", NULL};
    json_t *one = json_copy((json_t *)entry);
    json_t *order = json_object_get(entry, "order");
    const char *type = entity_component_type(entry);

    drop(one, added);
    if (!json_is_number(order))
        order = json_object_get(entry, "order_index");
    if (json_is_number(order))
        json_object_set(one, "order", order);
    else
        json_object_set_new(one, "order", json_integer((json_int_t)place + 1));
    json_object_del(one, "order_index");
    if (type) {
        json_object_set_new(one, "type", json_string(type));
        json_object_set_new(one, "component_type", json_string(type));
    }
    if (json_is_null(json_object_get(one, "confidence")))
        json_object_del(one, "confidence");
    return one;
}

json_t *normal_components(const json_t *answer)
{
    const json_t *list = list_of(answer, "components");
    json_t *components = list ? json_array() : NULL, *entry;
    size_t i;

    json_array_foreach((json_t *)list, i, entry)
    {
        if (json_is_object(entry))
            json_array_append_new(components, component(entry, i));
    }
    return components;
}

json_t *normal_fields(const json_t *answer)
{
    static const char *const keys[] = {"suggested_template", "overall_confidence"};
    json_t *fields = json_object();

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        json_t *value = json_object_get(answer, keys[i]);

        if (value && !json_is_null(value))
            json_object_set(fields, keys[i], value);
    }
    return fields;
}

json_t *normal_bulk(const json_t *answer)
{
    const json_t *list = list_of(answer, "nodes");
    const json_t *by_node = json_object_get(answer, "components");
    json_t *bulk = json_object(), *entry;
    const char *node_id;
    size_t i;

    json_array_foreach((json_t *)list, i, entry)
    {
        json_t *components = normal_components(json_object_get(entry, "components"));

        node_id = json_get_string(entry, "node_id");
        if (node_id && components)
            json_object_set(bulk, node_id, components);
        json_decref(components);
    }
    if (!list && json_is_object(by_node)) {
        json_object_foreach((json_t *)by_node, node_id, entry)
        {
            json_t *components = normal_components(entry);

            if (components)
                json_object_set_new(bulk, node_id, components);
        }
    } else if (!list) {
        json_decref(bulk);
        return NULL;
    }
    return bulk;
}

json_t *normal_node_map(const json_t *answer)
{
    json_t *map = json_object_get(answer, NODE_MAP_NAME);

    return json_is_object(map) ? json_incref(map) : NULL;
}

json_t *normal_texts(const json_t *answer)
{
    json_t *texts = json_is_object(answer) ? json_object() : NULL;
    const json_t *from = json_object_get(answer, "content");

    if (!json_is_object(from))
        from = answer;
    for (size_t i = 0; texts && entity_categories[i]; i++) {
        json_t *text = json_object_get(from, entity_categories[i]);

        if (json_is_string(text) || json_is_null(text))
            json_object_set(texts, entity_categories[i], text);
    }
    return texts;
}

json_t *normal_component_out(const json_t *from, size_t order)
{
    static const char *const ours[] = {"component_id", "revision", "component_type", "order_index",
                                       NULL};
    json_t *out = json_copy((json_t *)from);
    const char *type = entity_component_type(from);

    drop(out, ours);
    if (type)
        json_object_set_new(out, "type", json_string(type));
    json_object_set_new(out, "order", json_integer((json_int_t)order));
    if (!json_object_get(out, "parameters"))
        json_object_set_new(out, "parameters", json_object());
    if (!json_is_number(json_object_get(out, "confidence")))
        json_object_set_new(out, "confidence", json_real(1.0));
    return out;
}
