/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of methods and their handlers. Runs on the loop's thread.
 */
#include "mcp/protocol/method_internal.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/log.h"
#include "helpers/base/nearest.h"
#include "mcp/protocol/peer.h"

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

enum method_outcome method_refuse(struct peer_request *request, enum message_error code,
                                  const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(request->why, sizeof request->why, format, args);
    va_end(args);
    request->code = code;
    return METHOD_REFUSED;
}

/* "mcp:claude-code" for the change log: the client's own name, as far as it is a plain word. */
static void set_who(struct peer_client *client, const char *name)
{
    size_t len;

    if (!name || !*name)
        return;
    snprintf(client->who, sizeof client->who, "mcp:%s", name);
    len = strlen(client->who);
    for (size_t i = sizeof "mcp:" - 1; i < len; i++) {
        if (!isalnum((unsigned char)client->who[i]) && !strchr("._-", client->who[i]))
            client->who[i] = '-';
    }
}

static enum method_outcome initialize(struct peer_request *request)
{
    struct peer_client *client = request->client;
    const char *asked = json_get_string(request->params, "protocolVersion");

    if (client->version)
        return method_refuse(request, MESSAGE_INVALID_REQUEST,
                             "this connection is initialized already");
    if (!asked)
        return method_refuse(request, MESSAGE_INVALID_PARAMS,
                             "params.protocolVersion is missing, a string such as \"%s\"",
                             protocol_versions[0]);
    client->version = protocol_versions[0];
    for (size_t i = 0; protocol_versions[i]; i++) {
        if (strcmp(protocol_versions[i], asked) == 0)
            client->version = protocol_versions[i];
    }
    set_who(client, json_get_string(json_object_get(request->params, "clientInfo"), "name"));
    log_info("protocol", "client %s over %s, MCP %s", client->who, client->transport,
             client->version);
    buf_addf(&request->result,
             "{\"protocolVersion\":\"%s\",\"capabilities\":{\"tools\":{\"listChanged\":false}},"
             "\"serverInfo\":{\"name\":\"" SERVER_NAME "\",\"title\":\"" SERVER_TITLE
             "\",\"version\":\"" LECTERN_VERSION "\"},\"instructions\":",
             client->version);
    json_write_string(&request->result, INSTRUCTIONS, sizeof INSTRUCTIONS - 1);
    buf_addc(&request->result, '}');
    return METHOD_DONE;
}

static enum method_outcome ping(struct peer_request *request)
{
    buf_adds(&request->result, "{}");
    return METHOD_DONE;
}

static enum method_outcome tools_list(struct peer_request *request)
{
    const json_t *cursor = json_object_get(request->params, "cursor");

    if (cursor && !json_is_null(cursor))
        return method_refuse(request, MESSAGE_INVALID_PARAMS,
                             "tools/list has one page, so no cursor is valid: omit it");
    buf_adds(&request->result, "{\"tools\":[");
    for (size_t i = 0; tools[i]; i++) {
        if (i > 0)
            buf_addc(&request->result, ',');
        tool_describe(tools[i], &request->server->analyses, &request->result);
    }
    buf_adds(&request->result, "]}");
    return METHOD_DONE;
}

static enum method_outcome tools_call(struct peer_request *request)
{
    const char *name = json_get_string(request->params, "name");
    const json_t *arguments = json_object_get(request->params, "arguments");
    const json_t *meta = json_object_get(request->params, "_meta");
    const json_t *token = json_object_get(meta, "progressToken");
    const json_t *key = json_object_get(meta, METHOD_IDEMPOTENCY_KEY);
    struct buf BUF_AUTO names = {0};

    if (!name)
        return method_refuse(request, MESSAGE_INVALID_PARAMS,
                             "tools/call needs params.name, the tool's name as a string");
    request->tool = tool_find(name);
    if (!request->tool) {
        buf_init(&names, ERROR_TEXT_CAP / 2);
        tool_names(&names);
        return method_refuse(request, MESSAGE_INVALID_PARAMS, "unknown tool '%.*s'. The tools: %s.",
                             message_show(name), name, names.len > 0 ? names.data : "none");
    }
    if (arguments && !json_is_object(arguments))
        return method_refuse(request, MESSAGE_INVALID_PARAMS,
                             "params.arguments must be an object, such as {\"node_id\": \"N001\"}");
    if (token && !message_id_valid(token))
        return method_refuse(
            request, MESSAGE_INVALID_PARAMS,
            "_meta.progressToken must be a string of at most %d bytes or an integer",
            MESSAGE_ID_CAP);
    if (key && !json_is_string(key))
        return method_refuse(request, MESSAGE_INVALID_PARAMS,
                             "_meta[\"" METHOD_IDEMPOTENCY_KEY
                             "\"] must be a string, one for each call");
    return METHOD_CALLS;
}

static enum method_outcome initialized(struct peer_request *request)
{
    (void)request;
    return METHOD_DONE;
}

static enum method_outcome cancelled(struct peer_request *request)
{
    request->cancelled = json_object_get(request->params, "requestId");
    return request->cancelled ? METHOD_CANCELS : METHOD_DONE;
}

static const struct method methods[] = {
    {.name = "initialize", .before_initialize = true, .handle = initialize},
    {.name = "ping", .before_initialize = true, .handle = ping},
    {.name = "tools/list", .handle = tools_list},
    {.name = "tools/call", .handle = tools_call},
    {.name = "notifications/initialized", .notification = true, .handle = initialized},
    {.name = "notifications/cancelled", .notification = true, .handle = cancelled},
};

const struct method *method_find(const char *name)
{
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        if (strcmp(methods[i].name, name) == 0)
            return &methods[i];
    }
    return NULL;
}

const char *method_nearest(const char *name)
{
    struct nearest search;

    nearest_begin(&search, name);
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
        nearest_feed(&search, methods[i].name);
    return search.best;
}
