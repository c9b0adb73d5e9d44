/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the compiler refuses and the lists of the facts show: two parameters of one name, an
 * argument given twice, `import *` that is not the module's, and a value for __debug__. Arguments
 * given twice are only found here; whether CPython compiles the place is for compile_flow to say.
 */
#include "validator/rule/compile_internal.h"

static void check_parameter(struct compile *compile, const struct site *site)
{
    if (site->binding == FACTS_NONE)
        compile_report(compile, site->node,
                       "There are two parameters '%s'. Give each its own name.",
                       compile_name(compile, compile->nodes[site->node].name).text);
}

bool compile_keywords(struct compile *compile, uint32_t call, bool tell)
{
    const struct node *nodes = compile->nodes;
    uint32_t *stamps = compile_stamps(compile, STAMPS_SCRATCH), set = ++compile->stamp;
    bool repeats = false;

    for (uint32_t child = nodes[call].child; stamps && child != NODE_NONE;
         child = nodes[child].next) {
        if (nodes[child].kind != NODE_KEYWORD)
            continue;
        if (tell && stamps[nodes[child].name] == set)
            compile_report(compile, child,
                           "The argument '%s' is given twice here. Keep one of the two.",
                           compile_name(compile, nodes[child].name).text);
        repeats |= stamps[nodes[child].name] == set;
        stamps[nodes[child].name] = set;
    }
    return repeats;
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

/* Attributes may be deleted, and assigned with an operator, as CPython has it. */
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

void compile_lists(struct compile *compile)
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
