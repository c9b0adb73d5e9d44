/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a nonlocal statement must mean: a variable of a function around.
 */
#include "validator/rule/compile_internal.h"

/* In a method, __class__ is bound by the class around. */
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

void compile_declared(struct compile *compile)
{
    const struct facts *facts = compile->facts;

    for (uint32_t b = 0; b < facts->binding_count; b++)
        check_binding(compile, &facts->bindings[b]);
}
