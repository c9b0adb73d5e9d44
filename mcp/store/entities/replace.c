/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Replaces a term in all texts of a curriculum that are words (prose.h), in one write. The stored
 * bytes are searched first, so that only what may have the term is parsed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/array.h"
#include "helpers/base/json.h"
#include "mcp/curriculum/entity.h"
#include "mcp/curriculum/prose.h"
#include "mcp/store/entities/replace.h"
#include "mcp/store/store_internal.h"

#define TITLE_SAID 120 /* bytes */

struct replace_work {
    struct store *store;
    struct write write;
    const struct replacing *replacing;
    struct replaced *replaced;
    struct replaced_text at; /* the text that is looked at */
};

struct keys {
    int64_t *keys; /* owned */
    size_t count;
};

static int add_key(struct keys *keys, int64_t key, struct error *err)
{
    if (!ARRAY_ROOM(keys->keys, keys->count))
        return error_set(err, ERROR_MEMORY, "out of memory for a search");
    keys->keys[keys->count++] = key;
    return 0;
}

/* The keys of the rows whose body may have the term, or of all. Its key is in that column. */
static int find_keys(const struct replace_work *work, struct rows *rows, int column, bool all,
                     struct keys *keys, struct error *err)
{
    int row;

    while ((row = rows_next(rows, err)) > 0) {
        struct kept kept = rows_kept(rows, 0);

        if ((kept.flags & ROW_RAW) ||
            !(all || replacement_may_be_in(work->replacing->replacement, kept.body, kept.len)))
            continue;
        if (add_key(keys, rows_int(rows, column), err) < 0) {
            row = -1;
            break;
        }
    }
    rows_end(rows);
    return row;
}

/* ---- one value: its texts are looked at in a copy, and set there when all are known ---- */

struct new_text {
    const char *was; /* the string of the copy */
    char *is;        /* owned */
    size_t len;
};

struct texts {
    struct replace_work *work;
    struct new_text *texts; /* owned */
    size_t count;
    struct error *err;
};

static bool is_wanted(const struct replace_work *work, const char *path)
{
    const char *in = work->replacing->in;
    size_t first = strcspn(path, ".");

    if (!in)
        return true;
    if (!work->at.component_id && strcmp(in, "titles") == 0)
        return strcmp(path, "title") == 0;
    if (work->at.component_id && work->at.type && strcmp(in, work->at.type) == 0)
        return true;
    return strlen(in) == first && strncmp(in, path, first) == 0;
}

static int take_text(struct texts *texts, const struct prose_text *text, struct buf *is)
{
    struct replace_work *work = texts->work;
    struct replaced_text *at = &work->at;
    struct new_text *new_text;

    if (!ARRAY_ROOM(texts->texts, texts->count))
        return error_set(texts->err, ERROR_MEMORY, "out of memory for a replacement");
    new_text = &texts->texts[texts->count++];
    *new_text = (struct new_text){.was = text->text};
    buf_add(is, "", 0);
    new_text->is = buf_steal(is, &new_text->len);
    if (!new_text->is)
        return error_set(texts->err, ERROR_MEMORY, "out of memory for a replacement");
    at->path = text->path;
    at->before = text->text;
    at->after = new_text->is;
    return work->replacing->visit ? work->replacing->visit(work->replacing->user, at, texts->err)
                                  : 0;
}

static int visit_text(void *user, const struct prose_text *text)
{
    struct texts *texts = user;
    struct replace_work *work = texts->work;
    struct replacement_counts *counts = &work->replaced->counts;
    struct buf BUF_AUTO is = {0};
    int found;

    if (!is_wanted(work, text->path))
        return 0;
    found = replacement_apply(work->replacing->replacement, text, &is, counts, texts->err);
    if (found <= 0)
        return found;
    if (counts->places > REPLACE_PLACES_MAX)
        return error_set_at(texts->err, "find",
                            "find: is in more than %u places; look for whole words, or in fewer "
                            "lessons (node_ids) or fields (in)",
                            REPLACE_PLACES_MAX);
    return take_text(texts, text, &is);
}

/* The string itself, or those in it. */
static void set_texts(json_t *value, const struct texts *texts)
{
    const char *name;
    json_t *member;
    size_t i;

    for (i = 0; json_is_string(value) && i < texts->count; i++) {
        if (json_string_value(value) != texts->texts[i].was)
            continue;
        json_string_setn(value, texts->texts[i].is, texts->texts[i].len);
        return;
    }
    json_array_foreach(value, i, member) set_texts(member, texts);
    json_object_foreach(value, name, member) set_texts(member, texts);
}

/* type as for prose_each. A new reference; JSON null if there is nothing to replace; NULL with
 * err. */
static json_t *replace_in(struct replace_work *work, const char *type, const json_t *value,
                          struct error *err)
{
    struct texts texts = {.work = work, .err = err};
    json_t *copy = json_deep_copy(value);
    int rc = copy ? prose_each(type, copy, visit_text, &texts) : -1;

    if (rc == 0)
        set_texts(copy, &texts);
    else if (err && err->kind == ERROR_NONE)
        error_set(err, ERROR_MEMORY, "out of memory for a replacement");
    for (size_t i = 0; i < texts.count; i++)
        free(texts.texts[i].is);
    free(texts.texts);
    if (rc == 0 && texts.count > 0)
        return copy;
    json_decref(copy);
    return rc == 0 ? json_null() : NULL;
}

/* ---- what breaks the rules afterwards: refused, unless it broke them before ---- */

static int add_place(const struct replace_work *work, struct error *err)
{
    const struct replaced_text *at = &work->at;
    char id[NODE_ID_MAX + 1], title[TITLE_SAID];

    text_cut_line(id, sizeof id, at->node_id);
    text_cut_line(title, sizeof title, at->title);
    if (at->component_id)
        error_wrap(err, "%s \"%s\", component %ld (%.64s)", id, title, at->order,
                   at->type ? at->type : "");
    else
        error_wrap(err, "%s \"%s\"", id, title);
    if (err)
        text_cut(err->loc, sizeof err->loc, "replace");
    return -1;
}

static bool was_valid(const json_t *component)
{
    json_auto_t *copy = json_copy((json_t *)component);
    json_auto_t *same = json_pack("{s:O*}", "parameters", json_object_get(component, "parameters"));

    return entity_component_change(copy, same, false, NULL) == 0;
}

/* ---- components, nodes, relationships ---- */

static int replace_component(struct replace_work *work, struct component_write *node,
                             struct sequence_item *item, bool *changed, struct error *err)
{
    json_auto_t *before = NULL, *after = NULL, *changes = NULL, *parameters = NULL;
    struct sequence_item old;
    struct error why = {0};

    if (item_load(work->store, item, err) != 0)
        return -1;
    before = json_incref(item->content);
    if (!json_object_get(before, "parameters")) /* an import keeps such */
        return 0;
    old = *item;
    work->at.component_id = item->component_id;
    work->at.type = entity_component_type(before);
    work->at.order = (long)item_order(item);
    parameters = replace_in(work, work->at.type ? work->at.type : "",
                            json_object_get(before, "parameters"), err);
    if (!parameters || json_is_null(parameters))
        return parameters ? 0 : -1;
    after = json_copy(before);
    changes = json_pack("{s:O}", "parameters", parameters);
    if (!after || !changes)
        return error_set(err, ERROR_MEMORY, "out of memory for a component");
    if (entity_component_change(after, changes, false, &why) != 0 && was_valid(before)) {
        if (err)
            *err = why;
        return add_place(work, err);
    }
    *changed = true;
    work->replaced->components++;
    return item_update(work->store, item, after, err) == 0
               ? store_log_component(work->store, node, &old, item, err)
               : -1;
}

static struct sequence_item *item_of(const struct sequence *sequence, int64_t key)
{
    for (size_t i = 0; i < sequence->count; i++)
        if (sequence->items[i].key == key)
            return &sequence->items[i];
    return NULL;
}

static int replace_components(struct replace_work *work, int64_t key, const struct keys *components,
                              bool *changed, struct error *err)
{
    struct component_write node = {
        .write = work->write, .node.key = key, .node_id = work->at.node_id};
    int rc = sequence_read(work->store, key, false, &node.sequence, err);

    for (size_t i = 0; rc == 0 && i < components->count; i++) {
        struct sequence_item *item = item_of(&node.sequence, components->keys[i]);

        if (item)
            rc = replace_component(work, &node, item, changed, err);
    }
    if (rc == 0 && *changed)
        rc = store_node_touch(work->store, &work->write, key, err);
    sequence_finish(&node.sequence);
    work->at.component_id = NULL;
    return rc;
}

/* The texts of a node among its fields. */
static int replace_fields(struct replace_work *work, int64_t key, const json_t *before,
                          unsigned flags, bool *changed, struct error *err)
{
    json_auto_t *replaced = replace_in(work, NULL, before, err), *changes = NULL, *after = NULL;
    const char *name;
    json_t *value;

    if (!replaced || json_is_null(replaced))
        return replaced ? 0 : -1;
    changes = json_object();
    after = json_copy((json_t *)before);
    json_object_foreach(replaced, name, value)
    {
        if (json_equal(value, json_object_get(before, name)))
            continue;
        json_object_set(changes, name, value);
        work->replaced->node_texts++;
    }
    if (!changes || !after)
        return error_set(err, ERROR_MEMORY, "out of memory for a node");
    if (entity_node_change(after, changes, err) < 0)
        return add_place(work, err);
    *changed = true;
    return store_node_save(work->store, &work->write, key, before, after, flags, err);
}

static bool takes_node(const struct replace_work *work, const char *node_id)
{
    const json_t *wanted = work->replacing->node_ids, *id;
    size_t i;

    json_array_foreach((json_t *)wanted, i, id)
    {
        if (strcmp(json_string_value(id), node_id) == 0)
            return true;
    }
    return !wanted;
}

static int replace_node(struct replace_work *work, int64_t key, const struct keys *components,
                        struct error *err)
{
    bool changed = false, own = false;
    json_auto_t *node = NULL;
    unsigned flags;

    node = store_node_load(work->store, key, &flags, err);
    if (!node)
        return -1;
    work->at = (struct replaced_text){.node_id = json_get_string(node, "node_id"),
                                      .title = json_get_string(node, "title")};
    if (!work->at.node_id || !takes_node(work, work->at.node_id))
        return 0;
    if (replace_fields(work, key, node, flags, &own, err) != 0 ||
        (components->count > 0 && replace_components(work, key, components, &changed, err) != 0))
        return -1;
    work->replaced->nodes += own || changed;
    return 0;
}

static int replace_nodes(struct replace_work *work, struct error *err)
{
    struct keys all = {0}, own = {0};
    struct db *db = work->store->db;
    int rc = find_keys(work, db_query(db, err, SQL_NODE_LIST, "i", work->write.session), 4, true,
                       &all, err);

    if (rc == 0)
        rc = find_keys(work, db_query(db, err, SQL_NODE_LIST, "i", work->write.session), 4, false,
                       &own, err);
    for (size_t i = 0, next = 0; rc == 0 && i < all.count; i++) {
        struct keys components = {0};
        bool is_own = next < own.count && own.keys[next] == all.keys[i];

        next += is_own;
        rc = find_keys(work, db_query(db, err, SQL_COMPONENT_LIST, "i", all.keys[i]), 2, false,
                       &components, err);
        if (rc == 0 && (is_own || components.count > 0))
            rc = replace_node(work, all.keys[i], &components, err);
        free(components.keys);
    }
    free(all.keys);
    free(own.keys);
    return rc;
}

static int replace_relationship(struct replace_work *work, int64_t key, struct error *err)
{
    json_auto_t *before = NULL, *part = NULL, *replaced = NULL, *after = NULL;
    int64_t place;

    before = store_relationship_load(work->store, work->write.session, key, &place, err);
    if (!before)
        return -1;
    work->at = (struct replaced_text){.type = json_get_string(before, "relationship_type"),
                                      .from = json_get_string(before, "from_node_id"),
                                      .to = json_get_string(before, "to_node_id")};
    /* As a text of a node: of the fields of a relationship only this one is words. */
    part = json_pack("{s:O*}", "explanation", json_object_get(before, "explanation"));
    replaced = part ? replace_in(work, NULL, part, err) : NULL;
    if (!replaced || json_is_null(replaced))
        return replaced ? 0 : -1;
    after = json_copy(before);
    if (!after || entity_relationship_change(after, replaced, err) < 0)
        return -1;
    work->replaced->relationships++;
    return store_relationship_save(work->store, &work->write, key, place, before, after, err);
}

static int replace_relationships(struct replace_work *work, struct error *err)
{
    struct keys keys = {0};
    int rc = find_keys(
        work, db_query(work->store->db, err, SQL_RELATIONSHIP_LIST, "i", work->write.session), 2,
        false, &keys, err);

    for (size_t i = 0; rc == 0 && i < keys.count; i++)
        rc = replace_relationship(work, keys.keys[i], err);
    free(keys.keys);
    return rc;
}

static int check_expected(const struct replace_work *work, struct error *err)
{
    size_t places = work->replaced->counts.places;

    if (work->replacing->expected < 0 || (size_t)work->replacing->expected == places)
        return 0;
    return error_set(err, ERROR_STALE,
                     "expected_places is %ld, but it would be %zu; a dry run lists them. Nothing "
                     "was replaced",
                     work->replacing->expected, places);
}

int store_replace(struct store *store, const struct writer *writer, const char *sid,
                  const struct replacing *replacing, struct replaced *replaced, struct error *err)
{
    struct replace_work work = {.store = store, .replacing = replacing, .replaced = replaced};
    int rc;

    memset(replaced, 0, sizeof *replaced);
    if (store_write_begin_session(store, writer, MIRROR_ALL | MIRROR_PASS_OVER, sid, NULL,
                                  &work.write, err) < 0)
        return -1;
    rc = replace_nodes(&work, err);
    if (rc == 0 && !replacing->node_ids)
        rc = replace_relationships(&work, err);
    if (rc == 0)
        rc = check_expected(&work, err);
    if (rc == 0 && replaced->counts.places == 0) /* nothing is written: the version stays */
        return store_end(store, false, err);
    return store_write_end(store, &work.write, rc, err);
}
