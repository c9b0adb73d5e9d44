/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Collects the facts in two walks over the tree, which visit the scopes in the same order. The
 * first walk creates the scopes and their bindings; the second knows the meaning of every name and
 * fills the lists. Both keep the current binding of each symbol, so that no search is needed.
 */
#include "validator/facts/facts.h"

#include <stdlib.h>
#include <string.h>

struct scope_walk {
    struct facts *facts;
    const struct node *nodes; /* borrowed */
    uint32_t *own; /* the current binding of a symbol in the innermost scope that has one, plus one;
                      0 if none. In the second walk only for class bodies */
    uint32_t *seen;      /* second walk: the same, as functions see it */
    uint32_t next_scope; /* second walk: number of the next scope */
};

/* The first walk: scopes, and what is bound in each.
 *
 * The bindings of one symbol that are open at a place hang together by binding.hidden, those of
 * inner scopes first. Inner scopes have the greater numbers, so the one of a given scope is found
 * from walk.own without a search through that scope. */

static void declare(struct scope_walk *walk, uint32_t at, uint32_t scope);

static uint32_t open_scope(struct scope_walk *walk, uint32_t node, uint32_t parent,
                           enum scope_kind kind, bool is_async)
{
    struct facts *facts = walk->facts;

    if (facts->failed || !ast_grow((void **)&facts->scopes, facts->scope_count, &facts->scope_size,
                                   sizeof *facts->scopes, AST_FIRST_ROWS)) {
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

/* Returns the scope's binding of the symbol, and creates it at the first use; FACTS_NONE without a
 * name or if out of memory. */
static uint32_t bind_name(struct scope_walk *walk, uint32_t scope, uint32_t symbol, uint32_t node,
                          unsigned flags)
{
    struct facts *facts = walk->facts;
    uint32_t *link, made = facts->binding_count;

    if (symbol == SYMBOL_NONE)
        return FACTS_NONE;
    if (!ast_grow((void **)&facts->bindings, made, &facts->binding_size, sizeof *facts->bindings,
                  AST_FIRST_ROWS)) {
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

/* Annotations and defaults belong to the enclosing scope. */
static void declare_parameters(struct scope_walk *walk, uint32_t at, uint32_t scope, uint32_t inner)
{
    const struct node *nodes = walk->nodes;

    for (uint32_t child = nodes[at].child; child != NODE_NONE; child = nodes[child].next) {
        bind_name(walk, inner, nodes[child].name, child, BINDING_PARAMETER);
        declare_children(walk, child, scope);
    }
}

/* FUNCTION, LAMBDA and CLASS: only the last child belongs to the inner scope. */
static void declare_definition(struct scope_walk *walk, uint32_t at, uint32_t scope)
{
    const struct node *nodes = walk->nodes, *node = &nodes[at];
    enum scope_kind kind = node->kind == NODE_LAMBDA  ? SCOPE_LAMBDA
                           : node->kind == NODE_CLASS ? SCOPE_CLASS
                                                      : SCOPE_FUNCTION;
    uint32_t inner = open_scope(walk, at, scope, kind, node->flags & NODE_ASYNC);

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

/* The first iterable belongs to the enclosing scope. */
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

/* A walrus binds in the scope that encloses its comprehensions. */
static void declare_walrus(struct scope_walk *walk, uint32_t at, uint32_t scope)
{
    const struct facts *facts = walk->facts;
    uint32_t target = walk->nodes[at].child, outer = scope;

    while (facts->scopes[outer].kind == SCOPE_COMPREHENSION)
        outer = facts->scopes[outer].parent;
    bind_name(walk, outer, walk->nodes[target].name, target, BINDING_ASSIGNED);
    declare(walk, walk->nodes[target].next, scope);
}

/* `(x): int` alone does not bind. */
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
    case NODE_CLASS:
        bind_name(walk, scope, node->name, at, BINDING_DEFINITION);
        declare_definition(walk, at, scope);
        return;
    case NODE_LAMBDA:
        declare_definition(walk, at, scope);
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

/* The second walk: what each name means where it stands, and the lists.
 *
 * walk.seen has for each symbol what functions see at this place; entering a function sets the
 * symbols it binds, leaving it sets them back. What a class binds is kept apart, in walk.own: only
 * its own body sees it. */

static void resolve(struct scope_walk *walk, uint32_t at, uint32_t parent, uint32_t scope);

static struct site *add(struct scope_walk *walk, struct site_list *list, uint32_t at,
                        uint32_t parent, uint32_t scope, uint32_t binding)
{
    if (!ast_grow((void **)&list->rows, list->count, &list->size, sizeof *list->rows,
                  AST_FIRST_ROWS)) {
        walk->facts->failed = true;
        return NULL;
    }
    list->rows[list->count] = (struct site){at, parent, scope, binding};
    return &list->rows[list->count++];
}

/* Finds the binding that a nonlocal statement refers to, after all enclosing functions are read. */
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

/* Adds the binding of the name that the node itself contains. */
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

/* The parameters are the first bindings of the scope, in order. One without a binding has the same
 * name as another. */
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

/* FUNCTION, LAMBDA and CLASS: only the last child belongs to the inner scope. */
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

/* The first iterable is inside, but belongs to the enclosing scope. */
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

/* A chain a.b.c: all its attributes have the same root. */
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

/* Resolves the names of an import. */
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

/* ---- the whole ---- */

void facts_init(struct facts *facts, const struct ast *ast)
{
    struct scope_walk walk = {.facts = facts, .nodes = ast->nodes, .next_scope = 1};

    memset(facts, 0, sizeof *facts);
    facts->ast = ast;
    if (ast->failed || ast->count == 0)
        return;
    walk.own = calloc((size_t)ast->symbols.count + 1, 2 * sizeof *walk.own);
    if (!walk.own) {
        facts->failed = true;
        return;
    }
    walk.seen = walk.own + ast->symbols.count + 1;
    open_scope(&walk, 0, FACTS_NONE, SCOPE_MODULE, false);
    if (!facts->failed)
        declare_children(&walk, 0, 0);
    if (!facts->failed) {
        close_scope(&walk, 0);
        enter(&walk, 0);
        resolve_children(&walk, 0, 0);
    }
    free(walk.own);
}

void facts_finish(struct facts *facts)
{
    if (!facts)
        return;
    free(facts->scopes);
    free(facts->bindings);
    free(facts->imports.rows);
    free(facts->names.rows);
    free(facts->attributes.rows);
    free(facts->calls.rows);
    free(facts->strings.rows);
    free(facts->other.rows);
    memset(facts, 0, sizeof *facts);
}
