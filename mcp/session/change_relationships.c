/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The operations of a change set on relationships. One is named by its id, or by its ends and its
 * type. Cycles are reported once, for the whole set (change_effect.c).
 */
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/session/change_operations.h"
#include "mcp/session/text.h"

/* N001 "Title"; the id alone is missing where the operation named the relationship by its own. */
static void say_end(struct change_work *work, const char *member, const char *title)
{
    const char *node_id = change_text(work, member);
    char shown[120];

    if (node_id) {
        change_say_node(work, node_id, title);
        json_object_set_new(work->result, member, json_string(node_id));
    } else {
        buf_addf(work->message, "\"%s\"", text_cut_line(shown, sizeof shown, title));
    }
}

static int say(struct change_work *work, const char *done, struct relationship_state *state)
{
    buf_addf(work->message, "%s %s from ", done, state->type);
    say_end(work, "from_node_id", state->from_title);
    buf_adds(work->message, " to ");
    say_end(work, "to_node_id", state->to_title);
    json_object_set_new(work->result, "id", json_integer(state->id));
    json_decref(state->cycle);
    return 0;
}

int change_create_relationship(struct change_work *work, struct error *err)
{
    struct relationship_state state = {0};

    if (store_relationship_create(work->store, work->writer, work->sid, work->given, &state, err) <
        0)
        return -1;
    return say(work, "Created", &state);
}

static int find(const struct change_work *work, int64_t *id, struct error *err)
{
    const char *from = change_text(work, "from_node_id"), *to = change_text(work, "to_node_id");
    const char *type = change_text(work, "relationship_type");

    *id = json_integer_value(json_object_get(work->given, "id"));
    if (*id > 0)
        return 0;
    if (!from || !to || !type)
        return error_set_at(err, "id",
                            "id is needed, or from_node_id, to_node_id and relationship_type "
                            "together");
    return store_relationship_find(work->store, work->sid, from, to, type, id, err);
}

int change_edit_relationship(struct change_work *work, struct error *err)
{
    json_auto_t *changes = json_pack(
        "{s:O*, s:O*, s:O*}", "relationship_type", json_object_get(work->given, "new_type"),
        "explanation", json_object_get(work->given, "explanation"), "confidence_score",
        json_object_get(work->given, "confidence_score"));
    struct relationship_state state = {0};
    int64_t id;

    if (json_object_size(changes) == 0)
        return error_set_at(err, "new_type", "new_type, explanation or confidence_score is needed");
    if (find(work, &id, err) < 0 || store_relationship_update(work->store, work->writer, work->sid,
                                                              id, changes, &state, err) < 0)
        return -1;
    return say(work, "Changed", &state);
}

int change_delete_relationship(struct change_work *work, struct error *err)
{
    struct relationship_state state = {0};
    int64_t id;

    if (find(work, &id, err) < 0 ||
        store_relationship_delete(work->store, work->writer, work->sid, id, &state, err) < 0)
        return -1;
    return say(work, "Deleted", &state);
}
