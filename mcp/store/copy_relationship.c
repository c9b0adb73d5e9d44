/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Relationships and canvas positions as the service has them, into the copy. A relationship is the
 * same one where its id is, else where both ends and the type are.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/session/json_equivalent.h"
#include "mcp/store/copy.h"
#include "mcp/store/store_internal.h"

struct taking {
    struct store *store;
    struct write write;
    bool changed;
};

/* {key: {"body", "place", "theirs", "name"}} of what is here, in its order. */
static json_t *read_here(struct store *store, int64_t session, struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_COPY_RELATIONSHIPS, "i", session);
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
static json_t *index_by_ends(const json_t *here)
{
    json_t *index = json_object();
    const char *key;
    json_t *one;

    json_object_foreach((json_t *)here, key, one)
    {
        struct buf name BUF_AUTO = {0};
        const json_t *body = json_object_get(one, "body");
        json_t *keys;

        buf_init(&name, 0);
        buf_addf(&name, "%s|%s|%s", json_get_string(body, "from_node_id"),
                 json_get_string(body, "to_node_id"), json_get_string(body, "relationship_type"));
        keys = json_object_get(index, name.data);
        if (!keys) {
            keys = json_array();
            json_object_set_new(index, name.data, keys);
        }
        json_array_append_new(keys, json_string(key));
    }
    return index;
}

/* The key of ours that theirs is; NULL where it is new. */
static const char *find(const json_t *here, const json_t *index, const json_t *by_theirs,
                        const json_t *theirs, const char *id)
{
    struct buf name BUF_AUTO = {0};
    const json_t *keys;
    json_t *key;
    size_t i;

    if (id && json_get_string(by_theirs, id))
        return json_get_string(by_theirs, id);
    buf_init(&name, 0);
    buf_addf(&name, "%s|%s|%s", json_get_string(theirs, "from_node_id"),
             json_get_string(theirs, "to_node_id"), json_get_string(theirs, "relationship_type"));
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

static int insert(struct taking *taking, const json_t *theirs, char key[32], struct error *err)
{
    int64_t made;

    taking->changed = true;
    if (store_relationship_insert(taking->store, &taking->write, theirs, &made, err) != 0)
        return -1;
    snprintf(key, 32, "%" PRId64, made);
    return 0;
}

static int update(struct taking *taking, const char *key, const json_t *one, const json_t *theirs,
                  struct error *err)
{
    json_t *ours = json_object_get(one, "body");
    json_auto_t *after = json_copy(ours);
    const char *name;
    json_t *value;

    json_object_foreach((json_t *)theirs, name, value)
    {
        /* The moment differs by the way between us; the first one told stays. */
        if (!strcmp(name, "created_at") && json_object_get(ours, name))
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
    if (copy_set_name(taking->store, taking->write.sid, COPY_RELATIONSHIP, key, NULL, err) != 0)
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

static int take_all(struct taking *taking, json_t *here, const json_t *list, struct error *err)
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
            if (insert(taking, theirs, made, err) != 0)
                return -1;
            ours = made;
        } else {
            one = json_object_get(here, ours);
            json_object_set_new(one, "seen", json_true());
            if (update(taking, ours, one, theirs, err) != 0)
                return -1;
            if (id && json_get_string(one, "theirs"))
                continue;
        }
        if (id &&
            copy_set_name(taking->store, taking->write.sid, COPY_RELATIONSHIP, ours, id, err) != 0)
            return -1;
    }
    json_object_foreach(here, key, one)
    {
        if (!json_object_get(one, "seen") && remove_one(taking, key, one, err) != 0)
            return -1;
    }
    return 0;
}

/* Where nothing changed the session's version stays. */
static int end(struct taking *taking, int rc, struct error *err)
{
    if (rc == 0 && !taking->changed)
        return store_end(taking->store, true, err);
    return store_write_end(taking->store, &taking->write, rc, err);
}

static int begin(struct taking *taking, struct store *store, const struct copy_source *source,
                 struct error *err)
{
    const struct writer writer = {.who = COPY_WHO, .change_set = source->change_set};

    *taking = (struct taking){.store = store};
    if (store_write_begin(taking->store, &writer, source->sid, &taking->write, err) != 0)
        return -1;
    taking->write.silent = source->fill;
    return 0;
}

int copy_relationships(struct store *store, const struct copy_source *source, const json_t *theirs,
                       struct error *err)
{
    json_auto_t *here = NULL;
    struct taking taking;

    if (begin(&taking, store, source, err) != 0)
        return -1;
    here = read_here(taking.store, taking.write.session, err);
    return end(&taking, here ? take_all(&taking, here, theirs, err) : -1, err);
}

json_t *copy_relationship_states(struct store *store, const char *sid, struct error *err)
{
    struct session_found session;

    if (store_session_find(store, sid, &session, err) != 0)
        return NULL;
    return read_here(store, session.key, err);
}

/* ---- positions ---- */

static json_t *read_positions(struct store *store, const char *sid, struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_COPY_POSITIONS, "s", sid);
    json_t *here = json_object();
    int row;

    while ((row = rows_next(rows, err)) > 0) {
        struct row_text text = rows_string(rows, 1);

        json_object_set_new(here, rows_text(rows, 0),
                            json_read(text.text, text.len, "a kept position", err));
    }
    if (row == 0)
        return here;
    json_decref(here);
    return NULL;
}

static int take_positions(struct taking *taking, const json_t *here, const json_t *theirs,
                          struct error *err)
{
    const char *node_id;
    json_t *value;

    json_object_foreach((json_t *)theirs, node_id, value)
    {
        if (!json_is_object(value) || json_equivalent(json_object_get(here, node_id), value))
            continue;
        taking->changed = true;
        if (store_position_put(taking->store, &taking->write, node_id, value, err) != 0)
            return -1;
    }
    json_object_foreach((json_t *)here, node_id, value)
    {
        if (json_is_object(json_object_get(theirs, node_id)))
            continue;
        taking->changed = true;
        if (store_position_put(taking->store, &taking->write, node_id, NULL, err) != 0)
            return -1;
    }
    return 0;
}

int copy_positions(struct store *store, const struct copy_source *source, const json_t *theirs,
                   struct error *err)
{
    json_auto_t *here = NULL;
    struct taking taking;

    if (begin(&taking, store, source, err) != 0)
        return -1;
    here = read_positions(taking.store, source->sid, err);
    return end(&taking, here ? take_positions(&taking, here, theirs, err) : -1, err);
}

json_t *copy_position(struct store *store, const char *sid, const char *node_id, struct error *err)
{
    json_auto_t *all = read_positions(store, sid, err);
    json_t *one = json_object_get(all, node_id);

    if (!all)
        return NULL;
    return one ? json_incref(one) : json_null();
}
