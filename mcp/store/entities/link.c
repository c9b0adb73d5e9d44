/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Links: relationships to a node of another curriculum (mcp/curriculum/curriculum_uri.h). The other
 * end is looked up when a link is made and when it is shown, and nothing holds it: what is deleted
 * later leaves a link that says so.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/curriculum/component_type.h"
#include "mcp/curriculum/curriculum_uri.h"
#include "mcp/store/entities/node.h"
#include "mcp/store/entities/relationship.h"
#include "mcp/store/entities/session.h"
#include "mcp/store/store_internal.h"

/* The other end. */
struct link_end {
    char sid[SESSION_ID_SIZE];
    struct buf node_id;
    json_t *node; /* owned */
    char title[TITLE_MAX + 1];
};

static void finish_end(struct link_end *end)
{
    buf_finish(&end->node_id);
    json_decref(end->node);
}

static int check_may_name(const struct writer *writer, const char *sid, struct error *err)
{
    if (!writer->only || strcmp(writer->only, sid) == 0)
        return 0;
    return error_set_at(err, "to_session",
                        "to_session: this connection is bound to session %s and links to no other",
                        writer->only);
}

/* to_session: an id or a title. */
static int find_session(struct store *store, const struct writer *writer, const char *session,
                        char sid[SESSION_ID_SIZE], struct error *err)
{
    if (!writer->only)
        return store_session_named(store, session, "to_session", sid, err);
    snprintf(sid, SESSION_ID_SIZE, "%s", writer->only);
    return check_may_name(writer, session, err);
}

/* to: the node's id or title there. */
static int find_named(struct store *store, const struct writer *writer, const char *session,
                      const char *to, struct link_end *end, struct error *err)
{
    struct buf BUF_AUTO found = {0};
    const char *id;

    if (find_session(store, writer, session, end->sid, err) < 0 ||
        store_node_id(store, end->sid, to, "to_node_id", &found, &id, err) < 0)
        return -1;
    buf_adds(&end->node_id, id);
    return buf_check(&end->node_id, "a node's id", err);
}

static int load_end(struct store *store, struct link_end *end, struct error *err)
{
    struct session_found session;
    struct node_found node;
    unsigned flags;

    if (store_session_find(store, end->sid, &session, err) < 0 ||
        store_node_find(store, session.key, end->node_id.data, &node, err) < 0)
        return error_wrap(err, "to_node_id");
    text_cut(end->title, sizeof end->title, node.title);
    end->node = store_node_load(store, node.key, &flags, err);
    return end->node ? 0 : -1;
}

/* The relationship with its end as a URI, and what is known of that end today. */
static int write_link(json_t *given, const struct link_end *end, struct error *err)
{
    struct buf BUF_AUTO uri = {0};
    const char *elsewhere = json_get_string(end->node, "uri");

    curriculum_uri_write(&uri, end->sid, end->node_id.data);
    if (buf_check(&uri, "a link", err) < 0)
        return -1;
    if (uri.len > CURRICULUM_URI_MAX)
        return error_set_at(err, "to_node_id", "to_node_id: the id is too long for a link");
    json_object_del(given, "to");
    if (json_object_set_new(given, "to_node_id", json_string(uri.data)) != 0 ||
        json_object_set_new(given, "to_title", json_string(end->title)) != 0 ||
        (elsewhere && json_object_set_new(given, "to_uri", json_string(elsewhere)) != 0))
        return error_set(err, ERROR_MEMORY, "out of memory for a link");
    if (!json_object_get(given, "relationship_type") && !json_object_get(given, "type"))
        json_object_set_new(given, "relationship_type", json_string(link_types[0]));
    return 0;
}

static int resolve(struct store *store, const struct writer *writer, const char *sid, json_t *given,
                   const char *session, const char *to, struct link_end *end, struct error *err)
{
    if (store->mirror)
        return error_set_at(err, "to_session",
                            "to_session: the service behind this store keeps relationships "
                            "within one curriculum only, so it can keep no link");
    if (session) {
        if (find_named(store, writer, session, to, end, err) < 0)
            return -1;
    } else if (curriculum_uri_read(to, end->sid, sizeof end->sid, &end->node_id, err) < 0) {
        return error_wrap(err, "to_node_id");
    }
    if (check_may_name(writer, end->sid, err) < 0)
        return -1;
    if (strcmp(end->sid, sid) != 0)
        return load_end(store, end, err) == 0 ? write_link(given, end, err) : -1;
    json_object_del(given, "to"); /* its own curriculum after all: a plain relationship */
    return json_object_set_new(given, "to_node_id", json_string(end->node_id.data)) == 0
               ? 0
               : error_set(err, ERROR_MEMORY, "out of memory for a relationship");
}

/* Of a new relationship as it was sent: where it is a link, its end becomes a URI. */
static int resolve_end(struct store *store, const struct writer *writer, const char *sid,
                       json_t *given, struct error *err)
{
    const json_t *session = json_object_get(given, "to_session");
    const char *to = json_get_string(given, "to_node_id");
    struct link_end end = {.sid = ""};
    int rc;

    if (!to)
        to = json_get_string(given, "to");
    if (json_is_null(session))
        session = NULL;
    if (session && !json_is_string(session))
        return error_set_at(err, "to_session", "to_session: must be text, not %s",
                            json_kind(session));
    if (!to || (!session && !curriculum_uri_is_node(to)))
        return 0;
    rc = resolve(store_whole(store), writer, sid, given, json_string_value(session), to, &end, err);
    json_object_del(given, "to_session");
    finish_end(&end);
    return rc;
}

int store_link_uri(struct store *store, const struct writer *writer, const char *session,
                   const char *to, struct buf *uri, struct error *err)
{
    struct store *whole = store_whole(store);
    struct buf BUF_AUTO found = {0};
    struct error why = {0};
    char sid[SESSION_ID_SIZE];
    const char *id;

    if (find_session(whole, writer, session, sid, err) < 0)
        return -1;
    if (store_node_id(whole, sid, to, "to_node_id", &found, &id, &why) < 0) {
        if (why.kind != ERROR_NOT_FOUND)
            return error_set_at(err, "to_node_id", "%s", why.text);
        id = to; /* the node is gone, its id is not */
    }
    curriculum_uri_write(uri, sid, id);
    return buf_check(uri, "a link", err);
}

int store_relationship_create(struct store *store, const struct writer *writer, const char *sid,
                              const json_t *relationship, struct relationship_state *state,
                              struct error *err)
{
    json_auto_t *given = json_copy((json_t *)relationship);

    if (json_is_object(given) && resolve_end(store, writer, sid, given, err) < 0)
        return -1;
    return store_relationship_write(store, writer, sid, given ? given : relationship, state, err);
}

/* ---- showing ---- */

/* The other end as it is now, beside what the link has kept of it. */
static json_t *show(struct store *store, int64_t id, const json_t *link, const char *only,
                    struct error *err)
{
    const char *uri = json_get_string(link, "to_node_id");
    struct link_end end = {.sid = ""};
    struct session_found session;
    struct node_found node;
    struct error found = {0};
    json_t *shown;
    bool there;

    there = curriculum_uri_read(uri, end.sid, sizeof end.sid, &end.node_id, NULL) == 0;
    if (only && strcmp(end.sid, only) != 0) { /* it learns nothing of what is elsewhere */
        shown = json_pack("{s:I, s:O*, s:s, s:s, s:O*}", "id", (json_int_t)id, "type",
                          json_object_get(link, "relationship_type"), "uri", uri, "node_id",
                          end.node_id.data, "title", json_object_get(link, "to_title"));
        finish_end(&end);
        return shown;
    }
    there = there && store_session_find(store, end.sid, &session, &found) == 0 &&
            store_node_find(store, session.key, end.node_id.data, &node, &found) == 0;
    shown = json_pack("{s:I, s:O*, s:s, s:s, s:O*, s:b}", "id", (json_int_t)id, "type",
                      json_object_get(link, "relationship_type"), "uri", uri, "node_id",
                      end.node_id.data ? end.node_id.data : uri, "title",
                      json_object_get(link, "to_title"), "gone", !there);
    if (there) {
        json_object_set_new(shown, "title", json_string(node.title));
        json_object_set_new(shown, "curriculum", json_string(session.title));
    }
    finish_end(&end);
    if (!shown)
        error_set(err, ERROR_MEMORY, "out of memory for a link");
    return shown;
}

int store_links_add(struct store *store, int64_t session, const char *node_id, const char *only,
                    json_t *links, struct error *err)
{
    int64_t *keys, place;
    size_t count;
    int rc = store_relationships_of(store, session, node_id, &keys, &count, err);

    for (size_t i = 0; rc == 0 && i < count; i++) {
        json_auto_t *each = store_relationship_load(store, session, keys[i], &place, err);

        if (!each)
            rc = -1;
        else if (curriculum_uri_is_node(json_get_string(each, "to_node_id")))
            rc = json_array_append_new(links, show(store, keys[i], each, only, err));
    }
    free(keys);
    return rc;
}

json_t *store_links(struct store *store, const char *sid, const char *node_id, const char *only,
                    struct error *err)
{
    json_auto_t *links = json_array();
    struct session_found session;

    if (!links) {
        error_set(err, ERROR_MEMORY, "out of memory for links");
        return NULL;
    }
    if (store_read_begin(store, MIRROR_RELATIONSHIPS, sid, NULL, &session, err) < 0 ||
        store_read_end(store, store_links_add(store, session.key, node_id, only, links, err)) < 0)
        return NULL;
    return json_incref(links);
}
