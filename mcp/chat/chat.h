/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The chat's interface for the transport: pages, each in one session, with JSON text frames in and
 * out. The sockets are in mcp/transport/websocket/. Everything runs on the loop's thread.
 *
 * A page that connects receives a small run by the server (runId "live-..."): STATE_SNAPSHOT
 * {"version", "session": {"session_id", "title"}, "model": {"name", "ready", "advice"}, "threads":
 * [{"thread_id", "title", "updated_at"}], "repairs": 2, "solve": struct chat_config's} and, if it
 * named an existing thread, MESSAGES_SNAPSHOT. That run ends with outcome interrupt if approvals
 * are open. Changes by others are sent in such runs too, or within the page's run, and so is
 * STATE_SNAPSHOT when the session has a new conversation. A run input waits while another run
 * executes; one too many is refused in its turn, by a run with its id that fails with code "busy".
 * When a page disconnects, its run is cancelled: the model's request and the tools.
 */
#ifndef LECTERN_CHAT_CHAT_H
#define LECTERN_CHAT_CHAT_H

#include <stdbool.h>
#include <stddef.h>

#include "helpers/base/buf.h"
#include "helpers/base/error.h"
#include "mcp/auth/identity.h"
#include "mcp/model/model_message.h"
#include "mcp/server.h"

#define CHAT_PAGES_CAP 512u
#define CHAT_QUEUE_CAP                                                                             \
    ((size_t)16 << 20) /* bytes of frames that wait for one page; if exceeded, the page is closed  \
                        */
#define CHAT_HOLD_BYTES    ((size_t)1 << 20) /* of those, above which its model must wait */
#define CHAT_INPUTS_CAP    4u                /* run inputs of one page that wait for their turn */
#define CHAT_REFUSED_CAP   64u /* refusals that wait; if exceeded, the page is closed */
#define CHAT_CANCELLED_CAP 64u /* stopped questions of one thread that wait to be stored */
#define CHAT_CHANGES_CAP                                                                           \
    128u /* changes that wait for one page; if exceeded, it must read everything again */
#define CHAT_JOINED_MAX                                                                            \
    ((size_t)64 << 10) /* bytes up to which waiting pieces of text are joined                      \
                        */
#define CHAT_THREADS_LISTED 50u
#define CHAT_EDITOR_MAX     64u /* bytes of an editor's name */

struct chat;
struct chat_page;
struct model;

struct chat_config {
    struct model *model; /* borrowed; NULL: every question is refused */
    bool solve; /* questions are answered by the roles, unless their input says otherwise */
};

/* wake is called when something waits for this page, or it must be closed. */
struct chat *chat_create(struct server *server, const struct chat_config *config,
                         void (*wake)(void *user), struct error *err);
void chat_destroy(struct chat *chat); /* after all pages and runs are gone; takes NULL */
size_t chat_pages(const struct chat *chat);
/* The running ones, including those whose page has disconnected */
size_t chat_runs(const struct chat *chat);
/* Cancels all runs, also of pages that stay connected. Waiting inputs are not started. */
void chat_cancel_all(struct chat *chat);
/* Calls each with the user of every page, to close them. */
void chat_each(struct chat *chat, void (*each)(void *user));

#define CHAT_OUTCOMES 4u
struct chat_totals {               /* since the start of the server */
    uint64_t questions;            /* runs that began */
    uint64_t ended[CHAT_OUTCOMES]; /* indexed by enum run_outcome */
    struct model_usage tokens;
    uint64_t requests; /* to the model's service */
};
const struct chat_totals *chat_totals(const struct chat *chat);
const char *chat_outcome_name(size_t outcome); /* "success", "cancelled", ...; static */

/* Copies session_id, thread_id ("" or NULL: none yet) and editor (a name for the change log, or
 * NULL). NULL at CHAT_PAGES_CAP or without memory. */
struct chat_page *chat_page_create(struct chat *chat, const char *session_id, const char *thread_id,
                                   const char *editor, void *user);
void chat_page_destroy(struct chat_page *page); /* takes NULL */
/* Who has the page: what its questions may do, and the name for the change log instead of the
 * editor's. Borrowed for the life of the page; it may change between frames. Without it: everyone.
 */
void chat_page_identify(struct chat_page *page, const struct identity *identity);

/* Receives one complete frame. Errors in it are reported to the page. Returns -1 if the page must
 * be closed. */
int chat_page_receive(struct chat_page *page, const char *text, size_t len);
/* Appends the next frame for the page to *to; false if none waits. */
bool chat_page_next(struct chat_page *page, struct buf *to);
/* Whether the page must be closed after the waiting frames are sent. */
bool chat_page_ended(const struct chat_page *page);

#endif
