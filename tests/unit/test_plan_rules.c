/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Plans by rule: each question is planned, its query is run on the graph, and the part of the data
 * that the plan picks is the answer. Questions that look alike and ask for something else are left
 * alone. With LECTERN_SHARED the questions of truth/ as well, of which those that are planned must
 * be right; their number is printed.
 */
#include "mcp/store/entities/outline.h"
#include "session_fixture.h"

#include "helpers/graph/graph.h"
#include "mcp/agent/plan_rules.h"
#include "mcp/change/graph_cache.h"

#define DATA_CAP  ((size_t)16 << 20)
#define TYPES_CAP 16u

static const char curriculum[] =
    "{\"nodes\": ["
    "{\"node_id\": \"N1\", \"title\": \"Counting\", \"components\": []},"
    "{\"node_id\": \"N2\", \"title\": \"Adding\", \"components\": []},"
    "{\"node_id\": \"N3\", \"title\": \"Adding fractions\", \"components\": []},"
    "{\"node_id\": \"N4\", \"title\": \"Multiplying\", \"components\": []},"
    "{\"node_id\": \"N5\", \"title\": \"Powers\", \"components\": []},"
    "{\"node_id\": \"N6\", \"title\": \"Stories\", \"components\": []}],"
    "\"relationships\": ["
    "{\"from_node_id\": \"N1\", \"to_node_id\": \"N2\", \"relationship_type\": \"PREREQUISITE\"},"
    "{\"from_node_id\": \"N2\", \"to_node_id\": \"N3\", \"relationship_type\": \"PREREQUISITE\"},"
    "{\"from_node_id\": \"N1\", \"to_node_id\": \"N3\", \"relationship_type\": \"PREREQUISITE\"},"
    "{\"from_node_id\": \"N2\", \"to_node_id\": \"N4\", \"relationship_type\": \"PREREQUISITE\"},"
    "{\"from_node_id\": \"N4\", \"to_node_id\": \"N5\", \"relationship_type\": \"PREREQUISITE\"},"
    "{\"from_node_id\": \"N3\", \"to_node_id\": \"N4\", \"relationship_type\": \"LEADS_TO\"}]}";

/* One curriculum as the planner and the queries see it. */
struct course {
    struct outline outline;
    struct graph *graph;
};

static void open_course(struct fixture *fixture, struct course *course, const char *text,
                        size_t len)
{
    import_text(fixture, text, len);
    must(fixture,
         store_read_outline(fixture->store, fixture->sid, &course->outline, &fixture->err));
    course->graph = graph_of_outline(&course->outline, &fixture->err);
    if (!course->graph)
        fail_msg("%s", fixture->err.text);
}

static void close_course(struct course *course)
{
    graph_destroy(course->graph);
    outline_finish(&course->outline);
}

static json_t *run_query(struct course *course, const struct plan_query *query, struct error *err)
{
    const char *types[TYPES_CAP + 1] = {NULL};
    struct graph_question question = {
        .query = query->name,
        .node = query->node_id,
        .from = query->from_node_id,
        .to = query->to_node_id,
        .types = types,
        .limit = query->limit,
        .bounds = graph_cache_bounds(NULL, NULL),
    };
    struct buf data;
    json_t *read = NULL;

    for (size_t i = 0; i < json_array_size(query->types) && i < TYPES_CAP; i++)
        types[i] = json_string_value(json_array_get(query->types, i));
    buf_init(&data, DATA_CAP);
    if (graph_answer_data(course->graph, &question, &data, err) == 0)
        read = json_read(data.data, data.len, "the data", err);
    buf_finish(&data);
    return read;
}

/* The answer of the plan for a question, or NULL if there is no plan. */
static json_t *answer(struct course *course, const char *question)
{
    struct error err = {0};
    struct plan plan = {0};
    json_t *message = plan_by_rule(question, &course->outline, &err), *data, *picked;

    if (err.kind != ERROR_NONE)
        fail_msg("%s: %s", question, err.text);
    if (!message)
        return NULL;
    if (plan_read(message, &plan, &err) < 0)
        fail_msg("%s: %s", question, err.text);
    assert_int_equal(plan.approach, PLAN_QUERY);
    data = run_query(course, &plan.query, &err);
    if (!data)
        fail_msg("%s: %s", question, err.text);
    picked = query_pick(data, &plan.query, &err);
    if (!picked)
        fail_msg("%s: %s", question, err.text);
    json_decref(data);
    plan_finish(&plan);
    json_decref(message);
    return picked;
}

static void expect_answer(const char *question, json_t *found, const json_t *wanted)
{
    if (found && json_equal(found, wanted))
        return;
    char *shown = found ? json_dumps(found, JSON_ENCODE_ANY | JSON_SORT_KEYS) : NULL;
    char *right = json_dumps(wanted, JSON_ENCODE_ANY | JSON_SORT_KEYS);

    fail_msg("%s\n  %s, not %s", question, shown ? shown : "no plan", right);
}

static const struct {
    const char *question, *answer;
} questions[] = {
    {"How many lessons are there?", "6"},
    {"What is the number of relationships in this course?", "6"},
    {"How many components does the curriculum have?", "0"},
    {"How many edges are there of each type?", "{\"PREREQUISITE\": 5, \"LEADS_TO\": 1}"},
    {"How many lessons have no components?", "6"},
    {"What must be learned before Powers?", "[\"N1\", \"N2\", \"N4\"]"},
    {"Which lessons must be mastered before N5 (Powers)? Give the ids.",
     "[\"N1\", \"N2\", \"N4\"]"},
    {"How many topics must be known before Powers?", "3"},
    {"List all prerequisites of \"Adding fractions\".", "[\"N1\", \"N2\"]"},
    {"How many direct and indirect prerequisites does N5 have?", "3"},
    {"Which lessons does N5 need, directly or indirectly?", "[\"N1\", \"N2\", \"N4\"]"},
    {"Which topics depend on Adding, directly or indirectly?", "[\"N3\", \"N4\", \"N5\"]"},
    {"If Adding changes, how many lessons depend on it directly or indirectly?", "3"},
    {"Which lessons directly depend on Adding? Give their ids.", "[\"N3\", \"N4\"]"},
    {"How many lessons depend directly on N2?", "2"},
    {"What are the direct prerequisites of Adding fractions?", "[\"N1\", \"N2\"]"},
    {"How many direct prerequisites does Powers have?", "1"},
    {"How many common prerequisites, direct or indirect, do N3 and N4 have?", "2"},
    {"Which prerequisites do N3 and N4 have in common, directly or indirectly?",
     "[\"N1\", \"N2\"]"},
    {"What is the shortest path from N1 to N5?", "[\"N1\", \"N2\", \"N4\", \"N5\"]"},
    {"Show the shortest route from Counting to Powers over all relationships.",
     "[\"N1\", \"N2\", \"N4\", \"N5\"]"},
    {"Is there any path from N3 to N5 along PREREQUISITE relationships?", "false"},
    {"Is there a path from N3 to N5 over relationships of any type?", "true"},
    {"Are there any prerequisite cycles?", "false"},
    {"How many lessons are on the longest chain of prerequisites?", "4"},
    {"Which lessons have no prerequisites?", "[\"N1\", \"N6\"]"},
    {"How many lessons are without prerequisites?", "2"},
    {"List the starting points.", "[\"N1\", \"N6\"]"},
    {"What are the end points?", "[\"N3\", \"N5\", \"N6\"]"},
    {"Which lessons are needed by nothing?", "[\"N3\", \"N5\", \"N6\"]"},
    {"Which lessons are isolated?", "[\"N6\"]"},
    {"Which PREREQUISITE edges are redundant? Give [from, to] pairs.", "[[\"N1\", \"N3\"]]"},
    {"How many redundant prerequisite relationships are there?", "1"},
    {"Which two lessons are a direct prerequisite of the most other lessons? Give [id, number].",
     "[[\"N1\", 2], [\"N2\", 2]]"},
    {"Which lesson has the most direct prerequisites, and how many (smallest id on a tie)?",
     "[\"N3\", 2]"},
    {"Which lesson unlocks the most direct and indirect dependents, and how many? (smallest id on "
     "a tie)",
     "[\"N1\", 4]"},
    {"How many levels are there?", NULL},
    {"Into how many separate pieces does the course fall?", "2"},
    {"Starting at N3 and following relationships of any type in their direction, how many lessons "
     "can never be reached?",
     "3"},
    {"On which level is N5, counted from 0?", "3"},
    /* alike, and left alone */
    {"How many lessons does each chapter have?", NULL},
    {"How many lessons have a definition?", NULL},
    {"What must be learned before Powers in chapter 2?", NULL},
    {"What must be learned before Powers, except Counting?", NULL},
    {"What must not be learned before Powers?", NULL},
    {"Which lessons have no prerequisites, and how many words do they have?", NULL},
    {"Which lessons depend on Adding?", NULL}, /* directly, or all? */
    {"What is the second shortest path from N1 to N5?", NULL},
    {"What is the shortest path from N1 to N5 that avoids N4?", NULL},
    {"How many relationships are not redundant?", NULL},
    {"Which lessons have no prerequisites, in alphabetical order?", NULL},
    {"On which level is N5?", NULL}, /* from 0, or from 1? */
    {"How many direct prerequisites of N5 are longer than 100 words?", NULL},
    {"How many lessons are on the longest chain from N2?", NULL},
    {"What must be learned before Calculus?", NULL}, /* no such lesson */
    {"How many words must be read before N5?", NULL},
    {"What is the average number of direct prerequisites?", NULL},
    {"Which lessons are no prerequisites?", NULL},
    {"Are there direct prerequisites of N5?", NULL}, /* yes or no, not which */
    {"Which lessons have the most direct prerequisites, and how many?", NULL}, /* on a tie? */
    {"What does N5 need?", NULL},
    {"Which lessons must be learnt before N5 but not before N3?", NULL},
    {"Which lessons have no prerequisites? How many?", NULL},
    {"List two starting points.", NULL},
    {"What must be learnt before N5, in teaching order?", NULL},
    {"How many relationships have the type PREREQUISITE?", NULL},
    {"Is the number of lessons even?", NULL},
    {"", NULL},
};

static void test_questions(void **state)
{
    struct fixture *fixture = *state;
    struct course course = {0};
    size_t planned = 0;

    open_course(fixture, &course, curriculum, strlen(curriculum));
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        json_t *found = answer(&course, questions[i].question);
        json_t *wanted =
            questions[i].answer ? json_loads(questions[i].answer, JSON_DECODE_ANY, NULL) : NULL;

        if (!wanted && found)
            fail_msg("planned: %s", questions[i].question);
        if (wanted)
            expect_answer(questions[i].question, found, wanted);
        planned += found != NULL;
        json_decref(found);
        json_decref(wanted);
    }
    assert_true(planned >= 30);
    close_course(&course);
}

/* Data that a query cut, or that lacks what a plan picks, is no answer. */
static void test_incomplete_data(void **state)
{
    static const char *const wrong[][2] = {
        {"{\"nodes\": [\"A\"], \"cut\": 1}", "{\"query\": \"needs\", \"pick\": \"nodes\"}"},
        {"{\"nodes\": [{\"a\": 1}]}",
         "{\"query\": \"needs\", \"pick\": \"nodes\", \"fields\": [\"b\"]}"},
        {"{\"chain\": [[\"A\", \"B\"]]}",
         "{\"query\": \"longest_chain\", \"pick\": \"chain\", \"fields\": [\"0\"]}"},
        {"{\"nodes\": 3}", "{\"query\": \"counts\", \"pick\": \"nodes\", \"count\": true}"},
        {"{}", "{\"query\": \"counts\", \"pick\": \"nodes.0\"}"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct error err = {0};
        struct plan plan = {0};
        json_t *data = parse(wrong[i][0]);
        json_t *message = json_pack("{s:s, s:o}", "approach", "query", "query", parse(wrong[i][1]));

        assert_int_equal(plan_read(message, &plan, &err), 0);
        assert_null(query_pick(data, &plan.query, &err));
        assert_int_equal(err.kind, ERROR_INVALID);
        plan_finish(&plan);
        json_decref(message);
        json_decref(data);
    }
}

static void ask_truth(struct fixture *fixture, const char *name, size_t *asked, size_t *planned)
{
    struct course course = {0};
    char path[128], *text, *lines, *rest = NULL;
    size_t len;

    snprintf(path, sizeof path, "%s.json", name);
    text = read_shared(path, &len);
    if (!text)
        skip();
    open_course(fixture, &course, text, len);
    free(text);
    snprintf(path, sizeof path, "../truth/%s.jsonl", name);
    lines = read_shared(path, &len);
    if (!lines)
        skip();
    for (char *line = strtok_r(lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        json_t *row = parse(line);
        const char *question = json_get_string(row, "question");
        json_t *found = answer(&course, question);

        if (found)
            expect_answer(question, found, json_object_get(row, "answer"));
        *asked += 1;
        *planned += found != NULL;
        if (getenv("LECTERN_LIST"))
            print_message("%s %s\n", found ? "planned " : "left    ", question);
        json_decref(found);
        json_decref(row);
    }
    free(lines);
    close_course(&course);
}

static void test_truth(void **state)
{
    static const char *const names[] = {"fractions", "exercism_python", "openstax_algebra"};
    struct fixture *fixture = *state;
    size_t asked = 0, planned = 0;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        ask_truth(fixture, names[i], &asked, &planned);
    print_message("%zu of %zu questions are planned by rule\n", planned, asked);
    assert_true(planned > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_questions, fixture_open, fixture_close),
        cmocka_unit_test(test_incomplete_data),
        cmocka_unit_test_setup_teardown(test_truth, fixture_open, fixture_close),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
