/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/tool/arguments.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"

/* NULL too where the argument is null: models send that for "not given". */
static json_t *get(const struct tool_call *call, const char *name)
{
    json_t *value = json_object_get(call->arguments, name);

    return json_is_null(value) ? NULL : value;
}

int argument_text_or(const struct tool_call *call, const char *name, const char **value,
                     const char *otherwise, struct error *err)
{
    json_t *given = get(call, name);

    *value = otherwise;
    if (!given)
        return 0;
    if (!json_is_string(given))
        return error_set_at(err, name, "%s wants a text, not %s.", name, json_kind(given));
    if (strlen(json_string_value(given)) != json_string_length(given))
        return error_set_at(err, name, "%s must not hold a NUL character.", name);
    *value = json_string_value(given);
    return 0;
}

int argument_text(const struct tool_call *call, const char *name, const char **value,
                  struct error *err)
{
    if (argument_text_or(call, name, value, NULL, err) < 0)
        return -1;
    if (!*value)
        return error_set_at(err, name, "%s needs the argument %s (a text).", call->tool->name,
                            name);
    if (!**value)
        return error_set_at(err, name, "%s must not be empty.", name);
    return 0;
}

int argument_number_or(const struct tool_call *call, const char *name, long *value, long least,
                       long most, long otherwise, struct error *err)
{
    json_t *given = get(call, name);
    bool good = true;
    char *end = NULL;

    *value = otherwise;
    if (!given)
        return 0;
    errno = 0;
    if (json_is_integer(given)) {
        *value = (long)json_integer_value(given);
    } else if (json_is_real(given)) {
        double number = json_real_value(given);

        good = number >= (double)least && number <= (double)most && number == (double)(long)number;
        *value = good ? (long)number : 0;
    } else if (json_is_string(given)) {
        *value = strtol(json_string_value(given), &end, 10);
        good = errno == 0 && end != json_string_value(given) && !*end;
    } else {
        good = false;
    }
    if (good && *value >= least && *value <= most)
        return 0;
    return error_set_at(err, name, "%s wants a whole number from %ld to %ld.", name, least, most);
}

int argument_flag(const struct tool_call *call, const char *name, bool *value, struct error *err)
{
    json_t *given = get(call, name);
    const char *text = json_string_value(given);

    *value = json_is_true(given) || (text && strcmp(text, "true") == 0);
    if (!given || *value || json_is_false(given) || (text && strcmp(text, "false") == 0))
        return 0;
    return error_set_at(err, name, "%s wants true or false, not %s.", name, json_kind(given));
}

int argument_json(const struct tool_call *call, const char *name, json_type type, json_t **value,
                  struct error *err)
{
    const char *wanted = type == JSON_OBJECT ? "an object" : "an array";
    json_t *given = get(call, name);

    *value = NULL;
    if (!given)
        return error_set_at(err, name, "%s needs the argument %s (%s).", call->tool->name, name,
                            wanted);
    if (json_is_string(given)) {
        *value = json_read(json_string_value(given), json_string_length(given), name, err);
        if (!*value)
            return error_set_at(err, name, "%s wants %s, not a text.", name, wanted);
    } else {
        *value = json_incref(given);
    }
    if (json_typeof(*value) == type)
        return 0;
    error_set_at(err, name, "%s wants %s, not %s.", name, wanted, json_kind(*value));
    json_decref(*value);
    *value = NULL;
    return -1;
}

int argument_node(const struct tool_call *call, struct store *store, const char *sid,
                  const char *name, struct buf *found, const char **node_id, struct error *err)
{
    const char *given;

    if (argument_text(call, name, &given, err) < 0)
        return -1;
    return store_node_id(store, sid, given, name, found, node_id, err);
}

int argument_component(const struct tool_call *call, struct store *store, const char *sid,
                       struct buf *found, struct component_ref *ref, struct error *err)
{
    memset(ref, 0, sizeof *ref);
    if (argument_node(call, store, sid, "node_id", found, &ref->node_id, err) < 0 ||
        argument_text_or(call, "component_id", &ref->component_id, NULL, err) < 0 ||
        argument_number_or(call, "component_order", &ref->order, 1, 1000000, 0, err) < 0)
        return -1;
    if (ref->component_id || ref->order > 0)
        return 0;
    return error_set_at(
        err, "component_order",
        "%s needs component_order (1 for the node's first component) or component_id.",
        call->tool->name);
}
