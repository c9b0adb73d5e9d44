/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Import statements: which modules and names they take, and what they call them. What each alias
 * binds goes into judge->imported; from that the meanings of names are settled.
 */
#include "validator/rule/judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/nearest.h"
#include "helpers/base/utf8.h"

#define LIST_CAP 900 /* bytes of the allowed modules in a message */

static void list_modules(const struct validator_profile *profile, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; profile->modules[i] && used < size; i++)
        used +=
            (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", profile->modules[i]);
}

static const char *nearest_module(const struct validator_profile *profile, const char *name)
{
    struct nearest search;

    nearest_begin(&search, name);
    for (size_t i = 0; profile->modules[i]; i++)
        nearest_feed(&search, profile->modules[i]);
    return search.best && search.best_distance <= 2 ? search.best : NULL;
}

/* import math.sqrt: what to write for an attribute that is taken for a module. */
static bool add_member_hint(const struct judge *judge, const char *text, size_t len, char *more,
                            size_t size)
{
    const char *dot = memrchr(text, '.', len);
    size_t base = dot ? (size_t)(dot - text) : 0;
    const struct policy_module *module = dot ? policy_module_find(text, base) : NULL;

    if (!module || !module->importable || module->profile > judge->profile->rank ||
        !policy_attribute_allowed(module, dot + 1, len - base - 1, judge->profile->rank))
        return false;
    snprintf(more, size, " It is no module: write from %s import %.*s.", module->name,
             (int)utf8_cut(dot + 1, len - base - 1, VALIDATOR_MODULE_NAME_CAP), dot + 1);
    return true;
}

/* The advice on pandas.io.json is that on pandas.io. */
static const char *advice_on(const struct judge *judge, const char *text, size_t len)
{
    const char *dot = memchr(text, '.', len), *advice = policy_import_advice_on(text, len);
    size_t base = dot ? (size_t)(dot - text) : 0;
    const struct policy_module *module = dot ? policy_module_find(text, base) : NULL;

    return advice || !module
               ? advice
               : policy_advice_on(module, dot + 1, len - base - 1, judge->profile->rank);
}

static void refuse_import(struct judge *judge, size_t at, const char *text, size_t len,
                          const struct policy_module *module)
{
    static const char *const profiles[] = {"minimal", "data-science", "visualization"};
    char name[VALIDATOR_MODULE_NAME_CAP], list[LIST_CAP] = "", more[192] = "";
    const char *advice, *near;

    if (module && module->importable && module->profile > judge->needs)
        judge->needs = module->profile;
    if (report_is_full(judge->report))
        return;
    snprintf(name, sizeof name, "%.*s", (int)utf8_cut(text, len, sizeof name - 1), text);
    advice = advice_on(judge, text, len);
    near = advice ? NULL : nearest_module(judge->profile, name);
    /* Once is enough where the message says what to do by itself. */
    if (!judge->modules_listed || (!advice && !near && !(module && module->importable)))
        list_modules(judge->profile, list, sizeof list);
    judge->modules_listed = true;
    if (module && module->importable)
        snprintf(more, sizeof more, " It needs the profile %s.", profiles[module->profile]);
    else if (!add_member_hint(judge, text, len, more, sizeof more) && near)
        snprintf(more, sizeof more, " Did you mean '%s'?", near);
    report_add(judge->report, "import-not-allowed", at,
               "Import '%s' is not allowed in the current security profile.%s%s%s%s%s%s", name,
               more, advice ? " " : "", advice ? advice : "", *list ? " Allowed modules: " : "",
               list, *list ? "." : "");
}

/* The row of the module that the node names, or NULL after a report at the byte `at`. */
static const struct policy_module *judge_module(struct judge *judge, uint32_t node, size_t at)
{
    size_t len;
    const char *name = ast_name(judge->ast, node, &len);
    const struct policy_module *module = policy_module_find(name, len);

    if (!module || !module->importable || module->profile > judge->profile->rank) {
        refuse_import(judge, at, name, len, module);
        return NULL;
    }
    judge_add_module(judge, module);
    return module;
}

/* A name that an import gives: no special one. */
static void judge_bound(struct judge *judge, uint32_t node)
{
    const struct word *word = judge_word(judge, node);

    if ((word->roles & ROLE_NAME) || (word->flags & WORD_DUNDER))
        report_add(judge->report, "forbidden-name", judge_node(judge, node)->at,
                   "The name '%.*s' is reserved and cannot be given to something else. Choose "
                   "another one.",
                   judge_shown(judge, node));
}

/* import a.b as c. Gives the module that the name means. */
static const struct policy_module *read_import(struct judge *judge, uint32_t alias)
{
    const struct node *row = judge_node(judge, alias);
    const struct policy_module *module = judge_module(judge, alias, row->at);
    const char *first;
    size_t len;

    if (judge_node(judge, row->child)->flags & NODE_AS) {
        judge_bound(judge, row->child);
        return module;
    }
    first = ast_name(judge->ast, row->child, &len);
    return module ? policy_module_find(first, len) : NULL;
}

static void refuse_member(struct judge *judge, uint32_t alias, const struct policy_module *module)
{
    char near[NEAREST_WORD_CAP], more[LIST_CAP + 32] = "";
    const char *text, *advice, *best;
    size_t len;

    if (report_is_full(judge->report))
        return;
    text = ast_name(judge->ast, alias, &len);
    advice = policy_advice_on(module, text, len, judge->profile->rank);
    best = advice ? NULL : policy_nearest_attribute(module, text, len, near);
    if (advice)
        snprintf(more, sizeof more, " %s", advice);
    else if (best)
        snprintf(more, sizeof more, " Did you mean '%s'?", best);
    else if (module->reach == REACH_LISTED)
        snprintf(more, sizeof more, " It has: %.*s.", LIST_CAP, module->attributes);
    else
        snprintf(more, sizeof more, " Use the public functions and classes of %s.", module->name);
    report_add(judge->report, "import-not-allowed", judge_node(judge, alias)->at,
               "'%.*s' cannot be imported from %s.%s", judge_shown(judge, alias), module->name,
               more);
}

/* One name of a from-import. Gives the module that it means, NULL where it means none. */
static const struct policy_module *read_member(struct judge *judge, uint32_t alias,
                                               const struct policy_module *module)
{
    const struct node *row = judge_node(judge, alias);
    struct step step;

    if (!row->child) { /* * */
        report_add(judge->report, "import-star", row->at,
                   "Star imports are not allowed. Name what you need: from %s import NAME.",
                   module ? module->name : "MODULE");
        return NULL;
    }
    if (!module)
        return NULL;
    judge_bound(judge, row->child);
    step = judge_step(judge, module, alias);
    if (step.to)
        judge_add_module(judge, step.to);
    else if (!step.allowed)
        refuse_member(judge, alias, module);
    else if (!judge_is_storable(judge, module, alias, policy_item_storable))
        judge->is_foreign = true;
    if (step.chart)
        judge->kind = KIND_PLOT;
    return step.to;
}

/* Where the module's name, or the dots before it, stand in a from-import. */
static size_t module_at(const struct judge *judge, uint32_t statement)
{
    size_t at = judge_node(judge, statement)->at + strlen("from");

    while (at < judge->ast->len && strchr(" \t\\\r\n", judge->ast->source[at]))
        at++;
    return at;
}

static const struct policy_module *read_from(struct judge *judge, uint32_t statement)
{
    const struct node *row = judge_node(judge, statement);

    if (row->op == 0)
        return judge_module(judge, statement, module_at(judge, statement));
    report_add(judge->report, "import-not-allowed", module_at(judge, statement),
               "Relative imports are not allowed: the program is one file. Name the module: from "
               "code_helpers import get_nodes.");
    return NULL;
}

/* One name, two modules: nobody can say which is meant. */
static void judge_twice(struct judge *judge, const struct policy_module **first, uint32_t row)
{
    uint32_t binding = judge->facts->imports.rows[row].binding;
    const struct policy_module *module = judge->imported[row];
    uint32_t node = judge_node(judge, judge->facts->imports.rows[row].node)->child;

    if (!module || binding == FACTS_NONE)
        return;
    if (!first[binding])
        first[binding] = module;
    if (first[binding] == module)
        return;
    report_add(judge->report, "import-twice", judge_node(judge, node)->at,
               "This name is imported as two different modules, %s and %s. Give one of them "
               "another name: import %s as %.*s_.",
               first[binding]->name, module->name, module->name, judge_shown(judge, node));
}

static void judge_all_twice(struct judge *judge)
{
    const struct policy_module **first =
        calloc(judge->facts->binding_count + (size_t)1, sizeof *first);

    judge->failed = judge->failed || !first;
    for (uint32_t i = 0; i < judge->facts->imports.count && first; i++)
        judge_twice(judge, first, i);
    free(first);
}

/* Python changes __x in a class C to _C__x: such names of a module would be missed, and are
 * refused. */
static bool is_mangled(const char *name, size_t len)
{
    return len > 2 && name[0] == '_' && memmem(name, len, "__", 2);
}

/* Where a name that means a module would be one more way to it. */
static void judge_place(struct judge *judge, uint32_t row)
{
    const struct site *site = &judge->facts->imports.rows[row];
    uint32_t bound = judge_node(judge, site->node)->child;
    size_t len;
    const char *name;

    if (!judge->imported[row] || site->binding == FACTS_NONE)
        return;
    name = ast_name(judge->ast, bound, &len);
    if (is_mangled(name, len))
        report_add(judge->report, "forbidden-name", judge_node(judge, bound)->at,
                   "A module cannot be called '%.*s': in a class Python reads such names as "
                   "others. Choose one without double underscores.",
                   judge_shown(judge, bound));
    if (judge->facts->scopes[judge->facts->bindings[site->binding].scope].kind == SCOPE_CLASS)
        report_add(judge->report, "module-as-value", judge_node(judge, bound)->at,
                   "This import makes the module an attribute of the class. Move it to the top "
                   "of the program.");
}

/* False without memory. */
static bool mark_foreign(struct judge *judge, uint32_t binding)
{
    if (!judge->foreign)
        judge->foreign = calloc(judge->facts->binding_count, sizeof *judge->foreign);
    judge->failed = judge->failed || !judge->foreign;
    if (judge->foreign)
        judge->foreign[binding] = true;
    return judge->foreign;
}

void rule_import(struct judge *judge)
{
    const struct site_list *imports = &judge->facts->imports;
    const struct policy_module *module = NULL;
    uint32_t statement = FACTS_NONE;

    if (imports->count == 0)
        return;
    judge->imported = malloc((size_t)imports->count * sizeof *judge->imported);
    if (!judge->imported) {
        judge->failed = true;
        return;
    }
    for (uint32_t i = 0; i < imports->count; i++) {
        const struct site *site = &imports->rows[i];
        bool is_from = judge_node(judge, site->parent)->kind == NODE_IMPORT_FROM;

        if (is_from && site->parent != statement)
            module = read_from(judge, site->parent);
        statement = site->parent;
        judge->is_foreign = false;
        judge->imported[i] =
            is_from ? read_member(judge, site->node, module) : read_import(judge, site->node);
        if (judge->imported[i])
            judge->words[judge_node(judge, judge_node(judge, site->node)->child)->name].flags |=
                WORD_MODULE;
        if (judge->is_foreign && site->binding != FACTS_NONE && !mark_foreign(judge, site->binding))
            return;
        judge_place(judge, i);
    }
    judge_settle_meanings(judge);
    if (judge->meanings && imports->count > 1)
        judge_all_twice(judge);
}
