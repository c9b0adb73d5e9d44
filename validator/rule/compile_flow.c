/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where return, break, continue and async may stand, and how deep statements nest (CPython:
 * compile.c). A walk over the statements; into expressions only when the program holds one that can
 * be wrong.
 */
#include "validator/rule/compile_flow.h"

/* Where in a unit a statement stands. */
struct place {
    uint8_t blocks;    /* those that CPython counts */
    bool in_loop;      /* break has a loop */
    bool in_group;     /* inside except* */
    bool leaves_group; /* break would leave an except* */
};

static void statements(struct flow *flow, uint32_t block, struct unit *unit, struct place place);

/* The place inside `count` blocks more; false when CPython nests no deeper, which is reported. */
static bool enter(struct flow *flow, uint32_t at, unsigned count, struct place *place)
{
    if (place->blocks + count > VALIDATOR_BLOCKS_CAP) {
        compile_report(flow->compile, at,
                       "More than %d loops, with and try blocks are nested here. Put the inner "
                       "ones into a function.",
                       VALIDATOR_BLOCKS_CAP);
        return false;
    }
    place->blocks += (uint8_t)count;
    return true;
}

static void check_async(struct flow *flow, uint32_t at, const struct unit *unit, const char *word)
{
    if (flow->nodes[at].flags & NODE_ASYNC && unit->kind != UNIT_ASYNC)
        compile_report(flow->compile, at,
                       "'async %s' stands outside an async function. Write '%s' without async, or "
                       "put it into 'async def'.",
                       word, word);
}

static void function(struct flow *flow, uint32_t at, struct unit *unit)
{
    const struct node *nodes = flow->nodes;
    struct unit inner = {.kind = nodes[at].flags & NODE_ASYNC ? UNIT_ASYNC : UNIT_FUNCTION};

    for (uint32_t child = nodes[at].child; child != NODE_NONE; child = nodes[child].next) {
        if (nodes[child].kind == NODE_PARAMETERS)
            flow_parameters(flow, child, unit);
        else if (nodes[child].kind == NODE_RETURNS)
            flow_annotation(flow, nodes[child].child, unit);
        else if (nodes[child].kind == NODE_BLOCK)
            statements(flow, child, &inner, (struct place){0});
        else
            flow_children(flow, child, unit);
    }
    if ((inner.kind == UNIT_ASYNC || inner.awaits) && inner.yields && inner.value != NODE_NONE)
        compile_report(flow->compile, inner.value,
                       "'return' with a value stands in an async function that yields. Write "
                       "'return' alone, or yield the value.");
}

static void class(struct flow *flow, uint32_t at, struct unit *unit)
{
    const struct node *nodes = flow->nodes;
    struct unit inner = {.kind = UNIT_CLASS};

    if (flow->compile->repeats)
        compile_keywords(flow->compile, at, true);
    for (uint32_t child = nodes[at].child; child != NODE_NONE; child = nodes[child].next) {
        if (nodes[child].kind == NODE_BLOCK)
            statements(flow, child, &inner, (struct place){0});
        else if (nodes[child].kind == NODE_DECORATOR || flow_is_starred(flow, child))
            flow_children(flow, child, unit);
        else
            flow_expression(flow, child, unit);
    }
}

/* for, async for and while: expressions, BLOCK and [ELSE]. */
static void loop(struct flow *flow, uint32_t at, struct unit *unit, struct place place)
{
    const struct node *nodes = flow->nodes;
    struct place inner = place;

    check_async(flow, at, unit, "for");
    for (uint32_t child = nodes[at].child; child != NODE_NONE; child = nodes[child].next) {
        if (nodes[child].kind == NODE_ELSE) {
            statements(flow, child, unit, place);
        } else if (nodes[child].kind != NODE_BLOCK) {
            flow_expression(flow, child, unit);
        } else if (enter(flow, at, 1, &inner)) {
            inner.in_loop = true;
            inner.leaves_group = false;
            statements(flow, child, unit, inner);
        }
    }
}

static void with(struct flow *flow, uint32_t at, struct unit *unit, struct place place)
{
    const struct node *nodes = flow->nodes;
    uint32_t child = nodes[at].child;

    check_async(flow, at, unit, "with");
    for (; nodes[child].kind == NODE_WITH_ITEM; child = nodes[child].next) {
        flow_children(flow, child, unit);
        if (!enter(flow, child, 1, &place))
            return;
    }
    statements(flow, child, unit, place);
}

static void handler(struct flow *flow, uint32_t at, struct unit *unit, struct place place)
{
    const struct node *nodes = flow->nodes;
    uint32_t part = nodes[at].child;

    if (nodes[at].flags & NODE_HAS_TYPE) {
        flow_expression(flow, part, unit);
        part = nodes[part].next;
    } else if (nodes[at].next != NODE_NONE && nodes[nodes[at].next].kind == NODE_HANDLER) {
        compile_report(flow->compile, at,
                       "'except:' without a type takes everything and must be the last one. Move "
                       "it behind the others.");
    }
    if (enter(flow, at, 2, &place))
        statements(flow, part, unit, place);
}

/* try counts as one block more when it has both handlers and finally. */
static void try(struct flow *flow, uint32_t at, struct unit *unit, struct place place)
{
    const struct node *nodes = flow->nodes;
    struct place guarded = place, body, caught;
    bool handlers = false, finally = false;

    for (uint32_t child = nodes[at].child; child != NODE_NONE; child = nodes[child].next) {
        handlers |= nodes[child].kind == NODE_HANDLER;
        finally |= nodes[child].kind == NODE_FINALLY;
    }
    if (finally && !enter(flow, at, 1, &guarded))
        return;
    body = caught = guarded;
    if (handlers && !enter(flow, at, 1, &body))
        return;
    if (nodes[at].flags & NODE_STAR)
        caught.in_group = caught.leaves_group = true;
    for (uint32_t child = nodes[at].child; child != NODE_NONE; child = nodes[child].next) {
        switch (nodes[child].kind) {
        case NODE_HANDLER:
            handler(flow, child, unit, caught);
            break;
        case NODE_ELSE:
            statements(flow, child, unit, guarded);
            break;
        case NODE_FINALLY: /* as deep as the body of a try without handlers */
            statements(
                flow, child, unit,
                (struct place){guarded.blocks, place.in_loop, place.in_group, place.leaves_group});
            break;
        default:
            statements(flow, child, unit, body);
            break;
        }
    }
}

/* if, elif, else, case: expressions and blocks that change nothing. */
static void branches(struct flow *flow, uint32_t at, struct unit *unit, struct place place)
{
    const struct node *nodes = flow->nodes;

    for (uint32_t child = nodes[at].child; child != NODE_NONE; child = nodes[child].next) {
        switch (nodes[child].kind) {
        case NODE_BLOCK:
        case NODE_ELSE:
            statements(flow, child, unit, place);
            break;
        case NODE_ELIF:
        case NODE_CASE:
            branches(flow, child, unit, place);
            break;
        default: /* a test, a pattern, a guard */
            flow_expression(flow, child, unit);
            break;
        }
    }
}

static void jump(struct flow *flow, uint32_t at, struct place place)
{
    const char *word = flow->nodes[at].kind == NODE_BREAK ? "break" : "continue";

    if (place.leaves_group)
        compile_report(flow->compile, at,
                       "'%s' cannot leave an 'except*' block. Write 'except' without the star.",
                       word);
    else if (!place.in_loop)
        compile_report(flow->compile, at,
                       "'%s' stands outside a loop. Delete it, or put the code into a for or while "
                       "loop.",
                       word);
}

static void leave(struct flow *flow, uint32_t at, struct unit *unit, struct place place)
{
    uint32_t value = flow->nodes[at].child;

    if (unit->kind != UNIT_FUNCTION && unit->kind != UNIT_ASYNC)
        compile_report(flow->compile, at,
                       "'return' stands outside a function. Write print(value) to answer, or put "
                       "the code into a function and call it.");
    else if (place.in_group)
        compile_report(flow->compile, at,
                       "'return' cannot leave an 'except*' block. Write 'except' without the "
                       "star.");
    if (value == NODE_NONE)
        return;
    if (unit->value == NODE_NONE)
        unit->value = at;
    flow_expression(flow, value, unit);
}

/* In a function CPython keeps a local variable's annotation out of the code. */
static void annotated(struct flow *flow, uint32_t at, struct unit *unit)
{
    const struct node *nodes = flow->nodes;
    uint32_t target = nodes[at].child, type = nodes[target].next;

    flow_expression(flow, target, unit);
    if (flow->compile->future_annotations) {
        flow_future_annotation(flow, type);
    } else {
        flow->silent = unit->kind == UNIT_FUNCTION || unit->kind == UNIT_ASYNC;
        flow_expression(flow, type, unit);
        flow->silent = false;
    }
    if (nodes[type].next != NODE_NONE)
        flow_expression(flow, nodes[type].next, unit);
}

static void statement(struct flow *flow, uint32_t at, struct unit *unit, struct place place)
{
    switch (flow->nodes[at].kind) {
    case NODE_FUNCTION:
        function(flow, at, unit);
        break;
    case NODE_CLASS:
        class(flow, at, unit);
        break;
    case NODE_RETURN:
        leave(flow, at, unit, place);
        break;
    case NODE_BREAK:
    case NODE_CONTINUE:
        jump(flow, at, place);
        break;
    case NODE_FOR:
    case NODE_WHILE:
        loop(flow, at, unit, place);
        break;
    case NODE_WITH:
        with(flow, at, unit, place);
        break;
    case NODE_TRY:
        try(flow, at, unit, place);
        break;
    case NODE_MATCH:
        compile_match(flow->compile, at);
        branches(flow, at, unit, place);
        break;
    case NODE_IF:
        branches(flow, at, unit, place);
        break;
    case NODE_ANNOTATED:
        annotated(flow, at, unit);
        break;
    case NODE_IMPORT:
    case NODE_IMPORT_FROM:
    case NODE_GLOBAL:
    case NODE_NONLOCAL:
        break;
    default:
        if (flow->expressions)
            flow_children(flow, at, unit);
        break;
    }
}

static void statements(struct flow *flow, uint32_t block, struct unit *unit, struct place place)
{
    const struct node *nodes = flow->nodes;

    for (uint32_t child = nodes[block].child; child != NODE_NONE; child = nodes[child].next)
        statement(flow, child, unit, place);
}

void compile_flow(struct compile *compile)
{
    const bool *has = compile->has;
    struct flow flow = {.compile = compile, .nodes = compile->nodes};
    struct unit module = {.kind = UNIT_MODULE};

    flow.expressions = compile->repeats || has[NODE_STARRED] || has[NODE_YIELD] ||
                       has[NODE_YIELD_FROM] || has[NODE_AWAIT] ||
                       (compile->has_async && has[NODE_COMPREHENSION]) ||
                       (has[NODE_WALRUS] && compile->future_annotations);
    statements(&flow, 0, &module, (struct place){0});
}
