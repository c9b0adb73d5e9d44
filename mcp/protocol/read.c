/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reading a resource, getting a prompt, completing what somebody types for either: each is a call
 * of the tool in its row, whose result is written in its own form.
 */
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/utf8.h"
#include "mcp/prompt/prompt.h"
#include "mcp/protocol/peer_internal.h"
#include "mcp/resource/resource.h"

#define COMPLETION_CAP 100 /* values of one answer (the protocol's own limit) */

/* The text that the tool has answered, as a JSON string. */
static void write_text(const struct peer_call *call, struct buf *to)
{
    const struct buf *text = &call->call.text;

    json_write_string(to, text->data ? text->data : "", text->len);
}

/* ---- resources/read ---- */

enum method_outcome read_resource(struct request *request)
{
    const char *uri = json_get_string(request->message->params, "uri");
    const struct resource *resource;
    json_t *names = NULL;

    if (!uri)
        return request_refuse(request, MESSAGE_INVALID_PARAMS,
                              "resources/read needs params.uri, the resource's URI");
    resource = resource_find(uri, &names);
    if (!resource)
        return era_refuse_uri(request, uri);
    return call_begin(request, resource->read, names);
}

bool read_write_resource(const struct peer_call *call, struct buf *to)
{
    const struct tool_call *tool_call = &call->call;
    const struct tool_image *image = tool_call->image_count > 0 ? tool_call->images : NULL;
    const char *uri = json_get_string(call->params, "uri");
    json_t *names = NULL;
    const struct resource *resource = resource_find(uri, &names);

    json_decref(names);
    buf_adds(to, "\"contents\":");
    if (tool_call->parts) {
        json_write(to, tool_call->parts);
    } else {
        buf_addf(to, "[{\"%s\":", image ? "blob" : "text");
        if (image)
            json_write_string(to, image->base64, image->len);
        else
            write_text(call, to);
        json_write_member(to, "uri", uri);
        json_write_member(to, "mimeType", image ? image->mime : resource->mime);
        buf_adds(to, "}]");
    }
    era_add_meta(to, &call->client);
    return true;
}

/* ---- prompts/get ---- */

static enum method_outcome refuse_prompt(struct request *request, const char *name)
{
    struct buf BUF_AUTO names = {0};

    buf_init(&names, ERROR_TEXT_CAP / 2);
    for (size_t i = 0; prompts[i]; i++)
        buf_addf(&names, "%s%s", i > 0 ? ", " : "", prompts[i]->get->name);
    return request_refuse(request, MESSAGE_INVALID_PARAMS,
                          "unknown prompt '%.*s'. The prompts: %s.", utf8_shown(name, METHOD_SHOWN),
                          name, names.len > 0 ? names.data : "none");
}

enum method_outcome read_prompt(struct request *request)
{
    const char *name = json_get_string(request->message->params, "name");
    json_t *arguments;
    const struct prompt *prompt = name ? prompt_find(name) : NULL;

    if (!name)
        return request_refuse(request, MESSAGE_INVALID_PARAMS,
                              "prompts/get needs params.name, the prompt's name as a string");
    if (!prompt)
        return refuse_prompt(request, name);
    if (call_take_arguments(request, &arguments) == METHOD_REFUSED)
        return METHOD_REFUSED;
    return call_begin(request, prompt->get, arguments);
}

bool read_write_prompt(const struct peer_call *call, struct buf *to)
{
    const struct tool_call *tool_call = &call->call;

    buf_adds(to, "\"messages\":");
    if (tool_call->parts) {
        json_write(to, tool_call->parts);
    } else {
        buf_adds(to, "[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":");
        write_text(call, to);
        buf_adds(to, "}}]");
    }
    json_write_member(to, "description", tool_call->tool->description);
    era_add_meta(to, &call->client);
    return true;
}

/* ---- completion/complete ---- */

/* The tool that completes for a reference; false if the reference is to nothing. */
static bool find_completer(const json_t *ref, const struct tool **tool)
{
    const char *uri = json_get_string(ref, "uri"), *name = json_get_string(ref, "name");
    const struct resource *resource = NULL;
    const struct prompt *prompt = NULL;

    if (json_string_is(ref, "type", "ref/resource") && uri)
        resource = resource_find_template(uri);
    else if (json_string_is(ref, "type", "ref/prompt") && name)
        prompt = prompt_find(name);
    *tool = resource ? resource->complete : prompt ? prompt->complete : NULL;
    return resource || prompt;
}

enum method_outcome read_completion(struct request *request)
{
    const json_t *params = request->message->params;
    const json_t *argument = json_object_get(params, "argument");
    const char *name = json_get_string(argument, "name"),
               *value = json_get_string(argument, "value");
    json_t *given = json_object_get(json_object_get(params, "context"), "arguments");
    const struct tool *tool = NULL;
    json_t *arguments;

    if (!find_completer(json_object_get(params, "ref"), &tool))
        return request_refuse(request, MESSAGE_INVALID_PARAMS,
                              "params.ref must be {\"type\": \"ref/prompt\", \"name\": a prompt} "
                              "or {\"type\": \"ref/resource\", \"uri\": a template}");
    if (!name || !value)
        return request_refuse(request, MESSAGE_INVALID_PARAMS,
                              "params.argument must be {\"name\": text, \"value\": text}");
    if (!tool) {
        buf_adds(&request->members, "\"completion\":{\"values\":[],\"total\":0,\"hasMore\":false}");
        return METHOD_DONE;
    }
    arguments = json_pack("{s:s, s:s}", "name", name, "value", value);
    if (json_is_object(given))
        json_object_set(arguments, "given", given);
    return call_begin(request, tool, arguments);
}

bool read_write_completion(const struct peer_call *call, struct buf *to)
{
    const size_t total = json_array_size(call->call.parts);
    const size_t shown = total < COMPLETION_CAP ? total : COMPLETION_CAP;

    buf_adds(to, "\"completion\":{\"values\":[");
    for (size_t i = 0; i < shown; i++) {
        if (i > 0)
            buf_addc(to, ',');
        json_write(to, json_array_get(call->call.parts, i));
    }
    buf_addf(to, "],\"total\":%zu,\"hasMore\":%s}", total, total > shown ? "true" : "false");
    era_add_meta(to, &call->client);
    return true;
}
