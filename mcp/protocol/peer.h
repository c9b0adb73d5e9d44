/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One MCP client: JSON-RPC messages in and out. No sockets, no storage. Everything runs on the
 * loop's thread. stdio has one peer, Streamable HTTP has one for each Mcp-Session-Id (in a table of
 * the transport), and WebSocket has one for each connection.
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
#define PEER_CALLS_CAP   64                /* concurrent calls of one peer */
#define MESSAGE_ID_CAP   256 /* bytes of a request id or progress token that is a string */

#define MESSAGE_OUT_CAP                                                                            \
    ((size_t)10 << 20) /* bytes of one outgoing message: TOOL_ANSWER_CAP, escaped, and             \
                          TOOL_IMAGE_BYTES */

enum message_error {
    MESSAGE_PARSE_ERROR = -32700,
    MESSAGE_INVALID_REQUEST = -32600,
    MESSAGE_METHOD_NOT_FOUND = -32601,
    MESSAGE_INVALID_PARAMS = -32602,
    MESSAGE_INTERNAL_ERROR = -32603,
    MESSAGE_REFUSED = -32000, /* by the transport, or at a limit: in JSON-RPC's range for servers */
};
/* Appends a complete JSON-RPC error. id NULL writes null. */
void message_error(struct buf *to, const json_t *id, enum message_error code, const char *text);

bool protocol_version_known(const char *version);

struct peer;

/* The destination of the answers to one incoming message: an HTTP exchange, or stdio. It is passed
 * with the message, and must stay valid until `end` was called on it, or until peer_forget. */
struct peer_reply {
    /* Set by the peer before it sends a response: its HTTP status. 200, or 4xx if the message as a
     * whole is refused. */
    int http_status;
    /* Sends one JSON-RPC message without a line end: the response to the request, or a notification
     * that belongs to it (progress). */
    void (*send)(struct peer_reply *reply, const char *json, size_t len, bool is_response);
    /* Nothing more will be sent. accepted: there was nothing to answer (a notification): HTTP's
     * 202. */
    void (*end)(struct peer_reply *reply, bool accepted);
};

/* transport_name is static. bound_session is the only session that this client may use, or NULL; it
 * is copied. */
struct peer *peer_create(struct server *server, const char *transport_name,
                         const char *bound_session, struct error *err);

/* Handles one request, notification or response. Invalid JSON is answered with a JSON-RPC error
 * through reply. */
void peer_receive(struct peer *peer, const char *json, size_t len, struct peer_reply *reply);

/* The transport behind this reply is gone. Discards what would be sent to it; the calls continue
 * (in the legacy era a lost connection is not a cancellation). */
void peer_forget(struct peer *peer, struct peer_reply *reply);

bool peer_initialized(const struct peer *peer); /* it has sent initialize */
const char *
peer_version(const struct peer *peer);      /* agreed protocol version, or NULL before initialize */
size_t peer_calls(const struct peer *peer); /* running */

/* Cancels the running calls; the memory is freed when the last one has ended. Takes NULL. */
void peer_destroy(struct peer *peer);

#endif
