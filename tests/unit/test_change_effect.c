/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a change set does to the graph: graphs made by hand, and random ones against a reference
 * that works it out another way (a matrix of who reaches whom).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/graph/difference.h"
#include "mcp/change/change_set.h"
#include "mcp/store/entities/outline.h"
#include "tests/unit/failing_allocations.h"

#define NODES_CAP 16u
#define EDGES_CAP 64u

struct side { /* an outline over texts of its own */
    char text[1024];
    struct outline_node nodes[NODES_CAP];
    struct outline_edge edges[EDGES_CAP];
    struct outline outline;
};

/* "A B=Title C" and "A>B A>C:LEADS_TO"; the type is PREREQUISITE where none stands. */
static void make(struct side *side, const char *nodes, const char *edges)
{
    struct outline *outline = &side->outline;
    char *save = NULL, *at = side->text + strlen(nodes) + 1;

    memset(side, 0, sizeof *side);
    outline->nodes = side->nodes;
    outline->edges = side->edges;
    strcpy(side->text, nodes);
    strcpy(at, edges);
    for (char *id = strtok_r(side->text, " ", &save); id; id = strtok_r(NULL, " ", &save)) {
        char *title = strchr(id, '=');

        if (title)
            *title++ = '\0';
        side->nodes[outline->node_count++] =
            (struct outline_node){.id = id, .title = title ? title : id};
    }
    for (char *from = strtok_r(at, " ", &save); from; from = strtok_r(NULL, " ", &save)) {
        char *to = strchr(from, '>'), *type;

        *to++ = '\0';
        type = strchr(to, ':');
        if (type)
            *type++ = '\0';
        side->edges[outline->edge_count++] =
            (struct outline_edge){from, to, type ? type : "PREREQUISITE"};
    }
}

static json_t *effect_of(const struct side *before, const struct side *after, bool all,
                         struct buf *words)
{
    struct buf BUF_AUTO json = {0};
    struct error err = {0};
    json_t *effect;

    if (change_effect(&before->outline, &after->outline, all, NULL, NULL, &json, words, &err) != 0)
        fail_msg("%s", err.text);
    effect = json_read(json.data, json.len, "the effect", &err);
    if (!effect)
        fail_msg("%s: %s", err.text, json.data);
    return effect;
}

/* "A B C" of an array of nodes. */
static void write_ids(const json_t *nodes, char *to, size_t size)
{
    size_t i;
    json_t *node;

    *to = '\0';
    json_array_foreach((json_t *)nodes, i, node)
        snprintf(to + strlen(to), size - strlen(to), "%s%s%s%s", i > 0 ? " " : "",
                 json_get_string(node, "node_id"), json_get_string(node, "why") ? ":" : "",
                 json_get_string(node, "why") ? json_get_string(node, "why") : "");
}

static const struct {
    const char *nodes, *edges, *new_nodes, *new_edges;
    const char *cycles;     /* "A B C; A D": in their order */
    const char *cut_off;    /* "C:alone" */
    const char *downstream; /* "C D" */
    const char *words[4];
    int before, after;
} by_hand[] = {
    /* Nothing but a title far from any edge. */
    {"A B", "A>B", "A B=Beta", "A>B", "", "", "", {""}, 1, 1},
    /* One edge closes a cycle; others that were there stay unsaid. */
    {"A B C X Y",
     "A>B B>C X>Y Y>X",
     "A B C X Y",
     "A>B B>C X>Y Y>X C>A",
     "A B C",
     "",
     "A B C",
     {"New prerequisite cycle: A \"A\" -> B \"B\" -> C \"C\" -> A. ",
      "Longest prerequisite chain: 2 steps before, 0 after.", "3 nodes: A"},
     2,
     0},
    /* A cycle that was there is no progress when another type joins the same nodes. */
    {"A B", "A>B B>A", "A B", "A>B B>A:PREREQUISITE_FOR", "", "", "A B", {""}, 0, 0},
    /* A way that leads nowhere back, of a type that is no need, closes no cycle of needs. */
    {"A B", "A>B", "A B", "A>B B>A:LEADS_TO", "", "", "A B", {""}, 1, 1},
    {"A B", "A>B:LEADS_TO", "A B", "A>B:LEADS_TO B>A:ENRICHMENT", "", "", "", {""}, 0, 0},
    /* Another type makes the cycle. */
    {"A B",
     "A>B B>A:LEADS_TO",
     "A B",
     "A>B B>A:PREREQUISITE_FOR",
     "A B",
     "",
     "A B",
     {"New prerequisite cycle"},
     1,
     0},
    /* Two cycles by two edges; a third edge lies on one of them. */
    {"A B C D", "A>B C>D", "A B C D", "A>B C>D B>A D>C", "A B; C D", "", "A B C D", {""}, 1, 0},
    {"A B C", "", "A B C", "A>B B>C C>A", "A B C", "", "A B C", {""}, 0, 0},
    /* The middle goes: the start stands alone, the end too. */
    {"A B C",
     "A>B B>C",
     "A C",
     "",
     "",
     "A:alone C:alone",
     "C",
     {"Cut off, 2 in all: A \"A\" (no relationship is left), C \"C\" (no relationship is left)",
      "2 steps before, 0 after"},
     2,
     0},
    /* What stands behind is counted with it. */
    {"A B C D E",
     "A>B B>C C>D D>E",
     "A C D E",
     "C>D D>E",
     "",
     "A:alone C:nothing_leads_to_it D:behind_cut_off E:behind_cut_off",
     "C D E",
     {"C \"C\" (nothing leads to it any more); and 2 that only these or a cycle lead to"},
     4,
     2},
    /* Another way leads there still, or a new one does. */
    {"A B C X", "A>B B>C X>C", "A B C X", "A>B X>C", "", "", "C", {""}, 2, 1},
    {"A B C", "A>B B>C", "A N C", "A>N N>C", "", "", "C", {""}, 2, 2},
    /* A cycle that nothing leads to any more. */
    {"A B C",
     "A>B B>C C>B",
     "A B C",
     "B>C C>B",
     "",
     "A:alone B:behind_cut_off C:behind_cut_off",
     "B C",
     {"B \"B\" (only a cycle leads to it)"},
     1,
     0},
    /* What no way led to before was not cut off now, and what is new neither. */
    {"A B", "A>B:ENRICHMENT", "A B N", "A>B:ENRICHMENT", "", "", "", {""}, 0, 0},
    {"A B", "A>B:ENRICHMENT", "A B", "", "", "A:alone B:alone", "", {""}, 0, 0},
    {"A B C",
     "A>B B>C:ENRICHMENT",
     "A B C",
     "B>C:ENRICHMENT",
     "",
     "A:alone B:nothing_leads_to_it",
     "B",
     {""},
     1,
     0},
    /* Edges with a missing end and to itself count nowhere. */
    {"A B", "A>Z Z>B", "A B", "A>A", "", "", "", {""}, 0, 0},
    /* Behind another title. */
    {"A B C D",
     "A>B B>C C>D:LEADS_TO",
     "A B=Beta C D",
     "A>B B>C C>D:LEADS_TO",
     "",
     "",
     "C D",
     {"Downstream of the change, 2 nodes: C \"C\", D \"D\"."},
     2,
     2},
    {"", "", "A", "", "", "", "", {""}, 0, 0},
    {"A B", "A>B", "", "", "", "", "", {""}, 1, 0},
};

static void check_cycles(const json_t *cycles, const char *wanted, size_t row)
{
    char text[512] = "", one[256];
    json_t *cycle;
    size_t i;

    json_array_foreach((json_t *)cycles, i, cycle)
    {
        write_ids(cycle, one, sizeof one);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i > 0 ? "; " : "", one);
    }
    if (wanted && strcmp(text, wanted) != 0)
        fail_msg("row %zu: cycles '%s', not '%s'", row, text, wanted);
}

static void graphs_by_hand(void **state)
{
    static struct side before, after;

    (void)state;
    for (size_t i = 0; i < sizeof by_hand / sizeof by_hand[0]; i++) {
        struct buf BUF_AUTO words = {0};
        char ids[512];
        json_t *effect, *chain;

        make(&before, by_hand[i].nodes, by_hand[i].edges);
        make(&after, by_hand[i].new_nodes, by_hand[i].new_edges);
        effect = effect_of(&before, &after, false, &words);
        check_cycles(json_object_get(effect, "new_cycles"), by_hand[i].cycles, i);
        write_ids(json_object_get(effect, "cut_off"), ids, sizeof ids);
        if (strcmp(ids, by_hand[i].cut_off) != 0)
            fail_msg("row %zu: cut off '%s', not '%s'", i, ids, by_hand[i].cut_off);
        write_ids(json_object_get(effect, "downstream"), ids, sizeof ids);
        if (strcmp(ids, by_hand[i].downstream) != 0)
            fail_msg("row %zu: downstream '%s', not '%s'", i, ids, by_hand[i].downstream);
        chain = json_object_get(effect, "longest_chain");
        if (json_integer_value(json_object_get(chain, "before")) != by_hand[i].before ||
            json_integer_value(json_object_get(chain, "after")) != by_hand[i].after)
            fail_msg("row %zu: another chain: %s", i, words.data);
        for (size_t k = 0; k < 4 && by_hand[i].words[k]; k++) {
            if (!strstr(words.data ? words.data : "", by_hand[i].words[k]))
                fail_msg("row %zu: '%s' is not in: %s", i, by_hand[i].words[k], words.data);
        }
        json_decref(effect);
    }
}

static void no_news_is_no_word(void **state)
{
    static struct side before, after;
    struct buf BUF_AUTO none = {0}, BUF_AUTO all = {0};

    (void)state;
    make(&before, "A B C", "A>B");
    make(&after, "A B C=Gamma D", "A>B");
    json_decref(effect_of(&before, &after, false, &none));
    assert_int_equal(none.len, 0);
    json_decref(effect_of(&before, &after, true, &all));
    assert_string_equal(all.data, "No new prerequisite cycle. No node is cut off. Longest "
                                  "prerequisite chain: 1 step before, 1 after.\n");
}

static void a_title_cannot_look_like_a_line(void **state)
{
    static struct side before, after;
    struct buf BUF_AUTO words = {0};

    (void)state;
    make(&before, "A B", "A>B");
    make(&after, "A B=Two\nlines\"", "A>B B>A");
    json_decref(effect_of(&before, &after, false, &words));
    assert_non_null(strstr(words.data, "B \"Two lines'\""));
}

/* ---- random graphs ---- */

static const char *const types[] = {"PREREQUISITE", "PREREQUISITE_FOR", "LEADS_TO", "ENRICHMENT"};

enum { NEEDS, WAYS, ALL, KINDS };

struct matrix { /* who is joined to whom, and reaches whom, by the letter of the id */
    bool node[26];
    bool joined[KINDS][26][26], reaches[KINDS][26][26];
    bool typed[4][26][26];
    const char *title[26];
};

static void fill_matrix(struct matrix *matrix, const struct outline *outline)
{
    memset(matrix, 0, sizeof *matrix);
    for (size_t i = 0; i < outline->node_count; i++) {
        matrix->node[outline->nodes[i].id[0] - 'A'] = true;
        matrix->title[outline->nodes[i].id[0] - 'A'] = outline->nodes[i].title;
    }
    for (size_t i = 0; i < outline->edge_count; i++) {
        const struct outline_edge *edge = &outline->edges[i];
        int from = edge->from[0] - 'A', to = edge->to[0] - 'A', type = 0;

        if (from == to || !matrix->node[from] || !matrix->node[to])
            continue;
        while (strcmp(edge->type, types[type]) != 0)
            type++;
        matrix->typed[type][from][to] = true;
        matrix->joined[ALL][from][to] = true;
        matrix->joined[WAYS][from][to] |= type <= 2;
        matrix->joined[NEEDS][from][to] |= type <= 1;
    }
    memcpy(matrix->reaches, matrix->joined, sizeof matrix->reaches);
    for (int kind = 0; kind < KINDS; kind++)
        for (int via = 0; via < 26; via++)
            for (int from = 0; from < 26; from++)
                for (int to = 0; to < 26; to++)
                    matrix->reaches[kind][from][to] |=
                        matrix->reaches[kind][from][via] && matrix->reaches[kind][via][to];
}

static bool arrives(const struct matrix *matrix, int kind, int to)
{
    for (int from = 0; from < 26; from++)
        if (matrix->joined[kind][from][to])
            return true;
    return false;
}

static bool is_joined(const struct matrix *matrix, int v)
{
    for (int other = 0; other < 26; other++)
        if (matrix->joined[ALL][v][other] || matrix->joined[ALL][other][v])
            return true;
    return false;
}

/* Whether a beginning leads to v: one that was there before was a beginning then. */
static bool is_led_to(const struct matrix *is, const struct matrix *was, int v)
{
    for (int start = 0; start < 26; start++) {
        const struct matrix *first = was && was->node[start] ? was : is;
        bool begins = is->node[start] && !arrives(first, WAYS, start);

        if (begins && (start == v || is->reaches[WAYS][start][v]))
            return true;
    }
    return false;
}

static const char *cut_off(const struct matrix *was, const struct matrix *is, int v)
{
    if (!was->node[v] || !is->node[v])
        return NULL;
    if (is_joined(was, v) && !is_joined(is, v))
        return "alone";
    if (!arrives(was, WAYS, v) || !is_led_to(was, NULL, v) || is_led_to(is, was, v))
        return NULL;
    return arrives(is, WAYS, v) ? "behind_cut_off" : "nothing_leads_to_it";
}

/* v stands behind something that one of the two has and the other has not. */
static bool stands_behind(const struct matrix *one, const struct matrix *other, int v)
{
    for (int from = 0; from < 26; from++) {
        if (one->node[from] && one->reaches[WAYS][from][v] &&
            (!other->node[from] || strcmp(one->title[from], other->title[from]) != 0))
            return true;
        for (int to = 0; to < 26; to++)
            for (int type = 0; type <= 2; type++)
                if (one->typed[type][from][to] && !other->typed[type][from][to] &&
                    (to == v || one->reaches[WAYS][to][v]))
                    return true;
    }
    return false;
}

static bool on_new_cycle(const struct matrix *was, const struct matrix *is, int from, int to)
{
    return is->joined[NEEDS][from][to] && !was->joined[NEEDS][from][to] &&
           is->reaches[NEEDS][to][from];
}

/* Each is a circle of needs with something new in it, and each new pair on a circle is in one. */
static void check_random_cycles(const struct matrix *was, const struct matrix *is,
                                const json_t *cycles, int round)
{
    bool said[26][26] = {{false}};
    json_t *cycle;
    size_t i;

    json_array_foreach((json_t *)cycles, i, cycle)
    {
        size_t count = json_array_size(cycle);
        bool progress = false;

        for (size_t k = 0; k < count; k++) {
            int from = json_get_string(json_array_get(cycle, k), "node_id")[0] - 'A';
            int to = json_get_string(json_array_get(cycle, (k + 1) % count), "node_id")[0] - 'A';

            if (!is->joined[NEEDS][from][to])
                fail_msg("round %d: %c and %c are not joined", round, from + 'A', to + 'A');
            said[from][to] = true;
            progress = progress || !was->joined[NEEDS][from][to];
        }
        if (!progress)
            fail_msg("round %d: a cycle that was there before", round);
    }
    for (int from = 0; from < 26; from++)
        for (int to = 0; to < 26; to++)
            if (on_new_cycle(was, is, from, to) && !said[from][to])
                fail_msg("round %d: %c to %c is on a new cycle", round, from + 'A', to + 'A');
}

/* The longest chain of a graph without cycles, by trying. */
static int longest_from(const struct matrix *matrix, int v)
{
    int best = 0;

    for (int to = 0; to < 26; to++) {
        int more = matrix->joined[NEEDS][v][to] ? 1 + longest_from(matrix, to) : 0;

        best = more > best ? more : best;
    }
    return best;
}

/* -1 where there is a cycle. */
static int longest(const struct matrix *matrix)
{
    int best = 0;

    for (int v = 0; v < 26; v++)
        if (matrix->reaches[NEEDS][v][v])
            return -1;
    for (int v = 0; v < 26; v++) {
        int here = longest_from(matrix, v);

        best = here > best ? here : best;
    }
    return best;
}

static unsigned dice(unsigned *seed, unsigned sides)
{
    *seed = *seed * 1103515245u + 12345u;
    return (*seed >> 16) % sides;
}

/* A side by chance: nodes of ten letters, edges likelier forward; the after side is the before one
 * with some of it other. */
static void make_random(char *nodes, char *edges, const bool *keep_nodes, unsigned *seed,
                        const char *old_edges)
{
    const char *at = old_edges;
    char one[64];

    *nodes = *edges = '\0';
    for (int v = 0; v < 10; v++) {
        if (dice(seed, keep_nodes ? 12 : 6) == 0)
            continue;
        snprintf(one, sizeof one, "%c%s ", 'A' + v,
                 keep_nodes && dice(seed, 15) == 0 ? "=New" : "");
        strcat(nodes, one);
    }
    while (at && *at) {
        size_t len = strcspn(at, " ") + 1;

        if (dice(seed, 6) > 0)
            strncat(edges, at, len);
        at += len;
    }
    for (unsigned left = old_edges ? dice(seed, 7) : 6 + dice(seed, 9); left > 0; left--) {
        unsigned from = dice(seed, 10), to = dice(seed, 10);

        if (from > to && dice(seed, 2) > 0) {
            unsigned swap = from;

            from = to;
            to = swap;
        }
        snprintf(one, sizeof one, "%c>%c:%s ", 'A' + from, 'A' + to, types[dice(seed, 4)]);
        strcat(edges, one);
    }
}

static void check_nodes(const struct matrix *was, const struct matrix *is, const json_t *effect,
                        int round)
{
    char cut[512], downstream[512], wanted_cut[512] = "", wanted_downstream[512] = "";

    for (int v = 0; v < 26; v++) {
        const char *why = cut_off(was, is, v);

        if (why)
            snprintf(wanted_cut + strlen(wanted_cut), sizeof wanted_cut - strlen(wanted_cut),
                     "%s%c:%s", *wanted_cut ? " " : "", 'A' + v, why);
        if (was->node[v] && is->node[v] && (stands_behind(was, is, v) || stands_behind(is, was, v)))
            snprintf(wanted_downstream + strlen(wanted_downstream),
                     sizeof wanted_downstream - strlen(wanted_downstream), "%s%c",
                     *wanted_downstream ? " " : "", 'A' + v);
    }
    write_ids(json_object_get(effect, "cut_off"), cut, sizeof cut);
    write_ids(json_object_get(effect, "downstream"), downstream, sizeof downstream);
    if (strcmp(cut, wanted_cut) != 0)
        fail_msg("round %d: cut off '%s', not '%s'", round, cut, wanted_cut);
    if (strcmp(downstream, wanted_downstream) != 0)
        fail_msg("round %d: downstream '%s', not '%s'", round, downstream, wanted_downstream);
}

static void random_graphs_by_a_reference(void **state)
{
    static struct side before, after;
    static struct matrix was, is;
    int with_cycles = 0, with_cuts = 0;
    unsigned seed = 7;

    (void)state;
    for (int round = 0; round < 4000; round++) {
        char nodes[256], edges[1024], new_nodes[256], new_edges[1024];
        const bool later = true;
        json_t *effect, *chain;

        make_random(nodes, edges, NULL, &seed, NULL);
        make_random(new_nodes, new_edges, &later, &seed, edges);
        make(&before, nodes, edges);
        make(&after, new_nodes, new_edges);
        fill_matrix(&was, &before.outline);
        fill_matrix(&is, &after.outline);
        effect = effect_of(&before, &after, false, NULL);
        check_random_cycles(&was, &is, json_object_get(effect, "new_cycles"), round);
        check_nodes(&was, &is, effect, round);
        chain = json_object_get(effect, "longest_chain");
        if (longest(&was) >= 0)
            assert_int_equal(json_integer_value(json_object_get(chain, "before")), longest(&was));
        if (longest(&is) >= 0)
            assert_int_equal(json_integer_value(json_object_get(chain, "after")), longest(&is));
        with_cycles += json_array_size(json_object_get(effect, "new_cycles")) > 0;
        with_cuts += json_array_size(json_object_get(effect, "cut_off")) > 0;
        json_decref(effect);
    }
    assert_in_range(with_cycles, 100, 4000);
    assert_in_range(with_cuts, 100, 4000);
}

/* ---- caps ---- */

static void many_cycles_are_counted(void **state)
{
    enum { PAIRS = 120 };
    static char ids[2 * PAIRS][8];
    static struct outline_node nodes[2 * PAIRS];
    static struct outline_edge edges[2 * PAIRS];
    struct outline before = {.nodes = nodes, .node_count = (size_t)PAIRS * 2, .edges = edges},
                   after = before;
    struct buf BUF_AUTO json = {0}, BUF_AUTO words = {0};
    struct error err = {0};
    json_t *effect;

    (void)state;
    for (size_t i = 0; i < 2 * (size_t)PAIRS; i++) {
        snprintf(ids[i], sizeof ids[i], "N%03zu", i);
        nodes[i] = (struct outline_node){.id = ids[i], .title = ids[i]};
        edges[i] = (struct outline_edge){ids[i], ids[i ^ 1], "PREREQUISITE"};
    }
    /* One way of each pair was there, the way back is new. */
    for (size_t i = 0; i < PAIRS; i++) {
        edges[i] = (struct outline_edge){ids[2 * i], ids[2 * i + 1], "PREREQUISITE"};
        edges[PAIRS + i] = (struct outline_edge){ids[2 * i + 1], ids[2 * i], "PREREQUISITE"};
    }
    before.edge_count = PAIRS;
    after.edge_count = (size_t)PAIRS * 2;
    assert_int_equal(change_effect(&before, &after, false, NULL, NULL, &json, &words, &err), 0);
    effect = json_read(json.data, json.len, "the effect", &err);
    assert_non_null(effect);
    assert_int_equal(json_integer_value(json_object_get(effect, "new_cycles_total")), PAIRS);
    assert_in_range(json_array_size(json_object_get(effect, "new_cycles")), 1, PAIRS - 1);
    assert_int_equal(json_integer_value(json_object_get(effect, "downstream_total")), 2 * PAIRS);
    assert_non_null(strstr(words.data, "more new cycles"));
    assert_in_range(words.len, 1, 2000);
    json_decref(effect);
}

/* ---- failing allocations ---- */

#ifdef COUNTS_ALLOCATIONS
static int live_through(const struct side *before, const struct side *after, struct error *err)
{
    struct buf BUF_AUTO json = {0}, BUF_AUTO words = {0};

    return change_effect(&before->outline, &after->outline, true, NULL, NULL, &json, &words, err);
}

static void failing_allocations(void **state)
{
    static struct side before, after;
    int rc = -1;

    (void)state;
    make(&before, "A B C D E F", "A>B B>C C>D D>E E>F:LEADS_TO");
    make(&after, "A C=New D E F", "C>D D>E E>C E>F:LEADS_TO F>E");
    for (long at = 1; fail_at == 0; at++) { /* until one asks for fewer than that */
        struct error err = {0};

        fail_at = at;
        live = 0;
        watching = true;
        rc = live_through(&before, &after, &err);
        watching = false;
        if (live != 0)
            fail_msg("%ld blocks are left when allocation %ld fails", live, at);
        if (rc < 0 && err.kind != ERROR_MEMORY)
            fail_msg("allocation %ld: %s: %s", at, error_kind_name(err.kind), err.text);
    }
    fail_at = 0;
    assert_int_equal(rc, 0);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graphs_by_hand),
        cmocka_unit_test(no_news_is_no_word),
        cmocka_unit_test(a_title_cannot_look_like_a_line),
        cmocka_unit_test(random_graphs_by_a_reference),
        cmocka_unit_test(many_cycles_are_counted),
#ifdef COUNTS_ALLOCATIONS
        cmocka_unit_test(failing_allocations),
#endif
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
