/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the chat's own files share: from top to bottom the chat (chat.c), pages (chat_page.c), and
 * conversations and the questions in them (conversation.c). Everything runs on the loop's thread.
 */
#ifndef LECTERN_CHAT_CHAT_INTERNAL_H
#define LECTERN_CHAT_CHAT_INTERNAL_H

#include <sys/queue.h>

#include "mcp/chat/agui.h"
#include "mcp/chat/chat.h"
#include "mcp/chat/run_input.h"
#include "mcp/session/change_feed.h"

#define CHAT_WHO_SIZE        (CHAT_EDITOR_MAX + 16u)
#define CHAT_CHANGE_WHO_SIZE 128u /* as much as the change log keeps */

struct conversation;

/* One question, or answer to approvals: it waits for its page's turn, then for its conversation's,
 * then it runs. */
struct question {
    struct run_listener listener; /* first */
    STAILQ_ENTRY(question) link;  /* of its page's, then of its conversation's */
    struct chat *chat;
    struct conversation *conversation; /* a reference; NULL: its page's turn has not come */
    struct chat_run *run;              /* NULL: it waits */
    struct run_input input;            /* owned */
    struct error error; /* of another kind than ERROR_NONE: it cannot be taken; of input only the
                           ids are kept */
    bool surplus;       /* because there were too many */
    char who[CHAT_WHO_SIZE];
    bool cancelled, notified; /* the run of its cancelling */
    enum run_stop stopped_by; /* where cancelled */
    /* What its run does; the question is freed after RUN_ENDED. */
    void (*on_event)(struct question *question, const struct run_event *event);
    /* Instead of a run: it could not begin (err), or was cancelled before (NULL). Freed after. */
    void (*on_refused)(struct question *question, const struct error *err, const char *code);
    void *user; /* the asker's; NULL: gone */
};

/* Who shows a conversation. */
struct viewer {
    LIST_ENTRY(viewer) link;
    void (*on_loaded)(struct viewer *viewer); /* it is loaded, or could not be */
    void (*on_ended)(struct viewer *viewer);  /* somebody else's run in it has ended */
    void *user;                               /* as in struct question */
};

/* A thread that somebody uses. */
struct conversation {
    LIST_ENTRY(conversation) link;
    struct chat *chat; /* NULL: the chat is gone before its loading was done */
    char session_id[SESSION_ID_SIZE];
    char thread_id[THREAD_ID_MAX + 1];
    struct thread *thread; /* owned; NULL: not loaded */
    struct error error;    /* why it could not be loaded the last time */
    bool loading, posted;
    bool stale; /* the store has other than what is in memory */
    size_t users;
    LIST_HEAD(, viewer) viewers;
    json_t *cancelled; /* owned, or NULL: messages that were stopped before their turn */
    bool keeping;      /* some of them: the thread is being saved */
    STAILQ_HEAD(, question) questions;
    struct question *running; /* the one that runs */
    bool ended;               /* since the task was posted: its run */
    void *ended_user;         /* whose run it was */
    struct loop_task task;
};

/* Frames that wait for one page. */
struct chat_queue {
    TAILQ_HEAD(chat_frames, chat_frame) frames;
    size_t bytes;
};

struct chat {
    struct change_listener listener; /* first */
    struct server *server;
    struct model *model;
    void (*wake)(void *user);
    /* The state of a session, for its pages; NULL with err: it could not be read. */
    void (*on_state)(struct chat *chat, const char *session_id, json_t *state,
                     const struct error *err);
    LIST_HEAD(, chat_page) pages;
    size_t page_count;
    LIST_HEAD(, conversation) conversations;
    LIST_HEAD(, state_reading) readings;
    size_t runs;
    bool closing;
    struct chat_totals totals;
};

/* ---- conversation.c ---- */

/* A reference, the caller's; NULL without memory. */
struct conversation *conversation_get(struct chat *chat, const char *session_id,
                                      const char *thread_id);
void conversation_release(struct conversation *conversation); /* takes NULL */
/* Loads it where it is not: the viewers' on_loaded comes. */
void conversation_load(struct conversation *conversation);

/* Takes the question over, whose input, who, callbacks and user are set. Nothing is called before
 * it returns. */
void question_start(struct conversation *conversation, struct question *question);
void question_cancel(struct question *question, enum run_stop by); /* of several the first counts */
/* While held, no more is read of the model's answer to it. */
void question_hold(struct question *question, bool hold);
void question_free(struct question *question); /* one that was not started */
/* Soon: chat->on_state with the state of the session. */
void session_state_read(struct chat *chat, const char *session_id);
/* All questions, soon. */
void conversations_cancel(struct chat *chat);
/* At the end of the chat: those that wait are no more, and what is still under way goes on alone.
 */
void conversations_abandon(struct chat *chat);

/* ---- chat_page.c ---- */

struct chat_page {
    LIST_ENTRY(chat_page) link;
    struct chat *chat;
    void *user;
    char session_id[SESSION_ID_SIZE];
    char who[CHAT_WHO_SIZE];
    struct conversation *conversation; /* the thread it shows: a reference, or NULL */
    struct viewer viewer;              /* of it */
    struct chat_queue queue;
    json_t *changes;                 /* owned array: of lectern.change, that wait */
    STAILQ_HEAD(, question) waiting; /* for their turn */
    size_t input_count;              /* of those, that will be asked */
    size_t refused_count;            /* and that will only be refused */
    struct question *question;       /* under way, or NULL */
    struct agui_run run;             /* of it */
    bool in_run;                     /* after the last frame that waits, a run is open */
    bool ended;                      /* to be closed */
    json_t *state;                   /* owned: of its session, until it is sent; or NULL */
    json_t *sent_threads;            /* owned: the threads that it knows */
    bool greeted;
    unsigned live; /* runs of the server's own so far */
};

/* A change in the page's session. */
void page_hear(struct chat_page *page, const struct store_change *change);
/* The state of its session; NULL with err: a page that was sent none is refused. */
void page_take_state(struct chat_page *page, json_t *state, const struct error *err);

#endif
