/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Answers what a run asks of its session: from the executor's thread to the work queue where the
 * session API itself reads (graph questions on the graph work queue, all else on the read work
 * queue), and the answer goes straight back to the executor.
 */
#ifndef LECTERN_TOOL_SESSION_BROKER_H
#define LECTERN_TOOL_SESSION_BROKER_H

#include "executor/executor.h"
#include "mcp/server.h"

/* On the executor's thread, within on_request. The request is answered once; with 503 at once where
 * the work queue is full. */
void session_broker_take(const struct store_queues *store, struct broker_request *request);

#endif
