/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Import statements: which modules and names they import, and under which names. The module that
 * each alias binds is stored in check->imported; the meanings of names follow from that.
 */
#include "validator/rule/check_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/nearest.h"
#include "helpers/base/utf8.h"

#define LIST_CAP 900 /* bytes of the allowed modules in a message */

static void list_modules(const struct validator_profile *profile, char *text, size_t size)
{
    const char *module;
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; (module = validator_profile_module(profile, i)) && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", module);
}

static const char *nearest_module(const struct validator_profile *profile, const char *name)
{
    const char *module;
    struct nearest search;

    nearest_begin(&search, name);
    for (size_t i = 0; (module = validator_profile_module(profile, i)); i++)
        nearest_feed(&search, module);
    return search.best && search.best_distance <= 2 ? search.best : NULL;
}

/* import math.sqrt: what to write for an attribute that is taken for a module. */
static bool add_member_hint(const struct check *check, const char *text, size_t len, char *more,
                            size_t size)
{
    const char *dot = memrchr(text, '.', len);
    size_t base = dot ? (size_t)(dot - text) : 0;
    const struct policy_module *module =
        dot ? policy_module_find(check->profile, text, base) : NULL;

    if (!module || !module->importable || !policy_profile_has(check->profile, module) ||
        !policy_attribute_allowed(module, dot + 1, len - base - 1, check->profile->rank))
        return false;
    snprintf(more, size, " It is not a module: write from %s import %.*s.", module->name,
             (int)utf8_cut(dot + 1, len - base - 1, VALIDATOR_MODULE_NAME_CAP), dot + 1);
    return true;
}

static const char *advice_in(const struct policy_advice *rows, const char *name, size_t len)
{
    for (; rows->name; rows++)
        if (policy_has_word(rows->name, name, len))
            return rows->text;
    return NULL;
}

/* On the module's first part; the advice on pandas.io.json is that on pandas.io. */
static const char *advice_on(const struct check *check, const char *text, size_t len)
{
    const char *dot = memchr(text, '.', len), *advice;
    size_t base = dot ? (size_t)(dot - text) : 0;
    const struct policy_module *module =
        dot ? policy_module_find(check->profile, text, base) : NULL;

    advice = advice_in(policy_import_advice, text, dot ? base : len);
    if (advice || !module)
        return advice;
    return policy_advice_on(module, dot + 1, len - base - 1, check->profile->rank);
}

/* Where the module is to be had. A library without it everywhere gets advice too. */
static void say_profile(const struct check *check, const char *name, const char **advice,
                        bool spoken, char *more, size_t size)
{
    const char *elsewhere = profile_elsewhere(check->profile, name);
    const char *library = advice_in(policy_library_advice, name, strcspn(name, "."));

    if (elsewhere) {
        snprintf(more, size, " It needs the profile %s.", elsewhere);
        *advice = NULL;
    } else if (library || (!*advice && !spoken && check->profile->additions)) {
        snprintf(more, size,
                 check->profile->additions ? " No profile has it." : " It is not installed.");
        *advice = library;
    }
}

/* Puts the near name in the place of the one that an import has, which goes on to be bound: `import
 * colections` becomes `import collections as colections`. node: ALIAS, or IMPORT_FROM for its
 * module. */
static void correct_import(struct check *check, uint32_t node, size_t at, const char *near)
{
    const struct node *row = check_node(check, node);
    size_t len;
    const char *text = ast_name(check->ast, node, &len);
    bool keeps = row->kind == NODE_IMPORT_FROM || (check_node(check, row->child)->flags & NODE_AS);

    if (at + len > check->ast->len || memcmp(check->ast->source + at, text, len) != 0 ||
        (!keeps && memchr(text, '.', len)))
        return;
    report_correct(check->report, at, len, keeps ? "%s" : "%s as %.*s", near, (int)len, text);
}

static void refuse_import(struct check *check, uint32_t node, size_t at, const char *text,
                          size_t len, const struct policy_module *module)
{
    char name[VALIDATOR_MODULE_NAME_CAP], list[LIST_CAP] = "", more[192] = "";
    const char *advice, *near;

    if (module && module->importable && module->profile > check->needs)
        check->needs = module->profile;
    if (report_is_full(check->report))
        return;
    snprintf(name, sizeof name, "%.*s", (int)utf8_cut(text, len, sizeof name - 1), text);
    /* The advice is for analyses: it names the functions that take the place of files. */
    advice = check->profile->without ? NULL : advice_on(check, text, len);
    near = advice ? NULL : nearest_module(check->profile, name);
    if (module && module->importable)
        snprintf(more, sizeof more, " It needs the profile %s.",
                 policy_profiles[module->profile].name);
    else if (!add_member_hint(check, text, len, more, sizeof more) && near)
        snprintf(more, sizeof more, " Did you mean '%s'?", near);
    if (!(module && module->importable) && !check->profile->without)
        say_profile(check, name, &advice, *more, more, sizeof more);
    /* Once is enough where the message says what to do by itself. */
    if (!check->modules_listed || (!advice && !near && !(module && module->importable)))
        list_modules(check->profile, list, sizeof list);
    check->modules_listed = true;
    report_add(check->report, "import-not-allowed", at,
               "Import '%s' is not allowed in the current security profile.%s%s%s%s%s%s", name,
               more, advice ? " " : "", advice ? advice : "", *list ? " Allowed modules: " : "",
               list, *list ? "." : "");
    if (advice && policy_has_word(policy_helper_modules, text, len))
        near = "code_helpers";
    if (near && !strstr(name, near)) /* cmath is another module than math, timeit than time */
        correct_import(check, node, at, near);
}

/* The row of the module that the node names, or NULL after a report at the byte `at`. */
static const struct policy_module *check_module(struct check *check, uint32_t node, size_t at)
{
    size_t len;
    const char *name = ast_name(check->ast, node, &len);
    const struct policy_module *module = policy_module_find(check->profile, name, len);

    if (!module || !module->importable || !policy_profile_has(check->profile, module)) {
        refuse_import(check, node, at, name, len, module);
        return NULL;
    }
    check_add_module(check, module);
    return module;
}

/* A name that an import gives: no special one. */
static void check_bound(struct check *check, uint32_t node)
{
    const struct word *word = check_word(check, node);

    if ((word->roles & ROLE_NAME) || (word->flags & WORD_DUNDER))
        check_report(check, "forbidden-name", node,
                     "The name '%.*s' is reserved and cannot be given to something else. Choose "
                     "another one.",
                     check_shown(check, node));
}

/* import a.b as c. Gives the module that the name means. */
static const struct policy_module *read_import(struct check *check, uint32_t alias)
{
    const struct node *row = check_node(check, alias);
    const struct policy_module *module = check_module(check, alias, row->at);
    const char *first;
    size_t len;

    if (check_node(check, row->child)->flags & NODE_AS) {
        check_bound(check, row->child);
        return module;
    }
    first = ast_name(check->ast, row->child, &len);
    return module ? policy_module_find(check->profile, first, len) : NULL;
}

static void refuse_member(struct check *check, uint32_t alias, const struct policy_module *module)
{
    char near[NEAREST_WORD_CAP], more[LIST_CAP + 32] = "";
    const char *text, *advice, *best;
    size_t len;

    if (report_is_full(check->report))
        return;
    text = ast_name(check->ast, alias, &len);
    advice = policy_advice_on(module, text, len, check->profile->rank);
    best = advice ? NULL : policy_nearest_attribute(module, text, len, near);
    if (advice)
        snprintf(more, sizeof more, " %s", advice);
    else if (best)
        snprintf(more, sizeof more, " Did you mean '%s'?", best);
    else if (module->reach == REACH_LISTED)
        snprintf(more, sizeof more, " It has: %.*s.", LIST_CAP, module->attributes);
    else
        snprintf(more, sizeof more, " Use the public functions and classes of %s.", module->name);
    check_report(check, "import-not-allowed", alias, "'%.*s' cannot be imported from %s.%s",
                 check_shown(check, alias), module->name, more);
    best = best ? best : policy_guessed_helper(module, text, len);
    if (best && !policy_is_builtin(text, len)) /* typing.list: the builtin may be meant */
        correct_import(check, alias, check_node(check, alias)->at, best);
}

/* from code_helpers import *: all its names. */
static void correct_star(struct check *check, size_t at, const struct policy_module *module)
{
    char names[CORRECTION_TEXT_CAP];
    size_t used = 0;

    if (!module || module->reach != REACH_LISTED)
        return;
    for (const char *c = module->attributes; *c; c++) {
        if (used + 2 >= sizeof names)
            return;
        if (*c == ' ')
            names[used++] = ',';
        names[used++] = *c;
    }
    report_correct(check->report, at, 1, "%.*s", (int)used, names);
}

/* One name of a from-import. Gives the module that it means, NULL where it means none. */
static const struct policy_module *read_member(struct check *check, uint32_t alias,
                                               const struct policy_module *module)
{
    const struct node *row = check_node(check, alias);
    struct step step;

    if (!row->child) { /* * */
        report_add(check->report, "import-star", row->at,
                   "Star imports are not allowed. Name what you need: from %s import NAME.",
                   module ? module->name : "MODULE");
        correct_star(check, row->at, module);
        return NULL;
    }
    if (!module)
        return NULL;
    check_bound(check, row->child);
    step = check_step(check, module, alias);
    if (step.to)
        check_add_module(check, step.to);
    else if (!step.allowed)
        refuse_member(check, alias, module);
    else if (!check_has_dotted(check, module, alias, policy_item_storable))
        check->is_foreign = true;
    if (step.chart)
        check->kind = KIND_PLOT;
    return step.to;
}

/* Where the module's name, or the dots before it, stand in a from-import. */
static size_t module_at(const struct check *check, uint32_t statement)
{
    size_t at = check_node(check, statement)->at + strlen("from");

    while (at < check->ast->len && strchr(" \t\\\r\n", check->ast->source[at]))
        at++;
    return at;
}

static const struct policy_module *read_from(struct check *check, uint32_t statement)
{
    const struct node *row = check_node(check, statement);

    if (row->op == 0)
        return check_module(check, statement, module_at(check, statement));
    report_add(check->report, "import-not-allowed", module_at(check, statement),
               "Relative imports are not allowed: the program is one file. Name the module: from "
               "code_helpers import get_nodes.");
    if (row->op == 1 && row->name)
        report_correct(check->report, module_at(check, statement), 1, "%s", "");
    return NULL;
}

/* ---- which bindings mean a module, and how long. A name that is imported as a module goes on
 * meaning it, whatever else is bound to it in the same scope, but for one case that is certain:
 * where all its imports are statements of the module's own body, and one behind them gives the name
 * away. ---- */

/* Over the module's own statements. */
struct walk {
    struct check *check;
    uint32_t row;     /* of facts->imports: the next one */
    uint32_t *nested; /* by binding: its imports that are elsewhere */
};

/* What the alias binds a module to; FACTS_NONE. */
static uint32_t bound_by(const struct check *check, uint32_t row)
{
    return check->imported[row] ? check->facts->imports.rows[row].binding : FACTS_NONE;
}

/* The first byte of a statement: a node may be placed at a name in its middle. */
static uint32_t start_of(const struct check *check, uint32_t node)
{
    uint32_t at = check_node(check, node)->at;

    for (node = check_node(check, node)->child; node; node = check_node(check, node)->child)
        if (check_node(check, node)->at < at)
            at = check_node(check, node)->at;
    return at;
}

static void give_away(struct check *check, uint32_t node, uint32_t from)
{
    uint32_t binding = check_word(check, node)->import;

    if (binding != FACTS_NONE && check->meanings[binding].module &&
        check->meanings[binding].until == FACTS_NONE)
        check->meanings[binding].until = from;
}

/* The names that a statement of the module's body certainly gives away. */
static void read_bound(struct check *check, uint32_t statement, uint32_t from)
{
    const struct node *row = check_node(check, statement);

    if (row->kind == NODE_FUNCTION || row->kind == NODE_CLASS)
        give_away(check, statement, from);
    if (row->kind != NODE_ASSIGN)
        return;
    for (uint32_t target = row->child; check_node(check, target)->next;
         target = check_node(check, target)->next)
        if (check_node(check, target)->kind == NODE_NAME)
            give_away(check, target, from);
}

/* What a from-import binds to something that is no module. An `import` of what is no module here is
 * refused, and gives nothing away. */
static uint32_t other_name(const struct check *check, const struct site *site)
{
    if (check_node(check, site->parent)->kind != NODE_IMPORT_FROM)
        return FACTS_NONE;
    return check_node(check, site->node)->child ? check_node(check, site->node)->child : FACTS_NONE;
}

/* The imports up to this statement are elsewhere; those of this one begin a new meaning, or end
 * it where what they import is no module. Where one statement does both, it is a module. */
static void read_imports(struct walk *walk, uint32_t statement, uint32_t from)
{
    struct check *check = walk->check;
    const struct site_list *imports = &check->facts->imports;
    uint32_t first = walk->row;

    for (; walk->row < imports->count; walk->row++) {
        const struct site *site = &imports->rows[walk->row];
        uint32_t binding = bound_by(check, walk->row);

        if (check_node(check, site->node)->at >= from)
            break;
        if (site->parent != statement && binding != FACTS_NONE)
            walk->nested[binding]++;
        else if (site->parent == statement && binding == FACTS_NONE &&
                 other_name(check, site) != FACTS_NONE)
            give_away(check, other_name(check, site), from);
    }
    for (uint32_t row = first; row < walk->row; row++)
        if (imports->rows[row].parent == statement && bound_by(check, row) != FACTS_NONE)
            check->meanings[bound_by(check, row)].until = FACTS_NONE;
}

static void read_module(struct walk *walk)
{
    struct check *check = walk->check;
    uint32_t next;

    for (uint32_t statement = check_node(check, 0)->child; statement; statement = next) {
        uint32_t from = FACTS_NONE;

        next = check_node(check, statement)->next;
        if (next)
            from = start_of(check, next);
        if (from <= check_node(check, statement)->at)
            from = FACTS_NONE; /* rather too late than too early */
        read_imports(walk, statement, from);
        read_bound(check, statement, from);
    }
}

/* Gives each import's binding its module. False without memory. */
static bool place_imports(struct check *check)
{
    const struct facts *facts = check->facts;

    check->meanings = calloc(facts->binding_count, sizeof *check->meanings);
    if (!check->meanings)
        return false;
    for (uint32_t i = 0; i < facts->binding_count; i++)
        check->meanings[i] = (struct meaning){.until = FACTS_NONE};
    for (uint32_t i = 0; i < facts->imports.count; i++) {
        uint32_t binding = bound_by(check, i);

        if (binding == FACTS_NONE || check->meanings[binding].module)
            continue;
        check->meanings[binding].module = check->imported[i];
        if (facts->bindings[binding].scope == 0)
            check->words[facts->bindings[binding].symbol].import = binding;
    }
    return true;
}

static void settle_meanings(struct check *check)
{
    const struct facts *facts = check->facts;
    struct walk walk = {.check = check};
    bool any = false;

    for (uint32_t i = 0; i < facts->imports.count && !any; i++)
        any = bound_by(check, i) != FACTS_NONE;
    if (!any)
        return;
    walk.nested = calloc(facts->binding_count, sizeof *walk.nested);
    if (!walk.nested || !place_imports(check)) {
        check->failed = true;
    } else {
        read_module(&walk);
        for (uint32_t i = 0; i < facts->binding_count; i++)
            if (walk.nested[i] || (facts->bindings[i].flags & BINDING_SHARED))
                check->meanings[i].until = FACTS_NONE;
    }
    free(walk.nested);
}

const struct policy_module *check_meaning(const struct check *check, uint32_t binding,
                                          uint32_t scope, uint32_t at)
{
    const struct facts *facts = check->facts;
    const struct meaning *meaning;

    if (!check->meanings || binding == FACTS_NONE)
        return NULL;
    meaning = &check->meanings[binding];
    /* Before a class's body has bound a name, Python finds the module's. */
    if (!meaning->module && facts->scopes[scope].kind == SCOPE_CLASS &&
        facts->bindings[binding].scope == scope) {
        binding = check->words[facts->bindings[binding].symbol].import;
        if (binding == FACTS_NONE)
            return NULL;
        meaning = &check->meanings[binding];
    }
    return at < meaning->until ? meaning->module : NULL;
}

/* ---- names that mean a module, where there must be none ---- */

/* One name, two modules: nobody can say which is meant. */
static void check_twice(struct check *check, const struct policy_module **first, uint32_t row)
{
    uint32_t binding = check->facts->imports.rows[row].binding;
    const struct policy_module *module = check->imported[row];
    uint32_t node = check_node(check, check->facts->imports.rows[row].node)->child;

    if (!module || binding == FACTS_NONE)
        return;
    if (!first[binding])
        first[binding] = module;
    if (first[binding] == module)
        return;
    check_report(check, "import-twice", node,
                 "This name is imported as two different modules, %s and %s. Give one of them "
                 "another name: import %s as %.*s_.",
                 first[binding]->name, module->name, module->name, check_shown(check, node));
}

static void check_all_twice(struct check *check)
{
    const struct policy_module **first =
        calloc(check->facts->binding_count + (size_t)1, sizeof *first);

    check->failed = check->failed || !first;
    for (uint32_t i = 0; i < check->facts->imports.count && first; i++)
        check_twice(check, first, i);
    free(first);
}

/* Python changes __x in a class C to _C__x: such names of a module would be missed, and are
 * refused. */
static bool is_mangled(const char *name, size_t len)
{
    return len > 2 && name[0] == '_' && memmem(name, len, "__", 2);
}

/* Where a name that means a module would be one more way to it. */
static void check_place(struct check *check, uint32_t row)
{
    const struct site *site = &check->facts->imports.rows[row];
    uint32_t bound = check_node(check, site->node)->child;
    size_t len;
    const char *name;

    if (!check->imported[row] || site->binding == FACTS_NONE)
        return;
    name = ast_name(check->ast, bound, &len);
    if (is_mangled(name, len))
        check_report(check, "forbidden-name", bound,
                     "A module cannot be called '%.*s': in a class Python reads such names as "
                     "others. Choose one without double underscores.",
                     check_shown(check, bound));
    if (check->facts->scopes[check->facts->bindings[site->binding].scope].kind == SCOPE_CLASS)
        check_report(check, "module-as-value", bound,
                     "This import makes the module an attribute of the class. Move it to the top "
                     "of the program.");
}

/* False without memory. */
static bool mark_foreign(struct check *check, uint32_t binding)
{
    if (!check->foreign)
        check->foreign = calloc(check->facts->binding_count, sizeof *check->foreign);
    check->failed = check->failed || !check->foreign;
    if (check->foreign)
        check->foreign[binding] = true;
    return check->foreign;
}

void rule_import(struct check *check)
{
    const struct site_list *imports = &check->facts->imports;
    const struct policy_module *module = NULL;
    uint32_t statement = FACTS_NONE;

    if (imports->count == 0)
        return;
    check->imported = malloc((size_t)imports->count * sizeof *check->imported);
    if (!check->imported) {
        check->failed = true;
        return;
    }
    for (uint32_t i = 0; i < imports->count; i++) {
        const struct site *site = &imports->rows[i];
        bool is_from = check_node(check, site->parent)->kind == NODE_IMPORT_FROM;

        if (is_from && site->parent != statement)
            module = read_from(check, site->parent);
        statement = site->parent;
        check->is_foreign = false;
        check->imported[i] =
            is_from ? read_member(check, site->node, module) : read_import(check, site->node);
        if (check->imported[i])
            check->words[check_node(check, check_node(check, site->node)->child)->name].flags |=
                WORD_MODULE;
        if (check->is_foreign && site->binding != FACTS_NONE && !mark_foreign(check, site->binding))
            return;
        check_place(check, i);
    }
    settle_meanings(check);
    if (check->meanings && imports->count > 1)
        check_all_twice(check);
}
