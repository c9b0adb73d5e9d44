/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The methods of MCP that this server has: one const table. A handler gets everything in its
 * request, knows neither the peer nor its calls, and says what is to be done. Private to protocol/.
 */
#ifndef LECTERN_PROTOCOL_METHOD_INTERNAL_H
#define LECTERN_PROTOCOL_METHOD_INTERNAL_H

#include <stdbool.h>

#include <jansson.h>

#include "helpers/base/buf.h"
#include "mcp/protocol/message.h"
#include "mcp/tool/tool.h"

#define PEER_WHO_SIZE          64
#define METHOD_IDEMPOTENCY_KEY "lectern/idempotency-key" /* in _meta of tools/call */

/* What initialize settles. */
struct peer_client {
    const char *transport; /* "stdio"; static or as long-lived as the peer */
    const char *version;   /* agreed, one of protocol_versions; NULL before initialize */
    char who[PEER_WHO_SIZE];
};

struct peer_request {
    const char *method;
    const json_t *id;     /* NULL: a notification */
    const json_t *params; /* an object, or NULL where there were none */
    const struct server *server;
    struct peer_client *client;

    /* Set by the handler. */
    struct buf result; /* METHOD_DONE: the result's JSON text; ends with the request */
    enum message_error code;
    char why[ERROR_TEXT_CAP]; /* METHOD_REFUSED */
    const struct tool *tool;  /* METHOD_CALLS */
    const json_t *cancelled;  /* METHOD_CANCELS: the id of the request */
};

enum method_outcome {
    METHOD_DONE,    /* with a result, or a notification without consequences */
    METHOD_REFUSED, /* code and why are set */
    METHOD_CALLS,   /* begin a call of the tool; its arguments are right in form */
    METHOD_CANCELS, /* cancel that request, if it is under way */
};

struct method {
    const char *name;
    bool notification;      /* else a request */
    bool before_initialize; /* allowed as the first one */
    enum method_outcome (*handle)(struct peer_request *request);
};

const struct method *method_find(const char *name); /* NULL when there is none */
const char *method_nearest(const char *name);       /* for "did you mean", or NULL */

enum method_outcome method_refuse(struct peer_request *request, enum message_error code,
                                  const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
