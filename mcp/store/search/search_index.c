/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The index of the search: for each component, and for each node's own texts, the stems of their
 * words, as rows of the database's full text search. Triggers note what a transaction has changed
 * (search_stale), and before its commit those rows are made anew, so the index is part of every
 * write: an edit, an import, an undo. In a server (store_index_later) a commit makes only STEP_ROWS
 * with STEP_BYTES of them, because the writers of other sessions wait for it. The other rows follow
 * in steps, and a search of their session waits for them. The index is made from nothing when a
 * store is opened for writing whose index has another form.
 *
 * A term is "SESSION:stem", so that what other curricula contain costs a search nothing; their
 * markers are "SESSION:@TYPE" of a component type, "SESSION:@@LANGUAGE" of the stems' language.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "helpers/base/array.h"
#include "helpers/base/fields.h"
#include "helpers/base/json.h"
#include "mcp/curriculum/prose.h"
#include "mcp/store/search/find.h"
#include "mcp/store/search/search_internal.h"

/* Of what a row has; to be raised with each change to it or to prose.h. */
#define FORM   6
#define SAMPLE 8 /* components that show the language of a session */

#define STEP_ROWS  INT64_C(200)        /* made anew by one commit of a server */
#define STEP_BYTES ((size_t)128 << 10) /* likewise, of their words */

/* The segments of the index are merged a little with each write, so that none waits for much of it,
 * and a search for few segments: with FTS5's own settings one edit in a hundred took 3 ms. */
#define MERGE_PAGES 1 /* written by a merge with one write, about */
static const struct {
    const char *name;
    int64_t value;
} settings[] = {
    {"automerge", 0},
    {"usermerge", 4},    /* segments that are worth a merge */
    {"crisismerge", 32}, /* segments that are merged at once; many writes of many rows come to it */
};

/* The text of one row as it is built. */
struct row_text_of {
    struct search_index *index;
    int language;
    char prefix[SEARCH_PREFIX_SIZE];
    size_t words;
    struct buf *to; /* the column of the text that is being read */
};

struct search_index {
    struct stems *stems;
    struct buf columns[SEARCH_COLUMNS];
    int64_t session; /* whose language is known, or 0 */
    int language;
    bool named; /* by the curriculum itself */
};

void search_prefix(char prefix[SEARCH_PREFIX_SIZE], int64_t session)
{
    snprintf(prefix, SEARCH_PREFIX_SIZE, "%" PRId64 ":", session);
}

void search_marker(struct buf *to, const char *prefix, const char *type)
{
    buf_adds(to, prefix);
    buf_addc(to, '@');
    for (; *type; type++)
        buf_addc(to, *type == '"' || (unsigned char)*type <= ' ' ? '-' : *type);
}

/* ---- the language ---- */

/* "language" at the top of a curriculum's file, or in its "meta". */
static int named_language(const json_t *further)
{
    static const char *const names[] = {"language", "inLanguage", "lang"};
    const json_t *const places[] = {further, json_object_get(further, "meta")};

    for (size_t i = 0; i < 2; i++) {
        for (size_t j = 0; j < sizeof names / sizeof *names; j++) {
            const char *name = json_get_string(places[i], names[j]);

            if (name)
                return language_named(name);
        }
    }
    return -2;
}

static int sample_language(struct store *store, int64_t session, int *language, struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_SEARCH_SAMPLE, "ii", session, (int64_t)SAMPLE);
    struct buf BUF_AUTO sample = {0};
    int row;

    while ((row = rows_next(rows, err)) > 0) {
        struct row_text body = rows_string(rows, 0);

        buf_add(&sample, body.text, body.len);
        buf_addc(&sample, ' ');
    }
    *language = row == 0 && sample.len > 0 ? language_of(sample.data, sample.len, LANGUAGE_NONE)
                                           : LANGUAGE_NONE;
    if (*language == LANGUAGE_NONE)
        *language = 0;
    return row;
}

static int know_language(struct store *store, struct search_index *index, int64_t session,
                         struct error *err)
{
    struct rows *rows;
    json_auto_t *further = NULL;
    int row;

    if (index->session == session)
        return 0;
    rows = db_query(store->db, err, SQL_SESSION_BY_KEY, "i", session);
    row = rows_next(rows, err);
    if (row < 0)
        return -1;
    if (row > 0) {
        struct row_text text = rows_string(rows, 1);

        further = json_read(text.text, text.len, "a kept session", NULL);
    }
    rows_end(rows);
    index->language = named_language(further);
    index->named = index->language >= LANGUAGE_NONE;
    if (!index->named && sample_language(store, session, &index->language, err) < 0)
        return -1;
    index->session = session;
    return 0;
}

/* ---- the text of a row ---- */

static int add_term(void *user, const struct stem *stem)
{
    struct row_text_of *row = user;

    buf_adds(row->to, row->prefix);
    buf_adds(row->to, stem->stem);
    buf_addc(row->to, ' ');
    return row->to->failed ? -1 : 0;
}

static bool ends_with(const char *path, const char *name)
{
    const char *last = strrchr(path, '.');

    return strncmp(last ? last + 1 : path, name, strlen(name)) == 0;
}

enum search_column search_column_of(const struct prose_text *text)
{
    if (text->flags & FIELD_TERM)
        return SEARCH_TERM;
    if (text->further)
        return SEARCH_WORDS;
    if (text->flags & FIELD_HEADING || ends_with(text->path, "title") ||
        ends_with(text->path, "term") || ends_with(text->path, "name"))
        return SEARCH_HEAD;
    return SEARCH_WORDS;
}

/* The further fields whose words count as the lesson's length. Others may be the book's name. */
static bool is_of_the_lesson(const char *name)
{
    static const char *const names[] = {"description", "summary", "objective", "notes"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcasecmp(name, names[i]) == 0)
            return true;
    return false;
}

static int add_text(void *user, const struct prose_text *text)
{
    struct row_text_of *row = user;
    int rc = 0;

    row->to = &row->index->columns[search_column_of(text)];
    if (!text->further || is_of_the_lesson(text->path))
        row->words += prose_words_of(text);
    for (size_t i = 0; rc == 0 && i < text->count; i++)
        rc = stems_each(row->index->stems, row->language, text->text + text->spans[i].start,
                        text->spans[i].len, add_term, row);
    buf_adds(row->to, row->prefix); /* a phrase ends with its text */
    buf_adds(row->to, "@ ");
    return rc;
}

static int fill_row(struct store *store, struct search_index *index, struct rows *found,
                    const char *type, size_t *words, struct error *err)
{
    struct kept kept = rows_kept(found, 0);
    struct row_text_of row = {.index = index};
    json_auto_t *body = NULL;

    if (know_language(store, index, rows_int(found, 2), err) < 0)
        return -1;
    search_prefix(row.prefix, index->session);
    row.language =
        index->named ? index->language : language_of(kept.body, kept.len, index->language);
    for (size_t i = 0; i < SEARCH_COLUMNS; i++) {
        buf_clear(&index->columns[i]);
        buf_adds(&index->columns[i], "");
    }
    row.to = &index->columns[SEARCH_WORDS];
    if (type) {
        search_marker(row.to, row.prefix, type);
        buf_addc(row.to, ' ');
    }
    if (row.language != LANGUAGE_NONE)
        buf_addf(row.to, "%s@@%s ", row.prefix, language_code(row.language));
    body = json_read(kept.body, kept.len, "a kept text", err);
    if (!body)
        return -1;
    if (prose_each(type, type ? json_object_get(body, "parameters") : body, add_text, &row) != 0)
        return error_set(err, ERROR_MEMORY, "out of memory for the search");
    *words = row.words;
    return 0;
}

static int read_row(struct store *store, struct search_index *index, int64_t key, size_t *words,
                    struct error *err)
{
    int64_t component = search_row_component(key), node = search_row_node(key);
    struct rows *found = component > 0
                             ? db_query(store->db, err, SQL_SEARCH_COMPONENT, "ii", component, node)
                             : db_query(store->db, err, SQL_SEARCH_NODE, "i", node);
    int row = rows_next(found, err);
    char type[SEARCH_TYPE_SIZE];

    if (row <= 0)
        return row;
    if (component > 0)
        text_cut(type, sizeof type, rows_text(found, 3));
    row = fill_row(store, index, found, component > 0 ? type : NULL, words, err);
    rows_end(found);
    return row < 0 ? -1 : 1;
}

/* Replaces the words of the row in the index. Returns 1, with nothing done, if they have more bytes
 * than are left; else subtracts these. */
static int renew_row(struct store *store, struct search_index *index, int64_t key, size_t *left,
                     struct error *err)
{
    struct db *db = store->db;
    int64_t had;
    size_t words = 0, bytes = 0;
    int found = read_row(store, index, key, &words, err);

    if (found < 0)
        return -1;
    for (size_t i = 0; found > 0 && i < SEARCH_COLUMNS; i++) {
        if (buf_check(&index->columns[i], "a text of the search", err) < 0)
            return -1;
        bytes += index->columns[i].len;
    }
    if (bytes > *left)
        return 1;
    *left -= bytes;
    if (db_number(db, &had, err, SQL_SEARCH_HAS, "i", key) < 0)
        return -1;
    if (had > 0 && (db_run(db, err, SQL_SEARCH_DELETE, "i", key) < 0 ||
                    db_run(db, err, SQL_SEARCH_ROW_DELETE, "i", key) < 0))
        return -1;
    if (found == 0)
        return 0;
    return db_run(db, err, SQL_SEARCH_INSERT, "ibbb", key, &index->columns[SEARCH_HEAD],
                  &index->columns[SEARCH_TERM], &index->columns[SEARCH_WORDS]) < 0 ||
                   db_run(db, err, SQL_SEARCH_ROW_INSERT, "ii", key, (int64_t)words) < 0
               ? -1
               : 0;
}

/* ---- what is stale ---- */

static int read_stale(struct store *store, int64_t most, int64_t **keys, size_t *count,
                      struct error *err)
{
    struct rows *rows = db_query(store->db, err, SQL_SEARCH_STALE, "i", most);
    int row;

    *keys = NULL;
    *count = 0;
    while ((row = rows_next(rows, err)) > 0) {
        if (!ARRAY_ROOM(*keys, *count)) {
            rows_end(rows);
            return error_set(err, ERROR_MEMORY, "out of memory for the search");
        }
        (*keys)[(*count)++] = rows_int(rows, 0);
    }
    return row;
}

/* done: how many of the rows are renewed; as many as `left` allows, but at least `least`. */
static int renew_all(struct store *store, const int64_t *keys, size_t count, size_t least,
                     size_t left, size_t *done, struct error *err)
{
    struct search_index index = {.stems = stems_new()};
    int rc = index.stems ? 0 : error_set(err, ERROR_MEMORY, "out of memory for the search");
    size_t any = SIZE_MAX;

    *done = 0;
    while (rc == 0 && *done < count) {
        rc = renew_row(store, &index, keys[*done], *done < least ? &any : &left, err);
        *done += rc == 0;
    }
    for (size_t i = 0; i < SEARCH_COLUMNS; i++)
        buf_finish(&index.columns[i]);
    stems_free(index.stems);
    return rc < 0 ? -1 : 0;
}

/* At least so many of the rows that are stale, if there are. */
static int update(struct store *store, size_t least, struct error *err)
{
    const bool all = !store->indexes_later;
    const int64_t most = all ? INT64_MAX : STEP_ROWS;
    int64_t *keys;
    size_t count, done = 0;
    int rc = read_stale(store, most, &keys, &count, err);

    if (rc == 0 && count > 0)
        rc = renew_all(store, keys, count, least, all ? SIZE_MAX : STEP_BYTES, &done, err);
    store->has_stale |= done < count || (int64_t)count == most;
    if (rc == 0 && done > 0)
        rc = db_run(store->db, err, SQL_SEARCH_STALE_DROP, "i", keys[done - 1]);
    if (rc == 0 && done > 0)
        rc = db_run(store->db, err, SQL_SEARCH_SET, "si", "merge", (int64_t)MERGE_PAGES);
    free(keys);
    return rc;
}

int search_update(struct store *store, struct error *err)
{
    return store->searchable ? update(store, 0, err) : 0;
}

void store_index_later(struct store *store)
{
    store->indexes_later = !store->mirror;
    store->has_stale = store->indexes_later; /* if a process was killed meanwhile */
}

int store_index_step(struct store *store, struct error *err)
{
    const struct db_backend *backend = store->db->backend;
    int64_t any;

    if (!store->has_stale)
        return 0;
    if (db_number(store->db, &any, err, SQL_SEARCH_STALE_ANY, "") < 0)
        return -1;
    store->has_stale = any != 0;
    if (!store->has_stale)
        return 0;
    if (backend->begin(store->db, true, err) != 0)
        return -1;
    if (update(store, 1, err) == 0 && backend->commit(store->db, err) == 0)
        return 1;
    backend->rollback(store->db);
    return -1;
}

int search_is_current(struct store *store, int64_t session, bool *current, struct error *err)
{
    int64_t stale;

    if (db_number(store->db, &stale, err, SQL_SEARCH_STALE_IN, "i", session) < 0)
        return -1;
    *current = stale == 0;
    return 0;
}

/* ---- from nothing ---- */

static int make_anew(struct store *store, struct error *err)
{
    static const enum statement steps[] = {
        SQL_SEARCH_DROP_TERMS,  SQL_SEARCH_DROP_ROWS,    SQL_SEARCH_DROP,      SQL_SEARCH_CREATE,
        SQL_SEARCH_CREATE_ROWS, SQL_SEARCH_CREATE_TERMS, SQL_SEARCH_STALE_ALL, SQL_SEARCH_FORM_DROP,
    };

    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (db_run(store->db, err, steps[i], "") < 0)
            return -1;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (db_run(store->db, err, SQL_SEARCH_SET, "si", settings[i].name, settings[i].value) < 0)
            return -1;
    store->searchable = true;
    if (search_update(store, err) < 0 ||
        db_run(store->db, err, SQL_SEARCH_SET, "si", "optimize", (int64_t)0) < 0)
        return -1;
    return db_run(store->db, err, SQL_SEARCH_FORM_SET, "i", (int64_t)FORM);
}

int search_is_ready(struct store *store, bool *ready, struct error *err)
{
    int64_t form;

    if (db_number(store->db, &form, err, SQL_SEARCH_FORM, "") < 0)
        return -1;
    *ready = form == FORM;
    return 0;
}

int search_rebuild(struct store *store, struct error *err)
{
    const struct db_backend *backend = store->db->backend;
    int rc;

    if (backend->begin(store->db, true, err) != 0)
        return -1;
    rc = make_anew(store, err);
    if (rc == 0)
        rc = backend->commit(store->db, err);
    if (rc != 0)
        backend->rollback(store->db);
    return rc == 0 ? 0 : error_wrap(err, "cannot prepare the search");
}

int search_open(struct store *store, struct error *err)
{
    if (search_is_ready(store, &store->searchable, err) < 0)
        return -1;
    return store->searchable ? 0 : search_rebuild(store, err);
}
