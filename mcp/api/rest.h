/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The session API: turns method, path and body into a status and a JSON body, for any store. No
 * sockets here: the transport calls it on a work queue, and the executor's broker uses the same
 * code for the reads of a run. One const table of routes.
 */
#ifndef LECTERN_API_REST_H
#define LECTERN_API_REST_H

#include <stdbool.h>
#include <stddef.h>

#include "helpers/base/cancel.h"
#include "helpers/base/fields.h"
#include "mcp/store/large_write.h"
#include "mcp/store/store.h"

struct graph_cache;
struct rest_cache;
struct rest_more;
struct rest_route;

#define REST_PATH_MAX  2048
#define REST_ETAG_SIZE 40

struct rest_request {
    const struct rest_route *route; /* from rest_find; NULL: rest_handle finds it */
    const char *method;             /* "GET" */
    const char *path;            /* as in the URL, without the query: "/session/SID/nodes/a%2Fb" */
    const char *query;           /* likewise, after '?'; or "" */
    const char *session_header;  /* X-Session-ID, or NULL */
    const char *if_match;        /* or NULL */
    const char *if_none_match;   /* or NULL */
    const char *idempotency_key; /* or NULL */
    const char *who;             /* for the change log: "rest" */
    struct session_scope scope;  /* the sessions that it may use */
    const char *body;
    size_t body_len;
    struct graph_cache *graphs;  /* on the graph work queue; else NULL */
    struct rest_cache *answers;  /* cached answers to reads, or NULL */
    const struct cancel *cancel; /* for graph queries, or NULL */
    bool trial;                  /* on the trial work queue: a dry run, on a copy */
    struct large_write *writing; /* of a write: its steps. NULL: it is done in one */
};

struct rest_response {
    int status;
    char etag[REST_ETAG_SIZE]; /* with its quotes, or "" */
    bool replayed;             /* repeats an earlier answer to the same key */
    struct buf body;           /* complete JSON at any time; owned. Empty with 304 */
    bool tries;                /* no answer yet: handle it again on the trial work queue */
    struct rest_more *more;    /* what rest_fill_in completes the answer with; owned, or NULL */
};

/* Finds the route of a method and path once; the request carries it. NULL if there is none: then
 * allow gets the methods of the path for the Allow header ("GET, POST"), or "" if the path does not
 * exist. */
const struct rest_route *rest_find(const char *method, const char *path, char *allow, size_t size);
/* The work queue for requests of this route; REST_READ for NULL. */
enum rest_workq { REST_READ, REST_WRITE, REST_GRAPH };
enum rest_workq rest_workq(const struct rest_route *route);
/* Whether a request of this route may take long on REST_GRAPH. target: the path, perhaps with a
 * query. */
bool rest_is_large(const struct rest_route *route, const char *target);
/* Whether a write of this route begins on a copy (struct large_write's makes_session), because the
 * only writer would have to wait while the body is read. */
bool rest_is_large_write(const struct rest_route *route, size_t body_len);
/* The workq_key of a request with its route: its session, else the node of a path without a
 * session, else 0. */
uint64_t rest_key(const struct rest_request *request);

/* Always fills *response; errors are answers in FastAPI's format. Blocks. If request->writing is
 * unfinished then, there is no answer yet: the request is handled again, with an empty response, on
 * the trial or sql work queue; in the stage LARGE_APPLY by rest_apply, with this response. */
void rest_handle(struct store *store, const struct rest_request *request,
                 struct rest_response *response);
void rest_apply(struct store *store, const struct rest_request *request,
                struct rest_response *response);
void rest_response_finish(struct rest_response *response);

/* Called if response->more is set, after the write is committed. On the graph work queue, adds the
 * effect on the graph, unless cancel (may be NULL) fires. On any thread, if the work queue refused
 * the job: busy is its error, which the answer then contains. */
void rest_fill_in(struct rest_response *response, const struct graph_cache *graphs,
                  const struct cancel *cancel, const struct error *busy);

/* Replaces *response with an error in that format. */
void rest_answer_error(struct rest_response *response, const struct error *err);

/* A cache of answers to reads. */
struct rest_cache *rest_cache_create(struct error *err);
void rest_cache_destroy(struct rest_cache *cache); /* takes NULL */

/* The body of POST /execute, which the transport serves. */
#define REST_EXECUTE_TIMEOUT_MAX 3600 /* seconds; the server's own limit is far lower */
extern const struct fields rest_execute_fields;
/* Several programs instead of one: {"name", "code"} each, with different names; for the `of` of an
 * array. */
#define REST_BATCH_LEAST    2
#define REST_BATCH_MOST     8
#define REST_BATCH_NAME_MAX 60 /* bytes */
extern const struct fields rest_batch_part;
/* The check of rest_batch_part, for a shorter description of the array. */
void rest_batch_check(const struct field *row, const json_t *value, const json_t *object,
                      const char *name, struct validation_errors *problems);
/* And of POST /learners/{id}/tier, likewise. */
#define REST_TIER_NAME_MAX 40 /* bytes */
extern const struct fields rest_learner_tier_fields;

/* One GET within one session, for the broker. Anything other than a read of this session is
 * answered 403. */
struct rest_broker_request {
    const struct rest_route *route; /* from rest_broker_find */
    const char *sid;
    const char (*also)[SESSION_ID_SIZE]; /* further sessions that may be a framework */
    size_t also_count;
    const char *target; /* as in a URL: "/session/SID/nodes?limit=5" */
    struct graph_cache *graphs;
    const struct cancel *cancel; /* both as in a rest_request */
};
void rest_broker(struct store *store, const struct rest_broker_request *request,
                 struct rest_response *response);
const struct rest_route *rest_broker_find(const char *target);

#endif
