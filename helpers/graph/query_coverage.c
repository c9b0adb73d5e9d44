/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * coverage: how the lessons cover the statements of a framework, which is another curriculum. A
 * lesson covers a statement if a link of any type leads from the one to the other. Statements with
 * others below them (isChildOf, isPartOf) are headings and need no lesson.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "helpers/graph/ask.h"

#define LESSONS_SHOWN 5u /* of one statement */

struct pair {
    uint32_t statement, lesson;
};

struct coverage {
    struct graph_ask *ask;
    const struct graph *framework;
    bool *in_part, *is_heading; /* of each statement */
    struct pair *pairs;         /* distinct, sorted by statement and lesson */
    size_t pair_count;
    size_t *first;    /* of each statement, its first pair; one more ends the last */
    bool *has_lesson; /* of each lesson: it covers a statement */
};

/* ---- computing ---- */

static bool leads_up(const struct graph *framework, const struct graph_link *link)
{
    const char *type = framework->types[link->type].name;

    return link->from != link->to &&
           (strcasecmp(type, "isChildOf") == 0 || strcasecmp(type, "isPartOf") == 0);
}

static void find_headings(struct coverage *coverage)
{
    const struct graph *framework = coverage->framework;

    for (size_t i = 0; i < framework->link_count; i++) {
        if (leads_up(framework, &framework->links[i]))
            coverage->is_heading[framework->links[i].to] = true;
    }
}

/* Takes the statements below one into the part, level by level. */
static int take_below(struct coverage *coverage, uint32_t top, struct error *err)
{
    const struct graph *framework = coverage->framework;
    cleanup_free size_t *child = graph_alloc(framework->node_count, sizeof *child, err);
    cleanup_free size_t *sibling = graph_alloc(framework->link_count, sizeof *sibling, err);
    cleanup_free uint32_t *queue = graph_alloc(framework->node_count, sizeof *queue, err);
    size_t count = 0;

    if (!child || !sibling || !queue)
        return -1;
    /* Lists of the links to each statement; 0 ends a list, so indices are one higher. */
    for (size_t i = 0; i < framework->link_count; i++) {
        const struct graph_link *link = &framework->links[i];

        if (!leads_up(framework, link))
            continue;
        sibling[i] = child[link->to];
        child[link->to] = i + 1;
    }
    coverage->in_part[top] = true;
    queue[count++] = top;
    for (size_t done = 0; done < count; done++) {
        for (size_t i = child[queue[done]]; i > 0; i = sibling[i - 1]) {
            uint32_t below = framework->links[i - 1].from;

            if (coverage->in_part[below])
                continue;
            coverage->in_part[below] = true;
            queue[count++] = below;
        }
    }
    return 0;
}

/* The part is a statement with those below it, or a chapter of the framework. */
static int find_part(struct coverage *coverage, struct error *err)
{
    const struct graph *framework = coverage->framework;
    const char *part = coverage->ask->question->node;
    bool any = false;
    uint32_t top;

    for (uint32_t v = 0; v < framework->node_count; v++) {
        const char *group = framework->groups[framework->nodes[v].group].name;

        coverage->in_part[v] = !part || (!graph_text_blank(group) && graph_text_same(part, group));
        any = any || coverage->in_part[v];
    }
    if (any || !part)
        return 0;
    return graph_find_node(framework, part, "node", &top, err) == 0 ? take_below(coverage, top, err)
                                                                    : -1;
}

static int compare_pairs(const void *a, const void *b)
{
    const struct pair *left = a, *right = b;

    if (left->statement != right->statement)
        return left->statement < right->statement ? -1 : 1;
    return left->lesson < right->lesson ? -1 : left->lesson > right->lesson;
}

static void find_pairs(struct coverage *coverage)
{
    const struct graph *lessons = coverage->ask->graph;
    size_t found = 0, kept = 0;

    for (size_t i = 0; i < lessons->outside_count; i++) {
        const struct graph_outside *link = &lessons->outsides[i];
        uint32_t statement, lesson = graph_node_by_id(lessons, link->from);

        if (strcmp(link->curriculum, coverage->ask->question->framework_id) != 0)
            continue;
        statement = graph_node_by_id(coverage->framework, link->node);
        if (lesson == GRAPH_NO_NODE || statement == GRAPH_NO_NODE)
            continue;
        coverage->pairs[found++] = (struct pair){statement, lesson};
        coverage->has_lesson[lesson] = true;
    }
    qsort(coverage->pairs, found, sizeof *coverage->pairs, compare_pairs);
    for (size_t i = 0; i < found; i++) {
        if (kept == 0 || compare_pairs(&coverage->pairs[i], &coverage->pairs[kept - 1]) != 0)
            coverage->pairs[kept++] = coverage->pairs[i];
    }
    coverage->pair_count = kept;
    for (uint32_t v = 0, at = 0; v <= coverage->framework->node_count; v++) {
        while (at < kept && coverage->pairs[at].statement < v)
            at++;
        coverage->first[v] = at;
    }
}

/* ---- as words and data ---- */

static size_t lessons_of(const struct coverage *coverage, uint32_t statement)
{
    return coverage->first[statement + 1] - coverage->first[statement];
}

static void write_statement(struct coverage *coverage, uint32_t v)
{
    const struct graph_vertex *statement = &coverage->framework->nodes[v];
    struct graph_ask *ask = coverage->ask;

    if (ask->data) {
        graph_put_text(ask, "node_id", statement->id);
        graph_put_text(ask, "title", statement->title);
        return;
    }
    graph_text_add(ask->answer, statement->id, GRAPH_ID_CAP, false);
    graph_say(ask, " ");
    graph_text_add(ask->answer, statement->title, GRAPH_TITLE_CAP, true);
}

static void write_lessons(struct coverage *coverage, uint32_t statement, uint32_t *room)
{
    size_t count = lessons_of(coverage, statement);

    for (size_t i = 0; i < count; i++)
        room[i] = coverage->pairs[coverage->first[statement] + i].lesson;
    graph_say(coverage->ask, ": ");
    graph_some_nodes(coverage->ask, "lessons", room, count, LESSONS_SHOWN);
}

/* Statements with at least `least` and at most `most` lessons. */
static void write_statements(struct coverage *coverage, const char *key, size_t least, size_t most,
                             uint32_t *taken, uint32_t *room)
{
    struct graph_ask *ask = coverage->ask;
    struct graph_list list;
    size_t count = 0;

    for (uint32_t v = 0; v < coverage->framework->node_count; v++) {
        size_t lessons = lessons_of(coverage, v);

        if (coverage->in_part[v] && lessons >= least && lessons <= most &&
            (least > 0 || !coverage->is_heading[v]))
            taken[count++] = v;
    }
    graph_say(ask, "%zu %s%s\n", count, least > 0 ? "with several lessons" : "without a lesson",
              count > 0 ? ":" : ".");
    graph_list_begin(&list, ask, key, count);
    while (graph_list_row(&list)) {
        graph_open(ask, NULL, '{');
        write_statement(coverage, taken[list.shown - 1]);
        if (least > 0)
            write_lessons(coverage, taken[list.shown - 1], room);
        else
            graph_say(ask, "\n");
        graph_close(ask, '}');
    }
}

static void write_rest(struct coverage *coverage, uint32_t *taken)
{
    const struct graph *lessons = coverage->ask->graph;
    size_t count = 0;

    for (uint32_t v = 0; v < lessons->node_count; v++) {
        if (!coverage->has_lesson[v])
            taken[count++] = v;
    }
    graph_say(coverage->ask, "%zu of %s without a statement%s\n", count,
              graph_count_text(coverage->ask, lessons->node_count, "lesson"),
              count > 0 ? ":" : ".");
    graph_nodes(coverage->ask, "lessons_without", taken, count);
}

static void write_sums(struct coverage *coverage)
{
    struct graph_ask *ask = coverage->ask;
    size_t statements = 0, headings = 0, covered = 0;

    for (uint32_t v = 0; v < coverage->framework->node_count; v++) {
        bool counts = coverage->in_part[v] && !coverage->is_heading[v];

        headings += coverage->in_part[v] && coverage->is_heading[v];
        statements += counts;
        covered += counts && lessons_of(coverage, v) > 0;
    }
    graph_put(ask, "statements", statements);
    graph_put(ask, "headings", headings);
    graph_put(ask, "covered", covered);
    graph_say(ask, "%zu of %s have a lesson", covered,
              graph_count_text(ask, statements, "statement"));
    if (headings > 0)
        graph_say(ask, " (%s, with statements below, not counted)",
                  graph_count_text(ask, headings, "heading"));
    graph_say(ask, ".\n");
}

int graph_query_coverage(struct graph_ask *ask, struct error *err)
{
    struct coverage coverage = {.ask = ask, .framework = ask->question->framework};
    size_t statements = coverage.framework->node_count, lessons = ask->graph->node_count;
    size_t most = statements > lessons ? statements : lessons;
    cleanup_free bool *in_part = graph_alloc(statements, sizeof *in_part, err);
    cleanup_free bool *is_heading = graph_alloc(statements, sizeof *is_heading, err);
    cleanup_free bool *has_lesson = graph_alloc(lessons, sizeof *has_lesson, err);
    cleanup_free struct pair *pairs = graph_alloc(ask->graph->outside_count, sizeof *pairs, err);
    cleanup_free size_t *first = graph_alloc(statements + 1, sizeof *first, err);
    cleanup_free uint32_t *taken = graph_alloc(most, sizeof *taken, err);
    cleanup_free uint32_t *room = graph_alloc(lessons, sizeof *room, err);

    if (!in_part || !is_heading || !has_lesson || !pairs || !first || !taken || !room)
        return -1;
    coverage.in_part = in_part;
    coverage.is_heading = is_heading;
    coverage.has_lesson = has_lesson;
    coverage.pairs = pairs;
    coverage.first = first;
    if (find_part(&coverage, err) < 0)
        return -1;
    find_headings(&coverage);
    find_pairs(&coverage);
    ask->no_scope = true;
    write_sums(&coverage);
    write_statements(&coverage, "without", 0, 0, taken, room);
    write_statements(&coverage, "several", 2, SIZE_MAX, taken, room);
    if (!ask->question->node)
        write_rest(&coverage, taken);
    return 0;
}
