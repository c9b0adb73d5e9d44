/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/chat/model_refusal.h"

#include <stdio.h>
#include <string.h>

#include "helpers/base/terminal.h"
#include "helpers/base/utf8.h"

#define TEXT_CAP ((size_t)4 * MODEL_QUOTE_MAX + 1024)

/* What a refusal means. {model}, {address}, {credential} and {seconds} are put into the words;
 * where one of them is not known, unnamed is said instead, which names none. */
struct meaning {
    enum error_kind kind;
    const char *words, *unnamed;
};

static const struct meaning
    bad_key = {ERROR_UNAVAILABLE,
               "the model's service refused the key. Check what {credential} is set to, and start "
               "lectern anew",
               "the model's service wants a key that it knows. Set ANTHROPIC_API_KEY (or, for a "
               "bearer token, ANTHROPIC_AUTH_TOKEN) and start lectern anew"},
    unpaid = {ERROR_UNAVAILABLE,
              "the model's service wants the account behind {credential} to be paid up. Look at "
              "its billing page, then ask again",
              "the model's service wants the account behind the key to be paid up. Look at its "
              "billing page, then ask again"},
    forbidden = {ERROR_UNAVAILABLE,
                 "the model's service does not allow this. Check that the key in {credential} may "
                 "use the model '{model}', or name another one with --llm-model",
                 "the model's service does not allow this. Check that the key may use this model, "
                 "or name another one with --llm-model"},
    not_found = {ERROR_UNAVAILABLE,
                 "the model's service does not know the model '{model}', or does not speak the "
                 "Messages API. Name one it has with --llm-model; --llm-url says which service is "
                 "asked ({address})",
                 "the model's service does not know this model, or does not speak the Messages "
                 "API. Name one it has with --llm-model; --llm-url says which service is asked"},
    too_long = {ERROR_TOO_LARGE,
                "the conversation is too long for the model. Begin a new one, or ask for less at "
                "once",
                NULL},
    limited = {ERROR_BUSY,
               "the model's service takes no more requests of this key for now. It asks to wait "
               "{seconds} s; then ask again",
               "the model's service takes no more requests of this key for now. It does not say "
               "for how long: wait a minute and ask again. Where that does not help, the "
               "account's spend limit may be reached"},
    overloaded = {ERROR_BUSY, "the model's service is overloaded. Ask again in a minute", NULL},
    invalid = {ERROR_INVALID,
               "the model's service does not take the request for the model '{model}'. Begin a new "
               "conversation, or name another model with --llm-model",
               "the model's service does not take the request. Begin a new conversation, or name "
               "another model with --llm-model"},
    moved = {ERROR_UNAVAILABLE,
             "{address} answers that the model's service is elsewhere. Give its own address with "
             "--llm-url",
             "the model's service is elsewhere. Give its own address with --llm-url"},
    too_slow = {ERROR_TIMEOUT,
                "the model's service took too long. Ask again, or ask for less at once", NULL},
    faulty = {ERROR_UNAVAILABLE,
              "the model's service has a fault of its own. Ask again in a minute", NULL};

/* An error event has a type only, and the status that it would have had elsewhere. */
static const struct {
    long status;
    const char *type;
    const struct meaning *meaning;
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

/* What services say in a 400 when the model cannot read so much at once. */
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
static const struct meaning *find_meaning(const struct model_refusal *refusal)
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

int model_refusal_tell(const struct model_refusal *refusal, struct error *err)
{
    const struct meaning *meaning = find_meaning(refusal);
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
