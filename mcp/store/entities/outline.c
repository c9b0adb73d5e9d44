/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads the outline: names and ends only, in one snapshot.
 */
#include "mcp/store/entities/outline.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/base/array.h"
#include "helpers/base/json.h"
#include "mcp/curriculum/curriculum_uri.h"
#include "mcp/store/store_internal.h"

#define NO_TEXT SIZE_MAX

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
