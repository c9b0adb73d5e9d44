/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One MCP client as the protocol sees it: JSON-RPC messages in, messages out. No sockets, no
 * storage. Everything runs on the loop's thread. stdio has one peer; Streamable HTTP one for each
 * Mcp-Session-Id (transport keeps the table of them); WebSocket one a connection.
 */
#ifndef LECTERN_PROTOCOL_PEER_H
#define LECTERN_PROTOCOL_PEER_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "helpers/base/buf.h"
#include "helpers/base/error.h"
#include "mcp/server.h"

#define PEER_MESSAGE_CAP ((size_t)4 << 20) /* bytes of one incoming message */
#define PEER_CALLS_CAP   64                /* calls of one peer under way at once */
#define MESSAGE_ID_CAP   256 /* bytes of a request id or progress token that is text */

#define MESSAGE_OUT_CAP                                                                            \
    ((size_t)10 << 20) /* bytes of one outgoing message: TOOL_ANSWER_CAP, escaped, and             \
                          TOOL_IMAGE_BYTES */

enum message_error {
    MESSAGE_PARSE_ERROR = -32700,
    MESSAGE_INVALID_REQUEST = -32600,
    MESSAGE_METHOD_NOT_FOUND = -32601,
    MESSAGE_INVALID_PARAMS = -32602,
    MESSAGE_INTERNAL_ERROR = -32603,
    MESSAGE_REFUSED =
        -32000, /* by the transport or for want of room: JSON-RPC's range for servers */
};
/* Appends a whole JSON-RPC error. id NULL: null. */
void message_error(struct buf *to, const json_t *id, enum message_error code, const char *text);

bool protocol_version_known(const char *version);

struct peer;

/* Where the answers to one incoming message go: an HTTP exchange, or stdio itself. The receiver of
 * a message gives it; it must stay valid until `end` was called on it, or it was let go with
 * peer_forget. */
struct peer_reply {
    /* Set by the peer before send of a response: HTTP's status for it. 200, or 4xx where the
     * message as a whole is refused. */
    int http_status;
    /* One JSON-RPC message without a line end. A notification that belongs to the request
     * (progress), or its response. */
    void (*send)(struct peer_reply *reply, const char *json, size_t len, bool is_response);
    /* Nothing more will come. accepted: there was nothing to answer (a notification): HTTP's 202.
     */
    void (*end)(struct peer_reply *reply, bool accepted);
};

/* transport_name: static. bound_session: the one session this client may use, or NULL. Copied. */
struct peer *peer_create(struct server *server, const char *transport_name,
                         const char *bound_session, struct error *err);

/* One message: request, notification or response. Wrong JSON is answered with a JSON-RPC error
 * through reply. */
void peer_receive(struct peer *peer, const char *json, size_t len, struct peer_reply *reply);

/* The transport behind this reply is gone: what is still to come for it is thrown away; the calls
 * go on (a lost connection is no cancel in the legacy era). */
void peer_forget(struct peer *peer, struct peer_reply *reply);

bool peer_initialized(const struct peer *peer); /* it has sent initialize */
const char *
peer_version(const struct peer *peer);      /* agreed protocol version, or NULL before initialize */
size_t peer_calls(const struct peer *peer); /* under way */

/* Cancels what is under way; the memory goes when the last call has ended. Takes NULL. */
void peer_destroy(struct peer *peer);

#endif
