/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What each name of a scope was used for so far: the marks of compile_names.c.
 */
#ifndef LECTERN_VALIDATOR_COMPILE_MARKS_H
#define LECTERN_VALIDATOR_COMPILE_MARKS_H

#include "validator/rule/compile_internal.h"

enum mark_flags {
    MARK_USED = 1 << 0,
    MARK_LOCAL = 1 << 1,
    MARK_PARAMETER = 1 << 2,
    MARK_ANNOTATED = 1 << 3,
    MARK_GLOBAL = 1 << 4,
    MARK_NONLOCAL = 1 << 5,
    MARK_ITERATION = 1 << 6, /* stands in the target of a comprehension */
};

struct mark {
    uint32_t symbol;
    uint32_t level;  /* its number */
    uint32_t hidden; /* the mark of the same symbol further out, plus one; 0 */
    uint32_t next;   /* of the same level, plus one; 0 */
    uint8_t flags;
};

enum level_kind { LEVEL_MODULE, LEVEL_CLASS, LEVEL_FUNCTION, LEVEL_COMPREHENSION, LEVEL_OTHER };

/* An open scope. LEVEL_OTHER: an annotation that is not evaluated. */
struct level {
    struct level *binder; /* where a walrus binds: the first around that is neither a comprehension
                             nor an annotation; NULL for itself */
    enum level_kind kind;
    uint32_t number;   /* greater further in */
    uint32_t marks;    /* the first one, plus one; 0 */
    unsigned iterable; /* comprehensions whose iterable this is, here or around */
    bool target;       /* in the target of a comprehension */
};

struct names {
    struct compile *compile;
    const struct node *nodes;
    struct mark *marks; /* owned */
    uint32_t mark_count, mark_size;
    uint32_t *own; /* owned; a symbol's innermost mark, plus one; 0 */
    uint32_t level_count;
};

/* The symbol's text in *to, for a message. */
const char *mark_name(const struct names *names, uint32_t symbol, struct compile_name *to);

/* A scope inside `outer`, which is NULL for the module's. */
struct level level_open(struct names *names, struct level *outer, enum level_kind kind);
void level_close(struct names *names, const struct level *level);

/* The symbol's mark in an open scope, made without flags if there is none. Valid until the next
 * one is made; NULL without memory. */
struct mark *mark_find(struct names *names, struct level *level, uint32_t symbol);

/* Adds flags to it. In a comprehension's target it becomes a loop variable, which ':=' must not
 * have set. */
void mark_add(struct names *names, struct level *level, uint32_t symbol, uint32_t at,
              unsigned flags);

#endif
