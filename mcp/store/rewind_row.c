/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rows of the change log, and which image each is about.
 */
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/store/rewind.h"

static const char *const entities[] = {
    [PAST_SESSION] = "session",     [PAST_NODE] = "node",
    [PAST_COMPONENT] = "component", [PAST_RELATIONSHIP] = "relationship",
    [PAST_POSITION] = "position",
};

static const struct {
    const char *name;
    enum rewind_op op;
} ops[] = {
    {"create", PAST_BEGIN},  {"import", PAST_BEGIN},  {"insert", PAST_INSERT},
    {"update", PAST_UPDATE}, {"delete", PAST_DELETE}, {"renumber", PAST_RENUMBER},
    {"touch", PAST_TOUCH},
};

static int read_kind(struct rewind_row *row, struct error *err)
{
    size_t entity = 0, op = 0;

    while (entity < sizeof entities / sizeof entities[0] &&
           strcmp(entities[entity], row->entity_name) != 0)
        entity++;
    while (op < sizeof ops / sizeof ops[0] && strcmp(ops[op].name, row->op_name) != 0)
        op++;
    if (entity == sizeof entities / sizeof entities[0] || op == sizeof ops / sizeof ops[0])
        return error_set(err, ERROR_INTERNAL, "the change log has an unknown row: %s %s",
                         row->entity_name, row->op_name);
    row->entity = (enum rewind_entity)entity;
    row->op = ops[op].op;
    return 0;
}

static int read_text(struct rows *rows, int column, json_t **value, struct error *err)
{
    struct row_text text = rows_string(rows, column);

    if (!text.text)
        return 0;
    *value = json_read(text.text, text.len, "a row of the change log", err);
    return *value ? 0 : -1;
}

int rewind_row_read(struct rows *rows, struct rewind_row *row, struct error *err)
{
    memset(row, 0, sizeof *row);
    row->key = rows_int(rows, 0);
    row->version = rows_int(rows, 1);
    row->change_set = rows_text(rows, 2);
    row->at = rows_text(rows, 3);
    row->who = rows_text(rows, 4);
    row->entity_name = rows_text(rows, 5);
    row->entity_id = rows_text(rows, 6);
    row->node_id = rows_text(rows, 7);
    row->op_name = rows_text(rows, 8);
    if (read_kind(row, err) != 0 || read_text(rows, 9, &row->before, err) != 0)
        return -1;
    if (read_text(rows, 10, &row->after, err) != 0)
        return -1;
    if (!row->node_id && row->entity == PAST_NODE)
        row->node_id = row->entity_id;
    if (!row->node_id && row->entity == PAST_COMPONENT)
        row->node_id = json_get_string(row->before ? row->before : row->after, "node_id");
    return 0;
}

void rewind_row_finish(struct rewind_row *row)
{
    json_decref(row->before);
    json_decref(row->after);
    row->before = row->after = NULL;
}

/* 0 where the log is too old to know it. */
static int64_t node_key(const struct rewind_row *row)
{
    const json_t *image = row->before ? row->before : row->after;

    return json_integer_value(json_object_get(image, row->entity == PAST_NODE ? "key" : "node"));
}

struct rewind_node *rewind_row_node(const struct rewind *rewind, const struct rewind_row *row)
{
    int64_t key = node_key(row);
    /* Of several that had the id in turn, a deletion is of one that is not there afterwards. */
    bool there = row->entity != PAST_NODE || row->op != PAST_DELETE;
    struct rewind_node *found = NULL;

    for (size_t i = rewind->node_count; i-- > 0;) {
        struct rewind_node *node = rewind->nodes[i];

        if (key != 0) {
            if (node->key == key)
                return node;
        } else if (node->node_id && row->node_id && !strcmp(node->node_id, row->node_id) &&
                   (!found || (node->node != NULL) == there)) {
            found = node;
        }
    }
    return found;
}

struct rewind_relationship *rewind_row_relationship(const struct rewind *rewind,
                                                    const struct rewind_row *row)
{
    int64_t key = strtoll(row->entity_id, NULL, 10);

    for (size_t i = rewind->relationship_count; i-- > 0;)
        if (rewind->relationships[i]->key == key)
            return rewind->relationships[i];
    return NULL;
}

struct rewind_position *rewind_row_position(const struct rewind *rewind,
                                            const struct rewind_row *row)
{
    for (size_t i = rewind->position_count; i-- > 0;)
        if (!strcmp(rewind->positions[i]->node_id, row->entity_id))
            return rewind->positions[i];
    return NULL;
}

bool rewind_has(const struct rewind *rewind, const struct rewind_row *row)
{
    switch (row->entity) {
    case PAST_NODE:
    case PAST_COMPONENT:
        return rewind_row_node(rewind, row) != NULL;
    case PAST_RELATIONSHIP:
        return rewind_row_relationship(rewind, row) != NULL;
    case PAST_POSITION:
        return rewind_row_position(rewind, row) != NULL;
    case PAST_SESSION:
        break;
    }
    return rewind->further != NULL;
}

static int want_old_node(struct rewind *rewind, const struct rewind_row *row, struct error *err)
{
    struct rows *rows =
        db_query(rewind->store->db, err, SQL_NODE_FIND, "is", rewind->session, row->node_id);
    struct rewind_node *node;
    int64_t key = -1 - (int64_t)rewind->node_count;
    int found;

    found = rows_next(rows, err);
    if (found < 0)
        return -1;
    if (found > 0)
        key = rows_int(rows, 0);
    rows_end(rows);
    return rewind_want_node(rewind, key, row->node_id, &node, err);
}

int rewind_want(struct rewind *rewind, const struct rewind_row *row, struct error *err)
{
    struct rewind_node *node;

    switch (row->entity) {
    case PAST_NODE:
    case PAST_COMPONENT:
        if (rewind_row_node(rewind, row))
            return 0;
        if (node_key(row) == 0)
            return want_old_node(rewind, row, err);
        return rewind_want_node(rewind, node_key(row), row->node_id, &node, err);
    case PAST_RELATIONSHIP:
        return rewind_want_relationship(rewind, strtoll(row->entity_id, NULL, 10), err);
    case PAST_POSITION:
        return rewind_want_position(rewind, row->entity_id, err);
    case PAST_SESSION:
        break;
    }
    return rewind_want_session(rewind, err);
}
