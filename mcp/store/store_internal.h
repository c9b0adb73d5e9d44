/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Inside the store: what its files share. Nobody outside this folder includes it.
 */
#ifndef LECTERN_STORE_INTERNAL_H
#define LECTERN_STORE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "helpers/base/validation.h"
#include "mcp/session/row.h"
#include "mcp/store/db.h"
#include "mcp/store/store.h"
#include "mcp/session/text.h"

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

/* What a call is about; several may be joined. All but the first two mean the nodes too. */
enum upstream_scope {
    UPSTREAM_SESSIONS = 1 << 0, /* which sessions there are; sid NULL */
    UPSTREAM_SESSION = 1 << 1,  /* that it exists */
    UPSTREAM_NODES = 1 << 2,    /* without their components */
    UPSTREAM_RELATIONSHIPS = 1 << 3,
    UPSTREAM_NODE = 1 << 4,  /* the components of one node */
    UPSTREAM_TEXTS = 1 << 5, /* its category texts */
    UPSTREAM_NODE_MAP = 1 << 6,
    UPSTREAM_COMPONENTS = 1 << 7, /* of all nodes */
    UPSTREAM_ALL_TEXTS = 1 << 8,
    UPSTREAM_COUNTS = 1 << 9,   /* how many components nodes have: as last read, where it is dear */
    UPSTREAM_CHANGED = 1 << 10, /* what a change set touched: node_id names it, NULL the latest */
    UPSTREAM_OWNERS = 1 << 11,  /* which sessions have a node; sid NULL */
    UPSTREAM_PASS_OVER = 1 << 12, /* nodes that cannot be told apart are left as they are */
    UPSTREAM_AHEAD = 1 << 14,     /* parts of several nodes, which struct upstream names */
    UPSTREAM_UNKNOWN = 1 << 13,   /* UPSTREAM_SESSION of one that is not known here; else nothing:
                                     for what is kept here alone, such as conversations */
};
#define UPSTREAM_ALL                                                                               \
    (UPSTREAM_NODES | UPSTREAM_RELATIONSHIPS | UPSTREAM_NODE_MAP | UPSTREAM_COMPONENTS |           \
     UPSTREAM_ALL_TEXTS)

/* A service that is the truth for what the database keeps a copy of. */
struct upstream {
    const json_t *ahead; /* store_read_ahead's parts, for a refresh of UPSTREAM_AHEAD */
    int shared; /* a file beside the copy that all its connections have open; here: the last keys */
    /* Brings the copy up to date before a read or a write of that scope. What others changed there
     * goes into the change log as theirs. -1: the service cannot be asked, or says no. */
    int (*refresh)(struct upstream *upstream, struct store *store, unsigned scope, const char *sid,
                   const char *node_id, struct error *err);
    /* Keeps every other writer of the session out until the open write transaction has ended; waits
     * for the one that keeps us out. */
    int (*own)(struct upstream *upstream, struct store *store, const char *sid, struct error *err);
    /* Within the outermost write transaction, before its commit: passes what it changed (its rows
     * of the change log) on; it is suspended meanwhile. -1: nothing is kept, here or there. */
    int (*push)(struct upstream *upstream, struct store *store, struct error *err);
    /* The outermost write transaction has ended. */
    void (*ended)(struct upstream *upstream, struct store *store);
    /* A new session, there and here. */
    int (*create)(struct upstream *upstream, struct store *store, const struct writer *writer,
                  const char *title, char sid[SESSION_ID_SIZE], struct error *err);
    /* Deletes a session there; here it is the caller's. */
    int (*remove)(struct upstream *upstream, struct store *store, const char *sid,
                  struct error *err);
    void (*close)(struct upstream *upstream);
};

/* Things that an open transaction has changed. */
struct dirty_set {
    struct dirty_entry *entries; /* owned */
    size_t count, capacity;
};

/* An open write transaction; all zero where none is. */
struct transaction {
    unsigned depth;               /* savepoints, one in the other, the outermost counted */
    uint64_t number;              /* of store->transactions */
    int64_t changes_before;       /* key of the last row of the log when it began */
    size_t marks[SAVEPOINTS_CAP]; /* of the dirty set, where each savepoint began */
    struct dirty_set dirty;
};

struct store {
    struct upstream *upstream; /* owned; NULL: the database is the truth */
    struct db *db;             /* owned */
    store_waiter *waiter;      /* or NULL */
    void *waiter_user;
    enum store_access access;
    uint64_t transactions; /* outermost ones begun so far */
    uint64_t taken_back;   /* inner ones that were not kept so far; with them goes what was read in
                              them */
    bool snapshot;         /* a read transaction over several reads is open */
    struct transaction open;
    struct suspended *suspended; /* the write transaction that is, or NULL */
    struct {                     /* an import under way */
        bool active;
        struct write write;
        int64_t node, node_place, component_place, relationship_place;
        int64_t nodes, components, relationships;
        struct buf body;
    } import;
};

/* ---- store.c ---- */

/* A store over the database of that backend at the path. */
struct store *store_open_path(const struct db_backend *backend, const char *path,
                              enum store_access access, struct error *err);

/* ---- transaction.c ---- */

struct session_found {
    int64_t key, version;
    unsigned flags;
    char title[TITLE_MAX + 1]; /* cut */
    char sid[SESSION_ID_SIZE];
};

/* Where a service is the truth: what the call is about is made as it is there. Each public function
 * that reads or writes the curriculum begins with it. */
int store_refresh(struct store *store, unsigned scope, const char *sid, const char *node_id,
                  struct error *err);

/* store_refresh unless scope is 0, then one snapshot for a read of several statements, and the
 * session in it. On -1 nothing is open. */
int store_read_begin(struct store *store, unsigned scope, const char *sid, const char *node_id,
                     struct session_found *session, struct error *err);
/* Ends it; hands rc through. */
int store_read_end(struct store *store, int rc);

/* sid NULL: a new session follows. On -1 nothing is open. */
int store_write_begin(struct store *store, const struct writer *writer, const char *sid,
                      struct write *write, struct error *err);
/* store_refresh unless scope is 0, the same, and ERROR_STALE where the writer expected another
 * state of the session.
 */
int store_write_begin_session(struct store *store, const struct writer *writer, unsigned scope,
                              const char *sid, const char *node_id, struct write *write,
                              struct error *err);
/* For the store's observer. */
void store_note_change(struct store *store, const struct write *write, enum store_target target,
                       const char *node_id);
/* rc 0: commits (-1 where that fails); else rolls back. Hands the outcome through. */
int store_write_end(struct store *store, const struct write *write, int rc, struct error *err);

/* ---- log.c: the change log ---- */

/* A row of the change log. node_id: of the node, or of the node whose component it is; else NULL.
 * before and after: JSON text, or NULL: an object whose member of the entity's name is the thing
 * itself ({"place": 3, "component": {...}}), beside what else is needed to bring it back.
 *
 * Kept is as little as history needs. What a thing was like after a change is the before of the
 * next change to it, or what is there now; so of an insertion only what is around the thing is
 * kept. A relationship is short, and history says what it joined when it is gone: it is whole. */
int store_log(struct store *store, const struct write *write, const char *entity,
              const char *entity_id, const char *node_id, const char *op, const struct buf *before,
              const struct buf *after, struct error *err);
/* The row of an insertion (was NULL), an update or a deletion (is NULL). An update keeps what the
 * thing was before, or the merge patch that makes it that again ("patch" in place of the thing)
 * where that is shorter; an insertion only what is around. around: what is beside the thing, as
 * JSON text up to its last brace, which may be added to it. */
int store_log_thing(struct store *store, const struct write *write, const char *entity,
                    const char *entity_id, const char *node_id, struct buf *around,
                    const json_t *was, const json_t *is, struct error *err);

struct session_fields { /* a session's own */
    unsigned flags;
    const json_t *further;
    const char *title; /* NULL where the change leaves it as it is */
};
/* Writes them to the session's row and logs the change. */
int store_session_save(struct store *store, const struct write *write,
                       const struct session_fields *before, const struct session_fields *after,
                       struct error *err);

/* ---- lookup.c ---- */

enum session_flags {
    SESSION_RELATIONSHIPS = 1 << 0, /* the export has a list of them */
    SESSION_GONE = 1 << 1,          /* the service that is the truth no longer has it */
};

int store_session_find(struct store *store, const char *sid, struct session_found *found,
                       struct error *err);

struct node_found {
    int64_t key, cursor, revision, place;
    char title[256]; /* cut */
};

/* The first node of this id; ERROR_NOT_FOUND names the nearest. */
int store_node_find(struct store *store, int64_t session, const char *node_id,
                    struct node_found *found, struct error *err);

/* 1: there is such a node; 0: there is none, as a problem of the field that names the nearest. */
int store_check_node(struct store *store, int64_t session, const char *node_id,
                     struct validation_errors *problems, const char *field, struct error *err);

/* ---- sequence.c ---- */

struct sequence_item {
    int64_t key; /* 0: not in the database yet */
    int64_t place;
    struct row_order order;
    unsigned flags;
    char component_id[COMPONENT_ID_SIZE];
    int64_t revision;
    json_t *content; /* owned; the whole entry as the export has it; NULL until it is loaded. No
                        object where flags have ROW_RAW */
};

static inline bool item_is_component(const struct sequence_item *item)
{
    return !(item->flags & ROW_RAW);
}

struct sequence { /* a node's components in their order, what is not an object among them */
    struct sequence_item *items;
    size_t count;
    size_t components; /* those that are objects */
    bool dense;        /* places were 0, 1, 2, ... and orders 1, 2, 3, ... when it was read */
};

/* Without whole, only contents with order keys of their own are loaded (ROW_ODD): they may change
 * when the others move. */
int sequence_read(struct store *store, int64_t node, bool whole, struct sequence *sequence,
                  struct error *err);
/* Reads the content unless it is there. */
int item_load(struct store *store, struct sequence_item *item, struct error *err);
void sequence_finish(struct sequence *sequence);
/* Room for one more at index; zeroed. NULL without memory. */
struct sequence_item *sequence_open(struct sequence *sequence, size_t index, struct error *err);
void sequence_remove(struct sequence *sequence, size_t index);
/* The index of the component that is the position-th (1-based); count of the sequence for one
 * behind the last. */
size_t sequence_at(const struct sequence *sequence, size_t position);
/* The place in the sequence of what ref names. */
int sequence_find(const struct sequence *sequence, const struct component_ref *ref, size_t *index,
                  struct error *err);
/* Writes a new row of the item as it is; sets its key and flags. */
int item_add(struct store *store, int64_t node, struct sequence_item *item, struct error *err);
/* Writes content, order and revision of an item that has a row; sets its flags, and its order where
 * the content has one. */
int item_save(struct store *store, struct sequence_item *item, struct error *err);
/* item_add of a new component, place and order left open for the renumbering; an id where it has
 * none. */
int item_insert(struct store *store, int64_t node, struct sequence_item *item, struct error *err);
/* Gives item another component (a reference is taken), one revision up. */
int item_update(struct store *store, struct sequence_item *item, json_t *component,
                struct error *err);
/* Writes that the item is about to be moved into the change log. */
int store_log_renumber(struct store *store, const struct write *write, int64_t node,
                       const char *node_id, const struct sequence_item *item, struct error *err);
/* The order that the API shows. */
int64_t item_order(const struct sequence_item *item);
/* In those of its keys that it has. */
void item_set_orders(json_t *component, int64_t order);
/* Gives every item its place and dense order, and writes those that are not as they were. */
int sequence_renumber(struct store *store, const struct write *write, int64_t node,
                      const char *node_id, struct sequence *sequence, struct error *err);

/* In an image (rewind.h), where the order is that of the places and positions, not of memory. */
struct sequence_item *sequence_by_id(const struct sequence *sequence, const char *component_id);
/* Equal but for the numbers of their orders. */
bool item_equal(const struct sequence_item *one, const struct sequence_item *other);
/* The same components at the same places. Sorts both. */
bool sequence_same_arrangement(struct sequence *one, struct sequence *other);
/* That, and each of them is the same. Sorts both. */
bool sequence_equal(struct sequence *one, struct sequence *other);
/* Whether those that both have are in the same order in both. Sorts both. */
bool sequence_same_order(struct sequence *one, struct sequence *other);
/* Takes the item out; those behind it move up where shift is set. */
void sequence_take_out(struct sequence *sequence, struct sequence_item *item, bool shift);
/* Puts the item in, whose component is taken over; those behind move down where shift is set. */
int sequence_put_in(struct sequence *sequence, const struct sequence_item *item, bool shift,
                    struct error *err);
/* The component's own keys for its order say what its place does, or the other way round where they
 * are no plain numbers. */
void item_settle_order(struct sequence_item *item);

/* ---- component.c ---- */

/* A write to the components of one node: transaction, node and sequence. On -1 nothing is open. */
struct component_write {
    struct write write;
    struct node_found node;
    struct sequence sequence;
    const char *node_id;
};
int store_component_write_begin(struct store *store, const struct writer *writer, const char *sid,
                                const char *node_id, bool whole, struct component_write *work,
                                struct error *err);
int store_component_write_end(struct store *store, struct component_write *work, int rc,
                              struct error *err);
/* sequence_renumber, and counts the write in the node. */
int store_component_renumber(struct store *store, struct component_write *work, struct error *err);
/* A row for one component: before NULL for an insertion, after NULL for a deletion. In a dense
 * sequence those behind it move with it, and get no rows of their own: insertions are logged in
 * ascending, deletions in descending order of their places. */
int store_log_component(struct store *store, const struct component_write *work,
                        const struct sequence_item *before, const struct sequence_item *after,
                        struct error *err);

struct given {                /* one component of a sequence that is to be */
    json_t *component;        /* owned; without order keys */
    const char *component_id; /* borrowed; of the one here that it is; NULL for a new one */
    double order;
    size_t place;
    bool is_new; /* set when it is written */
};
/* Makes the node's sequence what is given, in that order, logs and renumbers. Checks nothing. */
int sequence_replace(struct store *store, struct component_write *work, struct given *given,
                     size_t count, struct error *err);

/* ---- node.c ---- */

/* The node's row: body, flags, title, place, revision, created_at, session, node_id. To be ended;
 * NULL with err. */
struct rows *store_node_row(struct store *store, int64_t node, struct error *err);
/* The node's object without its components, as a new reference. */
json_t *store_node_load(struct store *store, int64_t node, unsigned *flags, struct error *err);
/* Writes a changed object (before: as it was loaded), counts the write in the node's cursor, and
 * logs it. flags: as they were loaded. */
int store_node_save(struct store *store, const struct write *write, int64_t node,
                    const json_t *before, json_t *after, unsigned flags, struct error *err);
/* Counts a write to the node's components in its cursor and last_modified. */
int store_node_touch(struct store *store, const struct write *write, int64_t node,
                     struct error *err);
/* {"key", "place", "revision", "flags", "created_at", without the brace: what the change log keeps
 * around a node. */
int store_node_around(struct store *store, int64_t node, struct buf *to, struct error *err);
/* {"key", "place", "revision", "flags", "created_at", "node": {...}}: the node as it is in the
 * database, as the change log keeps it. */
int store_node_text(struct store *store, int64_t node, struct buf *to, struct error *err);

struct node_new { /* what a new row has beside the node's JSON */
    int64_t key;  /* 0: the next one; then the row's */
    int64_t place, revision;
    unsigned flags;                         /* ROW_NODE_COMPONENTS and ROW_NODE_TIMES */
    const char *created_at, *last_modified; /* as the contract writes them, or NULL */
};
/* Writes the row, with its row of the log. body: for the JSON; above its cap ERROR_TOO_LARGE. */
int store_node_add(struct store *store, const struct write *write, struct node_new *new,
                   json_t *node, struct buf *body, struct error *err);
/* Behind the others; checked by the caller. */
int store_node_append(struct store *store, const struct write *write, json_t *node,
                      struct error *err);
/* The node, its components, its relationships, with their rows of the log. */
int store_node_remove(struct store *store, const struct write *write, const char *node_id,
                      struct error *err);

/* Logs the node's row and deletes it; its position goes with the last node of its id. Its
 * components and relationships must be gone. */
int store_node_drop(struct store *store, const struct write *write, const struct node_found *node,
                    const char *node_id, bool last_of_id, struct error *err);
/* ERROR_STALE that says what the node is now. expected 0: not checked. */
int store_node_check_revision(struct store *store, const struct node_found *node,
                              const char *node_id, long expected, struct error *err);

/* ---- position.c ---- */

/* position NULL: takes it away. What is so already leaves no row in the log. */
int store_node_map_put(struct store *store, const struct write *write, const char *node_id,
                       const json_t *position, struct error *err);

/* ---- relationship.c: single relationships, with their rows of the change log ---- */

/* As a new reference; ERROR_NOT_FOUND. */
json_t *store_relationship_load(struct store *store, int64_t session, int64_t key, int64_t *place,
                                struct error *err);
/* The keys of those that begin or end at the node; owned by the caller. */
int store_relationships_of(struct store *store, int64_t session, const char *node_id,
                           int64_t **keys, size_t *count, struct error *err);
/* 1: there is one, *key; 0: there is none but that of the key except (0: of no key). */
int store_relationship_same(struct store *store, int64_t session, const char *from, const char *to,
                            const char *type, int64_t except, int64_t *key, struct error *err);
/* A new row with its row of the log. *key 0: the next one; then the row's. body: for the JSON. */
int store_relationship_add(struct store *store, const struct write *write, int64_t *key,
                           int64_t place, int64_t revision, const json_t *relationship,
                           struct buf *body, struct error *err);
/* Behind the others. */
int store_relationship_insert(struct store *store, const struct write *write,
                              const json_t *relationship, int64_t *key, struct error *err);
/* One revision up. */
int store_relationship_save(struct store *store, const struct write *write, int64_t key,
                            int64_t place, const json_t *before, const json_t *after,
                            struct error *err);
int store_relationship_drop(struct store *store, const struct write *write, int64_t key,
                            int64_t place, const json_t *relationship, struct error *err);

#endif
