/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of routes, and finding the one that a request means. Each segment of a path is decoded
 * by itself, so that a node id may hold any character, the slash as %2F. The rows of a subject are
 * in its file.
 */
#include <stdio.h>
#include <string.h>

#include "mcp/api/rest_internal.h"

static const struct rest_route *const subjects[] = {
    rest_service_routes,   rest_session_routes, rest_node_routes,  rest_relationship_routes,
    rest_component_routes, rest_change_routes,  rest_graph_routes, rest_history_routes,
};
#define SUBJECTS (sizeof subjects / sizeof subjects[0])

const struct rest_route *rest_routes_next(struct rest_routes *at)
{
    at->row = at->row ? at->row + 1 : subjects[0];
    if (!at->row->method && at->subject + 1 < SUBJECTS)
        at->row = subjects[++at->subject];
    return at->row->method ? at->row : NULL;
}

bool rest_path_split(struct rest_path *path, const char *encoded)
{
    size_t len = strlen(encoded);
    char *at = path->text;

    path->count = 0;
    if (len >= sizeof path->text || *encoded != '/')
        return false;
    memcpy(path->text, encoded, len + 1);
    while (at) {
        char *segment = at + 1;

        at = strchr(segment, '/');
        if (at)
            *at = '\0';
        if (path->count == REST_SEGMENTS_CAP || !rest_decode(segment, false))
            return false;
        path->segments[path->count++] = segment;
    }
    return true;
}

static bool capture(const char *name, size_t len, const char *segment, struct rest_call *call)
{
    if (!*segment)
        return false;
    if (!call)
        return true;
    if (strncmp(name, "{sid}", len) == 0)
        call->session = segment;
    else if (strncmp(name, "{nid}", len) == 0)
        call->node = segment;
    else
        call->item = segment;
    return true;
}

static bool matches(const char *pattern, const struct rest_path *path, struct rest_call *call)
{
    for (size_t i = 0; i < path->count; i++) {
        size_t len;

        if (*pattern != '/')
            return false;
        pattern++;
        len = strcspn(pattern, "/");
        if (*pattern == '{') {
            if (!capture(pattern, len, path->segments[i], call))
                return false;
        } else if (strlen(path->segments[i]) != len ||
                   memcmp(pattern, path->segments[i], len) != 0) {
            return false;
        }
        pattern += len;
    }
    return !*pattern;
}

const struct rest_route *rest_route_find(const char *method, const struct rest_path *path)
{
    const struct rest_route *route;
    struct rest_routes at = {0};

    while ((route = rest_routes_next(&at))) {
        if (strcmp(route->method, method) == 0 && matches(route->pattern, path, NULL))
            return route;
    }
    return NULL;
}

void rest_route_capture(struct rest_call *call)
{
    matches(call->route->pattern, &call->path, call);
}

void rest_route_methods(const struct rest_path *path, char *allow, size_t size)
{
    const struct rest_route *route;
    struct rest_routes at = {0};

    *allow = '\0';
    while ((route = rest_routes_next(&at))) {
        size_t len = strlen(allow);

        if (matches(route->pattern, path, NULL) && !strstr(allow, route->method))
            snprintf(allow + len, size - len, "%s%s", len > 0 ? ", " : "", route->method);
    }
}
