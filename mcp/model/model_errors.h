/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Failed requests to a model. Describes them for an editor (what it means and what to do), by the
 * HTTP status, the type of an error event in a stream, or the state of the connection. Decides on
 * retries as Anthropic's own clients do: by x-should-retry, else by the status; after the time that
 * the service requests, else with growing randomised pauses. Pure, any thread.
 */
#ifndef LECTERN_MODEL_ERRORS_H
#define LECTERN_MODEL_ERRORS_H

#include <stdbool.h>
#include <time.h>

#include "helpers/base/http.h"

#define MODEL_QUOTE_MAX       300u /* bytes quoted of the service's message */
#define MODEL_RETRIES         2u
#define MODEL_RETRY_FIRST_MS  500u
#define MODEL_RETRY_LAST_MS   8000u
#define MODEL_RETRY_ASKED_MAX 60000u /* if a service requests more, there is no retry */

/* An answer that is an error. Everything is borrowed; NULL if unknown. */
struct model_refusal {
    long status;            /* HTTP; 0: an error event */
    const char *type;       /* the API's: "overloaded_error" */
    const char *message;    /* its text */
    unsigned asked_ms;      /* requested pause; 0: none */
    const char *model;      /* that was requested */
    const char *address;    /* of the service */
    const char *credential; /* name of the variable with the key; NULL: none was sent */
};

/* ERROR_TOO_LARGE, ERROR_INVALID, ERROR_UNAVAILABLE, ERROR_BUSY or ERROR_TIMEOUT. Returns -1. */
int model_refusal_describe(const struct model_refusal *refusal, struct error *err);

/* Appends the service's text in quotation marks: shortened, control characters escaped. */
void model_refusal_quote(const char *text, struct buf *to);

/* How an attempt failed. Headers are unmodified, NULL if missing. */
struct model_attempt {
    unsigned number;            /* 1 for the first */
    long status;                /* 0: no answer (nobody listens, connection lost) */
    const char *should_retry;   /* x-should-retry */
    const char *retry_after_ms; /* retry-after-ms */
    const char *retry_after;    /* retry-after: seconds, or an HTTP date */
    unsigned first_ms;          /* the first pause; 0: MODEL_RETRY_FIRST_MS */
};

/* Whether to retry after *wait_ms. now is Unix time; chance is a random number from 0 to 1. */
bool model_retry(const struct model_attempt *attempt, time_t now, double chance, unsigned *wait_ms);

/* A failed attempt. Everything is borrowed. */
struct model_failure {
    struct model_attempt attempt;
    const struct error *err; /* from http_transfer */
    const struct http_response *response;
    size_t bytes;                             /* of an answer that is not an error */
    const char *url;                          /* of the request */
    const char *model, *address, *credential; /* as in struct model_refusal */
    unsigned silent_s, total_s;               /* its limits, in seconds */
};

/* Describes why there is no usable answer. Returns -1. */
int model_failure_describe(const struct model_failure *failure, struct error *err);

/* Replaces a secret, or a revealing part of it, with asterisks; secret may be NULL. */
void model_hide_secret(char *text, const char *secret);

#endif
