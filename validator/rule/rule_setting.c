/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Settings under keys that are text. matplotlib evaluates the text of its colour cycle, and what
 * may not be a keyword argument may not be one by f(**{"backend": x}) either.
 */
#include "validator/rule/judge.h"

static bool is_text(struct judge *judge, uint32_t node)
{
    size_t len;

    return judge_text(judge, node, &len, NULL);
}

static bool is_evaluated(struct judge *judge, uint32_t key)
{
    size_t len;
    const char *text = judge_text(judge, key, &len, NULL);

    return text && policy_has_word(policy_evaluated_settings, text, len);
}

static void judge_value(struct judge *judge, uint32_t value)
{
    if (is_text(judge, value))
        report_add(judge->report, "text-method", judge_node(judge, value)->at,
                   "The colour cycle as text would be run as code. Write plt.cycler(color=[...]).");
}

static void judge_pair(struct judge *judge, uint32_t key, bool is_argument)
{
    const struct policy_name *name = NULL;
    size_t len;
    const char *text = judge_text(judge, key, &len, NULL);

    if (text && is_argument)
        name = policy_name_find(text, len);
    if (name && (name->roles & ROLE_KEYWORD))
        report_add(judge->report, "forbidden-name", judge_node(judge, key)->at,
                   "'%s' is not allowed.%s%s", name->name, name->advice ? " " : "",
                   name->advice ? name->advice : "");
    if (is_evaluated(judge, key))
        judge_value(judge, judge_node(judge, key)->next);
}

static void judge_dict(struct judge *judge, uint32_t dict)
{
    uint32_t parent = judge_parent(judge, dict);
    bool is_argument =
        parent != FACTS_NONE && judge_node(judge, parent)->kind == NODE_DOUBLE_STARRED;

    for (uint32_t key = judge_node(judge, dict)->child; key; key = judge_node(judge, key)->next) {
        if (judge_node(judge, key)->kind == NODE_DOUBLE_STARRED)
            continue;
        judge_pair(judge, key, is_argument);
        key = judge_node(judge, key)->next;
    }
}

/* x["axes.prop_cycle"] = y = "..." */
static void judge_assignment(struct judge *judge, uint32_t statement)
{
    uint32_t value = judge_node(judge, statement)->child;
    bool found = false;

    for (; judge_node(judge, value)->next; value = judge_node(judge, value)->next)
        found = found ||
                (judge_node(judge, value)->kind == NODE_SUBSCRIPT &&
                 is_evaluated(judge, judge_node(judge, judge_node(judge, value)->child)->next));
    if (found)
        judge_value(judge, value);
}

static void judge_setting(struct judge *judge, uint32_t node)
{
    switch (judge_node(judge, node)->kind) {
    case NODE_DICT:
        judge_dict(judge, node);
        break;
    case NODE_ASSIGN:
        judge_assignment(judge, node);
        break;
    case NODE_KEYWORD:
        if (judge_word(judge, node)->roles & ROLE_EVALUATED)
            judge_value(judge, judge_node(judge, node)->child);
        break;
    default:
        break;
    }
}

void rule_setting(struct judge *judge)
{
    uint32_t node = 0;

    if (judge->facts->strings.count == 0)
        return;
    judge_parent(judge, node);
    while (!judge->failed) { /* in the order of the program */
        judge_setting(judge, node);
        if (judge_node(judge, node)->child) {
            node = judge_node(judge, node)->child;
            continue;
        }
        while (node && !judge_node(judge, node)->next)
            node = judge_parent(judge, node);
        if (!node)
            break;
        node = judge_node(judge, node)->next;
    }
}
