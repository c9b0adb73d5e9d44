/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names that are allowed only in certain places. numpy's ndarray is only for type checks: called,
 * or as a base, it makes objects from arbitrary bytes. TypedDict is only a base: called, it makes a
 * class whose fields are arbitrary texts, from which dataclass, called, makes code; the same
 * applies to type, as a value or a base. matrix, as a base, gives a class's attributes the meaning
 * of an array's. wraps, if given more than functions, stores attributes by name. numpy's r_ and c_
 * take slices and arrays: they look up names in texts.
 */
#include "validator/rule/check_internal.h"

#include "validator/syntax/tokenizer.h"

static bool is_annotation(const struct check *check, const struct site *site)
{
    const struct node *parent = check_node(check, site->parent);

    switch (parent->kind) {
    case NODE_PARAMETER:
        return (parent->flags & NODE_HAS_ANNOTATION) && parent->child == site->node;
    case NODE_ANNOTATED:
        return check_node(check, parent->child)->next == site->node;
    default:
        return parent->kind == NODE_RETURNS;
    }
}

/* An argument of isinstance() or a part of an index, with or without brackets around it. */
static bool is_asked_for(struct check *check, const struct site *site)
{
    uint32_t node = site->node, parent = site->parent;

    while (parent != FACTS_NONE && (check_node(check, parent)->kind == NODE_TUPLE ||
                                    check_node(check, parent)->kind == NODE_LIST)) {
        node = parent;
        parent = check_parent(check, node);
    }
    if (parent == FACTS_NONE)
        return false;
    if (check_node(check, parent)->kind == NODE_SUBSCRIPT)
        return check_node(check, parent)->child != node;
    if (check_node(check, parent)->kind != NODE_CALL)
        return false;
    parent = check_node(check, parent)->child;
    return parent != node && check_node(check, parent)->kind == NODE_NAME &&
           (check_is_text(check, parent, "isinstance") ||
            check_is_text(check, parent, "issubclass"));
}

static bool is_type_in_place(struct check *check, const struct site *site)
{
    const struct node *parent = check_node(check, site->parent);

    return is_annotation(check, site) || is_asked_for(check, site) ||
           parent->kind == NODE_ATTRIBUTE || parent->kind == NODE_COMPARE ||
           parent->kind == NODE_EXPRESSION || parent->kind == NODE_BROKEN ||
           parent->kind == NODE_BINARY || parent->kind == NODE_SUBSCRIPT ||
           parent->kind == NODE_MATCH_CLASS;
}

static bool is_index_in_place(struct check *check, const struct site *site)
{
    const struct node *parent = check_node(check, site->parent);
    size_t len;

    return parent->kind == NODE_SUBSCRIPT && parent->child == site->node &&
           !check_text(check, check_node(check, site->node)->next, &len, NULL);
}

/* @dataclass, @dataclass(order=True) */
static bool is_decorator(struct check *check, const struct site *site)
{
    uint32_t parent = site->parent;

    if (check_is_called(check, site)) {
        for (uint32_t argument = check_first_argument(check, site->node); argument;
             argument = check_node(check, argument)->next)
            if (check_node(check, argument)->kind != NODE_KEYWORD)
                return false;
        parent = check_parent(check, parent);
    }
    return parent != FACTS_NONE && check_node(check, parent)->kind == NODE_DECORATOR;
}

/* The number of a call's arguments; SIZE_MAX where one is starred or has a name. */
static size_t plain_arguments(const struct check *check, uint32_t function)
{
    size_t count = 0;

    for (uint32_t argument = check_first_argument(check, function); argument;
         argument = check_node(check, argument)->next, count++) {
        enum node_kind kind = check_node(check, argument)->kind;

        if (kind == NODE_STARRED || kind == NODE_DOUBLE_STARRED || kind == NODE_KEYWORD)
            return SIZE_MAX;
    }
    return count;
}

/* wraps(f), update_wrapper(g, f): what follows would be names of attributes. */
static bool is_wrapper(struct check *check, const struct site *site)
{
    return check_is_called(check, site) && plain_arguments(check, site->node) <=
                                               (check_is_text(check, site->node, "wraps") ? 1 : 2);
}

static const struct {
    enum policy_role role;
    bool (*is_in_place)(struct check *check, const struct site *site);
    const char *advice;
} places[] = {
    {ROLE_ASKED_FOR, is_type_in_place,
     "is only allowed in isinstance() and in annotations. Make arrays with np.array(), np.zeros() "
     "or np.full()."},
    {ROLE_INDEXED, is_index_in_place,
     "is only allowed with arrays and slices in brackets. Use np.concatenate()."},
    {ROLE_DECORATOR, is_decorator, "is only allowed as a decorator: @dataclass."},
    {ROLE_WRAPPER, is_wrapper,
     "is only called with functions: wraps(f), update_wrapper(wrapper, f)."},
};

static bool is_base(const struct check *check, const struct site *site)
{
    return check_node(check, site->parent)->kind == NODE_CLASS;
}

/* map(type, x), df["a"].apply(type): each is asked for its type. */
static bool is_mapped(const struct check *check, const struct site *site)
{
    const struct node *call = check_node(check, site->parent);
    enum node_kind kind = check_node(check, call->child)->kind;

    return call->kind == NODE_CALL && (kind == NODE_NAME || kind == NODE_ATTRIBUTE) &&
           plain_arguments(check, call->child) <= 2 &&
           check_has_word(check, call->child,
                          "apply applymap filter groupby isinstance issubclass map");
}

static void refuse(struct check *check, uint32_t node, const char *advice)
{
    check_report(check, "forbidden-name", node, "'%.*s' %s", check_shown(check, node), advice);
}

static void check_site(struct check *check, const struct site *site)
{
    unsigned roles = check_word(check, site->node)->roles;

    if (check_node(check, site->node)->op != CONTEXT_LOAD)
        return;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if ((roles & places[i].role) && !places[i].is_in_place(check, site))
            refuse(check, site->node, places[i].advice);
    if ((roles & ROLE_NO_BASE) && is_base(check, site))
        refuse(check, site->node, "cannot be a base class: keep the array in an attribute.");
    if ((roles & ROLE_BASE) && !is_base(check, site))
        refuse(check, site->node, "is only allowed as a base: class Node(TypedDict): ...");
}

/* from numpy import ndarray as a */
static void refuse_renamed(struct check *check, uint32_t node, uint32_t bound)
{
    (void)bound;
    refuse(check, node, "must keep its own name. Leave 'as' away.");
}

/* type itself, where the program has no variable of that name. */
static void check_type(struct check *check, const struct site *site)
{
    if ((check_word(check, site->node)->roles & ROLE_TYPE) && site->binding == FACTS_NONE &&
        !check_is_called(check, site) && !is_type_in_place(check, site) && !is_mapped(check, site))
        refuse(check, site->node,
               "makes classes of text, so it is only allowed as type(x) and in annotations.");
}

void rule_place(struct check *check)
{
    const struct facts *facts = check->facts;

    if (!(check->roles & (ROLE_ANY_PLACE | ROLE_TYPE)))
        return;
    for (uint32_t i = 0; i < facts->names.count; i++) {
        check_site(check, &facts->names.rows[i]);
        check_type(check, &facts->names.rows[i]);
    }
    for (uint32_t i = 0; i < facts->attributes.count; i++)
        check_site(check, &facts->attributes.rows[i]);
    check_renamed(check, ROLE_ANY_PLACE, refuse_renamed);
}

/* ---- type(x) gives a type; type(...) of more makes a class from text ---- */

/* By the symbol: its site is not at hand. */
static bool names_self(const struct check *check, uint32_t name, uint32_t scope)
{
    uint32_t first = check->facts->scopes[scope].first_binding;

    return check_is_self(check, first, scope) &&
           check->facts->bindings[first].symbol == check_node(check, name)->name;
}

/* type(x)(1, 2): of an array's type, it makes arrays of any bytes. type(self)(1, 2) is a class of
 * the program. */
static bool calls_any(struct check *check, const struct site *site)
{
    uint32_t call = check_parent(check, site->parent);
    uint32_t what = check_first_argument(check, site->node);
    uint32_t first;

    if (!check->has_arrays || call == FACTS_NONE || check_node(check, call)->kind != NODE_CALL ||
        check_node(check, call)->child != site->parent)
        return false;
    first = check_node(check, site->parent)->next;
    if (!first ||
        (!check_node(check, first)->next && check_node(check, first)->kind != NODE_STARRED &&
         check_node(check, first)->kind != NODE_DOUBLE_STARRED))
        return false;
    return check_node(check, what)->kind != NODE_NAME || !names_self(check, what, site->scope);
}

/* type(x)(name, (bases), namespace), and what makes a class by the type in another way. */
static bool calls_made(struct check *check, uint32_t type_call)
{
    uint32_t call = check_parent(check, type_call), second, third;

    /* class M(type(A)), class B(metaclass=type(A)) */
    if (call != FACTS_NONE && (check_node(check, call)->kind == NODE_CLASS ||
                               (check_node(check, call)->kind == NODE_KEYWORD &&
                                check_is_text(check, call, "metaclass"))))
        return true;
    if (call == FACTS_NONE || check_node(check, call)->kind != NODE_CALL ||
        check_node(check, call)->child != type_call || !check_node(check, type_call)->next)
        return false;
    second = check_node(check, check_first_argument(check, type_call))->next;
    third = check_node(check, second)->next;
    return second && check_node(check, second)->kind == NODE_TUPLE && third &&
           !check_node(check, third)->next;
}

static void check_type_call(struct check *check, const struct site *site)
{
    if (!check_is_called(check, site))
        return;
    if (plain_arguments(check, site->node) > 1 || calls_made(check, site->parent))
        check_report(check, "forbidden-name", site->node,
                     "type(...) with more than one argument makes a class from text. Write a "
                     "class statement.");
    else if (calls_any(check, site))
        check_report(check, "forbidden-name", site->node,
                     "type(x)(...) with more than one argument is only allowed as "
                     "type(self)(...). Call the class by its name.");
}

void rule_type(struct check *check)
{
    check_each(check, &check->facts->names, ROLE_TYPE, check_type_call);
}
