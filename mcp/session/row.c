/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/session/row.h"

#include <inttypes.h>
#include <string.h>

#include "helpers/base/json.h"

struct key_flag {
    const char *key;
    unsigned flag;
};

static const struct key_flag component_keys[] = {{"type", ROW_COMPONENT_TYPE},
                                                 {"component_type", ROW_COMPONENT_COMPONENT_TYPE},
                                                 {"parameters", ROW_COMPONENT_PARAMETERS},
                                                 {"confidence", ROW_COMPONENT_CONFIDENCE},
                                                 {"component_id", ROW_ODD},
                                                 {"revision", ROW_ODD},
                                                 {NULL, 0}};
static const struct key_flag node_keys[] = {{"node_id", ROW_NODE_ID},
                                            {"title", ROW_NODE_TITLE},
                                            {"content_category", ROW_NODE_CATEGORY},
                                            {"raw_content", ROW_NODE_RAW_CONTENT},
                                            {"chapter_id", ROW_NODE_CHAPTER_ID},
                                            {"created_at", ROW_NODE_CREATED_AT},
                                            {"last_modified", ROW_NODE_LAST_MODIFIED},
                                            {"session_id", ROW_ODD},
                                            {"suggested_template", ROW_NODE_SEQUENCE_FIELDS},
                                            {"overall_confidence", ROW_NODE_SEQUENCE_FIELDS},
                                            {NULL, 0}};
static const struct key_flag relationship_keys[] = {
    {"from_node_id", ROW_RELATIONSHIP_FROM},
    {"to_node_id", ROW_RELATIONSHIP_TO},
    {"relationship_type", ROW_RELATIONSHIP_TYPE},
    {"explanation", ROW_RELATIONSHIP_EXPLANATION},
    {"created_by", ROW_RELATIONSHIP_CREATED_BY},
    {"confidence_score", ROW_RELATIONSHIP_CONFIDENCE},
    {"created_at", ROW_RELATIONSHIP_CREATED_AT},
    {"id", ROW_ODD},
    {"session_id", ROW_ODD},
    {NULL, 0}};

static unsigned flags_of(const json_t *entry, const struct key_flag *keys)
{
    unsigned flags = 0;

    for (; keys->key; keys++)
        if (json_object_get(entry, keys->key))
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

/* ---- back from it ---- */

/* The body without its closing brace, and a comma when it has a key. */
static bool open_body(struct buf *to, const struct kept *kept)
{
    bool empty = kept->len <= 2;

    buf_add(to, kept->body, kept->len - 1);
    return empty;
}

/* Members on their way into an object: behind its body's in to, or alone, for a tree. */
struct members {
    struct buf *to;
    bool empty; /* no comma is due */
};

static void member(struct members *members, const char *key)
{
    buf_adds(members->to, members->empty ? "\"" : ",\"");
    buf_adds(members->to, key);
    buf_adds(members->to, "\":");
    members->empty = false;
}

static void null_unless(struct members *members, const struct kept *kept, unsigned flag,
                        const char *key)
{
    if (kept->flags & flag)
        return;
    member(members, key);
    buf_adds(members->to, "null");
}

static void number_member(struct members *members, const char *key, int64_t number)
{
    member(members, key);
    buf_addi(members->to, number);
}

/* text: a time or an id of ours, which needs no escapes. */
static void plain_member(struct members *members, const char *key, const char *text)
{
    member(members, key);
    if (!text) {
        buf_adds(members->to, "null");
        return;
    }
    buf_addc(members->to, '"');
    buf_adds(members->to, text);
    buf_addc(members->to, '"');
}

/* The members of a view, from what was kept and from source, which is the view's own. */
typedef void add_fn(struct members *members, const struct kept *kept, const void *source);

static void mirror(json_t *object, const char *one, const char *other)
{
    json_t *value = json_object_get(object, one);

    if (value && !json_object_get(object, other))
        json_object_set(object, other, value);
}

/* The same by way of trees: a member takes the place of the body's key of that name, and a key
 * given once is given twice. */
static int view_tree(struct buf *to, const struct kept *kept, add_fn *add, const void *source,
                     bool mirrored, struct error *err)
{
    struct buf BUF_AUTO text = {0};
    struct members members = {&text, true};
    json_auto_t *object = json_read(kept->body, kept->len, "a kept body", err);
    json_auto_t *added = NULL;

    buf_init(&text, 0);
    buf_addc(&text, '{');
    add(&members, kept, source);
    buf_addc(&text, '}');
    if (!object || buf_check(&text, "a view", err) < 0)
        return -1;
    added = json_read(text.data, text.len, "a view", err);
    if (!added)
        return -1;
    if (mirrored) {
        mirror(object, "type", "component_type");
        mirror(object, "component_type", "type");
        mirror(object, "order", "order_index");
        mirror(object, "order_index", "order");
        json_object_update_missing(object, added);
        json_object_set(object, "component_id", json_object_get(added, "component_id"));
        json_object_set(object, "revision", json_object_get(added, "revision"));
    } else {
        json_object_update(object, added);
    }
    json_write(to, object);
    return 0;
}

/* Body and members as one object, by joining texts. */
static int view(struct buf *to, const struct kept *kept, add_fn *add, const void *source,
                bool mirrored, struct error *err)
{
    struct members members = {to, false};

    if (kept->flags & ROW_ODD)
        return view_tree(to, kept, add, source, mirrored, err);
    members.empty = open_body(to, kept);
    add(&members, kept, source);
    buf_addc(to, '}');
    return 0;
}

void component_export(struct buf *to, const struct kept *kept, int64_t order)
{
    struct members members = {to, false};

    if (!(kept->flags & (ROW_COMPONENT_ORDER | ROW_COMPONENT_ORDER_INDEX))) {
        buf_add(to, kept->body, kept->len);
        return;
    }
    members.empty = open_body(to, kept);
    if (kept->flags & ROW_COMPONENT_ORDER)
        number_member(&members, "order", order);
    if (kept->flags & ROW_COMPONENT_ORDER_INDEX)
        number_member(&members, "order_index", order);
    buf_addc(to, '}');
}

struct component_source {
    int64_t order, revision;
    const char *component_id;
    const struct row_text *type;
};

static void type_member(struct members *members, const char *key, const struct row_text *type)
{
    member(members, key);
    if (type->text)
        json_write_string(members->to, type->text, type->len);
    else
        buf_adds(members->to, "null");
}

static void add_component(struct members *members, const struct kept *kept, const void *from)
{
    const struct component_source *source = from;

    plain_member(members, "component_id", source->component_id);
    number_member(members, "revision", source->revision);
    if (!(kept->flags & ROW_COMPONENT_TYPE))
        type_member(members, "type", source->type);
    if (!(kept->flags & ROW_COMPONENT_COMPONENT_TYPE))
        type_member(members, "component_type", source->type);
    if (!(kept->flags & ROW_COMPONENT_PARAMETERS)) {
        member(members, "parameters");
        buf_adds(members->to, "{}");
    }
    null_unless(members, kept, ROW_COMPONENT_CONFIDENCE, "confidence");
    number_member(members, "order", source->order);
    number_member(members, "order_index", source->order);
}

int component_view(struct buf *to, const struct kept *kept, int64_t order, const char *component_id,
                   int64_t revision, const struct row_text *type, struct error *err)
{
    const struct component_source source = {order, revision, component_id, type};

    return view(to, kept, add_component, &source, true, err);
}

void node_export_begin(struct buf *to, const struct kept *kept, const char *created_at,
                       const char *last_modified, bool *empty)
{
    struct members members = {to, open_body(to, kept)};

    if (kept->flags & ROW_NODE_TIMES) {
        if (created_at && !(kept->flags & ROW_NODE_CREATED_AT))
            plain_member(&members, "created_at", created_at);
        if (last_modified && !(kept->flags & ROW_NODE_LAST_MODIFIED))
            plain_member(&members, "last_modified", last_modified);
    }
    *empty = members.empty;
}

struct node_source {
    const char *sid, *created_at, *last_modified;
};

static void add_node(struct members *members, const struct kept *kept, const void *from)
{
    const struct node_source *source = from;

    plain_member(members, "session_id", source->sid);
    null_unless(members, kept, ROW_NODE_ID, "node_id");
    null_unless(members, kept, ROW_NODE_TITLE, "title");
    null_unless(members, kept, ROW_NODE_CATEGORY, "content_category");
    null_unless(members, kept, ROW_NODE_RAW_CONTENT, "raw_content");
    null_unless(members, kept, ROW_NODE_CHAPTER_ID, "chapter_id");
    if (!(kept->flags & ROW_NODE_CREATED_AT))
        plain_member(members, "created_at", source->created_at);
    if (!(kept->flags & ROW_NODE_LAST_MODIFIED))
        plain_member(members, "last_modified", source->last_modified);
}

int node_view(struct buf *to, const struct kept *kept, const char *sid, const char *created_at,
              const char *last_modified, struct error *err)
{
    const struct node_source source = {sid, created_at, last_modified};

    return view(to, kept, add_node, &source, false, err);
}

struct relationship_source {
    const char *sid;
    int64_t id;
};

static void add_relationship(struct members *members, const struct kept *kept, const void *from)
{
    const struct relationship_source *source = from;

    number_member(members, "id", source->id);
    plain_member(members, "session_id", source->sid);
    null_unless(members, kept, ROW_RELATIONSHIP_FROM, "from_node_id");
    null_unless(members, kept, ROW_RELATIONSHIP_TO, "to_node_id");
    null_unless(members, kept, ROW_RELATIONSHIP_TYPE, "relationship_type");
    null_unless(members, kept, ROW_RELATIONSHIP_EXPLANATION, "explanation");
    null_unless(members, kept, ROW_RELATIONSHIP_CREATED_BY, "created_by");
    null_unless(members, kept, ROW_RELATIONSHIP_CONFIDENCE, "confidence_score");
    null_unless(members, kept, ROW_RELATIONSHIP_CREATED_AT, "created_at");
}

int relationship_view(struct buf *to, const struct kept *kept, const char *sid, int64_t id,
                      struct error *err)
{
    const struct relationship_source source = {sid, id};

    return view(to, kept, add_relationship, &source, false, err);
}
