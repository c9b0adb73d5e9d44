/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Applies the state of a service to the database that mirrors it. Changes by others there are
 * logged as made by MIRROR_WHO; the first fill of a session is one row of the log. The texts of the
 * service are normalised by normal.h.
 */
#ifndef LECTERN_MIRROR_APPLY_H
#define LECTERN_MIRROR_APPLY_H

#include <jansson.h>

#include "mcp/mirror/state.h"

/* Each is called within a transaction of the caller. */
int mirror_nodes(struct store *store, const struct mirror_source *source, const json_t *theirs,
                 struct error *err);
int mirror_texts(struct store *store, const struct mirror_source *source, const char *node_id,
                 const json_t *theirs, struct error *err);
/* Ignores an unknown node. */
int mirror_components(struct store *store, const struct mirror_source *source, const char *node_id,
                      const json_t *theirs, struct error *err);
int mirror_relationships(struct store *store, const struct mirror_source *source,
                         const json_t *theirs, struct error *err);
int mirror_node_map(struct store *store, const struct mirror_source *source, const json_t *theirs,
                    struct error *err);
/* {id: relationship} for the whole session. */
json_t *mirror_relationship_states(struct store *store, const char *sid, struct error *err);
#endif
