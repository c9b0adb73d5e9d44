/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Inside of change_set.h: the table of operations, and one operation on its way.
 */
#ifndef LECTERN_SESSION_CHANGE_OPERATIONS_H
#define LECTERN_SESSION_CHANGE_OPERATIONS_H

#include "helpers/base/fields.h"
#include "mcp/session/change_set.h"

#define CHANGE_MEMBERS_CAP 8

/* One operation under way: in, what it is to do; out, what it did. */
struct change_work {
    struct store *store;
    const struct writer *writer;
    const char *sid;
    const json_t *given; /* its members, checked and by their own names; without op */
    json_t *result;      /* ids and counts go here */
    struct buf *message; /* one line, past tense, without a line end */
};

struct change_operation {
    const char *name;
    struct field members[CHANGE_MEMBERS_CAP + 1];
    bool further; /* other members are the node's own fields */
    bool touches_graph;
    unsigned reads; /* enum store_part, of the nodes that it names */
    int (*apply)(struct change_work *work, struct error *err);
};

extern const struct change_operation change_operations[];
extern const size_t change_operation_count;

/* The row that item's op names, and its members checked, in *given (a new reference). results: of
 * the operations before it, for "$2". NULL: ERROR_INVALID. */
const struct change_operation *change_operation_read(const json_t *item, const json_t *results,
                                                     json_t **given, struct error *err);
/* Puts ids in place of titles in given, in the transaction of the operation. */
int change_operation_resolve(const struct change_operation *operation, struct store *store,
                             const char *sid, json_t *given, struct error *err);
/* "rename_node takes node_id, title, expected_revision?" */
void change_operation_list(const struct change_operation *operation, struct buf *to);
/* Adds what the item will read to parts, as store_read_ahead takes it. */
void change_operation_add_parts(const json_t *item, json_t *parts);
/* Whether an item touches the graph, so far as can be told. */
bool change_operation_touches_graph(const json_t *item);

/* ---- change_nodes.c, change_components.c, change_relationships.c ---- */

int change_create_node(struct change_work *work, struct error *err);
int change_rename_node(struct change_work *work, struct error *err);
int change_edit_node(struct change_work *work, struct error *err);
int change_delete_node(struct change_work *work, struct error *err);
int change_merge_nodes(struct change_work *work, struct error *err);
int change_create_component(struct change_work *work, struct error *err);
int change_edit_component(struct change_work *work, struct error *err);
int change_delete_component(struct change_work *work, struct error *err);
int change_reorder_components(struct change_work *work, struct error *err);
int change_create_relationship(struct change_work *work, struct error *err);
int change_edit_relationship(struct change_work *work, struct error *err);
int change_delete_relationship(struct change_work *work, struct error *err);

/* The member as text, or NULL; as a whole number, or 0. */
const char *change_text(const struct change_work *work, const char *name);
long change_whole(const struct change_work *work, const char *name);
/* N003 "Comparing fractions": an id and a title of the curriculum, in one line. */
void change_say_node(struct change_work *work, const char *node_id, const char *title);
void change_say_count(struct change_work *work, size_t count, const char *thing);

#endif
