/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Changing a node's own fields.
 */
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/session/entity.h"
#include "mcp/store/store_internal.h"

#define CURRENT_CAP 1200 /* bytes of the present node that a stale write is answered with */

int store_node_check_revision(struct store *store, const struct node_found *node,
                              const char *node_id, long expected, struct error *err)
{
    json_auto_t *object = NULL;
    struct buf text BUF_AUTO = {0};
    char current[CURRENT_CAP];
    unsigned flags;
    int64_t place;

    if (expected == 0 || expected == (long)node->revision)
        return 0;
    object = store_node_load(store, node->key, &flags, &place, err);
    if (!object)
        return -1;
    json_write(&text, object);
    return error_set(
        err, ERROR_STALE,
        "node %s is at revision %lld, not %ld: another write came between. It reads now: %s",
        node_id, (long long)node->revision, expected, text_cut(current, sizeof current, text.data));
}

/* An imported node may be larger than a new write makes one; it must not grow further. */
static int check_size(const json_t *before, const json_t *after, const char *node_id,
                      struct error *err)
{
    struct buf old BUF_AUTO = {0}, new BUF_AUTO = {0};

    json_write(&new, after);
    if (!new.failed &&new.len <= ENTITY_SIZE_MAX)
        return 0;
    json_write(&old, before);
    if (!new.failed &&new.len <= old.len)
        return 0;
    return error_set(err, ERROR_TOO_LARGE, "node %s would be larger than %zu bytes", node_id,
                     ENTITY_SIZE_MAX);
}

static int fill_state(struct store *store, int64_t session, const char *node_id,
                      struct node_state *state, struct error *err)
{
    struct node_found node;
    int64_t components, relationships;

    if (store_node_find(store, session, node_id, &node, err) != 0 ||
        db_number(store->db, &components, err, SQL_NODE_COMPONENTS, "i", node.key) != 0 ||
        db_number(store->db, &relationships, err, SQL_NODE_RELATIONSHIPS, "is", session, node_id) !=
            0)
        return -1;
    memset(state, 0, sizeof *state);
    text_cut(state->node_id, sizeof state->node_id, node_id);
    text_cut(state->title, sizeof state->title, node.title);
    state->revision = (long)node.revision;
    state->components = (size_t)components;
    state->relationships = (size_t)relationships;
    return 0;
}

static int update(struct store *store, const struct write *write, const char *node_id,
                  const json_t *changes, long expected, struct node_state *state, struct error *err)
{
    json_auto_t *before = NULL, *after = NULL;
    struct node_found node;
    unsigned flags;
    int64_t place;

    if (store_node_find(store, write->session, node_id, &node, err) != 0 ||
        store_node_check_revision(store, &node, node_id, expected, err) != 0)
        return -1;
    before = store_node_load(store, node.key, &flags, &place, err);
    if (!before)
        return -1;
    after = json_copy(before);
    if (!after)
        return error_set(err, ERROR_MEMORY, "out of memory for a node");
    if (entity_node_change(after, changes, err) != 0 ||
        check_size(before, after, node_id, err) != 0)
        return -1;
    if (!json_equal(before, after) &&
        store_node_save(store, write, node.key, before, after, flags, err) != 0)
        return -1;
    return state ? fill_state(store, write->session, node_id, state, err) : 0;
}

int store_node_state(struct store *store, const char *sid, const char *node_id,
                     long expected_revision, struct node_state *state, struct error *err)
{
    struct session_found session;
    struct node_found node;
    int rc = -1;

    if (store_read_begin(store, err) != 0)
        return -1;
    if (store_session_find(store, sid, &session, err) == 0 &&
        store_node_find(store, session.key, node_id, &node, err) == 0 &&
        store_node_check_revision(store, &node, node_id, expected_revision, err) == 0)
        rc = fill_state(store, session.key, node_id, state, err);
    return store_read_end(store, rc);
}

int store_node_update(struct store *store, const struct writer *writer, const char *sid,
                      const char *node_id, const json_t *changes, long expected_revision,
                      struct node_state *state, struct error *err)
{
    struct write write;
    int rc;

    if (store_refresh(store, UPSTREAM_TEXTS, sid, node_id, err) != 0)
        return -1;
    if (store_write_begin_session(store, writer, sid, &write, err) != 0)
        return -1;
    rc = update(store, &write, node_id, changes, expected_revision, state, err);
    return store_write_end(store, &write, rc, err);
}
