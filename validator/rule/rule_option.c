/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * pandas' options by text: set_option("display.width", 100). The text is a pattern that pandas
 * searches in the names of all options; those of plotting import a module by its name.
 */
#include "validator/rule/judge.h"

#include <string.h>

static const char *const plotting[] = {"plotting.backend",
                                       "plotting.matplotlib.register_converters"};

static bool is_pattern_byte(char byte)
{
    return byte == '_' || byte == '.' || (byte >= '0' && byte <= '9') ||
           (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

/* The pattern at the name's first bytes; case is nothing to pandas, '.' is any byte. */
static bool matches(const char *pattern, size_t len, const char *name)
{
    for (size_t i = 0; i < len; i++)
        if (!name[i] || (pattern[i] != '.' && (pattern[i] | 0x20) != (name[i] | 0x20)))
            return false;
    return true;
}

static bool is_good(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!is_pattern_byte(text[i]))
            return false;
    for (size_t i = 0; i < sizeof plotting / sizeof *plotting; i++)
        for (const char *at = plotting[i]; *at; at++)
            if (matches(text, len, at))
                return false;
    return true;
}

static void judge_option(struct judge *judge, uint32_t value)
{
    size_t len;
    const char *text = judge_text(judge, value, &len, NULL);

    if (text && !is_good(text, len))
        report_add(judge->report, "text-method", judge_node(judge, value)->at,
                   "This option is not allowed. Those of output are, by their own names: "
                   "\"display.max_rows\", \"display.width\", \"mode.chained_assignment\".");
}

static void judge_call(struct judge *judge, uint32_t function)
{
    bool is_name = true; /* names and values by turns */

    for (uint32_t argument = judge_first_argument(judge, function); argument;
         argument = judge_node(judge, argument)->next, is_name = !is_name) {
        const struct node *row = judge_node(judge, argument);

        if (row->kind == NODE_KEYWORD && judge_is_text(judge, argument, "pat"))
            judge_option(judge, row->child);
        else if (is_name)
            judge_option(judge, argument);
    }
}

static void judge_list(struct judge *judge, const struct site_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        if ((judge_word(judge, list->rows[i].node)->roles & ROLE_OPTION) &&
            judge_is_called(judge, &list->rows[i]))
            judge_call(judge, list->rows[i].node);
}

void rule_option(struct judge *judge)
{
    if (!(judge->roles & ROLE_OPTION))
        return;
    judge_list(judge, &judge->facts->names);
    judge_list(judge, &judge->facts->attributes);
}
