/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The graph's answers as data, of every query, on graphs small enough to answer by hand. Those of
 * larger ones are compared with networkx by tests/contract/test_graph_oracle.py.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "helpers/base/json.h"
#include "helpers/graph/graph.h"
#include "tests/unit/graph_maker.h"

static json_t *read_json(const char *text, size_t len)
{
    struct error err = {0};
    json_t *value = json_read(text, len, "the answer", &err);

    if (!value)
        fail_msg("%s: %.200s", err.text, text);
    return value;
}

/* A new reference. */
static json_t *ask(struct graph *graph, const struct graph_question *question)
{
    struct buf BUF_AUTO answer = {0};
    struct error err = {0};

    buf_init(&answer, 0);
    if (graph_answer_data(graph, question, &answer, &err) < 0)
        fail_msg("%s: %s", question->query, err.text);
    return read_json(answer.data, answer.len);
}

static void expect_json(const json_t *value, const char *wanted, const char *what)
{
    json_t *want = read_json(wanted, strlen(wanted));

    if (!json_equal(value, want)) {
        char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);

        fail_msg("%s: %s\nis not %s", what, text, wanted);
    }
    json_decref(want);
}

/* The query's own members; over is looked at by test_scope. */
static void expect(struct graph *graph, const struct graph_question *question, const char *wanted)
{
    json_t *answer = ask(graph, question);

    assert_string_equal(json_get_string(answer, "query"), question->query);
    assert_true(json_is_object(json_object_get(answer, "over")));
    json_object_del(answer, "query");
    json_object_del(answer, "over");
    json_object_del(json_object_get(answer, "prerequisites"), "over");
    expect_json(answer, wanted, question->query);
    json_decref(answer);
}

#define WHOLE ",\"cut\":0,\"full\":false}"

struct data_case {
    struct graph_question question;
    const char *wanted;
};

static void expect_all(const char *nodes, const char *edges, const struct data_case *cases,
                       size_t count)
{
    struct graph *graph = make_graph(nodes, edges);

    for (size_t i = 0; i < count; i++)
        expect(graph, &cases[i].question, cases[i].wanted);
    graph_destroy(graph);
}

/* A before B and C, both before D; A to D is redundant; E stands alone. */
#define DIAMOND_NODES "A=Alpha|B=Beta|C=Gamma|D=Delta|E=Epsilon"
#define DIAMOND_EDGES "A>B A>C B>D C>D A>D"

static size_t words_of(void *user, const char *node)
{
    (void)user;
    return 100 * (size_t)(*node - '@');
}

static const struct graph_facts facts = {.words = words_of};

static const struct data_case diamond[] = {
    {{.query = "pace", .parts = 2, .facts = &facts},
     "{\"words\":1500,\"parts\":[{\"nodes\":[\"A\",\"B\",\"C\"],\"words\":600},"
     "{\"nodes\":[\"D\",\"E\"],\"words\":900}]" WHOLE},
    {{.query = "levels", .words = true, .facts = &facts},
     "{\"level_count\":3,\"cycle_groups\":0,\"nodes_in_cycles\":0,\"level_words\":[600,500,400],"
     "\"levels\":[[\"A\",\"E\"],[\"B\",\"C\"],[\"D\"]]" WHOLE},
    {{.query = "outline"},
     "{\"node_count\":5,\"component_count\":5,\"groups\":[{\"name\":null,\"components\":5,"
     "\"nodes\":[{\"node_id\":\"A\",\"components\":1},{\"node_id\":\"B\",\"components\":1},"
     "{\"node_id\":\"C\",\"components\":1},{\"node_id\":\"D\",\"components\":1},"
     "{\"node_id\":\"E\",\"components\":1}]}]" WHOLE},
    {{.query = "counts"},
     "{\"nodes\":5,\"groups\":1,\"components\":5,\"without_components\":0,\"untitled\":0,"
     "\"repeated_ids\":0,\"relationships\":5,\"to_itself\":0,\"repeats\":0,\"links\":0,\"linked_"
     "nodes\":0,"
     "\"by_type\":[{\"relationship_type\":\"PREREQUISITE\",\"count\":5}],\"missing_end\":[],"
     "\"pieces\":2,\"largest_piece\":4,\"isolated\":1,\"prerequisites\":{\"starting_points\":2,"
     "\"end_points\":2,\"cycle_groups\":0,\"nodes_in_cycles\":0,\"levels\":3}" WHOLE},
    {{.query = "neighbours", .node = "B"},
     "{\"node_id\":\"B\",\"before\":[{\"node_id\":\"A\",\"types\":[\"PREREQUISITE\"]}],"
     "\"after\":[{\"node_id\":\"D\",\"types\":[\"PREREQUISITE\"]}],\"links\":[]" WHOLE},
    {{.query = "path", .from = "B", .to = "Delta"},
     "{\"from_node_id\":\"B\",\"to_node_id\":\"D\",\"steps\":1,\"nodes\":[\"B\",\"D\"],"
     "\"types\":[[\"PREREQUISITE\"]]" WHOLE},
    {{.query = "path", .from = "A", .to = "A"},
     "{\"from_node_id\":\"A\",\"to_node_id\":\"A\",\"steps\":0,\"nodes\":[\"A\"],"
     "\"types\":[]" WHOLE},
    {{.query = "path", .from = "D", .to = "A"},
     "{\"from_node_id\":\"D\",\"to_node_id\":\"A\",\"steps\":null,\"nodes\":[],\"types\":[],"
     "\"steps_back\":1,\"steps_over_all_types\":null" WHOLE},
    {{.query = "needs", .node = "D"},
     "{\"node_id\":\"D\",\"direct\":3,\"in_cycle_with\":0,\"nodes\":[{\"node_id\":\"A\","
     "\"steps\":1},{\"node_id\":\"B\",\"steps\":1},{\"node_id\":\"C\",\"steps\":1}]" WHOLE},
    {{.query = "needed_by", .node = "E"},
     "{\"node_id\":\"E\",\"direct\":0,\"in_cycle_with\":0,\"nodes\":[]" WHOLE},
    {{.query = "common_needs", .from = "B", .to = "D"},
     "{\"from_node_id\":\"B\",\"to_node_id\":\"D\",\"needs_of_from\":1,\"needs_of_to\":3,"
     "\"nodes\":[\"A\"]" WHOLE},
    {{.query = "starting_points"},
     "{\"nodes\":[{\"node_id\":\"A\",\"isolated\":false},{\"node_id\":\"E\","
     "\"isolated\":true}]" WHOLE},
    {{.query = "end_points"},
     "{\"nodes\":[{\"node_id\":\"D\",\"isolated\":false},{\"node_id\":\"E\","
     "\"isolated\":true}]" WHOLE},
    {{.query = "order"},
     "{\"cycle_groups\":0,\"nodes_in_cycles\":0,\"nodes\":["
     "{\"node_id\":\"A\",\"step\":0,\"in_cycle\":false},"
     "{\"node_id\":\"B\",\"step\":1,\"in_cycle\":false},"
     "{\"node_id\":\"C\",\"step\":2,\"in_cycle\":false},"
     "{\"node_id\":\"D\",\"step\":3,\"in_cycle\":false},"
     "{\"node_id\":\"E\",\"step\":4,\"in_cycle\":false}]" WHOLE},
    {{.query = "levels"},
     "{\"level_count\":3,\"cycle_groups\":0,\"nodes_in_cycles\":0,"
     "\"levels\":[[\"A\",\"E\"],[\"B\",\"C\"],[\"D\"]]" WHOLE},
    {{.query = "levels", .node = "D"},
     "{\"level_count\":3,\"cycle_groups\":0,\"nodes_in_cycles\":0,\"node_id\":\"D\","
     "\"level\":2" WHOLE},
    {{.query = "longest_chain"},
     "{\"steps\":2,\"cycle_groups\":0,\"nodes_in_cycles\":0,"
     "\"chain\":[[\"A\"],[\"B\"],[\"D\"]]" WHOLE},
    {{.query = "cycles"}, "{\"nodes_in_cycles\":0,\"groups\":[],\"to_themselves\":[]" WHOLE},
    {{.query = "bottlenecks"}, "{\"exact\":true,\"sources\":5,\"without\":5,\"nodes\":[]" WHOLE},
    {{.query = "hubs"},
     "{\"most_direct_dependents\":[{\"node_id\":\"A\",\"count\":3},{\"node_id\":\"B\","
     "\"count\":1},{\"node_id\":\"C\",\"count\":1}],\"most_direct_prerequisites\":["
     "{\"node_id\":\"D\",\"count\":3},{\"node_id\":\"B\",\"count\":1},{\"node_id\":\"C\","
     "\"count\":1}]" WHOLE},
    {{.query = "unlocks"},
     "{\"without\":2,\"nodes\":[{\"node_id\":\"A\",\"dependents\":3},{\"node_id\":\"B\","
     "\"dependents\":1},{\"node_id\":\"C\",\"dependents\":1}]" WHOLE},
    {{.query = "redundant"},
     "{\"cycle_groups_not_judged\":0,\"edges\":[{\"from_node_id\":\"A\",\"to_node_id\":\"D\","
     "\"through_node_id\":\"B\"}]" WHOLE},
    {{.query = "unreachable"}, "{\"nodes\":[],\"isolated\":[\"E\"]" WHOLE},
    {{.query = "unreachable", .node = "B"}, "{\"nodes\":[\"A\",\"C\",\"E\"]" WHOLE},
};

static void test_queries(void **state)
{
    (void)state;
    expect_all(DIAMOND_NODES, DIAMOND_EDGES, diamond, sizeof diamond / sizeof *diamond);
}

/* Every row of the table has a case above; coverage is asked of two graphs. */
static void test_every_query_is_tried(void **state)
{
    size_t count;
    const struct graph_query *queries = graph_queries(&count);

    (void)state;
    for (size_t i = 0; i < count; i++) {
        bool tried = queries[i].needs == GRAPH_TAKES_FRAMEWORK;

        for (size_t j = 0; j < sizeof diamond / sizeof *diamond; j++)
            tried = tried || strcmp(diamond[j].question.query, queries[i].name) == 0;
        if (!tried)
            fail_msg("no case asks for %s", queries[i].name);
    }
}

/* A, B and C need one another, with D beside B in the group; E needs itself; F has no way to it but
 * from the cycle; one edge repeats, one has a missing end, one is of another type. */
#define DEFECTIVE_NODES "A=Alpha|B=Beta|C=Gamma|D=|E=Epsilon|F=Phi"
#define DEFECTIVE_EDGES                                                                            \
    "A>B B>C C>A B>D D>B E>E C>F C>F gone>A A>F:LEADS_TO A>B:PREREQUISITE_FOR F>E:ENRICHMENT"

static void test_defects(void **state)
{
    static const struct data_case cases[] = {
        {{.query = "counts"},
         "{\"nodes\":6,\"groups\":1,\"components\":6,\"without_components\":0,\"untitled\":1,"
         "\"repeated_ids\":0,\"relationships\":12,\"to_itself\":1,\"repeats\":1,\"links\":0,"
         "\"linked_nodes\":0,"
         "\"by_type\":[{\"relationship_type\":\"PREREQUISITE\",\"count\":9},"
         "{\"relationship_type\":\"ENRICHMENT\",\"count\":1},"
         "{\"relationship_type\":\"LEADS_TO\",\"count\":1},"
         "{\"relationship_type\":\"PREREQUISITE_FOR\",\"count\":1}],"
         "\"missing_end\":[{\"from_node_id\":\"gone\",\"to_node_id\":\"A\","
         "\"relationship_type\":\"PREREQUISITE\"}],\"pieces\":1,\"largest_piece\":6,"
         "\"isolated\":0,\"prerequisites\":{\"starting_points\":1,\"end_points\":2,"
         "\"cycle_groups\":1,\"nodes_in_cycles\":4,\"levels\":2}" WHOLE},
        {{.query = "cycles"},
         "{\"nodes_in_cycles\":4,\"groups\":[{\"cycle\":[\"B\",\"D\"],\"shortest\":true,"
         "\"also\":[\"A\",\"C\"],\"edges\":["
         "{\"from_node_id\":\"B\",\"to_node_id\":\"D\",\"relationship_type\":\"PREREQUISITE\"},"
         "{\"from_node_id\":\"D\",\"to_node_id\":\"B\",\"relationship_type\":\"PREREQUISITE\"}],"
         "\"cheapest_cut\":{\"nodes_left_in_cycles\":3,\"from_node_id\":\"D\","
         "\"to_node_id\":\"B\"}}],\"to_themselves\":[\"E\"]" WHOLE},
        {{.query = "needs", .node = "F"},
         "{\"node_id\":\"F\",\"direct\":1,\"in_cycle_with\":0,\"nodes\":["
         "{\"node_id\":\"A\",\"steps\":3},{\"node_id\":\"B\",\"steps\":2},"
         "{\"node_id\":\"C\",\"steps\":1},{\"node_id\":\"D\",\"steps\":3}]" WHOLE},
        {{.query = "needed_by", .node = "D"},
         "{\"node_id\":\"D\",\"direct\":1,\"in_cycle_with\":3,\"nodes\":["
         "{\"node_id\":\"A\",\"steps\":3},{\"node_id\":\"B\",\"steps\":1},"
         "{\"node_id\":\"C\",\"steps\":2},{\"node_id\":\"F\",\"steps\":3}]" WHOLE},
        {{.query = "longest_chain"},
         "{\"steps\":1,\"cycle_groups\":1,\"nodes_in_cycles\":4,"
         "\"chain\":[[\"A\",\"B\",\"C\",\"D\"],[\"F\"]]" WHOLE},
        {{.query = "neighbours", .node = "B"},
         "{\"node_id\":\"B\",\"before\":[{\"node_id\":\"A\",\"types\":[\"PREREQUISITE\","
         "\"PREREQUISITE_FOR\"]},{\"node_id\":\"D\",\"types\":[\"PREREQUISITE\"]}],"
         "\"after\":[{\"node_id\":\"C\",\"types\":[\"PREREQUISITE\"]},{\"node_id\":\"D\","
         "\"types\":[\"PREREQUISITE\"]}],\"links\":[]" WHOLE},
        {{.query = "path", .from = "F", .to = "E"},
         "{\"from_node_id\":\"F\",\"to_node_id\":\"E\",\"steps\":null,\"nodes\":[],\"types\":[],"
         "\"steps_back\":null,\"steps_over_all_types\":1" WHOLE},
        {{.query = "unreachable"},
         "{\"nodes\":[\"A\",\"B\",\"C\",\"D\",\"F\"],"
         "\"isolated\":[\"E\"]" WHOLE},
        {{.query = "redundant"}, "{\"cycle_groups_not_judged\":1,\"edges\":[]" WHOLE},
    };

    (void)state;
    expect_all(DEFECTIVE_NODES, DEFECTIVE_EDGES, cases, sizeof cases / sizeof *cases);
}

static void test_scope(void **state)
{
    struct graph *graph = make_graph(DEFECTIVE_NODES, DEFECTIVE_EDGES);
    static const char *const named[] = {"leads_to", NULL};
    json_t *own = ask(graph, &(struct graph_question){.query = "order"});
    json_t *other = ask(graph, &(struct graph_question){.query = "order", .types = named});

    (void)state;
    expect_json(json_object_get(own, "over"),
                "{\"types\":[\"PREREQUISITE\",\"PREREQUISITE_FOR\"],\"edges\":6,\"left_out\":{"
                "\"missing_end\":1,\"to_itself\":1,\"parallel\":2},\"not_followed\":{"
                "\"ENRICHMENT\":1,\"LEADS_TO\":1}}",
                "own types");
    expect_json(json_object_get(other, "over"),
                "{\"types\":[\"LEADS_TO\"],\"edges\":1,\"left_out\":{\"missing_end\":0,"
                "\"to_itself\":0,\"parallel\":0},\"not_followed\":{\"ENRICHMENT\":1,"
                "\"PREREQUISITE\":9,\"PREREQUISITE_FOR\":1}}",
                "types named");
    json_decref(own);
    json_decref(other);
    graph_destroy(graph);
}

static void test_betweenness_in_the_middle(void **state)
{
    static const struct data_case cases[] = {
        {{.query = "bottlenecks"},
         "{\"exact\":true,\"sources\":3,\"without\":2,\"nodes\":[{\"node_id\":\"B\","
         "\"betweenness\":0.5}]" WHOLE},
    };

    (void)state;
    expect_all("A|B|C", "A>B B>C", cases, 1);
}

static void test_limit(void **state)
{
    static const struct data_case cases[] = {
        {{.query = "unreachable", .node = "D", .limit = 1},
         "{\"nodes\":[\"A\"],\"cut\":3,\"full\":false}"},
        {{.query = "levels", .limit = 1},
         "{\"level_count\":3,\"cycle_groups\":0,\"nodes_in_cycles\":0,\"levels\":[[\"A\",\"E\"]],"
         "\"cut\":2,\"full\":false}"},
        {{.query = "unreachable", .node = "D", .limit = 100000},
         "{\"nodes\":[\"A\",\"B\",\"C\",\"E\"]" WHOLE},
    };

    (void)state;
    expect_all(DIAMOND_NODES, DIAMOND_EDGES, cases, sizeof cases / sizeof *cases);
}

/* Ids of 30 KB: the answer ends soon after its cap, says what is missing, and is whole JSON. */
static void test_cap(void **state)
{
    enum { COUNT = 200, LENGTH = 30000 };
    struct graph_node *nodes = calloc(COUNT, sizeof *nodes);
    struct error err = {0};
    struct graph *graph;
    json_t *answer;
    size_t shown;

    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        char *id = malloc(LENGTH + 1);

        memset(id, 'a' + (int)(i % 26), LENGTH);
        snprintf(id + LENGTH - 3, 4, "%03zu", i);
        nodes[i] = (struct graph_node){id, "", NULL, 0, NULL};
    }
    graph = graph_create(nodes, COUNT, NULL, 0, &err);
    assert_non_null(graph);
    answer = ask(graph, &(struct graph_question){.query = "levels"});
    shown = json_array_size(json_array_get(json_object_get(answer, "levels"), 0));
    assert_int_equal(shown, GRAPH_DATA_CAP / (LENGTH + 3) + 1);
    assert_int_equal(json_integer_value(json_object_get(answer, "cut")), COUNT - shown);
    assert_true(json_is_true(json_object_get(answer, "full")));
    json_decref(answer);
    graph_destroy(graph);
    for (size_t i = 0; i < COUNT; i++)
        free((char *)nodes[i].id);
    free(nodes);
}

/* Whatever the bytes of a curriculum are, the answer is JSON that carries them, or what they can be
 * mended to. */
static void test_odd_texts(void **state)
{
    const struct graph_node nodes[] = {{"a\"\\\n\x01", "", "caf\xc3\xa9 \xe2\x80\xae", 0, NULL},
                                       {"b\xff{[:", "", "bad \xc3 end", 0, NULL}};
    struct error err = {0};
    struct graph *graph = graph_create(nodes, 2, NULL, 0, &err);

    (void)state;
    assert_non_null(graph);
    expect(graph, &(struct graph_question){.query = "outline"},
           "{\"node_count\":2,\"component_count\":0,\"groups\":[{\"name\":\"caf\xc3\xa9 "
           "\xe2\x80\xae\",\"components\":0,\"nodes\":[{\"node_id\":\"a\\\"\\\\\\n\\u0001\","
           "\"components\":0}]},{\"name\":\"bad \xef\xbf\xbd end\",\"components\":0,\"nodes\":[{"
           "\"node_id\":\"b\xef\xbf\xbd{[:\",\"components\":0}]}]" WHOLE);
    graph_destroy(graph);
}

static void test_empty_graph(void **state)
{
    static const struct data_case cases[] = {
        {{.query = "outline"}, "{\"node_count\":0,\"component_count\":0,\"groups\":[]" WHOLE},
        {{.query = "levels"},
         "{\"level_count\":0,\"cycle_groups\":0,\"nodes_in_cycles\":0,\"levels\":[]" WHOLE},
        {{.query = "longest_chain"},
         "{\"steps\":null,\"cycle_groups\":0,\"nodes_in_cycles\":0,\"chain\":[]" WHOLE},
        {{.query = "bottlenecks"},
         "{\"exact\":true,\"sources\":0,\"without\":0,\"nodes\":[]" WHOLE},
    };

    (void)state;
    expect_all("", "", cases, sizeof cases / sizeof *cases);
}

/* The same errors as in words, and what was in the buffer stays. */
static void test_errors(void **state)
{
    const struct {
        struct graph_question question;
        enum error_kind kind;
        const char *text;
    } cases[] = {
        {{.query = "bottleneck"}, ERROR_INVALID, "did you mean 'bottlenecks'?"},
        {{.query = "needs"}, ERROR_INVALID, "takes one node"},
        {{.query = "needs", .node = "Z"}, ERROR_NOT_FOUND, "Z"},
    };
    struct graph *graph = make_graph(DIAMOND_NODES, DIAMOND_EDGES);
    struct cancel *cancel = cancel_create(NULL);
    struct graph_question cancelled = {.query = "order", .bounds.cancel = cancel};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buf BUF_AUTO answer = {0};
        struct error err = {0};

        buf_adds(&answer, "before");
        assert_int_equal(graph_answer_data(graph, &cases[i].question, &answer, &err), -1);
        assert_int_equal(err.kind, cases[i].kind);
        assert_non_null(strstr(err.text, cases[i].text));
        assert_string_equal(answer.data, "before");
    }
    cancel_fire(cancel);
    {
        struct buf BUF_AUTO answer = {0};
        struct error err = {0};

        assert_int_equal(graph_answer_data(graph, &cancelled, &answer, &err), -1);
        assert_int_equal(err.kind, ERROR_CANCELLED);
    }
    cancel_unref(cancel);
    graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_queries),
        cmocka_unit_test(test_every_query_is_tried),
        cmocka_unit_test(test_defects),
        cmocka_unit_test(test_scope),
        cmocka_unit_test(test_betweenness_in_the_middle),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_cap),
        cmocka_unit_test(test_odd_texts),
        cmocka_unit_test(test_empty_graph),
        cmocka_unit_test(test_errors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
