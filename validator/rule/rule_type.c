/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * type(x) gives a type; type(...) of more makes a class from text.
 */
#include "validator/rule/check_internal.h"

static bool makes_class(const struct check *check, uint32_t function)
{
    size_t count = 0;

    for (uint32_t argument = check_first_argument(check, function); argument;
         argument = check_node(check, argument)->next) {
        enum node_kind kind = check_node(check, argument)->kind;

        if (kind == NODE_STARRED || kind == NODE_DOUBLE_STARRED || kind == NODE_KEYWORD)
            return true;
        count++;
    }
    return count > 1;
}

/* type(x)(1, 2): of an array's type, it makes arrays of any bytes. type(self)(1, 2) is a class of
 * the program. */
static bool calls_any(struct check *check, const struct site *site)
{
    uint32_t call = check_parent(check, site->parent);
    uint32_t what = check_first_argument(check, site->node);
    uint32_t first;

    if (!check->has_arrays || call == FACTS_NONE || check_node(check, call)->kind != NODE_CALL ||
        check_node(check, call)->child != site->parent)
        return false;
    first = check_node(check, site->parent)->next;
    if (!first ||
        (!check_node(check, first)->next && check_node(check, first)->kind != NODE_STARRED &&
         check_node(check, first)->kind != NODE_DOUBLE_STARRED))
        return false;
    return check_node(check, what)->kind != NODE_NAME ||
           !check_names_self(check, what, site->scope);
}

/* type(x)(name, (bases), namespace), and what makes a class by the type in another way. */
static bool calls_made(struct check *check, uint32_t type_call)
{
    uint32_t call = check_parent(check, type_call), second, third;

    /* class M(type(A)), class B(metaclass=type(A)) */
    if (call != FACTS_NONE && (check_node(check, call)->kind == NODE_CLASS ||
                               (check_node(check, call)->kind == NODE_KEYWORD &&
                                check_is_text(check, call, "metaclass"))))
        return true;
    if (call == FACTS_NONE || check_node(check, call)->kind != NODE_CALL ||
        check_node(check, call)->child != type_call || !check_node(check, type_call)->next)
        return false;
    second = check_node(check, check_first_argument(check, type_call))->next;
    third = check_node(check, second)->next;
    return second && check_node(check, second)->kind == NODE_TUPLE && third &&
           !check_node(check, third)->next;
}

void rule_type(struct check *check)
{
    const struct site_list *names = &check->facts->names;

    if (!(check->roles & ROLE_TYPE))
        return;
    for (uint32_t i = 0; i < names->count; i++) {
        const struct site *site = &names->rows[i];

        if (!(check_word(check, site->node)->roles & ROLE_TYPE) || !check_is_called(check, site))
            continue;
        if (makes_class(check, site->node) || calls_made(check, site->parent))
            report_add(check->report, "forbidden-name", check_node(check, site->node)->at,
                       "type(...) with more than one argument makes a class from text. Write a "
                       "class statement.");
        else if (calls_any(check, site))
            report_add(check->report, "forbidden-name", check_node(check, site->node)->at,
                       "type(x)(...) with more than one argument is only allowed as "
                       "type(self)(...). Call the class by its name.");
    }
}
