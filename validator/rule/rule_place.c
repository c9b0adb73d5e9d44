/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names that are allowed in their own places only. numpy's ndarray is a type to ask for: called, or
 * as a base, it makes objects of any bytes. TypedDict is a base: called, it makes a class whose
 * fields are any text, of which dataclass, called, makes code; so does type, as a value or a base.
 * matrix, as a base, gives a class's own attributes the meaning of an array's.
 * wraps, with more than functions, stores attributes by their names.
 * numpy's r_ and c_ take slices and arrays: of text they look names up.
 */
#include "validator/rule/judge.h"

#include "validator/syntax/keyword.h"

static bool is_annotation(const struct judge *judge, const struct site *site)
{
    const struct node *parent = judge_node(judge, site->parent);

    switch (parent->kind) {
    case NODE_PARAMETER:
        return (parent->flags & NODE_HAS_ANNOTATION) && parent->child == site->node;
    case NODE_ANNOTATED:
        return judge_node(judge, parent->child)->next == site->node;
    default:
        return parent->kind == NODE_RETURNS;
    }
}

/* An argument of isinstance() or a part of an index, with or without brackets around it. */
static bool is_asked_for(struct judge *judge, const struct site *site)
{
    uint32_t node = site->node, parent = site->parent;

    while (parent != FACTS_NONE && (judge_node(judge, parent)->kind == NODE_TUPLE ||
                                    judge_node(judge, parent)->kind == NODE_LIST)) {
        node = parent;
        parent = judge_parent(judge, node);
    }
    if (parent == FACTS_NONE)
        return false;
    if (judge_node(judge, parent)->kind == NODE_SUBSCRIPT)
        return judge_node(judge, parent)->child != node;
    if (judge_node(judge, parent)->kind != NODE_CALL)
        return false;
    parent = judge_node(judge, parent)->child;
    return parent != node && judge_node(judge, parent)->kind == NODE_NAME &&
           (judge_is_text(judge, parent, "isinstance") ||
            judge_is_text(judge, parent, "issubclass"));
}

static bool is_type_in_place(struct judge *judge, const struct site *site)
{
    const struct node *parent = judge_node(judge, site->parent);

    return is_annotation(judge, site) || is_asked_for(judge, site) ||
           parent->kind == NODE_ATTRIBUTE || parent->kind == NODE_COMPARE ||
           parent->kind == NODE_EXPRESSION || parent->kind == NODE_BROKEN ||
           parent->kind == NODE_BINARY || parent->kind == NODE_SUBSCRIPT ||
           parent->kind == NODE_MATCH_CLASS;
}

static bool is_index_in_place(struct judge *judge, const struct site *site)
{
    const struct node *parent = judge_node(judge, site->parent);
    size_t len;

    return parent->kind == NODE_SUBSCRIPT && parent->child == site->node &&
           !judge_text(judge, judge_node(judge, site->node)->next, &len, NULL);
}

/* @dataclass, @dataclass(order=True) */
static bool is_decorator(struct judge *judge, const struct site *site)
{
    uint32_t parent = site->parent;

    if (judge_is_called(judge, site)) {
        for (uint32_t argument = judge_first_argument(judge, site->node); argument;
             argument = judge_node(judge, argument)->next)
            if (judge_node(judge, argument)->kind != NODE_KEYWORD)
                return false;
        parent = judge_parent(judge, parent);
    }
    return parent != FACTS_NONE && judge_node(judge, parent)->kind == NODE_DECORATOR;
}

/* wraps(f), update_wrapper(g, f): what follows would be names of attributes. */
static bool is_wrapper(struct judge *judge, const struct site *site)
{
    size_t left = judge_is_text(judge, site->node, "wraps") ? 1 : 2;

    if (!judge_is_called(judge, site))
        return false;
    for (uint32_t argument = judge_first_argument(judge, site->node); argument;
         argument = judge_node(judge, argument)->next) {
        enum node_kind kind = judge_node(judge, argument)->kind;

        if (kind == NODE_STARRED || kind == NODE_KEYWORD || kind == NODE_DOUBLE_STARRED || !left)
            return false;
        left--;
    }
    return true;
}

static const struct {
    enum policy_role role;
    bool (*is_in_place)(struct judge *judge, const struct site *site);
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

static bool is_base(const struct judge *judge, const struct site *site)
{
    return judge_node(judge, site->parent)->kind == NODE_CLASS;
}

/* map(type, x), df["a"].apply(type): each is asked for its type. */
static bool is_mapped(const struct judge *judge, const struct site *site)
{
    static const char mappers[] = "apply applymap filter groupby isinstance issubclass map";
    const struct node *call = judge_node(judge, site->parent);
    enum node_kind kind;
    size_t count = 0, len;
    const char *name;

    if (call->kind != NODE_CALL)
        return false;
    kind = judge_node(judge, call->child)->kind;
    if (kind != NODE_NAME && kind != NODE_ATTRIBUTE)
        return false;
    name = ast_name(judge->ast, call->child, &len);
    for (uint32_t argument = judge_first_argument(judge, call->child); argument && count <= 2;
         count++) {
        kind = judge_node(judge, argument)->kind;
        if (kind == NODE_STARRED || kind == NODE_DOUBLE_STARRED || kind == NODE_KEYWORD)
            return false;
        argument = judge_node(judge, argument)->next;
    }
    return count <= 2 && policy_has_word(mappers, name, len);
}

static void refuse(struct judge *judge, uint32_t node, const char *advice)
{
    report_add(judge->report, "forbidden-name", judge_node(judge, node)->at, "'%.*s' %s",
               judge_shown(judge, node), advice);
}

static void judge_site(struct judge *judge, const struct site *site)
{
    unsigned roles = judge_word(judge, site->node)->roles;

    if (judge_node(judge, site->node)->op != CONTEXT_LOAD)
        return;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if ((roles & places[i].role) && !places[i].is_in_place(judge, site))
            refuse(judge, site->node, places[i].advice);
    if ((roles & ROLE_NO_BASE) && is_base(judge, site))
        refuse(judge, site->node, "is no base of classes: keep the array in an attribute.");
    if ((roles & ROLE_BASE) && !is_base(judge, site))
        refuse(judge, site->node, "is only allowed as a base: class Node(TypedDict): ...");
}

/* from numpy import ndarray as a */
static void judge_imports(struct judge *judge)
{
    const struct site_list *imports = &judge->facts->imports;

    for (uint32_t i = 0; i < imports->count; i++) {
        uint32_t node = imports->rows[i].node, bound = judge_node(judge, node)->child;

        if ((judge_word(judge, node)->roles & ROLES_OF_PLACE) && bound &&
            judge_node(judge, bound)->name != judge_node(judge, node)->name)
            refuse(judge, node, "must keep its own name. Leave 'as' away.");
    }
}

/* type itself, where the program has no variable of that name. */
static void judge_type(struct judge *judge, const struct site *site)
{
    if ((judge_word(judge, site->node)->roles & ROLE_TYPE) && site->binding == FACTS_NONE &&
        !judge_is_called(judge, site) && !is_type_in_place(judge, site) && !is_mapped(judge, site))
        refuse(judge, site->node,
               "makes classes of text, so it is only allowed as type(x) and in annotations.");
}

void rule_place(struct judge *judge)
{
    const struct facts *facts = judge->facts;

    if (!(judge->roles & (ROLES_OF_PLACE | ROLE_TYPE)))
        return;
    for (uint32_t i = 0; i < facts->names.count; i++) {
        judge_site(judge, &facts->names.rows[i]);
        judge_type(judge, &facts->names.rows[i]);
    }
    for (uint32_t i = 0; i < facts->attributes.count; i++)
        judge_site(judge, &facts->attributes.rows[i]);
    judge_imports(judge);
}
