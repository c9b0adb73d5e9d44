/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Images of things, read from the database as it is now.
 */
#include "mcp/session/sqlite/past.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"

void past_init(struct past *past, struct sqlite_store *store, int64_t session)
{
    memset(past, 0, sizeof *past);
    past->store = store;
    past->session = session;
}

static void free_node(struct past_node *node)
{
    free(node->node_id);
    json_decref(node->node);
    sqlite_sequence_finish(&node->sequence);
    free(node);
}

void past_finish(struct past *past)
{
    for (size_t i = 0; i < past->node_count; i++)
        free_node(past->nodes[i]);
    for (size_t i = 0; i < past->relationship_count; i++) {
        json_decref(past->relationships[i]->relationship);
        free(past->relationships[i]);
    }
    for (size_t i = 0; i < past->position_count; i++) {
        free(past->positions[i]->node_id);
        json_decref(past->positions[i]->position);
        free(past->positions[i]);
    }
    free(past->nodes);
    free(past->relationships);
    free(past->positions);
    json_decref(past->further);
    json_decref(past->title);
    memset(past, 0, sizeof *past);
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

static int read_node(struct past *past, struct past_node *node, struct error *err)
{
    sqlite3_stmt *statement = sqlite_statement(past->store, SQL_NODE_BY_KEY, err);
    const char *created_at, *node_id;
    struct kept kept;
    int row;

    if (!statement || sqlite_bind(past->store, statement, err, "i", node->key) != 0)
        return -1;
    row = sqlite_next(past->store, statement, err);
    if (row <= 0)
        return row;
    node->found = true;
    kept = sqlite_kept(statement, 0);
    node->place = sqlite3_column_int64(statement, 3);
    node->revision = sqlite3_column_int64(statement, 4);
    node->flags = kept.flags & (NODE_COMPONENTS | NODE_TIMES);
    created_at = sqlite_text(statement, 5);
    text_cut(node->created_at, sizeof node->created_at, created_at);
    node_id = sqlite_text(statement, 7);
    if (node_id && !node->node_id)
        node->node_id = strdup(node_id);
    node->node = json_read(kept.body, kept.len, "a kept node", err);
    sqlite3_reset(statement);
    if (!node->node)
        return -1;
    return sqlite_sequence_read(past->store, node->key, &node->sequence, err);
}

int past_want_node(struct past *past, int64_t key, const char *node_id, struct past_node **node,
                   struct error *err)
{
    for (size_t i = past->node_count; i-- > 0;) {
        if (past->nodes[i]->key == key) {
            *node = past->nodes[i];
            return 0;
        }
    }
    *node = add((void **)&past->nodes, &past->node_count, sizeof **node, err);
    if (!*node)
        return -1;
    (*node)->key = key;
    (*node)->node_id = node_id ? strdup(node_id) : NULL;
    return key < 0 ? 0 : read_node(past, *node, err);
}

int past_want_relationship(struct past *past, int64_t key, struct error *err)
{
    struct past_relationship *entry;
    sqlite3_stmt *statement;
    struct row_text body;
    int row;

    for (size_t i = past->relationship_count; i-- > 0;)
        if (past->relationships[i]->key == key)
            return 0;
    entry = add((void **)&past->relationships, &past->relationship_count, sizeof *entry, err);
    statement = entry ? sqlite_statement(past->store, SQL_RELATIONSHIP_BY_KEY, err) : NULL;
    if (!statement)
        return -1;
    entry->key = key;
    if (sqlite_bind(past->store, statement, err, "ii", key, past->session) != 0)
        return -1;
    row = sqlite_next(past->store, statement, err);
    if (row <= 0)
        return row;
    body = sqlite_row_text(statement, 0);
    entry->place = sqlite3_column_int64(statement, 1);
    entry->relationship = json_read(body.text, body.len, "a kept relationship", err);
    sqlite3_reset(statement);
    return entry->relationship ? 0 : -1;
}

int past_want_position(struct past *past, const char *node_id, struct error *err)
{
    struct past_position *entry;
    sqlite3_stmt *statement;
    struct row_text body;
    int row;

    for (size_t i = past->position_count; i-- > 0;)
        if (!strcmp(past->positions[i]->node_id, node_id))
            return 0;
    entry = add((void **)&past->positions, &past->position_count, sizeof *entry, err);
    statement = entry ? sqlite_statement(past->store, SQL_POSITION_FIND, err) : NULL;
    if (!statement)
        return -1;
    entry->node_id = strdup(node_id);
    if (!entry->node_id) {
        past->position_count--;
        free(entry);
        return error_set(err, ERROR_MEMORY, "out of memory for what was");
    }
    if (sqlite_bind(past->store, statement, err, "is", past->session, node_id) != 0)
        return -1;
    row = sqlite_next(past->store, statement, err);
    if (row <= 0)
        return row;
    body = sqlite_row_text(statement, 0);
    entry->position = json_read(body.text, body.len, "a kept position", err);
    sqlite3_reset(statement);
    return entry->position ? 0 : -1;
}

int past_want_session(struct past *past, struct error *err)
{
    sqlite3_stmt *statement;
    struct row_text text;

    if (past->further)
        return 0;
    statement = sqlite_statement(past->store, SQL_SESSION_BY_KEY, err);
    if (!statement || sqlite_bind(past->store, statement, err, "i", past->session) != 0 ||
        sqlite_next(past->store, statement, err) <= 0)
        return -1;
    past->session_flags = (unsigned)sqlite3_column_int(statement, 0);
    text = sqlite_row_text(statement, 1);
    past->further = json_read(text.text, text.len, "a kept session", err);
    past->title = json_string(sqlite_text(statement, 2));
    sqlite3_reset(statement);
    if (past->further && !past->title)
        return error_set(err, ERROR_MEMORY, "out of memory for what was");
    return past->further ? 0 : -1;
}
