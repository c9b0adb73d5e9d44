/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The relationships between nodes, and the links to nodes of other curricula.
 */
#ifndef LECTERN_STORE_ENTITIES_RELATIONSHIP_H
#define LECTERN_STORE_ENTITIES_RELATIONSHIP_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "helpers/base/buf.h"
#include "mcp/store/store.h"

struct relationship_state {
    int64_t id;
    char type[64];
    char from_title[256], to_title[256];
    char change[VALUE_CHANGE_SIZE]; /* what an update changed; "" if nothing */
    json_t *cycle; /* NULL, or the cycle that the new edge closes over types that contain
                      PREREQUISITE: an array of {"node_id", "title"} from to_node back to from_node;
                      owned by the caller */
};

/* relationship: {"from_node_id", "to_node_id", "relationship_type" (default LEADS_TO),
 * "explanation", "created_by", "confidence_score"}. ERROR_CONFLICT for a duplicate, ERROR_INVALID
 * for a loop. With "to_session" (another curriculum, by id or title; the node likewise), or with a
 * URI as to_node_id, it is a link (mcp/curriculum/curriculum_uri.h) and its type one of link_types.
 * Then it gets "to_title", and "to_uri" if the node has a uri. */
int store_relationship_create(struct store *store, const struct writer *writer, const char *sid,
                              const json_t *relationship, struct relationship_state *state,
                              struct error *err);
#define RELATIONSHIPS_BATCH_MAX 5000
/* [{"from" or "from_node_id", "to" or "to_node_id", "type" or "relationship_type", "explanation",
 * ...}]. Creates all or none. ERROR_INVALID or ERROR_CONFLICT lists every invalid one (capped). */
int store_relationships_create(struct store *store, const struct writer *writer, const char *sid,
                               const json_t *relationships, size_t *created, struct error *err);
/* changes: {"relationship_type", "explanation", "confidence_score"}, each optional. */
int store_relationship_update(struct store *store, const struct writer *writer, const char *sid,
                              int64_t id, const json_t *changes, struct relationship_state *state,
                              struct error *err);
/* How many were created through this store, so far, that a service behind it keeps without an id:
 * they cannot be changed or deleted here, nor their creation be undone. */
size_t store_relationships_nameless(const struct store *store);
int store_relationship_delete(struct store *store, const struct writer *writer, const char *sid,
                              int64_t id, struct relationship_state *state, struct error *err);
/* Writes the URI at which a link to a node ends. session: an id or a title; to: the node's id or
 * title there, also the id of one that is gone. */
int store_link_uri(struct store *store, const struct writer *writer, const char *session,
                   const char *to, struct buf *uri, struct error *err);
/* The links of a node: [{"id", "type", "uri", "node_id", "title", "curriculum", "gone"}], the last
 * two as they are now. only: the one session that the reader may know of, or NULL: of links to
 * another it gets what they have kept. A new reference, or NULL. */
json_t *store_links(struct store *store, const char *sid, const char *node_id, const char *only,
                    struct error *err);
/* Finds a relationship by its ends and its type; ERROR_NOT_FOUND. type may be NULL: the error then
 * says what there is between the two. */
int store_relationship_find(struct store *store, const char *sid, const char *from, const char *to,
                            const char *type, int64_t *id, struct error *err);

#endif
