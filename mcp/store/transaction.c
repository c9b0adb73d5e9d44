/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Transactions. A write counts up the session's version and leaves its rows in the change log.
 * Where a service is the truth the copy is brought up to date before a transaction: each public
 * function of the store says with store_refresh what it is about.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/array.h"
#include "helpers/base/clock.h"
#include "mcp/store/large_write.h"
#include "mcp/store/search/search_internal.h"
#include "mcp/store/store_internal.h"

#define DIRTY_SET_CAP 4096u /* more are reported as a change of the whole session */

int store_read_begin(struct store *store, unsigned scope, const char *sid, const char *node_id,
                     struct session_found *session, struct error *err)
{
    if (scope != 0 && store_refresh(store, scope, sid, node_id, err) != 0)
        return -1;
    /* Within a write, what is being written is what is read. */
    if (store->open.depth == 0 && !store->snapshot &&
        store->db->backend->begin(store->db, false, err) != 0)
        return -1;
    if (store_session_find(store, sid, session, err) == 0)
        return 0;
    return store_read_end(store, -1);
}

int store_read_end(struct store *store, int rc)
{
    if (store->open.depth > 0 || store->snapshot)
        store->db->backend->end_reads(store->db);
    else
        store->db->backend->rollback(store->db);
    return rc;
}

int store_snapshot_begin(struct store *store, struct error *err)
{
    if (store->mirror || store->open.depth > 0)
        return 0;
    if (store->db->backend->begin(store->db, false, err) != 0)
        return -1;
    store->snapshot = true;
    return 1;
}

void store_snapshot_end(struct store *store)
{
    store->snapshot = false;
    store->db->backend->rollback(store->db);
}

/* ---- with a service behind the store ---- */

int store_refresh(struct store *store, unsigned scope, const char *sid, const char *node_id,
                  struct error *err)
{
    struct mirror *mirror = store->mirror;
    struct session_found known;

    if (!mirror)
        return 0;
    if (scope == MIRROR_UNKNOWN) {
        if (store_session_find(store, sid, &known, NULL) == 0)
            return 0;
        scope = MIRROR_SESSION;
    }
    return mirror->refresh(mirror, store, scope, sid, node_id, err);
}

void store_call_begin(struct store *store)
{
    if (store)
        store->reading = ++store->transactions;
}

void store_call_end(struct store *store)
{
    if (store)
        store->reading = 0;
}

int store_read_ahead(struct store *store, const char *sid, const json_t *parts, struct error *err)
{
    int rc;

    if (!store->mirror)
        return 0;
    store->mirror->ahead = parts;
    rc = store_refresh(store, MIRROR_AHEAD, sid, NULL, err);
    store->mirror->ahead = NULL;
    return rc;
}

int store_catch_up(struct store *store, const char *sid, struct error *err)
{
    return store_refresh(store, MIRROR_ALL | MIRROR_PASS_OVER, sid, NULL, err);
}

/* ---- what the open transaction has changed. The observer is notified after the commit, once for
 * each entity, in the order of their first changes. ---- */

struct dirty_entry {
    enum store_target target;
    char sid[SESSION_ID_SIZE];
    char who[WHO_CAP];
    char node_id[NODE_ID_MAX + 1]; /* "": none. A longer imported id is not reported */
};

static bool is_known(const struct dirty_set *dirty, const struct dirty_entry *entry)
{
    for (size_t i = dirty->count; i-- > 0;) {
        const struct dirty_entry *other = &dirty->entries[i];

        if (other->target == entry->target && strcmp(other->sid, entry->sid) == 0 &&
            strcmp(other->node_id, entry->node_id) == 0 && strcmp(other->who, entry->who) == 0)
            return true;
    }
    return false;
}

static void note_entry(struct store *store, const struct dirty_entry *entry)
{
    struct dirty_set *dirty = &store->open.dirty;

    if (dirty->count == DIRTY_SET_CAP) { /* the last entry represents all that follow */
        dirty->entries[DIRTY_SET_CAP - 1].target = STORE_SESSION;
        dirty->entries[DIRTY_SET_CAP - 1].node_id[0] = '\0';
        return;
    }
    if (is_known(dirty, entry))
        return;
    if (!ARRAY_ROOM(dirty->entries, dirty->count))
        return; /* other clients see the change when they read next */
    dirty->entries[dirty->count++] = *entry;
}

void store_note_change(struct store *store, const struct write *write, enum store_target target,
                       const char *node_id)
{
    struct dirty_entry entry = {.target = target};

    memcpy(entry.sid, write->sid, sizeof entry.sid);
    memcpy(entry.who, write->who, sizeof entry.who);
    if (node_id && strlen(node_id) <= NODE_ID_MAX)
        memcpy(entry.node_id, node_id, strlen(node_id) + 1);
    note_entry(store, &entry);
}

static void forget_changes(struct store *store, size_t mark)
{
    if (store->open.dirty.count > mark)
        store->open.dirty.count = mark;
}

void store_note_changes(struct store *store, struct dirty_set *changes)
{
    struct dirty_set *dirty = &store->open.dirty;

    if (dirty->count == 0) { /* no comparison of thousands with each other */
        const struct dirty_set empty = *dirty;

        *dirty = *changes;
        *changes = empty;
        return;
    }
    for (size_t i = 0; i < changes->count; i++)
        note_entry(store, &changes->entries[i]);
}

static void notify_observer(struct dirty_set *dirty, struct db *db)
{
    for (size_t i = 0; i < dirty->count; i++) {
        const struct dirty_entry *entry = &dirty->entries[i];
        const struct store_change change = {
            .target = entry->target,
            .sid = entry->sid,
            .node_id = entry->node_id[0] ? entry->node_id : NULL,
            .who = entry->who,
        };

        db->backend->notify(db, &change);
    }
    dirty->count = 0;
}

/* ---- write transactions, one in the other: the outermost is one of the database, the others are
 * savepoints ---- */

/* The log rows after it are what this transaction must send. */
static int note_last_change(struct store *store, struct error *err)
{
    store->open.number = ++store->transactions;
    return db_number(store->db, &store->open.changes_before, err, SQL_MIRROR_LAST_CHANGE, "");
}

static int check_open(struct store *store, struct error *err)
{
    return store->db->backend->is_open(store->db)
               ? 0
               : error_set(err, ERROR_IO, "the transaction was lost, nothing of it is kept");
}

/* In front of a service: so that it can be set aside. */
static int record(struct store *store, struct error *err)
{
    const struct db_backend *backend = store->db->backend;

    if (note_last_change(store, err) == 0 &&
        backend->record(store->db, store->mirror->shared, err) == 0)
        return 0;
    backend->rollback(store->db);
    return -1;
}

int store_begin(struct store *store, struct error *err)
{
    const struct db_backend *backend = store->db->backend;

    if (store->access != STORE_WRITE)
        return error_set(err, ERROR_INTERNAL, "the store was opened for reading only");
    if (store->open.depth == SAVEPOINTS_CAP)
        return error_set(err, ERROR_INTERNAL, "transactions nest deeper than %u", SAVEPOINTS_CAP);
    if (store->open.depth > 0 && check_open(store, err) != 0)
        return -1;
    if ((store->open.depth == 0 ? backend->begin(store->db, true, err)
                                : backend->savepoint(store->db, err)) != 0)
        return -1;
    if (store->mirror && store->open.depth == 0 && record(store, err) < 0)
        return -1;
    if (store->open.depth == 0) {
        store->open.logged = 0;
        memset(&store->open.made, 0, sizeof store->open.made);
    }
    store->open.marks[store->open.depth++] = store->open.dirty.count;
    return 0;
}

static int end_inner(struct store *store, bool keep, struct error *err)
{
    if (check_open(store, err) != 0)
        return -1;
    if (!keep) {
        store->taken_back++;
        forget_changes(store, store->open.marks[store->open.depth]);
    }
    return store->db->backend->end_savepoint(store->db, keep, err);
}

static int end_outermost(struct store *store, bool keep, struct error *err)
{
    const struct db_backend *backend = store->db->backend;
    struct mirror *mirror = store->mirror;
    int rc = keep ? check_open(store, err) : 0;

    if (keep && rc == 0 && mirror) {
        store->open.depth++; /* what it reads is read within this transaction */
        rc = mirror->push(mirror, store, err);
        store->open.depth--;
        backend->end_reads(store->db);
    }
    if (mirror)
        backend->end_record(store->db);
    if (keep && rc == 0)
        rc = search_update(store, err);
    if (keep && rc == 0)
        rc = backend->commit(store->db, err);
    if (keep && rc == 0) {
        if (!store->copy)
            notify_observer(&store->open.dirty, store->db);
    } else {
        backend->rollback(store->db);
        forget_changes(store, 0);
    }
    if (mirror)
        mirror->ended(mirror, store);
    return rc;
}

int store_end(struct store *store, bool keep, struct error *err)
{
    store->db->backend->end_reads(store->db);
    store->open.depth--;
    return store->open.depth > 0 ? end_inner(store, keep, err) : end_outermost(store, keep, err);
}

/* ---- what ends a write between two rows ---- */

void store_bound(struct store *store, const struct cancel *cancel)
{
    if (!store)
        return;
    store->bounds =
        (struct bounds){.active = true, .cancel = cancel, .begin_ms = clock_ms(), .factor = 1};
}

void store_unbound(struct store *store)
{
    if (store)
        store->bounds.active = false;
}

/* The store whose bounds hold here. */
static struct bounds *bounds_of(struct store *store)
{
    return store->origin ? &store->origin->bounds : &store->bounds;
}

void store_bound_undo(struct store *store)
{
    bounds_of(store)->factor = UNDO_BOUNDS_FACTOR;
}

void store_bound_new(struct store *store, const char *sid)
{
    struct bounds *bounds = bounds_of(store);

    snprintf(bounds->sid, sizeof bounds->sid, "%s", sid);
    bounds->makes_session = true;
}

int store_time_left(struct store *store, struct error *err)
{
    struct bounds *bounds = bounds_of(store);
    int64_t most = (int64_t)bounds->factor * WRITE_MS_MAX, taken;

    if (!bounds->active)
        return 0;
    if (cancel_check(bounds->cancel, err) < 0)
        return -1;
    taken = clock_ms() - bounds->begin_ms;
    if (bounds->may_be_put_aside && *bounds->sid && taken > LARGE_WRITE_MS) {
        bounds->put_aside = true;
        return error_set(err, ERROR_BUSY, "the write is large and is made on a copy");
    }
    if (taken > most)
        return error_set(err, ERROR_TIMEOUT,
                         "the write took longer than %" PRId64 " s and was not made: make several "
                         "smaller calls",
                         most / 1000);
    return 0;
}

int store_row_wanted(struct store *store, struct error *err)
{
    struct bounds *bounds = bounds_of(store);
    unsigned most = bounds->factor * WRITE_ROWS_MAX;

    if (store->on_row && store->on_row(store, err) < 0)
        return -1;
    if (!bounds->active)
        return 0;
    if (++bounds->rows > most)
        return error_set(err, ERROR_TOO_LARGE,
                         "one call writes at most %u components, lessons and relationships: make "
                         "several smaller calls, or import the file with `lectern import`",
                         most);
    return store_time_left(store, err);
}

/* Whether the transaction has made the session's newest version with the same change set. */
static bool continues_version(const struct store *store, const struct session_found *session,
                              const char *change_set)
{
    return store->open.made.session == session->key &&
           store->open.made.version == session->version &&
           strcmp(store->open.made.change_set, change_set) == 0;
}

static int fill_write(struct store *store, const struct writer *writer, const char *sid,
                      struct write *write, struct error *err)
{
    bool grouped = writer->change_set && *writer->change_set;
    struct session_found session;
    char uuid[UUID_TEXT_SIZE];

    memset(write, 0, sizeof *write);
    text_now(write->now);
    text_cut_line(write->who, sizeof write->who, writer->who ? writer->who : "unknown");
    write->expected_cursor = writer->expected_cursor;
    if (!grouped && text_uuid(uuid, err) < 0)
        return -1;
    text_cut(write->change_set, sizeof write->change_set, grouped ? writer->change_set : uuid);
    if (!sid)
        return 0;
    if (store_session_find(store, sid, &session, err) != 0)
        return -1;
    write->session = session.key;
    write->version_before = session.version;
    write->version = session.version + !continues_version(store, &session, write->change_set);
    write->logged_before = store->open.logged;
    memcpy(write->sid, session.sid, sizeof write->sid);
    memcpy(bounds_of(store)->sid, session.sid, sizeof session.sid);
    return 0;
}

int store_write_begin(struct store *store, const struct writer *writer, const char *sid,
                      struct write *write, struct error *err)
{
    struct mirror *mirror = store->mirror;

    if (mirror && sid && store->open.depth == 0 && mirror->own(mirror, store, sid, err) != 0)
        return -1;
    if (store_begin(store, err) < 0) {
        if (mirror && store->open.depth == 0)
            mirror->ended(mirror, store);
        return -1;
    }
    if (fill_write(store, writer, sid, write, err) < 0) {
        store_end(store, false, NULL);
        return -1;
    }
    return 0;
}

int store_write_begin_session(struct store *store, const struct writer *writer, unsigned scope,
                              const char *sid, const char *node_id, struct write *write,
                              struct error *err)
{
    if ((scope != 0 && store_refresh(store, scope, sid, node_id, err) != 0) ||
        store_write_begin(store, writer, sid, write, err) < 0)
        return -1;
    if (write->expected_cursor == 0 || write->expected_cursor == write->version_before)
        return 0;
    store_end(store, false, NULL);
    return error_set(err, ERROR_STALE, "the session has changed since it was read");
}

bool store_write_has_changed(const struct store *store, const struct write *write)
{
    return write->silent || write->counts || store->open.logged > write->logged_before;
}

int store_write_end(struct store *store, const struct write *write, int rc, struct error *err)
{
    if (rc == 0 && store_write_has_changed(store, write)) {
        store->db->backend->end_reads(store->db);
        store->open.made.session = write->session;
        store->open.made.version = write->version;
        text_cut(store->open.made.change_set, sizeof store->open.made.change_set,
                 write->change_set);
        rc = db_run(store->db, err, SQL_SESSION_TOUCH, "iis", write->session, write->version,
                    write->now);
    }
    if (store_end(store, rc == 0, rc == 0 ? err : NULL) != 0)
        rc = -1;
    return rc;
}

/* ---- setting a write transaction aside ---- */

struct suspended {
    struct db_changes *changes;
    struct transaction transaction;
};

bool store_is_suspended(const struct store *store)
{
    return store->suspended != NULL;
}

int store_suspend(struct store *store, struct error *err)
{
    struct suspended *suspended;

    if (store->open.depth == 0)
        return 0;
    store->db->backend->end_reads(store->db);
    if (check_open(store, err) < 0)
        return -1;
    suspended = calloc(1, sizeof *suspended);
    if (!suspended)
        return error_set(err, ERROR_MEMORY, "out of memory for a transaction");
    suspended->changes =
        store->db->backend->set_aside(store->db, store->open.depth, store->mirror->shared, err);
    if (!suspended->changes) {
        free(suspended);
        return -1;
    }
    suspended->transaction = store->open;
    store->open = (struct transaction){0};
    store->suspended = suspended;
    return 1;
}

static int resume(struct store *store, struct error *err)
{
    struct suspended *suspended = store->suspended;
    int rc =
        store->db->backend->make_again(store->db, suspended->changes, store->mirror->shared, err);

    free(store->open.dirty.entries);
    store->open = suspended->transaction;
    store->suspended = NULL;
    free(suspended);
    return rc;
}

int store_resume(struct store *store, int suspended, int rc, struct error *err)
{
    return suspended > 0 && resume(store, rc == 0 ? err : NULL) != 0 ? -1 : rc;
}
