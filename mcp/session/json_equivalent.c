/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/session/json_equivalent.h"

static bool nothing(const json_t *value)
{
    return !value || json_is_null(value);
}

static bool same_objects(const json_t *one, const json_t *other)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)one, key, value)
    {
        if (!json_equivalent(value, json_object_get(other, key)))
            return false;
    }
    json_object_foreach((json_t *)other, key, value)
    {
        if (!nothing(value) && !json_object_get(one, key))
            return false;
    }
    return true;
}

static bool same_arrays(const json_t *one, const json_t *other)
{
    if (json_array_size(one) != json_array_size(other))
        return false;
    for (size_t i = 0; i < json_array_size(one); i++)
        if (!json_equivalent(json_array_get(one, i), json_array_get(other, i)))
            return false;
    return true;
}

/* The depth is bounded by what json_read takes. */
bool json_equivalent(const json_t *one, const json_t *other) /* NOLINT(misc-no-recursion) */
{
    if (nothing(one) || nothing(other))
        return nothing(one) && nothing(other);
    if (json_is_number(one) && json_is_number(other) && json_typeof(one) != json_typeof(other))
        return json_number_value(one) == json_number_value(other);
    if (json_is_object(one) && json_is_object(other))
        return same_objects(one, other);
    if (json_is_array(one) && json_is_array(other))
        return same_arrays(one, other);
    return json_equal((json_t *)one, (json_t *)other);
}
