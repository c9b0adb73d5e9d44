/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the tests of the Docker engine against faulty daemons (fake_docker.h) share: an executor
 * with short times, runs that succeed or fail, and that nothing is left.
 */
#ifndef LECTERN_TEST_DOCKER_FAULTS_FIXTURE_H
#define LECTERN_TEST_DOCKER_FAULTS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "executor/docker/docker_daemon.h"
#include "executor/engine.h"
#include "helpers/base/log.h"
#include "tests/parts/fake_docker.h"
#include "tests/parts/fake_engine.h"
#include "tests/parts/job_waiter.h"

static const struct executor_limits limits = {
    .import_ms = 5000,
    .grace_ms = 2000,
    .warm_ms = 20000,
    .request_ms = 5000,
    .wait_ms = 40000,
    .requests = 50,
    .answer_bytes = 1 << 20,
    .pace = {.retry = 10},
};

/* For daemons that are silent where the call is one of that kind; the other kinds have all the time
 * there is. The short one is too short for a slow machine with a daemon that is well: then runs are
 * tried until one succeeds. */
#define PATIENT_MS 60000
static const struct docker_times silent_ping = {
    .call = PATIENT_MS, .ping = 100, .look = PATIENT_MS};
static const struct docker_times silent_look = {
    .call = PATIENT_MS, .ping = PATIENT_MS, .look = 120};
static const struct docker_times silent_call = {
    .call = 250, .ping = PATIENT_MS, .look = PATIENT_MS};
static const struct docker_times silent_all = {.call = 250, .ping = 100, .look = 120};

struct fixture {
    struct fake_docker *docker;
    struct holdings before;
};

static inline void nap(long ms)
{
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

    nanosleep(&time, NULL);
}

static inline int set_up(void **state)
{
    static struct fixture fixture;

    fixture.docker = fake_docker_start();
    fixture.before = holdings_count();
    *state = &fixture;
    return 0;
}

static inline int tear_down(void **state)
{
    struct fixture *fixture = *state;

    fake_docker_stop(fixture->docker);
    return 0;
}

static inline struct executor *create_with(struct fixture *fixture,
                                           const struct docker_times *times)
{
    static const char *const warm[] = {"bare", NULL};
    const struct executor_config config = {.engine = EXECUTOR_DOCKER,
                                           .docker_host = fake_docker_host(fixture->docker),
                                           .docker_image = "image:1",
                                           .docker_times = times,
                                           .warm = warm};
    struct error err = {0};
    struct executor *executor = executor_create_with(&engine_docker, &config, &limits, &err);

    if (!executor)
        fail_msg("%s", err.text);
    return executor;
}

static inline struct executor *create(struct fixture *fixture)
{
    return create_with(fixture, NULL);
}

/* What libraries open once and keep, libuv's pipe of signals say, is not counted. */
static inline int open_once(void **state)
{
    struct fixture *fixture;

    set_up(state);
    fixture = *state;
    executor_destroy(create(fixture));
    return tear_down(state);
}

static inline void run_ok(struct executor *executor)
{
    struct job_waiter waiter;

    job_waiter_do(&waiter, executor, "bare", "print x");
    if (waiter.status != EXECUTION_OK)
        fail_msg("%s: %s", execution_status_name(waiter.status), waiter.error);
    assert_string_equal(waiter.out, "x");
    job_waiter_finish(&waiter);
}

/* The daemon is well again: what took long to fail is not asked again for as long. */
static inline void runs_again(struct executor *executor)
{
    struct job_waiter waiter;
    enum execution_status status = EXECUTION_ENGINE;

    for (int i = 0; i < 3000 && status != EXECUTION_OK; i++) {
        job_waiter_do(&waiter, executor, "bare", "print x");
        status = waiter.status;
        job_waiter_finish(&waiter);
        if (status != EXECUTION_OK)
            nap(20);
    }
    assert_int_equal(status, EXECUTION_OK);
}

static inline void run_fails(struct executor *executor, const char *words)
{
    struct job_waiter waiter;

    job_waiter_do(&waiter, executor, "bare", "print x");
    assert_int_equal(waiter.status, EXECUTION_ENGINE);
    assert_int_equal(waiter.exit_code, 127);
    if (!strstr(waiter.error, words))
        fail_msg("'%s' is not in: %s", words, waiter.error);
    job_waiter_finish(&waiter);
}

static inline void assert_nothing_left(struct fixture *fixture)
{
    for (int i = 0; i < 6000 && fake_docker_containers(fixture->docker) > 0; i++)
        nap(10);
    assert_int_equal(fake_docker_containers(fixture->docker), 0);
    assert_true(holdings_are(&fixture->before));
}

#define DOCKER_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

#endif
