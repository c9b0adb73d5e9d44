/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether and when a request to a model is sent anew: before its first event only. Pure.
 */
#ifndef LECTERN_CHAT_MODEL_RETRY_H
#define LECTERN_CHAT_MODEL_RETRY_H

#include <stdbool.h>
#include <time.h>

#define MODEL_RETRIES         2u
#define MODEL_RETRY_FIRST_MS  500u
#define MODEL_RETRY_LAST_MS   8000u
#define MODEL_RETRY_ASKED_MAX 60000u /* a service that wants more is given up */

/* How an attempt failed. Headers as they came, NULL where there were none. */
struct model_attempt {
    unsigned number;            /* 1: the first */
    long status;                /* 0: no answer came (nobody there, connection lost) */
    const char *should_retry;   /* x-should-retry */
    const char *retry_after_ms; /* retry-after-ms */
    const char *retry_after;    /* retry-after: seconds, or an HTTP date */
};

/* false: not again. *wait_ms: until then; now is Unix time, chance from 0 to 1. */
bool model_retry(const struct model_attempt *attempt, time_t now, double chance, unsigned *wait_ms);

/* How long the service asks to be left alone, in milliseconds; 0: it does not say. */
unsigned model_retry_asked(const struct model_attempt *attempt, time_t now);

#endif
