/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The session API: method, path and body to status and JSON body, over any store. No sockets here;
 * the transport calls it on a work queue, and the executor's broker uses the same code for the
 * reads that a run may make. One const table of routes.
 */
#ifndef LECTERN_API_REST_H
#define LECTERN_API_REST_H

#include <stdbool.h>
#include <stddef.h>

#include "helpers/base/cancel.h"
#include "helpers/base/fields.h"
#include "mcp/store/store.h"

struct graph_cache;
struct rest_cache;
struct rest_more;
struct rest_route;

#define REST_PATH_MAX  2048
#define REST_ETAG_SIZE 40

struct rest_request {
    const struct rest_route *route; /* of rest_find; NULL: rest_handle finds it */
    const char *method;             /* "GET" */
    const char *path;  /* as the URL has it, without the query: "/session/SID/nodes/a%2Fb" */
    const char *query; /* likewise, after '?'; or "" */
    const char *session_header;  /* X-Session-ID, or NULL */
    const char *if_match;        /* or NULL */
    const char *if_none_match;   /* or NULL */
    const char *idempotency_key; /* or NULL */
    const char *who;             /* for the change log: "rest" */
    const char *body;
    size_t body_len;
    struct graph_cache *graphs;  /* on the graph work queue; else NULL */
    struct rest_cache *answers;  /* of reads that are kept; or NULL */
    const struct cancel *cancel; /* of graph questions; or NULL */
    bool trial; /* on the trial work queue: what a write would do is tried on a copy */
};

struct rest_response {
    int status;
    char etag[REST_ETAG_SIZE]; /* with its quotes, or "" */
    bool replayed;             /* an earlier answer to the same key */
    struct buf body;           /* JSON, whole at any time; owned. Empty with 304 */
    bool tries;                /* no answer yet: to be handled again on the trial work queue */
    struct rest_more *more;    /* what rest_fill_in makes more of it with; owned, or NULL */
};

/* The route of a method and path: found once, and handed on with the request. NULL: there is none,
 * and allow has the methods of the path ("GET, POST") for Allow, or "" where there is no path. */
const struct rest_route *rest_find(const char *method, const char *path, char *allow, size_t size);
/* Which work queue its requests belong on; REST_READ also for NULL. */
enum rest_workq { REST_READ, REST_WRITE, REST_GRAPH };
enum rest_workq rest_workq(const struct rest_route *route);
/* What a request with its route names for workq_key: its session, otherwise the node of a bare
 * path, otherwise nothing (0). */
uint64_t rest_key(const struct rest_request *request);

/* Always fills *response: errors are answers in FastAPI's shape. Blocking. */
void rest_handle(struct store *store, const struct rest_request *request,
                 struct rest_response *response);
void rest_response_finish(struct rest_response *response);

/* Where response->more is set and its write is kept: on the graph work queue, fills in what the
 * graph says, unless cancel (may be NULL) gives it up. busy not NULL, on any thread: the work queue
 * has not taken it, the answer says so there. */
void rest_fill_in(struct rest_response *response, const struct graph_cache *graphs,
                  const struct cancel *cancel, const struct error *busy);
/* After that, on a work queue that writes: keeps the whole answer under the request's idempotency
 * key. */
int rest_keep_whole(struct store *store, const char *key, const struct rest_response *response,
                    struct error *err);

/* An error as an answer in that shape; what response had goes. */
void rest_answer_error(struct rest_response *response, const struct error *err);

/* Answers to reads that are kept for the next request. */
struct rest_cache *rest_cache_create(struct error *err);
void rest_cache_destroy(struct rest_cache *cache); /* takes NULL */

/* The body of POST /execute, which the transport serves. */
#define REST_EXECUTE_TIMEOUT_MAX 3600 /* seconds; the server's own limit is far below */
extern const struct fields rest_execute_fields;

/* One GET inside one session, for the broker: 403 for anything else than a read of that very
 * session. */
struct rest_broker_request {
    const struct rest_route *route; /* of rest_broker_find */
    const char *sid;
    const char *target; /* "/session/SID/nodes?limit=5", as a URL has it */
    struct graph_cache *graphs;
    const struct cancel *cancel; /* both as in a rest_request */
};
void rest_broker(struct store *store, const struct rest_broker_request *request,
                 struct rest_response *response);
const struct rest_route *rest_broker_find(const char *target);

#endif
