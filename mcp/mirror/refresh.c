/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Updates the parts of the copy that a call uses. An answer may be older than a write of another
 * connection to the copy that came in between: then it is requested again. No transaction is open
 * during a request.
 */
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/curriculum/text.h"
#include "mcp/mirror/service.h"
#include "mcp/store/store_internal.h"

#define ATTEMPTS       6
#define WHOLE_TIMES    6 /* requests' times that reading all of a session may take */
#define ROW_NODE_TIMES 2
#define FILLED_MOST    32 /* sessions that one listing fills */

struct wanted {
    unsigned scope;
    const char *sid, *node_id;
};

static int add_bare_node(struct remote *remote, struct store *store, const struct wanted *wanted,
                         struct resources *resources, struct error *err);

static int add_first(struct remote *remote, struct store *store, const struct wanted *wanted,
                     struct resources *resources, struct error *err)
{
    const struct {
        enum resource_kind kind;
        bool wanted;
        const char *node_id;
    } rows[] = {
        {RESOURCE_SESSION,
         (remote->can & CAN_VALIDATE) &&
             (resources->version < 0 || wanted->scope == UPSTREAM_SESSION),
         NULL},
        {RESOURCE_NODES, wanted->scope != UPSTREAM_SESSION || !(remote->can & CAN_VALIDATE), NULL},
        {RESOURCE_RELATIONSHIPS, wanted->scope & UPSTREAM_RELATIONSHIPS, NULL},
        {RESOURCE_TEXTS, (wanted->scope & UPSTREAM_TEXTS) && (remote->can & CAN_CONTENT),
         wanted->node_id},
        {RESOURCE_COMPONENTS, (wanted->scope & UPSTREAM_NODE) && !remote_bare(remote),
         wanted->node_id},
        {RESOURCE_BULK,
         (wanted->scope & (UPSTREAM_COMPONENTS | UPSTREAM_COUNTS)) && (remote->can & CAN_BULK),
         NULL},
        {RESOURCE_NODE_MAP,
         (wanted->scope & UPSTREAM_NODE_MAP) && (remote->can & CAN_READ_NODE_MAP), NULL},
    };
    char only[SESSION_ID_SIZE];

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].wanted && resources_add(remote, store, resources, rows[i].kind, wanted->sid,
                                            rows[i].node_id, err) != 0)
            return -1;
    /* In the same round, where the copy knows already that no other session has the id. */
    if ((wanted->scope & UPSTREAM_NODE) && remote_bare(remote) && store->reading &&
        store_known_session_of_node(store, wanted->node_id, only, NULL) == 0 &&
        strcmp(only, wanted->sid) == 0)
        return add_bare_node(remote, store, wanted, resources, err);
    return 0;
}

typedef int add_fn(struct remote *remote, struct store *store, const struct wanted *wanted,
                   struct resources *resources, struct error *err);

/* Sets an open transaction aside during the requests. */
static int fetch(struct remote *remote, struct store *store, struct resources *resources,
                 struct error *err)
{
    int suspended = store_suspend(store, err);

    if (suspended < 0)
        return -1;
    return store_resume(store, suspended, resources_fetch(remote, resources, err), err);
}

/* Asks and takes in, until no other write came between. */
static int bring_here(struct remote *remote, struct store *store, const struct wanted *wanted,
                      add_fn *add, struct error *err)
{
    for (int i = 0; i < ATTEMPTS; i++) {
        struct resources resources = {0};
        int rc = copy_version(store, wanted->sid, &resources.version, err);

        if (rc == 0)
            rc = add(remote, store, wanted, &resources, err);
        if (rc == 0 && resources.count > 0)
            rc = fetch(remote, store, &resources, err);
        if (rc == 0 && resources.count > 0)
            rc = resources_apply(remote, store, &resources, err);
        resources_finish(&resources);
        if (rc <= 0)
            return rc;
    }
    return error_set(err, ERROR_BUSY,
                     "the session is written to all the time, call again in a moment");
}

/* Data of a session that the open transaction does not own is applied outside of it: the owner of
 * that session may commit before. */
static int bring(struct remote *remote, struct store *store, const struct wanted *wanted,
                 add_fn *add, struct error *err)
{
    int suspended = remote_owns(remote, wanted->sid) ? 0 : store_suspend(store, err);

    if (suspended < 0)
        return -1;
    return store_resume(store, suspended, bring_here(remote, store, wanted, add, err), err);
}

/* ---- node ids that several sessions have. A service whose component paths name no session reads a
 * mixture, and writes to the first. So before such a path is used the node lists of all sessions
 * that are known are looked through. ---- */

/* A session that no longer exists cannot be confused with another. */
static int look_at(struct remote *remote, struct store *store, const char *sid, struct error *err)
{
    struct error why = {0};
    int rc;

    remote->passing = true;
    rc = bring(remote, store, &(struct wanted){UPSTREAM_NODES, sid, NULL}, add_first, &why);
    remote->passing = false;
    if (rc == 0)
        return 0;
    if (why.kind == ERROR_UNAUTHORIZED)
        return copy_session_gone(store, sid, true, err);
    if (err)
        *err = why;
    return -1;
}

static int guard_refresh(struct remote *remote, struct store *store, const char *sid,
                         struct error *err)
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
    if (!(remote->can & CAN_SESSIONS) && !remote->one_session)
        return error_set(
            err, ERROR_CONFLICT,
            "the components of node '%s' cannot be %s: the service %s has one path for all "
            "sessions, /nodes/%s/components, and does not list its sessions, so another one may "
            "have a node of that id. If no two sessions have the same node id, start with "
            "--store-one-session; otherwise let the service take X-Session-ID or list /sessions",
            text_cut_line(shown, sizeof shown, node_id), doing, remote->url, shown);
    if (store_known_session_of_node(store, node_id, only, &why) == 0 || why.kind == ERROR_NOT_FOUND)
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

/* ---- what only the node list tells ---- */

/* A node that cannot be told apart: returns 1 to skip it. */
static int is_mixed(struct remote *remote, struct store *store, const struct wanted *wanted,
                    const char *node_id, struct error *err)
{
    const unsigned passing =
        UPSTREAM_PASS_OVER | UPSTREAM_COUNTS | UPSTREAM_CHANGED | UPSTREAM_AHEAD;
    struct error why = {0};

    if (guard_node(remote, store, wanted->sid, node_id, "read", &why) == 0)
        return 0;
    if (why.kind == ERROR_CONFLICT && (wanted->scope & passing))
        return 1;
    if (err)
        *err = why;
    return -1;
}

static int add_node_components(struct remote *remote, struct store *store,
                               const struct wanted *wanted, struct resources *resources,
                               const char *node_id, bool known_ones, struct error *err)
{
    struct buf BUF_AUTO name = {0};
    int mixed = is_mixed(remote, store, wanted, node_id, err);
    int known;

    if (mixed != 0)
        return mixed < 0 ? -1 : 0;
    resource_name(&name, RESOURCE_COMPONENTS, node_id);
    known = copy_name(store, wanted->sid, COPY_SEEN, name.data, NULL, err);
    if (known < 0)
        return -1;
    if (known > 0 && !known_ones)
        return 0;
    return resources_add(remote, store, resources, RESOURCE_COMPONENTS, wanted->sid, node_id, err);
}

/* What is read of a node by itself: enum store_part joined. */
static unsigned parts_of(const struct remote *remote, const struct wanted *wanted,
                         const char *node_id)
{
    unsigned scope = wanted->scope, parts = 0;

    if (scope & UPSTREAM_AHEAD)
        return (unsigned)json_integer_value(json_object_get(remote->base.ahead, node_id));
    if (scope & UPSTREAM_CHANGED)
        return STORE_COMPONENTS_PART | STORE_TEXTS_PART;
    if ((scope & (UPSTREAM_COMPONENTS | UPSTREAM_COUNTS)) && !(remote->can & CAN_BULK))
        parts |= STORE_COMPONENTS_PART;
    if (scope & UPSTREAM_ALL_TEXTS)
        parts |= STORE_TEXTS_PART;
    return parts;
}

static int add_each(struct remote *remote, struct store *store, const struct wanted *wanted,
                    struct resources *resources, struct error *err)
{
    bool known_ones = !(wanted->scope & UPSTREAM_COUNTS) || (wanted->scope & UPSTREAM_COMPONENTS);
    json_auto_t *ids = wanted->scope & UPSTREAM_CHANGED
                           ? copy_changed_nodes(store, wanted->sid, wanted->node_id, err)
                           : copy_node_ids(store, wanted->sid, err);
    json_t *id;
    size_t i;

    if (!ids)
        return -1;
    json_array_foreach(ids, i, id)
    {
        const char *node_id = json_string_value(id);
        unsigned parts = parts_of(remote, wanted, node_id);

        if ((parts & STORE_COMPONENTS_PART) &&
            add_node_components(remote, store, wanted, resources, node_id, known_ones, err) != 0)
            return -1;
        if ((parts & STORE_TEXTS_PART) && (remote->can & CAN_CONTENT) &&
            resources_add(remote, store, resources, RESOURCE_TEXTS, wanted->sid, node_id, err) != 0)
            return -1;
    }
    return 0;
}

static int add_bare_node(struct remote *remote, struct store *store, const struct wanted *wanted,
                         struct resources *resources, struct error *err)
{
    return add_node_components(remote, store, wanted, resources, wanted->node_id, true, err);
}

/* ---- sessions ---- */

/* A session that the suspended transaction writes to stays as that transaction saw it. */
static int take_sessions(struct remote *remote, struct store *store, const json_t *list,
                         json_t *here, struct error *err)
{
    const char *sid;
    json_t *entry, *state;
    size_t i;

    json_array_foreach((json_t *)list, i, entry)
    {
        sid = json_get_string(entry, "session_id");
        if (!sid || strlen(sid) >= SESSION_ID_SIZE)
            continue;
        state = json_object_get(here, sid);
        if (!remote_owns(remote, sid) &&
            copy_session(store, sid, json_get_string(entry, "title"), err) != 0)
            return -1;
        if (state && json_is_true(json_object_get(state, "gone")) &&
            copy_session_gone(store, sid, false, err) != 0)
            return -1;
        if (!state) {
            state = json_object();
            json_object_set_new(here, sid, state);
        }
        json_object_set_new(state, "listed", json_true());
    }
    json_object_foreach(here, sid, state)
    {
        if (!json_object_get(state, "listed") && !json_is_true(json_object_get(state, "gone")) &&
            copy_session_gone(store, sid, true, err) != 0)
            return -1;
    }
    return 0;
}

/* Takes the list in, in a transaction of its own: only such a one leaves the keys alone that a
 * suspended transaction has reserved. */
static int take_list(struct remote *remote, struct store *store, const json_t *list, json_t *here,
                     struct error *err)
{
    bool quiet = remote->quiet;
    int rc;

    if (store_begin(store, err) < 0)
        return -1;
    rc = take_sessions(remote, store, list, here, err);
    remote->quiet = true; /* what came from there is not sent there */
    if (store_end(store, rc == 0, rc == 0 ? err : NULL) != 0)
        rc = -1;
    remote->quiet = quiet;
    return rc;
}

static bool differs(const json_t *one, const json_t *other, const char *key)
{
    const json_t *theirs = json_object_get(one, key);

    return json_is_integer(theirs) &&
           json_integer_value(theirs) != json_integer_value(json_object_get(other, key));
}

/* The list shows how much each session has: who has another count is read. */
static int fill_sessions(struct remote *remote, struct store *store, const json_t *list,
                         struct error *err)
{
    json_auto_t *here = copy_sessions(store, err);
    size_t filled = 0, i;
    json_t *entry;

    if (!here)
        return -1;
    json_array_foreach((json_t *)list, i, entry)
    {
        const char *sid = json_get_string(entry, "session_id");
        const json_t *state = sid ? json_object_get(here, sid) : NULL;

        if (!state || filled == FILLED_MOST ||
            (!differs(entry, state, "nodes") && !differs(entry, state, "relationships")))
            continue;
        filled++;
        if (bring(remote, store, &(struct wanted){UPSTREAM_RELATIONSHIPS, sid, NULL}, add_first,
                  err) != 0)
            return -1;
    }
    return 0;
}

static int list_sessions(struct remote *remote, struct store *store, struct error *err)
{
    struct ask ask = {.cap = REMOTE_LIST_CAP};
    json_auto_t *answer = NULL, *here = NULL;
    const json_t *list;
    int rc;

    buf_adds(&ask.path, "/sessions");
    rc = remote_ask(remote, &ask, 1, err);
    if (rc == 0 && ask.came.status >= 400)
        rc = remote_refused(remote, &ask, "the list of sessions", err);
    if (rc == 0) {
        answer = remote_json(remote, &ask, err);
        rc = answer ? 0 : -1;
    }
    list = json_object_get(answer, "sessions");
    if (rc == 0 && !json_is_array(list))
        rc = remote_garbage(remote, "/sessions", "something else than the contract says", err);
    if (rc == 0) {
        here = copy_sessions(store, err);
        rc = here ? take_list(remote, store, list, here, err) : -1;
    }
    if (rc == 0)
        rc = fill_sessions(remote, store, list, err);
    ask_finish(&ask);
    return rc;
}

/* Without a list, each known session is requested. */
static int check_sessions(struct remote *remote, struct store *store, struct error *err)
{
    json_auto_t *here = copy_sessions(store, err);
    const char *sid;
    json_t *state;

    if (!here)
        return -1;
    json_object_foreach(here, sid, state)
    {
        struct error why = {0};
        bool gone = false;

        if (bring(remote, store, &(struct wanted){UPSTREAM_SESSION, sid, NULL}, add_first, &why) !=
            0) {
            gone = why.kind == ERROR_UNAUTHORIZED;
            if (!gone) {
                if (err)
                    *err = why;
                return -1;
            }
        }
        if (gone != json_is_true(json_object_get(state, "gone")) &&
            copy_session_gone(store, sid, gone, err) != 0)
            return -1;
    }
    return 0;
}

/* Once in a call that reads. */
static int refresh_sessions(struct remote *remote, struct store *store, struct error *err)
{
    static const char name[] = "sessions";
    int rc;

    if (store->reading && json_object_get(remote->fresh, name))
        return 0;
    rc = (remote->can & CAN_SESSIONS ? list_sessions : check_sessions)(remote, store, err);
    if (rc == 0 && store->reading)
        json_object_set_new(remote->fresh, name, json_true());
    return rc;
}

/* About other sessions than that of an open transaction, so outside of it. */
static int refresh_outside(struct remote *remote, struct store *store,
                           int (*refresh)(struct remote *, struct store *, struct error *),
                           struct error *err)
{
    int rc, suspended = store_suspend(store, err);

    if (suspended < 0)
        return -1;
    remote->passing = true;
    rc = refresh(remote, store, err);
    remote->passing = false;
    return store_resume(store, suspended, rc, err);
}

/* Whose a node is, over all sessions. */
static int refresh_owners(struct remote *remote, struct store *store, struct error *err)
{
    json_auto_t *here = NULL;
    const char *sid;
    json_t *state;

    if (refresh_sessions(remote, store, err) < 0)
        return -1;
    here = copy_sessions(store, err);
    if (!here)
        return -1;
    json_object_foreach(here, sid, state)
    {
        if (!json_is_true(json_object_get(state, "gone")) &&
            bring(remote, store, &(struct wanted){UPSTREAM_NODES, sid, NULL}, add_first, err) != 0)
            return -1;
    }
    return 0;
}

/* ---- all of it ---- */

/* Before the first use of a component path. The node must be one that the session has; without any
 * there is nothing to read, and the description is believed until there is. */
static int probe(struct remote *remote, struct store *store, const struct wanted *wanted,
                 struct error *err)
{
    json_auto_t *ids = NULL;
    const char *node_id;
    json_t *id;
    size_t i;
    int suspended;

    if (remote->probed)
        return 0;
    if (bring(remote, store, &(struct wanted){UPSTREAM_NODES, wanted->sid, NULL}, add_first, err) !=
        0)
        return -1;
    ids = copy_node_ids(store, wanted->sid, err);
    if (!ids)
        return -1;
    node_id = json_string_value(json_array_get(ids, 0));
    json_array_foreach(ids, i, id) if (wanted->node_id &&
                                       strcmp(json_string_value(id), wanted->node_id) == 0)
        node_id = wanted->node_id;
    if (!node_id)
        return 0;
    suspended = store_suspend(store, err);
    if (suspended < 0)
        return -1;
    return store_resume(store, suspended, remote_probe(remote, wanted->sid, node_id, err), err);
}

static int refresh_session(struct remote *remote, struct store *store, const struct wanted *wanted,
                           struct error *err)
{
    const unsigned named = UPSTREAM_CHANGED | UPSTREAM_AHEAD;
    const unsigned all = UPSTREAM_COMPONENTS | UPSTREAM_COUNTS;
    bool each = (wanted->scope & (named | UPSTREAM_ALL_TEXTS)) ||
                ((wanted->scope & all) && !(remote->can & CAN_BULK));

    if ((wanted->scope & (UPSTREAM_NODE | all | named)) && probe(remote, store, wanted, err) != 0)
        return -1;
    if ((wanted->scope & (UPSTREAM_NODE | all | named)) &&
        guard_refresh(remote, store, wanted->sid, err) < 0)
        return -1;
    if (bring(remote, store, wanted, add_first, err) != 0)
        return -1;
    if ((wanted->scope & UPSTREAM_NODE) && remote_bare(remote) &&
        bring(remote, store, wanted, add_bare_node, err) != 0)
        return -1;
    return each ? bring(remote, store, wanted, add_each, err) : 0;
}

int remote_refresh(struct upstream *upstream, struct store *store, unsigned scope, const char *sid,
                   const char *node_id, struct error *err)
{
    const struct wanted wanted = {scope, sid, node_id};
    struct remote *remote = remote_of(upstream);
    bool whole = scope & (UPSTREAM_COMPONENTS | UPSTREAM_ALL_TEXTS | UPSTREAM_COUNTS |
                          UPSTREAM_OWNERS | UPSTREAM_SESSIONS | UPSTREAM_CHANGED | UPSTREAM_AHEAD);

    if (sid && strlen(sid) >= SESSION_ID_SIZE)
        return 0; /* no session has it: the copy says so */
    remote_transaction(remote, store);
    if (sid && store->open.depth > 0 && remote_own(upstream, store, sid, err) != 0)
        return -1;
    remote_begin(remote, whole ? WHOLE_TIMES : ROW_NODE_TIMES);
    if (remote_know(remote, store, err) != 0)
        return -1;
    if (scope & UPSTREAM_SESSIONS)
        return refresh_outside(remote, store, refresh_sessions, err);
    if (scope & UPSTREAM_OWNERS)
        return refresh_outside(remote, store, refresh_owners, err);
    return refresh_session(remote, store, &wanted, err);
}
