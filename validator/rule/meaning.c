/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which bindings mean a module, and how long. A name that is imported as a module goes on meaning
 * it, whatever else is bound to it in the same scope, but for one case that is certain: where all
 * its imports are statements of the module's own body, and one behind them gives the name away.
 */
#include <stdlib.h>

#include "validator/rule/judge.h"

/* Over the module's own statements. */
struct walk {
    struct judge *judge;
    uint32_t row;     /* of facts->imports: the next one */
    uint32_t *nested; /* by binding: its imports that are elsewhere */
};

/* What the alias binds a module to; FACTS_NONE. */
static uint32_t bound_by(const struct judge *judge, uint32_t row)
{
    return judge->imported[row] ? judge->facts->imports.rows[row].binding : FACTS_NONE;
}

/* The first byte of a statement: a node may be placed at a name in its middle. */
static uint32_t start_of(const struct judge *judge, uint32_t node)
{
    uint32_t at = judge_node(judge, node)->at;

    for (node = judge_node(judge, node)->child; node; node = judge_node(judge, node)->child)
        if (judge_node(judge, node)->at < at)
            at = judge_node(judge, node)->at;
    return at;
}

static void give_away(struct judge *judge, uint32_t node, uint32_t from)
{
    uint32_t binding = judge_word(judge, node)->import;

    if (binding != FACTS_NONE && judge->meanings[binding].module &&
        judge->meanings[binding].until == FACTS_NONE)
        judge->meanings[binding].until = from;
}

/* The names that a statement of the module's body certainly gives away. */
static void read_bound(struct judge *judge, uint32_t statement, uint32_t from)
{
    const struct node *row = judge_node(judge, statement);

    if (row->kind == NODE_FUNCTION || row->kind == NODE_CLASS)
        give_away(judge, statement, from);
    if (row->kind != NODE_ASSIGN)
        return;
    for (uint32_t target = row->child; judge_node(judge, target)->next;
         target = judge_node(judge, target)->next)
        if (judge_node(judge, target)->kind == NODE_NAME)
            give_away(judge, target, from);
}

/* What a from-import binds to something that is no module. An `import` of what is no module here is
 * refused, and gives nothing away. */
static uint32_t other_name(const struct judge *judge, const struct site *site)
{
    if (judge_node(judge, site->parent)->kind != NODE_IMPORT_FROM)
        return FACTS_NONE;
    return judge_node(judge, site->node)->child ? judge_node(judge, site->node)->child : FACTS_NONE;
}

/* The imports up to this statement are elsewhere; those of this one begin the meaning anew, or end
 * it where what they import is no module. Where one statement does both, it is a module. */
static void read_imports(struct walk *walk, uint32_t statement, uint32_t from)
{
    struct judge *judge = walk->judge;
    const struct site_list *imports = &judge->facts->imports;
    uint32_t first = walk->row;

    for (; walk->row < imports->count; walk->row++) {
        const struct site *site = &imports->rows[walk->row];
        uint32_t binding = bound_by(judge, walk->row);

        if (judge_node(judge, site->node)->at >= from)
            break;
        if (site->parent != statement && binding != FACTS_NONE)
            walk->nested[binding]++;
        else if (site->parent == statement && binding == FACTS_NONE &&
                 other_name(judge, site) != FACTS_NONE)
            give_away(judge, other_name(judge, site), from);
    }
    for (uint32_t row = first; row < walk->row; row++)
        if (imports->rows[row].parent == statement && bound_by(judge, row) != FACTS_NONE)
            judge->meanings[bound_by(judge, row)].until = FACTS_NONE;
}

static void read_module(struct walk *walk)
{
    struct judge *judge = walk->judge;
    uint32_t next;

    for (uint32_t statement = judge_node(judge, 0)->child; statement; statement = next) {
        uint32_t from = FACTS_NONE;

        next = judge_node(judge, statement)->next;
        if (next)
            from = start_of(judge, next);
        if (from <= judge_node(judge, statement)->at)
            from = FACTS_NONE; /* rather too late than too early */
        read_imports(walk, statement, from);
        read_bound(judge, statement, from);
    }
}

/* Gives each import's binding its module. False without memory. */
static bool place_imports(struct judge *judge)
{
    const struct facts *facts = judge->facts;

    judge->meanings = calloc(facts->binding_count, sizeof *judge->meanings);
    if (!judge->meanings)
        return false;
    for (uint32_t i = 0; i < facts->binding_count; i++)
        judge->meanings[i] = (struct meaning){.until = FACTS_NONE};
    for (uint32_t i = 0; i < facts->imports.count; i++) {
        uint32_t binding = bound_by(judge, i);

        if (binding == FACTS_NONE || judge->meanings[binding].module)
            continue;
        judge->meanings[binding].module = judge->imported[i];
        if (facts->bindings[binding].scope == 0)
            judge->words[facts->bindings[binding].symbol].import = binding;
    }
    return true;
}

void judge_settle_meanings(struct judge *judge)
{
    const struct facts *facts = judge->facts;
    struct walk walk = {.judge = judge};
    bool any = false;

    for (uint32_t i = 0; i < facts->imports.count && !any; i++)
        any = bound_by(judge, i) != FACTS_NONE;
    if (!any)
        return;
    walk.nested = calloc(facts->binding_count, sizeof *walk.nested);
    if (!walk.nested || !place_imports(judge)) {
        judge->failed = true;
    } else {
        read_module(&walk);
        for (uint32_t i = 0; i < facts->binding_count; i++)
            if (walk.nested[i] || (facts->bindings[i].flags & BINDING_SHARED))
                judge->meanings[i].until = FACTS_NONE;
    }
    free(walk.nested);
}

const struct policy_module *judge_meaning(const struct judge *judge, uint32_t binding,
                                          uint32_t scope, uint32_t at)
{
    const struct facts *facts = judge->facts;
    const struct meaning *meaning;

    if (!judge->meanings || binding == FACTS_NONE)
        return NULL;
    meaning = &judge->meanings[binding];
    /* Before a class's body has bound a name, Python finds the module's. */
    if (!meaning->module && facts->scopes[scope].kind == SCOPE_CLASS &&
        facts->bindings[binding].scope == scope) {
        binding = judge->words[facts->bindings[binding].symbol].import;
        if (binding == FACTS_NONE)
            return NULL;
        meaning = &judge->meanings[binding];
    }
    return at < meaning->until ? meaning->module : NULL;
}
