/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/chat/model_refusal.h"

#include <stdio.h>
#include <string.h>

#include "helpers/base/utf8.h"

#define TEXT_CAP ((size_t)4 * MODEL_QUOTE_MAX + 1024)

struct row {
    long status;
    const char *type;
    enum error_kind kind;
    void (*tell)(const struct model_refusal *refusal, struct buf *to);
};

static const char *or_unnamed(const char *text, const char *otherwise)
{
    return text ? text : otherwise;
}

static void tell_key(const struct model_refusal *refusal, struct buf *to)
{
    if (refusal->credential)
        buf_addf(to,
                 "the model's service refused the key. Check what %s is set to, and start lectern "
                 "anew",
                 refusal->credential);
    else
        buf_adds(to, "the model's service wants a key. Set ANTHROPIC_API_KEY (or, for a bearer "
                     "token, ANTHROPIC_AUTH_TOKEN) and start lectern anew");
}

static void tell_permission(const struct model_refusal *refusal, struct buf *to)
{
    buf_addf(to,
             "the model's service does not allow this. Check that the key in %s may use the model "
             "'%s', or name another one with --llm-model",
             or_unnamed(refusal->credential, "ANTHROPIC_API_KEY"),
             or_unnamed(refusal->model, "asked for"));
}

static void tell_billing(const struct model_refusal *refusal, struct buf *to)
{
    buf_addf(to,
             "the model's service wants the account behind %s to be paid up. Look at its "
             "billing page, then ask again",
             or_unnamed(refusal->credential, "the key"));
}

static void tell_not_found(const struct model_refusal *refusal, struct buf *to)
{
    buf_addf(to,
             "the model's service does not know the model '%s', or does not speak the Messages "
             "API. Name one it has with --llm-model; --llm-url says which service is asked (%s)",
             or_unnamed(refusal->model, "asked for"), or_unnamed(refusal->address, "its address"));
}

static void tell_too_large(const struct model_refusal *refusal, struct buf *to)
{
    (void)refusal;
    buf_adds(to, "the conversation is too long for the model. Begin a new one, or ask for less at "
                 "once");
}

static void tell_limit(const struct model_refusal *refusal, struct buf *to)
{
    buf_adds(to, "the model's service takes no more requests of this key for now. ");
    if (refusal->asked_ms)
        buf_addf(to, "It asks to wait %u s; then ask again", (refusal->asked_ms + 999) / 1000);
    else
        buf_adds(to, "It does not say for how long: wait a minute and ask again. Where that does "
                     "not help, the account's spend limit may be reached");
}

static void tell_overloaded(const struct model_refusal *refusal, struct buf *to)
{
    (void)refusal;
    buf_adds(to, "the model's service is overloaded. Ask again in a minute");
}

static void tell_invalid(const struct model_refusal *refusal, struct buf *to)
{
    buf_addf(to,
             "the model's service does not take the request for the model '%s'. Begin a new "
             "conversation, or name another model with --llm-model",
             or_unnamed(refusal->model, "asked for"));
}

static void tell_moved(const struct model_refusal *refusal, struct buf *to)
{
    buf_addf(to,
             "%s answers that the model's service is elsewhere. Give its own address with "
             "--llm-url",
             or_unnamed(refusal->address, "the address"));
}

static void tell_timeout(const struct model_refusal *refusal, struct buf *to)
{
    (void)refusal;
    buf_adds(to, "the model's service took too long. Ask again, or ask for less at once");
}

static void tell_fault(const struct model_refusal *refusal, struct buf *to)
{
    (void)refusal;
    buf_adds(to, "the model's service has a fault of its own. Ask again in a minute");
}

/* An error event has a type only, and the status that it would have had elsewhere. */
static const struct row rows[] = {
    {400, "invalid_request_error", ERROR_INVALID, tell_invalid},
    {401, "authentication_error", ERROR_UNAVAILABLE, tell_key},
    {402, "billing_error", ERROR_UNAVAILABLE, tell_billing},
    {403, "permission_error", ERROR_UNAVAILABLE, tell_permission},
    {404, "not_found_error", ERROR_UNAVAILABLE, tell_not_found},
    {405, NULL, ERROR_UNAVAILABLE, tell_not_found},
    {408, NULL, ERROR_TIMEOUT, tell_timeout},
    {413, "request_too_large", ERROR_TOO_LARGE, tell_too_large},
    {422, NULL, ERROR_INVALID, tell_invalid},
    {429, "rate_limit_error", ERROR_BUSY, tell_limit},
    {504, "timeout_error", ERROR_TIMEOUT, tell_timeout},
    {529, "overloaded_error", ERROR_BUSY, tell_overloaded},
    {500, "api_error", ERROR_UNAVAILABLE, tell_fault},
};
/* What no row is about, by the status's hundreds. */
static const struct row moved = {300, NULL, ERROR_UNAVAILABLE, tell_moved},
                        refused = {400, NULL, ERROR_INVALID, tell_invalid},
                        fault = {500, NULL, ERROR_UNAVAILABLE, tell_fault},
                        too_long = {400, NULL, ERROR_TOO_LARGE, tell_too_large};

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

static const struct row *find_row(const struct model_refusal *refusal)
{
    const struct row *row = NULL;

    for (size_t i = 0; !row && i < sizeof rows / sizeof *rows; i++) {
        if (refusal->status
                ? rows[i].status == refusal->status
                : rows[i].type && refusal->type && strcmp(rows[i].type, refusal->type) == 0)
            row = &rows[i];
    }
    if (!row)
        row = refusal->status == 0 || refusal->status >= 500 ? &fault
              : refusal->status >= 400                       ? &refused
                                                             : &moved;
    return row->kind == ERROR_INVALID && is_too_long(refusal) ? &too_long : row;
}

void model_refusal_quote(const char *text, struct buf *to)
{
    size_t len = strnlen(text, MODEL_QUOTE_MAX + 1), shown = utf8_cut(text, len, MODEL_QUOTE_MAX);

    buf_addc(to, '"');
    for (size_t i = 0; i < shown; i++) {
        unsigned char c = (unsigned char)text[i];

        /* U+0080 to U+009F are controls too, of two bytes. */
        bool control = c < ' ' || c == 0x7F ||
                       (c == 0xC2 && i + 1 < shown && (unsigned char)text[i + 1] < 0xA0);

        if (c == '"' || c == '\\')
            buf_addf(to, "\\%c", c);
        else if (control && c == 0xC2)
            buf_addf(to, "\\x%02x", (unsigned char)text[++i]);
        else if (control)
            buf_addf(to, "\\x%02x", c);
        else
            buf_addc(to, (char)c);
    }
    buf_adds(to, shown < len ? "...\"" : "\"");
}

int model_refusal_tell(const struct model_refusal *refusal, struct error *err)
{
    const struct row *row = find_row(refusal);
    BUF_AUTO struct buf text;
    char label[64] = "";

    buf_init(&text, TEXT_CAP);
    row->tell(refusal, &text);
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
    return error_set(err, row->kind, "%s", text.data ? text.data : "the model's service refused");
}
