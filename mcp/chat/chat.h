/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The chat as the transport sees it: pages, each in one session, JSON text frames in and out. No
 * sockets here: mcp/transport/web_socket.c has them. Everything runs on the loop's thread.
 *
 * A page that connects gets a small run of the server's own (runId "live-..."): STATE_SNAPSHOT
 * {"version", "session": {"session_id", "title"}, "model": {"name", "ready", "advice"}, "threads":
 * [{"thread_id", "title", "updated_at"}], "repairs": 2} and, where it named a thread that is there,
 * MESSAGES_SNAPSHOT; that run ends with outcome interrupt where approvals are open. Changes by
 * others come as such runs too, or inside the page's run, and so does STATE_SNAPSHOT where a
 * conversation of the session has come. A run input while another runs waits for it; one too many
 * is refused in its turn, by a run of its id that fails with code "busy". A
 * page that goes takes its run with it: the model's request and the tools are cancelled.
 */
#ifndef LECTERN_CHAT_CHAT_H
#define LECTERN_CHAT_CHAT_H

#include <stdbool.h>
#include <stddef.h>

#include "helpers/base/buf.h"
#include "helpers/base/error.h"
#include "mcp/chat/model_message.h"
#include "mcp/server.h"

#define CHAT_PAGES_CAP 512u
#define CHAT_QUEUE_CAP                                                                             \
    ((size_t)16 << 20) /* bytes of frames that wait for one page; more close it */
#define CHAT_HOLD_BYTES    ((size_t)1 << 20) /* of them, above which its model has to wait */
#define CHAT_INPUTS_CAP    4u                /* run inputs of one page that wait for their turn */
#define CHAT_REFUSED_CAP   64u               /* that wait to be refused; more close it */
#define CHAT_CANCELLED_CAP 64u /* stopped questions that wait to be kept, of one thread */
#define CHAT_CHANGES_CAP                                                                           \
    128u /* changes that wait for one page; above that it is asked to read all */
#define CHAT_JOINED_MAX     ((size_t)64 << 10) /* bytes that pieces of text grow to while they wait */
#define CHAT_THREADS_LISTED 50u
#define CHAT_EDITOR_MAX     64u /* bytes of an editor's name */

struct chat;
struct chat_page;
struct model;

struct chat_config {
    struct model *model; /* borrowed; NULL: each question is refused */
};

/* wake: something waits for this page, or it is to be closed. */
struct chat *chat_create(struct server *server, const struct chat_config *config,
                         void (*wake)(void *user), struct error *err);
void chat_destroy(struct chat *chat); /* when pages and runs are gone. Takes NULL */
size_t chat_pages(const struct chat *chat);
size_t chat_runs(const struct chat *chat); /* under way, those of pages that have gone included */
/* Ends all runs soon, those of pages that stay too; what waits is not begun. */
void chat_cancel_all(struct chat *chat);
/* Each page's user, for closing them. */
void chat_each(struct chat *chat, void (*each)(void *user));

#define CHAT_OUTCOMES 4u
struct chat_totals {               /* since the beginning */
    uint64_t questions;            /* runs that began */
    uint64_t ended[CHAT_OUTCOMES]; /* by enum run_outcome */
    struct model_usage tokens;
    uint64_t requests; /* to the model's service */
};
const struct chat_totals *chat_totals(const struct chat *chat);
const char *chat_outcome_name(size_t outcome); /* "success", "cancelled", ...; static */

/* session_id, thread_id ("" or NULL: none yet), editor (a name for the change log, or NULL):
 * copied. NULL at CHAT_PAGES_CAP, or without memory. */
struct chat_page *chat_page_create(struct chat *chat, const char *session_id, const char *thread_id,
                                   const char *editor, void *user);
void chat_page_destroy(struct chat_page *page); /* takes NULL */

/* A whole frame. What is wrong with it is reported to the page; -1: it is to be closed. */
int chat_page_receive(struct chat_page *page, const char *text, size_t len);
/* The next frame for the page, appended to *to; false where none waits. */
bool chat_page_next(struct chat_page *page, struct buf *to);
/* It is to be closed once it has been sent what waits. */
bool chat_page_ended(const struct chat_page *page);

#endif
