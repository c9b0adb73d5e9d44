/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lists of sessions, nodes, relationships and components, the small look-ups, and the outline of a
 * curriculum. Rows go from the database into the text of the answer.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/array.h"
#include "helpers/base/json.h"
#include "helpers/graph/text.h"
#include "mcp/curriculum/curriculum_uri.h"
#include "mcp/curriculum/entity.h"
#include "mcp/curriculum/node_field.h"
#include "mcp/store/entities/node.h"
#include "mcp/store/entities/outline.h"
#include "mcp/store/entities/read.h"
#include "mcp/store/entities/session.h"
#include "mcp/store/store_internal.h"

#define CHOICES_CAP 12  /* sessions that a message lists */
#define SHOWN_CAP   160 /* bytes of a name that a message shows */
#define ALL_NODES   INT64_MAX
#define NO_TEXT     SIZE_MAX

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

/* ---- finding the session ---- */

int store_list_choices(struct rows *rows, char sid[SESSION_ID_SIZE], struct buf *choices,
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
    struct buf BUF_AUTO choices = {0};
    size_t count;
    int row;

    if (store_refresh(store, MIRROR_SESSIONS, NULL, NULL, err) != 0)
        return -1;
    rows = db_query(store->db, err, SQL_SESSION_NAMES, "");
    row = rows_next(rows, err);
    if (row < 0)
        return -1;
    if (row == 0)
        return error_set_at(err, "session_id",
                            "the store holds no session yet: import a curriculum first");
    text_cut(sid, SESSION_ID_SIZE, rows_text(rows, 0));
    row = rows_next(rows, err);
    if (row <= 0)
        return row;
    buf_init(&choices, 0);
    if (store_list_choices(db_query(store->db, err, SQL_SESSION_NAMES, ""), sid, &choices, &count,
                           err) < 0)
        return -1;
    return error_set_at(err, "session_id", "there are %zu curricula, name one as session_id: %s",
                        count, choices.data);
}

int store_known_session_of_node(struct store *store, const char *node_id, char sid[SESSION_ID_SIZE],
                                struct error *err)
{
    struct rows *rows;
    char first[SESSION_ID_SIZE] = "", shown[80];
    struct buf BUF_AUTO choices = {0};
    size_t count;

    buf_init(&choices, 0);
    rows = db_query(store->db, err, SQL_NODE_SESSIONS, "s", node_id);
    if (store_list_choices(rows, first, &choices, &count, err) != 0)
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
    if (store_refresh(store, MIRROR_OWNERS, NULL, node_id, err) != 0)
        return -1;
    return store_known_session_of_node(store, node_id, sid, err);
}

/* ---- which node a name means: its id, or a title that no other node has ---- */

static int write_shared(struct store *store, int64_t session, const char *name, const char *what,
                        size_t count, struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_NODE_NAMES, "i", session);
    struct buf BUF_AUTO list = {0};
    char shown[SHOWN_CAP];
    size_t listed = 0;
    int row = 0;

    while (listed < GRAPH_NAME_SHOWN && (row = rows_next(rows, err)) > 0) {
        struct graph_name one;

        graph_name_begin(&one, name);
        graph_name_feed(&one, "", rows_text(rows, 1), rows_text(rows, 2));
        if (one.same_titles == 0)
            continue;
        text_cut_line(shown, sizeof shown, rows_text(rows, 0));
        buf_addf(&list, "%s%s", listed++ > 0 ? ", " : "", shown);
    }
    rows_end(rows);
    if (row < 0)
        return -1;
    if (listed < count)
        buf_addf(&list, " and %zu more", count - listed);
    if (buf_check(&list, "the nodes of a title", err) < 0)
        return -1;
    return error_set(err, ERROR_CONFLICT,
                     "%s: \"%s\" is the title of %zu nodes: %s. Send the id of one of them", what,
                     text_cut_line(shown, sizeof shown, name), count, list.data);
}

/* The id at a place of the search. */
static int read_id(struct store *store, int64_t session, size_t place, struct buf *found,
                   struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_NODE_NAMES, "i", session);
    int row = 1;

    for (size_t i = 0; row > 0 && i <= place; i++)
        row = rows_next(rows, err);
    if (row <= 0)
        return row < 0 ? -1 : error_set(err, ERROR_INTERNAL, "a node vanished while it was named");
    buf_clear(found);
    buf_adds(found, rows_text(rows, 0));
    rows_end(rows);
    return buf_check(found, "a node's id", err);
}

static int search(struct store *store, int64_t session, const char *name, const char *what,
                  struct buf *found, struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_NODE_NAMES, "i", session);
    struct node_found unknown;
    struct graph_name search;
    size_t place;
    int row;

    graph_name_begin(&search, name);
    while ((row = rows_next(rows, err)) > 0)
        graph_name_feed(&search, rows_text(rows, 0), rows_text(rows, 1), rows_text(rows, 2));
    if (row < 0)
        return -1;
    if (graph_name_found(&search, &place))
        return read_id(store, session, place, found, err);
    if (search.same_titles > 1)
        return write_shared(store, session, name, what, search.same_titles, err);
    store_node_find(store, session, name, &unknown, err);
    return error_wrap(err, "%s", what);
}

static int node_named(struct store *store, int64_t session, const char *name, const char *what,
                      struct buf *found, const char **id, struct error *err)
{
    int64_t count;

    if (db_number(store->db, &count, err, SQL_NODE_TWINS, "is", session, name) != 0)
        return -1;
    *id = name;
    if (count > 0)
        return 0;
    if (search(store, session, name, what, found, err) != 0)
        return -1;
    *id = found->data;
    return 0;
}

int store_node_id(struct store *store, const char *sid, const char *name, const char *what,
                  struct buf *found, const char **id, struct error *err)
{
    struct session_found session;

    if (store_read_begin(store, MIRROR_NODES, sid, NULL, &session, err) < 0)
        return -1;
    return store_read_end(store, node_named(store, session.key, name, what, found, id, err));
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

/* ---- the outline: names and ends only, in one snapshot ---- */

/* The buffer moves while it grows, so texts are offsets until all are there. */
union text_at {
    const char *text;
    uintptr_t offset;
};

static const char *keep(struct buf *strings, const char *text)
{
    union text_at at = {.offset = strings->len};

    if (!text)
        at.offset = NO_TEXT;
    else
        buf_add(strings, text, strlen(text) + 1);
    return at.text;
}

static const char *settle(const struct buf *strings, const char *text, const char *missing)
{
    union text_at at = {.text = text};

    return at.offset == NO_TEXT ? missing : strings->data + at.offset;
}

static int starve(struct error *err)
{
    return error_set(err, ERROR_MEMORY, "out of memory for the outline");
}

static int read_nodes(struct store *store, int64_t session, struct outline *outline,
                      struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_NODE_OUTLINE, "i", session);
    int row;

    while ((row = rows_next(rows, err)) > 0) {
        struct outline_node *node;

        if (!ARRAY_ROOM(outline->nodes, outline->node_count))
            return starve(err);
        node = &outline->nodes[outline->node_count++];
        node->id = keep(&outline->strings, rows_text(rows, 0));
        node->title = keep(&outline->strings, rows_text(rows, 1));
        node->group = keep(&outline->strings, rows_text(rows, 2));
        node->components = (size_t)rows_int(rows, 3);
        node->code = keep(&outline->strings, rows_text(rows, 4));
    }
    return row;
}

/* A URI that cannot be read is no link. */
static int read_link(struct rows *rows, struct outline *outline, struct error *err)
{
    struct row_text body = rows_string(rows, 0);
    json_auto_t *relationship = json_read(body.text, body.len, "a kept relationship", err);
    struct buf BUF_AUTO node = {0};
    char sid[SESSION_ID_SIZE];
    struct outline_link *link;

    if (!relationship)
        return -1;
    if (curriculum_uri_read(rows_text(rows, 4), sid, sizeof sid, &node, NULL) < 0)
        return 0;
    if (!ARRAY_ROOM(outline->links, outline->link_count))
        return starve(err);
    link = &outline->links[outline->link_count++];
    link->id = rows_int(rows, 2);
    link->from = keep(&outline->strings, rows_text(rows, 3));
    link->curriculum = keep(&outline->strings, sid);
    link->node = keep(&outline->strings, node.data);
    link->type = keep(&outline->strings, rows_text(rows, 5));
    link->title = keep(&outline->strings, json_get_string(relationship, "to_title"));
    return 0;
}

static int read_edges(struct store *store, int64_t session, struct outline *outline,
                      struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_RELATIONSHIP_LIST, "i", session);
    int row;

    while ((row = rows_next(rows, err)) > 0) {
        struct outline_edge *edge;

        if ((unsigned)rows_int(rows, 1) & ROW_RAW)
            continue;
        if (curriculum_uri_is_node(rows_text(rows, 4))) {
            if (read_link(rows, outline, err) < 0) {
                rows_end(rows);
                return -1;
            }
            continue;
        }
        if (!ARRAY_ROOM(outline->edges, outline->edge_count))
            return starve(err);
        edge = &outline->edges[outline->edge_count++];
        edge->from = keep(&outline->strings, rows_text(rows, 3));
        edge->to = keep(&outline->strings, rows_text(rows, 4));
        edge->type = keep(&outline->strings, rows_text(rows, 5));
    }
    return row;
}

static void settle_all(struct outline *outline)
{
    const struct buf *strings = &outline->strings;

    for (size_t i = 0; i < outline->node_count; i++) {
        struct outline_node *node = &outline->nodes[i];

        node->id = settle(strings, node->id, "");
        node->title = settle(strings, node->title, "");
        node->group = settle(strings, node->group, NULL);
        node->code = settle(strings, node->code, NULL);
    }
    for (size_t i = 0; i < outline->edge_count; i++) {
        struct outline_edge *edge = &outline->edges[i];

        edge->from = settle(strings, edge->from, "");
        edge->to = settle(strings, edge->to, "");
        edge->type = settle(strings, edge->type, "");
    }
    for (size_t i = 0; i < outline->link_count; i++) {
        struct outline_link *link = &outline->links[i];

        link->from = settle(strings, link->from, "");
        link->curriculum = settle(strings, link->curriculum, "");
        link->node = settle(strings, link->node, "");
        link->type = settle(strings, link->type, "");
        link->title = settle(strings, link->title, "");
    }
}

static int read_graph_version(struct store *store, int64_t session, int64_t *version,
                              struct error *err)
{
    return db_number(store->db, version, err, SQL_GRAPH_VERSION, "i", session);
}

int store_graph_version(struct store *store, const char *sid, int64_t *version, struct error *err)
{
    struct session_found session;

    if (!store->mirror) { /* most often; then nothing else is looked at */
        if (db_number(store->db, version, err, SQL_SESSION_GRAPH_VERSION, "s", sid) < 0)
            return -1;
        if (*version > 0)
            return 0;
    }
    if (store_read_begin(store, MIRROR_RELATIONSHIPS | MIRROR_COUNTS, sid, NULL, &session, err) < 0)
        return -1;
    return store_read_end(store, read_graph_version(store, session.key, version, err));
}

int store_read_outline(struct store *store, const char *sid, struct outline *outline,
                       struct error *err)
{
    struct session_found session;
    int rc = -1;

    memset(outline, 0, sizeof *outline);
    if (store_read_begin(store, MIRROR_RELATIONSHIPS | MIRROR_COUNTS, sid, NULL, &session, err) < 0)
        return -1;
    if (read_graph_version(store, session.key, &outline->graph_version, err) == 0 &&
        read_nodes(store, session.key, outline, err) == 0 &&
        read_edges(store, session.key, outline, err) == 0)
        rc = buf_check(&outline->strings, "the outline", err);
    if (rc == 0) {
        outline->version = session.version;
        settle_all(outline);
    } else {
        outline_finish(outline);
    }
    return store_read_end(store, rc);
}

void outline_finish(struct outline *outline)
{
    if (!outline)
        return;
    free(outline->nodes);
    free(outline->edges);
    free(outline->links);
    buf_finish(&outline->strings);
    memset(outline, 0, sizeof *outline);
}
