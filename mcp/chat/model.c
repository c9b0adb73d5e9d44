/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The loop's side. A call waits for its turn here, not on the work queue, so that it can be given
 * up at once. An attempt is a job of the work queue; what came is fed through the stream into the
 * message by the tasks between. Where an attempt ends before its first event, and may pass, the job
 * goes out again.
 */
#include "mcp/chat/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/log.h"
#include "mcp/chat/model_ending.h"

TAILQ_HEAD(transfers, model_transfer);

struct model {
    struct model_service service;
    struct loop_queue *loop_queue;
    struct workq *workq; /* NULL once its owner has gone */
    size_t references;   /* the owner's, and one for each call */
    size_t under_way;
    struct transfers running, waiting;
    size_t waiting_count;
};

/* ---- work queue ---- */

static void *open_client(void *arg, struct error *err)
{
    (void)arg;
    return http_client_create(err);
}

static void close_client(void *context)
{
    http_client_destroy(context);
}

static void unref(struct model *model)
{
    if (--model->references == 0)
        free(model);
}

struct model *model_create(const struct model_config *config, struct loop_queue *loop_queue,
                           struct error *err)
{
    const struct workq_config workq = {.name = "model",
                                       .threads = MODEL_REQUESTS_MAX,
                                       .capacity = MODEL_REQUESTS_MAX,
                                       .open = open_client,
                                       .close = close_client};
    struct model *model = calloc(1, sizeof *model);

    if (!model) {
        error_set(err, ERROR_MEMORY, "out of memory for the model's client");
        return NULL;
    }
    model->loop_queue = loop_queue;
    model->references = 1;
    TAILQ_INIT(&model->running);
    TAILQ_INIT(&model->waiting);
    if (model_service_init(&model->service, config, loop_queue, err) < 0) {
        free(model);
        return NULL;
    }
    if (model_service_credential(&model->service) && !model->service.way.local &&
        strncmp(model->service.config.url, "https:", 6) != 0)
        log_warning("chat", "%s is set, and goes unencrypted to %s",
                    model_service_credential(&model->service), model->service.address);
    model->workq = workq_create(&workq, loop_queue, err);
    if (!model->workq) {
        free(model);
        return NULL;
    }
    return model;
}

bool model_ready(const struct model *model, char *advice, size_t size)
{
    if (size > 0)
        snprintf(advice, size, "%s", model->service.unready);
    return !model->service.unready[0];
}

const char *model_name(const struct model *model)
{
    return model->service.config.name;
}

/* ---- a call ---- */

static int on_event(void *user, const char *name, const char *data, size_t len, struct error *err)
{
    struct model_call *call = user;

    if (cancel_fired(call->cancel)) /* by the listener, perhaps: it hears nothing more */
        return error_set(err, ERROR_CANCELLED, "stopped");
    return model_message_event(&call->message, &call->listener, call->user, name, data, len, err);
}

/* What came since the last time. Once it will do, or cannot be read, the service need not go on. */
static void read_on(void *arg)
{
    struct model_transfer *transfer = arg;
    struct model_call *call = transfer->call;

    if (!model_transfer_take(transfer) || cancel_fired(transfer->enough) ||
        cancel_fired(call->cancel))
        return;
    if (event_stream_feed(&transfer->stream, transfer->reading.data, transfer->reading.len,
                          &transfer->stream_err) < 0 ||
        call->message.ended)
        cancel_fire(transfer->enough);
}

static void start_next(struct model *model);

/* The call's last: its asker may free it. */
static void finish(struct model_transfer *transfer)
{
    struct model_call *call = transfer->call;
    struct model *model = transfer->model;

    call->transfer = NULL;
    model_transfer_destroy(transfer);
    call->on_done(call);
    unref(model);
}

static void submit(struct model_transfer *transfer);

static void again(struct model_transfer *transfer, unsigned wait_ms)
{
    const struct model *model = transfer->model;
    struct model_call *call = transfer->call;
    struct error why = {0};

    model_ending_tell(transfer, &model->service, &why);
    log_info("chat", "model %s at %s: %s, status %ld, request-id %s: attempt %u after %u ms",
             model->service.config.name, model->service.address, error_kind_name(why.kind),
             transfer->response.status, call->request_id[0] ? call->request_id : "none",
             transfer->attempt + 1, wait_ms);
    model_transfer_reset(transfer);
    event_stream_finish(&transfer->stream);
    event_stream_init(&transfer->stream, on_event, call);
    transfer->attempt++;
    transfer->wait_ms = wait_ms;
    if (call->on_wait)
        call->on_wait(call, transfer->attempt, wait_ms, why.text);
    submit(transfer);
}

static void done(struct workq_job *job)
{
    struct model_call *call = (struct model_call *)job;
    struct model_transfer *transfer = call->transfer;
    struct model *model = transfer->model;
    unsigned wait_ms;

    read_on(transfer);
    if (!call->message.ended && model->workq && model_ending_may_pass(transfer, &wait_ms)) {
        again(transfer, wait_ms);
        return;
    }
    if (!call->message.ended)
        model_ending_tell(transfer, &model->service, &call->err);
    model_ending_log(transfer, &model->service);
    TAILQ_REMOVE(&model->running, transfer, link);
    model->under_way--;
    start_next(model);
    finish(transfer);
}

static void work(struct workq_job *job, void *context)
{
    model_transfer_work(((struct model_call *)job)->transfer, context);
}

/* A call that never went out, or went out in vain: it ends as any other, in a task of the loop. */
static void run_unsent(void *arg)
{
    struct model_call *call = arg;

    model_ending_log(call->transfer, &call->transfer->model->service);
    finish(call->transfer);
}

static void end_unsent(struct model_transfer *transfer)
{
    struct model_call *call = transfer->call;

    call->job.task.run = run_unsent;
    call->job.task.arg = call;
    loop_queue_post(transfer->model->loop_queue, &call->job.task);
}

/* It is on the list of those that run. */
static void submit(struct model_transfer *transfer)
{
    struct model *model = transfer->model;
    struct model_call *call = transfer->call;

    if (workq_submit(model->workq, &call->job, &call->err) == 0)
        return;
    TAILQ_REMOVE(&model->running, transfer, link);
    model->under_way--;
    end_unsent(transfer);
}

static void start_next(struct model *model)
{
    struct model_transfer *next;

    while (model->workq && model->under_way < MODEL_REQUESTS_MAX &&
           (next = TAILQ_FIRST(&model->waiting))) {
        TAILQ_REMOVE(&model->waiting, next, link);
        model->waiting_count--;
        next->waits = false;
        TAILQ_INSERT_TAIL(&model->running, next, link);
        model->under_way++;
        submit(next);
    }
}

int model_call_start(struct model *model, struct model_call *call, struct error *err)
{
    struct model_transfer *transfer;

    if (model->service.unready[0])
        return error_set(err, ERROR_UNAVAILABLE, "%s", model->service.unready);
    if (call->body.len > MODEL_BODY_CAP)
        return error_set(err, ERROR_TOO_LARGE,
                         "the conversation is larger than %zu MiB. Begin a new one",
                         MODEL_BODY_CAP >> 20);
    if (model->waiting_count == MODEL_REQUESTS_WAIT)
        return error_set(err, ERROR_BUSY,
                         "%u questions are with the model and %u wait for it. Ask again in a "
                         "moment",
                         MODEL_REQUESTS_MAX, MODEL_REQUESTS_WAIT);
    if (!call->cancel)
        call->cancel = cancel_create(err);
    if (!call->cancel)
        return -1;
    transfer = model_transfer_create(call, &model->service.way, read_on, err);
    if (!transfer)
        return -1;
    call->transfer = transfer;
    call->job.work = work;
    call->job.done = done;
    model_message_init(&call->message);
    event_stream_init(&transfer->stream, on_event, call);
    transfer->model = model;
    model->references++;
    transfer->waits = true;
    TAILQ_INSERT_TAIL(&model->waiting, transfer, link);
    model->waiting_count++;
    start_next(model);
    return 0;
}

void model_call_cancel(struct model_call *call)
{
    struct model_transfer *transfer = call->transfer;

    if (!transfer)
        return;
    cancel_fire(call->cancel);
    if (!transfer->waits)
        return;
    transfer->waits = false;
    TAILQ_REMOVE(&transfer->model->waiting, transfer, link);
    transfer->model->waiting_count--;
    error_set(&call->err, ERROR_CANCELLED, "stopped");
    end_unsent(transfer);
}

void model_call_finish(struct model_call *call)
{
    buf_finish(&call->body);
    cancel_unref(call->cancel);
    call->cancel = NULL;
    model_message_finish(&call->message);
}

void model_destroy(struct model *model)
{
    struct model_transfer *transfer;
    struct workq *workq;

    if (!model)
        return;
    while ((transfer = TAILQ_FIRST(&model->waiting)))
        model_call_cancel(transfer->call);
    TAILQ_FOREACH(transfer, &model->running, link) cancel_fire(transfer->call->cancel);
    workq = model->workq;
    model->workq = NULL; /* nothing goes out any more */
    workq_destroy(workq);
    unref(model);
}
