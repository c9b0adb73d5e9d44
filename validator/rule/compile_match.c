/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the compiler refuses of match statements: patterns that take everything before others,
 * names bound twice or not in all alternatives, several stars, keys and attributes asked for twice.
 *
 * The names that a pattern binds are kept in one list; each alternative of an or-pattern begins a
 * set of its own, known by its stamp, so that no name is searched for.
 */
#include <stdlib.h>

#include "validator/facts/scope.h"
#include "validator/rule/compile_internal.h"

struct bound {
    uint32_t symbol;
    uint32_t hidden; /* the symbol's stamp before */
};

struct match {
    struct compile *compile;
    const struct node *nodes;
    uint32_t *stamps;    /* borrowed */
    struct bound *bound; /* owned */
    uint32_t count, size;
    uint32_t set;     /* the stamp of the names bound so far */
    bool irrefutable; /* a pattern that takes everything may stand here */
};

static void pattern(struct match *match, uint32_t at);

static void bind(struct match *match, uint32_t symbol, uint32_t at)
{
    if (symbol == SYMBOL_NONE)
        return;
    if (match->stamps[symbol] == match->set) {
        compile_report(match->compile, at,
                       "'%s' is bound twice in this pattern. Give each part its own name, and "
                       "compare in a guard: if a == b.",
                       compile_name(match->compile, symbol).text);
        return;
    }
    if (!facts_grow((void **)&match->bound, match->count, &match->size, sizeof *match->bound)) {
        match->compile->failed = true;
        return;
    }
    match->bound[match->count++] = (struct bound){symbol, match->stamps[symbol]};
    match->stamps[symbol] = match->set;
}

/* Forgets the stamps of the names from `first` on; the names stay in the list. */
static void unstamp(struct match *match, uint32_t first)
{
    for (uint32_t i = match->count; i > first; i--)
        match->stamps[match->bound[i - 1].symbol] = match->bound[i - 1].hidden;
}

/* ---- or ---- */

/* The same names as the first alternative, which begin at `first`; `count` of them. The others
 * stand behind. */
static bool binds_the_same(struct match *match, uint32_t first, uint32_t count)
{
    uint32_t *stamps = compile_stamps(match->compile, STAMPS_SCRATCH);
    uint32_t set = ++match->compile->stamp;
    bool same = stamps && match->count - first == 2 * count;

    for (uint32_t i = first; same && i < first + count; i++)
        stamps[match->bound[i].symbol] = set;
    for (uint32_t i = first + count; same && i < match->count; i++)
        same = stamps[match->bound[i].symbol] == set;
    return same;
}

static void alternatives(struct match *match, uint32_t at)
{
    const struct node *nodes = match->nodes;
    uint32_t first = match->count, count = 0, outer = match->set;
    bool irrefutable = match->irrefutable, same = true;

    for (uint32_t child = nodes[at].child; child != NODE_NONE; child = nodes[child].next) {
        uint32_t begin = match->count;

        match->set = ++match->compile->stamp;
        match->irrefutable = irrefutable && nodes[child].next == NODE_NONE;
        pattern(match, child);
        unstamp(match, begin);
        if (child == nodes[at].child) {
            count = match->count - first;
            continue;
        }
        same = same && binds_the_same(match, first, count);
        match->count = begin;
    }
    if (!same)
        compile_report(match->compile, at,
                       "The alternatives of this pattern bind different names. Bind the same names "
                       "in each, or write one case for each.");
    match->irrefutable = irrefutable;
    match->set = outer;
    match->count = first;
    for (uint32_t i = first; i < first + count; i++)
        bind(match, match->bound[i].symbol, at);
}

/* ---- the others ---- */

/* A part of a pattern may take everything. */
static void part(struct match *match, uint32_t at)
{
    bool irrefutable = match->irrefutable;

    match->irrefutable = true;
    pattern(match, at);
    match->irrefutable = irrefutable;
}

static void parts(struct match *match, uint32_t at)
{
    const struct node *nodes = match->nodes;

    for (uint32_t child = nodes[at].child; child != NODE_NONE; child = nodes[child].next)
        part(match, child);
}

static void capture(struct match *match, uint32_t at)
{
    const struct node *node = &match->nodes[at];

    if (node->child != NODE_NONE)
        pattern(match, node->child);
    else if (!match->irrefutable && node->name != SYMBOL_NONE)
        compile_report(
            match->compile, at,
            "'case %s' takes every value, so what follows is never reached. Put it last; "
            "to compare with a constant write 'case _ if subject == %s'.",
            compile_name(match->compile, node->name).text,
            compile_name(match->compile, node->name).text);
    else if (!match->irrefutable)
        compile_report(match->compile, at,
                       "'_' takes every value, so what follows is never reached. Put it last.");
    bind(match, node->name, at);
}

/* Keys first: a key and its pattern take turns; what binds the rest stands at the end. */
static void mapping(struct match *match, uint32_t at)
{
    const struct node *nodes = match->nodes;
    uint32_t child = nodes[at].child;

    compile_mapping_keys(match->compile, at);
    while (child != NODE_NONE && nodes[child].kind != NODE_MATCH_STAR) {
        child = nodes[child].next;
        if (child == NODE_NONE)
            return;
        part(match, child);
        child = nodes[child].next;
    }
    if (child != NODE_NONE)
        bind(match, nodes[child].name, child);
}

static void check_attributes(struct match *match, uint32_t at)
{
    const struct node *nodes = match->nodes;
    uint32_t *stamps = compile_stamps(match->compile, STAMPS_SCRATCH);
    uint32_t set = ++match->compile->stamp;

    for (uint32_t child = nodes[at].child; stamps && child != NODE_NONE;
         child = nodes[child].next) {
        if (nodes[child].kind != NODE_MATCH_KEYWORD)
            continue;
        if (stamps[nodes[child].name] == set)
            compile_report(match->compile, child,
                           "The attribute '%s' is asked for twice in this pattern. Keep one.",
                           compile_name(match->compile, nodes[child].name).text);
        stamps[nodes[child].name] = set;
    }
}

/* CLASS: an expression, then the patterns. */
static void class(struct match *match, uint32_t at)
{
    const struct node *nodes = match->nodes;
    uint32_t child = nodes[nodes[at].child].next;

    check_attributes(match, at);
    for (; child != NODE_NONE; child = nodes[child].next)
        part(match, nodes[child].kind == NODE_MATCH_KEYWORD ? nodes[child].child : child);
}

static void value(struct match *match, uint32_t at)
{
    uint32_t expression = match->nodes[at].child;

    if (match->nodes[expression].kind == NODE_JOINED)
        compile_report(match->compile, expression,
                       "An f-string is no pattern. Write 'case _ if subject == f\"...\"'.");
}

static void pattern(struct match *match, uint32_t at)
{
    switch (match->nodes[at].kind) {
    case NODE_MATCH_VALUE:
        value(match, at);
        break;
    case NODE_MATCH_SEQUENCE:
        compile_unpacking(match->compile, at, true);
        parts(match, at);
        break;
    case NODE_MATCH_MAPPING:
        mapping(match, at);
        break;
    case NODE_MATCH_CLASS:
        class(match, at);
        break;
    case NODE_MATCH_STAR:
        bind(match, match->nodes[at].name, at);
        break;
    case NODE_MATCH_AS:
        capture(match, at);
        break;
    case NODE_MATCH_OR:
        alternatives(match, at);
        break;
    default:
        break;
    }
}

void compile_match(struct compile *compile, uint32_t match_node)
{
    const struct node *nodes = compile->nodes;
    struct match match = {
        .compile = compile, .nodes = nodes, .stamps = compile_stamps(compile, STAMPS_BOUND)};
    uint32_t at = nodes[nodes[match_node].child].next; /* behind the subject */

    for (; match.stamps && at != NODE_NONE; at = nodes[at].next) {
        uint32_t first = nodes[at].child;
        bool guarded = nodes[nodes[first].next].kind == NODE_GUARD;

        match.count = 0;
        match.set = ++compile->stamp;
        match.irrefutable = guarded || nodes[at].next == NODE_NONE;
        pattern(&match, first);
    }
    free(match.bound);
}
