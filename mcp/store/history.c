/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A page of history: change sets with what they did in words, and their entries with what was there
 * before and after. The log keeps as little as it can, so the texts are found by leading images
 * back from what is there now, row by row, down to the last entry of the page.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/store/rewind.h"

#define HISTORY_TEXTS_CAP ((size_t)16 << 20) /* bytes of before and after in one page */

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

static void add_text(struct buf *to, const char *key, const char *text)
{
    buf_addf(to, "\"%s\":", key);
    if (text)
        json_write_string(to, text, strlen(text));
    else
        buf_adds(to, "null");
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
                        err) != 0)
        return -1;
    add_text(&set->head, "undone_by", *by_set ? by_set : NULL);
    return 0;
}

static int add_words(struct reading *reading, struct page_set *set, struct error *err)
{
    struct buf words BUF_AUTO = {0};

    if (store_change_words(reading->store, reading->session, set->change_set, &words, err) != 0)
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
        if (read_set(reading, rows, &reading->sets[reading->set_count++], err) != 0)
            return -1;
    for (size_t i = 0; row == 0 && i < reading->set_count; i++)
        row = add_words(reading, &reading->sets[i], err);
    return row;
}

/* ---- their entries ---- */

static struct page_set *set_of(struct reading *reading, const char *change_set)
{
    for (size_t i = 0; i < reading->set_count; i++)
        if (!strcmp(reading->sets[i].change_set, change_set))
            return &reading->sets[i];
    return NULL;
}

static int want_sets(struct reading *reading, struct error *err)
{
    for (size_t i = 0; i < reading->set_count; i++) {
        struct rows *rows;
        int found, rc = 0;

        rows = db_query(reading->store->db, err, SQL_CHANGE_SET, "is", reading->session,
                        reading->sets[i].change_set);
        while (rc == 0 && (found = rows_next(rows, err)) != 0) {
            struct rewind_row row = {0};

            rc = found < 0 ? -1 : rewind_row_read(rows, &row, err);
            if (rc == 0 && row.op != PAST_BEGIN)
                rc = rewind_want(&reading->rewind, &row, err);
            rewind_row_finish(&row);
        }
        rows_end(rows);
        if (rc != 0)
            return -1;
    }
    return 0;
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
    if (row->op == PAST_BEGIN) {
        *after = json_incref(row->after);
        return 0;
    }
    *after = rewind_value(&reading->rewind, row);
    if (rewind_invert(&reading->rewind, row, err) != 0)
        return -1;
    *before = rewind_value(&reading->rewind, row);
    return 0;
}

/* Called for each row from the newest on, so that a set's entries come from its last. */
static int meet(struct reading *reading, const struct rewind_row *row, struct error *err)
{
    struct page_set *set = set_of(reading, row->change_set);
    json_auto_t *before = NULL, *after = NULL;
    struct buf *entry;

    if (!reading->page->without_texts && (set || rewind_has(&reading->rewind, row)) &&
        rewind_by(reading, row, &before, &after, err) != 0)
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

static int walk(struct reading *reading, struct error *err)
{
    struct rows *rows;
    int found, rc = 0;

    rows = db_query(reading->store->db, err, SQL_CHANGE_WALK, "ii", reading->session, (int64_t)0);
    while (rc == 0 && reading->rows_met < reading->rows && (found = rows_next(rows, err)) != 0) {
        struct rewind_row row = {0};

        rc = found < 0 ? -1 : rewind_row_read(rows, &row, err);
        if (rc == 0)
            rc = meet(reading, &row, err);
        rewind_row_finish(&row);
    }
    rows_end(rows);
    return rc;
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

static int read_history(struct reading *reading, const char *sid, struct buf *json,
                        struct error *err)
{
    struct session_found session;

    if (store_session_find(reading->store, sid, &session, err) != 0)
        return -1;
    reading->session = session.key;
    rewind_init(&reading->rewind, reading->store, session.key);
    if (read_sets(reading, err) != 0 ||
        (!reading->page->without_texts && want_sets(reading, err) != 0) || walk(reading, err) != 0)
        return -1;
    write_page(reading, &session, json);
    return buf_check(json, "the history", err);
}

int store_read_history(struct store *store, const char *sid, const struct history_page *page,
                       struct buf *json, struct error *err)
{
    struct reading *reading;
    int rc;

    if (store_refresh(store, UPSTREAM_ALL | UPSTREAM_PASS_OVER, sid, NULL, err) != 0)
        return -1;
    if (page->limit < 1 || page->limit > HISTORY_LIMIT_MAX)
        return error_set_at(err, "limit", "limit: send 1 to %d", HISTORY_LIMIT_MAX);
    reading = calloc(1, sizeof *reading);
    if (!reading)
        return error_set(err, ERROR_MEMORY, "out of memory for the history");
    reading->store = store;
    reading->page = page;
    rc = store_read_begin(store, err);
    if (rc == 0)
        rc = store_read_end(store, read_history(reading, sid, json, err));
    finish(reading);
    return rc;
}
