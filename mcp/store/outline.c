/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The curriculum as a graph sees it: names and ends only, in one snapshot.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mcp/store/store_internal.h"

#define NO_TEXT SIZE_MAX

/* The buffer moves while it grows, so texts are offsets until all are there. */
union text_at {
    const char *text;
    uintptr_t offset;
};

static const char *keep(struct buf *strings, struct rows *rows, int column)
{
    const char *text = rows_text(rows, column);
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

/* Room for one more, doubling. */
static void *grow(void *array, size_t count, size_t size, struct error *err)
{
    void *larger;

    if (count > 0 && (count & (count - 1)) != 0)
        return array;
    larger = realloc(array, (count ? count * 2 : 1) * size);
    if (!larger)
        error_set(err, ERROR_MEMORY, "out of memory for the outline");
    return larger;
}

static int read_nodes(struct store *store, int64_t session, struct outline *outline,
                      struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_NODE_OUTLINE, "i", session);
    int row;

    while ((row = rows_next(rows, err)) > 0) {
        struct outline_node *nodes = grow(outline->nodes, outline->node_count, sizeof *nodes, err);

        if (!nodes)
            return -1;
        outline->nodes = nodes;
        nodes += outline->node_count++;
        nodes->id = keep(&outline->strings, rows, 0);
        nodes->title = keep(&outline->strings, rows, 1);
        nodes->group = keep(&outline->strings, rows, 2);
        nodes->components = (size_t)rows_int(rows, 3);
    }
    return row;
}

static int read_edges(struct store *store, int64_t session, struct outline *outline,
                      struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_RELATIONSHIP_LIST, "i", session);
    int row;

    while ((row = rows_next(rows, err)) > 0) {
        struct outline_edge *edges;

        if ((unsigned)rows_int(rows, 1) & ROW_RAW)
            continue;
        edges = grow(outline->edges, outline->edge_count, sizeof *edges, err);
        if (!edges)
            return -1;
        outline->edges = edges;
        edges += outline->edge_count++;
        edges->from = keep(&outline->strings, rows, 3);
        edges->to = keep(&outline->strings, rows, 4);
        edges->type = keep(&outline->strings, rows, 5);
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
    }
    for (size_t i = 0; i < outline->edge_count; i++) {
        struct outline_edge *edge = &outline->edges[i];

        edge->from = settle(strings, edge->from, "");
        edge->to = settle(strings, edge->to, "");
        edge->type = settle(strings, edge->type, "");
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
    int rc = -1;

    if (store_refresh(store, UPSTREAM_RELATIONSHIPS | UPSTREAM_COUNTS, sid, NULL, err) != 0)
        return -1;
    if (store_read_begin(store, err) != 0)
        return -1;
    if (store_session_find(store, sid, &session, err) == 0)
        rc = read_graph_version(store, session.key, version, err);
    return store_read_end(store, rc);
}

int store_read_outline(struct store *store, const char *sid, struct outline *outline,
                       struct error *err)
{
    struct session_found session;
    int rc = -1;

    if (store_refresh(store, UPSTREAM_RELATIONSHIPS | UPSTREAM_COUNTS, sid, NULL, err) != 0)
        return -1;
    memset(outline, 0, sizeof *outline);
    buf_init(&outline->strings, 0);
    if (store_read_begin(store, err) != 0)
        return -1;
    if (store_session_find(store, sid, &session, err) == 0 &&
        read_graph_version(store, session.key, &outline->graph_version, err) == 0 &&
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
    buf_finish(&outline->strings);
    memset(outline, 0, sizeof *outline);
}
