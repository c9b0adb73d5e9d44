/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One call through its route. A read gives the ETag of exactly what it shows; a write is one
 * transaction with its condition and its key, so that nothing comes in between. Runs on a work
 * queue, with that work queue's store.
 */
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/validation.h"
#include "mcp/api/cache.h"
#include "mcp/api/rest_internal.h"

#define STABLE_ATTEMPTS 3

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
    const char *const parts[] = {call->route->pattern, call->session, call->node, call->item,
                                 call->request->query};

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i])
            buf_add(key, parts[i], strlen(parts[i]) + 1);
        else
            buf_addc(key, '\0');
}

/* What was read is of the state before it where no write has come in between. */
static int read_between(struct rest_call *call, rest_handler *read, struct error *err)
{
    struct rest_response *response = call->response;
    char before[REST_ETAG_SIZE];

    if (rest_etag(call, before, err) < 0)
        return -1;
    for (int i = 0; i < STABLE_ATTEMPTS; i++) {
        buf_clear(&response->body);
        if (read(call, err) != 0 || rest_etag(call, response->etag, err) < 0)
            return -1;
        if (strcmp(before, response->etag) == 0)
            return 0;
        memcpy(before, response->etag, sizeof before);
    }
    response->etag[0] = '\0'; /* written to all the time: an answer without a validator */
    return 0;
}

/* Within a snapshot: the answer that was kept of just this state, or a new one, kept. */
static int read_of_state(struct rest_call *call, rest_handler *read, struct error *err)
{
    struct rest_cache *answers = call->route->state ? call->request->answers : NULL;
    struct rest_response *response = call->response;
    struct buf BUF_AUTO key = {0};

    if (rest_etag(call, response->etag, err) < 0)
        return -1;
    if (!answers)
        return read(call, err);
    write_key(call, &key);
    if (!key.failed && rest_cache_find(answers, &key, response->etag, &response->body))
        return 0;
    if (read(call, err) != 0)
        return -1;
    if (!key.failed)
        rest_cache_keep(answers, &key, response->etag, &response->body);
    return 0;
}

/* In one snapshot where there is one. Not for a graph question, which may be thought about for
 * seconds: a snapshot keeps the log of writes from being taken up. */
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

/* 304 where the client has what there is. */
static int answer_known(struct rest_call *call, struct error *err)
{
    const char *known = call->request->if_none_match;
    int rc = known && call->route->state ? rest_matches(call, known, true, err) : 0;

    if (rc <= 0)
        return rc;
    buf_clear(&call->response->body);
    call->response->status = 304;
    return rest_etag(call, call->response->etag, err) < 0 ? -1 : 1;
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

    call->response->status = 412;
    buf_adds(body, "{\"detail\":\"what If-Match names has changed since: current is what is there "
                   "now, with its ETag\",\"current\":");
    if (!call->route->now)
        buf_adds(body, "null");
    else if (call->route->now(call, err) != 0)
        return -1;
    buf_addc(body, '}');
    return rest_etag(call, call->response->etag, err);
}

/* Within its transaction. 1: done, to be kept; 0: answered, and nothing is done; -1. */
static int write_once(struct rest_call *call, struct error *err)
{
    const char *expected = call->request->if_match;
    int rc = rest_idempotency_find(call, err);

    if (rc != 0)
        return rc < 0 ? -1 : 0;
    if (resolve(call, err) < 0)
        return -1;
    rc = expected ? rest_matches(call, expected, false, err) : 1;
    if (rc < 0)
        return -1;
    if (rc == 0)
        return answer_stale(call, err);
    if (rest_take_body(call, err) != 0 || call->route->handle(call, err) != 0 ||
        (!(call->route->flags & ROUTE_ENDS) && rest_etag(call, call->response->etag, err) < 0) ||
        buf_check(&call->response->body, "the answer", err) < 0 ||
        rest_idempotency_keep(call, err) != 0)
        return -1;
    return 1;
}

static int run_write(struct rest_call *call, struct error *err)
{
    int rc;

    if (store_begin(call->store, err) < 0)
        return -1;
    rc = write_once(call, err);
    return store_end(call->store, rc > 0, rc < 0 ? NULL : err) != 0 || rc < 0 ? -1 : 0;
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
    int rc = expected ? rest_matches(call, expected, false, err) : 1;

    if (rc < 0)
        return -1;
    if (rc == 0)
        return answer_stale(call, err);
    if (call->route->handle(call, err) != 0)
        return -1;
    return rest_etag(call, call->response->etag, err);
}

static int run_trial(struct rest_call *call, struct error *err)
{
    struct store *store = call->store;
    int rc;

    if (!call->request->trial) {
        call->response->tries = true;
        return 0;
    }
    call->store = store_trial_open(store, call->session, false, err);
    rc = call->store ? try_write(call, err) : -1;
    store_close(call->store);
    call->store = store;
    return rc;
}

static int run(struct rest_call *call, struct error *err)
{
    if (!(call->route->flags & ROUTE_WRITE))
        return run_read(call, err);
    return is_trial(call) ? run_trial(call, err) : run_write(call, err);
}

void rest_run(struct rest_call *call)
{
    struct validation_errors faults;
    struct error err = {.list = validation_begin(&faults, "")};

    if (rest_take_query(call, &err) < 0 || read_body(call, &err) != 0 || run(call, &err) != 0 ||
        buf_check(&call->response->body, "the answer", &err) < 0)
        rest_answer_faults(call, &err);
    json_decref(call->body);
    json_decref(call->asked);
    call->body = call->asked = NULL;
}
