/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each kind of write to a session: taken back, without memory, and what it costs in a large
 * session.
 */
#include <time.h>

#include "mcp/store/entities/component.h"
#include "mcp/store/entities/node.h"
#include "mcp/store/entities/read.h"
#include "mcp/store/entities/relationship.h"
#include "mcp/store/history/history.h"
#include "tests/unit/failing_allocations.h"
#include "tests/unit/store_writes_fixture.h"

/* ---- each kind of write taken back, and without memory ---- */

static int do_update(struct fixture *f, const json_t *given)
{
    return store_node_update(f->store, WHO, f->sid, "N001", given, 0, NULL, &f->err);
}

static int do_merge(struct fixture *f, const json_t *given)
{
    (void)given;
    return store_node_merge(f->store, WHO, f->sid, "N001", "N002", 0, NULL, &f->err);
}

static int do_move(struct fixture *f, const json_t *given)
{
    struct move_state state;

    return store_components_move(f->store, WHO, f->sid, "N001", given, "N002", 1, &state, &f->err);
}

static int do_split(struct fixture *f, const json_t *given)
{
    json_auto_t *node = json_pack("{s:s, s:s}", "node_id", "N009", "title", "Part");
    json_auto_t *ends = json_pack("[s]", "N003");
    struct move_state state;

    if (!node || !ends)
        return error_set(&f->err, ERROR_MEMORY, "out of memory for what is sent");
    return store_node_split(f->store, WHO, f->sid, "N001", node, NULL, given, ends, &state,
                            &f->err);
}

static int do_copy(struct fixture *f, const json_t *given)
{
    struct move_state state;

    return store_node_copy(f->store, WHO, f->sid, "N001", given, NULL, &state, &f->err);
}

static int do_place(struct fixture *f, const json_t *given)
{
    return store_node_map_write(f->store, WHO, f->sid, given, &f->err);
}

static int do_reorder(struct fixture *f, const json_t *given)
{
    return store_components_reorder(f->store, WHO, f->sid, "N001", given, &f->err);
}

static int do_bulk(struct fixture *f, const json_t *given)
{
    return store_relationships_create(f->store, WHO, f->sid, given, NULL, &f->err);
}

static int do_retype(struct fixture *f, const json_t *given)
{
    return store_relationship_update(f->store, WHO, f->sid, 1, given, NULL, &f->err);
}

/* What a file does not have: positions. Relationships made have a time of their own. */
static json_t *whole(struct fixture *fixture)
{
    json_t *list = export_json(fixture, fixture->sid);
    json_t *relationship;
    size_t i;

    json_array_foreach(json_object_get(list, "relationships"), i, relationship)
    {
        json_object_del(relationship, "created_at");
    }
    json_object_set_new(list, "positions", read_list(fixture, store_read_node_map));
    return list;
}

static const struct {
    int (*call)(struct fixture *, const json_t *);
    const char *given;
} writes[] = {
    {do_update, "{\"title\":\"New\",\"raw_content\":null,\"mood\":1}"},
    {do_merge, "null"},
    {do_move, "[3,1]"},
    {do_split, "[2]"},
    {do_copy, "{\"node_id\":\"N009\",\"title\":\"Copy\"}"},
    {do_place, "{\"N001\":{\"x\":1,\"y\":2}}"},
    {do_reorder, "[2,3,1]"},
    {do_bulk, "[{\"from\":\"N003\",\"to\":\"N001\",\"type\":\"PREREQUISITE\"}]"},
    {do_retype, "{\"relationship_type\":\"PREREQUISITE_FOR\",\"explanation\":\"x\"}"},
};
#define WRITE_COUNT (sizeof writes / sizeof writes[0])

static void test_each_is_undone_by_the_log(void **state)
{
    struct fixture *fixture = *state;
    struct undo_state undone;

    must(fixture, place(fixture, "{\"N001\":{\"x\":7,\"y\":8},\"N002\":{\"x\":9,\"y\":9}}"));
    for (size_t i = 0; i < WRITE_COUNT; i++) {
        json_auto_t *given = parse(writes[i].given), *before = whole(fixture), *done = NULL;
        json_auto_t *after = NULL;

        must(fixture, writes[i].call(fixture, given));
        done = whole(fixture);
        assert_false(same_json(before, done));
        must(fixture, store_undo(fixture->store, WHO, fixture->sid, NULL, &undone, &fixture->err));
        after = whole(fixture);
        if (!same_json(before, after))
            fail_msg("write %zu is not undone: %s", i, undone.what);
    }
}

#ifdef COUNTS_ALLOCATIONS

#define RUNS_CAP 5000

/* Each allocation of the call fails in turn, in a store opened for it. Until it goes through
 * nothing has changed; nothing is leaked. */
static void fail_each(int (*call)(struct fixture *, const json_t *), const char *text)
{
    json_auto_t *given = parse(text), *before = NULL;
    struct fixture *fixture;
    void *state;
    long runs = 0;
    int rc;

    open_course(&state);
    fixture = state;
    before = whole(fixture);
    do {
        json_auto_t *after = NULL;

        assert_true(++runs < RUNS_CAP);
        store_close(fixture->store);
        live = 0;
        watching = true;
        fixture->store = store_open(fixture->url, STORE_WRITE, &fixture->err);
        assert_non_null(fixture->store);
        fail_at = runs;
        rc = call(fixture, given);
        fail_at = 0;
        store_close(fixture->store);
        watching = false;
        if (live != 0)
            fail_msg("%ld blocks are leaked when allocation %ld fails", live, runs);
        fixture->store = store_open(fixture->url, STORE_WRITE, &fixture->err);
        after = whole(fixture);
        if (rc != 0 && !same_json(before, after))
            fail_msg("changed although allocation %ld failed: %s", runs, fixture->err.text);
        if (rc == 0 && same_json(before, after))
            fail_msg("not changed when allocation %ld failed", runs);
    } while (rc != 0);
    assert_true(runs > 5);
    fixture_close(&state);
}

static void test_each_allocation_fails(void **state)
{
    (void)state;
    for (size_t i = 0; i < WRITE_COUNT; i++)
        fail_each(writes[i].call, writes[i].given);
}

#else

static void test_each_allocation_fails(void **state)
{
    (void)state;
    print_message("The sanitizer has the allocations.\n");
    skip();
}

#endif

/* ---- what a write costs in a large session ---- */

#define EDITED     40  /* nodes, each joined to the next */
#define BUSY       200 /* nodes between which all the other relationships are */
#define BUSY_EDGES 30000
#define ROUNDS     3

/* Relationships among the busy nodes, which the edited ones have no part in. */
static void import_beside(struct fixture *fixture, size_t edges)
{
    struct buf text BUF_AUTO = {0};

    buf_adds(&text, "{\"nodes\":[");
    for (size_t i = 0; i < EDITED + BUSY; i++)
        buf_addf(&text, "%s{\"node_id\":\"N%03zu\",\"title\":\"T\",\"components\":[]}",
                 i > 0 ? "," : "", i);
    buf_adds(&text, "],\"relationships\":[");
    for (size_t i = 0; i + 1 < EDITED; i++)
        buf_addf(&text,
                 "%s{\"from_node_id\":\"N%03zu\",\"to_node_id\":\"N%03zu\","
                 "\"relationship_type\":\"PREREQUISITE\"}",
                 i > 0 ? "," : "", i, i + 1);
    for (size_t i = 0; i < edges; i++)
        buf_addf(&text,
                 ",{\"from_node_id\":\"N%03zu\",\"to_node_id\":\"N%03zu\","
                 "\"relationship_type\":\"R%zu\"}",
                 EDITED + i % BUSY, EDITED + (i / BUSY + i + 1) % BUSY, i);
    buf_adds(&text, "]}");
    assert_false(text.failed);
    import_text(fixture, text.data, text.len);
}

static double cpu_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void relate_and_delete(struct fixture *fixture)
{
    for (size_t i = 0; i + 2 < EDITED; i++) {
        struct relationship_state state = {0};
        char from[8], to[8];
        json_auto_t *edge = NULL;

        snprintf(from, sizeof from, "N%03zu", i);
        snprintf(to, sizeof to, "N%03zu", i + 2);
        edge = json_pack("{s:s, s:s, s:s}", "from_node_id", from, "to_node_id", to,
                         "relationship_type", "PREREQUISITE");
        must(fixture, store_relationship_create(fixture->store, WHO, fixture->sid, edge, &state,
                                                &fixture->err));
        json_decref(state.cycle);
    }
    for (size_t i = 0; i + 2 < EDITED; i += 2) {
        struct node_state state;
        char node[8], into[8];

        snprintf(node, sizeof node, "N%03zu", i);
        snprintf(into, sizeof into, "N%03zu", i + 2);
        must(fixture, store_node_merge(fixture->store, WHO, fixture->sid, node, into, 0, &state,
                                       &fixture->err));
        snprintf(node, sizeof node, "N%03zu", i + 1);
        must(fixture,
             store_node_state(fixture->store, fixture->sid, node, 0, &state, &fixture->err));
        must(fixture, store_node_delete(fixture->store, WHO, fixture->sid, node, &fixture->err));
    }
}

/* Processor time of the same writes, the least of some rounds; nothing of it is kept. */
static double writes_cost(struct fixture *fixture)
{
    double least = 1e9;

    for (size_t i = 0; i < ROUNDS; i++) {
        double begin;

        must(fixture, store_begin(fixture->store, &fixture->err));
        begin = cpu_seconds();
        relate_and_delete(fixture);
        begin = cpu_seconds() - begin;
        must(fixture, store_end(fixture->store, false, &fixture->err));
        least = begin < least ? begin : least;
    }
    return least;
}

static void test_a_write_costs_the_same_in_a_large_session(void **state)
{
    struct fixture *fixture = *state;
    double small, large;

    import_beside(fixture, 10);
    small = writes_cost(fixture);
    import_beside(fixture, BUSY_EDGES);
    large = writes_cost(fixture);
    print_message("%.1f ms beside 10 relationships, %.1f ms beside %d\n", small * 1e3, large * 1e3,
                  BUSY_EDGES);
    assert_true(large < 4 * small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        COURSE_TEST(test_each_is_undone_by_the_log),
        COURSE_TEST(test_a_write_costs_the_same_in_a_large_session),
        cmocka_unit_test(test_each_allocation_fails),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
