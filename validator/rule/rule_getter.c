/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * operator.attrgetter and methodcaller make a getter from text: they are called on the spot, with
 * plain names written out, and keep their own name, by which they are known here.
 */
#include "validator/rule/check_internal.h"

#include <string.h>

#define SPECIAL (ROLE_ATTRIBUTE | ROLE_WRITER | ROLE_QUERY | ROLE_NAME)

/* "a.b": names that are not special. */
static bool is_plain_path(const char *text, size_t len)
{
    size_t start = 0;

    for (size_t i = 0; i <= len; i++) {
        const struct policy_name *name;

        if (i < len && text[i] != '.')
            continue;
        name = policy_name_find(text + start, i - start);
        if (i == start || text[start] == '_' || (name && (name->roles & SPECIAL)))
            return false;
        start = i + 1;
    }
    return true;
}

static bool is_good_call(struct check *check, uint32_t function)
{
    bool is_caller = check_is_text(check, function, "methodcaller");

    for (uint32_t argument = check_first_argument(check, function); argument;
         argument = check_node(check, argument)->next) {
        bool fields;
        size_t len;
        const char *text = check_text(check, argument, &len, &fields);

        if (!text || fields || !is_plain_path(text, len))
            return false;
        if (is_caller) /* behind the method's name stand its arguments */
            break;
    }
    return true;
}

static void refuse(struct check *check, uint32_t node)
{
    report_add(check->report, "name-by-text", check_node(check, node)->at,
               "%.*s is only allowed as a call with plain names written out. %s",
               check_shown(check, node), check_word(check, node)->name->advice);
}

static void check_list(struct check *check, const struct site_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const struct site *site = &list->rows[i];

        if ((check_word(check, site->node)->roles & ROLE_GETTER) &&
            !(check_is_called(check, site) && is_good_call(check, site->node)))
            refuse(check, site->node);
    }
}

/* from operator import attrgetter as get */
static void check_imports(struct check *check)
{
    const struct site_list *imports = &check->facts->imports;

    for (uint32_t i = 0; i < imports->count; i++) {
        uint32_t node = imports->rows[i].node, bound = check_node(check, node)->child;

        if ((check_word(check, node)->roles & ROLE_GETTER) && bound &&
            check_node(check, bound)->name != check_node(check, node)->name)
            report_add(check->report, "name-by-text", check_node(check, bound)->at,
                       "%.*s must keep its own name. Leave 'as %.*s' away, or write a lambda: "
                       "lambda x: x.name.",
                       check_shown(check, node), check_shown(check, bound));
    }
}

void rule_getter(struct check *check)
{
    if (!(check->roles & ROLE_GETTER))
        return;
    check_list(check, &check->facts->names);
    check_list(check, &check->facts->attributes);
    check_imports(check);
}
