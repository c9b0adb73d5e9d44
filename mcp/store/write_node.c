/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sessions and nodes: create, delete, the four category texts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/session/curriculum_title.h"
#include "mcp/session/entity.h"
#include "mcp/store/store_internal.h"

int store_node_insert(struct store *store, const struct write *write, int64_t place, json_t *node,
                      size_t cap, const char *created_at, const char *last_modified,
                      struct error *err)
{
    struct buf body BUF_AUTO = {0}, log BUF_AUTO = {0};
    struct row_order chapter = {ORDER_INTEGER, 0, 0};
    struct node_row row;
    int64_t key;

    buf_init(&body, cap);
    node_row(node, &body, &row);
    if (buf_check(&body, "a node", err) != 0)
        return -1;
    row.flags |= NODE_COMPONENTS | NODE_TIMES;
    chapter.integer = row.chapter;
    if (db_insert(store->db, &key, err, SQL_NODE_INSERT,
                  row.chapter_number ? "iittoissbi" : "iitttissbi", write->session, place,
                  &row.node_id, &row.title,
                  row.chapter_number ? (const void *)&chapter : (const void *)&row.grouping,
                  write->version, created_at, last_modified, &body, (int64_t)row.flags) != 0)
        return -1;
    if (store_node_around(store, key, &log, err) != 0)
        return -1;
    buf_addc(&log, '}');
    return store_log(store, write, "node", row.node_id.text, row.node_id.text, "insert", NULL, &log,
                     err);
}

/* Writes a checked node as a new row behind the others. */
static int append_node(struct store *store, const struct write *write, json_t *node,
                       struct error *err)
{
    int64_t last;

    if (db_number(store->db, &last, err, SQL_NODE_LAST_PLACE, "i", write->session) != 0)
        return -1;
    return store_node_insert(store, write, last + 1, node, ENTITY_SIZE_MAX, write->now, write->now,
                             err);
}

int store_node_create(struct store *store, const struct writer *writer, const char *sid,
                      const json_t *input, struct error *err)
{
    json_auto_t *node = NULL;
    struct write write;
    int64_t twins = 0;
    int rc = -1;

    if (store_refresh(store, UPSTREAM_NODES, sid, NULL, err) != 0)
        return -1;
    if (store_write_begin_session(store, writer, sid, &write, err) != 0)
        return -1;
    node = entity_node(input, err);
    if (node && db_number(store->db, &twins, err, SQL_NODE_TWINS, "is", write.session,
                          json_get_string(node, "node_id")) == 0) {
        if (twins > 0)
            error_set(err, ERROR_CONFLICT,
                      "the node id '%s' is in use in this session, choose another",
                      json_get_string(node, "node_id"));
        else
            rc = append_node(store, &write, node, err);
    }
    return store_write_end(store, &write, rc, err);
}

static int insert_first_nodes(struct store *store, const struct write *write, struct error *err)
{
    static const char *const first[][2] = {{"N001", "First node"}, {"N002", "Second node"}};

    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++) {
        json_auto_t *node = json_pack("{s:s, s:s, s:s, s:n}", "node_id", first[i][0], "title",
                                      first[i][1], "raw_content", "", "chapter_id");

        if (!node)
            return error_set(err, ERROR_MEMORY, "out of memory for a node");
        if (append_node(store, write, node, err) != 0)
            return -1;
    }
    return 0;
}

int store_session_create(struct store *store, const struct writer *writer, const char *title,
                         char sid[SESSION_ID_SIZE], struct error *err)
{
    struct buf log BUF_AUTO = {0};
    json_auto_t *further = NULL;
    char uuid[UUID_TEXT_SIZE];
    struct write write;
    int rc = -1;

    if (store->upstream)
        return store->upstream->create(store->upstream, store, writer, title, sid, err);
    buf_init(&log, 0);
    if (title && strlen(title) > TITLE_MAX)
        return error_set_at(err, "title", "title: is longer than %d bytes", TITLE_MAX);
    further = title && *title ? json_pack("{s:{s:s}}", "meta", "title", title) : json_object();
    if (!further)
        return error_set_at(err, "title", "title: is no UTF-8 text");
    if (text_uuid(uuid, err) != 0 || store_write_begin(store, writer, NULL, &write, err) != 0)
        return -1;
    json_write(&log, further);
    write.version = 1;
    if (db_insert(store->db, &write.session, err, SQL_SESSION_INSERT, "ssibs", uuid,
                  title && *title ? title : CURRICULUM_UNTITLED, (int64_t)SESSION_RELATIONSHIPS,
                  &log, write.now) == 0) {
        memcpy(write.sid, uuid, sizeof uuid);
        rc = store_log(store, &write, "session", uuid, NULL, "create", NULL, &log, err);
    }
    if (rc == 0)
        rc = insert_first_nodes(store, &write, err);
    rc = store_write_end(store, &write, rc, err);
    if (rc == 0)
        memcpy(sid, uuid, sizeof uuid);
    return rc;
}

/* ---- delete ---- */

static int delete_components(struct store *store, const struct write *write, int64_t node,
                             const char *node_id, struct error *err)
{
    struct component_write work = {.write = *write, .node_id = node_id};
    int rc = sequence_read(store, node, &work.sequence, err);

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
    struct buf before BUF_AUTO = {0};

    if (last_of_id && store_position_drop(store, write, node_id, err) != 0)
        return -1;
    if (store_node_text(store, node->key, &before, err) != 0 ||
        store_log(store, write, "node", node_id, node_id, "delete", &before, NULL, err) != 0)
        return -1;
    return db_run(store->db, err, SQL_NODE_DELETE, "i", node->key);
}

int store_node_remove(struct store *store, const struct write *write, const char *node_id,
                      struct error *err)
{
    struct node_found node;
    int64_t twins;

    if (store_node_find(store, write->session, node_id, &node, err) != 0 ||
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

    if (store_refresh(store,
                      UPSTREAM_NODE | UPSTREAM_PASS_OVER | UPSTREAM_TEXTS | UPSTREAM_RELATIONSHIPS |
                          UPSTREAM_POSITIONS,
                      sid, node_id, err) != 0)
        return -1;
    if (store_write_begin_session(store, writer, sid, &write, err) != 0)
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
    int64_t place;

    if (store_node_find(store, write->session, node_id, &node, err) != 0 ||
        entity_texts_check(texts, err) != 0)
        return -1;
    before = store_node_load(store, node.key, &flags, &place, err);
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
    return store_node_save(store, write, node.key, before, after, flags, err);
}

int store_node_texts(struct store *store, const struct writer *writer, const char *sid,
                     const char *node_id, const json_t *texts, struct error *err)
{
    struct write write;

    if (store_refresh(store, UPSTREAM_TEXTS, sid, node_id, err) != 0)
        return -1;
    if (store_write_begin_session(store, writer, sid, &write, err) != 0)
        return -1;
    return store_write_end(store, &write, write_texts(store, &write, node_id, texts, err), err);
}
