/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The walk of compile_flow: statements in compile_flow.c, expressions in compile_expression.c.
 */
#ifndef LECTERN_VALIDATOR_COMPILE_FLOW_H
#define LECTERN_VALIDATOR_COMPILE_FLOW_H

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

bool flow_is_starred(const struct flow *flow, uint32_t at);

/* One expression; all children of a node as expressions. */
void flow_expression(struct flow *flow, uint32_t at, struct unit *unit);
void flow_children(struct flow *flow, uint32_t parent, struct unit *unit);

/* The defaults and annotations of a PARAMETERS, in the unit around. */
void flow_parameters(struct flow *flow, uint32_t at, struct unit *unit);

/* One of a parameter or a function; and one that is not evaluated. */
void flow_annotation(struct flow *flow, uint32_t at, struct unit *unit);
void flow_future_annotation(struct flow *flow, uint32_t at);

#endif
