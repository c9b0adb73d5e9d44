/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a page sends: AG-UI's RunAgentInput, or {"type": "lectern.stop", "runId"}. Pure.
 *
 * These members are used: threadId; runId; the user messages (those that the thread does not have
 * yet; if it has them all, the newest, which is asked again if its answer is missing or
 * incomplete); context ({"description", "value"}: "node_id", "node_title", "screen" and "action"
 * are the position of the editor, all others are passed to the model as the client's, up to the
 * caps in prompt.h); resume; and forwardedProps.lectern {"approvals": "destructive" | "every",
 * "solve": whether the roles of mcp/agent answer instead of the loop}. All
 * others are ignored, because the server has the history. But misspelt names are refused, and in
 * our own objects (answers, forwardedProps.lectern, lectern.stop) all unknown names. A page keeps a
 * refused message and sends it again, so only the newest user message can be refused; older ones
 * that cannot be used are skipped. With answers (resume) no message is read.
 */
#ifndef LECTERN_CHAT_RUN_INPUT_H
#define LECTERN_CHAT_RUN_INPUT_H

#include "mcp/chat/run.h"

/* Bytes. A page may send its whole history each time: as much as a thread can contain, and what the
 * page stores beside it. */
#define RUN_INPUT_CAP         (THREAD_BYTES_MAX + ((size_t)8 << 20))
#define RUN_INPUT_TEXT_MAX    ((size_t)64 << 10) /* bytes of one user message */
#define RUN_INPUT_MESSAGES    10000u /* the newest of a history; older ones are skipped */
#define RUN_INPUT_ANSWERS_MAX 16u
#define RUN_ID_MAX            128u

extern const struct fields run_input_fields; /* also the source of the page's type */

struct run_input {
    bool stop; /* a lectern.stop; then only run_id is set */
    char thread_id[THREAD_ID_MAX + 1];
    char run_id[RUN_ID_MAX + 1];
    /* Array of the user's {"id", "content"}, in order, empty with resume; owned */
    json_t *messages;
    json_t *resume; /* owner of the texts of the answers; owned, or NULL for a question */
    struct run_answer answers[RUN_INPUT_ANSWERS_MAX];
    size_t answer_count;
    enum approvals approvals;
    int solve;        /* 1, 0, or -1 if nothing is said of it */
    struct buf where; /* the texts of prompt_where and prompt_context; owned */
};

/* An escape of half a surrogate pair, which JSON.stringify writes for a text that was cut within a
 * pair, is read as U+FFFD. Returns 0, or -1 with ERROR_MALFORMED, ERROR_INVALID or ERROR_TOO_LARGE
 * that says what to send. Call run_input_finish in any case. */
int run_input_read(const char *text, size_t len, struct run_input *input, struct error *err);
void run_input_finish(struct run_input *input);

#endif
