/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What all servers on one store share: a key that is made once, even by processes that begin at the
 * same moment, and the ids that were ended, in the store and in memory.
 */
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include <uv.h>

#include "helpers/base/workq.h"
#include "mcp/store/entities/import.h"
#include "mcp/store/entities/session.h"
#include "mcp/store/shared.h"
#include "mcp/store/store_internal.h"
#include "mcp/transport/mcp/ended_ids.h"
#include "tests/unit/session_fixture.h"

#define PROCESSES 6

static int64_t in_seconds(int64_t seconds)
{
    return (int64_t)time(NULL) + seconds;
}

/* ---- keys ---- */

static void test_a_key_is_made_once(void **state)
{
    struct fixture *fixture = *state;
    unsigned char first[SECRET_SIZE], again[SECRET_SIZE], other[SECRET_SIZE];
    static const unsigned char zeros[SECRET_SIZE];

    must(fixture, store_secret(fixture->store, "seal", first, &fixture->err));
    must(fixture, store_secret(fixture->store, "seal", again, &fixture->err));
    must(fixture, store_secret(fixture->store, "other", other, &fixture->err));
    assert_memory_equal(first, again, SECRET_SIZE);
    assert_memory_not_equal(first, other, SECRET_SIZE);
    assert_memory_not_equal(first, zeros, SECRET_SIZE);
    store_close(fixture->store);
    fixture_open_store(fixture, STORE_WRITE);
    must(fixture, store_secret(fixture->store, "seal", again, &fixture->err));
    assert_memory_equal(first, again, SECRET_SIZE);
}

/* Inside a transaction, as a call of the work queue runs. */
static void test_a_key_that_is_taken_back(void **state)
{
    struct fixture *fixture = *state;
    unsigned char lost[SECRET_SIZE], kept[SECRET_SIZE];

    must(fixture, store_begin(fixture->store, &fixture->err));
    must(fixture, store_secret(fixture->store, "seal", lost, &fixture->err));
    must(fixture, store_end(fixture->store, false, &fixture->err));
    must(fixture, store_secret(fixture->store, "seal", kept, &fixture->err));
    assert_memory_not_equal(lost, kept, SECRET_SIZE);
}

static void test_a_damaged_key(void **state)
{
    struct fixture *fixture = *state;
    unsigned char secret[SECRET_SIZE];
    static const char *const texts[] = {"", "00", "no"};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        must(fixture, store_begin(fixture->store, &fixture->err));
        must(fixture,
             db_run(fixture->store->db, &fixture->err, SQL_SECRET_KEEP, "ss", texts[i], texts[i]));
        must(fixture, store_end(fixture->store, true, &fixture->err));
        must_fail(fixture, ERROR_IO, store_secret(fixture->store, texts[i], secret, &fixture->err));
    }
}

static void be_a_process(const char *url, unsigned char *secret, volatile int *go)
{
    struct error err = {0};
    struct store *store;

    while (!*go)
        ;
    store = store_open(url, STORE_WRITE, &err);
    _exit(store && store_secret(store, "seal", secret, &err) == 0 ? 0 : 1);
}

/* On a file that is not there yet. */
static void test_processes_agree(void **state)
{
    struct fixture *fixture = *state;
    struct {
        volatile int go;
        unsigned char secrets[PROCESSES][SECRET_SIZE];
    } *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t pids[PROCESSES];
    char url[128];

    assert_ptr_not_equal(shared, MAP_FAILED);
    snprintf(url, sizeof url, "sqlite:%s/new/lectern.db", fixture->folder);
    for (size_t i = 0; i < PROCESSES; i++) {
        pids[i] = fork();
        assert_true(pids[i] >= 0);
        if (pids[i] == 0)
            be_a_process(url, shared->secrets[i], &shared->go);
    }
    shared->go = 1;
    for (size_t i = 0; i < PROCESSES; i++) {
        int status;

        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_int_equal(status, 0);
        assert_memory_equal(shared->secrets[0], shared->secrets[i], SECRET_SIZE);
    }
    munmap(shared, sizeof *shared);
}

/* Neither an export nor a trial copy has them. */
static void test_a_key_stays_in_the_store(void **state)
{
    struct fixture *fixture = *state;
    unsigned char secret[SECRET_SIZE], other[SECRET_SIZE];
    struct buf BUF_AUTO text = {0};
    char hex[2 * SECRET_SIZE + 1];
    struct store *trial;

    must(fixture, store_session_create(fixture->store, &test_writer, "A course", fixture->sid,
                                       &fixture->err));
    must(fixture, store_secret(fixture->store, "seal", secret, &fixture->err));
    for (size_t i = 0; i < SECRET_SIZE; i++)
        snprintf(hex + 2 * i, 3, "%02x", secret[i]);
    must(fixture, store_export(fixture->store, fixture->sid, &text, &fixture->err));
    assert_null(strstr(text.data, hex));
    trial = store_trial_open(fixture->store, fixture->sid, true, &fixture->err);
    assert_non_null(trial);
    must(fixture, store_secret(trial, "seal", other, &fixture->err));
    assert_memory_not_equal(secret, other, SECRET_SIZE);
    store_close(trial);
}

/* ---- ended ids in the store ---- */

struct found {
    size_t count;
    char last[ENDED_ID_MAX + 1];
    int64_t ends;
};

static void note(void *user, const char *id, int64_t ends)
{
    struct found *found = user;

    found->count++;
    snprintf(found->last, sizeof found->last, "%s", id);
    found->ends = ends;
}

static size_t count_new(struct fixture *fixture, struct store *reader, struct ended_ids_seen *seen,
                        struct found *found)
{
    *found = (struct found){0};
    must(fixture, store_ended_ids(reader, seen, note, found, &fixture->err));
    return found->count;
}

static void test_each_is_told_once(void **state)
{
    struct fixture *fixture = *state;
    struct store *reader = store_open(fixture->url, STORE_READ, &fixture->err);
    struct ended_ids_seen seen = {0};
    int64_t ends = in_seconds(1000);
    struct found found;

    assert_non_null(reader);
    assert_int_equal(count_new(fixture, reader, &seen, &found), 0);
    must(fixture, store_end_id(fixture->store, "one", ends, &fixture->err));
    assert_int_equal(count_new(fixture, reader, &seen, &found), 1);
    assert_string_equal(found.last, "one");
    assert_int_equal(found.ends, ends);
    assert_int_equal(count_new(fixture, reader, &seen, &found), 0);
    must(fixture, store_end_id(fixture->store, "one", ends, &fixture->err)); /* again */
    must(fixture, store_end_id(fixture->store, "two", ends, &fixture->err));
    must(fixture, store_end_id(fixture->store, "three", ends, &fixture->err));
    assert_int_equal(count_new(fixture, reader, &seen, &found), 2);
    assert_string_equal(found.last, "three");
    seen = (struct ended_ids_seen){0};
    assert_int_equal(count_new(fixture, reader, &seen, &found), 3);
    store_close(reader);
}

static void test_rows_go_when_they_are_over(void **state)
{
    struct fixture *fixture = *state;
    struct ended_ids_seen seen = {0};
    struct found found;
    int64_t count;
    char id[16];

    must(fixture, store_begin(fixture->store, &fixture->err));
    for (int i = 0; i < 50; i++) {
        snprintf(id, sizeof id, "old-%d", i);
        must(fixture,
             db_run(fixture->store->db, &fixture->err, SQL_ENDED_KEEP, "si", id, in_seconds(0)));
    }
    must(fixture, store_end(fixture->store, true, &fixture->err));
    for (int i = 0; i < 3; i++) /* a few each time */
        must(fixture, store_end_id(fixture->store, "young", in_seconds(1000), &fixture->err));
    must(fixture, db_number(fixture->store->db, &count, &fixture->err, SQL_ENDED_COUNT, ""));
    assert_int_equal(count, 1);
    assert_int_equal(count_new(fixture, fixture->store, &seen, &found), 1);
    assert_string_equal(found.last, "young");
}

static void test_caps(void **state)
{
    struct fixture *fixture = *state;
    char id[ENDED_ID_MAX + 2];

    memset(id, 'x', sizeof id - 1);
    id[ENDED_ID_MAX + 1] = '\0';
    must_fail(fixture, ERROR_INTERNAL, store_end_id(fixture->store, id, 1, &fixture->err));
    must_fail(fixture, ERROR_INTERNAL, store_end_id(fixture->store, "", 1, &fixture->err));
    id[ENDED_ID_MAX] = '\0';
    must(fixture, store_end_id(fixture->store, id, in_seconds(1000), &fixture->err));
    must(fixture, store_begin(fixture->store, &fixture->err));
    for (int i = 1; i < ENDED_IDS_CAP; i++) {
        snprintf(id, sizeof id, "%d", i);
        must(fixture,
             db_run(fixture->store->db, &fixture->err, SQL_ENDED_KEEP, "si", id, in_seconds(1000)));
    }
    must(fixture, store_end(fixture->store, true, &fixture->err));
    must_fail(fixture, ERROR_BUSY,
              store_end_id(fixture->store, "more", in_seconds(1000), &fixture->err));
}

/* ---- ended ids in memory ---- */

struct servers {
    struct fixture *fixture;
    uv_loop_t loop;
    struct loop_queue *loop_queue;
    struct workq *sql;
    struct ended_ids *one, *other; /* two processes on a store */
    size_t done, failed;
};

static void *open_writer(void *arg, struct error *err)
{
    return store_open(arg, STORE_WRITE, err);
}

static void close_store(void *context)
{
    store_close(context);
}

static void set_up(struct servers *servers, struct fixture *fixture)
{
    const struct workq_config config = {.name = "sql",
                                        .threads = 1,
                                        .capacity = 2000,
                                        .open = open_writer,
                                        .close = close_store,
                                        .arg = fixture->url};

    memset(servers, 0, sizeof *servers);
    servers->fixture = fixture;
    uv_loop_init(&servers->loop);
    servers->loop_queue = loop_queue_create(&servers->loop, &fixture->err);
    servers->sql = workq_create(&config, servers->loop_queue, &fixture->err);
    assert_non_null(servers->sql);
    servers->one = ended_ids_create(fixture->url, servers->sql, servers->loop_queue, &fixture->err);
    servers->other =
        ended_ids_create(fixture->url, servers->sql, servers->loop_queue, &fixture->err);
    assert_non_null(servers->one);
    assert_non_null(servers->other);
}

static void tear_down(struct servers *servers)
{
    workq_destroy(servers->sql);
    loop_queue_destroy(servers->loop_queue);
    ended_ids_destroy(servers->one);
    ended_ids_destroy(servers->other);
    uv_run(&servers->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&servers->loop), 0);
}

static void on_done(void *user, const struct error *err)
{
    struct servers *servers = user;

    servers->done++;
    servers->failed += err != NULL;
}

static void wait_for(struct servers *servers, size_t done)
{
    while (servers->done < done)
        uv_run(&servers->loop, UV_RUN_ONCE);
}

static void make_id(unsigned char id[ENDED_ID_SIZE], unsigned number)
{
    /* Many with the same beginning, so that they meet in the table. */
    memset(id, 0, ENDED_ID_SIZE);
    id[0] = (unsigned char)(number % 7);
    memcpy(id + 8, &number, sizeof number);
}

static void end(struct servers *servers, unsigned number, int64_t ends)
{
    unsigned char id[ENDED_ID_SIZE];

    make_id(id, number);
    assert_non_null(
        ended_ids_end(servers->one, id, ends, on_done, servers, &servers->fixture->err));
}

static int has(struct servers *servers, struct ended_ids *ended, unsigned number)
{
    unsigned char id[ENDED_ID_SIZE];

    make_id(id, number);
    return ended_ids_has(ended, id, &servers->fixture->err);
}

static void test_two_servers(void **state)
{
    struct servers servers;

    set_up(&servers, *state);
    assert_int_equal(has(&servers, servers.one, 1), 0);
    assert_int_equal(has(&servers, servers.other, 1), 0);
    end(&servers, 1, in_seconds(1000));
    wait_for(&servers, 1);
    assert_int_equal(servers.failed, 0);
    assert_int_equal(has(&servers, servers.one, 1), 1); /* at once */
    assert_int_equal(has(&servers, servers.one, 2), 0);
    usleep(2000 * ENDED_LOOK_MS);
    assert_int_equal(has(&servers, servers.other, 1), 1);
    assert_int_equal(has(&servers, servers.other, 2), 0);
    ended_ids_destroy(servers.one); /* a restart */
    servers.one = ended_ids_create(servers.fixture->url, servers.sql, servers.loop_queue,
                                   &servers.fixture->err);
    assert_int_equal(has(&servers, servers.one, 1), 1);
    tear_down(&servers);
}

static void test_many(void **state)
{
    struct servers servers;

    set_up(&servers, *state);
    for (unsigned i = 0; i < 1000; i++)
        end(&servers, i, in_seconds(i % 2 ? 1000 : 1));
    wait_for(&servers, 1000);
    assert_int_equal(servers.failed, 0);
    usleep(2000 * ENDED_LOOK_MS);
    for (unsigned i = 0; i < 1000; i++) {
        if (i % 2) {
            assert_int_equal(has(&servers, servers.one, i), 1);
            assert_int_equal(has(&servers, servers.other, i), 1);
        }
        assert_int_equal(has(&servers, servers.one, 1000 + i), 0);
    }
    /* Those that have ended by themselves make room. */
    sleep(2);
    for (unsigned i = 2000; i < 3000; i++)
        end(&servers, i, in_seconds(1000));
    wait_for(&servers, 2000);
    for (unsigned i = 1; i < 1000; i += 2)
        assert_int_equal(has(&servers, servers.one, i), 1);
    for (unsigned i = 2000; i < 3000; i++)
        assert_int_equal(has(&servers, servers.one, i), 1);
    tear_down(&servers);
}

static void test_forgotten_ones_end_too(void **state)
{
    struct servers servers;
    struct ended_id *job;
    unsigned char id[ENDED_ID_SIZE];

    set_up(&servers, *state);
    make_id(id, 1);
    job =
        ended_ids_end(servers.one, id, in_seconds(1000), on_done, &servers, &servers.fixture->err);
    ended_id_forget(job);
    end(&servers, 2, in_seconds(1000));
    wait_for(&servers, 1);
    assert_int_equal(has(&servers, servers.one, 1), 1);
    tear_down(&servers);
    assert_int_equal(servers.done, 1);
}

static void test_without_a_store(void **state)
{
    struct servers servers;

    set_up(&servers, *state);
    ended_ids_destroy(servers.one);
    servers.one = ended_ids_create(NULL, NULL, servers.loop_queue, &servers.fixture->err);
    assert_non_null(servers.one);
    end(&servers, 1, in_seconds(1000));
    assert_int_equal(servers.done, 0); /* later, as with a store */
    wait_for(&servers, 1);
    assert_int_equal(has(&servers, servers.one, 1), 1);
    assert_int_equal(has(&servers, servers.one, 2), 0);
    assert_int_equal(has(&servers, servers.other, 1), 0);
    tear_down(&servers);
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, fixture_open, fixture_close)
    const struct CMUnitTest tests[] = {
        TEST(test_a_key_is_made_once),
        TEST(test_a_key_that_is_taken_back),
        TEST(test_a_damaged_key),
        TEST(test_processes_agree),
        TEST(test_a_key_stays_in_the_store),
        TEST(test_each_is_told_once),
        TEST(test_rows_go_when_they_are_over),
        TEST(test_caps),
        TEST(test_two_servers),
        TEST(test_many),
        TEST(test_forgotten_ones_end_too),
        TEST(test_without_a_store),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
