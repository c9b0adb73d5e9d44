/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The store of curricula: sessions, nodes, components, relationships and the log of every change. A
 * `struct store` is one connection to one backend (embedded SQLite; others to come) and belongs to
 * one thread at a time; any number may be open on the same URL, in any number of processes. Every
 * write is one transaction with its rows in the change log, durable when the call returns.
 *
 * The rules of the contract (types, parameters, unique ids, dense orders) hold for every write that
 * comes in here; an import alone may keep what breaks them (curriculum_file.h).
 *
 * Errors, everywhere: ERROR_UNAUTHORIZED; ERROR_NOT_FOUND with the nearest node id or title;
 * ERROR_INVALID with loc and what to send; ERROR_CONFLICT, ERROR_STALE with the current text. A
 * failed write changes nothing.
 */
#ifndef LECTERN_STORE_H
#define LECTERN_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "helpers/base/buf.h"
#include "helpers/base/error.h"

#define SESSION_ID_SIZE   37 /* UUID text with its NUL */
#define COMPONENT_ID_SIZE 37
#define NODE_ID_MAX       128 /* bytes of a node id in a new write */
#define TITLE_MAX         2000
#define TEXT_MAX          ((size_t)1 << 20) /* bytes of one text field in a new write */
#define BATCH_MAX         500               /* components of one batch or one sequence */

enum store_access {
    STORE_READ,
    STORE_WRITE,
    STORE_LOOK, /* for store_check alone: nothing is created, recovered or migrated */
};

struct store;

/* What a committed write changed; texts borrowed for the call. */
enum store_target {
    STORE_SESSION, /* itself: it is new, or gone, or so much changed that all is to be read again */
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
    bool imports;           /* takes a curriculum file as it is; the demo may be added to it */
    bool group_commit;      /* writes that wait together may share a transaction */
    bool known_before_read; /* versions are right before anything is read */
    bool waits_for_network; /* calls wait for another server rather than for the processor */
};
/* Of the store that the URL names; it need not be there. */
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
/* false: there is none. */
bool store_check_backing(const char *url, struct store_backing *backing);

/* Appends the URL as a user writes it: without the copy, and without user and password. */
void store_show_url(const char *url, struct buf *to);

/* url: "sqlite:PATH", or "http://HOST:PORT#COPY?seconds=N" (upstream/upstream.h). STORE_WRITE
 * creates the file and its folder, and migrates; STORE_READ and STORE_LOOK want it there;
 * STORE_LOOK asks no service, and gives ERROR_NOT_FOUND for a file that a write would create. */
struct store *store_open(const char *url, enum store_access access, struct error *err);
void store_close(struct store *store); /* takes NULL */

/* Takes over what others changed meanwhile where the store is not the system of record; does
 * nothing where it is. */
int store_catch_up(struct store *store, const char *sid, struct error *err);

/* What an operation reads of a node. */
enum store_part {
    STORE_COMPONENTS_PART = 1 << 0,
    STORE_TEXTS_PART = 1 << 1,
};
/* In front of a service: within store_begin and store_end, reads at once what the writes that
 * follow will read one by one. parts: {node_id: enum store_part joined}; ids that no node has are
 * passed over. */
int store_read_ahead(struct store *store, const char *sid, const json_t *parts, struct error *err);

/* The observer is called on the store's thread after each commit, once for each thing changed. */
void store_observe(struct store *store, store_observer *observer, void *user);

/* In front of a service: called on the store's thread before a call may wait for the service
 * (waits) and when it need not any more. */
typedef void store_waiter(void *user, bool waits);
void store_on_wait(struct store *store, store_waiter *waiter, void *user);

/* All writes between begin and end are one transaction: readers see them, and they are durable,
 * when the outermost end has returned 0. They nest: an inner end that does not keep takes back what
 * came since its begin, and no more. A failed end has kept nothing. After a failed begin there is
 * no end. */
int store_begin(struct store *store, struct error *err);
int store_end(struct store *store, bool keep, struct error *err);

/* What is read between begin and end is all of one state. 1: so it is, and it wants its end; 0:
 * this store has no such thing (a service is the truth), or is within a write already. They do not
 * nest, and nothing is written between. */
int store_snapshot_begin(struct store *store, struct error *err);
void store_snapshot_end(struct store *store);

/* Who writes, for the change log. Texts borrowed for the call. */
struct writer {
    const char *who; /* "mcp", "rest", "import", ... with the client's name where it gave one */
    const char *change_set;  /* groups several writes; NULL or "": each is one of its own */
    int64_t expected_cursor; /* ERROR_STALE where store_cursor gives another: of the node for a
                                write to its components, else of the session; 0: not checked */
};

/* A store of its own, opened for writing, that holds the session as it is now and nothing else:
 * what a write would do there is what it would do here, and the writer goes on meanwhile. history:
 * with its change log, for undo and restore. Not within store_begin and store_end. To be closed by
 * store_close, and everything done there is gone. */
struct store *store_trial_open(struct store *store, const char *sid, bool history,
                               struct error *err);

/* ---- reading. Each appends JSON text to *json in the form the session API gives; nothing is built
 * as a tree. ---- */

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
/* Many nodes' components at once, nodes in their order from offset on:
 * {"session_id", "nodes": [{"node_id", "title", "components": [...]}], "total", "offset"}. limit 0:
 * all. */
int store_read_all_components(struct store *store, const char *sid, size_t offset, size_t limit,
                              struct buf *json, struct error *err);
int store_read_node_map(struct store *store, const char *sid, struct buf *json,
                        struct error *err); /* {"session_id", NODE_MAP_NAME: {...}} */
int store_read_node_texts(struct store *store, const char *sid, const char *node_id,
                          struct buf *json, struct error *err);

/* 0 when the session exists. title (may be NULL) gets at most size bytes; *version (may be NULL)
 * the cursor that rises with each write. */
int store_session(struct store *store, const char *sid, char *title, size_t size, int64_t *version,
                  struct error *err);
/* A number that rises when the session's outline changes: a node's id, title, group or number of
 * components, or an edge. */
int store_graph_version(struct store *store, const char *sid, int64_t *version, struct error *err);
/* A number that rises with each write to the node and its components (sid and node_id given), to
 * the session (node_id NULL), or to any session (both NULL). */
int store_cursor(struct store *store, const char *sid, const char *node_id, int64_t *version,
                 struct error *err);
/* The only session's id, or ERROR_INVALID whose text lists the sessions there are by title and id.
 */
int store_only_session(struct store *store, char sid[SESSION_ID_SIZE], struct error *err);
/* The only session that has this node id, for the bare component paths; ERROR_NOT_FOUND, or
 * ERROR_CONFLICT where several. */
int store_session_of_node(struct store *store, const char *node_id, char sid[SESSION_ID_SIZE],
                          struct error *err);

/* The title of a node; err says the nearest where there is none. */
int store_node_title(struct store *store, const char *sid, const char *node_id, char *title,
                     size_t size, struct error *err);

/* The id of the node that a name means: an id, else a title that one node alone has, by the rules
 * of the graph's questions (helpers/graph/text.h). *id is borrowed from name or from found, which
 * the caller finishes. what: the argument, for the error: ERROR_NOT_FOUND says the nearest,
 * ERROR_CONFLICT lists the ids that share the title. */
int store_node_id(struct store *store, const char *sid, const char *name, const char *what,
                  struct buf *found, const char **id, struct error *err);

/* The curriculum as a graph sees it. Strings live as long as the outline. */
struct outline_node {
    const char *id, *title, *group;
    size_t components;
};
struct outline_edge {
    const char *from, *to, *type;
};
struct outline {
    struct outline_node *nodes;
    size_t node_count;
    struct outline_edge *edges;
    size_t edge_count;
    int64_t version;       /* of the session when it was read: nodes, edges and versions are of one
                              snapshot */
    int64_t graph_version; /* likewise: store_graph_version's */
    struct buf strings;
};
int store_read_outline(struct store *store, const char *sid, struct outline *outline,
                       struct error *err);
void outline_finish(struct outline *outline);

/* ---- writing ---- */

int store_session_create(struct store *store, const struct writer *writer, const char *title,
                         char sid[SESSION_ID_SIZE],
                         struct error *err); /* with nodes N001 and N002 */

/* title: checked by the caller (entity_session_check). It stands in the export too. */
int store_session_rename(struct store *store, const struct writer *writer, const char *sid,
                         const char *title, struct error *err);
/* All that belongs to the session: its nodes with the map beside them, relationships, history,
 * conversations and kept answers. It cannot be undone. */
int store_session_delete(struct store *store, const struct writer *writer, const char *sid,
                         struct error *err);

/* node: {"node_id", "title", "raw_content", "chapter_id", "content_category", further fields}; only
 * node_id and title are needed. ERROR_CONFLICT for an id in use. */
int store_node_create(struct store *store, const struct writer *writer, const char *sid,
                      const json_t *node, struct error *err);
int store_node_delete(struct store *store, const struct writer *writer, const char *sid,
                      const char *node_id, struct error *err);
/* changes: {"title", "content_category", "raw_content", "chapter_id", further fields} as given;
 * null takes a field away. expected_revision 0: not checked; ERROR_STALE says what the node is now.
 */
struct node_state {
    char node_id[NODE_ID_MAX + 1];
    char title[256]; /* cut at a UTF-8 boundary */
    long revision;
    size_t components, relationships; /* it has now; of a merge: that came over */
    size_t left_out; /* of a merge: relationships that would repeat, or be its own */
};
int store_node_update(struct store *store, const struct writer *writer, const char *sid,
                      const char *node_id, const json_t *changes, long expected_revision,
                      struct node_state *state, struct error *err);
/* The node as it is now; ERROR_STALE as in an update. */
int store_node_state(struct store *store, const char *sid, const char *node_id,
                     long expected_revision, struct node_state *state, struct error *err);
/* node_id's components go behind those of into, its relationships become into's, and it is deleted.
 */
int store_node_merge(struct store *store, const struct writer *writer, const char *sid,
                     const char *node_id, const char *into, long expected_revision,
                     struct node_state *state, struct error *err);
/* A map from node ids to small objects that is kept beside the nodes: where an editor's canvas
 * shows each. Its name in bodies and paths, and in the change log. */
#define NODE_MAP_NAME      "positions"
#define NODE_MAP_ENTITY    "position"
#define NODE_MAP_WRITE_MAX 5000 /* entries of one call */
/* {"N001": {"x": 100.5, "y": 200.3}}; null takes one away; those not named keep. */
int store_node_map_write(struct store *store, const struct writer *writer, const char *sid,
                         const json_t *map, struct error *err);
/* The four category texts, as given; others keep. */
int store_node_texts(struct store *store, const struct writer *writer, const char *sid,
                     const char *node_id, const json_t *texts, struct error *err);

/* Names one component of a node: by component_id when set, else by order (1-based). */
struct component_ref {
    const char *node_id;
    const char *component_id; /* or NULL */
    long order;               /* or 0 */
};

/* A component after a write (for a delete: as it was), with what an answer wants to say. */
struct component_state {
    char component_id[COMPONENT_ID_SIZE];
    char type[64];
    char node_title[256]; /* cut at a UTF-8 boundary */
    char summary[160];    /* the first words of its content, cut likewise, one line */
    long order;
    long revision;
    long total; /* components of the node now */
};

/* component: {"type" or "component_type", "parameters", "confidence" (default 1.0), further
 * fields}. position: 1-based, 0 for the end. */
int store_component_insert(struct store *store, const struct writer *writer, const char *sid,
                           const char *node_id, long position, const json_t *component,
                           struct component_state *state, struct error *err);

/* All or none; an ERROR_INVALID names every bad item (capped), not only the first. first gets the
 * first one's state. */
int store_components_append(struct store *store, const struct writer *writer, const char *sid,
                            const char *node_id, const json_t *components,
                            struct component_state *first, struct error *err);

/* changes: {"parameters", "type", "confidence"} as given. merge: parameters are merged shallowly
 * into the old ones instead of replacing them. The result must be valid. expected_revision 0: not
 * checked; ERROR_STALE carries the current text. */
int store_component_update(struct store *store, const struct writer *writer, const char *sid,
                           const struct component_ref *ref, const json_t *changes, bool merge,
                           long expected_revision, struct component_state *state,
                           struct error *err);

int store_component_delete(struct store *store, const struct writer *writer, const char *sid,
                           const struct component_ref *ref, long expected_revision,
                           struct component_state *state, struct error *err);

/* The whole sequence again, sorted by order and renumbered. A component whose component_id is given
 * keeps it. */
int store_components_replace(struct store *store, const struct writer *writer, const char *sid,
                             const char *node_id, const json_t *body, struct error *err);

/* order: the old places (1-based, each once) in their new sequence. */
int store_components_reorder(struct store *store, const struct writer *writer, const char *sid,
                             const char *node_id, const json_t *order, struct error *err);

struct relationship_state {
    int64_t id;
    char type[64];
    char from_title[256], to_title[256];
    json_t *cycle; /* where the new edge closes a cycle over types that contain PREREQUISITE: array
                      of {"node_id", "title"} from to_node back to from_node; else NULL. Owned by
                      the caller. */
};

/* relationship: {"from_node_id", "to_node_id", "relationship_type" (default LEADS_TO),
 * "explanation", "created_by", "confidence_score"}. ERROR_CONFLICT for a repeat, ERROR_INVALID for
 * a node to itself. */
int store_relationship_create(struct store *store, const struct writer *writer, const char *sid,
                              const json_t *relationship, struct relationship_state *state,
                              struct error *err);
#define RELATIONSHIPS_BATCH_MAX 5000
/* [{"from" or "from_node_id", "to" or "to_node_id", "type" or "relationship_type", "explanation",
 * ...}]: all or none; an ERROR_INVALID or ERROR_CONFLICT names every bad one (capped). */
int store_relationships_create(struct store *store, const struct writer *writer, const char *sid,
                               const json_t *relationships, size_t *created, struct error *err);
/* changes: {"relationship_type", "explanation", "confidence_score"} as given. */
int store_relationship_update(struct store *store, const struct writer *writer, const char *sid,
                              int64_t id, const json_t *changes, struct relationship_state *state,
                              struct error *err);
int store_relationship_delete(struct store *store, const struct writer *writer, const char *sid,
                              int64_t id, struct relationship_state *state, struct error *err);
/* The id of a relationship named by its ends and its type; ERROR_NOT_FOUND. */
int store_relationship_find(struct store *store, const char *sid, const char *from, const char *to,
                            const char *type, int64_t *id, struct error *err);

/* ---- history: every write is in the change log, by change sets ---- */

/* Change sets, newest first: {"session_id", "version", "changes": [{"change_set", "version" (its
 * last), "at", "who", "undone_by" (or null), "what": "2 components of N007 changed", "entries":
 * [{"version", "entity", "entity_id", "node_id", "op", "before", "after"}]}], "total"}. Texts in
 * before and after are whole; entries are at most HISTORY_ENTRIES_CAP a change set, the rest
 * counted in "entries_left_out". since: those after that version alone; before: those up to it, 0
 * for all; node_id: those that touch it, or NULL. */
struct history_page {
    int64_t since, before;
    const char *node_id;
    size_t limit;       /* 1 to HISTORY_LIMIT_MAX */
    bool without_texts; /* before and after are left out */
};
#define HISTORY_LIMIT_MAX   500
#define HISTORY_ENTRIES_CAP 100
int store_read_history(struct store *store, const char *sid, const struct history_page *page,
                       struct buf *json, struct error *err);
/* What is otherwise at version to than at version from, thing by thing: {"session_id", "from",
 * "to", "differences": [{"entity", "entity_id", "node_id", "before", "after"}], "total"}; null:
 * was not there. */
int store_read_difference(struct store *store, const char *sid, int64_t from, int64_t to,
                          struct buf *json, struct error *err);

struct undo_state {
    char change_set[80]; /* that was undone, or the last that restore took back */
    char by_set[80];     /* that did it: undoing this one does it again */
    char what[256];      /* in words, by titles */
    size_t entries;      /* of the log, taken back */
    int64_t version;     /* the session's now */
};
/* Takes back one change set; NULL: the last that is not undone, nor an undoing itself, if the
 * writer made it: what has the same name in the change log is one writer, and so are a page and its
 * chat. ERROR_CONFLICT, and nothing is done, where another writer made the last change, or where
 * something it changed was changed again since: says what, by whom. ERROR_NOT_FOUND where there is
 * nothing to undo. */
int store_undo(struct store *store, const struct writer *writer, const char *sid,
               const char *change_set, struct undo_state *state, struct error *err);
/* Brings the content back as it was at that version, in one change set; versions and times go on.
 */
int store_restore(struct store *store, const struct writer *writer, const char *sid,
                  int64_t version, struct undo_state *state, struct error *err);

/* ---- calls that carry a key are done once ---- */

#define IDEMPOTENCY_KEY_MAX 200   /* bytes */
#define ANSWERS_KEPT_S      86400 /* at least; then they go with later ones */
#define ANSWER_BODY_CAP                                                                            \
    ((size_t)1 << 20) /* of a longer one is kept that the call was done: a repeat is told so */

struct idempotency_record {
    int status;
    struct buf body; /* owned */
};
/* Within store_begin and store_end, before the call's writes. 1: it was done, answer has what it
 * was told; 0: it was not; -1: ERROR_CONFLICT where the key was used for another call. fingerprint:
 * of the whole call, text. */
int store_idempotency_find(struct store *store, const char *key, const char *fingerprint,
                           struct idempotency_record *answer, struct error *err);
/* After them, in the same transaction: both are kept or none. sid: of the session whose answers it
 * belongs to and is deleted with, or NULL. */
int store_idempotency_keep(struct store *store, const char *sid, const char *key,
                           const char *fingerprint, int status, const char *body, size_t len,
                           struct error *err);
/* Gives a kept answer another body, with what was found out after its transaction. */
int store_idempotency_amend(struct store *store, const char *key, const char *body, size_t len,
                            struct error *err);

/* ---- keeping ---- */

/* A copy of the whole store in a new file while others read and write. on_step (or NULL) is told
 * how far it is, in pages. */
int store_backup(struct store *store, const char *path,
                 void (*on_step)(void *user, size_t done, size_t total), void *user,
                 struct error *err);
/* PRAGMA integrity_check and foreign_key_check: 0 when all is well; else ERROR_IO with the first
 * findings. */
int store_check(struct store *store, struct error *err);

/* ---- import and export, for curriculum_file.c alone: an import checks no rule ---- */

/* One import is one transaction, from begin to end; nothing else may be called on the store
 * between. Entries go in as they are, whatever they are, in their order: a node, then its
 * components. title: the session's; further: the top level's other fields; relationships: whether
 * the file has a list of them. A node's own `components`, when it is an array, is left out of what
 * is kept of the node (it is put back before import_node returns); its entries follow by
 * import_component. */
int store_import_begin(struct store *store, const struct writer *writer, const char *title,
                       const json_t *further, bool relationships, char sid[SESSION_ID_SIZE],
                       struct error *err);
int store_import_node(struct store *store, json_t *node, struct error *err);
int store_import_component(struct store *store, json_t *component, struct error *err);
int store_import_relationship(struct store *store, const json_t *relationship, struct error *err);
/* keep false: everything since begin is undone. It is undone too where this fails. */
int store_import_end(struct store *store, bool keep, struct error *err);

/* Appends the whole session as a curriculum file, one node a line. */
int store_export(struct store *store, const char *sid, struct buf *text, struct error *err);

/* ---- conversations, as the chat keeps them (mcp/chat/thread.h): JSON that the store does not look
 * into, beside the curriculum and no part of it: no change log, no version, no export. In front of
 * a service they are in the copy alone. ---- */

/* {"thread_id", "title", "updated_at"} of the newest, most of them, appended as a JSON array. */
int store_threads_read(struct store *store, const char *sid, size_t most, struct buf *json,
                       struct error *err);

/* {"thread_id", "title", "interrupts": [...], "messages": [...]}; ERROR_NOT_FOUND where the
 * session has none of that id. */
int store_thread_read(struct store *store, const char *sid, const char *thread_id, struct buf *json,
                      struct error *err);

/* Adds messages behind the `there` ones it has already (0: it is made, with that title) and puts
 * interrupts in place of those before; durable when it returns 0. ERROR_STALE where it has another
 * number: somebody else wrote to it. */
int store_thread_append(struct store *store, const char *sid, const char *thread_id,
                        const char *title, size_t there, const json_t *messages,
                        const json_t *interrupts, struct error *err);

/* Bytes of the session's curriculum as a model would have to read it: nodes, components and
 * relationships as JSON. */
int store_content_bytes(struct store *store, const char *sid, int64_t *bytes, struct error *err);

#endif
