/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Converts the changes of a transaction to requests. They are computed from the states at the
 * service and here, not from the steps of the log, so many edits of one entity are one request.
 * Nodes are created first and deleted last, and of sequences those that get longer come first, so
 * that an earlier failure loses nothing.
 */
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/curriculum/entity.h"
#include "mcp/curriculum/json_difference.h"
#include "mcp/mirror/normal.h"
#include "mcp/mirror/service.h"

/* ---- from one sequence of components to another by one request: the smallest that the service has
 * for it, else the whole sequence. One request is done or not done: nothing of a node is half-way.
 * ---- */

static const char *id_at(const json_t *list, size_t i)
{
    return json_get_string(json_array_get(list, i), "component_id");
}

static bool same_id(const json_t *one, size_t i, const json_t *other, size_t n)
{
    return strcmp(id_at(one, i), id_at(other, n)) == 0;
}

static bool same_content(const json_t *one, size_t i, const json_t *other, size_t n)
{
    json_auto_t *left = normal_component_out(json_array_get(one, i), 1);
    json_auto_t *right = normal_component_out(json_array_get(other, n), 1);

    return json_equivalent(left, right);
}

static bool same_both(const json_t *one, size_t i, const json_t *other, size_t n)
{
    return same_id(one, i, other, n) && same_content(one, i, other, n);
}

/* How many at the beginning are the same; at the end, of what is left. */
static size_t same_before(const json_t *one, const json_t *other)
{
    size_t i = 0;

    while (i < json_array_size(one) && i < json_array_size(other) && same_both(one, i, other, i))
        i++;
    return i;
}

static size_t same_behind(const json_t *one, const json_t *other, size_t before)
{
    size_t left = json_array_size(one), right = json_array_size(other), count = 0;

    while (left > before && right > before && same_both(one, left - 1, other, right - 1)) {
        left--;
        right--;
        count++;
    }
    return count;
}

static json_t *whole_sequence(const char *node_id, const json_t *list, const json_t *fields)
{
    json_t *components = json_array(), *body;

    for (size_t i = 0; i < json_array_size(list); i++)
        json_array_append_new(components, normal_component_out(json_array_get(list, i), i + 1));
    body = json_pack("{s:s, s:o}", "node_id", node_id, "components", components);
    json_object_update(body, (json_t *)fields);
    return body;
}

static json_t *post_back(const char *node_id, const json_t *before, const json_t *fields)
{
    return json_pack("[{s:s, s:s, s:o}]", "method", "POST", "suffix", "", "body",
                     whole_sequence(node_id, before, fields));
}

static json_t *put_one(size_t at, const json_t *before, const json_t *after)
{
    char suffix[32];

    snprintf(suffix, sizeof suffix, "/%zu", at + 1);
    return json_pack("{s:s, s:s, s:o, s:[{s:s, s:s, s:o}]}", "method", "PUT", "suffix", suffix,
                     "body", normal_component_out(json_array_get(after, at), at + 1), "back",
                     "method", "PUT", "suffix", suffix, "body",
                     normal_component_out(json_array_get(before, at), at + 1));
}

static json_t *insert_one(size_t at, const json_t *after)
{
    json_t *body = normal_component_out(json_array_get(after, at), at + 1);
    char suffix[32];

    json_object_del(body, "order");
    json_object_set_new(body, "position", json_integer((json_int_t)at + 1));
    snprintf(suffix, sizeof suffix, "/%zu", at + 1);
    return json_pack("{s:s, s:s, s:o, s:[{s:s, s:s}]}", "method", "POST", "suffix", "/insert",
                     "body", body, "back", "method", "DELETE", "suffix", suffix);
}

/* The old places in their new sequence, or NULL where something else changed too. */
static json_t *new_order(const json_t *before, const json_t *after)
{
    json_t *order = json_array();

    for (size_t i = 0; i < json_array_size(after); i++) {
        size_t at = 0;

        while (at < json_array_size(before) && !same_id(before, at, after, i))
            at++;
        if (at == json_array_size(before) || !same_content(before, at, after, i)) {
            json_decref(order);
            return NULL;
        }
        json_array_append_new(order, json_integer((json_int_t)at + 1));
    }
    return order;
}

json_t *plan_sequence(unsigned can, const char *node_id, const json_t *before, const json_t *after,
                      const json_t *fields)
{
    size_t old = json_array_size(before), new = json_array_size(after);
    size_t head = same_before(before, after), tail = same_behind(before, after, head);
    json_t *order = NULL;
    char suffix[32];

    if (old == new &&head == new)
        return json_null();
    if ((can & CAN_PUT_ONE) &&
        old == new &&head + tail + 1 == new &&same_id(before, head, after, head))
        return put_one(head, before, after);
    if ((can & CAN_INSERT) && new == old + 1 && head + tail == old)
        return insert_one(head, after);
    if ((can & CAN_DELETE_ONE) && old == new + 1 && head + tail == new) {
        snprintf(suffix, sizeof suffix, "/%zu", head + 1);
        return json_pack("{s:s, s:s, s:o}", "method", "DELETE", "suffix", suffix, "back",
                         post_back(node_id, before, fields));
    }
    if ((can & CAN_REORDER) && old == new)
        order = new_order(before, after);
    if (order) /* the bare array: every service takes that */
        return json_pack("{s:s, s:s, s:o, s:o}", "method", "POST", "suffix", "/reorder", "body",
                         order, "back", post_back(node_id, before, fields));
    return json_pack("{s:s, s:s, s:o, s:o}", "method", "POST", "suffix", "", "body",
                     whole_sequence(node_id, after, fields), "back",
                     post_back(node_id, before, fields));
}

/* ---- a plan ---- */

struct push_plan {
    struct service *service;
    struct store *store;
    const char *sid;
    const json_t *touched; /* of this session */
    json_t *steps, *last;  /* last: the deletions of nodes */
    json_t *shorter;       /* sequences that get shorter: their components may be moved */
    json_t *fields;        /* {node_id: what is sent beside its sequence} that changed */
    struct error *err;
};

static void path_text(json_t *step, const char *key, const struct push_plan *plan, const char *what,
                      const char *id, const char *behind)
{
    struct buf BUF_AUTO path = {0};

    service_session_path(&path, plan->sid, what);
    if (id)
        http_add_escaped(&path, id);
    buf_adds(&path, behind);
    json_object_set_new(step, key, json_string(path.data));
}

/* {"method", "path", "body", "sid"} of this session; body is taken over. */
static json_t *request(const struct push_plan *plan, const char *method, const char *what,
                       const char *id, const char *behind, json_t *body)
{
    json_t *step = json_pack("{s:s, s:s, s:o*}", "method", method, "sid", plan->sid, "body", body);

    path_text(step, "path", plan, what, id, behind);
    return step;
}

static void complete(json_t *step, json_t *back, const struct push_plan *plan, const char *kind,
                     const char *id, const json_t *want, const char *words)
{
    char what[256];

    snprintf(what, sizeof what, "%s %s", words, id);
    json_object_set_new(step, "what", json_string(what));
    json_object_set_new(step, "back", back);
    json_object_set_new(
        step, "check",
        json_pack("{s:s, s:s, s:s, s:O}", "kind", kind, "sid", plan->sid, "id", id, "want", want));
}

/* The entity at the service and here; new references. */
static int read_both(const struct push_plan *plan, enum mirror_entity kind, const char *id,
                     json_t **before, json_t **after)
{
    *before = service_entity(plan->service, kind, plan->sid, id, plan->err);
    *after = *before ? mirror_entity(plan->store, kind, plan->sid, id, plan->err) : NULL;
    return *after ? 0 : -1;
}

/* ---- nodes ---- */

static bool is_category(const char *key)
{
    for (size_t i = 0; entity_categories[i]; i++)
        if (strcmp(key, entity_categories[i]) == 0)
            return true;
    return false;
}

static bool is_sequence_field(const char *key)
{
    return strcmp(key, "suggested_template") == 0 || strcmp(key, "overall_confidence") == 0;
}

/* The fields in which two nodes differ, with the values in after (null: removed); texts
 * separately. */
static void differences(const json_t *before, const json_t *after, json_t *rest, json_t *texts,
                        json_t *fields)
{
    json_auto_t *all = json_copy((json_t *)before);
    const char *key;
    json_t *value;

    json_object_update(all, (json_t *)after);
    json_object_foreach(all, key, value)
    {
        json_t *old = json_object_get(before, key), *now = json_object_get(after, key);
        json_t *to = is_category(key) ? texts : is_sequence_field(key) ? fields : rest;

        if (!json_equivalent(old, now))
            json_object_set_new(to, key, now ? json_incref(now) : json_null());
    }
}

/* Of changes, as before has them. */
static json_t *reversed(const json_t *changes, const json_t *before)
{
    json_t *back = json_object(), *value;
    const char *key;

    json_object_foreach((json_t *)changes, key, value)
    {
        json_t *old = json_object_get(before, key);

        json_object_set_new(back, key, old ? json_incref(old) : json_null());
    }
    return back;
}

/* A removed text is sent as an empty one: not every service accepts null. */
static json_t *as_texts(const json_t *texts)
{
    json_t *sent = json_object(), *value;
    const char *key;

    json_object_foreach((json_t *)texts, key, value) json_object_set_new(
        sent, key, json_is_string(value) ? json_incref(value) : json_string(""));
    return sent;
}

static void add_texts(struct push_plan *plan, const char *node_id, const json_t *texts,
                      const json_t *before)
{
    json_auto_t *old = reversed(texts, before);
    json_auto_t *want = as_texts(texts);
    json_t *step = request(plan, "POST", "/nodes/", node_id, "/content", json_copy(want));
    json_t *back =
        json_pack("[o]", request(plan, "POST", "/nodes/", node_id, "/content", as_texts(old)));

    complete(step, back, plan, "texts", node_id, want, "the texts of node");
    json_array_append_new(plan->steps, step);
}

/* Every field that the original contract names is there. */
static json_t *new_node(const json_t *node)
{
    json_t *body = json_copy((json_t *)node);

    for (size_t i = 0; entity_categories[i]; i++)
        json_object_del(body, entity_categories[i]);
    if (!json_is_string(json_object_get(body, "raw_content")))
        json_object_set_new(body, "raw_content", json_string(""));
    if (!json_object_get(body, "chapter_id"))
        json_object_set_new(body, "chapter_id", json_null());
    return body;
}

static void add_creation(struct push_plan *plan, const char *node_id, const json_t *node)
{
    json_auto_t *rest = json_object(), *texts = json_object(), *fields = json_object();
    json_auto_t *nothing = json_object();
    json_t *step = request(plan, "POST", "/nodes", NULL, "", new_node(node));
    json_t *back = json_pack("[o]", request(plan, "DELETE", "/nodes/", node_id, "", NULL));

    complete(step, back, plan, "node", node_id, node, "the new node");
    json_array_append_new(plan->steps, step);
    differences(nothing, node, rest, texts, fields);
    if (json_object_size(texts) > 0)
        add_texts(plan, node_id, texts, nothing);
}

static json_t *component_path(const struct push_plan *plan, const char *node_id, const char *suffix)
{
    struct buf BUF_AUTO path = {0};

    service_component_path(plan->service, &path, plan->sid, node_id);
    buf_adds(&path, suffix);
    return json_string(path.data);
}

/* On revert, restores the node with what the service deleted with it. */
static int add_deletion(struct push_plan *plan, const char *node_id, const json_t *node)
{
    json_auto_t *sequence =
        service_entity(plan->service, MIRROR_ENTITY_SEQUENCE, plan->sid, node_id, plan->err);
    json_auto_t *nothing = json_array(), *no_fields = json_object();
    json_t *step = request(plan, "DELETE", "/nodes/", node_id, "", NULL);
    json_t *back = json_array(), *whole;

    json_array_append_new(back, request(plan, "POST", "/nodes", NULL, "", new_node(node)));
    if (json_array_size(sequence) > 0) {
        whole = plan_sequence(0, node_id, nothing, sequence, no_fields);
        json_object_set_new(whole, "path", component_path(plan, node_id, ""));
        json_object_set_new(whole, "sid", json_string(plan->sid));
        json_object_del(whole, "back");
        json_array_append_new(back, whole);
    }
    complete(step, back, plan, "node", node_id, json_null(), "the deletion of node");
    json_array_append_new(plan->last, step);
    return sequence ? 0 : -1;
}

static int add_change(struct push_plan *plan, const char *node_id, const json_t *before,
                      const json_t *after)
{
    json_auto_t *rest = json_object(), *texts = json_object(), *fields = json_object();

    differences(before, after, rest, texts, fields);
    if (json_object_size(rest) > 0) {
        json_t *step, *back;

        if (!(plan->service->can & CAN_PUT_NODE))
            return error_set(plan->err, ERROR_CONFLICT,
                             "the service %s has no way to change a node (PUT "
                             "/session/ID/nodes/%s): its four texts and its components can be "
                             "changed, its title and other fields in the service's own editor",
                             plan->service->url, node_id);
        step = request(plan, "PUT", "/nodes/", node_id, "", json_copy(rest));
        back =
            json_pack("[o]", request(plan, "PUT", "/nodes/", node_id, "", reversed(rest, before)));
        complete(step, back, plan, "node", node_id, rest, "the change of node");
        json_array_append_new(plan->steps, step);
    }
    if (json_object_size(texts) > 0)
        add_texts(plan, node_id, texts, before);
    if (json_object_size(fields) > 0)
        json_object_set(plan->fields, node_id, fields);
    return 0;
}

static int plan_node(struct push_plan *plan, const char *node_id)
{
    json_auto_t *before = NULL, *after = NULL;

    if (read_both(plan, MIRROR_ENTITY_NODE, node_id, &before, &after) < 0)
        return -1;
    if (json_is_null(before) && json_is_null(after))
        return 0;
    if (json_is_null(after))
        return add_deletion(plan, node_id, before);
    if (json_is_null(before)) {
        add_creation(plan, node_id, after);
        return 0;
    }
    return add_change(plan, node_id, before, after);
}

/* ---- components ---- */

/* What the service has beside the sequence goes back to it, but for what changed here. */
static int sequence_fields(struct push_plan *plan, const char *node_id, json_t *fields)
{
    struct buf BUF_AUTO kept = {0};
    json_auto_t *theirs = NULL;
    json_t *changed = json_object_get(plan->fields, node_id);

    if (mirror_name(plan->store, plan->sid, MIRROR_NAME_FIELDS, node_id, &kept, plan->err) < 0)
        return -1;
    if (kept.len > 0)
        theirs = json_read(kept.data, kept.len, "kept fields", NULL);
    if (theirs)
        json_object_update(fields, theirs);
    if (changed)
        json_object_update(fields, changed);
    if ((plan->service->can & CAN_SCOPED) && (plan->service->can & CAN_DOCUMENT))
        return 0;
    /* The minimal service requires every field. */
    if (!json_object_get(fields, "suggested_template"))
        json_object_set_new(fields, "suggested_template", json_string(""));
    if (!json_is_number(json_object_get(fields, "overall_confidence")))
        json_object_set_new(fields, "overall_confidence", json_real(1.0));
    return 0;
}

static void complete_back(struct push_plan *plan, const char *node_id, json_t *back)
{
    json_t *one;
    size_t i;

    json_array_foreach(back, i, one)
    {
        json_object_set_new(one, "path",
                            component_path(plan, node_id, json_get_string(one, "suffix")));
        json_object_set_new(one, "sid", json_string(plan->sid));
    }
}

/* Where the mirror is equal to an answer that had an ETag, the service looks once more that nobody
 * wrote between; an insertion takes nothing from anybody. */
static int guard_step(struct push_plan *plan, const char *node_id, json_t *step)
{
    struct buf BUF_AUTO name = {0}, seen BUF_AUTO = {0};
    const char *etag;

    resource_name(&name, RESOURCE_COMPONENTS, node_id);
    if (mirror_name(plan->store, plan->sid, MIRROR_NAME_SEEN, name.data, &seen, plan->err) < 0)
        return -1;
    etag = seen.data ? strchr(seen.data, ' ') : NULL;
    if (etag && etag[1] == '"' && strcmp(json_get_string(step, "suffix"), "/insert") != 0)
        json_object_set_new(step, "match", json_sprintf("If-Match: %s", etag + 1));
    return 0;
}

static int plan_components(struct push_plan *plan, const char *node_id)
{
    json_auto_t *before = NULL, *after = NULL, *node = NULL, *fields = json_object();
    json_t *step;

    if (read_both(plan, MIRROR_ENTITY_SEQUENCE, node_id, &before, &after) < 0)
        return -1;
    node = mirror_entity(plan->store, MIRROR_ENTITY_NODE, plan->sid, node_id, plan->err);
    if (!node)
        return -1;
    if (json_is_null(node)) /* goes with it */
        return 0;
    if (sequence_fields(plan, node_id, fields) != 0)
        return -1;
    step = plan_sequence(json_object_get(plan->fields, node_id) ? 0 : plan->service->can, node_id,
                         before, after, fields);
    if (json_is_null(step))
        return 0;
    if (guard_node(plan->service, plan->store, plan->sid, node_id, "written", plan->err) != 0 ||
        guard_step(plan, node_id, step) != 0) {
        json_decref(step);
        return -1;
    }
    json_object_set_new(step, "path",
                        component_path(plan, node_id, json_get_string(step, "suffix")));
    json_object_set_new(step, "sid", json_string(plan->sid));
    complete_back(plan, node_id, json_object_get(step, "back"));
    complete(step, json_incref(json_object_get(step, "back")), plan, "components", node_id, after,
             "the components of node");
    json_array_append_new(
        json_array_size(after) < json_array_size(before) ? plan->shorter : plan->steps, step);
    return 0;
}

/* ---- relationships ---- */

static bool node_goes(struct push_plan *plan, const json_t *relationship, const char *end)
{
    const char *node_id = json_get_string(relationship, end);
    json_auto_t *node = NULL;

    if (!node_id || !json_object_get(json_object_get(plan->touched, "nodes"), node_id))
        return false;
    node = mirror_entity(plan->store, MIRROR_ENTITY_NODE, plan->sid, node_id, NULL);
    return json_is_null(node);
}

static json_t *new_relationship(const json_t *relationship)
{
    json_t *body = json_copy((json_t *)relationship);

    json_object_del(body, "created_at");
    return body;
}

static int their_id(struct push_plan *plan, const char *id, struct buf *theirs)
{
    int found =
        mirror_name(plan->store, plan->sid, MIRROR_NAME_RELATIONSHIP, id, theirs, plan->err);

    if (found != 0)
        return found < 0 ? -1 : 0;
    return error_set(plan->err, ERROR_CONFLICT,
                     "the service %s tells no ids of its relationships, so there is no way to "
                     "change or delete a single one (relationship %s) by its paths: do that in the "
                     "service's own editor",
                     plan->service->url, id);
}

static int remove_relationship(struct push_plan *plan, const char *id, const json_t *before)
{
    struct buf BUF_AUTO theirs = {0};
    json_t *step, *back;

    if (node_goes(plan, before, "from_node_id") || node_goes(plan, before, "to_node_id"))
        return 0; /* goes with the node */
    if (their_id(plan, id, &theirs) != 0)
        return -1;
    step = request(plan, "DELETE", "/relationships/", theirs.data, "", NULL);
    back = json_pack("[o]",
                     request(plan, "POST", "/relationships", NULL, "", new_relationship(before)));
    complete(step, back, plan, "no relationship", id, before, "the deletion of relationship");
    json_array_insert_new(plan->steps, 0, step); /* before one with the same ends is created */
    return 0;
}

static void create_relationship(struct push_plan *plan, const char *id, const json_t *after)
{
    json_t *step = request(plan, "POST", "/relationships", NULL, "", new_relationship(after));

    json_object_set_new(step, "relationship", json_string(id));
    complete(step, json_array(), plan, "relationship", id, after, "the new relationship");
    json_array_append_new(plan->steps, step);
}

static int change_relationship(struct push_plan *plan, const char *id, const json_t *before,
                               const json_t *after)
{
    json_auto_t *changes = json_object();
    struct buf BUF_AUTO theirs = {0};
    json_t *step, *back;

    /* No kinds of fields here: a relationship's explanation is none of a node's texts. */
    differences(before, after, changes, changes, changes);
    if (json_object_size(changes) == 0)
        return 0;
    if (json_object_get(changes, "from_node_id") || json_object_get(changes, "to_node_id")) {
        /* An end that moved, by a merge: the service has no request for that. */
        if (remove_relationship(plan, id, before) != 0)
            return -1;
        create_relationship(plan, id, after);
        return 0;
    }
    if (their_id(plan, id, &theirs) != 0)
        return -1;
    step = request(plan, "PUT", "/relationships/", theirs.data, "", json_copy(changes));
    back = json_pack(
        "[o]", request(plan, "PUT", "/relationships/", theirs.data, "", reversed(changes, before)));
    complete(step, back, plan, "relationship", id, after, "the change of relationship");
    json_array_append_new(plan->steps, step);
    return 0;
}

static int plan_relationship(struct push_plan *plan, const char *id)
{
    json_auto_t *before = NULL, *after = NULL;

    if (read_both(plan, MIRROR_ENTITY_RELATIONSHIP, id, &before, &after) < 0)
        return -1;
    if (json_is_null(after))
        return json_is_null(before) ? 0 : remove_relationship(plan, id, before);
    if (!json_is_null(before))
        return change_relationship(plan, id, before, after);
    create_relationship(plan, id, after);
    return 0;
}

/* ---- the map of the nodes ---- */

static int plan_node_map(struct push_plan *plan)
{
    json_auto_t *changed = json_object(), *old = json_object();
    const char *node_id;
    json_t *value, *step;

    if (!(plan->service->can & CAN_WRITE_NODE_MAP))
        return 0; /* stored only in the mirror */
    json_object_foreach(json_object_get(plan->touched, NODE_MAP_NAME), node_id, value)
    {
        json_auto_t *before = NULL, *after = NULL, *node = NULL;

        if (read_both(plan, MIRROR_ENTITY_MAP_ENTRY, node_id, &before, &after) == 0)
            node = mirror_entity(plan->store, MIRROR_ENTITY_NODE, plan->sid, node_id, plan->err);
        if (!node)
            return -1;
        if (json_is_null(node) || json_equivalent(before, after))
            continue;
        json_object_set(changed, node_id, after);
        if (!json_is_null(before))
            json_object_set(old, node_id, before);
    }
    if (json_object_size(changed) == 0)
        return 0;
    step = request(plan, "PUT", "/" NODE_MAP_NAME, NULL, "",
                   json_pack("{s:O}", NODE_MAP_NAME, changed));
    complete(step,
             json_object_size(old) > 0
                 ? json_pack("[o]", request(plan, "PUT", "/" NODE_MAP_NAME, NULL, "",
                                            json_pack("{s:O}", NODE_MAP_NAME, old)))
                 : json_array(),
             plan, NODE_MAP_NAME, NODE_MAP_NAME, changed, "the");
    json_array_append_new(plan->steps, step);
    return 0;
}

/* ---- the session itself ---- */

static json_t *renaming(const struct push_plan *plan, json_t *title)
{
    return request(plan, "PUT", "", NULL, "", json_pack("{s:O}", "title", title));
}

static int plan_title(struct push_plan *plan)
{
    json_auto_t *before = NULL, *after = NULL;
    json_t *step;

    if (!json_object_get(plan->touched, "update"))
        return 0;
    if (read_both(plan, MIRROR_ENTITY_TITLE, NULL, &before, &after) < 0)
        return -1;
    if (json_equal(before, after))
        return 0;
    if (!(plan->service->can & CAN_PUT_SESSION))
        return error_set(plan->err, ERROR_CONFLICT,
                         "the service %s has no way to rename a session (PUT /session/ID): rename "
                         "it in the service's own editor",
                         plan->service->url);
    step = renaming(plan, after);
    complete(step, json_pack("[o]", renaming(plan, before)), plan, "session", plan->sid, after,
             "the new title of session");
    json_array_append_new(plan->steps, step);
    return 0;
}

/* ---- all of it ---- */

static int plan_each(struct push_plan *plan, const char *set,
                     int (*one)(struct push_plan *, const char *))
{
    const char *id;
    json_t *value;

    json_object_foreach(json_object_get(plan->touched, set), id, value)
    {
        if (one(plan, id) != 0)
            return -1;
    }
    return 0;
}

/* A sequence with changes only in the fields beside it has no log row. */
static int plan_fields(struct push_plan *plan)
{
    const char *node_id;
    json_t *value;

    json_object_foreach(plan->fields, node_id, value)
    {
        if (!json_object_get(json_object_get(plan->touched, "sequences"), node_id) &&
            plan_components(plan, node_id) != 0)
            return -1;
    }
    return 0;
}

static int plan_session(struct push_plan *plan)
{
    if (json_object_get(plan->touched, "import"))
        return error_set(plan->err, ERROR_CONFLICT,
                         "an import cannot go to the service %s: it has no way to take a whole "
                         "curriculum as it is. Import into a separate store (--store "
                         "sqlite:PATH), or create the session there and send a change set",
                         plan->service->url);
    if (plan_title(plan) != 0 || plan_each(plan, "nodes", plan_node) != 0 ||
        plan_each(plan, "sequences", plan_components) != 0 || plan_fields(plan) != 0 ||
        json_array_extend(plan->steps, plan->shorter) != 0 ||
        plan_each(plan, "relationships", plan_relationship) != 0)
        return -1;
    return plan_node_map(plan);
}

json_t *plan_steps(struct service *service, struct store *store, const json_t *touched,
                   struct error *err)
{
    json_t *steps = json_array();
    const char *sid;
    json_t *session;
    int rc = 0;

    json_object_foreach((json_t *)touched, sid, session)
    {
        json_auto_t *last = json_array(), *fields = json_object(), *shorter = json_array();
        struct push_plan plan = {.service = service,
                                 .store = store,
                                 .sid = sid,
                                 .touched = session,
                                 .steps = steps,
                                 .last = last,
                                 .shorter = shorter,
                                 .fields = fields,
                                 .err = err};

        rc = plan_session(&plan);
        json_array_extend(steps, last);
        if (rc != 0)
            break;
    }
    if (rc != 0) {
        json_decref(steps);
        return NULL;
    }
    /* One request may change the ETag of what a later one is about. */
    for (size_t i = 0; json_array_size(steps) > 1 && i < json_array_size(steps); i++)
        json_object_del(json_array_get(steps, i), "match");
    return steps;
}
