/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What history is read from: every write leaves rows with who, when and what was, at the grain of
 * one component, node or relationship. Read here through the database file itself.
 */
#include <sqlite3.h>

#include "mcp/store/entities/component.h"
#include "mcp/store/entities/node.h"
#include "mcp/store/entities/relationship.h"
#include "mcp/store/entities/session.h"
#include "tests/unit/session_fixture.h"

/* The session's rows of a version as [[entity, op, entity_id, before, after, who, change_set, at]].
 */
static json_t *rows_of(struct fixture *fixture, int64_t version)
{
    json_t *rows = json_array();
    sqlite3_stmt *statement;
    sqlite3 *db;

    assert_int_equal(sqlite3_open(fixture->url + strlen("sqlite:"), &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_prepare_v2(
            db,
            "SELECT entity, op, entity_id, before, after, who, change_set, at FROM change "
            "WHERE version = ?1 AND session = (SELECT key FROM session WHERE session_id = ?2) "
            "ORDER BY key",
            -1, &statement, NULL),
        SQLITE_OK);
    sqlite3_bind_int64(statement, 1, version);
    sqlite3_bind_text(statement, 2, fixture->sid, -1, SQLITE_STATIC);
    while (sqlite3_step(statement) == SQLITE_ROW) {
        json_t *row = json_array();

        for (int i = 0; i < 8; i++) {
            const char *text = (const char *)sqlite3_column_text(statement, i);

            json_array_append_new(row, text ? json_string(text) : json_null());
        }
        json_array_append_new(rows, row);
    }
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return rows;
}

static json_t *last_rows(struct fixture *fixture)
{
    int64_t version;

    must(fixture, store_session(fixture->store, fixture->sid, NULL, 0, &version, &fixture->err));
    return rows_of(fixture, version);
}

static const char *cell(const json_t *rows, size_t row, size_t column)
{
    return json_string_value(json_array_get(json_array_get(rows, row), column));
}

static json_t *insert(struct fixture *fixture, const char *text, struct component_state *state)
{
    json_auto_t *component =
        json_pack("{s:s, s:{s:s}}", "type", "paragraph", "parameters", "text", text);

    must(fixture, store_component_insert(fixture->store, &test_writer, fixture->sid, "N001", 1,
                                         component, state, &fixture->err));
    return last_rows(fixture);
}

static void test_component_rows(void **state)
{
    struct fixture *fixture = *state;
    json_auto_t *changes = parse("{\"parameters\":{\"text\":\"new\"}}");
    json_auto_t *created = rows_of(fixture, 1), *first = NULL, *second = NULL, *updated = NULL;
    json_auto_t *deleted = NULL, *before = NULL, *patch = NULL;
    struct component_ref ref = {.node_id = "N001"};
    struct component_state done;

    assert_int_equal(json_array_size(created), 3);
    assert_string_equal(cell(created, 0, 1), "create");
    assert_string_equal(cell(created, 1, 2), "N001");
    first = insert(fixture, "old", &done);
    assert_int_equal(json_array_size(first), 1);
    assert_string_equal(cell(first, 0, 0), "component");
    assert_string_equal(cell(first, 0, 1), "insert");
    assert_string_equal(cell(first, 0, 2), done.component_id);
    assert_null(cell(first, 0, 3));
    assert_null(strstr(cell(first, 0, 4), "old"));
    assert_string_equal(cell(first, 0, 5), "test");
    assert_int_equal(strlen(cell(first, 0, 6)), 36);
    assert_int_equal(strlen(cell(first, 0, 7)), 24);
    /* Others that only move up leave no rows: it follows from the insertion. */
    second = insert(fixture, "before it", NULL);
    assert_int_equal(json_array_size(second), 1);
    assert_string_not_equal(cell(first, 0, 6), cell(second, 0, 6));
    ref.component_id = done.component_id;
    must(fixture,
         store_component_update(fixture->store, &(struct writer){.who = "w", .change_set = "set-1"},
                                fixture->sid, &ref, changes, true, 0, &done, &fixture->err));
    updated = last_rows(fixture);
    assert_int_equal(json_array_size(updated), 1);
    assert_string_equal(cell(updated, 0, 1), "update");
    assert_string_equal(cell(updated, 0, 6), "set-1");
    /* Of what changed, what was there before: no more than rewinds to it. */
    before = parse(cell(updated, 0, 3));
    assert_string_equal(json_get_string(before, "node_id"), "N001");
    patch = parse("{\"parameters\":{\"text\":\"old\"}}");
    assert_true(same_json(json_object_get(before, "patch"), patch));
    assert_null(json_object_get(before, "component"));
    assert_null(cell(updated, 0, 4));
    must(fixture, store_component_delete(fixture->store, &test_writer, fixture->sid, &ref, 0, NULL,
                                         &fixture->err));
    deleted = last_rows(fixture);
    assert_int_equal(json_array_size(deleted), 1);
    assert_string_equal(cell(deleted, 0, 1), "delete");
    assert_non_null(strstr(cell(deleted, 0, 3), "\"text\":\"new\""));
    assert_null(cell(deleted, 0, 4));
}

static void test_node_delete_logs_all_that_goes(void **state)
{
    json_auto_t *edge = parse("{\"from_node_id\":\"N001\",\"to_node_id\":\"N002\"}");
    struct fixture *fixture = *state;
    json_auto_t *rows = NULL;

    json_decref(insert(fixture, "text", NULL));
    must(fixture, store_relationship_create(fixture->store, &test_writer, fixture->sid, edge, NULL,
                                            &fixture->err));
    must(fixture,
         store_node_delete(fixture->store, &test_writer, fixture->sid, "N001", &fixture->err));
    rows = last_rows(fixture);
    assert_int_equal(json_array_size(rows), 3);
    assert_string_equal(cell(rows, 0, 0), "component");
    assert_string_equal(cell(rows, 1, 0), "relationship");
    assert_string_equal(cell(rows, 2, 0), "node");
    for (size_t i = 0; i < 3; i++) {
        json_auto_t *before = parse(cell(rows, i, 3));

        assert_true(json_is_object(json_object_get(before, cell(rows, i, 0))));
        assert_string_equal(cell(rows, i, 1), "delete");
        assert_string_equal(cell(rows, i, 6), cell(rows, 0, 6));
    }
}

static void test_renumbering_of_a_broken_sequence_is_logged(void **state)
{
    const char *file = "{\"nodes\":[{\"node_id\":\"N001\",\"components\":["
                       "{\"type\":\"paragraph\",\"order\":4,\"parameters\":{\"text\":\"b\"}},"
                       "{\"type\":\"paragraph\",\"order\":1,\"parameters\":{\"text\":\"a\"}}]}],"
                       "\"relationships\":[]}";
    struct fixture *fixture = *state;
    json_auto_t *rows = NULL, *imported = NULL;
    size_t moved = 0;

    import_text(fixture, file, strlen(file));
    imported = last_rows(fixture);
    assert_string_equal(cell(imported, 0, 1), "import");
    assert_string_equal(cell(imported, 0, 4), "{\"nodes\":1,\"components\":2,\"relationships\":0}");
    rows = insert(fixture, "first", NULL);
    for (size_t i = 0; i < json_array_size(rows); i++)
        moved += !strcmp(cell(rows, i, 1), "renumber");
    assert_int_equal(moved, 2);
    assert_non_null(strstr(cell(rows, 1, 3), "\"position\":4"));
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, fixture_open_session, fixture_close)
    const struct CMUnitTest tests[] = {
        TEST(test_component_rows),
        TEST(test_node_delete_logs_all_that_goes),
        TEST(test_renumbering_of_a_broken_sequence_is_logged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
