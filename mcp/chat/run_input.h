/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a page sends up: AG-UI's RunAgentInput, or {"type": "lectern.stop", "runId"}. Pure.
 *
 * Of the input count: threadId, runId, the user messages (those the thread has not yet; of one that
 * has all of them the newest, asked again where its answer never came or broke off), context
 * ({"description", "value"}: "node_id", "node_title", "screen" and "action" are where the editor
 * is, all else goes to the model as the client says it, up to prompt.h's caps), resume, and
 * forwardedProps.lectern {"approvals": "destructive" | "every"}. The rest is ignored, as the
 * history is the server's own; but a misspelt name is refused, and in our own objects (answers,
 * forwardedProps.lectern, lectern.stop) any unknown one. A page keeps what was refused and sends it
 * again: what cannot be taken is a fault in the newest user message only, older ones are skipped.
 * With answers (resume) nothing is asked, so no message is looked at.
 */
#ifndef LECTERN_CHAT_RUN_INPUT_H
#define LECTERN_CHAT_RUN_INPUT_H

#include "mcp/chat/run.h"

/* Bytes. A page may send its whole history each time: as much as a thread can hold, and what it
 * keeps beside that. */
#define RUN_INPUT_CAP         (THREAD_BYTES_MAX + ((size_t)8 << 20))
#define RUN_INPUT_TEXT_MAX    ((size_t)64 << 10) /* bytes of one user message */
#define RUN_INPUT_MESSAGES    10000u /* the newest of a history; older ones are skipped */
#define RUN_INPUT_ANSWERS_MAX 16u
#define RUN_ID_MAX            128u

extern const struct fields run_input_fields; /* also for the page's type of it */

struct run_input {
    bool stop; /* a lectern.stop; then only run_id counts */
    char thread_id[THREAD_ID_MAX + 1];
    char run_id[RUN_ID_MAX + 1];
    json_t *messages; /* array of the user's {"id", "content"}, in their order, empty with resume;
                         owned */
    json_t *resume;   /* what answers borrow their texts from; owned, or NULL: it is a question */
    struct run_answer answers[RUN_INPUT_ANSWERS_MAX];
    size_t answer_count;
    enum approvals approvals;
    struct buf where; /* prompt_where's text and prompt_context's; owned */
};

/* Escapes of half a character, which JSON.stringify writes where a text was cut within one, are
 * read as U+FFFD. 0, or ERROR_MALFORMED, ERROR_INVALID or ERROR_TOO_LARGE that says what to send.
 * *input needs run_input_finish in any case. */
int run_input_read(const char *text, size_t len, struct run_input *input, struct error *err);
void run_input_finish(struct run_input *input);

#endif
