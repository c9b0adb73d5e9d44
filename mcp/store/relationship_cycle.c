/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The cycle that a new prerequisite closes: a search in breadth, a step a rows, so that what a
 * change set has done so far is seen.
 */
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/store/store_internal.h"

/* Walks one step from node along what contains PREREQUISITE: who is new gets node as its parent and
 * joins the queue. */
static int walk_step(struct store *store, int64_t session, const char *node, json_t *parents,
                     json_t *queue, struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_RELATIONSHIP_NEEDED_BY, "is", session, node);
    int row;

    while ((row = rows_next(rows, err)) > 0) {
        const char *next = rows_text(rows, 0);

        if (!next || json_object_get(parents, next))
            continue;
        json_object_set_new(parents, next, json_string(node));
        json_array_append_new(queue, json_string(next));
    }
    return row;
}

/* The path from start to the node where the walk ended, as [{"node_id", "title"}], start first. */
static json_t *path_back(struct store *store, int64_t session, const json_t *parents,
                         const char *start, const char *end)
{
    json_t *path = json_array();

    for (const char *at = end; at; at = json_get_string(parents, at)) {
        struct node_found node;
        bool found = store_node_find(store, session, at, &node, NULL) == 0;

        json_array_insert_new(
            path, 0, json_pack("{s:s, s:s}", "node_id", at, "title", found ? node.title : ""));
        if (!strcmp(at, start))
            break;
    }
    return path;
}

int store_prerequisite_path(struct store *store, int64_t session, const char *start,
                            const char *end, json_t **path, struct error *err)
{
    json_auto_t *parents = json_object();
    json_auto_t *queue = json_array();

    *path = NULL;
    json_object_set_new(parents, start, json_null());
    json_array_append_new(queue, json_string(start));
    for (size_t i = 0; i < json_array_size(queue); i++) {
        const char *node = json_string_value(json_array_get(queue, i));

        if (!strcmp(node, end)) {
            *path = path_back(store, session, parents, start, end);
            return 0;
        }
        if (walk_step(store, session, node, parents, queue, err) != 0)
            return -1;
    }
    return 0;
}
