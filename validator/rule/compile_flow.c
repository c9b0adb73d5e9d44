/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where return, break, continue, async, yield, await and stars are allowed, and how deep statements
 * may nest (CPython: compile.c, and symtable.c for annotations and comprehensions). A walk over the
 * statements; it visits expressions only if the program contains one that can be wrong.
 */
#include "validator/rule/compile_internal.h"

enum unit_kind {
    UNIT_MODULE,
    UNIT_CLASS,
    UNIT_FUNCTION,
    UNIT_ASYNC, /* async def */
    UNIT_LAMBDA,
    UNIT_COMPREHENSION,
    UNIT_ANNOTATION, /* with from __future__ import annotations: never evaluated */
};

/* What is compiled by itself. */
struct unit {
    enum unit_kind kind;
    bool yields;
    bool awaits; /* so a comprehension is an asynchronous one; a plain function is for CPython when
                    it awaits in an annotation that is not compiled */
    uint32_t value; /* the first return with a value */
};

struct flow {
    struct compile *compile;
    const struct node *nodes;
    bool expressions; /* some can be wrong */
    bool silent;      /* in an annotation that CPython does not compile */
};

/* One expression; all children of a node as expressions. */
static void flow_expression(struct flow *flow, uint32_t at, struct unit *unit);

/* ---- expressions ---- */

static void refuse(struct flow *flow, uint32_t at, const char *text)
{
    if (!flow->silent)
        compile_report(flow->compile, at, "%s", text);
}

static bool flow_is_starred(const struct flow *flow, uint32_t at)
{
    return flow->nodes[at].kind == NODE_STARRED;
}

static void flow_children(struct flow *flow, uint32_t parent, struct unit *unit)
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
static void flow_future_annotation(struct flow *flow, uint32_t at)
{
    struct unit unit = {.kind = UNIT_ANNOTATION};
    bool silent = flow->silent;

    flow->silent = true;
    flow_expression(flow, at, &unit);
    flow->silent = silent;
}

/* One of a parameter or a function; and one that is not evaluated. */
static void flow_annotation(struct flow *flow, uint32_t at, struct unit *unit)
{
    if (flow->compile->future_annotations)
        flow_future_annotation(flow, at);
    else /* *args: *types */
        flow_expression(flow, flow_is_starred(flow, at) ? flow->nodes[at].child : at, unit);
}

/* The defaults and annotations of a PARAMETERS, in the unit around. */
static void flow_parameters(struct flow *flow, uint32_t at, struct unit *unit)
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

static void flow_expression(struct flow *flow, uint32_t at, struct unit *unit)
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

/* ---- statements ---- */

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
