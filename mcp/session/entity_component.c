/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/session/entity.h"

#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/session/component_type.h"
#include "mcp/session/entity_check.h"
#include "mcp/session/text.h"

/* What the service gives and a client may send back: never kept from a write. */
static const char *const component_service_fields[] = {"order", "order_index", "component_id",
                                                       "revision", NULL};

static const struct field component_rows[] = {
    FIELD("type", FIELD_TEXT, .of = &component_type_names),
    FIELD("component_type", FIELD_TEXT, .of = &component_type_names),
    {.name = "parameters"}, /* component_type_check looks at them */
    ENTITY_SHARE("confidence"),
    {.name = "position", .documentation = "where it is inserted"},
    {.name = "component_id", .documentation = "finds it after its order has changed"},
    {.name = "expected_revision", .documentation = "a stale one is refused with 409"},
    ENTITY_GIVEN_BACK("order"),
    ENTITY_GIVEN_BACK("order_index"),
    ENTITY_GIVEN_BACK("revision"),
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

json_t *entity_component(const json_t *input, const char *loc, struct error *err)
{
    json_t *given = entity_open(input, loc, "component", err);
    json_t *component = NULL;
    json_t *confidence;

    if (!given)
        return NULL;
    if (check_component(given, NULL, NULL, loc, err) != 0)
        goto out;
    entity_drop(given, component_service_fields);
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
    json_t *given = entity_open(changes, "", "change", err);
    json_t *old_parameters = json_incref(json_object_get(component, "parameters"));
    json_auto_t *kept = json_copy(component);
    const json_t *type;
    int rc = -1;

    if (!given)
        goto out;
    if (!kept) {
        error_set(err, ERROR_MEMORY, "out of memory for a component");
        goto out;
    }
    if (check_types_agree(given, "", err) < 0)
        goto out;
    entity_drop(given, component_service_fields);
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
    rc = check_component(component, json_object_get(changes, "parameters"), kept, "", err);
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
