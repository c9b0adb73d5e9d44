/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reading the parts of a curriculum. Each function appends JSON text to *json in the form of the
 * session API, without building a tree.
 */
#ifndef LECTERN_STORE_ENTITIES_READ_H
#define LECTERN_STORE_ENTITIES_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "helpers/base/buf.h"
#include "mcp/store/store.h"

int store_read_sessions(struct store *store, struct buf *json,
                        struct error *err); /* {"sessions": [...], "total"} */
int store_read_nodes(struct store *store, const char *sid, struct buf *json,
                     struct error *err); /* {"session_id", "nodes", "total"} */
int store_read_relationships(struct store *store, const char *sid, struct buf *json,
                             struct error *err);
/* {"node_id", "title", "components": [...], "total_components", "suggested_template",
 * "overall_confidence"} */
int store_read_components(struct store *store, const char *sid, const char *node_id,
                          struct buf *json, struct error *err);
/* The further fields of one node that say something (session/node_field.h), as an object. content:
 * with the contract's own, such as raw_content. */
int store_read_fields(struct store *store, const char *sid, const char *node_id, bool content,
                      struct buf *json, struct error *err);
/* The components of many nodes, in the order of the nodes, from offset on: {"session_id", "nodes":
 * [{"node_id", "title", "components": [...]}], "total", "offset"}. limit 0: all. */
int store_read_all_components(struct store *store, const char *sid, size_t offset, size_t limit,
                              struct buf *json, struct error *err);
/* The components of two types in all nodes, in the order of the nodes: [{"node_id",
 * "component": {...}}]. */
int store_read_components_of(struct store *store, const char *sid, const char *type,
                             const char *other_type, struct buf *json, struct error *err);
int store_read_node_map(struct store *store, const char *sid, struct buf *json,
                        struct error *err); /* {"session_id", NODE_MAP_NAME: {...}} */
int store_read_node_texts(struct store *store, const char *sid, const char *node_id,
                          struct buf *json, struct error *err);
/* Size of the session's curriculum as a model would have to read it, in bytes: nodes, components
 * and relationships as JSON. */
int store_content_bytes(struct store *store, const char *sid, int64_t *bytes, struct error *err);

#endif
