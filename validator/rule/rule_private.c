/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Attributes that begin with '_'. The program's own are its own business: those that it stores on
 * an object or defines in a class. All others are a library's workings, which take methods,
 * modules and files by text: Enum._convert_, GroupBy._transform, Figure's canvas.
 */
#include "validator/rule/check_internal.h"

static void own(struct check *check, uint32_t symbol)
{
    check->words[symbol].flags |= WORD_OWN;
}

static void find_own(struct check *check)
{
    const struct facts *facts = check->facts;

    for (uint32_t i = 0; i < facts->attributes.count; i++)
        if (check_node(check, facts->attributes.rows[i].node)->op == CONTEXT_STORE)
            own(check, check_node(check, facts->attributes.rows[i].node)->name);
    for (uint32_t i = 0; i < facts->binding_count; i++)
        if (facts->scopes[facts->bindings[i].scope].kind == SCOPE_CLASS &&
            !(facts->bindings[i].flags & (BINDING_GLOBAL | BINDING_NONLOCAL)))
            own(check, facts->bindings[i].symbol);
}

static void check_private(struct check *check, uint32_t node)
{
    const struct word *word = check_word(check, node);

    if (!(word->flags & WORD_PRIVATE) || (word->flags & WORD_OWN) ||
        (word->roles & ROLE_ATTRIBUTE)) /* reported already */
        return;
    report_add(check->report, "forbidden-attribute", check_node(check, node)->at,
               "The attribute '%.*s' is not allowed: names that begin with '_' are a library's "
               "own workings. Use the object's public methods.",
               check_shown(check, node));
}

void rule_private(struct check *check)
{
    const struct site_list *attributes = &check->facts->attributes, *other = &check->facts->other;

    if (!(check->flags & WORD_PRIVATE))
        return;
    find_own(check);
    for (uint32_t i = 0; i < attributes->count; i++)
        if (!check->of_module[i])
            check_private(check, attributes->rows[i].node);
    for (uint32_t i = 0; i < other->count; i++)
        if (check_node(check, other->rows[i].node)->kind == NODE_MATCH_KEYWORD)
            check_private(check, other->rows[i].node);
}
