/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Methods that evaluate their text, as pandas' query does. The text is written out in the call, and
 * names columns, and variables as @name, but nothing that is reached through them.
 */
#include "validator/rule/check_internal.h"

#include <string.h>

#include "helpers/base/buf.h"
#include "validator/syntax/tokenizer.h"
#include "validator/syntax/unicode.h"

#define NORMAL_CAP (VALIDATOR_SOURCE_CAP * 20) /* a character becomes 18 at most */
#define METHODS    (ROLE_ATTRIBUTE | ROLE_WRITER | ROLE_QUERY)

static bool is_word_byte(char byte)
{
    return keyword_is_name_byte((unsigned char)byte) || (unsigned char)byte >= 0x80;
}

static bool is_blank(char byte)
{
    return byte && strchr(" \t\r\n\f\\", byte);
}

/* The byte before text[at] or from there on that is no blank; 0 for none. */
static char before(const char *text, size_t at)
{
    while (at > 0 && is_blank(text[at - 1]))
        at--;
    return (char)(at > 0 ? text[at - 1] : '\0');
}

static char behind(const char *text, size_t len, size_t at)
{
    while (at < len && is_blank(text[at]))
        at++;
    return (char)(at < len ? text[at] : '\0');
}

static bool means_module(const struct check *check, const char *word, size_t len)
{
    uint32_t symbol = symbols_find(&check->ast->symbols, word, len);

    return symbol != SYMBOL_NONE && (check->words[symbol].flags & WORD_MODULE);
}

/* What text[from..to), a word, does that a query must not. */
static const char *fault_in_word(const struct check *check, const char *text, size_t len,
                                 size_t from, size_t to)
{
    const struct policy_name *name;
    char last = before(text, from), next = behind(text, len, to);

    if (last == '@' && next && strchr(".([", next))
        return "an attribute or a call of a variable";
    if (last == '@' && means_module(check, text + from, to - from))
        return "a module";
    if (last == '.' && text[from] == '_')
        return "a private attribute";
    if (last == '.') {
        name = policy_name_find(text + from, to - from);
        if (name && (name->roles & METHODS))
            return "a method that is not allowed";
    }
    return NULL;
}

/* Python reads names in NFKC. */
static const char *fault_in_letters(struct check *check, const char *text, size_t len)
{
    struct buf normal;
    bool same, failed;

    for (size_t i = 0; i + 1 < len; i++)
        if (text[i] == '\xED' && (unsigned char)text[i + 1] >= 0xA0)
            return "half a character";
    buf_init(&normal, NORMAL_CAP);
    unicode_add_nfkc(&normal, text, len);
    same = normal.len == len && (len == 0 || memcmp(normal.data, text, len) == 0);
    failed = normal.failed;
    buf_finish(&normal);
    check->failed = check->failed || failed;
    return same ? NULL : "letters that Python reads as others";
}

static const char *fault_in_query(struct check *check, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        size_t end = i;
        const char *fault;

        if (text[i] == '_' && i + 1 < len && text[i + 1] == '_')
            return "a name in double underscores";
        while (end < len && is_word_byte(text[end]))
            end++;
        if (end == i)
            continue;
        fault = fault_in_word(check, text, len, i, end);
        if (fault)
            return fault;
        i = end - 1;
    }
    return fault_in_letters(check, text, len);
}

/* Whether all is good so far, and the next argument is worth a look. */
static bool check_query_text(struct check *check, uint32_t value)
{
    size_t len;
    const char *text = check_text(check, value, &len, NULL), *fault;

    if (!text) {
        check_report(check, "text-method", value,
                     "The text of query() must be written out in the call: df.query(\"n > "
                     "@limit\"). Or select rows with df[df[\"n\"] > limit].");
        return false;
    }
    fault = fault_in_query(check, text, len);
    if (fault)
        check_report(check, "text-method", value,
                     "The text of query() holds %s. Work the value out before and write @name.",
                     fault);
    return !fault;
}

static bool check_keyword(struct check *check, uint32_t argument)
{
    if (!check_has_word(check, argument, policy_query_keywords))
        return true;
    check_report(check, "text-method", argument,
                 "query(%.*s=...) is not allowed. Use @name for a variable of your own: "
                 "df.query(\"n > @limit\").",
                 check_shown(check, argument));
    return false;
}

static bool check_argument(struct check *check, uint32_t argument, bool is_first)
{
    const struct node *row = check_node(check, argument);

    if (row->kind == NODE_DOUBLE_STARRED) { /* could hold all that check_keyword refuses */
        report_add(check->report, "text-method", row->at,
                   "query(**...) is not allowed. Write its arguments out: df.query(\"n > "
                   "@limit\").");
        return false;
    }
    if (row->kind != NODE_KEYWORD)
        return !is_first || check_query_text(check, argument);
    if (!check_keyword(check, argument))
        return false;
    if (is_first || check_is_text(check, argument, "expr"))
        return check_query_text(check, row->child);
    return true;
}

static void check_query(struct check *check, const struct site *site)
{
    uint32_t first = check_first_argument(check, site->node);

    if (!check_is_called(check, site)) {
        check_report(check, "text-method", site->node,
                     "'query' evaluates text, so it is only allowed as a call with the text "
                     "written out: df.query(\"n > 3\").");
        return;
    }
    for (uint32_t argument = first; argument && check_argument(check, argument, argument == first);)
        argument = check_node(check, argument)->next;
}

void rule_query(struct check *check)
{
    check_each(check, &check->facts->attributes, ROLE_QUERY, check_query);
}
