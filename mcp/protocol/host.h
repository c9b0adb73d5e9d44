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

struct host_config {
    bool changes_lists; /* the lists of tools and prompts change meanwhile (tool_call_notify) */
};

/* The product's, whose lists never change. A program with other tables links its own. */
extern const struct host_config host_config;

/* config: copied; NULL for nothing of that. server is borrowed; it must stay valid until the loop
 * has run the close callbacks after host_destroy and the last call has ended. */
struct host *host_create(struct server *server, const struct host_config *config,
                         struct error *err);

/* What its clients have under way: requests that a tool is answering, and streams on which only
 * changes are sent. */
void host_count(const struct host *host, size_t *calls, size_t *streams);

/* Before the transport stops: ends the streams on which only changes are sent, and notifies
 * their clients. */
void host_end_streams(struct host *host);

/* After its peers were destroyed. Their calls may still be ending. Takes NULL. */
void host_destroy(struct host *host);

#endif
