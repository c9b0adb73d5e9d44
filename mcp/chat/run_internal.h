/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Inside of run.h. A run is a machine of states: each waits for one thing (a save, the model, the
 * tools of a turn), and what came decides on the next.
 *
 *   run.c             begins, saves, reads the session's title, ends, is cancelled
 *   run_start.c       looks at the request, puts it into the thread
 *   run_turn.c        one request to the model
 *   run_stop_reason.c its answer, and what its stop reason means
 *   run_calls.c       the tool calls of one turn: which may run beside which
 *   run_watch.c       what they have to tell while they work
 *   run_approvals.c   which of them a person is asked about, and what the answer means
 *   run_result.c      what a call has come to, for the model and for who looks on
 *   run_events.c      telling the listener
 *   run_usage.c       what it has cost, as JSON
 *
 * Every function that may end the run says so: after it the run is not looked at any more.
 */
#ifndef LECTERN_CHAT_RUN_INTERNAL_H
#define LECTERN_CHAT_RUN_INTERNAL_H

#include <uv.h>

#include "mcp/chat/run.h"
#include "mcp/session/text.h"

#define RUN_TITLE_SIZE 256u
#define RUN_ID_SIZE    (UUID_TEXT_SIZE + 24u) /* an id of ours, with a block's number behind it */

/* What a model reads of a text takes about one token for four bytes of English JSON. */
#define RUN_BYTES_PER_TOKEN 4

enum run_state {
    RUN_STATE_BEGINNING, /* the task that begins it is queued */
    RUN_STATE_SAVING,
    RUN_STATE_READING, /* the title, and how much there is */
    RUN_STATE_ASKING,  /* the model */
    RUN_STATE_LOOKING, /* at what would change, for approvals */
    RUN_STATE_CALLING, /* tools */
};

enum run_call_state { CALL_WAITS, CALL_LOOKED_AT, CALL_RUNS, CALL_LOST, CALL_ANSWERED };

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
    bool approved;       /* the interrupt was answered so */
    uint64_t started_ms; /* of the loop's clock */
    json_t *block;       /* owned: the tool_result */
    json_t *shown;       /* owned: its row in "shown" */
};

enum run_block { BLOCK_NONE, BLOCK_TEXT, BLOCK_THINKING, BLOCK_CALL };

struct run_progress_timer; /* run_watch.c */

struct chat_run {
    struct server *server;
    struct model *model;
    struct thread *thread;
    struct run_listener *listener;
    char *run_id, *who; /* owned */
    enum approvals approvals;
    enum run_state state;
    bool cancelled;
    enum run_stop stopped_by; /* where it was cancelled */
    bool ending;              /* what is left is the last save */
    bool over;
    struct error failure;     /* why it was cancelled by itself; of kind ERROR_NONE: by another */
    enum run_outcome outcome; /* to be told after the last save */
    struct error outcome_error;
    /* The request. */
    json_t *messages; /* owned; NULL where it begins with answers */
    bool again;       /* none of them is new: the thread's newest question is asked again */
    char *where;      /* owned, or NULL */
    json_t *answers;  /* owned: {interrupt id: {"approved", "reason"}}; or NULL */
    void (*saved)(struct chat_run *run);

    struct loop_task begin;
    struct workq_job reading;
    char title[RUN_TITLE_SIZE];
    int64_t bytes;
    struct error read_error;

    struct run_usage usage;
    struct buf system; /* the system prompt, of one kind in the whole run */
    unsigned turn;
    unsigned shortened; /* times that the history was too long */
    bool last;          /* the model is to call no more tools */
    unsigned failed;    /* turns one after the other whose code failed */
    bool worked;        /* an analysis succeeded, or an edit was made */
    size_t replaced;    /* operations of the question that replaced something */
    bool refused_replacements, notified_replacements; /* there were too many; the editor was told */
    bool stuck; /* the newest attempt at code failed, and no tool has succeeded since */

    /* The turn's. */
    struct model_call *asked;
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
    bool holding; /* calls are being started or cancelled: the turn does not end meanwhile */
    struct run_progress_timer *progress;
};

/* ---- run.c ---- */

void run_begin_soon(struct chat_run *run); /* in a task of the loop */
/* Makes durable what the thread has, then goes on; may end the run. */
void run_save(struct chat_run *run, void (*saved)(struct chat_run *run));
/* Ends it; err for RUN_FAILED. The run is no more. */
void run_finish(struct chat_run *run, enum run_outcome outcome, const struct error *err);
/* What came is kept, with a note that says err; then it ends so. May end the run. */
void run_fail(struct chat_run *run, const struct error *err);
/* Was cancelled: answers what is open, notes it, saves, ends. May end the run. */
void run_stop(struct chat_run *run);
/* All is said: saves and ends; as failed where all that was tried was code that failed. May end the
 * run. */
void run_succeed(struct chat_run *run);
void run_free(struct chat_run *run);
/* What the request brought goes into the thread, not yet durable (run_start.c). */
int run_take_request(struct chat_run *run, struct error *err);

/* A note in the thread, for who reads it later; kind: a limit's, "error", "stopped", "refusal",
 * "empty" or THREAD_AGAIN. id (may be NULL) gets its id. more, taken over, or NULL: further members
 * of its "shown". */
int run_note(struct chat_run *run, const char *kind, const char *text, json_t *more,
             char id[UUID_TEXT_SIZE], struct error *err);
/* The same of what the run has cost, where the model was asked. One that cannot be made is let go:
 * the log says so. */
void run_note_usage(struct chat_run *run);
/* A bound was reached: tells it and notes it; more as in run_note. */
int run_limit(struct chat_run *run, const char *name, json_t *more, struct error *err,
              const char *format, ...) __attribute__((format(printf, 5, 6)));

/* ---- run_turn.c ---- */

/* The next request to the model; may end the run. */
void run_turn(struct chat_run *run);

/* ---- run_stop_reason.c ---- */

/* The whole answer; may end the run. */
void run_take_answer(struct chat_run *run, const struct model_message *message);
/* The model was to sum up, and called tools, which are refused in the thread by now. May end the
 * run. */
void run_end_called(struct chat_run *run);
/* Of one that broke off: what is whole of it. */
void run_take_partial(struct chat_run *run, const struct model_message *message);
/* From here on the older half of what is sent is left out, and that is told and noted, for the run
 * to save before it asks again. 1; 0 where the newest question is alone, or was cut often enough;
 * or -1. */
int run_shorten(struct chat_run *run, struct error *err);

/* ---- run_calls.c ---- */

/* The calls of the thread's newest assistant message, where they have no results yet. */
int run_calls_load(struct chat_run *run, struct error *err);
void run_calls_free(struct chat_run *run);
/* Of a turn that has just come, or that was interrupted; both may end the run. */
void run_calls_begin(struct chat_run *run);
void run_calls_resume(struct chat_run *run);
/* What has no refusal and no answer is run; then the results go to the model. May end the run. */
void run_calls_go(struct chat_run *run);
void run_calls_cancel(struct chat_run *run);

/* ---- run_watch.c ---- */

void run_watch_begin(struct chat_run *run); /* takes one that has begun */
void run_watch_end(struct chat_run *run);

/* ---- run_approvals.c ---- */

/* Looks at the calls that a person must approve; then runs the turn, or ends with the interrupts.
 * May end the run. */
void run_approvals_ask(struct chat_run *run);
/* Runs the turn that was interrupted. May end the run. */
void run_approvals_resume(struct chat_run *run);
/* Of a call that was approved, on the sql work queue in front of its doing: it still does what was
 * shown.
 */
int run_approvals_check(struct tool_call *made, struct store *store, struct error *err);
/* Gives each call of the turn the interrupt that the thread has for it, and its answer; what was
 * declined, or not answered, is refused. */
void run_approvals_match(struct chat_run *run);

/* ---- run_result.c ---- */

/* The call is done, or refused: makes its result and tells it. */
int run_result_make(struct run_call *call, struct error *err);
/* Of a call that the model began and that will not be made: told to the listener alone. */
void run_result_dropped(struct chat_run *run, const char *id, const char *name, const char *why);
/* Each call that has no answer yet is refused so, and answered; as: its category. */
int run_calls_refuse(struct chat_run *run, const char *why, const char *as, struct error *err);
/* Puts the results at the beginning of a user's message, all of them answered before. */
int run_calls_results(struct chat_run *run, json_t *message, struct error *err);
/* All results as a message of the thread, not yet durable. */
int run_calls_keep(struct chat_run *run, struct error *err);

/* ---- run_events.c ---- */

void run_tell(struct chat_run *run, const struct run_event *event);
/* A whole text as a message of its own: begun, told, ended. */
void run_tell_text(struct chat_run *run, const char *id, const char *text);
extern const struct model_listener run_model_listener;
/* What the model began and did not end is ended. */
void run_events_close(struct chat_run *run);
/* Each call that was told and is not in content gets a result that says why. */
void run_events_drop(struct chat_run *run, const json_t *content, const char *why);
void run_events_forget(struct chat_run *run); /* what was told of a turn */

#endif
