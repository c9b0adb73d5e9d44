/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The two eras of MCP. Legacy: the revisions 2024-11-05 to 2025-11-25, in which `initialize` opens
 * a session. Modern: 2026-07-28, in which each request says in _meta which revision it speaks and
 * what its client can. What differs between them in messages, results and errors is here; which
 * methods each has is in the table of methods.
 */
#ifndef LECTERN_PROTOCOL_ERA_H
#define LECTERN_PROTOCOL_ERA_H

#include "mcp/protocol/peer_internal.h"

/* Newest first, NULL-terminated. */
extern const char *const era_legacy_versions[], *const era_modern_versions[];

/* Whether the client of a request is a modern one. */
bool era_client_is_modern(const struct client *client);

/* Whether the message is modern: it says so in _meta, only that era has its method, or the headers
 * of its POST name a version that no legacy client agrees on. */
bool era_is_modern(const struct message *message, const struct method *method,
                   const struct peer_headers *headers);

/* Checks what a modern message must say, and sets *client to who sends it. base: what is known of
 * the client besides. headers: NULL without HTTP. */
enum method_outcome era_check(struct request *request, const struct method *method,
                              const struct peer_headers *headers, const struct client *base,
                              struct client *client);

/* The status of an error over HTTP, for this client. */
int era_http_status(const struct client *client, enum message_error code);

/* The refusal of a URI that names no resource. */
enum method_outcome era_refuse_uri(struct request *request, const char *uri);

/* Begins a result object, up to the members of its method: an opening brace, and for a modern
 * client what each result says. type: "complete" or "input_required". The members end with one or
 * with _meta, whose members for this era are era_result_meta: static, "" if there are none. */
void era_begin_result(struct buf *to, const struct client *client, const char *type,
                      const struct method *method);
const char *era_result_meta(const struct client *client);

#endif
