/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Buffers in memory, which stand for files: io.StringIO(text) and io.BytesIO(data). Some functions
 * and methods of pandas take a path or a buffer; they may be given what is a buffer for certain: a
 * call of one of policy_buffers, or a variable that is bound by nothing else. Functions that read
 * one (policy_readers) are checked here.
 */
#include "validator/rule/check_internal.h"

#include <stdlib.h>

/* Of the BINDING_IMPORT kind: from io import StringIO. Of the BINDING_ASSIGNED kind: NAME =
 * io.StringIO(...). What a name is bound to otherwise spoils it. */
enum { IS_BUFFER = 1 << 0, IS_OTHER = 1 << 1 };

static const struct site *site_of(const struct check *check, uint32_t node)
{
    uint32_t row = check->buffer_sites[node];
    const struct site_list *sites = check_node(check, node)->kind == NODE_NAME
                                        ? &check->facts->names
                                        : &check->facts->attributes;

    return row ? &sites->rows[row - 1] : NULL;
}

/* Where such a name, bound in this way alone, is a buffer or makes one. */
static bool is_bound(const struct check *check, uint32_t binding, enum binding_flags how)
{
    return binding != FACTS_NONE && check->facts->bindings[binding].flags == how &&
           check->buffer_bindings[binding] == IS_BUFFER;
}

/* io.StringIO(...), StringIO(...) */
static bool makes_buffer(const struct check *check, uint32_t node)
{
    uint32_t function = check_node(check, node)->child, root;
    const struct policy_module *module;
    const struct site *site;
    size_t len;
    const char *name;

    if (check_node(check, node)->kind != NODE_CALL)
        return false;
    if (check_node(check, function)->kind == NODE_NAME) {
        site = site_of(check, function);
        return site && is_bound(check, site->binding, BINDING_IMPORT);
    }
    root = check_node(check, function)->child;
    if (check_node(check, function)->kind != NODE_ATTRIBUTE ||
        check_node(check, root)->kind != NODE_NAME)
        return false;
    site = site_of(check, function);
    module =
        site ? check_meaning(check, site->binding, site->scope, check_node(check, root)->at) : NULL;
    name = ast_name(check->ast, function, &len);
    return module && policy_has_dotted(policy_buffers, module, name, len);
}

/* NAME = io.StringIO(...), with io.StringIO(...) as NAME */
static bool gives_buffer(struct check *check, const struct site *site)
{
    const struct node *parent = check_node(check, site->parent);
    uint32_t value = parent->child;

    if (parent->kind != NODE_WITH_ITEM && parent->kind != NODE_ASSIGN)
        return false;
    while (parent->kind == NODE_ASSIGN && check_node(check, value)->next)
        value = check_node(check, value)->next;
    return value != site->node && makes_buffer(check, value);
}

static void mark(struct check *check, uint32_t binding, bool is_buffer)
{
    if (binding != FACTS_NONE)
        check->buffer_bindings[binding] |= is_buffer ? IS_BUFFER : IS_OTHER;
}

static bool imports_buffer(const struct check *check, const struct site *site)
{
    const struct node *statement = check_node(check, site->parent);
    const struct policy_module *module;
    size_t len;
    const char *name;

    if (statement->kind != NODE_IMPORT_FROM || statement->op > 0)
        return false;
    name = ast_name(check->ast, site->parent, &len);
    module = policy_module_find(name, len);
    name = ast_name(check->ast, site->node, &len);
    return module && policy_has_dotted(policy_buffers, module, name, len);
}

static void place(uint32_t *sites, const struct site_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        sites[list->rows[i].node] = i + 1;
}

/* Once for a program. Imports come first: assignments are checked by them. */
static void find_buffers(struct check *check)
{
    const struct facts *facts = check->facts;

    place(check->buffer_sites, &facts->names);
    place(check->buffer_sites, &facts->attributes);
    for (uint32_t i = 0; i < facts->other.count; i++)
        if (check_node(check, facts->other.rows[i].node)->kind != NODE_BINDING)
            mark(check, facts->other.rows[i].binding, false);
    for (uint32_t i = 0; i < facts->imports.count; i++)
        mark(check, facts->imports.rows[i].binding, imports_buffer(check, &facts->imports.rows[i]));
    for (uint32_t i = 0; i < facts->names.count; i++) {
        const struct site *site = &facts->names.rows[i];

        if (check_node(check, site->node)->op != CONTEXT_LOAD && site->binding != FACTS_NONE)
            mark(check, site->binding, gives_buffer(check, site));
    }
}

static bool know_buffers(struct check *check)
{
    if (check->failed)
        return false;
    if (check->buffer_sites)
        return true;
    check->buffer_sites = calloc(check->ast->count, sizeof *check->buffer_sites);
    check->buffer_bindings = calloc(check->facts->binding_count + (size_t)1, 1);
    check->failed = check->failed || !check->buffer_sites || !check->buffer_bindings;
    if (!check->failed)
        find_buffers(check);
    return !check->failed;
}

bool check_is_buffer(struct check *check, uint32_t node)
{
    const struct site *site;
    uint32_t binding;

    if (!know_buffers(check))
        return false;
    if (check_node(check, node)->kind != NODE_NAME)
        return makes_buffer(check, node);
    site = site_of(check, node);
    binding = site ? site->binding : FACTS_NONE;
    return is_bound(check, binding, BINDING_ASSIGNED) &&
           /* before a class's body binds a name, it means the module's */
           check->facts->scopes[check->facts->bindings[binding].scope].kind != SCOPE_CLASS;
}

/* What the call reads; NODE_NONE where that is not clear. */
static uint32_t source_of(const struct check *check, uint32_t function)
{
    uint32_t source = NODE_NONE, count = 0, plain = 0;

    for (uint32_t argument = check_first_argument(check, function); argument;
         argument = check_node(check, argument)->next) {
        const struct node *row = check_node(check, argument);
        size_t len;
        const char *name;

        if (row->kind == NODE_STARRED || row->kind == NODE_DOUBLE_STARRED)
            return NODE_NONE;
        if (row->kind == NODE_KEYWORD) {
            name = ast_name(check->ast, argument, &len);
            if (!policy_has_word(policy_reader_keywords, name, len))
                continue;
        }
        if (row->kind != NODE_KEYWORD && ++plain > 1)
            continue; /* the separator, or a table's form */
        source = row->kind == NODE_KEYWORD ? row->child : argument;
        count++;
    }
    return count == 1 && plain <= 2 ? source : NODE_NONE;
}

/* engine="c", engine="python": others are modules. */
static bool is_own_engine(struct check *check, uint32_t value)
{
    size_t len;
    const char *text = check_text(check, value, &len, NULL);

    return text && policy_has_word("c python", text, len);
}

static void check_options(struct check *check, uint32_t function)
{
    for (uint32_t argument = check_first_argument(check, function); argument;
         argument = check_node(check, argument)->next) {
        const struct node *row = check_node(check, argument);
        size_t len;
        const char *name;

        if (row->kind != NODE_KEYWORD)
            continue;
        name = ast_name(check->ast, argument, &len);
        if (policy_has_word(policy_reader_refused, name, len) ||
            (check_is_text(check, argument, "engine") && !is_own_engine(check, row->child)))
            report_add(check->report, "file-method", check_node(check, argument)->at,
                       "'%.*s' is not allowed where text is read from a buffer. Leave it away.",
                       check_shown(check, argument));
    }
}

bool check_reads_buffer(struct check *check, const struct site *site,
                        const struct policy_module *module)
{
    size_t len;
    const char *name = ast_name(check->ast, site->node, &len);
    uint32_t source;

    if (!policy_has_dotted(policy_readers, module, name, len) || !check_is_called(check, site))
        return false;
    source = source_of(check, site->node);
    if (!source || !check_is_buffer(check, source))
        return false;
    check_options(check, site->node);
    return true;
}
