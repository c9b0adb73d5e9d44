/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Changing and merging nodes, other sequences, positions: what is done, what is refused and changes
 * nothing, what is logged, and what becomes of the oddities of an import.
 */
#include "mcp/store/entities/component.h"
#include "mcp/store/entities/node.h"
#include "mcp/store/entities/read.h"
#include "mcp/store/entities/session.h"
#include "mcp/store/history/history.h"
#include "mcp/store/store_internal.h"
#include "tests/unit/store_writes_fixture.h"

static const json_t *find_node(const json_t *list, const char *node_id)
{
    return find(json_object_get(list, "nodes"), "node_id", node_id);
}

static int64_t version_of(struct fixture *fixture)
{
    int64_t version;

    must(fixture, store_session(fixture->store, fixture->sid, NULL, 0, &version, &fixture->err));
    return version;
}

/* ---- nodes ---- */

static int update_node(struct fixture *fixture, const char *node_id, const char *changes,
                       long expected, struct node_state *state)
{
    json_auto_t *given = parse(changes);

    return store_node_update(fixture->store, WHO, fixture->sid, node_id, given, expected, state,
                             &fixture->err);
}

static void test_node_update(void **state)
{
    struct fixture *fixture = *state;
    json_auto_t *list = NULL, *rows = NULL;
    struct node_state done;
    const json_t *node;

    must(fixture,
         update_node(fixture, "N001",
                     "{\"title\":\"Eins \\u0001F30A\",\"raw_content\":null,"
                     "\"content_category\":\"memory_trick\",\"chapter_id\":9,"
                     "\"mood\":{\"a\":[1.0]},\"created_at\":\"never\",\"node_id\":\"N001\"}",
                     1, &done));
    assert_int_equal(done.revision, 2);
    assert_int_equal(done.components, 3);
    assert_int_equal(done.relationships, 4);
    assert_string_equal(done.node_id, "N001");
    list = read_list(fixture, store_read_nodes);
    node = find_node(list, "N001");
    assert_string_equal(json_get_string(node, "title"), "Eins \001F30A");
    assert_true(json_is_null(json_object_get(node, "raw_content")));
    assert_int_equal(json_integer_value(json_object_get(node, "chapter_id")), 9);
    assert_non_null(json_object_get(node, "mood"));
    assert_non_null(json_object_get(node, "note"));
    assert_true(json_is_null(json_object_get(node, "created_at")));
    assert_true(json_is_string(json_object_get(node, "last_modified")));
    rows = last_rows(fixture);
    assert_rows(rows, "node update");
    assert_string_equal(cell(rows, 0, 2), "N001");
    assert_string_equal(cell(rows, 0, 3), "N001");
    assert_non_null(strstr(cell(rows, 0, 4), "\"raw_content\":\"r\""));
    must_fail(fixture, ERROR_STALE, update_node(fixture, "N001", "{\"title\":\"x\"}", 1, NULL));
    assert_non_null(strstr(fixture->err.text, "revision 2, not 1"));
    assert_non_null(strstr(fixture->err.text, "memory_trick"));
    assert_texts(fixture, "N001", "1a 1b 1c");
}

static void test_node_update_refusals(void **state)
{
    static const struct {
        const char *changes, *loc;
    } cases[] = {
        {"{\"node_id\":\"N009\"}", "node_id"},
        {"{\"title\":null}", "title"},
        {"{\"title\":\"\"}", "title"},
        {"{\"title\":5}", "title"},
        {"{\"title\":\"a\\u0000b\"}", "title"},
        {"{\"raw_content\":[]}", "raw_content"},
        {"{\"chapter_id\":1.5}", "chapter_id"},
        {"{\"chapter_id\":\"1\"}", "chapter_id"},
        {"{\"content_category\":\"song\"}", "content_category"},
        {"{\"explanation\":1}", "explanation"},
        {"{\"components\":[]}", "components"},
        {"{}", ""},
        {"{\"created_at\":\"now\"}", ""},
        {"[]", ""},
    };
    struct fixture *fixture = *state;
    json_auto_t *before = export_json(fixture, fixture->sid), *after = NULL;
    int64_t version = version_of(fixture);

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        must_fail(fixture, ERROR_INVALID, update_node(fixture, "N001", cases[i].changes, 0, NULL));
        assert_string_equal(fixture->err.loc, cases[i].loc);
    }
    must_fail(fixture, ERROR_INVALID,
              update_node(fixture, "N001", "{\"title\":7,\"chapter_id\":\"x\"}", 0, NULL));
    assert_non_null(strstr(fixture->err.text, "title: "));
    assert_non_null(strstr(fixture->err.text, "chapter_id: "));
    must_fail(fixture, ERROR_NOT_FOUND, update_node(fixture, "N01", "{\"title\":\"x\"}", 0, NULL));
    after = export_json(fixture, fixture->sid);
    assert_true(same_json(before, after));
    assert_int_equal(version_of(fixture), version);
}

static void test_large_and_hostile_texts(void **state)
{
    static const char id[] = "'; DROP TABLE node; -- \" \xE2\x80\xAE \xF0\x9F\x8C\x8A %00 ../";
    struct fixture *fixture = *state;
    json_auto_t *node = json_pack("{s:s, s:s}", "node_id", id, "title", "T");
    json_auto_t *changes = NULL, *list = NULL, *positions = NULL, *shown = NULL;
    char *text = malloc(TEXT_MAX + 2);
    struct node_state done;

    assert_non_null(text);
    must(fixture, store_node_create(fixture->store, WHO, fixture->sid, node, NULL, &fixture->err));
    memset(text, 'x', TEXT_MAX + 1);
    memcpy(text, "\xF0\x9F\x8C\x8A", 4);
    changes = json_pack("{s:s%}", "raw_content", text, TEXT_MAX);
    must(fixture, store_node_update(fixture->store, WHO, fixture->sid, id, changes, 1, &done,
                                    &fixture->err));
    assert_int_equal(done.revision, 2);
    list = read_list(fixture, store_read_nodes);
    assert_int_equal(json_string_length(json_object_get(find_node(list, id), "raw_content")),
                     TEXT_MAX);
    json_object_set_new(changes, "raw_content", json_stringn(text, TEXT_MAX + 1));
    must_fail(
        fixture, ERROR_INVALID,
        store_node_update(fixture->store, WHO, fixture->sid, id, changes, 0, NULL, &fixture->err));
    /* Further fields have no cap of their own: the whole has. */
    json_object_clear(changes);
    for (size_t i = 0; i < 4; i++)
        json_object_set_new(changes, (const char *[]){"a", "b", "c", "d"}[i],
                            json_stringn(text, TEXT_MAX));
    must_fail(
        fixture, ERROR_TOO_LARGE,
        store_node_update(fixture->store, WHO, fixture->sid, id, changes, 0, NULL, &fixture->err));
    positions = json_pack("{s:{s:i, s:f}}", id, "x", -1, "y", 1e300);
    must(fixture,
         store_node_map_write(fixture->store, WHO, fixture->sid, positions, &fixture->err));
    shown = read_list(fixture, store_read_node_map);
    assert_true(same_json(json_object_get(shown, "positions"), positions));
    must(fixture,
         store_node_merge(fixture->store, WHO, fixture->sid, id, "N001", 2, NULL, &fixture->err));
    free(text);
}

/* ---- merging ---- */

static void test_merge(void **state)
{
    struct fixture *fixture = *state;
    json_auto_t *before = export_json(fixture, fixture->sid), *after = NULL, *rows = NULL;
    json_auto_t *old = read_components(fixture, "N001"), *new = NULL;
    json_auto_t *positions = parse("{\"N001\":{\"x\":1,\"y\":2},\"N002\":{\"x\":3,\"y\":4}}");
    int64_t dangling = id_of(fixture, "gone", "N001", "ODD");
    const json_t *components, *component;
    struct node_state done;
    size_t i;

    must(fixture,
         store_node_map_write(fixture->store, WHO, fixture->sid, positions, &fixture->err));
    must_fail(fixture, ERROR_STALE,
              store_node_merge(fixture->store, WHO, fixture->sid, "N001", "N002", 4, NULL,
                               &fixture->err));
    must_fail(fixture, ERROR_INVALID,
              store_node_merge(fixture->store, WHO, fixture->sid, "N001", "N001", 0, NULL,
                               &fixture->err));
    must_fail(
        fixture, ERROR_NOT_FOUND,
        store_node_merge(fixture->store, WHO, fixture->sid, "N001", "N00", 0, NULL, &fixture->err));
    must(fixture, store_node_merge(fixture->store, WHO, fixture->sid, "N001", "N002", 1, &done,
                                   &fixture->err));
    assert_string_equal(done.node_id, "N002");
    assert_string_equal(done.title, "Two");
    assert_int_equal(done.components, 3);
    assert_int_equal(done.relationships, 2);
    assert_int_equal(done.left_out, 2);
    assert_texts(fixture, "N002", "2a 1a 1b 1c");
    new = read_components(fixture, "N002");
    components = json_object_get(new, "components");
    json_array_foreach(json_object_get(old, "components"), i, component)
    {
        const json_t *moved = json_array_get(components, i + 1);

        assert_string_equal(json_get_string(moved, "component_id"),
                            json_get_string(component, "component_id"));
        assert_int_equal(json_integer_value(json_object_get(moved, "revision")), 2);
        assert_true(json_equal(json_object_get(moved, "parameters"),
                               json_object_get(component, "parameters")));
    }
    assert_int_equal(json_integer_value(json_object_get(json_array_get(components, 0), "revision")),
                     1);
    id_of(fixture, "N002", "N003", "LEADS_TO");
    id_of(fixture, "N002", "N003", "PREREQUISITE");
    assert_int_equal(id_of(fixture, "gone", "N002", "ODD"), dangling);
    rows = last_rows(fixture);
    assert_rows(rows, "component delete, component delete, component delete, component delete, "
                      "component insert, component insert, component insert, component insert, "
                      "relationship delete, relationship update, relationship delete, "
                      "relationship update, position delete, node delete");
    /* The rows alone have all that was there: the file can be made of them again. */
    after = export_json(fixture, fixture->sid);
    assert_int_equal(json_array_size(json_object_get(after, "nodes")), 2);
    for (i = 0; i < 4; i++) {
        json_auto_t *was = parse(cell(rows, i, 4));
        const json_t *node = json_array_get(json_object_get(before, "nodes"), 0);

        assert_string_equal(cell(rows, i, 2), cell(rows, i + 4, 2));
        assert_string_equal(cell(rows, i, 3), "N001");
        assert_string_equal(cell(rows, i + 4, 3), "N002");
        assert_string_equal(json_get_string(was, "node_id"), "N001");
        assert_int_equal(json_integer_value(json_object_get(was, "place")), i);
        assert_true(same_json(json_object_get(was, "component"),
                              json_array_get(json_object_get(node, "components"), i)));
    }
    for (i = 8; i < 12; i++) {
        static const size_t places[] = {0, 1, 3, 4};
        json_auto_t *was = parse(cell(rows, i, 4));

        assert_int_equal(json_integer_value(json_object_get(was, "place")), places[i - 8]);
        assert_true(
            same_json(json_object_get(was, "relationship"),
                      json_array_get(json_object_get(before, "relationships"), places[i - 8])));
    }
    assert_string_equal(cell(rows, 12, 4), "{\"position\":{\"x\":1,\"y\":2}}");
    assert_non_null(strstr(cell(rows, 13, 4), "\"raw_content\":\"r\""));
}

static void test_merge_of_oddities(void **state)
{
    struct fixture *fixture = *state;
    json_auto_t *before = export_json(fixture, fixture->sid), *after = NULL;
    struct node_state done;
    size_t kept = 0;

    /* T1 is there twice: the first is taken up, the relationships stay with the other. */
    must(fixture,
         store_node_merge(fixture->store, WHO, fixture->sid, "T1", "T2", 0, &done, &fixture->err));
    assert_int_equal(done.relationships, 0);
    after = export_json(fixture, fixture->sid);
    assert_true(same_json(json_object_get(before, "relationships"),
                          json_object_get(after, "relationships")));
    for (size_t i = 0; i < json_array_size(json_object_get(after, "nodes")); i++) {
        const json_t *node = json_array_get(json_object_get(after, "nodes"), i);
        const char *id = json_get_string(node, "node_id");

        if (id && !strcmp(id, "T2"))
            kept = json_array_size(json_object_get(node, "components"));
    }
    assert_int_equal(kept, 10); /* 42 and null among them */
    assert_int_equal(done.components, 8);
    /* The other one: T1 -> T2 twice are T2's own now, as T2 -> T2 was that nobody touched. */
    must(fixture,
         store_node_merge(fixture->store, WHO, fixture->sid, "T1", "T2", 0, &done, &fixture->err));
    assert_int_equal(done.relationships, 1);
    assert_int_equal(done.left_out, 2);
    id_of(fixture, "T2", "nowhere", "PREREQUISITE");
    id_of(fixture, "T2", "T2", "SEE_ALSO");
}

/* ---- sequences ---- */

static int reorder(struct fixture *fixture, const char *node_id, const char *order)
{
    json_auto_t *given = parse(order);

    return store_components_reorder(fixture->store, WHO, fixture->sid, node_id, given,
                                    &fixture->err);
}

static void test_reorder(void **state)
{
    static const char *const bad[] = {
        "[1,2]", "[1,2,3,4]", "[1,1,2]",   "[0,1,2]",    "[1,2,4]", "[1,2,\"3\"]",
        "{}",    "[]",        "[1.0,2,3]", "[1,2,null]", "\"321\"", "[1,2,99999999999999]"};
    struct fixture *fixture = *state;
    json_auto_t *rows = NULL, *file = NULL, *was = NULL;
    int64_t version;

    must(fixture, reorder(fixture, "N001", "[3,1,2]"));
    assert_texts(fixture, "N001", "1c 1a 1b");
    rows = last_rows(fixture);
    assert_rows(rows, "component renumber, component renumber, component renumber");
    was = parse(cell(rows, 0, 4));
    assert_int_equal(json_integer_value(json_object_get(was, "place")), 3);
    file = export_json(fixture, fixture->sid);
    assert_int_equal(
        json_integer_value(json_array_get(
            json_object_get(json_array_get(json_object_get(file, "nodes"), 0), "components"), 1)),
        42);
    version = version_of(fixture);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        must_fail(fixture, ERROR_INVALID, reorder(fixture, "N001", bad[i]));
    must_fail(fixture, ERROR_INVALID, reorder(fixture, "N001", "[5,1,1]"));
    assert_non_null(strstr(fixture->err.text, "order.0"));
    assert_non_null(strstr(fixture->err.text, "order.2"));
    must_fail(fixture, ERROR_NOT_FOUND, reorder(fixture, "N9", "[1]"));
    assert_int_equal(version_of(fixture), version);
    must(fixture, reorder(fixture, "N003", "[]"));
    must(fixture, reorder(fixture, "N001", "[1,2,3]"));
    assert_int_equal(version_of(fixture), version);
    assert_texts(fixture, "N001", "1c 1a 1b");
}

static void test_reorder_of_oddities(void **state)
{
    struct fixture *fixture = *state;
    json_auto_t *before = read_components(fixture, "T1"), *after = NULL;
    const json_t *old = json_object_get(before, "components"), *new, *component;
    size_t i;

    must(fixture, reorder(fixture, "T1", "[8,7,6,5,4,3,2,1]"));
    after = read_components(fixture, "T1");
    new = json_object_get(after, "components");
    json_array_foreach((json_t *)new, i, component)
    {
        assert_string_equal(json_get_string(component, "component_id"),
                            json_get_string(json_array_get(old, 7 - i), "component_id"));
    }
}

static void test_reorder_is_refused_when_stale(void **state)
{
    struct fixture *fixture = *state;
    struct writer writer = {.who = "w"};
    json_auto_t *order = parse("[2,1,3]");

    must(fixture, store_cursor(fixture->store, fixture->sid, "N001", &writer.expected_cursor,
                               &fixture->err));
    must(fixture, reorder(fixture, "N001", "[3,2,1]"));
    must_fail(fixture, ERROR_STALE,
              store_components_reorder(fixture->store, &writer, fixture->sid, "N001", order,
                                       &fixture->err));
    assert_texts(fixture, "N001", "1c 1b 1a");
}

/* ---- positions ---- */

static void assert_positions(struct fixture *fixture, const char *wanted)
{
    json_auto_t *list = read_list(fixture, store_read_node_map), *positions = parse(wanted);

    assert_string_equal(json_get_string(list, "session_id"), fixture->sid);
    if (!same_json(json_object_get(list, "positions"), positions))
        fail_msg("not %s", wanted);
}

static int told;
static void count_told(void *user, const struct store_change *change)
{
    (void)user;
    told += change->target == STORE_NODE_MAP && !change->node_id;
}

static void test_positions(void **state)
{
    static const struct {
        const char *positions, *loc;
    } bad[] = {
        {"{\"N001\":{\"x\":\"1\",\"y\":2}}", "positions.N001.x"},
        {"{\"N001\":{\"x\":1}}", "positions.N001.y"},
        {"{\"N001\":[1,2]}", "positions.N001"},
        {"{\"N001\":{\"x\":1,\"y\":true}}", "positions.N001.y"},
        {"{\"N009\":{\"x\":1,\"y\":2}}", "positions.N009"},
        {"{\"N009\":null}", "positions.N009"},
        {"[]", "positions"},
        {"null", "positions"},
    };
    struct fixture *fixture = *state;
    json_auto_t *rows = NULL, *gone = NULL;

    assert_positions(fixture, "{}");
    store_observe(fixture->store, count_told, NULL);
    must(fixture, place(fixture, "{\"N002\":{\"x\":100.5,\"y\":200.3},\"N001\":{\"x\":-1,\"y\":0,"
                                 "\"locked\":true}}"));
    assert_int_equal(told, 1);
    assert_positions(fixture, "{\"N001\":{\"x\":-1,\"y\":0,\"locked\":true},"
                              "\"N002\":{\"x\":100.5,\"y\":200.3}}");
    must(fixture, place(fixture, "{\"N001\":null,\"N002\":{\"x\":100.5,\"y\":200.3},"
                                 "\"N003\":{\"x\":1,\"y\":1}}"));
    assert_positions(fixture, "{\"N002\":{\"x\":100.5,\"y\":200.3},\"N003\":{\"x\":1,\"y\":1}}");
    rows = last_rows(fixture);
    assert_rows(rows, "position delete, position insert");
    assert_string_equal(cell(rows, 0, 2), "N001");
    assert_string_equal(cell(rows, 0, 3), "N001");
    assert_string_equal(cell(rows, 0, 4), "{\"position\":{\"x\":-1,\"y\":0,\"locked\":true}}");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        must_fail(fixture, ERROR_INVALID, place(fixture, bad[i].positions));
        assert_string_equal(fixture->err.loc, bad[i].loc);
    }
    must_fail(fixture, ERROR_INVALID,
              place(fixture, "{\"N002\":{\"x\":5,\"y\":5},\"N001\":{\"y\":[]},\"N4\":null}"));
    assert_non_null(strstr(fixture->err.text, "positions.N001.x"));
    assert_non_null(strstr(fixture->err.text, "positions.N001.y"));
    assert_non_null(strstr(fixture->err.text, "positions.N4"));
    assert_positions(fixture, "{\"N002\":{\"x\":100.5,\"y\":200.3},\"N003\":{\"x\":1,\"y\":1}}");
    must(fixture, store_node_delete(fixture->store, WHO, fixture->sid, "N003", &fixture->err));
    assert_positions(fixture, "{\"N002\":{\"x\":100.5,\"y\":200.3}}");
    gone = last_rows(fixture);
    assert_rows(gone, "relationship delete, relationship delete, relationship delete, "
                      "position delete, node delete");
}

static void test_too_many_positions(void **state)
{
    struct fixture *fixture = *state;
    json_auto_t *many = json_object(), *large = json_object();
    char id[32], *text = calloc(1, 8192);

    for (int i = 0; i <= NODE_MAP_WRITE_MAX; i++) {
        snprintf(id, sizeof id, "N%d", i);
        json_object_set_new(many, id, json_null());
    }
    must_fail(fixture, ERROR_INVALID,
              store_node_map_write(fixture->store, WHO, fixture->sid, many, &fixture->err));
    assert_non_null(strstr(fixture->err.text, "5000"));
    json_object_del(many, "N0");
    must_fail(fixture, ERROR_INVALID,
              store_node_map_write(fixture->store, WHO, fixture->sid, many, &fixture->err));
    assert_non_null(strstr(fixture->err.text, "4990 more"));
    memset(text, 'x', 8191);
    json_object_set_new(large, "N001",
                        json_pack("{s:i, s:i, s:s}", "x", 1, "y", 2, "further", text));
    must_fail(fixture, ERROR_TOO_LARGE,
              store_node_map_write(fixture->store, WHO, fixture->sid, large, &fixture->err));
    free(text);
}

/* ---- what ends a write ---- */

/* Each kind of write looks at the token between its rows. */
static void test_cancelled_writes(void **state)
{
    struct fixture *fixture = *state;
    struct cancel *cancel = cancel_create(&fixture->err);
    json_auto_t *into = parse("{\"node_id\":\"NEW\",\"title\":\"New\"}");
    json_auto_t *before = export_json(fixture, fixture->sid), *after = NULL;
    struct import_report report = {0};
    struct move_state moved = {0};
    static const char text[] = "{\"nodes\":[{\"node_id\":\"N1\",\"title\":\"One\"}]}";

    cancel_fire(cancel);
    store_bound(fixture->store, cancel);
    must_fail(fixture, ERROR_CANCELLED,
              store_node_delete(fixture->store, WHO, fixture->sid, "N001", &fixture->err));
    must_fail(fixture, ERROR_CANCELLED,
              store_node_copy(fixture->store, WHO, fixture->sid, "N001", into, NULL, &moved,
                              &fixture->err));
    must_fail(fixture, ERROR_CANCELLED,
              curriculum_import(fixture->store, WHO, text, sizeof text - 1, NULL, false, NULL,
                                &report, NULL, &fixture->err));
    store_unbound(fixture->store);
    after = export_json(fixture, fixture->sid);
    assert_true(same_json(before, after));
    must(fixture, store_node_delete(fixture->store, WHO, fixture->sid, "N001", &fixture->err));
    cancel_unref(cancel);
}

/* A write that was just allowed can be taken back. */
static void test_the_bounds_of_an_undo(void **state)
{
    struct fixture *fixture = *state;
    json_auto_t *before = export_json(fixture, fixture->sid), *after = NULL;
    struct undo_state undone;

    must(fixture, store_node_delete(fixture->store, WHO, fixture->sid, "N001", &fixture->err));
    store_bound(fixture->store, NULL);
    fixture->store->bounds.rows = WRITE_ROWS_MAX;
    must_fail(fixture, ERROR_TOO_LARGE,
              store_node_delete(fixture->store, WHO, fixture->sid, "N002", &fixture->err));
    must(fixture, store_undo(fixture->store, WHO, fixture->sid, NULL, &undone, &fixture->err));
    store_bound(fixture->store, NULL);
    fixture->store->bounds.rows = UNDO_BOUNDS_FACTOR * WRITE_ROWS_MAX;
    must_fail(fixture, ERROR_TOO_LARGE,
              store_undo(fixture->store, WHO, fixture->sid, undone.by_set, NULL, &fixture->err));
    store_unbound(fixture->store);
    after = export_json(fixture, fixture->sid);
    for (size_t i = 0; i < json_array_size(json_object_get(before, "nodes")); i++) {
        json_object_del(json_array_get(json_object_get(before, "nodes"), i), "last_modified");
        json_object_del(json_array_get(json_object_get(after, "nodes"), i), "last_modified");
    }
    assert_true(same_json(before, after));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        COURSE_TEST(test_node_update),
        COURSE_TEST(test_node_update_refusals),
        COURSE_TEST(test_large_and_hostile_texts),
        COURSE_TEST(test_merge),
        DEFECTS_TEST(test_merge_of_oddities),
        COURSE_TEST(test_reorder),
        DEFECTS_TEST(test_reorder_of_oddities),
        COURSE_TEST(test_reorder_is_refused_when_stale),
        COURSE_TEST(test_positions),
        COURSE_TEST(test_too_many_positions),
        COURSE_TEST(test_cancelled_writes),
        COURSE_TEST(test_the_bounds_of_an_undo),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
