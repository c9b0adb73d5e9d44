/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a store has whichever way it is kept, for the files that are the store.
 */
#ifndef LECTERN_SESSION_STORE_PRIVATE_H
#define LECTERN_SESSION_STORE_PRIVATE_H

#include "mcp/session/store.h"

/* How much of a session a call is about. */
enum upstream_scope {
    UPSTREAM_SESSIONS,      /* which sessions there are; sid NULL */
    UPSTREAM_SESSION,       /* that it exists */
    UPSTREAM_NODES,         /* its nodes, without their components */
    UPSTREAM_RELATIONSHIPS, /* and its nodes */
    UPSTREAM_NODE,          /* one node with its components */
    UPSTREAM_POSITIONS,
    UPSTREAM_ALL, /* all of it */
};

/* A service that is the truth for what the database keeps a copy of. */
struct upstream {
    /* Brings the copy up to date before a read or a write of that scope. What others changed there
     * goes into the change log as theirs. -1: the service cannot be asked, or says no. */
    int (*refresh)(struct upstream *upstream, struct store *store, enum upstream_scope scope,
                   const char *sid, const char *node_id, struct error *err);
    /* Within the outermost write transaction, before its commit: passes what it changed (its rows
     * of the change log) on. -1: nothing is kept, here or there. */
    int (*push)(struct upstream *upstream, struct store *store, struct error *err);
    void (*close)(struct upstream *upstream);
};

struct store {
    struct upstream *upstream; /* owned; NULL: the database is the truth */
    store_observer *observer;  /* or NULL */
    void *observer_user;
};

#endif
