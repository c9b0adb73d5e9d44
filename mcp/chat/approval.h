/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which tool calls a person must approve, by what struct tool says of their impact, and what the
 * person is shown.
 * The model's own `confirm` argument is no approval.
 */
#ifndef LECTERN_CHAT_APPROVAL_H
#define LECTERN_CHAT_APPROVAL_H

#include "mcp/chat/run.h"

#define APPROVAL_SHOWN_MAX 40u   /* changes that are shown one by one; of more their number */
#define APPROVAL_TEXT_MAX  4000u /* characters of a before or an after */

/* Whether this call needs one, by its name and arguments alone. */
bool approval_needed(const struct tool *tool, const json_t *arguments, enum approvals approvals);

/* How many operations of the call replace what is there. */
size_t approval_replacements(const struct tool *tool, const json_t *arguments);

/* Looks at what the call would do, on the work queues, without doing it, and makes the interrupt of
 * it:
 * {"id", "reason": "lectern.approval", "message": what will change and what will be lost, for a
 * person, "toolCallId", "responseSchema": {"type": "object", "properties": {"approved": {"type":
 * "boolean"}, "reason": {"type": "string"}}, "required": ["approved"]}, "metadata": {"tool",
 * "attempt", "changes": [{"node_id", "title", "what", "before": text or null, "after": text or
 * null}], "more": number not shown, "effect": text}}. on_done on the loop: a new reference, or NULL
 * with err where the call would fail anyway (it is not made then: the model hears why from err).
 * who: for whom the call is made, as in the change log; borrowed until on_done.
 * For the same state of the curriculum "changes" and "more" are the same each time. */
int approval_describe(const struct store_queues *store, const char *session_id, const char *who,
                      const char *call_id, const struct tool *tool, const json_t *arguments,
                      unsigned attempt,
                      void (*on_done)(void *user, json_t *interrupt, const struct error *err),
                      void *user, struct error *err);

/* Whether the call would still change what the interrupt says, no more, no less and nothing else.
 * On the sql work queue, in the transaction of its doing and in front of it; nothing of the preview
 * is kept. -1: ERROR_CONFLICT where it would not, or why it would fail. arguments and interrupt:
 * borrowed, and changed by nobody meanwhile. */
int approval_check(const struct tool *tool, const json_t *arguments, const char *session_id,
                   const char *who, const json_t *interrupt, struct store *store,
                   struct error *err);

#endif
