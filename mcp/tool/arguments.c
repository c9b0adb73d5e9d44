/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/tool/arguments.h"

#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/graph/text.h"
#include "mcp/session/curriculum_uri.h"

#define BOUND_TITLE_CAP (TITLE_MAX + 1)

/* An empty text for an optional argument counts as not sent: clients fill in all of a form. */
static json_t *without_empty(const struct fields *fields, const json_t *arguments)
{
    json_t *kept = json_copy((json_t *)arguments);

    for (const struct field *row = fields->rows; kept && row && row->name; row++)
        if (!row->required && row->type == FIELD_TEXT && json_string_is(kept, row->name, ""))
            json_object_del(kept, row->name);
    return kept;
}

int arguments_take(struct tool_call *call, struct error *err)
{
    const struct fields *fields = &call->tool->arguments;
    struct buf BUF_AUTO advice = {0};
    struct validation_errors problems;
    json_auto_t *given = without_empty(fields, call->arguments);
    json_t *taken;

    validation_begin(&problems, "");
    taken = given ? fields_take(fields, given, NULL, &problems) : NULL;
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
        if (strcmp(row->name, "to_node_id") == 0 &&
            (argument_text(call, "to_session") || curriculum_uri_is_node(name)))
            continue; /* the end of a link, which is in another curriculum */
        if (store_node_id(store, sid, name, row->name, &found, &id, err) < 0)
            return -1;
        if (id != name && json_object_set_new(call->arguments, row->name, json_string(id)) != 0)
            return error_set(err, ERROR_MEMORY, "out of memory for the arguments");
    }
    return 0;
}

/* A connection that is bound to a session knows no other, not even by its title. */
static int check_bound(const struct tool_call *call, struct store *store, const char *name,
                       const char *what, struct error *err)
{
    char title[BOUND_TITLE_CAP];

    if (strcmp(name, call->bound_session) == 0)
        return 0;
    if (store_session(store, call->bound_session, title, sizeof title, NULL, err) < 0)
        return -1;
    if (graph_text_same(name, title))
        return 0;
    return error_set_at(
        err, what, "This connection is bound to session %s and reaches no other; leave %s out.",
        call->bound_session, what);
}

int tool_session_named(const struct tool_call *call, struct store *store, const char *name,
                       const char *what, char sid[SESSION_ID_SIZE], struct error *err)
{
    if (!call->bound_session)
        return store_session_named(store, name, what, sid, err);
    if (check_bound(call, store, name, what, err) < 0)
        return -1;
    snprintf(sid, SESSION_ID_SIZE, "%s", call->bound_session);
    return store_session(store, sid, NULL, 0, NULL, err);
}

int tool_session(const struct tool_call *call, struct store *store, char sid[SESSION_ID_SIZE],
                 struct error *err)
{
    const char *given = argument_text(call, "session_id");

    if (!given || !*given)
        given = call->bound_session;
    if (!given)
        return store_only_session(store, sid, err);
    return tool_session_named(call, store, given, "session_id", sid, err);
}
