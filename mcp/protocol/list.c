/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The lists of tools, prompts, resources and templates, page by page. A cursor is the number of the
 * entries before its page.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/prompt/prompt.h"
#include "mcp/protocol/peer_internal.h"
#include "mcp/resource/resource.h"

#define LIST_PAGE 100 /* entries */

/* A page while it is written: all entries are counted, and those of the page are added. */
struct page {
    struct buf *to;
    size_t from, count;
};

/* Adds the entries of a list; what `of` is follows from the list. */
typedef void add_entries(struct page *page, const void *of);

/* Counts the next entry. Whether it is on the page: the caller writes it then. */
static bool next_entry(struct page *page)
{
    size_t i = page->count++;

    if (i < page->from || i - page->from >= LIST_PAGE)
        return false;
    if (i > page->from)
        buf_addc(page->to, ',');
    return true;
}

/* false: the cursor is not one of this list. */
static bool write_page(const json_t *params, const char *name, add_entries *add, const void *of,
                       struct buf *to)
{
    const json_t *cursor = json_object_get(params, "cursor");
    const char *given = json_string_value(cursor);
    struct page page = {.to = to, .from = given ? strtoul(given, NULL, 10) : 0};
    char ours[24];

    snprintf(ours, sizeof ours, "%zu", page.from);
    buf_addf(to, "\"%s\":[", name);
    add(&page, of);
    buf_addc(to, ']');
    if (page.count > page.from && page.count - page.from > LIST_PAGE)
        buf_addf(to, ",\"nextCursor\":\"%zu\"", page.from + LIST_PAGE);
    return !cursor || json_is_null(cursor) || (given && json_string_length(cursor) == 0) ||
           (given && strcmp(ours, given) == 0 && page.from > 0 && page.from % LIST_PAGE == 0 &&
            page.from < page.count);
}

static enum method_outcome answer_page(struct request *request, const char *name, add_entries *add,
                                       const void *of)
{
    return write_page(request->message->params, name, add, of, &request->members)
               ? METHOD_DONE
               : request_refuse(request, MESSAGE_INVALID_PARAMS, LIST_CURSOR_WRONG);
}

/* ---- tools and prompts ---- */

/* Those that the client may call. */
static void add_tools(struct page *page, const void *of)
{
    const struct request *request = of;
    const struct tool_reach reach = client_reach(request->client);
    const struct buf *entry;

    for (size_t i = 0; tools[i]; i++) {
        if (!tool_allows(tools[i], request->client->identity.scopes) ||
            !tool_is_listed(tools[i], &reach) || !next_entry(page))
            continue;
        entry = host_tool_entry(request->peer->host, i, reach.of_learner);
        if (entry)
            buf_add(page->to, entry->data, entry->len);
        else
            page->to->failed = page->to->starved = true;
    }
}

enum method_outcome list_tools(struct request *request)
{
    return answer_page(request, "tools", add_tools, request);
}

static void write_prompt(const struct tool *prompt, struct buf *to)
{
    buf_adds(to, "{\"name\":");
    json_write_string(to, prompt->name, strlen(prompt->name));
    json_write_member(to, "title", prompt->title);
    json_write_member(to, "description", prompt->description);
    buf_adds(to, ",\"arguments\":[");
    for (const struct field *row = prompt->arguments.rows; row && row->name; row++) {
        buf_addf(to, "%s{\"name\":\"%s\"", row == prompt->arguments.rows ? "" : ",", row->name);
        json_write_member(to, "description", row->documentation);
        buf_addf(to, ",\"required\":%s}", row->required ? "true" : "false");
    }
    buf_adds(to, "]}");
}

static void add_prompts(struct page *page, const void *of)
{
    (void)of;
    for (size_t i = 0; prompts[i]; i++) {
        if (next_entry(page))
            write_prompt(prompts[i]->get, page->to);
    }
}

enum method_outcome list_prompts(struct request *request)
{
    return answer_page(request, "prompts", add_prompts, NULL);
}

/* ---- resources ---- */

static void add_rows(struct page *page, bool templates)
{
    for (size_t i = 0; resources[i]; i++) {
        const struct resource *row = resources[i];

        if (resource_is_template(row) != templates || !next_entry(page))
            continue;
        buf_addf(page->to, "{\"%s\":", templates ? "uriTemplate" : "uri");
        json_write_string(page->to, row->uri, strlen(row->uri));
        json_write_member(page->to, "name", row->name);
        json_write_member(page->to, "title", row->title);
        json_write_member(page->to, "description", row->description);
        json_write_member(page->to, "mimeType", row->mime);
        buf_addc(page->to, '}');
    }
}

static void add_templates(struct page *page, const void *of)
{
    (void)of;
    add_rows(page, true);
}

enum method_outcome list_templates(struct request *request)
{
    return answer_page(request, "resourceTemplates", add_templates, NULL);
}

/* The rows first, then what the lister found: an array, or NULL. */
static void add_resources(struct page *page, const void *of)
{
    const json_t *found = of, *entry;
    size_t i;

    add_rows(page, false);
    json_array_foreach((json_t *)found, i, entry)
    {
        if (next_entry(page))
            json_write(page->to, entry);
    }
}

enum method_outcome list_resources(struct request *request)
{
    return resource_lister ? call_begin(request, resource_lister, NULL)
                           : answer_page(request, "resources", add_resources, NULL);
}

bool list_write_resources(const struct peer_call *call, struct buf *to)
{
    if (!write_page(call->params, "resources", add_resources, call->call.parts, to))
        return false;
    era_add_meta(to, &call->client);
    return true;
}
