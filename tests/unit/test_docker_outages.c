/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The Docker engine against daemons that are slow, hold fewer limits, owe a removal, or go and come
 * back: it goes on, and nothing is left.
 */
#include "tests/unit/docker_faults_fixture.h"

/* What only costs time, or a limit that this daemon cannot hold. */
static void test_goes_on(void **state)
{
    static const struct {
        enum fake_docker_fault fault;
        const char *where;
    } fine[] = {
        {DOCKER_SLOW, ""},     {DOCKER_NO_QUOTA, "/update"}, {DOCKER_404_PAGE, "/update"},
        {DOCKER_500, "/info"}, {DOCKER_NO_JSON, "/info"},    {DOCKER_500, "/containers/json"},
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

/* After it has refused the profile, its own one holds. */
static void test_without_profile(void **state)
{
    struct fixture *fixture = *state;
    struct executor *executor;

    fake_docker_set(fixture->docker, DOCKER_NO_SECCOMP, "/create");
    executor = create(fixture);
    run_fails(executor, "custom seccomp profile");
    fake_docker_set(fixture->docker, DOCKER_WELL, "");
    runs_again(executor);
    assert_false(fake_docker_was_asked(fixture->docker, "seccomp="));
    assert_true(fake_docker_was_asked(fixture->docker, "no-new-privileges"));
    assert_non_null(strstr(executor_describe(executor), "the daemon's seccomp profile"));
    executor_destroy(executor);
    assert_nothing_left(fixture);
}

/* A daemon that removes nothing, or does not end what it began, is asked again, at the latest at
 * the end. */
static void test_owed(void **state)
{
    static const enum fake_docker_fault faults[] = {DOCKER_500, DOCKER_409_BEGUN};
    struct fixture *fixture = *state;

    for (size_t fault = 0; fault < sizeof faults / sizeof *faults; fault++) {
        struct executor *executor;

        fake_docker_set(fixture->docker, DOCKER_500, "/start");
        executor = create(fixture);
        run_fails(executor, "start a container");
        fake_docker_set(fixture->docker, faults[fault], "DELETE");
        for (int i = 0; i < 3; i++)
            run_ok(executor);
        fake_docker_set(fixture->docker, DOCKER_WELL, "");
        executor_destroy(executor);
        assert_nothing_left(fixture);
    }
}

/* Goes while sandboxes wait, and comes back. */
static void test_goes_and_comes(void **state)
{
    struct fixture *fixture = *state;
    struct executor *executor = create_with(fixture, &silent_all);
    struct error err = {0};

    assert_int_equal(executor_wait_warm(executor, "bare", PATIENT_MS, &err), 0);
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

/* Silence where it is longest: of the call that makes a container, which is made all the same. */
static void test_created_in_silence(void **state)
{
    struct fixture *fixture = *state;
    struct executor *executor;

    fake_docker_set(fixture->docker, DOCKER_DOES_SILENT, "/create");
    executor = create_with(fixture, &silent_call);
    run_fails(executor, "does not answer");
    assert_true(fake_docker_containers(fixture->docker) > 0);
    fake_docker_set(fixture->docker, DOCKER_WELL, "");
    runs_again(executor);
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

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        DOCKER_TEST(test_goes_on),         DOCKER_TEST(test_without_groups),
        DOCKER_TEST(test_without_profile), DOCKER_TEST(test_owed),
        DOCKER_TEST(test_goes_and_comes),  DOCKER_TEST(test_created_in_silence),
        DOCKER_TEST(test_neither),
    };

    fake_runner_main(argc, argv);
    return cmocka_run_group_tests(tests, open_once, NULL);
}
