/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Nodes: create, delete, their own fields, the four category texts.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/curriculum/entity.h"
#include "mcp/store/entities/node.h"
#include "mcp/store/store_internal.h"

#define CURRENT_CAP 1200 /* bytes of the present node that a stale write is answered with */

/* ---- the row of a node ---- */

struct rows *store_node_row(struct store *store, int64_t node, struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_NODE_BY_KEY, "i", node);
    int row;

    row = rows_next(rows, err);
    if (row == 0)
        error_set(err, ERROR_INTERNAL, "a node vanished within its own transaction");
    return row > 0 ? rows : NULL;
}

json_t *store_node_load(struct store *store, int64_t node, unsigned *flags, struct error *err)
{
    struct rows *rows = store_node_row(store, node, err);
    json_t *object;
    struct kept kept;

    if (!rows)
        return NULL;
    kept = rows_kept(rows, 0);
    *flags = kept.flags;
    object = json_read(kept.body, kept.len, "a kept node", err);
    rows_end(rows);
    return object;
}

/* Returns the row too, to which body belongs; NULL with err. */
static struct rows *add_around(struct store *store, int64_t node, struct buf *to, struct error *err)
{
    struct rows *rows = store_node_row(store, node, err);
    const char *created_at = rows ? rows_text(rows, 5) : NULL;

    if (!rows)
        return NULL;
    buf_init(to, 0);
    buf_addf(to, "{\"key\":%" PRId64 ",\"place\":%" PRId64 ",\"revision\":%" PRId64, node,
             rows_int(rows, 3), rows_int(rows, 4));
    buf_addf(to, ",\"flags\":%u",
             (unsigned)rows_int(rows, 1) & (ROW_NODE_COMPONENTS | ROW_NODE_TIMES));
    if (rows_int(rows, 8) != 0)
        buf_addf(to, ",\"rank\":%" PRId64, rows_int(rows, 8));
    if (created_at) {
        buf_adds(to, ",\"created_at\":");
        json_write_string(to, created_at, strlen(created_at));
    }
    return rows;
}

/* Appends {"key", "place", "revision", "flags", "rank", "created_at" without the closing brace:
 * the fields that the change log stores beside a node. */
static int write_around(struct store *store, int64_t node, struct buf *to, struct error *err)
{
    struct rows *rows = add_around(store, node, to, err);

    rows_end(rows);
    return rows ? 0 : -1;
}

int store_node_text(struct store *store, int64_t node, struct buf *to, struct error *err)
{
    struct rows *rows = add_around(store, node, to, err);
    struct kept kept;

    if (!rows)
        return -1;
    kept = rows_kept(rows, 0);
    buf_adds(to, ",\"node\":");
    buf_add(to, kept.body, kept.len);
    buf_addc(to, '}');
    rows_end(rows);
    return 0;
}

int store_node_save(struct store *store, const struct write *write, int64_t node,
                    const json_t *before, json_t *after, unsigned flags, struct error *err)
{
    struct buf BUF_AUTO body = {0}, around BUF_AUTO = {0};
    const char *node_id;
    struct node_row row;

    if (json_object_del(after, "last_modified") == 0) /* the column has it, in the export too */
        flags |= ROW_NODE_TIMES;
    node_row(after, &body, &row);
    if (buf_check(&body, "a node", err) < 0)
        return -1;
    row.flags |= flags & (ROW_NODE_COMPONENTS | ROW_NODE_TIMES);
    node_id = json_get_string(after, "node_id");
    if (write_around(store, node, &around, err) != 0 ||
        db_run(store->db, err, SQL_NODE_UPDATE, "ittgbiis", node, &row.node_id, &row.title, &row,
               &body, (int64_t)row.flags, write->version, write->now) != 0)
        return -1;
    return store_log_thing(store, write, "node", node_id, node_id, &around, before, after, err);
}

/* The rare node that holds keys which a write to its components changes. */
static int rewrite_node(struct store *store, const struct write *write, int64_t node,
                        struct error *err)
{
    unsigned flags;
    json_auto_t *before = store_node_load(store, node, &flags, err);
    json_auto_t *after = NULL;

    if (!before)
        return -1;
    after = json_copy(before);
    if (!after)
        return error_set(err, ERROR_MEMORY, "out of memory for a node");
    json_object_del(after, "components");
    return store_node_save(store, write, node, before, after, flags | ROW_NODE_COMPONENTS, err);
}

/* A node of a file that gave it no list of components has one from now on, in the export too. */
static int log_first_components(struct store *store, const struct write *write, int64_t node,
                                struct error *err)
{
    json_auto_t *object = NULL;
    struct buf BUF_AUTO before = {0};
    const char *node_id;
    unsigned flags;

    object = store_node_load(store, node, &flags, err);
    if (!object || store_node_text(store, node, &before, err) < 0)
        return -1;
    node_id = json_get_string(object, "node_id");
    return store_log(store, write, "node", node_id, node_id, "touch", &before, NULL, err);
}

int store_node_touch(struct store *store, const struct write *write, int64_t node,
                     struct error *err)
{
    struct rows *rows = store_node_row(store, node, err);
    unsigned flags;

    if (!rows)
        return -1;
    flags = rows_kept(rows, 0).flags;
    rows_end(rows);
    if (flags & (ROW_NODE_LAST_MODIFIED | ROW_NODE_COMPONENTS_ODD))
        return rewrite_node(store, write, node, err);
    if (!(flags & ROW_NODE_COMPONENTS) && log_first_components(store, write, node, err) != 0)
        return -1;
    return db_run(store->db, err, SQL_NODE_TOUCH, "iisii", node, write->version, write->now,
                  (int64_t)0, (int64_t)ROW_NODE_COMPONENTS);
}

/* ---- create ---- */

int store_node_add(struct store *store, const struct write *write, struct node_new *new,
                   json_t *node, struct buf *body, struct error *err)
{
    struct buf BUF_AUTO around = {0};
    struct node_row row;

    node_row(node, body, &row);
    if (buf_check(body, "a node", err) < 0 ||
        db_insert(store->db, &new->key, err, SQL_NODE_INSERT, "kiittgiissbii", new->key,
                  write->session, new->place, &row.node_id, &row.title, &row, new->revision,
                  write->version, new->created_at, new->last_modified, body,
                  (int64_t)(row.flags | new->flags), new->rank) != 0)
        return -1;
    if (write->silent)
        return 0;
    if (write_around(store, new->key, &around, err) != 0)
        return -1;
    return store_log_thing(store, write, "node", row.node_id.text, row.node_id.text, &around, NULL,
                           node, err);
}

#define RANK_STEP ((int64_t)1 << 32)

/* Sets place and rank of a new node behind the one with the id `after`; those behind it make
 * room. */
static int find_room(struct store *store, const struct write *write, const char *after,
                     struct node_new *new, struct error *err)
{
    struct node_found node;

    if (store_node_find(store, write->session, after, &node, err) < 0)
        return -1;
    new->place = node.place;
    new->rank = node.rank + RANK_STEP / 2;
    return db_run(store->db, err, SQL_NODE_MAKE_ROOM, "iiiii", write->session, node.place,
                  node.rank, node.key, RANK_STEP);
}

/* Inserts a checked node. */
static int insert(struct store *store, const struct write *write, json_t *node, const char *after,
                  struct error *err)
{
    struct node_new new = {.revision = 1,
                           .flags = ROW_NODE_COMPONENTS | ROW_NODE_TIMES,
                           .created_at = write->now,
                           .last_modified = write->now};
    struct buf BUF_AUTO body = {0};
    int64_t last;

    buf_init(&body, ENTITY_SIZE_MAX);
    if (after) {
        if (find_room(store, write, after, &new, err) < 0)
            return -1;
    } else if (db_number(store->db, &last, err, SQL_NODE_LAST_PLACE, "i", write->session) == 0) {
        new.place = last + 1;
    } else {
        return -1;
    }
    return store_node_add(store, write, &new, node, &body, err);
}

int store_node_append(struct store *store, const struct write *write, json_t *node,
                      struct error *err)
{
    return insert(store, write, node, NULL, err);
}

int store_node_insert_new(struct store *store, const struct write *write, json_t *node,
                          const char *after, struct error *err)
{
    const char *node_id = json_get_string(node, "node_id");
    int64_t twins;

    if (db_number(store->db, &twins, err, SQL_NODE_TWINS, "is", write->session, node_id) != 0)
        return -1;
    if (twins > 0)
        return error_set(err, ERROR_CONFLICT,
                         "the node id '%s' is in use in this session, choose another", node_id);
    return insert(store, write, node, after, err);
}

/* A new node is in the chapter of the one before it, unless its own is given. */
static int join_chapter(struct store *store, const struct write *write, json_t *node,
                        const char *after, struct error *err)
{
    static const char *const fields[] = {"chapter", "chapter_id"};
    json_auto_t *before = NULL;
    struct node_found found;
    unsigned flags;

    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (json_object_get(node, fields[i]))
            return 0;
    if (store_node_find(store, write->session, after, &found, err) < 0)
        return -1;
    before = store_node_load(store, found.key, &flags, err);
    if (!before)
        return -1;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (json_object_get(before, fields[i]))
            json_object_set(node, fields[i], json_object_get(before, fields[i]));
    return 0;
}

int store_node_create(struct store *store, const struct writer *writer, const char *sid,
                      const json_t *input, const char *after, struct error *err)
{
    json_auto_t *node = NULL;
    struct write write;
    int rc = -1;

    if (store_write_begin_session(store, writer, MIRROR_NODES, sid, NULL, &write, err) < 0)
        return -1;
    node = entity_node(input, err);
    if (node)
        rc = after ? join_chapter(store, &write, node, after, err) : 0;
    if (node && rc == 0)
        rc = store_node_insert_new(store, &write, node, after, err);
    return store_write_end(store, &write, rc, err);
}

/* ---- delete ---- */

static int delete_components(struct store *store, const struct write *write, int64_t node,
                             const char *node_id, struct error *err)
{
    struct component_write work = {.write = *write, .node_id = node_id};
    int rc = sequence_read(store, node, true, &work.sequence, err);

    work.node.key = node;
    work.sequence.dense = false; /* each goes from its own place */
    for (size_t i = 0; rc == 0 && i < work.sequence.count; i++)
        rc = store_log_component(store, &work, &work.sequence.items[i], NULL, err);
    sequence_finish(&work.sequence);
    return rc;
}

static int delete_relationships(struct store *store, const struct write *write, const char *node_id,
                                struct error *err)
{
    int64_t *keys, place;
    size_t count;
    int rc = store_relationships_of(store, write->session, node_id, &keys, &count, err);

    for (size_t i = 0; rc == 0 && i < count; i++) {
        json_auto_t *relationship =
            store_relationship_load(store, write->session, keys[i], &place, err);

        rc = relationship ? store_relationship_drop(store, write, keys[i], place, relationship, err)
                          : -1;
    }
    free(keys);
    return rc;
}

int store_node_drop(struct store *store, const struct write *write, const struct node_found *node,
                    const char *node_id, bool last_of_id, struct error *err)
{
    struct buf BUF_AUTO before = {0};

    if (last_of_id && store_node_map_put(store, write, node_id, NULL, err) != 0)
        return -1;
    if (store_node_text(store, node->key, &before, err) < 0 ||
        store_log(store, write, "node", node_id, node_id, "delete", &before, NULL, err) != 0)
        return -1;
    return db_run(store->db, err, SQL_NODE_DELETE, "i", node->key);
}

int store_node_remove(struct store *store, const struct write *write, const char *node_id,
                      struct error *err)
{
    struct node_found node;
    int64_t twins;

    if (store_node_find(store, write->session, node_id, &node, err) < 0 ||
        db_number(store->db, &twins, err, SQL_NODE_TWINS, "is", write->session, node_id) != 0 ||
        delete_components(store, write, node.key, node_id, err) != 0)
        return -1;
    /* An imported node id may repeat: then the relationships still have an end. */
    if (twins == 1 && delete_relationships(store, write, node_id, err) != 0)
        return -1;
    return store_node_drop(store, write, &node, node_id, twins == 1, err);
}

int store_node_delete(struct store *store, const struct writer *writer, const char *sid,
                      const char *node_id, struct error *err)
{
    struct write write;

    if (store_write_begin_session(store, writer,
                                  MIRROR_NODE | MIRROR_PASS_OVER | MIRROR_TEXTS |
                                      MIRROR_RELATIONSHIPS | MIRROR_NODE_MAP,
                                  sid, node_id, &write, err) < 0)
        return -1;
    return store_write_end(store, &write, store_node_remove(store, &write, node_id, err), err);
}

/* ---- texts ---- */

static int write_texts(struct store *store, const struct write *write, const char *node_id,
                       const json_t *texts, struct error *err)
{
    json_auto_t *before = NULL, *after = NULL;
    struct node_found node;
    unsigned flags;

    if (store_node_find(store, write->session, node_id, &node, err) < 0 ||
        entity_texts_check(texts, err) < 0)
        return -1;
    before = store_node_load(store, node.key, &flags, err);
    if (!before)
        return -1;
    after = json_copy(before);
    for (size_t i = 0; entity_categories[i]; i++) {
        json_t *text = json_object_get(texts, entity_categories[i]);

        if (json_is_null(text))
            json_object_del(after, entity_categories[i]);
        else if (text)
            json_object_set(after, entity_categories[i], text);
    }
    if (json_equal(before, after))
        return 0;
    return store_node_save(store, write, node.key, before, after, flags, err);
}

int store_node_texts(struct store *store, const struct writer *writer, const char *sid,
                     const char *node_id, const json_t *texts, struct error *err)
{
    struct write write;

    if (store_write_begin_session(store, writer, MIRROR_TEXTS, sid, node_id, &write, err) < 0)
        return -1;
    return store_write_end(store, &write, write_texts(store, &write, node_id, texts, err), err);
}

/* ---- changing a node's own fields ---- */

int store_node_check_revision(struct store *store, const struct node_found *node,
                              const char *node_id, long expected, struct error *err)
{
    json_auto_t *object = NULL;
    struct buf BUF_AUTO text = {0};
    char current[CURRENT_CAP];
    unsigned flags;

    if (expected == 0 || expected == (long)node->revision)
        return 0;
    object = store_node_load(store, node->key, &flags, err);
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
    struct buf BUF_AUTO old = {0}, new BUF_AUTO = {0};

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

    if (store_node_find(store, session, node_id, &node, err) < 0 ||
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

    if (store_node_find(store, write->session, node_id, &node, err) < 0 ||
        store_node_check_revision(store, &node, node_id, expected, err) != 0)
        return -1;
    before = store_node_load(store, node.key, &flags, err);
    if (!before)
        return -1;
    after = json_copy(before);
    if (!after)
        return error_set(err, ERROR_MEMORY, "out of memory for a node");
    if (entity_node_change(after, changes, err) < 0 || check_size(before, after, node_id, err) < 0)
        return -1;
    if (!json_equal(before, after) &&
        store_node_save(store, write, node.key, before, after, flags, err) != 0)
        return -1;
    if (!state)
        return 0;
    if (fill_state(store, write->session, node_id, state, err) < 0)
        return -1;
    value_change_text(before, after, state->change);
    return 0;
}

int store_node_state(struct store *store, const char *sid, const char *node_id,
                     long expected_revision, struct node_state *state, struct error *err)
{
    struct session_found session;
    struct node_found node;
    int rc = -1;

    if (store_read_begin(store, 0, sid, NULL, &session, err) < 0)
        return -1;
    if (store_node_find(store, session.key, node_id, &node, err) == 0 &&
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

    if (store_write_begin_session(store, writer, MIRROR_TEXTS, sid, node_id, &write, err) < 0)
        return -1;
    rc = update(store, &write, node_id, changes, expected_revision, state, err);
    return store_write_end(store, &write, rc, err);
}
