/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/chat/model_fault.h"

#include <string.h>
#include <time.h>

#include "helpers/base/json.h"
#include "mcp/chat/model_refusal.h"
#include "mcp/chat/model_retry.h"

#define TELLING_LEN 8u /* characters of a key's beginning that are hidden too */

void model_fault_hide(char *text, const char *secret)
{
    size_t whole = secret ? strlen(secret) : 0;
    size_t least = whole < TELLING_LEN ? whole : TELLING_LEN;
    char *at = text;

    while (whole > 0 && *at) {
        size_t same = 0;

        while (same < whole && at[same] == secret[same])
            same++;
        if (same >= least)
            memset(at, '*', same);
        at += same >= least ? same : 1;
    }
}

/* Of an error's body: {"error": {"type", "message"}} as the API says it, {"error": "words"}, or
 * words alone. A page of HTML says nothing. */
static json_t *read_refusal(const struct buf *body, struct model_refusal *refusal)
{
    json_t *value = body->len > 0 ? json_read(body->data, body->len, "an answer", NULL) : NULL;
    const json_t *error = json_object_get(value, "error");

    if (json_is_object(error)) {
        refusal->type = json_get_string(error, "type");
        refusal->message = json_get_string(error, "message");
    } else if (json_is_string(error)) {
        refusal->message = json_string_value(error);
    } else if (!value && body->len > 0 && body->data[strspn(body->data, " \t\r\n")] != '<') {
        value = json_stringn(body->data, body->len); /* NULL where it is no UTF-8 */
        refusal->message = json_string_value(value);
    }
    return value;
}

static int tell_refusal(const struct model_transfer *transfer, const struct model_service *service,
                        struct error *err)
{
    struct model_refusal refusal = {.status = transfer->response.status,
                                    .model = service->config.name,
                                    .address = service->address,
                                    .credential = model_service_credential(service)};
    const struct model_attempt attempt = {
        .retry_after_ms = transfer->headers.retry_after_ms,
        .retry_after = transfer->headers.retry_after,
    };
    json_t *value = read_refusal(&transfer->response.body, &refusal);

    refusal.asked_ms = model_retry_asked(&attempt, time(NULL));
    model_refusal_tell(&refusal, err);
    json_decref(value);
    return -1;
}

static int tell_later(const struct model_transfer *transfer, struct error *err)
{
    if (transfer->err.kind == ERROR_TIMEOUT)
        return error_set(err, ERROR_TIMEOUT,
                         "the model's service took too long (%u s without a word, or %u s in all). "
                         "Ask again, or ask for less at once",
                         MODEL_SILENT_MS / 1000, MODEL_REQUEST_MS / 1000);
    if (transfer->err.kind == ERROR_MEMORY)
        return error_set(err, ERROR_MEMORY, "out of memory for the model's answer");
    return error_set(
        err, ERROR_IO,
        "the connection to the model's service was lost%s. Ask again; what had come is "
        "kept",
        transfer->bytes > 0 ? " in the middle of its answer" : " before it answered");
}

/* curl's words stand behind the address. */
static const char *reason_of(const struct model_transfer *transfer)
{
    const char *text = transfer->err.text;
    size_t len = strlen(transfer->way->url);

    if (strncmp(text, transfer->way->url, len) == 0 && strncmp(text + len, ": ", 2) == 0)
        return text + len + 2;
    return "no reason given";
}

static int tell_connection(const struct model_transfer *transfer,
                           const struct model_service *service, struct error *err)
{
    if (transfer->err.kind == ERROR_INVALID)
        return error_set(err, ERROR_UNAVAILABLE,
                         "'%s' is no address of a model's service: --llm-url wants "
                         "http://HOST:PORT or https://HOST",
                         service->address);
    switch (transfer->response.fault) {
    case HTTP_FAULT_ADDRESS:
        return error_set(err, ERROR_UNAVAILABLE,
                         "there is no host of that name: %s. Check --llm-url (or "
                         "ANTHROPIC_BASE_URL) and the network",
                         service->address);
    case HTTP_FAULT_CONNECT:
        return error_set(err, ERROR_UNAVAILABLE,
                         "nobody answers at %s. Start the model's service there, or say with "
                         "--llm-url (or ANTHROPIC_BASE_URL) where it is",
                         service->address);
    case HTTP_FAULT_TLS:
        return error_set(err, ERROR_UNAVAILABLE,
                         "no safe connection to %s can be made: %s. Check this machine's clock and "
                         "its certificate authorities (package ca-certificates), or --llm-url",
                         service->address, reason_of(transfer));
    case HTTP_FAULT_NONE:
    case HTTP_FAULT_LATER:
        break;
    }
    return tell_later(transfer, err);
}

int model_fault_tell(const struct model_transfer *transfer, const struct model_service *service,
                     struct error *err)
{
    long status = transfer->response.status;

    if (status >= 300)
        return tell_refusal(transfer, service, err);
    if (transfer->err.kind != ERROR_NONE)
        return tell_connection(transfer, service, err);
    if (transfer->bytes == 0)
        return tell_later(transfer, err);
    return error_set(err, ERROR_MALFORMED,
                     "what answers at %s does not speak the Messages API. Check --llm-url (or "
                     "ANTHROPIC_BASE_URL): it wants the address in front of /v1/messages",
                     service->address);
}
