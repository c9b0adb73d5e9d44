/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lists of sessions, nodes, relationships and components, and the small look-ups. Rows go from the
 * database into the text of the answer.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/curriculum/entity.h"
#include "mcp/curriculum/node_field.h"
#include "mcp/store/entities/node.h"
#include "mcp/store/entities/read.h"
#include "mcp/store/entities/session.h"
#include "mcp/store/store_internal.h"

#define ALL_NODES INT64_MAX

int store_read_sessions(struct store *store, struct buf *json, struct error *err)
{
    struct rows *rows;
    size_t total = 0;
    int row;

    if (store_refresh(store, MIRROR_SESSIONS, NULL, NULL, err) != 0)
        return -1;
    rows = db_query(store->db, err, SQL_SESSION_LIST, "");
    buf_adds(json, "{\"sessions\":[");
    while ((row = rows_next(rows, err)) > 0) {
        buf_adds(json, total++ > 0 ? ",{\"session_id\":" : "{\"session_id\":");
        rows_write_text(rows, 0, json);
        buf_adds(json, ",\"title\":");
        rows_write_text(rows, 1, json);
        buf_addf(json, ",\"nodes\":%" PRId64 ",\"relationships\":%" PRId64 ",\"last_modified\":",
                 rows_int(rows, 3), rows_int(rows, 4));
        rows_write_text(rows, 2, json);
        buf_addc(json, '}');
    }
    buf_addf(json, "],\"total\":%zu}", total);
    return row < 0 ? -1 : buf_check(json, "the list of sessions", err);
}

typedef int view_fn(struct buf *json, const struct kept *kept, struct rows *rows, const char *sid,
                    struct error *err);

static int view_node(struct buf *json, const struct kept *kept, struct rows *rows, const char *sid,
                     struct error *err)
{
    return node_view(json, kept, sid, rows_text(rows, 2), rows_text(rows, 3), err);
}

static int view_relationship(struct buf *json, const struct kept *kept, struct rows *rows,
                             const char *sid, struct error *err)
{
    return relationship_view(json, kept, sid, rows_int(rows, 2), err);
}

/* {"session_id", NAME: [...], "total"} of a statement whose first columns are body and flags. */
static int read_list(struct store *store, const char *sid, unsigned scope, enum statement id,
                     const char *name, view_fn *view, struct buf *json, struct error *err)
{
    struct session_found session;
    struct rows *rows;
    size_t total = 0;
    int row;

    if (store_read_begin(store, scope, sid, NULL, &session, err) < 0)
        return -1;
    rows = db_query(store->db, err, id, "i", session.key);
    buf_addf(json, "{\"session_id\":\"%s\",\"%s\":[", session.sid, name);
    while ((row = rows_next(rows, err)) > 0) {
        struct kept kept = rows_kept(rows, 0);

        if (kept.flags & ROW_RAW)
            continue;
        if (total++ > 0)
            buf_addc(json, ',');
        if (view(json, &kept, rows, session.sid, err) < 0)
            return store_read_end(store, -1);
    }
    buf_addf(json, "],\"total\":%zu}", total);
    return store_read_end(store, row < 0 ? -1 : buf_check(json, "the list", err));
}

int store_read_nodes(struct store *store, const char *sid, struct buf *json, struct error *err)
{
    return read_list(store, sid, MIRROR_NODES, SQL_NODE_LIST, "nodes", view_node, json, err);
}

int store_read_relationships(struct store *store, const char *sid, struct buf *json,
                             struct error *err)
{
    return read_list(store, sid, MIRROR_RELATIONSHIPS, SQL_RELATIONSHIP_LIST, "relationships",
                     view_relationship, json, err);
}

static int read_texts(struct store *store, const struct session_found *session, const char *node_id,
                      struct buf *json, struct error *err)
{
    struct node_found node;
    json_auto_t *object = NULL;
    unsigned flags;

    if (store_node_find(store, session->key, node_id, &node, err) < 0)
        return -1;
    object = store_node_load(store, node.key, &flags, err);
    if (!object)
        return -1;
    buf_adds(json, "{\"node_id\":");
    json_write_string(json, node_id, strlen(node_id));
    for (size_t i = 0; entity_categories[i]; i++) {
        const json_t *text = json_object_get(object, entity_categories[i]);

        buf_addf(json, ",\"%s\":", entity_categories[i]);
        if (json_is_string(text))
            json_write(json, text);
        else
            buf_adds(json, "\"\"");
    }
    buf_addc(json, '}');
    return buf_check(json, "the node's texts", err);
}

int store_read_node_texts(struct store *store, const char *sid, const char *node_id,
                          struct buf *json, struct error *err)
{
    struct session_found session;

    if (store_read_begin(store, MIRROR_TEXTS, sid, node_id, &session, err) < 0)
        return -1;
    return store_read_end(store, read_texts(store, &session, node_id, json, err));
}

int store_session(struct store *store, const char *sid, char *title, size_t size, int64_t *version,
                  struct error *err)
{
    struct session_found session;

    if (store_refresh(store, version ? MIRROR_RELATIONSHIPS | MIRROR_COUNTS : MIRROR_SESSION, sid,
                      NULL, err) != 0)
        return -1;
    if (store_session_find(store, sid, &session, err) != 0)
        return -1;
    if (title)
        text_cut(title, size, session.title);
    if (version)
        *version = session.version;
    return 0;
}

int store_cursor(struct store *store, const char *sid, const char *node_id, int64_t *version,
                 struct error *err)
{
    unsigned scope = !sid      ? MIRROR_SESSIONS
                     : node_id ? MIRROR_NODE | MIRROR_TEXTS | MIRROR_PASS_OVER
                               : MIRROR_RELATIONSHIPS | MIRROR_NODE_MAP;
    struct session_found session;
    struct node_found node;

    if (store_refresh(store, scope, sid, node_id, err) != 0)
        return -1;
    if (!sid)
        return db_number(store->db, version, err, SQL_SESSION_SUM, "");
    if (store_session_find(store, sid, &session, err) != 0)
        return -1;
    *version = session.version;
    if (!node_id)
        return 0;
    if (store_node_find(store, session.key, node_id, &node, err) < 0)
        return -1;
    *version = node.cursor;
    return 0;
}

int store_node_title(struct store *store, const char *sid, const char *node_id, char *title,
                     size_t size, struct error *err)
{
    struct session_found session;
    struct node_found node;

    if (store_refresh(store, MIRROR_NODES, sid, NULL, err) != 0 ||
        store_session_find(store, sid, &session, err) != 0 ||
        store_node_find(store, session.key, node_id, &node, err) < 0)
        return -1;
    text_cut(title, size, node.title);
    return 0;
}

/* ---- component sequences: of one node, and of many nodes at once ---- */

static int64_t shown_order(struct rows *rows)
{
    struct row_order order = rows_order(rows, 4);

    return order.kind == ORDER_INTEGER ? order.integer : rows_int(rows, 3) + 1;
}

/* Appends "[{...}, ...]" for one node. confidence (or NULL) sums up the values that are set. */
struct confidence {
    double sum;
    size_t count;
};

/* The number after the only key with that name, without a tree: quotes within a string are escaped,
 * so these bytes are a key. */
static bool read_only_confidence(const struct kept *kept, double *value)
{
    static const char key[] = "\"confidence\":";
    const char *at = memmem(kept->body, kept->len, key, sizeof key - 1);
    const char *end = kept->body + kept->len;
    char *stop;

    if (!at)
        return false;
    at += sizeof key - 1;
    if (memmem(at, (size_t)(end - at), key, sizeof key - 1) || !strchr("-0123456789", *at))
        return false;
    *value = strtod(at, &stop);
    return *stop == ',' || *stop == '}';
}

static void count_confidence(const struct kept *kept, struct confidence *confidence)
{
    json_auto_t *component = NULL;
    const json_t *member;
    double value;

    if (!(kept->flags & ROW_COMPONENT_CONFIDENCE))
        return;
    if (!read_only_confidence(kept, &value)) {
        component = json_read(kept->body, kept->len, "a kept component", NULL);
        member = json_object_get(component, "confidence");
        if (!json_is_number(member))
            return;
        value = json_number_value(member);
    }
    confidence->sum += value;
    confidence->count++;
}

static int add_sequence(struct store *store, int64_t node, struct buf *json, size_t *total,
                        struct confidence *confidence, struct error *err)
{
    struct rows *rows;
    int row;

    *total = 0;
    rows = db_query(store->db, err, SQL_COMPONENT_LIST, "i", node);
    buf_addc(json, '[');
    while ((row = rows_next(rows, err)) > 0) {
        struct kept kept = rows_kept(rows, 0);
        struct row_text type = rows_string(rows, 7);

        if (kept.flags & ROW_RAW)
            continue;
        if ((*total)++ > 0)
            buf_addc(json, ',');
        if (component_view(json, &kept, shown_order(rows), rows_text(rows, 5), rows_int(rows, 6),
                           &type, err) < 0)
            return -1;
        if (confidence)
            count_confidence(&kept, confidence);
    }
    buf_addc(json, ']');
    return row;
}

/* node_id and title: a row's columns. */
static void add_names(struct buf *json, struct rows *rows, int node_id, int title)
{
    buf_adds(json, "{\"node_id\":");
    rows_write_text(rows, node_id, json);
    buf_adds(json, ",\"title\":");
    rows_write_text(rows, title, json);
    buf_adds(json, ",\"components\":");
}

static void add_member(struct buf *json, const char *key, const json_t *value)
{
    buf_addf(json, ",\"%s\":", key);
    if (value)
        json_write(json, value);
    else
        buf_adds(json, "null");
}

/* What a client stored with the sequence; overall_confidence is the mean where no one said. */
static void add_sequence_fields(struct buf *json, const json_t *node,
                                const struct confidence *confidence)
{
    const json_t *overall = json_object_get(node, "overall_confidence");
    json_auto_t *mean = !overall && confidence->count > 0
                            ? json_real(confidence->sum / (double)confidence->count)
                            : NULL;

    add_member(json, "suggested_template", json_object_get(node, "suggested_template"));
    add_member(json, "overall_confidence", overall ? overall : mean);
}

static int read_one(struct store *store, const struct session_found *session, const char *node_id,
                    struct buf *json, struct error *err)
{
    struct confidence confidence = {0};
    struct node_found node;
    json_auto_t *fields = NULL;
    struct rows *row;
    struct kept kept;
    size_t total;

    if (store_node_find(store, session->key, node_id, &node, err) < 0)
        return -1;
    row = store_node_row(store, node.key, err);
    if (!row)
        return -1;
    kept = rows_kept(row, 0);
    if (kept.flags & ROW_NODE_SEQUENCE_FIELDS) {
        fields = json_read(kept.body, kept.len, "a kept node", err);
        if (!fields)
            return -1;
    }
    add_names(json, row, 7, 2);
    if (add_sequence(store, node.key, json, &total, &confidence, err) != 0)
        return -1;
    buf_addf(json, ",\"total_components\":%zu", total);
    add_sequence_fields(json, fields, &confidence);
    buf_addc(json, '}');
    return buf_check(json, "the node's components", err);
}

int store_read_components(struct store *store, const char *sid, const char *node_id,
                          struct buf *json, struct error *err)
{
    struct session_found session;

    if (store_read_begin(store, MIRROR_NODE, sid, node_id, &session, err) < 0)
        return -1;
    return store_read_end(store, read_one(store, &session, node_id, json, err));
}

static int read_fields(struct store *store, const struct session_found *session,
                       const char *node_id, bool content, struct buf *json, struct error *err)
{
    json_auto_t *node = NULL, *shown = json_object();
    struct node_found found;
    const char *name;
    json_t *value;
    unsigned flags;

    if (store_node_find(store, session->key, node_id, &found, err) < 0)
        return -1;
    node = store_node_load(store, found.key, &flags, err);
    if (!node)
        return -1;
    json_object_foreach(node, name, value)
    {
        enum node_field field = node_field_of(name);

        if (!node_value_is_empty(value) &&
            (field == NODE_FIELD_FURTHER || (content && field == NODE_FIELD_CONTENT)))
            json_object_set(shown, name, value);
    }
    json_write(json, shown);
    return buf_check(json, "the fields of a node", err);
}

int store_read_fields(struct store *store, const char *sid, const char *node_id, bool content,
                      struct buf *json, struct error *err)
{
    struct session_found session;

    if (store_read_begin(store, MIRROR_NODES, sid, NULL, &session, err) < 0)
        return -1;
    return store_read_end(store, read_fields(store, &session, node_id, content, json, err));
}

static int read_page(struct store *store, const struct session_found *session, size_t offset,
                     size_t limit, struct buf *json, struct error *err)
{
    struct rows *rows;
    int64_t from = offset > INT64_MAX ? INT64_MAX : (int64_t)offset;
    int64_t most = limit == 0 || limit > INT64_MAX ? ALL_NODES : (int64_t)limit;
    int64_t total;
    size_t nodes = 0, components;
    int row;

    if (db_number(store->db, &total, err, SQL_NODE_COUNT, "i", session->key) != 0)
        return -1;
    rows = db_query(store->db, err, SQL_NODE_PAGE, "iii", session->key, from, most);
    buf_addf(json, "{\"session_id\":\"%s\",\"nodes\":[", session->sid);
    while ((row = rows_next(rows, err)) > 0) {
        if (nodes++ > 0)
            buf_addc(json, ',');
        add_names(json, rows, 1, 2);
        if (add_sequence(store, rows_int(rows, 0), json, &components, NULL, err) != 0)
            return -1;
        buf_addc(json, '}');
        if (json->failed)
            break;
    }
    buf_addf(json, "],\"total\":%" PRId64 ",\"offset\":%zu}", total, offset);
    return row < 0 ? -1 : buf_check(json, "the components of the session", err);
}

int store_read_all_components(struct store *store, const char *sid, size_t offset, size_t limit,
                              struct buf *json, struct error *err)
{
    struct session_found session;

    if (store_read_begin(store, MIRROR_COMPONENTS, sid, NULL, &session, err) < 0)
        return -1;
    return store_read_end(store, read_page(store, &session, offset, limit, json, err));
}

static int read_of_types(struct store *store, const struct session_found *session, const char *type,
                         const char *other_type, struct buf *json, struct error *err)
{
    struct rows *rows =
        db_query(store->db, err, SQL_COMPONENT_OF_TYPES, "iss", session->key, type, other_type);
    size_t count = 0;
    int row;

    buf_addc(json, '[');
    while ((row = rows_next(rows, err)) > 0) {
        struct kept kept = rows_kept(rows, 0);
        struct row_text name = rows_string(rows, 7);

        if (kept.flags & ROW_RAW)
            continue;
        buf_adds(json, count++ > 0 ? ",{\"node_id\":" : "{\"node_id\":");
        rows_write_text(rows, 2, json);
        buf_adds(json, ",\"component\":");
        if (component_view(json, &kept, shown_order(rows), rows_text(rows, 5), rows_int(rows, 6),
                           &name, err) < 0)
            return -1;
        buf_addc(json, '}');
    }
    buf_addc(json, ']');
    return row < 0 ? -1 : buf_check(json, "the components of the session", err);
}

int store_read_components_of(struct store *store, const char *sid, const char *type,
                             const char *other_type, struct buf *json, struct error *err)
{
    struct session_found session;

    if (store_read_begin(store, MIRROR_COMPONENTS, sid, NULL, &session, err) < 0)
        return -1;
    return store_read_end(store, read_of_types(store, &session, type, other_type, json, err));
}
