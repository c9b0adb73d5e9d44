/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes what the parser finds in one program, as a line of JSON.
 */
#include "tests/oracle/facts_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "tests/oracle/encoding.h"
#include "validator/facts/facts.h"
#include "validator/report.h"
#include "validator/syntax/ast.h"

/* ---- the facts ---- */

#define DOTS_OF_NODE 255

enum fact { FACT_IMPORT, FACT_NAME, FACT_ATTRIBUTE, FACT_OTHER, FACT_STRING, FACT_COUNT };

static const char *const keys[FACT_COUNT] = {"imports", "names", "attributes", "other", "strings"};

struct item {
    const char *text; /* borrowed from the tree; NULL while it is an offset in collector.made */
    size_t at, len;
};

struct list {
    struct item *items; /* owned */
    uint32_t count, size;
};

struct collector {
    const struct ast *ast;
    struct list lists[FACT_COUNT];
    struct buf made; /* "..mod:name", which is not in the source as such */
    bool surrogate;
    bool failed;
};

static void add(struct collector *collector, enum fact fact, struct item item)
{
    struct list *list = &collector->lists[fact];

    if (!ast_grow((void **)&list->items, list->count, &list->size, sizeof *list->items,
                  AST_FIRST_ROWS)) {
        collector->failed = true;
        return;
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

/* The dots of `from ..mod import`. The node counts up to its limit; beyond that the source is read,
 * where only dots, spaces and joined lines can be. */
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

static void add_names(struct collector *collector, enum fact fact, const struct site_list *sites)
{
    for (uint32_t i = 0; i < sites->count; i++)
        add_name(collector, fact, sites->rows[i].node);
}

static void collect(struct collector *collector, const struct facts *facts)
{
    const struct node *nodes = collector->ast->nodes;

    add_names(collector, FACT_NAME, &facts->names);
    add_names(collector, FACT_ATTRIBUTE, &facts->attributes);
    for (uint32_t i = 0; i < facts->imports.count; i++) {
        const struct site *site = &facts->imports.rows[i];

        if (nodes[site->parent].kind == NODE_IMPORT_FROM)
            add_import_from(collector, site->parent, site->node);
        else
            add_name(collector, FACT_IMPORT, site->node);
    }
    for (uint32_t i = 0; i < facts->other.count; i++) {
        const struct site *site = &facts->other.rows[i];

        /* what an import binds without `as` does not count as another name */
        if (nodes[site->parent].kind != NODE_ALIAS || nodes[site->node].flags & NODE_AS)
            add_name(collector, FACT_OTHER, site->node);
    }
    for (uint32_t i = 0; i < facts->strings.count; i++)
        add_string(collector, facts->strings.rows[i].node);
}

/* Comparing the bytes of UTF-8 sorts by code points. */
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

/* Sets to->failed if out of memory. */
static void facts_json(const struct ast *ast, struct buf *to)
{
    struct collector collector = {.ast = ast};
    struct facts facts;

    facts_init(&facts, ast);
    collect(&collector, &facts);
    to->failed |= facts.failed || collector.failed || collector.made.failed;
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
    facts_finish(&facts);
}

/* ---- the line ---- */

#define WHY_CAP 256

/* A path is bytes; invalid UTF-8 is shown as U+FFFD. */
static void add_text(struct buf *to, const char *text)
{
    struct buf BUF_AUTO shown = {0};

    utf8_clean(text, strlen(text), SIZE_MAX, &shown);
    if (shown.failed)
        to->failed = true;
    else
        json_write_string(to, shown.data ? shown.data : "", shown.len);
}

static void add_refusal(struct buf *to, const char *why, const char *rule)
{
    buf_adds(to, "\"grammar\":\"reject\",\"facts\":null,\"error\":");
    add_text(to, why);
    if (rule)
        buf_addf(to, ",\"rule\":\"%s\"", rule);
}

static void add_encoding_refusal(struct buf *to, const struct decoded *decoded)
{
    char why[WHY_CAP];

    if (decoded->name)
        snprintf(why, sizeof why, "encoding '%.*s': %s",
                 (int)(decoded->name_len < 40 ? decoded->name_len : 40), decoded->name,
                 decoded->error);
    else
        snprintf(why, sizeof why, "%s", decoded->error);
    add_refusal(to, why, "encoding");
}

/* Appends to `to`; returns -1 if out of memory. */
static int add_facts(struct buf *to, const struct decoded *decoded, struct error *err)
{
    struct report report = {.source = decoded->text, .len = decoded->len};
    const struct diagnostic *first;
    char why[VALIDATOR_TEXT_CAP + 32];
    struct ast ast;
    int rc = 0;

    report.verdict = calloc(1, sizeof *report.verdict);
    if (!report.verdict)
        return error_set(err, ERROR_MEMORY, "out of memory");
    ast_init(&ast, decoded->text, decoded->len);
    parser_parse(&ast, &report);
    if (ast.failed) {
        rc = error_set(err, ERROR_MEMORY, "out of memory for the syntax tree");
    } else if (ast.broken) {
        report_finish(&report);
        first = &report.verdict->diagnostics[0];
        snprintf(why, sizeof why, "line %zu: %s", first->line, first->text);
        add_refusal(to, why, NULL);
    } else {
        buf_adds(to, "\"grammar\":\"ok\",\"facts\":");
        facts_json(&ast, to);
    }
    ast_finish(&ast);
    free(report.verdict);
    return rc;
}

int facts_line(const char *file, const char *bytes, size_t len, struct buf *to, struct error *err)
{
    struct decoded decoded = {.len = len};
    int rc = len > VALIDATOR_PARSE_CAP ? 0 : decoded_init(&decoded, bytes, len, err);

    buf_adds(to, "{\"file\":");
    add_text(to, file);
    buf_addc(to, ',');
    if (rc == 0 && decoded.error)
        add_encoding_refusal(to, &decoded);
    else if (rc == 0 && decoded.len > VALIDATOR_PARSE_CAP)
        add_refusal(to, "the program is larger than the parser takes", "too-long");
    else if (rc == 0)
        rc = add_facts(to, &decoded, err);
    buf_adds(to, "}\n");
    decoded_finish(&decoded);
    return rc < 0 ? -1 : buf_check(to, "the facts", err);
}
