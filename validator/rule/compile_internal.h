/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What CPython 3.11's compiler refuses although its parser accepts it (symtable.c, compile.c,
 * future.c). It is refused here too, with the code "syntax". CPython stops at the first problem;
 * here all are reported. Names in classes are not mangled: `__x` is `__x`. Depth is not checked:
 * CPython's compiler allows more than VALIDATOR_TREE_CAP.
 *
 * Each part of compile_check is one walk. It is skipped if the program has nothing that it checks.
 */
#ifndef LECTERN_VALIDATOR_COMPILE_INTERNAL_H
#define LECTERN_VALIDATOR_COMPILE_INTERNAL_H

#include "validator/facts/facts.h"
#include "validator/report.h"

/* Returns false if out of memory; the check is then incomplete. */
bool compile_check(const struct facts *facts, struct report *report);

#define COMPILE_NAME_CAP 80 /* bytes of a name in a message, with the NUL */

/* Tables with a number for each symbol, initially 0. A set of symbols is represented by its number,
 * ++compile->stamp, in the entries of its members. */
enum stamps { STAMPS_SCRATCH, STAMPS_BOUND, STAMPS_COUNT };

struct compile {
    const struct facts *facts; /* borrowed, like the members below */
    const struct ast *ast;
    const struct node *nodes;
    struct report *report;
    uint32_t *stamps[STAMPS_COUNT]; /* owned; see compile_stamps */
    uint32_t stamp;                 /* the last number used */
    uint32_t debug;                 /* the symbol __debug__, or SYMBOL_NONE */
    bool future_annotations;        /* from __future__ import annotations */
    bool has[NODE_KIND_COUNT];      /* the kinds of nodes that the tree contains */
    bool has_async;                 /* some node has NODE_ASYNC */
    bool repeats;                   /* some call or class has an argument twice */
    bool failed;                    /* out of memory */
};

struct compile_name {
    char text[COMPILE_NAME_CAP];
};

/* A symbol's text, truncated for messages. */
struct compile_name compile_name(const struct compile *compile, uint32_t symbol);
bool compile_name_is(const struct compile *compile, uint32_t symbol, const char *text);

void compile_report(struct compile *compile, uint32_t node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Allocated at the first use; NULL if out of memory. */
uint32_t *compile_stamps(struct compile *compile, enum stamps which);

void compile_flow(struct compile *compile);  /* return, break, await, stars, nested blocks */
void compile_names(struct compile *compile); /* global, nonlocal, walrus */

/* Whether a call or a class has an argument twice. reports: also report it. */
bool compile_keywords(struct compile *compile, uint32_t call, bool reports);

void compile_match(struct compile *compile, uint32_t match);                  /* one statement */
void compile_unpacking(struct compile *compile, uint32_t target, bool match); /* its stars */

#endif
