/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Calls that take methods by name, as df.agg("mean") does: every string among their arguments is
 * judged as such a name.
 */
#include "validator/rule/judge.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/base/utf8.h"

#define METHODS   (ROLE_ATTRIBUTE | ROLE_WRITER | ROLE_QUERY)
#define TAKES     (ROLE_BY_NAME | ROLE_METHOD_BY_NAME)
#define SHOWN_CAP 60 /* bytes of the string in a message */

struct walk {
    struct judge *judge;
    uint8_t *walked; /* a bit a node: calls and strings that have been seen */
};

static bool takes_methods(const struct judge *judge, uint32_t call)
{
    uint32_t function = judge_node(judge, call)->child;
    enum node_kind kind = judge_node(judge, function)->kind;

    return (kind == NODE_NAME || kind == NODE_ATTRIBUTE) &&
           (judge_word(judge, function)->roles &
            (kind == NODE_NAME ? ROLE_BY_NAME : ROLE_BY_NAME | ROLE_METHOD_BY_NAME));
}

static void judge_string(struct judge *judge, uint32_t node)
{
    const struct node *row = judge_node(judge, node);
    size_t len;
    const char *text = judge_text(judge, node, &len, NULL);
    const struct policy_name *name;

    if (!text)
        return;
    name = policy_name_find(text, len);
    if (!(len > 2 && memcmp(text, "__", 2) == 0) && !(name && (name->roles & METHODS)))
        return;
    if (row->flags & NODE_SURROGATE) /* no UTF-8 */
        len = 2;
    report_add(judge->report, "name-by-text", row->at,
               "'%.*s' as the name of a method is not allowed here. Give a function: lambda x: "
               "..., or one of \"sum\", \"mean\", \"count\", \"min\", \"max\".",
               (int)utf8_cut(text, len, SHOWN_CAP), text);
}

/* The node and all below it. The tree is not too deep for that. */
static void walk_node(struct walk *walk, uint32_t node)
{
    enum node_kind kind = judge_node(walk->judge, node)->kind;

    if (kind == NODE_STRING)
        judge_string(walk->judge, node);
    if (kind == NODE_STRING || kind == NODE_CALL)
        walk->walked[node / 8] |= (uint8_t)(1 << node % 8);
    for (uint32_t child = judge_node(walk->judge, node)->child; child;
         child = judge_node(walk->judge, child)->next)
        walk_node(walk, child);
}

/* df.agg(m), f = df.agg: a name from anywhere. */
static bool takes_any(const struct judge *judge)
{
    const struct site_list *attributes = &judge->facts->attributes;

    for (uint32_t i = 0; i < attributes->count; i++)
        if (judge_word(judge, attributes->rows[i].node)->roles & TAKES)
            return true;
    return false;
}

/* A name that no data has, as "to_csv". */
static void judge_writer_name(struct walk *walk, uint32_t node)
{
    struct judge *judge = walk->judge;
    size_t len;
    const char *text = judge_text(judge, node, &len, NULL);
    const struct policy_name *name =
        text && len > 2 && memcmp(text, "to", 2) == 0 ? policy_name_find(text, len) : NULL;

    if (name && (name->roles & METHODS) && !(walk->walked[node / 8] & (1 << node % 8)))
        judge_string(judge, node);
}

void rule_method_name(struct judge *judge)
{
    const struct site_list *calls = &judge->facts->calls;
    struct walk walk = {.judge = judge};

    if (!(judge->roles & TAKES))
        return;
    walk.walked = calloc(judge->ast->count / 8 + 1, 1);
    judge->failed = judge->failed || !walk.walked;
    for (uint32_t i = 0; i < calls->count && !judge->failed; i++) {
        uint32_t call = calls->rows[i].node;

        if ((walk.walked[call / 8] & (1 << call % 8)) || !takes_methods(judge, call))
            continue;
        for (uint32_t argument = judge_first_argument(judge, judge_node(judge, call)->child);
             argument; argument = judge_node(judge, argument)->next)
            walk_node(&walk, argument);
    }
    for (uint32_t i = 0, any = takes_any(judge);
         any && walk.walked && i < judge->facts->strings.count; i++)
        judge_writer_name(&walk, judge->facts->strings.rows[i].node);
    free(walk.walked);
}
