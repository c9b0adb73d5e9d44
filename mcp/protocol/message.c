/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/protocol/message.h"

#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"

bool message_id_valid(const json_t *id)
{
    return json_is_integer(id) || (json_is_string(id) && json_string_length(id) <= MESSAGE_ID_CAP);
}

void message_refuse(struct message *message, enum message_error code, int http_status,
                    const char *why)
{
    message->kind = MESSAGE_INVALID;
    message->code = code;
    message->http_status = http_status;
    snprintf(message->why, sizeof message->why, "%s", why);
}

/* NULL, or what is wrong with the envelope of the message. */
static const char *check_envelope(const json_t *json)
{
    const json_t *id = json_object_get(json, "id");
    const char *jsonrpc = json_get_string(json, "jsonrpc");

    if (!json_is_object(json))
        return "a message must be a JSON object with \"jsonrpc\": \"2.0\" and \"method\"";
    if (!jsonrpc || strcmp(jsonrpc, "2.0") != 0)
        return "\"jsonrpc\" must be \"2.0\"";
    if (id && !message_id_valid(id))
        return "\"id\" must be a string of at most 256 bytes or an integer";
    if (json_object_get(json, "method") && !json_get_string(json, "method"))
        return "\"method\" must be a string";
    if (!json_object_get(json, "method") && !json_object_get(json, "result") &&
        !json_object_get(json, "error"))
        return "\"method\" must be a string";
    return NULL;
}

/* Members that clients send as null where they have nothing to send. */
static void drop_nulls(json_t *params)
{
    static const char *const names[] = {"arguments", "cursor", "context", "_meta"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (json_is_null(json_object_get(params, names[i])))
            json_object_del(params, names[i]);
}

static json_t *take_params(json_t *json)
{
    json_t *params = json_object_get(json, "params");

    if (json_is_null(params)) {
        json_object_del(json, "params");
        return NULL;
    }
    drop_nulls(params);
    return params;
}

static void take_parts(struct message *message)
{
    json_t *params = take_params(message->json);
    const json_t *id = json_object_get(message->json, "id");
    const char *wrong = check_envelope(message->json);

    if (json_is_array(message->json)) {
        message->kind = MESSAGE_BATCH;
        return;
    }
    message->id = message_id_valid(id) ? id : NULL;
    message->method = json_get_string(message->json, "method");
    message->kind = !message->method ? MESSAGE_RESPONSE
                    : id             ? MESSAGE_REQUEST
                                     : MESSAGE_NOTIFICATION;
    if (json_is_object(params))
        message->params = params;
    message->meta = json_object_get(message->params, "_meta");
    message->modern = json_object_get(message->meta, MESSAGE_VERSION_KEY) != NULL;
    if (wrong)
        message_refuse(message, MESSAGE_INVALID_REQUEST, 400, wrong);
    else if (message->method && params && !message->params)
        message_refuse(message, MESSAGE_INVALID_PARAMS, 400, "\"params\" must be an object");
}

/* Each value but the first of its container comes after a comma, and each first one after the
 * beginning of that container. So a short message needs no counting. */
static bool has_too_many_values(const char *json, size_t len)
{
    size_t values = 0;
    bool in_string = false;

    if (len / 2 < MESSAGE_VALUES_CAP)
        return false;
    for (size_t i = 0; i < len; i++) {
        char c = json[i];

        if (c == '"')
            in_string = !in_string;
        else if (in_string && c == '\\')
            i++;
        else if (!in_string && (c == ',' || c == '[' || c == '{'))
            values++;
    }
    return values > MESSAGE_VALUES_CAP;
}

void message_take(struct message *message, json_t *json)
{
    memset(message, 0, offsetof(struct message, why));
    message->json = json;
    take_parts(message);
}

void message_read(struct message *message, struct message_metas *metas, const char *json,
                  size_t len)
{
    struct error err = {0};

    memset(message, 0, offsetof(struct message, why));
    if (len > MESSAGE_IN_CAP) {
        error_set(&err, ERROR_TOO_LARGE, "a message must have at most %zu bytes; this one has %zu",
                  MESSAGE_IN_CAP, len);
        message_refuse(message, MESSAGE_INVALID_REQUEST, 413, err.text);
        return;
    }
    if (has_too_many_values(json, len)) {
        error_set(&err, ERROR_TOO_LARGE,
                  "a message must have at most %zu values: send its parts in several messages",
                  MESSAGE_VALUES_CAP);
        message_refuse(message, MESSAGE_INVALID_REQUEST, 413, err.text);
        return;
    }
    message->json = metas ? message_metas_read(metas, json, len) : NULL;
    if (!message->json)
        message->json = json_read(json, len, "the message", &err);
    if (message->json)
        take_parts(message);
    else
        message_refuse(message, MESSAGE_PARSE_ERROR, 400, err.text);
}

void message_finish(struct message *message)
{
    json_decref(message->json);
    message->json = NULL;
}

/* ---- writing ---- */

static void begin_answer(struct buf *to, const json_t *id)
{
    buf_adds(to, "{\"jsonrpc\":\"2.0\",\"id\":");
    if (id)
        json_write(to, id);
    else
        buf_adds(to, "null");
}

void message_begin_result(struct buf *to, const json_t *id)
{
    begin_answer(to, id);
    buf_adds(to, ",\"result\":");
}

void message_begin_notification(struct buf *to, const char *method)
{
    buf_addf(to, "{\"jsonrpc\":\"2.0\",\"method\":\"%s\",\"params\":", method);
}

void message_begin_request(struct buf *to, const char *id, const char *method)
{
    buf_addf(to, "{\"jsonrpc\":\"2.0\",\"id\":\"%s\",\"method\":", id);
    json_write_string(to, method, strlen(method));
    buf_adds(to, ",\"params\":");
}

void message_error_with(struct buf *to, const json_t *id, enum message_error code, const char *text,
                        const json_t *data)
{
    begin_answer(to, id);
    buf_addf(to, ",\"error\":{\"code\":%d,\"message\":", (int)code);
    json_write_string(to, text, strlen(text));
    if (data) {
        buf_adds(to, ",\"data\":");
        json_write(to, data);
    }
    buf_adds(to, "}}");
}

void message_error(struct buf *to, const json_t *id, enum message_error code, const char *text)
{
    message_error_with(to, id, code, text, NULL);
}
