/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of methods and those that answer at once. Runs on the loop's thread.
 */
#include "mcp/protocol/method.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/log.h"
#include "helpers/base/nearest.h"
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

enum handled refuse(struct refusal *refusal, enum message_error code, const char *format, ...)
{
    char text[ERROR_TEXT_CAP];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    refusal->code = code;
    error_set(&refusal->err, ERROR_INVALID, "%s", text);
    return HANDLED_REFUSED;
}

/* "mcp:claude-code" for the change log: the client's own name, as far as it is a plain word. */
static void set_who(struct peer *peer, const char *name)
{
    size_t len;

    if (!name || !*name)
        return;
    snprintf(peer->who, sizeof peer->who, "mcp:%s", name);
    len = strlen(peer->who);
    for (size_t i = sizeof "mcp:" - 1; i < len; i++) {
        if (!isalnum((unsigned char)peer->who[i]) && !strchr("._-", peer->who[i]))
            peer->who[i] = '-';
    }
}

static enum handled initialize(struct peer *peer, const struct peer_request *request,
                               struct buf *result, struct refusal *refusal)
{
    const char *asked = json_get_string(request->params, "protocolVersion");

    if (peer->version)
        return refuse(refusal, MESSAGE_INVALID_REQUEST, "this connection is initialized already");
    if (!asked)
        return refuse(refusal, MESSAGE_INVALID_PARAMS,
                      "initialize needs params.protocolVersion, a string such as \"%s\"",
                      protocol_versions[0]);
    peer->version = protocol_versions[0];
    for (size_t i = 0; protocol_versions[i]; i++) {
        if (strcmp(protocol_versions[i], asked) == 0)
            peer->version = protocol_versions[i];
    }
    set_who(peer, json_get_string(json_object_get(request->params, "clientInfo"), "name"));
    log_info("protocol", "client %s over %s, MCP %s", peer->who, peer->transport, peer->version);
    buf_addf(result,
             "{\"protocolVersion\":\"%s\",\"capabilities\":{\"tools\":{\"listChanged\":false}},"
             "\"serverInfo\":{\"name\":\"" SERVER_NAME "\",\"title\":\"" SERVER_TITLE
             "\",\"version\":\"" LECTERN_VERSION "\"},\"instructions\":",
             peer->version);
    json_write_string(result, INSTRUCTIONS, sizeof INSTRUCTIONS - 1);
    buf_addc(result, '}');
    return HANDLED;
}

static enum handled ping(struct peer *peer, const struct peer_request *request, struct buf *result,
                         struct refusal *refusal)
{
    (void)peer;
    (void)request;
    (void)refusal;
    buf_adds(result, "{}");
    return HANDLED;
}

static enum handled tools_list(struct peer *peer, const struct peer_request *request,
                               struct buf *result, struct refusal *refusal)
{
    const json_t *cursor = json_object_get(request->params, "cursor");

    if (cursor && !json_is_null(cursor))
        return refuse(refusal, MESSAGE_INVALID_PARAMS,
                      "tools/list is one page here, so no cursor is valid: send it without");
    buf_adds(result, "{\"tools\":[");
    for (size_t i = 0; tools[i]; i++) {
        if (i > 0)
            buf_addc(result, ',');
        tool_describe(tools[i], peer->server, result);
    }
    buf_adds(result, "]}");
    return HANDLED;
}

static enum handled tools_call(struct peer *peer, const struct peer_request *request,
                               struct buf *result, struct refusal *refusal)
{
    (void)result;
    return peer_call_begin(peer, request, refusal);
}

static enum handled initialized(struct peer *peer, const struct peer_request *request,
                                struct buf *result, struct refusal *refusal)
{
    (void)peer;
    (void)request;
    (void)result;
    (void)refusal;
    return HANDLED;
}

static enum handled cancelled(struct peer *peer, const struct peer_request *request,
                              struct buf *result, struct refusal *refusal)
{
    const json_t *id = json_object_get(request->params, "requestId");
    struct peer_call *call = id ? peer_call_find(peer, id) : NULL;

    (void)result;
    (void)refusal;
    /* One that has ended meanwhile, or never was, is no error: the two messages may cross. */
    if (call)
        peer_call_cancel(call);
    return HANDLED;
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
