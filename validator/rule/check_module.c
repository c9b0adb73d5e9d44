/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names that mean a module: what is reached through them, that nothing is stored on them, and that
 * they are used for that alone. A module is no value: it is not assigned, passed or returned, or
 * its inner modules would be reached unseen.
 */
#include "validator/rule/check.h"

#include <stdio.h>
#include <string.h>

#include "helpers/base/nearest.h"

#define ATTRIBUTES_CAP 700 /* bytes of a module's attributes in a message */
#define TARGETS_CAP    32 /* tokens of a list of targets; in a longer one the chain counts as one */

static bool binds_only(const struct check *check, size_t index)
{
    bool in_call = index > 0 &&
                   (check_is_op(check, index - 1, '(') || check_is_op(check, index - 1, ',') ||
                    check_is_op(check, index - 1, '*') || check_is_op(check, index - 1, OP_POWER));

    if (check_is_op(check, index + 1, '=') || check_is_op(check, index + 1, OP_WALRUS))
        return in_call || check_starts_statement(check, index) ||
               check_is_op(check, index + 1, OP_WALRUS);
    if (check_is_op(check, index + 1, ':') && index > 0 &&
        check->list.tokens[index - 1].kind != TOKEN_OP)
        return check_starts_statement(check, index); /* an annotated field: time: str */
    if (index == 0)
        return false;
    return check_is_keyword(check, index - 1, KEYWORD_FOR) ||
           check_is_keyword(check, index - 1, KEYWORD_AS) ||
           check_is_keyword(check, index - 1, KEYWORD_DEL) ||
           check_is_keyword(check, index - 1, KEYWORD_GLOBAL) ||
           check_is_keyword(check, index - 1, KEYWORD_NONLOCAL) ||
           check_is_keyword(check, index - 1, KEYWORD_DEF) ||
           check_is_keyword(check, index - 1, KEYWORD_CLASS);
}

/* A parameter of the def around it: its name stands between commas, and no value is read. */
static bool is_parameter(const struct check *check, size_t index)
{
    return index < check->parameters_end && check->depth == check->parameters_depth &&
           (check_is_op(check, index - 1, '(') || check_is_op(check, index - 1, ',') ||
            check_is_op(check, index - 1, '*') || check_is_op(check, index - 1, OP_POWER));
}

static void refuse_attribute(struct check *check, size_t index, const struct policy_module *module)
{
    size_t len;
    const char *text = check_text(check, index, &len);
    const char *advice, *best;
    char near[NEAREST_WORD_CAP], more[ATTRIBUTES_CAP + 32] = "";

    if (report_is_full(check->report))
        return;
    advice = policy_advice_on(module, text, len);
    best = advice ? NULL : policy_nearest_attribute(module, text, len, near);
    if (best)
        snprintf(more, sizeof more, " Did you mean %s.%s?", module->name, best);
    else if (!advice && module->reach == REACH_LISTED)
        snprintf(more, sizeof more, " It has: %.*s%s", ATTRIBUTES_CAP, module->attributes,
                 strlen(module->attributes) > ATTRIBUTES_CAP ? "..." : ".");
    else if (!advice)
        snprintf(more, sizeof more, " Use the public functions and classes of %s.", module->name);
    report_add(check->report, "module-attribute", check->list.tokens[index].start,
               "%s.%.*s is not allowed.%s%s%s", module->name, (int)len, text, advice ? " " : "",
               advice ? advice : "", more);
}

/* Whether the chain may be one of several targets, as in a, np.x = 1, 2: so far only names and
 * commas can be before it. */
static bool may_be_listed(const struct check *check, size_t first)
{
    if (first == 0 || (check_starts_statement(check, first) && !check_is_op(check, first - 1, ':')))
        return true;
    if (check_is_op(check, first - 1, ',') || check_is_op(check, first - 1, '*'))
        return check->depth == 0;
    return (check_is_op(check, first - 1, '(') || check_is_op(check, first - 1, '[')) &&
           check_starts_statement(check, first - 1);
}

/* What stands around a chain that makes it a target. */
static bool is_stored_to(const struct check *check, size_t first, size_t end)
{
    const struct token *next = &check->list.tokens[end];
    size_t limit = end + TARGETS_CAP;

    if (first > 0 && (check_is_keyword(check, first - 1, KEYWORD_FOR) ||
                      check_is_keyword(check, first - 1, KEYWORD_DEL) ||
                      check_is_keyword(check, first - 1, KEYWORD_AS)))
        return true;
    if (next->kind != TOKEN_OP)
        return false;
    if (next->id == '=' || (next->id >= OP_ASSIGN_FIRST && next->id <= OP_ASSIGN_LAST))
        return true; /* a keyword argument has no dot, so '=' assigns */
    if (!may_be_listed(check, first))
        return false;
    if (next->id == ':')
        return true; /* an annotation */
    for (; end < check->list.count && end < limit; end++) {
        const struct token *token = &check->list.tokens[end];

        if (token->kind == TOKEN_OP && token->id == '=')
            return true;
        if (!(token->kind == TOKEN_NAME && token->id == KEYWORD_NONE) &&
            !(token->kind == TOKEN_OP && strchr(".,()[]*", token->id)))
            return false;
    }
    return end == limit;
}

static bool is_pandas_option(const struct check *check, const struct policy_module *module,
                             size_t index)
{
    size_t len;
    const char *text = check_text(check, index, &len);

    return strcmp(module->name, "pandas") == 0 && len == 7 && memcmp(text, "options", 7) == 0;
}

static void refuse_value(struct check *check, size_t index, const struct policy_module *module)
{
    size_t len;
    const char *text = check_text(check, index, &len);

    report_add(check->report, "module-as-value", check->list.tokens[index].start,
               "The module %s is used as a value here. Write out what you use of it, such as "
               "%.*s.NAME; if '%.*s' is a "
               "variable of yours, give it another name than the module's.",
               module->name, (int)len, text, (int)len, text);
}

void check_module_use(struct check *check, size_t index, const struct binding *binding)
{
    const struct policy_module *module = binding->module;
    size_t at = index, last_name = index;
    bool option = false, refused = false;

    if (!check_is_op(check, index + 1, '.')) {
        if (!binds_only(check, index) && !is_parameter(check, index))
            refuse_value(check, index, module);
        return;
    }
    while (module && check_is_op(check, at + 1, '.') &&
           check->list.tokens[at + 2].kind == TOKEN_NAME) {
        size_t len;
        const char *text = check_text(check, at + 2, &len);
        const struct policy_module *inner = policy_module_step(module, text, len);

        if (inner && inner->profile <= check->profile->rank) {
            check_add_module(check, inner);
            module = inner;
        } else {
            option = is_pandas_option(check, module, at + 2);
            refused = !policy_attribute_allowed(module, text, len);
            if (refused)
                refuse_attribute(check, at + 2, module);
            module = NULL;
        }
        at += 2;
        last_name = at;
    }
    check->chain_end = at;
    if (module && at > index)
        refuse_value(check, last_name, module);
    while (check_is_op(check, at + 1, '.') && check->list.tokens[at + 2].kind == TOKEN_NAME)
        at += 2;
    if (!option && !refused && !module && is_stored_to(check, index, at + 1))
        report_add(check->report, "module-store", check->list.tokens[index].start,
                   "Nothing can be stored on a module or on what belongs to it. Assign to a "
                   "variable of your own.");
}
