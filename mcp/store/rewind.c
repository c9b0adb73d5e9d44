/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Images of things, read from the database as it is now.
 */
#include "mcp/store/rewind.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"

void rewind_init(struct rewind *rewind, struct store *store, int64_t session)
{
    memset(rewind, 0, sizeof *rewind);
    rewind->store = store;
    rewind->session = session;
}

static void free_node(struct rewind_node *node)
{
    free(node->node_id);
    json_decref(node->node);
    sequence_finish(&node->sequence);
    free(node);
}

void rewind_finish(struct rewind *rewind)
{
    for (size_t i = 0; i < rewind->node_count; i++)
        free_node(rewind->nodes[i]);
    for (size_t i = 0; i < rewind->relationship_count; i++) {
        json_decref(rewind->relationships[i]->relationship);
        free(rewind->relationships[i]);
    }
    for (size_t i = 0; i < rewind->position_count; i++) {
        free(rewind->positions[i]->node_id);
        json_decref(rewind->positions[i]->position);
        free(rewind->positions[i]);
    }
    free(rewind->nodes);
    free(rewind->relationships);
    free(rewind->positions);
    json_decref(rewind->further);
    json_decref(rewind->title);
    memset(rewind, 0, sizeof *rewind);
}

/* A zeroed new element, counted; the array of pointers doubles. */
static void *add(void **array, size_t *count, size_t size, struct error *err)
{
    void **pointers = *(void ***)array;
    void *element = calloc(1, size);

    if (element && (*count & (*count - 1)) == 0) { /* full at each power of two, and at none */
        void **more = realloc(pointers, (*count ? *count * 2 : 1) * sizeof *more);

        if (!more) {
            free(element);
            element = NULL;
        } else {
            pointers = more;
            *(void ***)array = more;
        }
    }
    if (!element) {
        error_set(err, ERROR_MEMORY, "out of memory for what was");
        return NULL;
    }
    pointers[(*count)++] = element;
    return element;
}

static int read_node(struct rewind *rewind, struct rewind_node *node, struct error *err)
{
    struct rows *rows = db_query(rewind->store->db, err, SQL_NODE_BY_KEY, "i", node->key);
    const char *created_at, *node_id;
    struct kept kept;
    int row;

    row = rows_next(rows, err);
    if (row <= 0)
        return row;
    node->found = true;
    kept = rows_kept(rows, 0);
    node->place = rows_int(rows, 3);
    node->revision = rows_int(rows, 4);
    node->flags = kept.flags & (NODE_COMPONENTS | NODE_TIMES);
    created_at = rows_text(rows, 5);
    text_cut(node->created_at, sizeof node->created_at, created_at);
    node_id = rows_text(rows, 7);
    if (node_id && !node->node_id)
        node->node_id = strdup(node_id);
    node->node = json_read(kept.body, kept.len, "a kept node", err);
    rows_end(rows);
    if (!node->node)
        return -1;
    return sequence_read(rewind->store, node->key, &node->sequence, err);
}

int rewind_want_node(struct rewind *rewind, int64_t key, const char *node_id,
                     struct rewind_node **node, struct error *err)
{
    for (size_t i = rewind->node_count; i-- > 0;) {
        if (rewind->nodes[i]->key == key) {
            *node = rewind->nodes[i];
            return 0;
        }
    }
    *node = add((void **)&rewind->nodes, &rewind->node_count, sizeof **node, err);
    if (!*node)
        return -1;
    (*node)->key = key;
    (*node)->node_id = node_id ? strdup(node_id) : NULL;
    return key < 0 ? 0 : read_node(rewind, *node, err);
}

int rewind_want_relationship(struct rewind *rewind, int64_t key, struct error *err)
{
    struct rewind_relationship *entry;
    struct rows *rows;
    struct row_text body;
    int row;

    for (size_t i = rewind->relationship_count; i-- > 0;)
        if (rewind->relationships[i]->key == key)
            return 0;
    entry = add((void **)&rewind->relationships, &rewind->relationship_count, sizeof *entry, err);
    if (!entry)
        return -1;
    entry->key = key;
    rows = db_query(rewind->store->db, err, SQL_RELATIONSHIP_BY_KEY, "ii", key, rewind->session);
    row = rows_next(rows, err);
    if (row <= 0)
        return row;
    body = rows_string(rows, 0);
    entry->place = rows_int(rows, 1);
    entry->relationship = json_read(body.text, body.len, "a kept relationship", err);
    rows_end(rows);
    return entry->relationship ? 0 : -1;
}

int rewind_want_position(struct rewind *rewind, const char *node_id, struct error *err)
{
    struct rewind_position *entry;
    struct rows *rows;
    struct row_text body;
    int row;

    for (size_t i = rewind->position_count; i-- > 0;)
        if (!strcmp(rewind->positions[i]->node_id, node_id))
            return 0;
    entry = add((void **)&rewind->positions, &rewind->position_count, sizeof *entry, err);
    if (!entry)
        return -1;
    entry->node_id = strdup(node_id);
    if (!entry->node_id) {
        rewind->position_count--;
        free(entry);
        return error_set(err, ERROR_MEMORY, "out of memory for what was");
    }
    rows = db_query(rewind->store->db, err, SQL_POSITION_FIND, "is", rewind->session, node_id);
    row = rows_next(rows, err);
    if (row <= 0)
        return row;
    body = rows_string(rows, 0);
    entry->position = json_read(body.text, body.len, "a kept position", err);
    rows_end(rows);
    return entry->position ? 0 : -1;
}

int rewind_want_session(struct rewind *rewind, struct error *err)
{
    struct rows *rows;
    struct row_text text;

    if (rewind->further)
        return 0;
    rows = db_query(rewind->store->db, err, SQL_SESSION_BY_KEY, "i", rewind->session);
    if (rows_next(rows, err) <= 0)
        return -1;
    rewind->session_flags = (unsigned)rows_int(rows, 0);
    text = rows_string(rows, 1);
    rewind->further = json_read(text.text, text.len, "a kept session", err);
    rewind->title = json_string(rows_text(rows, 2));
    rows_end(rows);
    if (rewind->further && !rewind->title)
        return error_set(err, ERROR_MEMORY, "out of memory for what was");
    return rewind->further ? 0 : -1;
}
