/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Forbidden attributes and dunders as attributes, where rule_module has not checked them as a
 * module's.
 */
#include "validator/rule/check_internal.h"

/* The call of a plain name, as in super().x. */
static bool is_call_of(const struct check *check, uint32_t node, const char *name)
{
    const struct node *row = check_node(check, node);

    return row->kind == NODE_CALL && check_node(check, row->child)->kind == NODE_NAME &&
           check_is_text(check, row->child, name);
}

static bool is_allowed(const struct check *check, const struct site *site)
{
    const struct node *row = check_node(check, site->node);

    if (check_word(check, site->node)->flags & WORD_METHOD)
        return check_is_called(check, site) && is_call_of(check, row->child, "super") &&
               /* super(B, cls).__new__ passes by the checks of B's own */
               !(check_is_text(check, site->node, "__new__") &&
                 check_first_argument(check, check_node(check, row->child)->child));
    return row->op == CONTEXT_LOAD && check_is_text(check, site->node, "__name__") &&
           is_call_of(check, row->child, "type");
}

/* x.__class__.__name__ is one mistake. */
static bool is_reported(const struct check *check, const struct site *site)
{
    uint32_t inner = check_node(check, site->node)->child;

    return check_node(check, inner)->kind == NODE_ATTRIBUTE &&
           check_is_text(check, inner, "__class__");
}

static void check_attribute(struct check *check, const struct site *site)
{
    const struct word *word = check_word(check, site->node);

    if (word->flags & WORD_DUNDER) {
        if (!is_allowed(check, site) && !is_reported(check, site))
            check_refuse_dunder(check, site->node, true);
    } else if (word->roles & ROLE_ATTRIBUTE) {
        const char *advice = word->name->advice;

        report_add(check->report, "forbidden-attribute", check_node(check, site->node)->at,
                   "The attribute '%.*s' is not allowed.%s%s", check_shown(check, site->node),
                   advice ? " " : "", advice ? advice : "");
    }
}

void rule_attribute(struct check *check)
{
    const struct site_list *attributes = &check->facts->attributes;

    if (!(check->flags & WORD_DUNDER) && !(check->roles & ROLE_ATTRIBUTE))
        return;
    for (uint32_t i = 0; i < attributes->count; i++)
        if (!check->of_module[i])
            check_attribute(check, &attributes->rows[i]);
}
