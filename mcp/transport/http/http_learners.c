/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * "/learners/{id}": for the operator of a tutor and the service that takes payments. A learner's
 * data is read and deleted as by `lectern learner export` and `delete`; POST "/learners/{id}/tier"
 * gives the learner a tier, and may be repeated. The work runs on the tutor's work queue, in turn
 * with the tool calls of the learner; everything else on the loop's thread.
 */
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/transport/http/http_internal.h"
#include "mcp/tutor/tutor.h"

#define PREFIX   "/learners/"
#define BODY_CAP 4096

struct learners_job {
    struct workq_job job;
    struct exchange *exchange; /* NULL after the client has disconnected */
    const struct learners_action *action;
    char id[LEARNER_ID_SIZE];
    json_t *body; /* owned, or NULL */
    struct rest_response response;
};

struct learners_action {
    const char *method, *below; /* the path after the id */
    unsigned scopes;            /* one of them is needed */
    const struct fields *body;  /* NULL: takes none */
    int (*work)(struct learners_job *job, struct tutor_thread *thread, struct error *err);
};

/* ---- the actions, on the work queue ---- */

static int read_learner(struct learners_job *job, struct tutor_thread *thread, struct error *err)
{
    return learners_export(thread->learners, job->id, &job->response.body, err);
}

static int delete_learner(struct learners_job *job, struct tutor_thread *thread, struct error *err)
{
    json_auto_t *backups = NULL;

    if (learners_delete(thread->learners, job->id, &backups, err) < 0)
        return -1;
    learners_write_deleted(job->id, backups, &job->response.body);
    return 0;
}

static int set_tier(struct learners_job *job, struct tutor_thread *thread, struct error *err)
{
    const char *name = json_get_string(job->body, "tier");
    struct tiers *tiers = tutor_tiers(thread->tutor);
    int rc = tier_name_check(tiers, name, err);

    tiers_unref(tiers);
    if (rc < 0 || learners_set_tier(thread->learners, job->id, name, err) < 0)
        return -1;
    buf_addf(&job->response.body, "{\"learner_id\":\"%s\"", job->id);
    json_write_member(&job->response.body, "tier", name);
    buf_addc(&job->response.body, '}');
    return 0;
}

static const struct learners_action actions[] = {
    {"GET", "", IDENTITY_OPERATE | IDENTITY_LEARN, NULL, read_learner},
    {"DELETE", "", IDENTITY_OPERATE, NULL, delete_learner},
    {"POST", "/tier", IDENTITY_OPERATE, &rest_learner_tier_fields, set_tier},
};
#define ACTIONS_COUNT (sizeof actions / sizeof actions[0])

static void on_work(struct workq_job *workq_job, void *context)
{
    struct learners_job *job = (struct learners_job *)workq_job;
    struct error err = {0};

    job->response.status = 200;
    if (job->action->work(job, context, &err) < 0 ||
        buf_check(&job->response.body, "the answer", &err) < 0)
        rest_answer_error(&job->response, &err);
}

/* ---- the request ---- */

static void free_job(struct learners_job *job)
{
    rest_response_finish(&job->response);
    json_decref(job->body);
    free(job);
}

static void on_done(struct workq_job *workq_job)
{
    struct learners_job *job = (struct learners_job *)workq_job;

    if (job->exchange)
        exchange_answer(job->exchange, job->response.status, "application/json",
                        &job->response.body);
    free_job(job);
}

static void on_gone(void *user)
{
    struct learners_job *job = user;

    job->exchange = NULL;
}

/* The action of the method and the part of the path after the id; NULL with an answer. */
static const struct learners_action *find_action(struct exchange *exchange, const char *below)
{
    const char *method = exchange->request->method;
    const struct learners_action *found = NULL;
    struct buf BUF_AUTO allow = {0};

    if (strcmp(method, "HEAD") == 0)
        method = "GET";
    for (size_t i = 0; i < ACTIONS_COUNT; i++) {
        const struct learners_action *action = &actions[i];

        if (strcmp(action->below, below) != 0)
            continue;
        if (strcmp(action->method, method) == 0)
            found = action;
        buf_addf(&allow, "%s, ", strcmp(action->method, "GET") == 0 ? "GET, HEAD" : action->method);
    }
    if (found)
        return found;
    if (allow.len == 0) {
        exchange_error(exchange, 404, "unknown path: use " PREFIX "{id} or " PREFIX "{id}/tier");
        return NULL;
    }
    snprintf(exchange->allow, sizeof exchange->allow, "%sOPTIONS", allow.data);
    if (strcmp(method, "OPTIONS") == 0)
        exchange_answer(exchange, 204, NULL, NULL);
    else
        exchange_error(exchange, 405, "this path does not support %s; it supports %s", method,
                       exchange->allow);
    return NULL;
}

/* The action of the path; NULL with an answer. */
static const struct learners_action *read_path(struct exchange *exchange, char id[LEARNER_ID_SIZE])
{
    const char *path = exchange->request->target, *below;
    struct identity named;
    size_t len;

    path += strncmp(path, PREFIX, strlen(PREFIX)) == 0 ? strlen(PREFIX) : strlen(path);
    len = strcspn(path, "/");
    below = path + len;
    if (len == LEARNER_ID_SIZE - 1) {
        memcpy(id, path, len);
        id[len] = '\0';
        if (identity_set_learner(&named, id))
            return find_action(exchange, below);
    }
    exchange_error(exchange, 404,
                   "no learner has this id: use " PREFIX "{id} or " PREFIX
                   "{id}/tier with the 32 digits of `lectern learner list`");
    return NULL;
}

/* A token that is bound to a learner may use no other; only an operator may use all. */
static bool may_use(struct exchange *exchange, const char *id)
{
    const struct identity *identity = exchange->identity;

    if (strcmp(identity->learner, id) == 0 ||
        (!*identity->learner && (identity->scopes & IDENTITY_OPERATE)))
        return true;
    sign_in_ask_scope(exchange, IDENTITY_OPERATE);
    exchange_error(exchange, 403,
                   "this token may not use this learner: send an operate token, or a learn token "
                   "that is bound to it (lectern token --scope learn --learner ID NAME)");
    return false;
}

static void check(struct exchange *exchange)
{
    const struct learners_action *action;
    char id[LEARNER_ID_SIZE];

    if (!exchange->services->server->tutor) {
        exchange_error(exchange, 404,
                       "this server has no tutor: start it with lectern serve --toolset tutor, or "
                       "--toolset all");
        return;
    }
    action = read_path(exchange, id);
    if (action && exchange_needs(exchange, action->scopes) && may_use(exchange, id))
        exchange_takes_json(exchange);
}

static int take_body(struct learners_job *job, struct error *err)
{
    const struct buf *sent = &job->exchange->body;
    struct validation_errors problems;
    json_auto_t *body = json_read(sent->data ? sent->data : "", sent->len, "the request body", err);

    if (!body)
        return -1;
    validation_begin(&problems, "");
    if (json_is_object(body))
        job->body = fields_take(job->action->body, body, NULL, &problems);
    else
        validation_add(&problems, "", "the body must be an object: send {\"tier\": \"NAME\"}");
    if (validation_end(&problems, NULL, err) < 0)
        return -1;
    return job->body ? 0 : error_set(err, ERROR_MEMORY, "out of memory for the request body");
}

static void handle(struct exchange *exchange)
{
    struct tutor *tutor = exchange->services->server->tutor;
    struct learners_job *job = calloc(1, sizeof *job);
    struct validation_errors faults;
    struct error err = {.list = validation_begin(&faults, "")};

    if (!job) {
        exchange_error(exchange, 503, "out of memory: send it again in a moment");
        return;
    }
    job->job.work = on_work;
    job->job.done = on_done;
    job->exchange = exchange;
    job->action = read_path(exchange, job->id);
    job->job.key = workq_key(job->id);
    if (job->action->body && take_body(job, &err) < 0) {
        rest_answer_error(&job->response, &err);
        on_done(&job->job);
    } else if (workq_submit(tutor->queue, &job->job, &err) < 0) {
        exchange_error(exchange, 429, "%s", err.text);
        free_job(job);
    } else {
        exchange->on_gone = on_gone;
        exchange->on_gone_user = job;
    }
}

const struct http_route http_route_learners = {
    .path = "/learners",
    .scopes = IDENTITY_OPERATE | IDENTITY_LEARN,
    .below = true,
    .error_form = "detail",
    .body_cap = BODY_CAP,
    .check = check,
    .handle = handle,
};
