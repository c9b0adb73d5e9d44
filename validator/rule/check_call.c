/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names whose danger lies in how they are called: methods that write a file when they are given a
 * path, that evaluate text, or that find methods by name.
 */
#include "validator/rule/check.h"

#include <string.h>

#include "validator/syntax/keyword.h"

static bool is_none(const struct check *check, const struct argument *argument)
{
    return argument->end == argument->first + 1 &&
           check_is_keyword(check, argument->first, KEYWORD_NONE_VALUE);
}

static void judge_writer(struct check *check, size_t index)
{
    size_t len, open = index + 1, cursor = open, keyword_len;
    const char *text = check_text(check, index, &len), *keyword;
    struct argument argument;

    if (!check_is_op(check, open, '(')) {
        report_add(check->report, "file-method", check->list.tokens[index].start,
                   "'%.*s' can write files, so it is only allowed as a call: print(df.%.*s()).",
                   (int)len, text, (int)len, text);
        return;
    }
    while (check_next_argument(check, open, &cursor, &argument)) {
        if (argument.keyword != NO_TOKEN) {
            keyword = check_text(check, argument.keyword, &keyword_len);
            if (!policy_has_word(policy_path_keywords, keyword, keyword_len))
                continue;
        }
        if (!argument.starred && is_none(check, &argument))
            continue;
        report_add(check->report, "file-method", check->list.tokens[argument.first].start,
                   "%.*s with a path writes a file, and there are none. Leave the path away and "
                   "print the text: "
                   "print(df.%.*s()); give other arguments by keyword.",
                   (int)len, text, (int)len, text);
        return;
    }
}

/* The text of a query: local variables as @name, and nothing that reaches further. */
static const char *fault_in_query(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        size_t end = i, start = i;
        const struct policy_name *name;

        if (text[i] == '_' && i + 1 < len && text[i + 1] == '_')
            return "a name in double underscores";
        if (text[i] == '.' && i + 1 < len && text[i + 1] == '_')
            return "a private attribute";
        if (!keyword_is_name_byte((unsigned char)text[i]))
            continue;
        while (end < len && keyword_is_name_byte((unsigned char)text[end]))
            end++;
        name = policy_name_find(text + start, end - start);
        if (start > 0 && text[start - 1] == '@' && end < len && strchr(".([", text[end]) &&
            text[end])
            return "an attribute or a call of a variable";
        if (start > 0 && text[start - 1] == '.' && name &&
            (name->roles & (ROLE_ATTRIBUTE | ROLE_WRITER | ROLE_QUERY)))
            return "a method that is not allowed";
        if (memchr(text + start, '_', end - start) && policy_is_dunder(text + start, end - start))
            return "a name in double underscores";
        i = end - 1;
    }
    return NULL;
}

static void judge_query(struct check *check, size_t index)
{
    size_t open = index + 1, cursor = open, len;
    struct argument argument;
    bool first = true;
    const char *fault;

    if (!check_is_op(check, open, '(')) {
        report_add(
            check->report, "text-method", check->list.tokens[index].start,
            "'query' evaluates text, so it is only allowed as a call with the text written out: "
            "df.query(\"n > 3\").");
        return;
    }
    for (; check_next_argument(check, open, &cursor, &argument); first = false) {
        const char *keyword =
            argument.keyword == NO_TOKEN ? "" : check_text(check, argument.keyword, &len);

        if (argument.keyword != NO_TOKEN && policy_has_word(policy_query_keywords, keyword, len)) {
            report_add(check->report, "text-method", check->list.tokens[argument.keyword].start,
                       "query(%.*s=...) is not allowed. Use @name for a variable of your own: "
                       "df.query(\"n > @limit\").",
                       (int)len, keyword);
            return;
        }
        if (!first &&
            !(argument.keyword != NO_TOKEN && len == 4 && memcmp(keyword, "expr", 4) == 0))
            continue;
        for (size_t at = argument.first; at < argument.end;
             at = token_list_next(&check->list, at)) {
            if (argument.starred || check->list.tokens[at].kind != TOKEN_STRING) {
                report_add(check->report, "text-method", check->list.tokens[at].start,
                           "The text of query() must be written out in the call: df.query(\"n > "
                           "@limit\"). Or select rows "
                           "with df[df[\"n\"] > limit].");
                return;
            }
            fault = check_string_value(check, at)
                        ? fault_in_query(check->value.data, check->value.len)
                        : NULL;
            if (fault) {
                report_add(
                    check->report, "text-method", check->list.tokens[at].start,
                    "The text of query() holds %s. Work the value out before and write @name.",
                    fault);
                return;
            }
        }
    }
}

/* A path of plain names that are not special. */
static bool is_plain_path(const char *text, size_t len)
{
    size_t start = 0;

    for (size_t i = 0; i <= len; i++) {
        const struct policy_name *name;

        if (i < len && text[i] != '.')
            continue;
        name = policy_name_find(text + start, i - start);
        if (i == start || text[start] == '_' ||
            (name && (name->roles & (ROLE_ATTRIBUTE | ROLE_WRITER | ROLE_QUERY | ROLE_NAME))))
            return false;
        start = i + 1;
    }
    return true;
}

static void judge_getter(struct check *check, size_t index, const char *advice)
{
    size_t open = index + 1, cursor = open, len;
    const char *text = check_text(check, index, &len);
    struct argument argument;
    bool good = check_is_op(check, open, '('), names = true,
         is_caller = len == strlen("methodcaller");

    while (good && names && check_next_argument(check, open, &cursor, &argument)) {
        good = !argument.starred && argument.keyword == NO_TOKEN &&
               argument.end == argument.first + 1 &&
               check->list.tokens[argument.first].kind == TOKEN_STRING &&
               check_string_value(check, argument.first) && check->value.len > 0 &&
               is_plain_path(check->value.data, check->value.len);
        names = !is_caller; /* behind the method's name stand its arguments */
    }
    if (!good)
        report_add(check->report, "name-by-text", check->list.tokens[index].start,
                   "%.*s is only allowed as a call with plain names written out. %s", (int)len,
                   text, advice);
}

static void judge_type(struct check *check, size_t index)
{
    size_t open = index + 1, cursor = open, count = 0;
    struct argument argument;
    bool odd = false;

    if (!check_is_op(check, open, '('))
        return;
    while (check_next_argument(check, open, &cursor, &argument)) {
        count++;
        odd = odd || argument.starred || argument.keyword != NO_TOKEN;
    }
    if (count > 1 || odd)
        report_add(check->report, "forbidden-name", check->list.tokens[index].start,
                   "type(...) with more than one argument makes a class from text. Write a class "
                   "statement.");
}

void check_call(struct check *check, size_t index, const struct policy_name *name,
                bool is_attribute)
{
    if (name->roles & ROLE_GRAPH)
        check->kind = check->kind < KIND_DATA ? KIND_DATA : check->kind;
    if ((name->roles & ROLE_WRITER) && is_attribute)
        judge_writer(check, index);
    if ((name->roles & ROLE_QUERY) && is_attribute)
        judge_query(check, index);
    if (name->roles & ROLE_GETTER)
        judge_getter(check, index, name->advice);
    if ((name->roles & ROLE_TYPE) && !is_attribute)
        judge_type(check, index);
}
