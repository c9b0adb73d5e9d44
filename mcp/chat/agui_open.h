/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a run has begun for a page and not ended, for agui.c: AG-UI's verifier ends the stream for a
 * page that is told of an end without its beginning, of a second beginning, or of the end of a run
 * with something open. Pure but for the clock; one run at a time.
 */
#ifndef LECTERN_CHAT_AGUI_OPEN_H
#define LECTERN_CHAT_AGUI_OPEN_H

#include "mcp/chat/agui.h"

enum agui_pair {
    AGUI_STEP,
    AGUI_TEXT,
    AGUI_REASONING_MESSAGE,
    AGUI_REASONING, /* behind its message: ended in this order */
    AGUI_CALL,
};

/* Begins the frame of its beginning, which is still open for further members. false: it was begun
 * already, or there is no memory to remember it by; nothing is written. */
bool agui_open(struct agui_run *run, enum agui_pair pair, const char *id, struct buf *to);
/* The frame of its end, whole. false: it is not open; nothing is written. */
bool agui_close(struct agui_run *run, enum agui_pair pair, const char *id, struct buf *to);
/* The same for any that is open. false: nothing is. */
bool agui_close_any(struct agui_run *run, struct buf *to);

#endif
