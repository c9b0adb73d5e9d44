/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One call of the session API, for a client or for a run's broker, through its route. Runs on a
 * work queue, with that work queue's store.
 */
#include "mcp/api/rest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/hash.h"
#include "helpers/base/json.h"
#include "helpers/base/validation.h"
#include "helpers/base/workq.h"
#include "mcp/api/rest_internal.h"
#include "mcp/store/entities/session.h"
#include "mcp/store/idempotency.h"

#define STABLE_ATTEMPTS 3
#define LARGE_BODY      ((size_t)16 << 10) /* bytes of an import, above which reading takes long */

/* ---- ETags, and the conditions that name them ----
 *
 * Every state of a session or a node has a number that never comes again, so the number is the
 * strong validator: "v12" of a session, "c34" of a node and its components, "a56" of all sessions.
 * A write may name any of those that it affects. */

static const char letters[] = {
    [REST_STATE_ALL] = 'a', [REST_STATE_SESSION] = 'v', [REST_STATE_NODE] = 'c'};

static int write_etag(struct rest_call *call, enum rest_state state, char etag[REST_ETAG_SIZE],
                      struct error *err)
{
    int64_t cursor;

    if (store_cursor(call->store, state == REST_STATE_ALL ? NULL : call->session,
                     state == REST_STATE_NODE ? call->node : NULL, &cursor, err) < 0)
        return -1;
    snprintf(etag, REST_ETAG_SIZE, "\"%c%" PRId64 "\"", letters[state], cursor);
    return 0;
}

/* The strong validator for the answer of the route; "" if it has none. */
static int read_etag(struct rest_call *call, char etag[REST_ETAG_SIZE], struct error *err)
{
    *etag = '\0';
    if (call->route->state == REST_STATE_NONE)
        return 0;
    return write_etag(call, call->route->state, etag, err);
}

/* The state a tag is of, if the call has it; by the letter behind the quote. */
static enum rest_state state_of(const struct rest_call *call, const char *tag)
{
    if (tag[1] == letters[REST_STATE_SESSION] && call->session)
        return REST_STATE_SESSION;
    if (tag[1] == letters[REST_STATE_NODE] && call->session && call->node)
        return REST_STATE_NODE;
    if (tag[1] == letters[REST_STATE_ALL] && !call->session)
        return REST_STATE_ALL;
    return REST_STATE_NONE;
}

/* Whether an If-Match or If-None-Match list names the state that is; weak: a weak tag will do. 1,
 * 0, -1. */
static int matches(struct rest_call *call, const char *list, bool weak, struct error *err)
{
    const char *at = list + strspn(list, " \t,");

    if (strcmp(at, "*") == 0)
        return 1;
    while (*at) {
        bool is_weak = strncmp(at, "W/", 2) == 0;
        const char *tag = is_weak ? at + 2 : at, *end = *tag == '"' ? strchr(tag + 1, '"') : NULL;
        enum rest_state state;
        char now[REST_ETAG_SIZE];

        if (!end)
            return 0; /* no entity tag, so none that matches */
        state = state_of(call, tag);
        if (state != REST_STATE_NONE && (weak || !is_weak)) {
            if (write_etag(call, state, now, err) < 0)
                return -1;
            if (strlen(now) == (size_t)(end + 1 - tag) && memcmp(now, tag, strlen(now)) == 0)
                return 1;
        }
        at = end + 1 + strspn(end + 1, " \t,");
    }
    return 0;
}

/* ---- Idempotency-Key ----
 *
 * The answer to a completed write is stored in the transaction of the write, and returned for a
 * repeat with the same key. A refused write changed nothing and is checked again. */

/* What a repeat must have in common: method, path, query and session as they are, the body by its
 * hashes and length. The one who could make two requests meet is the one who chose the key. */
static void write_fingerprint(const struct rest_request *request, struct buf *to)
{
    buf_addf(to, "%s %s?%s %s %zu %016" PRIx64 "%016" PRIx64, request->method, request->path,
             request->query, request->session_header ? request->session_header : "",
             request->body_len, hash_bytes(HASH_START, request->body, request->body_len),
             hash_bytes(HASH_OTHER_START, request->body, request->body_len));
}

/* In the transaction of the call. Returns 1 if it was completed before, and is answered as then; 0
 * if it must be executed, and its answer stored with the fingerprint. */
static int find_answer(struct rest_call *call, const char *key, struct buf *fingerprint,
                       struct error *err)
{
    struct idempotency_record answer = {0};
    int found;

    if (!*key || strlen(key) > IDEMPOTENCY_KEY_MAX)
        return error_set_at(err, "header.Idempotency-Key",
                            "send 1 to %d characters, such as a UUID, another for each new call",
                            IDEMPOTENCY_KEY_MAX);
    write_fingerprint(call->request, fingerprint);
    if (buf_check(fingerprint, "the request", err) < 0)
        return -1;
    found = store_idempotency_find(call->store, key, fingerprint->data, &answer, err);
    if (found > 0) {
        buf_finish(&call->response->body);
        call->response->body = answer.body;
        call->response->status = answer.status;
        call->response->replayed = true;
    }
    return found;
}

/* ---- one call through its route ----
 *
 * A read carries the ETag of exactly its content. A write is one transaction with its condition and
 * its key, so that no other write comes in between. */

static int read_body(struct rest_call *call, struct error *err)
{
    const struct rest_request *request = call->request;
    unsigned flags = call->route->flags;

    if (!(flags & ROUTE_WRITE) || (request->body_len == 0 && !(flags & ROUTE_BODY)))
        return 0;
    if (request->body_len == 0)
        return error_set_at(err, "", "%s %s needs a JSON body", call->route->method,
                            call->route->pattern);
    call->body = json_read(request->body, request->body_len, "the request body", err);
    return call->body ? 0 : -1;
}

/* For a request that may use one session only: refuses what is of another one, or of all. A list of
 * sessions is cut to that one by its handler. */
static int bind_session(struct rest_call *call, struct error *err)
{
    const char *only = call->request->scope.only, *header = call->request->session_header;
    const char *given = json_get_string(call->asked, "session_id");
    const char *named = call->session ? call->session : header && *header ? header : given;

    bool of_one = call->session || call->node;

    if (!only || (!of_one && !(call->route->flags & ROUTE_WRITE)))
        return 0;
    if (of_one && (!named || strcmp(named, only) == 0)) {
        call->session = only;
        return 0;
    }
    return error_set(err, ERROR_FORBIDDEN, "this token may use the session %s only", only);
}

/* The session of a bare path: the header's, the query's, or the only one that has the node. */
static int resolve(struct rest_call *call, struct error *err)
{
    const struct rest_request *request = call->request;
    const char *given = json_get_string(call->asked, "session_id");

    if (call->session || !call->node)
        return 0;
    if (request->session_header && *request->session_header) {
        call->session = request->session_header;
        return 0;
    }
    if (given) {
        if (strlen(given) >= sizeof call->resolved)
            return error_set(err, ERROR_UNAUTHORIZED,
                             "there is no session of the id in ?session_id=");
        memcpy(call->resolved, given, strlen(given) + 1);
    } else if (store_session_of_node(call->store, call->node, call->resolved, err) < 0) {
        return -1;
    }
    call->session = call->resolved;
    return 0;
}

/* ---- reading ---- */

/* All that an answer to a read depends on but for the state. */
static void write_key(const struct rest_call *call, struct buf *key)
{
    const char *const parts[] = {call->route->pattern, call->session,
                                 call->node,           call->item,
                                 call->request->query, call->request->scope.only};

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i])
            buf_add(key, parts[i], strlen(parts[i]) + 1);
        else
            buf_addc(key, '\0');
}

/* The result is of the state read before it if no write occurred in between. */
static int read_between(struct rest_call *call, rest_handler *read, struct error *err)
{
    struct rest_response *response = call->response;
    char before[REST_ETAG_SIZE];

    if (read_etag(call, before, err) < 0)
        return -1;
    for (int i = 0; i < STABLE_ATTEMPTS; i++) {
        buf_clear(&response->body);
        if (read(call, err) != 0 || read_etag(call, response->etag, err) < 0)
            return -1;
        if (strcmp(before, response->etag) == 0)
            return 0;
        memcpy(before, response->etag, sizeof before);
    }
    response->etag[0] = '\0'; /* written to all the time: an answer without a validator */
    return 0;
}

/* Within a snapshot: the cached answer for exactly this state, or a new one, which is cached. */
static int read_of_state(struct rest_call *call, rest_handler *read, struct error *err)
{
    struct rest_cache *answers = call->route->state ? call->request->answers : NULL;
    struct rest_response *response = call->response;
    struct buf BUF_AUTO key = {0};

    if (read_etag(call, response->etag, err) < 0)
        return -1;
    if (!answers)
        return read(call, err);
    write_key(call, &key);
    if (!key.failed && rest_cache_find(answers, &key, response->etag, &response->body))
        return 0;
    if (read(call, err) != 0)
        return -1;
    if (!key.failed)
        rest_cache_add(answers, &key, response->etag, &response->body);
    return 0;
}

/* In one snapshot, if the store has them. Not for a graph query, which may take seconds: a snapshot
 * prevents the checkpoint of the write-ahead log. */
static int read_stable(struct rest_call *call, rest_handler *read, struct error *err)
{
    int held = call->route->flags & ROUTE_GRAPH ? 0 : store_snapshot_begin(call->store, err);
    int rc;

    if (held <= 0)
        return held < 0 ? -1 : read_between(call, read, err);
    rc = read_of_state(call, read, err);
    store_snapshot_end(call->store);
    return rc;
}

/* 304 if the client has the current state. */
static int answer_known(struct rest_call *call, struct error *err)
{
    const char *known = call->request->if_none_match;
    int rc = known && call->route->state ? matches(call, known, true, err) : 0;

    if (rc <= 0)
        return rc;
    buf_clear(&call->response->body);
    call->response->status = 304;
    return read_etag(call, call->response->etag, err) < 0 ? -1 : 1;
}

static int run_read(struct rest_call *call, struct error *err)
{
    bool known = store_capabilities(call->store).known_before_read;
    int rc;

    if (resolve(call, err) < 0)
        return -1;
    rc = known ? answer_known(call, err) : 0;
    if (rc != 0)
        return rc < 0 ? -1 : 0;
    if (read_stable(call, call->route->handle, err) != 0)
        return -1;
    return !known && answer_known(call, err) < 0 ? -1 : 0;
}

/* ---- writing ---- */

/* 412 carries what is there now, so that a client can merge and try again. */
static int answer_stale(struct rest_call *call, struct error *err)
{
    struct buf *body = &call->response->body;
    int weak = matches(call, call->request->if_match, true, err);

    if (weak < 0)
        return -1;
    call->response->status = 412;
    buf_addf(
        body, "{\"detail\":\"%s\",\"current\":",
        weak > 0
            ? "nothing has changed, but If-Match has a weak tag (W/), which matches nothing: a "
              "proxy that compresses answers makes tags weak. Switch that off for this "
              "server, or send the tag without W/"
            : "what If-Match names has changed since: current is what is there now, with its "
              "ETag");
    if (!call->route->now)
        buf_adds(body, "null");
    else if (call->route->now(call, err) != 0)
        return -1;
    buf_addc(body, '}');
    return read_etag(call, call->response->etag, err);
}

/* Within its transaction. Returns 1 if done, and to be committed; 0 if answered without a change;
 * -1. */
static int write_once(struct rest_call *call, struct error *err)
{
    const char *expected = call->request->if_match, *key = call->request->idempotency_key;
    struct rest_response *response = call->response;
    struct buf BUF_AUTO fingerprint = {0};
    int rc = key ? find_answer(call, key, &fingerprint, err) : 0;

    if (rc != 0)
        return rc < 0 ? -1 : 0;
    if (resolve(call, err) < 0)
        return -1;
    rc = expected ? matches(call, expected, false, err) : 1;
    if (rc < 0)
        return -1;
    if (rc == 0)
        return answer_stale(call, err);
    if (rest_take_body(call, err) != 0 || call->route->handle(call, err) != 0 ||
        (!(call->route->flags & ROUTE_ENDS) && read_etag(call, response->etag, err) < 0) ||
        buf_check(&response->body, "the answer", err) < 0)
        return -1;
    if (key &&
        store_idempotency_keep(call->store, call->session, key, fingerprint.data, response->status,
                               response->body.data, response->body.len, err) != 0)
        return -1;
    return 1;
}

static int write_in_store(void *user, struct store *store, struct error *err)
{
    struct rest_call *call = user;
    struct store *usual = call->store;
    int rc;

    if (store_begin(store, err) < 0)
        return -1;
    call->store = store;
    rc = write_once(call, err);
    call->store = usual;
    return store_end(store, rc > 0, rc < 0 ? NULL : err) != 0 || rc < 0 ? -1 : 0;
}

static int run_write(struct rest_call *call, struct error *err)
{
    struct large_write *writing = call->request->writing;
    int rc;

    store_bound(call->store, call->request->cancel);
    rc = writing ? store_write_step(writing, call->store, write_in_store, call, err)
                 : write_in_store(call, call->store, err);
    store_unbound(call->store);
    return rc;
}

/* ---- trying ---- */

static bool is_trial(const struct rest_call *call)
{
    return call->route->flags & ROUTE_TRIES && json_is_true(json_object_get(call->body, "dry_run"));
}

/* On a copy of the session, while others write. What does nothing may be repeated, so a key needs
 * no keeping. */
static int try_write(struct rest_call *call, struct error *err)
{
    const char *expected = call->request->if_match;
    int rc = expected ? matches(call, expected, false, err) : 1;

    if (rc < 0)
        return -1;
    if (rc == 0)
        return answer_stale(call, err);
    if (rest_take_body(call, err) != 0 || call->route->handle(call, err) != 0)
        return -1;
    return read_etag(call, call->response->etag, err);
}

static int run_trial(struct rest_call *call, struct error *err)
{
    struct store *store = call->store;
    int rc;

    if (!call->request->trial) {
        call->response->tries = true;
        return 0;
    }
    call->store = store_trial_open(store, call->session ? call->session : "", false, err);
    rc = call->store ? try_write(call, err) : -1;
    store_close(call->store);
    call->store = store;
    return rc;
}

static int run_handler(struct rest_call *call, struct error *err)
{
    int rc;

    if (!(call->route->flags & ROUTE_WRITE)) {
        store_call_begin(call->store);
        rc = run_read(call, err);
        store_call_end(call->store);
        return rc;
    }
    return is_trial(call) ? run_trial(call, err) : run_write(call, err);
}

static void run_route(struct rest_call *call)
{
    struct validation_errors faults;
    struct error err = {.list = validation_begin(&faults, "")};

    if (rest_take_query(call, &err) < 0 || bind_session(call, &err) < 0 ||
        read_body(call, &err) != 0 || run_handler(call, &err) != 0 ||
        buf_check(&call->response->body, "the answer", &err) < 0)
        rest_answer_faults(call, &err);
    json_decref(call->body);
    json_decref(call->asked);
    call->body = call->asked = NULL;
}

/* ---- the entry ---- */

enum rest_workq rest_workq(const struct rest_route *route)
{
    if (!route || !(route->flags & (ROUTE_WRITE | ROUTE_GRAPH)))
        return REST_READ;
    return route->flags & ROUTE_WRITE ? REST_WRITE : REST_GRAPH;
}

bool rest_is_large_write(const struct rest_route *route, size_t body_len)
{
    return route && route->flags & ROUTE_NEW && body_len > LARGE_BODY;
}

uint64_t rest_key(const struct rest_request *request)
{
    struct rest_call call = {.request = request, .route = request->route};
    const char *name = NULL;
    struct error unused = {0};
    uint64_t key;

    if (!call.route || !rest_take_path(&call, request->path))
        return 0;
    if (call.session)
        name = call.session;
    else if (call.node && request->session_header)
        name = request->session_header;
    else if (call.node) {
        if (rest_take_query(&call, &unused) == 0) /* what is wrong is said by rest_handle */
            name = json_get_string(call.asked, "session_id");
        name = name ? name : call.node;
    }
    key = name ? workq_key(name) : 0;
    json_decref(call.asked);
    return key;
}

static void begin(struct rest_call *call, struct store *store, const struct rest_request *request,
                  struct rest_response *response)
{
    memset(call, 0, sizeof *call);
    call->store = store;
    call->request = request;
    call->response = response;
    call->route = request->route;
    call->writer.who = request->who ? request->who : "rest";
    call->writer.only = request->scope.only;
    memset(response, 0, sizeof *response);
    buf_init(&response->body, 0);
    response->status = 200;
}

void rest_apply(struct store *store, const struct rest_request *request,
                struct rest_response *response)
{
    struct error err = {0};

    store_bound(store, request->cancel);
    if (store_write_step(request->writing, store, NULL, NULL, &err) < 0)
        rest_answer_error(response, &err);
    store_unbound(store);
}

void rest_handle(struct store *store, const struct rest_request *request,
                 struct rest_response *response)
{
    struct rest_call call;
    char allow[64];

    begin(&call, store, request, response);
    if (!call.route)
        call.route = rest_find(request->method, request->path, allow, sizeof allow);
    if (!call.route) {
        rest_answer_detail(response, *allow ? 405 : 404,
                           *allow ? "Method Not Allowed" : "Not Found");
        return;
    }
    rest_take_path(&call, request->path);
    run_route(&call);
}

void rest_response_finish(struct rest_response *response)
{
    if (!response)
        return;
    rest_more_drop(response);
    buf_finish(&response->body);
}

/* The target without its query; false if it is too long for any route. */
static bool target_path(const char *target, char path[REST_PATH_MAX], const char **query)
{
    size_t len = strcspn(target, "?");

    if (len >= REST_PATH_MAX)
        return false;
    memcpy(path, target, len);
    path[len] = '\0';
    *query = target[len] == '?' ? target + len + 1 : "";
    return true;
}

const struct rest_route *rest_broker_find(const char *target)
{
    char path[REST_PATH_MAX], allow[64];
    const char *query;

    return target_path(target, path, &query) ? rest_find("GET", path, allow, sizeof allow) : NULL;
}

void rest_broker(struct store *store, const struct rest_broker_request *asked,
                 struct rest_response *response)
{
    struct rest_request request = {.route = asked->route,
                                   .method = "GET",
                                   .path = "",
                                   .query = "",
                                   .who = "run",
                                   .scope = {asked->sid, asked->also, asked->also_count},
                                   .graphs = asked->graphs,
                                   .cancel = asked->cancel};
    char path[REST_PATH_MAX];
    struct rest_call call;

    begin(&call, store, &request, response);
    if (call.route && target_path(asked->target, path, &request.query)) {
        request.path = path;
        rest_take_path(&call, path);
    }
    if (call.route && (call.route->flags & ROUTE_BROKER) && call.session &&
        strcmp(call.session, asked->sid) == 0)
        run_route(&call);
    else
        rest_answer_detail(
            response, 403,
            "a run may read its own session only, and those that its call names in also: GET "
            "/session/{its id}/nodes, /relationships, /components, /nodes/{id}/components, "
            "/nodes/{id}/content, /graph, /graph/{query}");
}
