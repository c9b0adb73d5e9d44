/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How an AG-UI frame is written, for agui*.c: its beginning with type and time, its members, and
 * the value of a CUSTOM. Names and types are our own words, written as they are; texts are UTF-8
 * and escaped. Failing is the buf's. Pure but for the clock; any thread.
 */
#ifndef LECTERN_CHAT_AGUI_FRAME_H
#define LECTERN_CHAT_AGUI_FRAME_H

#include "mcp/chat/agui.h"

/* Left open, for members and the brace that ends it. */
void agui_begin(struct buf *to, const char *type);
void agui_begin_now(struct buf *to, const char *type); /* with the time, in ms of Unix time */
/* A RUN_FINISHED; interrupts: an array, borrowed, or NULL. */
void agui_begin_finished(const struct agui_run *run, const char *outcome, const json_t *interrupts,
                         struct buf *to);
void agui_member(struct buf *to, const char *name, const char *text); /* NULL: none */

/* A CUSTOM of that name, left open within its value. */
void agui_begin_custom(struct buf *to, const char *name);
/* NULL: "". */
void agui_value_text(struct buf *to, const char *name, const char *text, size_t len);
void agui_value_string(struct buf *to, const char *name, const char *text);
void agui_value_number(struct buf *to, const char *name, int64_t number);
void agui_end_custom(struct buf *to); /* the value and the frame */

#endif
