/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * May a change be taken back? What it left behind must be what is there now: else somebody's later
 * work would be lost with it, or something stand there twice.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/session/entity.h"
#include "mcp/store/rewind.h"

#define NAME_CAP  400
#define SHOWN_CAP 100 /* bytes of a title or a content in a message */

static void add_node_name(struct rewind *rewind, const char *node_id, struct buf *name)
{
    char title[SHOWN_CAP], id[SHOWN_CAP];

    text_cut_line(id, sizeof id, node_id);
    buf_adds(name, id);
    if (store_old_title(rewind->store, rewind->session, node_id, title, sizeof title, NULL) == 0 &&
        strcmp(title, node_id) != 0)
        buf_addf(name, " \"%s\"", title);
}

static void add_component_name(const struct rewind *then, const struct rewind_row *row,
                               struct buf *name)
{
    const struct rewind_node *node = rewind_row_node(then, row);
    const struct sequence_item *item = node ? rewind_item(&node->sequence, row->entity_id) : NULL;
    const json_t *component = item ? item->component : json_object_get(row->before, "component");
    char type[SHOWN_CAP], summary[SHOWN_CAP];

    if (!component) {
        buf_addf(name, "component %s of ", row->entity_id);
        return;
    }
    text_cut_line(type, sizeof type, entity_component_type(component));
    entity_component_summary(component, summary, sizeof summary);
    buf_addf(name, "the %s \"%s\" of ", *type ? type : "component", summary);
}

static void add_name(struct rewind *then, const struct rewind_row *row, struct buf *name)
{
    json_auto_t *value = rewind_value(then, row);
    const char *type;

    switch (row->entity) {
    case PAST_COMPONENT:
        if (row->op == PAST_RENUMBER)
            buf_adds(name, "the order of ");
        else
            add_component_name(then, row, name);
        add_node_name(then, row->node_id, name);
        return;
    case PAST_NODE:
        add_node_name(then, row->node_id, name);
        return;
    case PAST_POSITION:
        buf_adds(name, "the position of ");
        add_node_name(then, row->entity_id, name);
        return;
    case PAST_RELATIONSHIP:
        if (!value)
            value = json_incref(json_object_get(row->before, "relationship"));
        type = json_get_string(value, "relationship_type");
        buf_addf(name, "the %.64s from ", type ? type : "relationship");
        add_node_name(then, json_get_string(value, "from_node_id"), name);
        buf_adds(name, " to ");
        add_node_name(then, json_get_string(value, "to_node_id"), name);
        return;
    case PAST_SESSION:
        break;
    }
    buf_adds(name, "the curriculum's own fields");
}

/* The last change to it that is not of the same change set. */
static int conflict(struct rewind *then, const struct rewind_row *row, const char *what,
                    struct error *err)
{
    struct rows *rows;
    struct buf name BUF_AUTO = {0};
    int found;

    buf_init(&name, NAME_CAP);
    add_name(then, row, &name);
    rows = db_query(then->store->db, err, SQL_CHANGE_LATER, "iissss", then->session, row->key,
                    row->change_set, row->entity_name,
                    row->op == PAST_RENUMBER ? "" : row->entity_id, row->node_id);
    found = rows_next(rows, err);
    if (found < 0)
        return -1;
    if (found == 0)
        return error_set(err, ERROR_CONFLICT, "%s %s since; nothing was undone", name.data, what);
    error_set(err, ERROR_CONFLICT,
              "%s %s since, by %s at version %" PRId64
              "; nothing was undone. Undo that first (change set %s), or restore a version",
              name.data, what, rows_text(rows, 0), rows_int(rows, 1), rows_text(rows, 2));
    rows_end(rows);
    return -1;
}

static int check_component(struct rewind *then, struct rewind *now, const struct rewind_row *row,
                           struct error *err)
{
    struct rewind_node *then_node = rewind_row_node(then, row),
                       *now_node = rewind_row_node(now, row);
    const struct sequence_item *was, *is;

    if (!now_node || !now_node->node)
        return conflict(then, row, "has gone with its node", err);
    if (row->op == PAST_RENUMBER) {
        if (then_node && rewind_same_arrangement(&then_node->sequence, &now_node->sequence))
            return 0;
        return conflict(then, row, "was changed", err);
    }
    is = rewind_item(&now_node->sequence, row->entity_id);
    if (row->op == PAST_DELETE)
        return is ? conflict(then, row, "was brought back", err) : 0;
    was = then_node ? rewind_item(&then_node->sequence, row->entity_id) : NULL;
    if (!is)
        return conflict(then, row, "was deleted", err);
    return was && rewind_same_component(was, is) ? 0 : conflict(then, row, "was changed", err);
}

/* One number of a statement about the row, after it and not of its change set. */
static int count_later(struct rewind *rewind, enum statement id, const struct rewind_row *row,
                       const char *entity_id, int64_t *count, struct error *err)
{
    struct rows *rows = db_query(rewind->store->db, err, id, "iiss", rewind->session, row->key,
                                 row->change_set, entity_id);

    if (rows_next(rows, err) <= 0)
        return -1;
    *count = rows_int(rows, 0);
    rows_end(rows);
    return 0;
}

static bool same_node(const json_t *was, const json_t *is)
{
    json_auto_t *left = json_copy((json_t *)was), *right = json_copy((json_t *)is);

    json_object_del(left, "last_modified"); /* times go on */
    json_object_del(right, "last_modified");
    return json_equal(left, right);
}

/* How many nodes have the id, as far as the images go by them, else by the database. */
static int count_nodes(struct rewind *now, const char *node_id, int64_t *count, struct error *err)
{
    if (db_number(now->store->db, count, err, SQL_NODE_TWINS, "is", now->session, node_id) != 0)
        return -1;
    for (size_t i = 0; i < now->node_count; i++) {
        const struct rewind_node *node = now->nodes[i];

        if (node->node_id && !strcmp(node->node_id, node_id))
            *count += (node->node != NULL) - node->found;
    }
    return 0;
}

static bool touches(const json_t *relationship, const char *node_id)
{
    const char *from = json_get_string(relationship, "from_node_id");
    const char *to = json_get_string(relationship, "to_node_id");

    return (from && !strcmp(from, node_id)) || (to && !strcmp(to, node_id));
}

/* A node is taken away again only when nothing of others' hangs on it. */
static int check_unused(struct rewind *then, struct rewind *now, const struct rewind_row *row,
                        const struct rewind_node *node, struct error *err)
{
    int64_t *keys, twins;
    size_t count, others = 0;

    if (node->sequence.count > 0)
        return conflict(then, row, "was given components", err);
    if (count_nodes(now, row->node_id, &twins, err) != 0)
        return -1;
    if (twins > 1) /* an imported id that repeats: they have an end still */
        return 0;
    if (store_relationships_of(now->store, now->session, row->node_id, &keys, &count, err) != 0)
        return -1;
    for (size_t i = 0; i < count; i++) {
        bool goes = false;

        for (size_t j = 0; j < now->relationship_count; j++)
            goes = goes || (now->relationships[j]->key == keys[i] &&
                            !touches(now->relationships[j]->relationship, row->node_id));
        others += !goes;
    }
    free(keys);
    return others > 0 ? conflict(then, row, "was given relationships", err) : 0;
}

static int check_node(struct rewind *then, struct rewind *now, const struct rewind_row *row,
                      struct error *err)
{
    const struct rewind_node *was = rewind_row_node(then, row), *is = rewind_row_node(now, row);
    int64_t reused;

    if (row->op == PAST_DELETE) {
        if (count_later(now, SQL_CHANGE_REUSED, row, row->node_id, &reused, err) != 0)
            return -1;
        return (is && is->node) || reused > 0 ? conflict(then, row, "is there again", err) : 0;
    }
    if (!is || !is->node)
        return conflict(then, row, "was deleted", err);
    if (row->op == PAST_TOUCH)
        return 0;
    if (!was || !was->node || !same_node(was->node, is->node))
        return conflict(then, row, "was changed", err);
    return row->op == PAST_INSERT ? check_unused(then, now, row, is, err) : 0;
}

/* A relationship comes back only between nodes, and once. */
static int check_ends(struct rewind *then, struct rewind *now, const struct rewind_row *row,
                      struct error *err)
{
    static const char *const ends[] = {"from_node_id", "to_node_id"};
    const json_t *relationship = json_object_get(row->before, "relationship");
    const char *id[2];
    char twin[32];
    int64_t later, same;
    int found;

    for (size_t i = 0; i < 2; i++) {
        id[i] = json_get_string(relationship, ends[i]);
        if (!id[i])
            continue;
        if (count_nodes(now, id[i], &later, err) != 0)
            return -1;
        if (later > 0)
            continue;
        /* An import keeps relationships that dangle: then nobody took the end away. */
        if (count_later(now, SQL_CHANGE_GONE, row, id[i], &later, err) != 0)
            return -1;
        if (later > 0)
            return conflict(then, row, "has lost an end", err);
    }
    if (!id[0] || !id[1])
        return 0;
    found = store_relationship_same(now->store, now->session, id[0], id[1],
                                    json_get_string(relationship, "relationship_type"),
                                    strtoll(row->entity_id, NULL, 10), &same, err);
    if (found <= 0)
        return found;
    snprintf(twin, sizeof twin, "%" PRId64, same);
    if (count_later(now, SQL_CHANGE_REPEATED, row, twin, &later, err) != 0)
        return -1;
    return later > 0 ? conflict(then, row, "was created anew", err) : 0;
}

static int check_relationship(struct rewind *then, struct rewind *now, const struct rewind_row *row,
                              struct error *err)
{
    const struct rewind_relationship *was = rewind_row_relationship(then, row);
    const struct rewind_relationship *is = rewind_row_relationship(now, row);

    if (row->op == PAST_DELETE) {
        if (is && is->relationship)
            return conflict(then, row, "was brought back", err);
        return check_ends(then, now, row, err);
    }
    if (!is || !is->relationship)
        return conflict(then, row, "was deleted", err);
    if (!was || !json_equal(was->relationship, is->relationship))
        return conflict(then, row, "was changed", err);
    return 0;
}

int rewind_check(struct rewind *then, struct rewind *now, const struct rewind_row *row,
                 struct error *err)
{
    json_auto_t *was = NULL, *is = NULL;

    switch (row->entity) {
    case PAST_COMPONENT:
        return check_component(then, now, row, err);
    case PAST_NODE:
        return check_node(then, now, row, err);
    case PAST_RELATIONSHIP:
        return check_relationship(then, now, row, err);
    case PAST_POSITION:
    case PAST_SESSION:
        break;
    }
    was = rewind_value(then, row);
    is = rewind_value(now, row);
    if (was == is || (was && is && json_equal(was, is)))
        return 0;
    return conflict(then, row, is ? "was changed" : "was deleted", err);
}
