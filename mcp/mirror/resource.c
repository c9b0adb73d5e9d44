/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lists and sequences of the service. For each the mirror remembers the answer that it is equal to,
 * by a sum over its bytes and by its ETag, so that one which did not change costs no more than the
 * asking.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/array.h"
#include "helpers/base/hash.h"
#include "helpers/base/json.h"
#include "mcp/curriculum/entity.h"
#include "mcp/curriculum/text.h"
#include "mcp/mirror/apply.h"
#include "mcp/mirror/normal.h"
#include "mcp/mirror/service.h"
#include "mcp/store/store_internal.h"

static const struct kind {
    const char *name; /* for a node: its id after a colon */
    const char *path; /* behind /session/ID; NULL: otherwise */
    json_t *(*normal)(const json_t *answer);
    size_t cap;
    bool lenient; /* 404 says nothing that the nodes do not say */
} kinds[] = {
    [RESOURCE_SESSION] = {"session", NULL, NULL, 0, false},
    [RESOURCE_NODES] = {"nodes", "/nodes", normal_nodes, SERVICE_LIST_CAP, false},
    [RESOURCE_RELATIONSHIPS] = {"relationships", "/relationships", normal_relationships,
                                SERVICE_LIST_CAP, false},
    [RESOURCE_TEXTS] = {"texts", NULL, normal_texts, 0, true},
    [RESOURCE_COMPONENTS] = {"components", NULL, normal_components, 0, true},
    [RESOURCE_BULK] = {"bulk", "/components", normal_bulk, SERVICE_LIST_CAP, false},
    [RESOURCE_NODE_MAP] = {NODE_MAP_NAME, "/" NODE_MAP_NAME, normal_node_map, 0, true},
};

#define PART "part" /* a node's share of the bulk read */

void resource_name(struct buf *to, enum resource_kind kind, const char *node_id)
{
    buf_adds(to, kinds[kind].name);
    if (node_id)
        buf_addf(to, ":%s", node_id);
}

/* ---- the state at the service before the open transaction: as in the mirror outside of it (a
 * second connection sees that), or as read within it. Each resource is read once in a transaction:
 * a second read would mistake the missing changes of this transaction for changes at the service.
 * It is read once in a call that reads, too. ---- */

void service_transaction(struct service *service, const struct store *store)
{
    uint64_t now = store->open.depth > 0 ? store->transactions : store->reading;

    if (store_is_suspended(store)) /* still the same */
        return;
    if (service->transaction == now && now != 0 && service->taken_back == store->taken_back)
        return;
    service->transaction = now;
    service->taken_back = store->taken_back;
    json_object_clear(service->fresh);
    json_object_clear(service->states);
}

static void name_of(struct buf *to, const char *sid, const char *name)
{
    buf_addf(to, "%s %s", sid, name);
}

static bool state_is_fresh(const struct service *service, const char *sid, const char *name)
{
    struct buf BUF_AUTO key = {0};

    name_of(&key, sid, name);
    return json_object_get(service->fresh, key.data) != NULL;
}

static json_t *by_id(const json_t *nodes)
{
    json_t *by = json_object(), *node;
    size_t i;

    json_array_foreach((json_t *)nodes, i, node)
    {
        json_t *one = json_copy(node);

        json_object_del(one, "created_at");
        json_object_del(one, "last_modified");
        json_object_set_new(by, json_string_value(json_object_get(node, "node_id")), one);
    }
    return by;
}

static void keep_sequence(struct service *service, struct store *store, const char *sid,
                          const char *node_id, struct error *err)
{
    struct buf BUF_AUTO name = {0}, key BUF_AUTO = {0};

    resource_name(&name, RESOURCE_COMPONENTS, node_id);
    name_of(&key, sid, name.data);
    json_object_set_new(service->states, key.data,
                        mirror_entity(store, MIRROR_ENTITY_SEQUENCE, sid, node_id, err));
}

static void state_note_fresh(struct service *service, const struct service_resource *resource)
{
    struct buf BUF_AUTO key = {0};

    name_of(&key, resource->sid, resource->name.data);
    json_object_set_new(service->fresh, key.data, json_true());
}

static int state_note(struct service *service, struct store *store,
                      const struct service_resource *resource, struct error *err)
{
    struct buf BUF_AUTO key = {0};
    const char *node_id;
    json_t *components;

    state_note_fresh(service, resource);
    name_of(&key, resource->sid, resource->name.data);
    if (!resource->content)
        return 0;
    switch (resource->kind) {
    case RESOURCE_NODES:
        return json_object_set_new(service->states, key.data, by_id(resource->content));
    case RESOURCE_RELATIONSHIPS:
        return json_object_set_new(service->states, key.data,
                                   mirror_relationship_states(store, resource->sid, err));
    case RESOURCE_NODE_MAP:
    case RESOURCE_TEXTS:
        return json_object_set(service->states, key.data, resource->content);
    case RESOURCE_COMPONENTS:
        keep_sequence(service, store, resource->sid, resource->node_id, err);
        return 0;
    case RESOURCE_BULK:
        json_object_foreach(resource->content, node_id, components)
            keep_sequence(service, store, resource->sid, node_id, err);
        return 0;
    default:
        return 0;
    }
}

static struct store *store_before(struct service *service, struct error *err)
{
    if (!service->before)
        service->before = store_open_path(&sqlite_backend, service->mirror_path, STORE_READ, err);
    return service->before;
}

/* A node of a list that was read within the transaction, with its texts, which the list does not
 * have: those that were read within it too, or those of the mirror before. */
static json_t *with_texts(struct service *service, const char *sid, const char *node_id,
                          const json_t *node, struct error *err)
{
    struct buf BUF_AUTO name = {0}, key BUF_AUTO = {0};
    json_auto_t *was = NULL;
    const json_t *texts;
    struct store *store;
    json_t *whole;

    resource_name(&name, RESOURCE_TEXTS, node_id);
    name_of(&key, sid, name.data);
    texts = json_object_get(service->states, key.data);
    if (!texts) {
        store = store_before(service, err);
        was = store ? mirror_entity(store, MIRROR_ENTITY_NODE, sid, node_id, err) : NULL;
        if (!was)
            return NULL;
        texts = was;
    }
    whole = json_copy((json_t *)node);
    for (size_t i = 0; whole && entity_categories[i]; i++) {
        json_t *text = json_object_get(texts, entity_categories[i]);

        if (json_string_length(text) > 0)
            json_object_set(whole, entity_categories[i], text);
    }
    return whole;
}

json_t *service_entity(struct service *service, enum mirror_entity kind, const char *sid,
                       const char *id, struct error *err)
{
    static const enum resource_kind sources[] = {[MIRROR_ENTITY_NODE] = RESOURCE_NODES,
                                                 [MIRROR_ENTITY_SEQUENCE] = RESOURCE_COMPONENTS,
                                                 [MIRROR_ENTITY_RELATIONSHIP] =
                                                     RESOURCE_RELATIONSHIPS,
                                                 [MIRROR_ENTITY_TITLE] = RESOURCE_SESSION,
                                                 [MIRROR_ENTITY_MAP_ENTRY] = RESOURCE_NODE_MAP};
    bool alone = kind == MIRROR_ENTITY_SEQUENCE; /* noted by itself, not in a list */
    struct buf BUF_AUTO name = {0}, key BUF_AUTO = {0};
    json_t *noted, *one;
    struct store *store;

    resource_name(&name, sources[kind], alone ? id : NULL);
    name_of(&key, sid, name.data);
    noted = json_object_get(service->states, key.data);
    if (noted) { /* it was read within the transaction */
        one = alone ? noted : json_object_get(noted, id);
        if (one && kind == MIRROR_ENTITY_NODE)
            return with_texts(service, sid, id, one, err);
        return one ? json_incref(one) : json_null();
    }
    store = store_before(service, err);
    return store ? mirror_entity(store, kind, sid, id, err) : NULL;
}

/* ---- asking ---- */

static void sum(const char *bytes, size_t len, char to[64])
{
    snprintf(to, 64, "%016" PRIx64 "-%zu", hash_bytes(HASH_START, bytes, len), len);
}

/* What this transaction has changed is not at the service yet: reading it would undo it here. 1: it
 * stays as it is. */
static int is_ours(struct service *service, struct store *store, enum resource_kind kind,
                   const char *sid, const char *node_id, struct error *err)
{
    static const char *const sets[] = {[RESOURCE_SESSION] = "",
                                       [RESOURCE_NODES] = "nodes",
                                       [RESOURCE_RELATIONSHIPS] = "relationships",
                                       [RESOURCE_TEXTS] = "nodes",
                                       [RESOURCE_COMPONENTS] = "sequences",
                                       [RESOURCE_BULK] = "sequences",
                                       [RESOURCE_NODE_MAP] = NODE_MAP_NAME};
    json_auto_t *touched = mirror_touched(store, err), *before = NULL;
    const json_t *session = json_object_get(touched, sid);
    const json_t *set = json_object_get(session, sets[kind]);

    if (!touched)
        return -1;
    if (node_id ? json_object_get(set, node_id) != NULL : json_object_size(set) > 0)
        return 1;
    if (!node_id || !json_object_get(json_object_get(session, "nodes"), node_id))
        return 0;
    before = service_entity(service, MIRROR_ENTITY_NODE, sid, node_id, err);
    return before ? json_is_null(before) : -1; /* a new one */
}

int resources_add(struct service *service, struct store *store, struct resources *resources,
                  enum resource_kind kind, const char *sid, const char *node_id, struct error *err)
{
    struct service_resource *one;
    struct buf BUF_AUTO seen = {0}, name BUF_AUTO = {0};
    const char *etag;
    int known, ours = 0;

    resource_name(&name, kind, node_id);
    if ((store->open.depth > 0 || store->reading || store_is_suspended(store)) &&
        state_is_fresh(service, sid, name.data))
        return 0;
    if (store->open.depth > 0)
        ours = is_ours(service, store, kind, sid, node_id, err);
    if (ours != 0)
        return ours < 0 ? -1 : 0;
    if (!ARRAY_ROOM(resources->list, resources->count))
        return error_set(err, ERROR_MEMORY, "out of memory for a read of the service");
    one = &resources->list[resources->count++];
    memset(one, 0, sizeof *one);
    one->kind = kind;
    text_cut(one->sid, sizeof one->sid, sid);
    resource_name(&one->name, kind, node_id);
    one->node_id = node_id ? strdup(node_id) : NULL;
    if (node_id && !one->node_id)
        return error_set(err, ERROR_MEMORY, "out of memory for a read of the service");
    known = mirror_name(store, sid, MIRROR_NAME_SEEN, one->name.data, &seen, err);
    if (known < 0)
        return -1;
    one->filled = known > 0;
    snprintf(one->seen, sizeof one->seen, "%s", seen.data ? seen.data : "");
    etag = strchr(one->seen, ' ');
    if (etag && etag[1])
        snprintf(one->match, sizeof one->match, "If-None-Match: %s", etag + 1);
    return 0;
}

void resources_finish(struct resources *resources)
{
    for (size_t i = 0; i < resources->count; i++) {
        free(resources->list[i].node_id);
        buf_finish(&resources->list[i].name);
        json_decref(resources->list[i].content);
        json_decref(resources->list[i].fields);
    }
    free(resources->list);
    memset(resources, 0, sizeof *resources);
}

/* ---- asking ---- */

static void fill_ask(struct service *service, struct service_resource *resource, struct ask *ask)
{
    const struct kind *kind = &kinds[resource->kind];

    if (resource->kind == RESOURCE_COMPONENTS) {
        service_component_path(service, &ask->path, resource->sid, resource->node_id);
        ask->sid = resource->sid;
    } else if (resource->kind == RESOURCE_TEXTS) {
        service_session_path(&ask->path, resource->sid, "/nodes/");
        http_add_escaped(&ask->path, resource->node_id);
        buf_adds(&ask->path, "/content");
    } else if (resource->kind == RESOURCE_SESSION) {
        buf_adds(&ask->path, "/session/validate/");
        http_add_escaped(&ask->path, resource->sid);
    } else {
        service_session_path(&ask->path, resource->sid, kind->path);
    }
    ask->cap = kind->cap;
    ask->match = *resource->match ? resource->match : NULL;
}

static int unknown_session(struct service *service, const char *sid, struct error *err)
{
    return error_set(err, ERROR_UNAUTHORIZED, "the service %s knows no session '%s'", service->url,
                     sid);
}

static int read_session(struct service *service, struct service_resource *resource,
                        const struct ask *ask, struct error *err)
{
    json_auto_t *answer = service_json(service, ask, err);

    if (!answer)
        return -1;
    if (json_is_false(json_object_get(answer, "valid")))
        return unknown_session(service, resource->sid, err);
    resource->content = json_true();
    return 0;
}

static int read_content(struct service *service, struct service_resource *resource,
                        const struct ask *ask, struct error *err)
{
    const struct buf *body = &ask->came.body;
    json_auto_t *answer = NULL;
    size_t len;

    sum(body->data ? body->data : "", body->len, resource->fresh);
    len = strlen(resource->fresh);
    if (strncmp(resource->fresh, resource->seen, len) == 0 &&
        (resource->seen[len] == ' ' || !resource->seen[len]))
        return 0;
    snprintf(resource->fresh + len, sizeof resource->fresh - len, " %s", ask->came.etag);
    answer = service_json(service, ask, err);
    if (!answer)
        return -1;
    resource->content = kinds[resource->kind].normal(answer);
    if (resource->kind == RESOURCE_COMPONENTS)
        resource->fields = normal_fields(answer);
    if (!resource->content)
        return service_garbage(service, ask->path.data, "something else than the contract says",
                               err);
    return 0;
}

static int read_answer(struct service *service, struct service_resource *resource,
                       const struct ask *ask, struct error *err)
{
    const struct kind *kind = &kinds[resource->kind];
    long status = ask->came.status;

    if (status == 304 && *resource->match)
        return 0;
    if (kind->lenient && (status == 404 || status == 405))
        return 0;
    if (!kind->lenient && status == 404)
        return unknown_session(service, resource->sid, err);
    if (status >= 400) {
        struct error why = {0};

        service_refused(service, ask, "the service", &why);
        if (why.kind == ERROR_UNAUTHORIZED)
            return unknown_session(service, resource->sid, err);
        if (err)
            *err = why;
        return -1;
    }
    if (status != 200)
        return service_garbage(service, ask->path.data, "a status of no use here", err);
    if (resource->kind == RESOURCE_SESSION)
        return read_session(service, resource, ask, err);
    return read_content(service, resource, ask, err);
}

int resources_fetch(struct service *service, struct resources *resources, struct error *err)
{
    struct ask *asks = calloc(resources->count + 1, sizeof *asks);
    int rc;

    if (!asks)
        return error_set(err, ERROR_MEMORY, "out of memory for a read of the service");
    for (size_t i = 0; i < resources->count; i++)
        fill_ask(service, &resources->list[i], &asks[i]);
    rc = service_ask(service, asks, resources->count, err);
    for (size_t i = 0; rc == 0 && i < resources->count; i++)
        rc = read_answer(service, &resources->list[i], &asks[i], err);
    for (size_t i = 0; i < resources->count; i++)
        ask_finish(&asks[i]);
    free(asks);
    return rc;
}

/* ---- taking in ---- */

static int forget(struct store *store, const char *sid, const char *kind, const char *node_id,
                  struct error *err)
{
    struct buf BUF_AUTO name = {0};

    buf_addf(&name, "%s:%s", kind, node_id);
    return mirror_set_name(store, sid, MIRROR_NAME_SEEN, name.data, "", err);
}

/* Nodes that were added after the first fill have no components yet: theirs are logged as
 * changes. */
static int note_new_nodes(struct store *store, const char *sid, const json_t *before,
                          struct error *err)
{
    json_auto_t *now = mirror_node_ids(store, sid, err);
    json_auto_t *old = json_object();
    json_t *id;
    size_t i;

    if (!now)
        return -1;
    json_array_foreach((json_t *)before, i, id)
        json_object_set_new(old, json_string_value(id), json_true());
    json_array_foreach(now, i, id)
    {
        if (!json_object_get(old, json_string_value(id)) &&
            forget(store, sid, kinds[RESOURCE_COMPONENTS].name, json_string_value(id), err) != 0)
            return -1;
    }
    return 0;
}

static int take_nodes(struct store *store, const struct mirror_source *source,
                      const struct service_resource *resource, struct error *err)
{
    json_auto_t *before = mirror_node_ids(store, source->sid, err);

    if (!before || mirror_nodes(store, source, resource->content, err) != 0)
        return -1;
    if (source->fill)
        return mirror_log_fill(store, source, json_array_size(resource->content), err);
    return note_new_nodes(store, source->sid, before, err);
}

static int take_part(struct store *store, const struct mirror_source *whole, const char *node_id,
                     const json_t *components, struct error *err)
{
    struct buf BUF_AUTO name = {0}, text BUF_AUTO = {0}, seen BUF_AUTO = {0}, own BUF_AUTO = {0};
    struct mirror_source source = *whole;
    char now[64];
    int known;

    buf_addf(&name, PART ":%s", node_id);
    resource_name(&own, RESOURCE_COMPONENTS, node_id);
    json_write(&text, components);
    sum(text.data, text.len, now);
    if (mirror_name(store, source.sid, MIRROR_NAME_SEEN, name.data, &seen, err) < 0)
        return -1;
    if (seen.data && strcmp(seen.data, now) == 0)
        return 0;
    known = mirror_name(store, source.sid, MIRROR_NAME_SEEN, own.data, NULL, err);
    source.fill = known == 0;
    if (known < 0 || mirror_components(store, &source, node_id, components, err) != 0 ||
        mirror_set_name(store, source.sid, MIRROR_NAME_SEEN, own.data, "", err) != 0)
        return -1;
    return mirror_set_name(store, source.sid, MIRROR_NAME_SEEN, name.data, now, err);
}

/* Taking in components set the node's time to now: the next read of the nodes says the service's.
 */
static int look_at_times_again(struct store *store, const char *sid, struct error *err)
{
    return mirror_set_name(store, sid, MIRROR_NAME_SEEN, kinds[RESOURCE_NODES].name, "", err);
}

static int take_bulk(struct store *store, const struct mirror_source *source,
                     const struct service_resource *resource, struct error *err)
{
    const char *node_id;
    json_t *components;

    json_object_foreach(resource->content, node_id, components)
    {
        if (take_part(store, source, node_id, components, err) != 0)
            return -1;
    }
    return look_at_times_again(store, source->sid, err);
}

static int take_components(struct store *store, const struct mirror_source *source,
                           const struct service_resource *resource, struct error *err)
{
    struct buf BUF_AUTO fields = {0};

    json_write(&fields, resource->fields);
    if (mirror_components(store, source, resource->node_id, resource->content, err) != 0 ||
        mirror_set_name(store, source->sid, MIRROR_NAME_FIELDS, resource->node_id, fields.data,
                        err) != 0 ||
        forget(store, source->sid, PART, resource->node_id, err) != 0 ||
        look_at_times_again(store, source->sid, err) != 0)
        return -1;
    return mirror_set_name(store, source->sid, MIRROR_NAME_SEEN, kinds[RESOURCE_BULK].name, "",
                           err);
}

static int take(struct store *store, const struct mirror_source *source,
                const struct service_resource *resource, struct error *err)
{
    switch (resource->kind) {
    case RESOURCE_SESSION:
        return 0;
    case RESOURCE_NODES:
        return take_nodes(store, source, resource, err);
    case RESOURCE_RELATIONSHIPS:
        return mirror_relationships(store, source, resource->content, err);
    case RESOURCE_TEXTS:
        return mirror_texts(store, source, resource->node_id, resource->content, err);
    case RESOURCE_COMPONENTS:
        return take_components(store, source, resource, err);
    case RESOURCE_BULK:
        return take_bulk(store, source, resource, err);
    case RESOURCE_NODE_MAP:
        return mirror_node_map(store, source, resource->content, err);
    }
    return 0;
}

static int take_all(struct service *service, struct store *store, struct resources *resources,
                    const char *change_set, struct error *err)
{
    for (size_t i = 0; i < resources->count; i++) {
        struct service_resource *resource = &resources->list[i];
        const struct mirror_source source = {resource->sid, change_set, !resource->filled};

        if (resource->content) {
            if (mirror_session(store, resource->sid, NULL, err) != 0 ||
                take(store, &source, resource, err) != 0)
                return -1;
            if (resource->kind != RESOURCE_SESSION &&
                mirror_set_name(store, resource->sid, MIRROR_NAME_SEEN, resource->name.data,
                                resource->fresh, err) != 0)
                return -1;
        }
        if (store->open.depth > 1 && state_note(service, store, resource, err) != 0)
            return -1;
    }
    return 0;
}

static bool anything_new(const struct resources *resources)
{
    for (size_t i = 0; i < resources->count; i++)
        if (resources->list[i].content)
            return true;
    return false;
}

/* In its own transaction, or within the open one. */
static int apply(struct service *service, struct store *store, struct resources *resources,
                 struct error *err)
{
    char uuid[UUID_TEXT_SIZE], change_set[sizeof MIRROR_CHANGE_SET + UUID_TEXT_SIZE];
    bool quiet = service->quiet;
    int64_t version = 0;
    int rc;

    if (text_uuid(uuid, err) < 0 || store_begin(store, err) < 0)
        return -1;
    snprintf(change_set, sizeof change_set, "%s%s", MIRROR_CHANGE_SET, uuid);
    rc = mirror_version(store, resources->list[0].sid, &version, err);
    if (rc == 0 && store->open.depth == 1 && version != resources->version)
        rc = 1;
    if (rc == 0)
        rc = take_all(service, store, resources, change_set, err);
    service->quiet = true; /* what came from there is not sent there */
    if (store_end(store, rc == 0, rc == 0 ? err : NULL) != 0 && rc == 0)
        rc = -1;
    service->quiet = quiet;
    return rc;
}

/* Not while a write to the session is under way: what came may have half of it. Who is about
 * another session, or in the middle of its write, does without instead of waiting. */
int resources_apply(struct service *service, struct store *store, struct resources *resources,
                    struct error *err)
{
    const char *sid = resources->list[0].sid;
    int rc;

    if (store->open.depth > 0)
        return apply(service, store, resources, err);
    if (service_owns(service, sid))
        return 0;
    if (anything_new(resources)) {
        rc = session_lock(service, sid, !service->passing && !store_is_suspended(store), err);
        if (rc != 0)
            return rc < 0 ? -1 : 0;
        rc = apply(service, store, resources, err);
        session_unlock(service, sid);
        if (rc != 0)
            return rc;
    }
    for (size_t i = 0; (store->reading || store_is_suspended(store)) && i < resources->count; i++)
        state_note_fresh(service, &resources->list[i]);
    return 0;
}
