/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One run: a question of an editor, or the answer to an approval, until the model has no more to
 * say, with all requests to the model and all tool calls between. It knows no wire: what happens is
 * reported as events to a listener (agui.h makes AG-UI frames of them, legacy_chat.h the original
 * CMS's).
 *
 * The thread's messages are in thread.h; what they gain is durable before the model or the listener
 * builds on it. Everything runs on the loop's thread.
 */
#ifndef LECTERN_CHAT_RUN_H
#define LECTERN_CHAT_RUN_H

#include <jansson.h>

#include "mcp/chat/model.h"
#include "mcp/chat/thread.h"
#include "mcp/server.h"
#include "mcp/tool/tool.h"

#define RUN_TURNS_MAX        24u     /* requests to the model, of one run */
#define RUN_INPUT_TOKENS_MAX 1000000 /* read by the model in one run, cached ones included */
#define CODE_ATTEMPTS_MAX    3u     /* failed attempts at code, one after the other: then no more */
#define RUN_SHORTENED_MAX    8u     /* times that one run leaves out half of what is sent */
#define RUN_MAX_TOKENS       16000u /* max_tokens of one request */
#define RUN_CALLS_MAX        16u    /* tool calls of one turn; more are answered with an error */
#define RUN_CALL_TEXT_MAX    ((size_t)64 << 10) /* bytes of a result that the model is shown */
#define LEGACY_REPLACEMENTS_MAX                                                                    \
    3u                       /* replacing operations of a question where nobody can be asked */
#define RUN_PROGRESS_MS 250u /* output of a call under way is reported at most so often */

struct chat_run;
struct approval;

enum run_event_kind {
    RUN_BEGAN,
    RUN_AGAIN,          /* id: of the note; the newest question is asked again. text: that it is */
    RUN_TURN_BEGAN,     /* number: of the request to the model, from 1 */
    RUN_TURN_ENDED,     /* number; usage so far */
    RUN_TEXT_BEGAN,     /* id: of the message */
    RUN_TEXT,           /* id, text */
    RUN_TEXT_ENDED,     /* id */
    RUN_THINKING_BEGAN, /* id */
    RUN_THINKING,       /* id, text */
    RUN_THINKING_ENDED, /* id */
    RUN_CALL_BEGAN,     /* id: of the call; name: of the tool; message_id: that it belongs to */
    RUN_CALL_ARGUMENTS, /* id, text: a piece of their JSON */
    RUN_CALL_ENDED,     /* id: its arguments are whole */
    RUN_CALL_STARTED,   /* id, name: the tool begins to work */
    RUN_CALL_STANDS,    /* id, text: where it stands, in words: "waiting for a sandbox: place 2" */
    RUN_CALL_PRINTED,   /* id, text: its output as it comes, what is new since the last */
    RUN_CALL_RESULT,    /* id, name, message_id (new), text, call: its images, category; arguments;
                           milliseconds, and waited: those before its work, where it is known;
                           repair: how many attempts at this code failed before, 0 none */
    RUN_WAITING,        /* the model is asked again: number: attempt, milliseconds, text: why */
    RUN_LIMIT,          /* name: "turns", "tokens", "attempts", "output", "calls", "context",
                           "replacements", or "stopped": by the server's end; text */
    RUN_ENDED,          /* outcome and what belongs to it; the run is no more after it */
};

/* RUN_FAILED also where every attempt at code failed and nothing else came of the question: the
 * error is of kind ERROR_ATTEMPTS_FAILED then. */
enum run_outcome { RUN_SUCCEEDED, RUN_CANCELLED, RUN_INTERRUPTED, RUN_FAILED };

/* What a run has cost so far. */
struct run_usage {
    struct model_usage tokens;
    unsigned requests;
    int64_t
        whole_curriculum; /* tokens that reading all of it would have taken, about; 0: unknown */
};

/* {"inputTokens", "cachedInputTokens", "cacheWriteInputTokens", "outputTokens", "requests",
 * "wholeCurriculumTokens"}: a new reference, NULL without memory. */
json_t *run_usage_json(const struct run_usage *usage);

/* Everything is borrowed for the call. Members that a kind does not name are zero. */
struct run_event {
    enum run_event_kind kind;
    const char *id, *name, *message_id;
    const char *text; /* len bytes of UTF-8, NUL-terminated */
    size_t len;
    unsigned number, milliseconds, waited, repair;
    const struct tool_call *call; /* of a result; NULL where the call was not made */
    const json_t *arguments;
    bool is_error;        /* of a result */
    const char *category; /* of a result that is an error: a tool's, or "declined" by the editor */
    const struct run_usage *usage;
    enum run_outcome outcome;
    const json_t *interrupts; /* RUN_INTERRUPTED: array, as thread.h keeps them */
    const struct error *err;  /* RUN_FAILED */
    bool unsaved; /* RUN_FAILED: the store has less than the thread, which is not to be used any
                     more: destroy it, load it again */
};

struct run_listener {
    void (*on_event)(struct run_listener *listener, const struct run_event *event);
};

enum approvals {
    APPROVALS_DESTRUCTIVE, /* what deletes, replaces, undoes or restores, and large change sets */
    APPROVALS_EVERY,       /* every edit */
    APPROVALS_NONE_ASKED,  /* who asks cannot answer (the legacy chat protocol): what deletes,
                              empties, undoes  or restores, and large change sets, are not done; of
                              what replaces,  LEGACY_REPLACEMENTS_MAX operations a question are */
};

/* An answer to one interrupt. */
struct run_answer {
    const char *interrupt_id;
    bool approved;
    const char *reason; /* of who declined, or NULL */
};

/* Texts are copied. */
struct run_request {
    struct thread *thread; /* loaded, and not in use by another run; borrowed until RUN_ENDED */
    const char *run_id;
    const char *who; /* for the change log: "chat:Anna" */
    enum approvals approvals;
    /* A question: the new messages of the user, {"id", "content": text or the API's blocks}, at
     * least one; and where the editor is, in words, or NULL. Where none is new and the last of them
     * is the thread's newest question, whose answer never came or broke off, that one is asked
     * again: it stays where it is and as it was. */
    const json_t *messages;
    const char *where;
    /* Or answers to the thread's open interrupts, each once. Open interrupts that a question comes
     * instead of count as declined. */
    const struct run_answer *answers;
    size_t answer_count;
};

/* NULL with err: nothing was reported, nothing changed (an unknown interrupt, no memory, the model
 * is not ready). Else RUN_BEGAN comes, never before it returns, and RUN_ENDED once, last. */
struct chat_run *run_start(struct server *server, struct model *model,
                           const struct run_request *request, struct run_listener *listener,
                           struct error *err);
/* Who ended a run: its thread says so. */
enum run_stop { RUN_STOP_EDITOR, RUN_STOP_PAGE_LEFT, RUN_STOP_SERVER, RUN_STOPS };

/* Ends it soon with RUN_CANCELLED: the model's request and the tool calls under way are cancelled,
 * what came so far is kept in the thread. Of several the first counts. */
void run_cancel(struct chat_run *run, enum run_stop by);

/* While held, no more is read of the model's answer: who looks on does not read either. Releasing
 * may call the listener. */
void run_hold(struct chat_run *run, bool hold);

#endif
