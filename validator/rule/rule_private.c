/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Attributes that begin with '_'. The program's own are its own business: those that it stores on
 * an object or defines in a class. All others are a library's workings, which take methods,
 * modules and files by text: Enum._convert_, GroupBy._transform, Figure's canvas.
 */
#include "validator/rule/judge.h"

static void own(struct judge *judge, uint32_t symbol)
{
    judge->words[symbol].flags |= WORD_OWN;
}

static void find_own(struct judge *judge)
{
    const struct facts *facts = judge->facts;

    for (uint32_t i = 0; i < facts->attributes.count; i++)
        if (judge_node(judge, facts->attributes.rows[i].node)->op == CONTEXT_STORE)
            own(judge, judge_node(judge, facts->attributes.rows[i].node)->name);
    for (uint32_t i = 0; i < facts->binding_count; i++)
        if (facts->scopes[facts->bindings[i].scope].kind == SCOPE_CLASS &&
            !(facts->bindings[i].flags & (BINDING_GLOBAL | BINDING_NONLOCAL)))
            own(judge, facts->bindings[i].symbol);
}

static void judge_private(struct judge *judge, uint32_t node)
{
    const struct word *word = judge_word(judge, node);

    if (!(word->flags & WORD_PRIVATE) || (word->flags & WORD_OWN) ||
        (word->roles & ROLE_ATTRIBUTE)) /* told already */
        return;
    report_add(judge->report, "forbidden-attribute", judge_node(judge, node)->at,
               "The attribute '%.*s' is not allowed: names that begin with '_' are a library's "
               "own workings. Use the object's public methods.",
               judge_shown(judge, node));
}

void rule_private(struct judge *judge)
{
    const struct site_list *attributes = &judge->facts->attributes, *other = &judge->facts->other;

    if (!(judge->flags & WORD_PRIVATE))
        return;
    find_own(judge);
    for (uint32_t i = 0; i < attributes->count; i++)
        if (!judge->of_module[i])
            judge_private(judge, attributes->rows[i].node);
    for (uint32_t i = 0; i < other->count; i++)
        if (judge_node(judge, other->rows[i].node)->kind == NODE_MATCH_KEYWORD)
            judge_private(judge, other->rows[i].node);
}
