/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One message of JSON-RPC 2.0 (jsonrpc.org/specification), read and written. What the methods mean
 * is not known here.
 */
#ifndef LECTERN_PROTOCOL_MESSAGE_H
#define LECTERN_PROTOCOL_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "helpers/base/buf.h"
#include "helpers/base/error.h"

#define MESSAGE_IN_CAP     ((size_t)4 << 20) /* bytes of one incoming message */
#define MESSAGE_VALUES_CAP ((size_t)1 << 17) /* JSON values in it, which take time to make */
#define MESSAGE_ID_CAP     256 /* bytes of a request id or progress token that is a string */
#define MESSAGE_OUT_CAP                                                                            \
    ((size_t)10 << 20) /* bytes of one outgoing message: TOOL_ANSWER_CAP, escaped, and             \
                          TOOL_IMAGE_BYTES */

/* The codes below -32019 are of the revision 2026-07-28 (schema.ts, "MCP error codes"). */
enum message_error {
    MESSAGE_PARSE_ERROR = -32700,
    MESSAGE_INVALID_REQUEST = -32600,
    MESSAGE_METHOD_NOT_FOUND = -32601,
    MESSAGE_INVALID_PARAMS = -32602,
    MESSAGE_INTERNAL_ERROR = -32603,
    MESSAGE_REFUSED = -32000, /* by the transport, or at a limit: in JSON-RPC's range for servers */
    MESSAGE_NO_RESOURCE = -32002, /* resource not found, until 2025-11-25 */
    MESSAGE_HEADER_MISMATCH = -32020,
    MESSAGE_NO_CAPABILITY = -32021, /* the client has not declared one that is needed */
    MESSAGE_NO_VERSION = -32022,    /* an unknown protocol version */
};

enum message_kind {
    MESSAGE_REQUEST,
    MESSAGE_NOTIFICATION,
    MESSAGE_RESPONSE,
    MESSAGE_BATCH,   /* json is an array of messages, each to be taken by message_take */
    MESSAGE_INVALID, /* code, http_status and why say what is wrong */
};

struct message {
    json_t *json; /* owned; NULL if it could not be parsed */
    enum message_kind kind;
    const char *method; /* of a request or notification; borrowed from json, as what follows */
    const json_t *id;   /* valid, or NULL */
    json_t *params;     /* an object, or NULL if missing */
    const json_t *meta; /* params._meta, an object, or NULL */
    /* It carries the protocol version itself: it is of a revision without sessions. */
    bool modern;

    enum message_error code;
    int http_status;
    char why[ERROR_TEXT_CAP];
};

/* The key in _meta that makes a message modern (2026-07-28, RequestMetaObject). */
#define MESSAGE_VERSION_KEY "io.modelcontextprotocol/protocolVersion"

/* The newest params._meta of messages, parsed (message_meta.c). Zeroed: none. The messages that are
 * read with them share their values, which must not be changed. */
#define MESSAGE_METAS_CAP 16u
struct message_metas {
    struct message_meta {
        char *text; /* owned; NULL: free */
        size_t len;
        json_t *value; /* owned */
    } kept[MESSAGE_METAS_CAP];
    size_t next; /* the next to give way */
};
/* The same as parsing the text whole, a new reference; NULL: it has to be parsed whole. */
json_t *message_metas_read(struct message_metas *metas, const char *json, size_t len);
void message_metas_finish(struct message_metas *metas);

/* Parses and checks the envelope. Always sets *message; the caller must call message_finish. metas
 * may be NULL. */
void message_read(struct message *message, struct message_metas *metas, const char *json,
                  size_t len);
/* The same for JSON that is read already, such as a message of a batch; the reference is taken. */
void message_take(struct message *message, json_t *json);
/* Makes it an invalid one. */
void message_refuse(struct message *message, enum message_error code, int http_status,
                    const char *why);
void message_finish(struct message *message);

/* A text or an integer, and not too long: what may be a request's id or a progress token. */
/* Also one that is invalid: it is never answered. */
static inline bool message_is_notification(const struct message *message)
{
    return message->method && !json_object_get(message->json, "id");
}

bool message_id_valid(const json_t *id);

/* Append a message up to its result or params, which the caller adds with a closing brace. id NULL
 * writes null. */
void message_begin_result(struct buf *to, const json_t *id);
void message_begin_notification(struct buf *to, const char *method);
void message_begin_request(struct buf *to, const char *id, const char *method);

/* Appends a complete JSON-RPC error. data may be NULL. */
void message_error(struct buf *to, const json_t *id, enum message_error code, const char *text);
void message_error_with(struct buf *to, const json_t *id, enum message_error code, const char *text,
                        const json_t *data);

#endif
