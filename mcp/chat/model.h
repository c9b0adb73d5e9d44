/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The model: requests to a service that speaks the Anthropic Messages API (POST BASE/v1/messages,
 * streaming). Everything runs on the loop's thread, and nothing blocks it.
 */
#ifndef LECTERN_CHAT_MODEL_H
#define LECTERN_CHAT_MODEL_H

#include "helpers/base/loop_queue.h"
#include "mcp/chat/model_message.h"

#define MODEL_REQUESTS_MAX  32u /* under way at once */
#define MODEL_REQUESTS_WAIT 64u /* more wait; above that ERROR_BUSY */
#define MODEL_CONNECT_MS    10000u
#define MODEL_REQUEST_MS    600000u /* one request, from its first byte to its last */
#define MODEL_SILENT_MS     120000u /* without a byte; a local service may take longer */
#define MODEL_LINGER_MS                                                                            \
    200u /* for an answer to end by itself once it is whole, so                                    \
            that its connection can be used again */
#define MODEL_BODY_CAP    ((size_t)32 << 20) /* bytes of a request */
#define MODEL_REFUSAL_CAP ((size_t)64 << 10) /* of an answer that is an error */
#define MODEL_VERSION     "2026-10-21"       /* anthropic-version */

#define MODEL_DEFAULT_URL  "https://api.anthropic.com"
#define MODEL_DEFAULT_NAME "claude-sonnet-4-5"

/* Texts are borrowed until the model and all its calls have ended. If both key and auth_token are
 * there, the key is sent. */
struct model_config {
    const char *url;        /* without /v1; NULL: MODEL_DEFAULT_URL */
    const char *name;       /* the model's; NULL: MODEL_DEFAULT_NAME */
    const char *key;        /* ANTHROPIC_API_KEY: sent as x-api-key; or NULL */
    const char *auth_token; /* ANTHROPIC_AUTH_TOKEN: sent as Authorization: Bearer; or NULL */
    unsigned retry_ms;      /* the first pause before another attempt; 0: MODEL_RETRY_FIRST_MS */
};

struct model;
/* -1 with ERROR_INVALID where the address is too long; model_ready reports what else is wrong. */
struct model *model_create(const struct model_config *config, struct loop_queue *loop_queue,
                           struct error *err);
/* Cancels what is under way: their on_done are tasks in the loop's queue then. Not within a
 * callback of a call. Takes NULL. */
void model_destroy(struct model *model);

/* Whether a question can be asked: false with what to do in advice ("Set ANTHROPIC_API_KEY ...").
 * A service on a loopback address needs no key. */
bool model_ready(const struct model *model, char *advice, size_t size);
const char *model_name(const struct model *model);
const char *model_address(const struct model *model); /* of the service, for people: no password */

/* One request. Zeroed, then what is asked for is set; large: on the heap. */
struct model_call {
    /* What is asked for. */
    struct buf body; /* the request's JSON, whole; owned */
    struct model_listener listener;
    /* It is sent again after wait_ms, as the given attempt; may be NULL. */
    void (*on_wait)(struct model_call *call, unsigned attempt, unsigned wait_ms, const char *why);
    /* Last; may free the call after model_call_finish. */
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

    bool cancelled;
    struct model_transfer *transfer; /* the model's own */
};

/* -1 with ERROR_BUSY, ERROR_UNAVAILABLE (not ready) or ERROR_TOO_LARGE (the body): on_done will not
 * come, the call needs model_call_finish. Else on_done comes, never before this returns. */
int model_call_start(struct model *model, struct model_call *call, struct error *err);
/* Ends it soon, by on_done with ERROR_CANCELLED (unless it has just ended). The listener is called
 * no more. */
void model_call_cancel(struct model_call *call);
/* While held, nothing more is read from the service, which has to wait. Releasing calls the
 * listener; not within a callback of the call. */
void model_call_hold(struct model_call *call, bool hold);
void model_call_finish(struct model_call *call); /* what it owns, not itself */

#endif
