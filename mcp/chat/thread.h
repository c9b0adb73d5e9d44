/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A thread of conversation: its messages in the Messages API's own form, as the model must get them
 * back, and beside each what a page wants to know of it. In memory while in use, kept by the store
 * (store_thread_*). Belongs to one session. Everything runs on the loop's thread; loading and
 * saving are jobs on the work queues read and sql.
 */
#ifndef LECTERN_CHAT_THREAD_H
#define LECTERN_CHAT_THREAD_H

#include <stdbool.h>

#include <jansson.h>

#include "helpers/base/error.h"
#include "mcp/server.h"
#include "mcp/session/text.h"
#include "mcp/store/store.h"

#define THREAD_ID_MAX       128u /* bytes */
#define THREAD_MESSAGES_MAX 4000u
#define THREAD_BYTES_MAX    ((size_t)16 << 20) /* of all its messages */
#define THREAD_TITLE_MAX    80u                /* bytes, cut from the first question */
#define THREAD_AGAIN        "again"            /* kind of a note */
#define THREAD_NOT_ASKED    "not_asked"        /* another */

struct thread {
    char session_id[SESSION_ID_SIZE];
    char id[THREAD_ID_MAX + 1];
    /* Array of {"id": the page's id of it, "role": "user" or "assistant", "content": the API's
     * blocks or text, "shown": {...}}. Of a question, "shown" may have "text": what the user wrote,
     * without where the editor is. A user message with tool results carries there an array
     * "results" of {"id", "tool_call_id", "text", "is_error", "category", "milliseconds",
     * "waited", "repair", and "change_set" of an edit}, one a result; pictures are taken from the
     * content. A "note" role is shown and not sent (its "shown" is {"kind", "text"}): a limit, an
     * error, a stop; of kind "usage" it has "usage" in place of a text: what the run before it has
     * cost (run_usage_json). One of kind THREAD_AGAIN is where the question before it was asked
     * again; one of kind THREAD_NOT_ASKED has id and text of a question that the editor stopped
     * before its turn. A refusal's has "from", the id of the first message that was refused: from
     * there to the note nothing is sent any more. One of kind "context" may have "skip", the
     * questions at the thread's beginning that are left out after it. */
    json_t *messages;
    json_t *interrupts; /* array, empty where none is open: {"id", "reason", "message",
                           "toolCallId", "responseSchema", "metadata"} as AG-UI has them */
    size_t saved;       /* messages the store has */
    size_t bytes;       /* of all messages */
    bool in_use;        /* by a run */
};

/* Reads it from the store, or begins a new one where there is none. A run that was
 * cut off is closed. on_done on the loop, with the
 * thread, now the receiver's, or NULL and err. */
int thread_load(const struct store_queues *store, const char *session_id, const char *thread_id,
                void (*on_done)(void *user, struct thread *thread, const struct error *err),
                void *user, struct error *err);
void thread_destroy(struct thread *thread); /* takes NULL; not while a save is under way */

/* Both take over the reference; -1 with ERROR_TOO_LARGE above a cap. Not durable yet. */
int thread_add(struct thread *thread, json_t *message, struct error *err);
void thread_set_interrupts(struct thread *thread, json_t *interrupts);
/* Adds a message of these parts; takes over content and shown, and fails without one of them. id:
 * NULL: a new one, which made (may be NULL) gets. */
int thread_put(struct thread *thread, const char *id, const char *role, json_t *content,
               json_t *shown, char made[UUID_TEXT_SIZE], struct error *err);

/* Makes what was added, and the open interrupts, durable. on_done on the loop. */
int thread_save(const struct store_queues *store, struct thread *thread,
                void (*on_done)(void *user, const struct error *err), void *user,
                struct error *err);

/* Of a thread as it was read: where its last run was cut off, answers the calls that are open and
 * notes it; with the next save that is durable. -1 with ERROR_TOO_LARGE or ERROR_MEMORY. */
int thread_close_cut(struct thread *thread, struct error *err);

bool thread_has_message(const struct thread *thread, const char *id);
bool thread_has_call(const struct thread *thread, const char *id);
/* From its first question, in one line; "" before there is one. */
void thread_title(const struct thread *thread, char title[THREAD_TITLE_MAX + 1]);

/* A message of the user that says something, after tool results perhaps (a question instead of an
 * answer to what was asked). */
bool thread_is_question(const json_t *message);
bool thread_is_note(const json_t *message, const char *kind);
/* Whether a message's content has a block of that type. */
bool thread_has_block(const json_t *content, const char *type);
/* Whether the newest message of that id says of a question that it was not asked: it may be, if the
 * editor asks for it. */
bool thread_was_not_asked(const struct thread *thread, const char *id);
/* Whether id is the newest question's, and its answer never came, broke off or was stopped. */
bool thread_may_ask_again(const struct thread *thread, const char *id);

/* ---- as a model gets it back ---- */

#define THREAD_FRESH     4u    /* newest questions whose tool results are sent whole */
#define THREAD_FRESH_BY  4u    /* the line is moved so far at once, for the service's cache */
#define THREAD_OLD_BYTES 4000u /* of an older result that are sent */

/* The messages for the model, a new reference: an array of {"role", "content"}; NULL without
 * memory. Repairs what a stop left, so that the history can always be replayed: a call
 * without its result gets one that says so, a result without its call and empty content are left
 * out, it begins with the user. Where a question was asked again after a part of an answer, the
 * model is told so. Tool results older than the fresh questions are shortened. What the thread's
 * notes say is left out is not there; nothing before it changes by that. */
json_t *thread_for_model(const struct thread *thread);
/* The "skip" that leaves out half of the questions that are still sent; 0 where only the newest
 * is. */
size_t thread_shorter(const struct thread *thread);

#endif
