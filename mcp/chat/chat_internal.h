/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the chat's own files share: conversations in use and the asks that wait for them
 * (chat_request.c), questions stopped before their turn (chat_cancelled.c), a page's frames
 * (chat_queue.c), pages (chat_page.c), what they are told without having asked (chat_live.c), and
 * their state (chat_state.c). Everything runs on the loop's thread.
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

/* One question or answer on its way to a run, and while it runs. */
struct queued_request {
    struct run_listener listener; /* first */
    STAILQ_ENTRY(queued_request) link;
    struct chat *chat;
    struct conversation *conversation; /* a reference */
    struct chat_run *run;              /* NULL: it waits */
    struct run_input input;            /* owned */
    char who[CHAT_WHO_SIZE];
    bool cancelled, notified; /* the run of its cancelling */
    enum run_stop stopped_by; /* where cancelled */
    /* What its run does; the request is freed after RUN_ENDED. */
    void (*on_event)(struct queued_request *request, const struct run_event *event);
    /* Instead of a run: it could not begin (err), or was cancelled before (NULL). Freed after. */
    void (*on_refused)(struct queued_request *request, const struct error *err, const char *code);
    void *user; /* the requester's; NULL: gone */
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
    json_t *cancelled_requests; /* owned, or NULL: messages that were stopped before their turn */
    bool keeping;               /* some of them: the thread is being saved */
    STAILQ_HEAD(, queued_request) requests;
    struct queued_request *running; /* the one that runs */
    bool ended;                     /* since the task was posted: its run */
    void *ended_user;               /* whose run it was */
    struct loop_task task;
};

struct page_change {
    STAILQ_ENTRY(page_change) link;
    enum store_target target;
    char node_id[NODE_ID_MAX + 1]; /* "": none */
    char who[CHAT_CHANGE_WHO_SIZE];
};

struct chat {
    struct change_listener listener; /* first */
    struct server *server;
    struct model *model;
    void (*wake)(void *user);
    LIST_HEAD(, chat_page) pages;
    size_t page_count;
    LIST_HEAD(, conversation) conversations;
    LIST_HEAD(, state_reading) readings;
    size_t runs;
    bool closing;
    struct chat_totals totals;
};

/* ---- chat_request.c ---- */

/* A reference, the caller's; NULL without memory. */
struct conversation *conversation_get(struct chat *chat, const char *session_id,
                                      const char *thread_id);
void conversation_release(struct conversation *conversation); /* takes NULL */
/* Loads it where it is not: chat_loaded comes. */
void conversation_load(struct conversation *conversation);

/* What is next, in a task of the loop; frees it where nothing is. */
void conversation_go_on(struct conversation *conversation);

/* Takes the ask over, whose input, who, callbacks and user are set: 0, or -1 where there is no
 * memory, and the request is freed. Nothing is called before it returns. */
int request_start(struct chat *chat, const char *session_id, struct queued_request *request);
void request_cancel(struct queued_request *request,
                    enum run_stop by);             /* of several the first counts */
void request_free(struct queued_request *request); /* one that was not started */
/* At the end of the chat: those that wait are no more, and what is still under way goes on alone.
 */
void conversations_abandon(struct chat *chat);

/* ---- chat_cancelled.c: questions that were stopped before their turn ---- */

/* To be kept in the thread. messages: of an input; those the thread has are let go. */
void cancelled_requests_add(struct conversation *conversation, const json_t *messages);
bool cancelled_requests_waits(const struct conversation *conversation);
/* No run uses the thread: keeps what waits. True: until conversation_go_on, no run may begin. */
bool cancelled_requests_keep(struct conversation *conversation);

/* ---- chat_queue.c: frames that wait for one page ---- */

struct chat_frame;
struct chat_queue {
    TAILQ_HEAD(chat_frames, chat_frame) frames;
    size_t bytes;
};

void chat_queue_init(struct chat_queue *queue);
void chat_queue_finish(struct chat_queue *queue);
/* -1: over CHAT_QUEUE_CAP, or no memory. grows: its delta may be put behind the one of the last
 * frame that waits, if that is a piece of the same. */
int chat_queue_add(struct chat_queue *queue, const char *frame, size_t len, bool grows);
bool chat_queue_next(struct chat_queue *queue, struct buf *to);

/* ---- chat_page.c, chat_live.c: a page ---- */

struct page_input; /* what came up, and waits for its turn */
struct greeting;

struct chat_page {
    LIST_ENTRY(chat_page) link;
    struct chat *chat;
    void *user;
    char session_id[SESSION_ID_SIZE];
    char who[CHAT_WHO_SIZE];
    struct conversation *conversation; /* the thread it shows: a reference, or NULL */
    struct chat_queue queue;
    STAILQ_HEAD(, page_change) changes;
    size_t change_count;
    STAILQ_HEAD(, page_input) inputs;
    size_t input_count;             /* of those, that will be asked */
    size_t refused_count;           /* and that will only be told why not */
    struct queued_request *request; /* its question under way, or NULL */
    struct agui_run run;            /* of it */
    bool in_run;                    /* behind the last frame that waits, a run is open */
    bool ended;                     /* to be closed */
    struct greeting *greeting;      /* under way, or NULL */
    json_t *state;                  /* owned: what the greeting says, until it is said */
    json_t *sent_threads;           /* owned: the threads that it has been told */
    json_t *news;                   /* owned: the state anew, until it is told; or NULL */
    bool greeted;
    unsigned live; /* runs of the server's own so far */
};

/* Queues a frame, which is emptied; a page that is too far behind ends. */
void page_add_buf(struct chat_page *page, struct buf *frame);
void page_end(struct chat_page *page);
/* The next of its inputs, if it is its turn. */
void page_go_on(struct chat_page *page);
const char *page_thread_id(const struct chat_page *page);

/* Reads what the greeting says; page_greet follows, or the page ends. */
void page_begin(struct chat_page *page);
void page_forget_greeting(struct chat_page *page);
/* Once all is there that it says. */
void page_greet(struct chat_page *page);
/* The thread's messages, to a page that shows it and is not in a run. */
void page_show_thread(struct chat_page *page);
void page_hear(struct chat_page *page, const struct store_change *change);
/* Puts the changes that wait into the queue, and the state anew. */
void page_tell_changes(struct chat_page *page);
void page_forget_changes(struct chat_page *page);

/* ---- chat_state.c ---- */

/* What is read for it, on the read work queue. */
struct chat_state {
    struct workq_job job; /* first */
    char session_id[SESSION_ID_SIZE];
    char title[TITLE_MAX + 1];
    struct buf threads;
    int rc;
    struct error err;
};
void chat_state_work(struct workq_job *job, void *context);
json_t *chat_state_make(const struct chat *chat, const struct chat_state *state); /* or NULL */
void chat_state_finish(struct chat_state *state);
/* Soon: the session's pages are told where they have not the threads that there are by then. */
void chat_state_read(struct chat *chat, const char *session_id);
void chat_state_abandon(struct chat *chat);

/* ---- chat.c ---- */

/* The conversation is loaded, or could not be. */
void chat_loaded(struct chat *chat, struct conversation *conversation);
/* A run in it has ended: pages that show it, but for that user's, are told. */
void chat_ended(struct chat *chat, struct conversation *conversation, const void *user);

#endif
