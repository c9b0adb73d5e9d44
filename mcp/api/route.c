/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finding one's way in the table of routes. Each segment of a path is decoded by itself, so that a
 * node id may hold any character, the slash as %2F.
 */
#include <string.h>

#include "mcp/api/rest_internal.h"

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
    if (!strncmp(name, "{sid}", len))
        call->session = segment;
    else if (!strncmp(name, "{nid}", len))
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

const struct rest_route *rest_route_find(const char *method, const struct rest_path *path,
                                         struct rest_call *call)
{
    for (size_t i = 0; i < rest_route_count; i++)
        if (!strcmp(rest_routes[i].method, method) && matches(rest_routes[i].pattern, path, NULL)) {
            matches(rest_routes[i].pattern, path, call);
            return &rest_routes[i];
        }
    return NULL;
}

void rest_route_methods(const struct rest_path *path, char *allow, size_t size)
{
    size_t len = 0;

    *allow = '\0';
    for (size_t i = 0; i < rest_route_count; i++) {
        size_t more = strlen(rest_routes[i].method) + 2;

        if (!matches(rest_routes[i].pattern, path, NULL) || strstr(allow, rest_routes[i].method) ||
            len + more >= size)
            continue;
        if (len > 0) {
            memcpy(allow + len, ", ", 2);
            len += 2;
        }
        memcpy(allow + len, rest_routes[i].method, more - 1);
        len += more - 2;
    }
}
