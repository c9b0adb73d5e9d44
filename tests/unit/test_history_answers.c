/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What history says: pages, words, refusals, the tool's answers; and rows of the log as an earlier
 * version wrote them.
 */
#include <sqlite3.h>

#include "helpers/base/cancel.h"
#include "mcp/store/entities/component.h"
#include "mcp/store/entities/node.h"
#include "mcp/store/entities/relationship.h"
#include "mcp/store/history/history.h"
#include "mcp/tool/arguments.h"
#include "tests/unit/session_fixture.h"

#define COURSE                                                                                     \
    "{\"nodes\":[{\"node_id\":\"N1\",\"title\":\"Adding fractions\",\"components\":["              \
    "{\"type\":\"paragraph\",\"order\":1,\"parameters\":{\"text\":\"one\"}},"                      \
    "{\"type\":\"paragraph\",\"order\":2,\"parameters\":{\"text\":\"two\"}}]},"                    \
    "{\"node_id\":\"N2\",\"title\":\"Halves\",\"components\":[]}],\"relationships\":[]}"

static int open_course(void **state)
{
    fixture_open(state);
    import_text(*state, COURSE, strlen(COURSE));
    return 0;
}

static void write_text(struct fixture *fixture, const char *who, const char *set, long order,
                       const char *text)
{
    const struct component_ref ref = {.node_id = "N1", .order = order};
    json_auto_t *changes = json_pack("{s:{s:s}}", "parameters", "text", text);

    must(fixture,
         store_component_update(fixture->store, &(struct writer){.who = who, .change_set = set},
                                fixture->sid, &ref, changes, true, 0, NULL, &fixture->err));
}

static json_t *read_page(struct fixture *fixture, const struct history_page *page)
{
    struct buf text BUF_AUTO = {0};

    must(fixture, store_read_history(fixture->store, fixture->sid, page, &text, &fixture->err));
    return parse(text.data);
}

static const json_t *change_at(const json_t *read, size_t at)
{
    return json_array_get(json_object_get(read, "changes"), at);
}

static const json_t *entry_of(const json_t *change, size_t at)
{
    return json_array_get(json_object_get(change, "entries"), at);
}

static const char *text_of(const json_t *entry, const char *side)
{
    return json_get_string(json_object_get(json_object_get(entry, side), "parameters"), "text");
}

static void test_page(void **state)
{
    struct fixture *fixture = *state;
    struct history_page page = {.limit = 10};
    json_auto_t *all = NULL, *few = NULL, *of_node = NULL, *bare = NULL;
    json_auto_t *position = parse("{\"N2\":{\"x\":1,\"y\":2}}");
    const json_t *both;

    write_text(fixture, "ann", "first", 1, "uno");
    write_text(fixture, "bob", "second", 1, "eins");
    write_text(fixture, "bob", "second", 2, "zwei");
    must(fixture,
         store_node_map_write(fixture->store, &test_writer, fixture->sid, position, &fixture->err));
    all = read_page(fixture, &page);
    assert_int_equal(json_integer_value(json_object_get(all, "version")), 5);
    assert_int_equal(json_integer_value(json_object_get(all, "total")), 4);
    both = change_at(all, 1);
    assert_string_equal(json_get_string(both, "change_set"), "second");
    assert_string_equal(json_get_string(both, "who"), "bob");
    assert_string_equal(json_get_string(both, "what"),
                        "2 components of N1 \"Adding fractions\" changed");
    assert_true(json_is_null(json_object_get(both, "undone_by")));
    assert_int_equal(json_array_size(json_object_get(both, "entries")), 2);
    assert_string_equal(text_of(entry_of(both, 0), "before"), "uno");
    assert_string_equal(text_of(entry_of(both, 0), "after"), "eins");
    assert_string_equal(text_of(entry_of(both, 1), "before"), "two");
    assert_string_equal(text_of(entry_of(change_at(all, 2), 0), "before"), "one");
    assert_string_equal(text_of(entry_of(change_at(all, 2), 0), "after"), "uno");
    assert_string_equal(json_get_string(change_at(all, 3), "what"), "curriculum imported");
    page = (struct history_page){.limit = 1, .since = 1, .before = 4};
    few = read_page(fixture, &page);
    assert_int_equal(json_integer_value(json_object_get(few, "total")), 2);
    assert_string_equal(json_get_string(change_at(few, 0), "change_set"), "second");
    page = (struct history_page){.limit = 10, .node_id = "N2"};
    of_node = read_page(fixture, &page);
    assert_int_equal(json_integer_value(json_object_get(of_node, "total")), 1);
    page = (struct history_page){.limit = 10, .without_texts = true};
    bare = read_page(fixture, &page);
    assert_null(json_object_get(entry_of(change_at(bare, 1), 0), "before"));
    page.limit = HISTORY_LIMIT_MAX + 1;
    must_fail(fixture, ERROR_INVALID,
              store_read_history(fixture->store, fixture->sid, &page, NULL, &fixture->err));
}

static void test_large_change_set(void **state)
{
    struct fixture *fixture = *state;
    const struct history_page page = {.limit = 1};
    json_auto_t *components = json_array(), *read = NULL;
    const json_t *change;

    for (int i = 0; i < HISTORY_ENTRIES_CAP + 20; i++)
        json_array_append_new(components, json_pack("{s:s, s:{s:s}}", "type", "paragraph",
                                                    "parameters", "text", "more"));
    must(fixture, store_components_append(fixture->store, &test_writer, fixture->sid, "N2",
                                          components, NULL, &fixture->err));
    read = read_page(fixture, &page);
    change = change_at(read, 0);
    assert_string_equal(json_get_string(change, "what"), "120 components of N2 \"Halves\" created");
    assert_int_equal(json_array_size(json_object_get(change, "entries")), HISTORY_ENTRIES_CAP);
    assert_int_equal(json_integer_value(json_object_get(change, "entries_left_out")), 20);
    assert_string_equal(text_of(entry_of(change, 0), "after"), "more");
    assert_true(json_is_null(json_object_get(entry_of(change, 0), "before")));
}

/* ---- refusals ---- */

static void test_refused_undo_says_by_whom(void **state)
{
    struct fixture *fixture = *state;
    json_auto_t *before = NULL, *after = NULL;
    struct undo_state undone;

    write_text(fixture, "ann", "first", 1, "uno");
    write_text(fixture, "ann", "first", 2, "due");
    write_text(fixture, "outside", NULL, 1, "theirs");
    before = export_json(fixture, fixture->sid);
    must_fail(
        fixture, ERROR_CONFLICT,
        store_undo(fixture->store, &test_writer, fixture->sid, "first", &undone, &fixture->err));
    assert_non_null(strstr(fixture->err.text, "N1 \"Adding fractions\" was changed since, by "
                                              "outside at version 4"));
    after = export_json(fixture, fixture->sid);
    assert_true(same_json(before, after));
    must_fail(
        fixture, ERROR_NOT_FOUND,
        store_undo(fixture->store, &test_writer, fixture->sid, "none", &undone, &fixture->err));
    /* What was put back by hand is no obstacle: the text is what it would undo. */
    write_text(fixture, "bob", NULL, 1, "uno");
    must(fixture,
         store_undo(fixture->store, &test_writer, fixture->sid, "first", &undone, &fixture->err));
    assert_int_equal(undone.entries, 2);
    assert_string_equal(undone.what, "2 components of N1 \"Adding fractions\" changed");
}

static void test_created_node_that_others_use_stays(void **state)
{
    struct fixture *fixture = *state;
    json_auto_t *node = parse("{\"node_id\":\"N3\",\"title\":\"Thirds\"}");
    json_auto_t *edge = parse("{\"from_node_id\":\"N1\",\"to_node_id\":\"N3\"}");
    const struct writer ann = {.who = "ann", .change_set = "made"};
    struct undo_state undone;

    must(fixture, store_node_create(fixture->store, &ann, fixture->sid, node, NULL, &fixture->err));
    must(fixture, store_relationship_create(fixture->store, &test_writer, fixture->sid, edge, NULL,
                                            &fixture->err));
    must_fail(
        fixture, ERROR_CONFLICT,
        store_undo(fixture->store, &test_writer, fixture->sid, "made", &undone, &fixture->err));
    assert_non_null(strstr(fixture->err.text, "N3 \"Thirds\" was given relationships"));
    must(fixture,
         store_undo(fixture->store, &test_writer, fixture->sid, NULL, &undone, &fixture->err));
    assert_string_equal(undone.what,
                        "LEADS_TO from N1 \"Adding fractions\" to N3 \"Thirds\" created");
    must_fail(fixture, ERROR_CONFLICT,
              store_undo(fixture->store, &test_writer, fixture->sid, NULL, &undone, &fixture->err));
    assert_non_null(
        strstr(fixture->err.text, "not yours (test): N3 \"Thirds\" created, by ann at "));
    must(fixture, store_undo(fixture->store, &(struct writer){.who = "ann"}, fixture->sid, NULL,
                             &undone, &fixture->err));
    assert_string_equal(undone.change_set, "made");
}

static void test_history_begins_with_the_import(void **state)
{
    struct fixture *fixture = *state;
    const struct history_page page = {.limit = 1, .without_texts = true};
    json_auto_t *read = read_page(fixture, &page);
    struct undo_state undone;

    must_fail(fixture, ERROR_NOT_FOUND,
              store_undo(fixture->store, &test_writer, fixture->sid, NULL, &undone, &fixture->err));
    must_fail(fixture, ERROR_INVALID,
              store_undo(fixture->store, &test_writer, fixture->sid,
                         json_get_string(change_at(read, 0), "change_set"), &undone,
                         &fixture->err));
    must_fail(fixture, ERROR_INVALID,
              store_restore(fixture->store, &test_writer, fixture->sid, 0, &undone, &fixture->err));
    must(fixture,
         store_restore(fixture->store, &test_writer, fixture->sid, 1, &undone, &fixture->err));
    assert_int_equal(undone.version, 1); /* nothing was otherwise: nothing was written */
    assert_string_equal(undone.by_set, "");
}

/* ---- the log's first form ---- */

/* An edit, an insertion and a deletion as the first version of the log had them. */
static const char old_rows[] =
    "UPDATE component SET body = '{\"type\":\"paragraph\",\"parameters\":{\"text\":\"ein\"}}',"
    " revision = 2 WHERE position = 1;"
    "DELETE FROM component WHERE position = 2;"
    "INSERT INTO change (session, version, change_set, at, who, entity, entity_id, op, before,"
    " after) VALUES (1, 2, 'old-1', 'then', 'old', 'component',"
    " (SELECT component_id FROM component WHERE position = 1), 'update',"
    " '{\"node_id\":\"N1\",\"place\":0,\"component\":{\"type\":\"paragraph\",\"order\":1,"
    "\"parameters\":{\"text\":\"one\"}}}',"
    " '{\"node_id\":\"N1\",\"place\":0,\"component\":{\"type\":\"paragraph\",\"order\":1,"
    "\"parameters\":{\"text\":\"ein\"}}}'),"
    "(1, 3, 'old-2', 'then', 'old', 'component', '01234567-89ab-4def-8123-456789abcdef', 'delete',"
    " '{\"node_id\":\"N1\",\"place\":1,\"component\":{\"type\":\"paragraph\",\"order\":2,"
    "\"parameters\":{\"text\":\"two\"}}}', NULL);"
    "UPDATE session SET version = 3";

static void test_rows_of_the_first_form(void **state)
{
    struct fixture *fixture = *state;
    const struct history_page page = {.limit = 10};
    json_auto_t *before = export_json(fixture, fixture->sid), *after = NULL, *read = NULL;
    const struct writer old = {.who = "old"};
    struct undo_state undone;
    sqlite3 *db;

    assert_int_equal(sqlite3_open(fixture->url + strlen("sqlite:"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, old_rows, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    read = read_page(fixture, &page);
    assert_string_equal(text_of(entry_of(change_at(read, 0), 0), "before"), "two");
    assert_string_equal(text_of(entry_of(change_at(read, 1), 0), "before"), "one");
    assert_string_equal(text_of(entry_of(change_at(read, 1), 0), "after"), "ein");
    must(fixture, store_undo(fixture->store, &old, fixture->sid, NULL, &undone, &fixture->err));
    assert_string_equal(undone.change_set, "old-2");
    must(fixture, store_undo(fixture->store, &old, fixture->sid, NULL, &undone, &fixture->err));
    after = export_json(fixture, fixture->sid);
    assert_true(same_json(before, after));
}

/* ---- the tool ---- */

static const char *call_tool(struct fixture *fixture, struct tool_call *call, const char *tool,
                             const char *arguments)
{
    memset(call, 0, sizeof *call);
    call->tool = tool_find(tool);
    call->arguments = parse(arguments);
    call->who = "mcp:test";
    call->cancel = cancel_create(&fixture->err);
    fixture->err = (struct error){0};
    if (arguments_take(call, &fixture->err) < 0 ||
        call->tool->run(call, fixture->store, &fixture->err) < 0)
        buf_adds(&call->text, fixture->err.text);
    return call->text.data;
}

static void expect(struct fixture *fixture, const char *tool, const char *arguments,
                   const char *said)
{
    struct tool_call call;
    const char *text = call_tool(fixture, &call, tool, arguments);

    if (!strstr(text, said))
        fail_msg("%s: %s", arguments, text);
    tool_call_finish(&call);
}

static void test_tool(void **state)
{
    struct fixture *fixture = *state;

    write_text(fixture, "ann", NULL, 1, "uno");
    write_text(fixture, "bob", NULL, 2, "due");
    expect(fixture, "history", "{}", "is at version 3; 3 changes, newest first:\nv3 ");
    expect(fixture, "history", "{\"limit\":1}", "\n2 earlier: send version");
    expect(fixture, "history", "{\"action\":\"list\",\"node_id\":\"N2\"}", "0 changes.");
    expect(fixture, "history", "{\"action\":\"difference\",\"version\":1}",
           "From version 1 to 3: 2 things");
    expect(fixture, "history", "{\"action\":\"difference\",\"version\":2,\"to_version\":1}",
           "~ N1 \"Adding fractions\", component 1 (paragraph): text: [uno -> one] (component_id ");
    expect(fixture, "history", "{\"action\":\"difference\"}", "difference needs version");
    expect(
        fixture, "undo", "{\"version\":2}",
        "Undone: 1 component of N1 \"Adding fractions\" changed (version 2). The curriculum is at "
        "version 4 now; undo version 4 to do it again.");
    expect(fixture, "history", "{}", "changed (component_id ");
    expect(fixture, "undo", "{\"version\":2}", "was undone already");
    expect(fixture, "undo", "{}",
           "the newest change is not yours (mcp:test): 1 component of N1 \"Adding fractions\" "
           "changed, by bob at ");
    expect(fixture, "undo", "{\"version\":3}", "Undone: ");
    expect(fixture, "undo", "{}", "there is nothing to undo");
    expect(fixture, "undo", "{\"restore\":3}", "Restored version 3: 2 comp");
    expect(fixture, "undo", "{\"restore\":3}", "nothing was changed");
    expect(fixture, "undo", "{\"restore\":99}", "send 1 (where");
    expect(fixture, "undo", "{\"restore\":3,\"version\":3}", "not both");
    expect(fixture, "undo", "{\"change_set\":\"none\"}", "none");
    expect(fixture, "history", "{\"action\":\"undo\"}", "Call the tool undo: {}");
    expect(fixture, "history", "{\"action\":\"restore\",\"version\":1}", "{\"restore\": 7}");
    expect(fixture, "history", "{\"action\":\"forget\"}",
           "must be list (the default) or difference");
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, open_course, fixture_close)
    const struct CMUnitTest tests[] = {
        TEST(test_page),
        TEST(test_large_change_set),
        TEST(test_refused_undo_says_by_whom),
        TEST(test_created_node_that_others_use_stays),
        TEST(test_history_begins_with_the_import),
        TEST(test_rows_of_the_first_form),
        TEST(test_tool),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
