/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Attributes through which a program reaches the memory of an array. numpy lets a program store an
 * array's strides, buffer and flags, and such a store reads and writes beyond the array. Every
 * form of a store counts: =, +=, del, for, with, an item. Only programs that import a library with
 * arrays are judged, and attributes that a class of the program has too are left to it.
 */
#include "validator/rule/judge.h"

static const char *refused(struct judge *judge, const struct site *site)
{
    const struct word *word = judge_word(judge, site->node);
    bool stored = judge_node(judge, site->node)->op != CONTEXT_LOAD;

    if (word->roles & ROLE_MEMORY)
        return "is not allowed";
    if ((word->roles & ROLE_OWN_STORE) && (word->flags & WORD_CLASS))
        return NULL;
    if ((word->roles & (ROLE_STORE | ROLE_OWN_STORE)) && stored)
        return "cannot be stored to";
    if ((word->roles & ROLE_ITEM_STORE) && judge_is_item_store(judge, site->node, site->parent))
        return "holds no items that can be stored";
    return NULL;
}

void rule_memory(struct judge *judge)
{
    const struct site_list *attributes = &judge->facts->attributes;

    if (!judge->has_arrays || !(judge->roles & ROLES_OF_MEMORY))
        return;
    for (uint32_t i = 0; i < attributes->count; i++) {
        const struct site *site = &attributes->rows[i];
        const char *what;

        if (judge->of_module[i] || !(judge_word(judge, site->node)->roles & ROLES_OF_MEMORY))
            continue;
        what = refused(judge, site);
        if (what)
            report_add(judge->report, "forbidden-attribute", judge_node(judge, site->node)->at,
                       "The attribute '%.*s' %s: it reaches an array's memory. %s",
                       judge_shown(judge, site->node), what,
                       judge_word(judge, site->node)->name->advice);
    }
}
