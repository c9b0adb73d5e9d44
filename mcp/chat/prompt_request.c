/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A request to the Messages API, whole. The service keeps what it has read up to each cache mark,
 * so tools and system prompt come first and in the same bytes each time. Messages are marked at the
 * newest of the user and at the one before it: that is where the last request's mark was, so its
 * text is found again however many blocks came between.
 *
 * Nothing is said about thinking: which kinds a model takes differs from model to model, and each
 * has a default of its own. Pure, any thread.
 */
#include "mcp/chat/prompt.h"

#include <string.h>

#include "helpers/base/json.h"
#include "mcp/tool/tool.h"

#define MESSAGES_MARKED 2u /* the tools and the system prompt have one each; 4 are allowed */

static const char mark[] = "\"cache_control\":{\"type\":\"ephemeral\"}";

/* What the chat itself settles: the session is the page's, nothing is sent twice, and who approves
 * is the editor. */
static const char *const settled[] = {"session_id", "idempotency_key", "confirm"};

static void write_tool(const struct tool *tool, const struct analyses *analyses, struct buf *to)
{
    struct buf BUF_AUTO text = {0};
    struct error err = {0};
    json_t *described, *schema, *properties;
    const char *description;

    tool_describe(tool, analyses, &text);
    described = json_read(text.data ? text.data : "", text.len, tool->name, &err);
    schema = json_object_get(described, "inputSchema");
    properties = json_object_get(schema, "properties");
    description = json_get_string(described, "description");
    if (!properties || !description) { /* without memory: the listing's form is tested */
        to->failed = to->starved = true;
        json_decref(described);
        return;
    }
    for (size_t i = 0; i < sizeof settled / sizeof settled[0]; i++)
        json_object_del(properties, settled[i]);
    buf_addf(to, "{\"name\":\"%s\",\"description\":", tool->name);
    json_write_string(to, description, strlen(description));
    buf_adds(to, ",\"input_schema\":");
    json_write(to, schema);
    json_decref(described);
}

/* As the Messages API expects them; the last has a cache mark. */
static void write_tools(const struct analyses *analyses, struct buf *to)
{
    buf_addc(to, '[');
    for (size_t i = 0; tools[i]; i++) {
        if (i > 0)
            buf_addc(to, ',');
        write_tool(tools[i], analyses, to);
        if (!tools[i + 1])
            buf_addf(to, ",%s", mark);
        buf_addc(to, '}');
    }
    buf_addc(to, ']');
}

/* The message with a mark on its last block, a new reference; NULL where that takes none. */
static json_t *marked(const json_t *message)
{
    const json_t *content = json_object_get(message, "content");
    size_t count = json_array_size(content);
    json_t *last = NULL, *blocks = NULL;

    if (json_is_string(content) && json_string_length(content) > 0) {
        blocks = json_array();
        last = json_pack("{s:s, s:O}", "type", "text", "text", content);
    } else if (count > 0) {
        blocks = json_copy((json_t *)content); /* the blocks themselves are shared */
        last = json_copy(json_array_get(content, count - 1));
        json_array_remove(blocks, count - 1);
    }
    if (!last || (json_object_get(last, "text") && !*json_get_string(last, "text"))) {
        json_decref(blocks);
        json_decref(last);
        return NULL;
    }
    json_object_set_new(last, "cache_control", json_pack("{s:s}", "type", "ephemeral"));
    json_array_append_new(blocks, last);
    return json_pack("{s:O, s:o}", "role", json_object_get(message, "role"), "content", blocks);
}

static void write_messages(const json_t *messages, struct buf *to)
{
    size_t first_marked = json_array_size(messages), found = 0, i;
    const json_t *message;

    while (first_marked > 0 && found < MESSAGES_MARKED) {
        const char *role = json_get_string(json_array_get(messages, --first_marked), "role");

        found += role && strcmp(role, "user") == 0;
    }
    buf_addc(to, '[');
    json_array_foreach((json_t *)messages, i, message)
    {
        const char *role = json_get_string(message, "role");
        bool wanted = i >= first_marked && role && strcmp(role, "user") == 0;
        json_t *with_mark = wanted ? marked(message) : NULL;

        if (i > 0)
            buf_addc(to, ',');
        json_write(to, with_mark ? with_mark : message);
        json_decref(with_mark);
    }
    buf_addc(to, ']');
}

void prompt_request(const struct analyses *analyses, const char *model, const char *system_prompt,
                    const json_t *messages, unsigned max_tokens, bool no_more_calls, struct buf *to)
{
    buf_adds(to, "{\"model\":");
    json_write_string(to, model, strlen(model));
    buf_addf(to, ",\"max_tokens\":%u,\"stream\":true,\"tools\":", max_tokens);
    write_tools(analyses, to);
    buf_adds(to, ",\"system\":[{\"type\":\"text\",\"text\":");
    json_write_string(to, system_prompt, strlen(system_prompt));
    buf_addf(to, ",%s}],\"messages\":", mark);
    write_messages(messages, to);
    if (no_more_calls)
        buf_adds(to, ",\"tool_choice\":{\"type\":\"none\"}");
    buf_addc(to, '}');
}
