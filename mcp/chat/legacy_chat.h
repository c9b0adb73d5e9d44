/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The chat protocol of the original CMS on /mcp-sync: {"type": "chat_message", "content", "file"?
 * (base64), "fileName"?, "context"} in; {"type": "tool_start", "tool"}, {"type": "tool_executed",
 * "tool", "arguments", "result"}, {"type": "tool_complete", "tool"}, {"type": "refresh_ui", ...}
 * (by /mcp-sync itself), {"type": "error", "error"} and at the end one {"type": "ai_response",
 * "content"} out; on failure an "error", after what had arrived. The protocol has no approvals: an
 * edit that needs one is refused, and the answer says where to approve it. Everything runs on the
 * loop's thread.
 */
#ifndef LECTERN_CHAT_LEGACY_CHAT_H
#define LECTERN_CHAT_LEGACY_CHAT_H

#include <jansson.h>

#include "mcp/chat/chat.h"

#define LEGACY_CHAT_FILE_MAX ((size_t)256 << 10) /* bytes of an attached text file */

struct legacy_chat; /* the conversation of one client; its thread is stored like those of pages */

/* send sends one message to the client; text is borrowed. where is the text of prompt_where, or
 * NULL. */
struct legacy_chat *legacy_chat_create(struct chat *chat,
                                       void (*send)(void *user, const char *text, size_t len),
                                       void *user);
/* message is a chat_message, an object. identity: who asks. Errors are sent to the client. */
void legacy_chat_receive(struct legacy_chat *wire, const char *session_id, const char *where,
                         const struct identity *identity, const json_t *message);
void legacy_chat_destroy(struct legacy_chat *wire); /* takes NULL; cancels its run */

#endif
