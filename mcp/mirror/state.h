/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The database as the mirror of a service: its knowledge of the sessions there, and the current
 * values and changed entities of a transaction, which are sent there.
 */
#ifndef LECTERN_MIRROR_STATE_H
#define LECTERN_MIRROR_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "mcp/store/store.h"

#define MIRROR_WHO "outside"
/* Prefix of the change sets made by others at the service; no local change set begins with it. */
#define MIRROR_CHANGE_SET "outside "

struct mirror_source {
    const char *sid;
    const char *change_set;
    bool fill; /* the first fill: nothing is logged */
};

/* *version gets the local version of the session, -1 if it is unknown here. */
int mirror_version(struct store *store, const char *sid, int64_t *version, struct error *err);
/* Creates the row of the session if it is missing. title may be NULL if unknown. */
int mirror_session(struct store *store, const char *sid, const char *title, struct error *err);
/* Marks a session that the service no longer has; it is not listed. */
int mirror_session_gone(struct store *store, const char *sid, bool gone, struct error *err);
/* {sid: {"nodes", "relationships"}} of all known sessions. */
json_t *mirror_sessions(struct store *store, struct error *err);

/* The kinds of texts that the mirror stores about an entity of a session. */
#define MIRROR_NAME_SEEN "seen" /* by path: the answer that the mirror equals; "" unknown */
#define MIRROR_NAME_ADOPT                                                                          \
    "adopt" /* written by us: what the service added to it is not a change                         \
             */
#define MIRROR_NAME_FIELDS       "fields" /* by node: what the service has besides its sequence */
#define MIRROR_NAME_RELATIONSHIP "relationship" /* by local id: the id at the service */
/* Returns 1 with the text, or 0 if there is none. */
int mirror_name(struct store *store, const char *sid, const char *kind, const char *ours,
                struct buf *theirs, struct error *err);
/* theirs NULL removes it. */
int mirror_set_name(struct store *store, const char *sid, const char *kind, const char *ours,
                    const char *theirs, struct error *err);

/* Logs the one row of a session's first fill. */
int mirror_log_fill(struct store *store, const struct mirror_source *source, size_t nodes,
                    struct error *err);

/* Logs that a session was created at the service for this writer. */
int mirror_log_session(struct store *store, const struct writer *writer, const char *sid,
                       struct error *err);

/* ---- the requests that follow from a transaction ---- */

/* {sid: {"nodes": {id: true}, "sequences": {...}, "relationships": {...}, NODE_MAP_NAME: {...}}}
 * The entities that the open transaction changed, except changes from the service. */
json_t *mirror_touched(struct store *store, struct error *err);
enum mirror_entity {
    MIRROR_ENTITY_NODE,
    MIRROR_ENTITY_SEQUENCE, /* of the node: [{"component_id", ...}]; empty if there is no such node
                             */
    MIRROR_ENTITY_RELATIONSHIP,
    MIRROR_ENTITY_TITLE,     /* of the session; id NULL */
    MIRROR_ENTITY_MAP_ENTRY, /* of the map of the nodes */
};
/* The current value as a new reference; JSON null if there is none. NULL with err on failure. */
json_t *mirror_entity(struct store *store, enum mirror_entity kind, const char *sid, const char *id,
                      struct error *err);
/* {node_id: entry} */
json_t *mirror_node_map_read(struct store *store, const char *sid, struct error *err);
/* The nodes that a change set touched; NULL: the most recently changed ones. */
json_t *mirror_changed_nodes(struct store *store, const char *sid, const char *change_set,
                             struct error *err);
/* [id, ...] */
json_t *mirror_node_ids(struct store *store, const char *sid, struct error *err);

#endif
