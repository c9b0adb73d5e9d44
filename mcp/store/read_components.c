/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Component sequences: of one node, and of many nodes at once.
 */
#include <inttypes.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/store/store_internal.h"

#define ALL_NODES INT64_MAX

static int64_t shown_order(struct rows *rows)
{
    struct row_order order = rows_order(rows, 4);

    return order.kind == ORDER_INTEGER ? order.integer : rows_int(rows, 3) + 1;
}

/* Appends "[{...}, ...]" of one node. confidence (or NULL) sums up those that are told. */
struct confidence {
    double sum;
    size_t told;
};

/* The number behind the one key of that name there is, without a tree: quotes within a string are
 * escaped, so these bytes are a key. */
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
    const json_t *told;
    double value;

    if (!(kept->flags & COMPONENT_CONFIDENCE))
        return;
    if (!read_only_confidence(kept, &value)) {
        component = json_read(kept->body, kept->len, "a kept component", NULL);
        told = json_object_get(component, "confidence");
        if (!json_is_number(told))
            return;
        value = json_number_value(told);
    }
    confidence->sum += value;
    confidence->told++;
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
                           &type, err) != 0)
            return -1;
        if (confidence)
            count_confidence(&kept, confidence);
    }
    buf_addc(json, ']');
    return row;
}

static void add_names(struct buf *json, const struct row_text *node_id,
                      const struct row_text *title)
{
    buf_adds(json, "{\"node_id\":");
    if (node_id->text)
        json_write_string(json, node_id->text, node_id->len);
    else
        buf_adds(json, "null");
    buf_adds(json, ",\"title\":");
    if (title->text)
        json_write_string(json, title->text, title->len);
    else
        buf_adds(json, "null");
    buf_adds(json, ",\"components\":");
}

/* What a client stored with the sequence; overall_confidence is the mean where no one said. */
static void add_sequence_fields(struct buf *json, const json_t *node,
                                const struct confidence *confidence)
{
    const json_t *template = json_object_get(node, "suggested_template");
    const json_t *overall = json_object_get(node, "overall_confidence");

    buf_adds(json, ",\"suggested_template\":");
    if (template)
        json_write(json, template);
    else
        buf_adds(json, "null");
    buf_adds(json, ",\"overall_confidence\":");
    if (overall) {
        json_write(json, overall);
    } else if (confidence->told > 0) {
        json_auto_t *mean = json_real(confidence->sum / (double)confidence->told);

        json_write(json, mean);
    } else {
        buf_adds(json, "null");
    }
}

static int read_one(struct store *store, const char *sid, const char *node_id, struct buf *json,
                    struct error *err)
{
    struct confidence confidence = {0};
    struct session_found session;
    struct row_text id, title;
    struct node_found node;
    json_auto_t *fields = NULL;
    struct rows *row;
    struct kept kept;
    size_t total;

    if (store_session_find(store, sid, &session, err) != 0 ||
        store_node_find(store, session.key, node_id, &node, err) != 0)
        return -1;
    row = store_node_row(store, node.key, err);
    if (!row)
        return -1;
    kept = rows_kept(row, 0);
    if (kept.flags & NODE_SEQUENCE_FIELDS) {
        fields = json_read(kept.body, kept.len, "a kept node", err);
        if (!fields)
            return -1;
    }
    id = (struct row_text){node_id, strlen(node_id)};
    title = rows_string(row, 2);
    add_names(json, &id, &title);
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
    if (store_refresh(store, UPSTREAM_NODE, sid, node_id, err) != 0)
        return -1;
    if (store_read_begin(store, err) != 0)
        return -1;
    return store_read_end(store, read_one(store, sid, node_id, json, err));
}

static int count_nodes(struct store *store, int64_t session, int64_t *count, struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_NODE_COUNT, "i", session);

    if (rows_next(rows, err) <= 0)
        return -1;
    *count = rows_int(rows, 0);
    rows_end(rows);
    return 0;
}

static int read_page(struct store *store, const char *sid, size_t offset, size_t limit,
                     struct buf *json, struct error *err)
{
    struct session_found session;
    struct rows *rows;
    int64_t from = offset > INT64_MAX ? INT64_MAX : (int64_t)offset;
    int64_t most = limit == 0 || limit > INT64_MAX ? ALL_NODES : (int64_t)limit;
    int64_t total;
    size_t nodes = 0, components;
    int row;

    if (store_session_find(store, sid, &session, err) != 0 ||
        count_nodes(store, session.key, &total, err) != 0)
        return -1;
    rows = db_query(store->db, err, SQL_NODE_PAGE, "iii", session.key, from, most);
    buf_addf(json, "{\"session_id\":\"%s\",\"nodes\":[", session.sid);
    while ((row = rows_next(rows, err)) > 0) {
        struct row_text id = rows_string(rows, 1), title = rows_string(rows, 2);

        if (nodes++ > 0)
            buf_addc(json, ',');
        add_names(json, &id, &title);
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
    if (store_refresh(store, UPSTREAM_COMPONENTS, sid, NULL, err) != 0)
        return -1;
    if (store_read_begin(store, err) != 0)
        return -1;
    return store_read_end(store, read_page(store, sid, offset, limit, json, err));
}
