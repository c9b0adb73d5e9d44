/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a program does, read off its tree once and kept in lists: scopes, what is bound in them,
 * and each name, attribute, call, import and string with the place it stands at. The rules look
 * at these lists. Scopes and bindings follow Python's own rules (reference manual, 4.2): a class's
 * names are not seen in its functions, a comprehension is a scope of its own whose first iterable
 * belongs to the scope around it, a walrus in it binds around it.
 */
#ifndef LECTERN_VALIDATOR_FACTS_H
#define LECTERN_VALIDATOR_FACTS_H

#include "validator/syntax/ast.h"

#define FACTS_NONE UINT32_MAX

enum scope_kind { SCOPE_MODULE, SCOPE_CLASS, SCOPE_FUNCTION, SCOPE_LAMBDA, SCOPE_COMPREHENSION };

struct scope {
    uint32_t node;          /* MODULE, CLASS, FUNCTION, LAMBDA or one of the comprehensions */
    uint32_t parent;        /* FACTS_NONE for the module's, which is scope 0 */
    uint32_t first_binding; /* linked by binding.next, in the order they were found: parameters are
                               first; FACTS_NONE */
    uint32_t last_binding;
    uint8_t kind;
    bool is_async; /* `async def`; of a comprehension, it has an `async for` */
};

/* How a name is bound in a scope; all that apply. */
enum binding_flags {
    BINDING_PARAMETER = 1 << 0,
    BINDING_ASSIGNED = 1 << 1, /* =, for, with, except, walrus, del, pattern, augmented, ... */
    BINDING_IMPORT = 1 << 2,
    BINDING_DEFINITION = 1 << 3, /* def, class */
    BINDING_GLOBAL = 1 << 4,     /* declared so in this scope: the module's binding is meant */
    BINDING_NONLOCAL = 1 << 5,   /* likewise */
    BINDING_ANNOTATED = 1 << 6,
    BINDING_SHARED =
        1 << 7, /* an inner scope declares it global or nonlocal, and may give it away */
};

struct binding {
    uint32_t symbol, scope;
    uint32_t first;  /* node that binds it first in the order of the program: NAME, PARAMETER,
                        FUNCTION, CLASS, BINDING, HANDLER, MATCH_STAR, MATCH_AS */
    uint32_t next;   /* of the same scope */
    uint32_t meant;  /* itself; of GLOBAL the module's, of NONLOCAL the one of a function around, or
                        FACTS_NONE */
    uint32_t hidden; /* while the facts are read: what the name means around, plus one; or 0 */
    uint16_t flags;
};

/* A place in the program. */
struct site {
    uint32_t node;
    uint32_t parent; /* node */
    uint32_t scope;
    uint32_t binding; /* of NAME: what it means where it stands, FACTS_NONE for a builtin or
                         unknown name. Of ATTRIBUTE: what the name at the root of its chain means,
                         FACTS_NONE where the root is no name. Of ALIAS: what it binds, as of
                         FUNCTION, CLASS, HANDLER, MATCH_STAR, MATCH_AS, PARAMETER and BINDING; the
                         second of two parameters of one name has FACTS_NONE. Else FACTS_NONE */
};

struct site_list {
    struct site *rows; /* owned; in the order of the program */
    uint32_t count, size;
};

struct facts {
    const struct ast *ast; /* borrowed */
    struct scope *scopes;
    uint32_t scope_count, scope_size;
    struct binding *bindings;
    uint32_t binding_count, binding_size;

    struct site_list imports;    /* ALIAS; the parent is the statement */
    struct site_list names;      /* NAME in every context */
    struct site_list attributes; /* ATTRIBUTE in every context; an outer one before its inner one */
    struct site_list calls;      /* CALL */
    struct site_list strings;    /* STRING, those in f-strings and their formats too */
    struct site_list other; /* what has a name beside these: FUNCTION, CLASS, PARAMETER, KEYWORD,
                               BINDING, HANDLER with a name, MATCH_KEYWORD, MATCH_STAR, MATCH_AS;
                               also MATCH_CLASS */
    bool failed;            /* no memory */
};

/* Reads the facts off a tree, which is borrowed. A broken one is read as far as it goes. */
void facts_init(struct facts *facts, const struct ast *ast);
void facts_finish(struct facts *facts);

#endif
