/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Private parts of the session API: one request and the table of routes.
 */
#ifndef LECTERN_API_REST_INTERNAL_H
#define LECTERN_API_REST_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "helpers/base/fields.h"
#include "mcp/api/rest.h"
#include "mcp/store/entities/outline.h"

#define REST_SEGMENTS_CAP 8
#define REST_NAME_MAX     64   /* bytes of a name in the query */
#define REST_QUERY_MAX    1024 /* bytes of one value in the query */

struct rest_path { /* the segments between the slashes, decoded */
    char text[REST_PATH_MAX];
    const char *segments[REST_SEGMENTS_CAP];
    size_t count;
};

struct rest_call {
    struct store *store;
    const struct rest_request *request;
    struct rest_response *response;
    const struct rest_route *route;
    struct writer writer;
    struct rest_path path;
    const char *session; /* from the path, or NULL; borrowed, like the next two */
    const char *node;
    const char *item;               /* {order}, {id}, {query} */
    char resolved[SESSION_ID_SIZE]; /* the session of a path without one */
    json_t *body;                   /* owned; NULL if none was sent */
    json_t *asked;                  /* owned: the query's members, as far as the route takes them */
};

typedef int rest_handler(struct rest_call *call, struct error *err);

enum rest_route_flags {
    ROUTE_WRITE = 1 << 0,
    ROUTE_BODY = 1 << 1,   /* needs a JSON body */
    ROUTE_BROKER = 1 << 2, /* available to a run */
    ROUTE_GRAPH = 1 << 3,  /* on the graph work queue */
    ROUTE_TRIES = 1 << 4,  /* "dry_run": true in the body makes it a dry run */
    ROUTE_ENDS = 1 << 5,   /* deletes its state, so the answer has no ETag */
    ROUTE_STORED = 1 << 6, /* its body is stored as it is, and checked there (entity.h) */
    ROUTE_NEW = 1 << 7,    /* makes a session; reading a large body takes long */
};

/* The scope of the writes that change a route's ETag. */
enum rest_state {
    REST_STATE_NONE,
    REST_STATE_ALL,     /* any session */
    REST_STATE_SESSION, /* the session */
    REST_STATE_NODE,    /* the node and its components */
};

struct rest_route {
    const char *method;
    const char *pattern; /* "/session/{sid}/nodes"; the parts in braces are captured */
    rest_handler *handle;
    unsigned flags;
    enum rest_state state;
    rest_handler *now; /* for a write with a state: reads the state, for a 412; else NULL */

    const char *id; /* operationId, unique */
    const char *tag;
    const char *summary;
    const struct fields *query;  /* NULL: takes none */
    const struct fields *body;   /* NULL: takes none */
    const struct fields *answer; /* of the 200 */
};

/* The routes of one subject, terminated by a row without a method. */
extern const struct rest_route rest_service_routes[], rest_session_routes[], rest_import_routes[],
    rest_node_routes[], rest_relationship_routes[], rest_component_routes[], rest_change_routes[],
    rest_graph_routes[], rest_history_routes[], rest_find_routes[], rest_task_routes[];

/* Fields of answers, and complete answers. */
/* clang-format off */
#define REST_TEXT(member)           FIELD(member, FIELD_TEXT, .required = true)
#define REST_TEXT_OR_NULL(member)   FIELD(member, FIELD_TEXT, .required = true, .flags = FIELD_NULL)
#define REST_WHOLE(member)          FIELD(member, FIELD_WHOLE, .required = true)
#define REST_NUMBER(member)         FIELD(member, FIELD_NUMBER, .required = true)
#define REST_NUMBER_OR_NULL(member) FIELD(member, FIELD_NUMBER, .required = true, .flags = FIELD_NULL)
#define REST_FLAG(member)           FIELD(member, FIELD_FLAG, .required = true)
#define REST_ANY(member)            FIELD(member, FIELD_ANY, .required = true)
#define REST_LIST(member, shape)    FIELD(member, FIELD_ARRAY, .required = true, .of = (shape))
#define REST_GIVEN_BACK(member)     FIELD(member, FIELD_ANY, .flags = FIELD_GIVEN_BACK)
#define REST_ANSWER(name, ...) \
    {.rows = (const struct field[]){__VA_ARGS__, {0}}, .flags = FIELDS_ANSWER, .schema = (name)}
/* clang-format on */

/* ---- request.c ---- */

/* Iterates over all routes. Zero it before the first call; rest_routes_next returns NULL at the
 * end. */
struct rest_routes {
    size_t subject;
    const struct rest_route *row;
};
const struct rest_route *rest_routes_next(struct rest_routes *at);

/* Sets what the pattern of the call's route captures from the path; false if it does not match. */
bool rest_take_path(struct rest_call *call, const char *path);
/* Checks the query members that the route takes, and stores them in call->asked. */
int rest_take_query(struct rest_call *call, struct error *err);
/* One of them as an integer, or `otherwise` if it was not sent. */
int64_t rest_asked_whole(const struct rest_call *call, const char *name, int64_t otherwise);

/* Checks the body against the fields of the route. Errors say the position, and for an unknown
 * member the nearest known name. Afterwards call->body is an object with the members that were
 * sent. A body that is an entity is checked when it is written. */
int rest_take_body(struct rest_call *call, struct error *err);
/* Removes an integer of at least 1 from the body. *number is unchanged if the member is missing,
 * and 0 if it is null. */
int rest_take_number(struct rest_call *call, const char *name, int64_t *number, struct error *err);
/* Removes an id from the body, which may repeat the one in the path but must not differ from it. */
int rest_take_path_id(struct rest_call *call, const char *name, const char *id, struct error *err);
/* The {order} or {id} of the path. */
int rest_path_number(const struct rest_call *call, const char *name, int64_t *number,
                     struct error *err);

/* ---- answer.c ---- */

extern const struct fields rest_success; /* what rest_answer_success writes */

/* Writes err as an answer. An error without a location is in the query of a read, else in the
 * body. */
void rest_answer_faults(struct rest_call *call, const struct error *err);
void rest_answer_detail(struct rest_response *response, int status, const char *detail);
/* Writes {"success": true, "message": "..." without the closing brace, so that members can follow;
 * rest_answer_end closes it. */
void rest_answer_success(struct rest_call *call, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void rest_answer_end(struct rest_call *call);
/* What rest_fill_in completes the answer to a change set with, and how to free it. */
struct rest_more {
    struct outline before, after;
};
void rest_more_drop(struct rest_response *response);
/* Any bytes as a JSON string. */
void rest_answer_string(struct buf *json, const char *text);

/* ---- handlers that several subjects use ---- */

rest_handler rest_nodes;   /* node.c */
rest_handler rest_openapi; /* openapi.c */

/* ---- rest_cache.c: callable from any thread ---- */

/* Appends the cached answer; false if none for this ETag is cached. key may be any bytes. */
bool rest_cache_find(struct rest_cache *cache, const struct buf *key, const char *etag,
                     struct buf *to);
/* Replaces the answer for another ETag. Without memory nothing is cached. */
void rest_cache_add(struct rest_cache *cache, const struct buf *key, const char *etag,
                    const struct buf *body);

#endif
