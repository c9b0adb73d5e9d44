/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Past states: images of nodes with their components, of the other entries of a session
 * (relationships, the node map) and of its own fields. They are read from the database when first
 * wanted, and rewound by the rows of the change log one by one, newest first. Undo, restore,
 * differences between versions and the texts of history are built on this.
 */
#ifndef LECTERN_STORE_REWIND_H
#define LECTERN_STORE_REWIND_H

#include "mcp/store/store_internal.h"

struct rewind_node {
    int64_t key;   /* of the row; negative if the log is too old to have it */
    char *node_id; /* owned; NULL if it has none */
    int64_t place, rank, revision;
    unsigned flags;                      /* ROW_NODE_COMPONENTS and ROW_NODE_TIMES */
    char created_at[2 * TIME_TEXT_SIZE]; /* longer, because a service may have its own format */
    bool found;                          /* exists in the database */
    json_t *node;                        /* owned; NULL: does not exist */
    struct sequence sequence;            /* unsorted */
    bool arranged; /* for undo: the other image has the same arrangement (check_component) */
};

enum rewind_entity {
    REWIND_SESSION,
    REWIND_NODE,
    REWIND_COMPONENT,
    REWIND_RELATIONSHIP,
    REWIND_NODE_MAP
};
enum rewind_op {
    REWIND_BEGIN,
    REWIND_INSERT,
    REWIND_UPDATE,
    REWIND_DELETE,
    REWIND_RENUMBER,
    REWIND_TOUCH
};

/* A relationship, or an entry of the node map: an object that is stored completely in one row. */
struct rewind_entry {
    enum rewind_entity entity;
    char *id;    /* owned; as in the log: the key of a relationship, the node of a position */
    int64_t key; /* of a relationship; else 0 */
    int64_t place;
    json_t *value; /* owned; NULL: does not exist */
};

struct rewind {
    struct store *store; /* borrowed */
    int64_t session;
    struct rewind_node **nodes; /* owned, each; so are the others */
    struct rewind_entry **entries;
    size_t node_count, entry_count;
    json_t *places;         /* of nodes and entries in these arrays, by entity and id; owned */
    json_t *further;        /* owned; NULL: not wanted yet */
    json_t *title;          /* of the session; owned; NULL likewise */
    unsigned session_flags; /* of the past only in SESSION_RELATIONSHIPS */
};

void rewind_init(struct rewind *rewind, struct store *store, int64_t session);
void rewind_finish(struct rewind *rewind); /* frees what rewind_init and later calls allocated */

/* ---- the rows of the log ---- */

struct rewind_row {
    int64_t key, version;
    enum rewind_entity entity;
    enum rewind_op op;
    /* Borrowed until the next row is read. */
    const char *change_set, *at, *who, *entity_name, *entity_id, *node_id, *op_name;
    json_t *before, *after; /* owned, or NULL */
};

/* Reads all rows (of SQL_CHANGE_WALK or SQL_CHANGE_SET; NULL with err) and calls visit for each,
 * until one does not return 0. Returns that result, and ends the rows. */
typedef int rewind_visit_fn(void *user, const struct rewind_row *row, struct error *err);
int rewind_each(struct rows *rows, rewind_visit_fn *visit, void *user, struct error *err);
const char *rewind_entity_name(enum rewind_entity entity);

/* The entity of the row; for a component its node. NULL if it was not wanted yet. */
struct rewind_node *rewind_row_node(const struct rewind *rewind, const struct rewind_row *row);
struct rewind_entry *rewind_row_entry(const struct rewind *rewind, const struct rewind_row *row);
bool rewind_has(const struct rewind *rewind, const struct rewind_row *row);
/* The entry of a relationship; NULL likewise. */
struct rewind_entry *rewind_relationship(const struct rewind *rewind, int64_t key);
/* Reads the current state of the row's entity, unless it was wanted before. */
int rewind_include(struct rewind *rewind, const struct rewind_row *row, struct error *err);
/* Wants a node by its key. */
int rewind_include_node(struct rewind *rewind, int64_t key, const char *node_id,
                        struct rewind_node **node, struct error *err);
int rewind_include_entry(struct rewind *rewind, enum rewind_entity entity, const char *id,
                         struct error *err);
int rewind_include_session(struct rewind *rewind, struct error *err);

/* Reverts the row in the image of its entity, which must have been wanted. */
int rewind_invert(struct rewind *rewind, const struct rewind_row *row, struct error *err);
/* The entity of the row in the image, as a new reference; a component includes its component_id.
 * NULL if it does not exist. */
json_t *rewind_value(const struct rewind *rewind, const struct rewind_row *row);
json_t *rewind_component_value(const struct sequence_item *item);

/* ---- reinsert.c ---- */

/* Changes the database to match the images, and logs each difference. *things counts them. */
int store_reinsert(struct rewind *target, const struct write *write, size_t *things,
                   struct error *err);

/* ---- history.c ---- */

/* Describes a change set, with titles: "2 components of \"Adding fractions\" changed". */
int store_change_words(struct store *store, int64_t session, const char *change_set,
                       struct buf *words, struct error *err);
/* The title of a current or former node; its id if it has no title. */
int store_old_title(struct store *store, int64_t session, const char *node_id, char *title,
                    size_t size, struct error *err);

/* The change set that has undone this one, or "". An undo that was itself undone does not count. */
int store_undone_by(struct store *store, int64_t session, const char *change_set, char *by_set,
                    size_t size, struct error *err);
/* The version at which the session's history begins: its creation or import. */
int store_first_version(struct store *store, int64_t session, int64_t *version, struct error *err);

#endif
