/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which bindings mean a module, and how long. A name that is imported as a module goes on meaning
 * it, whatever else is bound to it in the same scope, but for one case that is certain: where all
 * its imports are statements of the module's own body, and one behind them gives the name away.
 */
#include <stdlib.h>

#include "validator/rule/check_internal.h"

/* Over the module's own statements. */
struct walk {
    struct check *check;
    uint32_t row;     /* of facts->imports: the next one */
    uint32_t *nested; /* by binding: its imports that are elsewhere */
};

/* What the alias binds a module to; FACTS_NONE. */
static uint32_t bound_by(const struct check *check, uint32_t row)
{
    return check->imported[row] ? check->facts->imports.rows[row].binding : FACTS_NONE;
}

/* The first byte of a statement: a node may be placed at a name in its middle. */
static uint32_t start_of(const struct check *check, uint32_t node)
{
    uint32_t at = check_node(check, node)->at;

    for (node = check_node(check, node)->child; node; node = check_node(check, node)->child)
        if (check_node(check, node)->at < at)
            at = check_node(check, node)->at;
    return at;
}

static void give_away(struct check *check, uint32_t node, uint32_t from)
{
    uint32_t binding = check_word(check, node)->import;

    if (binding != FACTS_NONE && check->meanings[binding].module &&
        check->meanings[binding].until == FACTS_NONE)
        check->meanings[binding].until = from;
}

/* The names that a statement of the module's body certainly gives away. */
static void read_bound(struct check *check, uint32_t statement, uint32_t from)
{
    const struct node *row = check_node(check, statement);

    if (row->kind == NODE_FUNCTION || row->kind == NODE_CLASS)
        give_away(check, statement, from);
    if (row->kind != NODE_ASSIGN)
        return;
    for (uint32_t target = row->child; check_node(check, target)->next;
         target = check_node(check, target)->next)
        if (check_node(check, target)->kind == NODE_NAME)
            give_away(check, target, from);
}

/* What a from-import binds to something that is no module. An `import` of what is no module here is
 * refused, and gives nothing away. */
static uint32_t other_name(const struct check *check, const struct site *site)
{
    if (check_node(check, site->parent)->kind != NODE_IMPORT_FROM)
        return FACTS_NONE;
    return check_node(check, site->node)->child ? check_node(check, site->node)->child : FACTS_NONE;
}

/* The imports up to this statement are elsewhere; those of this one begin a new meaning, or end
 * it where what they import is no module. Where one statement does both, it is a module. */
static void read_imports(struct walk *walk, uint32_t statement, uint32_t from)
{
    struct check *check = walk->check;
    const struct site_list *imports = &check->facts->imports;
    uint32_t first = walk->row;

    for (; walk->row < imports->count; walk->row++) {
        const struct site *site = &imports->rows[walk->row];
        uint32_t binding = bound_by(check, walk->row);

        if (check_node(check, site->node)->at >= from)
            break;
        if (site->parent != statement && binding != FACTS_NONE)
            walk->nested[binding]++;
        else if (site->parent == statement && binding == FACTS_NONE &&
                 other_name(check, site) != FACTS_NONE)
            give_away(check, other_name(check, site), from);
    }
    for (uint32_t row = first; row < walk->row; row++)
        if (imports->rows[row].parent == statement && bound_by(check, row) != FACTS_NONE)
            check->meanings[bound_by(check, row)].until = FACTS_NONE;
}

static void read_module(struct walk *walk)
{
    struct check *check = walk->check;
    uint32_t next;

    for (uint32_t statement = check_node(check, 0)->child; statement; statement = next) {
        uint32_t from = FACTS_NONE;

        next = check_node(check, statement)->next;
        if (next)
            from = start_of(check, next);
        if (from <= check_node(check, statement)->at)
            from = FACTS_NONE; /* rather too late than too early */
        read_imports(walk, statement, from);
        read_bound(check, statement, from);
    }
}

/* Gives each import's binding its module. False without memory. */
static bool place_imports(struct check *check)
{
    const struct facts *facts = check->facts;

    check->meanings = calloc(facts->binding_count, sizeof *check->meanings);
    if (!check->meanings)
        return false;
    for (uint32_t i = 0; i < facts->binding_count; i++)
        check->meanings[i] = (struct meaning){.until = FACTS_NONE};
    for (uint32_t i = 0; i < facts->imports.count; i++) {
        uint32_t binding = bound_by(check, i);

        if (binding == FACTS_NONE || check->meanings[binding].module)
            continue;
        check->meanings[binding].module = check->imported[i];
        if (facts->bindings[binding].scope == 0)
            check->words[facts->bindings[binding].symbol].import = binding;
    }
    return true;
}

void check_settle_meanings(struct check *check)
{
    const struct facts *facts = check->facts;
    struct walk walk = {.check = check};
    bool any = false;

    for (uint32_t i = 0; i < facts->imports.count && !any; i++)
        any = bound_by(check, i) != FACTS_NONE;
    if (!any)
        return;
    walk.nested = calloc(facts->binding_count, sizeof *walk.nested);
    if (!walk.nested || !place_imports(check)) {
        check->failed = true;
    } else {
        read_module(&walk);
        for (uint32_t i = 0; i < facts->binding_count; i++)
            if (walk.nested[i] || (facts->bindings[i].flags & BINDING_SHARED))
                check->meanings[i].until = FACTS_NONE;
    }
    free(walk.nested);
}

const struct policy_module *check_meaning(const struct check *check, uint32_t binding,
                                          uint32_t scope, uint32_t at)
{
    const struct facts *facts = check->facts;
    const struct meaning *meaning;

    if (!check->meanings || binding == FACTS_NONE)
        return NULL;
    meaning = &check->meanings[binding];
    /* Before a class's body has bound a name, Python finds the module's. */
    if (!meaning->module && facts->scopes[scope].kind == SCOPE_CLASS &&
        facts->bindings[binding].scope == scope) {
        binding = check->words[facts->bindings[binding].symbol].import;
        if (binding == FACTS_NONE)
            return NULL;
        meaning = &check->meanings[binding];
    }
    return at < meaning->until ? meaning->module : NULL;
}
