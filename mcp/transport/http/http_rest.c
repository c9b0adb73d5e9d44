/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The session API over HTTP: each request goes to a work queue with a store connection (writes to
 * sql, reads to read, graph queries to graph, dry runs from sql to trial), which produces its
 * answer. A job owns its data, so a client may disconnect at any time: a write that has begun is
 * finished, a graph query is cancelled. Runs on the loop's thread, work() on the work queue's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/utf8.h"
#include "mcp/change/staged_write.h"
#include "mcp/transport/http/http_internal.h"

#define ALLOW_SIZE 80
#define SHOWN_CAP  100 /* bytes of an unknown path in an error */

struct rest_job {
    struct staged_write staged;
    struct exchange *exchange;   /* NULL after the client has disconnected */
    struct rest_request request; /* its texts are in `texts` and body */
    struct buf body;
    struct server *server;
    struct cancel *cancel; /* fired when the client disconnects; or NULL */
    struct rest_response response;
    char who[HTTP_EDITOR_MAX + sizeof HTTP_PAGE_PREFIX + sizeof "rest:"];
    char only[IDENTITY_CURRICULUM_SIZE]; /* or "" */
    char texts[];
};

/* HEAD is a GET whose answer is not sent. */
static const char *method_of(const struct server_request *request)
{
    return strcmp(request->method, "HEAD") == 0 ? "GET" : request->method;
}

static void on_work(struct workq_job *workq_job, void *context)
{
    struct rest_job *job = (struct rest_job *)workq_job;
    struct error err = {0};

    if (job->staged.rows.unfinished && job->staged.rows.stage == LARGE_APPLY) {
        rest_apply(context, &job->request, &job->response);
        return;
    }
    rest_response_finish(&job->response);
    if (job->request.trial && cancel_check(job->cancel, &err) < 0)
        rest_answer_error(&job->response, &err);
    else
        rest_handle(context, &job->request, &job->response);
}

static void on_undone(struct workq_job *workq_job, const struct error *err)
{
    struct rest_job *job = (struct rest_job *)workq_job;

    job->staged.rows.unfinished = false;
    rest_answer_error(&job->response, err);
}

static void free_job(struct rest_job *job)
{
    rest_response_finish(&job->response);
    large_write_finish(&job->staged.rows);
    buf_finish(&job->body);
    cancel_unref(job->cancel);
    free(job);
}

/* So that what nobody waits for any more is given up; without a token it is worked off. */
static void watch_client(struct rest_job *job)
{
    if (!job->cancel)
        job->cancel = cancel_create(NULL);
    job->request.cancel = job->cancel;
}

/* What the graph work queue needs: the graphs, and the cancel token for a disconnect. */
static void ask_graph(struct rest_job *job, struct server *server)
{
    job->request.graphs = server->store.graphs;
    watch_client(job);
}

/* To the trial work queue, unless nobody waits for the answer any more. */
static bool tries(struct rest_job *job)
{
    struct error err = {0};

    if (!job->exchange)
        return false;
    job->request.trial = true;
    job->staged.key = NULL; /* a dry run may be repeated */
    watch_client(job);
    if (workq_submit(job->staged.queues.trial, &job->staged.job, &err) == 0)
        return true;
    rest_answer_error(&job->response, &err);
    return false;
}

/* The next step of a large write, also if the client has disconnected. */
static bool continue_write(struct rest_job *job)
{
    struct error err = {0};

    if (staged_write_next_step(&job->staged, &err) == 0)
        return true;
    rest_response_finish(&job->response);
    rest_answer_error(&job->response, &err);
    return false;
}

static void add_effect(struct staged_write *write, const struct error *refused)
{
    struct rest_job *job = (struct rest_job *)write;

    rest_fill_in(&job->response, job->request.graphs, job->cancel, refused);
}

/* The effect was given up if the client has disconnected. */
static bool is_wanted(const struct staged_write *write)
{
    return ((const struct rest_job *)write)->exchange;
}

static void end_job(struct staged_write *write)
{
    struct rest_job *job = (struct rest_job *)write;

    if (job->exchange) {
        snprintf(job->exchange->etag, sizeof job->exchange->etag, "%s", job->response.etag);
        if (job->response.replayed)
            job->exchange->replayed = true;
        exchange_answer(job->exchange, job->response.status, "application/json",
                        &job->response.body);
    }
    free_job(job);
}

static const struct staged_write_ops ops = {
    .area = "http", .add_effect = add_effect, .is_wanted = is_wanted, .done = end_job};

/* Continues the job on another work queue if necessary: a dry run and the copy of a large write on
 * trial, and then the later stages of a write. */
static void on_done(struct workq_job *workq_job)
{
    struct rest_job *job = (struct rest_job *)workq_job;

    if (job->staged.rows.unfinished && continue_write(job))
        return;
    if (job->response.tries && tries(job))
        return;
    if (job->exchange && job->response.more) {
        ask_graph(job, job->server);
        staged_write_add_effect(&job->staged);
        return;
    }
    end_job(&job->staged);
}

static void on_gone(void *user)
{
    struct rest_job *job = user;

    job->exchange = NULL;
    if (job->cancel)
        cancel_fire(job->cancel);
}

static void refuse_path(struct exchange *exchange, const struct server_request *request,
                        const char *has)
{
    if (!*has) {
        exchange_error(exchange, 404, "unknown path %.*s", utf8_shown(request->target, SHOWN_CAP),
                       request->target);
        return;
    }
    snprintf(exchange->allow, sizeof exchange->allow, "%s%s", has,
             strstr(has, "GET") ? ", HEAD, OPTIONS" : ", OPTIONS");
    if (strcmp(request->method, "OPTIONS") == 0)
        exchange_answer(exchange, 204, NULL, NULL);
    else
        exchange_error(exchange, 405, "this path does not support %s; it supports %s",
                       request->method, exchange->allow);
}

static void check(struct exchange *exchange)
{
    const struct server_request *request = exchange->request;
    char has[ALLOW_SIZE];

    exchange->rest_route = rest_find(method_of(request), request->target, has, sizeof has);
    if (!exchange->rest_route)
        refuse_path(exchange, request, has);
    if (exchange->status == 0 && request->wrong_editor)
        exchange_error(exchange, 422, "%s", request->wrong_editor);
    if (exchange->status == 0 && rest_workq(exchange->rest_route) == REST_WRITE)
        exchange_needs(exchange, IDENTITY_EDIT);
    if (exchange->status == 0)
        exchange_takes_json(exchange);
}

/* A page of ours says so itself; whatever else calls itself a name came by this door. A token's
 * name counts rather than that of the request. */
static void name_writer(struct rest_job *job, const struct identity *identity, const char *editor)
{
    bool page = strncmp(editor, HTTP_PAGE_PREFIX, sizeof HTTP_PAGE_PREFIX - 1) == 0;

    if (*identity->name) {
        snprintf(job->who, sizeof job->who, "%s%s",
                 page ? HTTP_PAGE_PREFIX : "rest:", identity->name);
        return;
    }
    snprintf(job->who, sizeof job->who, "%s%s", page ? "" : *editor ? "rest:" : "rest", editor);
}

static struct workq *choose_workq(struct rest_job *job, struct server *server)
{
    switch (rest_workq(job->request.route)) {
    case REST_WRITE:
        return server->store.sql;
    case REST_GRAPH:
        ask_graph(job, server);
        return server->store.graph;
    case REST_READ:
        break;
    }
    return server->store.read;
}

/* Copies a text of the request, as the client may leave before the answer. NULL for NULL. */
static const char *copy(char **at, const char *text)
{
    size_t size = text ? strlen(text) + 1 : 0;
    char *to = *at;

    if (text)
        memcpy(to, text, size);
    *at += size;
    return text ? to : NULL;
}

static struct rest_job *create_job(struct exchange *exchange)
{
    const struct server_request *request = exchange->request;
    size_t size = strlen(request->target) + strlen(request->query) + strlen(request->session) +
                  strlen(request->if_match) + strlen(request->if_none_match) +
                  strlen(request->idempotency_key) + 6;
    struct rest_job *job = calloc(1, sizeof *job + size);
    char *at = job ? job->texts : NULL;

    if (!job)
        return NULL;
    job->staged.job.work = on_work;
    job->staged.job.done = on_done;
    job->staged.job.undone = on_undone;
    job->exchange = exchange;
    job->server = exchange->services->server;
    job->staged.ops = &ops;
    job->staged.queues = (struct write_queues){job->server->store.sql, job->server->store.trial,
                                               job->server->store.graph};
    job->staged.answer = &job->response.body;
    job->body = exchange_take_body(exchange);
    name_writer(job, exchange->identity, request->editor);
    memcpy(job->only, exchange->identity->curriculum, sizeof job->only);
    job->request = (struct rest_request){
        .writing = &job->staged.rows,
        .route = exchange->rest_route,
        .method = method_of(request),
        .path = copy(&at, request->target),
        .query = copy(&at, request->query),
        .session_header = copy(&at, *request->session ? request->session : NULL),
        .if_match = copy(&at, *request->if_match ? request->if_match : NULL),
        .if_none_match = copy(&at, *request->if_none_match ? request->if_none_match : NULL),
        .idempotency_key = copy(&at, request->has_key ? request->idempotency_key : NULL),
        .who = job->who,
        .scope.only = *job->only ? job->only : NULL,
        .body = job->body.data ? job->body.data : "",
        .body_len = job->body.len,
        .answers = exchange->services->rest_answers,
    };
    job->staged.key = job->request.idempotency_key;
    return job;
}

static void handle(struct exchange *exchange)
{
    struct rest_job *job = create_job(exchange);
    struct error err = {0};

    if (!job) {
        exchange_error(exchange, 503, "out of memory: send it again in a moment");
        return;
    }
    job->staged.job.key = rest_key(&job->request);
    job->staged.job.large = rest_is_large(job->request.route, job->request.path);
    job->staged.rows.makes_session = rest_is_large_write(job->request.route, job->request.body_len);
    if (workq_submit(choose_workq(job, exchange->services->server), &job->staged.job, &err) < 0) {
        exchange_error(exchange, 429, "%s", err.text);
        free_job(job);
        return;
    }
    exchange->on_gone = on_gone;
    exchange->on_gone_user = job;
}

const struct http_route http_route_rest = {
    .scopes = IDENTITY_READ,
    .error_form = "detail",
    .check = check,
    .handle = handle,
};

/* For those that watch whether the server works, who have no token. */
const struct http_route http_route_health = {
    .path = "/health",
    .open = true,
    .error_form = "detail",
    .check = check,
    .handle = handle,
};
