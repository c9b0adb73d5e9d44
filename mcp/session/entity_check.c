/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/session/entity_check.h"

#include "helpers/base/json.h"
#include "mcp/session/entity.h"

void entity_drop(json_t *object, const char *const *keys)
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
json_t *entity_open(const json_t *input, const char *loc, const char *what, struct error *err)
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
