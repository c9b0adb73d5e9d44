/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Large writes. A database has one writer, which must not wait long for anybody. A write that has
 * taken LARGE_WRITE_MS there is taken back. Another thread makes it on a copy of its session, which
 * records its changes, and the writer applies them in one short transaction. If the session has
 * changed meanwhile, the write is made on a new copy; after LARGE_WRITE_TRIES copies in place, as
 * is one whose changes are larger than DB_CHANGES_MAX.
 *
 * A write that makes a session, an import, is applied in slices of LARGE_SLICE_ROWS. The session is
 * hidden as if it were deleted until the last slice, so an import that ends early is deleted in
 * steps (session_drop.c), and one that a kill has cut off at the next start of a server.
 *
 * Each step of a write is one call of store_write_step on the thread of a work queue; the caller
 * passes the write on. Where writes are not put aside (store_put_aside), the first step is the
 * last.
 */
#ifndef LECTERN_STORE_LARGE_WRITE_H
#define LECTERN_STORE_LARGE_WRITE_H

#include <stdbool.h>

#include "helpers/base/error.h"
#include "mcp/store/store.h"

#define LARGE_WRITE_MS    60
#define LARGE_WRITE_TRIES 3u
#define LARGE_SLICE_ROWS  1000u

enum large_stage {
    LARGE_IN_PLACE, /* the writer makes the write in its own store */
    LARGE_ON_COPY,  /* a thread with a store for reading makes it on a copy of the session */
    LARGE_APPLY,    /* the writer applies the changes that the copy has recorded */
};

/* All zero before the first step. */
struct large_write {
    enum large_stage stage;  /* of the next step */
    bool makes_session;      /* set before the first step: a large write that makes a session */
    bool unfinished;         /* there is a next step */
    size_t rows;             /* set likewise: its largest number; 0: as many as a call may have */
    unsigned tries;          /* copies made */
    struct large_copy *copy; /* owned; NULL while it is made in place */
};

typedef int store_write_fn(void *user, struct store *store, struct error *err);

/* Within store_bound and store_unbound of the store. write is called where the stage makes the
 * write, perhaps again on another thread, so its results are to be dropped before each
 * stage but LARGE_APPLY. Returns 0, with the write done if it is not unfinished, or -1 with err and
 * nothing kept. */
int store_write_step(struct large_write *large, struct store *store, store_write_fn *write,
                     void *user, struct error *err);

/* All steps of a write that makes a session, on this thread, with pauses for the writers of other
 * processes. rows: how many it has at most. on_slice, which may be NULL, is called after each
 * slice. In front of a service the write is made in place. */
int store_write_slices(struct store *store, size_t rows, store_write_fn *write, void *user,
                       void (*on_slice)(void *user, size_t done, size_t total), struct error *err);

/* Frees what it owns. */
void large_write_finish(struct large_write *large);

/* For the store of a server's writer: large writes to it are put aside. The leftovers of an earlier
 * server are deleted. Without effect in front of a service, where writers of different sessions do
 * not wait for each other. */
int store_put_aside(struct store *store, struct error *err);

#endif
