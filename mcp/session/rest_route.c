/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of routes, and finding one's way in it.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mcp/session/rest_call.h"

#define WRITE_BODY (ROUTE_WRITE | ROUTE_BODY)

static const struct rest_route routes[] = {
    {"GET", "/health", rest_health, 0},
    {"POST", "/session/create", rest_session_create, ROUTE_WRITE},
    {"GET", "/session/validate/{sid}", rest_session_validate, 0},
    {"GET", "/sessions", rest_sessions, 0},

    {"GET", "/session/{sid}/nodes", rest_nodes, ROUTE_BROKER},
    {"POST", "/session/{sid}/nodes", rest_node_create, WRITE_BODY},
    {"DELETE", "/session/{sid}/nodes/{nid}", rest_node_delete, ROUTE_WRITE},
    {"GET", "/session/{sid}/nodes/{nid}/content", rest_node_texts, ROUTE_BROKER},
    {"POST", "/session/{sid}/nodes/{nid}/content", rest_node_texts_write, WRITE_BODY},
    {"GET", "/session/{sid}/relationships", rest_relationships, ROUTE_BROKER},
    {"POST", "/session/{sid}/relationships", rest_relationship_create, WRITE_BODY},
    {"POST", "/session/{sid}/changes", rest_changes, WRITE_BODY},
    {"GET", "/session/{sid}/components", rest_all_components, ROUTE_BROKER},
    {"GET", "/session/{sid}/graph", rest_graph_queries, ROUTE_BROKER},
    {"GET", "/session/{sid}/graph/{query}", rest_graph, ROUTE_BROKER | ROUTE_GRAPH},

    {"GET", "/session/{sid}/nodes/{nid}/components", rest_components, ROUTE_BROKER},
    {"POST", "/session/{sid}/nodes/{nid}/components", rest_components_replace, WRITE_BODY},
    {"POST", "/session/{sid}/nodes/{nid}/components/insert", rest_component_insert, WRITE_BODY},
    {"PUT", "/session/{sid}/nodes/{nid}/components/{order}", rest_component_update, WRITE_BODY},
    {"DELETE", "/session/{sid}/nodes/{nid}/components/{order}", rest_component_delete, ROUTE_WRITE},

    {"GET", "/nodes/{nid}/components", rest_components, 0},
    {"POST", "/nodes/{nid}/components", rest_components_replace, WRITE_BODY},
    {"POST", "/nodes/{nid}/components/insert", rest_component_insert, WRITE_BODY},
    {"PUT", "/nodes/{nid}/components/{order}", rest_component_update, WRITE_BODY},
    {"DELETE", "/nodes/{nid}/components/{order}", rest_component_delete, ROUTE_WRITE},
};

#define ROUTE_COUNT (sizeof routes / sizeof routes[0])

static int hex_value(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c ? strchr(digits, c | 0x20) : NULL;

    return at && *at ? (int)(at - digits) : -1;
}

/* Decodes %XX in place, and + as a space in a query; false for what is no encoding, or hides a NUL.
 */
static bool decode(char *text, bool query)
{
    char *to = text;

    for (; *text; text++) {
        if (query && *text == '+') {
            *to++ = ' ';
        } else if (*text == '%') {
            int high = hex_value(text[1]);
            int low = high < 0 ? -1 : hex_value(text[2]);

            if (low < 0 || high * 16 + low == 0)
                return false;
            *to++ = (char)(high * 16 + low);
            text += 2;
        } else {
            *to++ = *text;
        }
    }
    *to = '\0';
    return true;
}

bool rest_path_split(struct rest_path *path, const char *text, bool encoded)
{
    size_t len = strlen(text);
    char *at = path->text;

    path->count = 0;
    if (len >= sizeof path->text || *text != '/')
        return false;
    memcpy(path->text, text, len + 1);
    while (at) {
        char *segment = at + 1;

        at = strchr(segment, '/');
        if (at)
            *at = '\0';
        if (path->count == REST_SEGMENTS_CAP || (encoded && !decode(segment, false)))
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
    else if (!strncmp(name, "{query}", len))
        call->query = segment;
    else
        call->order = segment;
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
    for (size_t i = 0; i < ROUTE_COUNT; i++)
        if ((!method || !strcmp(routes[i].method, method)) &&
            matches(routes[i].pattern, path, NULL)) {
            matches(routes[i].pattern, path, call);
            return &routes[i];
        }
    return NULL;
}

void rest_route_methods(const struct rest_path *path, char *allow, size_t size)
{
    size_t len = 0;

    *allow = '\0';
    for (size_t i = 0; i < ROUTE_COUNT; i++) {
        size_t more = strlen(routes[i].method) + 2;

        if (!matches(routes[i].pattern, path, NULL) || strstr(allow, routes[i].method) ||
            len + more >= size)
            continue;
        if (len > 0) {
            memcpy(allow + len, ", ", 2);
            len += 2;
        }
        memcpy(allow + len, routes[i].method, more - 1);
        len += more - 2;
    }
}

bool rest_query(const char *query, const char *name, char *value, size_t size)
{
    size_t len = strlen(name);

    for (const char *at = query; at && *at; at = strchr(at, '&') ? strchr(at, '&') + 1 : NULL) {
        size_t value_len;

        if (strncmp(at, name, len) != 0 || at[len] != '=')
            continue;
        value_len = strcspn(at + len + 1, "&");
        if (value_len >= size)
            return false;
        memcpy(value, at + len + 1, value_len);
        value[value_len] = '\0';
        return decode(value, true);
    }
    return false;
}

static bool take_part(const char *part, size_t len, char *to, size_t size)
{
    if (len >= size)
        return false;
    memcpy(to, part, len);
    to[len] = '\0';
    return decode(to, true);
}

int rest_query_next(const char **at, char name[REST_NAME_MAX], char value[REST_QUERY_MAX],
                    struct error *err)
{
    const char *part = *at + strspn(*at, "&");
    size_t len = strcspn(part, "&"), name_len = strcspn(part, "=&");
    const char *equals = name_len < len ? part + name_len + 1 : part + len;

    *at = part + len;
    if (len == 0)
        return 0;
    if (!take_part(part, name_len, name, REST_NAME_MAX))
        return error_set_at(err, "query.", "a name behind the '?' is too long, or badly encoded");
    if (!take_part(equals, (size_t)(part + len - equals), value, REST_QUERY_MAX)) {
        char loc[ERROR_LOC_CAP];

        snprintf(loc, sizeof loc, "query.%s", name);
        return error_set_at(err, loc, "%s is longer than %d bytes, or badly encoded", name,
                            REST_QUERY_MAX - 1);
    }
    return 1;
}

int rest_query_number(const char *query, const char *name, size_t *number, struct error *err)
{
    char value[REST_QUERY_MAX], loc[ERROR_LOC_CAP] = "query.";
    unsigned long long parsed;
    char *end;

    if (!rest_query(query, name, value, sizeof value))
        return 0;
    parsed = strtoull(value, &end, 10);
    if (*value >= '0' && *value <= '9' && !*end && parsed <= INT64_MAX) {
        *number = (size_t)parsed;
        return 0;
    }
    strncat(loc, name, sizeof loc - strlen(loc) - 1);
    return error_set_at(err, loc, "%s must be a whole number from 0 on", name);
}
