/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which tool calls need the approval of a person, according to their impact (struct tool), and what
 * the person is shown. The model's own `confirm` argument is not an approval.
 */
#ifndef LECTERN_CHAT_APPROVAL_H
#define LECTERN_CHAT_APPROVAL_H

#include "mcp/chat/run.h"

/* Whether this call needs approval, by its name and arguments alone. */
bool approval_needed(const struct tool *tool, const json_t *arguments, enum approvals approvals);

/* How many operations of the call replace existing content. */
size_t approval_replacements(const struct tool *tool, const json_t *arguments);

/* Computes on the work queues what the call would do, without doing it, and creates its interrupt:
 * {"id", "reason": "lectern.approval", "message": what will change and what will be lost, for a
 * person, "toolCallId", "responseSchema": {"type": "object", "properties": {"approved": {"type":
 * "boolean"}, "reason": {"type": "string"}}, "required": ["approved"]}, "metadata": {"tool",
 * "attempt", "changes": as of struct tool_trial, "more": number not shown, "effect": text}}.
 * on_done on the loop: a new reference, or NULL with err if the call would fail anyway (then it is
 * not made, and the model gets err). who is the author for the change log, borrowed until on_done.
 * For the same state of the curriculum, "changes" and "more" are always the same. */
int approval_describe(const struct store_queues *store, const char *session_id, const char *who,
                      const char *call_id, const struct tool *tool, const json_t *arguments,
                      unsigned attempt,
                      void (*on_done)(void *user, json_t *interrupt, const struct error *err),
                      void *user, struct error *err);

/* Checks that the call would still change exactly what the interrupt says. Called on the sql work
 * queue in the transaction of the call, before it; the preview leaves nothing behind. Returns -1
 * with ERROR_CONFLICT if not, or with the error of the call. arguments and interrupt are borrowed,
 * and must not change meanwhile. */
int approval_check(const struct tool *tool, const json_t *arguments, const char *session_id,
                   const char *who, const json_t *interrupt, struct store *store,
                   struct error *err);

#endif
