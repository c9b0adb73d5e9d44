/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Buffers in memory, which stand for files: io.StringIO(text) and io.BytesIO(data). Some functions
 * and methods of pandas take a path or a buffer; they may be given what is a buffer for certain: a
 * call of one of policy_buffers, or a variable that is bound by nothing else. Functions that read
 * one (policy_readers) are judged here.
 */
#include "validator/rule/judge.h"

#include <stdlib.h>

/* Of the BINDING_IMPORT kind: from io import StringIO. Of the BINDING_ASSIGNED kind: NAME =
 * io.StringIO(...). What a name is bound to otherwise spoils it. */
enum { IS_BUFFER = 1 << 0, IS_OTHER = 1 << 1 };

struct buffers {
    uint32_t *sites;   /* by node of a NAME or ATTRIBUTE: its row in the facts' list, plus one */
    uint8_t *bindings; /* by binding */
};

void judge_free_buffers(struct judge *judge)
{
    if (!judge->buffers)
        return;
    free(judge->buffers->sites);
    free(judge->buffers->bindings);
    free(judge->buffers);
}

static const struct site *site_of(const struct judge *judge, uint32_t node)
{
    uint32_t row = judge->buffers->sites[node];
    const struct site_list *sites = judge_node(judge, node)->kind == NODE_NAME
                                        ? &judge->facts->names
                                        : &judge->facts->attributes;

    return row ? &sites->rows[row - 1] : NULL;
}

/* Where such a name, bound in this way alone, is a buffer or makes one. */
static bool is_bound(const struct judge *judge, uint32_t binding, enum binding_flags how)
{
    return binding != FACTS_NONE && judge->facts->bindings[binding].flags == how &&
           judge->buffers->bindings[binding] == IS_BUFFER;
}

/* io.StringIO(...), StringIO(...) */
static bool makes_buffer(const struct judge *judge, uint32_t node)
{
    uint32_t function = judge_node(judge, node)->child, root;
    const struct policy_module *module;
    const struct site *site;
    size_t len;
    const char *name;

    if (judge_node(judge, node)->kind != NODE_CALL)
        return false;
    if (judge_node(judge, function)->kind == NODE_NAME) {
        site = site_of(judge, function);
        return site && is_bound(judge, site->binding, BINDING_IMPORT);
    }
    root = judge_node(judge, function)->child;
    if (judge_node(judge, function)->kind != NODE_ATTRIBUTE ||
        judge_node(judge, root)->kind != NODE_NAME)
        return false;
    site = site_of(judge, function);
    module =
        site ? judge_meaning(judge, site->binding, site->scope, judge_node(judge, root)->at) : NULL;
    name = ast_name(judge->ast, function, &len);
    return module && policy_has_dotted(policy_buffers, module, name, len);
}

/* NAME = io.StringIO(...), with io.StringIO(...) as NAME */
static bool gives_buffer(struct judge *judge, const struct site *site)
{
    const struct node *parent = judge_node(judge, site->parent);
    uint32_t value = parent->child;

    if (parent->kind != NODE_WITH_ITEM && parent->kind != NODE_ASSIGN)
        return false;
    while (parent->kind == NODE_ASSIGN && judge_node(judge, value)->next)
        value = judge_node(judge, value)->next;
    return value != site->node && makes_buffer(judge, value);
}

static void mark(struct judge *judge, uint32_t binding, bool is_buffer)
{
    if (binding != FACTS_NONE)
        judge->buffers->bindings[binding] |= is_buffer ? IS_BUFFER : IS_OTHER;
}

static bool imports_buffer(const struct judge *judge, const struct site *site)
{
    const struct node *statement = judge_node(judge, site->parent);
    const struct policy_module *module;
    size_t len;
    const char *name;

    if (statement->kind != NODE_IMPORT_FROM || statement->op > 0)
        return false;
    name = ast_name(judge->ast, site->parent, &len);
    module = policy_module_find(name, len);
    name = ast_name(judge->ast, site->node, &len);
    return module && policy_has_dotted(policy_buffers, module, name, len);
}

static void place(uint32_t *sites, const struct site_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        sites[list->rows[i].node] = i + 1;
}

/* Once for a program. Imports come first: assignments are judged by them. */
static void find_buffers(struct judge *judge)
{
    const struct facts *facts = judge->facts;

    place(judge->buffers->sites, &facts->names);
    place(judge->buffers->sites, &facts->attributes);
    for (uint32_t i = 0; i < facts->other.count; i++)
        if (judge_node(judge, facts->other.rows[i].node)->kind != NODE_BINDING)
            mark(judge, facts->other.rows[i].binding, false);
    for (uint32_t i = 0; i < facts->imports.count; i++)
        mark(judge, facts->imports.rows[i].binding, imports_buffer(judge, &facts->imports.rows[i]));
    for (uint32_t i = 0; i < facts->names.count; i++) {
        const struct site *site = &facts->names.rows[i];

        if (judge_node(judge, site->node)->op != CONTEXT_LOAD && site->binding != FACTS_NONE)
            mark(judge, site->binding, gives_buffer(judge, site));
    }
}

static bool know_buffers(struct judge *judge)
{
    struct buffers *buffers;

    if (judge->buffers)
        return true;
    buffers = calloc(1, sizeof *buffers);
    judge->buffers = buffers;
    if (buffers) {
        buffers->sites = calloc(judge->ast->count, sizeof *buffers->sites);
        buffers->bindings = calloc(judge->facts->binding_count + (size_t)1, 1);
    }
    judge->failed = judge->failed || !buffers || !buffers->sites || !buffers->bindings;
    if (!judge->failed)
        find_buffers(judge);
    return !judge->failed;
}

bool judge_is_buffer(struct judge *judge, uint32_t node)
{
    const struct site *site;
    uint32_t binding;

    if (!know_buffers(judge))
        return false;
    if (judge_node(judge, node)->kind != NODE_NAME)
        return makes_buffer(judge, node);
    site = site_of(judge, node);
    binding = site ? site->binding : FACTS_NONE;
    return is_bound(judge, binding, BINDING_ASSIGNED) &&
           /* before a class's body binds a name, it means the module's */
           judge->facts->scopes[judge->facts->bindings[binding].scope].kind != SCOPE_CLASS;
}

/* What the call reads; NODE_NONE where that is not clear. */
static uint32_t source_of(const struct judge *judge, uint32_t function)
{
    uint32_t source = NODE_NONE, count = 0, plain = 0;

    for (uint32_t argument = judge_first_argument(judge, function); argument;
         argument = judge_node(judge, argument)->next) {
        const struct node *row = judge_node(judge, argument);
        size_t len;
        const char *name;

        if (row->kind == NODE_STARRED || row->kind == NODE_DOUBLE_STARRED)
            return NODE_NONE;
        if (row->kind == NODE_KEYWORD) {
            name = ast_name(judge->ast, argument, &len);
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
static bool is_own_engine(struct judge *judge, uint32_t value)
{
    size_t len;
    const char *text = judge_text(judge, value, &len, NULL);

    return text && policy_has_word("c python", text, len);
}

static void judge_options(struct judge *judge, uint32_t function)
{
    for (uint32_t argument = judge_first_argument(judge, function); argument;
         argument = judge_node(judge, argument)->next) {
        const struct node *row = judge_node(judge, argument);
        size_t len;
        const char *name;

        if (row->kind != NODE_KEYWORD)
            continue;
        name = ast_name(judge->ast, argument, &len);
        if (policy_has_word(policy_reader_refused, name, len) ||
            (judge_is_text(judge, argument, "engine") && !is_own_engine(judge, row->child)))
            report_add(judge->report, "file-method", judge_node(judge, argument)->at,
                       "'%.*s' is not allowed where text is read from a buffer. Leave it away.",
                       judge_shown(judge, argument));
    }
}

bool judge_reads_buffer(struct judge *judge, const struct site *site,
                        const struct policy_module *module)
{
    size_t len;
    const char *name = ast_name(judge->ast, site->node, &len);
    uint32_t source;

    if (!policy_has_dotted(policy_readers, module, name, len) || !judge_is_called(judge, site))
        return false;
    source = source_of(judge, site->node);
    if (!source || !judge_is_buffer(judge, source))
        return false;
    judge_options(judge, site->node);
    return true;
}
