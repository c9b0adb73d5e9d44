/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What store.c calls: the functions of store.h over SQLite, by the file that has them. Their
 * meaning stands in store.h. No types of SQLite here.
 */
#ifndef LECTERN_SESSION_SQLITE_FUNCTIONS_H
#define LECTERN_SESSION_SQLITE_FUNCTIONS_H

#include "mcp/store/store.h"

/* open.c */
struct store *sqlite_open(const char *path, enum store_access access, struct error *err);
void sqlite_close(struct store *store);
struct store *sqlite_trial_open(struct store *store, const char *sid, bool history,
                                struct error *err);
/* transaction.c */
int sqlite_begin(struct store *store, struct error *err);
int sqlite_end(struct store *store, bool keep, struct error *err);
int sqlite_snapshot_begin(struct store *store, struct error *err);
void sqlite_snapshot_end(struct store *store);
/* read.c */
int sqlite_read_sessions(struct store *store, struct buf *json, struct error *err);
int sqlite_read_nodes(struct store *store, const char *sid, struct buf *json, struct error *err);
int sqlite_read_relationships(struct store *store, const char *sid, struct buf *json,
                              struct error *err);
int sqlite_read_node_texts(struct store *store, const char *sid, const char *node_id,
                           struct buf *json, struct error *err);
int sqlite_session(struct store *store, const char *sid, char *title, size_t size, int64_t *version,
                   struct error *err);
int sqlite_cursor(struct store *store, const char *sid, const char *node_id, int64_t *version,
                  struct error *err);
int sqlite_only_session(struct store *store, char sid[SESSION_ID_SIZE], struct error *err);
int sqlite_session_of_node(struct store *store, const char *node_id, char sid[SESSION_ID_SIZE],
                           struct error *err);
int sqlite_node_title(struct store *store, const char *sid, const char *node_id, char *title,
                      size_t size, struct error *err);
/* node_name.c */
int sqlite_node_id(struct store *store, const char *sid, const char *name, const char *what,
                   struct buf *found, const char **id, struct error *err);
/* read_components.c */
int sqlite_read_components(struct store *store, const char *sid, const char *node_id,
                           struct buf *json, struct error *err);
int sqlite_read_all_components(struct store *store, const char *sid, size_t offset, size_t limit,
                               struct buf *json, struct error *err);
/* outline.c */
int sqlite_graph_version(struct store *base, const char *sid, int64_t *version, struct error *err);
int sqlite_read_outline(struct store *store, const char *sid, struct outline *outline,
                        struct error *err);
/* write_node.c */
int sqlite_session_create(struct store *store, const struct writer *writer, const char *title,
                          char sid[SESSION_ID_SIZE], struct error *err);
int sqlite_node_create(struct store *store, const struct writer *writer, const char *sid,
                       const json_t *node, struct error *err);
int sqlite_node_delete(struct store *store, const struct writer *writer, const char *sid,
                       const char *node_id, struct error *err);
int sqlite_node_texts(struct store *store, const struct writer *writer, const char *sid,
                      const char *node_id, const json_t *texts, struct error *err);
/* write_session.c */
int sqlite_session_rename(struct store *store, const struct writer *writer, const char *sid,
                          const char *title, struct error *err);
int sqlite_session_delete(struct store *store, const struct writer *writer, const char *sid,
                          struct error *err);
/* change_node.c */
int sqlite_node_update(struct store *store, const struct writer *writer, const char *sid,
                       const char *node_id, const json_t *changes, long expected_revision,
                       struct node_state *state, struct error *err);
/* merge.c */
int sqlite_node_state(struct store *store, const char *sid, const char *node_id,
                      long expected_revision, struct node_state *state, struct error *err);
int sqlite_node_merge(struct store *store, const struct writer *writer, const char *sid,
                      const char *node_id, const char *into, long expected_revision,
                      struct node_state *state, struct error *err);
/* position.c */
int sqlite_read_positions(struct store *store, const char *sid, struct buf *json,
                          struct error *err);
int sqlite_positions_write(struct store *store, const struct writer *writer, const char *sid,
                           const json_t *positions, struct error *err);
/* write_component.c */
int sqlite_component_insert(struct store *store, const struct writer *writer, const char *sid,
                            const char *node_id, long position, const json_t *component,
                            struct component_state *state, struct error *err);
int sqlite_components_append(struct store *store, const struct writer *writer, const char *sid,
                             const char *node_id, const json_t *components,
                             struct component_state *first, struct error *err);
int sqlite_component_update(struct store *store, const struct writer *writer, const char *sid,
                            const struct component_ref *ref, const json_t *changes, bool merge,
                            long expected_revision, struct component_state *state,
                            struct error *err);
int sqlite_component_delete(struct store *store, const struct writer *writer, const char *sid,
                            const struct component_ref *ref, long expected_revision,
                            struct component_state *state, struct error *err);
/* replace.c */
int sqlite_components_replace(struct store *store, const struct writer *writer, const char *sid,
                              const char *node_id, const json_t *body, struct error *err);
/* reorder.c */
int sqlite_components_reorder(struct store *store, const struct writer *writer, const char *sid,
                              const char *node_id, const json_t *order, struct error *err);
/* write_relationship.c */
int sqlite_relationship_create(struct store *store, const struct writer *writer, const char *sid,
                               const json_t *relationship, struct relationship_state *state,
                               struct error *err);
int sqlite_relationships_create(struct store *store, const struct writer *writer, const char *sid,
                                const json_t *relationships, size_t *created, struct error *err);
/* change_relationship.c */
int sqlite_relationship_update(struct store *store, const struct writer *writer, const char *sid,
                               int64_t id, const json_t *changes, struct relationship_state *state,
                               struct error *err);
int sqlite_relationship_delete(struct store *store, const struct writer *writer, const char *sid,
                               int64_t id, struct relationship_state *state, struct error *err);
int sqlite_relationship_find(struct store *store, const char *sid, const char *from, const char *to,
                             const char *type, int64_t *id, struct error *err);
/* idempotency.c */
int sqlite_idempotency_find(struct store *store, const char *key, const char *fingerprint,
                            struct idempotency_record *answer, struct error *err);
int sqlite_idempotency_keep(struct store *store, const char *sid, const char *key,
                            const char *fingerprint, int status, const char *body, size_t len,
                            struct error *err);
int sqlite_idempotency_amend(struct store *store, const char *key, const char *body, size_t len,
                             struct error *err);
/* thread.c */
int sqlite_threads_read(struct store *store, const char *sid, size_t most, struct buf *json,
                        struct error *err);
int sqlite_thread_read(struct store *store, const char *sid, const char *thread_id,
                       struct buf *json, struct error *err);
int sqlite_thread_append(struct store *store, const char *sid, const char *thread_id,
                         const char *title, size_t there, const json_t *messages,
                         const json_t *interrupts, struct error *err);
int sqlite_content_bytes(struct store *store, const char *sid, int64_t *bytes, struct error *err);
/* backup.c */
int sqlite_backup(struct store *store, const char *path,
                  void (*on_step)(void *user, size_t done, size_t total), void *user,
                  struct error *err);
int sqlite_check(struct store *store, struct error *err);
/* history.c */
int sqlite_read_history(struct store *store, const char *sid, const struct history_page *page,
                        struct buf *json, struct error *err);
/* difference.c */
int sqlite_read_difference(struct store *store, const char *sid, int64_t from, int64_t to,
                           struct buf *json, struct error *err);
/* undo.c */
int sqlite_undo(struct store *store, const struct writer *writer, const char *sid,
                const char *change_set, struct undo_state *state, struct error *err);
int sqlite_restore(struct store *store, const struct writer *writer, const char *sid,
                   int64_t version, struct undo_state *state, struct error *err);
/* import.c */
int sqlite_import_begin(struct store *store, const struct writer *writer, const char *title,
                        const json_t *further, bool relationships, char sid[SESSION_ID_SIZE],
                        struct error *err);
int sqlite_import_node(struct store *store, json_t *node, struct error *err);
int sqlite_import_component(struct store *store, json_t *component, struct error *err);
int sqlite_import_relationship(struct store *store, const json_t *relationship, struct error *err);
int sqlite_import_end(struct store *store, bool keep, struct error *err);
/* export.c */
int sqlite_export(struct store *store, const char *sid, struct buf *text, struct error *err);

#endif
