/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The store of curricula: sessions, nodes, components, relationships and the log of every change. A
 * `struct store` is one connection to one backend (embedded SQLite; others to come) and belongs to
 * one thread at a time; any number may be open on the same URL, in any number of processes. Every
 * write is one transaction with its rows in the change log, durable when the call returns.
 *
 * Every write is checked against the rules of the contract (types, parameters, unique ids, dense
 * orders). Only an import may keep what breaks them (curriculum_file.h).
 *
 * Any function can fail with ERROR_UNAUTHORIZED, ERROR_NOT_FOUND (with the nearest node id or
 * title), ERROR_INVALID (with loc and what to send), ERROR_CONFLICT or ERROR_STALE (with the
 * current text). A failed write changes nothing.
 */
#ifndef LECTERN_STORE_H
#define LECTERN_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "helpers/base/buf.h"
#include "helpers/base/cancel.h"
#include "helpers/base/error.h"
#include "mcp/curriculum/json_difference.h"
#include "mcp/curriculum/limits.h"
#include "mcp/curriculum/replace_text.h"

enum store_access {
    STORE_READ,
    STORE_WRITE,
    STORE_LOOK, /* only for store_check: creates, recovers and migrates nothing */
};

struct store;

/* What a committed write changed. The texts are borrowed for the call. */
enum store_target {
    STORE_SESSION, /* the session was created, deleted, or changed so much that everything must be
                      read again */
    STORE_NODES,
    STORE_COMPONENTS, /* of node_id */
    STORE_RELATIONSHIPS,
    STORE_NODE_MAP,
};
struct store_change {
    enum store_target target;
    const char *sid;
    const char *node_id; /* of a node or its components; else NULL */
    const char *who;
};
typedef void store_observer(void *user, const struct store_change *change);

/* What a caller may rely on, and how it best uses a store. */
struct store_capabilities {
    bool imports;           /* stores a curriculum file unmodified; the demo may be added */
    bool group_commit;      /* concurrent writes may share a transaction */
    bool known_before_read; /* versions are correct before anything is read */
    bool waits_for_network; /* calls wait for another server, not for the processor */
};
/* The capabilities of the store at this URL, which need not exist. */
struct store_capabilities store_url_capabilities(const char *url);
struct store_capabilities store_capabilities(const struct store *store);

/* The server behind the store's file, for `lectern doctor`: whether it works, what it can do or why
 * it does not, and how to fix that. */
struct store_backing {
    const char *name;
    struct buf text; /* owned */
    char fix[256];
    bool ok;
};
/* false if the store has no server behind it. */
bool store_check_backing(const char *url, struct store_backing *backing);

/* Appends the URL as a user writes it: without the path of the copy, user and password. */
void store_show_url(const char *url, struct buf *to);

/* url is "sqlite:PATH" or "http://HOST:PORT#COPY?seconds=N" (mirror_hooks.h). STORE_WRITE
 * creates the file and its folder, and migrates the schema. STORE_READ and STORE_LOOK require the
 * file; STORE_LOOK sends nothing to a service, and returns ERROR_NOT_FOUND for a file that a write
 * would create. */
struct store *store_open(const char *url, enum store_access access, struct error *err);
void store_close(struct store *store); /* takes NULL */

/* If the store is a copy, applies the changes that others made to the system of record. Otherwise
 * does nothing. */
int store_catch_up(struct store *store, const char *sid, struct error *err);

/* The parts of a node that an operation reads. */
enum store_part {
    STORE_COMPONENTS_PART = 1 << 0,
    STORE_TEXTS_PART = 1 << 1,
};
/* With a service behind the store: between store_begin and store_end, reads at once what the
 * following writes would read one by one. parts is {node_id: bitwise or of enum store_part}.
 * Unknown node ids are ignored. */
int store_read_ahead(struct store *store, const char *sid, const json_t *parts, struct error *err);

/* The observer is called on the store's thread after each commit, once for each change. */
void store_observe(struct store *store, store_observer *observer, void *user);

/* Between begin and end, one call reads: with a service behind the store, each part of a session is
 * asked for once. They do not nest, and take NULL. */
void store_call_begin(struct store *store);
void store_call_end(struct store *store);

/* All writes between begin and end are one transaction, visible to readers and durable when the
 * outermost end has returned 0. Transactions nest: an inner end with keep false reverts only what
 * was written since its begin. A failed end keeps nothing. After a failed begin, do not call
 * end. */
int store_begin(struct store *store, struct error *err);
int store_end(struct store *store, bool keep, struct error *err);

/* From store_bound to store_unbound each row that is written is a point where the write can end:
 * with ERROR_CANCELLED once the token (borrowed; NULL: none) has fired, with ERROR_TIMEOUT after
 * WRITE_MS_MAX, and with ERROR_TOO_LARGE after WRITE_ROWS_MAX. The caller rolls back. A trial is
 * bound with the store that it was made of. Without these calls nothing is bounded. Both take
 * NULL, for a tool without a store.
 * An undo reads, compares and writes, so it has UNDO_BOUNDS_FACTOR times the time and the rows:
 * an allowed write can be undone. */
#define WRITE_MS_MAX       10000u
#define WRITE_ROWS_MAX     50000u
#define UNDO_BOUNDS_FACTOR 3u
void store_bound(struct store *store, const struct cancel *cancel);
void store_unbound(struct store *store);

/* All reads between begin and end see the same state. Returns 1 if a snapshot was begun, which
 * store_snapshot_end must end. Returns 0 if there is none: a service is the system of record, or a
 * write transaction is open. Snapshots do not nest, and nothing may be written in one. */
int store_snapshot_begin(struct store *store, struct error *err);
void store_snapshot_end(struct store *store);

/* Which sessions a reader may name: all, or `only` and those of also. */
struct session_scope {
    const char *only; /* or NULL */
    const char (*also)[SESSION_ID_SIZE];
    size_t also_count;
};

/* Who writes, for the change log. The texts are borrowed for the call. */
struct writer {
    const char *who;        /* "mcp", "rest", "import", ... with the client's name if it sent one */
    const char *change_set; /* groups several writes; NULL or "": each write is a change set */
    const char *only;       /* the one session that the writer may name, or NULL: any */
    int64_t expected_cursor; /* 0, or the value that store_cursor must return, else ERROR_STALE: the
                                node's for a write to its components, else the session's */
    bool strict; /* refuse parameters that component_type_check_sent refuses: a program may store
                    its own, a model only misspells or invents one */
};

/* Returns a separate store, opened for writing, which contains only the current state of the
 * session: a write there has the effect that it would have here, and does not block the writer
 * here. history: include the change log, for undo and restore. Must not be called between
 * store_begin and store_end. store_close closes it and discards everything written to it; before
 * that, the links of the session are looked up here. */
struct store *store_trial_open(struct store *store, const char *sid, bool history,
                               struct error *err);

/* ---- reading: each function appends JSON text to *json in the form of the session API, without
 * building a tree ---- */

int store_read_sessions(struct store *store, struct buf *json,
                        struct error *err); /* {"sessions": [...], "total"} */
int store_read_nodes(struct store *store, const char *sid, struct buf *json,
                     struct error *err); /* {"session_id", "nodes", "total"} */
int store_read_relationships(struct store *store, const char *sid, struct buf *json,
                             struct error *err);
/* {"node_id", "title", "components": [...], "total_components", "suggested_template",
 * "overall_confidence"} */
int store_read_components(struct store *store, const char *sid, const char *node_id,
                          struct buf *json, struct error *err);
/* The further fields of one node that say something (session/node_field.h), as an object. content:
 * with the contract's own, such as raw_content. */
int store_read_fields(struct store *store, const char *sid, const char *node_id, bool content,
                      struct buf *json, struct error *err);
/* The components of many nodes, in the order of the nodes, from offset on: {"session_id", "nodes":
 * [{"node_id", "title", "components": [...]}], "total", "offset"}. limit 0: all. */
int store_read_all_components(struct store *store, const char *sid, size_t offset, size_t limit,
                              struct buf *json, struct error *err);
/* The components of two types in all nodes, in the order of the nodes: [{"node_id",
 * "component": {...}}]. */
int store_read_components_of(struct store *store, const char *sid, const char *type,
                             const char *other_type, struct buf *json, struct error *err);
int store_read_node_map(struct store *store, const char *sid, struct buf *json,
                        struct error *err); /* {"session_id", NODE_MAP_NAME: {...}} */
int store_read_node_texts(struct store *store, const char *sid, const char *node_id,
                          struct buf *json, struct error *err);

/* Returns 0 if the session exists. title (may be NULL) gets at most size bytes. *version (may be
 * NULL) gets the cursor, which increases with each write. */
int store_session(struct store *store, const char *sid, char *title, size_t size, int64_t *version,
                  struct error *err);
/* *version increases when a node's id, title, group or number of components changes, or an edge. */
int store_graph_version(struct store *store, const char *sid, int64_t *version, struct error *err);
/* *version increases with each write to the node and its components (sid and node_id given), to the
 * session (node_id NULL), or to any session (both NULL). */
int store_cursor(struct store *store, const char *sid, const char *node_id, int64_t *version,
                 struct error *err);
/* The id of the only session. Otherwise ERROR_INVALID, with the titles and ids of all sessions. */
int store_only_session(struct store *store, char sid[SESSION_ID_SIZE], struct error *err);
/* The id of the session that a name means: its id, or a title that only one session has, with the
 * rules of store_node_id. what: the argument that has the name, for errors: ERROR_NOT_FOUND with
 * the nearest title or a list, ERROR_CONFLICT, ERROR_UNAUTHORIZED for a UUID that no session has.
 */
int store_session_named(struct store *store, const char *name, const char *what,
                        char sid[SESSION_ID_SIZE], struct error *err);
/* The only session with this node id, for component paths without a session. ERROR_NOT_FOUND, or
 * ERROR_CONFLICT if several sessions have it. */
int store_session_of_node(struct store *store, const char *node_id, char sid[SESSION_ID_SIZE],
                          struct error *err);

/* The title of a node. The error names the nearest node. */
int store_node_title(struct store *store, const char *sid, const char *node_id, char *title,
                     size_t size, struct error *err);

/* Finds a node by its id, or by a title that only one node has, with the rules of the graph queries
 * (helpers/graph/text.h). *id is borrowed from name or from found, which the caller frees. what is
 * the name of the argument in the error: ERROR_NOT_FOUND names the nearest node, ERROR_CONFLICT
 * lists the ids that share the title. */
int store_node_id(struct store *store, const char *sid, const char *name, const char *what,
                  struct buf *found, const char **id, struct error *err);

/* The curriculum as a graph. The strings live as long as the outline. */
struct outline_node {
    const char *id, *title, *group;
    const char *code; /* another name: humanCodingScheme; or NULL */
    size_t components;
};
struct outline_edge {
    const char *from, *to, *type;
};
struct outline_link { /* to a node of another curriculum */
    int64_t id;
    const char *from, *curriculum, *node; /* ids */
    const char *type, *title;             /* title: of that node when the link was made */
};
struct outline {
    struct outline_node *nodes;
    size_t node_count;
    struct outline_edge *edges;
    size_t edge_count;
    struct outline_link *links;
    size_t link_count;
    int64_t version;       /* the session's; nodes, edges and versions are of one snapshot */
    int64_t graph_version; /* of store_graph_version */
    struct buf strings;
};
int store_read_outline(struct store *store, const char *sid, struct outline *outline,
                       struct error *err);
void outline_finish(struct outline *outline);

/* ---- find: lessons by their words, and one lesson as a reader sees it ---- */

#define FIND_TEXT_MAX   1000 /* bytes */
#define FIND_LIMIT_MAX  200
#define FIND_OFFSET_MAX 100000
enum find_sort { FIND_ANY, FIND_BEST, FIND_ORDER, FIND_WORDS, FIND_CHANGED };
/* Texts are NULL if not asked for. */
struct find_request {
    const char *text;    /* words, "phrases in quotes" */
    const char *in;      /* "titles", "links", a component type, a parameter; with node_id "all" */
    const char *without; /* a component type, a relationship type, "links", a field: which the
                            lessons must lack */
    const char *only;    /* the one session that the reader may know of, or NULL */
    const char *node_id; /* of a lesson: to read it, or to look only there */
    enum find_sort sort; /* FIND_ANY: best with text, else in teaching order */
    size_t limit;        /* 1 to FIND_LIMIT_MAX */
    size_t offset;       /* hits that are left out first, up to FIND_OFFSET_MAX */
};
/* Appends {"session_id", "total", "more", "hits": [{"node_id", "title", "component_order",
 * "component_type", "component_id", "field", "text" (the words around, those of the request in
 * brackets), "places" (of the lesson that have words), "words", "last_modified"}]}. more: total is
 * a lower bound. Without text and with node_id: {"session_id", "node_id", "title", "chapter" (if
 * the lesson has the field), "words", "components": [{"component_order", "component_type",
 * "component_id", "revision", "words", and "text" (its beginning) or "parameters" (drawings as
 * "svg, 2.1 kB")}], and if it has some "links" as store_links describes them}. */
int store_find(struct store *store, const char *sid, const struct find_request *request,
               struct buf *json, struct error *err);

/* ---- writing ---- */

int store_session_create(struct store *store, const struct writer *writer, const char *title,
                         char sid[SESSION_ID_SIZE],
                         struct error *err); /* creates nodes N001 and N002 */

/* The caller checks the title (entity_session_check). An export contains it too. */
int store_session_rename(struct store *store, const struct writer *writer, const char *sid,
                         const char *title, struct error *err);
/* Deletes everything that belongs to the session: nodes and their map, relationships, history,
 * conversations and stored answers. Cannot be undone. Nobody sees the session after this; its rows
 * are left to store_drop_step. */
int store_session_delete(struct store *store, const struct writer *writer, const char *sid,
                         struct error *err);
/* Deletes some rows of deleted sessions in a transaction of its own, which takes a few
 * milliseconds. Returns 1 if there may be more, 0 if there are none, -1 with err. Sessions that
 * were deleted by another connection meanwhile are not looked for. Must not be called between
 * store_begin and store_end. */
int store_drop_step(struct store *store, struct error *err);

/* From now on most words of a large write enter the index of the search after its commit, in calls
 * of store_index_step. No effect if a service is the system of record. */
void store_index_later(struct store *store);
/* Puts some of them into the index, in a transaction of its own. Returns 1 if there may be more, 0
 * if there are none, -1 with err. Must not be called between store_begin and store_end. */
int store_index_step(struct store *store, struct error *err);

/* node: {"node_id", "title", "raw_content", "chapter_id", "content_category", additional fields}.
 * Only node_id and title are required. It comes behind the node with the id `after`, or last
 * (NULL). ERROR_CONFLICT if the id is in use. */
int store_node_create(struct store *store, const struct writer *writer, const char *sid,
                      const json_t *node, const char *after, struct error *err);
int store_node_delete(struct store *store, const struct writer *writer, const char *sid,
                      const char *node_id, struct error *err);
/* changes: {"title", "content_category", "raw_content", "chapter_id", additional fields}, each
 * optional; null removes a field. expected_revision 0: not checked. ERROR_STALE contains the
 * current node. */
struct node_state {
    char node_id[NODE_ID_MAX + 1];
    char title[256]; /* cut at a UTF-8 boundary */
    long revision;
    size_t components,
        relationships; /* current number; after a merge: moved from the merged node */
    size_t left_out;   /* by a merge: relationships that would be duplicates or loops */
    bool first;        /* by a merge: the moved components are before the others */
    char change[VALUE_CHANGE_SIZE]; /* what an update changed; "" if nothing */
};
int store_node_update(struct store *store, const struct writer *writer, const char *sid,
                      const char *node_id, const json_t *changes, long expected_revision,
                      struct node_state *state, struct error *err);
/* The current state of the node. ERROR_STALE as in an update. */
int store_node_state(struct store *store, const char *sid, const char *node_id,
                     long expected_revision, struct node_state *state, struct error *err);
/* Moves the components of node_id behind those of into, or before them where node_id is a
 * prerequisite of into; moves its relationships to into, and deletes it. */
int store_node_merge(struct store *store, const struct writer *writer, const char *sid,
                     const char *node_id, const char *into, long expected_revision,
                     struct node_state *state, struct error *err);
/* A map from node ids to small objects, stored beside the nodes: the position of each on an
 * editor's canvas. These are its names in bodies and paths, and in the change log. */
#define NODE_MAP_NAME      "positions"
#define NODE_MAP_ENTITY    "position"
#define NODE_MAP_WRITE_MAX 5000 /* entries in one call */
/* {"N001": {"x": 100.5, "y": 200.3}}. null removes an entry; entries that are not named stay. */
int store_node_map_write(struct store *store, const struct writer *writer, const char *sid,
                         const json_t *map, struct error *err);
/* The four category texts, each optional; the others stay. */
int store_node_texts(struct store *store, const struct writer *writer, const char *sid,
                     const char *node_id, const json_t *texts, struct error *err);

/* Names one component of a node: by component_id if it is set, else by order (1-based). */
struct component_ref {
    const char *node_id;
    const char *component_id; /* or NULL */
    long order;               /* or 0 */
};

/* A component after a write (for a delete: before it), with what an answer contains. */
struct component_state {
    char component_id[COMPONENT_ID_SIZE];
    char type[64];
    char node_title[256]; /* cut at a UTF-8 boundary */
    char summary[160];    /* the first words of its content, on one line, cut likewise */
    long order;
    long revision;
    long total;                     /* components of the node after the write */
    char change[VALUE_CHANGE_SIZE]; /* what an update changed of its parameters; "" if nothing */
};

/* component: {"type" or "component_type", "parameters", "confidence" (default 1.0), additional
 * fields}. position is 1-based; 0 appends. */
int store_component_insert(struct store *store, const struct writer *writer, const char *sid,
                           const char *node_id, long position, const json_t *component,
                           struct component_state *state, struct error *err);

/* Appends all or none. ERROR_INVALID lists every invalid item (capped). *first gets the state of
 * the first component. */
int store_components_append(struct store *store, const struct writer *writer, const char *sid,
                            const char *node_id, const json_t *components,
                            struct component_state *first, struct error *err);

/* changes: {"parameters", "type", "confidence"}, each optional. merge: merge the parameters
 * shallowly into the old ones instead of replacing them. The result must be valid.
 * expected_revision 0: not checked; ERROR_STALE contains the current text. */
int store_component_update(struct store *store, const struct writer *writer, const char *sid,
                           const struct component_ref *ref, const json_t *changes, bool merge,
                           long expected_revision, struct component_state *state,
                           struct error *err);

int store_component_delete(struct store *store, const struct writer *writer, const char *sid,
                           const struct component_ref *ref, long expected_revision,
                           struct component_state *state, struct error *err);

/* Replaces the whole sequence, sorted by order and renumbered. A component with a component_id
 * keeps it. */
int store_components_replace(struct store *store, const struct writer *writer, const char *sid,
                             const char *node_id, const json_t *body, struct error *err);

/* order: the old positions (1-based, each exactly once) in their new order. */
int store_components_reorder(struct store *store, const struct writer *writer, const char *sid,
                             const char *node_id, const json_t *order, struct error *err);

/* What a move, a split or a copy did. */
struct move_state {
    char title[256], into_title[256]; /* of both nodes, cut at a UTF-8 boundary */
    size_t components;                /* moved or copied */
    size_t relationships;             /* moved */
    size_t remaining;                 /* components that the first node has now */
    int64_t position;                 /* of the first one in the other node */
};

/* components: [2, "4-6, 9", "id", ...], places (1-based), ranges or ids of components of the node,
 * in their new order. position: 1-based, in the other node; 0 appends. Ids, revisions and history
 * stay. */
int store_components_move(struct store *store, const struct writer *writer, const char *sid,
                          const char *node_id, const json_t *components, const char *into_id,
                          long position, struct move_state *state, struct error *err);
/* Creates the node `into` ({"node_id", "title"}) with the additional fields of node_id, and moves
 * the components there, but never all. It comes behind the node with the id `after` (NULL:
 * node_id). relationships: [17, "N005", ...], ids of relationships of the node, or ids of nodes for
 * all relationships with that node; may be NULL. */
int store_node_split(struct store *store, const struct writer *writer, const char *sid,
                     const char *node_id, const json_t *into, const char *after,
                     const json_t *components, const json_t *relationships,
                     struct move_state *state, struct error *err);
/* Creates the node `into` with all fields and components of node_id, and none of its
 * relationships. The components get new ids. after: as in store_node_split. */
int store_node_copy(struct store *store, const struct writer *writer, const char *sid,
                    const char *node_id, const json_t *into, const char *after,
                    struct move_state *state, struct error *err);

/* ---- a term in all texts of a curriculum (replace.c) ---- */

#define REPLACE_PLACES_MAX 20000u /* in one call */

/* A text that was changed. The texts are borrowed for the call. */
struct replaced_text {
    const char *node_id, *title; /* of the node; NULL for a relationship */
    const char *component_id;    /* NULL: a text of the node itself, or of a relationship */
    const char *type;            /* of the component, or of the relationship */
    long order;                  /* of the component */
    const char *from, *to;       /* the ends of the relationship */
    const char *path;            /* in it: "title", "steps.2" */
    const char *before, *after;
};
typedef int store_replaced_fn(void *user, const struct replaced_text *text, struct error *err);

struct replacing {
    const struct replacement *replacement;
    /* NULL: everywhere. "titles" of nodes, a component type, or a field such as "definition". */
    const char *in;
    const json_t *node_ids;   /* [id, ...], only these nodes and no relationships; or NULL */
    long expected;            /* places, else ERROR_STALE; -1: not checked */
    store_replaced_fn *visit; /* called for each text; may be NULL */
    void *user;
};
struct replaced {
    struct replacement_counts counts;
    size_t components, node_texts, relationships; /* that were changed */
    size_t nodes;                                 /* that these are in */
};
/* Replaces a term in the titles, texts and components of the nodes and in the explanations of the
 * relationships. ERROR_INVALID if a result breaks the rules that its text kept before, with the
 * place. */
int store_replace(struct store *store, const struct writer *writer, const char *sid,
                  const struct replacing *replacing, struct replaced *replaced, struct error *err);

struct relationship_state {
    int64_t id;
    char type[64];
    char from_title[256], to_title[256];
    char change[VALUE_CHANGE_SIZE]; /* what an update changed; "" if nothing */
    json_t *cycle; /* NULL, or the cycle that the new edge closes over types that contain
                      PREREQUISITE: an array of {"node_id", "title"} from to_node back to from_node;
                      owned by the caller */
};

/* relationship: {"from_node_id", "to_node_id", "relationship_type" (default LEADS_TO),
 * "explanation", "created_by", "confidence_score"}. ERROR_CONFLICT for a duplicate, ERROR_INVALID
 * for a loop. With "to_session" (another curriculum, by id or title; the node likewise), or with a
 * URI as to_node_id, it is a link (mcp/curriculum/curriculum_uri.h) and its type one of link_types.
 * Then it gets "to_title", and "to_uri" if the node has a uri. */
int store_relationship_create(struct store *store, const struct writer *writer, const char *sid,
                              const json_t *relationship, struct relationship_state *state,
                              struct error *err);
#define RELATIONSHIPS_BATCH_MAX 5000
/* [{"from" or "from_node_id", "to" or "to_node_id", "type" or "relationship_type", "explanation",
 * ...}]. Creates all or none. ERROR_INVALID or ERROR_CONFLICT lists every invalid one (capped). */
int store_relationships_create(struct store *store, const struct writer *writer, const char *sid,
                               const json_t *relationships, size_t *created, struct error *err);
/* changes: {"relationship_type", "explanation", "confidence_score"}, each optional. */
int store_relationship_update(struct store *store, const struct writer *writer, const char *sid,
                              int64_t id, const json_t *changes, struct relationship_state *state,
                              struct error *err);
/* How many were created through this store, so far, that a service behind it keeps without an id:
 * they cannot be changed or deleted here, nor their creation be undone. */
size_t store_relationships_nameless(const struct store *store);
int store_relationship_delete(struct store *store, const struct writer *writer, const char *sid,
                              int64_t id, struct relationship_state *state, struct error *err);
/* Writes the URI at which a link to a node ends. session: an id or a title; to: the node's id or
 * title there, also the id of one that is gone. */
int store_link_uri(struct store *store, const struct writer *writer, const char *session,
                   const char *to, struct buf *uri, struct error *err);
/* The links of a node: [{"id", "type", "uri", "node_id", "title", "curriculum", "gone"}], the last
 * two as they are now. only: the one session that the reader may know of, or NULL: of links to
 * another it gets what they have kept. A new reference, or NULL. */
json_t *store_links(struct store *store, const char *sid, const char *node_id, const char *only,
                    struct error *err);
/* Finds a relationship by its ends and its type; ERROR_NOT_FOUND. type may be NULL: the error then
 * says what there is between the two. */
int store_relationship_find(struct store *store, const char *sid, const char *from, const char *to,
                            const char *type, int64_t *id, struct error *err);

/* ---- history: the change log records every write, grouped into change sets ---- */

/* Appends the change sets, newest first: {"session_id", "version", "changes": [{"change_set",
 * "version" (its last), "at", "who", "undone_by" (or null), "what": "2 components of N007 changed",
 * "entries": [{"version", "entity", "entity_id", "node_id", "op", "before", "after"}]}], "total"}.
 * Texts in before and after are complete. A change set has at most HISTORY_ENTRIES_CAP entries;
 * "entries_left_out" counts the others. since: only change sets after this version. before: only
 * those up to this version, 0 for all. node_id: only those that touch this node, or NULL for
 * all. */
struct history_page {
    int64_t since, before;
    const char *node_id;
    size_t limit;       /* 1 to HISTORY_LIMIT_MAX */
    bool without_texts; /* omit before and after */
    bool briefly;       /* only if the whole log has at most HISTORY_BRIEF_ROWS */
};
#define HISTORY_BRIEF_ROWS  32 /* of the log: to read them takes less than a millisecond */
#define HISTORY_LIMIT_MAX   500
#define HISTORY_ENTRIES_CAP 100
/* 1: nothing was read, as the log is longer than page->briefly allows. */
int store_read_history(struct store *store, const char *sid, const struct history_page *page,
                       struct buf *json, struct error *err);
/* Appends the differences between two versions, by entity: {"session_id", "from", "to",
 * "differences": [{"entity", "entity_id", "node_id", "before", "after"}], "total"}. null: the
 * entity does not exist in that version. */
int store_read_difference(struct store *store, const char *sid, int64_t from, int64_t to,
                          struct buf *json, struct error *err);

/* *version: the one that was current at that time, UTC, as a date or a beginning of
 * "2026-11-28T14:05:00.000Z"; 0 if the history begins later. */
int store_version_at(struct store *store, const char *sid, const char *time, int64_t *version,
                     struct error *err);

struct undo_state {
    char change_set[80]; /* the one undone, or the last one that restore reverted */
    char by_set[80];     /* the one that reverted it; undoing this one applies it again */
    char what[256];      /* description, with titles */
    size_t entries;      /* of the log, reverted */
    int64_t version;     /* current version of the session */
    /* Of an undo: those that it took back. */
    int64_t first_version, last_version;
};
/* Undoes one change set. NULL: the newest one that is neither undone nor itself an undo, if this
 * writer made it. Writers are the same if they have the same name in the change log; a page and its
 * chat count as one. ERROR_CONFLICT if another writer made the newest change (the error has its
 * version and that of this writer's own), or if something that it changed has been changed since:
 * the error says what, and by whom. ERROR_NOT_FOUND if there is nothing to undo. On an error
 * nothing changes. */
int store_undo(struct store *store, const struct writer *writer, const char *sid,
               const char *change_set, struct undo_state *state, struct error *err);
/* An import that its writer may take back, which deletes the session (store_session_delete). */
struct own_import {
    char what[256];  /* the import of "Wheels" (1 node, 2 components) */
    int64_t version; /* current version of the session */
    size_t nodes, components, relationships;
};
/* Whether the change set (NULL: the newest one, as for store_undo) is the session's import, made by
 * this writer, and nothing else would be lost with it: the log has no change of another writer, and
 * each later change is undone. Returns 1 with *found, 0, or -1 with err. */
int store_find_own_import(struct store *store, const struct writer *writer, const char *sid,
                          const char *change_set, struct own_import *found, struct error *err);
/* Restores the content of that version, in one change set. Versions and times go forward. */
int store_restore(struct store *store, const struct writer *writer, const char *sid,
                  int64_t version, struct undo_state *state, struct error *err);

/* ---- idempotency keys ---- */

#define IDEMPOTENCY_KEY_MAX 200   /* bytes */
#define ANSWERS_KEPT_S      86400 /* at least; later answers replace expired ones */
#define ANSWER_BODY_CAP                                                                            \
    ((size_t)1 << 20) /* a longer answer is not stored, only that the call was completed; a        \
                         repeated call gets a message that says so */

struct idempotency_record {
    int status;
    struct buf body; /* owned */
};
/* Called between store_begin and store_end, before the writes of the call. Returns 1 if the call
 * was completed (*answer gets its answer), 0 if not, and -1 with ERROR_CONFLICT if the key was used
 * for a different call. fingerprint is a text that represents the whole call. */
int store_idempotency_find(struct store *store, const char *key, const char *fingerprint,
                           struct idempotency_record *answer, struct error *err);
/* Called after the writes, in the same transaction: both are committed, or neither. sid: the
 * session with which the answer is deleted, or NULL. */
int store_idempotency_keep(struct store *store, const char *sid, const char *key,
                           const char *fingerprint, int status, const char *body, size_t len,
                           struct error *err);
/* Replaces the body of a stored answer, to add what was computed after its transaction. */
int store_idempotency_amend(struct store *store, const char *key, const char *body, size_t len,
                            struct error *err);

/* ---- what all servers on one database share: keys, and ids that were ended early. No part of a
 * curriculum: no change log, no export. A backup contains them, as it contains the whole database.
 * With a service behind the store, only the copy contains them. ---- */

#define SECRET_SIZE 32u /* bytes */
/* The key with this name: random bytes, made by the first call of any process. STORE_WRITE. */
int store_secret(struct store *store, const char *name, unsigned char secret[SECRET_SIZE],
                 struct error *err);

#define ENDED_ID_MAX  64    /* bytes of an id, visible ASCII */
#define ENDED_IDS_CAP 65536 /* rows */
/* Records that the id is over, although it would be good until `ends` (Unix time in seconds); later
 * calls delete the row then. Durable when it returns 0. ERROR_BUSY at ENDED_IDS_CAP. */
int store_end_id(struct store *store, const char *id, int64_t ends, struct error *err);

/* How far a reader has seen the ended ids; all zero at first. */
struct ended_ids_seen {
    int64_t data_version, key;
};
/* Calls on_id for each id that was ended since *seen and would still be good, in order. Cheap if no
 * connection has written since. */
int store_ended_ids(struct store *store, struct ended_ids_seen *seen,
                    void (*on_id)(void *user, const char *id, int64_t ends), void *user,
                    struct error *err);

/* ---- maintenance ---- */

/* Copies the whole store to a new file while others read and write. on_step (may be NULL) receives
 * the progress in pages. */
int store_backup(struct store *store, const char *path,
                 void (*on_step)(void *user, size_t done, size_t total), void *user,
                 struct error *err);
/* Runs PRAGMA integrity_check and foreign_key_check. Returns 0 if there are no findings, else
 * ERROR_IO with the first ones. */
int store_check(struct store *store, struct error *err);

/* ---- import and export, only for curriculum_file.c: an import checks no rules ---- */

/* One import is one transaction, from begin to end; do not call other functions on the store in
 * between. Entries are stored as they are, valid or not, in their order: a node, then its
 * components. title is the session's; further are the additional fields of the top level;
 * relationships says whether the file has a list of them. If a node's `components` is an array, it
 * is not stored with the node (import_node puts it back before it returns); pass its entries to
 * import_component. */
int store_import_begin(struct store *store, const struct writer *writer, const char *title,
                       const json_t *further, bool relationships, char sid[SESSION_ID_SIZE],
                       struct error *err);
int store_import_node(struct store *store, json_t *node, struct error *err);
int store_import_component(struct store *store, json_t *component, struct error *err);
int store_import_relationship(struct store *store, const json_t *relationship, struct error *err);
/* keep false reverts everything since begin, and so does a failure of this function. */
int store_import_end(struct store *store, bool keep, struct error *err);

/* The writes of an import into a session that is there (import_into.c), logged as any other. The
 * members of a node or relationship that are given replace the old ones, the others stay. A node is
 * the first one with its node_id; a new one comes behind the node with the id `after`, or last
 * (NULL). It has no member `components`. */
int store_put_node(struct store *store, const struct writer *writer, const char *sid,
                   const json_t *node, const char *after, struct error *err);
/* All components of the node. One that was there keeps its id: the same content, else the same
 * type. Entries that are not objects are ignored, and those that the node has stay. */
int store_put_components(struct store *store, const struct writer *writer, const char *sid,
                         const char *node_id, const json_t *components, struct error *err);
/* It has both ends and a type, which are its identity. */
int store_put_relationship(struct store *store, const struct writer *writer, const char *sid,
                           const json_t *relationship, struct error *err);

/* Appends the whole session as a curriculum file, one node per line. */
int store_export(struct store *store, const char *sid, struct buf *text, struct error *err);

/* ---- conversations of the chat (mcp/chat/thread.h): JSON that the store does not interpret. It is
 * not part of the curriculum: no change log, no version, no export. With a service behind the
 * store, only the copy contains it. ---- */

/* Appends {"thread_id", "title", "updated_at"} of the newest threads, at most `most`, as a JSON
 * array. */
int store_threads_read(struct store *store, const char *sid, size_t most, struct buf *json,
                       struct error *err);

/* {"thread_id", "title", "interrupts": [...], "messages": [...]}. ERROR_NOT_FOUND if the session
 * has no such thread. */
int store_thread_read(struct store *store, const char *sid, const char *thread_id, struct buf *json,
                      struct error *err);

/* Appends messages to a thread that has `there` messages (0: creates it, with this title), and
 * replaces its interrupts. Durable when it returns 0. ERROR_STALE if it has another number of
 * messages, because somebody else wrote to it. */
int store_thread_append(struct store *store, const char *sid, const char *thread_id,
                        const char *title, size_t there, const json_t *messages,
                        const json_t *interrupts, struct error *err);

/* ---- tasks (mcp/agent/solve.h): their entries are JSON that the store does not interpret, kept as
 * conversations are. The oldest tasks go, a few with each new one. ---- */

#define TASKS_KEPT_DAYS 30
#define TASKS_MAX       10000
#define TASKS_DROPPED   20 /* at most, with each new task */
#define TASKS_LIMIT_MAX 500

/* Appends {"session_id", "tasks": [{"id", "question", "status", "created", "updated", "attempts"}]}
 * of the newest tasks, at most `most`; the newest first. status is null without an answer. */
int store_tasks_read(struct store *store, const char *sid, size_t most, struct buf *json,
                     struct error *err);
/* {"id", "session_id", "question", "status", "attempts", "created", "updated", "entries": [...]}.
 * ERROR_NOT_FOUND if the session has no such task. */
int store_task_read(struct store *store, const char *sid, const char *task_id, struct buf *json,
                    struct error *err);
/* The session of a task, or ERROR_NOT_FOUND. */
int store_task_session(struct store *store, const char *task_id, char sid[SESSION_ID_SIZE],
                       struct error *err);

struct task_row {
    const char *task_id, *question;
    const char *status; /* NULL: it has no answer */
    unsigned attempts;
};
/* Appends entries to a task that has `there` entries (0: creates it). Durable when it returns 0.
 * ERROR_STALE if it has another number of entries, because another process continues it. */
int store_task_append(struct store *store, const char *sid, const struct task_row *task,
                      size_t there, const json_t *entries, struct error *err);
/* In a write transaction: deletes the oldest tasks that were created before a time, or of which
 * there are more than most; at most TASKS_DROPPED. */
int store_tasks_drop_old(struct store *store, const char *before, int64_t most, struct error *err);

/* Size of the session's curriculum as a model would have to read it, in bytes: nodes, components
 * and relationships as JSON. */
int store_content_bytes(struct store *store, const char *sid, int64_t *bytes, struct error *err);

#endif
