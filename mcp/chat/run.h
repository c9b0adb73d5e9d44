/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One run: a question of an editor, or the answer to an approval, with all requests to the model
 * and all tool calls until the model is done. It is independent of the protocol: it reports events
 * to a listener (agui.h converts them to AG-UI frames, legacy_chat.h to the messages of the
 * original CMS).
 *
 * The messages of the thread are in thread.h; additions are durable before the model or the
 * listener builds on them. Everything runs on the loop's thread.
 */
#ifndef LECTERN_CHAT_RUN_H
#define LECTERN_CHAT_RUN_H

#include <jansson.h>

#include "mcp/model/model.h"
#include "mcp/chat/thread.h"
#include "mcp/server.h"
#include "mcp/tool/tool.h"

#define RUN_TURNS_MAX           24u     /* requests to the model in one run */
#define RUN_INPUT_TOKENS_MAX    1000000 /* read by the model in one run, including cached ones */
#define RUN_SHORTENED_MAX       8u      /* times that one run omits half of what is sent */
#define RUN_MAX_TOKENS          16000u  /* max_tokens of one request */
#define RUN_CALLS_MAX           16u /* tool calls in one turn; more are answered with an error */
#define RUN_CALL_TEXT_MAX       ((size_t)64 << 10) /* bytes of a result that are sent to the model */
#define LEGACY_REPLACEMENTS_MAX 3u   /* replacing operations per question if nobody can approve */
#define RUN_PROGRESS_MS         250u /* minimum interval between reports of a running call's output */

struct chat_run;
struct approval;

enum run_event_kind {
    RUN_BEGAN,
    RUN_AGAIN,          /* id: of the note; the newest question is asked again, and text says so */
    RUN_TURN_BEGAN,     /* number: of the request to the model, from 1; or of the step of the roles,
                           whose name is that of solve_progress */
    RUN_TURN_ENDED,     /* the same number and name; usage so far */
    RUN_TEXT_BEGAN,     /* id: of the message */
    RUN_TEXT,           /* id, text */
    RUN_TEXT_ENDED,     /* id */
    RUN_THINKING_BEGAN, /* id */
    RUN_THINKING,       /* id, text */
    RUN_THINKING_ENDED, /* id */
    RUN_CALL_BEGAN,     /* id: of the call; name: of the tool; message_id: of its message */
    RUN_CALL_ARGUMENTS, /* id, text: a piece of the JSON of the arguments */
    RUN_CALL_ENDED,     /* id: its arguments are complete */
    RUN_CALL_STARTED,   /* id, name: the tool starts */
    RUN_CALL_STANDS,    /* id, text: its state in words: "waiting for a sandbox: place 2" */
    RUN_CALL_PRINTED,   /* id, text: its output since the last such event */
    RUN_CALL_RESULT,    /* id, name, message_id (new), text, call: its images, category; arguments;
                           milliseconds, and waited: those before its work, if known; repair: how many
                           attempts at this code failed before, or 0; repairs_max: the most */
    RUN_TASK,    /* id: of the message of an answer by the roles; task: in the form of thread.h */
    RUN_WAITING, /* the request is repeated: number: attempt, milliseconds, text: why */
    RUN_LIMIT, /* name: "turns", "tokens", "attempts", "output", "calls", "context", "replacements",
                  "partial": the answer is, "roles": the loop answers instead of them, or "stopped":
                  the server is stopping; text */
    RUN_ENDED, /* outcome and its members; the run no longer exists afterwards */
};

/* RUN_FAILED also if no attempt at code is left and no analysis or edit of the question succeeded
 * (the kind of the error is ERROR_ATTEMPTS_FAILED), and if the model ended without an answer
 * (ERROR_NO_ANSWER). */
enum run_outcome { RUN_SUCCEEDED, RUN_CANCELLED, RUN_INTERRUPTED, RUN_FAILED };

/* The cost of a run so far. */
struct run_usage {
    struct model_usage tokens;
    unsigned requests;
    int64_t whole_curriculum; /* approximate tokens needed to read all of it; 0: unknown */
};

/* {"inputTokens", "cachedInputTokens", "cacheWriteInputTokens", "outputTokens", "requests",
 * "wholeCurriculumTokens"} as a new reference; NULL without memory. */
json_t *run_usage_json(const struct run_usage *usage);

/* Everything is borrowed for the call. Members that a kind does not mention are zero. */
struct run_event {
    enum run_event_kind kind;
    const char *id, *name, *message_id;
    const char *text; /* len bytes of UTF-8, NUL-terminated */
    size_t len;
    unsigned number, milliseconds, waited, repair, repairs_max;
    const struct tool_call *call; /* of a result; NULL if the call was not made */
    const json_t *arguments;
    bool is_error; /* of a result */
    /* Of a result that is an error: the tool's, or "declined" by the editor */
    const char *category;
    const json_t *task;
    const struct run_usage *usage;
    const json_t *models; /* of an answer by the roles: {model: usage as in struct answer} */
    enum run_outcome outcome;
    const char *status; /* RUN_SUCCEEDED: "partial" if no attempt at code was left, and points are
                           open; of an answer by the roles its status; or NULL */
    const json_t *interrupts; /* RUN_INTERRUPTED: array, in the format of thread.h */
    const struct error *err;  /* RUN_FAILED */
    bool unsaved; /* RUN_FAILED: the store does not have the whole thread. Do not use the thread any
                     more: destroy it and load it again */
};

struct run_listener {
    void (*on_event)(struct run_listener *listener, const struct run_event *event);
};

enum approvals {
    APPROVALS_DESTRUCTIVE, /* edits that delete, replace, undo or restore, and large change sets */
    APPROVALS_EVERY,       /* every edit */
    APPROVALS_NONE_ASKED, /* nobody can answer (the legacy chat protocol): edits that delete, empty,
                             undo or restore, and large change sets, are refused;
                             LEGACY_REPLACEMENTS_MAX replacing operations per question are allowed
                           */
};

/* The answer to one interrupt. */
struct run_answer {
    const char *interrupt_id;
    bool approved;
    const char *reason; /* why it was declined, or NULL */
};

/* The texts are copied. */
struct run_request {
    struct thread *thread; /* loaded, not in use by another run; borrowed until RUN_ENDED */
    const char *run_id;
    const char *who;                 /* for the change log: "chat:Anna" */
    const struct identity *identity; /* who asks; copied. NULL: everyone */
    enum approvals approvals;
    bool solve; /* a question is answered by the roles of mcp/agent instead of the loop */
    /* A question: the new messages of the user, {"id", "content": text or the API's blocks}, at
     * least one, and the position of the editor in words, or NULL. If none is new, and the last one
     * is the newest question of the thread, whose answer is missing or incomplete, that question is
     * asked again, unchanged and in its place. */
    const json_t *messages;
    const char *where;
    /* Or answers to the open interrupts of the thread, one for each. A question instead declines
     * all open interrupts. */
    const struct run_answer *answers;
    size_t answer_count;
};

/* On an error returns NULL, and nothing was reported or changed (unknown interrupt, no memory,
 * model not ready). Otherwise RUN_BEGAN follows, never before this returns, and RUN_ENDED once, as
 * the last event. */
struct chat_run *run_start(struct server *server, struct model *model,
                           const struct run_request *request, struct run_listener *listener,
                           struct error *err);
/* Who stopped a run; the thread records it. */
enum run_stop { RUN_STOP_EDITOR, RUN_STOP_PAGE_LEFT, RUN_STOP_SERVER, RUN_STOPS };

/* Ends the run soon with RUN_CANCELLED: cancels the model's request and the running tool calls, and
 * keeps in the thread what has arrived. Only the first call counts. */
void run_cancel(struct chat_run *run, enum run_stop by);

/* While held, nothing more is read of the model's answer, because the listener's client is not
 * reading. Releasing may call the listener. */
void run_hold(struct chat_run *run, bool hold);

#endif
