/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What CPython 3.11's compiler refuses of a program that its parser took (symtable.c, compile.c,
 * future.c): refused here too, with the code "syntax", and all reported at once where CPython stops
 * at the first. Names in classes are not mangled: `__x` is `__x`. Nothing is refused for its depth:
 * CPython's compiler goes deeper than the tree may be (VALIDATOR_TREE_CAP).
 *
 * Each part of compile_check is one walk, left out where the program holds nothing that concerns
 * it.
 */
#ifndef LECTERN_VALIDATOR_COMPILE_INTERNAL_H
#define LECTERN_VALIDATOR_COMPILE_INTERNAL_H

#include "validator/facts/facts.h"
#include "validator/report.h"

/* False without memory: then not all was looked at. */
bool compile_check(const struct facts *facts, struct report *report);

#define COMPILE_NAME_CAP 80 /* bytes of a name in a message, with the NUL */

/* Tables of a number for each symbol, 0 at first. A set of symbols is kept by writing the set's
 * number at each of them; it is ++compile->stamp. */
enum stamps { STAMPS_SCRATCH, STAMPS_BOUND, STAMPS_COUNT };

struct compile {
    const struct facts *facts; /* borrowed, as all of these */
    const struct ast *ast;
    const struct node *nodes;
    struct report *report;
    uint32_t *stamps[STAMPS_COUNT]; /* owned; see compile_stamps */
    uint32_t stamp;                 /* the last number given out */
    uint32_t debug;                 /* the symbol __debug__, or SYMBOL_NONE */
    bool future_annotations;        /* from __future__ import annotations */
    bool has[NODE_KIND_COUNT];      /* the kinds of nodes that the tree holds */
    bool has_async;                 /* something has NODE_ASYNC */
    bool repeats;                   /* some call or class is given an argument twice */
    bool failed;                    /* no memory */
};

struct compile_name {
    char text[COMPILE_NAME_CAP];
};

/* A symbol's text, cut to be shown. */
struct compile_name compile_name(const struct compile *compile, uint32_t symbol);
bool compile_name_is(const struct compile *compile, uint32_t symbol, const char *text);

void compile_report(struct compile *compile, uint32_t node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Made at the first use; NULL without memory. */
uint32_t *compile_stamps(struct compile *compile, enum stamps which);

void compile_flow(struct compile *compile);  /* return, break, await, stars, nested blocks */
void compile_names(struct compile *compile); /* global, nonlocal, walrus */

/* True when a call or a class is given an argument twice, which is reported if asked. */
bool compile_keywords(struct compile *compile, uint32_t call, bool reports);

void compile_match(struct compile *compile, uint32_t match);                  /* one statement */
void compile_unpacking(struct compile *compile, uint32_t target, bool match); /* its stars */

#endif
