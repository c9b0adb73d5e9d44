/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Inside of the embedded backend: one connection, its statements, its transactions. This folder
 * alone knows SQLite.
 */
#ifndef LECTERN_SESSION_SQLITE_STORE_H
#define LECTERN_SESSION_SQLITE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>
#include <sqlite3.h>

#include "mcp/session/row.h"
#include "mcp/store/store.h"
#include "mcp/store/sqlite_functions.h"
#include "mcp/store/store_internal.h"
#include "mcp/session/text.h"

enum statement { /* their texts are one table in statement.c */
                 SQL_BEGIN,
                 SQL_BEGIN_WRITE,
                 SQL_COMMIT,
                 SQL_ROLLBACK,
                 SQL_SAVEPOINT,
                 SQL_SAVEPOINT_KEEP,
                 SQL_SAVEPOINT_BACK,
                 SQL_SESSION_FIND,
                 SQL_SESSION_LIST,
                 SQL_SESSION_INSERT,
                 SQL_SESSION_TOUCH,
                 SQL_SESSION_SET_FURTHER,
                 SQL_SESSION_BY_KEY,
                 SQL_SESSION_SUM,
                 SQL_GRAPH_VERSION,
                 SQL_SESSION_DELETE,
                 SQL_SESSION_BURY,
                 SQL_SESSION_DELETED,
                 SQL_NODE_FIND,
                 SQL_NODE_CURSOR,
                 SQL_NODE_BY_KEY,
                 SQL_NODE_LIST,
                 SQL_NODE_PAGE,
                 SQL_NODE_COUNT,
                 SQL_NODE_NAMES,
                 SQL_NODE_OUTLINE,
                 SQL_NODE_INSERT,
                 SQL_NODE_UPDATE,
                 SQL_NODE_TOUCH,
                 SQL_NODE_REINSERT,
                 SQL_NODE_REINSERT_BACK,
                 SQL_NODE_DELETE,
                 SQL_NODE_TWINS,
                 SQL_NODE_SESSIONS,
                 SQL_NODE_LAST_PLACE,
                 SQL_NODE_RELATIONSHIPS,
                 SQL_NODE_COMPONENTS,
                 SQL_COMPONENT_LIST,
                 SQL_COMPONENT_FILE_LIST,
                 SQL_COMPONENT_INSERT,
                 SQL_COMPONENT_UPDATE,
                 SQL_COMPONENT_PLACE,
                 SQL_COMPONENT_DELETE,
                 SQL_COMPONENT_REINSERT_BACK,
                 SQL_COMPONENT_MOVE,
                 SQL_RELATIONSHIP_LIST,
                 SQL_RELATIONSHIP_BY_KEY,
                 SQL_RELATIONSHIP_OF_NODE,
                 SQL_RELATIONSHIP_BETWEEN,
                 SQL_RELATIONSHIP_FIND,
                 SQL_RELATIONSHIP_NEEDED_BY,
                 SQL_RELATIONSHIP_INSERT,
                 SQL_RELATIONSHIP_UPDATE,
                 SQL_RELATIONSHIP_DELETE,
                 SQL_RELATIONSHIP_REINSERT_BACK,
                 SQL_RELATIONSHIP_LAST_PLACE,
                 SQL_POSITION_LIST,
                 SQL_POSITION_FIND,
                 SQL_POSITION_SET,
                 SQL_POSITION_DELETE,
                 SQL_ANSWER_FIND,
                 SQL_ANSWER_KEEP,
                 SQL_ANSWER_AMEND,
                 SQL_ANSWER_DROP_OLD,
                 SQL_THREAD_FIND,
                 SQL_THREAD_LIST,
                 SQL_THREAD_INSERT,
                 SQL_THREAD_UPDATE,
                 SQL_THREAD_MESSAGES,
                 SQL_THREAD_MESSAGE_INSERT,
                 SQL_CONTENT_BYTES,
                 SQL_CHANGE_INSERT,
                 SQL_CHANGE_WALK,
                 SQL_CHANGE_SET,
                 SQL_CHANGE_SETS,
                 SQL_CHANGE_SETS_TOTAL,
                 SQL_CHANGE_NEWEST,
                 SQL_CHANGE_SET_SUM,
                 SQL_CHANGE_FIRST,
                 SQL_CHANGE_LATER,
                 SQL_CHANGE_REVISION,
                 SQL_CHANGE_UNSHIFTED,
                 SQL_CHANGE_GROUPS,
                 SQL_CHANGE_OLD_TITLE,
                 SQL_CHANGE_REUSED,
                 SQL_CHANGE_GONE,
                 SQL_CHANGE_REPEATED,
                 SQL_UNDONE_FIND,
                 SQL_UNDONE_SET,
                 SQL_UNDONE_IS_UNDOING,
                 SQL_COPY_SESSIONS,
                 SQL_COPY_SESSION_TITLE,
                 SQL_COPY_SESSION_GONE,
                 SQL_COPY_NAME,
                 SQL_COPY_NAME_SET,
                 SQL_COPY_NAME_DROP,
                 SQL_COPY_NODE_TIMES,
                 SQL_COPY_RELATIONSHIPS,
                 SQL_COPY_RELATIONSHIP,
                 SQL_COPY_POSITIONS,
                 SQL_COPY_LAST_CHANGE,
                 SQL_COPY_TOUCHED,
                 SQL_COPY_CHANGED,
                 SQL_COPY_KEYS,
                 SQL_COPY_KEYS_RAISE,
                 SQL_COPY_KEYS_ADD,

                 SQL_CHECK_PAGES,
                 SQL_CHECK_KEYS,
                 STATEMENT_COUNT
};

#define SAVEPOINTS_CAP 8u  /* a group of calls, a change set, an operation, a write */
#define WHO_CAP        128 /* bytes of a writer's name that the change log keeps */

/* A write transaction on one session. */
struct write {
    int64_t session; /* row key */
    char sid[SESSION_ID_SIZE];
    int64_t version; /* the session's after this write */
    char now[TIME_TEXT_SIZE];
    char change_set[UUID_TEXT_SIZE + 64];
    char who[WHO_CAP];
    int64_t expected_cursor;
    bool silent; /* what is taken over was there before: nothing is logged */
};

struct sqlite_store {
    struct store base;
    sqlite3 *db;
    sqlite3_stmt *statements[STATEMENT_COUNT]; /* prepared when first asked for */
    enum store_access access;
    uint64_t transactions;          /* outermost ones begun so far */
    uint64_t transaction;           /* the number of the open one */
    uint64_t taken_back;            /* inner ones that were not kept so far */
    int64_t changes_before;         /* key of the last row of the log when the open one began */
    unsigned depth;                 /* open write transactions, one in the other */
    bool snapshot;                  /* a read transaction over several reads is open */
    size_t marks[SAVEPOINTS_CAP];   /* of the dirty set, where each began */
    struct dirty_set *dirty;        /* what the outermost one has changed so far */
    struct sqlite3_session *record; /* in front of a service: what the outermost one changed */
    struct suspended *suspended;    /* the write transaction that is, or NULL */
    struct {                        /* an import under way */
        bool active;
        struct write write;
        int64_t node, node_place, component_place, relationship_place;
        int64_t nodes, components, relationships;
        struct buf body;
    } import;
};

static inline struct sqlite_store *sqlite_of(struct store *store)
{
    return (struct sqlite_store *)store; /* base is the first member */
}

/* ---- open.c ---- */

#define STORE_BUSY_TIMEOUT_MS 5000
/* A store without its database yet; sqlite_close frees it. */
struct sqlite_store *sqlite_store_new(enum store_access access, struct error *err);

/* ---- statement.c ---- */

/* The statement, reset and without bindings; borrowed. NULL with err. */
sqlite3_stmt *sqlite_statement(struct sqlite_store *store, enum statement id, struct error *err);

/* Binds by a format of one letter a parameter: i int64_t, s const char * or NULL, t const struct
 * row_text *, b const struct buf *, o const struct row_order *, n nothing (NULL). Texts must live
 * until the statement has run. */
int sqlite_bind(struct sqlite_store *store, sqlite3_stmt *statement, struct error *err,
                const char *format, ...);

/* 1: a row is there, 0: done (and reset), -1 with err (and reset). */
int sqlite_next(struct sqlite_store *store, sqlite3_stmt *statement, struct error *err);

/* Statement, binding and running in one, for what gives no rows. */
int sqlite_run(struct sqlite_store *store, struct error *err, enum statement id, const char *format,
               ...);

/* err from the connection's last failure. Returns -1. */
int sqlite_fail(struct sqlite_store *store, struct error *err, const char *what);

/* The one number of a statement such as max(place), of a key and, where it is not NULL, a text. */
int sqlite_number(struct sqlite_store *store, enum statement id, int64_t key, const char *text,
                  int64_t *number, struct error *err);

void sqlite_reset_all(struct sqlite_store *store);
void sqlite_finalize_all(struct sqlite_store *store);

/* A text column, borrowed until the statement moves; NULL where it is NULL. */
const char *sqlite_text(sqlite3_stmt *statement, int column);
struct row_text sqlite_row_text(sqlite3_stmt *statement, int column);
/* body and flags from two neighbouring columns. */
struct kept sqlite_kept(sqlite3_stmt *statement, int body_column);

/* ---- transaction.c ---- */

/* One snapshot for a read of several statements. */
int sqlite_read_begin(struct sqlite_store *store, struct error *err);
/* Ends it; hands rc through. */
int sqlite_read_end(struct sqlite_store *store, int rc);

/* sid NULL: a new session follows. On -1 nothing is open. */
int sqlite_write_begin(struct sqlite_store *store, const struct writer *writer, const char *sid,
                       struct write *write, struct error *err);
/* The same, and ERROR_STALE where the writer expected another state of the session. */
int sqlite_write_begin_session(struct sqlite_store *store, const struct writer *writer,
                               const char *sid, struct write *write, struct error *err);
/* rc 0: commits (-1 where that fails); else rolls back. Hands the outcome through. */
int sqlite_write_end(struct sqlite_store *store, const struct write *write, int rc,
                     struct error *err);

/* ---- suspend.c: write transactions in front of a service (copy_suspend) ---- */

/* Behind the begin of an outermost transaction: leaves out the keys of what is suspended. */
int suspend_take_keys(struct sqlite_store *store, struct error *err);
/* Begins to record what it changes, and ends that. */
int suspend_record(struct sqlite_store *store, struct error *err);
void suspend_forget(struct sqlite_store *store);

/* ---- log.c: the change log ---- */

/* A row of the change log. node_id: of the node, or of the node whose component it is; else NULL.
 * before and after: JSON text, or NULL; an object whose member of the entity's name is the thing
 * itself ({"place": 3, "component": {...}}), beside what else is needed to bring it back.
 *
 * Kept is as little as history needs. What a thing was like after a change is the before of the
 * next change to it, or what is there now; so of an insertion only where it went is kept, of an
 * update what it was before, or the merge patch that rewinds there ("patch" in place of the
 * thing) where that is shorter. */
int sqlite_log(struct sqlite_store *store, const struct write *write, const char *entity,
               const char *entity_id, const char *node_id, const char *op, const struct buf *before,
               const struct buf *after, struct error *err);

/* ---- dirty_set.c: what the open transaction has changed, for the store's observer ---- */

struct dirty_set *dirty_set_create(void);
void dirty_set_destroy(struct dirty_set *dirty); /* takes NULL */
/* Where a savepoint begins, for dirty_set_forget. */
size_t dirty_set_mark(const struct dirty_set *dirty);
void dirty_set_add(struct dirty_set *dirty, const struct write *write, enum store_target target,
                   const char *node_id);
void dirty_set_forget(struct dirty_set *dirty, size_t mark);
/* Tells the observer, and empties. */
void dirty_set_notify(struct dirty_set *dirty, const struct store *store);

/* ---- lookup.c ---- */

struct session_found {
    int64_t key, version;
    unsigned flags;
    char title[TITLE_MAX + 1]; /* cut */
    char sid[SESSION_ID_SIZE];
};

enum session_flags {
    SESSION_RELATIONSHIPS = 1 << 0, /* the export has a list of them */
    SESSION_GONE = 1 << 1,          /* the service that is the truth no longer has it */
};

int sqlite_session_find(struct sqlite_store *store, const char *sid, struct session_found *found,
                        struct error *err);

struct node_found {
    int64_t key, cursor, revision, place;
    char title[256]; /* cut */
};

/* ERROR_NOT_FOUND that names the nearest by id or title; node_name.c. Returns -1. */
int sqlite_node_unknown(struct sqlite_store *store, int64_t session, const char *node_id,
                        struct error *err);
/* The first node of this id; ERROR_NOT_FOUND names the nearest. */
int sqlite_node_find(struct sqlite_store *store, int64_t session, const char *node_id,
                     struct node_found *found, struct error *err);

/* The node's row: body, flags, title, place, revision, created_at, session, node_id. To be reset;
 * NULL with err. */
sqlite3_stmt *sqlite_node_row(struct sqlite_store *store, int64_t node, struct error *err);
/* The node's object without its components, as a new reference. */
json_t *sqlite_node_load(struct sqlite_store *store, int64_t node, unsigned *flags, int64_t *place,
                         struct error *err);
/* Writes a changed object, counts the write in the node's cursor, and logs it. flags: as they were
 * loaded. */
int sqlite_node_save(struct sqlite_store *store, const struct write *write, int64_t node,
                     json_t *after, unsigned flags, struct error *err);
/* Counts a write to the node's components in its cursor and last_modified. */
int sqlite_node_touch(struct sqlite_store *store, const struct write *write, int64_t node,
                      struct error *err);
/* {"key", "place", "revision", "flags", "created_at", "node": {...}}: the node as it is in the
 * database, as the change log keeps it. */
int sqlite_node_text(struct sqlite_store *store, int64_t node, struct buf *to, struct error *err);

/* ---- sequence.c ---- */

struct sequence_item {
    int64_t key; /* 0: not in the database yet */
    int64_t place;
    struct row_order order;
    unsigned flags;
    char component_id[COMPONENT_ID_SIZE];
    int64_t revision;
    json_t
        *component; /* owned; the whole object as the export has it; NULL for what is no object */
    json_t *raw;    /* owned; what is no object */
};

struct sequence { /* a node's components in their order, what is no object among them */
    struct sequence_item *items;
    size_t count;
    size_t components; /* those that are objects */
    bool dense;        /* places were 0, 1, 2, ... and orders 1, 2, 3, ... when it was read */
};

int sqlite_sequence_read(struct sqlite_store *store, int64_t node, struct sequence *sequence,
                         struct error *err);
void sqlite_sequence_finish(struct sequence *sequence);
/* Room for one more at index; zeroed. NULL without memory. */
struct sequence_item *sqlite_sequence_open(struct sequence *sequence, size_t index,
                                           struct error *err);
void sqlite_sequence_remove(struct sequence *sequence, size_t index);
/* The index of the component that is the position-th (1-based); count of the sequence for one
 * behind the last. */
size_t sqlite_sequence_at(const struct sequence *sequence, size_t position);
/* The place in the sequence of what ref names. */
int sqlite_sequence_find(const struct sequence *sequence, const struct component_ref *ref,
                         size_t *index, struct error *err);
/* Writes item's component as a new row, place and order left open for the renumbering; an id where
 * it has none. */
int sqlite_item_insert(struct sqlite_store *store, int64_t node, struct sequence_item *item,
                       struct error *err);
/* Gives item another component (a reference is taken), one revision up. */
int sqlite_item_update(struct sqlite_store *store, struct sequence_item *item, json_t *component,
                       struct error *err);
/* Writes that the item is about to be moved into the change log. */
int sqlite_log_renumber(struct sqlite_store *store, const struct write *write, int64_t node,
                        const char *node_id, const struct sequence_item *item, struct error *err);
/* The order that the API shows. */
int64_t sqlite_item_order(const struct sequence_item *item);
/* Whether every key it has for it, and its place where it has none, tells this order. */
bool sqlite_item_is_at(const struct sequence_item *item, int64_t order);
/* In those of its keys that it has. */
void sqlite_set_orders(json_t *component, int64_t order);
/* Gives every item its place and dense order, and writes those that are not as they were. */
int sqlite_sequence_renumber(struct sqlite_store *store, const struct write *write, int64_t node,
                             const char *node_id, struct sequence *sequence, struct error *err);

/* ---- write_component.c, for replace.c too ---- */

/* A write to the components of one node: transaction, node and sequence. On -1 nothing is open. */
struct component_write {
    struct write write;
    struct node_found node;
    struct sequence sequence;
    const char *node_id;
};
int sqlite_component_write_begin(struct sqlite_store *store, const struct writer *writer,
                                 const char *sid, const char *node_id, struct component_write *work,
                                 struct error *err);
int sqlite_component_write_end(struct sqlite_store *store, struct component_write *work, int rc,
                               struct error *err);
/* A row for one component: before NULL for an insertion, after NULL for a deletion. In a dense
 * sequence those behind it move with it, and get no rows of their own: insertions are logged in
 * ascending, deletions in descending order of their places. */
int sqlite_log_component(struct sqlite_store *store, const struct component_write *work,
                         const struct sequence_item *before, const struct sequence_item *after,
                         struct error *err);

/* ---- replace.c ---- */

struct given {                /* one component of a sequence that is to be */
    json_t *component;        /* owned; without order keys */
    const char *component_id; /* borrowed; of the one here that it is; NULL for a new one */
    double order;
    size_t place;
};
/* Makes the node's sequence what is given, in that order, logs and renumbers. Checks nothing. */
int sqlite_sequence_replace(struct sqlite_store *store, struct component_write *work,
                            struct given *given, size_t count, struct error *err);

/* ---- write_node.c, for merge.c and copy_node.c too ---- */

/* A checked node as a new row, with its row of the log. cap: bytes of its JSON, above it
 * ERROR_TOO_LARGE. The times: as the contract writes them, or NULL. */
int sqlite_node_insert(struct sqlite_store *store, const struct write *write, int64_t place,
                       json_t *node, size_t cap, const char *created_at, const char *last_modified,
                       struct error *err);
/* The node, its components, its relationships, with their rows of the log. */
int sqlite_delete_node(struct sqlite_store *store, const struct write *write, const char *node_id,
                       struct error *err);

/* Logs the node's row and deletes it; its position goes with the last node of its id. Its
 * components and relationships must be gone. */
int sqlite_node_drop(struct sqlite_store *store, const struct write *write,
                     const struct node_found *node, const char *node_id, bool last_of_id,
                     struct error *err);
/* ERROR_STALE that says what the node is now. expected 0: not checked. */
int sqlite_node_check_revision(struct sqlite_store *store, const struct node_found *node,
                               const char *node_id, long expected, struct error *err);

/* ---- position.c ---- */

/* body NULL: takes it away. What is so already leaves no row in the log. */
int sqlite_position_put(struct sqlite_store *store, const struct write *write, const char *node_id,
                        const struct buf *body, struct error *err);
/* Logs and deletes the position of a node, where it has one. */
int sqlite_position_drop(struct sqlite_store *store, const struct write *write, const char *node_id,
                         struct error *err);

/* ---- write_session.c ---- */

struct session_fields { /* a session's own */
    unsigned flags;
    const json_t *further;
    const char *title; /* NULL where the change leaves it as it is */
};
/* Writes them and logs the change. */
int sqlite_session_save(struct sqlite_store *store, const struct write *write,
                        const struct session_fields *before, const struct session_fields *after,
                        struct error *err);

/* ---- relationship_row.c: single relationships, with their rows of the change log ---- */

/* As a new reference; ERROR_NOT_FOUND. */
json_t *sqlite_relationship_load(struct sqlite_store *store, int64_t session, int64_t key,
                                 int64_t *place, struct error *err);
/* The keys of those that begin or end at the node; owned by the caller. */
int sqlite_relationships_of(struct sqlite_store *store, int64_t session, const char *node_id,
                            int64_t **keys, size_t *count, struct error *err);
/* 1: there is one, *key; 0: there is none but that of the key except (0: of no key). */
int sqlite_relationship_same(struct sqlite_store *store, int64_t session, const char *from,
                             const char *to, const char *type, int64_t except, int64_t *key,
                             struct error *err);
/* before NULL: it is new; after NULL: it goes. */
int sqlite_log_relationship(struct sqlite_store *store, const struct write *write, int64_t key,
                            int64_t place, const char *op, const json_t *before,
                            const json_t *after, struct error *err);
/* Behind the others. */
int sqlite_relationship_insert(struct sqlite_store *store, const struct write *write,
                               const json_t *relationship, int64_t *key, struct error *err);
/* One revision up. */
int sqlite_relationship_save(struct sqlite_store *store, const struct write *write, int64_t key,
                             int64_t place, const json_t *before, const json_t *after,
                             struct error *err);
int sqlite_relationship_drop(struct sqlite_store *store, const struct write *write, int64_t key,
                             int64_t place, const json_t *relationship, struct error *err);

/* ERROR_CONFLICT that says the relationship of that key by titles. Returns -1. */
int sqlite_relationship_repeat(struct sqlite_store *store, int64_t session, int64_t key,
                               struct error *err);

/* ---- relationship_cycle.c ---- */

/* *path: the shortest way from start to end along what contains PREREQUISITE, as an array of
 * {"node_id", "title"}, start first; NULL where there is none. Owned by the caller. */
int sqlite_prerequisite_path(struct sqlite_store *store, int64_t session, const char *start,
                             const char *end, json_t **path, struct error *err);

#endif
