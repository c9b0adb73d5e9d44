/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where yield, await, asynchronous comprehensions and stars may stand (CPython: compile.c, and
 * symtable.c for what concerns annotations and comprehensions).
 */
#include "validator/rule/compile_flow.h"

static void refuse(struct flow *flow, uint32_t at, const char *text)
{
    if (!flow->silent)
        compile_report(flow->compile, at, "%s", text);
}

bool flow_is_starred(const struct flow *flow, uint32_t at)
{
    return flow->nodes[at].kind == NODE_STARRED;
}

void flow_children(struct flow *flow, uint32_t parent, struct unit *unit)
{
    const struct node *nodes = flow->nodes;

    for (uint32_t child = nodes[parent].child; child != NODE_NONE; child = nodes[child].next)
        flow_expression(flow, child, unit);
}

/* The elements of a list, tuple or set, and the arguments of a call: these may be starred. */
static void elements(struct flow *flow, uint32_t at, struct unit *unit)
{
    const struct node *nodes = flow->nodes;
    bool unpacks = (nodes[at].kind == NODE_LIST || nodes[at].kind == NODE_TUPLE) &&
                   nodes[at].op == CONTEXT_STORE;

    if (unpacks && !flow->silent)
        compile_unpacking(flow->compile, at, false);
    if (flow->compile->repeats && nodes[at].kind == NODE_CALL && !flow->silent)
        compile_keywords(flow->compile, at, true);
    for (uint32_t child = nodes[at].child; child != NODE_NONE; child = nodes[child].next)
        flow_expression(flow, flow_is_starred(flow, child) ? nodes[child].child : child, unit);
}

static void check_star(struct flow *flow, uint32_t at)
{
    if (flow->nodes[at].op == CONTEXT_STORE)
        refuse(flow, at,
               "A starred target must stand in a list or tuple. Write 'name = list(values)', or "
               "'*name, = values'.");
    else
        refuse(flow, at,
               "'*' cannot stand alone here. Write [*values] for a list, or values without the "
               "star.");
}

static void mark_awaits(const struct flow *flow, struct unit *unit)
{
    unit->awaits |= unit->kind != UNIT_FUNCTION || flow->silent;
}

static void check_await(struct flow *flow, uint32_t at, struct unit *unit)
{
    if (unit->kind == UNIT_ANNOTATION)
        compile_report(flow->compile, at, "'await' cannot stand in an annotation. Delete it.");
    else if (unit->kind != UNIT_ASYNC && unit->kind != UNIT_COMPREHENSION)
        refuse(flow, at,
               "'await' stands outside an async function. Nothing here has to be awaited: call "
               "the function without await, or put the line into 'async def'.");
    mark_awaits(flow, unit);
}

static void check_yield(struct flow *flow, uint32_t at, struct unit *unit)
{
    if (unit->kind == UNIT_ANNOTATION)
        compile_report(flow->compile, at, "'yield' cannot stand in an annotation. Delete it.");
    else if (unit->kind == UNIT_COMPREHENSION)
        compile_report(flow->compile, at,
                       "'yield' cannot stand in a comprehension. Write a for loop with yield.");
    else if (unit->kind == UNIT_MODULE || unit->kind == UNIT_CLASS)
        refuse(flow, at,
               "'yield' stands outside a function. Write print(value) to answer, or put the code "
               "into a function.");
    else if (unit->kind == UNIT_ASYNC && flow->nodes[at].kind == NODE_YIELD_FROM)
        refuse(flow, at,
               "'yield from' cannot stand in an async function. Write: async for item in values: "
               "yield item.");
    unit->yields = true;
}

static void clause(struct flow *flow, uint32_t at, struct unit *around, struct unit *inner)
{
    const struct node *nodes = flow->nodes;
    uint32_t part = nodes[at].child;

    inner->awaits |= (nodes[at].flags & NODE_ASYNC) != 0;
    flow_expression(flow, part, inner);
    part = nodes[part].next;
    flow_expression(flow, part, around);
    while ((part = nodes[part].next) != NODE_NONE)
        flow_expression(flow, part, inner);
}

static void comprehension(struct flow *flow, uint32_t at, struct unit *unit)
{
    struct unit inner = {.kind = UNIT_COMPREHENSION}, *around = unit;
    const struct node *nodes = flow->nodes;
    unsigned async_clauses = 0;

    for (uint32_t child = nodes[at].child; child != NODE_NONE; child = nodes[child].next) {
        if (nodes[child].kind != NODE_COMPREHENSION) {
            flow_expression(flow, child, &inner);
            continue;
        }
        if (nodes[child].flags & NODE_ASYNC && ++async_clauses == VALIDATOR_BLOCKS_CAP + 1)
            refuse(flow, child, "Too many nested loops in one comprehension. Write for loops.");
        clause(flow, child, around, &inner);
        around = &inner;
    }
    if (!inner.awaits || nodes[at].kind == NODE_GENERATOR)
        return;
    if (unit->kind != UNIT_ASYNC && unit->kind != UNIT_COMPREHENSION)
        refuse(flow, at,
               "A comprehension with 'async for' or 'await' stands outside an async function. "
               "Write it without async and await, or put it into 'async def'.");
    mark_awaits(flow, unit);
}

/* An annotation that is not evaluated. */
void flow_future_annotation(struct flow *flow, uint32_t at)
{
    struct unit unit = {.kind = UNIT_ANNOTATION};
    bool silent = flow->silent;

    flow->silent = true;
    flow_expression(flow, at, &unit);
    flow->silent = silent;
}

void flow_annotation(struct flow *flow, uint32_t at, struct unit *unit)
{
    if (flow->compile->future_annotations)
        flow_future_annotation(flow, at);
    else /* *args: *types */
        flow_expression(flow, flow_is_starred(flow, at) ? flow->nodes[at].child : at, unit);
}

void flow_parameters(struct flow *flow, uint32_t at, struct unit *unit)
{
    const struct node *nodes = flow->nodes;

    for (uint32_t child = nodes[at].child; child != NODE_NONE; child = nodes[child].next) {
        uint32_t part = nodes[child].child;

        if (nodes[child].flags & NODE_HAS_ANNOTATION) {
            flow_annotation(flow, part, unit);
            part = nodes[part].next;
        }
        if (part != NODE_NONE)
            flow_expression(flow, part, unit);
    }
}

static void lambda(struct flow *flow, uint32_t at, struct unit *unit)
{
    struct unit inner = {.kind = UNIT_LAMBDA};
    uint32_t child = flow->nodes[at].child;

    flow_parameters(flow, child, unit);
    flow_expression(flow, flow->nodes[child].next, &inner);
}

void flow_expression(struct flow *flow, uint32_t at, struct unit *unit)
{
    if (!flow->expressions)
        return;
    switch (flow->nodes[at].kind) {
    case NODE_NAME:
    case NODE_NUMBER:
    case NODE_STRING:
    case NODE_CONSTANT:
        return;
    case NODE_LIST:
    case NODE_TUPLE:
    case NODE_SET:
    case NODE_CALL:
        elements(flow, at, unit);
        return;
    case NODE_STARRED:
        check_star(flow, at);
        break;
    case NODE_LAMBDA:
        lambda(flow, at, unit);
        return;
    case NODE_LIST_COMPREHENSION:
    case NODE_SET_COMPREHENSION:
    case NODE_DICT_COMPREHENSION:
    case NODE_GENERATOR:
        comprehension(flow, at, unit);
        return;
    case NODE_AWAIT:
        check_await(flow, at, unit);
        break;
    case NODE_YIELD:
    case NODE_YIELD_FROM:
        check_yield(flow, at, unit);
        break;
    case NODE_WALRUS:
        if (unit->kind == UNIT_ANNOTATION)
            compile_report(flow->compile, at, "':=' cannot stand in an annotation. Delete it.");
        break;
    default:
        break;
    }
    flow_children(flow, at, unit);
}
