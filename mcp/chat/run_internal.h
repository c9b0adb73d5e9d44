/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The private header of a run's files.
 *
 *   run.c           the states of a run, one after the other: its request, its end
 *   run_approvals.c the approvals of a turn
 *   run_solve.c     the roles of mcp/agent instead of the model
 *   run_answer.c    a request to the model, and its answer
 *   run_calls.c     the tool calls of a turn and their results
 *   run_thread.c    events, notes and saves, for all of them
 *
 * Each calls only those below it.
 */
#ifndef LECTERN_CHAT_RUN_INTERNAL_H
#define LECTERN_CHAT_RUN_INTERNAL_H

#include <uv.h>

#include "mcp/agent/attempts.h"
#include "mcp/chat/run.h"
#include "mcp/curriculum/text.h"

#define RUN_TITLE_SIZE   256u
#define LOG_MEMBERS_SIZE 24u                    /* " attempt=2/3" */
#define RUN_ID_SIZE      (UUID_TEXT_SIZE + 24u) /* our id with the number of a block appended */

enum run_state {
    /* Steps. */
    RUN_STATE_TAKE,     /* adds the request to the thread */
    RUN_STATE_READ,     /* reads the title and the size of the session */
    RUN_STATE_PROMPT,   /* the system prompt; then a turn, or the interrupted one */
    RUN_STATE_ASK,      /* the next request to the model */
    RUN_STATE_ANSWERED, /* adds the answer to the thread; the stop reason decides what follows */
    RUN_STATE_LOAD,     /* the tool calls of the answer */
    RUN_STATE_APPROVE,  /* previews the calls that need approval */
    RUN_STATE_LOOKED,
    RUN_STATE_CALL,     /* starts tools */
    RUN_STATE_END_TURN, /* all calls have results */
    RUN_STATE_STOP,     /* cancelled */
    RUN_STATE_FAIL,     /* outcome_error has the reason */
    RUN_STATE_SUCCEED,
    RUN_STATE_END, /* outcome */
    /* Waits, each for one callback. */
    RUN_STATE_BEGINNING,
    RUN_STATE_SAVING, /* after_save follows */
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
    const struct tool *tool; /* NULL: unknown name */
    enum run_call_state state;
    bool made;                          /* the call was started */
    bool code_failed;                   /* it counts as a failed attempt at code */
    char log_members[LOG_MEMBERS_SIZE]; /* of its programs */
    size_t replaces;     /* operations that replace something; set if nobody can approve */
    struct buf refusal;  /* why the call is not made, for the model; empty: it is made */
    const char *refused; /* its category: "declined", "cancelled"; NULL: "validation" */
    json_t *interrupt;   /* owned: what a person is or was asked, or NULL */
    uint64_t started_ms; /* on the loop's clock */
    json_t *block;       /* owned: the tool_result */
    json_t *shown;       /* owned: its entry in "shown" */
};

enum run_block { RUN_BLOCK_NONE, RUN_BLOCK_TEXT, RUN_BLOCK_THINKING, RUN_BLOCK_CALL };

struct run_progress_timer; /* run_calls.c */

struct chat_run {
    struct server *server;
    struct model *model;
    struct thread *thread;
    struct run_listener *listener;
    char *run_id, *who; /* owned */
    struct identity identity;
    enum approvals approvals;
    enum run_state state, after_save;
    void (*step)(struct chat_run *run); /* executes states until the next wait */
    bool stepping;                      /* in step: a callback must not call it again */
    bool cancelled, held;
    enum run_stop stopped_by; /* if cancelled */
    bool ending;              /* only the last save remains */
    bool over;
    struct error failure;     /* why it cancelled itself; ERROR_NONE: cancelled from outside */
    enum run_outcome outcome; /* reported to the listener after the last save */
    struct error outcome_error;
    bool unsaved;
    /* The request. */
    json_t *messages; /* owned; NULL if it begins with answers */
    bool again;       /* none is new: asks the newest question of the thread again */
    char *where;      /* owned, or NULL */
    json_t *answers;  /* owned: {interrupt id: {"approved", "reason"}}; or NULL */

    struct loop_task begin;
    struct workq_job reading;
    char title[RUN_TITLE_SIZE];
    int64_t bytes;
    struct error read_error;

    struct run_usage usage;
    struct buf system; /* the system prompt, constant for the whole run */
    unsigned turn;
    unsigned shortened;       /* number of times that the history was too long */
    bool last;                /* the model must not call more tools */
    struct attempts attempts; /* at code; the code of one turn is one attempt */
    bool worked;              /* an analysis or an edit succeeded */
    const char *status;       /* struct run_event */
    size_t replaced;          /* operations of the question that replaced something */
    bool refused_replacements,
        notified_replacements; /* there were too many; the editor was notified */

    /* The turn. */
    struct model_call *asked, *answered; /* owned; the running request, and a completed one */
    char message_id[UUID_TEXT_SIZE];
    struct run_sent_block {
        enum run_block kind;
        bool open;
        char *id, *name; /* of a call; owned */
    } sent[MODEL_BLOCKS_CAP];

    struct run_call *calls; /* owned array */
    size_t call_count, next, under_way;
    bool editing; /* the running call edits */
    struct run_progress_timer *progress;

    bool by_roles;
    struct run_roles *roles; /* owned; NULL before they begin */
    struct solve *solving;   /* their task; NULL: none is under way */
};

/* ---- run_thread.c ---- */

void run_notify(struct chat_run *run, const struct run_event *event);
/* Reports that a limit was reached; id is of its note, or NULL. */
void run_notify_limit(struct chat_run *run, const char *name, const char *id, const char *text);
/* Adds a note to the thread. kind: a limit's, "error", "stopped", "refusal" or
 * THREAD_AGAIN. id (may be NULL) gets its id. more (may be NULL) has additional members of its
 * "shown"; takes ownership. */
int run_note(struct chat_run *run, const char *kind, const char *text, json_t *more,
             char id[UUID_TEXT_SIZE], struct error *err);
/* Adds a note with the cost of the run, if a request was sent. Without memory, only logs it. */
void run_note_usage(struct chat_run *run);
/* Reports and notes that a limit was reached; more as in run_note. */
int run_limit(struct chat_run *run, const char *name, json_t *more, struct error *err,
              const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Continues after a wait. */
void run_go_on(struct chat_run *run, enum run_state state);
enum run_state run_fail(struct chat_run *run, const struct error *err);
/* Makes the thread durable; then continues with next. */
enum run_state run_save(struct chat_run *run, enum run_state next);
/* Ends the run with a text of ours instead of an answer or after it, as a note of this kind; takes
 * ownership of more (may be NULL), as run_note. */
enum run_state run_end_with_text(struct chat_run *run, const char *kind, const char *text,
                                 json_t *more);
bool run_has_words(const json_t *content); /* whether an answer contains text */
/* Reports a whole text at once; id: of its message. */
void run_tell(struct chat_run *run, const char *id, const char *text, size_t len);

/* ---- run_approvals.c ---- */

/* Previews the calls that need an approval. Where nobody can be asked, refuses them instead. */
enum run_state run_look_at_calls(struct chat_run *run);
/* Ends the run with the interrupts of the previewed calls; without any, the tools are called. */
enum run_state run_interrupt(struct chat_run *run);
/* Gives each call of the turn the interrupt that the thread has for it, and its answer; what was
 * declined, or not answered, is refused. */
void run_approvals_match(struct chat_run *run);
/* For an interrupted turn: refuses calls that need an approval and have no interrupt. */
void run_approvals_refuse_unlooked(struct chat_run *run);
/* Takes over the attempts of the interrupted run: it answered the same question. */
void run_approvals_continue_attempts(struct chat_run *run);

/* ---- run_solve.c ---- */

enum run_state run_solve(struct chat_run *run);      /* the roles begin */
enum run_state run_solve_take(struct chat_run *run); /* their answer */
/* Whether the newest turn is an edit that the roles proposed, with its result. */
bool run_solve_proposed(const struct chat_run *run);
enum run_state run_solve_close(struct chat_run *run);       /* answers after that */
const json_t *run_solve_models(const struct chat_run *run); /* struct run_event */
void run_solve_free(struct chat_run *run);

/* ---- run_answer.c ---- */

enum run_state run_ask(struct chat_run *run);         /* the next request to the model */
enum run_state run_take_answer(struct chat_run *run); /* processes the answer */
void run_answer_forget(struct chat_run *run);         /* frees the answer of the turn */

/* ---- run_calls.c ---- */

/* Loads the calls of the thread's newest assistant message that have no results yet. */
int run_calls_load(struct chat_run *run, struct error *err);
void run_calls_free(struct chat_run *run);
/* Refuses and answers every call that has no answer yet; as is the category. */
int run_calls_refuse(struct chat_run *run, const char *why, const char *as, struct error *err);
/* Inserts the results before the parts of a user message; all calls must be answered. */
int run_calls_results(struct chat_run *run, json_t *content, json_t *shown, struct error *err);
/* Adds all results to the thread as a message, not yet durable. */
int run_calls_keep(struct chat_run *run, struct error *err);
enum run_state run_call_tools(struct chat_run *run); /* starts those that can be started */
enum run_state run_end_turn(struct chat_run *run);   /* all calls have results */

#endif
