/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/curriculum/row.h"

#include <inttypes.h>
#include <string.h>

#include "helpers/base/json.h"

/* The keys of the API that a body may have. What it has not is null in a view, where `null` says
 * so. */
struct row_key {
    const char *name;
    unsigned flag;
    bool null;
};

static const struct row_key component_keys[] = {
    {"type", ROW_COMPONENT_TYPE, false},
    {"component_type", ROW_COMPONENT_COMPONENT_TYPE, false},
    {"parameters", ROW_COMPONENT_PARAMETERS, false},
    {"confidence", ROW_COMPONENT_CONFIDENCE, true},
    {"component_id", ROW_ODD, false},
    {"revision", ROW_ODD, false},
    {NULL, 0, false}};
static const struct row_key node_keys[] = {{"node_id", ROW_NODE_ID, true},
                                           {"title", ROW_NODE_TITLE, true},
                                           {"content_category", ROW_NODE_CATEGORY, true},
                                           {"raw_content", ROW_NODE_RAW_CONTENT, true},
                                           {"chapter_id", ROW_NODE_CHAPTER_ID, true},
                                           {"created_at", ROW_NODE_CREATED_AT, false},
                                           {"last_modified", ROW_NODE_LAST_MODIFIED, false},
                                           {"session_id", ROW_ODD, false},
                                           {"suggested_template", ROW_NODE_SEQUENCE_FIELDS, false},
                                           {"overall_confidence", ROW_NODE_SEQUENCE_FIELDS, false},
                                           {NULL, 0, false}};
static const struct row_key relationship_keys[] = {
    {"from_node_id", ROW_RELATIONSHIP_FROM, true},
    {"to_node_id", ROW_RELATIONSHIP_TO, true},
    {"relationship_type", ROW_RELATIONSHIP_TYPE, true},
    {"explanation", ROW_RELATIONSHIP_EXPLANATION, true},
    {"created_by", ROW_RELATIONSHIP_CREATED_BY, true},
    {"confidence_score", ROW_RELATIONSHIP_CONFIDENCE, true},
    {"created_at", ROW_RELATIONSHIP_CREATED_AT, true},
    {"id", ROW_ODD, false},
    {"session_id", ROW_ODD, false},
    {NULL, 0, false}};

static unsigned flags_of(const json_t *entry, const struct row_key *keys)
{
    unsigned flags = 0;

    for (; keys->name; keys++)
        if (json_object_get(entry, keys->name))
            flags |= keys->flag;
    return flags;
}

static void take_text(struct row_text *to, const json_t *value)
{
    to->text = json_string_value(value);
    to->len = json_string_length(value);
}

static void write_body(struct buf *body, const json_t *entry)
{
    buf_clear(body);
    json_write(body, entry);
}

/* ---- towards the database ---- */

static void read_order(const json_t *value, struct row_order *order)
{
    if (json_is_integer(value)) {
        order->kind = ORDER_INTEGER;
        order->integer = json_integer_value(value);
    } else if (json_is_real(value)) {
        order->kind = ORDER_REAL;
        order->real = json_real_value(value);
    }
}

void component_row(json_t *entry, struct buf *body, struct component_row *row)
{
    json_t *order = json_incref(json_object_get(entry, "order"));
    json_t *order_index = json_incref(json_object_get(entry, "order_index"));
    json_t *type = json_object_get(entry, "component_type");
    bool plain;

    memset(row, 0, sizeof *row);
    if (!json_is_object(entry)) {
        row->flags = ROW_RAW;
        write_body(body, entry);
        return;
    }
    row->flags = flags_of(entry, component_keys);
    if (!type)
        type = json_object_get(entry, "type");
    take_text(&row->type, type);
    if (type && !row->type.text)
        row->flags |= ROW_ODD;
    read_order(order ? order : order_index, &row->order);
    plain = (!order || json_is_integer(order)) && (!order_index || json_is_integer(order_index)) &&
            (!order || !order_index || json_equal(order, order_index));
    if (plain) {
        row->flags |=
            (order ? ROW_COMPONENT_ORDER : 0) | (order_index ? ROW_COMPONENT_ORDER_INDEX : 0);
        json_object_del(entry, "order");
        json_object_del(entry, "order_index");
    } else {
        row->flags |= ROW_ODD;
    }
    write_body(body, entry);
    if (plain && order)
        json_object_set(entry, "order", order);
    if (plain && order_index)
        json_object_set(entry, "order_index", order_index);
    json_decref(order);
    json_decref(order_index);
}

/* What an outline groups by: the first of these that is there. */
static void read_grouping(const json_t *entry, struct node_row *row)
{
    static const char *const keys[] = {"chapter", "section", "chapter_id", "node_type", NULL};

    for (size_t i = 0; keys[i]; i++) {
        const json_t *value = json_object_get(entry, keys[i]);

        if (json_is_string(value) && json_string_length(value) > 0) {
            take_text(&row->grouping, value);
            return;
        }
        if (json_is_integer(value)) {
            row->chapter_number = true;
            row->chapter = json_integer_value(value);
            return;
        }
    }
}

void node_row(json_t *entry, struct buf *body, struct node_row *row)
{
    json_t *components = json_object_get(entry, "components");

    memset(row, 0, sizeof *row);
    if (!json_is_object(entry)) {
        row->flags = ROW_RAW;
        write_body(body, entry);
        return;
    }
    row->flags = flags_of(entry, node_keys);
    take_text(&row->node_id, json_object_get(entry, "node_id"));
    take_text(&row->title, json_object_get(entry, "title"));
    read_grouping(entry, row);
    if (!json_is_array(components)) {
        row->flags |= components ? ROW_NODE_COMPONENTS_ODD : 0;
        write_body(body, entry);
        return;
    }
    row->flags |= ROW_NODE_COMPONENTS;
    json_incref(components);
    json_object_del(entry, "components");
    write_body(body, entry);
    json_object_set_new(entry, "components", components);
}

void relationship_row(const json_t *entry, struct buf *body, struct relationship_row *row)
{
    memset(row, 0, sizeof *row);
    write_body(body, entry);
    if (!json_is_object(entry)) {
        row->flags = ROW_RAW;
        return;
    }
    row->flags = flags_of(entry, relationship_keys);
    take_text(&row->from, json_object_get(entry, "from_node_id"));
    take_text(&row->to, json_object_get(entry, "to_node_id"));
    take_text(&row->type, json_object_get(entry, "relationship_type"));
}

/* ---- back from it: the members of a view are joined to the text of the body ---- */

/* Members on their way into an object. */
struct members {
    struct buf *to;
    const struct kept *kept;
    bool empty;   /* no comma is due */
    size_t start; /* of the object in to */
};

/* The body without its closing brace; members of an odd one are written alone first. */
static struct members open_body(struct buf *to, const struct kept *kept, bool odd)
{
    struct members members = {to, kept, odd || kept->len <= 2, to->len};

    if (odd)
        buf_addc(to, '{');
    else
        buf_add(to, kept->body, kept->len - 1);
    return members;
}

static void add_key(struct members *members, const char *key)
{
    buf_adds(members->to, members->empty ? "\"" : ",\"");
    buf_adds(members->to, key);
    buf_adds(members->to, "\":");
    members->empty = false;
}

static void add_nulls(struct members *members, const struct row_key *keys)
{
    for (; keys->name; keys++) {
        if (!keys->null || (members->kept->flags & keys->flag))
            continue;
        add_key(members, keys->name);
        buf_adds(members->to, "null");
    }
}

static void add_number(struct members *members, const char *key, int64_t number)
{
    add_key(members, key);
    buf_addi(members->to, number);
}

/* text: a time or an id of ours, which needs no escapes. */
static void add_plain(struct members *members, const char *key, const char *text)
{
    add_key(members, key);
    if (!text) {
        buf_adds(members->to, "null");
        return;
    }
    buf_addc(members->to, '"');
    buf_adds(members->to, text);
    buf_addc(members->to, '"');
}

/* ---- odd bodies, by way of trees: a member takes the place of the body's key of that name, and a
 * key given once is given twice ---- */

static void mirror(json_t *object, const char *one, const char *other)
{
    json_t *value = json_object_get(object, one);

    if (value && !json_object_get(object, other))
        json_object_set(object, other, value);
}

static void join_component(json_t *object, json_t *added)
{
    mirror(object, "type", "component_type");
    mirror(object, "component_type", "type");
    mirror(object, "order", "order_index");
    mirror(object, "order_index", "order");
    json_object_update_missing(object, added);
    json_object_set(object, "component_id", json_object_get(added, "component_id"));
    json_object_set(object, "revision", json_object_get(added, "revision"));
}

/* Puts the whole in place of the members. */
static int join_trees(struct members *members, bool component, struct error *err)
{
    struct buf *to = members->to;
    json_auto_t *object = json_read(members->kept->body, members->kept->len, "a kept body", err);
    json_auto_t *added = NULL;

    if (!object || buf_check(to, "a view", err) < 0)
        return -1;
    added = json_read(to->data + members->start, to->len - members->start, "a view", err);
    if (!added)
        return -1;
    to->len = members->start;
    if (component)
        join_component(object, added);
    else
        json_object_update(object, added);
    json_write(to, object);
    return 0;
}

static int close_view(struct members *members, bool component, struct error *err)
{
    buf_addc(members->to, '}');
    return members->kept->flags & ROW_ODD ? join_trees(members, component, err) : 0;
}

/* ---- components ---- */

void component_export(struct buf *to, const struct kept *kept, int64_t order)
{
    struct members members;

    if (!(kept->flags & (ROW_COMPONENT_ORDER | ROW_COMPONENT_ORDER_INDEX))) {
        buf_add(to, kept->body, kept->len);
        return;
    }
    members = open_body(to, kept, false);
    if (kept->flags & ROW_COMPONENT_ORDER)
        add_number(&members, "order", order);
    if (kept->flags & ROW_COMPONENT_ORDER_INDEX)
        add_number(&members, "order_index", order);
    buf_addc(to, '}');
}

static void add_type(struct members *members, const char *key, unsigned flag,
                     const struct row_text *type)
{
    if (members->kept->flags & flag)
        return;
    add_key(members, key);
    if (type->text)
        json_write_string(members->to, type->text, type->len);
    else
        buf_adds(members->to, "null");
}

int component_view(struct buf *to, const struct kept *kept, int64_t order, const char *component_id,
                   int64_t revision, const struct row_text *type, struct error *err)
{
    struct members members = open_body(to, kept, kept->flags & ROW_ODD);

    add_plain(&members, "component_id", component_id);
    add_number(&members, "revision", revision);
    add_type(&members, "type", ROW_COMPONENT_TYPE, type);
    add_type(&members, "component_type", ROW_COMPONENT_COMPONENT_TYPE, type);
    if (!(kept->flags & ROW_COMPONENT_PARAMETERS)) {
        add_key(&members, "parameters");
        buf_adds(to, "{}");
    }
    add_nulls(&members, component_keys);
    add_number(&members, "order", order);
    add_number(&members, "order_index", order);
    return close_view(&members, true, err);
}

/* ---- nodes and relationships ---- */

void node_export_begin(struct buf *to, const struct kept *kept, const char *created_at,
                       const char *last_modified, bool *empty)
{
    struct members members = open_body(to, kept, false);
    bool times = kept->flags & ROW_NODE_TIMES;

    if (times && created_at && !(kept->flags & ROW_NODE_CREATED_AT))
        add_plain(&members, "created_at", created_at);
    if (times && last_modified && !(kept->flags & ROW_NODE_LAST_MODIFIED))
        add_plain(&members, "last_modified", last_modified);
    *empty = members.empty;
}

int node_view(struct buf *to, const struct kept *kept, const char *sid, const char *created_at,
              const char *last_modified, struct error *err)
{
    struct members members = open_body(to, kept, kept->flags & ROW_ODD);

    add_plain(&members, "session_id", sid);
    add_nulls(&members, node_keys);
    if (!(kept->flags & ROW_NODE_CREATED_AT))
        add_plain(&members, "created_at", created_at);
    if (!(kept->flags & ROW_NODE_LAST_MODIFIED))
        add_plain(&members, "last_modified", last_modified);
    return close_view(&members, false, err);
}

int relationship_view(struct buf *to, const struct kept *kept, const char *sid, int64_t id,
                      struct error *err)
{
    struct members members = open_body(to, kept, kept->flags & ROW_ODD);

    add_number(&members, "id", id);
    add_plain(&members, "session_id", sid);
    add_nulls(&members, relationship_keys);
    return close_view(&members, false, err);
}
