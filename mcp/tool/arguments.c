/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/tool/arguments.h"

#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/utf8.h"

int arguments_take(struct tool_call *call, struct error *err)
{
    const struct fields *fields = &call->tool->arguments;
    struct buf BUF_AUTO advice = {0};
    struct validation_errors problems;
    json_t *taken;

    validation_begin(&problems, "");
    taken = fields_take(fields, call->arguments, NULL, &problems);
    if (!taken)
        return error_set(err, ERROR_MEMORY, "out of memory for the arguments");
    json_decref(call->arguments);
    call->arguments = taken;
    if (problems.count == 0)
        return 0;
    buf_init(&advice, ERROR_TEXT_CAP / 2);
    buf_addf(&advice, "The arguments of %s: ", fields->name);
    fields_list(fields, &advice);
    return validation_end(&problems, advice.data, err);
}

const char *argument_text(const struct tool_call *call, const char *name)
{
    return json_get_string(call->arguments, name);
}

long argument_whole(const struct tool_call *call, const char *name, long otherwise)
{
    const json_t *value = json_object_get(call->arguments, name);

    return value ? (long)json_integer_value(value) : otherwise;
}

int arguments_resolve(struct tool_call *call, struct store *store, const char *sid,
                      struct error *err)
{
    for (const struct field *row = call->tool->arguments.rows; row->name; row++) {
        const char *name = argument_text(call, row->name), *id;
        struct buf BUF_AUTO found = {0};

        if (!(row->flags & FIELD_NAME) || !name)
            continue;
        if (store_node_id(store, sid, name, row->name, &found, &id, err) < 0)
            return -1;
        if (id != name && json_object_set_new(call->arguments, row->name, json_string(id)) != 0)
            return error_set(err, ERROR_MEMORY, "out of memory for the arguments");
    }
    return 0;
}

/* Adds the sessions that there are to the error about one that there is not. Returns -1. */
static int name_sessions(struct store *store, struct error *err)
{
    struct error listed = {0};
    char why[ERROR_TEXT_CAP], only[SESSION_ID_SIZE];

    snprintf(why, sizeof why, "%s", err->text);
    if (store_only_session(store, only, &listed) < 0)
        return error_set(err, ERROR_UNAUTHORIZED, "%.200s; %s", why, listed.text);
    return error_set(err, ERROR_UNAUTHORIZED, "%.200s; there is one, %s: leave session_id out", why,
                     only);
}

int tool_session(const struct tool_call *call, struct store *store, char sid[SESSION_ID_SIZE],
                 struct error *err)
{
    const char *given = argument_text(call, "session_id");

    if (call->bound_session && given && strcmp(given, call->bound_session) != 0)
        return error_set_at(
            err, "session_id",
            "This connection is bound to session %s and reaches no other; leave session_id out.",
            call->bound_session);
    if (!given)
        given = call->bound_session;
    if (!given || !*given)
        return store_only_session(store, sid, err);
    if (strlen(given) >= SESSION_ID_SIZE)
        return error_set(err, ERROR_UNAUTHORIZED,
                         "'%.*s' is not a session id, which is a UUID of 36 characters.",
                         utf8_shown(given, SESSION_ID_SIZE), given);
    snprintf(sid, SESSION_ID_SIZE, "%s", given);
    if (store_session(store, sid, NULL, 0, NULL, err) == 0)
        return 0;
    return call->bound_session || err->kind != ERROR_UNAUTHORIZED ? -1 : name_sessions(store, err);
}
