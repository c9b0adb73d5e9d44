/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Refused attributes of objects, except those that rule_module has checked as a module's: those of
 * the policy and dunders, those that reach an array's memory, those that load matplotlib, and those
 * that begin with '_'.
 */
#include "validator/rule/check_internal.h"

static void check_attributes(struct check *check,
                             void (*look)(struct check *check, const struct site *site))
{
    const struct site_list *attributes = &check->facts->attributes;

    for (uint32_t i = 0; i < attributes->count; i++)
        if (!check->of_module[i])
            look(check, &attributes->rows[i]);
}

/* ---- forbidden ones, and dunders ---- */

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

static void check_forbidden(struct check *check, const struct site *site)
{
    const struct word *word = check_word(check, site->node);

    if (word->flags & WORD_DUNDER) {
        if (!is_allowed(check, site) && !is_reported(check, site))
            check_refuse_dunder(check, site->node, true);
    } else if (word->roles & ROLE_ATTRIBUTE) {
        const char *advice = word->name->advice;

        check_report(check, "forbidden-attribute", site->node,
                     "The attribute '%.*s' is not allowed.%s%s", check_shown(check, site->node),
                     advice ? " " : "", advice ? advice : "");
    }
}

void rule_attribute(struct check *check)
{
    if ((check->flags & WORD_DUNDER) || (check->roles & ROLE_ATTRIBUTE))
        check_attributes(check, check_forbidden);
}

/* ---- the memory of arrays. numpy lets a program store an array's strides, buffer and flags, and
 * such a store reads and writes beyond the array. Every form of a store counts: =, +=, del, for,
 * with, an item. Only programs that import a library with arrays are checked, and attributes that a
 * class of the program has too are left to it. ---- */

static const char *memory_fault(struct check *check, const struct site *site)
{
    const struct word *word = check_word(check, site->node);
    bool stored = check_node(check, site->node)->op != CONTEXT_LOAD;

    if (word->roles & ROLE_MEMORY)
        return "is not allowed";
    if ((word->roles & ROLE_OWN_STORE) && (word->flags & WORD_CLASS))
        return NULL;
    if ((word->roles & (ROLE_STORE | ROLE_OWN_STORE)) && stored)
        return "cannot be stored to";
    if ((word->roles & ROLE_ITEM_STORE) && check_is_item_store(check, site->node, site->parent))
        return "holds no items that can be stored";
    return NULL;
}

static void check_memory(struct check *check, const struct site *site)
{
    const struct word *word = check_word(check, site->node);
    const char *fault = word->roles & ROLE_ANY_MEMORY ? memory_fault(check, site) : NULL;

    if (fault)
        check_report(check, "forbidden-attribute", site->node,
                     "The attribute '%.*s' %s: it reaches an array's memory. %s",
                     check_shown(check, site->node), fault, word->name->advice);
}

void rule_memory(struct check *check)
{
    if (check->has_arrays && (check->roles & ROLE_ANY_MEMORY))
        check_attributes(check, check_memory);
}

/* ---- charts: df.plot, s.hist(). They need a profile that has matplotlib, and a sandbox of the
 * kind "plot". An attribute that a class of the program has is its own. ---- */

static void check_chart(struct check *check, const struct site *site)
{
    const struct word *word = check_word(check, site->node);

    if (!(word->roles & ROLE_CHART) || (word->flags & WORD_CLASS))
        return;
    if (check->profile->rank >= PROFILE_VISUALIZATION)
        check->kind = KIND_PLOT;
    else
        check_report(
            check, "forbidden-attribute", site->node,
            "The attribute '%.*s' is not allowed: charts need the profile visualization. %s",
            check_shown(check, site->node),
            word->name->advice ? word->name->advice : "Print a table instead.");
}

void rule_chart(struct check *check)
{
    if (check->has_arrays && (check->roles & ROLE_CHART))
        check_attributes(check, check_chart);
}

/* ---- private ones. The program's own are its own business: those that it stores on an object or
 * defines in a class. All others are a library's workings, which take methods, modules and files by
 * text: Enum._convert_, GroupBy._transform, Figure's canvas. Whose object it is the text does not
 * show, so the program's own names are allowed on each object (docs/sandbox.md, "Decisions"); a
 * class pattern may not have them. ---- */

static void find_own(struct check *check)
{
    const struct facts *facts = check->facts;

    for (uint32_t i = 0; i < facts->attributes.count; i++) {
        const struct node *row = check_node(check, facts->attributes.rows[i].node);

        if (row->op == CONTEXT_STORE)
            check->words[row->name].flags |= WORD_OWN;
    }
    check_mark_class_names(check, WORD_OWN);
}

static void report_private(struct check *check, const struct site *site)
{
    const struct word *word = check_word(check, site->node);

    if (!(word->flags & WORD_PRIVATE) || (word->roles & ROLE_ATTRIBUTE)) /* reported already */
        return;
    check_report(check, "forbidden-attribute", site->node,
                 "The attribute '%.*s' is not allowed: names that begin with '_' are a library's "
                 "own workings. Use the object's public methods.",
                 check_shown(check, site->node));
}

static void check_private(struct check *check, const struct site *site)
{
    if (!(check_word(check, site->node)->flags & WORD_OWN))
        report_private(check, site);
}

void rule_private(struct check *check)
{
    const struct site_list *other = &check->facts->other;

    if (!(check->flags & WORD_PRIVATE))
        return;
    find_own(check);
    check_attributes(check, check_private);
    for (uint32_t i = 0; i < other->count; i++)
        if (check_node(check, other->rows[i].node)->kind == NODE_MATCH_KEYWORD)
            report_private(check, &other->rows[i]);
}
