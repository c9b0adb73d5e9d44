/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The private header of the store's files and of its mirrors (mcp/mirror/). Other folders must not
 * include it.
 */
#ifndef LECTERN_STORE_INTERNAL_H
#define LECTERN_STORE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "helpers/base/validation.h"
#include "mcp/curriculum/row.h"
#include "mcp/curriculum/text.h"
#include "mcp/store/db.h"
#include "mcp/store/entities/component.h"
#include "mcp/store/entities/relationship.h"
#include "mcp/store/mirror_hooks.h"
#include "mcp/store/store.h"

#define SAVEPOINTS_CAP 10u /* a group of calls, a call, a change set, an operation, a write */
#define WHO_CAP        128 /* bytes of a writer's name in the change log */

/* A write transaction on one session. */
struct write {
    int64_t session; /* row key */
    char sid[SESSION_ID_SIZE];
    int64_t version_before; /* the session's version */
    int64_t version;        /* the version of the rows that this write makes */
    char now[TIME_TEXT_SIZE];
    char change_set[UUID_TEXT_SIZE + 64];
    char who[WHO_CAP];
    int64_t expected_cursor;
    uint64_t logged_before; /* rows of the change log that the transaction had written */
    bool silent;            /* the first fill from a service: nothing is logged */
    bool counts; /* it makes a version even where it logs nothing: an undoing, a value that a
                    service adopted */
};

/* The entities that an open transaction has changed. */
struct dirty_set {
    struct dirty_entry *entries; /* owned */
    size_t count;
};

/* An open write transaction; all zero if none is open. */
struct transaction {
    unsigned depth;               /* nested savepoints, including the outermost */
    uint64_t number;              /* its number in store->transactions */
    int64_t changes_before;       /* key of the newest log row when it began */
    size_t marks[SAVEPOINTS_CAP]; /* sizes of the dirty set when each savepoint began */
    struct dirty_set dirty;
    uint64_t logged; /* rows that it wrote to the change log */

    /* The last version that it made. Further writes of the change set to that session are part of
     * it. */
    struct {
        int64_t session, version;
        char change_set[UUID_TEXT_SIZE + 64];
    } made;
};

/* Of the call that the store works for (store_bound). */
struct bounds {
    bool active;
    const struct cancel *cancel;
    int64_t begin_ms;
    unsigned factor;           /* UNDO_BOUNDS_FACTOR for an undo, else 1 */
    unsigned rows;             /* written so far */
    bool may_be_put_aside;     /* if it takes longer than LARGE_WRITE_MS */
    bool put_aside;            /* it did: it has failed for this reason */
    char sid[SESSION_ID_SIZE]; /* the session that it writes to, once it does */
    bool makes_session;        /* that session is new */
};

struct store {
    struct mirror *mirror; /* owned; NULL: the database is the system of record */
    struct db *db;         /* owned */
    struct store *origin;  /* of a trial: the store that it was made of; else NULL */
    enum store_access access;
    uint64_t transactions; /* number of outermost transactions begun, and of calls that read */
    uint64_t reading;      /* the number of the call that reads (store_call_begin); 0: none */
    uint64_t taken_back;   /* number of inner transactions rolled back, which also discards what was
                              read in them */
    bool searchable;       /* has an index of words, which writes keep up (search.h) */
    bool snapshot;         /* a read transaction over several reads is open */
    bool has_dropped;      /* there may be rows of deleted sessions (session_drop.c) */
    bool indexes_later;    /* a write leaves most of its words to store_index_step */
    bool has_stale;        /* there may be words that wait for it */
    bool puts_aside;       /* large writes (large_write.h) */
    struct large_copy *copy; /* it is the store of this copy, for a large write; or NULL */
    int (*on_row)(struct store *store, struct error *err); /* of a copy: before each row */
    struct bounds bounds;
    struct transaction open;
    struct suspended *suspended; /* the suspended write transaction, or NULL */
    struct {                     /* the running import */
        bool active;
        struct write write;
        int64_t node, node_place, component_place, relationship_place;
        int64_t nodes, components, relationships;
        struct buf body;
    } import;
};

/* A trial contains one session alone: what is elsewhere is in the store that it was made of. */
static inline struct store *store_whole(struct store *store)
{
    return store->origin ? store->origin : store;
}

/* ---- store.c ---- */

/* Opens a store on the database of this backend at the path. */
struct store *store_open_path(const struct db_backend *backend, const char *path,
                              enum store_access access, struct error *err);

/* ---- transaction.c ---- */

struct session_found {
    int64_t key, version;
    unsigned flags;
    char title[TITLE_MAX + 1]; /* cut */
    char sid[SESSION_ID_SIZE];
};

/* If a service is the system of record, updates the data that the call uses. Each public function
 * that reads or writes the curriculum begins with it. */
int store_refresh(struct store *store, unsigned scope, const char *sid, const char *node_id,
                  struct error *err);

/* store_refresh unless scope is 0; then begins a snapshot for a read of several statements, and
 * finds the session in it. On -1 nothing is open. */
int store_read_begin(struct store *store, unsigned scope, const char *sid, const char *node_id,
                     struct session_found *session, struct error *err);
/* Ends the snapshot; returns rc. */
int store_read_end(struct store *store, int rc);

/* Each row of a write asks first: -1 if the write is to end (store_bound). */
int store_row_wanted(struct store *store, struct error *err);
/* For long work between rows: -1 if the time is over, or the token has fired. */
int store_time_left(struct store *store, struct error *err);
/* The call is an undo: UNDO_BOUNDS_FACTOR holds. */
void store_bound_undo(struct store *store);
/* The call makes this session. */
void store_bound_new(struct store *store, const char *sid);

/* sid NULL: for a new session. On -1 nothing is open. */
int store_write_begin(struct store *store, const struct writer *writer, const char *sid,
                      struct write *write, struct error *err);
/* store_refresh unless scope is 0; then the same for an existing session. ERROR_STALE if the writer
 * expected another state of it. */
int store_write_begin_session(struct store *store, const struct writer *writer, unsigned scope,
                              const char *sid, const char *node_id, struct write *write,
                              struct error *err);
/* Records a change for the observer of the store. */
void store_note_change(struct store *store, const struct write *write, enum store_target target,
                       const char *node_id);
/* Adds the changes of another transaction to the open one, for the observer. What is left in
 * `changes` is the caller's. */
void store_note_changes(struct store *store, struct dirty_set *changes);
/* Whether it has changed anything so far. */
bool store_write_has_changed(const struct store *store, const struct write *write);
/* Commits if rc is 0 (-1 if that fails), else rolls back. A write that changed nothing leaves the
 * session's version as it is. Returns the outcome. */
int store_write_end(struct store *store, const struct write *write, int rc, struct error *err);

/* Sets the open write transaction aside, so that nothing is locked during a request to the service:
 * records its changes and rolls them back. The depth is 0 until store_resume applies them again.
 * Meanwhile other transactions may run, but not on the sessions that this one changed. Returns 1; 0
 * if none is open; -1 if the transaction is lost, which its end will report. */
int store_suspend(struct store *store, struct error *err);
/* suspended is the result of store_suspend. Returns rc, or -1 with err if the transaction is
 * lost. */
int store_resume(struct store *store, int suspended, int rc, struct error *err);
bool store_is_suspended(const struct store *store);
/* store_session_of_node for the sessions that the database knows. */
int store_known_session_of_node(struct store *store, const char *node_id, char sid[SESSION_ID_SIZE],
                                struct error *err);

/* ---- log.c: the change log ---- */

/* Writes a row of the change log. node_id is the node, or the node of the component; else NULL.
 * before and after are JSON text or NULL: an object whose member with the name of the entity is the
 * entity itself ({"place": 3, "component": {...}}), beside what else is needed to restore it.
 *
 * The log has only what history needs. The state of an entity after a change is the before of its
 * next change, or its current state; so an insertion only has what is around the entity. A
 * relationship is short, and history names what it joined when it is gone: it is logged whole. */
int store_log(struct store *store, const struct write *write, const char *entity,
              const char *entity_id, const char *node_id, const char *op, const struct buf *before,
              const struct buf *after, struct error *err);
/* Logs an insertion (was NULL), an update or a deletion (is NULL). An update stores the old state,
 * or the merge patch that restores it ("patch" in place of the entity) if that is shorter; an
 * insertion only stores what is around. around is JSON text without its closing brace, to which
 * members may be added. */
int store_log_thing(struct store *store, const struct write *write, const char *entity,
                    const char *entity_id, const char *node_id, struct buf *around,
                    const json_t *was, const json_t *is, struct error *err);

struct session_fields { /* the session's own fields */
    unsigned flags;
    const json_t *further;
    const char *title; /* NULL if unchanged */
};
/* Writes them to the row of the session and logs the change. */
int store_session_save(struct store *store, const struct write *write,
                       const struct session_fields *before, const struct session_fields *after,
                       struct error *err);

/* ---- lookup.c ---- */

enum session_flags {
    SESSION_RELATIONSHIPS = 1 << 0, /* the export has a list of relationships */
    SESSION_GONE = 1 << 1,          /* the service no longer has the session */
    SESSION_DROPPED = 1 << 2,       /* deleted; its rows follow in steps (session_drop.c) */
    SESSION_PARTIAL = 1 << 3,       /* with SESSION_DROPPED: not complete yet (large_write.c) */
};

int store_session_find(struct store *store, const char *sid, struct session_found *found,
                       struct error *err);
/* Appends "'Title' (id), 'Title' (id) and 3 more", of rows whose columns are id and title; sid gets
 * the first id. Ends the rows. */
int store_list_choices(struct rows *rows, char sid[SESSION_ID_SIZE], struct buf *choices,
                       size_t *count, struct error *err);

struct node_found {
    int64_t key, cursor, revision, place, rank;
    char title[256]; /* cut */
};

/* The first node with this id; ERROR_NOT_FOUND names the nearest. */
int store_node_find(struct store *store, int64_t session, const char *node_id,
                    struct node_found *found, struct error *err);

/* Returns 1 if the node exists; else 0, with a problem of the field that names the nearest node. */
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
    json_t *content; /* owned; the whole entry as in the export; NULL until loaded. Not an object if
                        flags have ROW_RAW */
};

static inline bool item_is_component(const struct sequence_item *item)
{
    return !(item->flags & ROW_RAW);
}

struct sequence { /* the entries of a node in order, including those that are not objects */
    struct sequence_item *items;
    size_t count;
    size_t components; /* number of entries that are objects */
    bool dense;        /* when read, places were 0, 1, 2, ... and orders 1, 2, 3, ... */
    bool moved;        /* sequence_renumber has written a place or an order */
    json_t *places;    /* of an image: component_id -> about where it is in items; owned, or NULL */
};

/* If whole is false, loads only contents with order keys (ROW_ODD), which may change when other
 * items move. */
int sequence_read(struct store *store, int64_t node, bool whole, struct sequence *sequence,
                  struct error *err);
/* Reads the content if it is not loaded. */
int item_load(struct store *store, struct sequence_item *item, struct error *err);
void sequence_finish(struct sequence *sequence);
/* Inserts a zeroed item at index. NULL without memory. */
struct sequence_item *sequence_open(struct sequence *sequence, size_t index, struct error *err);
void sequence_remove(struct sequence *sequence, size_t index);
/* The index of the component at this position (1-based); the count of the sequence for the position
 * after the last. */
size_t sequence_at(const struct sequence *sequence, size_t position);
/* The index of the component that ref names. */
int sequence_find(const struct sequence *sequence, const struct component_ref *ref, size_t *index,
                  struct error *err);
/* Inserts a row for the item, unchanged; sets its key and flags. */
int item_add(struct store *store, int64_t node, struct sequence_item *item, struct error *err);
/* Writes content, order and revision of an item with a row; sets its flags, and its order if the
 * content has one. */
int item_save(struct store *store, struct sequence_item *item, struct error *err);
/* item_add for a new component, whose place and order follow from the renumbering; creates an id if
 * it has none. */
int item_insert(struct store *store, int64_t node, struct sequence_item *item, struct error *err);
/* Replaces the component of item (takes a reference) and increments its revision. */
int item_update(struct store *store, struct sequence_item *item, json_t *component,
                struct error *err);
/* Logs that the item will be moved. */
int store_log_renumber(struct store *store, const struct write *write, int64_t node,
                       const char *node_id, const struct sequence_item *item, struct error *err);
/* The order in the API. */
int64_t item_order(const struct sequence_item *item);
/* Sets those of its order keys that it has. */
void item_set_orders(json_t *component, int64_t order);
/* Assigns every item its place and dense order, and writes those that changed. */
int sequence_renumber(struct store *store, const struct write *write, int64_t node,
                      const char *node_id, struct sequence *sequence, struct error *err);

/* For an image (rewind.h), where places and positions define the order, not memory. */
struct sequence_item *sequence_by_id(struct sequence *sequence, const char *component_id);
/* Equal except for the numbers of their orders. */
bool item_equal(const struct sequence_item *one, const struct sequence_item *other);
/* The same components at the same places. Sorts both. */
bool sequence_same_arrangement(struct sequence *one, struct sequence *other);
/* The same arrangement of equal components. Sorts both. */
bool sequence_equal(struct sequence *one, struct sequence *other);
/* Whether the items in both have the same order. Sorts both. */
bool sequence_same_order(struct sequence *one, struct sequence *other);
/* Removes the item; if shift, those after it move up. */
void sequence_take_out(struct sequence *sequence, struct sequence_item *item, bool shift);
/* Inserts the item and takes ownership of its component; if shift, those after it move down. */
int sequence_put_in(struct sequence *sequence, const struct sequence_item *item, bool shift,
                    struct error *err);
/* Sets the component's own order keys from its place, or its place from them if they are not plain
 * numbers. */
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
/* Logs one component: before NULL for an insertion, after NULL for a deletion. In a dense sequence
 * the components after it move with it and have no rows: log insertions in ascending, deletions in
 * descending order of their places. */
int store_log_component(struct store *store, const struct component_write *work,
                        const struct sequence_item *before, const struct sequence_item *after,
                        struct error *err);

/* Inserts components at index and logs them. Takes over the references of the array in any case. */
int store_components_put(struct store *store, struct component_write *work, size_t index,
                         json_t **components, size_t count, struct error *err);

struct given {                /* one component of the new sequence */
    json_t *component;        /* owned; without order keys */
    const char *component_id; /* borrowed; id of the existing component; NULL for a new one */
    double order;
    size_t place;
    bool is_new; /* set when it is written */
};
/* Replaces the node's sequence by what is given, in that order, logs and renumbers. Checks
 * nothing. */
int sequence_replace(struct store *store, struct component_write *work, struct given *given,
                     size_t count, struct error *err);

/* ---- move.c ---- */

/* Moves the components with these indexes, in their order here, to `into` from index `at` on; logs
 * them in both nodes and renumbers `into`. The caller renumbers or deletes `from`. Both belong to
 * one write. */
int store_items_move(struct store *store, struct component_write *from, const size_t *indexes,
                     size_t count, struct component_write *into, size_t at, struct error *err);
/* The indexes of the components that an array names by place (1-based), range or id, at most
 * BATCH_MAX: [2, "14-19, 22", "id"]. ERROR_INVALID lists every wrong one. */
int store_items_find(const struct component_write *from, const json_t *components, size_t *indexes,
                     size_t *count, struct error *err);
/* Replaces the node `from` by `into` in the ends of a relationship. Returns 1 if it was deleted
 * instead, because it would have been a duplicate or a loop. */
int store_relationship_move(struct store *store, const struct write *write, int64_t key,
                            const char *from, const char *into, struct error *err);

/* ---- node.c ---- */

/* The row of the node: body, flags, title, place, revision, created_at, session, node_id. The
 * caller ends it. NULL with err on failure. */
struct rows *store_node_row(struct store *store, int64_t node, struct error *err);
/* The node without its components, as a new reference. */
json_t *store_node_load(struct store *store, int64_t node, unsigned *flags, struct error *err);
/* Writes a changed object (before is the loaded one), counts the write in the node's cursor, and
 * logs it. flags are those that were loaded. */
int store_node_save(struct store *store, const struct write *write, int64_t node,
                    const json_t *before, json_t *after, unsigned flags, struct error *err);
/* Counts a write to the node's components in its cursor and last_modified. */
int store_node_touch(struct store *store, const struct write *write, int64_t node,
                     struct error *err);
/* Appends {"key", "place", "revision", "flags", "created_at", "node": {...}}: the current node as
 * in the change log. */
int store_node_text(struct store *store, int64_t node, struct buf *to, struct error *err);

struct node_new { /* the columns of a new row besides the node's JSON */
    int64_t key;  /* 0: the next one; then the key of the row */
    int64_t place, revision;
    int64_t rank;                           /* among the nodes of its place */
    unsigned flags;                         /* ROW_NODE_COMPONENTS and ROW_NODE_TIMES */
    const char *created_at, *last_modified; /* in the format of the contract, or NULL */
};
/* Inserts the row and logs it. body is a buffer for the JSON; ERROR_TOO_LARGE above its cap. */
int store_node_add(struct store *store, const struct write *write, struct node_new *new,
                   json_t *node, struct buf *body, struct error *err);
/* Appends a node, which the caller has checked. */
int store_node_append(struct store *store, const struct write *write, json_t *node,
                      struct error *err);
/* The same, or behind the node with the id `after` (NULL: last); ERROR_CONFLICT if its id is in
 * use. */
int store_node_insert_new(struct store *store, const struct write *write, json_t *node,
                          const char *after, struct error *err);
/* Deletes and logs the node, its components and its relationships. */
int store_node_remove(struct store *store, const struct write *write, const char *node_id,
                      struct error *err);

/* Logs and deletes the row of the node, and its position with the last node of its id. Its
 * components and relationships must already be deleted. */
int store_node_drop(struct store *store, const struct write *write, const struct node_found *node,
                    const char *node_id, bool last_of_id, struct error *err);
/* ERROR_STALE with the current node if the revision differs. expected 0: not checked. */
int store_node_check_revision(struct store *store, const struct node_found *node,
                              const char *node_id, long expected, struct error *err);

/* ---- position.c ---- */

/* position NULL removes the entry. A write without a change is not logged. */
int store_node_map_put(struct store *store, const struct write *write, const char *node_id,
                       const json_t *position, struct error *err);

/* ---- relationship.c: single relationships, with their log rows ---- */

/* store_relationship_create, once the end of a link is a URI (link.c). */
int store_relationship_write(struct store *store, const struct writer *writer, const char *sid,
                             const json_t *input, struct relationship_state *state,
                             struct error *err);
/* A new reference; ERROR_NOT_FOUND. */
json_t *store_relationship_load(struct store *store, int64_t session, int64_t key, int64_t *place,
                                struct error *err);
/* The keys of the relationships that begin or end at the node; owned by the caller. */
int store_relationships_of(struct store *store, int64_t session, const char *node_id,
                           int64_t **keys, size_t *count, struct error *err);
/* Returns 1 with *key if such a relationship exists, other than the one with the key except (0: no
 * exception); else 0. */
int store_relationship_same(struct store *store, int64_t session, const char *from, const char *to,
                            const char *type, int64_t except, int64_t *key, struct error *err);
/* 1 if the first node has to be taught before the second one, directly or by others between them:
 * along the types that contain PREREQUISITE, or LEADS_TO where a session has none of them. Else 0.
 */
int store_relationship_precedes(struct store *store, int64_t session, const char *first,
                                const char *second, struct error *err);
/* Inserts and logs a row. *key 0: the next one; then the key of the row. body is a buffer for the
 * JSON. */
int store_relationship_add(struct store *store, const struct write *write, int64_t *key,
                           int64_t place, int64_t revision, const json_t *relationship,
                           struct buf *body, struct error *err);
/* Appends it. */
int store_relationship_insert(struct store *store, const struct write *write,
                              const json_t *relationship, int64_t *key, struct error *err);
/* Updates it and increments its revision. */
int store_relationship_save(struct store *store, const struct write *write, int64_t key,
                            int64_t place, const json_t *before, const json_t *after,
                            struct error *err);
int store_relationship_drop(struct store *store, const struct write *write, int64_t key,
                            int64_t place, const json_t *relationship, struct error *err);

/* ---- link.c ---- */

/* Appends to links as store_links describes them; within a transaction. */
int store_links_add(struct store *store, int64_t session, const char *node_id, const char *only,
                    json_t *links, struct error *err);

#endif
