/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The door for curriculum files: entries go in as they are, in one transaction, and no rule is
 * checked. The change log gets one row for the whole, since all history of the session begins here.
 */
#include <inttypes.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/store/store_import.h"
#include "mcp/store/store_internal.h"

/* What failed half-way is gone whole. */
static int give_up(struct store *store)
{
    store_import_end(store, false, NULL);
    return -1;
}

int store_import_begin(struct store *store, const struct writer *writer, const char *title,
                       const json_t *further, bool relationships, char sid[SESSION_ID_SIZE],
                       struct error *err)
{
    struct write *write = &store->import.write;
    struct buf BUF_AUTO text = {0};
    char uuid[UUID_TEXT_SIZE];

    if (store->upstream)
        return error_set(err, ERROR_INVALID,
                         "a file cannot be imported into a service: it has no way to take a "
                         "curriculum as it is. Import into a separate store (--store "
                         "sqlite:PATH), or make a session there and send a change set");
    buf_init(&text, 0);
    json_write(&text, further);
    if (buf_check(&text, "the file's top level", err) < 0 || text_uuid(uuid, err) < 0 ||
        store_write_begin(store, writer, NULL, write, err) < 0)
        return -1;
    write->version = 1;
    if (db_insert(store->db, &write->session, err, SQL_SESSION_INSERT, "ssibs", uuid, title,
                  (int64_t)(relationships ? SESSION_RELATIONSHIPS : 0), &text, write->now) != 0)
        return store_write_end(store, write, -1, err);
    memcpy(write->sid, uuid, sizeof uuid);
    memcpy(sid, uuid, sizeof uuid);
    store->import.active = true;
    store->import.nodes = store->import.components = store->import.relationships = 0;
    store->import.component_place = 0;
    return 0;
}

int store_import_node(struct store *store, json_t *node, struct error *err)
{
    const struct write *write = &store->import.write;
    struct row_order chapter = {ORDER_INTEGER, 0, 0};
    struct node_row row;

    node_row(node, &store->import.body, &row);
    chapter.integer = row.chapter;
    if (buf_check(&store->import.body, "a node", err) < 0 ||
        db_insert(store->db, &store->import.node, err, SQL_NODE_INSERT,
                  row.chapter_number ? "iittoissbi" : "iitttissbi", write->session,
                  store->import.nodes, &row.node_id, &row.title,
                  row.chapter_number ? (const void *)&chapter : (const void *)&row.grouping,
                  write->version, (const char *)NULL, (const char *)NULL, &store->import.body,
                  (int64_t)row.flags) != 0)
        return give_up(store);
    store->import.nodes++;
    store->import.component_place = 0;
    return 0;
}

int store_import_component(struct store *store, json_t *component, struct error *err)
{
    char uuid[UUID_TEXT_SIZE];
    struct component_row row;

    component_row(component, &store->import.body, &row);
    if (buf_check(&store->import.body, "a component", err) < 0 || text_uuid(uuid, err) < 0 ||
        db_run(store->db, err, SQL_COMPONENT_INSERT, "iiostbi", store->import.node,
               store->import.component_place, &row.order, uuid, &row.type, &store->import.body,
               (int64_t)row.flags) != 0)
        return give_up(store);
    store->import.component_place++;
    store->import.components++;
    return 0;
}

int store_import_relationship(struct store *store, const json_t *relationship, struct error *err)
{
    struct relationship_row row;

    relationship_row(relationship, &store->import.body, &row);
    if (buf_check(&store->import.body, "a relationship", err) < 0 ||
        db_run(store->db, err, SQL_RELATIONSHIP_INSERT, "iitttbi", store->import.write.session,
               store->import.relationships, &row.from, &row.to, &row.type, &store->import.body,
               (int64_t)row.flags) != 0)
        return give_up(store);
    store->import.relationships++;
    return 0;
}

int store_import_end(struct store *store, bool keep, struct error *err)
{
    const struct write *write = &store->import.write;
    struct buf BUF_AUTO log = {0};
    int rc = -1;

    if (!store->import.active)
        return keep ? error_set(err, ERROR_INTERNAL, "no import is under way") : 0;
    store->import.active = false;
    buf_init(&log, 0);
    buf_addf(&log,
             "{\"nodes\":%" PRId64 ",\"components\":%" PRId64 ",\"relationships\":%" PRId64 "}",
             store->import.nodes, store->import.components, store->import.relationships);
    if (keep)
        rc = store_log(store, write, "session", write->sid, NULL, "import", NULL, &log, err);
    rc = store_write_end(store, write, rc, err);
    buf_finish(&store->import.body);
    buf_init(&store->import.body, 0);
    return keep ? rc : 0;
}
