/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Calls that take methods by name, as df.agg("mean") does: every string among their arguments is
 * checked as such a name.
 */
#include "validator/rule/check_internal.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/base/utf8.h"

#define METHODS   (ROLE_ATTRIBUTE | ROLE_WRITER | ROLE_QUERY)
#define TAKES     (ROLE_BY_NAME | ROLE_METHOD_BY_NAME)
#define SHOWN_CAP 60 /* bytes of the string in a message */

struct name_walk {
    struct check *check;
    uint8_t *walked; /* a bit a node: calls and strings that have been seen */
};

static bool takes_methods(const struct check *check, uint32_t call)
{
    uint32_t function = check_node(check, call)->child;
    enum node_kind kind = check_node(check, function)->kind;

    return (kind == NODE_NAME || kind == NODE_ATTRIBUTE) &&
           (check_word(check, function)->roles &
            (kind == NODE_NAME ? ROLE_BY_NAME : ROLE_BY_NAME | ROLE_METHOD_BY_NAME));
}

static void check_string(struct check *check, uint32_t node)
{
    const struct node *row = check_node(check, node);
    size_t len;
    const char *text = check_text(check, node, &len, NULL);
    const struct policy_name *name;

    if (!text)
        return;
    name = policy_name_find(text, len);
    if (!(len > 2 && memcmp(text, "__", 2) == 0) && !(name && (name->roles & METHODS)))
        return;
    if (row->flags & NODE_SURROGATE) /* no UTF-8 */
        len = 2;
    report_add(check->report, "name-by-text", row->at,
               "'%.*s' as the name of a method is not allowed here. Give a function: lambda x: "
               "..., or one of \"sum\", \"mean\", \"count\", \"min\", \"max\".",
               (int)utf8_cut(text, len, SHOWN_CAP), text);
}

/* The node and all below it. The tree is not too deep for that. */
static void walk_node(struct name_walk *walk, uint32_t node)
{
    enum node_kind kind = check_node(walk->check, node)->kind;

    if (kind == NODE_STRING)
        check_string(walk->check, node);
    if (kind == NODE_STRING || kind == NODE_CALL)
        walk->walked[node / 8] |= (uint8_t)(1 << node % 8);
    for (uint32_t child = check_node(walk->check, node)->child; child;
         child = check_node(walk->check, child)->next)
        walk_node(walk, child);
}

/* df.agg(m), f = df.agg: a name from anywhere. */
static bool takes_any(const struct check *check)
{
    const struct site_list *attributes = &check->facts->attributes;

    for (uint32_t i = 0; i < attributes->count; i++)
        if (check_word(check, attributes->rows[i].node)->roles & TAKES)
            return true;
    return false;
}

/* A name that no data has, as "to_csv". */
static void check_writer_name(struct name_walk *walk, uint32_t node)
{
    struct check *check = walk->check;
    size_t len;
    const char *text = check_text(check, node, &len, NULL);
    const struct policy_name *name =
        text && len > 2 && memcmp(text, "to", 2) == 0 ? policy_name_find(text, len) : NULL;

    if (name && (name->roles & METHODS) && !(walk->walked[node / 8] & (1 << node % 8)))
        check_string(check, node);
}

void rule_method_name(struct check *check)
{
    const struct site_list *calls = &check->facts->calls;
    struct name_walk walk = {.check = check};

    if (!(check->roles & TAKES))
        return;
    walk.walked = calloc(check->ast->count / 8 + 1, 1);
    check->failed = check->failed || !walk.walked;
    for (uint32_t i = 0; i < calls->count && !check->failed; i++) {
        uint32_t call = calls->rows[i].node;

        if ((walk.walked[call / 8] & (1 << call % 8)) || !takes_methods(check, call))
            continue;
        for (uint32_t argument = check_first_argument(check, check_node(check, call)->child);
             argument; argument = check_node(check, argument)->next)
            walk_node(&walk, argument);
    }
    for (uint32_t i = 0, any = takes_any(check);
         any && walk.walked && i < check->facts->strings.count; i++)
        check_writer_name(&walk, check->facts->strings.rows[i].node);
    free(walk.walked);
}
