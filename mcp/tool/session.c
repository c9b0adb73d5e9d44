/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which curriculum a call means.
 */
#include <stdio.h>
#include <string.h>

#include "helpers/base/utf8.h"
#include "mcp/tool/arguments.h"

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
    return store_session(store, sid, NULL, 0, NULL, err);
}
