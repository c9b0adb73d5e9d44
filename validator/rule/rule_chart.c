/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Attributes of pandas' objects that load matplotlib: df.plot, s.hist(). They need a profile that
 * has it, and a sandbox of the kind "plot". An attribute that a class of the program has is its
 * own. What loads matplotlib as an attribute of a module is rule_module's.
 */
#include "validator/rule/check_internal.h"

static void check_chart(struct check *check, uint32_t node)
{
    const struct word *word = check_word(check, node);

    if (!(word->roles & ROLE_CHART) || (word->flags & WORD_CLASS))
        return;
    if (check->profile->rank >= PROFILE_VISUALIZATION)
        check->kind = KIND_PLOT;
    else
        report_add(check->report, "forbidden-attribute", check_node(check, node)->at,
                   "The attribute '%.*s' is not allowed: charts need the profile visualization. %s",
                   check_shown(check, node),
                   word->name->advice ? word->name->advice : "Print a table instead.");
}

void rule_chart(struct check *check)
{
    const struct site_list *attributes = &check->facts->attributes;

    if (!check->has_arrays || !(check->roles & ROLE_CHART))
        return;
    for (uint32_t i = 0; i < attributes->count; i++)
        if (!check->of_module[i])
            check_chart(check, attributes->rows[i].node);
}
