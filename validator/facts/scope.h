/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How the facts are read: two walks over the tree, which meet the scopes in the same order. The
 * first makes them with what is bound in each, the second knows of every name what it means and
 * fills the lists. Both keep for each symbol what it is bound to at the place they are at, so that
 * no search is needed.
 */
#ifndef LECTERN_VALIDATOR_SCOPE_H
#define LECTERN_VALIDATOR_SCOPE_H

#include "validator/facts/facts.h"

struct scope_walk {
    struct facts *facts;
    const struct node *nodes; /* borrowed */
    uint32_t *own;  /* a symbol's binding in the innermost scope that has one, plus one; 0 without.
                       In the second walk only of class bodies */
    uint32_t *seen; /* the second walk: likewise, as functions see it */
    uint32_t next_scope; /* the second walk: the number of the next one met */
};

void scope_declare(struct scope_walk *walk);
void scope_resolve(struct scope_walk *walk);

static inline bool scope_is_comprehension(const struct node *node)
{
    return node->kind >= NODE_LIST_COMPREHENSION && node->kind <= NODE_GENERATOR;
}

/* Room for one row more; false without memory. */
bool facts_grow(void **rows, uint32_t count, uint32_t *size, size_t row_size);

#endif
