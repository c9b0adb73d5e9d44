/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * undo: takes one change back, or goes back to a version. Both are changes like any other, and can
 * be taken back themselves.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "mcp/store/entities/session.h"
#include "mcp/store/history/history.h"
#include "mcp/tool/arguments.h"

#define VERSIONS_CAP 96 /* bytes of "versions 3 to 5, which are one change" */

static int run(struct tool_call *call, struct store *store, struct error *err);
static int preview(const struct tool_call *call, struct tool_preview *preview, struct error *err);

const struct tool tool_undo = {
    .name = "undo",
    .title = "Undo or restore",
    .description =
        "Take back your newest change or that of a version, or restore a version; can be "
        "undone.",
    .call_title = "{restore=}Restore version {restore}|{version=}Undo a change"
                  "|{change_set=}Undo a change|Undo the last change",
    .icon = "history",
    .use = "takes back a change, or goes back to a version",
    .arguments = ARGUMENTS("undo", ARGUMENT_SESSION, ARGUMENT_KEY,
                           FIELD("version", FIELD_WHOLE, .least = 1, .most = INFINITY),
                           FIELD("restore", FIELD_WHOLE, .least = 1, .most = INFINITY),
                           FIELD("change_set", FIELD_TEXT, .flags = FIELD_UNLISTED)),
    .destructive = true,
    .run = run,
    .preview = preview,
    .writes = true,
};

static int delete_import(struct tool_call *call, struct store *store, const char *sid,
                         const struct own_import *import, struct error *err)
{
    const struct writer writer = {.who = call->who, .expected_cursor = import->version};

    if (store_session_delete(store, &writer, sid, err) < 0)
        return -1;
    buf_addf(&call->text,
             "Undone: %s. Session %s is deleted, with its history; import the text again to have "
             "it back.",
             import->what, sid);
    return 0;
}

static int undo(struct tool_call *call, struct store *store, const char *sid, struct error *err)
{
    const struct writer writer = {.who = call->who, .change_set = call->change_set};
    const char *named = argument_text(call, "change_set");
    long version = argument_whole(call, "version", 0);
    struct undo_state state = {0};
    struct own_import import;
    char set[CHANGE_SET_ID_SIZE], versions[VERSIONS_CAP];
    int own;

    if (!named && version != 0) {
        if (tool_set_of_version(store, sid, version, set, err) < 0)
            return -1;
        named = set;
    }
    /* A connection that is bound to a session keeps it. */
    own = call->bound_session ? 0 : store_find_own_import(store, &writer, sid, named, &import, err);
    if (own != 0)
        return own < 0 ? -1 : delete_import(call, store, sid, &import, err);
    if (store_undo(store, &writer, sid, named, &state, err) < 0)
        return -1;
    snprintf(versions, sizeof versions, "version %" PRId64, state.last_version);
    if (state.first_version < state.last_version)
        snprintf(versions, sizeof versions,
                 "versions %" PRId64 " to %" PRId64 ", which are one change", state.first_version,
                 state.last_version);
    buf_addf(&call->text,
             "Undone: %s (%s). The curriculum is at version %" PRId64 " now; undo version %" PRId64
             " to do it again.",
             state.what, versions, state.version, state.version);
    return 0;
}

static int restore(struct tool_call *call, struct store *store, const char *sid, struct error *err)
{
    const struct writer writer = {.who = call->who, .change_set = call->change_set};
    long version = argument_whole(call, "restore", 0);
    struct undo_state state;

    if (store_restore(store, &writer, sid, version, &state, err) < 0)
        return -1;
    if (!*state.by_set)
        buf_addf(&call->text, "All is as it was at version %ld; nothing was changed.", version);
    else
        buf_addf(&call->text,
                 "Restored version %ld: %s. The curriculum is at version %" PRId64
                 " now; undo version %" PRId64 " to take that back.",
                 version, state.what, state.version, state.version);
    return 0;
}

static int check_one(const struct tool_call *call, struct error *err)
{
    bool restores = argument_whole(call, "restore", 0) > 0;

    if (!restores ||
        (argument_whole(call, "version", 0) == 0 && !argument_text(call, "change_set")))
        return 0;
    return error_set_at(err, "restore",
                        "send version, to take back the change of that version alone, or restore, "
                        "to go back to it; not both.");
}

static int run(struct tool_call *call, struct store *store, struct error *err)
{
    char sid[SESSION_ID_SIZE];

    if (check_one(call, err) < 0 || tool_session(call, store, sid, err) < 0)
        return -1;
    return (argument_whole(call, "restore", 0) > 0 ? restore : undo)(call, store, sid, err);
}

static int preview(const struct tool_call *call, struct tool_preview *preview, struct error *err)
{
    long restores = argument_whole(call, "restore", 0);

    preview->action = restores > 0 ? TOOL_RESTORES : TOOL_UNDOES;
    preview->version = restores > 0 ? restores : argument_whole(call, "version", 0);
    preview->change_set = argument_text(call, "change_set");
    return check_one(call, err);
}
