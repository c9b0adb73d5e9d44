/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sends a transaction to the service, before it is committed here, one request after the other. If
 * one fails, those before it are reverted by their inverse requests, and nothing is kept on either
 * side. If one is not answered, the service is read to find out whether it was applied.
 */
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/log.h"
#include "mcp/curriculum/json_difference.h"
#include "mcp/mirror/normal.h"
#include "mcp/mirror/service.h"
#include "mcp/store/store_internal.h"

#define PUSH_TIMES 4 /* requests' times that a transaction's requests may take */

/* ---- requests that are data ---- */

/* Sends one; what came is in *ask. */
static int step_send(struct service *service, const json_t *step, struct ask *ask,
                     struct error *err)
{
    const char *method = json_get_string(step, "method");

    ask->method = strcmp(method, "GET") == 0 ? NULL : method;
    ask->body = json_object_get(step, "body");
    ask->sid = json_get_string(step, "sid");
    ask->match = json_get_string(step, "match");
    buf_adds(&ask->path, json_get_string(step, "path"));
    return service_ask(service, ask, 1, err);
}

/* The normalised answer to a GET; NULL if it cannot be determined. */
static json_t *get(struct service *service, const char *path, const char *sid,
                   json_t *(*normal)(const json_t *answer))
{
    struct ask ask = {.sid = sid, .cap = SERVICE_LIST_CAP};
    json_auto_t *answer = NULL;

    buf_adds(&ask.path, path);
    if (service_ask(service, &ask, 1, NULL) == 0 && ask.came.status == 200)
        answer = service_json(service, &ask, NULL);
    ask_finish(&ask);
    return answer ? normal(answer) : NULL;
}

/* ---- reading back ---- */

/* Whether one has every member of want with the same value. */
static bool holds(const json_t *one, const json_t *want)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)want, key, value)
    {
        const json_t *is = json_object_get(one, key);

        if (!json_equivalent(is, value) && !(json_string_length(value) == 0 && !is))
            return false;
    }
    return true;
}

/* Whether the list has the node with the members of want, or does not have it if want is null. */
static int node_stands(const json_t *nodes, const char *id, const json_t *want)
{
    json_t *node;
    size_t i;

    json_array_foreach((json_t *)nodes, i, node)
    {
        if (json_string_is(node, "node_id", id))
            return !json_is_null(want) &&
                   (json_object_get(want, "node_id") != NULL || holds(node, want));
    }
    return json_is_null(want);
}

static int components_stand(const json_t *list, const char *id, const json_t *want)
{
    static const char *const keys[] = {"type", "parameters", "confidence"};

    (void)id;
    if (json_array_size(list) != json_array_size(want))
        return 0;
    for (size_t i = 0; i < json_array_size(want); i++) {
        json_auto_t *sent = normal_component_out(json_array_get(want, i), i + 1);

        for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
            if (!json_equivalent(json_object_get(sent, keys[k]),
                                 json_object_get(json_array_get(list, i), keys[k])))
                return 0;
    }
    return 1;
}

static const json_t *find_relationship(const json_t *list, const json_t *like)
{
    static const char *const keys[] = {"from_node_id", "to_node_id", "relationship_type"};
    json_t *one;
    size_t i;

    json_array_foreach((json_t *)list, i, one)
    {
        size_t k = 0;

        while (k < 3 &&
               json_equivalent(json_object_get(one, keys[k]), json_object_get(like, keys[k])))
            k++;
        if (k == 3)
            return one;
    }
    return NULL;
}

static int relationship_stands(const json_t *list, const char *id, const json_t *want)
{
    const json_t *one = find_relationship(list, want);

    (void)id;
    return one && json_equivalent(json_object_get(one, "explanation"),
                                  json_object_get(want, "explanation"));
}

static int relationship_is_gone(const json_t *list, const char *id, const json_t *want)
{
    return !relationship_stands(list, id, want);
}

static int members_stand(const json_t *object, const char *id, const json_t *want)
{
    (void)id;
    return holds(object, want);
}

static int session_stands(const json_t *answer, const char *id, const json_t *want)
{
    json_t *session;
    size_t i;

    json_array_foreach(json_object_get(answer, "sessions"), i, session)
    {
        if (json_string_is(session, "session_id", id))
            return json_equal(json_object_get(session, "title"), (json_t *)want);
    }
    return 0;
}

static json_t *unchanged(const json_t *answer)
{
    return json_incref((json_t *)answer);
}

/* How to check a step, by the kind of its check: what to read, and how to find it there. */
static const struct checking {
    const char *kind, *path; /* behind /session/ID; NULL: otherwise */
    json_t *(*normal)(const json_t *answer);
    int (*stands)(const json_t *there, const char *id, const json_t *want);
} checkings[] = {
    {"node", "/nodes", normal_nodes, node_stands},
    {"session", NULL, unchanged, session_stands},
    {"components", NULL, normal_components, components_stand},
    {"texts", NULL, normal_texts, members_stand},
    {NODE_MAP_NAME, "/" NODE_MAP_NAME, normal_node_map, members_stand},
    {"relationship", "/relationships", normal_relationships, relationship_stands},
    {"no relationship", "/relationships", normal_relationships, relationship_is_gone},
};

/* Whether a step without an answer was applied: 1, 0, or -1 if unknown. */
static int read_back(struct service *service, const json_t *step)
{
    const json_t *check = json_object_get(step, "check");
    const char *sid = json_get_string(check, "sid"), *id = json_get_string(check, "id");
    const struct checking *checking = checkings;
    struct buf BUF_AUTO path = {0};
    json_auto_t *there = NULL;

    service_begin(service, 1);
    while (!json_string_is(check, "kind", checking->kind))
        checking++;
    if (checking->path) {
        service_session_path(&path, sid, checking->path);
    } else if (checking->normal == normal_components) {
        service_component_path(service, &path, sid, id);
    } else if (checking->normal == normal_texts) {
        service_session_path(&path, sid, "/nodes/");
        http_add_escaped(&path, id);
        buf_adds(&path, "/content");
    } else {
        buf_adds(&path, "/sessions");
        sid = NULL;
    }
    there = get(service, path.data, sid, checking->normal);
    return there ? checking->stands(there, id, json_object_get(check, "want")) : -1;
}

/* Many services tell the id of a new relationship only in their list. Notes it in each of the steps
 * that has none; counts those of which the list tells none either. */
static void find_ids(struct service *service, json_t *steps)
{
    json_auto_t *list = NULL;
    const char *read = ""; /* the session of the list */
    json_t *step;
    size_t i;

    json_array_foreach(steps, i, step)
    {
        const json_t *want = json_object_get(json_object_get(step, "check"), "want"), *one;
        const char *sid = json_get_string(step, "sid");
        struct buf BUF_AUTO path = {0};

        if (!json_object_get(step, "relationship") || json_object_get(step, "made"))
            continue;
        if (strcmp(read, sid) != 0) {
            json_decref(list);
            service_begin(service, 1);
            service_session_path(&path, sid, "/relationships");
            list = get(service, path.data, sid, normal_relationships);
            read = sid;
        }
        one = find_relationship(list, want);
        if (json_object_get(one, "id"))
            json_object_set(step, "made", json_object_get(one, "id"));
        else if (one)
            service->base.nameless++;
    }
}

/* ---- taking back ---- */

static bool send_back(struct service *service, const json_t *request)
{
    struct ask ask = {0};
    bool done = step_send(service, request, &ask, NULL) == 0 && ask.came.status < 300;

    ask_finish(&ask);
    return done;
}

/* A relationship that was made has an id since then. */
static bool unmake_relationship(struct service *service, const json_t *step)
{
    const json_t *check = json_object_get(step, "check");
    const char *sid = json_get_string(check, "sid");
    const char *id = json_get_string(step, "made");
    struct buf BUF_AUTO path = {0};
    json_auto_t *request = NULL, *list = NULL;
    const json_t *one;

    service_session_path(&path, sid, "/relationships");
    list = get(service, path.data, sid, normal_relationships);
    one = find_relationship(list, json_object_get(check, "want"));
    if (!id)
        id = json_get_string(one, "id");
    if (list && !one)
        return true;
    if (!id)
        return false;
    buf_addc(&path, '/');
    http_add_escaped(&path, id);
    request = json_pack("{s:s, s:s}", "method", "DELETE", "path", path.data);
    return send_back(service, request);
}

/* Takes back the first count steps, the last one first. Appends to words what could not be. */
static void take_back(struct service *service, const json_t *steps, size_t count, struct buf *words)
{
    for (size_t i = count; i-- > 0;) {
        const json_t *step = json_array_get(steps, i);
        bool done = true;
        json_t *request;
        size_t n;

        service_begin(service, 1);
        if (json_object_get(step, "relationship"))
            done = unmake_relationship(service, step);
        json_array_foreach(json_object_get(step, "back"), n, request)
        {
            done = done && send_back(service, request);
        }
        if (!done)
            buf_addf(words, "%s%s", words->len > 0 ? ", " : "", json_get_string(step, "what"));
    }
}

/* ---- one step ---- */

/* The id that the service gave to a new relationship. */
static void note_id(json_t *step, const struct ask *ask)
{
    json_auto_t *answer = json_read(ask->came.body.data ? ask->came.body.data : "",
                                    ask->came.body.len, "an answer", NULL);
    const json_t *id = json_object_get(answer, "id");
    char text[32];

    if (!id)
        id = json_object_get(json_object_get(answer, "relationship"), "id");
    if (!id)
        id = json_object_get(answer, "relationship_id");
    if (json_is_string(id)) {
        json_object_set(step, "made", (json_t *)id);
    } else if (json_is_integer(id)) {
        snprintf(text, sizeof text, "%lld", (long long)json_integer_value(id));
        json_object_set_new(step, "made", json_string(text));
    }
}

static int refused(struct service *service, const json_t *step, const struct ask *ask,
                   struct error *err)
{
    const json_t *check = json_object_get(step, "check");
    struct error why = {0};

    service_refused(service, ask, json_get_string(step, "what"), &why);
    /* The poor service says 400 where an id is in use. */
    if (ask->came.status == 400 && strcmp(json_get_string(check, "kind"), "node") == 0 &&
        strcmp(json_get_string(step, "method"), "POST") == 0)
        why.kind = ERROR_CONFLICT;
    if (err)
        *err = why;
    return -1;
}

static int not_answered(const json_t *step, int stands, const struct error *why, struct error *err)
{
    const char *what = json_get_string(step, "what");

    if (!err)
        return -1;
    *err = *why;
    if (stands == 0)
        return error_wrap(err, "%s: not done, as the service has it now", what);
    return error_wrap(err,
                      "%s: not kept here, and whether the service has done it is not known: read "
                      "it again before you repeat it",
                      what);
}

/* 0 done, -1 not done. */
static int send_step(struct service *service, json_t *step, struct error *err)
{
    struct ask ask = {0};
    struct error why = {0};
    int rc = step_send(service, step, &ask, &why), stands;

    if (rc == 0 && ask.came.status >= 300) {
        rc = refused(service, step, &ask, err);
    } else if (rc == 0) {
        if (json_object_get(step, "relationship"))
            note_id(step, &ask);
    } else {
        /* Nobody there: it cannot have been done. Else the service may have. */
        stands = ask.err.kind == ERROR_UNAVAILABLE ? 0 : read_back(service, step);
        rc = stands > 0 ? 0 : not_answered(step, stands, &why, err);
    }
    ask_finish(&ask);
    return rc;
}

static int give_up(struct service *service, const json_t *steps, size_t done, struct error *err)
{
    struct buf BUF_AUTO left = {0};

    take_back(service, steps, done, &left);
    if (left.len == 0)
        return -1;
    log_warning("mirror", "the service keeps what belongs to a write that failed: %s", left.data);
    return error_wrap(err,
                      "nothing is kept here, but the service still has these, which could not be "
                      "taken back: %s. They show in the history as made outside",
                      left.data);
}

static int send_steps(struct service *service, json_t *steps, struct error *err)
{
    json_t *step;
    size_t i;

    json_array_foreach(steps, i, step)
    {
        if (send_step(service, step, err) != 0)
            return give_up(service, steps, i, err);
    }
    find_ids(service, steps);
    return 0;
}

/* ---- what the mirror knows afterwards ---- */

static int unknown_again(struct store *store, const char *sid, enum resource_kind kind,
                         const char *node_id, struct error *err)
{
    struct buf BUF_AUTO name = {0};

    resource_name(&name, kind, node_id);
    return mirror_set_name(store, sid, MIRROR_NAME_SEEN, name.data, "", err);
}

static int adopt(struct store *store, const char *sid, const char *kind, const char *id,
                 struct error *err)
{
    struct buf BUF_AUTO name = {0};

    buf_addf(&name, "%s:%s", kind, id);
    return mirror_set_name(store, sid, MIRROR_NAME_ADOPT, name.data, "", err);
}

static int forget_node(struct store *store, const char *sid, const char *node_id, struct error *err)
{
    struct buf BUF_AUTO part = {0};

    buf_addf(&part, "part:%s", node_id);
    if (unknown_again(store, sid, RESOURCE_COMPONENTS, node_id, err) != 0 ||
        unknown_again(store, sid, RESOURCE_TEXTS, node_id, err) != 0 ||
        mirror_set_name(store, sid, MIRROR_NAME_SEEN, part.data, "", err) != 0)
        return -1;
    return adopt(store, sid, "sequence", node_id, err);
}

/* What was sent is not the answer that was last read: the next read compares again. */
static int forget_session(struct store *store, const char *sid, const json_t *touched,
                          struct error *err)
{
    static const enum resource_kind kinds[] = {RESOURCE_NODES, RESOURCE_RELATIONSHIPS,
                                               RESOURCE_BULK, RESOURCE_NODE_MAP};
    const char *id;
    json_t *value;

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct buf BUF_AUTO name = {0};
        int known;

        resource_name(&name, kinds[i], NULL);
        known = mirror_name(store, sid, MIRROR_NAME_SEEN, name.data, NULL, err);
        if (known < 0 || (known > 0 && unknown_again(store, sid, kinds[i], NULL, err) != 0))
            return -1;
    }
    json_object_foreach(json_object_get(touched, "nodes"), id, value)
    {
        if (adopt(store, sid, "node", id, err) != 0 || forget_node(store, sid, id, err) != 0)
            return -1;
    }
    json_object_foreach(json_object_get(touched, "sequences"), id, value)
    {
        if (forget_node(store, sid, id, err) != 0)
            return -1;
    }
    return 0;
}

static int note_outcome(struct store *store, const json_t *steps, const json_t *touched,
                        struct error *err)
{
    const char *sid;
    json_t *step, *session;
    size_t i;

    json_array_foreach((json_t *)steps, i, step)
    {
        const char *ours = json_get_string(step, "relationship");
        const char *theirs = json_get_string(step, "made");

        if (ours && mirror_set_name(store, json_get_string(step, "sid"), MIRROR_NAME_RELATIONSHIP,
                                    ours, theirs, err) != 0)
            return -1;
    }
    json_object_foreach((json_t *)touched, sid, session)
    {
        if (forget_session(store, sid, session, err) < 0)
            return -1;
    }
    return 0;
}

/* While nothing is locked but the session. */
static int send_suspended(struct service *service, struct store *store, json_t *steps,
                          struct error *err)
{
    int rc, suspended = json_array_size(steps) > 0 ? store_suspend(store, err) : 0;

    if (suspended < 0)
        return -1;
    rc = send_steps(service, steps, err);
    if (store_resume(store, suspended, rc, err) == 0)
        return 0;
    return rc == 0 ? give_up(service, steps, json_array_size(steps), err) : -1;
}

/* The log after its begin also has what others committed while the transaction was suspended. */
static json_t *touched_here(struct service *service, struct store *store, struct error *err)
{
    json_t *touched = mirror_touched(store, err), *session;
    const char *sid;
    void *next;

    json_object_foreach_safe(touched, next, sid, session)
    {
        if (!service_owns(service, sid))
            json_object_del(touched, sid);
    }
    return touched;
}

int service_push(struct mirror *mirror, struct store *store, struct error *err)
{
    struct service *service = service_of(mirror);
    json_auto_t *touched = NULL, *steps = NULL;
    int suspended;

    if (service->quiet)
        return 0;
    touched = touched_here(service, store, err);
    if (!touched)
        return -1;
    if (json_object_size(touched) == 0)
        return 0;
    service_transaction(service, store);
    service_begin(service, PUSH_TIMES);
    if (service_know(service, store, err) != 0)
        return -1;
    steps = plan_steps(service, store, touched, err);
    if (!steps || send_suspended(service, store, steps, err) != 0)
        return -1;
    if (note_outcome(store, steps, touched, err) == 0)
        return 0;
    suspended = store_suspend(store, NULL);
    return store_resume(store, suspended, give_up(service, steps, json_array_size(steps), err),
                        NULL);
}

/* ---- a new session ---- */

/* Its row of the log is ours; what is in it was made by the service. */
static int take_in(struct service *service, struct store *store, const struct writer *writer,
                   const char *title, const char *sid, struct error *err)
{
    bool quiet = service->quiet;
    int rc;

    service->quiet = true;
    rc = store_begin(store, err);
    if (rc == 0) {
        rc = mirror_session(store, sid, title, err);
        if (rc == 0)
            rc = mirror_log_session(store, writer, sid, err);
        if (store_end(store, rc == 0, rc == 0 ? err : NULL) != 0)
            rc = -1;
    }
    service->quiet = quiet;
    return rc;
}

static int create(struct service *service, struct store *store, const struct writer *writer,
                  const char *title, char sid[SESSION_ID_SIZE], struct error *err)
{
    json_auto_t *body = title && *title ? json_pack("{s:s}", "title", title) : json_object();
    json_auto_t *answer = NULL;
    struct ask ask = {.method = "POST", .body = body};
    const char *made;
    int rc;

    if (!body)
        return error_set_at(err, "title", "title: is not UTF-8 text");
    service_begin(service, 1);
    buf_adds(&ask.path, "/session/create");
    rc = service_know(service, store, err) == 0 ? service_ask(service, &ask, 1, err) : -1;
    if (rc == 0 && ask.came.status >= 300)
        rc = service_refused(service, &ask, "the new session", err);
    if (rc == 0) {
        answer = service_json(service, &ask, err);
        rc = answer ? 0 : -1;
    }
    made = json_get_string(answer, "session_id");
    if (rc == 0 && (!made || !*made || strlen(made) >= SESSION_ID_SIZE))
        rc = service_garbage(service, "/session/create", "no session id", err);
    ask_finish(&ask);
    if (rc != 0 || take_in(service, store, writer, title, made, err) != 0)
        return -1;
    snprintf(sid, SESSION_ID_SIZE, "%s", made);
    /* Its first nodes; who fails here finds them with the next read. */
    service_refresh(&service->base, store, MIRROR_NODES, sid, NULL, NULL);
    return 0;
}

/* The service has it from now on, so the mirror does too, whatever becomes of an open transaction.
 */
int service_create(struct mirror *mirror, struct store *store, const struct writer *writer,
                   const char *title, char sid[SESSION_ID_SIZE], struct error *err)
{
    int suspended = store_suspend(store, err);

    if (suspended < 0)
        return -1;
    return store_resume(store, suspended,
                        create(service_of(mirror), store, writer, title, sid, err), err);
}

/* ---- a session goes ---- */

static int send_removal(struct service *service, struct store *store, const char *sid,
                        struct error *err)
{
    struct ask ask = {.method = "DELETE", .sid = sid};
    int rc;

    service_begin(service, 1);
    if (service_know(service, store, err) != 0)
        return -1;
    if (!(service->can & CAN_DELETE_SESSION))
        return error_set(err, ERROR_CONFLICT,
                         "the service %s has no way to delete a session (DELETE /session/ID): "
                         "delete it in the service's own editor",
                         service->url);
    service_session_path(&ask.path, sid, "");
    rc = service_ask(service, &ask, 1, err);
    if (rc == 0 && ask.came.status >= 300)
        rc = service_refused(service, &ask, "the deletion of the session", err);
    ask_finish(&ask);
    return rc;
}

int service_remove(struct mirror *mirror, struct store *store, const char *sid, struct error *err)
{
    int suspended = store_suspend(store, err);

    if (suspended < 0)
        return -1;
    return store_resume(store, suspended, send_removal(service_of(mirror), store, sid, err), err);
}
