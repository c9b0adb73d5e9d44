/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of methods, and those that need no call: they answer at once, on the loop's thread.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/log.h"
#include "mcp/protocol/era.h"

#define LIST_KEEP_MS 300000 /* of what a running server does not change */

/* For the model: when to reach for this server, and how to do so cheaply. */
#define INSTRUCTIONS                                                                               \
    "Lectern holds curricula: nodes (lessons) with ordered components, and relationships between " \
    "them. Ask it instead of reading a curriculum: query_graph for prerequisites, paths, "         \
    "teaching "                                                                                    \
    "order and gaps; execute_code for any other analysis (Python; from code_helpers import "       \
    "get_nodes, get_relationships, get_node_content, analyze_graph). Change content with the "     \
    "component and relationship tools. session_id may be left out where there is only one "        \
    "curriculum."

enum method_outcome request_refuse(struct request *request, enum message_error code,
                                   const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(request->why, sizeof request->why, format, args);
    va_end(args);
    request->code = code;
    return METHOD_REFUSED;
}

/* What the server offers to a client of this era. */
static void write_offer(struct request *request)
{
    buf_adds(&request->members, "\"capabilities\":{\"tools\":{\"listChanged\":false}},"
                                "\"instructions\":");
    json_write_string(&request->members, INSTRUCTIONS, sizeof INSTRUCTIONS - 1);
}

static enum method_outcome initialize(struct request *request)
{
    struct peer *peer = request->peer;
    const json_t *params = request->message->params;
    const char *asked = json_get_string(params, "protocolVersion");
    const char *version = era_legacy_versions[0];

    if (peer->client.version)
        return request_refuse(request, MESSAGE_INVALID_REQUEST,
                              "this connection is initialized already");
    if (!asked)
        return request_refuse(request, MESSAGE_INVALID_PARAMS,
                              "params.protocolVersion is missing, a string such as \"%s\"",
                              version);
    for (size_t i = 0; era_legacy_versions[i]; i++) {
        if (strcmp(era_legacy_versions[i], asked) == 0)
            version = era_legacy_versions[i];
    }
    client_introduce(&peer->client, json_object_get(params, "clientInfo"),
                     json_object_get(params, "capabilities"));
    peer->client.version = version;
    log_info("protocol", "client %s over %s, MCP %s", peer->client.who, peer->transport, version);
    buf_addf(&request->members, "\"protocolVersion\":\"%s\",\"serverInfo\":" SERVER_INFO ",",
             version);
    write_offer(request);
    return METHOD_DONE;
}

static enum method_outcome discover(struct request *request)
{
    buf_adds(&request->members, "\"supportedVersions\":[");
    for (size_t i = 0; era_modern_versions[i]; i++)
        buf_addf(&request->members, "%s\"%s\"", i > 0 ? "," : "", era_modern_versions[i]);
    buf_adds(&request->members, "],");
    write_offer(request);
    return METHOD_DONE;
}

static enum method_outcome ping(struct request *request)
{
    (void)request;
    return METHOD_DONE;
}

static enum method_outcome tools_list(struct request *request)
{
    const json_t *cursor = json_object_get(request->message->params, "cursor");

    if (cursor && !json_is_null(cursor))
        return request_refuse(request, MESSAGE_INVALID_PARAMS,
                              "tools/list has one page, so no cursor is valid: omit it");
    buf_adds(&request->members, "\"tools\":[");
    for (size_t i = 0; tools[i]; i++) {
        const struct buf *entry;

        if (!tool_allows(tools[i], request->client->identity.scopes))
            continue;
        entry = tool_described(request->peer->host->server, i);
        if (!entry)
            return request_refuse(request, MESSAGE_INTERNAL_ERROR, "out of memory for the listing");
        if (request->members.data[request->members.len - 1] != '[')
            buf_addc(&request->members, ',');
        buf_add(&request->members, entry->data, entry->len);
    }
    buf_addc(&request->members, ']');
    return METHOD_DONE;
}

static enum method_outcome initialized(struct request *request)
{
    (void)request;
    return METHOD_DONE;
}

static enum method_outcome cancelled(struct request *request)
{
    const json_t *id = json_object_get(request->message->params, "requestId");
    struct peer_call *call = id ? call_find(request->peer, id) : NULL;

    if (call) /* a call that has just ended is not an error: the two messages may cross */
        call_cancel(call);
    return METHOD_DONE;
}

const struct method methods[] = {
    {.name = "initialize", .eras = ERA_LEGACY, .before_initialize = true, .handle = initialize},
    {.name = "server/discover",
     .eras = ERA_MODERN,
     .cached = true,
     .keep_ms = LIST_KEEP_MS,
     .handle = discover},
    {.name = "ping", .eras = ERA_LEGACY, .before_initialize = true, .handle = ping},
    {.name = "tools/list",
     .eras = ERA_BOTH,
     .cached = true,
     .keep_ms = LIST_KEEP_MS,
     .handle = tools_list},
    {.name = "tools/call", .eras = ERA_BOTH, .named_by = "name", .handle = call_tool},
    {.name = "notifications/initialized",
     .eras = ERA_LEGACY,
     .notification = true,
     .handle = initialized},
    {.name = "notifications/cancelled",
     .eras = ERA_BOTH,
     .notification = true,
     .handle = cancelled},
    {0},
};

const struct method *method_find(const char *name)
{
    for (const struct method *method = methods; method->name; method++) {
        if (strcmp(method->name, name) == 0)
            return method;
    }
    return NULL;
}
