/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of methods, and those that need no call: they answer at once, on the loop's thread.
 */
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/log.h"
#include "mcp/prompt/prompt.h"
#include "mcp/protocol/peer_internal.h"
#include "mcp/resource/resource.h"

#define LIST_KEEP_MS 300000 /* of what a running server does not change */

/* For the model: when to reach for this server, and how to do so cheaply. */
#define INSTRUCTIONS                                                                               \
    "Lectern holds curricula: nodes (lessons) with ordered components, and relationships between " \
    "them. Ask it instead of reading a curriculum: query_graph for prerequisites, paths and "      \
    "teaching order; find for words; execute_code for any other analysis (Python; from "           \
    "code_helpers import "                                                                         \
    "get_nodes, get_relationships, get_node_content, analyze_graph). Change content with the "     \
    "component and relationship tools. session_id may be left out where there is only one "        \
    "curriculum."

/* Likewise for a client that has only the tools of a tutor, and for one that has both. */
#define TUTOR_INSTRUCTIONS                                                                         \
    "Lectern teaches a curriculum to a learner, and you are the tutor: begin with "                \
    "get_learner_state, which says what comes next and why. Let the learner try first, then help " \
    "with generate_guidance, and never give the solution. Hand in the learner's code with "        \
    "submit_code: only graded work counts as progress."
#define BOTH_INSTRUCTIONS                                                                          \
    INSTRUCTIONS " To teach a learner, begin with get_learner_state, let the learner try first, "  \
                 "and never give the solution."

#define SOLVE_INSTRUCTIONS                                                                         \
    "Lectern answers questions about a curriculum, of any size, with the tool solve. Ask one "     \
    "whole "                                                                                       \
    "question at a time."

static const char *instructions_for(const struct client *client)
{
    const bool teaches = client->toolsets & TOOLSET_BIT(TOOLSET_TUTOR);

    if (client_edits(client))
        return teaches ? BOTH_INSTRUCTIONS : INSTRUCTIONS;
    return teaches ? TUTOR_INSTRUCTIONS : SOLVE_INSTRUCTIONS;
}

/* What the server offers to a client of this era. */
static void write_offer(struct request *request)
{
    const struct client *client = request->client;
    const unsigned changing = stream_lists(request->peer->host, client);
    const bool edits = client_edits(client);
    const char *instructions = instructions_for(client);
    struct buf *to = &request->members;

    buf_addf(to, "\"capabilities\":{\"tools\":{\"listChanged\":%s}",
             changing & LIST_TOOLS ? "true" : "false");
    if (edits && resources[0])
        buf_addf(to, ",\"resources\":{\"subscribe\":true,\"listChanged\":%s}",
                 changing & LIST_RESOURCES ? "true" : "false");
    if (edits && prompts[0])
        buf_addf(to, ",\"prompts\":{\"listChanged\":%s}",
                 changing & LIST_PROMPTS ? "true" : "false");
    if (edits && (resources[0] || prompts[0]))
        buf_adds(to, ",\"completions\":{}");
    if (request->method->eras & ERA_LEGACY) /* the modern era does not have it */
        buf_adds(to, ",\"logging\":{}");
    buf_adds(to, "},\"instructions\":");
    json_write_string(to, instructions, strlen(instructions));
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
    buf_addf(&request->members, "\"protocolVersion\":\"%s\",\"serverInfo\":{" SERVER_INFO_MEMBERS,
             version);
    era_write_icons(&peer->client, &request->members);
    buf_adds(&request->members, "},");
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

static enum method_outcome set_level(struct request *request)
{
    int level = progress_level(json_get_string(request->message->params, "level"));

    if (level < 0)
        return request_refuse(request, MESSAGE_INVALID_PARAMS,
                              "params.level must be debug, info, notice, warning, error, critical, "
                              "alert or emergency");
    request->peer->log_level = level;
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
    struct stream *stream = id ? stream_find(request->peer, id) : NULL;

    if (call) /* a call that has just ended is not an error: the two messages may cross */
        call_cancel(call);
    if (stream)
        stream_end(stream, false);
    return METHOD_DONE;
}

/* clang-format off */
#define LISTING(what, editors, handler) \
    {.name = (what), .eras = ERA_BOTH, .for_editors = (editors), .cached = true, .keep_ms = LIST_KEEP_MS, .handle = (handler)}
#define NOTICE(what, when, handler) {.name = (what), .eras = (when), .notification = true, .handle = (handler)}
/* clang-format on */

const struct method methods[] = {
    {.name = "initialize", .eras = ERA_LEGACY, .before_initialize = true, .handle = initialize},
    {.name = "server/discover",
     .eras = ERA_MODERN,
     .cached = true,
     .keep_ms = LIST_KEEP_MS,
     .handle = discover},
    {.name = "ping", .eras = ERA_LEGACY, .before_initialize = true, .handle = ping},
    {.name = "logging/setLevel", .eras = ERA_LEGACY, .handle = set_level},
    LISTING("tools/list", false, list_tools),
    {.name = "tools/call",
     .eras = ERA_BOTH,
     .named_by = "name",
     .marks_arguments = true,
     .handle = call_tool,
     .write = call_write_tool,
     .fails_inside = true},
    {.name = "resources/list",
     .eras = ERA_BOTH,
     .for_editors = true,
     .cached = true,
     .handle = list_resources,
     .write = list_write_resources,
     .wrong = LIST_CURSOR_WRONG},
    LISTING("resources/templates/list", true, list_templates),
    {.name = "resources/read",
     .eras = ERA_BOTH,
     .for_editors = true,
     .named_by = "uri",
     .cached = true,
     .handle = read_resource,
     .write = read_write_resource},
    {.name = "resources/subscribe",
     .eras = ERA_LEGACY,
     .for_editors = true,
     .handle = stream_subscribe},
    {.name = "resources/unsubscribe",
     .eras = ERA_LEGACY,
     .for_editors = true,
     .handle = stream_unsubscribe},
    LISTING("prompts/list", true, list_prompts),
    {.name = "prompts/get",
     .eras = ERA_BOTH,
     .for_editors = true,
     .named_by = "name",
     .handle = read_prompt,
     .write = read_write_prompt},
    {.name = "completion/complete",
     .eras = ERA_BOTH,
     .for_editors = true,
     .handle = read_completion,
     .write = read_write_completion},
    {.name = "subscriptions/listen",
     .eras = ERA_MODERN,
     .for_editors = true,
     .handle = stream_listen},
    NOTICE("notifications/initialized", ERA_LEGACY, initialized),
    NOTICE("notifications/cancelled", ERA_BOTH, cancelled),
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
