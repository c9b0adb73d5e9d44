/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/chat/model_transfer.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONNECT_MS    10000u
#define FULL_SLICE_MS 10 /* how often it is asked whether the loop has made room */

struct model_transfer *model_transfer_create(struct model_call *call, const struct model_way *way,
                                             void (*on_bytes)(void *transfer), struct error *err)
{
    struct model_transfer *transfer = calloc(1, sizeof *transfer);

    if (!transfer) {
        error_set(err, ERROR_MEMORY, "out of memory for a question to the model");
        return NULL;
    }
    transfer->enough = cancel_create(err);
    if (!transfer->enough) {
        free(transfer);
        return NULL;
    }
    transfer->call = call;
    transfer->way = way;
    transfer->attempt = 1;
    transfer->task.run = on_bytes;
    transfer->task.arg = transfer;
    buf_init(&transfer->unread, MODEL_UNREAD_CAP);
    pthread_mutex_init(&transfer->lock, NULL);
    return transfer;
}

void model_transfer_destroy(struct model_transfer *transfer)
{
    if (!transfer)
        return;
    event_stream_finish(&transfer->stream);
    http_response_finish(&transfer->response);
    buf_finish(&transfer->unread);
    buf_finish(&transfer->reading);
    cancel_unref(transfer->enough);
    pthread_mutex_destroy(&transfer->lock);
    free(transfer);
}

void model_transfer_reset(struct model_transfer *transfer)
{
    http_response_finish(&transfer->response);
    memset(&transfer->response, 0, sizeof transfer->response);
    memset(&transfer->err, 0, sizeof transfer->err);
    memset(&transfer->headers, 0, sizeof transfer->headers);
    transfer->bytes = 0;
}

static bool is_over(const struct model_transfer *transfer)
{
    return cancel_fired(transfer->call->cancel) || cancel_fired(transfer->enough);
}

/* Until the loop has made room for so many bytes; meanwhile the service has to wait. */
static void wait_for_room(struct model_transfer *transfer, size_t len)
{
    struct pollfd fired[] = {{.fd = cancel_fd(transfer->call->cancel), .events = POLLIN},
                             {.fd = cancel_fd(transfer->enough), .events = POLLIN}};

    while (transfer->unread.len + len > MODEL_UNREAD_CAP && !is_over(transfer)) {
        pthread_mutex_unlock(&transfer->lock);
        poll(fired, 2, FULL_SLICE_MS);
        pthread_mutex_lock(&transfer->lock);
    }
}

static int on_bytes(void *user, const char *bytes, size_t len)
{
    struct model_transfer *transfer = user;
    bool failed;

    transfer->bytes += len;
    pthread_mutex_lock(&transfer->lock);
    wait_for_room(transfer, len);
    if (is_over(transfer)) {
        pthread_mutex_unlock(&transfer->lock);
        return 0;
    }
    buf_add(&transfer->unread, bytes, len);
    failed = transfer->unread.failed;
    if (!transfer->mail_under_way) {
        transfer->mail_under_way = true;
        loop_queue_post(transfer->way->loop_queue, &transfer->task);
    }
    pthread_mutex_unlock(&transfer->lock);
    return failed;
}

bool model_transfer_take(struct model_transfer *transfer)
{
    struct buf other;

    buf_clear(&transfer->reading);
    pthread_mutex_lock(&transfer->lock);
    other = transfer->reading;
    transfer->reading = transfer->unread;
    transfer->unread = other;
    transfer->unread.cap = MODEL_UNREAD_CAP;
    transfer->mail_under_way = false;
    pthread_mutex_unlock(&transfer->lock);
    return transfer->reading.len > 0;
}

static void keep_header(struct http_client *client, const char *name, char *to, size_t size)
{
    const char *value = http_client_header(client, name);

    snprintf(to, size, "%s", value && strlen(value) < size ? value : "");
}

static void keep_headers(struct model_transfer *transfer, struct http_client *client)
{
    struct model_headers *headers = &transfer->headers;

    keep_header(client, "request-id", transfer->call->request_id,
                sizeof transfer->call->request_id);
    keep_header(client, "x-should-retry", headers->should_retry, sizeof headers->should_retry);
    keep_header(client, "retry-after-ms", headers->retry_after_ms, sizeof headers->retry_after_ms);
    keep_header(client, "retry-after", headers->retry_after, sizeof headers->retry_after);
}

void model_transfer_work(struct model_transfer *transfer, struct http_client *client)
{
    const struct http_request request = {
        .method = "POST",
        .url = transfer->way->url,
        .headers = transfer->way->headers,
        .body = transfer->call->body.data,
        .body_len = transfer->call->body.len,
        .connect_ms = CONNECT_MS,
        .total_ms = MODEL_REQUEST_MS,
        .silent_ms = transfer->way->local ? 0 : MODEL_SILENT_MS,
        .direct = transfer->way->local,
        .cancel = transfer->call->cancel,
        .enough = transfer->enough,
        .response_cap = MODEL_REFUSAL_CAP,
        .on_bytes = on_bytes,
        .user = transfer,
    };
    struct pollfd fired = {.fd = cancel_fd(transfer->call->cancel), .events = POLLIN};

    if (transfer->wait_ms > 0)
        poll(&fired, 1, (int)transfer->wait_ms);
    if (cancel_check(transfer->call->cancel, &transfer->err) < 0)
        return;
    if (http_send(client, &request, &transfer->response, &transfer->err) < 0)
        transfer->response.body.failed = false; /* what there is of it still tells */
    keep_headers(transfer, client);
}
