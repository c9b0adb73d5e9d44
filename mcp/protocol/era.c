/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/protocol/peer_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/encode.h"
#include "helpers/base/json.h"
#include "helpers/base/utf8.h"
#include "mcp/protocol/icon.h"

#define ICONS_SINCE      "2025-11-25" /* versions are dates */
#define BATCHES_IN       "2025-03-26" /* no revision before or after it has them */
#define CAPABILITIES_KEY "io.modelcontextprotocol/clientCapabilities"
#define CLIENT_INFO_KEY  "io.modelcontextprotocol/clientInfo"
#define SERVER_INFO_KEY  "io.modelcontextprotocol/serverInfo"

/* The form of header values that are not plain ASCII (2026-07-28, "Value Encoding"). */
#define ENCODED_BEGIN "=?base64?"
#define ENCODED_END   "?="

bool era_client_is_modern(const struct client *client)
{
    return client->version && peer_version_is_modern(client->version);
}

bool era_is_modern(const struct message *message, const struct method *method,
                   const struct peer_headers *headers)
{
    if (message->modern || (method && method->eras == ERA_MODERN))
        return true;
    return headers && peer_version_is_modern(headers->version) &&
           !(method && method->eras == ERA_LEGACY);
}

bool era_has_batches(const struct client *client)
{
    return client->version && strcmp(client->version, BATCHES_IN) == 0;
}

/* ---- headers ---- */

/* Whether a header says the text, as it is or encoded. Comparing encoded texts refuses wrong
 * padding and characters on the way. */
static bool header_says(const char *header, const char *text)
{
    struct buf BUF_AUTO encoded = {0};
    size_t len = strlen(header);

    if (strncmp(header, ENCODED_BEGIN, strlen(ENCODED_BEGIN)) != 0 ||
        len < strlen(ENCODED_BEGIN ENCODED_END) ||
        strcmp(header + len - strlen(ENCODED_END), ENCODED_END) != 0)
        return strcmp(header, text) == 0;
    buf_adds(&encoded, ENCODED_BEGIN);
    base64_write(&encoded, text, strlen(text));
    buf_adds(&encoded, ENCODED_END);
    return !encoded.failed && strcmp(header, encoded.data) == 0;
}

/* The header may not be valid UTF-8, so it is not shown. */
static bool refuse_header(struct request *request, const char *name, const char *body)
{
    request_refuse(request, MESSAGE_HEADER_MISMATCH,
                   "the header %s must repeat the body's value '%.*s'", name,
                   utf8_shown(body, METHOD_SHOWN), body);
    return false;
}

static bool check_header(struct request *request, const char *name, const char *value,
                         const char *body)
{
    return header_says(value, body) || refuse_header(request, name, body);
}

/* 42.0 is 42. */
static bool says_number(const char *header, json_int_t number)
{
    char *end;
    double value = strtod(header, &end);

    return end != header && *end == '\0' && value == (double)number;
}

/* One argument that its tool's schema marks with x-mcp-header. */
static bool check_param(struct request *request, const struct peer_headers *headers,
                        const struct tool_param_header *row)
{
    const json_t *value =
        json_object_get(json_object_get(request->message->params, "arguments"), row->argument);
    const char *header = headers->param(headers, row->header);
    char name[METHOD_SHOWN], number[32];
    const char *text = number;

    if (json_is_string(value))
        text = json_string_value(value);
    else if (json_is_boolean(value))
        text = json_is_true(value) ? "true" : "false";
    else if (json_is_integer(value))
        snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else
        return true; /* null or absent needs no header; of another type it is refused later */
    snprintf(name, sizeof name, "Mcp-Param-%s", row->header);
    if (json_is_integer(value) && header && says_number(header, json_integer_value(value)))
        return true;
    return (header && header_says(header, text)) || refuse_header(request, name, text);
}

static bool check_headers(struct request *request, const struct method *method,
                          const struct peer_headers *headers, const struct tool_reach *reach)
{
    const struct message *message = request->message;
    const char *version = json_get_string(message->meta, MESSAGE_VERSION_KEY);
    const char *name =
        method && method->named_by ? json_get_string(message->params, method->named_by) : NULL;
    const struct tool *tool =
        name && method->marks_arguments ? tool_find_reached(name, reach) : NULL;

    if ((version && !check_header(request, "MCP-Protocol-Version", headers->version, version)) ||
        !check_header(request, "Mcp-Method", headers->method, message->method) ||
        (name && !check_header(request, "Mcp-Name", headers->name, name)))
        return false;
    for (const struct tool_param_header *row = tool ? tool->param_headers : NULL;
         row && row->argument; row++) {
        if (!check_param(request, headers, row))
            return false;
    }
    return true;
}

/* ---- messages ---- */

enum method_outcome era_check(struct request *request, const struct method *method,
                              const struct peer_headers *headers, const struct client *base,
                              struct client *client)
{
    const struct message *message = request->message;
    const char *asked = json_get_string(message->meta, MESSAGE_VERSION_KEY);
    const json_t *capabilities = json_object_get(message->meta, CAPABILITIES_KEY);
    const struct tool_reach reach = client_reach(base);

    *client = *base;
    client->version = MODERN_VERSION;
    if (message->kind == MESSAGE_REQUEST && !asked) {
        request->http_status = 400;
        return request_refuse(request, MESSAGE_INVALID_PARAMS,
                              "params._meta must have \"" MESSAGE_VERSION_KEY
                              "\", such as \"" MODERN_VERSION "\", and \"" CAPABILITIES_KEY
                              "\", an object; or send initialize first");
    }
    if (headers && !check_headers(request, method, headers, &reach))
        return METHOD_REFUSED;
    if (asked && !peer_version_is_modern(asked)) {
        request->data = json_pack("{s:[s], s:s}", "supported", MODERN_VERSION, "requested", asked);
        return request_refuse(request, MESSAGE_NO_VERSION,
                              "unsupported protocol version '%.*s': send \"" MODERN_VERSION
                              "\", or initialize for an older one",
                              utf8_shown(asked, METHOD_SHOWN), asked);
    }
    if (message->kind == MESSAGE_REQUEST && !json_is_object(capabilities)) {
        request->http_status = 400;
        return request_refuse(request, MESSAGE_INVALID_PARAMS,
                              "params._meta must have \"" CAPABILITIES_KEY
                              "\", an object, perhaps empty");
    }
    client_introduce(client, json_object_get(message->meta, CLIENT_INFO_KEY), capabilities);
    return METHOD_DONE;
}

/* ---- results ---- */

void era_write_icons(const struct client *client, struct buf *to)
{
    if (strcmp(client->version, ICONS_SINCE) >= 0)
        buf_adds(to, ",\"icons\":[{\"src\":\"" ICON_URI
                     "\",\"mimeType\":\"image/svg+xml\",\"sizes\":[\"any\"]}]");
}

const char *era_result_meta(const struct client *client)
{
    return era_client_is_modern(client) ? "\"" SERVER_INFO_KEY "\":" SERVER_INFO : "";
}

void era_add_meta(struct buf *to, const struct client *client)
{
    const char *meta = era_result_meta(client);

    if (*meta)
        buf_addf(to, ",\"_meta\":{%s}", meta);
}

void era_begin_result(struct buf *to, const struct client *client, const char *type,
                      const struct method *method)
{
    buf_addc(to, '{');
    if (!era_client_is_modern(client))
        return;
    buf_addf(to, "\"resultType\":\"%s\",", type);
    if (method->cached && strcmp(type, "complete") == 0)
        buf_addf(to, "\"ttlMs\":%d,\"cacheScope\":\"private\",", method->keep_ms);
}

/* ---- errors ---- */

int era_http_status(const struct client *client, enum message_error code)
{
    /* Before initialize there is no session, so a refusal is an error of HTTP too. */
    if (code == MESSAGE_METHOD_NOT_FOUND && (!client->version || era_client_is_modern(client)))
        return 404;
    return code == MESSAGE_INVALID_REQUEST || !client->version ||
                   (code <= MESSAGE_HEADER_MISMATCH && code >= MESSAGE_NO_VERSION)
               ? 400
               : 200;
}

enum method_outcome era_refuse_uri(struct request *request, const char *uri)
{
    request->data = json_pack("{s:s}", "uri", uri);
    return request_refuse(
        request,
        era_client_is_modern(request->client) ? MESSAGE_INVALID_PARAMS : MESSAGE_NO_RESOURCE,
        "no resource has the URI '%.*s': resources/list and resources/templates/list name those "
        "there are",
        utf8_shown(uri, METHOD_SHOWN), uri);
}
