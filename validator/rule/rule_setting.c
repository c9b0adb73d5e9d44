/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Settings under keys that are text. matplotlib evaluates the text of its colour cycle, and what
 * may not be a keyword argument may not be one by f(**{"backend": x}) either.
 */
#include "validator/rule/check_internal.h"

static bool is_text(struct check *check, uint32_t node)
{
    size_t len;

    return check_text(check, node, &len, NULL);
}

static bool is_evaluated(struct check *check, uint32_t key)
{
    size_t len;
    const char *text = check_text(check, key, &len, NULL);

    return text && policy_has_word(policy_evaluated_settings, text, len);
}

static void check_value(struct check *check, uint32_t value)
{
    if (is_text(check, value))
        report_add(check->report, "text-method", check_node(check, value)->at,
                   "The colour cycle as text would be run as code. Write plt.cycler(color=[...]).");
}

static void check_pair(struct check *check, uint32_t key, bool is_argument)
{
    const struct policy_name *name = NULL;
    size_t len;
    const char *text = check_text(check, key, &len, NULL);

    if (text && is_argument)
        name = policy_name_find(text, len);
    if (name && (name->roles & ROLE_KEYWORD))
        report_add(check->report, "forbidden-name", check_node(check, key)->at,
                   "'%s' is not allowed.%s%s", name->name, name->advice ? " " : "",
                   name->advice ? name->advice : "");
    if (is_evaluated(check, key))
        check_value(check, check_node(check, key)->next);
}

static void check_dict(struct check *check, uint32_t dict)
{
    uint32_t parent = check_parent(check, dict);
    bool is_argument =
        parent != FACTS_NONE && check_node(check, parent)->kind == NODE_DOUBLE_STARRED;

    for (uint32_t key = check_node(check, dict)->child; key; key = check_node(check, key)->next) {
        if (check_node(check, key)->kind == NODE_DOUBLE_STARRED)
            continue;
        check_pair(check, key, is_argument);
        key = check_node(check, key)->next;
    }
}

/* x["axes.prop_cycle"] = y = "..." */
static void check_assignment(struct check *check, uint32_t statement)
{
    uint32_t value = check_node(check, statement)->child;
    bool found = false;

    for (; check_node(check, value)->next; value = check_node(check, value)->next)
        found = found ||
                (check_node(check, value)->kind == NODE_SUBSCRIPT &&
                 is_evaluated(check, check_node(check, check_node(check, value)->child)->next));
    if (found)
        check_value(check, value);
}

static void check_setting(struct check *check, uint32_t node)
{
    switch (check_node(check, node)->kind) {
    case NODE_DICT:
        check_dict(check, node);
        break;
    case NODE_ASSIGN:
        check_assignment(check, node);
        break;
    case NODE_KEYWORD:
        if (check_word(check, node)->roles & ROLE_EVALUATED)
            check_value(check, check_node(check, node)->child);
        break;
    default:
        break;
    }
}

void rule_setting(struct check *check)
{
    uint32_t node = 0;

    if (check->facts->strings.count == 0)
        return;
    check_parent(check, node);
    while (!check->failed) { /* in the order of the program */
        check_setting(check, node);
        if (check_node(check, node)->child) {
            node = check_node(check, node)->child;
            continue;
        }
        while (node && !check_node(check, node)->next)
            node = check_parent(check, node);
        if (!node)
            break;
        node = check_node(check, node)->next;
    }
}
