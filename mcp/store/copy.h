/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The database as a copy beside a service that is the truth: what the service says is put in here,
 * and what a transaction changed is read from here to be passed on. What others changed there goes
 * into the change log as made by COPY_WHO; the first filling of a session is one row of it. Texts
 * of the service are as upstream/normal.h leaves them.
 */
#ifndef LECTERN_STORE_COPY_H
#define LECTERN_STORE_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "mcp/store/store.h"

#define COPY_WHO "outside"
/* Every change set of theirs begins so; none of ours does. */
#define COPY_CHANGE_SET "outside "

/* Sets the open write transaction aside, so that nothing is locked while the service is waited for:
 * its changes are recorded and rolled back, and the depth is 0 until copy_resume, which makes them
 * again. Meanwhile other transactions may be made, but not on the sessions that this one changed.
 * 1; 0 where none is open; -1: the transaction is lost, as its end will say. */
int copy_suspend(struct store *store, struct error *err);
/* suspended: what copy_suspend returned. Hands rc through; -1 with err where the transaction is
 * lost. */
int copy_resume(struct store *store, int suspended, int rc, struct error *err);
bool copy_is_suspended(const struct store *store);

/* *version: of the session here, -1 where it is not known here. */
int copy_version(struct store *store, const char *sid, int64_t *version, struct error *err);
/* Makes the session's row where there is none. title: or NULL where it is not told. */
int copy_session(struct store *store, const char *sid, const char *title, struct error *err);
/* Sessions that the service no longer has are not listed. */
int copy_session_gone(struct store *store, const char *sid, bool gone, struct error *err);
/* {sid: {"nodes", "relationships"}} of all that are known here. */
json_t *copy_sessions(struct store *store, struct error *err);

/* What the copy knows about a thing of a session. */
#define COPY_SEEN         "seen"   /* by path: which answer the copy is equal to; "" unknown */
#define COPY_ADOPT        "adopt"  /* written by us: what the service added to it is no change */
#define COPY_FIELDS       "fields" /* by node: what the service has beside its sequence */
#define COPY_RELATIONSHIP "relationship" /* by our id: theirs */
/* 1 and the text, 0 where there is none. */
int copy_name(struct store *store, const char *sid, const char *kind, const char *ours,
              struct buf *theirs, struct error *err);
/* theirs NULL: no more. */
int copy_set_name(struct store *store, const char *sid, const char *kind, const char *ours,
                  const char *theirs, struct error *err);

/* ---- what the service says. In a transaction of the caller's. ---- */

struct copy_source {
    const char *sid;
    const char *change_set;
    bool fill; /* what is taken over was there before: nothing is logged */
};

int copy_nodes(struct store *store, const struct copy_source *source, const json_t *theirs,
               struct error *err);
int copy_texts(struct store *store, const struct copy_source *source, const char *node_id,
               const json_t *theirs, struct error *err);
/* A node that is not known here is passed over. */
int copy_components(struct store *store, const struct copy_source *source, const char *node_id,
                    const json_t *theirs, struct error *err);
int copy_relationships(struct store *store, const struct copy_source *source, const json_t *theirs,
                       struct error *err);
int copy_node_map(struct store *store, const struct copy_source *source, const json_t *theirs,
                  struct error *err);
/* The one row of a session's first filling. */
int copy_log_fill(struct store *store, const struct copy_source *source, size_t nodes,
                  struct error *err);

/* A session that was made at the service for this writer. */
int copy_log_session(struct store *store, const struct writer *writer, const char *sid,
                     struct error *err);

/* ---- copy_state.c: what is to be passed on ---- */

/* {sid: {"nodes": {id: true}, "sequences": {...}, "relationships": {...}, NODE_MAP_NAME: {...}}}
 * that the open transaction changed, but for what the service said. */
json_t *copy_touched(struct store *store, struct error *err);
enum copy_thing {
    COPY_THING_NODE,
    COPY_THING_SEQUENCE, /* of the node: [{"component_id", ...}]; empty where there is no such node
                          */
    COPY_THING_RELATIONSHIP,
    COPY_THING_TITLE,     /* of the session; id NULL */
    COPY_THING_MAP_ENTRY, /* of the map beside the nodes */
};
/* As it is now, as a new reference; JSON null where there is none. NULL with err. */
json_t *copy_thing(struct store *store, enum copy_thing kind, const char *sid, const char *id,
                   struct error *err);
/* {id: relationship} of all the session's. */
json_t *copy_relationship_states(struct store *store, const char *sid, struct error *err);
/* {node_id: entry} */
json_t *copy_node_map_read(struct store *store, const char *sid, struct error *err);
/* Of those that a change set touched; NULL: of the latest ones. */
json_t *copy_changed_nodes(struct store *store, const char *sid, const char *change_set,
                           struct error *err);
/* store_session_of_node, of what is known here. */
int copy_session_of_node(struct store *store, const char *node_id, char sid[SESSION_ID_SIZE],
                         struct error *err);
/* [id, ...] */
json_t *copy_node_ids(struct store *store, const char *sid, struct error *err);

#endif
