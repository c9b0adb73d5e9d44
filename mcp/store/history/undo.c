/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reverts changes: one change set, or all since a version. Both rewind images by the log and then
 * write the differences, as a change set that can be undone in turn.
 *
 * Undo has two images of what the change set touched: one is rewound by every row (then), the other
 * only by the rows of the change set (now). If they differ before a row of the change set is
 * reverted, somebody else has changed it since.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/curriculum/entity.h"
#include "mcp/store/history/history.h"
#include "mcp/store/history/rewind.h"

#define NAME_CAP  400
#define SHOWN_CAP 100 /* bytes of a title or a content in a message */

static void add_node_name(struct rewind *rewind, const char *node_id, struct buf *name)
{
    char title[SHOWN_CAP], id[SHOWN_CAP];

    text_cut_line(id, sizeof id, node_id);
    buf_adds(name, id);
    if (store_old_title(rewind->store, rewind->session, node_id, title, sizeof title, NULL) == 0 &&
        strcmp(title, node_id) != 0)
        buf_addf(name, " \"%s\"", title);
}

static void add_component_name(const struct rewind *then, const struct rewind_row *row,
                               struct buf *name)
{
    struct rewind_node *node = rewind_row_node(then, row);
    const struct sequence_item *item =
        node ? sequence_by_id(&node->sequence, row->entity_id) : NULL;
    const json_t *component = item ? item->content : json_object_get(row->before, "component");
    char type[SHOWN_CAP], summary[SHOWN_CAP];

    if (!component) {
        buf_addf(name, "component %s of ", row->entity_id);
        return;
    }
    text_cut_line(type, sizeof type, entity_component_type(component));
    entity_component_summary(component, summary, sizeof summary);
    buf_addf(name, "the %s \"%s\" of ", *type ? type : "component", summary);
}

static void add_name(struct rewind *then, const struct rewind_row *row, struct buf *name)
{
    json_auto_t *value = rewind_value(then, row);
    const char *type;

    switch (row->entity) {
    case REWIND_COMPONENT:
        if (row->op == REWIND_RENUMBER)
            buf_adds(name, "the order of ");
        else
            add_component_name(then, row, name);
        add_node_name(then, row->node_id, name);
        return;
    case REWIND_NODE:
        add_node_name(then, row->node_id, name);
        return;
    case REWIND_NODE_MAP:
        buf_adds(name, "the " NODE_MAP_ENTITY " of ");
        add_node_name(then, row->entity_id, name);
        return;
    case REWIND_RELATIONSHIP:
        if (!value)
            value = json_incref(json_object_get(row->before, "relationship"));
        type = json_get_string(value, "relationship_type");
        buf_addf(name, "the %.64s from ", type ? type : "relationship");
        add_node_name(then, json_get_string(value, "from_node_id"), name);
        buf_adds(name, " to ");
        add_node_name(then, json_get_string(value, "to_node_id"), name);
        return;
    case REWIND_SESSION:
        break;
    }
    buf_adds(name, "the curriculum's own fields");
}

/* The last change to it that is not of the same change set. */
static int conflict(struct rewind *then, const struct rewind_row *row, const char *what,
                    struct error *err)
{
    struct rows *rows;
    struct buf BUF_AUTO name = {0};
    int found;

    buf_init(&name, NAME_CAP);
    add_name(then, row, &name);
    rows = db_query(then->store->db, err, SQL_CHANGE_LATER, "iissss", then->session, row->key,
                    row->change_set, row->entity_name,
                    row->op == REWIND_RENUMBER ? "" : row->entity_id, row->node_id);
    found = rows_next(rows, err);
    if (found < 0)
        return -1;
    if (found == 0)
        return error_set(err, ERROR_CONFLICT, "%s %s since; nothing was undone", name.data, what);
    error_set(err, ERROR_CONFLICT,
              "%s %s since, by %s at version %" PRId64
              "; nothing was undone. Undo that first (change set %s), or restore a version",
              name.data, what, rows_text(rows, 0), rows_int(rows, 1), rows_text(rows, 2));
    rows_end(rows);
    return -1;
}

static int check_component(struct rewind *then, struct rewind *now, const struct rewind_row *row,
                           struct error *err)
{
    struct rewind_node *then_node = rewind_row_node(then, row),
                       *now_node = rewind_row_node(now, row);
    const struct sequence_item *was, *is;

    if (!now_node || !now_node->node)
        return conflict(then, row, "has gone with its node", err);
    if (row->op == REWIND_RENUMBER) {
        /* A reordering has a row for each component. Rows of the change set change both images in
         * the same way, so one comparison is valid until a row of another set (take_back). */
        if (then_node && !then_node->arranged)
            then_node->arranged =
                sequence_same_arrangement(&then_node->sequence, &now_node->sequence);
        return then_node && then_node->arranged ? 0 : conflict(then, row, "was changed", err);
    }
    is = sequence_by_id(&now_node->sequence, row->entity_id);
    if (row->op == REWIND_DELETE)
        return is ? conflict(then, row, "was brought back", err) : 0;
    was = then_node ? sequence_by_id(&then_node->sequence, row->entity_id) : NULL;
    if (!is)
        return conflict(then, row, "was deleted", err);
    return was && item_equal(was, is) ? 0 : conflict(then, row, "was changed", err);
}

/* One number of a statement about the row, after it and not of its change set. */
static int count_later(struct rewind *rewind, enum statement id, const struct rewind_row *row,
                       const char *entity_id, int64_t *count, struct error *err)
{
    struct rows *rows = db_query(rewind->store->db, err, id, "iiss", rewind->session, row->key,
                                 row->change_set, entity_id);

    if (rows_next(rows, err) <= 0)
        return -1;
    *count = rows_int(rows, 0);
    rows_end(rows);
    return 0;
}

static bool same_node(const json_t *was, const json_t *is)
{
    json_auto_t *left = json_copy((json_t *)was), *right = json_copy((json_t *)is);

    json_object_del(left, "last_modified"); /* times go on */
    json_object_del(right, "last_modified");
    return json_equal(left, right);
}

/* How many nodes have the id, as far as the images go by them, else by the database. */
static int count_nodes(struct rewind *now, const char *node_id, int64_t *count, struct error *err)
{
    if (db_number(now->store->db, count, err, SQL_NODE_TWINS, "is", now->session, node_id) != 0)
        return -1;
    for (size_t i = 0; i < now->node_count; i++) {
        const struct rewind_node *node = now->nodes[i];

        if (node->node_id && strcmp(node->node_id, node_id) == 0)
            *count += (node->node != NULL) - node->found;
    }
    return 0;
}

static bool touches(const json_t *relationship, const char *node_id)
{
    const char *from = json_get_string(relationship, "from_node_id");
    const char *to = json_get_string(relationship, "to_node_id");

    return (from && strcmp(from, node_id) == 0) || (to && strcmp(to, node_id) == 0);
}

/* An inserted node is only deleted if nothing of others refers to it. */
static int check_unused(struct rewind *then, struct rewind *now, const struct rewind_row *row,
                        const struct rewind_node *node, struct error *err)
{
    int64_t *keys, twins;
    size_t count, others = 0;

    if (node->sequence.count > 0)
        return conflict(then, row, "was given components", err);
    if (count_nodes(now, row->node_id, &twins, err) < 0)
        return -1;
    if (twins > 1) /* an imported id that repeats: they have an end still */
        return 0;
    if (store_relationships_of(now->store, now->session, row->node_id, &keys, &count, err) != 0)
        return -1;
    for (size_t i = 0; i < count; i++) {
        const struct rewind_entry *entry = rewind_relationship(now, keys[i]);

        others += !entry || touches(entry->value, row->node_id);
    }
    free(keys);
    return others > 0 ? conflict(then, row, "was given relationships", err) : 0;
}

static int check_node(struct rewind *then, struct rewind *now, const struct rewind_row *row,
                      struct error *err)
{
    const struct rewind_node *was = rewind_row_node(then, row), *is = rewind_row_node(now, row);
    int64_t reused;

    if (row->op == REWIND_DELETE) {
        if (count_later(now, SQL_CHANGE_REUSED, row, row->node_id, &reused, err) < 0)
            return -1;
        return (is && is->node) || reused > 0 ? conflict(then, row, "is there again", err) : 0;
    }
    if (!is || !is->node)
        return conflict(then, row, "was deleted", err);
    if (row->op == REWIND_TOUCH)
        return 0;
    if (!was || !was->node || !same_node(was->node, is->node))
        return conflict(then, row, "was changed", err);
    return row->op == REWIND_INSERT ? check_unused(then, now, row, is, err) : 0;
}

/* A relationship is only restored between existing nodes, and once. */
static int check_ends(struct rewind *then, struct rewind *now, const struct rewind_row *row,
                      struct error *err)
{
    static const char *const ends[] = {"from_node_id", "to_node_id"};
    const json_t *relationship = json_object_get(row->before, "relationship");
    const char *id[2];
    char twin[32];
    int64_t later, same;
    int found;

    for (size_t i = 0; i < 2; i++) {
        id[i] = json_get_string(relationship, ends[i]);
        if (!id[i])
            continue;
        if (count_nodes(now, id[i], &later, err) < 0)
            return -1;
        if (later > 0)
            continue;
        /* An import keeps relationships that dangle: then nobody took the end away. */
        if (count_later(now, SQL_CHANGE_GONE, row, id[i], &later, err) < 0)
            return -1;
        if (later > 0)
            return conflict(then, row, "has lost an end", err);
    }
    if (!id[0] || !id[1])
        return 0;
    found = store_relationship_same(now->store, now->session, id[0], id[1],
                                    json_get_string(relationship, "relationship_type"),
                                    strtoll(row->entity_id, NULL, 10), &same, err);
    if (found <= 0)
        return found;
    snprintf(twin, sizeof twin, "%" PRId64, same);
    if (count_later(now, SQL_CHANGE_REPEATED, row, twin, &later, err) < 0)
        return -1;
    return later > 0 ? conflict(then, row, "was created again", err) : 0;
}

static int check_relationship(struct rewind *then, struct rewind *now, const struct rewind_row *row,
                              struct error *err)
{
    const struct rewind_entry *was = rewind_row_entry(then, row);
    const struct rewind_entry *is = rewind_row_entry(now, row);

    if (row->op == REWIND_DELETE) {
        if (is && is->value)
            return conflict(then, row, "was brought back", err);
        return check_ends(then, now, row, err);
    }
    if (!is || !is->value)
        return conflict(then, row, "was deleted", err);
    if (!was || !json_equal(was->value, is->value))
        return conflict(then, row, "was changed", err);
    return 0;
}

/* Whether the row of a change set can be reverted: its result (then) must equal the current state
 * (now) in what the row is about. ERROR_CONFLICT says what differs, and who changed it. */
static int check(struct rewind *then, struct rewind *now, const struct rewind_row *row,
                 struct error *err)
{
    json_auto_t *was = NULL, *is = NULL;

    switch (row->entity) {
    case REWIND_COMPONENT:
        return check_component(then, now, row, err);
    case REWIND_NODE:
        return check_node(then, now, row, err);
    case REWIND_RELATIONSHIP:
        return check_relationship(then, now, row, err);
    case REWIND_NODE_MAP:
    case REWIND_SESSION:
        break;
    }
    was = rewind_value(then, row);
    is = rewind_value(now, row);
    if (was == is || (was && is && json_equal(was, is)))
        return 0;
    return conflict(then, row, is ? "was changed" : "was deleted", err);
}

/* ---- which ---- */

/* 1: it may be undone without a name: it is neither undone nor an undoing, nor the beginning. */
static int is_candidate(struct store *store, int64_t session, const char *change_set,
                        struct error *err)
{
    char by_set[UUID_TEXT_SIZE + 64];
    int64_t undoing;

    if (db_number(store->db, &undoing, err, SQL_UNDONE_IS_UNDOING, "is", session, change_set) !=
            0 ||
        store_undone_by(store, session, change_set, by_set, sizeof by_set, err) < 0)
        return -1;
    return undoing == 0 && !*by_set;
}

/* The name behind "page:" or "chat:", because a page and its chat write for one person. NULL for
 * others. */
static const char *person(const char *who)
{
    static const char *const doors[] = {"page:", "chat:"};

    for (size_t i = 0; i < sizeof doors / sizeof doors[0]; i++)
        if (strncmp(who, doors[i], strlen(doors[i])) == 0)
            return who + strlen(doors[i]);
    return NULL;
}

static bool is_same_writer(const char *one, const char *other)
{
    const char *first = person(one), *second = person(other);

    return first && second ? strcmp(first, second) == 0 : strcmp(one, other) == 0;
}

/* The newest change that may be undone without a name, of the writer or, with NULL, of anybody;
 * change_set is "" if there is none. */
struct newest {
    char change_set[UUID_TEXT_SIZE + 64], who[WHO_CAP], at[TIME_TEXT_SIZE];
    int64_t version;
};

static int find_newest(struct store *store, int64_t session, const char *who, struct newest *newest,
                       struct error *err)
{
    struct rows *rows;
    int row, candidate = 0;

    newest->change_set[0] = '\0';
    rows = db_query(store->db, err, SQL_CHANGE_NEWEST, "i", session);
    while (candidate == 0 && (row = rows_next(rows, err)) > 0) {
        if (strcmp(newest->change_set, rows_text(rows, 0)) == 0)
            continue;
        text_cut(newest->change_set, sizeof newest->change_set, rows_text(rows, 0));
        text_cut_line(newest->who, sizeof newest->who, rows_text(rows, 1));
        text_cut(newest->at, sizeof newest->at, rows_text(rows, 2));
        newest->version = rows_int(rows, 3);
        if (who && !is_same_writer(newest->who, who))
            continue;
        candidate = is_candidate(store, session, newest->change_set, err);
    }
    rows_end(rows);
    if (candidate < 0 || (candidate == 0 && row < 0))
        return -1;
    if (candidate == 0)
        newest->change_set[0] = '\0';
    return 0;
}

struct extent { /* of a change set in the log */
    int64_t rows, first_key, first_version, last_version;
    bool begins; /* the session */
};

static int read_extent(struct store *store, int64_t session, const char *change_set,
                       struct extent *extent, struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_CHANGE_SET_SUM, "is", session, change_set);

    if (rows_next(rows, err) <= 0)
        return -1;
    extent->rows = rows_int(rows, 0);
    extent->first_key = rows_int(rows, 1);
    extent->first_version = rows_int(rows, 2);
    extent->last_version = rows_int(rows, 3);
    extent->begins = rows_int(rows, 4) != 0;
    rows_end(rows);
    return 0;
}

static int not_own(struct store *store, const struct write *write, const struct newest *newest,
                   struct error *err)
{
    struct buf BUF_AUTO what = {0}, BUF_AUTO own_version = {0};
    struct newest own;
    struct extent extent;

    if (store_change_words(store, write->session, newest->change_set, &what, err) < 0 ||
        find_newest(store, write->session, write->who, &own, err) < 0)
        return -1;
    buf_init(&own_version, NAME_CAP);
    if (*own.change_set && read_extent(store, write->session, own.change_set, &extent, err) < 0)
        return -1;
    if (*own.change_set && !extent.begins)
        buf_addf(&own_version, ", or version %" PRId64 ", your own newest", own.version);
    return error_set(err, ERROR_CONFLICT,
                     "the newest change is not yours (%s): %s, by %s at %s. Nothing was undone; "
                     "send version %" PRId64 " (change_set \"%s\") to undo it%s",
                     write->who, what.data, newest->who, newest->at, newest->version,
                     newest->change_set, own_version.len > 0 ? own_version.data : "");
}

#define REMOVAL                                                                                    \
    "To remove the whole curriculum with its history, run lectern delete %s, or send DELETE "      \
    "/session/%s; nothing brings it back"

/* Its import or creation: to undo that would delete the history, from which it could be restored.
 * The tool undo does so for an import that only its writer has changed (store_find_own_import). */
static int refuse_beginning(const char *sid, bool named, struct error *err)
{
    if (named)
        return error_set_at(err, "change_set",
                            "change_set: this session's history begins with it. Only the tool undo "
                            "takes an import back, for its own writer, after all later changes and "
                            "if nobody else has made any. " REMOVAL,
                            sid, sid);
    return error_set(err, ERROR_NOT_FOUND,
                     "there is nothing to undo in this session: its history begins with its import "
                     "or creation. " REMOVAL,
                     sid, sid);
}

static int check_set(struct store *store, const struct write *write, const char *change_set,
                     bool named, struct extent *extent, struct error *err)
{
    int64_t session = write->session;
    char by_set[UUID_TEXT_SIZE + 64];
    int64_t undoing;

    if (read_extent(store, session, change_set, extent, err) < 0)
        return -1;
    if (!named && (extent->rows == 0 || extent->begins))
        return refuse_beginning(write->sid, false, err);
    if (db_number(store->db, &undoing, err, SQL_UNDONE_IS_UNDOING, "is", session, change_set) != 0)
        return -1;
    if (extent->rows == 0 && undoing > 0) /* of what had come to nothing by itself */
        extent->first_version = INT64_MAX;
    else if (extent->rows == 0)
        return error_set(err, ERROR_NOT_FOUND,
                         "there is no change set '%.80s' in this session; its history lists those "
                         "there are",
                         change_set);
    if (extent->begins)
        return refuse_beginning(write->sid, true, err);
    if (store_undone_by(store, session, change_set, by_set, sizeof by_set, err) < 0)
        return -1;
    if (*by_set)
        return error_set(err, ERROR_CONFLICT,
                         "change set %s was undone already; undo %s to do it again", change_set,
                         by_set);
    return 0;
}

/* ---- undo ---- */

struct undoing {
    struct rewind then, now;
    const char *change_set;
    int64_t first_key; /* of its rows */
    size_t rows;
};

static int want_both(void *user, const struct rewind_row *row, struct error *err)
{
    struct undoing *undo = user;

    if (rewind_include(&undo->then, row, err) != 0)
        return -1;
    return rewind_include(&undo->now, row, err);
}

static int take_back(void *user, const struct rewind_row *row, struct error *err)
{
    struct undoing *undo = user;

    if (store_time_left(undo->then.store, err) < 0)
        return -1;
    if (row->key < undo->first_key)
        return 0;
    if (strcmp(row->change_set, undo->change_set) == 0) {
        undo->rows++;
        if (check(&undo->then, &undo->now, row, err) != 0 ||
            rewind_invert(&undo->now, row, err) != 0)
            return -1;
    } else if (!rewind_has(&undo->then, row)) {
        return 0;
    } else if (row->entity == REWIND_COMPONENT) {
        rewind_row_node(&undo->then, row)->arranged = false;
    }
    return rewind_invert(&undo->then, row, err);
}

static void fill_state(struct undo_state *state, struct store *store, const struct write *write,
                       const char *change_set, const struct buf *what, size_t entries)
{
    memset(state, 0, sizeof *state);
    text_cut(state->change_set, sizeof state->change_set, change_set);
    text_cut(state->by_set, sizeof state->by_set, write->change_set);
    text_cut(state->what, sizeof state->what, what->data);
    state->entries = entries;
    state->version = store_write_has_changed(store, write) ? write->version : write->version_before;
}

static int undo_set(struct store *store, const struct write *write, const char *change_set,
                    const struct extent *extent, struct undo_state *state, struct error *err)
{
    struct undoing undo = {.change_set = change_set, .first_key = extent->first_key};
    struct buf BUF_AUTO what = {0};
    size_t things;
    int rc;

    store_bound_undo(store);
    rewind_init(&undo.then, store, write->session);
    rewind_init(&undo.now, store, write->session);
    rc = store_change_words(store, write->session, change_set, &what, err);
    if (rc == 0)
        rc = rewind_each(db_query(store->db, err, SQL_CHANGE_SET, "is", write->session, change_set),
                         want_both, &undo, err);
    if (rc == 0)
        rc = rewind_each(db_query(store->db, err, SQL_CHANGE_WALK, "ii", write->session,
                                  extent->first_version - 1),
                         take_back, &undo, err);
    if (rc == 0)
        rc = store_reinsert(&undo.now, write, &things, err);
    if (rc == 0)
        rc = db_run(store->db, err, SQL_UNDONE_SET, "iss", write->session, change_set,
                    write->change_set);
    if (rc == 0 && state)
        fill_state(state, store, write, change_set, &what, undo.rows);
    if (rc == 0 && state) {
        state->first_version = extent->first_version;
        state->last_version = extent->last_version;
    }
    rewind_finish(&undo.then);
    rewind_finish(&undo.now);
    return rc;
}

static int undo(struct store *store, const struct write *write, const char *named,
                struct undo_state *state, struct error *err)
{
    char change_set[UUID_TEXT_SIZE + 64];
    struct newest newest;
    struct extent extent;

    if (!named && find_newest(store, write->session, NULL, &newest, err) < 0)
        return -1;
    text_cut(change_set, sizeof change_set, named ? named : newest.change_set);
    if (check_set(store, write, change_set, named != NULL, &extent, err) < 0)
        return -1;
    if (!named && !is_same_writer(newest.who, write->who))
        return not_own(store, write, &newest, err);
    if (strcmp(change_set, write->change_set) == 0)
        return error_set_at(err, "change_set",
                            "change_set: an undoing cannot be part of the change set that it "
                            "takes back");
    return undo_set(store, write, change_set, &extent, state, err);
}

int store_undo(struct store *store, const struct writer *writer, const char *sid,
               const char *change_set, struct undo_state *state, struct error *err)
{
    struct write write;

    if (store_write_begin_session(store, writer,
                                  MIRROR_CHANGED | MIRROR_RELATIONSHIPS | MIRROR_NODE_MAP, sid,
                                  change_set, &write, err) < 0)
        return -1;
    write.counts = true;
    return store_write_end(store, &write, undo(store, &write, change_set, state, err), err);
}

/* ---- undo of an import ---- */

static void describe_import(const struct session_found *session, const json_t *counts,
                            struct own_import *found)
{
    const struct {
        size_t *count;
        const char *name;
    } parts[] = {{&found->nodes, "node"},
                 {&found->components, "component"},
                 {&found->relationships, "relationship"}};
    struct buf BUF_AUTO what = {0};
    char title[SHOWN_CAP], name[sizeof "relationships"];

    buf_init(&what, sizeof found->what);
    buf_addf(&what, "the import of \"%s\"", text_cut_line(title, sizeof title, session->title));
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        snprintf(name, sizeof name, "%ss", parts[i].name);
        *parts[i].count = (size_t)json_integer_value(json_object_get(counts, name));
        buf_addf(&what, "%s%zu %s", i == 0 ? " (" : ", ", *parts[i].count,
                 *parts[i].count == 1 ? parts[i].name : name);
    }
    buf_addc(&what, ')');
    text_cut(found->what, sizeof found->what, what.data);
    found->version = session->version;
}

static int read_own_import(struct store *store, const struct session_found *session,
                           const char *who, const char *change_set, struct own_import *found,
                           struct error *err)
{
    json_auto_t *counts = NULL;
    struct newest newest;
    struct rows *rows;
    int row;

    if (find_newest(store, session->key, NULL, &newest, err) < 0)
        return -1;
    if (!*newest.change_set || (change_set && strcmp(change_set, newest.change_set) != 0))
        return 0;
    rows = db_query(store->db, err, SQL_CHANGE_OWN_IMPORT, "is", session->key, who);
    row = rows_next(rows, err);
    if (row <= 0)
        return row;
    if (strcmp(rows_text(rows, 0), newest.change_set) == 0) {
        counts = json_read(rows_text(rows, 1), strlen(rows_text(rows, 1)), "an import", err);
        row = counts ? 1 : -1;
    } else {
        row = 0;
    }
    rows_end(rows);
    if (row <= 0)
        return row;
    describe_import(session, counts, found);
    return 1;
}

int store_find_own_import(struct store *store, const struct writer *writer, const char *sid,
                          const char *change_set, struct own_import *found, struct error *err)
{
    struct session_found session;

    if (store_read_begin(store, 0, sid, NULL, &session, err) < 0)
        return -1;
    return store_read_end(store,
                          read_own_import(store, &session, writer->who, change_set, found, err));
}

/* ---- restore ---- */

struct restoring {
    struct rewind rewind;
    char last[UUID_TEXT_SIZE + 64]; /* the newest change set that is reverted */
    size_t rows;
};

static int take_back_row(void *user, const struct rewind_row *row, struct error *err)
{
    struct restoring *work = user;

    if (++work->rows == 1)
        text_cut(work->last, sizeof work->last, row->change_set);
    if (rewind_include(&work->rewind, row, err) != 0)
        return -1;
    return rewind_invert(&work->rewind, row, err);
}

static int restore(struct store *store, const struct write *write, int64_t version,
                   struct undo_state *state, size_t *things, struct error *err)
{
    struct buf BUF_AUTO what = {0};
    struct restoring work = {0};
    int64_t first;
    int rc;

    if (store_first_version(store, write->session, &first, err) < 0)
        return -1;
    if (version < first || version > write->version_before)
        return error_set_at(err, "version",
                            "version: %" PRId64 " is not kept; send %" PRId64
                            " (where this session's history begins) to %" PRId64 " (now)",
                            version, first, write->version_before);
    store_bound_undo(store);
    rewind_init(&work.rewind, store, write->session);
    rc = rewind_each(db_query(store->db, err, SQL_CHANGE_WALK, "ii", write->session, version),
                     take_back_row, &work, err);
    if (rc == 0)
        rc = store_reinsert(&work.rewind, write, things, err);
    rewind_finish(&work.rewind);
    if (rc == 0 && *things > 0)
        rc = store_change_words(store, write->session, write->change_set, &what, err);
    if (rc == 0 && *things == 0)
        buf_adds(&what, "nothing: all is as it was then");
    if (rc == 0 && state)
        fill_state(state, store, write, work.last, &what, work.rows);
    return rc;
}

int store_restore(struct store *store, const struct writer *writer, const char *sid,
                  int64_t version, struct undo_state *state, struct error *err)
{
    size_t things = 0;
    struct write write;
    int rc;

    if (store_write_begin_session(store, writer, MIRROR_ALL | MIRROR_PASS_OVER, sid, NULL, &write,
                                  err) < 0)
        return -1;
    rc = restore(store, &write, version, state, &things, err);
    if (rc == 0 && state && things == 0)
        state->by_set[0] = '\0';
    return store_write_end(store, &write, rc, err);
}
