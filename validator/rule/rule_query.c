/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Methods that evaluate their text, as pandas' query does. The text is written out in the call, and
 * names columns, and variables as @name, but nothing that is reached through them.
 */
#include "validator/rule/judge.h"

#include <string.h>

#include "helpers/base/buf.h"
#include "validator/syntax/keyword.h"
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

static bool means_module(const struct judge *judge, const char *word, size_t len)
{
    uint32_t symbol = symbols_find(&judge->ast->symbols, word, len);

    return symbol != SYMBOL_NONE && (judge->words[symbol].flags & WORD_MODULE);
}

/* What text[from..to), a word, does that a query must not. */
static const char *fault_in_word(const struct judge *judge, const char *text, size_t len,
                                 size_t from, size_t to)
{
    const struct policy_name *name;
    char last = before(text, from), next = behind(text, len, to);

    if (last == '@' && next && strchr(".([", next))
        return "an attribute or a call of a variable";
    if (last == '@' && means_module(judge, text + from, to - from))
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
static const char *fault_in_letters(struct judge *judge, const char *text, size_t len)
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
    judge->failed = judge->failed || failed;
    return same ? NULL : "letters that Python reads as others";
}

static const char *fault_in_query(struct judge *judge, const char *text, size_t len)
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
        fault = fault_in_word(judge, text, len, i, end);
        if (fault)
            return fault;
        i = end - 1;
    }
    return fault_in_letters(judge, text, len);
}

/* Whether all is good so far, and the next argument is worth a look. */
static bool judge_query_text(struct judge *judge, uint32_t value)
{
    size_t len;
    const char *text = judge_text(judge, value, &len, NULL), *fault;

    if (!text) {
        report_add(judge->report, "text-method", judge_node(judge, value)->at,
                   "The text of query() must be written out in the call: df.query(\"n > "
                   "@limit\"). Or select rows with df[df[\"n\"] > limit].");
        return false;
    }
    fault = fault_in_query(judge, text, len);
    if (fault)
        report_add(judge->report, "text-method", judge_node(judge, value)->at,
                   "The text of query() holds %s. Work the value out before and write @name.",
                   fault);
    return !fault;
}

static bool judge_keyword(struct judge *judge, uint32_t argument)
{
    size_t len;
    const char *name = ast_name(judge->ast, argument, &len);

    if (!policy_has_word(policy_query_keywords, name, len))
        return true;
    report_add(judge->report, "text-method", judge_node(judge, argument)->at,
               "query(%.*s=...) is not allowed. Use @name for a variable of your own: "
               "df.query(\"n > @limit\").",
               (int)len, name);
    return false;
}

static bool judge_argument(struct judge *judge, uint32_t argument, bool is_first)
{
    const struct node *row = judge_node(judge, argument);

    if (row->kind == NODE_DOUBLE_STARRED) { /* could hold all that judge_keyword refuses */
        report_add(judge->report, "text-method", row->at,
                   "query(**...) is not allowed. Write its arguments out: df.query(\"n > "
                   "@limit\").");
        return false;
    }
    if (row->kind != NODE_KEYWORD)
        return !is_first || judge_query_text(judge, argument);
    if (!judge_keyword(judge, argument))
        return false;
    if (is_first || judge_is_text(judge, argument, "expr"))
        return judge_query_text(judge, row->child);
    return true;
}

void rule_query(struct judge *judge)
{
    const struct site_list *attributes = &judge->facts->attributes;

    if (!(judge->roles & ROLE_QUERY))
        return;
    for (uint32_t i = 0; i < attributes->count; i++) {
        const struct site *site = &attributes->rows[i];
        uint32_t first = judge_first_argument(judge, site->node);

        if (!(judge_word(judge, site->node)->roles & ROLE_QUERY))
            continue;
        if (!judge_is_called(judge, site)) {
            report_add(judge->report, "text-method", judge_node(judge, site->node)->at,
                       "'query' evaluates text, so it is only allowed as a call with the text "
                       "written out: df.query(\"n > 3\").");
            continue;
        }
        for (uint32_t argument = first;
             argument && judge_argument(judge, argument, argument == first);)
            argument = judge_node(judge, argument)->next;
    }
}
