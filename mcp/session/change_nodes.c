/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The operations of a change set on nodes. Each says what is lost with it.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/session/change_operations.h"
#include "mcp/session/text.h"

#define TITLE_SAID 120 /* bytes */

const char *change_text(const struct change_work *work, const char *name)
{
    return json_get_string(work->given, name);
}

long change_whole(const struct change_work *work, const char *name)
{
    return (long)json_integer_value(json_object_get(work->given, name));
}

void change_say_node(struct change_work *work, const char *node_id, const char *title)
{
    char id[NODE_ID_MAX + 1], shown[TITLE_SAID];

    buf_addf(work->message, "%s \"%s\"", text_cut_line(id, sizeof id, node_id),
             text_cut_line(shown, sizeof shown, title));
}

void change_say_count(struct change_work *work, size_t count, const char *thing)
{
    buf_addf(work->message, "%zu %s%s", count, thing, count == 1 ? "" : "s");
}

static void set_text(json_t *object, const char *key, const char *value)
{
    json_object_set_new(object, key, json_string(value));
}

static void set_count(json_t *object, const char *key, size_t count)
{
    json_object_set_new(object, key, json_integer((json_int_t)count));
}

int change_create_node(struct change_work *work, struct error *err)
{
    if (store_node_create(work->store, work->writer, work->sid, work->given, err) < 0)
        return -1;
    buf_adds(work->message, "Created node ");
    change_say_node(work, change_text(work, "node_id"), change_text(work, "title"));
    set_text(work->result, "node_id", change_text(work, "node_id"));
    return 0;
}

int change_delete_node(struct change_work *work, struct error *err)
{
    const char *node_id = change_text(work, "node_id");
    struct node_state state = {0};

    if (store_node_state(work->store, work->sid, node_id, change_whole(work, "expected_revision"),
                         &state, err) < 0 ||
        store_node_delete(work->store, work->writer, work->sid, node_id, err) < 0)
        return -1;
    buf_adds(work->message, "Deleted node ");
    change_say_node(work, node_id, state.title);
    buf_adds(work->message, " with its ");
    change_say_count(work, state.components, "component");
    buf_adds(work->message, " and ");
    change_say_count(work, state.relationships, "relationship");
    set_text(work->result, "node_id", node_id);
    set_count(work->result, "components", state.components);
    set_count(work->result, "relationships", state.relationships);
    return 0;
}

static int update(struct change_work *work, const json_t *changes, struct node_state *state,
                  struct error *err)
{
    const char *node_id = change_text(work, "node_id");

    if (store_node_update(work->store, work->writer, work->sid, node_id, changes,
                          change_whole(work, "expected_revision"), state, err) < 0)
        return -1;
    set_text(work->result, "node_id", node_id);
    json_object_set_new(work->result, "revision", json_integer(state->revision));
    return 0;
}

int change_rename_node(struct change_work *work, struct error *err)
{
    const char *node_id = change_text(work, "node_id");
    json_auto_t *changes = json_pack("{s:s}", "title", change_text(work, "title"));
    struct node_state state = {0};
    char before[256];

    if (!changes)
        return error_set(err, ERROR_MEMORY, "out of memory for a change");
    if (store_node_title(work->store, work->sid, node_id, before, sizeof before, err) < 0 ||
        update(work, changes, &state, err) < 0)
        return -1;
    buf_adds(work->message, "Renamed node ");
    change_say_node(work, node_id, before);
    buf_adds(work->message, " to \"");
    buf_addf(work->message, "%s\" (revision %ld)", state.title, state.revision);
    return 0;
}

int change_edit_node(struct change_work *work, struct error *err)
{
    json_auto_t *changes = json_copy((json_t *)work->given);
    struct node_state state = {0};

    if (!changes)
        return error_set(err, ERROR_MEMORY, "out of memory for a change");
    json_object_del(changes, "node_id");
    json_object_del(changes, "expected_revision");
    if (json_object_size(changes) == 0)
        return error_set_at(err, "",
                            "edit_node needs a field to change, such as title or raw_content");
    if (update(work, changes, &state, err) < 0)
        return -1;
    buf_adds(work->message, "Changed node ");
    change_say_node(work, change_text(work, "node_id"), state.title);
    buf_addf(work->message, " (revision %ld)", state.revision);
    return 0;
}

int change_merge_nodes(struct change_work *work, struct error *err)
{
    const char *node_id = change_text(work, "node_id"), *into = change_text(work, "into_node_id");
    struct node_state state = {0};
    char gone[256];

    if (store_node_title(work->store, work->sid, node_id, gone, sizeof gone, err) < 0 ||
        store_node_merge(work->store, work->writer, work->sid, node_id, into,
                         change_whole(work, "expected_revision"), &state, err) < 0)
        return -1;
    buf_adds(work->message, "Merged node ");
    change_say_node(work, node_id, gone);
    buf_adds(work->message, " into ");
    change_say_node(work, into, state.title);
    buf_adds(work->message, ": ");
    change_say_count(work, state.components, "component");
    buf_adds(work->message, " and ");
    change_say_count(work, state.relationships, "relationship");
    buf_adds(work->message, " came over");
    if (state.left_out > 0) {
        buf_adds(work->message, ", ");
        change_say_count(work, state.left_out, "relationship");
        buf_adds(work->message, " did not (a repeat, or from the node to itself)");
    }
    set_text(work->result, "node_id", node_id);
    set_text(work->result, "into_node_id", into);
    set_count(work->result, "components", state.components);
    set_count(work->result, "relationships", state.relationships);
    set_count(work->result, "relationships_left_out", state.left_out);
    return 0;
}
