/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A thread (conversation): its messages in the format of the Messages API, as the model must
 * receive them again, each with what a page displays. In memory while in use, stored by
 * store_thread_*. Belongs to one session. Everything runs on the loop's thread; loading and saving
 * are jobs on the work queues read and sql.
 */
#ifndef LECTERN_CHAT_THREAD_H
#define LECTERN_CHAT_THREAD_H

#include <stdbool.h>

#include <jansson.h>

#include "helpers/base/error.h"
#include "mcp/curriculum/text.h"
#include "mcp/server.h"
#include "mcp/store/store.h"

#define THREAD_ID_MAX       128u /* bytes */
#define THREAD_MESSAGES_MAX 4000u
#define THREAD_BYTES_MAX    ((size_t)16 << 20) /* of all messages together */
#define THREAD_TITLE_MAX    80u                /* bytes, cut from the first question */
#define THREAD_AGAIN        "again"            /* kind of a note */
#define THREAD_NOT_ASKED    "not_asked"        /* kind of a note */
#define THREAD_ATTEMPTS     "attempts_kept"    /* kind of a note */

struct thread {
    char session_id[SESSION_ID_SIZE];
    char id[THREAD_ID_MAX + 1];
    /* Array of {"id": the page's id, "role": "user" or "assistant", "content": the API's blocks or
     * text, "shown": {...}}. For a question, "shown" may have "text": what the user wrote, without
     * the position of the editor. A user message with tool results has there an array "results",
     * one for each result, of {"id", "tool_call_id", "text", "is_error", "category",
     * "milliseconds", "waited", "repair", "repairs_max", and "change_set" of an edit}; pictures
     * come from the content. An answer by the roles has there its "task": {"id": of the message,
     * "task_id": in the store, "status", "entries": the trace of mcp/agent/solve.h, "cut": whether
     * long texts and lists in it are}. A "note" role is displayed but not sent (its "shown" is
     * {"kind", "text"}): a limit, an error, a stop. Kind "usage" has "usage" instead of a text: the
     * cost of the run before it (run_usage_json). Kind THREAD_ATTEMPTS has the "attempts" at code
     * (attempts_json) before an approval, and whether something has "worked". Kind THREAD_AGAIN
     * marks where the question before it was asked again. Kind THREAD_NOT_ASKED has the id and text
     * of a question that the editor stopped before its turn. A refusal's note has "from", the id of
     * the first refused message: messages from there to the note are no longer sent. Kind "context"
     * may have "skip": the number of questions at the beginning of the thread that are omitted
     * after it. */
    json_t *messages;
    json_t *interrupts; /* array of the open ones: {"id", "reason", "message", "toolCallId",
                           "responseSchema", "metadata"} as in AG-UI */
    size_t saved;       /* messages in the store */
    size_t bytes;       /* of all messages */
    bool in_use;        /* by a run */
};

/* Reads the thread from the store, or creates it if there is none. Closes a run that was cut off.
 * on_done is called on the loop with the thread, which its receiver then owns, or with NULL and
 * err. */
int thread_load(const struct store_queues *store, const char *session_id, const char *thread_id,
                void (*on_done)(void *user, struct thread *thread, const struct error *err),
                void *user, struct error *err);
void thread_destroy(struct thread *thread); /* takes NULL; not during a save */

/* Both take ownership of the reference, and fail with ERROR_TOO_LARGE above a cap. Not durable
 * yet. */
int thread_add(struct thread *thread, json_t *message, struct error *err);
void thread_set_interrupts(struct thread *thread, json_t *interrupts);
/* Adds a message with these parts. Takes ownership of content and shown, and fails if one is
 * missing. id NULL: creates an id, which made (may be NULL) receives. */
int thread_put(struct thread *thread, const char *id, const char *role, json_t *content,
               json_t *shown, char made[UUID_TEXT_SIZE], struct error *err);

/* Makes the added messages and the open interrupts durable. on_done is called on the loop. */
int thread_save(const struct store_queues *store, struct thread *thread,
                void (*on_done)(void *user, const struct error *err), void *user,
                struct error *err);

/* Called for a thread that was just read: if its last run was cut off, answers the open calls and
 * adds a note, which are durable after the next save. -1 with ERROR_TOO_LARGE or ERROR_MEMORY. */
int thread_close_cut(struct thread *thread, struct error *err);

bool thread_has_message(const struct thread *thread, const char *id);
bool thread_has_call(const struct thread *thread, const char *id);
/* From the first question, on one line; "" if there is none yet. */
void thread_title(const struct thread *thread, char title[THREAD_TITLE_MAX + 1]);

/* Whether this is a user message with a question, possibly after tool results (a question instead
 * of an answer to an interrupt). */
bool thread_is_question(const json_t *message);
bool thread_is_note(const json_t *message, const char *kind);
/* Whether the content of a message has a block of this type. */
bool thread_has_block(const json_t *content, const char *type);
/* Whether the newest message with this id is a note that a question was not asked. It may be asked
 * if the editor sends it again. */
bool thread_was_not_asked(const struct thread *thread, const char *id);
/* Whether id is the newest question's, and its answer is missing, incomplete or was stopped. */
bool thread_may_ask_again(const struct thread *thread, const char *id);

/* ---- the form that is sent to the model ---- */

#define THREAD_FRESH     4u /* newest questions whose tool results are sent whole */
#define THREAD_FRESH_BY  4u /* the boundary moves by this many at once, for the service's cache */
#define THREAD_OLD_BYTES 4000u /* sent of an older result */

/* The messages for the model as a new reference: an array of {"role", "content"}; NULL without
 * memory. Repairs what a stop left, so that the history can always be replayed: a call without a
 * result gets one that says so, results without a call and empty content are omitted, and the first
 * message is the user's. A question that was asked again after part of an answer has a note for the
 * model. Tool results before the fresh questions are shortened. What the notes of the thread mark
 * as omitted is missing; that changes nothing before it. */
json_t *thread_for_model(const struct thread *thread);
/* The "skip" that omits half of the questions that are still sent; 0 if only the newest is. */
size_t thread_shorter(const struct thread *thread);

#endif
