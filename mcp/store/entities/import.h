/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Import and export of a session, only for mcp/change/curriculum_file.c: an import checks no rules.
 */
#ifndef LECTERN_STORE_ENTITIES_IMPORT_H
#define LECTERN_STORE_ENTITIES_IMPORT_H

#include <stdbool.h>

#include <jansson.h>

#include "helpers/base/buf.h"
#include "mcp/store/store.h"

/* One import is one transaction, from begin to end; do not call other functions on the store in
 * between. Entries are stored as they are, valid or not, in their order: a node, then its
 * components. title is the session's; further are the additional fields of the top level;
 * relationships says whether the file has a list of them. If a node's `components` is an array, it
 * is not stored with the node (import_node puts it back before it returns); pass its entries to
 * import_component. */
int store_import_begin(struct store *store, const struct writer *writer, const char *title,
                       const json_t *further, bool relationships, char sid[SESSION_ID_SIZE],
                       struct error *err);
int store_import_node(struct store *store, json_t *node, struct error *err);
int store_import_component(struct store *store, json_t *component, struct error *err);
int store_import_relationship(struct store *store, const json_t *relationship, struct error *err);
/* keep false reverts everything since begin, and so does a failure of this function. */
int store_import_end(struct store *store, bool keep, struct error *err);

/* The writes of an import into a session that is there (import_into.c), logged as any other. The
 * members of a node or relationship that are given replace the old ones, the others stay. A node is
 * the first one with its node_id; a new one comes behind the node with the id `after`, or last
 * (NULL). It has no member `components`. */
int store_put_node(struct store *store, const struct writer *writer, const char *sid,
                   const json_t *node, const char *after, struct error *err);
/* All components of the node. One that was there keeps its id: the same content, else the same
 * type. Entries that are not objects are ignored, and those that the node has stay. */
int store_put_components(struct store *store, const struct writer *writer, const char *sid,
                         const char *node_id, const json_t *components, struct error *err);
/* It has both ends and a type, which are its identity. */
int store_put_relationship(struct store *store, const struct writer *writer, const char *sid,
                           const json_t *relationship, struct error *err);

/* Appends the whole session as a curriculum file, one node per line. */
int store_export(struct store *store, const char *sid, struct buf *text, struct error *err);

#endif
