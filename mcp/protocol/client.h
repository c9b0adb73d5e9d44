/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Who an MCP client is and what it can do: all that a server has to remember of it between two
 * messages. In the revisions with sessions it comes from `initialize`, and is what a session id
 * seals; in those without, each request carries it.
 */
#ifndef LECTERN_PROTOCOL_CLIENT_H
#define LECTERN_PROTOCOL_CLIENT_H

#include <stdbool.h>

#include <jansson.h>

#include "mcp/auth/identity.h"
#include "mcp/tool/tool.h"

#define CLIENT_WHO_SIZE   (IDENTITY_NAME_MAX + 8u)
#define CLIENT_BOUND_SIZE 64u /* more than the id of a curriculum has; what is cut off is no id */

struct client {
    const char *version;                       /* agreed, static text; NULL: it has not said */
    char who[CLIENT_WHO_SIZE];                 /* "mcp:claude-code", for the change log */
    unsigned capabilities;                     /* what it can be asked: enum tool_ask */
    char bound_session[CLIENT_BOUND_SIZE];     /* the only curriculum that it may use, or "" */
    unsigned toolsets;                         /* that it reaches: a set of TOOLSET_BIT */
    char bound_learner[IDENTITY_LEARNER_SIZE]; /* the only learner that it may use, or "" */
    struct identity identity;                  /* from its token: who it is and what it may do */
};

/* A client that has not introduced itself. bound_session and bound_learner may be NULL. */
void client_init(struct client *client, unsigned toolsets, const char *bound_session,
                 const char *bound_learner);

/* The toolsets that somebody may reach. */
unsigned client_toolsets_of(const struct identity *identity);

/* Who sends its next message. A token's name counts for the change log rather than the client's
 * own, and so do its curriculum and its learner; its scopes limit the toolsets. */
void client_identify(struct client *client, const struct identity *identity);

/* The tools that the client has. */
struct tool_reach client_reach(const struct client *client);
/* Whether it has tools for authors, and with them resources, prompts and their lists. */
bool client_edits(const struct client *client);

/* Takes its name from an Implementation object and its capabilities from a ClientCapabilities
 * object of the protocol; either may be NULL. */
void client_introduce(struct client *client, const json_t *info, const json_t *capabilities);

#endif
