/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a store has whichever way it is kept, for the files that are the store.
 */
#ifndef LECTERN_SESSION_STORE_INTERNAL_H
#define LECTERN_SESSION_STORE_INTERNAL_H

#include "mcp/store/store.h"

/* What a call is about; several may be joined. All but the first two mean the nodes too. */
enum upstream_scope {
    UPSTREAM_SESSIONS = 1 << 0, /* which sessions there are; sid NULL */
    UPSTREAM_SESSION = 1 << 1,  /* that it exists */
    UPSTREAM_NODES = 1 << 2,    /* without their components */
    UPSTREAM_RELATIONSHIPS = 1 << 3,
    UPSTREAM_NODE = 1 << 4,  /* the components of one node */
    UPSTREAM_TEXTS = 1 << 5, /* its category texts */
    UPSTREAM_POSITIONS = 1 << 6,
    UPSTREAM_COMPONENTS = 1 << 7, /* of all nodes */
    UPSTREAM_ALL_TEXTS = 1 << 8,
    UPSTREAM_COUNTS = 1 << 9,   /* how many components nodes have: as last read, where it is dear */
    UPSTREAM_CHANGED = 1 << 10, /* what a change set touched: node_id names it, NULL the latest */
    UPSTREAM_OWNERS = 1 << 11,  /* which sessions have a node; sid NULL */
    UPSTREAM_PASS_OVER = 1 << 12, /* nodes that cannot be told apart are left as they are */
};
#define UPSTREAM_ALL                                                                               \
    (UPSTREAM_NODES | UPSTREAM_RELATIONSHIPS | UPSTREAM_POSITIONS | UPSTREAM_COMPONENTS |          \
     UPSTREAM_ALL_TEXTS)

/* A service that is the truth for what the database keeps a copy of. */
struct upstream {
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

struct store {
    struct upstream *upstream; /* owned; NULL: the database is the truth */
    store_observer *observer;  /* or NULL */
    void *observer_user;
    store_waiter *waiter; /* or NULL */
    void *waiter_user;
};

#endif
