/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * operator.attrgetter and methodcaller make a getter from text: they are called on the spot, with
 * plain names written out, and keep their own name, by which they are known here.
 */
#include "validator/rule/judge.h"

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

static bool is_good_call(struct judge *judge, uint32_t function)
{
    bool is_caller = judge_is_text(judge, function, "methodcaller");

    for (uint32_t argument = judge_first_argument(judge, function); argument;
         argument = judge_node(judge, argument)->next) {
        bool fields;
        size_t len;
        const char *text = judge_text(judge, argument, &len, &fields);

        if (!text || fields || !is_plain_path(text, len))
            return false;
        if (is_caller) /* behind the method's name stand its arguments */
            break;
    }
    return true;
}

static void refuse(struct judge *judge, uint32_t node)
{
    report_add(judge->report, "name-by-text", judge_node(judge, node)->at,
               "%.*s is only allowed as a call with plain names written out. %s",
               judge_shown(judge, node), judge_word(judge, node)->name->advice);
}

static void judge_list(struct judge *judge, const struct site_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const struct site *site = &list->rows[i];

        if ((judge_word(judge, site->node)->roles & ROLE_GETTER) &&
            !(judge_is_called(judge, site) && is_good_call(judge, site->node)))
            refuse(judge, site->node);
    }
}

/* from operator import attrgetter as get */
static void judge_imports(struct judge *judge)
{
    const struct site_list *imports = &judge->facts->imports;

    for (uint32_t i = 0; i < imports->count; i++) {
        uint32_t node = imports->rows[i].node, bound = judge_node(judge, node)->child;

        if ((judge_word(judge, node)->roles & ROLE_GETTER) && bound &&
            judge_node(judge, bound)->name != judge_node(judge, node)->name)
            report_add(judge->report, "name-by-text", judge_node(judge, bound)->at,
                       "%.*s must keep its own name. Leave 'as %.*s' away, or write a lambda: "
                       "lambda x: x.name.",
                       judge_shown(judge, node), judge_shown(judge, bound));
    }
}

void rule_getter(struct judge *judge)
{
    if (!(judge->roles & ROLE_GETTER))
        return;
    judge_list(judge, &judge->facts->names);
    judge_list(judge, &judge->facts->attributes);
    judge_imports(judge);
}
