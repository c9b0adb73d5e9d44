/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/broker.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/cleanup.h"
#include "helpers/base/json.h"

#define REQUEST_ID_SIZE  4u
#define ANSWER_HEAD_SIZE 6u /* request id, status */

struct loop_handle {
    pthread_mutex_t lock;
    struct loop_queue *loop_queue; /* NULL once closed */
    unsigned references;
};

struct loop_handle *loop_handle_create(struct loop_queue *loop_queue, struct error *err)
{
    struct loop_handle *loop_handle = calloc(1, sizeof *loop_handle);

    if (!loop_handle) {
        error_set(err, ERROR_MEMORY, "out of memory for the executor");
        return NULL;
    }
    pthread_mutex_init(&loop_handle->lock, NULL);
    loop_handle->loop_queue = loop_queue;
    loop_handle->references = 1;
    return loop_handle;
}

void loop_handle_close(struct loop_handle *loop_handle)
{
    pthread_mutex_lock(&loop_handle->lock);
    loop_handle->loop_queue = NULL;
    pthread_mutex_unlock(&loop_handle->lock);
}

static void loop_handle_ref(struct loop_handle *loop_handle)
{
    pthread_mutex_lock(&loop_handle->lock);
    loop_handle->references++;
    pthread_mutex_unlock(&loop_handle->lock);
}

void loop_handle_unref(struct loop_handle *loop_handle)
{
    bool last;

    if (!loop_handle)
        return;
    pthread_mutex_lock(&loop_handle->lock);
    last = --loop_handle->references == 0;
    pthread_mutex_unlock(&loop_handle->lock);
    if (!last)
        return;
    pthread_mutex_destroy(&loop_handle->lock);
    free(loop_handle);
}

/* Returns false if it is closed; the caller keeps the task then. */
static bool loop_handle_post(struct loop_handle *loop_handle, struct loop_task *task)
{
    bool open;

    pthread_mutex_lock(&loop_handle->lock);
    open = loop_handle->loop_queue != NULL;
    if (open)
        loop_queue_post(loop_handle->loop_queue, task);
    pthread_mutex_unlock(&loop_handle->lock);
    return open;
}

struct broker_request {
    LIST_ENTRY(broker_request) link;
    struct broker *broker;           /* NULL once the run has ended; used on the loop only */
    struct loop_handle *loop_handle; /* a reference */
    struct loop_task task;
    struct cancel *cancel;     /* a reference; NULL until requested */
    uint64_t due;              /* uv_now */
    char *session_id, *target; /* NULL of a case */
    char *body;                /* of a case: NUL-terminated */
    size_t body_len;
    uint32_t id;
    char *frame; /* the answer */
    size_t frame_len;
};

const char *broker_request_session(const struct broker_request *request)
{
    return request->session_id;
}

const char *broker_request_target(const struct broker_request *request)
{
    return request->target;
}

const char *broker_request_body(const struct broker_request *request, size_t *len)
{
    *len = request->body_len;
    return request->body;
}

struct cancel *broker_request_cancel(struct broker_request *request)
{
    if (!request->cancel)
        request->cancel = cancel_create(NULL);
    return request->cancel ? cancel_ref(request->cancel) : NULL;
}

static void free_request(struct broker_request *request)
{
    cancel_unref(request->cancel);
    loop_handle_unref(request->loop_handle);
    free(request->session_id);
    free(request->target);
    free(request->body);
    free(request->frame);
    free(request);
}

/* Returns an owned frame, or NULL if out of memory. */
static char *pack_answer(uint32_t id, int status, const char *body, size_t len, size_t *frame_len)
{
    char *frame = malloc(FRAME_HEAD_SIZE + ANSWER_HEAD_SIZE + len);

    if (!frame)
        return NULL;
    frame_pack((unsigned char *)frame, FRAME_ANSWER, (uint32_t)(ANSWER_HEAD_SIZE + len));
    frame_put_u32((unsigned char *)frame + FRAME_HEAD_SIZE, id);
    frame[FRAME_HEAD_SIZE + 4] = (char)(status >> 8);
    frame[FRAME_HEAD_SIZE + 5] = (char)status;
    if (len > 0)
        memcpy(frame + FRAME_HEAD_SIZE + ANSWER_HEAD_SIZE, body, len);
    *frame_len = FRAME_HEAD_SIZE + ANSWER_HEAD_SIZE + len;
    return frame;
}

/* An error in the form of the session API: {"detail": text}. */
static char *pack_refusal(uint32_t id, int status, const char *detail, size_t *frame_len)
{
    BUF_AUTO struct buf body;
    char *frame = NULL;

    buf_init(&body, FRAME_STATUS_CAP);
    buf_adds(&body, "{\"detail\":");
    json_write_string(&body, detail, strlen(detail));
    buf_adds(&body, "}");
    if (!body.failed)
        frame = pack_answer(id, status, body.data, body.len, frame_len);
    return frame;
}

static int refuse_request(struct broker *broker, uint32_t id, int status, const char *detail,
                          struct error *err)
{
    size_t len = 0;
    char *frame = pack_refusal(id, status, detail, &len);

    if (!frame)
        return error_set(err, ERROR_MEMORY, "out of memory for an answer");
    return broker->send(broker, frame, len);
}

/* Cancels the work on it. A later answer is dropped. */
static void forget(struct broker *broker, struct broker_request *request)
{
    LIST_REMOVE(request, link);
    request->broker = NULL;
    broker->in_flight--;
    if (request->cancel)
        cancel_fire(request->cancel);
}

/* ---- the time limit of a request ---- */

static void on_clock(uv_timer_t *timer)
{
    struct broker *broker = container_of(timer, struct broker, timer);
    struct broker_request *request = LIST_FIRST(&broker->waiting), *next;
    uint64_t now = uv_now(timer->loop), due = UINT64_MAX;
    char detail[200];

    snprintf(detail, sizeof detail,
             "this took longer than %u ms and was given up: ask for less at once (a limit, one "
             "node, a page), or compute it here",
             broker->limits->request_ms);
    for (; request; request = next) {
        uint32_t id = request->id;

        next = LIST_NEXT(request, link);
        if (request->due > now) {
            due = request->due < due ? request->due : due;
            continue;
        }
        forget(broker, request);
        if (refuse_request(broker, id, 504, detail, NULL) < 0)
            return; /* the sandbox is broken and the broker has ended */
    }
    if (due != UINT64_MAX)
        uv_timer_start(timer, on_clock, due - now, 0);
}

static void start_clock(struct broker *broker, struct broker_request *request)
{
    uv_loop_t *loop = broker->timer.loop;

    uv_update_time(loop);
    request->due = uv_now(loop) + broker->limits->request_ms;
    if (!uv_is_active((uv_handle_t *)&broker->timer))
        uv_timer_start(&broker->timer, on_clock, broker->limits->request_ms, 0);
}

/* ---- answers ---- */

/* Runs on the loop when the answer has arrived. */
static void run_answer(void *arg)
{
    struct broker_request *request = arg;
    struct broker *broker = request->broker;
    char *frame = request->frame;
    size_t len = request->frame_len;

    request->frame = NULL;
    if (broker) {
        LIST_REMOVE(request, link);
        broker->in_flight--;
        if (len > broker->limits->answer_bytes - broker->answer_bytes) {
            free(frame);
            frame = pack_refusal(
                request->id, 413,
                "the answers of this run are larger than a run may read: ask for less, or by pages",
                &len);
        } else {
            broker->answer_bytes += len;
        }
        broker->send(broker, frame, len);
    } else {
        free(frame);
    }
    free_request(request);
}

void executor_answer(struct broker_request *request, int status, const char *body, size_t len)
{
    if (len > BROKER_ANSWER_BODY_CAP)
        request->frame =
            pack_refusal(request->id, 413, "the answer is larger than 64 MB: ask for it by pages",
                         &request->frame_len);
    else
        request->frame = pack_answer(request->id, status, body, len, &request->frame_len);
    if (!request->frame)
        request->frame =
            pack_refusal(request->id, 500, "the server is out of memory", &request->frame_len);
    request->task.run = run_answer;
    request->task.arg = request;
    if (!loop_handle_post(request->loop_handle, &request->task))
        free_request(request);
}

/* text is the target of a request, or the body of a case. */
static struct broker_request *create_request(struct broker *broker, uint32_t id, bool is_case,
                                             const char *text, size_t len)
{
    struct broker_request *request = calloc(1, sizeof *request);

    if (!request)
        return NULL;
    loop_handle_ref(broker->loop_handle);
    request->loop_handle = broker->loop_handle;
    request->id = id;
    if (is_case) {
        request->body = strndup(text, len);
        request->body_len = request->body ? strlen(request->body) : 0;
    } else {
        request->session_id = strdup(broker->session_id);
        request->target = strndup(text, len);
    }
    if (!request->body && (!request->session_id || !request->target)) {
        free_request(request);
        return NULL;
    }
    start_clock(broker, request);
    request->broker = broker;
    LIST_INSERT_HEAD(&broker->waiting, request, link);
    broker->in_flight++;
    return request;
}

int broker_take(struct broker *broker, const struct frame *frame, struct error *err)
{
    struct broker_request *request;
    const char *text = frame->payload + REQUEST_ID_SIZE;
    uint32_t id;

    if (frame->len < REQUEST_ID_SIZE)
        return error_set(err, ERROR_MALFORMED, "a request of %zu bytes", frame->len);
    id = frame_get_u32(frame->payload);
    if (frame->type == FRAME_CASE) {
        if (!broker->on_case)
            return refuse_request(broker, id, 405, "this run has no cases", err);
        if (broker->in_flight > 0)
            return error_set(err, ERROR_MALFORMED, "a case before the answer to the last");
        request = create_request(broker, id, true, text, frame->len - REQUEST_ID_SIZE);
        if (!request)
            return error_set(err, ERROR_MEMORY, "out of memory for a case");
        broker->on_case(broker->user, request);
        return 0;
    }
    if (++broker->requests > broker->limits->requests) {
        if (broker->requests > broker->limits->requests + BROKER_OVER_CAP_MAX)
            return error_set(err, ERROR_TOO_LARGE,
                             "the code sent %zu requests and was ended: read in bulk",
                             broker->requests);
        return refuse_request(
            broker, id, 403,
            "too many requests in one run: read in bulk, for instance all nodes at once", err);
    }
    if (!request_is_get(text, frame->len - REQUEST_ID_SIZE))
        return refuse_request(broker, id, 405,
                              "only reading is allowed here: GET and a path without spaces", err);
    if (!broker->session_id || !broker->on_request)
        return refuse_request(broker, id, 401,
                              "this run has no session: name one when the code is sent", err);
    if (broker->in_flight >= BROKER_IN_FLIGHT_CAP)
        return refuse_request(broker, id, 429, "too many requests at once: wait for answers first",
                              err);
    request = create_request(broker, id, false, text + 4, frame->len - REQUEST_ID_SIZE - 4);
    if (!request)
        return error_set(err, ERROR_MEMORY, "out of memory for a request");
    broker->on_request(broker->user, request);
    return 0;
}

void broker_end(struct broker *broker)
{
    struct broker_request *request;

    while ((request = LIST_FIRST(&broker->waiting)))
        forget(broker, request);
    uv_timer_stop(&broker->timer);
}
