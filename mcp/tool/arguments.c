/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/tool/arguments.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/log.h"
#include "helpers/base/utf8.h"
#include "helpers/graph/text.h"
#include "mcp/curriculum/curriculum_uri.h"
#include "mcp/store/entities/node.h"
#include "mcp/store/entities/session.h"

#define BOUND_TITLE_CAP         (TITLE_MAX + 1)
#define CLIENT_NAMES_LOGGED_MAX 32 /* further ones are ignored without a word */
#define CLIENT_NAME_CAP         64 /* bytes of one that are logged, with the NUL */

/* An empty text for an optional argument counts as not sent: clients fill in all of a form. */
static void drop_empty(const struct fields *fields, json_t *arguments)
{
    for (const struct field *row = fields->rows; row && row->name; row++)
        if (!row->required && row->type == FIELD_TEXT && json_string_is(arguments, row->name, ""))
            json_object_del(arguments, row->name);
}

/* ---- arguments that clients add ----
 *
 * Clients add arguments of their own to every call: n8n toolCallId and sessionId, Cline
 * task_progress. No model can mend such a call, so they are ignored, and the log has each name
 * once. An argument that a tool of ours has, or a misspelt one, is the model's. */

/* Their names that are, or look like, one of ours. */
static const char *const names_of_clients[] = {"sessionId", "_sessionID", "_sessionId"};
static const char reason_of_read[] = "explanation"; /* Cursor's; a relationship has one too */

static bool is_of_client(const struct tool *tool, const char *name, const json_t *arguments)
{
    if (tool->read_only && strcmp(reason_of_read, name) == 0)
        return true;
    for (size_t i = 0; i < sizeof names_of_clients / sizeof names_of_clients[0]; i++)
        if (strcmp(names_of_clients[i], name) == 0)
            return true;
    for (size_t i = 0; tools[i]; i++)
        if (tools[i]->toolset == tool->toolset &&
            (fields_find(&tools[i]->arguments, name) ||
             fields_resemble(&tools[i]->arguments, name, tools[i] == tool ? arguments : NULL)))
            return false;
    return true;
}

static void log_once(const char *name)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static char logged[CLIENT_NAMES_LOGGED_MAX][CLIENT_NAME_CAP];
    static size_t count;
    char shown[CLIENT_NAME_CAP];
    bool is_new = true;

    snprintf(shown, sizeof shown, "%.*s", utf8_shown(name, CLIENT_NAME_CAP - 1), name);
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count; i++)
        is_new = is_new && strcmp(logged[i], shown) != 0;
    is_new = is_new && count < CLIENT_NAMES_LOGGED_MAX;
    if (is_new)
        memcpy(logged[count++], shown, sizeof shown);
    pthread_mutex_unlock(&lock);
    if (is_new)
        log_info("tool", "the argument '%s', which a client adds, is ignored", shown);
}

/* Where a required argument is missing, one with another name may be meant. */
static bool lacks_required(const struct fields *fields, const json_t *arguments)
{
    for (const struct field *row = fields->rows; row && row->name; row++)
        if (field_is_missing(row, arguments))
            return true;
    return false;
}

static void drop_clients(const struct tool *tool, json_t *arguments)
{
    const char *name;
    json_t *value;
    void *next;

    if (lacks_required(&tool->arguments, arguments))
        return;
    json_object_foreach_safe(arguments, next, name, value)
    {
        if (!fields_find(&tool->arguments, name) && is_of_client(tool, name, arguments)) {
            log_once(name);
            json_object_del(arguments, name);
        }
    }
}

/* ---- calls that are bound to a learner ---- */

const struct fields *arguments_without_learner(const struct tool *tool,
                                               struct bound_arguments *bound)
{
    size_t count = 0;

    if (!fields_find(&tool->arguments, LEARNER_ARGUMENT))
        return &tool->arguments;
    memset(bound, 0, sizeof *bound);
    for (const struct field *row = tool->arguments.rows; row->name && count < ARGUMENTS_MAX;
         row++) {
        bound->rows[count] = *row;
        if (strcmp(row->name, LEARNER_ARGUMENT) == 0) {
            bound->rows[count].required = false;
            bound->rows[count].flags |= FIELD_UNLISTED;
        }
        count++;
    }
    bound->fields = tool->arguments;
    bound->fields.rows = bound->rows;
    return &bound->fields;
}

/* Sets the learner of a bound call; -1 if the client has sent another one. */
static int set_learner(const struct tool_call *call, json_t *arguments, struct error *err)
{
    const json_t *given = json_object_get(arguments, LEARNER_ARGUMENT);

    if (!call->bound_learner || !fields_find(&call->tool->arguments, LEARNER_ARGUMENT))
        return 0;
    if (given && !json_is_null(given) && !json_string_is(arguments, LEARNER_ARGUMENT, "") &&
        !json_string_is(arguments, LEARNER_ARGUMENT, call->bound_learner))
        return error_set_at(
            err, LEARNER_ARGUMENT,
            "This connection is bound to one learner and reaches no other; leave " LEARNER_ARGUMENT
            " out.");
    return json_object_set_new(arguments, LEARNER_ARGUMENT, json_string(call->bound_learner)) == 0
               ? 0
               : error_set(err, ERROR_MEMORY, "out of memory for the arguments");
}

int arguments_take(struct tool_call *call, struct error *err)
{
    struct bound_arguments bound;
    const struct fields *fields = call->bound_learner
                                      ? arguments_without_learner(call->tool, &bound)
                                      : &call->tool->arguments;
    struct buf BUF_AUTO advice = {0};
    struct validation_errors problems;
    json_auto_t *given = json_copy(call->arguments);
    json_t *taken = NULL;

    validation_begin(&problems, "");
    if (given && set_learner(call, given, err) < 0)
        return -1;
    if (given) {
        drop_empty(fields, given);
        drop_clients(call->tool, given);
        taken = fields_take(fields, given, NULL, &problems);
    }
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
