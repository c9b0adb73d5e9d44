/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Forbidden attributes and dunders as attributes, where rule_module has not judged them as a
 * module's.
 */
#include "validator/rule/judge.h"

/* The call of a plain name, as in super().x. */
static bool is_call_of(const struct judge *judge, uint32_t node, const char *name)
{
    const struct node *row = judge_node(judge, node);

    return row->kind == NODE_CALL && judge_node(judge, row->child)->kind == NODE_NAME &&
           judge_is_text(judge, row->child, name);
}

static bool is_allowed(const struct judge *judge, const struct site *site)
{
    const struct node *row = judge_node(judge, site->node);

    if (judge_word(judge, site->node)->flags & WORD_METHOD)
        return judge_is_called(judge, site) && is_call_of(judge, row->child, "super") &&
               /* super(B, cls).__new__ passes by the checks of B's own */
               !(judge_is_text(judge, site->node, "__new__") &&
                 judge_first_argument(judge, judge_node(judge, row->child)->child));
    return row->op == CONTEXT_LOAD && judge_is_text(judge, site->node, "__name__") &&
           is_call_of(judge, row->child, "type");
}

/* x.__class__.__name__ is one mistake. */
static bool is_told(const struct judge *judge, const struct site *site)
{
    uint32_t inner = judge_node(judge, site->node)->child;

    return judge_node(judge, inner)->kind == NODE_ATTRIBUTE &&
           judge_is_text(judge, inner, "__class__");
}

static void judge_attribute(struct judge *judge, const struct site *site)
{
    const struct word *word = judge_word(judge, site->node);

    if (word->flags & WORD_DUNDER) {
        if (!is_allowed(judge, site) && !is_told(judge, site))
            judge_refuse_dunder(judge, site->node, true);
    } else if (word->roles & ROLE_ATTRIBUTE) {
        const char *advice = word->name->advice;

        report_add(judge->report, "forbidden-attribute", judge_node(judge, site->node)->at,
                   "The attribute '%.*s' is not allowed.%s%s", judge_shown(judge, site->node),
                   advice ? " " : "", advice ? advice : "");
    }
}

void rule_attribute(struct judge *judge)
{
    const struct site_list *attributes = &judge->facts->attributes;

    if (!(judge->flags & WORD_DUNDER) && !(judge->roles & ROLE_ATTRIBUTE))
        return;
    for (uint32_t i = 0; i < attributes->count; i++)
        if (!judge->of_module[i])
            judge_attribute(judge, &attributes->rows[i]);
}
