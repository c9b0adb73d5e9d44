/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Nodes and their texts as the service has them, into the copy. A key that the service does not
 * give is kept beside it; one that it gives as null is gone.
 */
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/session/json_equivalent.h"
#include "mcp/store/copy.h"
#include "mcp/store/store_internal.h"

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

/* Where nothing changed the session's version stays. */
static int end(struct store *store, const struct write *write, bool changed, int rc,
               struct error *err)
{
    if (rc == 0 && !changed)
        return store_end(store, true, err);
    return store_write_end(store, write, rc, err);
}

static int set_times(struct store *store, int64_t key, const struct node_times *times,
                     struct error *err)
{
    return db_run(store->db, err, SQL_COPY_NODE_TIMES, "iss", key, times->created_at,
                  times->last_modified);
}

static int insert(struct store *store, const struct write *write, int64_t place,
                  const json_t *theirs, struct error *err)
{
    struct node_times times;
    json_auto_t *node = take_times(theirs, &times);

    return store_node_insert(store, write, place, node, BUF_CAP_DEFAULT, times.created_at,
                             times.last_modified, err);
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

static int update(struct store *store, struct write *write, const struct node_found *found,
                  const json_t *theirs, bool *changed, struct error *err)
{
    struct buf adopt BUF_AUTO = {0};
    struct node_times times;
    json_auto_t *given = take_times(theirs, &times);
    json_auto_t *before = NULL, *after = NULL;
    const char *node_id = json_get_string(theirs, "node_id");
    bool news, more, silent = write->silent;
    unsigned flags;
    int64_t place;
    int rc = 0, adopted;

    buf_init(&adopt, 0);
    before = store_node_load(store, found->key, &flags, &place, err);
    if (!before)
        return -1;
    after = merged(before, given, &news, &more);
    if (news || more) {
        *changed = true;
        buf_addf(&adopt, "node:%s", node_id);
        adopted = copy_name(store, write->sid, COPY_ADOPT, adopt.data, NULL, err);
        if (adopted < 0)
            return -1;
        write->silent = silent || (adopted > 0 && !news);
        rc = store_node_save(store, write, found->key, before, after, flags, err);
        write->silent = silent;
        if (rc == 0 && adopted > 0)
            rc = copy_set_name(store, write->sid, COPY_ADOPT, adopt.data, NULL, err);
    }
    return rc == 0 ? set_times(store, found->key, &times, err) : -1;
}

static int delete_missing(struct store *store, struct write *write, const json_t *here,
                          bool *changed, struct error *err)
{
    const char *node_id;
    json_t *seen;

    json_object_foreach((json_t *)here, node_id, seen)
    {
        if (json_is_true(seen))
            continue;
        *changed = true;
        if (store_node_remove(store, write, node_id, err) != 0)
            return -1;
    }
    return 0;
}

static int take_all(struct store *store, struct write *write, const json_t *theirs, json_t *here,
                    bool *changed, struct error *err)
{
    int64_t place = 0;
    json_t *node;
    size_t i;

    if (db_number(store->db, &place, err, SQL_NODE_LAST_PLACE, "i", write->session) != 0)
        return -1;
    json_array_foreach(theirs, i, node)
    {
        const char *node_id = json_get_string(node, "node_id");
        struct node_found found;
        int rc;

        if (json_object_get(here, node_id)) {
            rc = store_node_find(store, write->session, node_id, &found, err);
            if (rc == 0)
                rc = update(store, write, &found, node, changed, err);
        } else {
            *changed = true;
            rc = insert(store, write, ++place, node, err);
        }
        if (rc != 0)
            return -1;
        json_object_set_new(here, node_id, json_true());
    }
    return delete_missing(store, write, here, changed, err);
}

int copy_nodes(struct store *store, const struct copy_source *source, const json_t *theirs,
               struct error *err)
{
    const struct writer writer = {.who = COPY_WHO, .change_set = source->change_set};
    json_auto_t *ids = copy_node_ids(store, source->sid, err);
    json_auto_t *here = json_object();
    bool changed = false;
    struct write write;
    json_t *id;
    size_t i;
    int rc;

    if (!ids || store_write_begin(store, &writer, source->sid, &write, err) != 0)
        return -1;
    write.silent = source->fill;
    json_array_foreach(ids, i, id) json_object_set_new(here, json_string_value(id), json_false());
    rc = take_all(store, &write, theirs, here, &changed, err);
    return end(store, &write, changed, rc, err);
}

int copy_texts(struct store *store, const struct copy_source *source, const char *node_id,
               const json_t *theirs, struct error *err)
{
    const struct writer writer = {.who = COPY_WHO, .change_set = source->change_set};
    json_auto_t *before = NULL, *after = NULL;
    struct node_found node;
    struct write write;
    bool news = false, more = false;
    unsigned flags;
    int64_t place;
    int rc = -1;

    if (store_write_begin(store, &writer, source->sid, &write, err) != 0)
        return -1;
    write.silent = source->fill;
    if (store_node_find(store, write.session, node_id, &node, err) == 0)
        before = store_node_load(store, node.key, &flags, &place, err);
    if (before) {
        after = merged(before, theirs, &news, &more);
        rc = news || more ? store_node_save(store, &write, node.key, before, after, flags, err) : 0;
    }
    return end(store, &write, news || more, rc, err);
}
