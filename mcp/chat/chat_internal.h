/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The private header of the chat's files, from top to bottom:
 *
 *   chat.c              the chat
 *   chat_page.c         its pages (older clients: legacy_chat.c)
 *   chat_queue.c        frames that wait for a page
 *   question.c          the questions of a conversation
 *   stopped_questions.c those that were stopped before their turn
 *   session_state.c     the state of a session, for its pages
 *   conversation.c      conversations in use
 *
 * Each calls only those below it. Everything runs on the loop's thread.
 */
#ifndef LECTERN_CHAT_CHAT_INTERNAL_H
#define LECTERN_CHAT_CHAT_INTERNAL_H

#include <sys/queue.h>

#include "mcp/change/change_feed.h"
#include "mcp/chat/agui.h"
#include "mcp/chat/chat.h"
#include "mcp/chat/run_input.h"

#define CHAT_WHO_SIZE        (CHAT_EDITOR_MAX + 16u)
#define CHAT_CHANGE_WHO_SIZE 128u /* the limit of the change log */

struct conversation;

/* One question, or answer to approvals. It waits for its turn on its page, then in its
 * conversation, then it runs. */
struct question {
    struct run_listener listener; /* must be first */
    STAILQ_ENTRY(question) link;  /* in the list of its page, then of its conversation */
    struct chat *chat;
    struct conversation *conversation; /* a reference; NULL: its turn on the page has not come */
    struct chat_run *run;              /* NULL: waiting */
    struct run_input input;            /* owned */
    struct error error; /* if not ERROR_NONE, the input is refused, and only its ids are kept */
    bool surplus;       /* refused because there were too many */
    char who[CHAT_WHO_SIZE];
    struct identity identity; /* who asks */
    bool cancelled, notified; /* cancelled; the run was notified of that */
    enum run_stop stopped_by; /* if cancelled */
    /* Receives the events of the run; the question is freed after RUN_ENDED. */
    void (*on_event)(struct question *question, const struct run_event *event);
    /* Called instead of a run that could not begin (err), or was cancelled before (NULL). The
     * question is freed afterwards. */
    void (*on_refused)(struct question *question, const struct error *err, const char *code);
    void *user; /* the caller's; NULL: the caller is gone */
};

/* Who displays a conversation. */
struct viewer {
    LIST_ENTRY(viewer) link;
    void (*on_loaded)(struct viewer *viewer); /* loading has succeeded or failed */
    void (*on_ended)(struct viewer *viewer);  /* a run of somebody else in it has ended */
    void *user;                               /* as in struct question */
};

/* A thread in use. */
struct conversation {
    LIST_ENTRY(conversation) link;
    struct chat *chat; /* NULL: the chat was destroyed during loading */
    char session_id[SESSION_ID_SIZE];
    char thread_id[THREAD_ID_MAX + 1];
    struct thread *thread; /* owned; NULL: not loaded */
    struct error error;    /* why the last load failed */
    bool loading, posted;
    bool stale; /* the store differs from memory */
    size_t users;
    LIST_HEAD(, viewer) viewers;
    json_t *cancelled; /* owned, or NULL: questions that were stopped before their turn */
    bool keeping;      /* the thread is being saved with some of them */
    STAILQ_HEAD(, question) questions;
    struct question *running; /* the one that runs */
    bool ended;               /* its run has ended since the task was posted */
    void *ended_user;         /* whose run it was */
    struct loop_task task;
};

/* Frames that wait for one page. */
struct chat_queue {
    TAILQ_HEAD(chat_frames, chat_frame) frames;
    size_t bytes;
};

struct chat {
    struct change_listener listener; /* must be first */
    struct server *server;
    struct model *model;
    bool solve; /* struct chat_config */
    void (*wake)(void *user);
    /* Receives the state of a session, for its pages; NULL with err if it could not be read. */
    void (*on_state)(struct chat *chat, const char *session_id, json_t *state,
                     const struct error *err);
    void (*conversation_task)(void *conversation); /* questions_go_on */
    LIST_HEAD(, chat_page) pages;
    size_t page_count;
    LIST_HEAD(, conversation) conversations;
    LIST_HEAD(, state_reading) readings;
    size_t runs;
    bool closing;
    struct chat_totals totals;
};

/* ---- chat_page.c ---- */

struct chat_page {
    LIST_ENTRY(chat_page) link;
    struct chat *chat;
    void *user;
    char session_id[SESSION_ID_SIZE];
    char who[CHAT_WHO_SIZE];
    const struct identity *identity;   /* borrowed */
    struct conversation *conversation; /* the displayed thread: a reference, or NULL */
    struct viewer viewer;              /* of the conversation */
    struct chat_queue queue;
    json_t *changes;                 /* owned array of pending lectern.change values */
    STAILQ_HEAD(, question) waiting; /* for their turn */
    size_t input_count;              /* of those, to be asked */
    size_t refused_count;            /* of those, only to be refused */
    struct question *question;       /* running, or NULL */
    struct agui_run run;             /* of the question */
    bool in_run;                     /* a run is open after the last waiting frame */
    bool ended;                      /* must be closed */
    json_t *state;                   /* owned: state of its session until it is sent, or NULL */
    json_t *sent_threads;            /* owned: the threads it was sent */
    bool greeted;
    unsigned live; /* number of runs by the server so far */
};

/* Reports a change in the page's session. */
void page_hear(struct chat_page *page, const struct store_change *change);
/* The state of its session. NULL with err: a page that has not received any state is refused. */
void page_take_state(struct chat_page *page, json_t *state, const struct error *err);

/* ---- chat_queue.c ---- */

void chat_queue_init(struct chat_queue *queue);
void chat_queue_finish(struct chat_queue *queue);
/* Copies the frame. grows: it is a piece of a text, and may be joined to the piece before it.
 * Returns -1 if more than CHAT_QUEUE_CAP bytes would wait, or without memory. */
int chat_queue_add(struct chat_queue *queue, const char *frame, size_t len, bool grows);
/* Takes the first frame and appends it. False: none waits. */
bool chat_queue_next(struct chat_queue *queue, struct buf *to);

/* ---- question.c ---- */

/* Takes ownership of the question, with input, who, identity, callbacks and user set. Calls nothing
 * before it returns. */
void question_start(struct conversation *conversation, struct question *question);
void question_cancel(struct question *question, enum run_stop by); /* only the first call counts */
/* While held, nothing more is read of the model's answer. */
void question_hold(struct question *question, bool hold);
void question_free(struct question *question); /* frees a question that was not started */
/* The task of a conversation: notifies its viewers, stops what was cancelled, begins the next. */
void questions_go_on(void *conversation);
/* Cancels all questions, soon. */
void questions_cancel(struct chat *chat);
/* For the end of the chat: drops the waiting questions, and detaches the running ones. */
void questions_abandon(struct chat *chat);

/* ---- stopped_questions.c ---- */

/* Takes references to the messages of a question that was stopped before its turn. */
void stopped_questions_keep(struct conversation *conversation, const json_t *messages);
/* No run uses the thread: saves what waits. True: until conversation_go_on, no run may begin. */
bool stopped_questions_save(struct conversation *conversation);

/* ---- session_state.c ---- */

/* Calls chat->on_state soon with the state of the session. */
void session_state_read(struct chat *chat, const char *session_id);
/* For the end of the chat: detaches what is being read. */
void session_states_abandon(struct chat *chat);

/* ---- conversation.c ---- */

/* Returns a reference, which the caller owns; NULL without memory. */
struct conversation *conversation_get(struct chat *chat, const char *session_id,
                                      const char *thread_id);
void conversation_release(struct conversation *conversation); /* takes NULL */
/* Loads it if necessary, then calls on_loaded of the viewers. */
void conversation_load(struct conversation *conversation);
/* Posts its task. What is next happens in a task of the loop: nothing here calls its caller back,
 * nor frees a run under its feet. */
void conversation_post(struct conversation *conversation);
/* After a wait: posts its task, or frees it if the chat was destroyed meanwhile. */
void conversation_go_on(struct conversation *conversation);

#endif
