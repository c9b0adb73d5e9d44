/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A page of history: change sets with what they did in words, and their entries with what was there
 * before and after. The log keeps as little as it can, so the texts are found by leading images
 * back from what is there now, row by row, down to the last entry of the page.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/store/history/history.h"
#include "mcp/store/history/rewind.h"

#define PARTS_SHOWN       3
#define TITLE_SHOWN       80                 /* bytes */
#define HISTORY_TEXTS_CAP ((size_t)16 << 20) /* bytes of before and after in one page */
#define UNDOINGS_CAP      1000               /* of one another, in a row */

int store_old_title(struct store *store, int64_t session, const char *node_id, char *title,
                    size_t size, struct error *err)
{
    static const struct {
        enum statement id;
        int column;
        const char *format;
    } sources[] = {{SQL_NODE_FIND, 4, "is"}, {SQL_CHANGE_OLD_TITLE, 0, "is"}};

    text_cut_line(title, size, node_id);
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        struct rows *rows;
        int row;

        rows = db_query(store->db, err, sources[i].id, sources[i].format, session, node_id);
        row = rows_next(rows, err);
        if (row < 0)
            return -1;
        if (row == 0)
            continue;
        if (rows_text(rows, sources[i].column))
            text_cut_line(title, size, rows_text(rows, sources[i].column));
        rows_end(rows);
        return 0;
    }
    return 0;
}

static int add_node(struct store *store, int64_t session, const char *node_id, struct buf *words,
                    struct error *err)
{
    char title[TITLE_SHOWN], id[TITLE_SHOWN];

    if (store_old_title(store, session, node_id, title, sizeof title, err) < 0)
        return -1;
    buf_addf(words, "%s \"%s\"", text_cut_line(id, sizeof id, node_id), title);
    return 0;
}

struct group {
    const char *entity, *op, *node_id; /* borrowed */
    int64_t count;
    const char *image; /* of one of them */
};

static const char *verb(const char *op)
{
    static const char *const verbs[][2] = {
        {"insert", "created"},         {"update", "changed"},       {"delete", "deleted"},
        {"renumber", "reordered"},     {"create", "created"},       {"import", "imported"},
        {"move delete", "moved away"}, {"move insert", "moved in"},
    };

    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
        if (strcmp(verbs[i][0], op) == 0)
            return verbs[i][1];
    return op;
}

static int add_relationship(struct store *store, int64_t session, const struct group *group,
                            struct buf *words, struct error *err)
{
    json_auto_t *image = json_read(group->image, strlen(group->image), "a change", err);
    const json_t *relationship = json_object_get(image, "relationship");
    const char *from = json_get_string(relationship, "from_node_id");
    const char *to = json_get_string(relationship, "to_node_id");
    const char *type = json_get_string(relationship, "relationship_type");

    if (!image)
        return -1;
    if (!from || !to || !type) { /* an import keeps such */
        buf_addf(words, "1 relationship %s", verb(group->op));
        return 0;
    }
    buf_addf(words, "%.64s from ", type);
    if (add_node(store, session, from, words, err) < 0)
        return -1;
    buf_adds(words, " to ");
    if (add_node(store, session, to, words, err) < 0)
        return -1;
    buf_addf(words, " %s", verb(group->op));
    return 0;
}

/* Whether it is one. */
static bool add_renaming(const struct group *group, struct buf *words)
{
    json_auto_t *image =
        group->image ? json_read(group->image, strlen(group->image), "a change", NULL) : NULL;
    const char *old = json_get_string(image, "title");
    char shown[TITLE_SHOWN];

    if (strcmp(group->op, "update") != 0 || !old)
        return false;
    buf_addf(words, "curriculum renamed from \"%s\"", text_cut_line(shown, sizeof shown, old));
    return true;
}

static int add_group(struct store *store, int64_t session, const struct group *group,
                     struct buf *words, struct error *err)
{
    bool one = group->count == 1;

    if (strcmp(group->entity, "session") == 0 && add_renaming(group, words)) {
        return 0;
    } else if (strcmp(group->entity, "session") == 0) {
        buf_addf(words, "%s %s", strcmp(group->op, "update") ? "curriculum" : "own fields",
                 verb(group->op));
    } else if (strcmp(group->entity, NODE_MAP_ENTITY) == 0) {
        buf_addf(words, "%" PRId64 " " NODE_MAP_ENTITY "%s %s", group->count, one ? "" : "s",
                 verb(group->op));
    } else if (strcmp(group->entity, "relationship") == 0) {
        if (one && group->image)
            return add_relationship(store, session, group, words, err);
        buf_addf(words, "%" PRId64 " relationships %s", group->count, verb(group->op));
    } else {
        if (strcmp(group->entity, "component") == 0)
            buf_addf(words, "%" PRId64 " component%s of ", group->count, one ? "" : "s");
        if (add_node(store, session, group->node_id ? group->node_id : "", words, err) < 0)
            return -1;
        buf_addf(words, " %s", verb(group->op));
    }
    return 0;
}

int store_change_words(struct store *store, int64_t session, const char *change_set,
                       struct buf *words, struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_CHANGE_GROUPS, "is", session, change_set);
    size_t shown = 0, more = 0;
    int row;

    while ((row = rows_next(rows, err)) > 0) {
        const struct group group = {
            .entity = rows_text(rows, 0),
            .op = rows_text(rows, 1),
            .node_id = rows_text(rows, 2),
            .count = rows_int(rows, 3),
            .image = rows_text(rows, 4),
        };

        if (shown == PARTS_SHOWN) {
            more++;
            continue;
        }
        buf_adds(words, shown++ > 0 ? "; " : "");
        if (add_group(store, session, &group, words, err) < 0) {
            rows_end(rows);
            return -1;
        }
    }
    if (row < 0)
        return -1;
    if (shown == 0) /* a list of components that is there now, and empty */
        buf_adds(words, "nothing but times");
    if (more > 0)
        buf_addf(words, "; and %zu more", more);
    return 0;
}

/* ---- where a history begins, and what was undone ---- */

int store_undone_by(struct store *store, int64_t session, const char *change_set, char *by_set,
                    size_t size, struct error *err)
{
    char at[UUID_TEXT_SIZE + 64];
    bool undone = false;

    text_cut(at, sizeof at, change_set);
    text_cut(by_set, size, "");
    /* An undoing that was undone has done nothing: so it depends on whether the chain is even. */
    for (size_t i = 0; i < UNDOINGS_CAP; i++) {
        struct rows *rows;
        int row;

        rows = db_query(store->db, err, SQL_UNDONE_FIND, "is", session, at);
        row = rows_next(rows, err);
        if (row < 0)
            return -1;
        if (row == 0)
            break;
        text_cut(at, sizeof at, rows_text(rows, 0));
        rows_end(rows);
        if (i == 0)
            text_cut(by_set, size, at);
        undone = !undone;
    }
    if (!undone)
        text_cut(by_set, size, "");
    return 0;
}

int store_first_version(struct store *store, int64_t session, int64_t *version, struct error *err)
{
    return db_number(store->db, version, err, SQL_CHANGE_FIRST, "i", session);
}

/* ---- what differs between two versions: two images of all that was changed in between ---- */

struct comparing {
    int64_t last;              /* the later version */
    struct rewind early, late; /* the same things in both */
    bool backwards;            /* from is the later one */
    struct buf *json;
    size_t total;
};

static int lead_back(void *user, const struct rewind_row *row, struct error *err)
{
    struct comparing *work = user;

    if (rewind_include(&work->early, row, err) != 0 || rewind_include(&work->late, row, err) != 0 ||
        (row->version > work->last && rewind_invert(&work->late, row, err) != 0))
        return -1;
    return rewind_invert(&work->early, row, err);
}

static void add_text(struct buf *to, const char *key, const char *text)
{
    buf_addf(to, "\"%s\":", key);
    if (text)
        json_write_string(to, text, strlen(text));
    else
        buf_adds(to, "null");
}

static void add(struct comparing *work, const char *entity, const char *entity_id,
                const char *node_id, const json_t *early, const json_t *late)
{
    const json_t *sides[] = {work->backwards ? late : early, work->backwards ? early : late};
    static const char *const keys[] = {",\"before\":", ",\"after\":"};
    struct buf *json = work->json;

    buf_adds(json, work->total++ > 0 ? ",\n{" : "{");
    add_text(json, "entity", entity);
    buf_addc(json, ',');
    add_text(json, "entity_id", entity_id);
    buf_addc(json, ',');
    add_text(json, "node_id", node_id);
    for (size_t i = 0; i < 2; i++) {
        buf_adds(json, keys[i]);
        if (sides[i])
            json_write(json, sides[i]);
        else
            buf_adds(json, "null");
    }
    buf_addc(json, '}');
}

static bool same(const json_t *one, const json_t *other)
{
    return one == other || (one && other && json_equal((json_t *)one, (json_t *)other));
}

static void add_item(struct comparing *work, const struct rewind_node *node,
                     const struct sequence_item *early, const struct sequence_item *late)
{
    json_auto_t *before = early ? rewind_component_value(early) : NULL;
    json_auto_t *after = late ? rewind_component_value(late) : NULL;

    add(work, "component", (early ? early : late)->component_id, node->node_id, before, after);
}

/* An order that follows from insertions and deletions is not a difference; a chosen one is. */
static void compare_components(struct comparing *work, struct rewind_node *early,
                               struct rewind_node *late)
{
    bool same_order = sequence_same_order(&early->sequence, &late->sequence); /* sorts both */

    for (size_t i = 0; i < early->sequence.count; i++) {
        const struct sequence_item *was = &early->sequence.items[i];
        const struct sequence_item *is = sequence_by_id(&late->sequence, was->component_id);

        if (!is || !item_equal(was, is) || (!same_order && item_order(was) != item_order(is)))
            add_item(work, early, was, is);
    }
    for (size_t i = 0; i < late->sequence.count; i++)
        if (!sequence_by_id(&early->sequence, late->sequence.items[i].component_id))
            add_item(work, late, NULL, &late->sequence.items[i]);
}

static void compare(struct comparing *work)
{
    const struct rewind *early = &work->early, *late = &work->late;

    for (size_t i = 0; i < early->node_count; i++) {
        struct rewind_node *was = early->nodes[i], *is = late->nodes[i];

        if (!same(was->node, is->node))
            add(work, "node", was->node_id, was->node_id, was->node, is->node);
        compare_components(work, was, is);
    }
    for (int entity = REWIND_RELATIONSHIP; entity <= REWIND_NODE_MAP; entity++) {
        for (size_t i = 0; i < early->entry_count; i++) {
            const struct rewind_entry *was = early->entries[i], *is = late->entries[i];

            if ((int)was->entity == entity && !same(was->value, is->value))
                add(work, rewind_entity_name(was->entity), was->id,
                    was->entity == REWIND_NODE_MAP ? was->id : NULL, was->value, is->value);
        }
    }
    if (!same(early->further, late->further))
        add(work, "session", NULL, NULL, early->further, late->further);
}

static int check_version(const char *name, int64_t version, int64_t first, int64_t last,
                         struct error *err)
{
    if (version >= first && version <= last)
        return 0;
    return error_set_at(err, name,
                        "%s: version %" PRId64 " is not kept; send %" PRId64
                        " (where this session's history begins) to %" PRId64 " (now)",
                        name, version, first, last);
}

static int read_difference(struct store *store, const struct session_found *session, int64_t from,
                           int64_t to, struct buf *json, struct error *err)
{
    struct comparing work = {.backwards = from > to, .json = json};
    int64_t first;
    int rc;

    if (store_first_version(store, session->key, &first, err) < 0 ||
        check_version("from", from, first, session->version, err) < 0 ||
        check_version("to", to, first, session->version, err) < 0)
        return -1;
    rewind_init(&work.early, store, session->key);
    rewind_init(&work.late, store, session->key);
    buf_addf(json,
             "{\"session_id\":\"%s\",\"from\":%" PRId64 ",\"to\":%" PRId64 ",\"differences\":[",
             session->sid, from, to);
    work.last = work.backwards ? from : to;
    rc = rewind_each(
        db_query(store->db, err, SQL_CHANGE_WALK, "ii", session->key, work.backwards ? to : from),
        lead_back, &work, err);
    if (rc == 0)
        compare(&work);
    rewind_finish(&work.early);
    rewind_finish(&work.late);
    buf_addf(json, "],\"total\":%zu}", work.total);
    return rc == 0 ? buf_check(json, "the difference", err) : -1;
}

int store_version_at(struct store *store, const char *sid, const char *time, int64_t *version,
                     struct error *err)
{
    struct session_found session;

    if (store_read_begin(store, MIRROR_SESSION, sid, NULL, &session, err) < 0)
        return -1;
    return store_read_end(
        store, db_number(store->db, version, err, SQL_CHANGE_BEFORE, "is", session.key, time));
}

int store_read_difference(struct store *store, const char *sid, int64_t from, int64_t to,
                          struct buf *json, struct error *err)
{
    struct session_found session;

    if (store_read_begin(store, MIRROR_ALL | MIRROR_PASS_OVER, sid, NULL, &session, err) < 0)
        return -1;
    return store_read_end(store, read_difference(store, &session, from, to, json, err));
}

/* ---- a page of history ---- */

struct page_set {
    char change_set[UUID_TEXT_SIZE + 64];
    size_t rows, left;   /* of the log; those that the walk has still to meet */
    struct buf *entries; /* owned; the first of them, in the order in which they happened */
    size_t entry_count;
    struct buf head; /* {"change_set" ... "what", without its end */
};

struct reading {
    struct store *store;
    const struct history_page *page;
    int64_t session;
    struct page_set sets[HISTORY_LIMIT_MAX];
    size_t set_count, rows, rows_met;
    int64_t total;
    struct rewind rewind;
    size_t texts, texts_left_out; /* bytes; entries */
};

static void finish(struct reading *reading)
{
    for (size_t i = 0; i < reading->set_count; i++) {
        for (size_t j = 0; j < reading->sets[i].entry_count; j++)
            buf_finish(&reading->sets[i].entries[j]);
        free(reading->sets[i].entries);
        buf_finish(&reading->sets[i].head);
    }
    rewind_finish(&reading->rewind);
    free(reading);
}

/* ---- the change sets ---- */

static int read_set(struct reading *reading, struct rows *rows, struct page_set *set,
                    struct error *err)
{
    char by_set[UUID_TEXT_SIZE + 64];

    text_cut(set->change_set, sizeof set->change_set, rows_text(rows, 0));
    set->rows = set->left = (size_t)rows_int(rows, 4);
    set->entry_count = set->rows < HISTORY_ENTRIES_CAP ? set->rows : HISTORY_ENTRIES_CAP;
    set->entries = calloc(set->entry_count, sizeof *set->entries);
    if (!set->entries) {
        set->entry_count = 0;
        return error_set(err, ERROR_MEMORY, "out of memory for the history");
    }
    reading->rows += set->rows;
    buf_addc(&set->head, '{');
    add_text(&set->head, "change_set", set->change_set);
    buf_addf(&set->head, ",\"version\":%" PRId64 ",", rows_int(rows, 1));
    add_text(&set->head, "at", rows_text(rows, 2));
    buf_addc(&set->head, ',');
    add_text(&set->head, "who", rows_text(rows, 3));
    buf_addc(&set->head, ',');
    if (store_undone_by(reading->store, reading->session, set->change_set, by_set, sizeof by_set,
                        err) < 0)
        return -1;
    add_text(&set->head, "undone_by", *by_set ? by_set : NULL);
    return 0;
}

static int add_words(struct reading *reading, struct page_set *set, struct error *err)
{
    struct buf BUF_AUTO words = {0};

    if (store_change_words(reading->store, reading->session, set->change_set, &words, err) < 0)
        return -1;
    buf_addc(&set->head, ',');
    add_text(&set->head, "what", words.len > 0 ? words.data : "");
    return 0;
}

static int read_sets(struct reading *reading, struct error *err)
{
    const struct history_page *page = reading->page;
    int64_t before = page->before > 0 ? page->before : INT64_MAX;
    struct rows *rows;
    int row;

    if (db_number(reading->store->db, &reading->total, err, SQL_CHANGE_SETS_TOTAL, "iiis",
                  reading->session, page->since, before, page->node_id) != 0)
        return -1;
    rows = db_query(reading->store->db, err, SQL_CHANGE_SETS, "iiisi", reading->session,
                    page->since, before, page->node_id, (int64_t)page->limit);
    while ((row = rows_next(rows, err)) > 0)
        if (read_set(reading, rows, &reading->sets[reading->set_count++], err) < 0)
            return -1;
    for (size_t i = 0; row == 0 && i < reading->set_count; i++)
        row = add_words(reading, &reading->sets[i], err);
    return row;
}

/* ---- their entries ---- */

static struct page_set *set_of(struct reading *reading, const char *change_set)
{
    for (size_t i = 0; i < reading->set_count; i++)
        if (strcmp(reading->sets[i].change_set, change_set) == 0)
            return &reading->sets[i];
    return NULL;
}

static int want_row(void *user, const struct rewind_row *row, struct error *err)
{
    struct reading *reading = user;

    return row->op == REWIND_BEGIN ? 0 : rewind_include(&reading->rewind, row, err);
}

static int want_sets(struct reading *reading, struct error *err)
{
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < reading->set_count; i++)
        rc = rewind_each(db_query(reading->store->db, err, SQL_CHANGE_SET, "is", reading->session,
                                  reading->sets[i].change_set),
                         want_row, reading, err);
    return rc;
}

static void add_value(struct buf *entry, const char *key, json_t *value)
{
    buf_addf(entry, ",\"%s\":", key);
    if (value)
        json_write(entry, value);
    else
        buf_adds(entry, "null");
}

static void begin_entry(struct buf *entry, const struct rewind_row *row)
{
    buf_addf(entry, "{\"version\":%" PRId64 ",", row->version);
    add_text(entry, "entity", row->entity_name);
    buf_addc(entry, ',');
    add_text(entry, "entity_id", row->entity_id);
    buf_addc(entry, ',');
    add_text(entry, "node_id", row->node_id);
    buf_addc(entry, ',');
    add_text(entry, "op", row->op_name);
}

/* Of a session's beginning after is what the log has: how much was imported. */
static int rewind_by(struct reading *reading, const struct rewind_row *row, json_t **before,
                     json_t **after, struct error *err)
{
    if (row->op == REWIND_BEGIN) {
        *after = json_incref(row->after);
        return 0;
    }
    *after = rewind_value(&reading->rewind, row);
    if (rewind_invert(&reading->rewind, row, err) != 0)
        return -1;
    *before = rewind_value(&reading->rewind, row);
    return 0;
}

/* Called for each row, newest first, so the entries of a set begin with its last. */
static int meet(void *user, const struct rewind_row *row, struct error *err)
{
    struct reading *reading = user;
    struct page_set *set = set_of(reading, row->change_set);
    json_auto_t *before = NULL, *after = NULL;
    struct buf *entry;

    if (reading->rows_met == reading->rows)
        return 1;
    if (!reading->page->without_texts && (set || rewind_has(&reading->rewind, row)) &&
        rewind_by(reading, row, &before, &after, err) < 0)
        return -1;
    if (!set || set->left == 0)
        return 0;
    reading->rows_met++;
    if (--set->left >= set->entry_count)
        return 0;
    entry = &set->entries[set->left];
    begin_entry(entry, row);
    if (!reading->page->without_texts && reading->texts > HISTORY_TEXTS_CAP) {
        reading->texts_left_out++;
    } else if (!reading->page->without_texts) {
        add_value(entry, "before", before);
        add_value(entry, "after", after);
        reading->texts += entry->len;
    }
    buf_addc(entry, '}');
    return buf_check(entry, "the history", err);
}

static void write_page(const struct reading *reading, const struct session_found *session,
                       struct buf *json)
{
    buf_addf(json, "{\"session_id\":\"%s\",\"version\":%" PRId64 ",\"changes\":[", session->sid,
             session->version);
    for (size_t i = 0; i < reading->set_count; i++) {
        const struct page_set *set = &reading->sets[i];

        buf_adds(json, i > 0 ? ",\n" : "");
        buf_add(json, set->head.data, set->head.len);
        buf_adds(json, ",\"entries\":[");
        for (size_t j = 0; j < set->entry_count; j++) {
            buf_adds(json, j > 0 ? "," : "");
            buf_add(json, set->entries[j].data, set->entries[j].len);
        }
        buf_addc(json, ']');
        if (set->rows > set->entry_count)
            buf_addf(json, ",\"entries_left_out\":%zu", set->rows - set->entry_count);
        buf_addc(json, '}');
    }
    buf_addf(json, "],\"total\":%" PRId64, reading->total);
    if (reading->texts_left_out > 0)
        buf_addf(json, ",\"texts_left_out\":%zu", reading->texts_left_out);
    buf_addc(json, '}');
}

static int read_history(struct reading *reading, const struct session_found *session,
                        struct buf *json, struct error *err)
{
    int64_t is_long = 0;

    reading->session = session->key;
    rewind_init(&reading->rewind, reading->store, session->key);
    if (reading->page->briefly && db_number(reading->store->db, &is_long, err, SQL_CHANGE_IS_LONG,
                                            "ii", session->key, (int64_t)HISTORY_BRIEF_ROWS) != 0)
        return -1;
    if (is_long)
        return 1;
    if (read_sets(reading, err) != 0 ||
        (!reading->page->without_texts && want_sets(reading, err) != 0) ||
        rewind_each(
            db_query(reading->store->db, err, SQL_CHANGE_WALK, "ii", reading->session, (int64_t)0),
            meet, reading, err) < 0)
        return -1;
    write_page(reading, session, json);
    return buf_check(json, "the history", err);
}

int store_read_history(struct store *store, const char *sid, const struct history_page *page,
                       struct buf *json, struct error *err)
{
    struct session_found session;
    struct reading *reading;
    int rc;

    if (page->limit < 1 || page->limit > HISTORY_LIMIT_MAX)
        return error_set_at(err, "limit", "limit: send 1 to %d", HISTORY_LIMIT_MAX);
    reading = calloc(1, sizeof *reading);
    if (!reading)
        return error_set(err, ERROR_MEMORY, "out of memory for the history");
    reading->store = store;
    reading->page = page;
    rc = store_read_begin(store, MIRROR_ALL | MIRROR_PASS_OVER, sid, NULL, &session, err);
    if (rc == 0)
        rc = store_read_end(store, read_history(reading, &session, json, err));
    finish(reading);
    return rc;
}
