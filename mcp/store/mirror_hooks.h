/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The calls from a store to the service that it mirrors. The store knows no service: mcp/mirror/
 * implements these calls, and open.c finds them by the URL, as it finds the row of a database.
 */
#ifndef LECTERN_STORE_MIRROR_HOOKS_H
#define LECTERN_STORE_MIRROR_HOOKS_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "mcp/store/store.h"

/* The data that a call uses; values can be combined. All but the first two include
 * MIRROR_NODES. */
enum mirror_scope {
    MIRROR_SESSIONS = 1 << 0, /* the list of sessions; sid NULL */
    MIRROR_SESSION = 1 << 1,  /* whether the session exists */
    MIRROR_NODES = 1 << 2,    /* without their components */
    MIRROR_RELATIONSHIPS = 1 << 3,
    MIRROR_NODE = 1 << 4,  /* the components of one node */
    MIRROR_TEXTS = 1 << 5, /* its category texts */
    MIRROR_NODE_MAP = 1 << 6,
    MIRROR_COMPONENTS = 1 << 7, /* of all nodes */
    MIRROR_ALL_TEXTS = 1 << 8,
    MIRROR_COUNTS =
        1 << 9, /* how many components the nodes have; as last read, if reading is expensive */
    MIRROR_CHANGED =
        1 << 10,             /* what a change set touched: node_id is its id, NULL for the latest */
    MIRROR_OWNERS = 1 << 11, /* which sessions have a node; sid NULL */
    MIRROR_PASS_OVER = 1 << 12, /* ignore nodes that cannot be told apart */
    MIRROR_AHEAD = 1 << 14,     /* parts of several nodes, in struct mirror */
    MIRROR_UNKNOWN = 1 << 13,   /* MIRROR_SESSION if the session is unknown here, else nothing:
                                     for data that only the copy has, such as conversations */
};
#define MIRROR_ALL                                                                                 \
    (MIRROR_NODES | MIRROR_RELATIONSHIPS | MIRROR_NODE_MAP | MIRROR_COMPONENTS | MIRROR_ALL_TEXTS)

/* The service that is the system of record for this copy. */
struct mirror {
    const json_t *ahead; /* the parts of store_read_ahead, for a refresh with MIRROR_AHEAD */
    size_t nameless;     /* relationships created of which the service tells no id */
    int shared;          /* a file beside the copy, open in all connections, with the last keys */
    /* Updates the copy before a read or a write with this scope. Changes by others are logged as
     * theirs. -1 if the service is unreachable or refuses. */
    int (*refresh)(struct mirror *mirror, struct store *store, unsigned scope, const char *sid,
                   const char *node_id, struct error *err);
    /* Excludes other writers of the session until the open write transaction has ended; waits for
     * the current one. */
    int (*own)(struct mirror *mirror, struct store *store, const char *sid, struct error *err);
    /* Within the outermost write transaction, before its commit: sends what it changed (its rows of
     * the change log). The transaction is suspended meanwhile. On -1 nothing is kept, here or
     * there. */
    int (*push)(struct mirror *mirror, struct store *store, struct error *err);
    /* Called when the outermost write transaction has ended. */
    void (*ended)(struct mirror *mirror, struct store *store);
    /* Creates a session at the service and here. */
    int (*create)(struct mirror *mirror, struct store *store, const struct writer *writer,
                  const char *title, char sid[SESSION_ID_SIZE], struct error *err);
    /* Deletes a session at the service; the caller deletes it here. */
    int (*remove)(struct mirror *mirror, struct store *store, const char *sid, struct error *err);
    void (*close)(struct mirror *mirror);
};

struct mirror_opener {
    /* Whether the URL names a service. */
    bool (*is)(const char *url);
    /* url is "http://HOST:PORT#PATH?seconds=N&one_session=1", where PATH is the file of the mirror.
     * Sends nothing yet, so the service may be down. Reading and writing both write the mirror;
     * STORE_LOOK only opens it. */
    struct store *(*open)(const char *url, enum store_access access, struct error *err);
    /* Says in words whether the service answers, and which features it has. Opens no file. */
    int (*describe)(const char *url, struct buf *words, struct error *err);
};
extern const struct mirror_opener service_mirror;

#endif
