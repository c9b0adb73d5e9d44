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

/* A map from node ids to small objects, stored beside the nodes: the position of each on an
 * editor's canvas. These are its names in bodies and paths, and in the change log. */
#define NODE_MAP_NAME   "positions"
#define NODE_MAP_ENTITY "position"

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

/* Copies the whole store to a new file while others read and write. on_step (may be NULL) receives
 * the progress in pages. */
int store_backup(struct store *store, const char *path,
                 void (*on_step)(void *user, size_t done, size_t total), void *user,
                 struct error *err);
/* Runs PRAGMA integrity_check and foreign_key_check. Returns 0 if there are no findings, else
 * ERROR_IO with the first ones. */
int store_check(struct store *store, struct error *err);

#endif
