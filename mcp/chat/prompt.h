/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The system prompt: who asks, what the tools are for, when to analyse
 * and when to edit, the helpers with worked snippets, the component types. The same bytes for every
 * question of a session as long as the tables are the same, so that the service caches it: no
 * clock, no place. Where the editor is goes into the newest user message (prompt_where).
 */
#ifndef LECTERN_CHAT_PROMPT_H
#define LECTERN_CHAT_PROMPT_H

#include <jansson.h>

#include "helpers/base/buf.h"
#include "mcp/server.h"

#define PROMPT_TOKENS_MAX 3000u

/* Appends the system prompt. title: the session's, shown as data. */
void prompt_write(const struct analyses *analyses, const char *session_title, struct buf *to);

/* Appends where the editor is, as a text that goes in front of a question: marked as data. Each may
 * be NULL or "". Nothing where all are. */
void prompt_where(const char *node_id, const char *node_title, const char *screen,
                  const char *action, struct buf *to);

#define PROMPT_CONTEXT_ITEMS     16u   /* more are left out, and that is said */
#define PROMPT_CONTEXT_NAME_MAX  200u  /* bytes of a description; longer ones are cut */
#define PROMPT_CONTEXT_VALUE_MAX 4000u /* bytes of a value */
#define PROMPT_CONTEXT_MAX       8000u /* bytes of all of them */

/* Appends what the client says of itself beside that, marked as data: an array of
 * {"description", "value"}, both texts. Nothing where it is empty. */
void prompt_context(const json_t *items, struct buf *to);

/* The whole request: {"model", "max_tokens", "stream": true, "tools": [...], "system": [...],
 * "messages", "tool_choice"?} with its cache marks (the tools, the system prompt, the two last
 * messages of the user). The tools stand in their table's order, without the arguments that the
 * chat settles itself (session_id, idempotency_key, confirm). messages: borrowed, from
 * thread_for_model. no_more_calls: tool_choice none. */
void prompt_request(const struct analyses *analyses, const char *model, const char *system_prompt,
                    const json_t *messages, unsigned max_tokens, bool no_more_calls,
                    struct buf *to);

#endif
