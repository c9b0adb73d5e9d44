/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Import statements: which modules and names they take, and what they call them.
 */
#include "validator/rule/check.h"

#include <stdio.h>
#include <string.h>

#include "helpers/base/nearest.h"

#define LIST_CAP 900 /* bytes of the allowed modules in a message */

/* A dotted name's tokens as one text. Too long a name is cut, and so found nowhere. */
static size_t read_dotted(const struct check *check, size_t index, char *name, size_t *len)
{
    *len = 0;
    for (;;) {
        size_t size;
        const char *text = check_text(check, index, &size);

        if (size > VALIDATOR_MODULE_NAME_CAP - 1 - *len)
            size = VALIDATOR_MODULE_NAME_CAP - 1 - *len;
        memcpy(name + *len, text, size);
        *len += size;
        index++;
        if (!check_is_op(check, index, '.') || check->list.tokens[index + 1].kind != TOKEN_NAME)
            break;
        if (*len < VALIDATOR_MODULE_NAME_CAP - 1)
            name[(*len)++] = '.';
        index++;
    }
    name[*len] = '\0';
    return index;
}

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

static void refuse_import(struct check *check, size_t index, const char *name, size_t len,
                          const struct policy_module *module)
{
    static const char *const profiles[] = {"minimal", "data-science", "visualization"};
    const char *advice, *near;
    char list[LIST_CAP] = "", more[160] = "";

    if (report_is_full(check->report))
        return;
    advice = policy_import_advice_on(name, len);
    near = advice ? NULL : nearest_module(check->profile, name);
    if (!check->modules_listed) /* once is enough for a reader */
        list_modules(check->profile, list, sizeof list);
    check->modules_listed = true;
    if (module && module->importable)
        snprintf(more, sizeof more, " It needs the profile %s.", profiles[module->profile]);
    else if (near)
        snprintf(more, sizeof more, " Did you mean '%s'?", near);
    report_add(check->report, "import-not-allowed", check->list.tokens[index].start,
               "Import '%s' is not allowed in the current security profile.%s%s%s%s%s%s", name,
               more, advice ? " " : "", advice ? advice : "", *list ? " Allowed modules: " : "",
               list, *list ? "." : "");
}

/* The module's row, or NULL after a diagnostic. */
static const struct policy_module *judge_module(struct check *check, size_t index, const char *name,
                                                size_t len)
{
    const struct policy_module *module = policy_module_find(name, len);

    if (!module || !module->importable || module->profile > check->profile->rank) {
        refuse_import(check, index, name, len, module);
        return NULL;
    }
    check_add_module(check, module);
    return module;
}

static void bind(struct check *check, size_t token, const struct policy_module *module,
                 size_t statement)
{
    bool nested = check->list.tokens[statement].kind == TOKEN_NAME && statement > 0 &&
                  check->list.tokens[statement - 1].kind != TOKEN_NEWLINE &&
                  check->list.tokens[statement - 1].kind != TOKEN_DEDENT;
    struct binding *binding;

    const struct binding *known = check_find_binding(check, token);
    size_t len;
    const char *text = check_text(check, token, &len);

    if (known && known->module != module) {
        report_add(check->report, "import-twice", check->list.tokens[token].start,
                   "This name is imported as two different modules. Give one of them another name: "
                   "import %s as %s_.",
                   module->name, module->name);
        return;
    }
    if (known) {
        binding = &check->bindings[known - check->bindings];
        binding->last = token;
        binding->nested = binding->nested || nested;
        return;
    }
    if (check->binding_count == VALIDATOR_MODULES_CAP) {
        report_add(check->report, "too-many-imports", check->list.tokens[token].start,
                   "More than %d modules are imported. Import only those that are used.",
                   VALIDATOR_MODULES_CAP);
        return;
    }
    check->bindings[check->binding_count++] = (struct binding){.text = text,
                                                               .len = len,
                                                               .module = module,
                                                               .first = token,
                                                               .last = token,
                                                               .nested = nested,
                                                               .rebound = NO_TOKEN};
}

/* A new name behind `as`: no special one. */
static void judge_alias(struct check *check, size_t index)
{
    size_t len;
    const char *text = check_text(check, index, &len);
    const struct policy_name *name = policy_name_find(text, len);

    if ((name && (name->roles & ROLE_NAME)) || policy_is_dunder(text, len))
        report_add(check->report, "forbidden-name", check->list.tokens[index].start,
                   "The name '%.*s' is reserved and cannot be given to something else. Choose "
                   "another one.",
                   (int)len, text);
}

static void expected(struct check *check, size_t index, const char *what)
{
    report_add(check->report, "syntax",
               check->list.tokens[index].kind == TOKEN_END ? check->report->len
                                                           : check->list.tokens[index].start,
               "This import statement is not complete: %s", what);
}

/* import a.b as c, d. Gives the index behind it. */
static size_t read_import(struct check *check, size_t statement)
{
    char name[VALIDATOR_MODULE_NAME_CAP];
    size_t index = statement, len;

    do {
        const struct policy_module *module;
        size_t first = ++index;

        if (check->list.tokens[first].kind != TOKEN_NAME) {
            expected(check, first, "write import MODULE.");
            return index;
        }
        index = read_dotted(check, first, name, &len);
        module = judge_module(check, first, name, len);
        if (check_is_keyword(check, index, KEYWORD_AS)) {
            if (check->list.tokens[index + 1].kind != TOKEN_NAME) {
                expected(check, index + 1, "write import MODULE as NAME.");
                return index + 1;
            }
            judge_alias(check, index + 1);
            if (module)
                bind(check, index + 1, module, statement);
            index += 2;
        } else if (module) {
            size_t size;
            const char *text = check_text(check, first, &size);

            bind(check, first, policy_module_find(text, size), statement);
        }
    } while (check_is_op(check, index, ','));
    return index;
}

/* One name of a from-import. */
static void judge_member(struct check *check, size_t index, const struct policy_module *module,
                         size_t alias, size_t statement)
{
    size_t len;
    const char *text = check_text(check, index, &len);
    const struct policy_module *inner = policy_module_step(module, text, len);
    const struct policy_name *special = policy_name_find(text, len);
    const char *advice;
    char near[NEAREST_WORD_CAP];
    const char *best;

    judge_alias(check, alias);
    if (special && (special->roles & ROLE_GRAPH))
        check->kind = check->kind < KIND_DATA ? KIND_DATA : check->kind;
    if (inner && inner->profile <= check->profile->rank) {
        check_add_module(check, inner);
        bind(check, alias, inner, statement);
        return;
    }
    if (policy_attribute_allowed(module, text, len) || report_is_full(check->report))
        return;
    advice = policy_advice_on(module, text, len);
    best = advice ? NULL : policy_nearest_attribute(module, text, len, near);
    report_add(check->report, "import-not-allowed", check->list.tokens[index].start,
               "'%.*s' cannot be imported from %s.%s%s%s%s%s", (int)len, text, module->name,
               advice ? " " : "", advice ? advice : "", best ? " Did you mean '" : "",
               best ? best : "", best ? "'?" : "");
    if (!advice && !best && module->reach == REACH_LISTED) {
        struct verdict *verdict = check->report->verdict;
        char *to = verdict->diagnostics[verdict->diagnostic_count - 1].text;
        size_t used = strlen(to);

        if (verdict->diagnostics_left_out == 0)
            snprintf(to + used, VALIDATOR_TEXT_CAP - used, " It has: %.*s.", LIST_CAP,
                     module->attributes);
    }
}

/* from a.b import c as d, (e). Gives the index behind it. */
static size_t read_from(struct check *check, size_t statement)
{
    const struct policy_module *module = NULL;
    char name[VALIDATOR_MODULE_NAME_CAP];
    size_t index = statement + 1, len;
    bool parenthesised;

    if (check_is_op(check, index, '.') || check_is_op(check, index, OP_ELLIPSIS)) {
        report_add(check->report, "import-not-allowed", check->list.tokens[index].start,
                   "Relative imports are not allowed: the program is one file. Name the module: "
                   "from code_helpers "
                   "import get_nodes.");
        while (check_is_op(check, index, '.') || check_is_op(check, index, OP_ELLIPSIS) ||
               (check->list.tokens[index].kind == TOKEN_NAME &&
                check->list.tokens[index].id == KEYWORD_NONE))
            index++;
    } else if (check->list.tokens[index].kind != TOKEN_NAME) {
        expected(check, index, "write from MODULE import NAME.");
        return index;
    } else {
        size_t first = index;

        index = read_dotted(check, first, name, &len);
        module = judge_module(check, first, name, len);
    }
    if (!check_is_keyword(check, index, KEYWORD_IMPORT)) {
        expected(check, index, "write from MODULE import NAME.");
        return index;
    }
    index++;
    if (check_is_op(check, index, '*')) {
        report_add(check->report, "import-star", check->list.tokens[index].start,
                   "Star imports are not allowed. Name what you need: from %s import NAME.",
                   module ? module->name : "MODULE");
        return index + 1;
    }
    parenthesised = check_is_op(check, index, '(');
    index += parenthesised;
    while (check->list.tokens[index].kind == TOKEN_NAME) {
        size_t member = index, alias = index;

        index++;
        if (check_is_keyword(check, index, KEYWORD_AS) &&
            check->list.tokens[index + 1].kind == TOKEN_NAME) {
            alias = index + 1;
            index += 2;
        }
        if (module)
            judge_member(check, member, module, alias, statement);
        if (!check_is_op(check, index, ','))
            return index + parenthesised;
        index++;
    }
    if (!(parenthesised && check_is_op(check, index, ')') && !check_is_op(check, index - 1, '(')))
        expected(check, index,
                 "a name must follow. Delete a comma at the end, or put the names in parentheses.");
    return index;
}

void check_imports(struct check *check)
{
    for (size_t index = 0; index < check->list.count; index++) {
        if (check_is_keyword(check, index, KEYWORD_IMPORT))
            index = read_import(check, index) - 1;
        else if (check_is_keyword(check, index, KEYWORD_FROM) &&
                 check_starts_statement(check, index))
            index = read_from(check, index) - 1;
    }
}
