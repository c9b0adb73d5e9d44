/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the compiler refuses in global, nonlocal, annotated names and the walrus in comprehensions
 * (CPython: symtable.c). These rules depend on how a name was used in its scope before, which the
 * facts do not record; so this walk keeps a mark for each name of a scope. It is needed only if a
 * program has one of these statements. It follows CPython's order: in a comprehension the clauses
 * come before the element.
 */
#include "validator/rule/compile_internal.h"

#include <stdlib.h>

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

/* Marks of one symbol in open scopes hang together by mark.hidden, those of inner scopes first, so
 * that none is searched for. A scope's own hang together by mark.next, to be taken off when it
 * closes. */

/* A scope inside `outer`, which is NULL for the module's. */
static struct level level_open(struct names *names, struct level *outer, enum level_kind kind)
{
    bool binds = kind != LEVEL_COMPREHENSION && kind != LEVEL_OTHER;

    return (struct level){.binder = binds           ? NULL
                                    : outer->binder ? outer->binder
                                                    : outer,
                          .kind = kind,
                          .number = ++names->level_count,
                          .iterable = outer ? outer->iterable : 0};
}

static void level_close(struct names *names, const struct level *level)
{
    for (uint32_t i = level->marks; i; i = names->marks[i - 1].next)
        names->own[names->marks[i - 1].symbol] = names->marks[i - 1].hidden;
}

/* The symbol's mark in an open scope, made without flags if there is none. Valid until the next
 * one is made; NULL without memory. */
static struct mark *mark_find(struct names *names, struct level *level, uint32_t symbol)
{
    uint32_t *link;

    if (!ast_grow((void **)&names->marks, names->mark_count, &names->mark_size,
                  sizeof *names->marks, AST_FIRST_ROWS)) {
        names->compile->failed = true;
        return NULL;
    }
    link = &names->own[symbol];
    while (*link && names->marks[*link - 1].level > level->number)
        link = &names->marks[*link - 1].hidden;
    if (!*link || names->marks[*link - 1].level != level->number) {
        names->marks[names->mark_count] = (struct mark){
            .symbol = symbol, .level = level->number, .hidden = *link, .next = level->marks};
        *link = level->marks = ++names->mark_count;
    }
    return &names->marks[*link - 1];
}

/* Adds flags to it. In a comprehension's target it becomes a loop variable, which ':=' must not
 * have set. */
static void mark_add(struct names *names, struct level *level, uint32_t symbol, uint32_t at,
                     unsigned flags)
{
    struct mark *found = symbol == SYMBOL_NONE ? NULL : mark_find(names, level, symbol);

    if (!found)
        return;
    found->flags |= (uint8_t)flags;
    if (!level->target)
        return;
    if (found->flags & (MARK_GLOBAL | MARK_NONLOCAL))
        compile_report(names->compile, at,
                       "This loop of the comprehension would change '%s', which ':=' sets in it. "
                       "Choose another name for one of the two.",
                       compile_name(names->compile, symbol).text);
    found->flags |= MARK_ITERATION;
}

/* ---- the walk ---- */

static void walk(struct names *names, uint32_t at, struct level *level);

/* ---- global and nonlocal ---- */

/* The statement says it too late, or says it of a parameter. */
static void check_declared(struct names *names, struct level *level, uint32_t at, const char *word)
{
    uint32_t symbol = names->nodes[at].name;
    struct mark *found = mark_find(names, level, symbol);
    struct compile_name name;

    if (!found || !(found->flags & (MARK_PARAMETER | MARK_LOCAL | MARK_USED | MARK_ANNOTATED)))
        return;
    name = compile_name(names->compile, symbol);
    if (found->flags & MARK_PARAMETER)
        compile_report(names->compile, at,
                       "'%s' is a parameter and cannot be %s too. Delete this line, or rename the "
                       "parameter.",
                       name.text, word);
    else
        compile_report(names->compile, at,
                       "'%s' is %s before this line says that it is %s. Move '%s %s' to the top of "
                       "the function%s.",
                       name.text,
                       found->flags & MARK_USED        ? "used"
                       : found->flags & MARK_ANNOTATED ? "annotated"
                                                       : "assigned",
                       word, word, name.text,
                       level->kind == LEVEL_MODULE ? "; outside functions it is not needed" : "");
}

static void walk_declaration(struct names *names, uint32_t at, struct level *level)
{
    bool global = names->nodes[at].kind == NODE_GLOBAL;

    for (uint32_t child = names->nodes[at].child; child != NODE_NONE;
         child = names->nodes[child].next) {
        check_declared(names, level, child, global ? "global" : "nonlocal");
        mark_add(names, level, names->nodes[child].name, child,
                 global ? MARK_GLOBAL : MARK_NONLOCAL);
    }
}

/* ---- annotations ---- */

static void walk_annotation(struct names *names, uint32_t at, struct level *level)
{
    struct level inner;

    if (!names->compile->future_annotations) {
        walk(names, at, level);
        return;
    }
    inner = level_open(names, level, LEVEL_OTHER);
    walk(names, at, &inner);
    level_close(names, &inner);
}

static void check_annotated(struct names *names, uint32_t target, struct level *level)
{
    struct mark *found = mark_find(names, level, names->nodes[target].name);
    struct compile_name name = compile_name(names->compile, names->nodes[target].name);

    if (found && found->flags & (MARK_GLOBAL | MARK_NONLOCAL) && level->kind != LEVEL_MODULE)
        compile_report(names->compile, target,
                       "'%s' is declared %s here, so it cannot be annotated. Write %s = value "
                       "without the type.",
                       name.text, found->flags & MARK_GLOBAL ? "global" : "nonlocal", name.text);
}

static void walk_annotated(struct names *names, uint32_t at, struct level *level)
{
    const struct node *nodes = names->nodes;
    uint32_t target = nodes[at].child, annotation = nodes[target].next;
    bool simple = !(nodes[at].flags & NODE_PARENTHESIZED);

    if (nodes[target].kind != NODE_NAME) {
        walk(names, target, level);
    } else if (simple) {
        check_annotated(names, target, level);
        mark_add(names, level, nodes[target].name, target, MARK_ANNOTATED | MARK_LOCAL);
    } else if (nodes[annotation].next != NODE_NONE) {
        mark_add(names, level, nodes[target].name, target, MARK_LOCAL);
    }
    walk_annotation(names, annotation, level);
    if (nodes[annotation].next != NODE_NONE)
        walk(names, nodes[annotation].next, level);
}

/* ---- the walrus ---- */

/* True when the symbol is a loop variable of a comprehension inside the level. */
static bool is_iterated(const struct names *names, uint32_t symbol, const struct level *level)
{
    for (uint32_t i = names->own[symbol]; i && names->marks[i - 1].level > level->number;
         i = names->marks[i - 1].hidden)
        if (names->marks[i - 1].flags & MARK_ITERATION)
            return true;
    return false;
}

/* A walrus in a comprehension binds around it. */
static void extend(struct names *names, uint32_t target, struct level *level)
{
    uint32_t symbol = names->nodes[target].name;
    struct level *outer = level->binder;
    struct mark *found;

    if (is_iterated(names, symbol, outer)) {
        compile_report(names->compile, target,
                       "'%s' is the loop variable of this comprehension, so ':=' cannot set it. "
                       "Choose another name.",
                       compile_name(names->compile, symbol).text);
        return;
    }
    if (outer->kind == LEVEL_CLASS) {
        compile_report(names->compile, target,
                       "':=' cannot stand in a comprehension in a class body. Write a for loop.");
        return;
    }
    found = mark_find(names, outer, symbol);
    if (!found)
        return;
    if (outer->kind == LEVEL_MODULE || found->flags & MARK_GLOBAL) {
        mark_add(names, level, symbol, target, MARK_GLOBAL);
        mark_add(names, outer, symbol, target,
                 outer->kind == LEVEL_MODULE ? MARK_GLOBAL : MARK_LOCAL);
    } else {
        mark_add(names, level, symbol, target, MARK_NONLOCAL);
        mark_add(names, outer, symbol, target, MARK_LOCAL);
    }
}

static void walk_walrus(struct names *names, uint32_t at, struct level *level)
{
    uint32_t target = names->nodes[at].child;

    if (level->iterable)
        compile_report(names->compile, at,
                       "':=' cannot stand in what a comprehension loops over. Assign the value on "
                       "a line before.");
    else if (level->kind == LEVEL_COMPREHENSION)
        extend(names, target, level);
    walk(names, names->nodes[target].next, level);
    walk(names, target, level);
}

/* ---- scopes ---- */

static void walk_children(struct names *names, uint32_t at, struct level *level)
{
    const struct node *nodes = names->nodes;

    for (uint32_t child = nodes[at].child; child != NODE_NONE; child = nodes[child].next)
        walk(names, child, level);
}

/* CPython looks at the handlers behind else. */
static void walk_try(struct names *names, uint32_t at, struct level *level)
{
    const struct node *nodes = names->nodes;
    uint32_t handlers = nodes[nodes[at].child].next, child = handlers;

    walk(names, nodes[at].child, level);
    while (child != NODE_NONE && nodes[child].kind == NODE_HANDLER)
        child = nodes[child].next;
    if (child != NODE_NONE && nodes[child].kind == NODE_ELSE) {
        walk(names, child, level);
        child = nodes[child].next;
    }
    for (; nodes[handlers].kind == NODE_HANDLER; handlers = nodes[handlers].next)
        walk(names, handlers, level);
    if (child != NODE_NONE)
        walk(names, child, level);
}

static void walk_clause(struct names *names, uint32_t at, struct level *inner, struct level *around)
{
    const struct node *nodes = names->nodes;
    uint32_t part = nodes[at].child, iterable = nodes[part].next;

    if (around != inner) {
        around->iterable++;
        walk(names, iterable, around);
        around->iterable--;
    }
    inner->target = true;
    walk(names, part, inner);
    inner->target = false;
    if (around == inner) {
        inner->iterable++;
        walk(names, iterable, inner);
        inner->iterable--;
    }
    for (part = nodes[iterable].next; part != NODE_NONE; part = nodes[part].next)
        walk(names, part, inner);
}

static void walk_comprehension(struct names *names, uint32_t at, struct level *level)
{
    const struct node *nodes = names->nodes;
    struct level inner = level_open(names, level, LEVEL_COMPREHENSION), *around = level;

    for (uint32_t child = nodes[at].child; child != NODE_NONE; child = nodes[child].next)
        if (nodes[child].kind == NODE_COMPREHENSION) {
            walk_clause(names, child, &inner, around);
            around = &inner;
        }
    for (uint32_t child = nodes[at].child; nodes[child].kind != NODE_COMPREHENSION;
         child = nodes[child].next)
        walk(names, child, &inner);
    level_close(names, &inner);
}

static void walk_parameters(struct names *names, uint32_t at, struct level *level,
                            struct level *inner)
{
    const struct node *nodes = names->nodes;

    for (uint32_t child = nodes[at].child; child != NODE_NONE; child = nodes[child].next) {
        uint32_t part = nodes[child].child;

        mark_add(names, inner, nodes[child].name, child, MARK_PARAMETER);
        if (nodes[child].flags & NODE_HAS_ANNOTATION) {
            walk_annotation(names, part, level);
            part = nodes[part].next;
        }
        if (part != NODE_NONE)
            walk(names, part, level);
    }
}

/* FUNCTION, LAMBDA and CLASS. */
static void walk_definition(struct names *names, uint32_t at, struct level *level)
{
    const struct node *nodes = names->nodes;
    bool is_class = nodes[at].kind == NODE_CLASS;
    struct level inner = level_open(names, level, is_class ? LEVEL_CLASS : LEVEL_FUNCTION);

    for (uint32_t child = nodes[at].child; child != NODE_NONE; child = nodes[child].next) {
        if (nodes[child].kind == NODE_PARAMETERS)
            walk_parameters(names, child, level, &inner);
        else if (nodes[child].kind == NODE_RETURNS)
            walk_annotation(names, nodes[child].child, level);
        else
            walk(names, child, nodes[child].next == NODE_NONE ? &inner : level);
    }
    level_close(names, &inner);
}

/* A use of super is one of __class__ too; __debug__ is a constant by then. */
static void walk_name(struct names *names, uint32_t at, struct level *level)
{
    const struct node *node = &names->nodes[at];

    if (node->op == CONTEXT_LOAD && node->name == names->compile->debug)
        return;
    mark_add(names, level, node->name, at, node->op == CONTEXT_LOAD ? MARK_USED : MARK_LOCAL);
    if (node->op == CONTEXT_LOAD && level->kind == LEVEL_FUNCTION &&
        compile_name_is(names->compile, node->name, "super"))
        mark_add(names, level, symbols_find(&names->compile->ast->symbols, "__class__", 9), at,
                 MARK_USED);
}

static void walk(struct names *names, uint32_t at, struct level *level)
{
    const struct node *node = &names->nodes[at];

    switch (node->kind) {
    case NODE_NAME:
        walk_name(names, at, level);
        return;
    case NODE_FUNCTION:
    case NODE_CLASS:
        mark_add(names, level, node->name, at, MARK_LOCAL);
        walk_definition(names, at, level);
        return;
    case NODE_LAMBDA:
        walk_definition(names, at, level);
        return;
    case NODE_LIST_COMPREHENSION:
    case NODE_SET_COMPREHENSION:
    case NODE_DICT_COMPREHENSION:
    case NODE_GENERATOR:
        walk_comprehension(names, at, level);
        return;
    case NODE_WALRUS:
        walk_walrus(names, at, level);
        return;
    case NODE_ANNOTATED:
        walk_annotated(names, at, level);
        return;
    case NODE_GLOBAL:
    case NODE_NONLOCAL:
        walk_declaration(names, at, level);
        return;
    case NODE_TRY:
        walk_try(names, at, level);
        return;
    case NODE_IMPORT:
    case NODE_IMPORT_FROM: /* CPython lets global come behind an import of the name */
        return;
    case NODE_HANDLER:
    case NODE_MATCH_STAR:
    case NODE_MATCH_AS:
        mark_add(names, level, node->name, at, MARK_LOCAL);
        break;
    default:
        break;
    }
    walk_children(names, at, level);
}

void compile_names(struct compile *compile)
{
    struct names names = {.compile = compile, .nodes = compile->nodes};
    struct level module = level_open(&names, NULL, LEVEL_MODULE);

    names.own = calloc((size_t)compile->ast->symbols.count + 1, sizeof *names.own);
    if (names.own)
        walk_children(&names, 0, &module);
    compile->failed |= !names.own;
    free(names.own);
    free(names.marks);
}
