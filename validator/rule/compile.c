/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * compile_check, which calls the parts in turn, and the refusals that need no walk over the tree:
 * nonlocal, imports from __future__, and what follows from the lists of facts.
 */
#include "validator/rule/compile_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- nonlocal: a variable of an enclosing function ---- */

/* In a method, the enclosing class binds __class__. */
static bool has_class_cell(const struct compile *compile, const struct binding *binding)
{
    const struct scope *scopes = compile->facts->scopes;

    if (!compile_name_is(compile, binding->symbol, "__class__"))
        return false;
    for (uint32_t scope = scopes[binding->scope].parent; scope != FACTS_NONE;
         scope = scopes[scope].parent)
        if (scopes[scope].kind == SCOPE_CLASS)
            return true;
    return false;
}

static void check_binding(struct compile *compile, const struct binding *binding)
{
    struct compile_name name;

    if (!(binding->flags & BINDING_NONLOCAL) || binding->flags & BINDING_PARAMETER)
        return;
    name = compile_name(compile, binding->symbol);
    if (binding->flags & BINDING_GLOBAL)
        compile_report(compile, binding->first,
                       "'%s' is declared both nonlocal and global. Keep one of the two.",
                       name.text);
    else if (binding->scope == 0)
        compile_report(compile, binding->first,
                       "nonlocal cannot stand outside a function. Delete this line.");
    else if (binding->meant == FACTS_NONE && !has_class_cell(compile, binding))
        compile_report(compile, binding->first,
                       "No function around this one assigns '%s', so it cannot be nonlocal. Write "
                       "'global %s' for a variable of the program, or assign it in the function "
                       "around first.",
                       name.text, name.text);
}

static void check_declared(struct compile *compile)
{
    const struct facts *facts = compile->facts;

    for (uint32_t b = 0; b < facts->binding_count; b++)
        check_binding(compile, &facts->bindings[b]);
}

/* from __future__ import ...: only before all other statements, after the docstring, and only
 * existing features (CPython: future.c). The dots of a relative import make no difference. */

static const char *const features[] = {
    "annotations", "division",       "absolute_import", "generator_stop", "nested_scopes",
    "generators",  "with_statement", "print_function",  "barry_as_FLUFL", "unicode_literals",
};

#define FEATURE_COUNT (sizeof features / sizeof features[0])

static bool is_docstring(const struct compile *compile, uint32_t statement)
{
    const struct node *node = &compile->nodes[statement];
    const struct node *value = &compile->nodes[node->child];

    return node->kind == NODE_EXPRESSION && value->kind == NODE_STRING &&
           !(value->flags & NODE_BYTES);
}

static void check_feature(struct compile *compile, uint32_t alias)
{
    uint32_t name = compile->nodes[alias].name;

    for (size_t i = 0; i < FEATURE_COUNT; i++)
        if (compile_name_is(compile, name, features[i])) {
            compile->future_annotations |= i == 0;
            return;
        }
    compile_report(compile, alias,
                   "__future__ has no feature '%s'. Nothing of it is needed in Python 3.11; delete "
                   "this import.",
                   compile_name(compile, name).text);
}

static void check_future(struct compile *compile)
{
    const struct site_list *imports = &compile->facts->imports;
    const struct node *nodes = compile->nodes;
    uint32_t future = symbols_find(&compile->ast->symbols, "__future__", 10);
    uint32_t statement = nodes[0].child, i = 0;

    if (future == SYMBOL_NONE)
        return;
    if (statement != NODE_NONE && is_docstring(compile, statement))
        statement = nodes[statement].next;
    for (; statement != NODE_NONE && nodes[statement].kind == NODE_IMPORT_FROM &&
           nodes[statement].name == future;
         statement = nodes[statement].next)
        for (; i < imports->count && imports->rows[i].parent == statement; i++)
            check_feature(compile, imports->rows[i].node);
    for (; i < imports->count; i++) {
        const struct node *import = &nodes[imports->rows[i].parent];

        if (import->kind == NODE_IMPORT_FROM && import->name == future &&
            import->child == imports->rows[i].node)
            compile_report(compile, imports->rows[i].parent,
                           "from __future__ import must stand at the beginning of the program, "
                           "before all other statements. Move it there.");
    }
}

/* Two parameters of one name, an argument given twice, `import *` outside the module's body, and a
 * value for __debug__. Arguments given twice are only found here; compile_flow determines whether
 * CPython compiles that place. */

static void check_parameter(struct compile *compile, const struct site *site)
{
    if (site->binding == FACTS_NONE)
        compile_report(compile, site->node,
                       "There are two parameters '%s'. Give each its own name.",
                       compile_name(compile, compile->nodes[site->node].name).text);
}

static void check_star_import(struct compile *compile, const struct site *site)
{
    const struct node *alias = &compile->nodes[site->node];

    if (site->scope != 0 && compile->nodes[site->parent].kind == NODE_IMPORT_FROM &&
        compile->nodes[alias->child].name == SYMBOL_NONE)
        compile_report(compile, site->node,
                       "'import *' cannot stand in a function or class. Name what you need: from "
                       "module import name.");
}

/* ---- __debug__ ---- */

static void refuse_debug(struct compile *compile, uint32_t node)
{
    compile_report(compile, node,
                   "__debug__ is a constant of Python and cannot be given a value or deleted. "
                   "Choose another name.");
}

/* Attributes may be deleted, and assigned with an operator, as in CPython. */
static void check_debug_attribute(struct compile *compile, const struct site *site)
{
    const struct node *node = &compile->nodes[site->node];

    if (node->name == compile->debug && node->op == CONTEXT_STORE &&
        compile->nodes[site->parent].kind != NODE_AUGMENTED)
        refuse_debug(compile, site->node);
}

static bool is_declaration(const struct compile *compile, const struct site *site)
{
    unsigned kind = compile->nodes[site->parent].kind;

    return compile->nodes[site->node].kind == NODE_BINDING &&
           (kind == NODE_GLOBAL || kind == NODE_NONLOCAL);
}

static void check_debug(struct compile *compile)
{
    const struct facts *facts = compile->facts;

    for (uint32_t i = 0; i < facts->names.count; i++) {
        const struct node *node = &compile->nodes[facts->names.rows[i].node];

        if (node->name == compile->debug && node->op != CONTEXT_LOAD)
            refuse_debug(compile, facts->names.rows[i].node);
    }
    for (uint32_t i = 0; i < facts->attributes.count; i++)
        check_debug_attribute(compile, &facts->attributes.rows[i]);
    for (uint32_t i = 0; i < facts->other.count; i++)
        if (compile->nodes[facts->other.rows[i].node].name == compile->debug &&
            !is_declaration(compile, &facts->other.rows[i]))
            refuse_debug(compile, facts->other.rows[i].node);
}

static void check_lists(struct compile *compile)
{
    const struct facts *facts = compile->facts;

    for (uint32_t i = 0; i < facts->other.count; i++) {
        unsigned kind = compile->nodes[facts->other.rows[i].node].kind;

        if (kind == NODE_PARAMETER)
            check_parameter(compile, &facts->other.rows[i]);
        else if (kind == NODE_CLASS && compile->has[NODE_KEYWORD])
            compile->repeats |= compile_keywords(compile, facts->other.rows[i].node, false);
    }
    for (uint32_t i = 0; compile->has[NODE_KEYWORD] && i < facts->calls.count; i++)
        compile->repeats |= compile_keywords(compile, facts->calls.rows[i].node, false);
    for (uint32_t i = 0; compile->has[NODE_IMPORT_FROM] && i < facts->imports.count; i++)
        check_star_import(compile, &facts->imports.rows[i]);
    if (compile->debug != SYMBOL_NONE)
        check_debug(compile);
}

/* ---- the whole ---- */

static void survey(struct compile *compile)
{
    const struct ast *ast = compile->ast;

    for (uint32_t i = 0; i < ast->count; i++) {
        compile->has[ast->nodes[i].kind] = true;
        compile->has_async |= (ast->nodes[i].flags & NODE_ASYNC) != 0;
    }
}

static bool needs_names(const struct compile *compile)
{
    const bool *has = compile->has;

    return has[NODE_GLOBAL] || has[NODE_NONLOCAL] || (has[NODE_WALRUS] && has[NODE_COMPREHENSION]);
}

bool compile_check(const struct facts *facts, struct report *report)
{
    const struct ast *ast = facts->ast;
    struct compile compile = {.facts = facts, .ast = ast, .nodes = ast->nodes, .report = report};

    if (facts->failed || ast->failed)
        return false;
    survey(&compile);
    compile.debug = symbols_find(&ast->symbols, "__debug__", strlen("__debug__"));
    if (compile.has[NODE_IMPORT_FROM])
        check_future(&compile);
    if (needs_names(&compile))
        compile_names(&compile);
    if (compile.has[NODE_NONLOCAL])
        check_declared(&compile);
    check_lists(&compile);
    compile_flow(&compile);
    for (int i = 0; i < STAMPS_COUNT; i++)
        free(compile.stamps[i]);
    return !compile.failed;
}
