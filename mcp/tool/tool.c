/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of tools: the tools of a connection, who may call them, and their rows in tools/list.
 * The tools themselves are one file each; this file knows none of them.
 */
#include "mcp/tool/tool.h"

#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/nearest.h"
#include "helpers/base/utf8.h"
#include "mcp/change/change_set.h"
#include "mcp/tool/arguments.h"

#define NAME_SHOWN 60 /* bytes of a name that no tool has */

const struct tool *tool_find(const char *name)
{
    for (size_t i = 0; tools[i]; i++) {
        if (strcmp(tools[i]->name, name) == 0)
            return tools[i];
    }
    return NULL;
}

bool toolsets_find(const char *choice, unsigned *toolsets)
{
    static const struct {
        const char *name;
        unsigned toolsets;
    } choices[] = {{"editor", TOOLSET_BIT(TOOLSET_EDITOR)},
                   {"tutor", TOOLSET_BIT(TOOLSET_TUTOR)},
                   {"solve", TOOLSET_BIT(TOOLSET_SOLVE)},
                   {"all", TOOLSETS_ALL}};
    unsigned found = 0;

    for (const char *name = choice;; name++) {
        const size_t len = strcspn(name, ",");
        unsigned before = found;

        for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
            if (strlen(choices[i].name) == len && strncmp(choices[i].name, name, len) == 0)
                found |= choices[i].toolsets;
        }
        if (found == before)
            return false;
        name += len;
        if (!*name)
            break;
    }
    *toolsets = found;
    return true;
}

static bool is_reached(const struct tool *tool, const struct tool_reach *reach)
{
    return (reach->toolsets & TOOLSET_BIT(tool->toolset)) &&
           !(reach->of_learner && tool->makes_learner);
}

const struct tool *tool_find_reached(const char *name, const struct tool_reach *reach)
{
    const struct tool *tool = tool_find(name);

    return tool && is_reached(tool, reach) ? tool : NULL;
}

bool tool_is_listed(const struct tool *tool, const struct tool_reach *reach)
{
    return is_reached(tool, reach) && !(reach->of_session && tool->makes_session);
}

void tool_write_unknown(const char *name, const struct tool_reach *reach, struct buf *to)
{
    const bool edits = reach->toolsets & TOOLSET_BIT(TOOLSET_EDITOR);
    const struct fields *operation = edits ? change_set_operation_like(name) : NULL;
    const char *comma = " The tools: ";
    struct nearest search;

    nearest_begin_action(&search, name);
    for (size_t i = 0; tools[i]; i++)
        if (tool_is_listed(tools[i], reach))
            nearest_feed(&search, tools[i]->name);
    buf_addf(to, "unknown tool '%.*s'", utf8_shown(name, NAME_SHOWN), name);
    if (search.best && (!operation || strcmp(operation->name, name) != 0)) {
        buf_addf(to, "; did you mean '%s'?", search.best);
    } else if (operation) {
        buf_addf(
            to,
            "; call change_curriculum with {\"operations\": [{\"op\": \"%s\", ...}]}, which takes ",
            operation->name);
        fields_list(operation, to);
        buf_addc(to, '.');
    } else {
        buf_addc(to, '.');
    }
    for (size_t i = 0; tools[i]; i++) {
        if (!tool_is_listed(tools[i], reach))
            continue;
        buf_addf(to, "%s%s", comma, tools[i]->name);
        comma = ", ";
    }
    if (*comma == ',')
        buf_addc(to, '.');
}

static void describe(const struct tool *tool, const struct fields *arguments,
                     const struct analyses *analyses, struct buf *to)
{
    struct buf BUF_AUTO description = {0};

    buf_adds(&description, tool->description);
    if (tool->describe_here)
        tool->describe_here(analyses, &description);
    buf_adds(to, "{\"name\":");
    json_write_string(to, tool->name, strlen(tool->name));
    buf_adds(to, ",\"description\":");
    json_write_string(to, description.data, description.len);
    buf_adds(to, ",\"inputSchema\":");
    if (tool->input_schema)
        buf_adds(to, tool->input_schema);
    else
        fields_schema(arguments, NULL, analyses, to);
    /* For people and programs; a model does not see them. */
    buf_addf(to,
             ",\"annotations\":{\"readOnlyHint\":%s,\"destructiveHint\":%s,"
             "\"idempotentHint\":%s,\"openWorldHint\":false",
             tool->read_only ? "true" : "false", tool->destructive ? "true" : "false",
             tool->read_only || tool->idempotent ? "true" : "false");
    json_write_member(to, "title", tool->title);
    buf_addc(to, '}');
    buf_addc(to, '}');
}

void tool_describe(const struct tool *tool, const struct analyses *analyses, struct buf *to)
{
    describe(tool, &tool->arguments, analyses, to);
}

void tool_describe_bound(const struct tool *tool, const struct analyses *analyses, struct buf *to)
{
    struct bound_arguments bound;

    describe(tool, arguments_without_learner(tool, &bound), analyses, to);
}

bool tool_call_writes(const struct tool_call *call)
{
    return call->tool->writes;
}

bool tool_call_tries(const struct tool_call *call)
{
    return call->tool->tries && call->tool->tries(call);
}

bool tool_allows(const struct tool *tool, unsigned scopes)
{
    if (tool->toolset == TOOLSET_TUTOR)
        return scopes & (IDENTITY_LEARN | IDENTITY_EDIT);
    return (scopes & IDENTITY_EDIT) || ((scopes & IDENTITY_READ) && !tool->writes);
}

int tool_call_check_scope(const struct tool_call *call, struct error *err)
{
    const unsigned needed = call->tool->toolset == TOOLSET_TUTOR ? IDENTITY_LEARN
                            : tool_call_writes(call)             ? IDENTITY_EDIT
                                                                 : IDENTITY_READ;

    if (!call->identity || tool_allows(call->tool, call->identity->scopes))
        return 0;
    return error_set(
        err, ERROR_FORBIDDEN,
        "this token may not call %s like this: that needs the scope '%s'. Sign in with "
        "a token that has it",
        call->tool->name, identity_scope_names(needed));
}
