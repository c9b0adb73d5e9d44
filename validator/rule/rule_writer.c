/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Functions that write or read a file if they are given a path. Methods that return the text if
 * they are given no path must be called directly, without one: df.to_csv(index=False). These, and
 * functions that read (policy_readers), may get a buffer in memory instead of a file: only what is
 * certainly one, a call of one of policy_buffers or a variable that is bound to nothing else.
 */
#include "validator/rule/check_internal.h"

#include <stdlib.h>

#include "validator/syntax/tokenizer.h"

/* ---- buffers in memory: io.StringIO(text), io.BytesIO(data) ---- */

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
    return module && check_has_dotted(check, module, function, policy_buffers);
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
    module = policy_module_find(check->profile, name, len);
    return module && check_has_dotted(check, module, site->node, policy_buffers);
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

static bool is_buffer(struct check *check, uint32_t node)
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

        if (row->kind == NODE_STARRED || row->kind == NODE_DOUBLE_STARRED)
            return NODE_NONE;
        if (row->kind == NODE_KEYWORD && !check_has_word(check, argument, policy_reader_keywords))
            continue;
        if (row->kind != NODE_KEYWORD && ++plain > 1)
            continue; /* the separator, or a table's form */
        source = row->kind == NODE_KEYWORD ? row->child : argument;
        count++;
    }
    return count == 1 && plain <= 2 ? source : NODE_NONE;
}

static void check_options(struct check *check, uint32_t function)
{
    for (uint32_t argument = check_first_argument(check, function); argument;
         argument = check_node(check, argument)->next) {
        const struct node *row = check_node(check, argument);
        /* engine="c", engine="python": others are modules. */
        bool other_engine = row->kind == NODE_KEYWORD && check_is_text(check, argument, "engine") &&
                            !check_text_is(check, row->child, "c python");

        if (row->kind == NODE_KEYWORD &&
            (other_engine || check_has_word(check, argument, policy_reader_refused)))
            check_report(check, "file-method", argument,
                         "'%.*s' is not allowed where text is read from a buffer. Leave it away.",
                         check_shown(check, argument));
    }
}

bool check_reads_buffer(struct check *check, const struct site *site,
                        const struct policy_module *module)
{
    uint32_t source =
        check_has_dotted(check, module, site->node, policy_readers) && check_is_called(check, site)
            ? source_of(check, site->node)
            : NODE_NONE;

    if (!source || !is_buffer(check, source))
        return false;
    check_options(check, site->node);
    return true;
}

/* ---- methods that write ---- */

static void refuse_path(struct check *check, uint32_t method, size_t at)
{
    const char *advice = check_word(check, method)->name->advice;

    if (advice)
        report_add(check->report, "file-method", at, "%.*s writes a file, and there are none. %s",
                   check_shown(check, method), advice);
    else
        report_add(check->report, "file-method", at,
                   "%.*s with a path writes a file, and there are none. Leave the path away and "
                   "print the text: print(df.%.*s()); give other arguments by keyword.",
                   check_shown(check, method), check_shown(check, method));
}

static bool is_none(const struct check *check, uint32_t node)
{
    const struct node *row = check_node(check, node);

    return row->kind == NODE_CONSTANT && row->op == KEYWORD_NONE_VALUE;
}

static void check_arguments(struct check *check, uint32_t method)
{
    for (uint32_t argument = check_first_argument(check, method); argument;
         argument = check_node(check, argument)->next) {
        const struct node *row = check_node(check, argument);
        uint32_t path = row->kind == NODE_KEYWORD ? row->child : argument;

        if (row->kind == NODE_KEYWORD && !check_has_word(check, argument, policy_path_keywords))
            continue;
        if (is_none(check, path) || is_buffer(check, path))
            continue;
        refuse_path(check, method, check_node(check, path)->at);
        return;
    }
}

static void check_writer(struct check *check, const struct site *site)
{
    if (check_is_called(check, site))
        check_arguments(check, site->node);
    else
        check_report(check, "file-method", site->node,
                     "'%.*s' can write files, so it is only allowed as a call: print(df.%.*s()).",
                     check_shown(check, site->node), check_shown(check, site->node));
}

void rule_writer(struct check *check)
{
    check_each(check, &check->facts->attributes, ROLE_WRITER, check_writer);
}
