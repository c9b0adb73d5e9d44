/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of methods, and those that need no call: they answer at once, on the loop's thread.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/log.h"
#include "mcp/protocol/peer_internal.h"

#define SERVER_NAME  "lectern"
#define SERVER_TITLE "Lectern curriculum server"

/* For the model: when to reach for this server, and how to do so cheaply. */
#define INSTRUCTIONS                                                                               \
    "Lectern holds curricula: nodes (lessons) with ordered components, and relationships between " \
    "them. Ask it instead of reading a curriculum: query_graph for prerequisites, paths, "         \
    "teaching "                                                                                    \
    "order and gaps; execute_code for any other analysis (Python; from code_helpers import "       \
    "get_nodes, get_relationships, get_node_content, analyze_graph). Change content with the "     \
    "component and relationship tools. session_id may be left out where there is only one "        \
    "curriculum."

/* Newest first. */
static const char *const protocol_versions[] = {"2025-11-25", "2025-06-18", "2025-03-26",
                                                "2024-11-05", NULL};

bool protocol_version_known(const char *version)
{
    for (size_t i = 0; protocol_versions[i]; i++) {
        if (strcmp(protocol_versions[i], version) == 0)
            return true;
    }
    return false;
}

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

static enum method_outcome initialize(struct request *request)
{
    struct peer *peer = request->peer;
    const json_t *params = request->message->params;
    const char *asked = json_get_string(params, "protocolVersion");
    const char *version = protocol_versions[0];

    if (peer->client.version)
        return request_refuse(request, MESSAGE_INVALID_REQUEST,
                              "this connection is initialized already");
    if (!asked)
        return request_refuse(request, MESSAGE_INVALID_PARAMS,
                              "params.protocolVersion is missing, a string such as \"%s\"",
                              protocol_versions[0]);
    for (size_t i = 0; protocol_versions[i]; i++) {
        if (strcmp(protocol_versions[i], asked) == 0)
            version = protocol_versions[i];
    }
    client_introduce(&peer->client, json_object_get(params, "clientInfo"),
                     json_object_get(params, "capabilities"));
    peer->client.version = version;
    log_info("protocol", "client %s over %s, MCP %s", peer->client.who, peer->transport, version);
    buf_addf(&request->result,
             "{\"protocolVersion\":\"%s\",\"capabilities\":{\"tools\":{\"listChanged\":false}},"
             "\"serverInfo\":{\"name\":\"" SERVER_NAME "\",\"title\":\"" SERVER_TITLE
             "\",\"version\":\"" LECTERN_VERSION "\"},\"instructions\":",
             version);
    json_write_string(&request->result, INSTRUCTIONS, sizeof INSTRUCTIONS - 1);
    buf_addc(&request->result, '}');
    return METHOD_DONE;
}

static enum method_outcome ping(struct request *request)
{
    buf_adds(&request->result, "{}");
    return METHOD_DONE;
}

static enum method_outcome tools_list(struct request *request)
{
    const json_t *cursor = json_object_get(request->message->params, "cursor");

    if (cursor && !json_is_null(cursor))
        return request_refuse(request, MESSAGE_INVALID_PARAMS,
                              "tools/list has one page, so no cursor is valid: omit it");
    buf_adds(&request->result, "{\"tools\":[");
    for (size_t i = 0; tools[i]; i++) {
        if (i > 0)
            buf_addc(&request->result, ',');
        tool_describe(tools[i], &request->peer->host->server->analyses, &request->result);
    }
    buf_adds(&request->result, "]}");
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
    {.name = "initialize", .before_initialize = true, .handle = initialize},
    {.name = "ping", .before_initialize = true, .handle = ping},
    {.name = "tools/list", .handle = tools_list},
    {.name = "tools/call", .handle = call_tool},
    {.name = "notifications/initialized", .notification = true, .handle = initialized},
    {.name = "notifications/cancelled", .notification = true, .handle = cancelled},
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
