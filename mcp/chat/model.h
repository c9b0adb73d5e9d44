/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The model: requests to a service that speaks the Anthropic Messages API (POST BASE/v1/messages,
 * streaming), sent by libcurl on a work queue of their own, one thread a request. The work queue's
 * thread reads bytes and waits; what came is parsed on the loop's thread, which also hears of it
 * there.
 */
#ifndef LECTERN_CHAT_MODEL_H
#define LECTERN_CHAT_MODEL_H

#include "helpers/base/cancel.h"
#include "helpers/base/workq.h"
#include "helpers/base/loop_queue.h"
#include "mcp/chat/model_message.h"

#define MODEL_REQUESTS_MAX  32u                /* under way at once: threads of the work queue */
#define MODEL_REQUESTS_WAIT 64u                /* more wait; above that ERROR_BUSY */
#define MODEL_REQUEST_MS    600000u            /* one request, from its first byte to its last */
#define MODEL_SILENT_MS     120000u            /* without a byte; a local service may take longer */
#define MODEL_BODY_CAP      ((size_t)32 << 20) /* bytes of a request */
#define MODEL_UNREAD_CAP                                                                           \
    ((size_t)256 << 10)                      /* of an answer, before the loop has read them: the   \
                                               service waits then */
#define MODEL_REFUSAL_CAP ((size_t)64 << 10) /* of an answer that is an error */
#define MODEL_VERSION     "2026-10-21"       /* anthropic-version */

#define MODEL_DEFAULT_URL  "https://api.anthropic.com"
#define MODEL_DEFAULT_NAME "claude-sonnet-4-5"

/* Texts are borrowed until the model and all its calls have ended. Of key and auth_token the key is
 * sent where both are there. */
struct model_config {
    const char *url;        /* without /v1; NULL: MODEL_DEFAULT_URL */
    const char *name;       /* the model's; NULL: MODEL_DEFAULT_NAME */
    const char *key;        /* ANTHROPIC_API_KEY: sent as x-api-key; or NULL */
    const char *auth_token; /* ANTHROPIC_AUTH_TOKEN: sent as Authorization: Bearer; or NULL */
};

struct model;
struct model *model_create(const struct model_config *config, struct loop_queue *loop_queue,
                           struct error *err);
/* Cancels what is under way, joins the work queue; their tasks are in the loop's queue then. Takes
 * NULL.
 */
void model_destroy(struct model *model);

/* Whether a question can be asked: false with what to do in advice ("Set ANTHROPIC_API_KEY ...").
 * A service on a loopback address needs no key. */
bool model_ready(const struct model *model, char *advice, size_t size);
const char *model_name(const struct model *model);

/* One request. Zeroed, then what is asked for is set; large: on the heap. Everything but body is
 * used on the loop's thread only. */
struct model_call {
    struct workq_job job;
    /* What is asked for. */
    struct buf body;       /* the request's JSON, whole; owned */
    struct cancel *cancel; /* owned reference, or NULL: one is made */
    struct model_listener listener;
    /* It is sent anew after wait_ms, for the attempt-th time; may be NULL. On the loop. */
    void (*on_wait)(struct model_call *call, unsigned attempt, unsigned wait_ms, const char *why);
    /* On the loop, last; may free the call after model_call_finish. */
    void (*on_done)(struct model_call *call);
    void *user; /* the asker's, and the listener's */

    /* The result: err.kind ERROR_NONE where message is whole. Else what went wrong in words for an
     * editor, with what to do; message has what came before. ERROR_CANCELLED after a cancel,
     * ERROR_TOO_LARGE where the request was (HTTP 413, or a prompt too long), ERROR_INVALID for
     * another 400, ERROR_UNAVAILABLE, ERROR_BUSY (429, 529), ERROR_TIMEOUT, ERROR_IO (connection
     * lost), ERROR_MALFORMED. */
    struct error err;
    struct model_message message;
    char request_id[128]; /* the service's, for the log; or "" */

    struct model_transfer *transfer; /* its own */
};

/* On the loop. -1 with ERROR_BUSY, ERROR_UNAVAILABLE (not ready) or ERROR_TOO_LARGE (the body):
 * on_done will not come, the call wants model_call_finish. Else on_done comes, never before this
 * returns. */
int model_call_start(struct model *model, struct model_call *call, struct error *err);
/* On the loop: ends it soon, by on_done with ERROR_CANCELLED (unless it has just ended). Firing
 * call->cancel does the same for a call that is under way, not for one that waits for its turn. */
void model_call_cancel(struct model_call *call);
void model_call_finish(struct model_call *call); /* what it owns, not itself */

#endif
