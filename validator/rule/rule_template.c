/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Templates of str.format() whose fields reach for names in double underscores: "{0.__class__}".
 * Strings that '+' puts together are judged as the one they become.
 */
#include "validator/rule/judge.h"

#include <string.h>

#define WHOLE_CAP (VALIDATOR_SOURCE_CAP * 4)

struct walk {
    struct judge *judge;
    struct buf whole; /* the strings of a sum that stand side by side */
    uint32_t first;   /* the first of them; NODE_NONE while there is none */
};

static void walk_node(struct walk *walk, uint32_t node);

static bool reaches_for_dunder(const char *text, size_t len)
{
    for (size_t i = 0; i + 2 < len; i++) {
        const char *open = memchr(text + i, '{', len - i);
        size_t at;

        if (!open)
            return false;
        at = (size_t)(open - text) + 1;
        for (; at + 2 < len && text[at] != '}' && text[at] != '{'; at++)
            if (text[at] == '.' && text[at + 1] == '_' && text[at + 2] == '_')
                return true;
        i = at - 1;
    }
    return false;
}

static void judge_template(struct judge *judge, uint32_t node, const char *text, size_t len)
{
    if (reaches_for_dunder(text, len))
        report_add(judge->report, "name-by-text", judge_node(judge, node)->at,
                   "A format field must not reach for names in double underscores. Format plain "
                   "values: \"{}\".format(value), or an f-string.");
}

static bool is_sum(const struct judge *judge, uint32_t node)
{
    const struct node *row = judge_node(judge, node);

    return row->kind == NODE_BINARY && row->op == '+';
}

static void end_run(struct walk *walk)
{
    if (walk->first)
        judge_template(walk->judge, walk->first, walk->whole.data, walk->whole.len);
    walk->first = NODE_NONE;
    buf_clear(&walk->whole);
}

/* The operands of a sum from the left to the right, whatever brackets are in it. */
static void read_sum(struct walk *walk, uint32_t node)
{
    uint32_t left = judge_node(walk->judge, node)->child;
    const char *text;
    size_t len;

    if (is_sum(walk->judge, node)) {
        read_sum(walk, left);
        read_sum(walk, judge_node(walk->judge, left)->next);
        return;
    }
    text = judge_text(walk->judge, node, &len, NULL);
    if (!text) {
        end_run(walk);
        return;
    }
    walk->first = walk->first ? walk->first : node;
    buf_add(&walk->whole, text, len);
    walk->judge->failed = walk->judge->failed || walk->whole.failed;
}

static void walk_children(struct walk *walk, uint32_t node)
{
    for (uint32_t child = judge_node(walk->judge, node)->child; child && !walk->judge->failed;
         child = judge_node(walk->judge, child)->next)
        walk_node(walk, child);
}

/* What stands inside the operands, once the sum itself has been read. */
static void walk_operands(struct walk *walk, uint32_t node)
{
    uint32_t left = judge_node(walk->judge, node)->child;
    enum node_kind kind = judge_node(walk->judge, node)->kind;

    if (is_sum(walk->judge, node)) {
        walk_operands(walk, left);
        walk_operands(walk, judge_node(walk->judge, left)->next);
    } else if (kind == NODE_STRING || kind == NODE_JOINED) {
        walk_children(walk, node);
    } else {
        walk_node(walk, node);
    }
}

static void walk_node(struct walk *walk, uint32_t node)
{
    const struct node *row = judge_node(walk->judge, node);
    const char *text;
    size_t len;

    if (is_sum(walk->judge, node)) {
        read_sum(walk, node);
        end_run(walk);
        walk_operands(walk, node);
        return;
    }
    if (row->kind == NODE_JOINED || (row->kind == NODE_STRING && !(row->flags & NODE_FORMATTED))) {
        text = judge_text(walk->judge, node, &len, NULL);
        if (text)
            judge_template(walk->judge, node, text, len);
    }
    walk_children(walk, node);
}

/* Whether a field and a dunder can be put together from the program's strings at all. */
static bool may_reach(const struct judge *judge)
{
    const struct site_list *strings = &judge->facts->strings;
    bool brace = false, underscore = false;

    for (uint32_t i = 0; i < strings->count && !(brace && underscore); i++) {
        size_t len;
        const char *text = ast_text(judge->ast, strings->rows[i].node, &len);

        brace = brace || memchr(text, '{', len);
        underscore = underscore || memchr(text, '_', len);
    }
    return brace && underscore;
}

void rule_template(struct judge *judge)
{
    struct walk walk = {.judge = judge};

    if (!may_reach(judge))
        return;
    buf_init(&walk.whole, WHOLE_CAP);
    walk_node(&walk, 0);
    buf_finish(&walk.whole);
}
