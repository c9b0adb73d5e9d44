/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Operations of a change set that move components and relationships between nodes, or copy them.
 */
#include <stdlib.h>
#include <string.h>

#include "mcp/change/change_run.h"
#include "mcp/store/entities/component.h"
#include "mcp/store/entities/node.h"

int change_move_components(struct run *run, struct error *err)
{
    const char *node_id = get_text(run, "node_id"), *into = get_text(run, "into_node_id");
    struct move_state state = {0};
    struct named from, to;

    if (store_components_move(run->store, run->writer, run->sid, node_id, get(run, "components"),
                              into, get_whole(run, "position"), &state, err) < 0)
        return -1;
    buf_addf(&run->message, "Moved %zu component%s of %s to %s, as component %lld",
             state.components, plural(state.components), name_node(&from, node_id, state.title),
             name_node(&to, into, state.into_title), (long long)state.position);
    if (state.components > 1)
        buf_addf(&run->message, " to %lld",
                 (long long)state.position + (long long)state.components - 1);
    buf_addf(&run->message, "; %zu remain%s", state.remaining, state.remaining == 1 ? "s" : "");
    add_result(run,
               json_pack("{s:s, s:s, s:I, s:I, s:I}", "node_id", node_id, "into_node_id", into,
                         "components", (json_int_t)state.components, "order",
                         (json_int_t)state.position, "remaining", (json_int_t)state.remaining));
    return 0;
}

/* {"node_id", "title"} of the node to make. */
static json_t *new_node(const struct run *run, struct error *err)
{
    json_t *node =
        json_pack("{s:O, s:O}", "node_id", get(run, "new_node_id"), "title", get(run, "title"));

    if (!node)
        error_set(err, ERROR_MEMORY, "out of memory for a node");
    return node;
}

/* A number that was sent as text, and is the name of no node. */
static bool is_number(const struct run *run, const char *name)
{
    struct buf BUF_AUTO found = {0};
    const char *id;

    return *name && strlen(name) < 19 && name[strspn(name, "0123456789")] == '\0' &&
           store_node_id(run->store, run->sid, name, "", &found, &id, NULL) < 0;
}

json_t *change_node_names(const struct run *run, const char *member, bool numbers,
                          struct error *err)
{
    const json_t *given = get(run, member), *entry;
    json_auto_t *read = json_array();
    size_t i;

    json_array_foreach((json_t *)given, i, entry)
    {
        const char *name = json_string_value(entry), *id;
        struct buf BUF_AUTO found = {0};
        char field[64];
        json_t *resolved;

        snprintf(field, sizeof field, "%s.%zu", member, i);
        if (numbers && name && is_number(run, name))
            resolved = json_integer(strtoll(name, NULL, 10));
        else if (!name)
            resolved = json_incref((json_t *)entry);
        else if (store_node_id(run->store, run->sid, name, field, &found, &id, err) < 0)
            return NULL;
        else
            resolved = json_string(id);
        if (json_array_append_new(read, resolved) != 0) {
            error_set(err, ERROR_MEMORY, "out of memory for an operation");
            return NULL;
        }
    }
    return json_incref(read);
}

int change_split_node(struct run *run, struct error *err)
{
    const char *node_id = get_text(run, "node_id"), *into = get_text(run, "new_node_id");
    json_auto_t *node = new_node(run, err), *relationships = NULL;
    struct move_state state = {0};
    struct named from, to;

    relationships = node ? change_node_names(run, "relationships", true, err) : NULL;
    if (!relationships ||
        store_node_split(run->store, run->writer, run->sid, node_id, node, get_text(run, "after"),
                         get(run, "components"), relationships, &state, err) < 0)
        return -1;
    buf_addf(&run->message,
             "Split node %s: %zu component%s and %zu relationship%s went to the new node %s; %zu "
             "component%s remain%s",
             name_node(&from, node_id, state.title), state.components, plural(state.components),
             state.relationships, plural(state.relationships),
             name_node(&to, into, state.into_title), state.remaining, plural(state.remaining),
             state.remaining == 1 ? "s" : "");
    add_result(run, json_pack("{s:s, s:s, s:I, s:I, s:I}", "node_id", node_id, "new_node_id", into,
                              "components", (json_int_t)state.components, "relationships",
                              (json_int_t)state.relationships, "remaining",
                              (json_int_t)state.remaining));
    return 0;
}

int change_copy_node(struct run *run, struct error *err)
{
    const char *node_id = get_text(run, "node_id"), *into = get_text(run, "new_node_id");
    json_auto_t *node = new_node(run, err);
    struct move_state state = {0};
    struct named from, to;

    if (!node || store_node_copy(run->store, run->writer, run->sid, node_id, node,
                                 get_text(run, "after"), &state, err) < 0)
        return -1;
    buf_addf(&run->message,
             "Copied node %s with its %zu component%s to the new node %s, without relationships",
             name_node(&from, node_id, state.title), state.components, plural(state.components),
             name_node(&to, into, state.into_title));
    add_result(run, json_pack("{s:s, s:s, s:I}", "node_id", node_id, "new_node_id", into,
                              "components", (json_int_t)state.components));
    return 0;
}
