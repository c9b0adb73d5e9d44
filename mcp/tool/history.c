/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * history: what changed and by whom, what is otherwise between two versions, undo, restore. Answers
 * name changes by their version, a number that the next call can send; the ids of change sets cost
 * a model twenty tokens each, and are taken too.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/tool/arguments.h"
#include "mcp/tool/history_words.h"
#include "mcp/tool/table.h"

#define LIST_DEFAULT 20
#define LIST_MAX     200

/* One version of two names is 0 where it is not given. */
struct asked {
    char sid[SESSION_ID_SIZE];
    const char *node_id, *change_set; /* or NULL */
    struct buf found;                 /* owned: the id, where node_id was a title */
    long version, to_version, since, limit;
};

static json_t *parse(const struct buf *text, struct error *err)
{
    return json_read(text->data, text->len, "the history", err);
}

/* ---- list ---- */

static void say_change(struct buf *to, const json_t *change)
{
    const char *at = json_get_string(change, "at");
    const json_t *entries = json_object_get(change, "entries");

    buf_addf(to, "\nv%" JSON_INTEGER_FORMAT " %.16s %s: %s",
             json_integer_value(json_object_get(change, "version")), at ? at : "",
             json_get_string(change, "who"), json_get_string(change, "what"));
    if (json_array_size(entries) == 1 &&
        strcmp(json_get_string(json_array_get(entries, 0), "entity"), "component") == 0)
        buf_addf(to, " (component_id %s)",
                 json_get_string(json_array_get(entries, 0), "entity_id"));
    if (json_get_string(change, "undone_by"))
        buf_adds(to, " (undone)");
}

static int list(struct tool_call *call, struct store *store, const struct asked *asked,
                struct error *err)
{
    const struct history_page page = {.since = asked->since,
                                      .before = asked->version,
                                      .node_id = asked->node_id,
                                      .limit = (size_t)asked->limit,
                                      .without_texts = true};
    struct buf BUF_AUTO text = {0};
    json_auto_t *read = NULL;
    json_t *changes, *change;
    size_t i, total;

    if (store_read_history(store, asked->sid, &page, &text, err) < 0)
        return -1;
    read = parse(&text, err);
    if (!read)
        return -1;
    changes = json_object_get(read, "changes");
    total = (size_t)json_integer_value(json_object_get(read, "total"));
    buf_addf(&call->text, "The curriculum is at version %" JSON_INTEGER_FORMAT "; %zu change%s%s",
             json_integer_value(json_object_get(read, "version")), total, total == 1 ? "" : "s",
             total == 0 ? "." : ", newest first:");
    json_array_foreach(changes, i, change) say_change(&call->text, change);
    if (total > json_array_size(changes))
        buf_addf(&call->text, "\n%zu earlier: send version, the one to list from, or limit.",
                 total - json_array_size(changes));
    return 0;
}

/* ---- difference ---- */

static int difference(struct tool_call *call, struct store *store, const struct asked *asked,
                      struct error *err)
{
    struct buf BUF_AUTO text = {0};
    json_auto_t *read = NULL;
    int64_t now;

    if (asked->version == 0)
        return error_set_at(err, "version",
                            "difference needs version, the one to compare with; action list tells "
                            "those there are.");
    if (store_session(store, asked->sid, NULL, 0, &now, err) < 0 ||
        store_read_difference(store, asked->sid, asked->version,
                              asked->to_version ? asked->to_version : now, &text, err) < 0)
        return -1;
    read = parse(&text, err);
    return read ? history_say_difference(&call->text, store, asked->sid, read, err) : -1;
}

/* ---- undo and restore ---- */

/* The change set that a version belongs to. */
static int find_set(struct store *store, const struct asked *asked, char *set, size_t size,
                    struct error *err)
{
    const struct history_page page = {.since = asked->version - 1,
                                      .limit = HISTORY_LIMIT_MAX,
                                      .before = asked->version,
                                      .without_texts = true};
    struct buf BUF_AUTO text = {0};
    json_auto_t *read = NULL;
    const json_t *change;

    if (store_read_history(store, asked->sid, &page, &text, err) < 0)
        return -1;
    read = parse(&text, err);
    if (!read)
        return -1;
    change = json_array_get(json_object_get(read, "changes"), 0);
    if (!change)
        return error_set_at(err, "version",
                            "version: no change ended at %ld; send one that action list tells.",
                            asked->version);
    snprintf(set, size, "%s", json_get_string(change, "change_set"));
    return 0;
}

static int undo(struct tool_call *call, struct store *store, const struct asked *asked,
                struct error *err)
{
    const struct writer writer = {.who = call->who, .change_set = call->change_set};
    const char *named = asked->change_set;
    struct undo_state state;
    char set[128];

    if (!named && asked->version != 0) {
        if (find_set(store, asked, set, sizeof set, err) < 0)
            return -1;
        named = set;
    }
    if (store_undo(store, &writer, asked->sid, named, &state, err) < 0)
        return -1;
    buf_addf(&call->text,
             "Undone: %s. The curriculum is at version %" PRId64 " now; undo version %" PRId64
             " to do it again.",
             state.what, state.version, state.version);
    return 0;
}

static int restore(struct tool_call *call, struct store *store, const struct asked *asked,
                   struct error *err)
{
    const struct writer writer = {.who = call->who, .change_set = call->change_set};
    struct undo_state state;

    if (asked->version == 0)
        return error_set_at(err, "version",
                            "restore needs version; action list tells those there are.");
    if (store_restore(store, &writer, asked->sid, asked->version, &state, err) < 0)
        return -1;
    if (!*state.by_set)
        buf_addf(&call->text, "All is as it was at version %ld; nothing was changed.",
                 asked->version);
    else
        buf_addf(&call->text,
                 "Restored version %ld: %s. The curriculum is at version %" PRId64
                 " now; undo version %" PRId64 " to take that back.",
                 asked->version, state.what, state.version, state.version);
    return 0;
}

static const struct {
    const char *name;
    int (*run)(struct tool_call *call, struct store *store, const struct asked *asked,
               struct error *err);
    bool writes;
} actions[] = {
    {"list", list, false},
    {"difference", difference, false},
    {"undo", undo, true},
    {"restore", restore, true},
};

static const char *const action_names[] = {"list", "difference", "undo", "restore", NULL};

static bool only_reads(const struct tool_call *call)
{
    const char *action = json_get_string(call->arguments, "action");

    for (size_t i = 0; action && i < sizeof actions / sizeof actions[0]; i++)
        if (strcmp(actions[i].name, action) == 0)
            return !actions[i].writes;
    return true; /* list, or an error */
}

static struct tool_impact impact(const struct tool_call *call)
{
    return (struct tool_impact){.loss = only_reads(call) ? TOOL_LOSS_NO_EDIT : TOOL_LOSS_DELETED,
                                .replaces = 1};
}

static int preview(const struct tool_call *call, struct tool_preview *preview, struct error *err)
{
    preview->action =
        json_string_is(call->arguments, "action", "undo") ? TOOL_UNDOES : TOOL_RESTORES;
    preview->version = argument_whole(call, "version", 0);
    preview->change_set = argument_text(call, "change_set");
    (void)err;
    return 0;
}

static int read_asked(struct tool_call *call, struct store *store, struct asked *asked,
                      struct error *err)
{
    asked->node_id = argument_text(call, "node_id");
    asked->change_set = argument_text(call, "change_set");
    asked->version = argument_whole(call, "version", 0);
    asked->to_version = argument_whole(call, "to_version", 0);
    asked->since = argument_whole(call, "since", 0);
    asked->limit = argument_whole(call, "limit", LIST_DEFAULT);
    return tool_session(call, store, asked->sid, err);
}

/* An id of a node that was deleted is taken as it is: history has it still. */
static int resolve_node(struct store *store, struct asked *asked, struct error *err)
{
    const char *name = asked->node_id;
    struct error why = {0};

    if (!name || store_node_id(store, asked->sid, name, "node_id", &asked->found, &asked->node_id,
                               &why) == 0)
        return 0;
    asked->node_id = name;
    if (why.kind == ERROR_NOT_FOUND)
        return 0;
    return error_set(err, why.kind, "%s", why.text);
}

static int run(struct tool_call *call, struct store *store, struct error *err)
{
    struct asked asked = {0};
    const char *action = argument_text(call, "action");
    size_t i = 0;
    int rc = -1;

    if (read_asked(call, store, &asked, err) < 0)
        return -1;
    while (action && strcmp(actions[i].name, action) != 0)
        i++;
    if (resolve_node(store, &asked, err) == 0)
        rc = actions[i].run(call, store, &asked, err);
    buf_finish(&asked.found);
    return rc;
}

const struct tool tool_history = {
    .name = "history",
    .title = "History",
    .description = "What changed, by whom; undo a change (default: your newest), restore a "
                   "version, difference of two. Undo and restore can be undone.",
    .arguments =
        ARGUMENTS("history", ARGUMENT_SESSION, FIELD("action", FIELD_TEXT, .choices = action_names),
                  FIELD("version", FIELD_WHOLE, .least = 1, .most = INFINITY),
                  FIELD("to_version", FIELD_WHOLE, .least = 1, .most = INFINITY),
                  FIELD("change_set", FIELD_TEXT), FIELD("node_id", FIELD_TEXT),
                  FIELD("since", FIELD_WHOLE, .least = 0, .most = INFINITY),
                  FIELD("limit", FIELD_WHOLE, .least = 1, .most = LIST_MAX), ARGUMENT_KEY),
    .destructive = true,
    .run = run,
    .writes = true,
    .only_reads = only_reads,
    .impact = impact,
    .preview = preview,
};
