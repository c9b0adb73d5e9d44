/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Literals: escapes and digits that CPython refuses, templates of str.format() that reach for
 * attributes in double underscores, and names of methods given as text. Adjacent strings are judged
 * as the one they are.
 */
#include "validator/rule/check.h"

#include <string.h>

#include "validator/syntax/literal.h"

#define DIGITS_CAP 4300 /* decimal digits of an integer literal, as CPython's own limit */

/* "{...__...}" with the underscores behind a dot: "{0.__class__}". */
static bool reaches_for_dunder(const char *text, size_t len)
{
    for (size_t i = 0; i + 2 < len; i++) {
        const char *open = memchr(text + i, '{', len - i);
        size_t at;

        if (!open)
            return false;
        at = (size_t)(open - text) + 1;
        for (; at + 2 < len && text[at] != '}' && text[at] != '{'; at++)
            if (text[at] == '.' && text[at + 1] == '_' && text[at + 2] == '_')
                return true;
        i = at - 1;
    }
    return false;
}

static void report_escape(struct check *check, size_t index)
{
    const struct token *token = &check->list.tokens[index];
    struct buf BUF_AUTO scratch = {0};
    const char *error = NULL;
    size_t at = token->start, start, end;

    literal_body(check->list.source, token, &start, &end);
    buf_init(&scratch, VALIDATOR_SOURCE_CAP * 2);
    literal_decode(&scratch, check->list.source, start, end, token->flags, &error, &at);
    report_add(check->report, "syntax", at, "%s",
               error ? error
                     : "An escape in this f-string is wrong. For a backslash write \\\\, or put r "
                       "before the string.");
}

static void judge_method_name(struct check *check, size_t index)
{
    const struct policy_name *name = policy_name_find(check->value.data, check->value.len);
    bool dunder = check->value.len > 2 && memcmp(check->value.data, "__", 2) == 0;

    if (!dunder && !(name && (name->roles & (ROLE_ATTRIBUTE | ROLE_WRITER | ROLE_QUERY))))
        return;
    report_add(check->report, "name-by-text", check->list.tokens[index].start,
               "'%.*s' as the name of a method is not allowed here. Give a function: lambda x: "
               "..., or one of \"sum\", \"mean\", "
               "\"count\", \"min\", \"max\".",
               (int)(check->value.len < 60 ? check->value.len : 60), check->value.data);
}

/* The string behind this one that is concatenated with it, by standing beside it or by '+'. count
 * where there is none. */
static size_t concatenated(const struct check *check, size_t index)
{
    size_t next = token_list_next(&check->list, index);

    if (check_is_op(check, next, '+'))
        next++;
    return next < check->list.count && check->list.tokens[next].kind == TOKEN_STRING
               ? next
               : check->list.count;
}

/* Judges the whole run of strings that begins here, as one text. */
static void judge_run(struct check *check, size_t first, struct buf *whole)
{
    size_t begin = whole->len;

    for (size_t at = first; at < check->list.count; at = concatenated(check, at))
        if (check_string_value(check, at))
            buf_add(whole, check->value.data, check->value.len);
    if (whole->len > begin && reaches_for_dunder(whole->data + begin, whole->len - begin))
        report_add(
            check->report, "name-by-text", check->list.tokens[first].start,
            "A format field must not reach for names in double underscores. Format plain values: "
            "\"{}\".format(value), or an f-string.");
}

static void judge_number(struct check *check, size_t index)
{
    const struct token *token = &check->list.tokens[index];
    size_t digits = 0;

    if (!(token->flags & TOKEN_DECIMAL_INT) || token->length <= DIGITS_CAP)
        return;
    for (size_t i = 0; i < token->length; i++)
        digits += check->list.source[token->start + i] != '_';
    if (digits > DIGITS_CAP)
        report_add(
            check->report, "syntax", token->start,
            "An integer of %zu digits; at most %d can be written out. Work it out: 10**5000.",
            digits, DIGITS_CAP);
}

/* Whether the string goes on where another one ended, and was judged with it. */
static bool continues(const struct check *check, size_t index)
{
    size_t before = token_list_previous(&check->list, index);

    if (before != SIZE_MAX && check_is_op(check, before, '+'))
        before = token_list_previous(&check->list, before);
    return before != SIZE_MAX && check->list.tokens[before].kind == TOKEN_STRING;
}

static void judge_string(struct check *check, size_t index, struct buf *whole)
{
    if (!check_string_value(check, index))
        report_escape(check, index);
    else if (index < check->by_name_end)
        judge_method_name(check, index);
    if (continues(check, index))
        return;
    buf_clear(whole);
    judge_run(check, index, whole);
}

/* Calls that take methods by name: strings up to their closing bracket are judged as names. */
static void note_call(struct check *check, size_t index)
{
    size_t len;
    const char *text = check_text(check, index, &len);
    const struct policy_name *name;

    if (!check_is_op(check, index + 1, '(') ||
        check->list.tokens[index + 1].match <= check->by_name_end)
        return;
    name = policy_name_find(text, len);
    if (name && (name->roles & ROLE_BY_NAME))
        check->by_name_end = check->list.tokens[index + 1].match;
}

void check_strings(struct check *check)
{
    struct buf BUF_AUTO whole = {0};

    buf_init(&whole, VALIDATOR_SOURCE_CAP * 4);
    for (size_t i = 0; i < check->list.count; i++) {
        const struct token *token = &check->list.tokens[i];

        if (token->kind == TOKEN_STRING)
            judge_string(check, i, &whole);
        else if (token->kind == TOKEN_NUMBER)
            judge_number(check, i);
        else if (token->kind == TOKEN_NAME && token->id == KEYWORD_NONE)
            note_call(check, i);
    }
    check->failed = check->failed || whole.failed || check->value.failed;
}
