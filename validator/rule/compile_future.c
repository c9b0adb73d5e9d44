/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * from __future__ import ...: only before all other statements, behind the program's docstring, and
 * only features that exist (CPython: future.c). The dots of a relative import make no difference.
 */
#include "validator/rule/compile_internal.h"

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

void compile_future(struct compile *compile)
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
