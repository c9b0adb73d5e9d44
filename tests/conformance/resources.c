/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The resources that the scenarios of @modelcontextprotocol/conformance read by URI.
 */
#include "mcp/resource/resource.h"
#include "scene.h"

static const struct scene static_text = {
    .tool = SCENE_TOOL("static-text", "A text"),
    .text = "This is the content of the static text resource.",
};

static const struct scene static_binary = {
    .tool = SCENE_TOOL("static-binary", "An image"),
    .parts = "[{\"uri\":\"test://static-binary\",\"mimeType\":\"image/png\",\"blob\":\"" SCENE_PNG
             "\"}]",
};

static const struct scene watched = {
    .tool = SCENE_TOOL("watched-resource", "A text that a client can watch"),
    .text = "This is the content of the watched resource.",
};

static const struct scene template_data = {
    .tool = SCENE_TOOL_WITH(
        "template-data", "Data of an id",
        .arguments = ARGUMENTS("template-data", FIELD("id", FIELD_TEXT, .required = true))),
    .text = "{\"id\":\"<$id>\",\"templateTest\":true,\"data\":\"Data for ID: <$id>\"}",
};

#define RESOURCE(address, called, what, type, scene)                                               \
    &(const struct resource)                                                                       \
    {                                                                                              \
        .uri = (address), .name = (called), .title = (called), .description = (what),              \
        .mime = (type), .read = &(scene).tool,                                                     \
    }

const struct resource *const resources[] = {
    RESOURCE("test://static-text", "static-text", "A text", "text/plain", static_text),
    RESOURCE("test://static-binary", "static-binary", "An image", "image/png", static_binary),
    RESOURCE("test://watched-resource", "watched-resource", "A text that a client can watch",
             "text/plain", watched),
    RESOURCE("test://template/{id}/data", "template-data", "Data of an id", "application/json",
             template_data),
    NULL,
};

const struct tool *const resource_lister = NULL;
bool (*const resource_list_changes)(const struct store_change *change) = NULL;
