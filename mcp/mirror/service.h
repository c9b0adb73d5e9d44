/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A store whose system of record is a service with the session API (http://HOST:8000), with a
 * mirror in a local database. The mirror also stores data for which the service has no place:
 * history, ids of components, revisions. Each read and write first updates the parts of the mirror
 * that it uses; each write is sent to the service before it is committed here.
 *
 * This folder includes the store and helpers/base/. This header is the connection to one service,
 * used by one thread, and the calls between the files of the folder.
 */
#ifndef LECTERN_MIRROR_SERVICE_H
#define LECTERN_MIRROR_SERVICE_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "helpers/base/http.h"
#include "mcp/mirror/state.h"
#include "mcp/store/store_internal.h"

#define SERVICE_AT_ONCE    8u
#define SERVICE_CONNECT_MS 2000u
#define SERVICE_DOUBT_MS   2000u /* for one request while the service has not answered recently */
#define SERVICE_LIST_CAP   ((size_t)64 << 20) /* bytes of a list, or of the bulk read */
#define SERVICE_ANSWER_CAP ((size_t)16 << 20) /* of everything else */
#define SERVICE_SESSIONS   512u               /* sessions that are searched for a node id */

/* What the service can do: one bit for each row of the table in service.c. */
enum capability {
    CAN_VALIDATE = 1 << 0,
    CAN_SESSIONS = 1 << 1,
    CAN_SCOPED = 1 << 2, /* component paths with the session; see CAN_NAME_SESSION */
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
    CAN_SESSION_ID =
        1 << 14, /* component paths without a session take X-Session-ID or ?session_id= */
    CAN_SESSION_QUERY = 1 << 15, /* only ?session_id= */
    CAN_PUT_SESSION = 1 << 17,
    CAN_DELETE_SESSION = 1 << 18,
    CAN_DOCUMENT = 1 << 16, /* it has an /openapi.json; otherwise the minimal service is assumed */
};

/* How component paths say which session is meant. The description of the service is only a first
 * guess; service_probe finds out. With none of them they name no session. */
#define CAN_NAME_SESSION (CAN_SCOPED | CAN_SESSION_ID | CAN_SESSION_QUERY)

struct service {
    struct mirror base;
    struct http_client *client;
    char *url;           /* http://HOST:PORT, without a trailing slash */
    char *mirror_path;   /* of its file */
    char *authorization; /* a header line, or NULL */
    unsigned total_ms;   /* for one request */
    bool doubt;          /* the last request timed out */
    bool known;          /* `can` is known */
    bool probed;         /* its bits CAN_NAME_SESSION are known for certain */
    bool one_session;    /* the user says that no two sessions have the same node id */
    unsigned can;
    bool passing;         /* reads are for other sessions than the call's */
    bool quiet;           /* writes to the mirror come from the service: send nothing */
    int64_t ends_ms;      /* deadline of the current call, monotonic */
    struct store *before; /* the mirror before the open transaction; opened when needed */
    uint64_t transaction; /* the one that fresh and states belong to */
    uint64_t taken_back;  /* likewise: what was read in a rolled-back part is read again */
    json_t *fresh;        /* names read within it: {name: true} */
    json_t *states;       /* their states at the service at that time: {name: state} */
    json_t *owned;        /* sessions locked by the open transaction: {sid: true} */
};

static inline struct service *service_of(struct mirror *mirror)
{
    return (struct service *)mirror; /* base is the first member */
}

/* ---- service.c: one or many requests, and what the answers mean ---- */

struct ask {
    const char *method;        /* NULL: GET */
    struct buf path;           /* owned */
    const json_t *body;        /* borrowed; or NULL */
    const char *sid;           /* borrowed; sent as X-Session-ID unless NULL */
    const char *match;         /* borrowed: a header line, "If-Match: ..."; or NULL */
    size_t cap;                /* 0: SERVICE_ANSWER_CAP */
    struct http_response came; /* owned */
    struct error err;          /* ERROR_NONE if an answer arrived */
};
void ask_finish(struct ask *ask);

/* Starts the clock of a call, which may take the time of this many requests. */
void service_begin(struct service *service, unsigned times);

/* Sends all of them, with limited concurrency; repeats reads after failures that look temporary. -1
 * if any was not answered, with the reason of the first; 5xx counts as not answered. */
int service_ask(struct service *service, struct ask *asks, size_t count, struct error *err);

/* The JSON of the answer as a new reference; NULL with ERROR_UNAVAILABLE if it is not JSON. */
json_t *service_json(struct service *service, const struct ask *ask, struct error *err);

/* Sets err from a 4xx answer, with the text of the service. what describes the request. Returns
 * -1. */
int service_refused(struct service *service, const struct ask *ask, const char *what,
                    struct error *err);

/* For an answer that violates the contract. Returns -1. */
int service_garbage(struct service *service, const char *path, const char *why, struct error *err);

/* Finds out what the service can do, once and again after it was unreachable. The open transaction
 * of store (may be NULL) is set aside meanwhile. */
int service_know(struct service *service, struct store *store, struct error *err);
/* Finds out, once, how the component paths name the session, by reading those of a node that the
 * session has. No transaction may be open. */
int service_probe(struct service *service, const char *sid, const char *node_id, struct error *err);
void service_describe(const struct service *service, struct buf *words);
/* Whether its component paths have no session. */
bool service_bare(const struct service *service);
/* "/session/ID/nodes/NODE/components", or the path without a session. */
void service_component_path(const struct service *service, struct buf *path, const char *sid,
                            const char *node_id);
void service_session_path(struct buf *path, const char *sid, const char *what);

/* ---- session_lock.c: one writer per session in the mirror, over all threads and processes ---- */

/* Locks the session until the open write transaction has ended (service_ended). Waits, with the
 * transaction set aside. */
int service_own(struct mirror *mirror, struct store *store, const char *sid, struct error *err);
void service_ended(struct mirror *mirror, struct store *store);
bool service_owns(const struct service *service, const char *sid);
/* For one short transaction. If wait is false, returns 1 if another has the lock. */
int session_lock(struct service *service, const char *sid, bool wait, struct error *err);
void session_unlock(struct service *service, const char *sid);

/* ---- refresh.c ---- */

int service_refresh(struct mirror *mirror, struct store *store, unsigned scope, const char *sid,
                    const char *node_id, struct error *err);

/* ERROR_CONFLICT if the component paths of the service name no session, and another session may
 * have the id too: the mirror knows one, or the service does not list its sessions. doing is "read"
 * or "written". */
int guard_node(struct service *service, struct store *store, const char *sid, const char *node_id,
               const char *doing, struct error *err);

/* ---- resource.c: parts of the service's state, and whether the mirror equals them ---- */

enum resource_kind { /* in the order in which they are applied */
                     RESOURCE_SESSION,
                     RESOURCE_NODES,
                     RESOURCE_RELATIONSHIPS,
                     RESOURCE_TEXTS,      /* of a node */
                     RESOURCE_COMPONENTS, /* of a node */
                     RESOURCE_BULK,
                     RESOURCE_NODE_MAP,
};

struct service_resource {
    enum resource_kind kind;
    char sid[SESSION_ID_SIZE];
    char *node_id;                   /* owned; or NULL */
    struct buf name;                 /* its name in the mirror: "nodes", "components:N001" */
    bool filled;                     /* the mirror had it before */
    char seen[64 + HTTP_ETAG_SIZE];  /* the version that the mirror equals; "" unknown */
    char fresh[64 + HTTP_ETAG_SIZE]; /* the version that was just read */
    char match[32 + HTTP_ETAG_SIZE]; /* If-None-Match */
    json_t *content;                 /* normalised; NULL if nothing changed. Owned */
    json_t *fields;                  /* the fields beside a sequence. Owned; or NULL */
};

struct resources {
    struct service_resource *list;
    size_t count;
    int64_t version; /* local version of the session when they were requested; only for a single
                        session */
};

int resources_add(struct service *service, struct store *store, struct resources *resources,
                  enum resource_kind kind, const char *sid, const char *node_id, struct error *err);
void resources_finish(struct resources *resources);
/* Requests all of them. */
int resources_fetch(struct service *service, struct resources *resources, struct error *err);
/* Applies what changed, in one transaction. Returns 1 and does nothing if the session in the mirror
 * was written since they were requested. */
int resources_apply(struct service *service, struct store *store, struct resources *resources,
                    struct error *err);
/* The name of a resource of a node, or of the session (NULL). */
void resource_name(struct buf *to, enum resource_kind kind, const char *node_id);
/* Discards what belongs to an earlier transaction. */
void service_transaction(struct service *service, const struct store *store);
/* The state at the service before the open transaction; otherwise like mirror_entity. */
json_t *service_entity(struct service *service, enum mirror_entity kind, const char *sid,
                       const char *id, struct error *err);

/* ---- push.c ---- */

int service_push(struct mirror *mirror, struct store *store, struct error *err);
int service_create(struct mirror *mirror, struct store *store, const struct writer *writer,
                   const char *title, char sid[SESSION_ID_SIZE], struct error *err);
int service_remove(struct mirror *mirror, struct store *store, const char *sid, struct error *err);

/* ---- plan.c: the requests to send, as data ---- */

/* The requests that make the service equal to the transaction, in order: [{"method", "path", "sid",
 * "body", "what", "back": [{"method", "path", "body"}], "check": {"kind", "sid", "id", "want"},
 * "relationship": our id}]. Owned; NULL with err. */
json_t *plan_steps(struct service *service, struct store *store, const json_t *touched,
                   struct error *err);

/* The one request that changes a node's sequence from before to after: {"method", "suffix" (after
 * the node's component path), "body", "back": [...]}, or JSON null if they are equal. fields are
 * sent beside a whole sequence. Pure. Owned. */
json_t *plan_sequence(unsigned can, const char *node_id, const json_t *before, const json_t *after,
                      const json_t *fields);

#endif
