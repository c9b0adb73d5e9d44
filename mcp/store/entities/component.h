/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The components of a node: insert, update, delete, replace, reorder, and move to another node.
 */
#ifndef LECTERN_STORE_ENTITIES_COMPONENT_H
#define LECTERN_STORE_ENTITIES_COMPONENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "mcp/store/store.h"

/* Names one component of a node: by component_id if it is set, else by order (1-based). */
struct component_ref {
    const char *node_id;
    const char *component_id; /* or NULL */
    long order;               /* or 0 */
};

/* A component after a write (for a delete: before it), with what an answer contains. */
struct component_state {
    char component_id[COMPONENT_ID_SIZE];
    char type[64];
    char node_title[256]; /* cut at a UTF-8 boundary */
    char summary[160];    /* the first words of its content, on one line, cut likewise */
    long order;
    long revision;
    long total;                     /* components of the node after the write */
    char change[VALUE_CHANGE_SIZE]; /* what an update changed of its parameters; "" if nothing */
};

/* component: {"type" or "component_type", "parameters", "confidence" (default 1.0), additional
 * fields}. position is 1-based; 0 appends. */
int store_component_insert(struct store *store, const struct writer *writer, const char *sid,
                           const char *node_id, long position, const json_t *component,
                           struct component_state *state, struct error *err);

/* Appends all or none. ERROR_INVALID lists every invalid item (capped). *first gets the state of
 * the first component. */
int store_components_append(struct store *store, const struct writer *writer, const char *sid,
                            const char *node_id, const json_t *components,
                            struct component_state *first, struct error *err);

/* changes: {"parameters", "type", "confidence"}, each optional. merge: merge the parameters
 * shallowly into the old ones instead of replacing them. The result must be valid.
 * expected_revision 0: not checked; ERROR_STALE contains the current text. */
int store_component_update(struct store *store, const struct writer *writer, const char *sid,
                           const struct component_ref *ref, const json_t *changes, bool merge,
                           long expected_revision, struct component_state *state,
                           struct error *err);

int store_component_delete(struct store *store, const struct writer *writer, const char *sid,
                           const struct component_ref *ref, long expected_revision,
                           struct component_state *state, struct error *err);

/* Replaces the whole sequence, sorted by order and renumbered. A component with a component_id
 * keeps it. */
int store_components_replace(struct store *store, const struct writer *writer, const char *sid,
                             const char *node_id, const json_t *body, struct error *err);

/* order: the old positions (1-based, each exactly once) in their new order. */
int store_components_reorder(struct store *store, const struct writer *writer, const char *sid,
                             const char *node_id, const json_t *order, struct error *err);

/* What a move, a split or a copy did. */
struct move_state {
    char title[256], into_title[256]; /* of both nodes, cut at a UTF-8 boundary */
    size_t components;                /* moved or copied */
    size_t relationships;             /* moved */
    size_t remaining;                 /* components that the first node has now */
    int64_t position;                 /* of the first one in the other node */
};

/* components: [2, "4-6, 9", "id", ...], places (1-based), ranges or ids of components of the node,
 * in their new order. position: 1-based, in the other node; 0 appends. Ids, revisions and history
 * stay. */
int store_components_move(struct store *store, const struct writer *writer, const char *sid,
                          const char *node_id, const json_t *components, const char *into_id,
                          long position, struct move_state *state, struct error *err);
/* Creates the node `into` ({"node_id", "title"}) with the additional fields of node_id, and moves
 * the components there, but never all. It comes behind the node with the id `after` (NULL:
 * node_id). relationships: [17, "N005", ...], ids of relationships of the node, or ids of nodes for
 * all relationships with that node; may be NULL. */
int store_node_split(struct store *store, const struct writer *writer, const char *sid,
                     const char *node_id, const json_t *into, const char *after,
                     const json_t *components, const json_t *relationships,
                     struct move_state *state, struct error *err);
/* Creates the node `into` with all fields and components of node_id, and none of its
 * relationships. The components get new ids. after: as in store_node_split. */
int store_node_copy(struct store *store, const struct writer *writer, const char *sid,
                    const char *node_id, const json_t *into, const char *after,
                    struct move_state *state, struct error *err);

#endif
