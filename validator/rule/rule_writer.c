/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Methods that write a file when they are given a path, and give the text when they are not. They
 * are called on the spot, without a path, or with a buffer in memory: df.to_csv(index=False).
 */
#include "validator/rule/judge.h"

/* The value that may be a path, NODE_NONE for a keyword that takes none. */
static uint32_t path_in(const struct judge *judge, uint32_t argument)
{
    const struct node *row = judge_node(judge, argument);
    size_t len;
    const char *name;

    if (row->kind != NODE_KEYWORD)
        return argument;
    name = ast_name(judge->ast, argument, &len);
    return policy_has_word(policy_path_keywords, name, len) ? row->child : NODE_NONE;
}

static void refuse_path(struct judge *judge, uint32_t method, size_t at)
{
    const char *advice = judge_word(judge, method)->name->advice;

    if (advice)
        report_add(judge->report, "file-method", at, "%.*s writes a file, and there are none. %s",
                   judge_shown(judge, method), advice);
    else
        report_add(judge->report, "file-method", at,
                   "%.*s with a path writes a file, and there are none. Leave the path away and "
                   "print the text: print(df.%.*s()); give other arguments by keyword.",
                   judge_shown(judge, method), judge_shown(judge, method));
}

static void judge_arguments(struct judge *judge, uint32_t method)
{
    for (uint32_t argument = judge_first_argument(judge, method); argument;
         argument = judge_node(judge, argument)->next) {
        uint32_t path = path_in(judge, argument);

        if (!path || judge_is_none(judge, path) || judge_is_buffer(judge, path))
            continue;
        refuse_path(judge, method, judge_node(judge, path)->at);
        return;
    }
}

void rule_writer(struct judge *judge)
{
    const struct site_list *attributes = &judge->facts->attributes;

    if (!(judge->roles & ROLE_WRITER))
        return;
    for (uint32_t i = 0; i < attributes->count; i++) {
        const struct site *site = &attributes->rows[i];

        if (!(judge_word(judge, site->node)->roles & ROLE_WRITER))
            continue;
        if (judge_is_called(judge, site))
            judge_arguments(judge, site->node);
        else
            report_add(judge->report, "file-method", judge_node(judge, site->node)->at,
                       "'%.*s' can write files, so it is only allowed as a call: "
                       "print(df.%.*s()).",
                       judge_shown(judge, site->node), judge_shown(judge, site->node));
    }
}
