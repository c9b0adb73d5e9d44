/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/session/entity_check.h"

#include <string.h>

#include "mcp/session/entity.h"
#include "mcp/session/store.h"

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

void entity_check_id(struct problems *problems, const char *field, const json_t *value)
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

void entity_check_title(struct problems *problems, const json_t *value)
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
void entity_check_text(struct problems *problems, const char *field, const json_t *value)
{
    if (!value || json_is_null(value))
        return;
    if (!json_is_string(value))
        problems_add(problems, field, "must be text or null");
    else if (json_string_length(value) > TEXT_MAX)
        problems_add(problems, field, "is longer than %zu bytes", TEXT_MAX);
}

void entity_check_share(struct problems *problems, const char *field, const json_t *value)
{
    double number = json_number_value(value);

    if (!value || json_is_null(value))
        return;
    if (!json_is_number(value) || number < 0 || number > 1)
        problems_add(problems, field, "must be a number from 0 to 1");
}
