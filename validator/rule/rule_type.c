/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * type(x) tells a type; type(...) of more makes a class from text.
 */
#include "validator/rule/judge.h"

static bool makes_class(const struct judge *judge, uint32_t function)
{
    size_t count = 0;

    for (uint32_t argument = judge_first_argument(judge, function); argument;
         argument = judge_node(judge, argument)->next) {
        enum node_kind kind = judge_node(judge, argument)->kind;

        if (kind == NODE_STARRED || kind == NODE_DOUBLE_STARRED || kind == NODE_KEYWORD)
            return true;
        count++;
    }
    return count > 1;
}

/* type(x)(1, 2): of an array's type, it makes arrays of any bytes. type(self)(1, 2) is a class of
 * the program. */
static bool calls_any(struct judge *judge, const struct site *site)
{
    uint32_t call = judge_parent(judge, site->parent);
    uint32_t what = judge_first_argument(judge, site->node);
    uint32_t first;

    if (!judge->has_arrays || call == FACTS_NONE || judge_node(judge, call)->kind != NODE_CALL ||
        judge_node(judge, call)->child != site->parent)
        return false;
    first = judge_node(judge, site->parent)->next;
    if (!first ||
        (!judge_node(judge, first)->next && judge_node(judge, first)->kind != NODE_STARRED &&
         judge_node(judge, first)->kind != NODE_DOUBLE_STARRED))
        return false;
    return judge_node(judge, what)->kind != NODE_NAME ||
           !judge_names_self(judge, what, site->scope);
}

/* type(x)(name, (bases), namespace), and what makes a class by the type in another way. */
static bool calls_made(struct judge *judge, uint32_t type_call)
{
    uint32_t call = judge_parent(judge, type_call), second, third;

    /* class M(type(A)), class B(metaclass=type(A)) */
    if (call != FACTS_NONE && (judge_node(judge, call)->kind == NODE_CLASS ||
                               (judge_node(judge, call)->kind == NODE_KEYWORD &&
                                judge_is_text(judge, call, "metaclass"))))
        return true;
    if (call == FACTS_NONE || judge_node(judge, call)->kind != NODE_CALL ||
        judge_node(judge, call)->child != type_call || !judge_node(judge, type_call)->next)
        return false;
    second = judge_node(judge, judge_first_argument(judge, type_call))->next;
    third = judge_node(judge, second)->next;
    return second && judge_node(judge, second)->kind == NODE_TUPLE && third &&
           !judge_node(judge, third)->next;
}

void rule_type(struct judge *judge)
{
    const struct site_list *names = &judge->facts->names;

    if (!(judge->roles & ROLE_TYPE))
        return;
    for (uint32_t i = 0; i < names->count; i++) {
        const struct site *site = &names->rows[i];

        if (!(judge_word(judge, site->node)->roles & ROLE_TYPE) || !judge_is_called(judge, site))
            continue;
        if (makes_class(judge, site->node) || calls_made(judge, site->parent))
            report_add(judge->report, "forbidden-name", judge_node(judge, site->node)->at,
                       "type(...) with more than one argument makes a class from text. Write a "
                       "class statement.");
        else if (calls_any(judge, site))
            report_add(judge->report, "forbidden-name", judge_node(judge, site->node)->at,
                       "type(x)(...) with more than one argument is only allowed as "
                       "type(self)(...). Call the class by its name.");
    }
}
