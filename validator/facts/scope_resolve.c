/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The second walk: what each name means where it stands, and the lists.
 *
 * walk.seen has for each symbol what functions see at this place; entering a function sets the
 * symbols it binds, leaving it sets them back. What a class binds is kept apart, in walk.own: only
 * its own body sees it.
 */
#include "validator/facts/scope.h"

static void resolve(struct scope_walk *walk, uint32_t at, uint32_t parent, uint32_t scope);

static struct site *add(struct scope_walk *walk, struct site_list *list, uint32_t at,
                        uint32_t parent, uint32_t scope, uint32_t binding)
{
    if (!facts_grow((void **)&list->rows, list->count, &list->size, sizeof *list->rows)) {
        walk->facts->failed = true;
        return NULL;
    }
    list->rows[list->count] = (struct site){at, parent, scope, binding};
    return &list->rows[list->count++];
}

/* What a nonlocal statement means is known now that all functions around are read. */
static void find_meant(struct scope_walk *walk, struct binding *binding)
{
    struct facts *facts = walk->facts;
    uint32_t outer = walk->seen[binding->symbol];

    if (!(binding->flags & BINDING_NONLOCAL) || (binding->flags & BINDING_GLOBAL) || !outer ||
        facts->bindings[outer - 1].scope == 0)
        return;
    binding->meant = outer - 1;
    facts->bindings[outer - 1].flags |= BINDING_SHARED;
}

static void enter(struct scope_walk *walk, uint32_t scope)
{
    struct facts *facts = walk->facts;
    bool is_class = facts->scopes[scope].kind == SCOPE_CLASS;
    uint32_t *table = is_class ? walk->own : walk->seen;
    struct binding *binding;

    for (uint32_t b = facts->scopes[scope].first_binding; b != FACTS_NONE; b = binding->next) {
        binding = &facts->bindings[b];
        find_meant(walk, binding);
        binding->hidden = table[binding->symbol];
        table[binding->symbol] = (is_class ? b : binding->meant) + 1; /* FACTS_NONE gives 0 */
    }
}

static void leave(struct scope_walk *walk, uint32_t scope)
{
    const struct facts *facts = walk->facts;
    uint32_t *table = facts->scopes[scope].kind == SCOPE_CLASS ? walk->own : walk->seen;
    const struct binding *binding;

    for (uint32_t b = facts->scopes[scope].first_binding; b != FACTS_NONE; b = binding->next) {
        binding = &facts->bindings[b];
        table[binding->symbol] = binding->hidden;
    }
}

static uint32_t meaning(const struct scope_walk *walk, uint32_t symbol, uint32_t scope)
{
    const struct facts *facts = walk->facts;

    if (facts->scopes[scope].kind == SCOPE_CLASS) {
        uint32_t own = walk->own[symbol];

        if (own && facts->bindings[own - 1].scope == scope)
            return facts->bindings[own - 1].meant;
    }
    return walk->seen[symbol] - 1; /* 0 gives FACTS_NONE */
}

/* What binds the name that the node itself carries. */
static void add_other(struct scope_walk *walk, uint32_t at, uint32_t parent, uint32_t scope)
{
    add(walk, &walk->facts->other, at, parent, scope, meaning(walk, walk->nodes[at].name, scope));
}

static void resolve_children(struct scope_walk *walk, uint32_t at, uint32_t scope)
{
    const struct node *nodes = walk->nodes;

    for (uint32_t child = nodes[at].child; child != NODE_NONE; child = nodes[child].next)
        resolve(walk, child, at, scope);
}

/* The parameters are the scope's first bindings, in their order; one that is none of them has the
 * name of another. */
static void resolve_parameters(struct scope_walk *walk, uint32_t at, uint32_t scope, uint32_t inner)
{
    const struct facts *facts = walk->facts;
    const struct node *nodes = walk->nodes;
    uint32_t binding = facts->scopes[inner].first_binding;

    for (uint32_t child = nodes[at].child; child != NODE_NONE; child = nodes[child].next) {
        bool binds = binding != FACTS_NONE && facts->bindings[binding].first == child;

        if (nodes[child].name != SYMBOL_NONE)
            add(walk, &walk->facts->other, child, at, inner, binds ? binding : FACTS_NONE);
        if (binds)
            binding = facts->bindings[binding].next;
        resolve_children(walk, child, scope);
    }
}

/* FUNCTION, LAMBDA and CLASS: only the last child is inside. */
static void resolve_definition(struct scope_walk *walk, uint32_t at, uint32_t scope)
{
    const struct node *nodes = walk->nodes;
    uint32_t inner = walk->next_scope++;

    for (uint32_t child = nodes[at].child; child != NODE_NONE; child = nodes[child].next) {
        if (nodes[child].kind == NODE_PARAMETERS) {
            resolve_parameters(walk, child, scope, inner);
        } else if (nodes[child].next == NODE_NONE) {
            enter(walk, inner);
            resolve(walk, child, at, inner);
            leave(walk, inner);
        } else {
            resolve(walk, child, at, scope);
        }
    }
}

/* The first iterable stands inside, but belongs to the scope around. */
static void resolve_comprehension(struct scope_walk *walk, uint32_t at, uint32_t scope)
{
    const struct node *nodes = walk->nodes;
    uint32_t inner = walk->next_scope++;
    bool first = true;

    enter(walk, inner);
    for (uint32_t child = nodes[at].child; child != NODE_NONE; child = nodes[child].next) {
        uint32_t part = nodes[child].child;

        if (nodes[child].kind != NODE_COMPREHENSION || !first) {
            resolve(walk, child, at, inner);
            continue;
        }
        first = false;
        resolve(walk, part, child, inner);
        leave(walk, inner);
        part = nodes[part].next;
        resolve(walk, part, child, scope);
        enter(walk, inner);
        while ((part = nodes[part].next) != NODE_NONE)
            resolve(walk, part, child, inner);
    }
    leave(walk, inner);
}

/* A chain a.b.c: all of its attributes have the same root. */
static void resolve_attributes(struct scope_walk *walk, uint32_t at, uint32_t parent,
                               uint32_t scope)
{
    struct site_list *list = &walk->facts->attributes;
    const struct node *nodes = walk->nodes;
    uint32_t first = list->count, binding;

    for (; nodes[at].kind == NODE_ATTRIBUTE; parent = at, at = nodes[at].child)
        add(walk, list, at, parent, scope, FACTS_NONE);
    if (nodes[at].kind != NODE_NAME) {
        resolve(walk, at, parent, scope);
        return;
    }
    binding = meaning(walk, nodes[at].name, scope);
    add(walk, &walk->facts->names, at, parent, scope, binding);
    for (uint32_t i = first; i < list->count; i++)
        list->rows[i].binding = binding;
}

/* An import's names. */
static void resolve_import(struct scope_walk *walk, uint32_t at, uint32_t scope)
{
    const struct node *nodes = walk->nodes;

    for (uint32_t alias = nodes[at].child; alias != NODE_NONE; alias = nodes[alias].next) {
        uint32_t binding = nodes[alias].child, name;

        name = binding == NODE_NONE ? SYMBOL_NONE : nodes[binding].name;
        add(walk, &walk->facts->imports, alias, at, scope, meaning(walk, name, scope));
        if (name != SYMBOL_NONE)
            add_other(walk, binding, alias, scope);
    }
}

static void resolve(struct scope_walk *walk, uint32_t at, uint32_t parent, uint32_t scope)
{
    const struct node *node = &walk->nodes[at];
    struct facts *facts = walk->facts;

    switch (node->kind) {
    case NODE_NAME:
        add(walk, &facts->names, at, parent, scope, meaning(walk, node->name, scope));
        return;
    case NODE_ATTRIBUTE:
        resolve_attributes(walk, at, parent, scope);
        return;
    case NODE_STRING:
        add(walk, &facts->strings, at, parent, scope, FACTS_NONE);
        return;
    case NODE_NUMBER:
    case NODE_CONSTANT:
        return;
    case NODE_CALL:
        add(walk, &facts->calls, at, parent, scope, FACTS_NONE);
        break;
    case NODE_KEYWORD:
    case NODE_MATCH_KEYWORD:
    case NODE_MATCH_CLASS:
        add(walk, &facts->other, at, parent, scope, FACTS_NONE);
        break;
    case NODE_HANDLER:
    case NODE_MATCH_STAR:
    case NODE_MATCH_AS:
        if (node->name != SYMBOL_NONE)
            add_other(walk, at, parent, scope);
        break;
    case NODE_BINDING:
        add_other(walk, at, parent, scope);
        return;
    case NODE_IMPORT:
    case NODE_IMPORT_FROM:
        resolve_import(walk, at, scope);
        return;
    case NODE_FUNCTION:
    case NODE_CLASS:
        add_other(walk, at, parent, scope);
        resolve_definition(walk, at, scope);
        return;
    case NODE_LAMBDA:
        resolve_definition(walk, at, scope);
        return;
    case NODE_LIST_COMPREHENSION:
    case NODE_SET_COMPREHENSION:
    case NODE_DICT_COMPREHENSION:
    case NODE_GENERATOR:
        resolve_comprehension(walk, at, scope);
        return;
    default:
        break;
    }
    resolve_children(walk, at, scope);
}

void scope_resolve(struct scope_walk *walk)
{
    walk->next_scope = 1;
    enter(walk, 0);
    resolve_children(walk, 0, 0);
}
