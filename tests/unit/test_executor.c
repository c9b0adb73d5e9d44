/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The executor over an engine whose sandboxes misbehave as they are told
 * (tests/parts/fake_engine.h).
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/parts/fake_engine.h"
#include "tests/parts/job_waiter.h"

#define WARM_MS         60000 /* how long a test waits for what must come */
#define KINDS_THAT_WAIT 2

struct fixture {
    struct executor *executor;
    struct holdings before;
};

/* Generous with time, whatever the machine does. */
static const struct executor_limits usual = {
    .import_ms = 20000,
    .grace_ms = 5000,
    .warm_ms = 20000,
    .wait_ms = 20000,
    .request_ms = 10000,
    .requests = 50,
    .answer_bytes = 1 << 20,
    .pace = {.retry = 20},
};

static struct executor *create_within(const struct executor_limits *limits)
{
    struct executor_config config = {0};
    struct error err = {0};
    struct executor *executor = executor_create_with(&engine_fake, &config, limits, &err);

    if (!executor)
        fail_msg("%s", err.text);
    return executor;
}

static struct executor *create(void)
{
    return create_within(&usual);
}

static int set_up(void **state)
{
    static struct fixture fixture;

    atomic_store(&fake_fault, FAKE_WELL);
    atomic_store(&fake_started, 0);
    fixture.before = holdings_count();
    fixture.executor = create();
    *state = &fixture;
    return 0;
}

static struct executor *create_again(struct fixture *fixture, const struct executor_limits *limits)
{
    executor_destroy(fixture->executor);
    fixture->executor = create_within(limits);
    return fixture->executor;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;

    executor_destroy(fixture->executor);
    assert_int_equal(atomic_load(&fake_boxes), 0);
    assert_true(holdings_are(&fixture->before));
    return 0;
}

static void nap(long ms)
{
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

    nanosleep(&time, NULL);
}

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void check(struct executor *executor, const char *code, enum execution_status status,
                  const char *out)
{
    struct job_waiter waiter;

    job_waiter_do(&waiter, executor, "bare", code);
    if (waiter.status != status)
        print_message("%s: %s\n", code, waiter.error);
    assert_string_equal(execution_status_name(waiter.status), execution_status_name(status));
    assert_int_equal(waiter.done_calls, 1);
    if (out)
        assert_string_equal(waiter.out, out);
    if (status != EXECUTION_OK)
        assert_non_null(waiter.error);
    job_waiter_finish(&waiter);
}

static void test_prints(void **state)
{
    struct fixture *fixture = *state;
    struct job_waiter waiter;

    job_waiter_do(&waiter, fixture->executor, "bare", "print hello\nerr mutter\nvalue 42");
    assert_int_equal(waiter.status, EXECUTION_OK);
    assert_string_equal(waiter.out, "hello");
    assert_string_equal(waiter.streamed, "hello");
    assert_string_equal(waiter.err, "mutter");
    assert_string_equal(waiter.value, "42");
    assert_null(waiter.error);
    assert_true(waiter.started);
    assert_int_equal(waiter.exit_code, 0);
    assert_true(waiter.seconds > 0.2 && waiter.seconds < 0.3);
    job_waiter_finish(&waiter);
}

static void test_each_job_has_its_own_sandbox(void **state)
{
    struct fixture *fixture = *state;

    for (int i = 0; i < 5; i++)
        check(fixture->executor, "print x", EXECUTION_OK, "x");
    assert_true(atomic_load(&fake_started) >= 5);
}

static void test_runtime_error(void **state)
{
    struct fixture *fixture = *state;
    struct job_waiter waiter;

    job_waiter_do(&waiter, fixture->executor, "bare", "print before\nraise KeyError 'title'");
    assert_int_equal(waiter.status, EXECUTION_RUNTIME);
    assert_string_equal(waiter.error_type, "KeyError");
    assert_string_equal(waiter.error, "KeyError 'title'");
    assert_string_equal(waiter.out, "before");
    assert_int_equal(waiter.exit_code, 1);
    job_waiter_finish(&waiter);
    check(fixture->executor, "raise MemoryError", EXECUTION_MEMORY, "");
}

static void test_verdicts_of_the_runner(void **state)
{
    struct fixture *fixture = *state;

    check(fixture->executor, "exit timeout", EXECUTION_TIMEOUT, "");
    check(fixture->executor, "exit memory", EXECUTION_MEMORY, "");
    check(fixture->executor, "exit output", EXECUTION_OUTPUT, "");
    check(fixture->executor, "exit crash", EXECUTION_CRASH, "");
    check(fixture->executor, "exit import", EXECUTION_RUNTIME, "");
    check(fixture->executor, "exit nonsense", EXECUTION_ENGINE, "");
}

static void test_invalid_utf8_is_replaced(void **state)
{
    struct fixture *fixture = *state;

    check(fixture->executor, "hex c3\nhex a4ff41", EXECUTION_OK,
          "ä\xef\xbf\xbd"
          "A");
    check(fixture->executor, "print a\nhex e282", EXECUTION_OK, "a\xef\xbf\xbd");
}

static void test_output_is_capped_outside_too(void **state)
{
    struct fixture *fixture = *state;
    struct job_waiter waiter;

    job_waiter_do(&waiter, fixture->executor, "bare", "flood 100000");
    assert_int_equal(waiter.status, EXECUTION_OK);
    assert_int_equal(waiter.out_len, EXECUTION_STDOUT_CAP);
    assert_int_equal(waiter.streamed_len, EXECUTION_STDOUT_CAP);
    assert_int_equal(waiter.out_cut, 100000 - EXECUTION_STDOUT_CAP);
    job_waiter_finish(&waiter);
    check(fixture->executor, "flood 100000000", EXECUTION_OUTPUT, NULL);
}

static void test_cut_is_between_characters(void **state)
{
    struct fixture *fixture = *state;
    struct job_waiter waiter;
    char code[64];

    snprintf(code, sizeof code, "flood %u\nprint \xe2\x82\xac\xe2\x82\xac",
             EXECUTION_STDOUT_CAP - 4);
    job_waiter_do(&waiter, fixture->executor, "bare", code);
    assert_int_equal(waiter.out_len, EXECUTION_STDOUT_CAP - 1);
    assert_string_equal(waiter.out + waiter.out_len - 4, "x\xe2\x82\xac");
    assert_int_equal(waiter.out_cut, 3);
    job_waiter_finish(&waiter);
}

static void test_tail(void **state)
{
    struct fixture *fixture = *state;
    struct job_waiter waiter;

    job_waiter_do(&waiter, fixture->executor, "bare",
                  "print head\nhex e2\ntail 82ac7461696c\ncut 100");
    assert_int_equal(waiter.status, EXECUTION_OK);
    assert_string_equal(waiter.out, "headtail");
    assert_int_equal(waiter.out_head, 4);
    assert_int_equal(waiter.out_cut, 103);
    assert_string_equal(waiter.streamed, "head");
    job_waiter_finish(&waiter);
    check(fixture->executor, "longtail 8192", EXECUTION_OK, NULL);
    check(fixture->executor, "longtail 8193", EXECUTION_ENGINE, NULL);
    check(fixture->executor, "tail 41\ntail 42", EXECUTION_ENGINE, NULL);
    check(fixture->executor, "tail 41\nprint x", EXECUTION_ENGINE, NULL);
}

#define FIGURE "figure iVBORw0KGgoAAAAN\n"

static void test_figures(void **state)
{
    struct fixture *fixture = *state;
    struct job_waiter waiter;

    job_waiter_do(&waiter, fixture->executor, "bare", FIGURE "figure iVBORw0KGgoAAA==");
    assert_int_equal(waiter.status, EXECUTION_OK);
    assert_int_equal(waiter.artifacts, 2);
    assert_string_equal(waiter.figure, "iVBORw0KGgoAAA==");
    job_waiter_finish(&waiter);
    check(fixture->executor, FIGURE FIGURE FIGURE FIGURE FIGURE FIGURE FIGURE FIGURE, EXECUTION_OK,
          "");
    check(fixture->executor, FIGURE FIGURE FIGURE FIGURE FIGURE FIGURE FIGURE FIGURE FIGURE,
          EXECUTION_ENGINE, "");
    check(fixture->executor, "figure <svg>", EXECUTION_ENGINE, "");
}

static void test_breaches_end_the_sandbox(void **state)
{
    struct fixture *fixture = *state;

    check(fixture->executor, "print x\ngarbage\nsleep 5000", EXECUTION_ENGINE, "x");
    check(fixture->executor, "oversize\nsleep 5000", EXECUTION_ENGINE, "");
    check(fixture->executor, "twice\nsleep 5000", EXECUTION_ENGINE, "");
    check(fixture->executor, "value 1\nvalue 2\nsleep 5000", EXECUTION_ENGINE, "");
    check(fixture->executor, "print x\ndie", EXECUTION_ENGINE, "x");
    check(fixture->executor, "print well", EXECUTION_OK, "well");
}

static void test_backstop_of_the_deadline(void **state)
{
    struct fixture *fixture = *state;
    struct execution_job job = {
        .code = "print x\ndeaf 60000", .code_len = 18, .kind = "bare", .timeout_ms = 500};
    struct executor_limits limits = usual;
    struct job_waiter waiter;
    struct error err = {0};
    double begin;

    limits.grace_ms = 100;
    create_again(fixture, &limits);
    assert_int_equal(executor_wait_warm(fixture->executor, "bare", WARM_MS, &err), 0);
    begin = now();
    job_waiter_init(&waiter);
    assert_true(job_waiter_run(&waiter, fixture->executor, &job, &err) > 0);
    assert_true(job_waiter_wait(&waiter, WARM_MS));
    assert_int_equal(waiter.status, EXECUTION_TIMEOUT);
    assert_int_equal(waiter.exit_code, 124);
    assert_string_equal(waiter.out, "x");
    /* The limit and the grace are 0.6 s; the loop counts from its last look at the clock. */
    assert_true(now() - begin > 0.55);
    job_waiter_finish(&waiter);
}

static void test_mute_sandbox(void **state)
{
    struct fixture *fixture = *state;
    struct executor_limits limits = usual;

    limits.import_ms = limits.grace_ms = 100;
    atomic_store(&fake_fault, FAKE_MUTE);
    create_again(fixture, &limits);
    check(fixture->executor, "print x", EXECUTION_ENGINE, "");
}

/* ---- requests ---- */

static void test_requests(void **state)
{
    struct fixture *fixture = *state;
    struct job_waiter waiter;

    job_waiter_do(&waiter, fixture->executor, "bare", "get /session/other/nodes?limit=5");
    assert_int_equal(waiter.status, EXECUTION_OK);
    assert_string_equal(waiter.out,
                        "200 {\"session\": \"s\", \"target\": \"/session/other/nodes?limit=5\"}");
    job_waiter_finish(&waiter);
}

static void test_ill_formed_requests(void **state)
{
    struct fixture *fixture = *state;

    check(fixture->executor, "get POST /session/s/nodes", EXECUTION_OK,
          "405 {\"detail\":\"only reading is allowed here: GET and a path without spaces\"}");
    check(fixture->executor, "get /a b", EXECUTION_OK,
          "405 {\"detail\":\"only reading is allowed here: GET and a path without spaces\"}");
}

static void test_request_without_session(void **state)
{
    struct fixture *fixture = *state;
    struct execution_job job = {.code = "get /session/s/nodes", .code_len = 20, .kind = "bare"};
    struct job_waiter waiter;
    struct error err = {0};

    job_waiter_init(&waiter);
    assert_true(job_waiter_run(&waiter, fixture->executor, &job, &err) > 0);
    assert_true(job_waiter_wait(&waiter, WARM_MS));
    assert_int_equal(waiter.requests, 0);
    assert_int_equal(strncmp(waiter.out, "401 ", 4), 0);
    job_waiter_finish(&waiter);
}

static void test_too_many_requests(void **state)
{
    struct fixture *fixture = *state;
    struct job_waiter waiter;

    job_waiter_do(&waiter, fixture->executor, "bare", "gets 50");
    assert_int_equal(strncmp(waiter.out, "200 ", 4), 0);
    job_waiter_finish(&waiter);
    job_waiter_do(&waiter, fixture->executor, "bare", "gets 51");
    assert_int_equal(strncmp(waiter.out, "403 ", 4), 0);
    assert_int_equal(waiter.requests, 50);
    job_waiter_finish(&waiter);
    check(fixture->executor, "gets 5000", EXECUTION_RUNTIME, "");
}

static void answer_large(struct job_waiter *waiter, struct broker_request *request)
{
    size_t len = 400 << 10;
    char *body = malloc(len);

    (void)waiter;
    memset(body, 'a', len);
    executor_answer(request, 200, body, len);
    free(body);
}

/* The third of 400 KB goes over the 1 MB that a run may read here. */
static void test_too_many_answer_bytes(void **state)
{
    struct fixture *fixture = *state;
    struct execution_job job = {.code = "gets 3", .code_len = 6, .kind = "bare", .session_id = "s"};
    struct job_waiter waiter;
    struct error err = {0};

    job_waiter_init(&waiter);
    waiter.answer = answer_large;
    assert_true(job_waiter_run(&waiter, fixture->executor, &job, &err) > 0);
    assert_true(job_waiter_wait(&waiter, WARM_MS));
    assert_int_equal(strncmp(waiter.out, "413 ", 4), 0);
    job_waiter_finish(&waiter);
}

/* A sandbox that reads slowly holds nobody up but itself. */
static void test_slow_reader(void **state)
{
    struct fixture *fixture = *state;
    struct execution_job job = {.code = "slow\ngets 1",
                                .code_len = 11,
                                .kind = "bare",
                                .session_id = "s",
                                .timeout_ms = 400};
    struct job_waiter waiter, quick;
    struct executor_limits limits = usual;
    struct error err = {0};

    limits.grace_ms = 500;
    create_again(fixture, &limits);
    assert_int_equal(executor_wait_warm(fixture->executor, "bare", WARM_MS, &err), 0);
    job_waiter_init(&waiter);
    waiter.answer = answer_large;
    assert_true(job_waiter_run(&waiter, fixture->executor, &job, &err) > 0);
    job_waiter_do(&quick, fixture->executor, "bare", "print quick");
    assert_int_equal(quick.status, EXECUTION_OK);
    assert_true(job_waiter_wait(&waiter, WARM_MS));
    assert_int_equal(waiter.status, EXECUTION_TIMEOUT);
    assert_true(quick.end_order < waiter.end_order);
    job_waiter_finish(&quick);
    job_waiter_finish(&waiter);
}

static void keep_back(struct job_waiter *waiter, struct broker_request *request)
{
    waiter->kept = request;
}

/* A run whose request is kept back ends before the answer comes. */
static void cancel_at_request(struct fixture *fixture, struct job_waiter *waiter,
                              void (*answer)(struct job_waiter *, struct broker_request *))
{
    struct execution_job job = {.code = "gets 1", .code_len = 6, .kind = "bare", .session_id = "s"};
    struct error err = {0};
    uint64_t id;

    job_waiter_init(waiter);
    waiter->answer = answer;
    id = job_waiter_run(waiter, fixture->executor, &job, &err);
    assert_true(id > 0);
    assert_true(job_waiter_wait_asked(waiter, WARM_MS));
    executor_cancel(fixture->executor, id);
    assert_true(job_waiter_wait(waiter, WARM_MS));
    assert_int_equal(waiter->status, EXECUTION_CANCELLED);
    assert_non_null(waiter->kept);
}

static void test_answers_that_come_late(void **state)
{
    struct fixture *fixture = *state;
    struct job_waiter waiters[2];

    for (int i = 0; i < 2; i++)
        cancel_at_request(fixture, &waiters[i], keep_back);
    executor_answer(waiters[0].kept, 200, "{}", 2); /* after the run */
    executor_destroy(fixture->executor);
    executor_answer(waiters[1].kept, 200, "{}", 2); /* after the executor */
    for (int i = 0; i < 2; i++)
        job_waiter_finish(&waiters[i]);
    fixture->executor = create();
}

static struct cancel *kept_cancel;

static void keep_cancel(struct job_waiter *waiter, struct broker_request *request)
{
    waiter->kept = request;
    kept_cancel = broker_request_cancel(request);
}

/* One that takes too long is given up with advice, while the run goes on; what comes late is
 * dropped. */
static void test_slow_request(void **state)
{
    struct fixture *fixture = *state;
    struct execution_job job = {
        .code = "gets 1", .code_len = 6, .kind = "bare", .session_id = "s", .timeout_ms = 60000};
    struct job_waiter waiter;
    struct error err = {0};
    struct executor_limits limits = usual;
    double begin = now();

    limits.request_ms = 100;
    create_again(fixture, &limits);
    job_waiter_init(&waiter);
    waiter.answer = keep_cancel;
    assert_true(job_waiter_run(&waiter, fixture->executor, &job, &err) > 0);
    assert_true(job_waiter_wait(&waiter, WARM_MS));
    assert_int_equal(waiter.status, EXECUTION_OK);
    assert_int_equal(strncmp(waiter.out, "504 ", 4), 0);
    assert_non_null(strstr(waiter.out, "longer than 100 ms"));
    assert_true(now() - begin >= 0.1);
    assert_true(cancel_fired(kept_cancel));
    executor_answer(waiter.kept, 200, "{}", 2);
    cancel_unref(kept_cancel);
    job_waiter_finish(&waiter);
}

/* Whoever works on an answer is told that nobody waits for it any more. */
static void test_request_of_an_ended_run(void **state)
{
    struct fixture *fixture = *state;
    struct job_waiter waiter;

    cancel_at_request(fixture, &waiter, keep_cancel);
    assert_true(cancel_fired(kept_cancel));
    executor_answer(waiter.kept, 200, "{}", 2);
    cancel_unref(kept_cancel);
    job_waiter_finish(&waiter);
}

/* ---- cancelling, stopping ---- */

static void check_cancel(struct fixture *fixture, const char *code)
{
    struct execution_job job = {.code = code, .code_len = strlen(code), .kind = "bare"};
    struct job_waiter waiter;
    struct error err = {0};
    uint64_t id;

    job_waiter_init(&waiter);
    id = job_waiter_run(&waiter, fixture->executor, &job, &err);
    assert_true(job_waiter_wait_started(&waiter, WARM_MS));
    executor_cancel(fixture->executor, id);
    executor_cancel(fixture->executor, id);
    assert_true(job_waiter_wait(&waiter, WARM_MS));
    assert_int_equal(waiter.status, EXECUTION_CANCELLED); /* long before the code would end */
    executor_cancel(fixture->executor, id);
    job_waiter_finish(&waiter);
}

static void test_cancel(void **state)
{
    check_cancel(*state, "sleep 60000");
    check_cancel(*state, "deaf 60000"); /* the code does not heed anything */
    executor_cancel(((struct fixture *)*state)->executor, 9999);
}

static void test_cancel_while_waiting(void **state)
{
    struct fixture *fixture = *state;
    struct execution_job job = {.code = "print x", .code_len = 7, .kind = "bare"};
    struct job_waiter waiter;
    struct error err = {0};
    uint64_t id;

    atomic_store(&fake_fault, FAKE_NEVER_READY);
    create_again(fixture, &usual);
    job_waiter_init(&waiter);
    id = job_waiter_run(&waiter, fixture->executor, &job, &err);
    executor_cancel(fixture->executor, id);
    assert_true(job_waiter_wait(&waiter, WARM_MS));
    assert_int_equal(waiter.status, EXECUTION_CANCELLED);
    assert_false(waiter.started);
    job_waiter_finish(&waiter);
}

static void test_stop_ends_every_run(void **state)
{
    struct fixture *fixture = *state;
    struct execution_job job = {.code = "sleep 60000", .code_len = 11, .kind = "bare"};
    struct job_waiter waiters[20];
    struct error err = {0};

    for (int i = 0; i < 20; i++) {
        job_waiter_init(&waiters[i]);
        assert_true(job_waiter_run(&waiters[i], fixture->executor, &job, &err) > 0);
    }
    assert_true(job_waiter_wait_started(&waiters[0], WARM_MS));
    executor_destroy(fixture->executor);
    for (int i = 0; i < 20; i++) {
        assert_true(waiters[i].finished);
        assert_int_equal(waiters[i].status, EXECUTION_CANCELLED);
        assert_int_equal(waiters[i].done_calls, 1);
        job_waiter_finish(&waiters[i]);
    }
    fixture->executor = create();
}

/* ---- the pool ---- */

static void test_many_at_once(void **state)
{
    struct fixture *fixture = *state;
    struct job_waiter waiters[40];
    struct error err = {0};

    for (int i = 0; i < 40; i++) {
        struct execution_job job = {
            .code = "print x", .code_len = 7, .kind = i % 2 ? "bare" : "data"};

        job_waiter_init(&waiters[i]);
        assert_true(job_waiter_run(&waiters[i], fixture->executor, &job, &err) > 0);
    }
    for (int i = 0; i < 40; i++) {
        assert_true(job_waiter_wait(&waiters[i], WARM_MS));
        assert_int_equal(waiters[i].status, EXECUTION_OK);
        job_waiter_finish(&waiters[i]);
    }
}

/* A sandbox that is never ready: the job's time to wait ends first. */
static void test_waits_too_long(void **state)
{
    struct fixture *fixture = *state;
    struct executor_limits limits = usual;
    struct job_waiter waiter;

    limits.wait_ms = 100;
    atomic_store(&fake_fault, FAKE_NEVER_READY);
    create_again(fixture, &limits);
    job_waiter_do(&waiter, fixture->executor, "bare", "print x");
    assert_int_equal(waiter.status, EXECUTION_BUSY);
    assert_int_equal(waiter.exit_code, 127);
    assert_non_null(strstr(waiter.error, "no sandbox was free within 0.1 s; send it again in"));
    job_waiter_finish(&waiter);
}

/* One session fills its share of the queue, another the rest; then nobody gets in. */
static void test_too_many_wait(void **state)
{
    struct fixture *fixture = *state;
    struct execution_job job = {
        .code = "print x", .code_len = 7, .kind = "bare", .session_id = "one"};
    static struct job_waiter waiters[EXECUTION_WAITING_CAP];
    uint64_t ids[EXECUTION_WAITING_CAP];
    struct executor_stats stats;
    struct error err = {0};
    unsigned count = 0;

    atomic_store(&fake_fault, FAKE_NEVER_READY);
    create_again(fixture, &usual);
    assert_int_equal(executor_retry_after(fixture->executor), 1);
    for (; count < EXECUTION_WAITING_CAP; count++) {
        if (count == EXECUTION_SESSION_WAITING_CAP) {
            assert_int_equal(executor_run(fixture->executor, &job, &err), 0);
            assert_int_equal(err.kind, ERROR_BUSY);
            assert_non_null(strstr(err.text, "48 runs of this session already wait"));
            job.session_id = NULL;
        }
        job_waiter_init(&waiters[count]);
        ids[count] = job_waiter_run(&waiters[count], fixture->executor, &job, &err);
        assert_true(ids[count] > 0);
    }
    job.session_id = "other";
    assert_int_equal(executor_run(fixture->executor, &job, &err), 0);
    assert_int_equal(err.kind, ERROR_BUSY);
    assert_string_equal(err.text, "64 runs already wait for a sandbox; send it again in 5 s");
    executor_stats(fixture->executor, &stats);
    assert_int_equal(stats.queued, EXECUTION_WAITING_CAP);
    assert_int_equal(stats.turned_away, 2);
    assert_int_equal(stats.attempts, EXECUTION_WAITING_CAP);
    for (unsigned i = 0; i < count; i++) {
        executor_cancel(fixture->executor, ids[i]);
        assert_true(job_waiter_wait(&waiters[i], WARM_MS));
        assert_int_equal(waiters[i].status, EXECUTION_CANCELLED);
        job_waiter_finish(&waiters[i]);
    }
    executor_stats(fixture->executor, &stats);
    assert_int_equal(stats.queued, 0);
    assert_int_equal(stats.running, 0);
}

/* What ended and how long it took; the queue's time follows from the last ends. */
static void test_stats(void **state)
{
    struct fixture *fixture = *state;
    struct execution_job job = {.code = "print x", .code_len = 7, .kind = "bare"};
    struct job_waiter waiters[2];
    struct executor_stats stats;
    struct error err = {0};
    uint64_t ids[2];

    for (unsigned i = 1; i < EXECUTOR_BUCKETS; i++)
        assert_true(executor_buckets[i - 1] < executor_buckets[i]);
    atomic_store(&fake_fault, FAKE_NEVER_READY);
    create_again(fixture, &usual);
    assert_int_equal(executor_retry_after(fixture->executor), 1);
    for (int i = 0; i < 2; i++) {
        job_waiter_init(&waiters[i]);
        ids[i] = job_waiter_run(&waiters[i], fixture->executor, &job, &err);
    }
    assert_int_equal(executor_retry_after(fixture->executor), 5); /* none has ended */
    executor_cancel(fixture->executor, ids[0]);
    assert_true(job_waiter_wait(&waiters[0], WARM_MS));
    executor_stats(fixture->executor, &stats);
    assert_int_equal(stats.attempts, 2);
    assert_int_equal(stats.queued, 1);
    assert_int_equal(stats.running, 0);
    assert_int_equal(stats.ended[EXECUTION_CANCELLED], 1);
    assert_in_range(executor_retry_after(fixture->executor), 1, EXECUTION_WAIT_MS_MAX / 1000);
    executor_cancel(fixture->executor, ids[1]);
    assert_true(job_waiter_wait(&waiters[1], WARM_MS));
    atomic_store(&fake_fault, FAKE_WELL);
    create_again(fixture, &usual);
    check(fixture->executor, "print x", EXECUTION_OK, "x");
    executor_stats(fixture->executor, &stats);
    assert_int_equal(stats.ended[EXECUTION_OK], 1);
    assert_int_equal(stats.seconds.counts[6], 1); /* the fake's 0.25 s: over 0.1, up to 0.25 */
    assert_true(stats.seconds.sum > 0.24 && stats.seconds.sum < 0.26);
    assert_int_equal(stats.kind_count, KINDS_COUNT);
    assert_string_equal(stats.kinds[1].name, "data");
    for (int i = 0; i < 2; i++)
        job_waiter_finish(&waiters[i]);
}

static void test_bad_jobs(void **state)
{
    struct fixture *fixture = *state;
    struct execution_job job = {.code = "print x", .code_len = 7, .kind = "huge"};
    struct error err = {0};

    assert_int_equal(executor_run(fixture->executor, &job, &err), 0);
    assert_int_equal(err.kind, ERROR_INVALID);
    job.kind = "bare";
    job.code = "\xff";
    job.code_len = 1;
    assert_int_equal(executor_run(fixture->executor, &job, &err), 0);
    assert_int_equal(err.kind, ERROR_INVALID);
}

static void check_fault_and_recovery(struct fixture *fixture, enum fake_fault fault,
                                     const char *says)
{
    struct job_waiter waiter;
    struct error err = {0};
    double begin;
    int started;

    assert_int_equal(executor_wait_warm(fixture->executor, "bare", WARM_MS, &err), 0);
    atomic_store(&fake_fault, fault);
    for (int i = 0; i < 8; i++) {
        job_waiter_do(&waiter, fixture->executor, "bare", "print x");
        if (waiter.status != EXECUTION_OK)
            break;
        job_waiter_finish(&waiter);
    }
    assert_int_equal(waiter.status, EXECUTION_ENGINE);
    assert_non_null(strstr(waiter.error, says));
    job_waiter_finish(&waiter);
    /* It does not try without end: the pauses double. */
    started = atomic_load(&fake_started);
    begin = now();
    nap(100);
    started = atomic_load(&fake_started) - started;
    assert_true(started <= KINDS_THAT_WAIT * (2 + log2((now() - begin) * 1000 / usual.pace.retry)));
    atomic_store(&fake_fault, FAKE_WELL);
    /* A start may have been under way with the fault. */
    for (int i = 0; i < 500; i++) {
        job_waiter_do(&waiter, fixture->executor, "bare", "print back");
        if (waiter.status == EXECUTION_OK)
            break;
        job_waiter_finish(&waiter);
        nap(10);
    }
    assert_int_equal(waiter.status, EXECUTION_OK);
    assert_string_equal(waiter.out, "back");
    job_waiter_finish(&waiter);
}

static void test_engine_away_and_back(void **state)
{
    check_fault_and_recovery(*state, FAKE_NO_START, "the fake engine is away");
}

static void test_sandboxes_that_die_warming(void **state)
{
    check_fault_and_recovery(*state, FAKE_DIES_WARMING, "this is why");
}

static void test_sandboxes_that_are_garbage(void **state)
{
    check_fault_and_recovery(*state, FAKE_GARBAGE_READY, "broke the rules");
}

static void test_sandboxes_that_lack_a_layer(void **state)
{
    check_fault_and_recovery(*state, FAKE_NO_LANDLOCK, "has no Landlock");
    check_fault_and_recovery(*state, FAKE_NO_SECCOMP, "has no seccomp");
}

static void test_sandboxes_of_another_python(void **state)
{
    check_fault_and_recovery(*state, FAKE_OTHER_PYTHON, "has Python 3.13.5");
}

static void test_sandboxes_that_do_not_settle(void **state)
{
    check_fault_and_recovery(*state, FAKE_NO_SETTLE, "does not settle");
}

static void test_second_attempt(void **state)
{
    struct fixture *fixture = *state;
    struct error err = {0};

    atomic_store(&fake_fault, FAKE_DIES_WITH_JOB);
    create_again(fixture, &usual);
    assert_int_equal(executor_wait_warm(fixture->executor, "bare", WARM_MS, &err), 0);
    check(fixture->executor, "print x", EXECUTION_ENGINE, ""); /* both attempts die */
    atomic_store(&fake_fault, FAKE_WELL);
    /* Whatever bad ones still wait: each run may meet two of them, and they come to an end. */
    for (unsigned i = 0; i <= 4; i++) {
        struct job_waiter waiter;

        job_waiter_do(&waiter, fixture->executor, "bare", "print x");
        if (i == 4)
            assert_int_equal(waiter.status, EXECUTION_OK);
        job_waiter_finish(&waiter);
    }
}

static void test_engine_that_never_was(void **state)
{
    struct executor_config config = {0};
    struct error err = {0};

    (void)state;
    atomic_store(&fake_fault, FAKE_NO_START);
    assert_null(executor_create_with(&engine_fake, &config, &usual, &err));
    assert_int_equal(err.kind, ERROR_UNAVAILABLE);
    executor_destroy(NULL);
}

static void test_only_what_is_asked_is_warm(void **state)
{
    struct fixture *fixture = *state;
    static const char *const warm[] = {"data", NULL};
    struct executor_config config = {.warm = warm};
    struct error err = {0};
    struct executor *executor = executor_create_with(&engine_fake, &config, &usual, &err);

    (void)fixture;
    assert_non_null(executor);
    assert_string_equal(executor_engine_name(executor), "fake");
    assert_string_equal(executor_describe(executor), "code does not run at all");
    assert_int_equal(executor_wait_warm(executor, "data", WARM_MS, &err), 0);
    assert_int_equal(executor_wait_warm(executor, "bare", 100, &err), -1);
    assert_int_equal(executor_wait_warm(executor, "none", 100, &err), -1);
    check(executor, "print x", EXECUTION_OK, "x"); /* bare all the same */
    executor_destroy(executor);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        WITH(test_prints),
        WITH(test_each_job_has_its_own_sandbox),
        WITH(test_runtime_error),
        WITH(test_verdicts_of_the_runner),
        WITH(test_invalid_utf8_is_replaced),
        WITH(test_output_is_capped_outside_too),
        WITH(test_cut_is_between_characters),
        WITH(test_tail),
        WITH(test_figures),
        WITH(test_breaches_end_the_sandbox),
        WITH(test_backstop_of_the_deadline),
        WITH(test_mute_sandbox),
        WITH(test_requests),
        WITH(test_slow_request),
        WITH(test_request_of_an_ended_run),
        WITH(test_ill_formed_requests),
        WITH(test_request_without_session),
        WITH(test_too_many_requests),
        WITH(test_too_many_answer_bytes),
        WITH(test_slow_reader),
        WITH(test_answers_that_come_late),
        WITH(test_cancel),
        WITH(test_cancel_while_waiting),
        WITH(test_stop_ends_every_run),
        WITH(test_many_at_once),
        WITH(test_waits_too_long),
        WITH(test_too_many_wait),
        WITH(test_stats),
        WITH(test_bad_jobs),
        WITH(test_engine_away_and_back),
        WITH(test_sandboxes_that_die_warming),
        WITH(test_sandboxes_that_are_garbage),
        WITH(test_sandboxes_that_lack_a_layer),
        WITH(test_sandboxes_of_another_python),
        WITH(test_sandboxes_that_do_not_settle),
        WITH(test_second_attempt),
        WITH(test_only_what_is_asked_is_warm),
        cmocka_unit_test(test_engine_that_never_was),
    };

    fake_runner_main(argc, argv);
    /* libuv and the sanitizers keep a few descriptors and a thread from their first use on: before
     * any are counted. */
    executor_destroy(create());
    return cmocka_run_group_tests(tests, NULL, NULL);
}
