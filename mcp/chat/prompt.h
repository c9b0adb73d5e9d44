/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The system prompt: who asks, what the tools are for, when to analyse and when to edit, the
 * helpers with examples, the component types. It is the same for every question of a session as
 * long as the tables are the same, so that the service caches it: it contains no time and no
 * position. The position of the editor is in the newest user message (prompt_where).
 */
#ifndef LECTERN_CHAT_PROMPT_H
#define LECTERN_CHAT_PROMPT_H

#include <jansson.h>

#include "helpers/base/buf.h"
#include "mcp/server.h"
#include "mcp/tool/tool.h"

#define PROMPT_TOKENS_MAX 3000u

/* The tools of the chat: those of an editor, without those that make another session than its own.
 */
extern const struct tool_reach prompt_tools;

/* Appends the system prompt. The title of the session is marked as data. */
void prompt_write(const struct analyses *analyses, const char *session_title, struct buf *to);

/* Appends the position of the editor, marked as data, to be put before a question. Each may be NULL
 * or "". Appends nothing if all are. */
void prompt_where(const char *node_id, const char *node_title, const char *screen,
                  const char *action, struct buf *to);

#define PROMPT_CONTEXT_ITEMS     16u   /* more are omitted, with a note */
#define PROMPT_CONTEXT_NAME_MAX  200u  /* bytes of a description; longer ones are cut */
#define PROMPT_CONTEXT_VALUE_MAX 4000u /* bytes of a value; longer ones are cut */
#define PROMPT_CONTEXT_MAX       8000u /* bytes of all items together */

/* Appends the other context of the client, marked as data: an array of {"description", "value"},
 * both strings. Appends nothing if it is empty. */
void prompt_context(const json_t *items, struct buf *to);

/* Appends the complete request: {"model", "max_tokens", "stream": true, "tools": [...], "system":
 * [...], "messages", "tool_choice"?} with its cache marks (the tools, the system prompt, the two
 * last messages of the user). The tools are in the order of their table, without the arguments that
 * the chat sets itself (session_id, idempotency_key, confirm). messages is from thread_for_model,
 * and borrowed. no_more_calls sets tool_choice to none. */
void prompt_request(const struct analyses *analyses, const char *model, const char *system_prompt,
                    const json_t *messages, unsigned max_tokens, bool no_more_calls,
                    struct buf *to);

#endif
