/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How things stood at the service before the open transaction: as the copy has it outside of it
 * (a second connection sees that), or as it was read within it. Each thing is read once in a
 * transaction: later it would be taken for news that what this transaction changed is not there
 * yet.
 */
#include <string.h>

#include "mcp/store/copy.h"
#include "mcp/store/store_internal.h"
#include "mcp/store/upstream/remote.h"

void remote_transaction(struct remote *remote, const struct store *store)
{
    uint64_t now = copy_depth(store) > 0 ? copy_transaction(store) : 0;

    if (copy_is_suspended(store)) /* still the same */
        return;
    if (remote->transaction == now && now != 0 && remote->taken_back == copy_taken_back(store))
        return;
    remote->transaction = now;
    remote->taken_back = copy_taken_back(store);
    json_object_clear(remote->fresh);
    json_object_clear(remote->states);
}

static void name_of(struct buf *to, const char *sid, const char *name)
{
    buf_addf(to, "%s %s", sid, name);
}

bool state_is_fresh(const struct remote *remote, const char *sid, const char *name)
{
    struct buf BUF_AUTO key = {0};

    name_of(&key, sid, name);
    return json_object_get(remote->fresh, key.data) != NULL;
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

static void keep_sequence(struct remote *remote, struct store *store, const char *sid,
                          const char *node_id, struct error *err)
{
    struct buf BUF_AUTO name = {0}, key BUF_AUTO = {0};

    resource_name(&name, RESOURCE_COMPONENTS, node_id);
    name_of(&key, sid, name.data);
    json_object_set_new(remote->states, key.data, copy_sequence(store, sid, node_id, err));
}

void state_note_fresh(struct remote *remote, const struct resource *resource)
{
    struct buf BUF_AUTO key = {0};

    name_of(&key, resource->sid, resource->name.data);
    json_object_set_new(remote->fresh, key.data, json_true());
}

int state_note(struct remote *remote, struct store *store, const struct resource *resource,
               struct error *err)
{
    struct buf BUF_AUTO key = {0};
    const char *node_id;
    json_t *components;

    state_note_fresh(remote, resource);
    name_of(&key, resource->sid, resource->name.data);
    if (!resource->content)
        return 0;
    switch (resource->kind) {
    case RESOURCE_NODES:
        return json_object_set_new(remote->states, key.data, by_id(resource->content));
    case RESOURCE_RELATIONSHIPS:
        return json_object_set_new(remote->states, key.data,
                                   copy_relationship_states(store, resource->sid, err));
    case RESOURCE_POSITIONS:
        return json_object_set(remote->states, key.data, resource->content);
    case RESOURCE_COMPONENTS:
        keep_sequence(remote, store, resource->sid, resource->node_id, err);
        return 0;
    case RESOURCE_BULK:
        json_object_foreach(resource->content, node_id, components)
            keep_sequence(remote, store, resource->sid, node_id, err);
        return 0;
    default:
        return 0;
    }
}

static struct store *before(struct remote *remote, struct error *err)
{
    if (!remote->before)
        remote->before = store_open_file(remote->copy, STORE_READ, err);
    return remote->before;
}

/* What was read within the transaction; NULL where nothing was. Borrowed. */
static const json_t *noted(const struct remote *remote, const char *sid, enum resource_kind kind,
                           const char *node_id)
{
    struct buf BUF_AUTO name = {0}, key BUF_AUTO = {0};

    resource_name(&name, kind, node_id);
    name_of(&key, sid, name.data);
    return json_object_get(remote->states, key.data);
}

static json_t *member(const json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);

    return value ? json_incref(value) : json_null();
}

json_t *state_node(struct remote *remote, const char *sid, const char *node_id, struct error *err)
{
    const json_t *nodes = noted(remote, sid, RESOURCE_NODES, NULL);
    struct store *store;

    if (nodes)
        return member(nodes, node_id);
    store = before(remote, err);
    return store ? copy_node(store, sid, node_id, err) : NULL;
}

json_t *state_sequence(struct remote *remote, const char *sid, const char *node_id,
                       struct error *err)
{
    const json_t *sequence = noted(remote, sid, RESOURCE_COMPONENTS, node_id);
    struct store *store;

    if (sequence)
        return json_incref((json_t *)sequence);
    store = before(remote, err);
    return store ? copy_sequence(store, sid, node_id, err) : NULL;
}

json_t *state_relationship(struct remote *remote, const char *sid, const char *id,
                           struct error *err)
{
    const json_t *all = noted(remote, sid, RESOURCE_RELATIONSHIPS, NULL);
    struct store *store;

    if (all)
        return member(json_object_get(all, id), "body");
    store = before(remote, err);
    return store ? copy_relationship(store, sid, id, err) : NULL;
}

json_t *state_title(struct remote *remote, const char *sid, struct error *err)
{
    struct store *store = before(remote, err);

    return store ? copy_title(store, sid, err) : NULL;
}

json_t *state_position(struct remote *remote, const char *sid, const char *node_id,
                       struct error *err)
{
    const json_t *all = noted(remote, sid, RESOURCE_POSITIONS, NULL);
    struct store *store;

    if (all)
        return member(all, node_id);
    store = before(remote, err);
    return store ? copy_position(store, sid, node_id, err) : NULL;
}
