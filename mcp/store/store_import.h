/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An import that checks no rule, for curriculum_file.c alone, and the export.
 */
#ifndef LECTERN_STORE_IMPORT_H
#define LECTERN_STORE_IMPORT_H

#include "mcp/store/store.h"

/* One import is one transaction, from begin to end; nothing else may be called on the store
 * between. Entries go in as they are, whatever they are, in their order: a node, then its
 * components. title: the session's; further: the top level's other fields; relationships: whether
 * the file has a list of them. A node's own `components`, when it is an array, is left out of what
 * is kept of the node (it is put back before import_node returns); its entries follow by
 * import_component. */
int store_import_begin(struct store *store, const struct writer *writer, const char *title,
                       const json_t *further, bool relationships, char sid[SESSION_ID_SIZE],
                       struct error *err);
int store_import_node(struct store *store, json_t *node, struct error *err);
int store_import_component(struct store *store, json_t *component, struct error *err);
int store_import_relationship(struct store *store, const json_t *relationship, struct error *err);
/* keep false: everything since begin is undone. It is undone too where this fails. */
int store_import_end(struct store *store, bool keep, struct error *err);

/* Appends the whole session as a curriculum file, one node a line. */
int store_export(struct store *store, const char *sid, struct buf *text, struct error *err);

#endif
