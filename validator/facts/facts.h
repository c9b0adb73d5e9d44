/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a program does, collected from its tree once and stored in lists: its scopes, the names
 * bound in them, and each name, attribute, call, import and string with its position. The rules
 * read these lists. Scopes and bindings follow the Python reference manual, 4.2: functions do not
 * see the names of their class; a comprehension has its own scope, except that its first iterable
 * belongs to the enclosing scope; a walrus in it binds in the enclosing scope.
 */
#ifndef LECTERN_VALIDATOR_FACTS_H
#define LECTERN_VALIDATOR_FACTS_H

#include "validator/syntax/ast.h"

#define FACTS_NONE UINT32_MAX

enum scope_kind { SCOPE_MODULE, SCOPE_CLASS, SCOPE_FUNCTION, SCOPE_LAMBDA, SCOPE_COMPREHENSION };

struct scope {
    uint32_t node;          /* MODULE, CLASS, FUNCTION, LAMBDA or one of the comprehensions */
    uint32_t parent;        /* FACTS_NONE for the module, which is scope 0 */
    uint32_t first_binding; /* FACTS_NONE if none; linked by binding.next in the order found,
                               parameters first */
    uint32_t last_binding;
    uint8_t kind;
    bool is_async; /* `async def`; for a comprehension: it has an `async for` */
};

/* How a name is bound in a scope; several flags may be set. */
enum binding_flags {
    BINDING_PARAMETER = 1 << 0,
    BINDING_ASSIGNED = 1 << 1, /* =, for, with, except, walrus, del, pattern, augmented, ... */
    BINDING_IMPORT = 1 << 2,
    BINDING_DEFINITION = 1 << 3, /* def, class */
    BINDING_GLOBAL = 1 << 4, /* declared global in this scope: it refers to the module's binding */
    BINDING_NONLOCAL = 1 << 5, /* declared nonlocal, likewise */
    BINDING_ANNOTATED = 1 << 6,
    BINDING_SHARED = 1 << 7, /* an inner scope declares it global or nonlocal, and may rebind it */
};

struct binding {
    uint32_t symbol, scope;
    uint32_t first; /* the first node in the source that binds it: NAME, PARAMETER, FUNCTION, CLASS,
                       BINDING, HANDLER, MATCH_STAR, MATCH_AS */
    uint32_t next;  /* in the same scope */
    uint32_t meant; /* the binding that it refers to: itself; for GLOBAL the module's, for NONLOCAL
                       that of an enclosing function, or FACTS_NONE */
    uint32_t hidden; /* while the facts are collected: the enclosing meaning of the name, plus one;
                        or 0 */
    uint16_t flags;
};

/* A position in the program. */
struct site {
    uint32_t node;
    uint32_t parent; /* node */
    uint32_t scope;
    uint32_t
        binding; /* For a NAME: the binding that it refers to; FACTS_NONE for a builtin or unknown
                    name. For an ATTRIBUTE: that of the name at the root of its chain; FACTS_NONE if
                    the root is not a name. For ALIAS, FUNCTION, CLASS, HANDLER, MATCH_STAR,
                    MATCH_AS, PARAMETER and BINDING: the binding that it makes; FACTS_NONE for the
                    second of two parameters with one name. Otherwise FACTS_NONE */
};

struct site_list {
    struct site *rows; /* owned; in source order */
    uint32_t count, size;
};

struct facts {
    const struct ast *ast; /* borrowed */
    struct scope *scopes;
    uint32_t scope_count, scope_size;
    struct binding *bindings;
    uint32_t binding_count, binding_size;

    struct site_list imports;    /* ALIAS; its parent is the statement */
    struct site_list names;      /* NAME in every context */
    struct site_list attributes; /* ATTRIBUTE in every context; outer before inner */
    struct site_list calls;      /* CALL */
    struct site_list strings;    /* STRING, including those in f-strings and their formats */
    struct site_list
        other; /* other nodes with names: FUNCTION, CLASS, PARAMETER, KEYWORD, BINDING, HANDLER with
                  a name, MATCH_KEYWORD, MATCH_STAR, MATCH_AS; also MATCH_CLASS */
    bool failed; /* out of memory */
};

/* Collects the facts of a tree, which is borrowed. For a tree with syntax errors they are
 * incomplete. */
void facts_init(struct facts *facts, const struct ast *ast);
void facts_finish(struct facts *facts);

#endif
