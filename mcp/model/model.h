/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The model: requests to a service that speaks the Anthropic Messages API (POST BASE/v1/messages,
 * streaming). Everything runs on the loop's thread, and nothing blocks it.
 */
#ifndef LECTERN_MODEL_H
#define LECTERN_MODEL_H

#include "helpers/base/loop_queue.h"
#include "mcp/model/model_message.h"

#define MODEL_REQUESTS_MAX  32u /* at once */
#define MODEL_REQUESTS_WAIT 64u /* waiting; more get ERROR_BUSY */
#define MODEL_CONNECT_MS    10000u
#define MODEL_REQUEST_MS    600000u /* for one request, from its first byte to its last */
#define MODEL_SILENT_MS     120000u /* without receiving a byte; a local service may take longer */
#define MODEL_LINGER_MS                                                                            \
    200u /* that a complete answer gets to end by itself, so that its connection can be reused */
#define MODEL_BODY_CAP    ((size_t)32 << 20) /* bytes of a request */
#define MODEL_REFUSAL_CAP ((size_t)64 << 10) /* of an answer that is an error */
#define MODEL_VERSION     "2026-10-21"       /* anthropic-version */

#define MODEL_DEFAULT_URL  "https://api.anthropic.com"
#define MODEL_DEFAULT_NAME "claude-sonnet-4-5"

/* The texts are borrowed until the model and all its calls have ended. If both key and auth_token
 * are set, only the key is sent. */
struct model_config {
    const char *url;        /* without /v1; NULL: MODEL_DEFAULT_URL */
    const char *name;       /* the model's; NULL: MODEL_DEFAULT_NAME */
    const char *key;        /* ANTHROPIC_API_KEY: sent as x-api-key; or NULL */
    const char *key_name;   /* of the variable that has, or lacks, the key; NULL: that one */
    const char *auth_token; /* ANTHROPIC_AUTH_TOKEN: sent as Authorization: Bearer; or NULL */
    unsigned retry_ms;      /* the first pause before a retry; 0: MODEL_RETRY_FIRST_MS */
};

struct model;
/* Fails with ERROR_INVALID if the address is too long; model_ready reports other problems. */
struct model *model_create(const struct model_config *config, struct loop_queue *loop_queue,
                           struct error *err);
/* Cancels the running calls; their on_done are then tasks in the loop's queue. Must not be called
 * from a callback of a call. Takes NULL. */
void model_destroy(struct model *model);

/* Whether a question can be asked. If false, advice says what to do ("Set ANTHROPIC_API_KEY ...").
 * A service on a loopback address needs no key. */
bool model_ready(const struct model *model, char *advice, size_t size);
const char *model_name(const struct model *model);
/* The address of the service, for display: without the password. */
const char *model_address(const struct model *model);

/* One request. The caller zeroes it and sets the first part. Large: allocate it on the heap. */
struct model_call {
    /* Set by the caller. */
    struct buf body; /* the complete JSON of the request; owned */
    struct model_listener listener;
    /* The request will be sent again after wait_ms, as this attempt. May be NULL. */
    void (*on_wait)(struct model_call *call, unsigned attempt, unsigned wait_ms, const char *why);
    /* The last callback; it may free the call after model_call_finish. */
    void (*on_done)(struct model_call *call);
    void *user; /* for these callbacks and the listener */

    /* The result. If err.kind is ERROR_NONE, message is complete. Otherwise err says for an editor
     * what went wrong and what to do, and message has what arrived before. ERROR_CANCELLED after a
     * cancel, ERROR_TOO_LARGE if the request was too large (HTTP 413, or a prompt too long),
     * ERROR_INVALID for another 400, ERROR_UNAVAILABLE, ERROR_BUSY (429, 529), ERROR_TIMEOUT,
     * ERROR_IO (connection lost), ERROR_MALFORMED. */
    struct error err;
    struct model_message message;
    char request_id[128]; /* the service's, for the log; or "" */

    bool cancelled;
    struct model_transfer *transfer; /* private to model.c */
};

/* On -1 with ERROR_BUSY, ERROR_UNAVAILABLE (not ready) or ERROR_TOO_LARGE (the body), on_done will
 * not be called, and the caller calls model_call_finish. Otherwise on_done is called, never before
 * this returns. */
int model_call_start(struct model *model, struct model_call *call, struct error *err);
/* Ends the call soon, with on_done and ERROR_CANCELLED (unless it has just ended). The listener is
 * not called again. */
void model_call_cancel(struct model_call *call);
/* While held, nothing more is read from the service, which must wait. Releasing calls the listener;
 * must not be called from a callback of the call. */
void model_call_hold(struct model_call *call, bool hold);
void model_call_finish(struct model_call *call); /* frees what it owns, not the call */

#endif
