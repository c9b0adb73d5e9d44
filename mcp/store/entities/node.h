/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The nodes of a curriculum: their names, and the writes to them.
 */
#ifndef LECTERN_STORE_ENTITIES_NODE_H
#define LECTERN_STORE_ENTITIES_NODE_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "helpers/base/buf.h"
#include "mcp/store/store.h"

/* The title of a node. The error names the nearest node. */
int store_node_title(struct store *store, const char *sid, const char *node_id, char *title,
                     size_t size, struct error *err);

/* Finds a node by its id, or by a title that only one node has, with the rules of the graph queries
 * (helpers/graph/text.h). *id is borrowed from name or from found, which the caller frees. what is
 * the name of the argument in the error: ERROR_NOT_FOUND names the nearest node, ERROR_CONFLICT
 * lists the ids that share the title. */
int store_node_id(struct store *store, const char *sid, const char *name, const char *what,
                  struct buf *found, const char **id, struct error *err);

/* node: {"node_id", "title", "raw_content", "chapter_id", "content_category", additional fields}.
 * Only node_id and title are required. It comes behind the node with the id `after`, or last
 * (NULL). ERROR_CONFLICT if the id is in use. */
int store_node_create(struct store *store, const struct writer *writer, const char *sid,
                      const json_t *node, const char *after, struct error *err);
int store_node_delete(struct store *store, const struct writer *writer, const char *sid,
                      const char *node_id, struct error *err);
/* changes: {"title", "content_category", "raw_content", "chapter_id", additional fields}, each
 * optional; null removes a field. expected_revision 0: not checked. ERROR_STALE contains the
 * current node. */
struct node_state {
    char node_id[NODE_ID_MAX + 1];
    char title[256]; /* cut at a UTF-8 boundary */
    long revision;
    size_t components,
        relationships; /* current number; after a merge: moved from the merged node */
    size_t left_out;   /* by a merge: relationships that would be duplicates or loops */
    bool first;        /* by a merge: the moved components are before the others */
    char change[VALUE_CHANGE_SIZE]; /* what an update changed; "" if nothing */
};
int store_node_update(struct store *store, const struct writer *writer, const char *sid,
                      const char *node_id, const json_t *changes, long expected_revision,
                      struct node_state *state, struct error *err);
/* The current state of the node. ERROR_STALE as in an update. */
int store_node_state(struct store *store, const char *sid, const char *node_id,
                     long expected_revision, struct node_state *state, struct error *err);
/* Moves the components of node_id behind those of into, or before them where node_id is a
 * prerequisite of into; moves its relationships to into, and deletes it. */
int store_node_merge(struct store *store, const struct writer *writer, const char *sid,
                     const char *node_id, const char *into, long expected_revision,
                     struct node_state *state, struct error *err);
#define NODE_MAP_WRITE_MAX 5000 /* entries in one call */
/* {"N001": {"x": 100.5, "y": 200.3}}. null removes an entry; entries that are not named stay. */
int store_node_map_write(struct store *store, const struct writer *writer, const char *sid,
                         const json_t *map, struct error *err);
/* The four category texts, each optional; the others stay. */
int store_node_texts(struct store *store, const struct writer *writer, const char *sid,
                     const char *node_id, const json_t *texts, struct error *err);

#endif
