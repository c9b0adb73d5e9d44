/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Things as they were: images of nodes with their components, relationships, positions and the
 * session's own fields, read from the database when they are first wanted, and rewound by one row
 * of the change log after the other, the newest first. Undo, restore, the difference between two
 * versions and the texts of history are all made of this.
 */
#ifndef LECTERN_SESSION_SQLITE_REWIND_H
#define LECTERN_SESSION_SQLITE_REWIND_H

#include "mcp/store/store_internal.h"

struct rewind_node {
    int64_t key;   /* the row's; below 0 where the log is too old to know it */
    char *node_id; /* owned; NULL: has none */
    int64_t place, revision;
    unsigned flags;                      /* NODE_COMPONENTS and NODE_TIMES */
    char created_at[2 * TIME_TEXT_SIZE]; /* a service may write it in its own way */
    bool found;                          /* is in the database */
    json_t *node;                        /* owned; NULL: not there */
    struct sequence sequence;            /* in no order */
};

struct rewind_relationship {
    int64_t key, place;
    json_t *relationship; /* owned; NULL: not there */
};

struct rewind_position {
    char *node_id;    /* owned */
    json_t *position; /* owned; NULL: not there */
};

struct rewind {
    struct store *store; /* borrowed */
    int64_t session;
    struct rewind_node **nodes; /* owned, each; so are the others */
    struct rewind_relationship **relationships;
    struct rewind_position **positions;
    size_t node_count, relationship_count, position_count;
    json_t *further;        /* owned; NULL: not wanted yet */
    json_t *title;          /* of the session; owned; NULL as above */
    unsigned session_flags; /* SESSION_RELATIONSHIPS alone is of the past */
};

void rewind_init(struct rewind *rewind, struct store *store, int64_t session);
void rewind_finish(struct rewind *rewind); /* takes what rewind_init left */

/* ---- rewind_row.c: the log's rows ---- */

enum rewind_entity { PAST_SESSION, PAST_NODE, PAST_COMPONENT, PAST_RELATIONSHIP, PAST_POSITION };
enum rewind_op { PAST_BEGIN, PAST_INSERT, PAST_UPDATE, PAST_DELETE, PAST_RENUMBER, PAST_TOUCH };

struct rewind_row {
    int64_t key, version;
    enum rewind_entity entity;
    enum rewind_op op;
    /* Borrowed until the statement moves. */
    const char *change_set, *at, *who, *entity_name, *entity_id, *node_id, *op_name;
    json_t *before, *after; /* owned, or NULL */
};

/* Of a statement with the columns of SQL_CHANGE_WALK. The row wants rewind_row_finish in any case.
 */
int rewind_row_read(struct rows *rows, struct rewind_row *row, struct error *err);
void rewind_row_finish(struct rewind_row *row);

/* The row's thing: of a component its node. NULL where it was not wanted yet. */
struct rewind_node *rewind_row_node(const struct rewind *rewind, const struct rewind_row *row);
struct rewind_relationship *rewind_row_relationship(const struct rewind *rewind,
                                                    const struct rewind_row *row);
struct rewind_position *rewind_row_position(const struct rewind *rewind,
                                            const struct rewind_row *row);
bool rewind_has(const struct rewind *rewind, const struct rewind_row *row);
/* Reads what the row is about, as it is now, unless it was wanted before. */
int rewind_want(struct rewind *rewind, const struct rewind_row *row, struct error *err);
/* The node of a key. */
int rewind_want_node(struct rewind *rewind, int64_t key, const char *node_id,
                     struct rewind_node **node, struct error *err);
int rewind_want_relationship(struct rewind *rewind, int64_t key, struct error *err);
int rewind_want_position(struct rewind *rewind, const char *node_id, struct error *err);
int rewind_want_session(struct rewind *rewind, struct error *err);

/* ---- rewind_invert.c ---- */

/* Makes the row's thing what it was before the row. It must have been wanted. */
int rewind_invert(struct rewind *rewind, const struct rewind_row *row, struct error *err);
/* The row's thing as it is in past, as a new reference: a component with its component_id. NULL
 * where it is not there. */
json_t *rewind_value(const struct rewind *rewind, const struct rewind_row *row);
json_t *rewind_component_value(const struct sequence_item *item);

/* ---- rewind_sequence.c ---- */

struct sequence_item *rewind_item(const struct sequence *sequence, const char *component_id);
/* As the API lists them; fills in dense. */
void rewind_sort(struct sequence *sequence);
/* Equal but for the numbers of their orders. */
bool rewind_same_component(const struct sequence_item *one, const struct sequence_item *other);
/* The same components at the same places. Sorts both. */
bool rewind_same_arrangement(struct sequence *one, struct sequence *other);
/* That, and each of them is the same. Sorts both. */
bool rewind_same_components(struct sequence *one, struct sequence *other);
/* Whether those that both have are in the same order in both. Sorts both. */
bool rewind_same_order(struct sequence *one, struct sequence *other);
/* Takes the item out; those behind it move up where shift is set. */
void rewind_take_out(struct sequence *sequence, struct sequence_item *item, bool shift);
/* Puts the item in, whose component is taken over; those behind move down where shift is set. */
int rewind_put_in(struct sequence *sequence, const struct sequence_item *item, bool shift,
                  struct error *err);
/* The component's own keys for its order say what its place does, or the other way round where they
 * are no plain numbers. */
void rewind_settle_order(struct sequence_item *item);

/* ---- rewind_check.c ---- */

/* Whether the row of a change set can be taken back: what it left behind (then) is what is there
 * (now), as far as the row is about it. ERROR_CONFLICT says what is otherwise, and by whom. */
int rewind_check(struct rewind *then, struct rewind *now, const struct rewind_row *row,
                 struct error *err);

/* ---- reinsert.c ---- */

/* Makes the database what the images say, and logs each difference. *things counts them. */
int store_reinsert(struct rewind *target, const struct write *write, size_t *things,
                   struct error *err);

/* What comes back goes on from the highest revision that it was ever deleted at. */
int store_next_revision(struct store *store, int64_t session, const char *entity,
                        const char *entity_id, int64_t *revision, struct error *err);

/* reinsert_components.c, for reinsert.c: what goes of a node's components, and then the rest. */
int store_reinsert_drop(struct store *store, const struct write *write, struct rewind_node *is,
                        struct rewind_node *wanted, size_t *things, struct error *err);
int store_reinsert_components(struct store *store, const struct write *write,
                              struct rewind_node *is, struct rewind_node *wanted, size_t *things,
                              struct error *err);

/* ---- history_words.c ---- */

/* What a change set did, in words, by titles: "2 components of \"Adding fractions\" changed". */
int store_change_words(struct store *store, int64_t session, const char *change_set,
                       struct buf *words, struct error *err);
/* The title of a node that is or was; its id where it has none. */
int store_old_title(struct store *store, int64_t session, const char *node_id, char *title,
                    size_t size, struct error *err);

/* ---- undo.c ---- */

/* The change set that has undone this one, "" where none has; an undoing that was itself undone
 * does not count. */
int store_undone_by(struct store *store, int64_t session, const char *change_set, char *by_set,
                    size_t size, struct error *err);
/* The version where the session's history begins: it was created or imported. */
int store_first_version(struct store *store, int64_t session, int64_t *version, struct error *err);

#endif
