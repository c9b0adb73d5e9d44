/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Methods that evaluate their text, as pandas' query does. The text is written out in the call, and
 * names columns, and variables as @name, but nothing that is reached through them.
 */
#include "validator/rule/judge.h"

#include <string.h>

#include "validator/syntax/keyword.h"

#define METHODS (ROLE_ATTRIBUTE | ROLE_WRITER | ROLE_QUERY)

/* What text[from..to), a word, does that a query must not. */
static const char *fault_in_word(const char *text, size_t len, size_t from, size_t to)
{
    const struct policy_name *name;

    if (from > 0 && text[from - 1] == '@' && to < len && text[to] && strchr(".([", text[to]))
        return "an attribute or a call of a variable";
    if (from > 0 && text[from - 1] == '.') {
        name = policy_name_find(text + from, to - from);
        if (name && (name->roles & METHODS))
            return "a method that is not allowed";
    }
    return NULL;
}

static const char *fault_in_query(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        size_t end = i;
        const char *fault;

        if (text[i] == '_' && i + 1 < len && text[i + 1] == '_')
            return "a name in double underscores";
        if (text[i] == '.' && i + 1 < len && text[i + 1] == '_')
            return "a private attribute";
        while (end < len && keyword_is_name_byte((unsigned char)text[end]))
            end++;
        if (end == i)
            continue;
        fault = fault_in_word(text, len, i, end);
        if (fault)
            return fault;
        i = end - 1;
    }
    return NULL;
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
    fault = fault_in_query(text, len);
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
