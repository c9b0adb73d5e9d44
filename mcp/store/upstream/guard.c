/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A service whose component paths name no session reads a mixture, and writes to the first, where
 * several sessions have the same node id. So before such a path is used the node lists of all
 * sessions that are known are looked through.
 */
#include <string.h>

#include "mcp/store/copy.h"
#include "mcp/store/store_internal.h"
#include "mcp/session/text.h"
#include "mcp/store/upstream/remote.h"

/* Who is gone meanwhile is none that could be mixed up. */
static int look_at(struct remote *remote, struct store *store, const char *sid, struct error *err)
{
    struct error why = {0};
    int rc;

    remote->passing = true;
    rc = refresh_nodes(remote, store, sid, &why);
    remote->passing = false;
    if (rc == 0)
        return 0;
    if (why.kind == ERROR_UNAUTHORIZED)
        return copy_session_gone(store, sid, true, err);
    if (err)
        *err = why;
    return -1;
}

int guard_refresh(struct remote *remote, struct store *store, const char *sid, struct error *err)
{
    json_auto_t *sessions = NULL;
    const char *other;
    json_t *state;
    size_t looked = 0;

    if (!remote_bare(remote))
        return 0;
    if ((remote->can & CAN_SESSIONS) &&
        remote_refresh(&remote->base, store, UPSTREAM_SESSIONS, NULL, NULL, err) != 0)
        return -1;
    sessions = copy_sessions(store, err);
    if (!sessions)
        return -1;
    json_object_foreach(sessions, other, state)
    {
        if ((sid && strcmp(other, sid) == 0) || json_is_true(json_object_get(state, "gone")))
            continue;
        if (++looked > REMOTE_SESSIONS)
            break;
        if (look_at(remote, store, other, err) != 0)
            return -1;
    }
    return 0;
}

int guard_node(struct remote *remote, struct store *store, const char *sid, const char *node_id,
               const char *doing, struct error *err)
{
    char only[SESSION_ID_SIZE], shown[80];
    struct error why = {0};

    if (!remote_bare(remote))
        return 0;
    if (copy_session_of_node(store, node_id, only, &why) == 0 || why.kind == ERROR_NOT_FOUND)
        return 0;
    if (why.kind != ERROR_CONFLICT) {
        if (err)
            *err = why;
        return -1;
    }
    return error_set(
        err, ERROR_CONFLICT,
        "the components of node '%s' cannot be %s: several sessions of the service %s have that "
        "id, its path /nodes/%s/components names no session, and it would read a mixture of them "
        "and write to the first, which may not be %s. Give the node a different id, or let the "
        "service take X-Session-ID",
        text_cut_line(shown, sizeof shown, node_id), doing, remote->url, shown, sid);
}
