/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the MCP clients of one transport share: the server behind them, and the timer of their
 * progress. Everything runs on the thread of server->loop.
 */
#ifndef LECTERN_PROTOCOL_HOST_H
#define LECTERN_PROTOCOL_HOST_H

#include "helpers/base/error.h"
#include "mcp/server.h"

struct host;

/* server is borrowed; it must stay valid until the loop has run the close callbacks after
 * host_destroy and the last call has ended. */
struct host *host_create(struct server *server, struct error *err);

/* After its peers were destroyed. Their calls may still be ending. Takes NULL. */
void host_destroy(struct host *host);

#endif
