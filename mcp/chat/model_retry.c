/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/chat/model_retry.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define JITTER 0.25 /* of the time, at most, that is taken away by chance */

static bool status_passes(long status)
{
    return status == 0 || status == 408 || status == 409 || status == 429 || status >= 500;
}

/* A number of units, in milliseconds; false where the text is none. */
static bool read_number(const char *text, double unit_ms, double *ms)
{
    char *end;
    double value;

    if (!text || !strchr("0123456789.", *text) || !*text)
        return false;
    value = strtod(text, &end);
    if (end == text || end[strspn(end, " \t")] || !(value >= 0))
        return false;
    *ms = value * unit_ms;
    return true;
}

/* Each of the three forms of an HTTP date begins its day and time otherwise. */
static bool read_date(const char *text, time_t now, double *ms)
{
    static const char *const forms[] = {"%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT",
                                        "%a %b %e %H:%M:%S %Y"};

    for (size_t i = 0; text && i < sizeof forms / sizeof *forms; i++) {
        struct tm date = {0};
        const char *end = strptime(text, forms[i], &date);

        if (!end || *end)
            continue;
        *ms = difftime(timegm(&date), now) * 1000;
        if (*ms < 0)
            *ms = 0;
        return true;
    }
    return false;
}

/* false: it does not say. */
static bool read_asked(const struct model_attempt *attempt, time_t now, double *ms)
{
    return read_number(attempt->retry_after_ms, 1, ms) ||
           read_number(attempt->retry_after, 1000, ms) || read_date(attempt->retry_after, now, ms);
}

unsigned model_retry_asked(const struct model_attempt *attempt, time_t now)
{
    double ms;

    if (!read_asked(attempt, now, &ms))
        return 0;
    return ms < UINT_MAX ? (unsigned)ms : UINT_MAX;
}

bool model_retry(const struct model_attempt *attempt, time_t now, double chance, unsigned *wait_ms)
{
    bool again = status_passes(attempt->status);
    double ms;

    if (attempt->should_retry && strcasecmp(attempt->should_retry, "true") == 0)
        again = true;
    if (attempt->should_retry && strcasecmp(attempt->should_retry, "false") == 0)
        again = false;
    if (!again || attempt->number > MODEL_RETRIES)
        return false;
    if (read_asked(attempt, now, &ms)) {
        if (ms > MODEL_RETRY_ASKED_MAX)
            return false;
    } else {
        ms = MODEL_RETRY_FIRST_MS;
        for (unsigned i = 1; i < attempt->number && ms < MODEL_RETRY_LAST_MS; i++)
            ms *= 2;
        if (ms > MODEL_RETRY_LAST_MS)
            ms = MODEL_RETRY_LAST_MS;
        ms -= ms * JITTER * chance;
    }
    *wait_ms = (unsigned)ms;
    return true;
}
