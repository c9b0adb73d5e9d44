/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Attributes of pandas' objects that load matplotlib: df.plot, s.hist(). They need a profile that
 * has it, and a sandbox of the kind "plot". An attribute that a class of the program has is its
 * own. What loads matplotlib as an attribute of a module is rule_module's.
 */
#include "validator/rule/judge.h"

static void judge_chart(struct judge *judge, uint32_t node)
{
    const struct word *word = judge_word(judge, node);

    if (!(word->roles & ROLE_CHART) || (word->flags & WORD_CLASS))
        return;
    if (judge->profile->rank >= PROFILE_VISUALIZATION)
        judge->kind = KIND_PLOT;
    else
        report_add(judge->report, "forbidden-attribute", judge_node(judge, node)->at,
                   "The attribute '%.*s' is not allowed: charts need the profile visualization. %s",
                   judge_shown(judge, node),
                   word->name->advice ? word->name->advice : "Print a table instead.");
}

void rule_chart(struct judge *judge)
{
    const struct site_list *attributes = &judge->facts->attributes;

    if (!judge->has_arrays || !(judge->roles & ROLE_CHART))
        return;
    for (uint32_t i = 0; i < attributes->count; i++)
        if (!judge->of_module[i])
            judge_chart(judge, attributes->rows[i].node);
}
