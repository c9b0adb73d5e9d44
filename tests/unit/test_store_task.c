/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tasks in the store: their entries come back in order, two who write to one task, the oldest go,
 * the end of a session, and the tasks after kill -9.
 */
#include "mcp/store/entities/session.h"
#include "mcp/store/task.h"
#include "tests/unit/killed_writer.h"

#include "mcp/store/store.h"

static int append(struct fixture *fixture, const char *id, size_t there, const char *entries,
                  const char *status)
{
    json_auto_t *added = parse(entries);
    const struct task_row row = {
        .task_id = id, .question = "How many \"lessons\"?", .status = status, .attempts = 2};

    memset(&fixture->err, 0, sizeof fixture->err);
    return store_task_append(fixture->store, fixture->sid, &row, there, added, &fixture->err);
}

static json_t *read_task(struct fixture *fixture, const char *id)
{
    struct buf json BUF_AUTO = {0};

    must(fixture, store_task_read(fixture->store, fixture->sid, id, &json, &fixture->err));
    return parse(json.data);
}

static json_t *read_tasks(struct fixture *fixture, size_t most)
{
    struct buf json BUF_AUTO = {0};

    must(fixture, store_tasks_read(fixture->store, fixture->sid, most, &json, &fixture->err));
    return parse(json.data);
}

static void assert_ids(struct fixture *fixture, const char *wanted)
{
    json_auto_t *read = read_tasks(fixture, 100);
    struct buf ids BUF_AUTO = {0};
    const json_t *task;
    size_t i;

    json_array_foreach(json_object_get(read, "tasks"), i, task)
        buf_addf(&ids, "%s ", json_get_string(task, "id"));
    assert_string_equal(ids.data ? ids.data : "", wanted);
}

static void test_entries_come_back_in_order(void **state)
{
    struct fixture *fixture = *state;
    json_auto_t *task = NULL, *wanted = parse("[{\"n\":1},{\"n\":\"\\u0000\"},{\"n\":3}]");
    char sid[SESSION_ID_SIZE];

    must(fixture, append(fixture, "a", 0, "[{\"n\":1},{\"n\":\"\\u0000\"}]", NULL));
    task = read_task(fixture, "a");
    assert_true(json_is_null(json_object_get(task, "status")));
    json_decref(task);
    must(fixture, append(fixture, "a", 2, "[{\"n\":3}]", "solved"));
    task = read_task(fixture, "a");
    assert_true(same_json(json_object_get(task, "entries"), wanted));
    assert_string_equal(json_get_string(task, "status"), "solved");
    assert_string_equal(json_get_string(task, "question"), "How many \"lessons\"?");
    assert_int_equal(json_integer_value(json_object_get(task, "attempts")), 2);
    must(fixture, store_task_session(fixture->store, "a", sid, &fixture->err));
    assert_string_equal(sid, fixture->sid);
}

static void test_refusals_change_nothing(void **state)
{
    struct fixture *fixture = *state;
    json_auto_t *before = NULL, *after = NULL;
    struct buf json BUF_AUTO = {0};
    char other[SESSION_ID_SIZE];

    must(fixture,
         store_session_create(fixture->store, &test_writer, "Another", other, &fixture->err));
    must(fixture, append(fixture, "a", 0, "[{}]", NULL));
    before = read_task(fixture, "a");
    must_fail(fixture, ERROR_STALE, append(fixture, "a", 0, "[{}]", NULL));
    must_fail(fixture, ERROR_STALE, append(fixture, "a", 2, "[{}]", NULL));
    must_fail(fixture, ERROR_STALE, append(fixture, "b", 1, "[{}]", NULL));
    must_fail(fixture, ERROR_NOT_FOUND,
              store_task_read(fixture->store, fixture->sid, "b", &json, &fixture->err));
    must_fail(fixture, ERROR_NOT_FOUND,
              store_task_read(fixture->store, other, "a", &json, &fixture->err));
    must_fail(fixture, ERROR_NOT_FOUND,
              store_task_session(fixture->store, "b", other, &fixture->err));
    after = read_task(fixture, "a");
    assert_true(same_json(before, after));
}

static void drop_old(struct fixture *fixture, const char *before, int64_t most)
{
    must(fixture, store_begin(fixture->store, &fixture->err));
    must(fixture, store_tasks_drop_old(fixture->store, before, most, &fixture->err));
    must(fixture, store_end(fixture->store, true, &fixture->err));
}

static void test_the_oldest_go(void **state)
{
    struct fixture *fixture = *state;
    json_auto_t *fewer = NULL;
    struct buf json BUF_AUTO = {0};
    char id[16];

    for (int i = 0; i < 5; i++) {
        snprintf(id, sizeof id, "%d", i);
        must(fixture, append(fixture, id, 0, "[{},{}]", NULL));
    }
    assert_ids(fixture, "4 3 2 1 0 ");
    fewer = read_tasks(fixture, 2);
    assert_int_equal(json_array_size(json_object_get(fewer, "tasks")), 2);
    drop_old(fixture, "2000", 5);
    assert_ids(fixture, "4 3 2 1 0 ");
    drop_old(fixture, "2000", 3);
    assert_ids(fixture, "4 3 2 ");
    must_fail(fixture, ERROR_NOT_FOUND,
              store_task_read(fixture->store, fixture->sid, "0", &json, &fixture->err));
    drop_old(fixture, "9000", 3); /* all of them are older */
    assert_ids(fixture, "");
    for (int i = 0; i < TASKS_DROPPED + 5; i++) {
        snprintf(id, sizeof id, "%d", i);
        must(fixture, append(fixture, id, 0, "[{}]", NULL));
    }
    drop_old(fixture, "9000", 3); /* a few at once */
    assert_ids(fixture, "24 23 22 21 20 ");
}

static void test_a_task_goes_with_its_session(void **state)
{
    struct fixture *fixture = *state;
    char sid[SESSION_ID_SIZE];
    int more;

    for (int i = 0; i < 25; i++) {
        char id[16];

        snprintf(id, sizeof id, "%d", i);
        must(fixture, append(fixture, id, 0, "[{}]", NULL));
    }
    must(fixture, store_session_delete(fixture->store, &test_writer, fixture->sid, &fixture->err));
    must_fail(fixture, ERROR_NOT_FOUND,
              store_task_session(fixture->store, "3", sid, &fixture->err));
    do {
        more = store_drop_step(fixture->store, &fixture->err);
    } while (more > 0);
    assert_int_equal(more, 0);
    must(fixture, store_check(fixture->store, &fixture->err));
}

static void append_until_killed(struct store *store, const char *sid, int out)
{
    const struct task_row row = {.task_id = "t", .question = "Q"};

    for (json_int_t i = 0; i < 100000; i++) {
        json_auto_t *added = json_pack("[{s:I}, {s:I}]", "n", 2 * i, "n", 2 * i + 1);

        if (store_task_append(store, sid, &row, (size_t)(2 * i), added, NULL) != 0 ||
            write(out, "x", 1) != 1)
            break;
    }
}

static void test_acknowledged_entries_survive_kill(void **state)
{
    struct fixture *fixture = *state;
    json_auto_t *task = NULL;
    const json_t *entries, *entry;
    char acknowledged[4096]; /* later ones are not counted */
    size_t count, i;

    count = kill_writer(fixture, append_until_killed, 25, sizeof acknowledged, acknowledged, 1);
    fixture_open_store(fixture, STORE_READ);
    task = read_task(fixture, "t");
    entries = json_object_get(task, "entries");
    assert_true(json_array_size(entries) >= 2 * count);
    assert_int_equal(json_array_size(entries) % 2, 0);
    json_array_foreach((json_t *)entries, i, entry)
        assert_int_equal(json_integer_value(json_object_get(entry, "n")), i);
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, fixture_open_session, fixture_close)
    const struct CMUnitTest tests[] = {
        TEST(test_entries_come_back_in_order),
        TEST(test_refusals_change_nothing),
        TEST(test_the_oldest_go),
        TEST(test_a_task_goes_with_its_session),
        TEST(test_acknowledged_entries_survive_kill),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
