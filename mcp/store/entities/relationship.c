/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Relationships: found, created, changed, deleted, and logged as {"place", "relationship"}.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/array.h"
#include "helpers/base/json.h"
#include "helpers/base/validation.h"
#include "mcp/curriculum/curriculum_uri.h"
#include "mcp/curriculum/entity.h"
#include "mcp/store/entities/relationship.h"
#include "mcp/store/store_internal.h"

#define TITLE_SAID       120 /* bytes */
#define EXPLANATION_SAID 400

json_t *store_relationship_load(struct store *store, int64_t session, int64_t key, int64_t *place,
                                struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_RELATIONSHIP_BY_KEY, "ii", key, session);
    json_t *relationship;
    struct row_text body;
    int row;

    if (!rows)
        return NULL;
    row = rows_next(rows, err);
    if (row == 0)
        error_set(err, ERROR_NOT_FOUND,
                  "there is no relationship %" PRId64
                  " in this session; it may have been deleted: read the relationships again",
                  key);
    if (row <= 0)
        return NULL;
    body = rows_string(rows, 0);
    *place = rows_int(rows, 1);
    relationship = json_read(body.text, body.len, "a kept relationship", err);
    rows_end(rows);
    return relationship;
}

int store_relationships_of(struct store *store, int64_t session, const char *node_id,
                           int64_t **keys, size_t *count, struct error *err)
{
    struct rows *rows;
    int row;

    *keys = NULL;
    *count = 0;
    rows = db_query(store->db, err, SQL_RELATIONSHIP_OF_NODE, "is", session, node_id);
    while ((row = rows_next(rows, err)) > 0) {
        if (!ARRAY_ROOM(*keys, *count)) {
            row = error_set(err, ERROR_MEMORY, "out of memory for a node's relationships");
            break;
        }
        (*keys)[(*count)++] = rows_int(rows, 0);
    }
    rows_end(rows);
    if (row < 0) {
        free(*keys);
        *keys = NULL;
    }
    return row;
}

int store_relationship_same(struct store *store, int64_t session, const char *from, const char *to,
                            const char *type, int64_t except, int64_t *key, struct error *err)
{
    struct rows *rows =
        db_query(store->db, err, SQL_RELATIONSHIP_FIND, "isssi", session, from, to, type, except);
    int row;

    row = rows_next(rows, err);
    if (row > 0)
        *key = rows_int(rows, 0);
    rows_end(rows);
    return row;
}

/* before NULL: an insertion; after NULL: a deletion. An update has the whole relationship too. */
static int log_relationship(struct store *store, const struct write *write, int64_t key,
                            int64_t place, const json_t *before, const json_t *after,
                            struct error *err)
{
    const char *op = !before ? "insert" : after ? "update" : "delete";
    struct buf BUF_AUTO text = {0};
    char id[32];

    if (write->silent)
        return 0;
    buf_addf(&text, "{\"place\":%" PRId64 ",\"relationship\":", place);
    json_write(&text, before ? before : after);
    buf_addc(&text, '}');
    snprintf(id, sizeof id, "%" PRId64, key);
    return store_log(store, write, "relationship", id, NULL, op, before ? &text : NULL,
                     before ? NULL : &text, err);
}

/* A file that had no list of relationships, or something else under that name, has a list from now
 * on. */
static int list_relationships(struct store *store, const struct write *write, struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_SESSION_BY_KEY, "i", write->session);
    json_auto_t *old = NULL, *new = NULL;
    struct row_text text;
    unsigned flags;

    if (rows_next(rows, err) <= 0)
        return -1;
    flags = (unsigned)rows_int(rows, 0);
    if (flags & SESSION_RELATIONSHIPS) {
        rows_end(rows);
        return 0;
    }
    text = rows_string(rows, 1);
    old = json_read(text.text, text.len, "a kept session", err);
    rows_end(rows);
    if (!old)
        return -1;
    new = json_copy(old);
    if (!new)
        return error_set(err, ERROR_MEMORY, "out of memory for a session");
    json_object_del(new, "relationships");
    return store_session_save(
        store, write, &(struct session_fields){.flags = flags, .further = old},
        &(struct session_fields){.flags = flags | SESSION_RELATIONSHIPS, .further = new}, err);
}

int store_relationship_add(struct store *store, const struct write *write, int64_t *key,
                           int64_t place, int64_t revision, const json_t *relationship,
                           struct buf *body, struct error *err)
{
    struct relationship_row row;

    relationship_row(relationship, body, &row);
    if (buf_check(body, "a relationship", err) < 0 ||
        db_insert(store->db, key, err, SQL_RELATIONSHIP_INSERT, "kiitttibi", *key, write->session,
                  place, &row.from, &row.to, &row.type, revision, body, (int64_t)row.flags) != 0)
        return -1;
    return log_relationship(store, write, *key, place, NULL, relationship, err);
}

int store_relationship_insert(struct store *store, const struct write *write,
                              const json_t *relationship, int64_t *key, struct error *err)
{
    struct buf BUF_AUTO body = {0};
    int64_t last;

    buf_init(&body, ENTITY_SIZE_MAX);
    *key = 0;
    if (list_relationships(store, write, err) != 0 ||
        db_number(store->db, &last, err, SQL_RELATIONSHIP_LAST_PLACE, "i", write->session) != 0)
        return -1;
    return store_relationship_add(store, write, key, last + 1, 1, relationship, &body, err);
}

int store_relationship_save(struct store *store, const struct write *write, int64_t key,
                            int64_t place, const json_t *before, const json_t *after,
                            struct error *err)
{
    struct buf BUF_AUTO body = {0};
    struct relationship_row row;

    relationship_row(after, &body, &row);
    if (buf_check(&body, "a relationship", err) < 0 ||
        db_run(store->db, err, SQL_RELATIONSHIP_UPDATE, "itttbi", key, &row.from, &row.to,
               &row.type, &body, (int64_t)row.flags) != 0)
        return -1;
    return log_relationship(store, write, key, place, before, after, err);
}

int store_relationship_drop(struct store *store, const struct write *write, int64_t key,
                            int64_t place, const json_t *relationship, struct error *err)
{
    if (db_run(store->db, err, SQL_RELATIONSHIP_DELETE, "i", key) != 0)
        return -1;
    return log_relationship(store, write, key, place, relationship, NULL, err);
}

/* ---- what comes before what, such as the cycle that a new prerequisite closes: a breadth-first
 * search, one statement for each step, so that it sees what a change set has done so far. ---- */

struct order_walk {
    int64_t session;
    bool leads;      /* also along LEADS_TO */
    json_t *parents; /* by node; of the first null */
    json_t *queue;
};

/* Walks one step from node along what contains PREREQUISITE: who is new gets node as its parent and
 * joins the queue. */
static int walk_step(struct store *store, const struct order_walk *walk, const char *node,
                     struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_RELATIONSHIP_NEEDED_BY, "isi", walk->session,
                                 node, (int64_t)walk->leads);
    int row;

    while ((row = rows_next(rows, err)) > 0) {
        const char *next = rows_text(rows, 0);

        if (!next || json_object_get(walk->parents, next))
            continue;
        json_object_set_new(walk->parents, next, json_string(node));
        json_array_append_new(walk->queue, json_string(next));
    }
    return row;
}

/* The path from start to the last node of the search, as [{"node_id", "title"}], beginning with
 * start. */
static json_t *path_back(struct store *store, int64_t session, const json_t *parents,
                         const char *start, const char *end)
{
    json_t *path = json_array();

    for (const char *at = end; at; at = json_get_string(parents, at)) {
        struct node_found node;
        bool found = store_node_find(store, session, at, &node, NULL) == 0;

        json_array_insert_new(
            path, 0, json_pack("{s:s, s:s}", "node_id", at, "title", found ? node.title : ""));
        if (strcmp(at, start) == 0)
            break;
    }
    return path;
}

/* 1 if there is a way from start to end; then the parents lead back along the shortest. Else 0. */
static int walk_to(struct store *store, struct order_walk *walk, const char *start, const char *end,
                   struct error *err)
{
    json_object_set_new(walk->parents, start, json_null());
    json_array_append_new(walk->queue, json_string(start));
    for (size_t i = 0; i < json_array_size(walk->queue); i++) {
        const char *node = json_string_value(json_array_get(walk->queue, i));

        if (strcmp(node, end) == 0)
            return 1;
        if (walk_step(store, walk, node, err) != 0)
            return -1;
    }
    return 0;
}

/* *path: the shortest path from start to end over types that contain PREREQUISITE, as an array of
 * {"node_id", "title"}, beginning with start; NULL if there is none. Owned by the caller. */
static int prerequisite_path(struct store *store, int64_t session, const char *start,
                             const char *end, json_t **path, struct error *err)
{
    json_auto_t *parents = json_object(), *queue = json_array();
    struct order_walk walk = {.session = session, .parents = parents, .queue = queue};
    int found = walk_to(store, &walk, start, end, err);

    *path = found > 0 ? path_back(store, session, parents, start, end) : NULL;
    return found < 0 ? -1 : 0;
}

int store_relationship_precedes(struct store *store, int64_t session, const char *first,
                                const char *second, struct error *err)
{
    json_auto_t *parents = json_object(), *queue = json_array();
    struct order_walk walk = {.session = session, .parents = parents, .queue = queue};
    int64_t has_prerequisites;

    if (db_number(store->db, &has_prerequisites, err, SQL_RELATIONSHIP_PREREQUISITES, "i",
                  session) != 0)
        return -1;
    walk.leads = !has_prerequisites;
    return walk_to(store, &walk, first, second, err);
}

/* ---- an error for one that is there already ---- */

/* The title in one line; an imported relationship may end where no node is. */
static const char *title_of(struct store *store, int64_t session, const char *node_id,
                            char title[TITLE_SAID])
{
    struct node_found node;
    bool found = store_node_find(store, session, node_id, &node, NULL) == 0;

    return text_cut_line(title, TITLE_SAID, found ? node.title : "");
}

/* ERROR_CONFLICT that says the relationship of that key by titles. Returns -1. */
static int fail_repeat(struct store *store, int64_t session, int64_t key, struct error *err)
{
    char from[TITLE_SAID], to[TITLE_SAID], said[EXPLANATION_SAID];
    json_auto_t *there = NULL;
    const char *from_id, *to_id;
    int64_t place;

    there = store_relationship_load(store, session, key, &place, err);
    if (!there)
        return -1;
    from_id = json_get_string(there, "from_node_id");
    to_id = json_get_string(there, "to_node_id");
    text_cut_line(said, sizeof said, json_get_string(there, "explanation"));
    return error_set(
        err, ERROR_CONFLICT,
        "there is already a %s from %s \"%s\" to %s \"%s\" (relationship %" PRId64 "%s%s%s)",
        json_get_string(there, "relationship_type"), from_id,
        title_of(store, session, from_id, from), to_id,
        curriculum_uri_is_node(to_id)
            ? text_cut_line(to, sizeof to, json_get_string(there, "to_title"))
            : title_of(store, session, to_id, to),
        key, *said ? "; its explanation: \"" : ", without an explanation", said, *said ? "\"" : "");
}

/* ---- creating: one, with the cycle that it closes, or many, all or none ---- */

static int create(struct store *store, const struct write *write, const json_t *relationship,
                  struct relationship_state *state, struct error *err)
{
    const char *from = json_get_string(relationship, "from_node_id");
    const char *to = json_get_string(relationship, "to_node_id");
    const char *type = json_get_string(relationship, "relationship_type");
    struct node_found from_node, to_node;
    int64_t same;
    int there;

    if (store_node_find(store, write->session, from, &from_node, err) < 0)
        return error_wrap(err, "from_node_id");
    if (curriculum_uri_is_node(to))
        text_cut(to_node.title, sizeof to_node.title, json_get_string(relationship, "to_title"));
    else if (store_node_find(store, write->session, to, &to_node, err) < 0)
        return error_wrap(err, "to_node_id");
    there = store_relationship_same(store, write->session, from, to, type, 0, &same, err);
    if (there > 0)
        return fail_repeat(store, write->session, same, err);
    if (there != 0 ||
        (strstr(type, "PREREQUISITE") &&
         prerequisite_path(store, write->session, to, from, &state->cycle, err) < 0) ||
        store_relationship_insert(store, write, relationship, &state->id, err) != 0)
        return -1;
    text_cut(state->type, sizeof state->type, type);
    text_cut(state->from_title, sizeof state->from_title, from_node.title);
    text_cut(state->to_title, sizeof state->to_title, to_node.title);
    return 0;
}

/* Ends the write; on success the caller gets the state, if state is not NULL. */
static int finish(struct store *store, const struct write *write, int rc,
                  struct relationship_state *made, struct relationship_state *state,
                  struct error *err)
{
    rc = store_write_end(store, write, rc, err);
    if (rc == 0 && state)
        *state = *made;
    else
        json_decref(made->cycle);
    return rc;
}

int store_relationship_write(struct store *store, const struct writer *writer, const char *sid,
                             const json_t *input, struct relationship_state *state,
                             struct error *err)
{
    struct relationship_state made = {0};
    json_auto_t *relationship = NULL;
    struct write write;
    int rc = -1;

    if (store_write_begin_session(store, writer, MIRROR_RELATIONSHIPS, sid, NULL, &write, err) < 0)
        return -1;
    relationship = entity_relationship(input, "", false, write.who, write.now, err);
    if (relationship)
        rc = create(store, &write, relationship, &made, err);
    return finish(store, &write, rc, &made, state, err);
}

/* ---- many at once ---- */

struct bulk {
    struct validation_errors problems;
    size_t wrong;    /* number of problems that are not duplicates */
    json_t *checked; /* owned; array */
    json_t *seen;    /* owned; what was checked so far by ends and type, as its number */
};

static int check_end(struct store *store, int64_t session, const json_t *input, size_t index,
                     const char *name, const char *brief, const char *node_id, struct bulk *bulk,
                     struct error *err)
{
    char field[ERROR_LOC_CAP];
    int known;

    snprintf(field, sizeof field, "relationships.%zu.%s", index,
             json_object_get(input, name) ? name : brief);
    known = store_check_node(store, session, node_id, &bulk->problems, field, err);
    bulk->wrong += known == 0;
    return known < 0 ? -1 : 0;
}

/* A repeat of one that is there, or of one of the same call. */
static int check_repeat(struct store *store, int64_t session, const json_t *relationship,
                        size_t index, struct bulk *bulk, struct error *err)
{
    const char *from = json_get_string(relationship, "from_node_id");
    const char *to = json_get_string(relationship, "to_node_id");
    const char *type = json_get_string(relationship, "relationship_type");
    struct buf BUF_AUTO key = {0};
    char field[ERROR_LOC_CAP];
    const json_t *earlier;
    int64_t same;
    int there = store_relationship_same(store, session, from, to, type, 0, &same, err);

    if (there < 0)
        return -1;
    snprintf(field, sizeof field, "relationships.%zu", index);
    buf_addf(&key, "%s\n%s\n%s", from, to, type); /* ids hold no control characters */
    if (buf_check(&key, "a relationship", err) < 0)
        return -1;
    earlier = json_object_get(bulk->seen, key.data);
    if (there > 0)
        validation_add(&bulk->problems, field,
                       "there is already a %s from %s to %s (relationship %" PRId64 ")", type, from,
                       to, same);
    else if (earlier)
        validation_add(&bulk->problems, field,
                       "repeats relationships.%" JSON_INTEGER_FORMAT ", a %s from %s to %s",
                       json_integer_value(earlier), type, from, to);
    else if (json_object_set_new(bulk->seen, key.data, json_integer((json_int_t)index)) != 0)
        return error_set(err, ERROR_MEMORY, "out of memory for relationships");
    return 0;
}

static int check_item(struct store *store, const struct write *write, const json_t *input,
                      size_t index, struct bulk *bulk, struct error *err)
{
    struct validation_errors each;
    struct error found = {.list = validation_begin(&each, "")};
    size_t wrong = bulk->wrong;
    json_t *relationship;
    char loc[64];

    snprintf(loc, sizeof loc, "relationships.%zu", index);
    relationship = entity_relationship(input, loc, true, write->who, write->now, &found);
    if (!relationship) {
        validation_take(&bulk->problems, &found);
        bulk->wrong++;
        return 0;
    }
    if (json_array_append_new(bulk->checked, relationship) != 0)
        return error_set(err, ERROR_MEMORY, "out of memory for relationships");
    if (check_end(store, write->session, input, index, "from_node_id", "from",
                  json_get_string(relationship, "from_node_id"), bulk, err) < 0 ||
        check_end(store, write->session, input, index, "to_node_id", "to",
                  json_get_string(relationship, "to_node_id"), bulk, err) < 0)
        return -1;
    return wrong < bulk->wrong
               ? 0
               : check_repeat(store, write->session, relationship, index, bulk, err);
}

static int create_all(struct store *store, const struct write *write, const json_t *input,
                      struct bulk *bulk, struct error *err)
{
    size_t count = json_array_size(input);
    int64_t key;

    if (!json_is_array(input))
        return error_set_at(err, "relationships",
                            "relationships: send an array of {from, to, type, explanation}");
    if (count > RELATIONSHIPS_BATCH_MAX)
        return error_set_at(err, "relationships",
                            "relationships: %zu are too many at once, send %d at most", count,
                            RELATIONSHIPS_BATCH_MAX);
    if (!bulk->checked || !bulk->seen)
        return error_set(err, ERROR_MEMORY, "out of memory for relationships");
    for (size_t i = 0; i < count; i++)
        if (check_item(store, write, json_array_get(input, i), i, bulk, err) != 0)
            return -1;
    if (validation_end(&bulk->problems, "Nothing was written", err) < 0) {
        if (err && bulk->wrong == 0)
            err->kind = ERROR_CONFLICT;
        return -1;
    }
    for (size_t i = 0; i < count; i++)
        if (store_relationship_insert(store, write, json_array_get(bulk->checked, i), &key, err) !=
            0)
            return -1;
    return 0;
}

int store_relationships_create(struct store *store, const struct writer *writer, const char *sid,
                               const json_t *input, size_t *created, struct error *err)
{
    struct bulk bulk = {.wrong = 0};
    struct write write;
    int rc;

    if (store_write_begin_session(store, writer, MIRROR_RELATIONSHIPS, sid, NULL, &write, err) < 0)
        return -1;
    validation_begin(&bulk.problems, "");
    bulk.checked = json_array();
    bulk.seen = json_object();
    rc = create_all(store, &write, input, &bulk, err);
    json_decref(bulk.checked);
    json_decref(bulk.seen);
    rc = store_write_end(store, &write, rc, err);
    if (rc == 0 && created)
        *created = json_array_size(input);
    return rc;
}

/* ---- changing, deleting and finding ---- */

/* An imported relationship may have an end that is not a node; a link has kept its title. */
static int end_title(struct store *store, int64_t session, const json_t *relationship,
                     const char *end, char *title, size_t size, struct error *err)
{
    const char *node_id = json_get_string(relationship, end);
    struct node_found node;
    struct error found = {0};

    text_cut(title, size, "");
    if (!node_id)
        return 0;
    if (curriculum_uri_is_node(node_id)) {
        text_cut(title, size, json_get_string(relationship, "to_title"));
        return 0;
    }
    if (store_node_find(store, session, node_id, &node, &found) == 0) {
        text_cut(title, size, node.title);
    } else if (found.kind != ERROR_NOT_FOUND) {
        if (err)
            *err = found;
        return -1;
    }
    return 0;
}

static int fill_state(struct store *store, int64_t session, int64_t key, const json_t *relationship,
                      struct relationship_state *state, struct error *err)
{
    const char *type = json_get_string(relationship, "relationship_type");

    state->id = key;
    text_cut(state->type, sizeof state->type, type);
    if (end_title(store, session, relationship, "from_node_id", state->from_title,
                  sizeof state->from_title, err) < 0)
        return -1;
    return end_title(store, session, relationship, "to_node_id", state->to_title,
                     sizeof state->to_title, err);
}

static bool is_prerequisite(const json_t *relationship)
{
    const char *type = json_get_string(relationship, "relationship_type");

    return type && strstr(type, "PREREQUISITE");
}

/* What another type means: it may be there already, and it may close a cycle. */
static int check_retyped(struct store *store, int64_t session, int64_t key, const json_t *before,
                         const json_t *after, json_t **cycle, struct error *err)
{
    const char *from = json_get_string(after, "from_node_id");
    const char *to = json_get_string(after, "to_node_id");
    const char *type = json_get_string(after, "relationship_type");
    int64_t same;
    int there;

    if (!from || !to ||
        json_equal(json_object_get(before, "relationship_type"),
                   json_object_get(after, "relationship_type")))
        return 0;
    there = store_relationship_same(store, session, from, to, type, key, &same, err);
    if (there > 0)
        return fail_repeat(store, session, same, err);
    if (there < 0 || !is_prerequisite(after) || is_prerequisite(before))
        return there;
    return prerequisite_path(store, session, to, from, cycle, err);
}

static int update(struct store *store, const struct write *write, int64_t key,
                  const json_t *changes, struct relationship_state *state, struct error *err)
{
    json_auto_t *before = NULL, *after = NULL;
    int64_t place;

    before = store_relationship_load(store, write->session, key, &place, err);
    if (!before)
        return -1;
    after = json_copy(before);
    if (!after)
        return error_set(err, ERROR_MEMORY, "out of memory for a relationship");
    if (entity_relationship_change(after, changes, err) < 0 ||
        check_retyped(store, write->session, key, before, after, &state->cycle, err) != 0)
        return -1;
    if (!json_equal(before, after) &&
        store_relationship_save(store, write, key, place, before, after, err) != 0)
        return -1;
    value_change_text(before, after, state->change);
    return fill_state(store, write->session, key, after, state, err);
}

int store_relationship_update(struct store *store, const struct writer *writer, const char *sid,
                              int64_t id, const json_t *changes, struct relationship_state *state,
                              struct error *err)
{
    struct relationship_state made = {0};
    struct write write;

    if (store_write_begin_session(store, writer, MIRROR_RELATIONSHIPS, sid, NULL, &write, err) < 0)
        return -1;
    return finish(store, &write, update(store, &write, id, changes, &made, err), &made, state, err);
}

size_t store_relationships_nameless(const struct store *store)
{
    return store && store->mirror ? store->mirror->nameless : 0;
}

int store_relationship_delete(struct store *store, const struct writer *writer, const char *sid,
                              int64_t id, struct relationship_state *state, struct error *err)
{
    struct relationship_state made = {0};
    json_auto_t *relationship = NULL;
    struct write write;
    int64_t place;
    int rc = -1;

    if (store_write_begin_session(store, writer, MIRROR_RELATIONSHIPS, sid, NULL, &write, err) < 0)
        return -1;
    relationship = store_relationship_load(store, write.session, id, &place, err);
    if (relationship && fill_state(store, write.session, id, relationship, &made, err) == 0)
        rc = store_relationship_drop(store, &write, id, place, relationship, err);
    return finish(store, &write, rc, &made, state, err);
}

/* Says what there is between the two nodes. */
static int not_between(struct store *store, int64_t session, const char *from, const char *to,
                       const char *type, struct error *err)
{
    struct rows *rows =
        db_query(store->db, err, SQL_RELATIONSHIP_BETWEEN, "iss", session, from, to);
    struct buf BUF_AUTO there = {0};
    int row;

    while ((row = rows_next(rows, err)) > 0) {
        const char *other = rows_text(rows, 1);

        buf_addf(&there, "%s%s (id %" PRId64 ")", there.len > 0 ? ", " : "",
                 other ? other : "one without a type", rows_int(rows, 0));
    }
    if (row < 0)
        return -1;
    if (!type && there.len > 0)
        return error_set_at(err, "relationship_type",
                            "relationship_type is needed, or id: from %s to %s there is %s", from,
                            to, there.data);
    return error_set(err, ERROR_NOT_FOUND, "there is no %s from %s to %s; %s%s",
                     type ? type : "relationship", from, to,
                     there.len > 0 ? "there is " : "nothing leads from the one to the other",
                     there.len > 0 ? there.data : "");
}

static int find(struct store *store, int64_t session, const char *from, const char *to,
                const char *type, int64_t *id, struct error *err)
{
    int there = type ? store_relationship_same(store, session, from, to, type, 0, id, err) : 0;

    if (there != 0)
        return there < 0 ? -1 : 0;
    return not_between(store, session, from, to, type, err);
}

int store_relationship_find(struct store *store, const char *sid, const char *from, const char *to,
                            const char *type, int64_t *id, struct error *err)
{
    struct session_found session;

    if (store_read_begin(store, MIRROR_RELATIONSHIPS, sid, NULL, &session, err) < 0)
        return -1;
    return store_read_end(store, find(store, session.key, from, to, type, id, err));
}
