/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Updates the parts of the mirror that a call uses. An answer may be older than a write of another
 * connection to the mirror that came in between: then it is requested again. No transaction is open
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

static int add_bare_node(struct service *service, struct store *store, const struct wanted *wanted,
                         struct resources *resources, struct error *err);

static int add_first(struct service *service, struct store *store, const struct wanted *wanted,
                     struct resources *resources, struct error *err)
{
    const struct {
        enum resource_kind kind;
        bool wanted;
        const char *node_id;
    } rows[] = {
        {RESOURCE_SESSION,
         (service->can & CAN_VALIDATE) &&
             (resources->version < 0 || wanted->scope == MIRROR_SESSION),
         NULL},
        {RESOURCE_NODES, wanted->scope != MIRROR_SESSION || !(service->can & CAN_VALIDATE), NULL},
        {RESOURCE_RELATIONSHIPS, wanted->scope & MIRROR_RELATIONSHIPS, NULL},
        {RESOURCE_TEXTS, (wanted->scope & MIRROR_TEXTS) && (service->can & CAN_CONTENT),
         wanted->node_id},
        {RESOURCE_COMPONENTS, (wanted->scope & MIRROR_NODE) && !service_bare(service),
         wanted->node_id},
        {RESOURCE_BULK,
         (wanted->scope & (MIRROR_COMPONENTS | MIRROR_COUNTS)) && (service->can & CAN_BULK), NULL},
        {RESOURCE_NODE_MAP, (wanted->scope & MIRROR_NODE_MAP) && (service->can & CAN_READ_NODE_MAP),
         NULL},
    };
    char only[SESSION_ID_SIZE];

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].wanted && resources_add(service, store, resources, rows[i].kind, wanted->sid,
                                            rows[i].node_id, err) != 0)
            return -1;
    /* In the same round, where the mirror knows already that no other session has the id. */
    if ((wanted->scope & MIRROR_NODE) && service_bare(service) && store->reading &&
        store_known_session_of_node(store, wanted->node_id, only, NULL) == 0 &&
        strcmp(only, wanted->sid) == 0)
        return add_bare_node(service, store, wanted, resources, err);
    return 0;
}

typedef int add_fn(struct service *service, struct store *store, const struct wanted *wanted,
                   struct resources *resources, struct error *err);

/* Sets an open transaction aside during the requests. */
static int fetch(struct service *service, struct store *store, struct resources *resources,
                 struct error *err)
{
    int suspended = store_suspend(store, err);

    if (suspended < 0)
        return -1;
    return store_resume(store, suspended, resources_fetch(service, resources, err), err);
}

/* Asks and takes in, until no other write came between. */
static int bring_here(struct service *service, struct store *store, const struct wanted *wanted,
                      add_fn *add, struct error *err)
{
    for (int i = 0; i < ATTEMPTS; i++) {
        struct resources resources = {0};
        int rc = mirror_version(store, wanted->sid, &resources.version, err);

        if (rc == 0)
            rc = add(service, store, wanted, &resources, err);
        if (rc == 0 && resources.count > 0)
            rc = fetch(service, store, &resources, err);
        if (rc == 0 && resources.count > 0)
            rc = resources_apply(service, store, &resources, err);
        resources_finish(&resources);
        if (rc <= 0)
            return rc;
    }
    return error_set(err, ERROR_BUSY,
                     "the session is written to all the time, call again in a moment");
}

/* Data of a session that the open transaction does not own is applied outside of it: the owner of
 * that session may commit before. */
static int bring(struct service *service, struct store *store, const struct wanted *wanted,
                 add_fn *add, struct error *err)
{
    int suspended = service_owns(service, wanted->sid) ? 0 : store_suspend(store, err);

    if (suspended < 0)
        return -1;
    return store_resume(store, suspended, bring_here(service, store, wanted, add, err), err);
}

/* ---- node ids that several sessions have. A service whose component paths name no session reads a
 * mixture, and writes to the first. So before such a path is used the node lists of all sessions
 * that are known are looked through. ---- */

/* A session that no longer exists cannot be confused with another. */
static int look_at(struct service *service, struct store *store, const char *sid, struct error *err)
{
    struct error why = {0};
    int rc;

    service->passing = true;
    rc = bring(service, store, &(struct wanted){MIRROR_NODES, sid, NULL}, add_first, &why);
    service->passing = false;
    if (rc == 0)
        return 0;
    if (why.kind == ERROR_UNAUTHORIZED)
        return mirror_session_gone(store, sid, true, err);
    if (err)
        *err = why;
    return -1;
}

static int guard_refresh(struct service *service, struct store *store, const char *sid,
                         struct error *err)
{
    json_auto_t *sessions = NULL;
    const char *other;
    json_t *state;
    size_t looked = 0;

    if (!service_bare(service))
        return 0;
    if ((service->can & CAN_SESSIONS) &&
        service_refresh(&service->base, store, MIRROR_SESSIONS, NULL, NULL, err) != 0)
        return -1;
    sessions = mirror_sessions(store, err);
    if (!sessions)
        return -1;
    json_object_foreach(sessions, other, state)
    {
        if ((sid && strcmp(other, sid) == 0) || json_is_true(json_object_get(state, "gone")))
            continue;
        if (++looked > SERVICE_SESSIONS)
            break;
        if (look_at(service, store, other, err) != 0)
            return -1;
    }
    return 0;
}

int guard_node(struct service *service, struct store *store, const char *sid, const char *node_id,
               const char *doing, struct error *err)
{
    char only[SESSION_ID_SIZE], shown[80];
    struct error why = {0};

    if (!service_bare(service))
        return 0;
    if (!(service->can & CAN_SESSIONS) && !service->one_session)
        return error_set(
            err, ERROR_CONFLICT,
            "the components of node '%s' cannot be %s: the service %s has one path for all "
            "sessions, /nodes/%s/components, and does not list its sessions, so another one may "
            "have a node of that id. If no two sessions have the same node id, start with "
            "--store-one-session; otherwise let the service take X-Session-ID or list /sessions",
            text_cut_line(shown, sizeof shown, node_id), doing, service->url, shown);
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
        text_cut_line(shown, sizeof shown, node_id), doing, service->url, shown, sid);
}

/* ---- what only the node list tells ---- */

/* A node that cannot be told apart: returns 1 to skip it. */
static int is_mixed(struct service *service, struct store *store, const struct wanted *wanted,
                    const char *node_id, struct error *err)
{
    const unsigned passing = MIRROR_PASS_OVER | MIRROR_COUNTS | MIRROR_CHANGED | MIRROR_AHEAD;
    struct error why = {0};

    if (guard_node(service, store, wanted->sid, node_id, "read", &why) == 0)
        return 0;
    if (why.kind == ERROR_CONFLICT && (wanted->scope & passing))
        return 1;
    if (err)
        *err = why;
    return -1;
}

static int add_node_components(struct service *service, struct store *store,
                               const struct wanted *wanted, struct resources *resources,
                               const char *node_id, bool known_ones, struct error *err)
{
    struct buf BUF_AUTO name = {0};
    int mixed = is_mixed(service, store, wanted, node_id, err);
    int known;

    if (mixed != 0)
        return mixed < 0 ? -1 : 0;
    resource_name(&name, RESOURCE_COMPONENTS, node_id);
    known = mirror_name(store, wanted->sid, MIRROR_NAME_SEEN, name.data, NULL, err);
    if (known < 0)
        return -1;
    if (known > 0 && !known_ones)
        return 0;
    return resources_add(service, store, resources, RESOURCE_COMPONENTS, wanted->sid, node_id, err);
}

/* What is read of a node by itself: enum store_part joined. */
static unsigned parts_of(const struct service *service, const struct wanted *wanted,
                         const char *node_id)
{
    unsigned scope = wanted->scope, parts = 0;

    if (scope & MIRROR_AHEAD)
        return (unsigned)json_integer_value(json_object_get(service->base.ahead, node_id));
    if (scope & MIRROR_CHANGED)
        return STORE_COMPONENTS_PART | STORE_TEXTS_PART;
    if ((scope & (MIRROR_COMPONENTS | MIRROR_COUNTS)) && !(service->can & CAN_BULK))
        parts |= STORE_COMPONENTS_PART;
    if (scope & MIRROR_ALL_TEXTS)
        parts |= STORE_TEXTS_PART;
    return parts;
}

static int add_each(struct service *service, struct store *store, const struct wanted *wanted,
                    struct resources *resources, struct error *err)
{
    bool known_ones = !(wanted->scope & MIRROR_COUNTS) || (wanted->scope & MIRROR_COMPONENTS);
    json_auto_t *ids = wanted->scope & MIRROR_CHANGED
                           ? mirror_changed_nodes(store, wanted->sid, wanted->node_id, err)
                           : mirror_node_ids(store, wanted->sid, err);
    json_t *id;
    size_t i;

    if (!ids)
        return -1;
    json_array_foreach(ids, i, id)
    {
        const char *node_id = json_string_value(id);
        unsigned parts = parts_of(service, wanted, node_id);

        if ((parts & STORE_COMPONENTS_PART) &&
            add_node_components(service, store, wanted, resources, node_id, known_ones, err) != 0)
            return -1;
        if ((parts & STORE_TEXTS_PART) && (service->can & CAN_CONTENT) &&
            resources_add(service, store, resources, RESOURCE_TEXTS, wanted->sid, node_id, err) !=
                0)
            return -1;
    }
    return 0;
}

static int add_bare_node(struct service *service, struct store *store, const struct wanted *wanted,
                         struct resources *resources, struct error *err)
{
    return add_node_components(service, store, wanted, resources, wanted->node_id, true, err);
}

/* ---- sessions ---- */

/* A session that the suspended transaction writes to stays as that transaction saw it. */
static int take_sessions(struct service *service, struct store *store, const json_t *list,
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
        if (!service_owns(service, sid) &&
            mirror_session(store, sid, json_get_string(entry, "title"), err) != 0)
            return -1;
        if (state && json_is_true(json_object_get(state, "gone")) &&
            mirror_session_gone(store, sid, false, err) != 0)
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
            mirror_session_gone(store, sid, true, err) != 0)
            return -1;
    }
    return 0;
}

/* Takes the list in, in a transaction of its own: only such a one leaves the keys alone that a
 * suspended transaction has reserved. */
static int take_list(struct service *service, struct store *store, const json_t *list, json_t *here,
                     struct error *err)
{
    bool quiet = service->quiet;
    int rc;

    if (store_begin(store, err) < 0)
        return -1;
    rc = take_sessions(service, store, list, here, err);
    service->quiet = true; /* what came from there is not sent there */
    if (store_end(store, rc == 0, rc == 0 ? err : NULL) != 0)
        rc = -1;
    service->quiet = quiet;
    return rc;
}

static bool differs(const json_t *one, const json_t *other, const char *key)
{
    const json_t *theirs = json_object_get(one, key);

    return json_is_integer(theirs) &&
           json_integer_value(theirs) != json_integer_value(json_object_get(other, key));
}

/* The list shows how much each session has: who has another count is read. */
static int fill_sessions(struct service *service, struct store *store, const json_t *list,
                         struct error *err)
{
    json_auto_t *here = mirror_sessions(store, err);
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
        if (bring(service, store, &(struct wanted){MIRROR_RELATIONSHIPS, sid, NULL}, add_first,
                  err) != 0)
            return -1;
    }
    return 0;
}

static int list_sessions(struct service *service, struct store *store, struct error *err)
{
    struct ask ask = {.cap = SERVICE_LIST_CAP};
    json_auto_t *answer = NULL, *here = NULL;
    const json_t *list;
    int rc;

    buf_adds(&ask.path, "/sessions");
    rc = service_ask(service, &ask, 1, err);
    if (rc == 0 && ask.came.status >= 400)
        rc = service_refused(service, &ask, "the list of sessions", err);
    if (rc == 0) {
        answer = service_json(service, &ask, err);
        rc = answer ? 0 : -1;
    }
    list = json_object_get(answer, "sessions");
    if (rc == 0 && !json_is_array(list))
        rc = service_garbage(service, "/sessions", "something else than the contract says", err);
    if (rc == 0) {
        here = mirror_sessions(store, err);
        rc = here ? take_list(service, store, list, here, err) : -1;
    }
    if (rc == 0)
        rc = fill_sessions(service, store, list, err);
    ask_finish(&ask);
    return rc;
}

/* Without a list, each known session is requested. */
static int check_sessions(struct service *service, struct store *store, struct error *err)
{
    json_auto_t *here = mirror_sessions(store, err);
    const char *sid;
    json_t *state;

    if (!here)
        return -1;
    json_object_foreach(here, sid, state)
    {
        struct error why = {0};
        bool gone = false;

        if (bring(service, store, &(struct wanted){MIRROR_SESSION, sid, NULL}, add_first, &why) !=
            0) {
            gone = why.kind == ERROR_UNAUTHORIZED;
            if (!gone) {
                if (err)
                    *err = why;
                return -1;
            }
        }
        if (gone != json_is_true(json_object_get(state, "gone")) &&
            mirror_session_gone(store, sid, gone, err) != 0)
            return -1;
    }
    return 0;
}

/* Once in a call that reads. */
static int refresh_sessions(struct service *service, struct store *store, struct error *err)
{
    static const char name[] = "sessions";
    int rc;

    if (store->reading && json_object_get(service->fresh, name))
        return 0;
    rc = (service->can & CAN_SESSIONS ? list_sessions : check_sessions)(service, store, err);
    if (rc == 0 && store->reading)
        json_object_set_new(service->fresh, name, json_true());
    return rc;
}

/* About other sessions than that of an open transaction, so outside of it. */
static int refresh_outside(struct service *service, struct store *store,
                           int (*refresh)(struct service *, struct store *, struct error *),
                           struct error *err)
{
    int rc, suspended = store_suspend(store, err);

    if (suspended < 0)
        return -1;
    service->passing = true;
    rc = refresh(service, store, err);
    service->passing = false;
    return store_resume(store, suspended, rc, err);
}

/* Whose a node is, over all sessions. */
static int refresh_owners(struct service *service, struct store *store, struct error *err)
{
    json_auto_t *here = NULL;
    const char *sid;
    json_t *state;

    if (refresh_sessions(service, store, err) < 0)
        return -1;
    here = mirror_sessions(store, err);
    if (!here)
        return -1;
    json_object_foreach(here, sid, state)
    {
        if (!json_is_true(json_object_get(state, "gone")) &&
            bring(service, store, &(struct wanted){MIRROR_NODES, sid, NULL}, add_first, err) != 0)
            return -1;
    }
    return 0;
}

/* ---- all of it ---- */

/* Before the first use of a component path. The node must be one that the session has; without any
 * there is nothing to read, and the description is believed until there is. */
static int probe(struct service *service, struct store *store, const struct wanted *wanted,
                 struct error *err)
{
    json_auto_t *ids = NULL;
    const char *node_id;
    json_t *id;
    size_t i;
    int suspended;

    if (service->probed)
        return 0;
    if (bring(service, store, &(struct wanted){MIRROR_NODES, wanted->sid, NULL}, add_first, err) !=
        0)
        return -1;
    ids = mirror_node_ids(store, wanted->sid, err);
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
    return store_resume(store, suspended, service_probe(service, wanted->sid, node_id, err), err);
}

static int refresh_session(struct service *service, struct store *store,
                           const struct wanted *wanted, struct error *err)
{
    const unsigned named = MIRROR_CHANGED | MIRROR_AHEAD;
    const unsigned all = MIRROR_COMPONENTS | MIRROR_COUNTS;
    bool each = (wanted->scope & (named | MIRROR_ALL_TEXTS)) ||
                ((wanted->scope & all) && !(service->can & CAN_BULK));

    if ((wanted->scope & (MIRROR_NODE | all | named)) && probe(service, store, wanted, err) != 0)
        return -1;
    if ((wanted->scope & (MIRROR_NODE | all | named)) &&
        guard_refresh(service, store, wanted->sid, err) < 0)
        return -1;
    if (bring(service, store, wanted, add_first, err) != 0)
        return -1;
    if ((wanted->scope & MIRROR_NODE) && service_bare(service) &&
        bring(service, store, wanted, add_bare_node, err) != 0)
        return -1;
    return each ? bring(service, store, wanted, add_each, err) : 0;
}

int service_refresh(struct mirror *mirror, struct store *store, unsigned scope, const char *sid,
                    const char *node_id, struct error *err)
{
    const struct wanted wanted = {scope, sid, node_id};
    struct service *service = service_of(mirror);
    bool whole = scope & (MIRROR_COMPONENTS | MIRROR_ALL_TEXTS | MIRROR_COUNTS | MIRROR_OWNERS |
                          MIRROR_SESSIONS | MIRROR_CHANGED | MIRROR_AHEAD);

    if (sid && strlen(sid) >= SESSION_ID_SIZE)
        return 0; /* no session has it: the mirror says so */
    service_transaction(service, store);
    if (sid && store->open.depth > 0 && service_own(mirror, store, sid, err) != 0)
        return -1;
    service_begin(service, whole ? WHOLE_TIMES : ROW_NODE_TIMES);
    if (service_know(service, store, err) != 0)
        return -1;
    if (scope & MIRROR_SESSIONS)
        return refresh_outside(service, store, refresh_sessions, err);
    if (scope & MIRROR_OWNERS)
        return refresh_outside(service, store, refresh_owners, err);
    return refresh_session(service, store, &wanted, err);
}
