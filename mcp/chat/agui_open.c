/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/chat/agui_open.h"

#include "mcp/chat/agui_frame.h"

/* What ends it, by what began it. */
static const struct {
    const char *begin, *end, *member;
} pairs[] = {
    [AGUI_STEP] = {"STEP_STARTED", "STEP_FINISHED", "stepName"},
    [AGUI_TEXT] = {"TEXT_MESSAGE_START", "TEXT_MESSAGE_END", "messageId"},
    [AGUI_REASONING_MESSAGE] = {"REASONING_MESSAGE_START", "REASONING_MESSAGE_END", "messageId"},
    [AGUI_REASONING] = {"REASONING_START", "REASONING_END", "messageId"},
    [AGUI_CALL] = {"TOOL_CALL_START", "TOOL_CALL_END", "toolCallId"},
};

/* run->open is {what began it: {id: id}}. */
static json_t *open_ids(const struct agui_run *run, enum agui_pair pair)
{
    return json_object_get(run->open, pairs[pair].begin);
}

static bool remember(struct agui_run *run, enum agui_pair pair, const char *id)
{
    if (!run->open)
        run->open = json_object();
    if (!open_ids(run, pair) &&
        json_object_set_new(run->open, pairs[pair].begin, json_object()) < 0)
        return false;
    return json_object_set_new(open_ids(run, pair), id, json_string(id)) == 0;
}

bool agui_open(struct agui_run *run, enum agui_pair pair, const char *id, struct buf *to)
{
    if (json_object_get(open_ids(run, pair), id) || !remember(run, pair, id))
        return false;
    agui_begin_now(to, pairs[pair].begin);
    agui_member(to, pairs[pair].member, id);
    return true;
}

bool agui_close(struct agui_run *run, enum agui_pair pair, const char *id, struct buf *to)
{
    if (json_object_del(open_ids(run, pair), id) < 0)
        return false;
    agui_begin_now(to, pairs[pair].end);
    agui_member(to, pairs[pair].member, id);
    buf_addc(to, '}');
    return true;
}

bool agui_close_any(struct agui_run *run, struct buf *to)
{
    for (enum agui_pair pair = AGUI_STEP; pair <= AGUI_CALL; pair++) {
        json_t *ids = open_ids(run, pair);
        json_auto_t *id = json_incref(json_object_iter_value(json_object_iter(ids)));

        if (id) /* held, as its place goes */
            return agui_close(run, pair, json_string_value(id), to);
    }
    return false;
}

void agui_run_close(struct agui_run *run)
{
    json_decref(run->open);
    run->open = NULL;
}
