/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Walks the whole tree once, collects texts in five lists, sorts them and writes them down.
 */
#include "validator/facts/facts_json.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"

#define DOTS_OF_NODE 255

enum fact { FACT_IMPORT, FACT_NAME, FACT_ATTRIBUTE, FACT_OTHER, FACT_STRING, FACT_COUNT };

static const char *const keys[FACT_COUNT] = {"imports", "names", "attributes", "other", "strings"};

struct item {
    const char *text; /* borrowed from the tree; NULL while it is a place in collector.made */
    size_t at, len;
};

struct list {
    struct item *items; /* owned */
    size_t count, size;
};

struct collector {
    const struct ast *ast;
    struct list lists[FACT_COUNT];
    struct buf made; /* "..mod:name", which stands nowhere as it is */
    bool surrogate;
    bool failed;
};

static void add(struct collector *collector, enum fact fact, struct item item)
{
    struct list *list = &collector->lists[fact];

    if (list->count == list->size) {
        size_t size = list->size ? list->size * 2 : 64;
        struct item *grown = reallocarray(list->items, size, sizeof *grown);

        if (!grown) {
            collector->failed = true;
            return;
        }
        list->items = grown;
        list->size = size;
    }
    list->items[list->count++] = item;
}

static void add_name(struct collector *collector, enum fact fact, uint32_t node)
{
    struct item item = {0};

    item.text = ast_name(collector->ast, node, &item.len);
    if (item.len > 0)
        add(collector, fact, item);
}

static void add_string(struct collector *collector, uint32_t node)
{
    struct item item = {0};

    collector->surrogate |= (ast_node(collector->ast, node)->flags & NODE_SURROGATE) != 0;
    item.text = ast_text(collector->ast, node, &item.len);
    if (item.len == 0)
        item.text = "";
    add(collector, FACT_STRING, item);
}

/* The dots of `from ..mod import`. The node counts as far as it can; beyond, the source is read,
 * where only dots, blanks and joined lines can stand. */
static unsigned count_dots(const struct ast *ast, uint32_t statement)
{
    const struct node *row = ast_node(ast, statement);
    unsigned dots = row->op;
    size_t at = row->at + sizeof "from" - 1;

    if (dots < DOTS_OF_NODE)
        return dots;
    for (dots = 0; at < ast->len && strchr(". \t\f\\\r\n", ast->source[at]); at++)
        dots += ast->source[at] == '.';
    return dots;
}

/* One of the names of `from ..mod import name`. */
static void add_import_from(struct collector *collector, uint32_t statement, uint32_t alias)
{
    struct buf *made = &collector->made;
    struct item item = {.at = made->len};
    unsigned dots = count_dots(collector->ast, statement);
    const char *text;
    size_t len;

    for (unsigned i = 0; i < dots; i++)
        buf_addc(made, '.');
    text = ast_name(collector->ast, statement, &len);
    buf_add(made, text, len);
    buf_addc(made, ':');
    text = ast_name(collector->ast, alias, &len);
    buf_add(made, text, len);
    item.len = made->len - item.at;
    add(collector, FACT_IMPORT, item);
}

static void add_node(struct collector *collector, uint32_t node, uint32_t parent)
{
    const struct node *row = ast_node(collector->ast, node);
    unsigned parent_kind = ast_node(collector->ast, parent)->kind;

    switch (row->kind) {
    case NODE_ALIAS:
        if (parent_kind == NODE_IMPORT_FROM)
            add_import_from(collector, parent, node);
        else
            add_name(collector, FACT_IMPORT, node);
        break;
    case NODE_BINDING: /* what an import binds without `as` is no name of its own */
        if (parent_kind != NODE_ALIAS || row->flags & NODE_AS)
            add_name(collector, FACT_OTHER, node);
        break;
    case NODE_NAME:
        add_name(collector, FACT_NAME, node);
        break;
    case NODE_ATTRIBUTE:
        add_name(collector, FACT_ATTRIBUTE, node);
        break;
    case NODE_FUNCTION:
    case NODE_CLASS:
    case NODE_PARAMETER:
    case NODE_KEYWORD:
    case NODE_HANDLER:
    case NODE_MATCH_KEYWORD:
    case NODE_MATCH_STAR:
    case NODE_MATCH_AS:
        add_name(collector, FACT_OTHER, node);
        break;
    case NODE_STRING:
        add_string(collector, node);
        break;
    default: /* has neither name nor text */
        break;
    }
}

/* The tree is never deeper than VALIDATOR_TREE_CAP.
 */
static void walk(struct collector *collector, uint32_t node, uint32_t parent)
{
    add_node(collector, node, parent);
    for (uint32_t child = ast_node(collector->ast, node)->child; child != NODE_NONE;
         child = ast_node(collector->ast, child)->next)
        walk(collector, child, node);
}

/* UTF-8 sorts by code points when its bytes are compared. */
static int compare(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    size_t shorter = a->len < b->len ? a->len : b->len;
    int order = shorter ? memcmp(a->text, b->text, shorter) : 0;

    return order ? order : (a->len > b->len) - (a->len < b->len);
}

static void write_list(const struct collector *collector, struct list *list, struct buf *to)
{
    for (size_t i = 0; i < list->count; i++)
        if (!list->items[i].text)
            list->items[i].text = collector->made.data + list->items[i].at;
    if (list->count > 1)
        qsort(list->items, list->count, sizeof *list->items, compare);
    buf_addc(to, '[');
    for (size_t i = 0; i < list->count; i++) {
        if (i > 0 && compare(&list->items[i - 1], &list->items[i]) == 0)
            continue;
        if (i > 0)
            buf_addc(to, ',');
        json_write_string(to, list->items[i].text, list->items[i].len);
    }
    buf_addc(to, ']');
}

void facts_json(const struct ast *ast, struct buf *to)
{
    struct collector collector = {.ast = ast};

    walk(&collector, 0, 0);
    to->failed |= collector.failed || collector.made.failed;
    for (size_t i = 0; i < FACT_COUNT; i++) {
        buf_addf(to, "%s\"%s\":", i > 0 ? "," : "{", keys[i]);
        if (i == FACT_STRING && collector.surrogate)
            buf_adds(to, "null");
        else if (!to->failed)
            write_list(&collector, &collector.lists[i], to);
        free(collector.lists[i].items);
    }
    buf_addc(to, '}');
    buf_finish(&collector.made);
}
