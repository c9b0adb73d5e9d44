/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The lists of tools, prompts, resources and templates, page by page. A cursor is the number of the
 * entries before its page.
 */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/prompt/prompt.h"
#include "mcp/protocol/peer_internal.h"
#include "mcp/resource/resource.h"

#define LIST_PAGE 100 /* entries */

struct page {
    size_t from, to;
};

/* The page that a request asks for, of `total` entries; false if its cursor is none of ours. */
static bool find_page(const json_t *params, size_t total, struct page *page)
{
    const json_t *cursor = json_object_get(params, "cursor");
    char ours[24];

    page->from = page->to = 0;
    if (cursor && !json_is_null(cursor)) {
        page->from = json_is_string(cursor) ? strtoul(json_string_value(cursor), NULL, 10) : 0;
        snprintf(ours, sizeof ours, "%zu", page->from);
        if (page->from == 0 || page->from % LIST_PAGE != 0 || page->from >= total ||
            strcmp(ours, json_string_value(cursor)) != 0)
            return false;
    }
    page->to = total - page->from > LIST_PAGE ? page->from + LIST_PAGE : total;
    return true;
}

static enum method_outcome take_page(struct request *request, size_t total, struct page *page)
{
    return find_page(request->message->params, total, page)
               ? METHOD_DONE
               : request_refuse(request, MESSAGE_INVALID_PARAMS, LIST_CURSOR_WRONG);
}

static void end_page(struct buf *to, const struct page *page, size_t total)
{
    buf_addc(to, ']');
    if (page->to < total)
        buf_addf(to, ",\"nextCursor\":\"%zu\"", page->to);
}

static void add_comma(struct buf *to, const struct page *page, size_t i)
{
    if (i > page->from)
        buf_addc(to, ',');
}

/* Appends "name":"text"; nothing for NULL. */
static void add_text(struct buf *to, const char *name, const char *text)
{
    if (!text)
        return;
    buf_addf(to, ",\"%s\":", name);
    json_write_string(to, text, strlen(text));
}

/* ---- tools and prompts ---- */

/* Those that the client may call, from page->from on up to page->to; how many there are. */
static size_t write_tools(const struct request *request, const struct page *page, struct buf *to)
{
    const struct buf *entry;
    size_t count = 0;

    for (size_t i = 0; tools[i]; i++) {
        if (!tool_allows(tools[i], request->client->identity.scopes) ||
            (tools[i]->makes_session && *request->client->bound_session))
            continue;
        if (page && count >= page->from && count < page->to) {
            add_comma(to, page, count);
            entry = host_tool_entry(request->peer->host, i);
            if (entry)
                buf_add(to, entry->data, entry->len);
            else
                to->failed = to->starved = true;
        }
        count++;
    }
    return count;
}

enum method_outcome list_tools(struct request *request)
{
    size_t total = write_tools(request, NULL, NULL);
    struct buf *to = &request->members;
    struct page page;

    if (take_page(request, total, &page) == METHOD_REFUSED)
        return METHOD_REFUSED;
    buf_adds(to, "\"tools\":[");
    write_tools(request, &page, to);
    end_page(to, &page, total);
    return METHOD_DONE;
}

static void write_prompt(const struct tool *prompt, struct buf *to)
{
    buf_adds(to, "{\"name\":");
    json_write_string(to, prompt->name, strlen(prompt->name));
    add_text(to, "title", prompt->title);
    add_text(to, "description", prompt->description);
    buf_adds(to, ",\"arguments\":[");
    for (const struct field *row = prompt->arguments.rows; row && row->name; row++) {
        buf_addf(to, "%s{\"name\":\"%s\"", row == prompt->arguments.rows ? "" : ",", row->name);
        add_text(to, "description", row->documentation);
        buf_addf(to, ",\"required\":%s}", row->required ? "true" : "false");
    }
    buf_adds(to, "]}");
}

enum method_outcome list_prompts(struct request *request)
{
    struct buf *to = &request->members;
    struct page page;
    size_t total = 0;

    while (prompts[total])
        total++;
    if (take_page(request, total, &page) == METHOD_REFUSED)
        return METHOD_REFUSED;
    buf_adds(to, "\"prompts\":[");
    for (size_t i = page.from; i < page.to; i++) {
        add_comma(to, &page, i);
        write_prompt(prompts[i]->get, to);
    }
    end_page(to, &page, total);
    return METHOD_DONE;
}

/* ---- resources ---- */

static void write_resource(const struct resource *resource, struct buf *to)
{
    buf_addf(to, "{\"%s\":", resource_is_template(resource) ? "uriTemplate" : "uri");
    json_write_string(to, resource->uri, strlen(resource->uri));
    add_text(to, "name", resource->name);
    add_text(to, "title", resource->title);
    add_text(to, "description", resource->description);
    add_text(to, "mimeType", resource->mime);
    buf_addc(to, '}');
}

/* Appends the rows that are templates, or those that are none, from page->from on up to page->to.
 * Returns how many there are. */
static size_t write_rows(bool templates, const struct page *page, struct buf *to)
{
    size_t count = 0;

    for (size_t i = 0; resources[i]; i++) {
        if (resource_is_template(resources[i]) != templates)
            continue;
        if (page && count >= page->from && count < page->to) {
            add_comma(to, page, count);
            write_resource(resources[i], to);
        }
        count++;
    }
    return count;
}

enum method_outcome list_templates(struct request *request)
{
    size_t total = write_rows(true, NULL, NULL);
    struct buf *to = &request->members;
    struct page page;

    if (take_page(request, total, &page) == METHOD_REFUSED)
        return METHOD_REFUSED;
    buf_adds(to, "\"resourceTemplates\":[");
    write_rows(true, &page, to);
    end_page(to, &page, total);
    return METHOD_DONE;
}

/* The rows first, then what the lister found. */
static bool write_resources(const json_t *params, const json_t *found, struct buf *to)
{
    const size_t rows = write_rows(false, NULL, NULL), total = rows + json_array_size(found);
    struct page page;

    if (!find_page(params, total, &page))
        return false;
    buf_adds(to, "\"resources\":[");
    write_rows(false, &page, to);
    for (size_t i = page.from < rows ? rows : page.from; i < page.to; i++) {
        add_comma(to, &page, i);
        json_write(to, json_array_get(found, i - rows));
    }
    end_page(to, &page, total);
    return true;
}

enum method_outcome list_resources(struct request *request)
{
    if (resource_lister)
        return call_begin(request, resource_lister, NULL);
    return write_resources(request->message->params, NULL, &request->members)
               ? METHOD_DONE
               : request_refuse(request, MESSAGE_INVALID_PARAMS, LIST_CURSOR_WRONG);
}

bool list_write_resources(const struct peer_call *call, struct buf *to)
{
    const char *meta = era_result_meta(&call->client);

    if (!write_resources(call->params, call->call.parts, to))
        return false;
    if (*meta)
        buf_addf(to, ",\"_meta\":{%s}", meta);
    return true;
}
