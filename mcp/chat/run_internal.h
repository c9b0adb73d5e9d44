/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Inside of run.h.
 *
 *   run.c        the states of a run, one after the other: its request, approvals, its end
 *   run_answer.c a request to the model, and its answer
 *   run_calls.c  the tool calls of a turn and their results
 *   run_thread.c events, notes and saves, for all of them
 *
 * Each calls those below it; they do not know it.
 */
#ifndef LECTERN_CHAT_RUN_INTERNAL_H
#define LECTERN_CHAT_RUN_INTERNAL_H

#include <uv.h>

#include "mcp/chat/run.h"
#include "mcp/session/text.h"

#define RUN_TITLE_SIZE 256u
#define RUN_ID_SIZE    (UUID_TEXT_SIZE + 24u) /* an id of ours, with a block's number appended */

enum run_state {
    /* Steps. */
    RUN_STATE_TAKE,     /* the request goes into the thread */
    RUN_STATE_READ,     /* the session's title, and how much there is */
    RUN_STATE_PROMPT,   /* the system prompt; then a turn, or the one that was interrupted */
    RUN_STATE_ASK,      /* the next request to the model */
    RUN_STATE_ANSWERED, /* its answer goes into the thread; the stop reason decides what is next */
    RUN_STATE_LOAD,     /* the tool calls of the answer */
    RUN_STATE_APPROVE,  /* looks at what those would change that a person must approve */
    RUN_STATE_LOOKED,
    RUN_STATE_CALL,     /* starts the tools that can be started */
    RUN_STATE_END_TURN, /* all calls have results */
    RUN_STATE_STOP,     /* it was cancelled */
    RUN_STATE_FAIL,     /* outcome_error says why */
    RUN_STATE_SUCCEED,
    RUN_STATE_END, /* outcome */
    /* Waits, each for one callback. */
    RUN_STATE_BEGINNING,
    RUN_STATE_SAVING, /* after_save is next */
    RUN_STATE_READING,
    RUN_STATE_ASKING,
    RUN_STATE_LOOKING,
    RUN_STATE_CALLING,
};

enum run_call_state {
    RUN_CALL_WAITS,
    RUN_CALL_LOOKED_AT,
    RUN_CALL_RUNS,
    RUN_CALL_LOST,
    RUN_CALL_ANSWERED
};

/* One tool call of a turn. */
struct run_call {
    struct tool_call call;
    struct chat_run *run;
    json_t *use;             /* the tool_use block; owned */
    const char *id, *name;   /* of use */
    const struct tool *tool; /* NULL: there is none of that name */
    enum run_call_state state;
    bool made;           /* the call was started */
    size_t replaces;     /* operations that replace something; known where nobody can be asked */
    struct buf refusal;  /* why it is not made, for the model; empty: it is */
    const char *refused; /* as what, static: "declined", "cancelled"; NULL: "validation" */
    json_t *interrupt;   /* owned: what a person is asked, or was; or NULL */
    uint64_t started_ms; /* of the loop's clock */
    json_t *block;       /* owned: the tool_result */
    json_t *shown;       /* owned: its row in "shown" */
};

enum run_block { RUN_BLOCK_NONE, RUN_BLOCK_TEXT, RUN_BLOCK_THINKING, RUN_BLOCK_CALL };

struct run_progress_timer; /* run_calls.c */

struct chat_run {
    struct server *server;
    struct model *model;
    struct thread *thread;
    struct run_listener *listener;
    char *run_id, *who; /* owned */
    enum approvals approvals;
    enum run_state state, after_save;
    void (*step)(struct chat_run *run); /* to the next wait */
    bool stepping; /* a callback that comes meanwhile leaves the next step to it */
    bool cancelled, held;
    enum run_stop stopped_by; /* where it was cancelled */
    bool ending;              /* what is left is the last save */
    bool over;
    struct error failure;     /* why it was cancelled by itself; of kind ERROR_NONE: by another */
    enum run_outcome outcome; /* for the listener, after the last save */
    struct error outcome_error;
    bool unsaved;
    /* The request. */
    json_t *messages; /* owned; NULL where it begins with answers */
    bool again;       /* none of them is new: the thread's newest question is asked again */
    char *where;      /* owned, or NULL */
    json_t *answers;  /* owned: {interrupt id: {"approved", "reason"}}; or NULL */

    struct loop_task begin;
    struct workq_job reading;
    char title[RUN_TITLE_SIZE];
    int64_t bytes;
    struct error read_error;

    struct run_usage usage;
    struct buf system; /* the system prompt, the same for the whole run */
    unsigned turn;
    unsigned shortened; /* times that the history was too long */
    bool last;          /* the model is to call no more tools */
    unsigned failed;    /* consecutive turns whose code failed */
    bool worked;        /* an analysis succeeded, or an edit was made */
    size_t replaced;    /* operations of the question that replaced something */
    bool refused_replacements, notified_replacements; /* there were too many; the editor knows */
    bool stuck; /* the newest attempt at code failed, and no tool has succeeded since */

    /* The turn's. */
    struct model_call *asked, *answered; /* owned; the request under way, and one that is done */
    char message_id[UUID_TEXT_SIZE];
    struct run_sent_block {
        enum run_block kind;
        bool open;
        char *id, *name; /* of a call; owned */
    } sent[MODEL_BLOCKS_CAP];

    struct run_call *calls; /* owned array */
    size_t call_count, next, under_way;
    bool editing;      /* the one under way edits */
    bool code_failed;  /* in a way that changed code can repair */
    bool code_in_vain; /* in any way */
    bool code_succeeded, other_succeeded;
    struct run_progress_timer *progress;
};

/* ---- run_thread.c ---- */

void run_tell(struct chat_run *run, const struct run_event *event);
/* A limit was reached; id of its note, or NULL. */
void run_tell_limit(struct chat_run *run, const char *name, const char *id, const char *text);
/* A note in the thread, for who reads it later; kind: a limit's, "error", "stopped", "refusal",
 * "empty" or THREAD_AGAIN. id (may be NULL) gets its id. more, taken over, or NULL: further members
 * of its "shown". */
int run_note(struct chat_run *run, const char *kind, const char *text, json_t *more,
             char id[UUID_TEXT_SIZE], struct error *err);
/* The same of what the run has cost, where the model was asked. Without memory only the log has it.
 */
void run_note_usage(struct chat_run *run);
/* A limit was reached: reports it and notes it; more as in run_note. */
int run_limit(struct chat_run *run, const char *name, json_t *more, struct error *err,
              const char *format, ...) __attribute__((format(printf, 5, 6)));
/* What was waited for is there. */
void run_go_on(struct chat_run *run, enum run_state state);
enum run_state run_fail(struct chat_run *run, const struct error *err);
/* Makes durable what the thread has; then comes next. */
enum run_state run_save(struct chat_run *run, enum run_state next);
/* A text of ours in place of an answer, or behind it, as a note of that kind; takes over more, for
 * the note, or NULL. */
enum run_state run_end_with_text(struct chat_run *run, const char *kind, const char *text,
                                 json_t *more);
bool run_has_words(const json_t *content); /* of an answer: it has text */

/* ---- run_answer.c ---- */

enum run_state run_ask(struct chat_run *run);         /* the next request to the model */
enum run_state run_take_answer(struct chat_run *run); /* that has come */
void run_answer_forget(struct chat_run *run);         /* what was kept of the turn's answer */

/* ---- run_calls.c ---- */

/* The calls of the thread's newest assistant message, where they have no results yet. */
int run_calls_load(struct chat_run *run, struct error *err);
void run_calls_free(struct chat_run *run);
/* Each call that has no answer yet is refused so, and answered; as: its category. */
int run_calls_refuse(struct chat_run *run, const char *why, const char *as, struct error *err);
/* Puts the results at the beginning of the parts of a user's message, all of them answered before.
 */
int run_calls_results(struct chat_run *run, json_t *content, json_t *shown, struct error *err);
/* All results as a message of the thread, not yet durable. */
int run_calls_keep(struct chat_run *run, struct error *err);
enum run_state run_call_tools(struct chat_run *run); /* starts those that can be started */
enum run_state run_end_turn(struct chat_run *run);   /* all calls have results */

#endif
