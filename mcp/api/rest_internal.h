/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Inside of the session API: one request on its way through the table of routes.
 */
#ifndef LECTERN_API_REST_INTERNAL_H
#define LECTERN_API_REST_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "helpers/base/fields.h"
#include "mcp/api/rest.h"

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
    const char *session; /* of the path, or NULL; borrowed, as those below */
    const char *node;
    const char *item;               /* {order}, {id}, {query} */
    char resolved[SESSION_ID_SIZE]; /* the session of a bare path */
    json_t *body;                   /* owned; NULL where none was sent */
    json_t *asked;                  /* owned: the members of the query that the route takes */
};

typedef int rest_handler(struct rest_call *call, struct error *err);

enum rest_route_flags {
    ROUTE_WRITE = 1 << 0,
    ROUTE_BODY = 1 << 1,   /* needs a JSON body */
    ROUTE_BROKER = 1 << 2, /* a run may ask for it */
    ROUTE_GRAPH = 1 << 3,  /* on the graph work queue */
    ROUTE_TRIES = 1 << 4,  /* "dry_run": true in the body only asks what it would do */
    ROUTE_ENDS = 1 << 5,   /* its state is gone afterwards, so the answer has no ETag */
    ROUTE_STORED = 1 << 6, /* its body is what is stored, and is checked there (entity.h) */
};

/* What the ETag of a route counts the writes to. */
enum rest_state {
    REST_STATE_NONE,
    REST_STATE_ALL,     /* any session */
    REST_STATE_SESSION, /* the session */
    REST_STATE_NODE,    /* the node and its components */
};

struct rest_route {
    const char *method;
    const char *pattern; /* "/session/{sid}/nodes"; what is in braces is captured */
    rest_handler *handle;
    unsigned flags;
    enum rest_state state;
    rest_handler *now; /* of a write with a state: reads it, for a 412; else NULL */

    const char *id; /* operationId, unique */
    const char *tag;
    const char *summary;
    const struct fields *query;  /* NULL: takes none */
    const struct fields *body;   /* NULL: takes none */
    const struct fields *answer; /* of the 200 */
};

/* The routes of one subject; ends with a row that has no method. */
extern const struct rest_route rest_service_routes[], rest_session_routes[], rest_node_routes[],
    rest_relationship_routes[], rest_component_routes[], rest_change_routes[], rest_graph_routes[],
    rest_history_routes[];

/* Rows of answers, and whole ones. */
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

/* All routes, one after the other: zeroed before the first. NULL at the end. */
struct rest_routes {
    size_t subject;
    const struct rest_route *row;
};
const struct rest_route *rest_routes_next(struct rest_routes *at);

/* Sets what the pattern of the call's route captures of the path; false where it does not match. */
bool rest_take_path(struct rest_call *call, const char *path);
/* The members of the query that the route takes, checked, in call->asked. */
int rest_take_query(struct rest_call *call, struct error *err);
/* One of them as a whole number; otherwise: where it was not sent. */
int64_t rest_asked_whole(const struct rest_call *call, const char *name, int64_t otherwise);

/* Checks the body by the members that the route takes. What is wrong is named with its place, an
 * unknown member with the nearest known one. Afterwards call->body is an object with the members
 * that were given. Bodies that are an entity are checked where it is written. */
int rest_take_body(struct rest_call *call, struct error *err);
/* A whole number from 1 on, taken out of the body; *number keeps its value where it is not there,
 * and is 0 where it is null. */
int rest_take_number(struct rest_call *call, const char *name, int64_t *number, struct error *err);
/* Takes an id out of the body that may repeat the path's, and must not be another. */
int rest_take_path_id(struct rest_call *call, const char *name, const char *id, struct error *err);
/* The path's {order} or {id}. */
int rest_path_number(const struct rest_call *call, const char *name, int64_t *number,
                     struct error *err);

/* ---- answer.c ---- */

extern const struct fields rest_success; /* what rest_answer_success writes */

/* err as an answer; of a place that names none, it is in the query of a read, else in the body. */
void rest_answer_faults(struct rest_call *call, const struct error *err);
void rest_answer_detail(struct rest_response *response, int status, const char *detail);
/* {"success": true, "message": "..."}, left open for more: rest_answer_end closes it. */
void rest_answer_success(struct rest_call *call, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void rest_answer_end(struct rest_call *call);
/* What an answer to a change set is filled in with later, and giving it up. */
struct rest_more {
    struct outline before, after;
};
void rest_more_drop(struct rest_response *response);
/* Text as a JSON string, whatever bytes it has. */
void rest_answer_string(struct buf *json, const char *text);

/* ---- handlers that several subjects have ---- */

rest_handler rest_nodes;   /* node.c */
rest_handler rest_openapi; /* openapi.c */

#endif
