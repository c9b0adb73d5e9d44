/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * JSON-RPC 2.0 messages as text: responses, errors, notifications. Pure.
 */
#ifndef LECTERN_PROTOCOL_MESSAGE_H
#define LECTERN_PROTOCOL_MESSAGE_H

#include <stdbool.h>

#include <jansson.h>

#include "helpers/base/buf.h"

#define MESSAGE_OUT_CAP                                                                            \
    ((size_t)10 << 20)     /* bytes of one outgoing message: TOOL_ANSWER_CAP, escaped, and         \
                              TOOL_IMAGE_BYTES */
#define MESSAGE_ID_CAP 256 /* bytes of a request id or progress token that is text */

enum message_error {
    MESSAGE_PARSE_ERROR = -32700,
    MESSAGE_INVALID_REQUEST = -32600,
    MESSAGE_METHOD_NOT_FOUND = -32601,
    MESSAGE_INVALID_PARAMS = -32602,
    MESSAGE_INTERNAL_ERROR = -32603,
    MESSAGE_REFUSED =
        -32000, /* by the transport or for want of room: JSON-RPC's range for servers */
};

/* A text or an integer, and not too long: what may be a request's id or a progress token. */
bool message_id_valid(const json_t *id);
/* Equal as JSON: 1 is not "1". */
bool message_id_equal(const json_t *a, const json_t *b);

/* {"jsonrpc":"2.0","id":ID,"result":  and after the result's own text message_end closes it. */
void message_begin_result(struct buf *to, const json_t *id);
/* {"jsonrpc":"2.0","method":METHOD,"params": */
void message_begin_notification(struct buf *to, const char *method);
void message_end(struct buf *to);

/* A whole error. id NULL: null. */
void message_error(struct buf *to, const json_t *id, enum message_error code, const char *text);

/* How many bytes of an outside text to show in an error ("%.*s"): at most 100, cut at a UTF-8
 * boundary. */
int message_show(const char *text);

#endif
