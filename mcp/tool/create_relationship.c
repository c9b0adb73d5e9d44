/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * create_relationship: one edge from the earlier node to the later one. A repeat is refused; an
 * edge that closes a cycle of prerequisites is made, and the cycle is said by titles.
 */
#include "helpers/base/json.h"
#include "mcp/session/component_type.h"
#include "mcp/session/text.h"
#include "mcp/tool/arguments.h"
#include "mcp/tool/table.h"

#define CYCLE_NODES_SHOWN 12
#define TITLE_SAID        120 /* bytes */

static void say_cycle(struct buf *to, const json_t *cycle)
{
    char title[TITLE_SAID];
    json_t *node;
    size_t i;

    buf_adds(to, "\nThis closes a cycle of prerequisites: ");
    json_array_foreach(cycle, i, node)
    {
        if (i == CYCLE_NODES_SHOWN) {
            buf_addf(to, "... %zu more -> ", json_array_size(cycle) - i);
            break;
        }
        buf_addf(to, "%s \"%s\" -> ", json_get_string(node, "node_id"),
                 text_cut_line(title, sizeof title, json_get_string(node, "title")));
    }
    node = json_array_get(cycle, 0);
    buf_addf(to, "%s. No teaching order can satisfy it; remove one of these edges.",
             json_get_string(node, "node_id"));
}

static int run(struct tool_call *call, struct store *store, struct error *err)
{
    const struct writer writer = {.who = call->who, .change_set = call->change_set};
    struct buf BUF_AUTO from_found = {0}, to_found BUF_AUTO = {0};
    char sid[SESSION_ID_SIZE];
    struct relationship_state state = {0};
    const char *type = argument_text(call, "relationship_type");
    const char *explanation = argument_text(call, "explanation");
    const char *from, *to;
    char from_title[TITLE_SAID], to_title[TITLE_SAID];
    json_t *relationship;
    int rc;

    if (tool_session(call, store, sid, err) < 0 ||
        argument_node(call, store, sid, "from_node_id", &from_found, &from, err) < 0 ||
        argument_node(call, store, sid, "to_node_id", &to_found, &to, err) < 0)
        return -1;
    relationship =
        json_pack("{s:s, s:s, s:s, s:s, s:s}", "from_node_id", from, "to_node_id", to,
                  "relationship_type", type ? type : relationship_types[0], "explanation",
                  explanation ? explanation : "", "created_by", call->who);
    if (!relationship)
        return error_set(err, ERROR_MEMORY, "out of memory for the relationship");
    rc = store_relationship_create(store, &writer, sid, relationship, &state, err);
    json_decref(relationship);
    if (rc < 0)
        return -1;
    buf_addf(&call->text, "Created %s from %s \"%s\" to %s \"%s\" (id %lld).", state.type, from,
             text_cut_line(from_title, sizeof from_title, state.from_title), to,
             text_cut_line(to_title, sizeof to_title, state.to_title), (long long)state.id);
    if (state.cycle)
        say_cycle(&call->text, state.cycle);
    json_decref(state.cycle);
    return 0;
}

const struct tool tool_create_relationship = {
    .name = "create_relationship",
    .title = "Create a relationship",
    .description = "Join two nodes, from the earlier to the later.",
    .call_title = "Join {from_node_id}[ to {to_node_id}]|Join two nodes[ to {to_node_id}]",
    .icon = "edit",
    .use = "one edge",
    .arguments = ARGUMENTS("create_relationship", ARGUMENT_SESSION, ARGUMENT_KEY,
                           FIELD("from_node_id", FIELD_TEXT, .required = true, .least = 1,
                                 .documentation = "learnt first"),
                           FIELD("to_node_id", FIELD_TEXT, .required = true, .least = 1),
                           FIELD("relationship_type", FIELD_TEXT, .choices = relationship_types,
                                 .documentation = "default: LEADS_TO"),
                           FIELD("explanation", FIELD_TEXT)),
    .run = run,
    .operation = "create_relationship",
    .writes = true,
};
