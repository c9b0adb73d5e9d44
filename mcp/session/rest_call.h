/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Inside of the session API: one request on its way through the table of routes.
 */
#ifndef LECTERN_SESSION_REST_CALL_H
#define LECTERN_SESSION_REST_CALL_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "mcp/session/rest.h"

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
    struct writer writer;
    struct rest_path path;
    const char *session; /* of the path, or NULL; borrowed, as the two below */
    const char *node;
    const char *order;
    const char *query;
    char resolved[SESSION_ID_SIZE]; /* the session of a bare path */
    json_t *body;                   /* owned; NULL where none was sent */
};

typedef int rest_handler(struct rest_call *call, struct error *err);

enum rest_route_flags {
    ROUTE_WRITE = 1 << 0,
    ROUTE_BODY = 1 << 1,   /* needs a JSON body */
    ROUTE_BROKER = 1 << 2, /* a run may ask for it */
    ROUTE_GRAPH = 1 << 3,  /* on the graph lane */
};

struct rest_route {
    const char *method;
    const char
        *pattern; /* "/session/{sid}/nodes"; {sid}, {nid}, {order} and {query} are captured */
    rest_handler *handle;
    unsigned flags;
};

/* ---- rest_route.c ---- */

/* false when the path is too long or has too many segments. encoded: each segment is decoded by
 * itself. */
bool rest_path_split(struct rest_path *path, const char *text, bool encoded);
/* The route, with its captures in call; NULL when there is none. method NULL: of any. */
const struct rest_route *rest_route_find(const char *method, const struct rest_path *path,
                                         struct rest_call *call);
void rest_route_methods(const struct rest_path *path, char *allow, size_t size);
/* The decoded value of a name in the query; false when it is not there, or does not fit. */
bool rest_query(const char *query, const char *name, char *value, size_t size);
/* The next name and value of the query at *at, both decoded, and *at behind them. 1, 0 at the end,
 * -1 for what is no encoding, or does not fit: ERROR_INVALID. */
int rest_query_next(const char **at, char name[REST_NAME_MAX], char value[REST_QUERY_MAX],
                    struct error *err);
/* A whole number from least on; *number keeps its value where the query has none. */
int rest_query_number(const char *query, const char *name, size_t *number, struct error *err);

/* ---- rest_answer.c ---- */

/* {"success": true, "message": "..."}, left open for more: rest_answer_end closes it. */
void rest_answer_success(struct rest_call *call, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void rest_answer_end(struct rest_call *call);
/* Text as a JSON string, whatever bytes it has. */
void rest_answer_string(struct buf *json, const char *text);
/* Runs read and gives the answer the ETag of exactly that state. */
int rest_answer_list(struct rest_call *call, bool sequence, rest_handler *read, struct error *err);
/* If-Match into call->writer. sequence: of a node's components, else of the session. */
void rest_read_if_match(struct rest_call *call, bool sequence);

/* ---- rest_changes.c ---- */

/* Gives up what the answer could still be filled in with. */
void rest_more_drop(struct rest_response *response);

/* ---- handlers ---- */

rest_handler rest_health, rest_session_create, rest_session_validate,
    rest_sessions; /* rest_session.c */
rest_handler rest_nodes, rest_node_create, rest_node_delete, rest_node_texts, rest_node_texts_write,
    rest_relationships, rest_relationship_create;
rest_handler rest_components, rest_components_replace, rest_component_insert, rest_component_update,
    rest_component_delete, rest_all_components; /* rest_component.c */
rest_handler rest_graph, rest_graph_queries;    /* rest_graph.c */
rest_handler rest_changes;                      /* rest_changes.c */

#endif
