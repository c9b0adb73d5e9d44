/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/curriculum/json_difference.h"

/* ---- equivalence ---- */

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

/* ---- merge patches ---- */

static int add_member(json_t *patch, const char *key, const json_t *from, const json_t *to)
{
    json_t *inner;

    if (from && json_equal((json_t *)from, (json_t *)to))
        return 0;
    inner = json_is_object(to) && json_is_object(from) ? patch_make(from, to) : json_deep_copy(to);
    return json_object_set_new(patch, key, inner);
}

static json_t *make(const json_t *from, const json_t *to)
{
    json_auto_t *patch = json_object();
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)to, key, value)
    {
        if (add_member(patch, key, json_object_get(from, key), value) != 0)
            return NULL;
    }
    json_object_foreach((json_t *)from, key, value)
    {
        if (!json_object_get(to, key) && json_object_set_new(patch, key, json_null()) != 0)
            return NULL;
    }
    return json_incref(patch);
}

json_t *patch_make(const json_t *from, const json_t *to)
{
    json_auto_t *patch = NULL, *made = NULL;

    if (!json_is_object(from) || !json_is_object(to))
        return NULL;
    patch = make(from, to);
    made = patch ? patch_apply(from, patch) : NULL;
    /* The proof is cheaper than the rules for what a patch cannot say. */
    return made && json_equal(made, (json_t *)to) ? json_incref(patch) : NULL;
}

json_t *patch_apply(const json_t *value, const json_t *patch)
{
    json_t *result, *member;
    const char *key;

    if (!json_is_object(patch))
        return json_deep_copy(patch);
    result = json_is_object(value) ? json_copy((json_t *)value) : json_object();
    json_object_foreach((json_t *)patch, key, member)
    {
        if (json_is_null(member)) {
            json_object_del(result, key);
        } else if (json_object_set_new(result, key,
                                       patch_apply(json_object_get(result, key), member)) != 0) {
            json_decref(result);
            return NULL;
        }
    }
    return result;
}
