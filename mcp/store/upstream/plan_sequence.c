/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From one sequence of components to another by one request: the smallest that the service has for
 * it, else the whole sequence. One request is done or not done: nothing of a node is half-way.
 */
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/session/json_difference.h"
#include "mcp/store/upstream/normal.h"
#include "mcp/store/upstream/remote.h"

static const char *id_at(const json_t *list, size_t i)
{
    return json_get_string(json_array_get(list, i), "component_id");
}

static bool same_id(const json_t *one, size_t i, const json_t *other, size_t n)
{
    return strcmp(id_at(one, i), id_at(other, n)) == 0;
}

static bool same_content(const json_t *one, size_t i, const json_t *other, size_t n)
{
    json_auto_t *left = normal_component_out(json_array_get(one, i), 1);
    json_auto_t *right = normal_component_out(json_array_get(other, n), 1);

    return json_equivalent(left, right);
}

static bool same_both(const json_t *one, size_t i, const json_t *other, size_t n)
{
    return same_id(one, i, other, n) && same_content(one, i, other, n);
}

/* How many at the beginning are the same; at the end, of what is left. */
static size_t same_before(const json_t *one, const json_t *other)
{
    size_t i = 0;

    while (i < json_array_size(one) && i < json_array_size(other) && same_both(one, i, other, i))
        i++;
    return i;
}

static size_t same_behind(const json_t *one, const json_t *other, size_t before)
{
    size_t left = json_array_size(one), right = json_array_size(other), count = 0;

    while (left > before && right > before && same_both(one, left - 1, other, right - 1)) {
        left--;
        right--;
        count++;
    }
    return count;
}

static json_t *whole(const char *node_id, const json_t *list, const json_t *fields)
{
    json_t *components = json_array(), *body;

    for (size_t i = 0; i < json_array_size(list); i++)
        json_array_append_new(components, normal_component_out(json_array_get(list, i), i + 1));
    body = json_pack("{s:s, s:o}", "node_id", node_id, "components", components);
    json_object_update(body, (json_t *)fields);
    return body;
}

static json_t *post_back(const char *node_id, const json_t *before, const json_t *fields)
{
    return json_pack("[{s:s, s:s, s:o}]", "method", "POST", "suffix", "", "body",
                     whole(node_id, before, fields));
}

static json_t *put_one(size_t at, const json_t *before, const json_t *after)
{
    char suffix[32];

    snprintf(suffix, sizeof suffix, "/%zu", at + 1);
    return json_pack("{s:s, s:s, s:o, s:[{s:s, s:s, s:o}]}", "method", "PUT", "suffix", suffix,
                     "body", normal_component_out(json_array_get(after, at), at + 1), "back",
                     "method", "PUT", "suffix", suffix, "body",
                     normal_component_out(json_array_get(before, at), at + 1));
}

static json_t *insert_one(size_t at, const json_t *after)
{
    json_t *body = normal_component_out(json_array_get(after, at), at + 1);
    char suffix[32];

    json_object_del(body, "order");
    json_object_set_new(body, "position", json_integer((json_int_t)at + 1));
    snprintf(suffix, sizeof suffix, "/%zu", at + 1);
    return json_pack("{s:s, s:s, s:o, s:[{s:s, s:s}]}", "method", "POST", "suffix", "/insert",
                     "body", body, "back", "method", "DELETE", "suffix", suffix);
}

/* The old places in their new sequence, or NULL where something else changed too. */
static json_t *new_order(const json_t *before, const json_t *after)
{
    json_t *order = json_array();

    for (size_t i = 0; i < json_array_size(after); i++) {
        size_t at = 0;

        while (at < json_array_size(before) && !same_id(before, at, after, i))
            at++;
        if (at == json_array_size(before) || !same_content(before, at, after, i)) {
            json_decref(order);
            return NULL;
        }
        json_array_append_new(order, json_integer((json_int_t)at + 1));
    }
    return order;
}

json_t *plan_sequence(unsigned can, const char *node_id, const json_t *before, const json_t *after,
                      const json_t *fields)
{
    size_t old = json_array_size(before), new = json_array_size(after);
    size_t head = same_before(before, after), tail = same_behind(before, after, head);
    json_t *order = NULL;
    char suffix[32];

    if (old == new &&head == new)
        return json_null();
    if ((can & CAN_PUT_ONE) &&
        old == new &&head + tail + 1 == new &&same_id(before, head, after, head))
        return put_one(head, before, after);
    if ((can & CAN_INSERT) && new == old + 1 && head + tail == old)
        return insert_one(head, after);
    if ((can & CAN_DELETE_ONE) && old == new + 1 && head + tail == new) {
        snprintf(suffix, sizeof suffix, "/%zu", head + 1);
        return json_pack("{s:s, s:s, s:o}", "method", "DELETE", "suffix", suffix, "back",
                         post_back(node_id, before, fields));
    }
    if ((can & CAN_REORDER) && old == new)
        order = new_order(before, after);
    if (order) /* the bare array: every service takes that */
        return json_pack("{s:s, s:s, s:o, s:o}", "method", "POST", "suffix", "/reorder", "body",
                         order, "back", post_back(node_id, before, fields));
    return json_pack("{s:s, s:s, s:o, s:o}", "method", "POST", "suffix", "", "body",
                     whole(node_id, after, fields), "back", post_back(node_id, before, fields));
}
