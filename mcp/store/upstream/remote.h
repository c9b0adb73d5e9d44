/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Inside of the upstream: one connection to one service, of one thread.
 */
#ifndef LECTERN_SESSION_UPSTREAM_REMOTE_H
#define LECTERN_SESSION_UPSTREAM_REMOTE_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "helpers/base/http.h"
#include "mcp/store/copy.h"
#include "mcp/store/store_internal.h"

#define REMOTE_AT_ONCE    8u
#define REMOTE_CONNECT_MS 2000u
#define REMOTE_DOUBT_MS   2000u /* a request's time while the service has not answered lately */
#define REMOTE_LIST_CAP   ((size_t)64 << 20) /* bytes of a list, or of the bulk read */
#define REMOTE_ANSWER_CAP ((size_t)16 << 20) /* of everything else */
#define REMOTE_SESSIONS   512u               /* sessions that are looked through for a node's id */

/* What the service can do, one bit a row of the table in service.c. */
enum capability {
    CAN_VALIDATE = 1 << 0,
    CAN_SESSIONS = 1 << 1,
    CAN_SCOPED = 1 << 2, /* component paths that name the session */
    CAN_BULK = 1 << 3,
    CAN_INSERT = 1 << 4,
    CAN_PUT_ONE = 1 << 5,
    CAN_DELETE_ONE = 1 << 6,
    CAN_REORDER = 1 << 7,
    CAN_PUT_NODE = 1 << 8,
    CAN_CONTENT = 1 << 9,
    CAN_READ_NODE_MAP = 1 << 10,
    CAN_WRITE_NODE_MAP = 1 << 11,
    CAN_PUT_RELATIONSHIP = 1 << 12,
    CAN_DELETE_RELATIONSHIP = 1 << 13,
    CAN_SESSION_ID = 1 << 14,    /* bare component paths take X-Session-ID or ?session_id= */
    CAN_SESSION_QUERY = 1 << 15, /* by ?session_id= alone */
    CAN_PUT_SESSION = 1 << 17,
    CAN_DELETE_SESSION = 1 << 18,
    CAN_DOCUMENT = 1 << 16, /* it describes itself: else it is the poor one */
};

struct remote {
    struct upstream base;
    struct http_client *client;
    char *url;           /* http://HOST:PORT, no slash behind */
    char *copy;          /* path of the copy's file */
    char *authorization; /* a header line, or NULL */
    unsigned total_ms;   /* of one request */
    bool doubt;          /* the last request was not answered in time */
    bool known;          /* can is asked for */
    unsigned can;
    bool passing;    /* what is read is of sessions that the call is not about */
    bool quiet;      /* what is written to the copy came from the service: nothing is passed on */
    int64_t ends_ms; /* when the call under way must end, monotonic */
    struct store *before; /* the copy as it was before the open transaction; opened when needed */
    uint64_t transaction; /* to which fresh and states belong */
    uint64_t taken_back;  /* likewise: what was read in a part that is gone is read again */
    json_t *fresh;        /* what was read within it: {name: true} */
    json_t *states;       /* how it stood at the service then: {name: state} */
    json_t *owned;        /* sessions whose lock the open transaction holds: {sid: true} */
};

static inline struct remote *remote_of(struct upstream *upstream)
{
    return (struct remote *)upstream; /* base is the first member */
}

/* ---- service.c: one request or many, and what the answers mean ---- */

struct ask {
    const char *method;        /* NULL: GET */
    struct buf path;           /* owned */
    const json_t *body;        /* borrowed; or NULL */
    const char *sid;           /* borrowed; sent as X-Session-ID where not NULL */
    const char *match;         /* borrowed: a header line, "If-Match: ..."; or NULL */
    size_t cap;                /* 0: REMOTE_ANSWER_CAP */
    struct http_response came; /* owned */
    struct error err;          /* kind ERROR_NONE where an answer came */
};
void ask_finish(struct ask *ask);

/* Starts the clock of a call; times: how many requests' time it may take. */
void remote_begin(struct remote *remote, unsigned times);

/* All of them at once, bounded; reads are repeated where the failure looks like a passing one. -1
 * where one was not answered, with the first such one's reason; 5xx counts as not answered. */
int remote_ask(struct remote *remote, struct ask *asks, size_t count, struct error *err);

/* The answer's JSON, a new reference; NULL with ERROR_UNAVAILABLE where it is none. */
json_t *remote_json(struct remote *remote, const struct ask *ask, struct error *err);

/* err from an answer of 4xx, in the service's words. what: what was asked. Returns -1. */
int remote_refused(struct remote *remote, const struct ask *ask, const char *what,
                   struct error *err);

/* An answer that is not of the contract. Returns -1. */
int remote_garbage(struct remote *remote, const char *path, const char *why, struct error *err);

/* Asks once, and again after the service was away. store: whose open transaction is set aside
 * meanwhile; or NULL. */
int remote_know(struct remote *remote, struct store *store, struct error *err);
void remote_describe(const struct remote *remote, struct buf *words);
/* Whether its component paths name no session. */
bool remote_bare(const struct remote *remote);
/* "/session/ID/nodes/NODE/components", or the bare one. */
void remote_component_path(const struct remote *remote, struct buf *path, const char *sid,
                           const char *node_id);
void remote_session_path(struct buf *path, const char *sid, const char *what);

/* ---- session_lock.c: one writer of a session in the copy, over all threads and processes ---- */

/* For the open write transaction, until it has ended (remote_ended). Waits, and sets the
 * transaction aside for that. */
int remote_own(struct upstream *upstream, struct store *store, const char *sid, struct error *err);
void remote_ended(struct upstream *upstream, struct store *store);
bool remote_owns(const struct remote *remote, const char *sid);
/* For one short transaction. wait false: 1 where another has it. */
int session_lock(struct remote *remote, const char *sid, bool wait, struct error *err);
void session_unlock(struct remote *remote, const char *sid);

/* ---- refresh.c ---- */

int remote_refresh(struct upstream *upstream, struct store *store, unsigned scope, const char *sid,
                   const char *node_id, struct error *err);

/* ERROR_CONFLICT where the service cannot tell sessions apart by its paths and the id is in another
 * session too, as far as the copy knows. doing: "read" or "written". */
int guard_node(struct remote *remote, struct store *store, const char *sid, const char *node_id,
               const char *doing, struct error *err);

/* ---- resource.c: things of the service that the copy is equal to, or not ---- */

enum resource_kind { /* in the order in which they are taken in */
                     RESOURCE_SESSION,
                     RESOURCE_NODES,
                     RESOURCE_RELATIONSHIPS,
                     RESOURCE_TEXTS,      /* of a node */
                     RESOURCE_COMPONENTS, /* of a node */
                     RESOURCE_BULK,
                     RESOURCE_NODE_MAP,
};

struct resource {
    enum resource_kind kind;
    char sid[SESSION_ID_SIZE];
    char *node_id;   /* owned; or NULL */
    struct buf name; /* under which the copy remembers it: "nodes", "components:N001" */
    bool filled;     /* the copy has had it before */
    char seen[64 + HTTP_ETAG_SIZE];  /* what the copy is equal to: "" unknown */
    char fresh[64 + HTTP_ETAG_SIZE]; /* what came now */
    char match[32 + HTTP_ETAG_SIZE]; /* If-None-Match */
    json_t *content;                 /* normalised; NULL where nothing changed. Owned */
    json_t *fields;                  /* what stands beside a sequence. Owned; or NULL */
};

struct resources {
    struct resource *list;
    size_t count;
    int64_t version; /* of the session here when they were asked for; one session's alone */
};

int resources_add(struct remote *remote, struct store *store, struct resources *resources,
                  enum resource_kind kind, const char *sid, const char *node_id, struct error *err);
void resources_finish(struct resources *resources);
/* Asks for all of them. */
int resources_fetch(struct remote *remote, struct resources *resources, struct error *err);
/* Takes in what changed, in one transaction. 1: the session's copy was written to since they were
 * asked for, and nothing is done. */
int resources_apply(struct remote *remote, struct store *store, struct resources *resources,
                    struct error *err);
/* The name under which a thing's state is remembered; of a node or of the session (NULL). */
void resource_name(struct buf *to, enum resource_kind kind, const char *node_id);
/* Forgets what belongs to an earlier transaction. */
void remote_transaction(struct remote *remote, const struct store *store);
/* How it stood at the service before the open transaction, like copy_thing. */
json_t *state_thing(struct remote *remote, enum copy_thing kind, const char *sid, const char *id,
                    struct error *err);

/* ---- push.c ---- */

int remote_push(struct upstream *upstream, struct store *store, struct error *err);
int remote_create(struct upstream *upstream, struct store *store, const struct writer *writer,
                  const char *title, char sid[SESSION_ID_SIZE], struct error *err);
int remote_remove(struct upstream *upstream, struct store *store, const char *sid,
                  struct error *err);

/* ---- plan.c: what is to be sent, as data ---- */

/* The requests that bring the service to where the transaction is, in their order: [{"method",
 * "path", "sid", "body", "what", "back": [{"method", "path", "body"}], "check": {"kind", "sid",
 * "id", "want"}, "relationship": our id}]. Owned; NULL with err. */
json_t *plan_steps(struct remote *remote, struct store *store, const json_t *touched,
                   struct error *err);

/* The one request that makes a node's sequence from before to after: {"method", "suffix" (behind
 * the node's component path), "body", "back": [...]}, or JSON null where they are equal. fields:
 * what is sent beside a whole sequence. Pure. Owned. */
json_t *plan_sequence(unsigned can, const char *node_id, const json_t *before, const json_t *after,
                      const json_t *fields);

#endif
