/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Applies the state of the service to the mirror. A key that the service does not send is kept; one
 * that it sends as null is removed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/cleanup.h"
#include "helpers/base/json.h"
#include "mcp/curriculum/entity.h"
#include "mcp/curriculum/json_difference.h"
#include "mcp/mirror/apply.h"
#include "mcp/store/store_internal.h"

#define NOBODY ((size_t)-1)

struct node_times {
    const char *created_at, *last_modified; /* or NULL */
};

/* The object without its times, which the row has in columns; a new reference. */
static json_t *take_times(const json_t *theirs, struct node_times *times)
{
    json_t *node = json_copy((json_t *)theirs);

    times->created_at = json_get_string(theirs, "created_at");
    times->last_modified = json_get_string(theirs, "last_modified");
    json_object_del(node, "created_at");
    json_object_del(node, "last_modified");
    return node;
}

/* One write of what the service says. */
struct taking {
    struct store *store;
    struct write write;
    bool changed;
};

static int begin(struct taking *taking, struct store *store, const struct mirror_source *source,
                 struct error *err)
{
    const struct writer writer = {.who = MIRROR_WHO, .change_set = source->change_set};

    *taking = (struct taking){.store = store};
    if (store_write_begin(store, &writer, source->sid, &taking->write, err) < 0)
        return -1;
    taking->write.silent = source->fill;
    return 0;
}

static int end(struct taking *taking, int rc, struct error *err)
{
    taking->write.counts = taking->changed;
    return store_write_end(taking->store, &taking->write, rc, err);
}

static int set_times(struct store *store, int64_t key, const struct node_times *times,
                     struct error *err)
{
    return db_run(store->db, err, SQL_MIRROR_NODE_TIMES, "iss", key, times->created_at,
                  times->last_modified);
}

static int insert_node(struct store *store, const struct write *write, int64_t place,
                       const json_t *theirs, struct error *err)
{
    struct node_times times;
    json_auto_t *node = take_times(theirs, &times);
    struct node_new new = {.place = place,
                           .revision = 1,
                           .flags = ROW_NODE_COMPONENTS | ROW_NODE_TIMES,
                           .created_at = times.created_at,
                           .last_modified = times.last_modified};
    struct buf BUF_AUTO body = {0};

    return store_node_add(store, write, &new, node, &body, err);
}

/* What ours becomes by theirs; *news: something that ours had is otherwise now; *more: theirs has
 * what ours had not. */
static json_t *merged(const json_t *ours, const json_t *theirs, bool *news, bool *more)
{
    json_t *after = json_copy((json_t *)ours);
    const char *key;
    json_t *value;

    *news = *more = false;
    json_object_foreach((json_t *)theirs, key, value)
    {
        json_t *old = json_object_get(ours, key);
        bool empty = json_is_null(value) || (json_is_string(value) && !json_string_length(value));
        bool was_empty =
            !old || json_is_null(old) || (json_is_string(old) && !json_string_length(old));

        if ((empty && was_empty) || json_equivalent(old, value))
            continue;
        if (old)
            *news = true;
        else
            *more = true;
        if (json_is_null(value))
            json_object_del(after, key);
        else
            json_object_set(after, key, value);
    }
    return after;
}

static int update_node(struct taking *taking, const struct node_found *found, const json_t *theirs,
                       struct error *err)
{
    struct store *store = taking->store;
    struct write *write = &taking->write;
    struct buf BUF_AUTO adopt = {0};
    struct node_times times;
    json_auto_t *given = take_times(theirs, &times);
    json_auto_t *before = NULL, *after = NULL;
    bool news, more, silent = write->silent;
    unsigned flags;
    int rc, adopted;

    before = store_node_load(store, found->key, &flags, err);
    if (!before)
        return -1;
    after = merged(before, given, &news, &more);
    if (!news && !more)
        return set_times(store, found->key, &times, err);
    taking->changed = true;
    buf_addf(&adopt, "node:%s", json_get_string(theirs, "node_id"));
    adopted = mirror_name(store, write->sid, MIRROR_NAME_ADOPT, adopt.data, NULL, err);
    if (adopted < 0)
        return -1;
    write->silent = silent || (adopted > 0 && !news);
    rc = store_node_save(store, write, found->key, before, after, flags, err);
    write->silent = silent;
    if (rc == 0 && adopted > 0)
        rc = mirror_set_name(store, write->sid, MIRROR_NAME_ADOPT, adopt.data, NULL, err);
    return rc == 0 ? set_times(store, found->key, &times, err) : -1;
}

/* here: {node_id: false} of all that are here. */
static int take_nodes(struct taking *taking, const json_t *theirs, json_t *here, struct error *err)
{
    struct store *store = taking->store;
    const char *node_id;
    int64_t place = 0;
    json_t *node, *seen;
    size_t i;

    if (db_number(store->db, &place, err, SQL_NODE_LAST_PLACE, "i", taking->write.session) != 0)
        return -1;
    json_array_foreach(theirs, i, node)
    {
        struct node_found found;

        node_id = json_get_string(node, "node_id");
        if (json_object_get(here, node_id)) {
            if (store_node_find(store, taking->write.session, node_id, &found, err) < 0 ||
                update_node(taking, &found, node, err) != 0)
                return -1;
        } else {
            taking->changed = true;
            if (insert_node(store, &taking->write, ++place, node, err) != 0)
                return -1;
        }
        json_object_set_new(here, node_id, json_true());
    }
    json_object_foreach(here, node_id, seen)
    {
        if (json_is_true(seen))
            continue;
        taking->changed = true;
        if (store_node_remove(store, &taking->write, node_id, err) != 0)
            return -1;
    }
    return 0;
}

int mirror_nodes(struct store *store, const struct mirror_source *source, const json_t *theirs,
                 struct error *err)
{
    json_auto_t *ids = mirror_node_ids(store, source->sid, err);
    json_auto_t *here = json_object();
    struct taking taking;
    json_t *id;
    size_t i;

    if (!ids || begin(&taking, store, source, err) < 0)
        return -1;
    json_array_foreach(ids, i, id) json_object_set_new(here, json_string_value(id), json_false());
    return end(&taking, take_nodes(&taking, theirs, here, err), err);
}

static int take_texts(struct taking *taking, const char *node_id, const json_t *theirs,
                      struct error *err)
{
    json_auto_t *before = NULL, *after = NULL;
    struct node_found node;
    unsigned flags;
    bool news, more;

    if (store_node_find(taking->store, taking->write.session, node_id, &node, err) < 0)
        return -1;
    before = store_node_load(taking->store, node.key, &flags, err);
    if (!before)
        return -1;
    after = merged(before, theirs, &news, &more);
    taking->changed = news || more;
    return taking->changed
               ? store_node_save(taking->store, &taking->write, node.key, before, after, flags, err)
               : 0;
}

int mirror_texts(struct store *store, const struct mirror_source *source, const char *node_id,
                 const json_t *theirs, struct error *err)
{
    struct taking taking;

    if (begin(&taking, store, source, err) < 0)
        return -1;
    return end(&taking, take_texts(&taking, node_id, theirs, err), err);
}

/* ---- components. The service may know no ids, so they are matched: first what is equal, then
 * what is at the same place with the same type. A match keeps its id and revision. ---- */

static json_t *bare(const json_t *component)
{
    static const char *const keys[] = {"order", "order_index", "component_id", "revision"};
    json_t *copy = json_copy((json_t *)component);

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        json_object_del(copy, keys[i]);
    return copy;
}

/* Theirs with what ours has beside it; a new reference. */
static json_t *beside(const json_t *theirs, const json_t *ours)
{
    json_t *whole = json_copy((json_t *)theirs);
    json_auto_t *rest = bare(ours);

    json_object_del(rest, "parameters");
    json_object_update_missing(whole, rest);
    return whole;
}

static bool equal(const json_t *theirs, const json_t *ours)
{
    json_auto_t *whole = beside(theirs, ours);
    json_auto_t *old = bare(ours);

    return json_equivalent(whole, old);
}

static bool same_type(const json_t *theirs, const json_t *ours)
{
    const char *one = entity_component_type(theirs), *other = entity_component_type(ours);

    return one && other && strcmp(one, other) == 0;
}

/* count: of theirs. partner[i]: the index in ours of theirs' i-th. taken: by index in ours. */
static void match(const json_t *theirs, size_t count, const struct sequence *ours, size_t *partner,
                  bool *taken)
{
    for (size_t i = 0; i < count; i++) {
        /* If nothing moved, the partner has the same index: no search. */
        for (size_t n = 0; partner[i] == NOBODY && n < ours->count; n++) {
            size_t at = (i + n) % ours->count;

            if (!taken[at] && item_is_component(&ours->items[at]) &&
                equal(json_array_get(theirs, i), ours->items[at].content)) {
                partner[i] = at;
                taken[at] = true;
            }
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (partner[i] == NOBODY && i < ours->count && !taken[i] &&
            item_is_component(&ours->items[i]) &&
            same_type(json_array_get(theirs, i), ours->items[i].content)) {
            partner[i] = i;
            taken[i] = true;
        }
    }
}

/* What the replacing is to write; *news: anything at all; *changed: more than keys that the service
 * added. */
static int fill_given(const json_t *theirs, const struct sequence *ours, struct given *given,
                      bool *news, bool *changed, struct error *err)
{
    size_t count = json_array_size(theirs);
    cleanup_free size_t *partner = malloc((count + 1) * sizeof *partner);
    cleanup_free bool *taken = calloc(ours->count + 1, sizeof *taken);

    if (!partner || !taken)
        return error_set(err, ERROR_MEMORY, "out of memory for a node's components");
    for (size_t i = 0; i < count; i++)
        partner[i] = NOBODY;
    match(theirs, count, ours, partner, taken);
    *changed = count != ours->components;
    *news = *changed;
    for (size_t i = 0; i < count; i++) {
        const struct sequence_item *item = partner[i] == NOBODY ? NULL : &ours->items[partner[i]];
        const json_t *one = json_array_get(theirs, i);

        given[i].order = (double)i + 1;
        given[i].place = i;
        given[i].component_id = item ? item->component_id : NULL;
        if (!item || partner[i] != i)
            *news = *changed = true;
        if (item && equal(one, item->content)) {
            given[i].component = bare(item->content);
            continue;
        }
        *news = true;
        if (!item) {
            given[i].component = json_copy((json_t *)one);
            continue;
        }
        given[i].component = beside(one, item->content);
        *changed = *changed || !json_equivalent(json_object_get(one, "parameters"),
                                                json_object_get(item->content, "parameters"));
    }
    return 0;
}

/* Theirs is put in order: the list may not be sorted. */
static int by_order(const void *a, const void *b)
{
    const json_t *one = *(json_t *const *)a, *other = *(json_t *const *)b;
    double left = json_number_value(json_object_get(one, "order"));
    double right = json_number_value(json_object_get(other, "order"));

    return left < right ? -1 : left > right;
}

static json_t *sorted(const json_t *theirs)
{
    size_t count = json_array_size(theirs);
    json_t **list = calloc(count + 1, sizeof(json_t *));
    json_t *result = json_array();

    for (size_t i = 0; list && i < count; i++)
        list[i] = json_array_get(theirs, i);
    if (list)
        qsort(list, count, sizeof(json_t *), by_order);
    for (size_t i = 0; list && i < count; i++)
        json_array_append_new(result, bare(list[i]));
    free(list);
    return result;
}

struct matching {
    const json_t *list;
    struct given *given;
    bool fill, adopt, news;
};

static int take(struct store *store, struct component_write *work, struct matching *taking,
                struct error *err)
{
    bool changed = false;

    if (fill_given(taking->list, &work->sequence, taking->given, &taking->news, &changed, err) < 0)
        return -1;
    work->write.silent = taking->fill || (taking->adopt && !changed);
    if (!taking->news)
        return 0;
    return sequence_replace(store, work, taking->given, json_array_size(taking->list), err);
}

/* Ignores an unknown node. */
static int take_into(struct store *store, const struct mirror_source *source, const char *node_id,
                     struct matching *taking, struct error *err)
{
    const struct writer writer = {.who = MIRROR_WHO, .change_set = source->change_set};
    struct component_write work;
    struct error why = {0};
    int rc;

    if (store_component_write_begin(store, &writer, source->sid, node_id, true, &work, &why) != 0) {
        if (why.kind == ERROR_NOT_FOUND)
            return 0;
        if (err)
            *err = why;
        return -1;
    }
    rc = take(store, &work, taking, err);
    if (rc != 0 || taking->news)
        return store_component_write_end(store, &work, rc, err);
    sequence_finish(&work.sequence);
    return store_end(store, true, err); /* the session's version stays */
}

int mirror_components(struct store *store, const struct mirror_source *source, const char *node_id,
                      const json_t *theirs, struct error *err)
{
    json_auto_t *list = sorted(theirs);
    struct matching taking = {.list = list, .fill = source->fill};
    struct buf BUF_AUTO adopt = {0};
    int rc = -1, adopted;

    taking.given = calloc(json_array_size(list) + 1, sizeof *taking.given);
    if (!taking.given)
        return error_set(err, ERROR_MEMORY, "out of memory for a node's components");
    buf_init(&adopt, 0);
    buf_addf(&adopt, "sequence:%s", node_id);
    adopted = mirror_name(store, source->sid, MIRROR_NAME_ADOPT, adopt.data, NULL, err);
    taking.adopt = adopted > 0;
    if (adopted >= 0)
        rc = take_into(store, source, node_id, &taking, err);
    if (rc == 0 && adopted > 0)
        rc = mirror_set_name(store, source->sid, MIRROR_NAME_ADOPT, adopt.data, NULL, err);
    for (size_t i = 0; i < json_array_size(list); i++)
        json_decref(taking.given[i].component);
    free(taking.given);
    return rc;
}

/* ---- relationships and the node map. A relationship is the same one if its id is, else if both
 * ends and the type are. ---- */

/* {key: {"body", "place", "theirs", "name"}} of what is here, in its order. */
static json_t *read_here(struct store *store, int64_t session, struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_MIRROR_RELATIONSHIPS, "i", session);
    json_t *here = json_object();
    int row = -1;

    if (!rows)
        goto out;
    while ((row = rows_next(rows, err)) > 0) {
        struct row_text text = rows_string(rows, 1);
        json_t *body = json_read(text.text, text.len, "a kept relationship", err);
        const char *theirs = rows_text(rows, 6);
        char key[32];

        if (!body) {
            row = -1;
            break;
        }
        snprintf(key, sizeof key, "%" PRId64, rows_int(rows, 0));
        json_object_set_new(here, key,
                            json_pack("{s:o, s:I, s:s*}", "body", body, "place",
                                      (json_int_t)rows_int(rows, 2), "theirs", theirs));
    }
    rows_end(rows);
out:
    if (row == 0)
        return here;
    json_decref(here);
    return NULL;
}

static bool same_ends(const json_t *one, const json_t *other)
{
    static const char *const keys[] = {"from_node_id", "to_node_id", "relationship_type"};

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (!json_equivalent(json_object_get(one, keys[i]), json_object_get(other, keys[i])))
            return false;
    return true;
}

/* The name under which the lists below find it: its ends and type. */
static void name_ends(const json_t *relationship, struct buf *name)
{
    buf_addf(name, "%s|%s|%s", json_get_string(relationship, "from_node_id"),
             json_get_string(relationship, "to_node_id"),
             json_get_string(relationship, "relationship_type"));
}

static json_t *index_by_ends(const json_t *here)
{
    json_t *index = json_object();
    const char *key;
    json_t *one;

    json_object_foreach((json_t *)here, key, one)
    {
        struct buf BUF_AUTO name = {0};
        json_t *keys;

        name_ends(json_object_get(one, "body"), &name);
        keys = json_object_get(index, name.data);
        if (!keys) {
            keys = json_array();
            json_object_set_new(index, name.data, keys);
        }
        json_array_append_new(keys, json_string(key));
    }
    return index;
}

/* The local key of their relationship; NULL if it is new. */
static const char *find(const json_t *here, const json_t *index, const json_t *by_theirs,
                        const json_t *theirs, const char *id)
{
    struct buf BUF_AUTO name = {0};
    const json_t *keys;
    json_t *key;
    size_t i;

    if (id && json_get_string(by_theirs, id))
        return json_get_string(by_theirs, id);
    name_ends(theirs, &name);
    keys = json_object_get(index, name.data);
    json_array_foreach(keys, i, key)
    {
        const json_t *one = json_object_get(here, json_string_value(key));

        if (one && !json_object_get(one, "seen") && (!id || !json_get_string(one, "theirs")) &&
            same_ends(json_object_get(one, "body"), theirs))
            return json_string_value(key);
    }
    return NULL;
}

static int insert_relationship(struct taking *taking, const json_t *theirs, char key[32],
                               struct error *err)
{
    int64_t made;

    taking->changed = true;
    if (store_relationship_insert(taking->store, &taking->write, theirs, &made, err) != 0)
        return -1;
    snprintf(key, 32, "%" PRId64, made);
    return 0;
}

static int update_relationship(struct taking *taking, const char *key, const json_t *one,
                               const json_t *theirs, struct error *err)
{
    json_t *ours = json_object_get(one, "body");
    json_auto_t *after = json_copy(ours);
    const char *name;
    json_t *value;

    json_object_foreach((json_t *)theirs, name, value)
    {
        /* The times differ by the network delay; the first one is kept. */
        if (strcmp(name, "created_at") == 0 && json_object_get(ours, name))
            continue;
        if (json_equivalent(json_object_get(ours, name), value) ||
            (json_is_null(value) && json_string_length(json_object_get(ours, name)) == 0))
            continue;
        json_object_set(after, name, value);
    }
    if (json_equal(ours, after))
        return 0;
    taking->changed = true;
    return store_relationship_save(taking->store, &taking->write, strtoll(key, NULL, 10),
                                   json_integer_value(json_object_get(one, "place")), ours, after,
                                   err);
}

static int remove_one(struct taking *taking, const char *key, const json_t *one, struct error *err)
{
    taking->changed = true;
    if (mirror_set_name(taking->store, taking->write.sid, MIRROR_NAME_RELATIONSHIP, key, NULL,
                        err) != 0)
        return -1;
    return store_relationship_drop(taking->store, &taking->write, strtoll(key, NULL, 10),
                                   json_integer_value(json_object_get(one, "place")),
                                   json_object_get(one, "body"), err);
}

static json_t *index_by_theirs(const json_t *here)
{
    json_t *index = json_object();
    const char *key;
    json_t *one;

    json_object_foreach((json_t *)here, key, one)
    {
        const char *theirs = json_get_string(one, "theirs");

        if (theirs)
            json_object_set_new(index, theirs, json_string(key));
    }
    return index;
}

static int take_relationships(struct taking *taking, json_t *here, const json_t *list,
                              struct error *err)
{
    json_auto_t *by_ends = index_by_ends(here), *by_theirs = index_by_theirs(here);
    const char *key;
    json_t *entry, *one;
    size_t i;

    json_array_foreach(list, i, entry)
    {
        json_auto_t *theirs = json_copy(entry);
        const char *id = json_get_string(entry, "id"), *ours;
        char made[32];

        ours = find(here, by_ends, by_theirs, theirs, id);
        json_object_del(theirs, "id");
        if (!ours) {
            if (insert_relationship(taking, theirs, made, err) < 0)
                return -1;
            ours = made;
        } else {
            one = json_object_get(here, ours);
            json_object_set_new(one, "seen", json_true());
            if (update_relationship(taking, ours, one, theirs, err) != 0)
                return -1;
            if (id && json_get_string(one, "theirs"))
                continue;
        }
        if (id && mirror_set_name(taking->store, taking->write.sid, MIRROR_NAME_RELATIONSHIP, ours,
                                  id, err) != 0)
            return -1;
    }
    json_object_foreach(here, key, one)
    {
        if (!json_object_get(one, "seen") && remove_one(taking, key, one, err) != 0)
            return -1;
    }
    return 0;
}

int mirror_relationships(struct store *store, const struct mirror_source *source,
                         const json_t *theirs, struct error *err)
{
    json_auto_t *here = NULL;
    struct taking taking;

    if (begin(&taking, store, source, err) < 0)
        return -1;
    here = read_here(taking.store, taking.write.session, err);
    return end(&taking, here ? take_relationships(&taking, here, theirs, err) : -1, err);
}

json_t *mirror_relationship_states(struct store *store, const char *sid, struct error *err)
{
    json_auto_t *here = NULL;
    struct session_found session;
    const char *id;
    json_t *one, *states;

    if (store_session_find(store, sid, &session, err) == 0)
        here = read_here(store, session.key, err);
    states = here ? json_object() : NULL;
    json_object_foreach(here, id, one) json_object_set(states, id, json_object_get(one, "body"));
    return states;
}

/* ---- the map of the nodes ---- */

static int take_node_map(struct taking *taking, const json_t *here, const json_t *theirs,
                         struct error *err)
{
    const char *node_id;
    json_t *value;

    json_object_foreach((json_t *)theirs, node_id, value)
    {
        if (!json_is_object(value) || json_equivalent(json_object_get(here, node_id), value))
            continue;
        taking->changed = true;
        if (store_node_map_put(taking->store, &taking->write, node_id, value, err) != 0)
            return -1;
    }
    json_object_foreach((json_t *)here, node_id, value)
    {
        if (json_is_object(json_object_get(theirs, node_id)))
            continue;
        taking->changed = true;
        if (store_node_map_put(taking->store, &taking->write, node_id, NULL, err) != 0)
            return -1;
    }
    return 0;
}

int mirror_node_map(struct store *store, const struct mirror_source *source, const json_t *theirs,
                    struct error *err)
{
    json_auto_t *here = NULL;
    struct taking taking;

    if (begin(&taking, store, source, err) < 0)
        return -1;
    here = mirror_node_map_read(taking.store, source->sid, err);
    return end(&taking, here ? take_node_map(&taking, here, theirs, err) : -1, err);
}
