/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Graph questions on graphs small enough to answer by hand, whole and defective. The figures of
 * larger ones are compared with networkx by tests/contract/test_graph_oracle.py.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "helpers/graph/graph.h"
#include "tests/unit/failing_allocations.h"
#include "tests/unit/graph_maker.h"

/* The answer, to be freed; a failure fails the test. */
static char *ask(struct graph *graph, const struct graph_question *question)
{
    struct buf answer;
    struct error err = {0};
    char *text;

    buf_init(&answer, 0);
    if (graph_answer(graph, question, &answer, &err) < 0)
        fail_msg("%s: %s", question->query, err.text);
    assert_true(answer.len <= GRAPH_ANSWER_CAP);
    text = buf_steal(&answer, NULL);
    assert_non_null(text);
    return text;
}

static void expect(struct graph *graph, const struct graph_question *question, const char *wanted)
{
    char *text = ask(graph, question);

    assert_string_equal(text, wanted);
    free(text);
}

static void expect_part(struct graph *graph, const struct graph_question *question,
                        const char *wanted)
{
    char *text = ask(graph, question);

    if (!strstr(text, wanted))
        fail_msg("'%s' is not in:\n%s", wanted, text);
    free(text);
}

static void expect_error(struct graph *graph, const struct graph_question *question,
                         enum error_kind kind, const char *wanted)
{
    struct buf BUF_AUTO answer = {0};
    struct error err = {0};

    buf_init(&answer, 0);
    buf_adds(&answer, "before");
    assert_int_equal(graph_answer(graph, question, &answer, &err), -1);
    assert_int_equal(err.kind, kind);
    if (!strstr(err.text, wanted))
        fail_msg("'%s' is not in: %s", wanted, err.text);
    assert_string_equal(answer.data, "before");
}

#define ASK(...)     (&(struct graph_question){__VA_ARGS__})
#define SCOPE(edges) "Over PREREQUISITE: " edges ".\n"

/* ---- a whole graph: A before B and C, both before D; A to D is redundant; E stands alone ---- */

#define DIAMOND_NODES "A=Alpha|B=Beta|C=Gamma|D=Delta|E=Epsilon"
#define DIAMOND_EDGES "A>B A>C B>D C>D A>D"

static void test_queries(void **state)
{
    static const char *const scope = SCOPE("5 edges");
    const struct {
        struct graph_question question;
        const char *wanted;
    } cases[] = {
        {{.query = "outline"},
         "5 nodes in 1 group, 5 components.\n(no group): 5 nodes, 5 components: A \"Alpha\", B "
         "\"Beta\", C \"Gamma\", D "
         "\"Delta\", E \"Epsilon\"\n"},
        {{.query = "neighbours", .node = "B"},
         "B \"Beta\"\nDirectly before it: 1\nA \"Alpha\" (PREREQUISITE)\nDirectly after it: 1\nD "
         "\"Delta\" "
         "(PREREQUISITE)\n"},
        {{.query = "path", .from = "A", .to = "D"},
         "A shortest path from A \"Alpha\" to D \"Delta\": 1 step.\nA \"Alpha\"\n-> D \"Delta\" "
         "(PREREQUISITE)\n"},
        {{.query = "path", .from = "A", .to = "A"}, "Both ends are A \"Alpha\": 0 steps.\n"},
        {{.query = "path", .from = "D", .to = "A"},
         "No path from D \"Delta\" to A \"Alpha\".\nThe other way round there is one of 1 step.\n"},
        {{.query = "needs", .node = "D"},
         "D \"Delta\" needs 3 nodes, 3 of them directly. In teaching order, with steps away:\nA "
         "\"Alpha\" 1\nB \"Beta\" "
         "1\nC \"Gamma\" 1\n"},
        {{.query = "needs", .node = "A"}, "A \"Alpha\" needs nothing.\n"},
        {{.query = "needed_by", .node = "A"},
         "A \"Alpha\" is needed by 3 nodes, 3 of them directly. In teaching order, with steps "
         "away:\nB \"Beta\" 1\nC "
         "\"Gamma\" 1\nD \"Delta\" 1\n"},
        {{.query = "common_needs", .from = "B", .to = "D"},
         "B \"Beta\" needs 1, D \"Delta\" needs 3; 1 in common, in teaching order:\nA \"Alpha\"\n"},
        {{.query = "starting_points"},
         "2 starting points (no edge arrives), 1 of them isolated:\nA \"Alpha\"\nE \"Epsilon\" "
         "(isolated)\n"},
        {{.query = "end_points"},
         "2 end points (no edge leaves), 1 of them isolated:\nD \"Delta\"\nE \"Epsilon\" "
         "(isolated)\n"},
        {{.query = "order"},
         "Teaching order of 5 nodes:\nA \"Alpha\"\nB \"Beta\"\nC \"Gamma\"\nD \"Delta\"\nE "
         "\"Epsilon\"\n"},
        {{.query = "levels"},
         "3 levels; each node stands one behind its latest prerequisite.\nlevel 0, 2 nodes: A "
         "\"Alpha\", E "
         "\"Epsilon\"\nlevel 1, 2 nodes: B \"Beta\", C \"Gamma\"\nlevel 2, 1 node: D \"Delta\"\n"},
        {{.query = "levels", .node = "D"},
         "D \"Delta\" is on level 2 of 0 to 2 (0: no prerequisites).\n"},
        {{.query = "longest_chain"},
         "The longest chain: 2 steps, 3 nodes.\nA \"Alpha\"\nB \"Beta\"\nD \"Delta\"\n"},
        {{.query = "cycles"}, "No cycles.\n"},
        {{.query = "bottlenecks"}, "No node lies between others.\n"},
        {{.query = "hubs", .limit = 1},
         "Direct prerequisite of the most nodes:\nA \"Alpha\" 3\n… and 2 more (limit 3 shows "
         "all)\nWith the most direct "
         "prerequisites:\nD \"Delta\" 3\n… and 2 more (limit 3 shows all)\n"},
        {{.query = "unlocks"},
         "Nodes by how many others need them, directly or not:\nA \"Alpha\" 3\nB \"Beta\" 1\nC "
         "\"Gamma\" 1\n2 nodes "
         "needed by none.\n"},
        {{.query = "redundant"},
         "1 redundant edge, implied by a longer chain:\nA \"Alpha\" -> D \"Delta\" (also through B "
         "\"Beta\")\n"},
        {{.query = "unreachable"},
         "0 nodes out of reach from every starting point.\n1 isolated node (no edge arrives or "
         "leaves):\nE "
         "\"Epsilon\"\n"},
        {{.query = "unreachable", .node = "B"},
         "3 nodes out of reach from B \"Beta\":\nA \"Alpha\"\nC \"Gamma\"\nE \"Epsilon\"\n"},
    };
    struct graph *graph = make_graph(DIAMOND_NODES, DIAMOND_EDGES);

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char wanted[1024];

        snprintf(wanted, sizeof wanted, "%s%s", cases[i].wanted, scope);
        expect(graph, &cases[i].question, wanted);
    }
    expect(graph, ASK(.query = "counts"),
           "5 nodes in 1 group, 5 components.\n5 relationships: PREREQUISITE 5.\n2 pieces, the "
           "largest of 4 nodes; 1 "
           "isolated. " SCOPE("5 edges") "Prerequisites: 2 starting points, 2 end points, no "
                                         "cycle, 3 levels. " SCOPE("5 edges"));
    graph_destroy(graph);
}

static void test_bottlenecks(void **state)
{
    struct graph *graph = make_graph("A|B|C|D", "A>B B>C C>D");

    (void)state;
    expect(graph, ASK(.query = "bottlenecks"),
           "Betweenness, normalised (part of the shortest paths between others that pass the "
           "node):\nB \"B\" "
           "0.333333333\nC \"C\" 0.333333333\n2 nodes between no others.\n" SCOPE("3 edges"));
    graph_destroy(graph);
}

/* ---- cycles ---- */

/* The first search, from A, finds the cycle of three; the one of two is found from B. */
static void test_shortest_cycle_of_a_group(void **state)
{
    struct graph *graph = make_graph("A|B|C|D|E", "A>B B>C C>A B>D D>B D>E");

    (void)state;
    expect(
        graph, ASK(.query = "cycles"),
        "1 group of nodes that need one another, 4 nodes in all:\n1. 4 nodes; a shortest cycle "
        "of 2: B \"B\" -> D "
        "\"D\" -> B \"B\"\n  also: A \"A\", C \"C\"\n  B -> D PREREQUISITE\n  D -> B PREREQUISITE\n"
        "  cheapest to delete: D -> B (then 3 nodes are still in cycles)\n" SCOPE("6 edges"));
    graph_destroy(graph);
}

/* A to B has the least confidence; a node has as many hundreds of words as its letter has places.
 */
static bool relationship_of(void *user, const char *from, const char *to, const char *type,
                            struct graph_relationship *relationship)
{
    (void)user;
    (void)type;
    *relationship = (struct graph_relationship){
        .id = (*from - '@') * 10 + *to - '@',
        .explanation = *from == 'B' ? "because\nof it" : "",
        .confidence = *from == 'A' && *to == 'B' ? 0.25 : 0.5,
    };
    return true;
}

static size_t words_of(void *user, const char *node)
{
    (void)user;
    return 100 * (size_t)(*node - '@');
}

static const struct graph_facts facts = {relationship_of, words_of, NULL};

static void test_the_cheapest_cut(void **state)
{
    static const struct {
        const char *edges, *wanted;
    } rows[] = {
        {"A>B B>C C>A",
         "  A -> B PREREQUISITE (id 12)\n  B -> C PREREQUISITE (id 23): \"because of it\"\n"
         "  C -> A PREREQUISITE (id 31)\n  cheapest to delete: A -> B (then no cycle is left "
         "here)"},
        {"B>C C>B C>D D>B", "cheapest to delete: B -> C (then no cycle is left here)"},
        {"B>C C>B C>B:PREREQUISITE_FOR",
         "  C -> B PREREQUISITE (id 32)\n  C -> B PREREQUISITE_FOR (id 32)\n"
         "  cheapest to delete: B -> C (then no cycle is left here)"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct graph *graph = make_graph("A|B|C|D", rows[i].edges);

        expect_part(graph, ASK(.query = "cycles", .facts = &facts), rows[i].wanted);
        graph_destroy(graph);
    }
}

static void test_words_and_parts(void **state)
{
    struct graph *graph = make_graph(DIAMOND_NODES, DIAMOND_EDGES);

    (void)state;
    expect_part(graph, ASK(.query = "order", .words = true, .facts = &facts),
                "Teaching order of 5 nodes, 1500 words:\nA \"Alpha\", 100 words\n");
    expect_part(graph, ASK(.query = "levels", .words = true, .facts = &facts),
                "level 1, 2 nodes, 500 words: B \"Beta\", C \"Gamma\"\n");
    expect_part(graph, ASK(.query = "outline", .words = true, .facts = &facts),
                "(no group): 5 nodes, 5 components, 1500 words: A ");
    expect_part(graph, ASK(.query = "outline", .node = "A", .words = true, .facts = &facts),
                "B \"Beta\" (1), 200 words\n");
    expect(graph, ASK(.query = "pace", .parts = 3, .facts = &facts),
           "Teaching order of 5 nodes, 1500 words, in 3 parts:\n"
           "part 1, 3 nodes, 600 words: A \"Alpha\", B \"Beta\", C \"Gamma\"\n"
           "part 2, 1 node, 400 words: D \"Delta\"\n"
           "part 3, 1 node, 500 words: E \"Epsilon\"\n" SCOPE("5 edges"));
    expect_part(graph, ASK(.query = "pace", .parts = 7, .facts = &facts),
                "part 5, 1 node, 500 words: E \"Epsilon\"\npart 6, 0 nodes, 0 words\n");
    expect_error(graph, ASK(.query = "pace", .facts = &facts), ERROR_INVALID, "takes parts");
    expect_error(graph, ASK(.query = "pace", .parts = GRAPH_PARTS_MAX + 1, .facts = &facts),
                 ERROR_INVALID, "from 1 to 500");
    expect_error(graph, ASK(.query = "order", .parts = 2, .facts = &facts), ERROR_INVALID,
                 "send pace with parts");
    expect_error(graph, ASK(.query = "hubs", .words = true, .facts = &facts), ERROR_INVALID,
                 "outline, order, levels and pace do");
    graph_destroy(graph);
}

static void test_cyclic_graph(void **state)
{
    static const char *const warning = "2 nodes in 1 cycle group need one another, which no order "
                                       "satisfies; each group counts as one step here";
    struct graph *graph = make_graph("S|A|B|T|L", "S>A A>B B>A B>T S>T L>L");

    (void)state;
    expect_part(graph, ASK(.query = "order"), warning);
    expect_part(graph, ASK(.query = "order"),
                "S \"S\"\nA \"A\" (cycle 1)\nB \"B\" (cycle 1)\nT \"T\"\nL \"L\"\n");
    expect_part(graph, ASK(.query = "levels"), warning);
    expect_part(graph, ASK(.query = "longest_chain"),
                "The longest chain: 2 steps, 3 nodes (a cycle group is one).\n");
    expect_part(graph, ASK(.query = "longest_chain"),
                "S \"S\"\ncycle of 2: A \"A\", B \"B\"\nT \"T\"\n");
    expect_part(graph, ASK(.query = "needs", .node = "A"),
                "S \"S\" 1\nB \"B\" 1\nIt and 1 of these need one another");
    expect_part(graph, ASK(.query = "redundant"), "S \"S\" -> T \"T\" (also through A \"A\")\n");
    expect_part(graph, ASK(.query = "redundant"), "Edges inside 1 cycle group are not checked");
    expect_part(graph, ASK(.query = "cycles"), "1 node with an edge to itself:\nL \"L\"\n");
    expect_part(graph, ASK(.query = "counts"), "1 cycle group of 2 nodes in all");
    expect_part(graph, ASK(.query = "starting_points"), "L \"L\" (isolated)");
    expect_part(graph, ASK(.query = "starting_points"),
                "5 edges. Left out: 1 from a node to itself.");
    graph_destroy(graph);
}

static void test_unreachable_behind_a_cycle(void **state)
{
    struct graph *graph = make_graph("S|A|B|T", "A>B B>A B>T");

    (void)state;
    expect(graph, ASK(.query = "unreachable"),
           "3 nodes out of reach from every starting point: each is in a cycle or behind one.\nA "
           "\"A\"\nB \"B\"\nT "
           "\"T\"\n1 isolated node (no edge arrives or leaves):\nS \"S\"\n" SCOPE("3 edges"));
    graph_destroy(graph);
}

/* ---- defects ---- */

static void test_defects(void **state)
{
    struct graph *graph =
        make_graph("A=One|B= |A=Again|C=Line\nbreak \"x\"\x07\xe2\x80\xae|D=bad \xff byte",
                   "A>B A>B A>B:PREREQUISITE_FOR A>Z Z>Y B>B A>C:odd A>D:odd");

    (void)state;
    expect_part(graph, ASK(.query = "counts"), "4 nodes in 1 group, 4 components.\n");
    expect_part(
        graph, ASK(.query = "counts"),
        "8 relationships: PREREQUISITE 5, odd 2, PREREQUISITE_FOR 1.\n2 relationships with a "
        "missing end: A -> Z, Z "
        "-> Y.\n1 relationship from a node to itself.\n1 relationship repeats one of the same "
        "type.\n1 node without "
        "a title.\n1 further node with an id in use; only the first of each id counts here.\n");
    expect_part(graph, ASK(.query = "needs", .node = "B"), "A \"One\" 1\n");
    expect_part(graph, ASK(.query = "needs", .node = "B"),
                "Over PREREQUISITE, PREREQUISITE_FOR: 1 edge. Left out: 2 with a missing end, 1 "
                "from a node to itself, 2 "
                "parallel to another. Not followed: odd (2).\n");
    expect_part(graph, ASK(.query = "order"), "B (no title)\n");
    expect_part(graph, ASK(.query = "order"), "C \"Line break 'x'\"\n");
    expect_part(graph, ASK(.query = "order"), "D \"bad \xef\xbf\xbd byte\"\n");
    graph_destroy(graph);
}

static void test_empty_and_single(void **state)
{
    struct graph *empty = make_graph("", ""), *single = make_graph("A", "");
    size_t count;
    const struct graph_query *queries = graph_queries(&count);

    (void)state;
    for (size_t i = 0; i < count; i++) {
        bool node = queries[i].needs == GRAPH_TAKES_NODE,
             ends = queries[i].needs == GRAPH_TAKES_FROM_TO;
        struct graph_question question = {.query = queries[i].name, .facts = &facts};

        question.parts = queries[i].uses == GRAPH_COUNTS_WORDS ? 2 : 0;

        question.node = node ? "A" : NULL;
        question.from = question.to = ends ? "A" : NULL;
        question.framework = queries[i].needs == GRAPH_TAKES_FRAMEWORK ? single : NULL;
        question.framework_id = "other";
        free(ask(single, &question));
        if (node || ends)
            expect_error(empty, &question, ERROR_NOT_FOUND, "the curriculum has no nodes yet");
        else
            free(ask(empty, &question));
    }
    expect_part(empty, ASK(.query = "longest_chain"), "No node, no chain.\nOver no type");
    expect_part(single, ASK(.query = "longest_chain"),
                "The longest chain: 0 steps, 1 node.\nA \"A\"\n");
    graph_destroy(single);
    graph_destroy(empty);
}

/* ---- naming nodes ---- */

static void test_names(void **state)
{
    struct graph *graph = make_graph("N1=Adding fractions|N2=Same|N3= same |N4=N1|N5=\xc3\x9c"
                                     "bung|N6=\"Why?\"",
                                     "N1>N2 N1>N5");

    (void)state;
    expect_part(graph, ASK(.query = "needs", .node = "N1"),
                "N1 \"Adding fractions\" needs nothing");
    expect_part(graph, ASK(.query = "needs", .node = "n1"),
                "N1 \"Adding fractions\" needs nothing");
    expect_part(graph, ASK(.query = "needs", .node = "  adding   FRACTIONS "),
                "N1 \"Adding fractions\" needs nothing");
    expect_part(graph,
                ASK(.query = "needs", .node = "\xc3\xbc"
                                              "BUNG"),
                "N5 \"\xc3\x9c"
                "bung\" needs 1 node");
    expect_part(graph, ASK(.query = "needs", .node = "'why?'"), "N6 \"'Why?'\" needs nothing");
    expect_error(graph, ASK(.query = "needs", .node = "same"), ERROR_CONFLICT,
                 "node: \"same\" is the title of 2 nodes: N2, N3. Send the id of one of them.");
    expect_error(graph, ASK(.query = "needs", .node = "N7"), ERROR_NOT_FOUND, "the nearest is N1");
    expect_error(graph, ASK(.query = "needs", .node = "Adding fractoins"), ERROR_NOT_FOUND,
                 "node: no node has the id or title 'Adding fractoins'; the nearest is N1 \"Adding "
                 "fractions\".");
    expect_error(graph, ASK(.query = "needs", .node = "zzzzzzzz"), ERROR_NOT_FOUND,
                 "none is near. Ids look like N1");
    expect_error(graph, ASK(.query = "path", .from = "N1", .to = "N99"), ERROR_NOT_FOUND,
                 "to: no node");
    graph_destroy(graph);
}

static void test_wrong_questions(void **state)
{
    struct graph *graph = make_graph(DIAMOND_NODES, DIAMOND_EDGES);

    (void)state;
    expect_error(graph, ASK(.query = "bottleneck"), ERROR_INVALID,
                 "did you mean 'bottlenecks'? The queries: outline, ");
    expect_error(graph, ASK(.query = NULL), ERROR_INVALID,
                 "say which query. The queries: outline, ");
    expect_error(graph, ASK(.query = "needs"), ERROR_INVALID, "takes one node");
    expect_error(graph, ASK(.query = "needs", .node = " "), ERROR_INVALID, "takes one node");
    expect_error(graph, ASK(.query = "path", .from = "A"), ERROR_INVALID,
                 "takes two nodes, from_node_id and to_node_id");
    expect_error(graph, ASK(.query = "path", .from = "A", .to = "B", .node = "C"), ERROR_INVALID,
                 "takes two nodes");
    expect_error(graph, ASK(.query = "order", .node = "A"), ERROR_INVALID,
                 "leave node_id, from_node_id and to_node_id out");
    expect_error(graph, ASK(.query = "order", .limit = 501), ERROR_INVALID,
                 "limit goes from 1 to 500");
    graph_destroy(graph);
}

/* ---- types ---- */

static void test_types(void **state)
{
    static const char *const leads[] = {"LEADS_TO", NULL}, *const lower[] = {"leads_to", NULL};
    static const char *const all[] = {"all", NULL}, *const wrong[] = {"LEADS", NULL};
    static const char *const mixed[] = {"PREREQUISITE_FOR", "ENRICHMENT", NULL}, *const none[] = {
                                                                                     NULL};
    struct graph *graph = make_graph("A|B|C|D", "A>B A>B:LEADS_TO B>C:LEADS_TO C>D:ENRICHMENT");

    (void)state;
    expect_part(graph, ASK(.query = "needs", .node = "C"),
                "C \"C\" needs nothing.\nOver PREREQUISITE: 1 edge.");
    expect_part(graph, ASK(.query = "needs", .node = "C", .types = none),
                "C \"C\" needs nothing.\n");
    expect_part(graph, ASK(.query = "needs", .node = "C", .types = leads), "C \"C\" needs 2 nodes");
    expect_part(graph, ASK(.query = "needs", .node = "C", .types = lower),
                "Over LEADS_TO: 2 edges.");
    expect_part(graph, ASK(.query = "path", .from = "A", .to = "C"),
                "-> B \"B\" (LEADS_TO, PREREQUISITE)\n-> C \"C\" (LEADS_TO)\nOver LEADS_TO, "
                "PREREQUISITE: 2 edges. Left "
                "out: 1 parallel to another. Not followed: ENRICHMENT (1).\n");
    expect_part(graph, ASK(.query = "path", .from = "A", .to = "D"),
                "Over all types there is one of 3 steps");
    expect_part(graph, ASK(.query = "path", .from = "A", .to = "D", .types = all), ": 3 steps.");
    expect_part(graph, ASK(.query = "needs", .node = "D", .types = mixed),
                "Over ENRICHMENT, PREREQUISITE_FOR (none here): 1 edge.");
    expect_error(
        graph, ASK(.query = "order", .types = wrong), ERROR_NOT_FOUND,
        "did you mean 'LEADS_TO'? There are: ENRICHMENT, LEADS_TO, PREREQUISITE (or \"all\").");
    graph_destroy(graph);
}

/* ---- limits ---- */

static struct graph *make_chain(size_t count, size_t title_len, bool more_edges)
{
    struct graph_node *nodes = calloc(count, sizeof *nodes);
    struct graph_edge *edges = calloc(4 * count, sizeof *edges);
    char(*ids)[24] = calloc(count, sizeof *ids), *title = calloc(title_len + 1, 1);
    struct error err = {0};
    struct graph *graph;
    size_t edge_count = 0;

    memset(title, 'x', title_len);
    for (size_t i = 0; i < count; i++) {
        snprintf(ids[i], sizeof ids[i], "N%06zu", i);
        nodes[i] = (struct graph_node){ids[i], title, i % 2 ? "odd" : "even", i, NULL};
    }
    for (size_t i = 1; i < count; i++) {
        edges[edge_count++] = (struct graph_edge){ids[i - 1], ids[i], "PREREQUISITE"};
        /* Jumps back of a fixed pattern, so that the graph has many shortest paths. */
        for (size_t j = 1; more_edges && j < 4; j++)
            edges[edge_count++] =
                (struct graph_edge){ids[i * 7919 * j % i], ids[i], "PREREQUISITE"};
    }
    graph = graph_create(nodes, count, edges, edge_count, &err);
    free(title);
    free(ids);
    free(edges);
    free(nodes);
    assert_non_null(graph);
    return graph;
}

static void test_limits(void **state)
{
    struct graph *graph = make_chain(37, 3, false), *large = make_chain(900, 3, false),
                 *long_titles;

    (void)state;
    expect_part(graph, ASK(.query = "order"), "… and 17 more (limit 37 shows all)\n");
    expect_part(graph, ASK(.query = "order", .limit = 36), "… and 1 more (limit 37 shows all)\n");
    expect_part(graph, ASK(.query = "order", .limit = 37), "N000036 \"xxx\"\nOver ");
    expect_part(large, ASK(.query = "order"), "… and 880 more (limit 500 shows the most)\n");
    expect_part(large, ASK(.query = "order", .limit = 500), "… and 400 more (no limit shows more");
    expect_part(large, ASK(.query = "outline", .node = "N000001"),
                "odd: 450 nodes, 202500 components\nN000001 \"xxx\" (1)\nN000003 \"xxx\" (3)\n");
    graph_destroy(large);
    graph_destroy(graph);
    long_titles = make_chain(900, 500, false);
    expect_part(long_titles, ASK(.query = "order", .limit = 500), " more (the answer is full: ");
    expect_part(long_titles, ASK(.query = "order", .limit = 500), "xxx…\"\n");
    expect_part(long_titles, ASK(.query = "order", .limit = 500),
                "Over PREREQUISITE: 899 edges.\n");
    graph_destroy(long_titles);
}

static void test_caps(void **state)
{
    struct error err = {0};

    (void)state;
    assert_null(graph_create(NULL, GRAPH_NODES_CAP + 1u, NULL, 0, &err));
    assert_int_equal(err.kind, ERROR_TOO_LARGE);
    assert_null(graph_create(NULL, 0, NULL, GRAPH_EDGES_CAP + 1u, &err));
    assert_int_equal(err.kind, ERROR_TOO_LARGE);
}

/* More sets of types than views are kept, over and over: each answer stays what it was. */
static void test_views_come_and_go(void **state)
{
    static const char *const kinds[] = {"A", "B", "C", "D", "E"};
    struct graph *graph = make_graph("1|2", "1>2:A 1>2:B 2>1:C 1>2:D 2>1:E");

    (void)state;
    for (size_t i = 0; i < 25; i++) {
        size_t kind = i * 3 % 5;
        const char *types[] = {kinds[kind], NULL};
        bool forward = kind != 2 && kind != 4;

        /* With a limit that was not asked before: the answer is not one that was kept. */
        expect_part(graph,
                    ASK(.query = "starting_points", .types = types, .limit = (unsigned)i + 1),
                    forward ? "\n1 \"1\"\n" : "\n2 \"2\"\n");
    }
    graph_destroy(graph);
}

/* ---- cancelling ---- */

#define CANCEL_AFTER_NS 30000000

static void *fire_soon(void *arg)
{
    const struct timespec pause = {0, CANCEL_AFTER_NS};

    nanosleep(&pause, NULL);
    cancel_fire(arg);
    return NULL;
}

static void test_cancel(void **state)
{
    struct error err = {0};
    struct cancel *cancel = cancel_create(&err);
    struct graph *graph = make_chain(9000, 3, true);
    pthread_t thread;

    (void)state;
    assert_non_null(cancel);
    assert_int_equal(pthread_create(&thread, NULL, fire_soon, cancel), 0);
    expect_error(graph, ASK(.query = "bottlenecks", .bounds.cancel = cancel), ERROR_CANCELLED,
                 "cancelled");
    pthread_join(thread, NULL);
    expect_error(graph, ASK(.query = "order", .bounds.cancel = cancel), ERROR_CANCELLED,
                 "cancelled");
    cancel_unref(cancel);
    /* Nothing of the interrupted work is left in the way. */
    expect_part(graph, ASK(.query = "levels", .limit = 1), "9000 levels");
    graph_destroy(graph);
}

/* Ten milliseconds are over long before the figures of so many nodes are computed, one by one. */
static void test_time_bound(void **state)
{
    struct graph *graph = make_chain(GRAPH_NODES_CAP, 8, true);

    (void)state;
    expect_error(graph, ASK(.query = "bottlenecks", .bounds.timeout_ms = 10), ERROR_TIMEOUT,
                 "after 0.01 s");
    expect_part(graph, ASK(.query = "levels", .limit = 1, .bounds.timeout_ms = 60000), "levels");
    graph_destroy(graph);
}

/* What is asked for the second time, with another limit, is there already. */
static void test_kept_ranking(void **state)
{
    struct graph *graph = make_chain(3000, 3, true);
    size_t bare = graph_bytes(graph), asked;
    char *text;

    (void)state;
    expect_part(graph, ASK(.query = "bottlenecks", .limit = 2), "more");
    asked = graph_bytes(graph);
    assert_true(asked > bare);
    text = ask(graph, ASK(.query = "bottlenecks", .limit = 5));
    assert_int_equal(graph_bytes(graph), asked + strlen(text)); /* only the answer is new */
    free(text);
    expect_part(graph, ASK(.query = "unlocks", .limit = 2), "more");
    assert_true(graph_bytes(graph) > asked);
    graph_destroy(graph);
}

/* The same question again costs no memory; every other one has an answer of its own; no more than a
 * few are kept. */
static void test_kept_answers(void **state)
{
    static const char *const all[] = {"all", NULL};
    const struct graph_question *const questions[] = {
        ASK(.query = "order"),
        ASK(.query = "order", .limit = 2),
        ASK(.query = "order", .types = all),
        ASK(.query = "needs", .node = "D"),
        ASK(.query = "needs", .node = "B"),
        ASK(.query = "path", .from = "A", .to = "D"),
        ASK(.query = "path", .from = "D", .to = "A"),
        ASK(.query = "counts"),
        ASK(.query = "outline"),
        ASK(.query = "levels"),
    };
    struct graph *graph = make_graph(DIAMOND_NODES, DIAMOND_EDGES " E>A:LEADS_TO");
    size_t count = sizeof questions / sizeof *questions, bytes = 0, held = 0;

    (void)state;
    for (size_t round = 0; round < 3; round++) {
        for (size_t i = 0; i < count; i++) {
            struct graph *fresh = make_graph(DIAMOND_NODES, DIAMOND_EDGES " E>A:LEADS_TO");
            char *wanted = ask(fresh, questions[i]);

            expect(graph, questions[i], wanted);
            bytes = graph_bytes(graph);
            expect(graph, questions[i], wanted);
            assert_int_equal(graph_bytes(graph), bytes);
            free(wanted);
            graph_destroy(fresh);
        }
        if (round > 0)
            assert_int_equal(bytes, held);
        held = bytes;
    }
    graph_destroy(graph);
}

/* ---- failing allocations ---- */

#ifdef COUNTS_ALLOCATIONS

/* Creates, asks, destroys; every allocation counted. 0 when nothing failed. */
static int live_through(const struct graph_question *question, struct error *err)
{
    static const struct graph_node nodes[] = {
        {"A", "a", "g", 1, NULL}, {"B", "b", NULL, 1, NULL}, {"C", "c", NULL, 0, NULL}};
    static const struct graph_edge edges[] = {{"A", "B", "PREREQUISITE"},
                                              {"B", "C", "PREREQUISITE"},
                                              {"C", "B", "PREREQUISITE"},
                                              {"A", "C", "LEADS_TO"},
                                              {"A", "Z", "PREREQUISITE"}};
    static const struct graph_outside link = {1, "A", "isRelatedTo", "f", "B", "b"};
    struct graph *graph = graph_create(nodes, 3, edges, 5, err);
    struct graph_question asked = *question;
    struct buf answer;
    int rc = graph ? graph_set_outsides(graph, &link, 1, err) : -1;

    buf_init(&answer, 0);
    if (asked.framework_id)
        asked.framework = graph;
    if (rc == 0)
        rc = graph_answer(graph, &asked, &answer, err);
    buf_finish(&answer);
    graph_destroy(graph);
    return rc;
}

static void test_failing_allocations(void **state)
{
    size_t count, runs = 0;
    const struct graph_query *queries = graph_queries(&count);
    int rc = 0;

    (void)state;
    for (size_t i = 0; i < count; i++) {
        struct graph_question question = {.query = queries[i].name, .facts = &facts};

        question.parts = queries[i].uses == GRAPH_COUNTS_WORDS ? 2 : 0;

        if (queries[i].needs == GRAPH_TAKES_NODE)
            question.node = "B";
        if (queries[i].needs == GRAPH_TAKES_FROM_TO) {
            question.from = "A";
            question.to = "C";
        }
        if (queries[i].needs == GRAPH_TAKES_FRAMEWORK)
            question.framework_id = "f";
        /* Until a run asks for fewer than that; some failures are none, as of giving memory back.
         */
        for (long at = 1; fail_at == 0; at++) {
            struct error err = {0};

            fail_at = at;
            live = 0;
            watching = true;
            rc = live_through(&question, &err);
            watching = false;
            runs++;
            if (live != 0)
                fail_msg("%s leaks %ld blocks when allocation %ld fails", queries[i].name, live,
                         at);
            /* A buffer that cannot grow says so as a text that is too large. */
            if (rc < 0 && err.kind != ERROR_MEMORY && err.kind != ERROR_TOO_LARGE)
                fail_msg("%s: allocation %ld: %s: %s", queries[i].name, at,
                         error_kind_name(err.kind), err.text);
            assert_true(at < 10000);
        }
        assert_int_equal(rc, 0);
        fail_at = 0;
    }
    print_message("%zu runs, one failing allocation each\n", runs);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_queries),
        cmocka_unit_test(test_bottlenecks),
        cmocka_unit_test(test_shortest_cycle_of_a_group),
        cmocka_unit_test(test_the_cheapest_cut),
        cmocka_unit_test(test_words_and_parts),
        cmocka_unit_test(test_cyclic_graph),
        cmocka_unit_test(test_unreachable_behind_a_cycle),
        cmocka_unit_test(test_defects),
        cmocka_unit_test(test_empty_and_single),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_wrong_questions),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_caps),
        cmocka_unit_test(test_views_come_and_go),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_time_bound),
        cmocka_unit_test(test_kept_ranking),
        cmocka_unit_test(test_kept_answers),
#ifdef COUNTS_ALLOCATIONS
        cmocka_unit_test(test_failing_allocations),
#endif
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
