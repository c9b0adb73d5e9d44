/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The session API's entry: finds the route, reads the body, runs the handler, turns an error into
 * an answer. Runs on a lane, with that lane's store.
 */
#include "mcp/session/rest.h"

#include <string.h>

#include "helpers/base/json.h"
#include "mcp/session/rest_call.h"

static enum rest_lane lane_of(const char *method, const char *path, bool encoded)
{
    const struct rest_route *route = NULL;
    struct rest_path split;

    if (rest_path_split(&split, path, encoded))
        route = rest_route_find(method, &split, NULL);
    if (!route || !(route->flags & (ROUTE_WRITE | ROUTE_GRAPH)))
        return REST_READ;
    return route->flags & ROUTE_WRITE ? REST_WRITE : REST_GRAPH;
}

enum rest_lane rest_lane(const char *method, const char *path)
{
    return lane_of(method, path, false);
}

bool rest_has_path(const char *path, char *allow, size_t size)
{
    struct rest_path split;

    *allow = '\0';
    if (!rest_path_split(&split, path, false))
        return false;
    rest_route_methods(&split, allow, size);
    return *allow != '\0';
}

static void answer_detail(struct rest_response *response, int status, const char *detail)
{
    buf_clear(&response->body);
    response->status = status;
    response->etag[0] = '\0';
    buf_adds(&response->body, "{\"detail\":");
    rest_answer_string(&response->body, detail);
    buf_addc(&response->body, '}');
}

static int read_body(struct rest_call *call, const struct rest_route *route, struct error *err)
{
    const struct rest_request *request = call->request;

    if (request->body_len > REST_BODY_CAP)
        return error_set(err, ERROR_TOO_LARGE, "the body is larger than %zu MiB",
                         REST_BODY_CAP >> 20);
    if (!(route->flags & ROUTE_WRITE) || (request->body_len == 0 && !(route->flags & ROUTE_BODY)))
        return 0;
    if (request->body_len == 0)
        return error_set(err, ERROR_MALFORMED, "%s %s needs a JSON body", route->method,
                         route->pattern);
    call->body = json_read(request->body, request->body_len, "the request body", err);
    return call->body ? 0 : -1;
}

/* 412 carries what is there now, so that a client can merge and try again. */
static void answer_stale(struct rest_call *call, const struct error *err)
{
    struct rest_response now = {0};
    struct rest_request read = *call->request;
    const char *path = call->request->path;
    char shown[REST_PATH_MAX];
    size_t len = strlen(path);

    rest_answer_error(call->response, err);
    call->response->status = 412;
    if (len >= sizeof shown)
        return;
    memcpy(shown, path, len + 1);
    if (strcmp(call->request->method, "POST") != 0 ||
        (len > 7 && !strcmp(path + len - 7, "/insert")))
        *strrchr(shown, '/') = '\0';
    read.method = "GET";
    read.path = shown;
    read.if_match = NULL;
    read.body_len = 0;
    rest_handle(call->store, &read, &now);
    if (now.status == 200 && !now.body.failed) {
        call->response->body.len--; /* opens the object again */
        buf_adds(&call->response->body, ",\"current\":");
        buf_add(&call->response->body, now.body.data, now.body.len);
        buf_addc(&call->response->body, '}');
        memcpy(call->response->etag, now.etag, sizeof now.etag);
    }
    rest_response_finish(&now);
}

static void run(struct rest_call *call, const struct rest_route *route)
{
    struct error err = {0};

    if (read_body(call, route, &err) == 0 && route->handle(call, &err) == 0) {
        if (buf_check(&call->response->body, "the answer", &err) == 0)
            goto out;
    }
    if (err.kind == ERROR_STALE && call->writer.expected_cursor != 0)
        answer_stale(call, &err);
    else
        rest_answer_error(call->response, &err);
out:
    json_decref(call->body);
}

static void begin(struct rest_call *call, struct store *store, const struct rest_request *request,
                  struct rest_response *response)
{
    memset(call, 0, sizeof *call);
    call->store = store;
    call->request = request;
    call->response = response;
    call->writer.who = request->who ? request->who : "rest";
    memset(response, 0, sizeof *response);
    buf_init(&response->body, 0);
    response->status = 200;
}

void rest_handle(struct store *store, const struct rest_request *request,
                 struct rest_response *response)
{
    const struct rest_route *route;
    struct rest_call call;
    char allow[64];

    begin(&call, store, request, response);
    if (!rest_path_split(&call.path, request->path, false)) {
        answer_detail(response, 404, "Not Found");
        return;
    }
    route = rest_route_find(request->method, &call.path, &call);
    if (route) {
        run(&call, route);
        return;
    }
    rest_route_methods(&call.path, allow, sizeof allow);
    answer_detail(response, *allow ? 405 : 404, *allow ? "Method Not Allowed" : "Not Found");
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

enum rest_lane rest_broker_lane(const char *target)
{
    char path[REST_PATH_MAX];
    const char *query;

    return target_path(target, path, &query) ? lane_of("GET", path, true) : REST_READ;
}

void rest_broker(struct store *store, const struct rest_broker_request *asked,
                 struct rest_response *response)
{
    struct rest_request request = {.method = "GET",
                                   .path = "",
                                   .query = "",
                                   .who = "run",
                                   .graphs = asked->graphs,
                                   .cancel = asked->cancel};
    const struct rest_route *route = NULL;
    char path[REST_PATH_MAX];
    struct rest_call call;

    begin(&call, store, &request, response);
    if (target_path(asked->target, path, &request.query)) {
        request.path = path;
        if (rest_path_split(&call.path, path, true))
            route = rest_route_find("GET", &call.path, &call);
    }
    if (route && (route->flags & ROUTE_BROKER) && call.session && !strcmp(call.session, asked->sid))
        run(&call, route);
    else
        answer_detail(
            response, 403,
            "a run may read its own session only: GET /session/{its id}/nodes, /relationships, "
            "/components, /nodes/{id}/components, /nodes/{id}/content, /graph, /graph/{query}");
}
