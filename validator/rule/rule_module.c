/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names that mean a module: what is reached through them, that nothing is stored on them, and that
 * they are used for that alone. A module is no value: it is not assigned, passed or returned, or
 * its inner modules would be reached unseen.
 */
#include "validator/rule/judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/nearest.h"
#include "validator/syntax/keyword.h"

#define ATTRIBUTES_CAP 700 /* bytes of a module's attributes in a message */
#define CHAIN_CAP      80  /* bytes of a chain in a message */

static void refuse_attribute(struct judge *judge, uint32_t node, const struct policy_module *module)
{
    char near[NEAREST_WORD_CAP], more[ATTRIBUTES_CAP + 32] = "";
    const char *text, *advice, *best;
    size_t len;

    if (report_is_full(judge->report))
        return;
    text = ast_name(judge->ast, node, &len);
    advice = policy_advice_on(module, text, len, judge->profile->rank);
    if (!advice && policy_is_dunder(text, len))
        advice = "Leave it away: a module's names in double underscores are out of reach.";
    best = advice ? NULL : policy_nearest_attribute(module, text, len, near);
    if (best)
        snprintf(more, sizeof more, " Did you mean %s.%s?", module->name, best);
    else if (!advice && module->reach == REACH_LISTED)
        snprintf(more, sizeof more, " It has: %.*s%s", ATTRIBUTES_CAP, module->attributes,
                 strlen(module->attributes) > ATTRIBUTES_CAP ? "..." : ".");
    else if (!advice)
        snprintf(more, sizeof more, " Use the public functions and classes of %s.", module->name);
    report_add(judge->report, "module-attribute", judge_node(judge, node)->at,
               "%s.%.*s is not allowed.%s%s%s", module->name, judge_shown(judge, node),
               advice ? " " : "", advice ? advice : "", more);
}

static void refuse_value(struct judge *judge, uint32_t node, const struct policy_module *module)
{
    report_add(judge->report, "module-as-value", judge_node(judge, node)->at,
               "The module %s is used as a value here. Write out what you use of it, such as "
               "%.*s.NAME; if '%.*s' is a variable of yours, give it another name than the "
               "module's.",
               module->name, judge_shown(judge, node), judge_shown(judge, node));
}

/* Names and dots, on one line. */
static bool is_plain_chain(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (text[i] != '.' && !keyword_is_name_byte((unsigned char)text[i]))
            return false;
    return true;
}

/* The same of a module that a chain ends on, np.fft: shown as it stands in the program, where it
 * is short. */
static void refuse_inner_value(struct judge *judge, uint32_t root, uint32_t last,
                               const struct policy_module *module)
{
    size_t from = judge_node(judge, root)->at, to = judge_node(judge, last)->at, len;
    const char *shown = judge->ast->source + from;

    ast_name(judge->ast, last, &len);
    to = to + len < judge->ast->len ? to + len : judge->ast->len;
    len = to - from;
    if (to < from || len > CHAIN_CAP || !is_plain_chain(shown, len)) {
        shown = module->name;
        len = strlen(shown);
    }
    report_add(judge->report, "module-as-value", judge_node(judge, last)->at,
               "The module %s is used as a value here. Write out what you use of it wherever you "
               "use it, such as %.*s.NAME.",
               module->name, (int)len, shown);
}

/* A NAME without an attribute behind it: bound, it is no use of the module; x += 1 reads it. */
static void judge_bare(struct judge *judge, const struct site *site)
{
    const struct node *row = judge_node(judge, site->node),
                      *parent = judge_node(judge, site->parent);
    const struct policy_module *module;
    bool read =
        row->op == CONTEXT_LOAD || (parent->kind == NODE_AUGMENTED && parent->child == site->node);

    if (!read || parent->kind == NODE_ATTRIBUTE)
        return;
    module = judge_meaning(judge, site->binding, site->scope, row->at);
    if (module)
        refuse_value(judge, site->node, module);
}

static bool is_store(struct judge *judge, const struct site *site)
{
    return judge_node(judge, site->node)->op != CONTEXT_LOAD ||
           judge_is_item_store(judge, site->node, site->parent);
}

static void refuse_store(struct judge *judge, uint32_t root)
{
    report_add(judge->report, "module-store", judge_node(judge, root)->at,
               "Nothing can be stored on a module or on what belongs to it. Assign to a "
               "variable of your own.");
}

static bool is_foreign(const struct judge *judge, uint32_t binding)
{
    return judge->foreign && binding != FACTS_NONE && judge->foreign[binding];
}

/* The chain's attributes as the module has them: rows first..first+count, from the outside in.
 * Gives the number that was judged. */
static uint32_t judge_chain(struct judge *judge, const struct policy_module *module, uint32_t first,
                            uint32_t count)
{
    const struct site *rows = judge->facts->attributes.rows + first;

    for (uint32_t done = 1; done <= count; done++) {
        uint32_t node = rows[count - done].node;
        const struct policy_module *from = module;
        struct step step = judge_step(judge, from, node);

        if (step.to) {
            judge_add_module(judge, step.to);
            module = step.to;
            continue;
        }
        if (step.chart)
            judge->kind = KIND_PLOT;
        if (!step.allowed) {
            if (done < count || !judge_reads_buffer(judge, &rows[0], from))
                refuse_attribute(judge, node, from);
        } else if (is_store(judge, &rows[0]) &&
                   !judge_is_storable(judge, from, node,
                                      done < count ? policy_storable
                                      : judge_node(judge, node)->op == CONTEXT_LOAD
                                          ? policy_item_storable
                                          : ""))
            refuse_store(judge, judge_node(judge, rows[count - 1].node)->child);
        return done;
    }
    refuse_inner_value(judge, judge_node(judge, rows[count - 1].node)->child, rows[0].node, module);
    return count;
}

static void judge_chains(struct judge *judge)
{
    const struct site_list *attributes = &judge->facts->attributes;

    for (uint32_t i = 0, count; i < attributes->count; i += count) {
        const struct site *rows = attributes->rows + i;
        const struct policy_module *module = NULL;
        uint32_t judged = 0, root;

        /* An attribute's inner one stands behind it. */
        for (count = 1; i + count < attributes->count &&
                        rows[count].node == judge_node(judge, rows[count - 1].node)->child;)
            count++;
        root = judge_node(judge, rows[count - 1].node)->child;
        if (judge_node(judge, root)->kind == NODE_NAME)
            module = judge_meaning(judge, rows[count - 1].binding, rows[count - 1].scope,
                                   judge_node(judge, root)->at);
        if (module)
            judged = judge_chain(judge, module, i, count);
        else if (judge_node(judge, root)->kind == NODE_NAME &&
                 is_foreign(judge, rows[count - 1].binding) && is_store(judge, &rows[0]))
            refuse_store(judge, root);
        for (uint32_t j = 0; j < count; j++)
            judge->of_module[i + j] = j >= count - judged;
    }
}

/* Attributes that a class's body binds, or a method stores on its first parameter. */
static void mark_class_attributes(struct judge *judge)
{
    const struct facts *facts = judge->facts;

    for (uint32_t i = 0; i < facts->attributes.count; i++) {
        const struct site *site = &facts->attributes.rows[i];
        const struct node *row = judge_node(judge, site->node);

        if (row->op == CONTEXT_STORE && judge_node(judge, row->child)->kind == NODE_NAME &&
            judge_is_self(judge, site->binding, site->scope))
            judge->words[row->name].flags |= WORD_CLASS;
    }
    for (uint32_t i = 0; i < facts->binding_count; i++)
        if (facts->scopes[facts->bindings[i].scope].kind == SCOPE_CLASS &&
            !(facts->bindings[i].flags & (BINDING_GLOBAL | BINDING_NONLOCAL)))
            judge->words[facts->bindings[i].symbol].flags |= WORD_CLASS;
}

void rule_module(struct judge *judge)
{
    const struct site_list *names = &judge->facts->names;

    judge->of_module = malloc(judge->facts->attributes.count + 1);
    if (!judge->of_module) {
        judge->failed = true;
        return;
    }
    if (judge->roles & (ROLES_OF_MEMORY | ROLE_CHART))
        mark_class_attributes(judge);
    if (!judge->meanings && !judge->foreign) {
        memset(judge->of_module, 0, judge->facts->attributes.count);
        return;
    }
    judge_chains(judge);
    for (uint32_t i = 0; i < names->count; i++)
        judge_bare(judge, &names->rows[i]);
    for (uint32_t i = 0; judge->foreign && i < names->count; i++) {
        const struct site *site = &names->rows[i];

        if (is_foreign(judge, site->binding) &&
            judge_is_item_store(judge, site->node, site->parent) &&
            !judge_meaning(judge, site->binding, site->scope, judge_node(judge, site->node)->at))
            refuse_store(judge, site->node);
    }
}
