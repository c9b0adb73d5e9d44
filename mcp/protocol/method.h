/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The methods of MCP that this server has: one const table. Private to protocol/.
 */
#ifndef LECTERN_PROTOCOL_METHOD_H
#define LECTERN_PROTOCOL_METHOD_H

#include <stdbool.h>

#include <jansson.h>

#include "helpers/base/buf.h"
#include "mcp/protocol/message.h"
#include "mcp/protocol/peer.h"

struct peer_request {
    const char *method;
    const json_t *id;     /* NULL: a notification */
    const json_t *params; /* an object, or NULL where there were none */
    struct peer_reply *reply;
};

/* Why a request is refused. */
struct refusal {
    enum message_error code;
    struct error err; /* its text only */
};

enum handled {
    HANDLED,         /* the result's JSON text is in the buffer */
    HANDLED_REFUSED, /* the refusal is set */
    HANDLED_LATER,   /* the answer comes later through the reply */
};

struct method {
    const char *name;
    bool notification;      /* else a request */
    bool before_initialize; /* allowed as the first one */
    enum handled (*handle)(struct peer *peer, const struct peer_request *request,
                           struct buf *result, struct refusal *refusal);
};

const struct method *method_find(const char *name); /* NULL when there is none */
const char *method_nearest(const char *name);       /* for "did you mean", or NULL */

enum handled refuse(struct refusal *refusal, enum message_error code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
