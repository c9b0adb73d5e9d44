/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the executor keeps waiting and whom it gives it to: demand, health, the image, sessions,
 * fairness, over the engine of tests/parts/fake_engine.h and with short times.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "executor/pool/pool.h"
#include "tests/parts/fake_engine.h"
#include "tests/parts/job_waiter.h"

#define SOON_MS 60000 /* how long a test waits for what must come */

static struct holdings before;
static struct executor *executor;
static struct executor_limits limits;
static struct executor_config config;

static void create(void)
{
    struct error err = {0};

    executor = executor_create_with(&engine_fake, &config, &limits, &err);
    if (!executor)
        fail_msg("%s", err.text);
}

static int set_up(void **state)
{
    (void)state;
    atomic_store(&fake_fault, FAKE_WELL);
    atomic_store(&fake_faulty, -1);
    atomic_store(&fake_made_of, 0);
    atomic_store(&fake_started, 0);
    limits = executor_limits_default;
    limits.pace = (struct pool_pace){.tick = 10, .hold = 50};
    limits.room = plan_room(2, (uint64_t)8 << 30);
    config = (struct executor_config){.isolation = ISOLATION_EXECUTION};
    before = holdings_count();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    executor_destroy(executor);
    executor = NULL;
    assert_int_equal(atomic_load(&fake_boxes), 0);
    assert_true(holdings_are(&before));
    return 0;
}

static void nap(long ms)
{
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

    nanosleep(&time, NULL);
}

static struct executor_kind_stats kind(const char *name)
{
    struct executor_stats stats;

    executor_stats(executor, &stats);
    return stats.kinds[kind_index(name)];
}

/* Until so many of the kind wait and none starts. */
static void await_ready(const char *name, unsigned count)
{
    struct executor_kind_stats row = {0};

    for (int i = 0; i < SOON_MS / 5; i++) {
        row = kind(name);
        if (row.ready == count && row.starting == 0)
            return;
        nap(5);
    }
    fail_msg("%s: %u ready, %u starting, %u wanted; not %u ready", name, row.ready, row.starting,
             row.wanted, count);
}

static struct execution_job job_of(const char *session, const char *name, const char *code)
{
    return (struct execution_job){
        .code = code, .code_len = strlen(code), .kind = name, .session_id = session};
}

static void begin(struct job_waiter *waiter, const char *session, const char *name,
                  const char *code)
{
    struct execution_job job = job_of(session, name, code);
    struct error err = {0};

    job_waiter_init(waiter);
    if (job_waiter_run(waiter, executor, &job, &err) == 0)
        fail_msg("%s", err.text);
}

static void finish(struct job_waiter *waiter, enum execution_status status, const char *out)
{
    assert_true(job_waiter_wait(waiter, SOON_MS));
    assert_int_equal(waiter->done_calls, 1);
    assert_string_equal(execution_status_name(waiter->status), execution_status_name(status));
    if (out)
        assert_string_equal(waiter->out, out);
    job_waiter_finish(waiter);
}

static void run(const char *session, const char *code, enum execution_status status,
                const char *out)
{
    struct job_waiter waiter;

    begin(&waiter, session, "bare", code);
    finish(&waiter, status, out);
}

/* ---- how many wait ---- */

static void test_waiting_by_configuration(void **state)
{
    struct error err = {0};

    (void)state;
    config.waiting = "bare=4,data=0";
    create();
    await_ready("bare", 4);
    await_ready("data", 0);
    executor_destroy(executor);
    config.waiting = "bare=many";
    executor = executor_create_with(&engine_fake, &config, &limits, &err);
    assert_null(executor);
    assert_int_equal(err.kind, ERROR_INVALID);
    assert_non_null(strstr(err.text, "bare=4,data=2"));
}

/* None of a kind nobody asks for; after a burst as many wait as it wanted. That none do again after
 * a while is in unit.pool_plan, where time is virtual. */
static void test_demand_grows(void **state)
{
    struct job_waiter waiters[6];

    (void)state;
    create();
    await_ready("bare", 2);
    await_ready("plot", 0);
    assert_int_equal(kind("plot").started, 0);
    for (int i = 0; i < 6; i++)
        begin(&waiters[i], "s", "plot", "sleep 20");
    for (int i = 0; i < 6; i++)
        finish(&waiters[i], EXECUTION_OK, "");
    await_ready("plot", limits.room.by_demand);
    await_ready("bare", 2);
    assert_int_equal(kind("plot").lost, 0);
}

/* ---- health ---- */

static void test_pings_are_answered(void **state)
{
    (void)state;
    limits.pace.ping = 20;
    create();
    await_ready("bare", 2);
    await_ready("data", 1);
    nap(200);
    assert_int_equal(kind("bare").lost, 0);
    assert_int_equal(kind("bare").started, 2);
    run("s", "print x", EXECUTION_OK, "x");
}

static void test_a_sandbox_that_does_not_answer_is_replaced(void **state)
{
    (void)state;
    limits.pace.ping = 20;
    limits.pace.pong = 500;
    config.waiting = "bare=2,data=0";
    atomic_store(&fake_faulty, 2);
    atomic_store(&fake_fault, FAKE_NO_PONG);
    create();
    await_ready("bare", 2);
    for (int i = 0; i < SOON_MS / 5 && kind("bare").lost < 2; i++)
        nap(5);
    assert_true(kind("bare").lost >= 2);
    await_ready("bare", 2);
    run("s", "print x", EXECUTION_OK, "x");
}

static void test_old_ones_are_renewed(void **state)
{
    (void)state;
    limits.pace.renew = 50;
    config.waiting = "bare=2,data=0";
    create();
    for (int i = 0; i < SOON_MS / 5 && kind("bare").started < 4; i++)
        nap(5);
    assert_true(kind("bare").started >= 4);
    assert_int_equal(kind("bare").lost, 0);
    assert_int_equal(kind("bare").failed, 0);
}

static void test_a_new_image_replaces_what_waits(void **state)
{
    (void)state;
    limits.pace.made_of = 20;
    create();
    await_ready("bare", 2);
    await_ready("data", 1);
    nap(50);
    assert_int_equal(kind("bare").started, 2);
    atomic_store(&fake_made_of, -1); /* cannot be told: nothing happens */
    nap(50);
    atomic_store(&fake_made_of, 0);
    nap(50);
    assert_int_equal(kind("bare").started, 2);
    atomic_store(&fake_made_of, 1);
    for (int i = 0; i < SOON_MS && kind("bare").started < 4; i++) {
        assert_true(kind("bare").ready >= 1); /* one always waits */
        nap(1);
    }
    await_ready("bare", 2);
    await_ready("data", 1);
    nap(50);
    assert_int_equal(kind("bare").started, 4);
    assert_int_equal(kind("data").started, 2);
    assert_int_equal(kind("bare").lost, 0);
}

/* ---- sessions ---- */

static void test_a_session_keeps_its_sandbox(void **state)
{
    (void)state;
    config.isolation = ISOLATION_SESSION;
    create();
    run("one", "whose", EXECUTION_OK, "1 one");
    run("one", "whose\nraise KeyError 'x'", EXECUTION_RUNTIME, "2 one");
    run("two", "whose", EXECUTION_OK, "1 two");
    run("one", "whose", EXECUTION_OK, "3 one");
    run("two", "whose", EXECUTION_OK, "2 two");
    run(NULL, "whose", EXECUTION_OK, "1 -"); /* never a second job in those without a session */
    run(NULL, "whose", EXECUTION_OK, "1 -");
    run("one", "whose", EXECUTION_OK, "4 one");
}

/* With automatic isolation a burst needs no start: no sandbox but the first becomes ready here. */
static void test_a_burst_needs_no_start(void **state)
{
    struct job_waiter waiters[4];
    unsigned jobs = 0;

    (void)state;
    config.isolation = ISOLATION_AUTO;
    config.waiting = "bare=1,data=0";
    limits.pace.patience = SOON_MS;
    create();
    await_ready("bare", 1);
    atomic_store(&fake_fault, FAKE_NEVER_READY);
    run("s", "whose", EXECUTION_OK, "1 s");
    run("s", "whose", EXECUTION_OK, "2 s");
    for (int i = 0; i < 4; i++)
        begin(&waiters[i], "s", "bare", "whose");
    for (int i = 0; i < 4; i++) {
        assert_true(job_waiter_wait(&waiters[i], SOON_MS));
        assert_string_equal(strchr(waiters[i].out, ' '), " s");
        jobs |= 1u << strtoul(waiters[i].out, NULL, 10);
        finish(&waiters[i], EXECUTION_OK, NULL);
    }
    assert_int_equal(jobs, 1u << 3 | 1u << 4 | 1u << 5 | 1u << 6);
}

/* Where a new sandbox waits it is used for one job, and the session keeps the one it has. */
static void test_a_new_sandbox_comes_first(void **state)
{
    (void)state;
    config.isolation = ISOLATION_AUTO;
    config.waiting = "bare=1,data=0";
    limits.pace.surplus = 50;
    create();
    await_ready("bare", 1);
    run("s", "whose", EXECUTION_OK, "1 s");
    await_ready("bare", 2); /* its own, and a new one */
    run("s", "whose", EXECUTION_OK, "1 s");
    for (int i = 0; i < SOON_MS / 5 && kind("bare").started < 3; i++)
        nap(5);
    assert_int_equal(kind("bare").started, 3);
    await_ready("bare", 2);
    run("t", "whose", EXECUTION_OK, "1 t");
}

static void test_what_a_session_does_not_keep(void **state)
{
    struct job_waiter waiter;
    struct execution_job job = job_of("s", "bare", "deaf 5000");
    struct error err = {0};
    uint64_t id;

    (void)state;
    limits.pace.recycle = 200;
    limits.pace.jobs = 3;
    config.isolation = ISOLATION_SESSION;
    create();
    run("s", "whose", EXECUTION_OK, "1 s");
    run("s", "exit timeout", EXECUTION_TIMEOUT, "");
    run("s", "whose", EXECUTION_OK, "1 s");
    run("s", "exit crash", EXECUTION_CRASH, "");
    run("s", "whose\ndie", EXECUTION_ENGINE, "1 s");
    run("s", "raise MemoryError", EXECUTION_MEMORY, "");
    run("s", "whose", EXECUTION_OK, "1 s");
    job_waiter_init(&waiter);
    id = job_waiter_run(&waiter, executor, &job, &err);
    assert_true(job_waiter_wait_started(&waiter, 5000));
    executor_cancel(executor, id);
    finish(&waiter, EXECUTION_CANCELLED, "");
    run("s", "whose\nunready", EXECUTION_OK, "1 s"); /* says no more: the next gets another */
    run("s", "whose", EXECUTION_OK, "1 s");
    for (int i = 0; i < 200 && kind("bare").lost == 0; i++)
        nap(5);
    assert_int_equal(kind("bare").lost, 1);
    run("s", "whose", EXECUTION_OK, "2 s");
    run("s", "whose", EXECUTION_OK, "3 s");
    run("s", "whose", EXECUTION_OK, "1 s"); /* three are all it takes here */
}

static void test_idle_sandboxes_end(void **state)
{
    (void)state;
    limits.pace.idle = 200;
    limits.pace.slot = 20;
    config.isolation = ISOLATION_SESSION;
    create();
    for (int i = 0; i < 6; i++) {
        char session[8];

        snprintf(session, sizeof session, "s%d", i);
        run(session, "whose", EXECUTION_OK, NULL);
    }
    assert_true(atomic_load(&fake_started) >= 6);
    /* On the way there may be three for a moment. */
    for (int i = 0, same = 0; i < SOON_MS / 5 && same < 40; i++) {
        same = atomic_load(&fake_boxes) == 3 ? same + 1 : 0;
        nap(5);
    }
    assert_int_equal(atomic_load(&fake_boxes), 3);
    await_ready("bare", 2);
    await_ready("data", 1);
}

#define CALLERS 20
#define EACH    6

/* More sessions than there may be sandboxes, all at once: each job runs, and in no sandbox but its
 * session's. */
static void test_never_two_sessions_in_one_sandbox(void **state)
{
    static struct job_waiter waiters[CALLERS];
    char session[CALLERS][8];
    struct executor_stats stats;
    unsigned reused = 0;

    (void)state;
    config.isolation = ISOLATION_SESSION;
    create();
    for (int round = 0; round < EACH; round++) {
        for (int i = 0; i < CALLERS; i++) {
            snprintf(session[i], sizeof session[i], "s%d", i);
            begin(&waiters[i], session[i], i % 3 ? "bare" : "data", "whose");
        }
        for (int i = 0; i < CALLERS; i++) {
            assert_true(job_waiter_wait(&waiters[i], SOON_MS));
            assert_null(strstr(waiters[i].out, "FOREIGN"));
            assert_string_equal(strchr(waiters[i].out, ' ') + 1, session[i]);
            reused += strtoul(waiters[i].out, NULL, 10) > 1;
            finish(&waiters[i], EXECUTION_OK, NULL);
        }
        assert_true(atomic_load(&fake_boxes) <= (int)limits.room.sandboxes);
    }
    print_message("%u of %u jobs in a sandbox that was there\n", reused, CALLERS * EACH);
    assert_true(reused > 0);
    executor_stats(executor, &stats);
    assert_int_equal(stats.ended[EXECUTION_OK], CALLERS * EACH);
    assert_int_equal(stats.queued + stats.running, 0);
}

static void test_no_growth(void **state)
{
    struct holdings grown;

    (void)state;
    config.isolation = ISOLATION_SESSION;
    create();
    run("s", "whose", EXECUTION_OK, NULL);
    await_ready("bare", 3); /* its own, and the two */
    await_ready("data", 1);
    nap(50);
    grown = holdings_count();
    for (int i = 0; i < 500; i++)
        run("s", "print x", EXECUTION_OK, "x");
    assert_int_equal(kind("bare").started, 3);
    assert_true(holdings_are(&grown));
}

/* ---- fairness ---- */

/* Fifty at once of one session do not hold up the first of another. */
static void check_fair(const char *session)
{
    static struct job_waiter many[40];
    struct job_waiter one;
    unsigned earlier = 0;

    create();
    await_ready("bare", 2);
    for (int i = 0; i < 40; i++)
        begin(&many[i], "many", "bare", "sleep 50");
    begin(&one, session, "bare", "print x");
    assert_true(job_waiter_wait(&one, SOON_MS));
    for (int i = 0; i < 40; i++) {
        assert_true(job_waiter_wait(&many[i], SOON_MS));
        earlier += many[i].end_order < one.end_order;
    }
    print_message("the first of another: behind %u\n", earlier);
    assert_true(earlier <= limits.room.of_session);
    finish(&one, EXECUTION_OK, "x");
    for (int i = 0; i < 40; i++)
        finish(&many[i], EXECUTION_OK, "");
}

static void test_fair_between_sessions(void **state)
{
    (void)state;
    check_fair("one");
}

static void test_fair_where_sessions_keep_sandboxes(void **state)
{
    (void)state;
    config.isolation = ISOLATION_SESSION;
    check_fair("one");
}

static void test_fair_to_those_without(void **state)
{
    (void)state;
    check_fair(NULL);
}

static void await_place(struct job_waiter *waiter, unsigned place)
{
    unsigned seen = 0;

    for (int i = 0; i < SOON_MS / 5; i++) {
        pthread_mutex_lock(&waiter->lock);
        seen = waiter->place;
        pthread_mutex_unlock(&waiter->lock);
        if (seen == place)
            return;
        nap(5);
    }
    fail_msg("place %u, not %u", seen, place);
}

static void test_places_are_told(void **state)
{
    struct job_waiter waiters[3];
    struct execution_job job = job_of("s", "bare", "print x");
    struct error err = {0};
    uint64_t ids[3];

    (void)state;
    atomic_store(&fake_fault, FAKE_NEVER_READY);
    create();
    for (int i = 0; i < 3; i++) {
        job_waiter_init(&waiters[i]);
        ids[i] = job_waiter_run(&waiters[i], executor, &job, &err);
        await_place(&waiters[i], (unsigned)i + 1);
    }
    executor_cancel(executor, ids[0]);
    await_place(&waiters[1], 1);
    await_place(&waiters[2], 2);
    assert_int_equal(waiters[2].told, 2);
    executor_cancel(executor, ids[1]);
    executor_cancel(executor, ids[2]);
    for (int i = 0; i < 3; i++)
        finish(&waiters[i], EXECUTION_CANCELLED, "");
}

/* A kind that is always asked for leaves starts to the others. */
static void test_kinds_take_turns(void **state)
{
    static struct job_waiter waiters[30];
    struct job_waiter other;

    (void)state;
    config.waiting = "bare=0,data=0";
    create();
    for (int i = 0; i < 30; i++)
        begin(&waiters[i], NULL, "bare", "print x");
    begin(&other, "s", "data", "print y");
    assert_true(job_waiter_wait(&other, SOON_MS));
    for (int i = 0; i < 30; i++)
        assert_true(job_waiter_wait(&waiters[i], SOON_MS));
    assert_true(waiters[29].end_order > other.end_order);
    finish(&other, EXECUTION_OK, "y");
    for (int i = 0; i < 30; i++)
        finish(&waiters[i], EXECUTION_OK, "x");
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        WITH(test_waiting_by_configuration),
        WITH(test_demand_grows),
        WITH(test_pings_are_answered),
        WITH(test_a_sandbox_that_does_not_answer_is_replaced),
        WITH(test_old_ones_are_renewed),
        WITH(test_a_new_image_replaces_what_waits),
        WITH(test_a_session_keeps_its_sandbox),
        WITH(test_a_burst_needs_no_start),
        WITH(test_a_new_sandbox_comes_first),
        WITH(test_what_a_session_does_not_keep),
        WITH(test_idle_sandboxes_end),
        WITH(test_never_two_sessions_in_one_sandbox),
        WITH(test_no_growth),
        WITH(test_fair_between_sessions),
        WITH(test_fair_where_sessions_keep_sandboxes),
        WITH(test_fair_to_those_without),
        WITH(test_places_are_told),
        WITH(test_kinds_take_turns),
    };

    fake_runner_main(argc, argv);
    set_up(NULL);
    create(); /* what libraries keep from their first use on */
    executor_destroy(executor);
    executor = NULL;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
