/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Changing, deleting and finding relationships.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/session/entity.h"
#include "mcp/store/store_internal.h"

/* An imported relationship may have an end that is no node. */
static int end_title(struct store *store, int64_t session, const json_t *relationship,
                     const char *end, char *title, size_t size, struct error *err)
{
    const char *node_id = json_get_string(relationship, end);
    struct node_found node;
    struct error found = {0};

    text_cut(title, size, "");
    if (!node_id)
        return 0;
    if (store_node_find(store, session, node_id, &node, &found) == 0) {
        text_cut(title, size, node.title);
    } else if (found.kind != ERROR_NOT_FOUND) {
        if (err)
            *err = found;
        return -1;
    }
    return 0;
}

static int fill_state(struct store *store, int64_t session, int64_t key, const json_t *relationship,
                      struct relationship_state *state, struct error *err)
{
    const char *type = json_get_string(relationship, "relationship_type");

    state->id = key;
    text_cut(state->type, sizeof state->type, type);
    if (end_title(store, session, relationship, "from_node_id", state->from_title,
                  sizeof state->from_title, err) != 0)
        return -1;
    return end_title(store, session, relationship, "to_node_id", state->to_title,
                     sizeof state->to_title, err);
}

static bool is_prerequisite(const json_t *relationship)
{
    const char *type = json_get_string(relationship, "relationship_type");

    return type && strstr(type, "PREREQUISITE");
}

/* What another type means: it may be there already, and it may close a cycle. */
static int check_retyped(struct store *store, int64_t session, int64_t key, const json_t *before,
                         const json_t *after, json_t **cycle, struct error *err)
{
    const char *from = json_get_string(after, "from_node_id");
    const char *to = json_get_string(after, "to_node_id");
    const char *type = json_get_string(after, "relationship_type");
    int64_t same;
    int there;

    if (!from || !to ||
        json_equal(json_object_get(before, "relationship_type"),
                   json_object_get(after, "relationship_type")))
        return 0;
    there = store_relationship_same(store, session, from, to, type, key, &same, err);
    if (there > 0)
        return store_relationship_repeat(store, session, same, err);
    if (there < 0 || !is_prerequisite(after) || is_prerequisite(before))
        return there;
    return store_prerequisite_path(store, session, to, from, cycle, err);
}

static int update(struct store *store, const struct write *write, int64_t key,
                  const json_t *changes, struct relationship_state *state, struct error *err)
{
    json_auto_t *before = NULL, *after = NULL;
    int64_t place;

    before = store_relationship_load(store, write->session, key, &place, err);
    if (!before)
        return -1;
    after = json_copy(before);
    if (!after)
        return error_set(err, ERROR_MEMORY, "out of memory for a relationship");
    if (entity_relationship_change(after, changes, err) != 0 ||
        check_retyped(store, write->session, key, before, after, &state->cycle, err) != 0)
        return -1;
    if (!json_equal(before, after) &&
        store_relationship_save(store, write, key, place, before, after, err) != 0)
        return -1;
    return fill_state(store, write->session, key, after, state, err);
}

/* Ends the write; the state is the caller's where it went well and he wants it. */
static int finish(struct store *store, const struct write *write, int rc,
                  struct relationship_state *made, struct relationship_state *state,
                  struct error *err)
{
    rc = store_write_end(store, write, rc, err);
    if (rc == 0 && state)
        *state = *made;
    else
        json_decref(made->cycle);
    return rc;
}

int store_relationship_update(struct store *store, const struct writer *writer, const char *sid,
                              int64_t id, const json_t *changes, struct relationship_state *state,
                              struct error *err)
{
    struct relationship_state made = {0};
    struct write write;

    if (store_refresh(store, UPSTREAM_RELATIONSHIPS, sid, NULL, err) != 0)
        return -1;
    if (store_write_begin_session(store, writer, sid, &write, err) != 0)
        return -1;
    return finish(store, &write, update(store, &write, id, changes, &made, err), &made, state, err);
}

int store_relationship_delete(struct store *store, const struct writer *writer, const char *sid,
                              int64_t id, struct relationship_state *state, struct error *err)
{
    struct relationship_state made = {0};
    json_auto_t *relationship = NULL;
    struct write write;
    int64_t place;
    int rc = -1;

    if (store_refresh(store, UPSTREAM_RELATIONSHIPS, sid, NULL, err) != 0)
        return -1;
    if (store_write_begin_session(store, writer, sid, &write, err) != 0)
        return -1;
    relationship = store_relationship_load(store, write.session, id, &place, err);
    if (relationship && fill_state(store, write.session, id, relationship, &made, err) == 0)
        rc = store_relationship_drop(store, &write, id, place, relationship, err);
    return finish(store, &write, rc, &made, state, err);
}

/* Says what there is between the two nodes. */
static int not_between(struct store *store, int64_t session, const char *from, const char *to,
                       const char *type, struct error *err)
{
    struct rows *rows =
        db_query(store->db, err, SQL_RELATIONSHIP_BETWEEN, "iss", session, from, to);
    struct buf there BUF_AUTO = {0};
    int row;

    while ((row = rows_next(rows, err)) > 0) {
        const char *other = rows_text(rows, 1);

        buf_addf(&there, "%s%s (relationship %" PRId64 ")", there.len > 0 ? ", " : "",
                 other ? other : "one without a type", rows_int(rows, 0));
    }
    if (row < 0)
        return -1;
    return error_set(err, ERROR_NOT_FOUND, "there is no %s from %s to %s; %s%s", type, from, to,
                     there.len > 0 ? "there is " : "nothing leads from the one to the other",
                     there.len > 0 ? there.data : "");
}

static int find(struct store *store, const char *sid, const char *from, const char *to,
                const char *type, int64_t *id, struct error *err)
{
    struct session_found session;
    int there;

    if (store_session_find(store, sid, &session, err) != 0)
        return -1;
    there = store_relationship_same(store, session.key, from, to, type, 0, id, err);
    if (there != 0)
        return there < 0 ? -1 : 0;
    return not_between(store, session.key, from, to, type, err);
}

int store_relationship_find(struct store *store, const char *sid, const char *from, const char *to,
                            const char *type, int64_t *id, struct error *err)
{
    if (store_refresh(store, UPSTREAM_RELATIONSHIPS, sid, NULL, err) != 0)
        return -1;
    if (store_read_begin(store, err) != 0)
        return -1;
    return store_read_end(store, find(store, sid, from, to, type, id, err));
}
