/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The order and the chapters of a CASE framework, from its associations isChildOf. The edges are
 * sorted by parent and rank, then walked with a stack of our own: a framework may be as deep as it
 * has items. Pure.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "helpers/base/cleanup.h"
#include "helpers/base/json.h"
#include "mcp/format/case.h"

#define NO_ITEM SIZE_MAX

/* An edge of the tree. The children of the document, and items without a parent, have the number of
 * items as their parent. */
struct branch {
    size_t parent, child;
    double rank;      /* sequenceNumber; INFINITY if there is none */
    const char *code; /* borrowed; NULL: none */
};

struct tree {
    const json_t *items;
    size_t count; /* of items */
    struct branch *branches;
    size_t branch_count;
    size_t *first;  /* of the branches of a parent */
    size_t *parent; /* under which an item was visited; NO_ITEM: none */
    size_t *order;  /* items as they were visited */
    size_t visited;
    bool *seen;
};

static const char *code_of(const json_t *item)
{
    const char *code = json_get_string(item, "humanCodingScheme");

    return code && *code ? code : NULL;
}

static int compare_branches(const void *a, const void *b)
{
    const struct branch *left = a, *right = b;
    int order;

    if (left->parent != right->parent)
        return left->parent < right->parent ? -1 : 1;
    if (left->rank < right->rank || left->rank > right->rank)
        return left->rank < right->rank ? -1 : 1;
    if (!left->code != !right->code)
        return left->code ? -1 : 1;
    order = left->code ? strverscmp(left->code, right->code) : 0;
    if (order != 0)
        return order;
    return left->child < right->child ? -1 : left->child > right->child;
}

/* Identifier -> index of the first item that has it. */
static json_t *index_items(const json_t *items)
{
    json_t *places = json_object(), *item;
    size_t i;

    json_array_foreach((json_t *)items, i, item)
    {
        const char *identifier = json_get_string(item, "identifier");

        if (identifier && !json_object_get(places, identifier))
            json_object_set_new(places, identifier, json_integer((json_int_t)i));
    }
    return places;
}

static size_t place_of(const json_t *places, const json_t *association, const char *end)
{
    const char *identifier = json_get_string(json_object_get(association, end), "identifier");
    const json_t *place = identifier ? json_object_get(places, identifier) : NULL;

    return place ? (size_t)json_integer_value(place) : NO_ITEM;
}

static void add_branch(struct tree *tree, size_t parent, size_t child, const json_t *rank)
{
    tree->branches[tree->branch_count++] = (struct branch){
        .parent = parent,
        .child = child,
        .rank = json_is_number(rank) ? json_number_value(rank) : __builtin_inf(),
        .code = code_of(json_array_get(tree->items, child)),
    };
}

/* The number of branches that associations give. */
static size_t read_branches(struct tree *tree, const json_t *package)
{
    json_auto_t *places = index_items(tree->items);
    const char *document = json_get_string(json_object_get(package, "CFDocument"), "identifier");
    const json_t *association;
    size_t i, given;

    json_array_foreach(json_object_get(package, "CFAssociations"), i, association)
    {
        size_t child = place_of(places, association, "originNodeURI"),
               parent = place_of(places, association, "destinationNodeURI");
        const char *end =
            json_get_string(json_object_get(association, "destinationNodeURI"), "identifier");

        if (!json_string_is(association, "associationType", CASE_CHILD) || child == NO_ITEM ||
            child == parent)
            continue;
        if (parent == NO_ITEM && document && end && strcasecmp(document, end) == 0)
            parent = tree->count;
        if (parent == NO_ITEM)
            continue;
        add_branch(tree, parent, child, json_object_get(association, "sequenceNumber"));
        tree->seen[child] = true; /* has a parent */
    }
    given = tree->branch_count;
    for (size_t v = 0; v < tree->count; v++) {
        if (!tree->seen[v])
            add_branch(tree, tree->count, v, NULL);
        tree->seen[v] = false;
    }
    return given;
}

/* The next branch of each item on the way down is in next; the stack is the way itself. */
static void walk(struct tree *tree, size_t start, size_t *stack, size_t *next)
{
    size_t depth = 0;

    stack[depth++] = start;
    while (depth > 0) {
        size_t parent = stack[depth - 1], child;

        if (next[parent] == tree->branch_count || tree->branches[next[parent]].parent != parent) {
            depth--;
            continue;
        }
        child = tree->branches[next[parent]++].child;
        if (tree->seen[child])
            continue;
        tree->seen[child] = true;
        tree->parent[child] = parent < tree->count ? parent : NO_ITEM;
        tree->order[tree->visited++] = child;
        stack[depth++] = child;
    }
}

static void visit_all(struct tree *tree, size_t *stack, size_t *next)
{
    qsort(tree->branches, tree->branch_count, sizeof *tree->branches, compare_branches);
    for (size_t v = 0; v <= tree->count; v++)
        tree->first[v] = next[v] = tree->branch_count;
    for (size_t i = tree->branch_count; i-- > 0;)
        tree->first[tree->branches[i].parent] = next[tree->branches[i].parent] = i;
    walk(tree, tree->count, stack, next);
    for (size_t v = 0; v < tree->count; v++) { /* circles, which nothing above leads to */
        if (tree->seen[v])
            continue;
        tree->seen[v] = true;
        tree->parent[v] = NO_ITEM;
        tree->order[tree->visited++] = v;
        walk(tree, v, stack, next);
    }
}

/* ---- chapters ---- */

/* The item whose title is the chapter of item v, or NO_ITEM. */
static size_t chapter_of(const struct tree *tree, size_t v)
{
    bool heads = tree->first[v] < tree->branch_count;

    return tree->parent[v] != NO_ITEM ? tree->parent[v] : heads ? v : NO_ITEM;
}

/* The title, and what tells it from an equal one: the code, or the title above it. */
static json_t *chapter_title(const struct tree *tree, const json_t *nodes, const json_t *taken,
                             size_t v)
{
    json_t *title = json_object_get(json_array_get(nodes, v), "title");
    const char *text = json_string_value(title), *code = code_of(json_array_get(tree->items, v));
    const char *above = tree->parent[v] != NO_ITEM
                            ? json_get_string(json_array_get(nodes, tree->parent[v]), "title")
                            : NULL;

    if (!text || !json_object_get(taken, text))
        return json_incref(title);
    if (code)
        return json_sprintf("%s (%s)", text, code);
    return above ? json_sprintf("%s: %s", above, text) : json_incref(title);
}

static void set_chapters(const struct tree *tree, json_t *nodes)
{
    static const char *const own[] = {"chapter", "chapter_id", "section"};
    json_auto_t *taken = json_object(), *names = json_object();
    json_int_t number = 0;

    for (size_t i = 0; i < tree->count; i++) {
        json_t *node = json_array_get(nodes, tree->order[i]), *name;
        size_t chapter = chapter_of(tree, tree->order[i]);
        bool has_own = !json_is_object(node) || chapter == NO_ITEM;
        char key[24];

        for (size_t k = 0; k < sizeof own / sizeof *own; k++)
            has_own = has_own || json_object_get(node, own[k]);
        if (has_own)
            continue;
        snprintf(key, sizeof key, "%zu", chapter);
        name = json_object_get(names, key);
        if (!name) {
            json_t *title = chapter_title(tree, nodes, taken, chapter);

            if (json_string_length(title) == 0) {
                json_decref(title);
                continue;
            }
            json_object_set_new(taken, json_string_value(title), json_true());
            name = json_pack("[o, I]", title, ++number);
            json_object_set_new(names, key, name);
        }
        json_object_set(node, "chapter", json_array_get(name, 0));
        json_object_set(node, "chapter_id", json_array_get(name, 1));
    }
}

static int sort_nodes(const struct tree *tree, json_t *nodes)
{
    json_auto_t *before = json_copy(nodes);

    json_array_clear(nodes);
    for (size_t i = 0; i < tree->count; i++)
        json_array_append(nodes, json_array_get(before, tree->order[i]));
    return before && json_array_size(nodes) == tree->count ? 0 : -1;
}

int case_arrange(json_t *nodes, const json_t *package, struct error *err)
{
    const json_t *items = json_object_get(package, "CFItems");
    size_t count = json_array_size(items), slots = count + 1,
           most = count + json_array_size(json_object_get(package, "CFAssociations")) + 1;
    cleanup_free struct branch *branches = calloc(most, sizeof *branches);
    cleanup_free size_t *first = calloc(slots, sizeof *first),
                        *parent = calloc(slots, sizeof *parent),
                        *order = calloc(slots, sizeof *order),
                        *stack = calloc(slots + 1, sizeof *stack),
                        *next = calloc(slots, sizeof *next);
    cleanup_free bool *seen = calloc(slots, sizeof *seen);
    struct tree tree = {.items = items,
                        .count = count,
                        .branches = branches,
                        .first = first,
                        .parent = parent,
                        .order = order,
                        .seen = seen};

    if (!branches || !first || !parent || !order || !stack || !next || !seen)
        return error_set(err, ERROR_MEMORY, "out of memory for the order of a framework");
    if (json_array_size(nodes) != count || read_branches(&tree, package) == 0)
        return 0;
    visit_all(&tree, stack, next);
    set_chapters(&tree, nodes);
    if (sort_nodes(&tree, nodes) < 0)
        return error_set(err, ERROR_MEMORY, "out of memory for the order of a framework");
    return 0;
}
