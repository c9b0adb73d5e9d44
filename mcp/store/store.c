/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The store's face. The embedded database does the work; where a service is the truth (an
 * upstream), what a call is about is brought up to date first, and each write is passed on before
 * it is committed (store_internal.h).
 */
#include "mcp/store/store.h"

#include <stdlib.h>
#include <string.h>

#include "mcp/store/sqlite_functions.h"
#include "mcp/store/store_import.h"
#include "mcp/store/store_internal.h"
#include "mcp/store/store_thread.h"
#include "mcp/store/upstream/upstream.h"

static const char scheme[] = "sqlite:";

bool store_is_service(const char *url)
{
    return upstream_is(url);
}

int store_describe_service(const char *url, struct buf *words, struct error *err)
{
    return upstream_describe(url, words, err);
}

void store_show_url(const char *url, struct buf *to)
{
    const char *host = strstr(url, "://"), *at;

    if (!host || !strncmp(url, scheme, sizeof scheme - 1)) {
        buf_adds(to, url);
        return;
    }
    host += 3;
    at = memrchr(host, '@', strcspn(host, "/?#"));
    buf_add(to, url, (size_t)(host - url));
    if (at)
        host = at + 1;
    buf_add(to, host, strcspn(host, "#"));
}

struct store *store_open(const char *url, enum store_access access, struct error *err)
{
    struct buf BUF_AUTO shown = {0};

    if (!strncmp(url, scheme, sizeof scheme - 1))
        return sqlite_open(url + sizeof scheme - 1, access, err);
    if (upstream_is(url))
        return upstream_open(url, access, err);
    store_show_url(url, &shown);
    error_set(err, ERROR_INVALID,
              "cannot open the store '%s': send sqlite:PATH, the embedded store in a file, or "
              "http://HOST:PORT, a service that speaks the session API",
              shown.data);
    return NULL;
}

/* Where a service is the truth: what the call is about is as it is there. */
static int refresh(struct store *store, unsigned scope, const char *sid, const char *node_id,
                   struct error *err)
{
    struct upstream *upstream = store->upstream;
    int rc;

    if (!upstream)
        return 0;
    if (store->waiter)
        store->waiter(store->waiter_user, true);
    rc = upstream->refresh(upstream, store, scope, sid, node_id, err);
    if (store->waiter)
        store->waiter(store->waiter_user, false);
    return rc;
}

void store_close(struct store *store)
{
    if (store)
        sqlite_close(store);
}

struct store *store_trial_open(struct store *store, const char *sid, bool history,
                               struct error *err)
{
    if (refresh(store, UPSTREAM_ALL | UPSTREAM_PASS_OVER, sid, NULL, err) != 0)
        return NULL;
    return sqlite_trial_open(store, sid, history, err);
}

void store_observe(struct store *store, store_observer *observer, void *user)
{
    store->observer = observer;
    store->observer_user = user;
}

void store_on_wait(struct store *store, store_waiter *waiter, void *user)
{
    store->waiter = waiter;
    store->waiter_user = user;
}

bool store_is_copy(const struct store *store)
{
    return store->upstream != NULL;
}

int store_begin(struct store *store, struct error *err)
{
    return sqlite_begin(store, err);
}

int store_end(struct store *store, bool keep, struct error *err)
{
    return sqlite_end(store, keep, err);
}

int store_snapshot_begin(struct store *store, struct error *err)
{
    return store->upstream ? 0 : sqlite_snapshot_begin(store, err);
}

void store_snapshot_end(struct store *store)
{
    sqlite_snapshot_end(store);
}

int store_read_sessions(struct store *store, struct buf *json, struct error *err)
{
    if (refresh(store, UPSTREAM_SESSIONS, NULL, NULL, err) != 0)
        return -1;
    return sqlite_read_sessions(store, json, err);
}

int store_read_nodes(struct store *store, const char *sid, struct buf *json, struct error *err)
{
    if (refresh(store, UPSTREAM_NODES, sid, NULL, err) != 0)
        return -1;
    return sqlite_read_nodes(store, sid, json, err);
}

int store_read_relationships(struct store *store, const char *sid, struct buf *json,
                             struct error *err)
{
    if (refresh(store, UPSTREAM_RELATIONSHIPS, sid, NULL, err) != 0)
        return -1;
    return sqlite_read_relationships(store, sid, json, err);
}

int store_read_components(struct store *store, const char *sid, const char *node_id,
                          struct buf *json, struct error *err)
{
    if (refresh(store, UPSTREAM_NODE, sid, node_id, err) != 0)
        return -1;
    return sqlite_read_components(store, sid, node_id, json, err);
}

int store_read_all_components(struct store *store, const char *sid, size_t offset, size_t limit,
                              struct buf *json, struct error *err)
{
    if (refresh(store, UPSTREAM_COMPONENTS, sid, NULL, err) != 0)
        return -1;
    return sqlite_read_all_components(store, sid, offset, limit, json, err);
}

int store_read_positions(struct store *store, const char *sid, struct buf *json, struct error *err)
{
    if (refresh(store, UPSTREAM_POSITIONS, sid, NULL, err) != 0)
        return -1;
    return sqlite_read_positions(store, sid, json, err);
}

int store_read_node_texts(struct store *store, const char *sid, const char *node_id,
                          struct buf *json, struct error *err)
{
    if (refresh(store, UPSTREAM_TEXTS, sid, node_id, err) != 0)
        return -1;
    return sqlite_read_node_texts(store, sid, node_id, json, err);
}

int store_session(struct store *store, const char *sid, char *title, size_t size, int64_t *version,
                  struct error *err)
{
    if (refresh(store, version ? UPSTREAM_RELATIONSHIPS | UPSTREAM_COUNTS : UPSTREAM_SESSION, sid,
                NULL, err) != 0)
        return -1;
    return sqlite_session(store, sid, title, size, version, err);
}

int store_graph_version(struct store *store, const char *sid, int64_t *version, struct error *err)
{
    if (refresh(store, UPSTREAM_RELATIONSHIPS | UPSTREAM_COUNTS, sid, NULL, err) != 0)
        return -1;
    return sqlite_graph_version(store, sid, version, err);
}

int store_cursor(struct store *store, const char *sid, const char *node_id, int64_t *version,
                 struct error *err)
{
    if (refresh(store,
                !sid      ? UPSTREAM_SESSIONS
                : node_id ? UPSTREAM_NODE | UPSTREAM_TEXTS | UPSTREAM_PASS_OVER
                          : UPSTREAM_RELATIONSHIPS | UPSTREAM_POSITIONS,
                sid, node_id, err) != 0)
        return -1;
    return sqlite_cursor(store, sid, node_id, version, err);
}

int store_only_session(struct store *store, char sid[SESSION_ID_SIZE], struct error *err)
{
    if (refresh(store, UPSTREAM_SESSIONS, NULL, NULL, err) != 0)
        return -1;
    return sqlite_only_session(store, sid, err);
}

int store_session_of_node(struct store *store, const char *node_id, char sid[SESSION_ID_SIZE],
                          struct error *err)
{
    if (refresh(store, UPSTREAM_OWNERS, NULL, node_id, err) != 0)
        return -1;
    return sqlite_session_of_node(store, node_id, sid, err);
}

int store_node_title(struct store *store, const char *sid, const char *node_id, char *title,
                     size_t size, struct error *err)
{
    if (refresh(store, UPSTREAM_NODES, sid, NULL, err) != 0)
        return -1;
    return sqlite_node_title(store, sid, node_id, title, size, err);
}

int store_node_id(struct store *store, const char *sid, const char *name, const char *what,
                  struct buf *found, const char **id, struct error *err)
{
    if (refresh(store, UPSTREAM_NODES, sid, NULL, err) != 0)
        return -1;
    return sqlite_node_id(store, sid, name, what, found, id, err);
}

int store_read_outline(struct store *store, const char *sid, struct outline *outline,
                       struct error *err)
{
    if (refresh(store, UPSTREAM_RELATIONSHIPS | UPSTREAM_COUNTS, sid, NULL, err) != 0)
        return -1;
    return sqlite_read_outline(store, sid, outline, err);
}

void outline_finish(struct outline *outline)
{
    if (!outline)
        return;
    free(outline->nodes);
    free(outline->edges);
    buf_finish(&outline->strings);
    memset(outline, 0, sizeof *outline);
}

int store_session_create(struct store *store, const struct writer *writer, const char *title,
                         char sid[SESSION_ID_SIZE], struct error *err)
{
    if (store->upstream)
        return store->upstream->create(store->upstream, store, writer, title, sid, err);
    return sqlite_session_create(store, writer, title, sid, err);
}

int store_session_rename(struct store *store, const struct writer *writer, const char *sid,
                         const char *title, struct error *err)
{
    if (refresh(store, UPSTREAM_SESSION, sid, NULL, err) != 0)
        return -1;
    return sqlite_session_rename(store, writer, sid, title, err);
}

int store_session_delete(struct store *store, const struct writer *writer, const char *sid,
                         struct error *err)
{
    if (refresh(store, UPSTREAM_SESSION, sid, NULL, err) != 0 ||
        (store->upstream && store->upstream->remove(store->upstream, store, sid, err) != 0))
        return -1;
    return sqlite_session_delete(store, writer, sid, err);
}

int store_node_create(struct store *store, const struct writer *writer, const char *sid,
                      const json_t *node, struct error *err)
{
    if (refresh(store, UPSTREAM_NODES, sid, NULL, err) != 0)
        return -1;
    return sqlite_node_create(store, writer, sid, node, err);
}

int store_node_delete(struct store *store, const struct writer *writer, const char *sid,
                      const char *node_id, struct error *err)
{
    if (refresh(store,
                UPSTREAM_NODE | UPSTREAM_PASS_OVER | UPSTREAM_TEXTS | UPSTREAM_RELATIONSHIPS |
                    UPSTREAM_POSITIONS,
                sid, node_id, err) != 0)
        return -1;
    return sqlite_node_delete(store, writer, sid, node_id, err);
}

int store_node_update(struct store *store, const struct writer *writer, const char *sid,
                      const char *node_id, const json_t *changes, long expected_revision,
                      struct node_state *state, struct error *err)
{
    if (refresh(store, UPSTREAM_TEXTS, sid, node_id, err) != 0)
        return -1;
    return sqlite_node_update(store, writer, sid, node_id, changes, expected_revision, state, err);
}

int store_node_state(struct store *store, const char *sid, const char *node_id,
                     long expected_revision, struct node_state *state, struct error *err)
{
    return sqlite_node_state(store, sid, node_id, expected_revision, state, err);
}

int store_node_merge(struct store *store, const struct writer *writer, const char *sid,
                     const char *node_id, const char *into, long expected_revision,
                     struct node_state *state, struct error *err)
{
    if (refresh(store, UPSTREAM_NODE | UPSTREAM_TEXTS | UPSTREAM_RELATIONSHIPS | UPSTREAM_POSITIONS,
                sid, node_id, err) != 0 ||
        refresh(store, UPSTREAM_NODE, sid, into, err) != 0)
        return -1;
    return sqlite_node_merge(store, writer, sid, node_id, into, expected_revision, state, err);
}

int store_positions_write(struct store *store, const struct writer *writer, const char *sid,
                          const json_t *positions, struct error *err)
{
    if (refresh(store, UPSTREAM_POSITIONS, sid, NULL, err) != 0)
        return -1;
    return sqlite_positions_write(store, writer, sid, positions, err);
}

int store_node_texts(struct store *store, const struct writer *writer, const char *sid,
                     const char *node_id, const json_t *texts, struct error *err)
{
    if (refresh(store, UPSTREAM_TEXTS, sid, node_id, err) != 0)
        return -1;
    return sqlite_node_texts(store, writer, sid, node_id, texts, err);
}

int store_component_insert(struct store *store, const struct writer *writer, const char *sid,
                           const char *node_id, long position, const json_t *component,
                           struct component_state *state, struct error *err)
{
    if (refresh(store, UPSTREAM_NODE, sid, node_id, err) != 0)
        return -1;
    return sqlite_component_insert(store, writer, sid, node_id, position, component, state, err);
}

int store_components_append(struct store *store, const struct writer *writer, const char *sid,
                            const char *node_id, const json_t *components,
                            struct component_state *first, struct error *err)
{
    if (refresh(store, UPSTREAM_NODE, sid, node_id, err) != 0)
        return -1;
    return sqlite_components_append(store, writer, sid, node_id, components, first, err);
}

int store_component_update(struct store *store, const struct writer *writer, const char *sid,
                           const struct component_ref *ref, const json_t *changes, bool merge,
                           long expected_revision, struct component_state *state, struct error *err)
{
    if (refresh(store, UPSTREAM_NODE, sid, ref->node_id, err) != 0)
        return -1;
    return sqlite_component_update(store, writer, sid, ref, changes, merge, expected_revision,
                                   state, err);
}

int store_component_delete(struct store *store, const struct writer *writer, const char *sid,
                           const struct component_ref *ref, long expected_revision,
                           struct component_state *state, struct error *err)
{
    if (refresh(store, UPSTREAM_NODE, sid, ref->node_id, err) != 0)
        return -1;
    return sqlite_component_delete(store, writer, sid, ref, expected_revision, state, err);
}

int store_components_replace(struct store *store, const struct writer *writer, const char *sid,
                             const char *node_id, const json_t *body, struct error *err)
{
    if (refresh(store, UPSTREAM_NODE, sid, node_id, err) != 0)
        return -1;
    return sqlite_components_replace(store, writer, sid, node_id, body, err);
}

int store_components_reorder(struct store *store, const struct writer *writer, const char *sid,
                             const char *node_id, const json_t *order, struct error *err)
{
    if (refresh(store, UPSTREAM_NODE, sid, node_id, err) != 0)
        return -1;
    return sqlite_components_reorder(store, writer, sid, node_id, order, err);
}

int store_relationship_create(struct store *store, const struct writer *writer, const char *sid,
                              const json_t *relationship, struct relationship_state *state,
                              struct error *err)
{
    if (refresh(store, UPSTREAM_RELATIONSHIPS, sid, NULL, err) != 0)
        return -1;
    return sqlite_relationship_create(store, writer, sid, relationship, state, err);
}

int store_relationships_create(struct store *store, const struct writer *writer, const char *sid,
                               const json_t *relationships, size_t *created, struct error *err)
{
    if (refresh(store, UPSTREAM_RELATIONSHIPS, sid, NULL, err) != 0)
        return -1;
    return sqlite_relationships_create(store, writer, sid, relationships, created, err);
}

int store_relationship_update(struct store *store, const struct writer *writer, const char *sid,
                              int64_t id, const json_t *changes, struct relationship_state *state,
                              struct error *err)
{
    if (refresh(store, UPSTREAM_RELATIONSHIPS, sid, NULL, err) != 0)
        return -1;
    return sqlite_relationship_update(store, writer, sid, id, changes, state, err);
}

int store_relationship_delete(struct store *store, const struct writer *writer, const char *sid,
                              int64_t id, struct relationship_state *state, struct error *err)
{
    if (refresh(store, UPSTREAM_RELATIONSHIPS, sid, NULL, err) != 0)
        return -1;
    return sqlite_relationship_delete(store, writer, sid, id, state, err);
}

int store_relationship_find(struct store *store, const char *sid, const char *from, const char *to,
                            const char *type, int64_t *id, struct error *err)
{
    if (refresh(store, UPSTREAM_RELATIONSHIPS, sid, NULL, err) != 0)
        return -1;
    return sqlite_relationship_find(store, sid, from, to, type, id, err);
}

int store_read_history(struct store *store, const char *sid, const struct history_page *page,
                       struct buf *json, struct error *err)
{
    if (refresh(store, UPSTREAM_ALL | UPSTREAM_PASS_OVER, sid, NULL, err) != 0)
        return -1;
    return sqlite_read_history(store, sid, page, json, err);
}

int store_read_difference(struct store *store, const char *sid, int64_t from, int64_t to,
                          struct buf *json, struct error *err)
{
    if (refresh(store, UPSTREAM_ALL | UPSTREAM_PASS_OVER, sid, NULL, err) != 0)
        return -1;
    return sqlite_read_difference(store, sid, from, to, json, err);
}

int store_undo(struct store *store, const struct writer *writer, const char *sid,
               const char *change_set, struct undo_state *state, struct error *err)
{
    if (refresh(store, UPSTREAM_CHANGED | UPSTREAM_RELATIONSHIPS | UPSTREAM_POSITIONS, sid,
                change_set, err) != 0)
        return -1;
    return sqlite_undo(store, writer, sid, change_set, state, err);
}

int store_restore(struct store *store, const struct writer *writer, const char *sid,
                  int64_t version, struct undo_state *state, struct error *err)
{
    if (refresh(store, UPSTREAM_ALL | UPSTREAM_PASS_OVER, sid, NULL, err) != 0)
        return -1;
    return sqlite_restore(store, writer, sid, version, state, err);
}

int store_import_begin(struct store *store, const struct writer *writer, const char *title,
                       const json_t *further, bool relationships, char sid[SESSION_ID_SIZE],
                       struct error *err)
{
    if (store->upstream)
        return error_set(err, ERROR_INVALID,
                         "a file cannot be imported into a service: it has no way to take a "
                         "curriculum as it is. Import into a store of its own (--store "
                         "sqlite:PATH), or make a session there and send a change set");
    return sqlite_import_begin(store, writer, title, further, relationships, sid, err);
}

int store_import_node(struct store *store, json_t *node, struct error *err)
{
    return sqlite_import_node(store, node, err);
}

int store_import_component(struct store *store, json_t *component, struct error *err)
{
    return sqlite_import_component(store, component, err);
}

int store_import_relationship(struct store *store, const json_t *relationship, struct error *err)
{
    return sqlite_import_relationship(store, relationship, err);
}

int store_import_end(struct store *store, bool keep, struct error *err)
{
    return sqlite_import_end(store, keep, err);
}

int store_export(struct store *store, const char *sid, struct buf *text, struct error *err)
{
    if (refresh(store, UPSTREAM_ALL, sid, NULL, err) != 0)
        return -1;
    return sqlite_export(store, sid, text, err);
}

int store_idempotency_find(struct store *store, const char *key, const char *fingerprint,
                           struct idempotency_record *answer, struct error *err)
{
    return sqlite_idempotency_find(store, key, fingerprint, answer, err);
}

int store_idempotency_keep(struct store *store, const char *sid, const char *key,
                           const char *fingerprint, int status, const char *body, size_t len,
                           struct error *err)
{
    return sqlite_idempotency_keep(store, sid, key, fingerprint, status, body, len, err);
}

int store_idempotency_amend(struct store *store, const char *key, const char *body, size_t len,
                            struct error *err)
{
    return sqlite_idempotency_amend(store, key, body, len, err);
}

/* Conversations are here alone. So a service is asked only for a session that is not known here. */
static bool is_known(struct store *store, const char *sid, struct error *err)
{
    if (!store->upstream || sqlite_session(store, sid, NULL, 0, NULL, NULL) == 0)
        return true;
    return refresh(store, UPSTREAM_SESSION, sid, NULL, err) == 0;
}

int store_threads_read(struct store *store, const char *sid, size_t most, struct buf *json,
                       struct error *err)
{
    return is_known(store, sid, err) ? sqlite_threads_read(store, sid, most, json, err) : -1;
}

int store_thread_read(struct store *store, const char *sid, const char *thread_id, struct buf *json,
                      struct error *err)
{
    return is_known(store, sid, err) ? sqlite_thread_read(store, sid, thread_id, json, err) : -1;
}

int store_thread_append(struct store *store, const char *sid, const char *thread_id,
                        const char *title, size_t there, const json_t *messages,
                        const json_t *interrupts, struct error *err)
{
    if (!is_known(store, sid, err))
        return -1;
    return sqlite_thread_append(store, sid, thread_id, title, there, messages, interrupts, err);
}

/* Of what was read from a service so far: the figure is a measure, and no reason to read it all. */
int store_content_bytes(struct store *store, const char *sid, int64_t *bytes, struct error *err)
{
    return is_known(store, sid, err) ? sqlite_content_bytes(store, sid, bytes, err) : -1;
}

int store_backup(struct store *store, const char *path,
                 void (*on_step)(void *user, size_t done, size_t total), void *user,
                 struct error *err)
{
    return sqlite_backup(store, path, on_step, user, err);
}

int store_check(struct store *store, struct error *err)
{
    return sqlite_check(store, err);
}
