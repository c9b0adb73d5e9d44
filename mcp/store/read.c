/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lists of sessions, nodes, relationships and components, and the small look-ups. Rows go from the
 * database into the text of the answer.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/session/entity.h"
#include "mcp/store/copy.h"
#include "mcp/store/store_internal.h"

#define CHOICES_CAP 12 /* sessions that a message lists */
#define ALL_NODES   INT64_MAX

static void add_text(struct buf *json, struct rows *rows, int column)
{
    struct row_text text = rows_string(rows, column);

    if (text.text)
        json_write_string(json, text.text, text.len);
    else
        buf_adds(json, "null");
}

int store_read_sessions(struct store *store, struct buf *json, struct error *err)
{
    struct rows *rows;
    size_t total = 0;
    int row;

    if (store_refresh(store, UPSTREAM_SESSIONS, NULL, NULL, err) != 0)
        return -1;
    rows = db_query(store->db, err, SQL_SESSION_LIST, "");
    buf_adds(json, "{\"sessions\":[");
    while ((row = rows_next(rows, err)) > 0) {
        buf_adds(json, total++ > 0 ? ",{\"session_id\":" : "{\"session_id\":");
        add_text(json, rows, 0);
        buf_adds(json, ",\"title\":");
        add_text(json, rows, 1);
        buf_addf(json, ",\"nodes\":%" PRId64 ",\"relationships\":%" PRId64 ",\"last_modified\":",
                 rows_int(rows, 3), rows_int(rows, 4));
        add_text(json, rows, 2);
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
static int read_list(struct store *store, const char *sid, enum statement id, const char *name,
                     view_fn *view, struct buf *json, struct error *err)
{
    struct session_found session;
    struct rows *rows;
    size_t total = 0;
    int row = -1;

    if (store_read_begin(store, err) != 0)
        return -1;
    if (store_session_find(store, sid, &session, err) != 0)
        return store_read_end(store, -1);
    rows = db_query(store->db, err, id, "i", session.key);
    if (!rows)
        return store_read_end(store, -1);
    buf_addf(json, "{\"session_id\":\"%s\",\"%s\":[", session.sid, name);
    while ((row = rows_next(rows, err)) > 0) {
        struct kept kept = rows_kept(rows, 0);

        if (kept.flags & ROW_RAW)
            continue;
        if (total++ > 0)
            buf_addc(json, ',');
        if (view(json, &kept, rows, session.sid, err) < 0) {
            row = -1;
            break;
        }
    }
    buf_addf(json, "],\"total\":%zu}", total);
    return store_read_end(store, row < 0 ? -1 : buf_check(json, "the list", err));
}

int store_read_nodes(struct store *store, const char *sid, struct buf *json, struct error *err)
{
    if (store_refresh(store, UPSTREAM_NODES, sid, NULL, err) != 0)
        return -1;
    return read_list(store, sid, SQL_NODE_LIST, "nodes", view_node, json, err);
}

int store_read_relationships(struct store *store, const char *sid, struct buf *json,
                             struct error *err)
{
    if (store_refresh(store, UPSTREAM_RELATIONSHIPS, sid, NULL, err) != 0)
        return -1;
    return read_list(store, sid, SQL_RELATIONSHIP_LIST, "relationships", view_relationship, json,
                     err);
}

static int find_both(struct store *store, const char *sid, const char *node_id,
                     struct session_found *session, struct node_found *node, struct error *err)
{
    if (store_session_find(store, sid, session, err) != 0)
        return -1;
    return store_node_find(store, session->key, node_id, node, err);
}

static int read_texts(struct store *store, const char *sid, const char *node_id, struct buf *json,
                      struct error *err)
{
    struct session_found session;
    struct node_found node;
    json_auto_t *object = NULL;
    unsigned flags;
    int64_t place;

    if (find_both(store, sid, node_id, &session, &node, err) < 0)
        return -1;
    object = store_node_load(store, node.key, &flags, &place, err);
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
    if (store_refresh(store, UPSTREAM_TEXTS, sid, node_id, err) != 0)
        return -1;
    if (store_read_begin(store, err) != 0)
        return -1;
    return store_read_end(store, read_texts(store, sid, node_id, json, err));
}

int store_session(struct store *store, const char *sid, char *title, size_t size, int64_t *version,
                  struct error *err)
{
    struct session_found session;

    if (store_refresh(store, version ? UPSTREAM_RELATIONSHIPS | UPSTREAM_COUNTS : UPSTREAM_SESSION,
                      sid, NULL, err) != 0)
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
    struct session_found session;
    struct node_found node;
    struct rows *rows;
    int row;

    if (store_refresh(store,
                      !sid      ? UPSTREAM_SESSIONS
                      : node_id ? UPSTREAM_NODE | UPSTREAM_TEXTS | UPSTREAM_PASS_OVER
                                : UPSTREAM_RELATIONSHIPS | UPSTREAM_POSITIONS,
                      sid, node_id, err) != 0)
        return -1;
    if (!sid) {
        rows = db_query(store->db, err, SQL_SESSION_SUM, "");
        if (rows_next(rows, err) <= 0)
            return -1;
        *version = rows_int(rows, 0);
        rows_end(rows);
        return 0;
    }
    if (!node_id) {
        if (store_session_find(store, sid, &session, err) != 0)
            return -1;
        *version = session.version;
        return 0;
    }
    rows = db_query(store->db, err, SQL_NODE_CURSOR, "ss", sid, node_id);
    row = rows_next(rows, err);
    if (row > 0)
        *version = rows_int(rows, 0);
    rows_end(rows);
    if (row == 0) /* says what is not there */
        return find_both(store, sid, node_id, &session, &node, err);
    return row < 0 ? -1 : 0;
}

int store_node_id(struct store *store, const char *sid, const char *name, const char *what,
                  struct buf *found, const char **id, struct error *err)
{
    if (store_refresh(store, UPSTREAM_NODES, sid, NULL, err) != 0)
        return -1;
    if (store_read_begin(store, err) != 0)
        return -1;
    return store_read_end(store, store_node_named(store, sid, name, what, found, id, err));
}

int store_node_title(struct store *store, const char *sid, const char *node_id, char *title,
                     size_t size, struct error *err)
{
    struct session_found session;
    struct node_found node;

    if (store_refresh(store, UPSTREAM_NODES, sid, NULL, err) != 0)
        return -1;
    if (find_both(store, sid, node_id, &session, &node, err) < 0)
        return -1;
    text_cut(title, size, node.title);
    return 0;
}

/* ---- which session is meant ---- */

/* "'Title' (id), 'Title' (id)" of rows whose columns are id and title; the first id in sid. */
static int list_choices(struct rows *rows, char sid[SESSION_ID_SIZE], struct buf *choices,
                        size_t *count, struct error *err)
{
    int row;

    *count = 0;
    while ((row = rows_next(rows, err)) > 0) {
        char title[80];

        if ((*count)++ == 0)
            text_cut(sid, SESSION_ID_SIZE, rows_text(rows, 0));
        if (*count <= CHOICES_CAP)
            buf_addf(choices, "%s'%s' (%s)", *count > 1 ? ", " : "",
                     text_cut_line(title, sizeof title, rows_text(rows, 1)), rows_text(rows, 0));
    }
    if (*count > CHOICES_CAP)
        buf_addf(choices, " and %zu more", *count - CHOICES_CAP);
    return row;
}

int store_only_session(struct store *store, char sid[SESSION_ID_SIZE], struct error *err)
{
    struct rows *rows;
    char first[SESSION_ID_SIZE] = "";
    struct buf BUF_AUTO choices = {0};
    size_t count;

    if (store_refresh(store, UPSTREAM_SESSIONS, NULL, NULL, err) != 0)
        return -1;
    rows = db_query(store->db, err, SQL_SESSION_LIST, "");
    buf_init(&choices, 0);
    if (list_choices(rows, first, &choices, &count, err) != 0)
        return -1;
    if (count == 0)
        return error_set_at(err, "session_id",
                            "the store holds no session yet: import one with lectern import FILE");
    if (count > 1)
        return error_set_at(
            err, "session_id",
            "name the session (session_id, or --session SID); the store has %zu: %s", count,
            choices.data);
    memcpy(sid, first, sizeof first);
    return 0;
}

int copy_session_of_node(struct store *store, const char *node_id, char sid[SESSION_ID_SIZE],
                         struct error *err)
{
    struct rows *rows;
    char first[SESSION_ID_SIZE] = "", shown[80];
    struct buf BUF_AUTO choices = {0};
    size_t count;

    buf_init(&choices, 0);
    rows = db_query(store->db, err, SQL_NODE_SESSIONS, "s", node_id);
    if (list_choices(rows, first, &choices, &count, err) != 0)
        return -1;
    text_cut_line(shown, sizeof shown, node_id);
    if (count == 0)
        return error_set(err, ERROR_NOT_FOUND, "there is no node '%s' in any session", shown);
    if (count > 1)
        return error_set(
            err, ERROR_CONFLICT,
            "node '%s' is in several sessions, send the header X-Session-ID or ?session_id= with "
            "one of %s",
            shown, choices.data);
    memcpy(sid, first, sizeof first);
    return 0;
}

int store_session_of_node(struct store *store, const char *node_id, char sid[SESSION_ID_SIZE],
                          struct error *err)
{
    if (store_refresh(store, UPSTREAM_OWNERS, NULL, node_id, err) != 0)
        return -1;
    return copy_session_of_node(store, node_id, sid, err);
}

/* ---- component sequences: of one node, and of many nodes at once ---- */

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

    if (!(kept->flags & ROW_COMPONENT_CONFIDENCE))
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
                           &type, err) < 0)
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
        store_node_find(store, session.key, node_id, &node, err) < 0)
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
        count_nodes(store, session.key, &total, err) < 0)
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
