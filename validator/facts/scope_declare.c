/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The first walk: scopes, and what is bound in each.
 *
 * The bindings of one symbol that are open at a place hang together by binding.hidden, those of
 * inner scopes first. Inner scopes have the greater numbers, so the one of a given scope is found
 * from walk.own without a search through that scope.
 */
#include "validator/facts/scope.h"

static void declare(struct scope_walk *walk, uint32_t at, uint32_t scope);

static uint32_t open_scope(struct scope_walk *walk, uint32_t node, uint32_t parent,
                           enum scope_kind kind, bool is_async)
{
    struct facts *facts = walk->facts;

    if (facts->failed || !facts_grow((void **)&facts->scopes, facts->scope_count,
                                     &facts->scope_size, sizeof *facts->scopes)) {
        facts->failed = true;
        return FACTS_NONE;
    }
    facts->scopes[facts->scope_count] = (struct scope){.node = node,
                                                       .parent = parent,
                                                       .first_binding = FACTS_NONE,
                                                       .last_binding = FACTS_NONE,
                                                       .kind = kind,
                                                       .is_async = is_async};
    return facts->scope_count++;
}

static void close_scope(struct scope_walk *walk, uint32_t scope)
{
    const struct binding *bindings = walk->facts->bindings;

    for (uint32_t b = walk->facts->scopes[scope].first_binding; b != FACTS_NONE;
         b = bindings[b].next)
        walk->own[bindings[b].symbol] = bindings[b].hidden;
}

static void append(struct facts *facts, uint32_t scope, uint32_t binding)
{
    struct scope *row = &facts->scopes[scope];

    if (row->last_binding == FACTS_NONE)
        row->first_binding = binding;
    else
        facts->bindings[row->last_binding].next = binding;
    row->last_binding = binding;
}

/* The scope's binding of the symbol, made if it is the first; FACTS_NONE without a name or
 * memory. */
static uint32_t bind_name(struct scope_walk *walk, uint32_t scope, uint32_t symbol, uint32_t node,
                          unsigned flags)
{
    struct facts *facts = walk->facts;
    uint32_t *link, made = facts->binding_count;

    if (symbol == SYMBOL_NONE)
        return FACTS_NONE;
    if (!facts_grow((void **)&facts->bindings, made, &facts->binding_size,
                    sizeof *facts->bindings)) {
        facts->failed = true;
        return FACTS_NONE;
    }
    link = &walk->own[symbol];
    while (*link && facts->bindings[*link - 1].scope > scope)
        link = &facts->bindings[*link - 1].hidden;
    if (*link && facts->bindings[*link - 1].scope == scope) {
        facts->bindings[*link - 1].flags |= (uint16_t)flags;
        return *link - 1;
    }
    facts->bindings[made] = (struct binding){.symbol = symbol,
                                             .scope = scope,
                                             .first = node,
                                             .next = FACTS_NONE,
                                             .meant = made,
                                             .hidden = *link,
                                             .flags = (uint16_t)flags};
    *link = made + 1;
    facts->binding_count++;
    append(facts, scope, made);
    return made;
}

static void declare_children(struct scope_walk *walk, uint32_t at, uint32_t scope)
{
    const struct node *nodes = walk->nodes;

    for (uint32_t child = nodes[at].child; child != NODE_NONE; child = nodes[child].next)
        declare(walk, child, scope);
}

/* Annotations and defaults belong to the scope around. */
static void declare_parameters(struct scope_walk *walk, uint32_t at, uint32_t scope, uint32_t inner)
{
    const struct node *nodes = walk->nodes;

    for (uint32_t child = nodes[at].child; child != NODE_NONE; child = nodes[child].next) {
        bind_name(walk, inner, nodes[child].name, child, BINDING_PARAMETER);
        declare_children(walk, child, scope);
    }
}

static void declare_function(struct scope_walk *walk, uint32_t at, uint32_t scope)
{
    const struct node *nodes = walk->nodes, *node = &nodes[at];
    bool is_lambda = node->kind == NODE_LAMBDA;
    uint32_t inner = open_scope(walk, at, scope, is_lambda ? SCOPE_LAMBDA : SCOPE_FUNCTION,
                                node->flags & NODE_ASYNC);

    if (inner == FACTS_NONE)
        return;
    for (uint32_t child = node->child; child != NODE_NONE; child = nodes[child].next) {
        if (nodes[child].kind == NODE_PARAMETERS)
            declare_parameters(walk, child, scope, inner);
        else
            declare(walk, child, nodes[child].next == NODE_NONE ? inner : scope);
    }
    close_scope(walk, inner);
}

static void declare_class(struct scope_walk *walk, uint32_t at, uint32_t scope)
{
    const struct node *nodes = walk->nodes;
    uint32_t inner = open_scope(walk, at, scope, SCOPE_CLASS, false);

    if (inner == FACTS_NONE)
        return;
    for (uint32_t child = nodes[at].child; child != NODE_NONE; child = nodes[child].next)
        declare(walk, child, nodes[child].next == NODE_NONE ? inner : scope);
    close_scope(walk, inner);
}

/* The first iterable belongs to the scope around. */
static void declare_comprehension(struct scope_walk *walk, uint32_t at, uint32_t scope)
{
    const struct node *nodes = walk->nodes;
    uint32_t inner = open_scope(walk, at, scope, SCOPE_COMPREHENSION, false);
    bool first = true;

    if (inner == FACTS_NONE)
        return;
    for (uint32_t child = nodes[at].child; child != NODE_NONE; child = nodes[child].next) {
        uint32_t target = nodes[child].child, iterable;

        if (nodes[child].kind != NODE_COMPREHENSION) {
            declare(walk, child, inner);
            continue;
        }
        if (nodes[child].flags & NODE_ASYNC)
            walk->facts->scopes[inner].is_async = true;
        iterable = nodes[target].next;
        declare(walk, target, inner);
        declare(walk, iterable, first ? scope : inner);
        for (uint32_t test = nodes[iterable].next; test != NODE_NONE; test = nodes[test].next)
            declare(walk, test, inner);
        first = false;
    }
    close_scope(walk, inner);
}

/* A walrus binds around the comprehensions it stands in. */
static void declare_walrus(struct scope_walk *walk, uint32_t at, uint32_t scope)
{
    const struct facts *facts = walk->facts;
    uint32_t target = walk->nodes[at].child, outer = scope;

    while (facts->scopes[outer].kind == SCOPE_COMPREHENSION)
        outer = facts->scopes[outer].parent;
    bind_name(walk, outer, walk->nodes[target].name, target, BINDING_ASSIGNED);
    declare(walk, walk->nodes[target].next, scope);
}

/* `(x): int` alone binds nothing. */
static void declare_annotated(struct scope_walk *walk, uint32_t at, uint32_t scope)
{
    const struct node *nodes = walk->nodes;
    uint32_t target = nodes[at].child, annotation = nodes[target].next;
    bool simple = !(nodes[at].flags & NODE_PARENTHESIZED);
    bool has_value = nodes[annotation].next != NODE_NONE;

    if (nodes[target].kind != NODE_NAME)
        declare(walk, target, scope);
    else if (simple || has_value)
        bind_name(walk, scope, nodes[target].name, target,
                  (simple ? BINDING_ANNOTATED : 0) | (has_value ? BINDING_ASSIGNED : 0));
    declare(walk, annotation, scope);
    if (has_value)
        declare(walk, nodes[annotation].next, scope);
}

static void declare_names(struct scope_walk *walk, uint32_t at, uint32_t scope)
{
    const struct node *nodes = walk->nodes;
    bool global = nodes[at].kind == NODE_GLOBAL;

    for (uint32_t child = nodes[at].child; child != NODE_NONE; child = nodes[child].next) {
        uint32_t symbol = nodes[child].name, meant = FACTS_NONE, made;

        if (global)
            meant = bind_name(walk, 0, symbol, child, scope ? BINDING_SHARED : 0);
        made = bind_name(walk, scope, symbol, child, global ? BINDING_GLOBAL : BINDING_NONLOCAL);
        if (made != FACTS_NONE)
            walk->facts->bindings[made].meant = meant;
    }
}

static void declare_import(struct scope_walk *walk, uint32_t at, uint32_t scope)
{
    const struct node *nodes = walk->nodes;

    for (uint32_t alias = nodes[at].child; alias != NODE_NONE; alias = nodes[alias].next) {
        uint32_t binding = nodes[alias].child;

        if (binding != NODE_NONE)
            bind_name(walk, scope, nodes[binding].name, binding, BINDING_IMPORT);
    }
}

static void declare(struct scope_walk *walk, uint32_t at, uint32_t scope)
{
    const struct node *node = &walk->nodes[at];

    switch (node->kind) {
    case NODE_NAME:
        if (node->op != CONTEXT_LOAD)
            bind_name(walk, scope, node->name, at, BINDING_ASSIGNED);
        return;
    case NODE_NUMBER:
    case NODE_STRING:
    case NODE_CONSTANT:
        return;
    case NODE_FUNCTION:
        bind_name(walk, scope, node->name, at, BINDING_DEFINITION);
        declare_function(walk, at, scope);
        return;
    case NODE_LAMBDA:
        declare_function(walk, at, scope);
        return;
    case NODE_CLASS:
        bind_name(walk, scope, node->name, at, BINDING_DEFINITION);
        declare_class(walk, at, scope);
        return;
    case NODE_LIST_COMPREHENSION:
    case NODE_SET_COMPREHENSION:
    case NODE_DICT_COMPREHENSION:
    case NODE_GENERATOR:
        declare_comprehension(walk, at, scope);
        return;
    case NODE_WALRUS:
        declare_walrus(walk, at, scope);
        return;
    case NODE_ANNOTATED:
        declare_annotated(walk, at, scope);
        return;
    case NODE_GLOBAL:
    case NODE_NONLOCAL:
        declare_names(walk, at, scope);
        return;
    case NODE_IMPORT:
    case NODE_IMPORT_FROM:
        declare_import(walk, at, scope);
        return;
    case NODE_HANDLER:
    case NODE_MATCH_STAR:
    case NODE_MATCH_AS:
        bind_name(walk, scope, node->name, at, BINDING_ASSIGNED);
        break;
    default:
        break;
    }
    declare_children(walk, at, scope);
}

void scope_declare(struct scope_walk *walk)
{
    uint32_t module = open_scope(walk, 0, FACTS_NONE, SCOPE_MODULE, false);

    if (module == FACTS_NONE)
        return;
    declare_children(walk, 0, module);
    if (!walk->facts->failed)
        close_scope(walk, module);
}
