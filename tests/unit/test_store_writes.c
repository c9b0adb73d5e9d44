/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Changing and merging nodes, positions, other sequences, changing relationships: what is done,
 * what is refused and changes nothing, what is logged, and what becomes of the oddities of an
 * import.
 */
#include "tests/unit/session_fixture.h"

#include <sqlite3.h>
#include <time.h>

#include "tests/unit/failing_allocations.h"

#define WHO (&test_writer)

/* Three nodes, five components of which one is no object, relationships that will repeat or be a
 * node's own when N001 becomes part of N002. No times, so that exports compare. */
static const char course[] =
    "{\"meta\":{\"title\":\"Course\"},\"nodes\":["
    "{\"node_id\":\"N001\",\"title\":\"One\",\"raw_content\":\"r\",\"chapter_id\":1,\"note\":[1.0],"
    "\"components\":["
    "{\"type\":\"paragraph\",\"order\":1,\"parameters\":{\"text\":\"1a\"},\"confidence\":0.95},"
    "42,"
    "{\"type\":\"paragraph\",\"order\":2,\"order_index\":2,\"parameters\":{\"text\":\"1b\"}},"
    "{\"component_id\":\"theirs\",\"type\":\"heading\",\"order\":3,\"parameters\":{\"text\":\"1c\"}"
    "}]},"
    "{\"node_id\":\"N002\",\"title\":\"Two\",\"components\":["
    "{\"type\":\"paragraph\",\"parameters\":{\"text\":\"2a\"}}]},"
    "{\"node_id\":\"N003\",\"title\":\"Three\",\"components\":[]}],"
    "\"relationships\":["
    "{\"from_node_id\":\"N001\",\"to_node_id\":\"N002\",\"relationship_type\":\"LEADS_TO\"},"
    "{\"from_node_id\":\"N001\",\"to_node_id\":\"N003\",\"relationship_type\":\"LEADS_TO\","
    "\"note\":7},"
    "{\"from_node_id\":\"N002\",\"to_node_id\":\"N003\",\"relationship_type\":\"PREREQUISITE\"},"
    "{\"from_node_id\":\"N001\",\"to_node_id\":\"N003\",\"relationship_type\":\"PREREQUISITE\"},"
    "{\"from_node_id\":\"gone\",\"to_node_id\":\"N001\",\"relationship_type\":\"ODD\"}]}";

static int open_course(void **state)
{
    fixture_open(state);
    import_text(*state, course, sizeof course - 1);
    return 0;
}

typedef int read_fn(struct store *store, const char *sid, struct buf *json, struct error *err);

static json_t *read_list(struct fixture *fixture, read_fn *read)
{
    struct buf text BUF_AUTO = {0};

    must(fixture, read(fixture->store, fixture->sid, &text, &fixture->err));
    return parse(text.data);
}

static json_t *read_components(struct fixture *fixture, const char *node_id)
{
    struct buf text BUF_AUTO = {0};

    must(fixture,
         store_read_components(fixture->store, fixture->sid, node_id, &text, &fixture->err));
    return parse(text.data);
}

/* "1a 1b 1c": texts in their order, which must be dense. */
static void assert_texts(struct fixture *fixture, const char *node_id, const char *wanted)
{
    json_auto_t *sequence = read_components(fixture, node_id);
    const json_t *components = json_object_get(sequence, "components"), *component;
    struct buf texts BUF_AUTO = {0};
    size_t i;

    json_array_foreach((json_t *)components, i, component)
    {
        assert_int_equal(json_integer_value(json_object_get(component, "order")), i + 1);
        assert_int_equal(json_integer_value(json_object_get(component, "order_index")), i + 1);
        buf_addf(&texts, "%s%s", i > 0 ? " " : "",
                 json_get_string(json_object_get(component, "parameters"), "text"));
    }
    buf_add(&texts, "", 0);
    assert_string_equal(texts.data, wanted);
}

static const json_t *find(const json_t *array, const char *key, const char *value)
{
    const json_t *item;
    size_t i;

    json_array_foreach((json_t *)array, i, item)
    {
        const char *text = json_get_string(item, key);

        if (text && !strcmp(text, value))
            return item;
    }
    return NULL;
}

static const json_t *find_node(const json_t *list, const char *node_id)
{
    return find(json_object_get(list, "nodes"), "node_id", node_id);
}

static int64_t id_of(struct fixture *fixture, const char *from, const char *to, const char *type)
{
    int64_t id;

    must(fixture,
         store_relationship_find(fixture->store, fixture->sid, from, to, type, &id, &fixture->err));
    return id;
}

/* The rows of the session's last version: [[entity, op, entity_id, node_id, before, after]]. */
static json_t *last_rows(struct fixture *fixture)
{
    json_t *rows = json_array();
    sqlite3_stmt *statement;
    sqlite3 *db;

    assert_int_equal(sqlite3_open(fixture->url + strlen("sqlite:"), &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_prepare_v2(db,
                           "SELECT entity, op, entity_id, node_id, before, after FROM change WHERE "
                           "version = (SELECT version FROM session WHERE session_id = ?1) AND "
                           "session = (SELECT key FROM session WHERE session_id = ?1) ORDER BY key",
                           -1, &statement, NULL),
        SQLITE_OK);
    sqlite3_bind_text(statement, 1, fixture->sid, -1, SQLITE_STATIC);
    while (sqlite3_step(statement) == SQLITE_ROW) {
        json_t *row = json_array();

        for (int i = 0; i < 6; i++) {
            const char *text = (const char *)sqlite3_column_text(statement, i);

            json_array_append_new(row, text ? json_string(text) : json_null());
        }
        json_array_append_new(rows, row);
    }
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return rows;
}

static const char *cell(const json_t *rows, size_t row, size_t column)
{
    return json_string_value(json_array_get(json_array_get(rows, row), column));
}

/* "component delete, node delete". */
static void assert_rows(const json_t *rows, const char *wanted)
{
    struct buf text BUF_AUTO = {0};

    for (size_t i = 0; i < json_array_size(rows); i++)
        buf_addf(&text, "%s%s %s", i > 0 ? ", " : "", cell(rows, i, 0), cell(rows, i, 1));
    buf_add(&text, "", 0);
    assert_string_equal(text.data, wanted);
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
    must(fixture, store_node_create(fixture->store, WHO, fixture->sid, node, &fixture->err));
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
         store_positions_write(fixture->store, WHO, fixture->sid, positions, &fixture->err));
    shown = read_list(fixture, store_read_positions);
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
         store_positions_write(fixture->store, WHO, fixture->sid, positions, &fixture->err));
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
    json_auto_t *rows = NULL, *same = NULL, *file = NULL, *was = NULL;
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
    same = last_rows(fixture);
    assert_int_equal(json_array_size(same), 0);
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

static int place(struct fixture *fixture, const char *positions)
{
    json_auto_t *given = parse(positions);

    return store_positions_write(fixture->store, WHO, fixture->sid, given, &fixture->err);
}

static void assert_positions(struct fixture *fixture, const char *wanted)
{
    json_auto_t *list = read_list(fixture, store_read_positions), *positions = parse(wanted);

    assert_string_equal(json_get_string(list, "session_id"), fixture->sid);
    if (!same_json(json_object_get(list, "positions"), positions))
        fail_msg("not %s", wanted);
}

static int told;
static void count_told(void *user, const struct store_change *change)
{
    (void)user;
    told += change->target == STORE_POSITIONS && !change->node_id;
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

    for (int i = 0; i <= POSITIONS_MAX; i++) {
        snprintf(id, sizeof id, "N%d", i);
        json_object_set_new(many, id, json_null());
    }
    must_fail(fixture, ERROR_INVALID,
              store_positions_write(fixture->store, WHO, fixture->sid, many, &fixture->err));
    assert_non_null(strstr(fixture->err.text, "5000"));
    json_object_del(many, "N0");
    must_fail(fixture, ERROR_INVALID,
              store_positions_write(fixture->store, WHO, fixture->sid, many, &fixture->err));
    assert_non_null(strstr(fixture->err.text, "4990 more"));
    memset(text, 'x', 8191);
    json_object_set_new(large, "N001",
                        json_pack("{s:i, s:i, s:s}", "x", 1, "y", 2, "further", text));
    must_fail(fixture, ERROR_TOO_LARGE,
              store_positions_write(fixture->store, WHO, fixture->sid, large, &fixture->err));
    free(text);
}

/* ---- relationships ---- */

static int bulk(struct fixture *fixture, const char *relationships, size_t *created)
{
    json_auto_t *given = parse(relationships);

    return store_relationships_create(fixture->store, WHO, fixture->sid, given, created,
                                      &fixture->err);
}

static size_t count_relationships(struct fixture *fixture)
{
    json_auto_t *list = read_list(fixture, store_read_relationships);

    return (size_t)json_integer_value(json_object_get(list, "total"));
}

static void test_bulk(void **state)
{
    struct fixture *fixture = *state;
    json_auto_t *rows = NULL, *list = NULL;
    size_t created = 99, before = count_relationships(fixture);
    const json_t *made;

    must(fixture, bulk(fixture,
                       "[{\"from\":\"N002\",\"to\":\"N001\",\"type\":\"ENRICHMENT\","
                       "\"explanation\":\"why\",\"weight\":0.1},"
                       "{\"from_node_id\":\"N003\",\"to_node_id\":\"N001\"}]",
                       &created));
    assert_int_equal(created, 2);
    assert_int_equal(count_relationships(fixture), before + 2);
    list = read_list(fixture, store_read_relationships);
    made = find(json_object_get(list, "relationships"), "relationship_type", "ENRICHMENT");
    assert_string_equal(json_get_string(made, "from_node_id"), "N002");
    assert_string_equal(json_get_string(made, "explanation"), "why");
    assert_null(json_object_get(made, "from"));
    assert_null(json_object_get(made, "type"));
    assert_non_null(json_object_get(made, "weight"));
    id_of(fixture, "N003", "N001", "LEADS_TO");
    rows = last_rows(fixture);
    assert_rows(rows, "relationship insert, relationship insert");
    must(fixture, bulk(fixture, "[]", &created));
    assert_int_equal(created, 0);
}

static void test_bulk_refusals(void **state)
{
    struct fixture *fixture = *state;
    size_t before = count_relationships(fixture);
    json_auto_t *many = json_array();

    must_fail(fixture, ERROR_INVALID,
              bulk(fixture,
                   "[{\"from\":\"N003\",\"to\":\"N001\"},{\"from\":\"N001\",\"to\":\"N001\"},5,"
                   "{\"from\":\"N001\",\"to\":\"N7\"},{\"from\":\"N003\",\"to\":\"N001\"},"
                   "{\"from\":\"N001\",\"to\":\"N003\",\"type\":\"LOVES\"},"
                   "{\"from\":\"N001\",\"to\":\"N002\"},{\"to\":\"N001\"},"
                   "{\"from\":\"N001\",\"from_node_id\":\"N002\",\"to\":\"N003\"}]",
                   NULL));
    assert_string_equal(fixture->err.loc, "relationships.1.to");
    for (size_t i = 0; i < 8; i++) {
        static const char *const named[] = {
            "relationships.2: ",
            "relationships.3.to: there is no node 'N7'",
            "relationships.4: repeats relationships.0",
            "relationships.5.type: ",
            "relationships.6: there is already a LEADS_TO from N001 to N002",
            "relationships.7.from_node_id: ",
            "relationships.8.from: ",
            "Nothing was written"};

        if (!strstr(fixture->err.text, named[i]))
            fail_msg("no '%s' in %s", named[i], fixture->err.text);
    }
    must_fail(fixture, ERROR_CONFLICT,
              bulk(fixture,
                   "[{\"from\":\"N003\",\"to\":\"N001\"},{\"from\":\"N001\",\"to\":"
                   "\"N002\"}]",
                   NULL));
    must_fail(fixture, ERROR_INVALID, bulk(fixture, "{}", NULL));
    for (int i = 0; i <= RELATIONSHIPS_BATCH_MAX; i++)
        json_array_append_new(many, json_null());
    must_fail(
        fixture, ERROR_INVALID,
        store_relationships_create(fixture->store, WHO, fixture->sid, many, NULL, &fixture->err));
    assert_int_equal(count_relationships(fixture), before);
}

static int update_relationship(struct fixture *fixture, int64_t id, const char *changes,
                               struct relationship_state *state)
{
    json_auto_t *given = parse(changes);

    return store_relationship_update(fixture->store, WHO, fixture->sid, id, given, state,
                                     &fixture->err);
}

static void test_relationship_update(void **state)
{
    struct fixture *fixture = *state;
    int64_t id = id_of(fixture, "N001", "N003", "LEADS_TO"), found;
    struct relationship_state done = {0};
    json_auto_t *rows = NULL, *list = NULL, *before = NULL;
    const json_t *changed;

    must(fixture, update_relationship(fixture, id,
                                      "{\"relationship_type\":\"ENRICHMENT\",\"explanation\":\"e\","
                                      "\"confidence_score\":0.25,\"from_node_id\":\"N001\"}",
                                      &done));
    assert_int_equal(done.id, id);
    assert_string_equal(done.type, "ENRICHMENT");
    assert_string_equal(done.from_title, "One");
    assert_string_equal(done.to_title, "Three");
    assert_null(done.cycle);
    rows = last_rows(fixture);
    assert_rows(rows, "relationship update");
    before = parse(cell(rows, 0, 4));
    assert_string_equal(
        json_get_string(json_object_get(before, "relationship"), "relationship_type"), "LEADS_TO");
    list = read_list(fixture, store_read_relationships);
    changed = find(json_object_get(list, "relationships"), "explanation", "e");
    assert_int_equal(json_integer_value(json_object_get(changed, "id")), id);
    assert_int_equal(json_integer_value(json_object_get(changed, "note")), 7);
    must(fixture, update_relationship(fixture, id, "{\"explanation\":null}", NULL));
    must_fail(fixture, ERROR_CONFLICT,
              update_relationship(fixture, id, "{\"relationship_type\":\"PREREQUISITE\"}", NULL));
    must_fail(fixture, ERROR_INVALID,
              update_relationship(fixture, id, "{\"relationship_type\":\"LOVES\"}", NULL));
    must_fail(fixture, ERROR_INVALID,
              update_relationship(fixture, id, "{\"confidence_score\":1.01}", NULL));
    assert_string_equal(fixture->err.loc, "confidence_score");
    must_fail(fixture, ERROR_INVALID,
              update_relationship(fixture, id, "{\"to_node_id\":\"N002\"}", NULL));
    must_fail(fixture, ERROR_INVALID, update_relationship(fixture, id, "7", NULL));
    must_fail(fixture, ERROR_NOT_FOUND, update_relationship(fixture, 999, "{}", NULL));
    must_fail(fixture, ERROR_NOT_FOUND, update_relationship(fixture, -1, "{}", NULL));
    must_fail(fixture, ERROR_NOT_FOUND,
              store_relationship_find(fixture->store, fixture->sid, "N001", "N003", "LEADS_TO",
                                      &found, &fixture->err));
    assert_non_null(strstr(fixture->err.text, "ENRICHMENT"));
}

static void test_relationship_update_closes_a_cycle(void **state)
{
    struct fixture *fixture = *state;
    struct relationship_state done = {0};

    must(fixture, bulk(fixture, "[{\"from\":\"N003\",\"to\":\"N001\"}]", NULL));
    must(fixture, update_relationship(fixture, id_of(fixture, "N003", "N001", "LEADS_TO"),
                                      "{\"relationship_type\":\"PREREQUISITE_FOR\"}", &done));
    assert_int_equal(json_array_size(done.cycle), 2);
    assert_string_equal(json_get_string(json_array_get(done.cycle, 0), "title"), "One");
    json_decref(done.cycle);
}

static void test_relationship_delete(void **state)
{
    struct fixture *fixture = *state;
    int64_t dangling = id_of(fixture, "gone", "N001", "ODD"), other;
    struct relationship_state done = {0};
    json_auto_t *rows = NULL;
    char sid[SESSION_ID_SIZE];

    must(fixture, update_relationship(fixture, dangling, "{\"explanation\":\"kept\"}", &done));
    assert_string_equal(done.from_title, "");
    must(fixture, store_session_create(fixture->store, WHO, "Another", sid, &fixture->err));
    must_fail(fixture, ERROR_NOT_FOUND,
              store_relationship_delete(fixture->store, WHO, sid, dangling, NULL, &fixture->err));
    must(fixture, store_relationship_delete(fixture->store, WHO, fixture->sid, dangling, &done,
                                            &fixture->err));
    assert_string_equal(done.type, "ODD");
    assert_string_equal(done.to_title, "One");
    rows = last_rows(fixture);
    assert_rows(rows, "relationship delete");
    assert_non_null(strstr(cell(rows, 0, 4), "\"kept\""));
    must_fail(fixture, ERROR_NOT_FOUND,
              store_relationship_delete(fixture->store, WHO, fixture->sid, dangling, NULL,
                                        &fixture->err));
    must_fail(fixture, ERROR_NOT_FOUND,
              store_relationship_find(fixture->store, fixture->sid, "gone", "N001", "ODD", &other,
                                      &fixture->err));
    must_fail(fixture, ERROR_UNAUTHORIZED,
              store_relationship_find(fixture->store, "no", "gone", "N001", "ODD", &other,
                                      &fixture->err));
}

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

static int do_place(struct fixture *f, const json_t *given)
{
    return store_positions_write(f->store, WHO, f->sid, given, &f->err);
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
    json_object_set_new(list, "positions", read_list(fixture, store_read_positions));
    return list;
}

static const struct {
    int (*call)(struct fixture *, const json_t *);
    const char *given;
} writes[] = {
    {do_update, "{\"title\":\"New\",\"raw_content\":null,\"mood\":1}"},
    {do_merge, "null"},
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
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, open_course, fixture_close)
    const struct CMUnitTest tests[] = {
        TEST(test_node_update),
        TEST(test_node_update_refusals),
        TEST(test_large_and_hostile_texts),
        TEST(test_merge),
        cmocka_unit_test_setup_teardown(test_merge_of_oddities, fixture_open_defects,
                                        fixture_close),
        TEST(test_reorder),
        cmocka_unit_test_setup_teardown(test_reorder_of_oddities, fixture_open_defects,
                                        fixture_close),
        TEST(test_reorder_is_refused_when_stale),
        TEST(test_positions),
        TEST(test_too_many_positions),
        TEST(test_bulk),
        TEST(test_bulk_refusals),
        TEST(test_relationship_update),
        TEST(test_relationship_update_closes_a_cycle),
        TEST(test_relationship_delete),
        TEST(test_each_is_undone_by_the_log),
        TEST(test_a_write_costs_the_same_in_a_large_session),
        cmocka_unit_test(test_each_allocation_fails),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
