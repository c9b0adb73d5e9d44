/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Handlers of the session API: the service and its sessions.
 */
#include "helpers/base/json.h"
#include "mcp/session/entity.h"
#include "mcp/api/rest_internal.h"

int rest_health(struct rest_call *call, struct error *err)
{
    (void)err;
    buf_adds(&call->response->body,
             "{\"status\":\"healthy\",\"service\":\"lectern\",\"version\":\"" LECTERN_VERSION
             "\"}");
    return 0;
}

int rest_session_create(struct rest_call *call, struct error *err)
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

int rest_session_rename(struct rest_call *call, struct error *err)
{
    const char *title = json_get_string(call->body, "title");

    if (store_session_rename(call->store, &call->writer, call->session, title, err) != 0)
        return -1;
    rest_answer_success(call, "Session renamed to %s", title);
    rest_answer_end(call);
    return 0;
}

int rest_session_delete(struct rest_call *call, struct error *err)
{
    char title[TITLE_MAX + 1];

    if (store_session(call->store, call->session, title, sizeof title, NULL, err) != 0 ||
        store_session_delete(call->store, &call->writer, call->session, err) != 0)
        return -1;
    rest_answer_success(call, "Session %s deleted, with its history and its conversations", title);
    rest_answer_end(call);
    return 0;
}

int rest_session_validate(struct rest_call *call, struct error *err)
{
    struct error why = {0};
    bool valid = store_session(call->store, call->session, NULL, 0, NULL, &why) == 0;

    if (!valid && why.kind != ERROR_UNKNOWN_SESSION)
        return error_set(err, why.kind, "%s", why.text);
    buf_adds(&call->response->body, "{\"session_id\":");
    rest_answer_string(&call->response->body, call->session);
    buf_addf(&call->response->body, ",\"valid\":%s,\"message\":", valid ? "true" : "false");
    rest_answer_string(&call->response->body, valid ? "The session is valid" : why.text);
    buf_addc(&call->response->body, '}');
    return 0;
}

int rest_sessions(struct rest_call *call, struct error *err)
{
    return store_read_sessions(call->store, &call->response->body, err);
}
