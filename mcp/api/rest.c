/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The session API's entry: finds the route, for a client and for a run's broker. Runs on a work
 * queue, with that work queue's store.
 */
#include "mcp/api/rest.h"

#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/workq.h"
#include "mcp/api/rest_internal.h"

const struct rest_route *rest_find(const char *method, const char *path, char *allow, size_t size)
{
    const struct rest_route *route;
    struct rest_path split;

    *allow = '\0';
    if (!rest_path_split(&split, path))
        return NULL;
    route = rest_route_find(method, &split);
    if (!route)
        rest_route_methods(&split, allow, size);
    return route;
}

enum rest_workq rest_workq(const struct rest_route *route)
{
    if (!route || !(route->flags & (ROUTE_WRITE | ROUTE_GRAPH)))
        return REST_READ;
    return route->flags & ROUTE_WRITE ? REST_WRITE : REST_GRAPH;
}

uint64_t rest_key(const struct rest_request *request)
{
    struct rest_call call = {.request = request, .route = request->route};
    const char *name = NULL;
    struct error unused = {0};
    uint64_t key;

    if (!call.route || !rest_path_split(&call.path, request->path))
        return 0;
    rest_route_capture(&call);
    if (call.session)
        name = call.session;
    else if (call.node && request->session_header)
        name = request->session_header;
    else if (call.node) {
        if (rest_take_query(&call, &unused) == 0) /* what is wrong is said by rest_handle */
            name = json_get_string(call.asked, "session_id");
        name = name ? name : call.node;
    }
    key = name ? workq_key(name) : 0;
    json_decref(call.asked);
    return key;
}

static void begin(struct rest_call *call, struct store *store, const struct rest_request *request,
                  struct rest_response *response)
{
    memset(call, 0, sizeof *call);
    call->store = store;
    call->request = request;
    call->response = response;
    call->route = request->route;
    call->writer.who = request->who ? request->who : "rest";
    memset(response, 0, sizeof *response);
    buf_init(&response->body, 0);
    response->status = 200;
}

void rest_handle(struct store *store, const struct rest_request *request,
                 struct rest_response *response)
{
    struct rest_call call;
    char allow[64];

    begin(&call, store, request, response);
    if (!call.route)
        call.route = rest_find(request->method, request->path, allow, sizeof allow);
    if (!call.route) {
        rest_answer_detail(response, *allow ? 405 : 404,
                           *allow ? "Method Not Allowed" : "Not Found");
        return;
    }
    rest_path_split(&call.path, request->path);
    rest_route_capture(&call);
    rest_run(&call);
}

void rest_response_finish(struct rest_response *response)
{
    if (!response)
        return;
    rest_more_drop(response);
    buf_finish(&response->body);
}

/* The target up to its query; false where it is too long for any route. */
static bool target_path(const char *target, char path[REST_PATH_MAX], const char **query)
{
    size_t len = strcspn(target, "?");

    if (len >= REST_PATH_MAX)
        return false;
    memcpy(path, target, len);
    path[len] = '\0';
    *query = target[len] == '?' ? target + len + 1 : "";
    return true;
}

const struct rest_route *rest_broker_find(const char *target)
{
    char path[REST_PATH_MAX], allow[64];
    const char *query;

    return target_path(target, path, &query) ? rest_find("GET", path, allow, sizeof allow) : NULL;
}

void rest_broker(struct store *store, const struct rest_broker_request *asked,
                 struct rest_response *response)
{
    struct rest_request request = {.route = asked->route,
                                   .method = "GET",
                                   .path = "",
                                   .query = "",
                                   .who = "run",
                                   .graphs = asked->graphs,
                                   .cancel = asked->cancel};
    char path[REST_PATH_MAX];
    struct rest_call call;

    begin(&call, store, &request, response);
    if (call.route && target_path(asked->target, path, &request.query)) {
        request.path = path;
        rest_path_split(&call.path, path);
        rest_route_capture(&call);
    }
    if (call.route && (call.route->flags & ROUTE_BROKER) && call.session &&
        strcmp(call.session, asked->sid) == 0)
        rest_run(&call);
    else
        rest_answer_detail(
            response, 403,
            "a run may read its own session only: GET /session/{its id}/nodes, /relationships, "
            "/components, /nodes/{id}/components, /nodes/{id}/content, /graph, /graph/{query}");
}
