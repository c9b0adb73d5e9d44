/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/model/model_errors.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "helpers/base/json.h"
#include "helpers/base/terminal.h"
#include "helpers/base/utf8.h"

#define TEXT_CAP    ((size_t)4 * MODEL_QUOTE_MAX + 1024)
#define JITTER      0.25 /* maximum share of the pause that is randomly subtracted */
#define TELLING_LEN 8u   /* characters of a key's beginning that are hidden too */

/* ---- refusals ---- */

/* The meaning of a refusal. {model}, {address}, {credential} and {seconds} are replaced in the
 * text; if one is unknown, `unnamed` is used instead, which contains none. */
struct error_meaning {
    enum error_kind kind;
    const char *words, *unnamed;
};

static const struct error_meaning
    bad_key = {ERROR_UNAVAILABLE,
               "the model's service refused the key. Check the value of {credential}, and "
               "restart lectern",
               "the model's service requires a key. Set ANTHROPIC_API_KEY (or, for a "
               "bearer token, ANTHROPIC_AUTH_TOKEN) and restart lectern"},
    unpaid = {ERROR_UNAVAILABLE,
              "the model's service reports a billing problem with the account of {credential}. "
              "Check its billing page, then ask again",
              "the model's service reports a billing problem with the account of the key. Check "
              "its billing page, then ask again"},
    forbidden = {ERROR_UNAVAILABLE,
                 "the model's service does not allow this. Check that the key in {credential} may "
                 "use the model '{model}', or name another one with --llm-model",
                 "the model's service does not allow this. Check that the key may use this model, "
                 "or name another one with --llm-model"},
    not_found = {ERROR_UNAVAILABLE,
                 "the model's service does not know the model '{model}', or does not speak the "
                 "Messages API. Name one that it has with --llm-model, or another service with "
                 "--llm-url ({address})",
                 "the model's service does not know this model, or does not speak the Messages "
                 "API. Name one that it has with --llm-model, or another service with --llm-url"},
    too_long = {ERROR_TOO_LARGE,
                "the conversation is too long for the model. Begin a new one, or ask for less at "
                "once",
                NULL},
    limited = {ERROR_BUSY,
               "the model's service limits the requests with this key. It asks to wait "
               "{seconds} s; then ask again",
               "the model's service limits the requests with this key. Wait a minute and ask "
               "again. If that does not help, the account's spend limit may be reached"},
    overloaded = {ERROR_BUSY, "the model's service is overloaded. Ask again in a minute", NULL},
    invalid = {ERROR_INVALID,
               "the model's service rejected the request for the model '{model}'. Begin a new "
               "conversation, or name another model with --llm-model",
               "the model's service rejected the request. Begin a new conversation, or name "
               "another model with --llm-model"},
    moved = {ERROR_UNAVAILABLE,
             "{address} answers that the model's service has moved. Set its new address with "
             "--llm-url",
             "the model's service has moved. Set its new address with --llm-url"},
    too_slow = {ERROR_TIMEOUT,
                "the model's service took too long. Ask again, or ask for less at once", NULL},
    faulty = {ERROR_UNAVAILABLE, "the model's service had an internal error. Ask again in a minute",
              NULL};

/* An error event has a type only, and the status that it would have had elsewhere. */
static const struct {
    long status;
    const char *type;
    const struct error_meaning *meaning;
} rows[] = {
    {400, "invalid_request_error", &invalid},
    {401, "authentication_error", &bad_key},
    {402, "billing_error", &unpaid},
    {403, "permission_error", &forbidden},
    {404, "not_found_error", &not_found},
    {405, NULL, &not_found},
    {408, NULL, &too_slow},
    {413, "request_too_large", &too_long},
    {422, NULL, &invalid},
    {429, "rate_limit_error", &limited},
    {500, "api_error", &faulty},
    {504, "timeout_error", &too_slow},
    {529, "overloaded_error", &overloaded},
};

/* The words of services in a 400 when the prompt exceeds the model's context. */
static const char *const too_long_words[] = {
    "prompt is too long", "exceed context limit",      "exceeds the available context",
    "context window",     "maximum context length",    "exceeds the context length",
    "input is too long",  "exceed_context_size_error",
};

static bool is_too_long(const struct model_refusal *refusal)
{
    for (size_t i = 0; i < sizeof too_long_words / sizeof *too_long_words; i++) {
        if ((refusal->message && strcasestr(refusal->message, too_long_words[i])) ||
            (refusal->type && strcasecmp(refusal->type, too_long_words[i]) == 0))
            return true;
    }
    return false;
}

/* What no row is about means what its hundred means. */
static const struct error_meaning *find_meaning(const struct model_refusal *refusal)
{
    long status = refusal->status;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (status ? rows[i].status == status
                   : rows[i].type && refusal->type && strcmp(rows[i].type, refusal->type) == 0)
            return rows[i].meaning;
    }
    return status == 0 || status >= 500 ? &faulty : status >= 400 ? &invalid : &moved;
}

void model_refusal_quote(const char *text, struct buf *to)
{
    size_t len = strnlen(text, MODEL_QUOTE_MAX + 1), shown = utf8_cut(text, len, MODEL_QUOTE_MAX);

    buf_addc(to, '"');
    for (size_t i = 0, size; i < shown; i += size) {
        char escape[TERMINAL_ESCAPE_SIZE];

        size = terminal_escape(text + i, shown - i, escape);
        if (text[i] == '"' || text[i] == '\\')
            buf_addc(to, '\\');
        if (*escape)
            buf_adds(to, escape);
        else
            buf_add(to, text + i, size);
    }
    buf_adds(to, shown < len ? "...\"" : "\"");
}

/* false: one of the names in the words is not known. */
static bool add_words(const struct model_refusal *refusal, const char *words, struct buf *to)
{
    char seconds[16];
    const struct {
        const char *name, *value;
    } known[] = {
        {"{model}", refusal->model},
        {"{address}", refusal->address},
        {"{credential}", refusal->credential},
        {"{seconds}", refusal->asked_ms ? seconds : NULL},
    };
    const size_t count = sizeof known / sizeof *known;
    const char *name;

    snprintf(seconds, sizeof seconds, "%u", (refusal->asked_ms + 999) / 1000);
    for (; (name = strchr(words, '{')); words = strchr(name, '}') + 1) {
        size_t i = 0;

        while (i < count && strncmp(known[i].name, name, strlen(known[i].name)) != 0)
            i++;
        if (i == count || !known[i].value)
            return false;
        buf_add(to, words, (size_t)(name - words));
        buf_adds(to, known[i].value);
    }
    buf_adds(to, words);
    return true;
}

int model_refusal_describe(const struct model_refusal *refusal, struct error *err)
{
    const struct error_meaning *meaning = find_meaning(refusal);
    BUF_AUTO struct buf text;
    char label[64] = "";

    buf_init(&text, TEXT_CAP);
    if (meaning == &invalid && is_too_long(refusal))
        meaning = &too_long;
    if (!add_words(refusal, meaning->words, &text)) {
        buf_clear(&text);
        buf_adds(&text, meaning->unnamed);
    }
    if (refusal->status)
        snprintf(label, sizeof label, "%ld", refusal->status);
    if ((refusal->message && refusal->message[0]) || label[0]) {
        buf_addf(&text, " (it says%s%s", label[0] ? " " : "", label);
        if (refusal->message && refusal->message[0]) {
            buf_adds(&text, label[0] ? ": " : " ");
            model_refusal_quote(refusal->message, &text);
        }
        buf_addc(&text, ')');
    }
    return error_set(err, meaning->kind, "%s",
                     text.data ? text.data : "the model's service refused");
}

/* ---- retries ---- */

static bool status_passes(long status)
{
    return status == 0 || status == 408 || status == 409 || status == 429 || status >= 500;
}

/* Converts a number of units to milliseconds; false if the text is not a number. */
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

/* The three formats of an HTTP date. */
static bool read_date(const char *text, time_t now, double *ms)
{
    static const char *const formats[] = {"%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT",
                                          "%a %b %e %H:%M:%S %Y"};

    for (size_t i = 0; text && i < sizeof formats / sizeof *formats; i++) {
        struct tm date = {0};
        const char *end = strptime(text, formats[i], &date);

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
        ms = attempt->first_ms ? attempt->first_ms : MODEL_RETRY_FIRST_MS;
        for (unsigned i = 1; i < attempt->number && ms < MODEL_RETRY_LAST_MS; i++)
            ms *= 2;
        if (ms > MODEL_RETRY_LAST_MS)
            ms = MODEL_RETRY_LAST_MS;
        ms -= ms * JITTER * chance;
    }
    *wait_ms = (unsigned)ms;
    return true;
}

/* ---- failures ---- */

void model_hide_secret(char *text, const char *secret)
{
    size_t whole = secret ? strlen(secret) : 0;
    size_t least = whole < TELLING_LEN ? whole : TELLING_LEN;
    char *at = text;

    while (whole > 0 && *at) {
        size_t same = 0;

        while (same < whole && at[same] == secret[same])
            same++;
        if (same >= least)
            memset(at, '*', same);
        at += same >= least ? same : 1;
    }
}

/* Reads the body of an error: {"error": {"type", "message"}} as in the API, {"error": "words"}, or
 * plain text. HTML is ignored. */
static json_t *read_refusal(const struct buf *body, struct model_refusal *refusal)
{
    json_t *value = body->len > 0 ? json_read(body->data, body->len, "an answer", NULL) : NULL;
    const json_t *error = json_object_get(value, "error");

    if (json_is_object(error)) {
        refusal->type = json_get_string(error, "type");
        refusal->message = json_get_string(error, "message");
    } else if (json_is_string(error)) {
        refusal->message = json_string_value(error);
    } else if (!value && body->len > 0 && body->data[strspn(body->data, " \t\r\n")] != '<') {
        value = json_stringn(body->data, body->len); /* NULL if it is not UTF-8 */
        refusal->message = json_string_value(value);
    }
    return value;
}

static int describe_refusal(const struct model_failure *failure, struct error *err)
{
    struct model_refusal refusal = {.status = failure->response->status,
                                    .model = failure->model,
                                    .address = failure->address,
                                    .credential = failure->credential};
    json_t *value = read_refusal(&failure->response->body, &refusal);
    double ms;

    if (read_asked(&failure->attempt, time(NULL), &ms))
        refusal.asked_ms = ms < UINT_MAX ? (unsigned)ms : UINT_MAX;
    model_refusal_describe(&refusal, err);
    json_decref(value);
    return -1;
}

static int describe_lost(const struct model_failure *failure, struct error *err)
{
    if (failure->err->kind == ERROR_TIMEOUT)
        return error_set(err, ERROR_TIMEOUT,
                         "the model's service took too long (the limits are %u s without a byte "
                         "and %u s in all). Ask again, or ask for less at once",
                         failure->silent_s, failure->total_s);
    if (failure->err->kind == ERROR_MEMORY)
        return error_set(err, ERROR_MEMORY, "out of memory for the model's answer");
    return error_set(err, ERROR_IO,
                     "the connection to the model's service was lost%s. Ask again; what had "
                     "arrived is kept",
                     failure->bytes > 0 ? " in the middle of its answer" : " before it answered");
}

/* curl's words follow the address. */
static const char *reason_of(const struct model_failure *failure)
{
    const char *text = failure->err->text;
    size_t len = strlen(failure->url);

    if (strncmp(text, failure->url, len) == 0 && strncmp(text + len, ": ", 2) == 0)
        return text + len + 2;
    return "no reason given";
}

static int describe_connection(const struct model_failure *failure, struct error *err)
{
    if (failure->err->kind == ERROR_INVALID)
        return error_set(err, ERROR_UNAVAILABLE,
                         "'%s' is not the address of a model service: --llm-url must be "
                         "http://HOST:PORT or https://HOST",
                         failure->address);
    switch (failure->response->fault) {
    case HTTP_FAULT_ADDRESS:
        return error_set(err, ERROR_UNAVAILABLE,
                         "host not found: %s. Check --llm-url (or ANTHROPIC_BASE_URL) and the "
                         "network",
                         failure->address);
    case HTTP_FAULT_CONNECT:
        return error_set(err, ERROR_UNAVAILABLE,
                         "nobody answers at %s. Start the model's service there, or set its "
                         "address with --llm-url (or ANTHROPIC_BASE_URL)",
                         failure->address);
    case HTTP_FAULT_TLS:
        return error_set(err, ERROR_UNAVAILABLE,
                         "no secure connection to %s: %s. Check this machine's clock and its "
                         "certificate authorities (package ca-certificates), or --llm-url",
                         failure->address, reason_of(failure));
    case HTTP_FAULT_NONE:
    case HTTP_FAULT_LATER:
        break;
    }
    return describe_lost(failure, err);
}

int model_failure_describe(const struct model_failure *failure, struct error *err)
{
    if (failure->response->status >= 300)
        return describe_refusal(failure, err);
    if (failure->err->kind != ERROR_NONE)
        return describe_connection(failure, err);
    if (failure->bytes == 0)
        return describe_lost(failure, err);
    return error_set(err, ERROR_MALFORMED,
                     "the server at %s does not speak the Messages API. Check --llm-url (or "
                     "ANTHROPIC_BASE_URL): it must be the address before /v1/messages",
                     failure->address);
}
