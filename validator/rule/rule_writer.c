/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Methods that write a file when they are given a path, and give the text when they are not. They
 * are called on the spot, without a path, or with a buffer in memory: df.to_csv(index=False).
 */
#include "validator/rule/check_internal.h"

/* The value that may be a path, NODE_NONE for a keyword that takes none. */
static uint32_t path_in(const struct check *check, uint32_t argument)
{
    const struct node *row = check_node(check, argument);
    size_t len;
    const char *name;

    if (row->kind != NODE_KEYWORD)
        return argument;
    name = ast_name(check->ast, argument, &len);
    return policy_has_word(policy_path_keywords, name, len) ? row->child : NODE_NONE;
}

static void refuse_path(struct check *check, uint32_t method, size_t at)
{
    const char *advice = check_word(check, method)->name->advice;

    if (advice)
        report_add(check->report, "file-method", at, "%.*s writes a file, and there are none. %s",
                   check_shown(check, method), advice);
    else
        report_add(check->report, "file-method", at,
                   "%.*s with a path writes a file, and there are none. Leave the path away and "
                   "print the text: print(df.%.*s()); give other arguments by keyword.",
                   check_shown(check, method), check_shown(check, method));
}

static void check_arguments(struct check *check, uint32_t method)
{
    for (uint32_t argument = check_first_argument(check, method); argument;
         argument = check_node(check, argument)->next) {
        uint32_t path = path_in(check, argument);

        if (!path || check_is_none(check, path) || check_is_buffer(check, path))
            continue;
        refuse_path(check, method, check_node(check, path)->at);
        return;
    }
}

void rule_writer(struct check *check)
{
    const struct site_list *attributes = &check->facts->attributes;

    if (!(check->roles & ROLE_WRITER))
        return;
    for (uint32_t i = 0; i < attributes->count; i++) {
        const struct site *site = &attributes->rows[i];

        if (!(check_word(check, site->node)->roles & ROLE_WRITER))
            continue;
        if (check_is_called(check, site))
            check_arguments(check, site->node);
        else
            report_add(check->report, "file-method", check_node(check, site->node)->at,
                       "'%.*s' can write files, so it is only allowed as a call: "
                       "print(df.%.*s()).",
                       check_shown(check, site->node), check_shown(check, site->node));
    }
}
