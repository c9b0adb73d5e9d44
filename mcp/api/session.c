/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Routes of the session API: the service and its sessions.
 */
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/api/rest_internal.h"
#include "mcp/curriculum/entity.h"
#include "mcp/store/entities/read.h"
#include "mcp/store/entities/session.h"

static int health(struct rest_call *call, struct error *err)
{
    (void)err;
    buf_adds(&call->response->body,
             "{\"status\":\"healthy\",\"service\":\"lectern\",\"version\":\"" LECTERN_VERSION
             "\"}");
    return 0;
}

static int create(struct rest_call *call, struct error *err)
{
    const json_t *title = json_object_get(call->body, "title");
    char sid[SESSION_ID_SIZE];

    if (store_session_create(call->store, &call->writer, json_string_value(title), sid, err) != 0)
        return -1;
    buf_addf(&call->response->body,
             "{\"session_id\":\"%s\",\"expires_in_hours\":null,\"message\":\"Session created with "
             "nodes N001 and N002\"}",
             sid);
    return 0;
}

static int rename_session(struct rest_call *call, struct error *err)
{
    const char *title = json_get_string(call->body, "title");

    if (store_session_rename(call->store, &call->writer, call->session, title, err) != 0)
        return -1;
    rest_answer_success(call, "Session renamed to %s", title);
    rest_answer_end(call);
    return 0;
}

static int delete_session(struct rest_call *call, struct error *err)
{
    char title[TITLE_MAX + 1];

    if (store_session(call->store, call->session, title, sizeof title, NULL, err) < 0 ||
        store_session_delete(call->store, &call->writer, call->session, err) != 0)
        return -1;
    rest_answer_success(call, "Session %s deleted, with its history and its conversations", title);
    rest_answer_end(call);
    return 0;
}

static int validate(struct rest_call *call, struct error *err)
{
    struct error why = {0};
    bool valid = store_session(call->store, call->session, NULL, 0, NULL, &why) == 0;

    if (!valid && why.kind != ERROR_UNAUTHORIZED)
        return error_set(err, why.kind, "%s", why.text);
    buf_adds(&call->response->body, "{\"session_id\":");
    rest_answer_string(&call->response->body, call->session);
    buf_addf(&call->response->body, ",\"valid\":%s,\"message\":", valid ? "true" : "false");
    rest_answer_string(&call->response->body, valid ? "The session is valid" : why.text);
    buf_addc(&call->response->body, '}');
    return 0;
}

/* The list as read, without the sessions that the request may not use. */
static int cut_list(struct buf *body, const char *only, struct error *err)
{
    json_auto_t *list = json_read(body->data, body->len, "the sessions", err);
    json_t *sessions = json_object_get(list, "sessions");

    if (!list)
        return -1;
    for (size_t i = json_array_size(sessions); i > 0; i--) {
        if (!json_string_is(json_array_get(sessions, i - 1), "session_id", only))
            json_array_remove(sessions, i - 1);
    }
    json_object_set_new(list, "total", json_integer((json_int_t)json_array_size(sessions)));
    buf_clear(body);
    json_write(body, list);
    return 0;
}

static int list_sessions(struct rest_call *call, struct error *err)
{
    struct buf *body = &call->response->body;
    const char *only = call->request->scope.only;

    if (store_read_sessions(call->store, body, err) < 0)
        return -1;
    return only && !body->failed ? cut_list(body, only, err) : 0;
}

/* clang-format off */
/* ---- the service ---- */

static const struct fields health_answer =
    REST_ANSWER("Health", REST_TEXT("status"), REST_TEXT("service"), REST_TEXT("version"));
static const struct fields openapi_answer =
    REST_ANSWER("OpenApi", REST_TEXT("openapi"), FIELD("info", FIELD_OBJECT, .required = true),
                FIELD("paths", FIELD_OBJECT, .required = true));

const struct rest_route rest_service_routes[] = {
    {"GET", "/health", health, 0, REST_STATE_NONE, NULL,
     "health", "service", "Whether the service works", NULL, NULL, &health_answer},
    {"GET", "/openapi.json", rest_openapi, 0, REST_STATE_NONE, NULL,
     "openapi", "service", "This description", NULL, NULL, &openapi_answer},
    {0},
};

/* ---- sessions ---- */

static const struct fields create_body = {
    .name = "a new session", .schema = "SessionNew",
    .rows = (const struct field[]){FIELD("title", FIELD_TEXT, .most = TITLE_MAX), {0}},
};
static const struct fields created =
    REST_ANSWER("SessionCreated", REST_TEXT("session_id"),
                {.name = "expires_in_hours", .required = true, .documentation = "null: sessions are permanent"},
                REST_TEXT("message"));
static const struct fields valid =
    REST_ANSWER("SessionValid", REST_TEXT("session_id"), REST_FLAG("valid"), REST_TEXT("message"));
static const struct fields one =
    REST_ANSWER(NULL, REST_TEXT("session_id"), REST_TEXT_OR_NULL("title"), REST_WHOLE("nodes"),
                REST_WHOLE("relationships"), REST_TEXT_OR_NULL("last_modified"));
static const struct fields all = REST_ANSWER("Sessions", REST_LIST("sessions", &one), REST_WHOLE("total"));

const struct rest_route rest_session_routes[] = {
    {"GET", "/sessions", list_sessions, 0, REST_STATE_ALL, NULL,
     "listSessions", "sessions", "The sessions there are", NULL, NULL, &all},
    {"POST", "/session/create", create, ROUTE_WRITE, REST_STATE_NONE, NULL,
     "createSession", "sessions", "A new session with nodes N001 and N002", NULL, &create_body, &created},
    {"PUT", "/session/{sid}", rename_session, ROUTE_WRITE | ROUTE_BODY, REST_STATE_SESSION, rest_nodes,
     "renameSession", "sessions", "Renames a session", NULL, &entity_session_fields, &rest_success},
    {"DELETE", "/session/{sid}", delete_session, ROUTE_WRITE | ROUTE_ENDS, REST_STATE_SESSION, rest_nodes,
     "deleteSession", "sessions", "Deletes a session with all that belongs to it; this cannot be undone",
     NULL, NULL, &rest_success},
    {"GET", "/session/validate/{sid}", validate, 0, REST_STATE_NONE, NULL,
     "validateSession", "sessions", "Whether a session exists", NULL, NULL, &valid},
    {0},
};
/* clang-format on */
