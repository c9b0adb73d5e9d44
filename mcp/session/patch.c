/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/session/patch.h"

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
    json_t *patch = json_object();
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)to, key, value)
    {
        if (add_member(patch, key, json_object_get(from, key), value) != 0)
            goto failed;
    }
    json_object_foreach((json_t *)from, key, value)
    {
        if (!json_object_get(to, key) && json_object_set_new(patch, key, json_null()) != 0)
            goto failed;
    }
    return patch;
failed:
    json_decref(patch);
    return NULL;
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
