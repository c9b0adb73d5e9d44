/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The database as a copy of a service that is the system of record: applies the state of the
 * service here, and reads what a transaction changed, to send it there. Changes by others there are
 * logged as made by COPY_WHO; the first fill of a session is one row of the log. Texts of the
 * service are normalised by upstream/normal.h.
 */
#ifndef LECTERN_STORE_COPY_H
#define LECTERN_STORE_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "mcp/store/store.h"

#define COPY_WHO "outside"
/* Prefix of the change sets made by others at the service; no local change set begins with it. */
#define COPY_CHANGE_SET "outside "

/* Sets the open write transaction aside, so that nothing is locked during a request to the service:
 * records its changes and rolls them back. The depth is 0 until copy_resume applies them again.
 * Meanwhile other transactions may run, but not on the sessions that this one changed. Returns 1; 0
 * if none is open; -1 if the transaction is lost, which its end will report. */
int copy_suspend(struct store *store, struct error *err);
/* suspended is the result of copy_suspend. Returns rc, or -1 with err if the transaction is
 * lost. */
int copy_resume(struct store *store, int suspended, int rc, struct error *err);
bool copy_is_suspended(const struct store *store);

/* *version gets the local version of the session, -1 if it is unknown here. */
int copy_version(struct store *store, const char *sid, int64_t *version, struct error *err);
/* Creates the row of the session if it is missing. title may be NULL if unknown. */
int copy_session(struct store *store, const char *sid, const char *title, struct error *err);
/* Marks a session that the service no longer has; it is not listed. */
int copy_session_gone(struct store *store, const char *sid, bool gone, struct error *err);
/* {sid: {"nodes", "relationships"}} of all known sessions. */
json_t *copy_sessions(struct store *store, struct error *err);

/* What the copy knows about an entity of a session. */
#define COPY_SEEN         "seen"   /* by path: the answer that the copy equals; "" unknown */
#define COPY_ADOPT        "adopt"  /* written by us: what the service added to it is not a change */
#define COPY_FIELDS       "fields" /* by node: what the service has besides its sequence */
#define COPY_RELATIONSHIP "relationship" /* by local id: the id at the service */
/* Returns 1 with the text, or 0 if there is none. */
int copy_name(struct store *store, const char *sid, const char *kind, const char *ours,
              struct buf *theirs, struct error *err);
/* theirs NULL removes it. */
int copy_set_name(struct store *store, const char *sid, const char *kind, const char *ours,
                  const char *theirs, struct error *err);

/* ---- apply the state of the service, in a transaction of the caller ---- */

struct copy_source {
    const char *sid;
    const char *change_set;
    bool fill; /* the first fill: nothing is logged */
};

int copy_nodes(struct store *store, const struct copy_source *source, const json_t *theirs,
               struct error *err);
int copy_texts(struct store *store, const struct copy_source *source, const char *node_id,
               const json_t *theirs, struct error *err);
/* Ignores an unknown node. */
int copy_components(struct store *store, const struct copy_source *source, const char *node_id,
                    const json_t *theirs, struct error *err);
int copy_relationships(struct store *store, const struct copy_source *source, const json_t *theirs,
                       struct error *err);
int copy_node_map(struct store *store, const struct copy_source *source, const json_t *theirs,
                  struct error *err);
/* Logs the one row of a session's first fill. */
int copy_log_fill(struct store *store, const struct copy_source *source, size_t nodes,
                  struct error *err);

/* Logs that a session was created at the service for this writer. */
int copy_log_session(struct store *store, const struct writer *writer, const char *sid,
                     struct error *err);

/* ---- copy_state.c: what must be sent to the service ---- */

/* {sid: {"nodes": {id: true}, "sequences": {...}, "relationships": {...}, NODE_MAP_NAME: {...}}}
 * The entities that the open transaction changed, except changes from the service. */
json_t *copy_touched(struct store *store, struct error *err);
enum copy_thing {
    COPY_THING_NODE,
    COPY_THING_SEQUENCE, /* of the node: [{"component_id", ...}]; empty if there is no such node */
    COPY_THING_RELATIONSHIP,
    COPY_THING_TITLE,     /* of the session; id NULL */
    COPY_THING_MAP_ENTRY, /* of the map of the nodes */
};
/* The current value as a new reference; JSON null if there is none. NULL with err on failure. */
json_t *copy_thing(struct store *store, enum copy_thing kind, const char *sid, const char *id,
                   struct error *err);
/* {id: relationship} for the whole session. */
json_t *copy_relationship_states(struct store *store, const char *sid, struct error *err);
/* {node_id: entry} */
json_t *copy_node_map_read(struct store *store, const char *sid, struct error *err);
/* The nodes that a change set touched; NULL: the most recently changed ones. */
json_t *copy_changed_nodes(struct store *store, const char *sid, const char *change_set,
                           struct error *err);
/* store_session_of_node for the sessions known here. */
int copy_session_of_node(struct store *store, const char *node_id, char sid[SESSION_ID_SIZE],
                         struct error *err);
/* [id, ...] */
json_t *copy_node_ids(struct store *store, const char *sid, struct error *err);

#endif
