/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/session/row.h"

#include <inttypes.h>
#include <string.h>

#include "helpers/base/json.h"

struct key_flag {
    const char *key;
    unsigned flag;
};

static const struct key_flag component_keys[] = {{"type", COMPONENT_TYPE},
                                                 {"component_type", COMPONENT_COMPONENT_TYPE},
                                                 {"parameters", COMPONENT_PARAMETERS},
                                                 {"confidence", COMPONENT_CONFIDENCE},
                                                 {"component_id", ROW_ODD},
                                                 {"revision", ROW_ODD},
                                                 {NULL, 0}};
static const struct key_flag node_keys[] = {{"node_id", NODE_ID},
                                            {"title", NODE_TITLE},
                                            {"content_category", NODE_CATEGORY},
                                            {"raw_content", NODE_RAW_CONTENT},
                                            {"chapter_id", NODE_CHAPTER_ID},
                                            {"created_at", NODE_CREATED_AT},
                                            {"last_modified", NODE_LAST_MODIFIED},
                                            {"session_id", ROW_ODD},
                                            {"suggested_template", NODE_SEQUENCE_FIELDS},
                                            {"overall_confidence", NODE_SEQUENCE_FIELDS},
                                            {NULL, 0}};
static const struct key_flag relationship_keys[] = {{"from_node_id", RELATIONSHIP_FROM},
                                                    {"to_node_id", RELATIONSHIP_TO},
                                                    {"relationship_type", RELATIONSHIP_TYPE},
                                                    {"explanation", RELATIONSHIP_EXPLANATION},
                                                    {"created_by", RELATIONSHIP_CREATED_BY},
                                                    {"confidence_score", RELATIONSHIP_CONFIDENCE},
                                                    {"created_at", RELATIONSHIP_CREATED_AT},
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
        row->flags |= (order ? COMPONENT_ORDER : 0) | (order_index ? COMPONENT_ORDER_INDEX : 0);
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
        row->flags |= components ? NODE_COMPONENTS_ODD : 0;
        write_body(body, entry);
        return;
    }
    row->flags |= NODE_COMPONENTS;
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

/* Body and members, which are texts such as "\"a\":1,\"b\":2", as one object. */
static void splice(struct buf *to, const struct kept *kept, const struct buf *members)
{
    bool empty = open_body(to, kept);

    if (!empty && members->len > 0)
        buf_addc(to, ',');
    if (members->len > 0)
        buf_add(to, members->data, members->len);
    buf_addc(to, '}');
}

static void member(struct buf *members, const char *key)
{
    buf_adds(members, members->len > 0 ? ",\"" : "\"");
    buf_adds(members, key);
    buf_adds(members, "\":");
}

static void null_unless(struct buf *members, const struct kept *kept, unsigned flag,
                        const char *key)
{
    if (kept->flags & flag)
        return;
    member(members, key);
    buf_adds(members, "null");
}

static void time_member(struct buf *members, const char *key, const char *time)
{
    member(members, key);
    if (time)
        json_write_string(members, time, strlen(time));
    else
        buf_adds(members, "null");
}

static void mirror(json_t *object, const char *one, const char *other)
{
    json_t *value = json_object_get(object, one);

    if (value && !json_object_get(object, other))
        json_object_set(object, other, value);
}

/* The same by way of trees: a member takes the place of the body's key of that name, and a key
 * given once is given twice. */
static int splice_tree(struct buf *to, const struct kept *kept, const struct buf *members,
                       bool mirrored, struct error *err)
{
    struct buf text BUF_AUTO = {0};
    json_auto_t *object = json_read(kept->body, kept->len, "a kept body", err);
    json_auto_t *added = NULL;

    buf_init(&text, 0);
    buf_addc(&text, '{');
    buf_add(&text, members->data, members->len);
    buf_addc(&text, '}');
    if (!object || buf_check(&text, "a view", err) != 0)
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

void component_export(struct buf *to, const struct kept *kept, int64_t order)
{
    bool empty;

    if (!(kept->flags & (COMPONENT_ORDER | COMPONENT_ORDER_INDEX))) {
        buf_add(to, kept->body, kept->len);
        return;
    }
    empty = open_body(to, kept);
    if (kept->flags & COMPONENT_ORDER) {
        buf_addf(to, "%s\"order\":%" PRId64, empty ? "" : ",", order);
        empty = false;
    }
    if (kept->flags & COMPONENT_ORDER_INDEX)
        buf_addf(to, "%s\"order_index\":%" PRId64, empty ? "" : ",", order);
    buf_addc(to, '}');
}

static void type_member(struct buf *members, const char *key, const struct row_text *type)
{
    member(members, key);
    if (type->text)
        json_write_string(members, type->text, type->len);
    else
        buf_adds(members, "null");
}

int component_view(struct buf *to, const struct kept *kept, int64_t order, const char *component_id,
                   int64_t revision, const struct row_text *type, struct error *err)
{
    struct buf members BUF_AUTO = {0};

    buf_init(&members, 0);
    buf_adds(&members, "\"component_id\":\"");
    buf_adds(&members, component_id);
    buf_adds(&members, "\",\"revision\":");
    buf_add_integer(&members, revision);
    if (!(kept->flags & COMPONENT_TYPE))
        type_member(&members, "type", type);
    if (!(kept->flags & COMPONENT_COMPONENT_TYPE))
        type_member(&members, "component_type", type);
    if (!(kept->flags & COMPONENT_PARAMETERS))
        buf_adds(&members, ",\"parameters\":{}");
    null_unless(&members, kept, COMPONENT_CONFIDENCE, "confidence");
    buf_adds(&members, ",\"order\":");
    buf_add_integer(&members, order);
    buf_adds(&members, ",\"order_index\":");
    buf_add_integer(&members, order);
    if (kept->flags & ROW_ODD)
        return splice_tree(to, kept, &members, true, err);
    splice(to, kept, &members);
    return 0;
}

void node_export_begin(struct buf *to, const struct kept *kept, const char *created_at,
                       const char *last_modified, bool *empty)
{
    struct buf members BUF_AUTO = {0};

    buf_init(&members, 0);
    if (kept->flags & NODE_TIMES) {
        if (created_at && !(kept->flags & NODE_CREATED_AT))
            time_member(&members, "created_at", created_at);
        if (last_modified && !(kept->flags & NODE_LAST_MODIFIED))
            time_member(&members, "last_modified", last_modified);
    }
    *empty = open_body(to, kept);
    if (members.len > 0) {
        if (!*empty)
            buf_addc(to, ',');
        buf_add(to, members.data, members.len);
        *empty = false;
    }
}

int node_view(struct buf *to, const struct kept *kept, const char *sid, const char *created_at,
              const char *last_modified, struct error *err)
{
    struct buf members BUF_AUTO = {0};

    buf_init(&members, 0);
    member(&members, "session_id");
    json_write_string(&members, sid, strlen(sid));
    null_unless(&members, kept, NODE_ID, "node_id");
    null_unless(&members, kept, NODE_TITLE, "title");
    null_unless(&members, kept, NODE_CATEGORY, "content_category");
    null_unless(&members, kept, NODE_RAW_CONTENT, "raw_content");
    null_unless(&members, kept, NODE_CHAPTER_ID, "chapter_id");
    if (!(kept->flags & NODE_CREATED_AT))
        time_member(&members, "created_at", created_at);
    if (!(kept->flags & NODE_LAST_MODIFIED))
        time_member(&members, "last_modified", last_modified);
    if (kept->flags & ROW_ODD)
        return splice_tree(to, kept, &members, false, err);
    splice(to, kept, &members);
    return 0;
}

int relationship_view(struct buf *to, const struct kept *kept, const char *sid, int64_t id,
                      struct error *err)
{
    struct buf members BUF_AUTO = {0};

    buf_init(&members, 0);
    member(&members, "id");
    buf_add_integer(&members, id);
    member(&members, "session_id");
    json_write_string(&members, sid, strlen(sid));
    null_unless(&members, kept, RELATIONSHIP_FROM, "from_node_id");
    null_unless(&members, kept, RELATIONSHIP_TO, "to_node_id");
    null_unless(&members, kept, RELATIONSHIP_TYPE, "relationship_type");
    null_unless(&members, kept, RELATIONSHIP_EXPLANATION, "explanation");
    null_unless(&members, kept, RELATIONSHIP_CREATED_BY, "created_by");
    null_unless(&members, kept, RELATIONSHIP_CONFIDENCE, "confidence_score");
    null_unless(&members, kept, RELATIONSHIP_CREATED_AT, "created_at");
    if (kept->flags & ROW_ODD)
        return splice_tree(to, kept, &members, false, err);
    splice(to, kept, &members);
    return 0;
}
