/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The Docker engine against daemons that are absent or lie: each call gets the right error in
 * bounded time, the next one is right when the daemon is well, and nothing is left.
 */
#include "tests/unit/docker_faults_fixture.h"

static const struct row {
    enum fake_docker_fault fault;
    const char *where, *words;
    const struct docker_times *times; /* NULL: the usual */
} rows[] = {
    {DOCKER_REFUSES, "", "no Docker daemon answers at", NULL},
    {DOCKER_MUTE, "", "no Docker daemon answers at", &silent_ping},
    {DOCKER_500, "", "no Docker daemon is at", NULL},
    {DOCKER_NO_HTTP, "", "no Docker daemon answers at", NULL},
    {DOCKER_CLOSES, "", "no Docker daemon answers at", NULL},
    {DOCKER_404_PAGE, "/images/", "make image", NULL},
    {DOCKER_500, "/images/", "it is broken", NULL},
    {DOCKER_NO_JSON, "/images/", "look for the image", NULL},
    {DOCKER_MUTE, "/images/", "look for the image", &silent_look},
    {DOCKER_500, "/create", "create a container: the Docker daemon answered 500: it is broken",
     NULL},
    {DOCKER_409, "/create", "409: it is taken", NULL},
    {DOCKER_NO_SPACE, "/create", "docker system prune", NULL},
    {DOCKER_CLOSES, "/create", "does not answer", NULL},
    {DOCKER_NO_HTTP, "/create", "does not answer", NULL},
    {DOCKER_500, "/attach", "it is broken", NULL},
    {DOCKER_NO_HTTP, "/attach", "attach to a container", NULL},
    {DOCKER_500, "/start", "start a container", NULL},
    {DOCKER_CLOSES, "/start", "does not answer", NULL},
    {DOCKER_BAD_HEADS, "/attach", "the stream", NULL},
    {DOCKER_STREAM_ENDS, "/attach", "the sandbox ended", NULL},
    {DOCKER_500, "/update", "limit a container's CPU", NULL},
};

/* Each from the start. */
static void test_faults(void **state)
{
    struct fixture *fixture = *state;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct executor *executor;

        fake_docker_set(fixture->docker, rows[i].fault, rows[i].where);
        executor = create_with(fixture, rows[i].times);
        run_fails(executor, rows[i].words);
        fake_docker_set(fixture->docker, DOCKER_WELL, "");
        runs_again(executor);
        runs_again(executor);
        executor_destroy(executor);
        assert_nothing_left(fixture);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        DOCKER_TEST(test_faults),
    };

    fake_runner_main(argc, argv);
    return cmocka_run_group_tests(tests, open_once, NULL);
}
