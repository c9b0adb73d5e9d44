/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Requests to a model that failed: what it means and what to do, in words for an editor, by the
 * HTTP status, the type of an error event within a stream, or the connection; and whether a failed
 * attempt is made again, as Anthropic's own clients decide it: by x-should-retry, else by the
 * status, after as long as the service asks for, else with growing pauses that differ by chance.
 * Pure, any thread.
 */
#ifndef LECTERN_CHAT_MODEL_ERRORS_H
#define LECTERN_CHAT_MODEL_ERRORS_H

#include <stdbool.h>
#include <time.h>

#include "helpers/base/http.h"

#define MODEL_QUOTE_MAX       300u /* bytes shown of a service's own words */
#define MODEL_RETRIES         2u
#define MODEL_RETRY_FIRST_MS  500u
#define MODEL_RETRY_LAST_MS   8000u
#define MODEL_RETRY_ASKED_MAX 60000u /* a service that asks for more gets no retry */

/* An answer that is an error. Everything is borrowed; NULL where it is not known. */
struct model_refusal {
    long status;            /* of HTTP; 0: an error event */
    const char *type;       /* the API's: "overloaded_error" */
    const char *message;    /* its words */
    unsigned asked_ms;      /* it asks to wait so long; 0: it does not say */
    const char *model;      /* that was asked for */
    const char *address;    /* of the service */
    const char *credential; /* the variable the key came from; NULL: none was sent */
};

/* ERROR_TOO_LARGE, ERROR_INVALID, ERROR_UNAVAILABLE, ERROR_BUSY or ERROR_TIMEOUT. Returns -1. */
int model_refusal_describe(const struct model_refusal *refusal, struct error *err);

/* Appends a service's words in quotation marks: cut, control characters escaped. */
void model_refusal_quote(const char *text, struct buf *to);

/* How an attempt failed. Headers as they came, NULL where there were none. */
struct model_attempt {
    unsigned number;            /* 1: the first */
    long status;                /* 0: no answer came (nobody there, connection lost) */
    const char *should_retry;   /* x-should-retry */
    const char *retry_after_ms; /* retry-after-ms */
    const char *retry_after;    /* retry-after: seconds, or an HTTP date */
    unsigned first_ms;          /* the first pause; 0: MODEL_RETRY_FIRST_MS */
};

/* Whether to try again. *wait_ms: after so long; now is Unix time, chance from 0 to 1. */
bool model_retry(const struct model_attempt *attempt, time_t now, double chance, unsigned *wait_ms);

/* An attempt that is over. Everything is borrowed. */
struct model_failure {
    struct model_attempt attempt;
    const struct error *err; /* as http_transfer reports it */
    const struct http_response *response;
    size_t bytes;                             /* of an answer that is no error */
    const char *url;                          /* that was asked */
    const char *model, *address, *credential; /* as in struct model_refusal */
    unsigned silent_s, total_s;               /* the limits it had, in seconds */
};

/* Why there is no answer that can be read. Returns -1. */
int model_failure_describe(const struct model_failure *failure, struct error *err);

/* Replaces a secret, or a part of it that gives it away, by stars; secret may be NULL. */
void model_hide_secret(char *text, const char *secret);

#endif
