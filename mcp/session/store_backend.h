/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a backend of the store gives: one table of functions, with the meanings that store.h
 * documents. store.c picks the backend by the URL. The import functions are the door for
 * curriculum_file.c alone: they check no rule.
 */
#ifndef LECTERN_SESSION_STORE_BACKEND_H
#define LECTERN_SESSION_STORE_BACKEND_H

#include "mcp/session/store.h"

struct store_backend {
    const char *scheme; /* "sqlite:" */

    struct store *(*open)(const char *where, enum store_access access, struct error *err);
    void (*close)(struct store *store);

    int (*read_sessions)(struct store *store, struct buf *json, struct error *err);
    int (*read_nodes)(struct store *store, const char *sid, struct buf *json, struct error *err);
    int (*read_relationships)(struct store *store, const char *sid, struct buf *json,
                              struct error *err);
    int (*read_components)(struct store *store, const char *sid, const char *node_id,
                           struct buf *json, struct error *err);
    int (*read_all_components)(struct store *store, const char *sid, size_t offset, size_t limit,
                               struct buf *json, struct error *err);
    int (*read_node_texts)(struct store *store, const char *sid, const char *node_id,
                           struct buf *json, struct error *err);
    int (*session)(struct store *store, const char *sid, char *title, size_t size, int64_t *version,
                   struct error *err);
    int (*cursor)(struct store *store, const char *sid, const char *node_id, int64_t *version,
                  struct error *err);
    int (*only_session)(struct store *store, char sid[SESSION_ID_SIZE], struct error *err);
    int (*session_of_node)(struct store *store, const char *node_id, char sid[SESSION_ID_SIZE],
                           struct error *err);
    int (*node_title)(struct store *store, const char *sid, const char *node_id, char *title,
                      size_t size, struct error *err);
    int (*read_outline)(struct store *store, const char *sid, struct outline *outline,
                        struct error *err);

    int (*session_create)(struct store *store, const struct writer *writer, const char *title,
                          char sid[SESSION_ID_SIZE], struct error *err);
    int (*node_create)(struct store *store, const struct writer *writer, const char *sid,
                       const json_t *node, struct error *err);
    int (*node_delete)(struct store *store, const struct writer *writer, const char *sid,
                       const char *node_id, struct error *err);
    int (*node_texts)(struct store *store, const struct writer *writer, const char *sid,
                      const char *node_id, const json_t *texts, struct error *err);
    int (*component_insert)(struct store *store, const struct writer *writer, const char *sid,
                            const char *node_id, long position, const json_t *component,
                            struct component_state *state, struct error *err);
    int (*components_append)(struct store *store, const struct writer *writer, const char *sid,
                             const char *node_id, const json_t *components,
                             struct component_state *first, struct error *err);
    int (*component_update)(struct store *store, const struct writer *writer, const char *sid,
                            const struct component_ref *ref, const json_t *changes, bool merge,
                            long expected_revision, struct component_state *state,
                            struct error *err);
    int (*component_delete)(struct store *store, const struct writer *writer, const char *sid,
                            const struct component_ref *ref, long expected_revision,
                            struct component_state *state, struct error *err);
    int (*components_replace)(struct store *store, const struct writer *writer, const char *sid,
                              const char *node_id, const json_t *body, struct error *err);
    int (*relationship_create)(struct store *store, const struct writer *writer, const char *sid,
                               const json_t *relationship, struct relationship_state *state,
                               struct error *err);

    int (*import_begin)(struct store *store, const struct writer *writer, const char *title,
                        const json_t *further, bool relationships, char sid[SESSION_ID_SIZE],
                        struct error *err);
    int (*import_node)(struct store *store, json_t *node, struct error *err);
    int (*import_component)(struct store *store, json_t *component, struct error *err);
    int (*import_relationship)(struct store *store, const json_t *relationship, struct error *err);
    int (*import_end)(struct store *store, bool keep, struct error *err);
    int (*export)(struct store *store, const char *sid, struct buf *text, struct error *err);
};

/* Every backend's own struct begins with this. */
struct store {
    const struct store_backend *backend;
};

extern const struct store_backend store_backend_sqlite;

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

/* Appends the whole session as a curriculum file. */
int store_export(struct store *store, const char *sid, struct buf *text, struct error *err);

#endif
