/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Attributes through which a program reaches the memory of an array. numpy lets a program store an
 * array's strides, buffer and flags, and such a store reads and writes beyond the array. Every
 * form of a store counts: =, +=, del, for, with, an item. Only programs that import a library with
 * arrays are checked, and attributes that a class of the program has too are left to it.
 */
#include "validator/rule/check_internal.h"

static const char *refused(struct check *check, const struct site *site)
{
    const struct word *word = check_word(check, site->node);
    bool stored = check_node(check, site->node)->op != CONTEXT_LOAD;

    if (word->roles & ROLE_MEMORY)
        return "is not allowed";
    if ((word->roles & ROLE_OWN_STORE) && (word->flags & WORD_CLASS))
        return NULL;
    if ((word->roles & (ROLE_STORE | ROLE_OWN_STORE)) && stored)
        return "cannot be stored to";
    if ((word->roles & ROLE_ITEM_STORE) && check_is_item_store(check, site->node, site->parent))
        return "holds no items that can be stored";
    return NULL;
}

void rule_memory(struct check *check)
{
    const struct site_list *attributes = &check->facts->attributes;

    if (!check->has_arrays || !(check->roles & ROLE_ANY_MEMORY))
        return;
    for (uint32_t i = 0; i < attributes->count; i++) {
        const struct site *site = &attributes->rows[i];
        const char *what;

        if (check->of_module[i] || !(check_word(check, site->node)->roles & ROLE_ANY_MEMORY))
            continue;
        what = refused(check, site);
        if (what)
            report_add(check->report, "forbidden-attribute", check_node(check, site->node)->at,
                       "The attribute '%.*s' %s: it reaches an array's memory. %s",
                       check_shown(check, site->node), what,
                       check_word(check, site->node)->name->advice);
    }
}
