/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/chat/model_ending.h"

#include <sys/random.h>
#include <time.h>

#include "helpers/base/log.h"
#include "mcp/chat/model_fault.h"
#include "mcp/chat/model_retry.h"

static double chance(void)
{
    uint32_t number = 0;

    /* Without it they merely all wait as long as they may. */
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) != (ssize_t)sizeof number)
        return 0;
    return number / (double)UINT32_MAX;
}

static const char *or_null(const char *text)
{
    return text[0] ? text : NULL;
}

bool model_ending_may_pass(const struct model_transfer *transfer, unsigned *wait_ms)
{
    long status = transfer->response.status;
    struct model_attempt attempt = {
        .number = transfer->attempt,
        .status = status,
        .should_retry = or_null(transfer->headers.should_retry),
        .retry_after_ms = or_null(transfer->headers.retry_after_ms),
        .retry_after = or_null(transfer->headers.retry_after),
    };

    if (transfer->call->message.events > 0 || cancel_fired(transfer->enough) ||
        cancel_fired(transfer->call->cancel))
        return false;
    if (status < 300) { /* the connection, or an answer that is none */
        if (transfer->err.kind == ERROR_NONE && transfer->bytes > 0)
            return false;
        if (transfer->response.fault == HTTP_FAULT_TLS || transfer->err.kind == ERROR_INVALID ||
            transfer->err.kind == ERROR_MEMORY)
            return false;
        if (transfer->response.fault == HTTP_FAULT_LATER && transfer->err.kind == ERROR_TIMEOUT)
            return false; /* minutes have gone by already */
        attempt.status = 0;
    }
    return model_retry(&attempt, time(NULL), chance(), wait_ms);
}

void model_ending_tell(const struct model_transfer *transfer, const struct model_service *service,
                       struct error *err)
{
    const struct model_call *call = transfer->call;

    if (cancel_fired(call->cancel))
        error_set(err, ERROR_CANCELLED, "stopped");
    else if (transfer->stream_err.kind != ERROR_NONE)
        *err = transfer->stream_err;
    else if (call->message.events > 0 && transfer->err.kind == ERROR_NONE)
        error_set(err, ERROR_IO,
                  "the model's service ended its answer in the middle. Ask again; what had come is "
                  "kept");
    else
        model_fault_tell(transfer, service, err);
    /* A service may say in its answer what it was sent. */
    model_fault_hide(err->text, service->config.key);
    model_fault_hide(err->text, service->config.auth_token);
}

void model_ending_log(const struct model_transfer *transfer, const struct model_service *service)
{
    const struct model_call *call = transfer->call;
    bool quiet = call->err.kind == ERROR_NONE || call->err.kind == ERROR_CANCELLED;
    const char *outcome = call->err.kind == ERROR_NONE ? model_stop_name(call->message.stop)
                                                       : error_kind_name(call->err.kind);

    log_line(quiet ? LOG_INFO : LOG_WARNING, "chat",
             "model %s at %s: %s%s%s, status %ld, request-id %s, attempts %u, tokens in %lld "
             "(cached %lld, written to the cache %lld), out %lld",
             service->config.name, service->address, outcome,
             call->message.error_type[0] ? " " : "", call->message.error_type,
             transfer->response.status, call->request_id[0] ? call->request_id : "none",
             transfer->attempt, (long long)model_usage_input(&call->message.usage),
             (long long)call->message.usage.cache_read, (long long)call->message.usage.cache_write,
             (long long)call->message.usage.output);
}
