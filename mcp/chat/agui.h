/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * AG-UI 1.0's events, as text: one JSON object each (the types and their fields: @ag-ui/core's
 * EventSchemas; their order: the verifier of @ag-ui/client). What AG-UI has no event for is CUSTOM:
 *
 *   lectern.change   {"target", "node_id" or null, "who"}: an edit was committed
 *   lectern.started  {"toolCallId"}: the tool begins to work
 *   lectern.progress {"toolCallId", "message"}: the state of a running tool
 *   lectern.output   {"toolCallId", "text"}: new output of a running analysis
 *   lectern.usage    {"inputTokens", "cachedInputTokens", "cacheWriteInputTokens", "outputTokens",
 *                     "requests", "wholeCurriculumTokens"}: totals of this run
 *   lectern.task     {"id", "status", "entries", "cut"}: how the roles answered (thread.h); id is
 * of the message with the answer lectern.waiting  {"attempt", "milliseconds", "why"}: the request
 * to the model is repeated lectern.limit    {"limit", "message"}: a bound was reached, or
 * ("stopped") the server stops lectern.again    {"id", "message"}: the newest question is asked
 * again; id is the note's
 *
 * A TOOL_CALL_START, and a call of a MESSAGES_SNAPSHOT, says in `metadata` {"title", "icon"}: the
 * call_title and the icon of its tool (mcp/tool/tool.h).
 *
 * A TOOL_CALL_RESULT says in `metadata` {"isError", "category", "changeSet", "milliseconds",
 * "waited", "repair", "repairsMax"}; changeSet is of an edit, to undo it. A note of the thread is
 * an activity message, "lectern.note" {"kind", "text"}, or "lectern.usage" or
 * "lectern.task" with that event's value. The step of a role has the name of its STEP_STARTED.
 * Pure except for the clock; any thread.
 */
#ifndef LECTERN_CHAT_AGUI_H
#define LECTERN_CHAT_AGUI_H

#include "mcp/chat/run.h"

/* Identifies a run in its frames; the texts are borrowed. */
struct agui_run {
    const char *thread_id, *run_id;
    json_t *open; /* private: what has begun and not ended, because a run must end everything before
                     it finishes */
};

/* Calls add for each frame of the event: none, one, or several. Returns -1 if a frame was lost for
 * lack of memory. */
int agui_write(struct agui_run *run, const struct run_event *event,
               void (*add)(void *user, const char *frame, size_t len), void *user);
void agui_run_close(struct agui_run *run);

/* Single frames, each appended to an empty buf, which is marked as failed without memory. */
void agui_run_error(const char *message, const char *code, struct buf *to); /* code: or NULL */
void agui_change(json_t *value, struct buf *to);                            /* lectern.change */
/* Its value as a new reference; NULL without memory. */
json_t *agui_change_value(const struct store_change *change);
void agui_state(const json_t *state, struct buf *to);
void agui_messages(const struct thread *thread, struct buf *to); /* MESSAGES_SNAPSHOT */

#endif
