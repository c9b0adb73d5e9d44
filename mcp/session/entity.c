/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/session/entity.h"

#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/session/component_type.h"
#include "mcp/session/problems.h"
#include "mcp/session/store.h"
#include "mcp/session/text.h"

const char *const entity_categories[] = {"explanation", "real_world_example", "textbook_content",
                                         "memory_trick", NULL};

/* What the service gives and a client may send back: never kept from a write. */
static const char *const node_service_fields[] = {"session_id", "created_at", "last_modified",
                                                  NULL};
static const char *const component_service_fields[] = {"order", "order_index", "component_id",
                                                       "revision", NULL};
static const char *const relationship_service_fields[] = {"id", "session_id", "created_at", NULL};

static void drop(json_t *object, const char *const *keys)
{
    for (size_t i = 0; keys[i]; i++)
        json_object_del(object, keys[i]);
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

/* An object to work on: a copy of input whose values are shared. */
static json_t *open_input(const json_t *input, const char *loc, const char *what, struct error *err)
{
    json_t *copy;

    if (!json_is_object(input)) {
        error_set_at(err, loc, "%s%sa %s must be a JSON object", loc, *loc ? ": " : "", what);
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

static void check_id(struct problems *problems, const char *field, const json_t *value)
{
    const char *text = json_string_value(value);
    size_t len = json_string_length(value);

    if (!text || len == 0) {
        problems_add(problems, field, "is needed, send text such as \"N003\"");
        return;
    }
    if (len > NODE_ID_MAX)
        problems_add(problems, field, "is longer than %d bytes", NODE_ID_MAX);
    for (size_t i = 0; i < len; i++) {
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7F) {
            problems_add(problems, field, "holds a control character");
            return;
        }
    }
}

static void check_title(struct problems *problems, const json_t *value)
{
    size_t len = json_string_length(value);

    if (!json_is_string(value) || len == 0)
        problems_add(problems, "title", "is needed, send text");
    else if (len > TITLE_MAX)
        problems_add(problems, "title", "is longer than %d bytes", TITLE_MAX);
    else if (memchr(json_string_value(value), '\0', len))
        problems_add(problems, "title", "holds a NUL character");
}

/* Text, null or nothing. */
static void check_optional_text(struct problems *problems, const char *field, const json_t *value)
{
    if (!value || json_is_null(value))
        return;
    if (!json_is_string(value))
        problems_add(problems, field, "must be text or null");
    else if (json_string_length(value) > TEXT_MAX)
        problems_add(problems, field, "is longer than %zu bytes", TEXT_MAX);
}

static void check_share(struct problems *problems, const char *field, const json_t *value)
{
    double number = json_number_value(value);

    if (!value || json_is_null(value))
        return;
    if (!json_is_number(value) || number < 0 || number > 1)
        problems_add(problems, field, "must be a number from 0 to 1");
}

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

static void check_texts(struct problems *problems, const json_t *object)
{
    for (size_t i = 0; entity_categories[i]; i++)
        check_optional_text(problems, entity_categories[i],
                            json_object_get(object, entity_categories[i]));
}

json_t *entity_node(const json_t *input, struct error *err)
{
    json_t *node = open_input(input, "", "node", err);
    const json_t *chapter = json_object_get(input, "chapter_id");
    struct problems problems;

    if (!node)
        return NULL;
    problems_begin(&problems, "");
    check_id(&problems, "node_id", json_object_get(node, "node_id"));
    check_title(&problems, json_object_get(node, "title"));
    check_optional_text(&problems, "raw_content", json_object_get(node, "raw_content"));
    if (chapter && !json_is_integer(chapter) && !json_is_null(chapter))
        problems_add(&problems, "chapter_id", "must be a whole number or null");
    check_category(&problems, json_object_get(node, "content_category"));
    check_texts(&problems, node);
    if (json_object_get(node, "components"))
        problems_add(&problems, "components",
                     "cannot come with a new node: create the node, then add its components");
    if (problems_end(&problems, NULL, err) != 0) {
        json_decref(node);
        return NULL;
    }
    drop(node, node_service_fields);
    return node;
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

/* ---- components ---- */

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

static int check_component(const json_t *component, const char *loc, struct error *err)
{
    struct problems problems;
    struct faults each;
    struct error found = {.faults = faults_clear(&each)};

    problems_begin(&problems, loc);
    if (check_types_agree(component, loc, &found) != 0)
        problems_take(&problems, &found);
    if (component_type_check(entity_component_type(component),
                             json_object_get(component, "parameters"), loc, &found) != 0)
        problems_take(&problems, &found);
    check_share(&problems, "confidence", json_object_get(component, "confidence"));
    return problems_end(&problems, NULL, err);
}

json_t *entity_component(const json_t *input, const char *loc, struct error *err)
{
    json_t *given = open_input(input, loc, "component", err);
    json_t *component = NULL;
    json_t *confidence;

    if (!given)
        return NULL;
    if (check_component(given, loc, err) != 0)
        goto out;
    drop(given, component_service_fields);
    confidence = json_object_get(given, "confidence");
    component =
        json_pack("{s:s, s:s, s:O, s:O*}", "type", entity_component_type(given), "component_type",
                  entity_component_type(given), "parameters", json_object_get(given, "parameters"),
                  "confidence", json_is_number(confidence) ? confidence : NULL);
    if (component && !json_is_number(confidence))
        json_object_set_new(component, "confidence", json_real(1.0));
    if (!component || json_object_update_missing(component, given) != 0) {
        json_decref(component);
        component = NULL;
        error_set(err, ERROR_MEMORY, "out of memory for a component");
    }
out:
    json_decref(given);
    return component;
}

/* Sets the type in the keys the component has for it, both where it has none. */
static void set_type(json_t *component, const json_t *type)
{
    bool has_type = json_object_get(component, "type") != NULL;
    bool has_component_type = json_object_get(component, "component_type") != NULL;

    if (has_type || !has_component_type)
        json_object_set(component, "type", (json_t *)type);
    if (has_component_type || !has_type)
        json_object_set(component, "component_type", (json_t *)type);
}

/* Curriculum files repeat a component's main text in `content`; a copy left behind would tell
 * another story than the text. */
static void follow_content(json_t *component, const json_t *old_parameters,
                           const json_t *parameters)
{
    const json_t *content = json_object_get(component, "content");
    const char *key;
    json_t *old;

    if (!json_is_string(content) || json_string_length(content) == 0)
        return;
    json_object_foreach((json_t *)old_parameters, key, old)
    {
        json_t *now = json_object_get(parameters, key);

        if (json_is_string(now) && json_equal(old, (json_t *)content) && !json_equal(old, now)) {
            json_object_set(component, "content", now);
            return;
        }
    }
}

static json_t *changed_parameters(const json_t *old, const json_t *changes, bool merge)
{
    json_t *given = json_object_get(changes, "parameters");
    json_t *merged;

    if (!merge || !json_is_object(old) || !json_is_object(given))
        return json_incref(given);
    merged = json_copy((json_t *)old);
    if (merged && json_object_update(merged, given) != 0) {
        json_decref(merged);
        return NULL;
    }
    return merged;
}

int entity_component_change(json_t *component, const json_t *changes, bool merge, struct error *err)
{
    json_t *given = open_input(changes, "", "change", err);
    json_t *old_parameters = json_incref(json_object_get(component, "parameters"));
    const json_t *type;
    int rc = -1;

    if (!given)
        goto out;
    if (check_types_agree(given, "", err) != 0)
        goto out;
    drop(given, component_service_fields);
    type = json_object_get(given, "type");
    if (!type)
        type = json_object_get(given, "component_type");
    if (type)
        set_type(component, type);
    json_object_del(given, "component_type");
    json_object_del(given, "type");
    if (json_object_get(given, "parameters")) {
        json_t *parameters = changed_parameters(old_parameters, given, merge);

        if (!parameters) {
            error_set(err, ERROR_MEMORY, "out of memory for a component's parameters");
            goto out;
        }
        if (!json_object_get(given, "content"))
            follow_content(component, old_parameters, parameters);
        json_object_set_new(component, "parameters", parameters);
        json_object_del(given, "parameters");
    }
    if (json_is_null(json_object_get(given, "confidence")))
        json_object_del(given, "confidence");
    if (json_object_update(component, given) != 0) {
        error_set(err, ERROR_MEMORY, "out of memory for a component");
        goto out;
    }
    rc = check_component(component, "", err);
out:
    json_decref(old_parameters);
    json_decref(given);
    return rc;
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

json_t *entity_relationship(const json_t *input, const char *who, const char *now,
                            struct error *err)
{
    json_t *given = open_input(input, "", "relationship", err);
    json_t *relationship = NULL;
    const json_t *type, *from, *to;
    struct problems problems;
    struct faults each;
    struct error found = {.faults = faults_clear(&each)};

    if (!given)
        return NULL;
    problems_begin(&problems, "");
    from = json_object_get(given, "from_node_id");
    to = json_object_get(given, "to_node_id");
    check_id(&problems, "from_node_id", from);
    check_id(&problems, "to_node_id", to);
    if (json_is_string(from) && json_equal((json_t *)from, (json_t *)to))
        problems_add(&problems, "to_node_id", "is the node itself, a relationship needs two nodes");
    type = json_object_get(given, "relationship_type");
    if (type && !json_is_null(type) &&
        relationship_type_check(json_string_value(type), "relationship_type", &found) != 0)
        problems_take(&problems, &found);
    check_optional_text(&problems, "explanation", json_object_get(given, "explanation"));
    check_optional_text(&problems, "created_by", json_object_get(given, "created_by"));
    check_share(&problems, "confidence_score", json_object_get(given, "confidence_score"));
    if (problems_end(&problems, NULL, err) != 0)
        goto out;
    drop(given, relationship_service_fields);
    if (!json_is_string(type))
        json_object_set_new(given, "relationship_type", json_string(relationship_types[0]));
    if (!json_is_string(json_object_get(given, "explanation")))
        json_object_set_new(given, "explanation", json_string(""));
    if (!json_is_string(json_object_get(given, "created_by")))
        json_object_set_new(given, "created_by", json_string(who));
    if (!json_is_number(json_object_get(given, "confidence_score")))
        json_object_set_new(given, "confidence_score", json_real(1.0));
    json_object_set_new(given, "created_at", json_string(now));
    relationship = json_incref(given);
out:
    json_decref(given);
    return relationship;
}
