/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files of the methods use to answer.
 */
#include <stdarg.h>
#include <stdio.h>

#include "helpers/base/log.h"
#include "mcp/protocol/peer_internal.h"

enum method_outcome request_refuse(struct request *request, enum message_error code,
                                   const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(request->why, sizeof request->why, format, args);
    va_end(args);
    request->code = code;
    return METHOD_REFUSED;
}

void reply_respond(struct peer_reply *reply, const json_t *id, struct buf *message, int http_status)
{
    struct buf BUF_AUTO instead = {0};

    if (message->failed) {
        log_error("protocol", "an answer outgrew %zu bytes or was not UTF-8", message->cap);
        buf_init(&instead, MESSAGE_OUT_CAP);
        message_error(&instead, id, MESSAGE_INTERNAL_ERROR,
                      "the answer could not be sent: it is too large or not valid UTF-8");
        message = &instead;
        if (message->failed)
            return;
    }
    reply->http_status = http_status;
    reply->send(reply, message->data, message->len, PEER_RESPONSE);
}

void reply_refuse(struct peer_reply *reply, const json_t *id, int http_status,
                  enum message_error code, const char *text, const json_t *data)
{
    struct buf BUF_AUTO message = {0};

    buf_init(&message, MESSAGE_OUT_CAP);
    message_error_with(&message, id, code, text, data);
    reply_respond(reply, id, &message, http_status);
    reply->end(reply, false);
}
