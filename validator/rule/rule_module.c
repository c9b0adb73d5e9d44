/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names that refer to a module: what is reached through them, that nothing is stored on them, and
 * that they are used for nothing else. A module may not be used as a value: if it were assigned,
 * passed or returned, its inner modules could be reached undetected.
 */
#include "validator/rule/check_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/nearest.h"
#include "validator/syntax/tokenizer.h"

#define ATTRIBUTES_CAP 700 /* bytes of a module's attributes in a message */
#define CHAIN_CAP      80  /* bytes of a chain in a message */

static void refuse_attribute(struct check *check, uint32_t node, const struct policy_module *module)
{
    char near[NEAREST_WORD_CAP], more[ATTRIBUTES_CAP + 32] = "";
    const char *text, *advice, *best;
    size_t len;

    if (report_is_full(check->report))
        return;
    text = ast_name(check->ast, node, &len);
    advice = policy_advice_on(module, text, len, check->profile->rank);
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
    check_report(check, "module-attribute", node, "%s.%.*s is not allowed.%s%s%s", module->name,
                 check_shown(check, node), advice ? " " : "", advice ? advice : "", more);
    best = best ? best : policy_guessed_helper(module, text, len);
    if (best)
        report_correct(check->report, check_node(check, node)->at, len, "%s", best);
}

static void refuse_value(struct check *check, uint32_t node, const struct policy_module *module)
{
    check_report(check, "module-as-value", node,
                 "The module %s is used as a value here. Write out what you use of it, such as "
                 "%.*s.NAME; if '%.*s' is a variable of yours, give it another name than the "
                 "module's.",
                 module->name, check_shown(check, node), check_shown(check, node));
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
static void refuse_inner_value(struct check *check, uint32_t root, uint32_t last,
                               const struct policy_module *module)
{
    size_t from = check_node(check, root)->at, to = check_node(check, last)->at, len;
    const char *shown = check->ast->source + from;

    ast_name(check->ast, last, &len);
    to = to + len < check->ast->len ? to + len : check->ast->len;
    len = to - from;
    if (to < from || len > CHAIN_CAP || !is_plain_chain(shown, len)) {
        shown = module->name;
        len = strlen(shown);
    }
    check_report(check, "module-as-value", last,
                 "The module %s is used as a value here. Write out what you use of it wherever you "
                 "use it, such as %.*s.NAME.",
                 module->name, (int)len, shown);
}

/* A NAME without an attribute behind it: bound, it is no use of the module; x += 1 reads it. */
static void check_bare(struct check *check, const struct site *site)
{
    const struct node *row = check_node(check, site->node),
                      *parent = check_node(check, site->parent);
    const struct policy_module *module;
    bool read =
        row->op == CONTEXT_LOAD || (parent->kind == NODE_AUGMENTED && parent->child == site->node);

    if (!read || parent->kind == NODE_ATTRIBUTE)
        return;
    module = check_meaning(check, site->binding, site->scope, row->at);
    if (module)
        refuse_value(check, site->node, module);
}

static bool is_store(struct check *check, const struct site *site)
{
    return check_node(check, site->node)->op != CONTEXT_LOAD ||
           check_is_item_store(check, site->node, site->parent);
}

static void refuse_store(struct check *check, uint32_t root)
{
    check_report(check, "module-store", root,
                 "Nothing can be stored on a module or on what belongs to it. Assign to a "
                 "variable of your own.");
}

static bool is_foreign(const struct check *check, uint32_t binding)
{
    return check->foreign && binding != FACTS_NONE && check->foreign[binding];
}

/* The chain's attributes as the module has them: rows first..first+count, from the outside in.
 * Gives the number that was checked. */
static uint32_t check_chain(struct check *check, const struct policy_module *module, uint32_t first,
                            uint32_t count)
{
    const struct site *rows = check->facts->attributes.rows + first;

    for (uint32_t done = 1; done <= count; done++) {
        uint32_t node = rows[count - done].node;
        const struct policy_module *from = module;
        struct step step = check_step(check, from, node);

        if (step.to) {
            check_add_module(check, step.to);
            module = step.to;
            continue;
        }
        if (step.chart)
            check->kind = KIND_PLOT;
        if (!step.allowed) {
            if (done < count || !check_reads_buffer(check, &rows[0], from))
                refuse_attribute(check, node, from);
        } else if (is_store(check, &rows[0]) &&
                   !check_has_dotted(check, from, node,
                                     done < count ? policy_storable
                                     : check_node(check, node)->op == CONTEXT_LOAD
                                         ? policy_item_storable
                                         : ""))
            refuse_store(check, check_node(check, rows[count - 1].node)->child);
        return done;
    }
    refuse_inner_value(check, check_node(check, rows[count - 1].node)->child, rows[0].node, module);
    return count;
}

static void check_chains(struct check *check)
{
    const struct site_list *attributes = &check->facts->attributes;

    for (uint32_t i = 0, count; i < attributes->count; i += count) {
        const struct site *rows = attributes->rows + i;
        const struct policy_module *module = NULL;
        uint32_t checked = 0, root;

        /* An attribute's inner one stands behind it. */
        for (count = 1; i + count < attributes->count &&
                        rows[count].node == check_node(check, rows[count - 1].node)->child;)
            count++;
        root = check_node(check, rows[count - 1].node)->child;
        if (check_node(check, root)->kind == NODE_NAME)
            module = check_meaning(check, rows[count - 1].binding, rows[count - 1].scope,
                                   check_node(check, root)->at);
        if (module)
            checked = check_chain(check, module, i, count);
        else if (check_node(check, root)->kind == NODE_NAME &&
                 is_foreign(check, rows[count - 1].binding) && is_store(check, &rows[0]))
            refuse_store(check, root);
        for (uint32_t j = 0; j < count; j++)
            check->of_module[i + j] = j >= count - checked;
    }
}

/* Attributes that a class's body binds, or a method stores on its first parameter. */
static void mark_class_attributes(struct check *check)
{
    const struct facts *facts = check->facts;

    for (uint32_t i = 0; i < facts->attributes.count; i++) {
        const struct site *site = &facts->attributes.rows[i];
        const struct node *row = check_node(check, site->node);

        if (row->op == CONTEXT_STORE && check_node(check, row->child)->kind == NODE_NAME &&
            check_is_self(check, site->binding, site->scope))
            check->words[row->name].flags |= WORD_CLASS;
    }
    check_mark_class_names(check, WORD_CLASS);
}

void rule_module(struct check *check)
{
    const struct site_list *names = &check->facts->names;

    check->of_module = malloc(check->facts->attributes.count + 1);
    if (!check->of_module) {
        check->failed = true;
        return;
    }
    if (check->roles & (ROLE_ANY_MEMORY | ROLE_CHART))
        mark_class_attributes(check);
    if (!check->meanings && !check->foreign) {
        memset(check->of_module, 0, check->facts->attributes.count);
        return;
    }
    check_chains(check);
    for (uint32_t i = 0; i < names->count; i++)
        check_bare(check, &names->rows[i]);
    for (uint32_t i = 0; check->foreign && i < names->count; i++) {
        const struct site *site = &names->rows[i];

        if (is_foreign(check, site->binding) &&
            check_is_item_store(check, site->node, site->parent) &&
            !check_meaning(check, site->binding, site->scope, check_node(check, site->node)->at))
            refuse_store(check, site->node);
    }
}
