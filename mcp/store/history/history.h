/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The change log records every write, grouped into change sets: reading it, and undo and restore.
 */
#ifndef LECTERN_STORE_HISTORY_HISTORY_H
#define LECTERN_STORE_HISTORY_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "helpers/base/buf.h"
#include "mcp/store/store.h"

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

#endif
