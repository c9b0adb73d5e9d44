/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The Docker engine against daemons that are absent, slow, full, or lie (fake_docker.h): each call
 * gets the right error in bounded time, the next one is right when the daemon is well, and nothing
 * is left.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "executor/docker/docker_api.h"
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

/* For daemons that are silent. They are too short for a slow machine with a daemon that is well:
 * then runs are tried until one succeeds. */
static const struct docker_times hasty = {.call = 250, .ping = 100, .look = 120};

struct fixture {
    struct fake_docker *docker;
    struct holdings before;
};

static void nap(long ms)
{
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

    nanosleep(&time, NULL);
}

static int set_up(void **state)
{
    static struct fixture fixture;

    fixture.docker = fake_docker_start();
    fixture.before = holdings_count();
    *state = &fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;

    fake_docker_stop(fixture->docker);
    return 0;
}

static struct executor *create_with(struct fixture *fixture, const struct docker_times *times)
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

static struct executor *create(struct fixture *fixture)
{
    return create_with(fixture, NULL);
}

/* What libraries open once and keep, libuv's pipe of signals say, is not counted. */
static int open_once(void **state)
{
    struct fixture *fixture;

    set_up(state);
    fixture = *state;
    executor_destroy(create(fixture));
    return tear_down(state);
}

static void run_ok(struct executor *executor)
{
    struct job_waiter waiter;

    job_waiter_do(&waiter, executor, "bare", "print x");
    if (waiter.status != EXECUTION_OK)
        fail_msg("%s: %s", execution_status_name(waiter.status), waiter.error);
    assert_string_equal(waiter.out, "x");
    job_waiter_finish(&waiter);
}

/* The daemon is well again: what took long to fail is not asked again for as long. */
static void runs_again(struct executor *executor)
{
    struct job_waiter waiter;
    enum execution_status status = EXECUTION_ENGINE;

    for (int i = 0; i < 1000 && status != EXECUTION_OK; i++) {
        job_waiter_do(&waiter, executor, "bare", "print x");
        status = waiter.status;
        job_waiter_finish(&waiter);
        if (status != EXECUTION_OK)
            nap(20);
    }
    assert_int_equal(status, EXECUTION_OK);
}

static void run_fails(struct executor *executor, const char *words)
{
    struct job_waiter waiter;

    job_waiter_do(&waiter, executor, "bare", "print x");
    assert_int_equal(waiter.status, EXECUTION_ENGINE);
    assert_int_equal(waiter.exit_code, 127);
    if (!strstr(waiter.error, words))
        fail_msg("'%s' is not in: %s", words, waiter.error);
    job_waiter_finish(&waiter);
}

static void assert_nothing_left(struct fixture *fixture)
{
    for (int i = 0; i < 300 && fake_docker_containers(fixture->docker) > 0; i++)
        nap(10);
    assert_int_equal(fake_docker_containers(fixture->docker), 0);
    assert_true(holdings_are(&fixture->before));
}

static const struct row {
    enum fake_docker_fault fault;
    const char *where, *words;
} rows[] = {
    {DOCKER_REFUSES, "", "no Docker daemon answers at"},
    {DOCKER_MUTE, "", "no Docker daemon answers at"},
    {DOCKER_500, "", "no Docker daemon is at"},
    {DOCKER_NO_HTTP, "", "no Docker daemon answers at"},
    {DOCKER_CLOSES, "", "no Docker daemon answers at"},
    {DOCKER_404_PAGE, "/images/", "make image"},
    {DOCKER_500, "/images/", "it is broken"},
    {DOCKER_NO_JSON, "/images/", "look for the image"},
    {DOCKER_MUTE, "/images/", "look for the image"},
    {DOCKER_500, "/create", "create a container: the Docker daemon answered 500: it is broken"},
    {DOCKER_409, "/create", "409: it is taken"},
    {DOCKER_NO_SPACE, "/create", "docker system prune"},
    {DOCKER_CLOSES, "/create", "does not answer"},
    {DOCKER_NO_HTTP, "/create", "does not answer"},
    {DOCKER_500, "/attach", "it is broken"},
    {DOCKER_NO_HTTP, "/attach", "attach to a container"},
    {DOCKER_500, "/start", "start a container"},
    {DOCKER_CLOSES, "/start", "does not answer"},
    {DOCKER_BAD_HEADS, "/attach", "the stream"},
    {DOCKER_STREAM_ENDS, "/attach", "the sandbox ended"},
    {DOCKER_500, "/update", "limit a container's CPU"},
};

/* Each from the start. */
static void test_faults(void **state)
{
    struct fixture *fixture = *state;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct executor *executor;

        fake_docker_set(fixture->docker, rows[i].fault, rows[i].where);
        executor = create_with(fixture, rows[i].fault == DOCKER_MUTE ? &hasty : NULL);
        run_fails(executor, rows[i].words);
        fake_docker_set(fixture->docker, DOCKER_WELL, "");
        runs_again(executor);
        runs_again(executor);
        executor_destroy(executor);
        assert_nothing_left(fixture);
    }
}

/* Silence where it is longest: of the call that makes a container, which is made all the same. */
static void test_created_in_silence(void **state)
{
    struct fixture *fixture = *state;
    struct executor *executor;

    fake_docker_set(fixture->docker, DOCKER_DOES_SILENT, "/create");
    executor = create_with(fixture, &hasty);
    run_fails(executor, "does not answer");
    assert_true(fake_docker_containers(fixture->docker) > 0);
    fake_docker_set(fixture->docker, DOCKER_WELL, "");
    runs_again(executor);
    executor_destroy(executor);
    assert_nothing_left(fixture);
}

/* What only costs time, or a limit that this daemon cannot hold. */
static void test_goes_on(void **state)
{
    static const struct row fine[] = {
        {DOCKER_SLOW, "", ""},
        {DOCKER_NO_QUOTA, "/update", ""},
        {DOCKER_404_PAGE, "/update", ""},
        {DOCKER_500, "/info", ""},
        {DOCKER_NO_JSON, "/info", ""},
        {DOCKER_500, "/containers/json", ""},
    };
    struct fixture *fixture = *state;

    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        struct executor *executor;

        fake_docker_set(fixture->docker, fine[i].fault, fine[i].where);
        executor = create(fixture);
        run_ok(executor);
        run_ok(executor);
        /* One that cannot change limits later is asked for them at once. */
        assert_int_equal(fake_docker_was_asked(fixture->docker, "NanoCpus"),
                         fine[i].fault == DOCKER_404_PAGE);
        executor_destroy(executor);
        assert_nothing_left(fixture);
    }
}

/* What it says it cannot hold it is not asked for. */
static void test_without_groups(void **state)
{
    struct fixture *fixture = *state;
    struct executor *executor;

    fake_docker_set_info(fixture->docker, "{\"CgroupDriver\":\"none\",\"CgroupVersion\":\"1\","
                                          "\"SecurityOptions\":[\"name=rootless\"]}");
    fake_docker_set(fixture->docker, DOCKER_500, "/update");
    executor = create(fixture);
    assert_non_null(strstr(executor_describe(executor), "holds no limit of memory"));
    run_ok(executor);
    assert_false(fake_docker_was_asked(fixture->docker, "Memory"));
    assert_false(fake_docker_was_asked(fixture->docker, "PidsLimit"));
    assert_true(fake_docker_was_asked(fixture->docker, "no-new-privileges"));
    executor_destroy(executor);
    assert_nothing_left(fixture);
}

/* A daemon that removes nothing is asked again, at the latest at the end. */
static void test_owed(void **state)
{
    struct fixture *fixture = *state;
    struct executor *executor;

    fake_docker_set(fixture->docker, DOCKER_500, "/start");
    executor = create(fixture);
    run_fails(executor, "start a container");
    fake_docker_set(fixture->docker, DOCKER_500, "DELETE");
    for (int i = 0; i < 3; i++)
        run_ok(executor);
    fake_docker_set(fixture->docker, DOCKER_WELL, "");
    executor_destroy(executor);
    assert_nothing_left(fixture);
}

/* Goes while sandboxes wait, and comes back. */
static void test_goes_and_comes(void **state)
{
    struct fixture *fixture = *state;
    struct executor *executor = create_with(fixture, &hasty);
    struct error err = {0};

    assert_int_equal(executor_wait_warm(executor, "bare", 20000, &err), 0);
    for (int i = 0; i < 3; i++) {
        fake_docker_set(fixture->docker, i == 1 ? DOCKER_MUTE : DOCKER_REFUSES, "");
        /* Those that wait still serve; then there are none. */
        for (int n = 0; n < 6; n++) {
            struct job_waiter waiter;

            job_waiter_do(&waiter, executor, "bare", "print x");
            if (n == 5)
                assert_int_equal(waiter.status, EXECUTION_ENGINE);
            job_waiter_finish(&waiter);
        }
        fake_docker_set(fixture->docker, DOCKER_WELL, "");
        runs_again(executor);
    }
    executor_destroy(executor);
    assert_nothing_left(fixture);
}

/* Where the choice is ours and nothing works, both are looked for until one does. */
static void test_neither(void **state)
{
    struct fixture *fixture = *state;
    const struct executor_config config = {.engine = EXECUTOR_AUTO,
                                           .docker_host = fake_docker_host(fixture->docker),
                                           .docker_image = "image:1",
                                           .share_dir = "/nonexistent/share"};
    struct executor *executor;
    struct error err = {0};

    fake_docker_set(fixture->docker, DOCKER_REFUSES, "");
    executor = executor_create(&config, &err);
    assert_non_null(executor);
    assert_string_equal(executor_engine_name(executor), "auto");
    run_fails(executor, "no Docker daemon answers at");
    run_fails(executor, "/nonexistent/share: No such file or directory: make build");
    fake_docker_set(fixture->docker, DOCKER_WELL, "");
    runs_again(executor);
    fake_docker_set(fixture->docker, DOCKER_500, "DELETE");
    run_ok(executor);
    fake_docker_set(fixture->docker, DOCKER_WELL, "");
    executor_destroy(executor);
    assert_nothing_left(fixture);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        WITH(test_faults),  WITH(test_goes_on),        WITH(test_without_groups),
        WITH(test_owed),    WITH(test_goes_and_comes), WITH(test_created_in_silence),
        WITH(test_neither),
    };

    fake_runner_main(argc, argv);
    return cmocka_run_group_tests(tests, open_once, NULL);
}
