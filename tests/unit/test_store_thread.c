/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Conversations in the store: what was appended comes back, two who write to one thread, who may
 * see it, what goes with its session, what is there after kill -9, and how long a curriculum is.
 */
#include <sqlite3.h>

#include "mcp/store/entities/read.h"
#include "mcp/store/entities/session.h"
#include "mcp/store/store.h"
#include "mcp/store/thread.h"
#include "tests/unit/killed_writer.h"

static void append(struct fixture *fixture, const char *sid, const char *thread, size_t there,
                   const char *messages, const char *interrupts)
{
    json_auto_t *added = parse(messages), *open = parse(interrupts);

    must(fixture, store_thread_append(fixture->store, sid, thread, "A title", there, added, open,
                                      &fixture->err));
}

static json_t *read_thread(struct fixture *fixture, const char *sid, const char *thread)
{
    struct buf json BUF_AUTO = {0};

    must(fixture, store_thread_read(fixture->store, sid, thread, &json, &fixture->err));
    return parse(json.data);
}

static json_t *read_threads(struct fixture *fixture, size_t most)
{
    struct buf json BUF_AUTO = {0};

    must(fixture, store_threads_read(fixture->store, fixture->sid, most, &json, &fixture->err));
    return parse(json.data);
}

static void test_what_was_appended_comes_back(void **state)
{
    struct fixture *fixture = *state;
    const char odd[] =
        "[{\"id\":\"a\\\"b\",\"role\":\"user\",\"content\":\"\\u0001 \xf0\x9f\xa6\x93 "
        "\\u0000 end\"},{\"id\":\"2\",\"n\":0.95}]";
    json_auto_t *thread = NULL, *again = NULL, *wanted = NULL;

    append(fixture, fixture->sid, "t \"1\"", 0, odd, "[]");
    thread = read_thread(fixture, fixture->sid, "t \"1\"");
    wanted = parse(odd);
    assert_true(same_json(json_object_get(thread, "messages"), wanted));
    assert_string_equal(json_get_string(thread, "title"), "A title");
    assert_string_equal(json_get_string(thread, "thread_id"), "t \"1\"");
    assert_int_equal(json_array_size(json_object_get(thread, "interrupts")), 0);
    /* Behind those, and other approvals in place of the ones before; then nothing but those. */
    append(fixture, fixture->sid, "t \"1\"", 2, "[{\"id\":\"3\"}]", "[{\"id\":\"i\"}]");
    append(fixture, fixture->sid, "t \"1\"", 3, "[]", "[{\"id\":\"k\"},{\"id\":\"l\"}]");
    again = read_thread(fixture, fixture->sid, "t \"1\"");
    assert_int_equal(json_array_size(json_object_get(again, "messages")), 3);
    assert_string_equal(
        json_get_string(json_array_get(json_object_get(again, "messages"), 2), "id"), "3");
    assert_int_equal(json_array_size(json_object_get(again, "interrupts")), 2);
    assert_string_equal(
        json_get_string(json_array_get(json_object_get(again, "interrupts"), 0), "id"), "k");
}

static void test_the_newest_are_listed_first(void **state)
{
    struct fixture *fixture = *state;
    json_auto_t *list = NULL, *fewer = NULL;

    append(fixture, fixture->sid, "one", 0, "[{}]", "[]");
    append(fixture, fixture->sid, "two", 0, "[{}]", "[]");
    append(fixture, fixture->sid, "three", 0, "[{}]", "[]");
    usleep(5000);
    append(fixture, fixture->sid, "one", 1, "[{}]", "[]");
    list = read_threads(fixture, 50);
    assert_int_equal(json_array_size(list), 3);
    assert_string_equal(json_get_string(json_array_get(list, 0), "thread_id"), "one");
    assert_string_equal(json_get_string(json_array_get(list, 2), "thread_id"), "two");
    assert_non_null(json_get_string(json_array_get(list, 0), "updated_at"));
    fewer = read_threads(fixture, 2);
    assert_int_equal(json_array_size(fewer), 2);
}

static void test_refusals_change_nothing(void **state)
{
    struct fixture *fixture = *state;
    json_auto_t *added = parse("[{\"id\":\"new\"}]"), *none = json_array(), *before = NULL,
                *after = NULL;
    char other[SESSION_ID_SIZE];
    struct buf json BUF_AUTO = {0};
    int64_t bytes;

    must(fixture,
         store_session_create(fixture->store, &test_writer, "Another", other, &fixture->err));
    append(fixture, fixture->sid, "t", 0, "[{},{}]", "[{\"id\":\"i\"}]");
    before = read_thread(fixture, fixture->sid, "t");
    for (size_t there = 0; there < 4; there++)
        if (there != 2)
            must_fail(fixture, ERROR_STALE,
                      store_thread_append(fixture->store, fixture->sid, "t", "T", there, added,
                                          none, &fixture->err));
    must_fail(fixture, ERROR_STALE,
              store_thread_append(fixture->store, other, "t", "T", 2, added, none, &fixture->err));
    must_fail(fixture, ERROR_NOT_FOUND,
              store_thread_read(fixture->store, other, "t", &json, &fixture->err));
    must_fail(fixture, ERROR_NOT_FOUND,
              store_thread_read(fixture->store, fixture->sid, "u", &json, &fixture->err));
    must_fail(
        fixture, ERROR_UNAUTHORIZED,
        store_thread_append(fixture->store, "nowhere", "v", "T", 0, added, none, &fixture->err));
    must_fail(fixture, ERROR_UNAUTHORIZED,
              store_threads_read(fixture->store, "nowhere", 5, &json, &fixture->err));
    must_fail(fixture, ERROR_UNAUTHORIZED,
              store_content_bytes(fixture->store, "nowhere", &bytes, &fixture->err));
    /* One that begins elsewhere than at its beginning. */
    must_fail(
        fixture, ERROR_STALE,
        store_thread_append(fixture->store, fixture->sid, "v", "T", 3, added, none, &fixture->err));
    after = read_thread(fixture, fixture->sid, "t");
    assert_true(same_json(before, after));
}

static void test_no_part_of_the_curriculum(void **state)
{
    struct fixture *fixture = *state;
    json_auto_t *before = export_json(fixture, fixture->sid), *after = NULL;
    int64_t version, then;

    must(fixture, store_session(fixture->store, fixture->sid, NULL, 0, &version, &fixture->err));
    append(fixture, fixture->sid, "t", 0, "[{}]", "[]");
    must(fixture, store_session(fixture->store, fixture->sid, NULL, 0, &then, &fixture->err));
    assert_int_equal(version, then);
    after = export_json(fixture, fixture->sid);
    assert_true(same_json(before, after));
}

static long count(struct fixture *fixture, const char *sql)
{
    sqlite3 *db;
    sqlite3_stmt *statement;
    long number;

    assert_int_equal(sqlite3_open(fixture->url + strlen("sqlite:"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "PRAGMA foreign_keys = ON", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    number = sqlite3_step(statement) == SQLITE_ROW ? (long)sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return number;
}

static void test_a_thread_goes_with_its_session(void **state)
{
    struct fixture *fixture = *state;
    char other[SESSION_ID_SIZE], sql[128];

    must(fixture,
         store_session_create(fixture->store, &test_writer, "Another", other, &fixture->err));
    append(fixture, fixture->sid, "t", 0, "[{},{}]", "[]");
    append(fixture, other, "u", 0, "[{}]", "[]");
    snprintf(sql, sizeof sql, "DELETE FROM session WHERE session_id = '%s'", fixture->sid);
    count(fixture, sql);
    assert_int_equal(count(fixture, "SELECT count(*) FROM chat_thread"), 1);
    assert_int_equal(count(fixture, "SELECT count(*) FROM chat_message"), 1);
}

/* ---- kill -9 ---- */

static void append_until_killed(struct store *store, const char *sid, int out)
{
    for (json_int_t i = 0; i < 100000; i++) {
        json_auto_t *added = json_pack("[{s:I}, {s:I}]", "n", 2 * i, "n", 2 * i + 1);
        json_auto_t *open = json_pack("[{s:I}]", "of", i);

        if (store_thread_append(store, sid, "t", "T", (size_t)(2 * i), added, open, NULL) != 0 ||
            write(out, "x", 1) != 1)
            break;
    }
}

static void test_acknowledged_messages_survive_kill(void **state)
{
    struct fixture *fixture = *state;
    json_auto_t *thread = NULL;
    const json_t *messages, *message;
    char acknowledged[4096]; /* what is told beyond these is not counted */
    size_t told, i;

    told = kill_writer(fixture, append_until_killed, 25, sizeof acknowledged, acknowledged, 1);
    fixture_open_store(fixture, STORE_READ);
    thread = read_thread(fixture, fixture->sid, "t");
    messages = json_object_get(thread, "messages");
    assert_true(json_array_size(messages) >= 2 * told);
    /* Whole appends only, and the approvals of the last. */
    assert_int_equal(json_array_size(messages) % 2, 0);
    json_array_foreach((json_t *)messages, i, message)
        assert_int_equal(json_integer_value(json_object_get(message, "n")), i);
    assert_int_equal(json_integer_value(json_object_get(
                         json_array_get(json_object_get(thread, "interrupts"), 0), "of")),
                     json_array_size(messages) / 2 - 1);
}

/* ---- how long a curriculum is ---- */

static void test_content_bytes(void **state)
{
    struct fixture *fixture = *state;
    struct buf json BUF_AUTO = {0};
    size_t len = 0;
    char *text = read_file("mcp/curriculum/demo/demo_curriculum.json", &len);
    int64_t bytes = 0, empty = 0;

    assert_non_null(text);
    must(fixture, store_content_bytes(fixture->store, fixture->sid, &empty, &fixture->err));
    import_text(fixture, text, len);
    free(text);
    must(fixture, store_content_bytes(fixture->store, fixture->sid, &bytes, &fixture->err));
    must(fixture, store_read_nodes(fixture->store, fixture->sid, &json, &fixture->err));
    must(fixture,
         store_read_all_components(fixture->store, fixture->sid, 0, 0, &json, &fixture->err));
    must(fixture, store_read_relationships(fixture->store, fixture->sid, &json, &fixture->err));
    print_message("%lld bytes, read as %zu\n", (long long)bytes, json.len);
    assert_true(empty > 100 && empty < 2000);
    assert_in_range(bytes, json.len * 80 / 100, json.len * 120 / 100);
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, fixture_open_session, fixture_close)
    const struct CMUnitTest tests[] = {
        TEST(test_what_was_appended_comes_back),
        TEST(test_the_newest_are_listed_first),
        TEST(test_refusals_change_nothing),
        TEST(test_no_part_of_the_curriculum),
        TEST(test_a_thread_goes_with_its_session),
        TEST(test_acknowledged_messages_survive_kill),
        TEST(test_content_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
